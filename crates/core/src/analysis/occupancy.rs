//! Occupancy: the limits on concurrent threads and work-groups of a kernel.
//!
//! Plain data, each number with its source. A decoder computes it on demand
//! ([`Kernels::occupancy`](super::kernels::Kernels::occupancy)).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Span, Str};

/// The parameters that are not in the file, as far as the user has chosen them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OccupancyParameters {
    /// The device; by default the file's own.
    pub device: Option<Str>,
    /// Work-items per work-group; by default the required work-group size.
    pub work_group: Option<u64>,
    /// Number of execution units per (dual) sub-slice; by default the published number.
    pub eus: Option<u64>,
    /// Bytes of shared local memory for arguments.
    pub local_arguments: Option<u64>,
}

impl OccupancyParameters {
    /// Parses the size of a work-group (`256`, `16x16`, `8, 8, 4`) and returns the number of
    /// work-items, or `None` if it is malformed.
    pub fn work_items(typed: &str) -> Option<u64> {
        let is_between = |c: char| matches!(c, 'x' | 'X' | '×' | '*' | ',') || c.is_whitespace();
        let sizes = typed.split(is_between).filter(|size| !size.is_empty());
        let sizes: Vec<u64> = sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?;
        let all = sizes
            .iter()
            .try_fold(1u64, |all, size| all.checked_mul(*size))?;
        matches!(sizes.len(), 1..=3)
            .then_some(all)
            .filter(|all| *all > 0)
    }
}

/// The origin of a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// These bytes of the file.
    File(Span),
    /// The default of the specification, because the file does not specify it.
    Default,
    /// The driver's source code: file and function.
    Driver(Str),
    /// Published by the manufacturer; the driver asks the device.
    Published,
    /// Chosen by the user.
    Chosen,
    /// Computed from earlier terms, as described.
    Computed(Str),
    /// Unknown: the reason, or the missing parameter.
    Missing(Str),
}

impl Origin {
    /// Formats the origin.
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Origin::File(_) => "file".into(),
            Origin::Default => "default: not in the file".into(),
            Origin::Driver(place) => format!("compute-runtime, {place}").into(),
            Origin::Published => "published; the driver asks the device".into(),
            Origin::Chosen => "chosen".into(),
            Origin::Computed(how) => (&**how).into(),
            Origin::Missing(why) => (&**why).into(),
        }
    }
}

/// A number that affects the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// Its identifier: the key in `.ze_info`, if it has one.
    pub id: Str,
    /// Its title for display.
    pub title: Str,
    /// The number; `None` if unknown.
    pub value: Option<u64>,
    /// Its origin.
    pub origin: Origin,
    /// Whether it is (one of) the lowest: the limit of the number of work-groups.
    pub limits: bool,
}

/// The occupancy of a kernel on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// The device; `None` if unknown.
    pub device: Option<Str>,
    /// The origin of the device.
    pub device_origin: Origin,
    /// The terms, each after those that it is computed from.
    pub terms: Vec<Term>,
    /// The next larger number of threads of an EU; `None` if more are impossible or the device is
    /// unknown.
    pub more_threads: Option<MoreThreads>,
    /// The larger register files of the device, the smallest first.
    pub larger_files: Vec<RegisterFileSize>,
    /// The result in a sentence or two.
    pub summary: String,
}

/// A number of registers with which the device runs more threads of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoreThreads {
    /// The largest number of registers of a thread with which an EU runs more threads.
    pub registers: u64,
    /// The number of threads of an EU with these registers.
    pub threads: u64,
}

/// A size of the register file of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterFileSize {
    /// The number of registers of a thread.
    pub registers: u64,
    /// The number of threads of an EU with these registers.
    pub threads: u64,
}

/// Whether the values of a kernel that spills fit into a larger register file of its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargerFile {
    /// The registers that suffice for all values: those that are live at the peak, and those that are
    /// spilled. Fewer may do, because not all spilled values are live at once.
    pub needed: u64,
    /// Registers of these that are spilled.
    pub spilled: u64,
    /// The smallest register file that has them, or else the largest one.
    pub registers: u64,
    /// Whether it has them.
    pub fits: bool,
    /// Threads of an EU with this register file.
    pub threads: u64,
    /// Threads of an EU as the kernel is compiled; `None` if unknown.
    pub threads_now: Option<u64>,
}

impl fmt::Display for LargerFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LargerFile {
            needed,
            spilled,
            registers,
            threads,
            ..
        } = self;
        let live = needed.saturating_sub(*spilled);
        let fits = if self.fits {
            "all values fit"
        } else {
            "it may still spill"
        };
        write!(
            f,
            "with {registers} registers, {fits}: at most {needed} are needed ({live} live at the peak, {spilled} spilled); {threads}"
        )?;
        if let Some(now) = self.threads_now {
            write!(f, " instead of {now}")?;
        }
        f.write_str(" threads per EU")
    }
}

impl Occupancy {
    /// Returns whether a kernel that spills fits into a larger register file. `peak` is the number of
    /// registers that are live at the peak, `spilled` the spilled bytes of a thread, `register_bytes`
    /// the size of a register. Returns `None` if it does not spill, or if the device has no larger one.
    pub fn larger_file(&self, peak: u32, spilled: u64, register_bytes: u16) -> Option<LargerFile> {
        let spilled = spilled.div_ceil(u64::from(register_bytes.max(1)));
        let needed = spilled.saturating_add(peak.into());
        let mut sizes = self.larger_files.iter();
        let found = sizes.find(|size| size.registers >= needed);
        let size = found.or(self.larger_files.last()).filter(|_| spilled > 0)?;
        Some(LargerFile {
            needed,
            spilled,
            registers: size.registers,
            fits: size.registers >= needed,
            threads: size.threads,
            threads_now: self.get("threads_per_eu"),
        })
    }

    /// Returns the number with that identifier.
    pub fn get(&self, id: &str) -> Option<u64> {
        self.term(id)?.value
    }

    /// Returns the term with that identifier.
    pub fn term(&self, id: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_group_sizes_are_parsed() {
        for (typed, items) in [
            ("256", Some(256)),
            (" 16 x 16 ", Some(256)),
            ("8,8,4", Some(256)),
            ("16×16×1", Some(256)),
            ("", None),
            ("0", None),
            ("16x", Some(16)),
            ("1x2x3x4", None),
            ("a", None),
            ("-1", None),
            ("4294967296x4294967296", None),
        ] {
            assert_eq!(OccupancyParameters::work_items(typed), items, "{typed}");
        }
    }
}
