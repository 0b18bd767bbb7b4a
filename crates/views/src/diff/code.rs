//! Comparison of code by instructions.
//!
//! Two instructions are equal if the assembler writes them alike, regardless of their position:
//! jumps are compared by target instruction, and compaction is ignored. Zero bytes after the code,
//! which the hardware may prefetch, are not part of it.

use std::rc::Rc;

use foldhash::HashMap;

use serde::{Deserialize, Serialize};

use super::align::{Alignment, Hunk, align};
use super::work::Work;
use zeview_core::analysis::assembly::{Counts, Listing, Shape, Shapes};
use zeview_core::model::{Sources, Span, Str, sort};

/// The change of a kernel's code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeChange {
    /// Whether the instructions are equal.
    pub equal: bool,
    /// The code in the first file.
    pub a: Span,
    /// The code in the second file.
    pub b: Span,
    /// Numbers of instructions in the first and in the second file, without padding.
    pub counts: (u32, u32),
    /// Number of instructions that are only in the second file.
    pub added: u64,
    /// Number of instructions that are only in the first file.
    pub removed: u64,
    /// Whether the list of differences is the shortest possible.
    pub is_shortest: bool,
    /// The rows of the listings that differ.
    pub hunks: Vec<Hunk>,
    /// The names of the encodings; empty if unknown.
    pub encodings: (String, String),
}

/// The instructions of some code, in comparable form.
#[derive(Default)]
pub(super) struct Words {
    /// For each instruction, its index in the dictionary.
    pub ids: Vec<u32>,
    /// For instructions with jump targets: the row, and the rows of the targets.
    targets: HashMap<u32, Vec<u32>>,
    /// Statistics of the instructions.
    counts: Counts,
}

/// The indices of instruction texts, and the words seen so far, by encoding.
#[derive(Default)]
pub(super) struct Dictionary {
    texts: HashMap<Box<str>, u32>,
    words: HashMap<Str, HashMap<u128, SeenWord>>,
}

/// A word that was seen: the index of its text, and its statistics in a byte each. There are a
/// million, and most lookups are of memory that is not in a cache.
#[derive(Clone, Copy)]
struct SeenWord {
    id: u32,
    counts: [u8; 8],
}

impl SeenWord {
    /// Returns `None` for statistics that do not fit; no instruction has such.
    fn new(id: u32, counts: Counts) -> Option<SeenWord> {
        let Counts {
            padding,
            sends,
            spills,
            fills,
            atomics,
            barriers,
            dpas,
            waits,
        } = counts;
        let all = [
            padding, sends, spills, fills, atomics, barriers, dpas, waits,
        ];
        let mut counts = [0; 8];
        for (packed, count) in counts.iter_mut().zip(all) {
            *packed = u8::try_from(count).ok()?;
        }
        Some(SeenWord { id, counts })
    }

    fn counts(self) -> Counts {
        let [
            padding,
            sends,
            spills,
            fills,
            atomics,
            barriers,
            dpas,
            waits,
        ] = self.counts.map(u64::from);
        Counts {
            padding,
            sends,
            spills,
            fills,
            atomics,
            barriers,
            dpas,
            waits,
        }
    }
}

/// Maximum number of cached words and texts.
const KNOWN_MAX: usize = 1 << 20;

/// Receives the instructions of one listing.
struct ListingReader<'d> {
    texts: &'d mut HashMap<Box<str>, u32>,
    words: &'d mut HashMap<u128, SeenWord>,
    work: &'d mut Work,
    taken: Words,
    starts: Vec<i32>,
    jumps: Vec<(u32, Vec<i32>)>,
    /// Number of instructions up to the last one that is not padding.
    last: usize,
}

impl ListingReader<'_> {
    fn take(&mut self, at: i32, id: u32, counts: Counts) {
        self.taken.ids.push(id);
        self.starts.push(at);
        if counts.padding == 0 {
            self.last = self.taken.ids.len();
            self.taken.counts += counts;
        }
    }
}

impl Shapes for ListingReader<'_> {
    fn repeated(&mut self, at: i32, word: u128) -> bool {
        let Some(seen) = self.words.get(&word).copied() else {
            return false;
        };
        self.work.spend(8);
        self.take(at, seen.id, seen.counts());
        true
    }

    fn shape(&mut self, word: Option<u128>, shape: &Shape<'_>) -> bool {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let id = match self.texts.get(shape.text) {
            Some(id) => *id,
            None => {
                self.texts.insert(shape.text.into(), next);
                next
            }
        };
        if let Some((word, seen)) = word.zip(SeenWord::new(id, shape.counts)) {
            self.words.insert(word, seen);
        }
        if !shape.targets.is_empty() {
            self.jumps
                .push((row(self.taken.ids.len()), shape.targets.to_vec()));
        }
        self.take(shape.at, id, shape.counts);
        self.work.spend(64)
    }
}

/// Reads the instructions of a listing. Stops when the work is used up.
pub(super) fn words(
    listing: &dyn Listing,
    sources: &Sources,
    renumbered: bool,
    dictionary: &mut Dictionary,
    work: &mut Work,
) -> Words {
    let encoding = listing.encoding().unwrap_or_default();
    let mut taker = ListingReader {
        texts: &mut dictionary.texts,
        words: dictionary.words.entry(encoding).or_default(),
        work,
        taken: Words::default(),
        starts: Vec::new(),
        jumps: Vec::new(),
        last: 0,
    };
    listing.shapes(renumbered, sources, &mut taker);
    let ListingReader {
        mut taken,
        starts,
        jumps,
        last,
        ..
    } = taker;
    taken.ids.truncate(last);
    for (at, targets) in jumps {
        let rows = targets.into_iter().map(|target| {
            let place = starts.partition_point(|start| *start < target);
            row(place)
        });
        taken.targets.insert(at, rows.collect());
    }
    taken
}

/// Aligns two listings. A jump with another target differs.
pub(super) fn aligned(a: &Words, b: &Words, work: &mut Work) -> Alignment {
    let found = align(&a.ids, &b.ids, work);
    let mut hunks: Vec<Hunk> = Vec::with_capacity(found.hunks.len());
    let mut from = (0_u32, 0_u32);
    // Equal texts have targets in both, or in neither.
    let mut jumping: Vec<u32> = a.targets.keys().copied().collect();
    sort::ascending(&mut jumping);
    let end = Hunk {
        a: row(a.ids.len())..row(a.ids.len()),
        b: row(b.ids.len())..row(b.ids.len()),
    };
    for hunk in found.hunks.iter().chain([&end]) {
        let jumps = jumping.partition_point(|row| *row < from.0);
        let within = jumping
            .iter()
            .skip(jumps)
            .take_while(|row| **row < hunk.a.start);
        for at in within.copied() {
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

/// Whether a row of the second listing corresponds to a row of the first. All rows of a differing
/// part, and the row after it, count as one position.
fn leads_to(alignment: &Alignment, a: u32, b: u32) -> bool {
    let after = alignment.hunks.partition_point(|hunk| hunk.a.start <= a);
    let last = after.checked_sub(1).and_then(|at| alignment.hunks.get(at));
    match last {
        Some(hunk) if a <= hunk.a.end && a >= hunk.a.start => {
            // The row after the part is included if the part is empty in the first listing.
            (hunk.b.start..=hunk.b.end).contains(&b)
        }
        Some(hunk) => hunk.b.end.saturating_add(a - hunk.a.end) == b,
        None => a == b,
    }
}

impl Words {
    fn targets(&self, row: u32) -> &[u32] {
        self.targets.get(&row).map_or(&[], Vec::as_slice)
    }
}

/// The statistics of the instructions in both files.
pub(super) type CountsPair = (Counts, Counts);

/// Compares the code of two listings.
pub(super) fn code_change(
    a: (&Rc<dyn Listing>, &Sources),
    b: (&Rc<dyn Listing>, &Sources),
    renumbered: bool,
    dictionary: &mut Dictionary,
    work: &mut Work,
) -> (CodeChange, CountsPair) {
    // Indices of texts must agree for both listings, but for no others.
    let known = dictionary.words.values().map(HashMap::len).sum::<usize>();
    if known.max(dictionary.texts.len()) > KNOWN_MAX {
        *dictionary = Dictionary::default();
    }
    let one = words(&**a.0, a.1, renumbered, dictionary, work);
    let other = words(&**b.0, b.1, renumbered, dictionary, work);
    let alignment = aligned(&one, &other, work);
    let encoding = |listing: &Rc<dyn Listing>| listing.encoding().unwrap_or_default().into_owned();
    let change = CodeChange {
        equal: alignment.hunks.is_empty(),
        a: a.0.code(),
        b: b.0.code(),
        counts: (row(one.ids.len()), row(other.ids.len())),
        added: alignment.added(),
        removed: alignment.removed(),
        is_shortest: alignment.is_shortest,
        hunks: alignment.hunks,
        encodings: (encoding(a.0), encoding(b.0)),
    };
    (change, (one.counts, other.counts))
}
