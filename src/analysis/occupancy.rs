//! What limits how many threads and work-groups of a kernel run at a time.
//!
//! Plain data: every number with its source. A decoder computes it when somebody asks
//! ([`Kernels::occupancy`](super::kernels::Kernels::occupancy)).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::model::{Span, Str};

/// What the file does not say, as far as the reader has chosen it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Question {
    /// The device; the file's own without.
    pub device: Option<Str>,
    /// Work-items of a work-group; the required work-group size without.
    pub work_group: Option<u64>,
    /// Execution units of a (dual) sub-slice; the published number without.
    pub eus: Option<u64>,
    /// Bytes of shared local memory for the arguments in it.
    pub local_arguments: Option<u64>,
}

impl Question {
    /// The work-items of a work-group as people write its size: `256`, `16x16`, `8, 8, 4`. Returns
    /// `None` if it is no size.
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

/// Where a number comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The file: these bytes.
    File(Span),
    /// The file does not say it: the default of the specification.
    Default,
    /// The driver's source: file and function.
    Driver(Str),
    /// Published by the manufacturer; the driver asks the device.
    Published,
    /// The reader has chosen it.
    Chosen,
    /// Computed from the terms before: how.
    Computed(Str),
    /// It is not known: why, or what to choose.
    Missing(Str),
}

impl Origin {
    /// In words.
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

/// A number that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// Its name for programs: the key in `.ze_info`, where it has one.
    pub id: Str,
    /// Its name for people.
    pub title: Str,
    /// The number; `None` if it is not known.
    pub value: Option<u64>,
    /// Where it comes from.
    pub origin: Origin,
    /// It is (one of) the least: what limits the work-groups.
    pub limits: bool,
}

/// What limits a kernel on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// The device; `None` if it is not known.
    pub device: Option<Str>,
    /// Where the device comes from.
    pub device_origin: Origin,
    /// The numbers, each after those that it is computed from.
    pub terms: Vec<Term>,
    /// The result in a sentence or two.
    pub summary: String,
}

impl Occupancy {
    /// The number with that id.
    pub fn get(&self, id: &str) -> Option<u64> {
        self.term(id)?.value
    }

    /// The term with that id.
    pub fn term(&self, id: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
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
            assert_eq!(Question::work_items(typed), items, "{typed}");
        }
    }
}
