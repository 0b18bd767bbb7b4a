//! Compares two documents by meaning.
//!
//! Kernels are matched by name, then the rest by code and arguments (`likeness`); attributes by
//! key, arguments by index and kind (`walk`), sections by name, notes by owner and type, symbols
//! and relocations by name and target (`elf`), modules, images and their properties by exports and
//! target (`containers`), code by instructions (`code`). Each difference has its bytes on both
//! sides.
//!
//! # What a result claims
//!
//! | [`Outcome`] | Bytes | Meaning | Status |
//! |---|---|---|---|
//! | `Identical` | the same | | 0 |
//! | `SameMeaning` | differ in nothing but layout | the same | 0 |
//! | `Different` | differ | something in [`Comparison::entries`] differs | 1 |
//! | `Unknown` | differ | could not be compared: [`Comparison::notes`] | 2 |
//!
//! If the comparison by meaning finds nothing, the canonical digests of both documents (`digest`)
//! must be the same as well. They cover every byte but these, which are layout:
//!
//! | Layout | Compared instead |
//! |---|---|
//! | padding: up to 4 096 zero bytes between parts | |
//! | offsets of parts: `e_phoff`, `e_shoff`, `sh_offset`, `p_offset`; `EntriesOffset`, `StringOffset`, `ImageOffset`, `KeyOffset`, `ValueOffset`; `GlobalMetadataOffset`, `MetadataOffset`; `offset` in a bundle | the parts |
//! | `sh_size` of a section with contents | the contents |
//! | references by index or offset: `sh_name`, `st_name`, `sh_link`, `sh_info`, `st_shndx`, `e_shstrndx`, the symbol in `r_info` | the name of what they refer to, if it is the only one of that name; else their bytes |
//! | the order of sections, of symbols, of relocations, of strings in a string table | each by its contents |
//! | in `.ze_info` and property sets: the order of keys, the order of list entries that have a name, index or type, comments, blanks, line breaks | keys and values, as they are written |
//! | zero bytes after the last instruction of a section of code | |
//! | compression, if all of it could be decompressed | the decompressed bytes |
//! | `ar_date`, `ar_uid`, `ar_gid`, `ar_mode` | |
//!
//! So different bytes in an unknown format, in LLVM bitcode, in a gap, in a damaged table, in a
//! reserved bit, or beyond a limit are differences, with their ranges.
//!
//! The work is bounded ([`Work`]); [`Comparison::notes`] reports anything that is left out.

pub mod align;
mod audit;
mod base;
mod by_device;
mod bytes;
mod code;
mod containers;
mod differing;
mod digest;
mod edits;
mod elf;
mod entry;
mod heads;
mod likeness;
pub mod listing;
mod matching;
pub mod measure;
mod names;
mod package;
mod pair;
mod profiles;
mod renames;
mod select;
mod table;
mod walk;
mod work;
mod ze_info;

use crate::kernel_names::{self, Build, KernelNameError, KernelQuery};
use crate::tables::kernels::DocumentKernels;
pub use base::{Base, base, compare_again, comparison, differing_from_base, keep_base};
pub use code::CodeChange;
pub use differing::{DifferenceIndex, differing, overlaps};
pub use entry::{Change, Entry, Field, FieldValue, Part, Side};
pub use measure::{Measure, Preference};
pub use profiles::compare_profiles;
pub use select::{Selection, parts};
pub use work::Work;

use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use zeview_analysis::survey::Progress;
use zeview_core::analysis::assembly::Listing;
use zeview_core::model::text::cut_middle;
use zeview_core::model::{Document, NodeId, Span, Str};

/// Options of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// Whether to ignore the numbers of general registers and scoreboard tokens.
    pub renumbered: bool,
    /// Whether to leave out images, properties, sections and symbols of libraries and packages if
    /// their kernels differ.
    pub kernels_first: bool,
    /// Compares only these kernels of one file, whatever their names.
    pub kernels: Option<Box<[ComparedKernel; 2]>>,
}

/// A kernel of the second file, which is the first one, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ComparedKernel {
    /// Its name in the file.
    pub name: String,
    /// The bytes of its entry: they tell builds of the same name apart.
    pub entry: Span,
}

/// The summary of one of the two files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileSummary {
    /// Its name.
    pub name: String,
    /// The full name of its format.
    pub title: String,
    /// Its size in bytes.
    pub size: u64,
    /// The target device; may be empty.
    pub target: String,
    /// The compiler and its version, if known; may be empty.
    pub compiler: String,
}

/// Two documents in the files that were compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pair {
    /// The path in the first file; empty for the file itself.
    pub path: String,
    /// The path in the second file.
    pub to_path: String,
    /// Its bytes in the first file.
    pub a: Span,
    /// Its bytes in the second file.
    pub b: Span,
    /// Number of kernels in both, matched by name or likeness.
    pub kernels: u64,
}

/// The kernels of a device in both libraries or packages: distinct names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceKernels {
    /// The device; `SPIR-V` for code that is compiled at run time.
    pub device: Str,
    /// Numbers of kernels in the first and in the second file.
    pub kernels: (u64, u64),
    /// Number of kernels in both, by name or renamed.
    pub matched: u64,
}

/// The changes of the kernels of a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceChanges {
    /// The kernels of the device.
    pub of: DeviceKernels,
    /// Number of kernels that are only in the second file.
    pub added: u64,
    /// Number of kernels that are only in the first file.
    pub removed: u64,
    /// Number of kernels in both that differ, including renamed ones.
    pub changed: u64,
    /// Number of renamed kernels.
    pub renamed: u64,
    /// Number of changed kernels of which a measure is worse.
    pub worse: u64,
    /// Number of changed kernels of which a measure is better and none is worse.
    pub better: u64,
}

impl DeviceChanges {
    /// Returns the number of kernels in both that do not differ.
    pub fn unchanged(&self) -> u64 {
        self.of.matched.saturating_sub(self.changed)
    }
}

/// The differences between two documents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// The first file.
    pub a: FileSummary,
    /// The second file.
    pub b: FileSummary,
    /// Whether the files have the same bytes.
    pub equal: bool,
    /// The compared documents, the files themselves first.
    pub pairs: Vec<Pair>,
    /// The differences, the most important first.
    pub entries: Vec<Entry>,
    /// Reasons why the files are hard to compare: different devices or compilers.
    pub remarks: Vec<String>,
    /// What could not be compared, or is not listed, and why: each reason once.
    pub notes: Vec<String>,
    /// Numbers of kernels in the first and in the second file.
    pub kernels: (u64, u64),
    /// The kernels of libraries and packages by device, if they were compared over all images.
    pub devices: Vec<DeviceKernels>,
    /// Whether only the kernels were compared: [`Options::kernels_first`].
    pub is_kernels_only: bool,
    /// Whether the comparison is incomplete, because the files are too expensive to compare.
    pub is_cut: bool,
    /// The work spent, in steps.
    pub steps: u64,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The bytes are the same.
    Identical,
    /// The bytes differ, but only in layout.
    SameMeaning,
    /// Something differs.
    Different,
    /// No difference was found, but not everything was compared; the notes say why.
    Unknown,
}

impl Outcome {
    /// Returns its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Identical => "identical",
            Outcome::SameMeaning => "same_meaning",
            Outcome::Different => "different",
            Outcome::Unknown => "unknown",
        }
    }

    /// Returns the exit status of `zeview diff` without conditions.
    pub fn status(self) -> u8 {
        match self {
            Outcome::Identical | Outcome::SameMeaning => 0,
            Outcome::Different => 1,
            Outcome::Unknown => 2,
        }
    }
}

impl Comparison {
    /// Whether the files are identical, or differ in nothing but layout.
    pub fn same_meaning(&self) -> bool {
        self.outcome() == Outcome::Identical || self.outcome() == Outcome::SameMeaning
    }

    /// Returns the result.
    pub fn outcome(&self) -> Outcome {
        match (self.equal, self.entries.is_empty(), self.is_cut) {
            (true, ..) => Outcome::Identical,
            (_, false, _) => Outcome::Different,
            (_, true, true) => Outcome::Unknown,
            (_, true, false) => Outcome::SameMeaning,
        }
    }

    /// Returns the entries of a part.
    pub fn of(&self, part: Part) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.part == part)
    }

    /// Returns the changes of the kernels of each device, if they were compared by device.
    pub fn by_device(&self) -> Vec<DeviceChanges> {
        let changes = self.devices.iter().map(|of| {
            let mut changes = DeviceChanges {
                of: of.clone(),
                ..DeviceChanges::default()
            };
            // A kernel with several builds is worse if one of them is.
            let mut changed: HashMap<&str, (bool, bool)> = HashMap::new();
            let entries = self.of(Part::Kernel);
            for entry in entries.filter(|entry| entry.device.as_ref() == Some(&of.device)) {
                let has = |wanted| entry.measures.iter().any(|m| m.better == wanted);
                match entry.change {
                    Change::Added => changes.added += 1,
                    Change::Removed => changes.removed += 1,
                    Change::Changed | Change::Renamed => {
                        changes.renamed += u64::from(entry.change == Change::Renamed);
                        let (is_worse, is_better) = changed.entry(&entry.name).or_default();
                        *is_worse |= has(Preference::Worse);
                        *is_better |= has(Preference::Better);
                    }
                }
            }
            let counted = |wanted: fn((bool, bool)) -> bool| {
                changed.values().filter(|of| wanted(**of)).count() as u64
            };
            changes.changed = changed.len() as u64;
            changes.worse = counted(|(is_worse, _)| is_worse);
            changes.better = counted(|(is_worse, is_better)| is_better && !is_worse);
            changes
        });
        changes.collect()
    }

    /// Returns the number of kernels that are in both files and do not differ.
    pub fn unchanged_kernels(&self) -> u64 {
        if !self.devices.is_empty() {
            let devices = self.by_device();
            return devices.iter().map(DeviceChanges::unchanged).sum();
        }
        let matched: u64 = self.pairs.iter().map(|pair| pair.kernels).sum();
        let changed = self
            .of(Part::Kernel)
            .filter(|entry| matches!(entry.change, Change::Changed | Change::Renamed));
        matched.saturating_sub(changed.count() as u64)
    }

    /// Returns the index of the entry that corresponds to an entry of an earlier comparison of the
    /// same files; of several, the one with the same name and bytes. `None` if there is none.
    pub fn find_again(&self, before: &Comparison, place: u64) -> Option<u64> {
        let entry = before.entries.get(usize::try_from(place).ok()?)?;
        let within = |comparison: &Comparison, entry: &Entry| {
            comparison.pair(entry).map(|pair| (pair.a, pair.b))
        };
        let likeness = |other: &Entry| {
            let same = [
                other.name == entry.name,
                other.a.is_some() && other.a == entry.a,
                other.b.is_some() && other.b == entry.b,
            ];
            same.into_iter().filter(|same| *same).count()
        };
        let alike = |other: &&Entry| {
            other.part == entry.part
                && within(self, other) == within(before, entry)
                && likeness(other) > 0
        };
        let found = (0..).zip(&self.entries).filter(|(_, other)| alike(other));
        // Of equal ones, the first.
        let best = found.min_by_key(|(_, other)| std::cmp::Reverse(likeness(other)));
        best.map(|(place, _)| place)
    }

    /// Returns the documents of an entry.
    pub fn pair(&self, entry: &Entry) -> Option<&Pair> {
        self.pairs.get(usize::try_from(entry.pair).ok()?)
    }
}

/// The state of a comparison.
struct Comparer<'d> {
    a: &'d mut Document,
    b: &'d mut Document,
    options: &'d Options,
    work: Work,
    dictionary: code::Dictionary,
    result: Comparison,
    /// Notes that apply to several parts.
    repeated: Vec<RepeatedNote>,
    /// The nesting depth of the current pair.
    depth: u32,
    /// Whether the kernels were compared by device, over all images.
    has_kernels: bool,
    /// The kernels of both, once they are read.
    kernels: KernelsRead,
}

/// What a comparison keeps from step to step.
struct State {
    work: Work,
    dictionary: code::Dictionary,
    result: Comparison,
    repeated: Vec<RepeatedNote>,
    has_kernels: bool,
    kernels: KernelsRead,
}

/// The kernels of both documents, if they were read already.
pub type KernelsRead = (Option<DocumentKernels>, Option<DocumentKernels>);

/// A value for each of the documents.
type Sides<T> = (T, T);

/// Selects one of the two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparand {
    A,
    B,
}

impl Comparer<'_> {
    fn document(&self, which: Comparand) -> &Document {
        match which {
            Comparand::A => self.a,
            Comparand::B => self.b,
        }
    }

    fn note(&mut self, note: String) {
        if !self.result.notes.contains(&note) && self.result.notes.len() < NOTES_MAX {
            self.result.notes.push(note);
        }
    }

    /// Adds a note about one of several parts to which the same applies.
    fn note_about(&mut self, part: &str, reason: &str) {
        let known = self
            .repeated
            .iter_mut()
            .find(|known| known.reason == reason);
        if let Some(known) = known {
            known.add(part);
        } else if self.repeated.len() < NOTES_MAX {
            self.repeated.push(RepeatedNote::new(part, reason));
        }
    }

    fn push(&mut self, mut entry: Entry) {
        self.work.spend(1 + entry.fields.len() as u64);
        // There may be many entries, with few fields each.
        entry.fields.shrink_to_fit();
        entry.measures.shrink_to_fit();
        if let Some(code) = &mut entry.code {
            code.hunks.shrink_to_fit();
        }
        if self.work.keep(&entry) {
            self.result.entries.push(entry);
        }
    }
}

/// The note if the work is used up.
const TOO_MUCH_WORK: &str = "The files take too much work to compare; the result is incomplete.";

/// Maximum number of notes.
const NOTES_MAX: usize = 64;

/// Number of parts that a note names, and the length of a name among more, in characters.
const NAMED: usize = 3;
const NAME_SHOWN: usize = 60;

/// A note about several parts.
struct RepeatedNote {
    reason: String,
    /// The first parts.
    named: Vec<String>,
    /// The number of the others.
    others: u64,
}

impl RepeatedNote {
    fn new(part: &str, reason: &str) -> RepeatedNote {
        RepeatedNote {
            reason: reason.to_owned(),
            named: vec![part.to_owned()],
            others: 0,
        }
    }

    fn add(&mut self, part: &str) {
        if self.named.len() < NAMED {
            self.named.push(part.to_owned());
        } else {
            self.others += 1;
        }
    }

    fn text(&self) -> String {
        let named = self.named.len() as u64;
        match (self.others, self.named.first()) {
            (1.., Some(first)) => {
                // A name of thousands of characters would hide what the note says.
                let first = cut_middle(first, NAME_SHOWN);
                let all = named.saturating_add(self.others);
                format!("{all} parts, such as {first}: {}", self.reason)
            }
            _ => format!("{}: {}", self.named.join(", "), self.reason),
        }
    }
}

/// Compares two documents.
pub fn compare(a: &mut Document, b: &mut Document, options: &Options) -> Comparison {
    compare_read(a, b, &mut (None, None), options)
}

/// Compares a kernel of a document with another kernel, whatever their names: variants of a template,
/// builds for two devices. Both documents may be of the same file.
///
/// # Errors
///
/// A message, if only one of the kernels has native code, or one cannot be read.
pub fn compare_kernels(
    (a, one): (&mut Document, &Build),
    (b, other): (&mut Document, &Build),
    options: &Options,
) -> Result<Comparison, String> {
    let size = |document: &Document| document.sources.size();
    let work = Work::new(size(a).saturating_add(size(b)));
    let mut comparer = Comparer {
        a,
        b,
        options,
        work,
        dictionary: code::Dictionary::default(),
        result: Comparison::default(),
        repeated: Vec::new(),
        depth: 0,
        has_kernels: true,
        kernels: (None, None),
    };
    comparer.two_kernels(one, other)?;
    Ok(finished(
        comparer.result,
        &comparer.work,
        &comparer.repeated,
    ))
}

/// Whether a comparison of these documents reads the kernels of all images in them.
pub fn reads_all_kernels(a: &Document, b: &Document) -> bool {
    (by_device::has_images(a) || by_device::has_images(b)) && !bytes::are_same(a, b)
}

/// Like [`compare`], for documents whose kernels may have been read in steps before; those that the
/// comparison reads are kept for the next one.
pub fn compare_read(
    a: &mut Document,
    b: &mut Document,
    kernels: &mut KernelsRead,
    options: &Options,
) -> Comparison {
    let mut steps = ComparisonSteps::new(a, b, std::mem::take(kernels), options.clone());
    while steps.step(a, b) {}
    let (comparison, read) = steps.finish();
    *kernels = read;
    comparison
}

/// A comparison of two documents that goes on step by step, so that somebody can watch and stop it.
pub struct ComparisonSteps {
    options: Options,
    state: State,
    next: Next,
}

/// What is compared next.
enum Next {
    Bytes,
    Kernels(Box<by_device::KernelSteps>),
    Documents,
    Nothing,
}

impl ComparisonSteps {
    /// Begins a comparison. `kernels` are those that were read before.
    pub fn new(
        a: &Document,
        b: &Document,
        kernels: KernelsRead,
        options: Options,
    ) -> ComparisonSteps {
        let size = |document: &Document| document.sources.size();
        let state = State {
            work: Work::new(size(a).saturating_add(size(b))),
            dictionary: code::Dictionary::default(),
            result: Comparison {
                a: heads::head(a),
                b: heads::head(b),
                ..Comparison::default()
            },
            repeated: Vec::new(),
            has_kernels: false,
            kernels,
        };
        ComparisonSteps {
            options,
            state,
            next: Next::Bytes,
        }
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compares some more. Returns whether there is more to compare. Each call must have the same
    /// documents.
    pub fn step(&mut self, a: &mut Document, b: &mut Document) -> bool {
        let state = &mut self.state;
        let mut comparer = Comparer {
            a,
            b,
            options: &self.options,
            work: state.work.clone(),
            dictionary: std::mem::take(&mut state.dictionary),
            result: std::mem::take(&mut state.result),
            repeated: std::mem::take(&mut state.repeated),
            depth: 0,
            has_kernels: state.has_kernels,
            kernels: std::mem::take(&mut state.kernels),
        };
        let next = std::mem::replace(&mut self.next, Next::Nothing);
        self.next = comparer.step(next);
        self.state = State {
            work: comparer.work,
            dictionary: comparer.dictionary,
            result: comparer.result,
            repeated: comparer.repeated,
            has_kernels: comparer.has_kernels,
            kernels: comparer.kernels,
        };
        !matches!(self.next, Next::Nothing)
    }

    /// Returns how many kernels of libraries and packages are compared, and of how many; `None`
    /// while something else is compared.
    pub fn progress(&self) -> Option<Progress> {
        match &self.next {
            Next::Kernels(steps) => Some(steps.progress()),
            Next::Bytes | Next::Documents | Next::Nothing => None,
        }
    }

    /// Returns the result, and the kernels of both documents, if they were read.
    pub fn finish(self) -> (Comparison, KernelsRead) {
        let state = self.state;
        let result = finished(state.result, &state.work, &state.repeated);
        (result, state.kernels)
    }
}

/// Completes a result with the notes about what was left out.
fn finished(mut result: Comparison, work: &Work, repeated: &[RepeatedNote]) -> Comparison {
    let (is_over, left_out) = (work.is_over(), work.left_out());
    result.notes.extend(repeated.iter().map(RepeatedNote::text));
    result.is_cut |= is_over || left_out > 0;
    result.steps = work.spent();
    // Several parts may have noted it; it is said once, at the end.
    result.notes.retain(|note| note != TOO_MUCH_WORK);
    if is_over {
        result.notes.push(TOO_MUCH_WORK.to_owned());
    }
    if left_out > 0 {
        result.notes.push(format!(
            "There are too many differences: {left_out} more are not listed."
        ));
    }
    measure::sort(&mut result.entries);
    result
}

impl Comparer<'_> {
    /// Compares what is next. Returns what comes then.
    fn step(&mut self, next: Next) -> Next {
        match next {
            Next::Bytes if self.options.kernels.is_some() => {
                if let Err(reason) = self.named_kernels() {
                    self.result.is_cut = true;
                    self.note(reason);
                }
                Next::Nothing
            }
            Next::Bytes => self.compare_bytes(),
            Next::Kernels(mut steps) => {
                if self.step_kernels(&mut steps) {
                    return Next::Kernels(steps);
                }
                if self.options.kernels_first && !self.result.entries.is_empty() {
                    self.result.is_kernels_only = true;
                    self.remarks();
                    return Next::Nothing;
                }
                Next::Documents
            }
            Next::Documents => {
                let (root_a, root_b) = (self.a.root().clone(), self.b.root().clone());
                self.pair_at(&root_a, &root_b, 0);
                self.remarks();
                if self.result.entries.is_empty() {
                    self.audit(audit::Exemptions::default());
                }
                Next::Nothing
            }
            Next::Nothing => Next::Nothing,
        }
    }

    /// Compares the kernels that the options name.
    fn named_kernels(&mut self) -> Result<(), String> {
        let options = self.options;
        let Some([one, other]) = options.kernels.as_deref() else {
            return Ok(());
        };
        let query = |document: &mut Document, place: &ComparedKernel| {
            let ancestry = document.nodes_for(place.entry).into_iter().rev();
            let mut documents = ancestry.filter(|id| document.kernels(*id).is_some());
            let around = documents.next().filter(|id| *id != NodeId::ROOT);
            KernelQuery {
                path: around.map(|id| document.path(id)),
                ..KernelQuery::named(place.name.clone())
            }
        };
        let (first, second) = (query(self.b, one), query(self.b, other));
        let named = |error: KernelNameError| error.to_string();
        let one = kernel_names::one(self.a, &first).map_err(named)?;
        let other = kernel_names::one(self.b, &second).map_err(named)?;
        self.two_kernels(&one, &other)
    }

    /// Compares two kernels.
    fn two_kernels(&mut self, one: &Build, other: &Build) -> Result<(), String> {
        let head = |document: &Document, build: &Build| FileSummary {
            name: format!("{}: {}", document.root().name, build.title),
            target: build.device.to_string(),
            ..heads::head(document)
        };
        self.result.a = head(self.a, one);
        self.result.b = head(self.b, other);
        self.result.kernels = (1, 1);
        self.has_kernels = true;
        // The first pair is that of the files.
        self.result.pairs.push(Pair {
            a: self.a.root().span.unwrap_or_default(),
            b: self.b.root().span.unwrap_or_default(),
            ..Pair::default()
        });
        if !self.kernel_pair(one, other) {
            return Err(format!(
                "{} and {} cannot be compared: both must have native code, or both SPIR-V",
                one.title, other.title
            ));
        }
        if one.name != other.name {
            for entry in &mut self.result.entries {
                entry.new_name = Some(other.name.clone());
            }
        }
        Ok(())
    }

    fn compare_bytes(&mut self) -> Next {
        let whole = |span: Option<Span>| span.unwrap_or_default();
        let spans = (whole(self.a.root().span), whole(self.b.root().span));
        self.result.equal = match self.same_bytes(spans.0, spans.1) {
            Ok(same) => same,
            Err(error) => {
                self.note(error);
                false
            }
        };
        if self.result.equal {
            let kernels = heads::kernels(self.a);
            self.result.kernels = (kernels, kernels);
            self.result.pairs.push(Pair {
                a: spans.0,
                b: spans.1,
                kernels: self.result.kernels.0,
                ..Pair::default()
            });
            return Next::Nothing;
        }
        self.note_damage();
        // The first pair: that of the files.
        self.add_pair("", "", spans, 0);
        match self.kernels_by_device() {
            Some(steps) => {
                self.has_kernels = true;
                Next::Kernels(Box::new(steps))
            }
            None => {
                self.result.kernels = (heads::kernels(self.a), heads::kernels(self.b));
                Next::Documents
            }
        }
    }

    fn node_of(&mut self, which: Comparand, span: Span) -> Option<zeview_core::model::Node> {
        let document = match which {
            Comparand::A => &mut *self.a,
            Comparand::B => &mut *self.b,
        };
        let id: NodeId = document.document_at(span)?;
        document.node(id).cloned()
    }
}

/// Returns the listing of the section of code with exactly these bytes, in the opened file or in a
/// nested document.
pub fn listing_of(document: &mut Document, code: Span) -> Option<Rc<dyn Listing>> {
    let ancestry = document.nodes_for(code);
    let around = ancestry.into_iter().rev().find(|id| {
        let assembly = document.assembly(*id);
        assembly.is_some_and(|assembly| {
            assembly
                .sections()
                .iter()
                .any(|section| section.bytes == code)
        })
    })?;
    document.listing(around, Some(code), None)
}
