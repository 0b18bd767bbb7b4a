//! The releases of the driver, and the words of `.ze_info` that each knows.
//!
//! `releases.tsv` has one row per release: its number (year and week), the newest version of
//! `.ze_info` that it reads, and the keys and enumeration values that it added (after `+` and the
//! build of the first patch with them) or removed (after `-`). Words that are in no row are as old
//! as the first release. From the tags of compute-runtime, zeinfo.h. Adding a release is one row.

use std::fmt;
use std::sync::LazyLock;

use foldhash::HashMap;
use zeview_core::model::suggest::unknown_name;

const TABLE: &str = include_str!("releases.tsv");

/// The release that the verdict models unless another is requested: the one that was observed.
pub const DEFAULT: &str = "26.27";

/// Long-lived branches with names of their own.
const BRANCHES: &[(&str, &str)] = &[("lts2", "25.18")];

/// Since this release, unknown keys are errors; before, warnings.
const FATAL_SINCE: (u16, u16) = (24, 45);

/// The first release that compares the L1 cache policy of code for Xe3, and the first that knows
/// the key for it.
const CACHE_POLICY_SINCE: (u16, u16) = (26, 9);
const CACHE_POLICY_KEY_SINCE: (u16, u16) = (26, 27);

/// The first release that refuses stateful buffers on Xe3P.
const STATELESS_SINCE: (u16, u16) = (26, 14);

/// The first release whose OpenCL for Crescent Island is implemented with Level Zero.
const OPENCL_OVER_LEVEL_ZERO_SINCE: (u16, u16) = (26, 27);

/// The first release whose OpenCL recompiles bindless code.
const BINDLESS_SINCE: (u16, u16) = (24, 22);

/// The patch of a release: the rest of its version.
type Build = (u32, u32);

/// A word that some releases do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The key or value.
    pub name: &'static str,
    /// The first release.
    pub since: (u16, u16),
    /// The first build of that release.
    pub build: Build,
    /// The first release that no longer knows it.
    pub until: Option<(u16, u16)>,
}

struct Row {
    week: (u16, u16),
    name: &'static str,
    ze_info: (u32, u32),
}

struct Table {
    rows: Vec<Row>,
    words: HashMap<&'static [u8], Word>,
}

static PARSED: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        rows: Vec::new(),
        words: HashMap::default(),
    };
    for line in TABLE.lines() {
        let mut cells = line.split('\t');
        let (Some(name), Some(version)) = (cells.next(), cells.next()) else {
            continue;
        };
        let (Some(week), Some((major, minor))) = (pair(name), pair(version)) else {
            continue;
        };
        table.rows.push(Row {
            week,
            name,
            ze_info: (major.into(), minor.into()),
        });
        let mut build = None;
        for word in cells.next().unwrap_or_default().split(' ') {
            if let Some(number) = word.strip_prefix('+') {
                build = Some(build_of(number).unwrap_or_default());
            } else if word == "-" {
                build = None;
            } else if let Some(build) = build {
                let known = Word {
                    name: word,
                    since: week,
                    build,
                    until: None,
                };
                table.words.insert(word.as_bytes(), known);
            } else if let Some(known) = table.words.get_mut(word.as_bytes()) {
                known.until = Some(week);
            }
        }
    }
    table
});

/// Parses two numbers with a dot.
fn pair(text: &str) -> Option<(u16, u16)> {
    let (a, b) = text.split_once('.')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

/// Parses the build in a version: `33578` or `33578.5`.
fn build_of(text: &str) -> Option<Build> {
    match text.split_once('.') {
        Some((build, patch)) => Some((build.parse().ok()?, patch.parse().ok()?)),
        None => Some((text.parse().ok()?, 0)),
    }
}

/// A release of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    week: (u16, u16),
    name: &'static str,
    ze_info: (u32, u32),
    /// The requested patch; `None` for the newest.
    build: Option<Build>,
}

impl Default for Release {
    fn default() -> Release {
        Release::named(DEFAULT).unwrap_or(Release {
            week: (0, 0),
            name: DEFAULT,
            ze_info: (1, 0),
            build: None,
        })
    }
}

impl Release {
    /// Finds a release by its number (`25.18`), its version (`25.18.33578.42`), or the name of a
    /// long-lived branch (`lts2`). Returns `None` if it is not in the table.
    pub fn named(name: &str) -> Option<Release> {
        let name = name.trim();
        let branch = BRANCHES
            .iter()
            .find(|(branch, _)| name.eq_ignore_ascii_case(branch));
        let name = branch.map_or(name, |(_, name)| name);
        let mut parts = name.splitn(3, '.');
        let week = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let build = match parts.next() {
            Some(rest) => Some(build_of(rest)?),
            None => None,
        };
        let row = PARSED.rows.iter().find(|row| row.week == week)?;
        Some(Release {
            week,
            name: row.name,
            ze_info: row.ze_info,
            build,
        })
    }

    /// The numbers of the oldest and the newest release in the table.
    pub fn range() -> (&'static str, &'static str) {
        let name = |row: Option<&Row>| row.map_or("", |row| row.name);
        (name(PARSED.rows.first()), name(PARSED.rows.last()))
    }

    /// Formats the message about a name that no release has.
    pub fn unknown(name: &str) -> String {
        let (oldest, newest) = Release::range();
        let unknown = unknown_name::<&str>("release of the driver", name, &[]);
        format!("{unknown}; known are those from {oldest} to {newest}, such as 25.18, and lts2")
    }

    /// All releases in the table, the oldest first.
    pub fn all() -> impl Iterator<Item = Release> {
        PARSED
            .rows
            .iter()
            .filter_map(|row| Release::named(row.name))
    }

    /// Its year and week.
    pub fn week(&self) -> (u16, u16) {
        self.week
    }

    /// The newest version of `.ze_info` that it reads.
    pub fn ze_info(&self) -> (u32, u32) {
        self.ze_info
    }

    /// Returns whether it is the one that was observed.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT && self.build.is_none()
    }

    /// Returns whether a word is known to it: a key, or a value of an enumeration.
    pub fn knows(&self, word: &Word) -> bool {
        let is_new_enough = match self.build {
            // Keys were added to old branches by patches, so the week alone does not decide.
            Some(build) if self.week == word.since => build >= word.build,
            _ => self.week >= word.since,
        };
        is_new_enough && word.until.is_none_or(|until| self.week < until)
    }

    /// Returns whether an unknown key makes it refuse the file; older releases warn.
    pub fn refuses_unknown_keys(&self) -> bool {
        self.week >= FATAL_SINCE
    }

    /// Returns whether it compares the L1 cache policy of code for Xe3 with the device's.
    pub fn compares_cache_policy(&self) -> bool {
        self.week >= CACHE_POLICY_SINCE
    }

    /// Returns whether it reads `l1_cache_policy`.
    pub fn reads_cache_policy(&self) -> bool {
        self.week >= CACHE_POLICY_KEY_SINCE
    }

    /// Returns whether it refuses stateful and bindless buffers on Xe3P.
    pub fn refuses_stateful_buffers(&self) -> bool {
        self.week >= STATELESS_SINCE
    }

    /// Returns whether OpenCL for Crescent Island is implemented with Level Zero, and decides like it.
    pub fn has_opencl_over_level_zero(&self) -> bool {
        self.week >= OPENCL_OVER_LEVEL_ZERO_SINCE
    }

    /// Returns whether its OpenCL recompiles bindless code.
    pub fn recompiles_bindless_code(&self) -> bool {
        self.week >= BINDLESS_SINCE
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.build {
            Some((build, 0)) => write!(f, ".{build}"),
            Some((build, patch)) => write!(f, ".{build}.{patch}"),
            None => Ok(()),
        }
    }
}

impl Word {
    /// Returns the entry of a key or value, if some releases do not know it.
    pub fn of(name: &[u8]) -> Option<&'static Word> {
        PARSED.words.get(name)
    }

    /// Returns whether releases that do not know it refuse a file with this key: the oldest ones only
    /// warn.
    pub fn is_needed_as_key(&self) -> bool {
        self.since > FATAL_SINCE
    }

    /// The first release: `25.35`.
    pub fn release(&self) -> String {
        format!("{}.{:02}", self.since.0, self.since.1)
    }

    /// The version of the first release: `25.35.35096.8`.
    pub fn version(&self) -> String {
        match self.build {
            (build, 0) => format!("{}.{build}", self.release()),
            (build, patch) => format!("{}.{build}.{patch}", self.release()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_by_name() {
        let name = |name| Release::named(name).map(|release| release.to_string());
        assert_eq!(name("25.18").as_deref(), Some("25.18"));
        assert_eq!(name("lts2").as_deref(), Some("25.18"));
        assert_eq!(name("LTS2").as_deref(), Some("25.18"));
        assert_eq!(name("25.18.33578.42").as_deref(), Some("25.18.33578.42"));
        assert_eq!(name("22.42.24548").as_deref(), Some("22.42.24548"));
        for unknown in [
            "",
            "25",
            "25.19",
            "25.18.",
            "25.18.x",
            "27.01",
            "lts",
            "25.18.1.2.3",
        ] {
            assert_eq!(name(unknown), None, "{unknown}");
        }
        assert_eq!(Release::default().to_string(), DEFAULT);
        assert_eq!(Release::range(), ("22.01", "26.31"));
    }

    #[test]
    fn words_have_a_first_release() {
        let release = |name| Release::named(name).unwrap();
        let calls = Word::of(b"has_printf_calls").unwrap();
        assert_eq!(calls.release(), "25.35");
        assert_eq!(calls.version(), "25.35.35096.8");
        assert!(!release("lts2").knows(calls));
        assert!(!release("25.35.35096.7").knows(calls));
        assert!(release("25.35.35096.8").knows(calls));
        assert!(release("25.35").knows(calls));
        let region = Word::of(b"region_group_size").unwrap();
        assert!(release("26.01").knows(region));
        assert!(!release("26.05").knows(region));
        assert_eq!(Word::of(b"simd_size"), None);
    }

    #[test]
    fn the_table_is_in_order() {
        let weeks: Vec<(u16, u16)> = Release::all().map(|release| release.week).collect();
        assert!(weeks.is_sorted());
        assert_eq!(weeks.len(), TABLE.lines().count());
        let described = crate::zebin::ze_info::schema::VERSION;
        assert_eq!(Release::default().ze_info(), described);
    }
}
