//! Code against code, by instructions.
//!
//! Two instructions are the same if the assembler writes them alike, wherever they stand: a jump is
//! the same if it goes to the same place, whatever its number, and it does not matter whether a word
//! is compacted. Zero bytes behind the code, which the hardware may prefetch, are none of it.

use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::align::{Alignment, Hunk, align};
use super::work::Work;
use crate::model::assembly::Listing;
use crate::model::source::Sources;
use crate::model::span::Span;

/// How the code of a kernel differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeChange {
    /// The instructions are the same.
    pub equal: bool,
    /// The code in the first file.
    pub a: Span,
    /// The code in the second file.
    pub b: Span,
    /// Instructions in the first file and in the second, without those that only fill up.
    pub counts: (u32, u32),
    /// So many instructions are only in the second file.
    pub added: u64,
    /// So many are only in the first file.
    pub removed: u64,
    /// No shorter list of differences is possible.
    pub is_shortest: bool,
    /// The rows of the listings that differ.
    pub hunks: Vec<Hunk>,
    /// The encodings, by name; empty where it is not known.
    pub encodings: (String, String),
}

/// The instructions of some code, as they are compared.
pub(super) struct Words {
    /// For each instruction its number in the dictionary.
    pub ids: Vec<u32>,
    /// For each instruction where it can jump: rows of the listing.
    targets: Vec<Vec<u32>>,
}

/// The texts of instructions, by number.
#[derive(Default)]
pub(super) struct Dictionary(HashMap<Box<str>, u32>);

impl Dictionary {
    fn id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.0.get(text) {
            return *id;
        }
        let id = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.into(), id);
        id
    }
}

/// Takes the instructions of a listing. Stops when the work is used up.
pub(super) fn words(
    listing: &dyn Listing,
    sources: &Sources,
    renumbered: bool,
    dictionary: &mut Dictionary,
    work: &mut Work,
) -> Words {
    let mut words = Words {
        ids: Vec::new(),
        targets: Vec::new(),
    };
    let mut starts: Vec<i32> = Vec::new();
    let mut jumps: Vec<Vec<i32>> = Vec::new();
    let mut last = 0;
    listing.shapes(renumbered, sources, &mut |shape| {
        words.ids.push(dictionary.id(shape.text));
        starts.push(shape.at);
        jumps.push(shape.targets.to_vec());
        if !shape.is_padding {
            last = words.ids.len();
        }
        work.spend(64)
    });
    words.ids.truncate(last);
    jumps.truncate(last);
    for targets in jumps {
        let rows = targets.into_iter().map(|target| {
            let row = starts.partition_point(|start| *start < target);
            u32::try_from(row).unwrap_or(u32::MAX)
        });
        words.targets.push(rows.collect());
    }
    words
}

/// Aligns two listings. A jump that goes elsewhere in the second one differs.
pub(super) fn aligned(a: &Words, b: &Words, work: &mut Work) -> Alignment {
    let found = align(&a.ids, &b.ids, work);
    let mut hunks: Vec<Hunk> = Vec::with_capacity(found.hunks.len());
    let mut from = (0_u32, 0_u32);
    let end = Hunk {
        a: row(a.ids.len())..row(a.ids.len()),
        b: row(b.ids.len())..row(b.ids.len()),
    };
    for hunk in found.hunks.iter().chain([&end]) {
        for at in from.0..hunk.a.start {
            let other = from.1.saturating_add(at - from.0);
            let (one, other_targets) = (a.targets(at), b.targets(other));
            let leads = |(x, y): (&u32, &u32)| leads_to(&found, *x, *y);
            let is_same =
                one.len() == other_targets.len() && one.iter().zip(other_targets).all(leads);
            if !is_same {
                push(
                    &mut hunks,
                    at..at.saturating_add(1),
                    other..other.saturating_add(1),
                );
            }
        }
        from = (hunk.a.end, hunk.b.end);
        if !hunk.a.is_empty() || !hunk.b.is_empty() {
            push(&mut hunks, hunk.a.clone(), hunk.b.clone());
        }
    }
    Alignment {
        hunks,
        is_shortest: found.is_shortest,
    }
}

fn row(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn push(hunks: &mut Vec<Hunk>, a: std::ops::Range<u32>, b: std::ops::Range<u32>) {
    match hunks.last_mut() {
        Some(last) if last.a.end == a.start && last.b.end == b.start => {
            last.a.end = a.end;
            last.b.end = b.end;
        }
        _ => hunks.push(Hunk { a, b }),
    }
}

/// Is a row of the second listing the place that a row of the first one is? Within a part that
/// differs, all rows are one place, and so is the row behind it.
fn leads_to(alignment: &Alignment, a: u32, b: u32) -> bool {
    let after = alignment.hunks.partition_point(|hunk| hunk.a.start <= a);
    let last = after.checked_sub(1).and_then(|at| alignment.hunks.get(at));
    match last {
        Some(hunk) if a <= hunk.a.end && a >= hunk.a.start => {
            // The row behind the part is in it, too, if the part has none in the first listing.
            (hunk.b.start..=hunk.b.end).contains(&b)
        }
        Some(hunk) => hunk.b.end.saturating_add(a - hunk.a.end) == b,
        None => a == b,
    }
}

impl Words {
    fn targets(&self, row: u32) -> &[u32] {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        self.targets.get(row).map_or(&[], Vec::as_slice)
    }
}

/// Compares the code of two listings.
pub fn code_change(
    a: (&Rc<dyn Listing>, &Sources),
    b: (&Rc<dyn Listing>, &Sources),
    renumbered: bool,
    work: &mut Work,
) -> CodeChange {
    let mut dictionary = Dictionary::default();
    let one = words(&**a.0, a.1, renumbered, &mut dictionary, work);
    let other = words(&**b.0, b.1, renumbered, &mut dictionary, work);
    let alignment = aligned(&one, &other, work);
    let encoding = |listing: &Rc<dyn Listing>| listing.encoding().unwrap_or_default().into_owned();
    CodeChange {
        equal: alignment.hunks.is_empty(),
        a: a.0.code(),
        b: b.0.code(),
        counts: (row(one.ids.len()), row(other.ids.len())),
        added: alignment.added(),
        removed: alignment.removed(),
        is_shortest: alignment.is_shortest,
        hunks: alignment.hunks,
        encodings: (encoding(a.0), encoding(b.0)),
    }
}
