//! Limits of sizes: `--fail-if 'device pvc > 50 MB'`.
//!
//! ```text
//! limit   = [ "unpacked" ] subject ( ">" | ">=" ) size
//! subject = "total" | kind | group name [ kind ]
//! group   = "file" | "device" | "image" | "family" | "kernel" | "section" | "part"
//! size    = number [ "B" | "kB" | "KB" | "MB" | "GB" | "KiB" | "MiB" | "GiB" ]
//! ```
//!
//! A name with blanks is in quotation marks; `*` and `?` stand for any characters, and the limit is
//! then one for each group that matches. A *kind* is one of [`Part::name`].

use super::{Part, SizeFilter, SizeKey, SizeRow, Sizes};
use zeview_core::model::suggest::unknown_among;
use zeview_core::model::text::grouped;
use zeview_core::model::{Sources, is_pattern};

/// A limit of a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeLimit {
    /// The text.
    text: String,
    is_unpacked: bool,
    group: Option<(SizeKey, String)>,
    part: Option<Part>,
    is_inclusive: bool,
    most: u64,
}

/// Units of sizes in bytes.
static UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("bytes", 1),
];

impl SizeLimit {
    /// Parses a limit.
    ///
    /// # Errors
    ///
    /// The reason, if the text is not a limit.
    pub fn parse(text: &str) -> Result<SizeLimit, String> {
        let example = "write for example device pvc > 50 MB";
        let sign = outside_quotes(text, '>').ok_or_else(|| format!("no >; {example}"))?;
        let (subject, rest) = text.split_at_checked(sign).unwrap_or((text, ""));
        let rest = rest.strip_prefix('>').unwrap_or(rest);
        let (is_inclusive, size) = match rest.strip_prefix('=') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let most = parse_size(size.trim())?;
        let mut words = words(subject)?.into_iter().peekable();
        let is_word = |word: &Option<&(String, bool)>, wanted: &str| {
            word.is_some_and(|(word, is_quoted)| word == wanted && !is_quoted)
        };
        let is_unpacked = is_word(&words.peek(), "unpacked");
        if is_unpacked {
            words.next();
        }
        let (first, _) = words
            .next()
            .ok_or_else(|| format!("it has no subject; {example}"))?;
        let part = |word: Option<(String, bool)>| match word {
            None => Ok(None),
            Some((word, _)) => match Part::named(&word) {
                Some(part) => Ok(Some(part)),
                None => Err(unknown_among(
                    "kind of bytes",
                    &word,
                    Part::ALL.into_iter().map(Part::name),
                )),
            },
        };
        let (group, part) = match SizeKey::named(&first) {
            Some(key) => {
                let (name, _) = words
                    .next()
                    .ok_or_else(|| format!("{first} has no name; {example}"))?;
                (Some((key, name)), part(words.next())?)
            }
            None if first == "total" => (None, part(words.next())?),
            None => match Part::named(&first) {
                Some(part) => (None, Some(part)),
                None => {
                    let known = SizeKey::ALL.into_iter().map(SizeKey::name);
                    let known = known.chain(Part::ALL.into_iter().map(Part::name));
                    let known = known.chain(["total", "unpacked"]);
                    return Err(unknown_among("group", &first, known));
                }
            },
        };
        if let Some((word, _)) = words.next() {
            return Err(format!("{word:?} is unexpected; {example}"));
        }
        Ok(SizeLimit {
            text: text.trim().to_owned(),
            is_unpacked,
            group,
            part,
            is_inclusive,
            most,
        })
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the device that it is about, as typed, unless that is a pattern.
    pub fn device(&self) -> Option<&str> {
        let (key, name) = self.group.as_ref()?;
        (*key == SizeKey::Device && !is_pattern(name)).then_some(name)
    }

    /// Whether the file has bytes that it is about.
    pub fn concerns(&self, sizes: &Sizes, sources: &Sources) -> bool {
        match &self.group {
            None => true,
            Some((key, name)) => !sizes.named(*key, name, sources).is_empty(),
        }
    }

    /// Returns a message for each group that exceeds the limit: `device pvc: 51 336 bytes`.
    pub fn exceeded(&self, sizes: &Sizes, sources: &Sources) -> Vec<String> {
        let rows = match &self.group {
            None => vec![sizes.sum(&[])],
            Some((key, name)) => sizes.named(*key, name, sources),
        };
        let within = |row: &SizeRow| match (self.part, self.is_unpacked, &self.group) {
            (None, false, _) => row.stored,
            (None, true, _) => row.unpacked,
            (Some(part), false, _) => row.part(part),
            (Some(part), true, group) => {
                let mut within = vec![SizeFilter {
                    key: SizeKey::Part,
                    name: format!("[{}]", part.title()),
                }];
                within.extend(group.as_ref().map(|(key, _)| SizeFilter {
                    key: *key,
                    name: row.name.clone(),
                }));
                sizes.sum(&within).unpacked
            }
        };
        let found = rows.iter().filter_map(|row| {
            let size = within(row);
            let fails = size > self.most || self.is_inclusive && size == self.most;
            fails.then(|| {
                let what = match &self.group {
                    Some((key, _)) => format!("{} {}", key.name(), row.title()),
                    None => "total".to_owned(),
                };
                let part = self.part.map_or("", Part::title);
                let unpacked = if self.is_unpacked { "unpacked" } else { "" };
                let words = [&*what, part, unpacked].into_iter();
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                format!(
                    "{}: {} bytes ({})",
                    words.join(", "),
                    grouped(size),
                    self.text
                )
            })
        });
        found.collect()
    }
}

/// Returns the position of a character outside of quotation marks, the last one: names may contain
/// it.
fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut quote = None;
    let mut found = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == wanted => found = Some(at),
            None => {}
        }
    }
    found
}

/// Splits a text at blanks outside of quotation marks. Returns each word, and whether it was quoted.
fn words(text: &str) -> Result<Vec<(String, bool)>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, is_quoted, after) = if matches!(first, '"' | '\'') {
            let inner = rest.get(1..).unwrap_or_default();
            let (word, after) = inner
                .split_once(first)
                .ok_or_else(|| format!("{rest:?} has no end"))?;
            (word, true, after)
        } else {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            (word, false, after)
        };
        words.push((word.to_owned(), is_quoted));
        rest = after.trim_start();
    }
    Ok(words)
}

fn parse_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text
        .split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    let wrong = || format!("{text:?} is not a size; write for example 50 MB");
    let unit = UNITS.iter().find(|(name, _)| *name == unit.trim());
    let (_, unit) = unit.ok_or_else(wrong)?;
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_valid = is_digits(whole) && (number.find('.').is_none() || is_digits(decimals));
    if !is_valid || decimals.len() > 9 {
        return Err(wrong());
    }
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let scale = 10_u64.saturating_pow(u32::try_from(decimals.len()).unwrap_or(0));
    let part: u64 = match decimals {
        "" => 0,
        decimals => decimals.parse().map_err(|_| wrong())?,
    };
    let part = u128::from(part) * u128::from(*unit) / u128::from(scale);
    let size = u128::from(whole) * u128::from(*unit) + part;
    u64::try_from(size).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, size) in [
            ("50 MB", 50_000_000),
            ("1.5MB", 1_500_000),
            ("2 KiB", 2048),
            ("0.5 KiB", 512),
            ("0", 0),
            ("7 B", 7),
            ("12 bytes", 12),
        ] {
            assert_eq!(parse_size(text), Ok(size), "{text}");
        }
        for text in [
            "",
            "MB",
            "1.2.3",
            "1.",
            ".5",
            "50 mb",
            "-1",
            "99999999999 GB",
            "1e3",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_parsed() {
        let limit = SizeLimit::parse("device pvc > 50 MB").unwrap();
        assert_eq!(limit.group, Some((SizeKey::Device, "pvc".to_owned())));
        assert_eq!((limit.most, limit.is_inclusive), (50_000_000, false));
        let limit = SizeLimit::parse("unpacked kernel 'a<b> c' debug>=1kB").unwrap();
        assert_eq!(limit.group, Some((SizeKey::Kernel, "a<b> c".to_owned())));
        assert_eq!(limit.part, Some(Part::Debug));
        assert!(limit.is_unpacked && limit.is_inclusive && limit.most == 1000);
        let limit = SizeLimit::parse("kernel add<int> > 1").unwrap();
        assert_eq!(limit.group, Some((SizeKey::Kernel, "add<int>".to_owned())));
        let limit = SizeLimit::parse("total > 1 GB").unwrap();
        assert_eq!((limit.group, limit.part), (None, None));
        assert_eq!(
            SizeLimit::parse("copies > 0").unwrap().part,
            Some(Part::Copies)
        );
        for (text, reason) in [
            ("device pvc", "no >"),
            ("> 50 MB", "no subject"),
            ("device > 50 MB", "no name"),
            ("devise pvc > 1", "device"),
            ("device pvc debuk > 1", "debug"),
            ("device pvc debug more > 1", "unexpected"),
            ("total > many", "not a size"),
            ("kernel 'a > 1", "no >"),
        ] {
            let error = SizeLimit::parse(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
