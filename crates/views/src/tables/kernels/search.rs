//! Search in the code of kernels, one kernel after the other.
//!
//! A [`CodeQuery`] is decided in parts. Conditions on the kernel come first: if they fail, its code is not
//! read. The classes of its instructions come next, which are found without decoding and are kept for
//! the next query. Only the instructions that may still match are looked at one by one.

use std::cell::OnceCell;
use std::rc::Rc;

use foldhash::HashMap;

use super::KernelList;
use super::part::Part;
use super::reading::{Around, KernelReading, kernels_of, short_names, with_only_spirv};
use crate::kernel_names::{KernelPlace, KernelQuery};
use crate::tables::query::{
    CodeQuery, CodeStep, Filter, Origin, Query, Without, column_id, origin,
};
use crate::tables::{Cell, CellValue, List, ListId, list_for};
use zeview_analysis::survey::Progress;
use zeview_core::analysis::assembly::{ClassCount, Listing, WordClass};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::model::{Document, NodeId, Sources, Span, Str};

/// Maximum number of classes of all kernels that are kept for the next query: 48 MB.
const KEPT: usize = 1 << 20;

/// Maximum number of instructions of a kernel in which a sequence is searched.
const SEQUENCE_ROWS: usize = 1 << 20;

/// Maximum number of comparisons of instructions with steps of a sequence, for a kernel.
const WORK: u64 = 1 << 23;

/// The code of a document is searched at most as many times as it is long: sections may overlap.
const CODE_TIMES: u64 = 2;

/// The classes of instructions in the code that was searched before.
#[derive(Default)]
struct CodeIndex {
    known: HashMap<Span, Rc<[ClassCount]>>,
    /// The number of all classes.
    count: usize,
}

/// A search in code.
pub struct CodeSearch {
    query: Rc<CodeQuery>,
    /// The kernels that are searched.
    wanted: KernelQuery,
    /// The own name of the wanted device.
    device: OnceCell<Option<Str>>,
    /// Whether the instructions are kept.
    each: bool,
    /// Maximum number of kept instructions.
    rows_max: usize,
    /// Whether images that are copies of others are searched, too.
    copies: bool,
    /// The parts that are searched, if the document is no container.
    own: Option<Vec<Rc<Part>>>,
    /// The short names of its kernels, as in the list of kernels.
    names: Around,
    /// The next kernel: the part, and the row in it.
    next: (usize, usize),
    /// The kernels of the current part.
    current: Option<CurrentPart>,
    found: Vec<FoundKernel>,
    totals: FoundTotals,
}

struct CurrentPart {
    list: Rc<KernelList>,
    /// The bytes of code that may still be searched.
    left: u64,
}

/// What a search has found so far, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FoundTotals {
    /// Kernels whose code was searched, or needed not be.
    pub searched: u64,
    /// Kernels that have what was searched.
    pub kernels: u64,
    /// Instructions that were found; of sequences, the number of places.
    pub matches: u64,
    /// Instructions of which it is not known whether they match, because a value is unknown.
    pub undecided: u64,
    /// Kernels whose code was not searched, or not completely.
    pub unsearched: u64,
    /// Found instructions that are not kept.
    pub left_out: u64,
}

/// A kernel with what was searched.
#[derive(Clone)]
pub struct FoundKernel {
    part: Rc<Part>,
    /// The index of its row in the part.
    row: usize,
    /// The number of matches in it.
    pub count: u64,
    /// The first instruction.
    pub(in crate::tables) first: FoundInstruction,
    /// The instructions, if they are kept.
    pub(in crate::tables) instructions: Rc<[FoundInstruction]>,
}

impl FoundKernel {
    /// Returns its provider and its name.
    pub(in crate::tables) fn provider(&self) -> Option<(&Rc<dyn Kernels>, &str)> {
        let row = self.part.rows.get(self.row)?;
        Some((self.part.kernels.as_ref()?, row.names().0))
    }

    /// Whether its image is in a file of a package.
    pub(in crate::tables) fn is_in_package(&self) -> bool {
        !self.part.file.is_empty()
    }
}

/// An instruction that was found.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct FoundInstruction {
    pub row: u32,
    pub span: Span,
    /// The number of the match in its kernel, from 1 on.
    pub number: u32,
    /// The step of a sequence, from 1 on.
    pub step: u32,
}

/// What is searched, and what is kept.
#[derive(Debug, Clone, Default)]
pub struct SearchOptions {
    /// The kernels; by default all.
    pub kernels: KernelQuery,
    /// Whether the instructions are kept.
    pub each: bool,
    /// Maximum number of kept instructions.
    pub rows_max: usize,
    /// Whether images that are copies of others are searched, too.
    pub copies: bool,
}

impl CodeSearch {
    /// Starts a search in a document, or in the images of a container, whose kernels
    /// [`step`](Self::step) gets.
    pub fn new(
        document: &mut Document,
        id: NodeId,
        query: Rc<CodeQuery>,
        options: SearchOptions,
    ) -> CodeSearch {
        let own = kernels_of(document, id).map(|part| {
            let parts = with_only_spirv(part, &document.sources).into_iter();
            parts.map(Rc::new).collect()
        });
        let names = own.is_some().then(|| short_names(document, id)).flatten();
        CodeSearch {
            names,
            query,
            wanted: options.kernels,
            device: OnceCell::new(),
            each: options.each,
            rows_max: options.rows_max,
            copies: options.copies,
            own,
            next: (0, 0),
            current: None,
            found: Vec::new(),
            totals: FoundTotals::default(),
        }
    }

    /// Whether nothing is searched.
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }

    /// Searches the next kernel of those that are read. Returns `false` if there are none.
    pub fn step(&mut self, document: &mut Document, reading: Option<&mut KernelReading>) -> bool {
        let (part, names) = match (&self.own, reading) {
            (Some(own), _) => (own.get(self.next.0).cloned(), self.names.clone()),
            (None, Some(reading)) => match reading.parts.get(self.next.0).cloned() {
                Some(part) => {
                    let names = if self.current.is_none() {
                        reading.short_names(&document.sources)
                    } else {
                        None
                    };
                    (Some(part), names)
                }
                None => (None, None),
            },
            (None, None) => (None, None),
        };
        let Some(part) = part else { return false };
        let is_searched = part.is_native()
            && !part.is_foreign
            && (self.copies || !part.is_copy)
            && self.is_within(&part, &document.sources);
        let row = self.next.1;
        if !is_searched || row >= part.rows.len() {
            self.next = (self.next.0.saturating_add(1), 0);
            self.current = None;
            return true;
        }
        self.next.1 = row.saturating_add(1);
        let mut current = self.current.take().unwrap_or_else(|| {
            let list = KernelList::in_order(vec![Rc::clone(&part)], true);
            CurrentPart {
                list: Rc::new(list.with_names(names)),
                left: part.span.len().saturating_mul(CODE_TIMES),
            }
        });
        self.search(document, &part, row, &mut current);
        self.current = Some(current);
        true
    }

    fn is_within(&self, part: &Part, sources: &Sources) -> bool {
        let own = self.device.get_or_init(|| {
            let device = self.wanted.device.as_ref();
            device.and_then(|device| sources.device_named(device))
        });
        let place = KernelPlace {
            device: &part.device,
            file: &part.file,
            image: &part.image,
            member: &part.member,
            path: &part.path,
        };
        self.wanted.is_within(&place, own.as_deref())
    }

    /// Whether all kernels of the document were searched; `is_read` says whether its images were read.
    pub fn is_over(&self, reading: Option<&KernelReading>) -> bool {
        let count = match (&self.own, reading) {
            (Some(own), _) => own.len(),
            (None, Some(reading)) if reading.progress().is_over() => reading.parts.len(),
            (None, Some(_)) => return false,
            (None, None) => 0,
        };
        self.next.0 >= count
    }

    /// Returns the number of images whose code was searched, of all.
    pub fn progress(&self, reading: Option<&KernelReading>) -> Progress {
        let is_over = self.is_over(reading);
        let (done, of) = match (&self.own, reading) {
            (Some(own), _) => (self.next.0, own.len() as u64),
            (None, Some(reading)) => (self.next.0, reading.progress().of),
            (None, None) => (0, 0),
        };
        let of = of.max(1);
        Progress {
            // An image may have several parts.
            done: if is_over {
                of
            } else {
                (done as u64).min(of.saturating_sub(1))
            },
            of,
        }
    }

    /// Returns what was found so far, in numbers.
    pub fn totals(&self) -> FoundTotals {
        self.totals
    }

    /// Returns the kernels that were found since the last call.
    pub fn take(&mut self) -> Vec<FoundKernel> {
        std::mem::take(&mut self.found)
    }

    /// Returns the kernels that were found.
    pub(in crate::tables) fn found(&self) -> &[FoundKernel] {
        &self.found
    }

    /// Returns the short names of the document's own kernels.
    pub(in crate::tables) fn names(&self) -> Around {
        self.names.clone()
    }

    /// Whether the instructions are kept.
    pub(in crate::tables) fn is_each(&self) -> bool {
        self.each
    }

    /// Whether a match has several instructions.
    pub(in crate::tables) fn is_sequence(&self) -> bool {
        self.query.is_sequence()
    }

    /// Whether the document is a container.
    pub(in crate::tables) fn is_of_several(&self) -> bool {
        self.own.is_none()
    }

    fn search(
        &mut self,
        document: &mut Document,
        part: &Rc<Part>,
        at: usize,
        current: &mut CurrentPart,
    ) {
        let Some((row, kernels)) = part.rows.get(at).zip(part.kernels.as_ref()) else {
            return;
        };
        let list = Rc::clone(&current.list);
        let (name, demangled) = row.names();
        let names = || [name, demangled.unwrap_or(name), list.short_name(row)];
        if !self.wanted.name.is_empty() && !self.wanted.is_named(names()) {
            return;
        }
        self.totals.searched = self.totals.searched.saturating_add(1);
        let kernel = u32::try_from(at).unwrap_or(u32::MAX);
        let Some(steps) = StepFilters::new(&self.query, &list, kernel, &document.sources) else {
            return;
        };
        // Functions of other modules have no code, and neither have kernels of damaged files.
        let Some(code) = kernels.code(name).filter(|code| !code.is_empty()) else {
            return;
        };
        if document.extensions.get::<CodeIndex>().is_none() {
            document.extensions.insert(CodeIndex::default());
        }
        let index = document.extensions.get::<CodeIndex>();
        let known = index.and_then(|index| index.known.get(&code)).cloned();
        let classes = match known {
            Some(classes) => classes,
            None => {
                let Some(left) = current.left.checked_sub(code.len()) else {
                    self.totals.unsearched = self.totals.unsearched.saturating_add(1);
                    return;
                };
                current.left = left;
                let Some(listing) = kernels.listing(name, &document.sources) else {
                    self.totals.unsearched = self.totals.unsearched.saturating_add(1);
                    return;
                };
                let classes: Rc<[ClassCount]> = listing.classes(&document.sources).into();
                if let Some(mut index) = document.extensions.remove::<CodeIndex>() {
                    if index.count.saturating_add(classes.len()) <= KEPT {
                        index.count = index.count.saturating_add(classes.len());
                        index.known.insert(code, Rc::clone(&classes));
                    }
                    document.extensions.insert(index);
                }
                classes
            }
        };
        let Some(decided) = steps.decide(&classes, &list, kernel, &document.sources) else {
            return;
        };
        let found = if let Some(sure) = decided.sure().filter(|_| !self.each) {
            sure
        } else {
            let scan = Scan::new(document, part, row.names().0, code, decided, &list, kernel);
            let Some(mut scan) = scan else {
                self.totals.unsearched = self.totals.unsearched.saturating_add(1);
                return;
            };
            let most = if self.each { self.rows_max } else { 0 };
            scan.run(&document.sources, most);
            self.totals.undecided = self.totals.undecided.saturating_add(scan.undecided);
            self.totals.left_out = self.totals.left_out.saturating_add(scan.left_out);
            if scan.is_incomplete {
                self.totals.unsearched = self.totals.unsearched.saturating_add(1);
            }
            let Some(found) = scan.found() else { return };
            self.rows_max = self.rows_max.saturating_sub(found.2.len());
            found
        };
        let (count, first, instructions) = found;
        self.totals.kernels = self.totals.kernels.saturating_add(1);
        self.totals.matches = self.totals.matches.saturating_add(count);
        self.found.push(FoundKernel {
            part: Rc::clone(part),
            row: at,
            count,
            first,
            instructions: instructions.into(),
        });
    }
}

/// Whether the value of a column is known of a kernel without its code.
fn of_kernel(column: usize) -> bool {
    matches!(
        origin(column),
        Some(Origin::Kernel {
            is_counted: false,
            ..
        })
    )
}

/// Whether the value of a column is known of a kernel with its code.
fn of_kernel_code(column: usize) -> bool {
    matches!(origin(column), Some(Origin::Kernel { .. }))
}

/// Whether the class of an instruction decides the value of a column.
fn of_class(column: usize) -> bool {
    origin(column) == Some(Origin::Class)
}

/// An instruction of a kernel as a row, with the columns of queries of code.
struct CodeRow<'a> {
    kernels: &'a KernelList,
    kernel: u32,
    class: Option<&'a WordClass>,
    instructions: Option<&'a dyn List>,
}

impl List for CodeRow<'_> {
    fn id(&self) -> ListId {
        ListId::Instructions
    }

    fn count(&self) -> u32 {
        self.instructions.map_or(0, List::count)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (origin(column), self.class, self.instructions) {
            (Some(Origin::Kernel { column, .. }), ..) => {
                Cell::new(self.kernels.value(self.kernel, column, sources))
            }
            (Some(Origin::Class), Some(class), _) => match column_id(column) {
                "mnemonic" => Cell::text(class.mnemonic),
                "operation" => Cell::text(&*class.operation),
                "kind" => Cell::text(class.kind),
                "message" => Cell::text(&*class.message),
                _ => Cell::words(class.marks.iter().map(|mark| &**mark)),
            },
            (Some(Origin::Instruction(column)), _, Some(list)) => {
                Cell::new(list.value(row, column, sources))
            }
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        self.instructions?.entry(row, sources)
    }

    fn rows_at(&self, _: Span, _: &Sources) -> Option<std::ops::Range<u32>> {
        None
    }
}

/// The filters of a query, as far as a kernel leaves them open: those of the steps, then what is not
/// between them.
struct StepFilters<'q> {
    query: &'q CodeQuery,
    filters: Vec<Filter>,
    /// For each step, the index of the filter that nothing before it meets.
    without: Vec<Option<usize>>,
}

impl<'q> StepFilters<'q> {
    /// Decides the conditions on a kernel. Returns `None` if they exclude it.
    fn new(
        query: &'q CodeQuery,
        list: &KernelList,
        kernel: u32,
        sources: &Sources,
    ) -> Option<StepFilters<'q>> {
        let row = CodeRow {
            kernels: list,
            kernel,
            class: None,
            instructions: None,
        };
        let resolve = |filter: &Filter| filter.resolve((&row, 0, sources), &of_kernel);
        let mut filters = Vec::new();
        for step in &query.steps {
            let filter = resolve(&step.filter);
            if filter.constant() == Some(false) {
                return None;
            }
            filters.push(filter);
        }
        let mut without = Vec::new();
        for step in &query.steps {
            without.push(step.without.as_ref().map(|between| {
                filters.push(resolve(&between.filter));
                filters.len().saturating_sub(1)
            }));
        }
        Some(StepFilters {
            query,
            filters,
            without,
        })
    }

    /// Decides the filters for classes of instructions. Returns `None` if a step has none.
    fn decide(
        self,
        classes: &[ClassCount],
        list: &KernelList,
        kernel: u32,
        sources: &Sources,
    ) -> Option<Decided<'q>> {
        let steps = self.query.steps.len();
        let row = |class| CodeRow {
            kernels: list,
            kernel,
            class: Some(class),
            instructions: None,
        };
        let mut verdicts: Vec<Vec<Verdict>> = Vec::new();
        for class in classes {
            let row = row(&class.class);
            let filters = self.filters.iter();
            let decided =
                filters.map(|filter| Verdict::of(filter.resolve((&row, 0, sources), &of_class)));
            verdicts.push(decided.collect());
        }
        let may_have = |verdicts: &[Vec<Verdict>]| {
            (0..steps).all(|step| {
                let of = |of: &Vec<Verdict>| !matches!(of.get(step), Some(Verdict::No) | None);
                verdicts.iter().any(of)
            })
        };
        if !may_have(&verdicts) {
            return None;
        }
        // The figures of its code are counted only if it may match.
        let needs_code = |filter: &Filter| filter.needs(&|at| of_kernel_code(at) && !of_kernel(at));
        if self.filters.iter().any(needs_code) {
            for (class, verdicts) in classes.iter().zip(&mut verdicts) {
                let row = row(&class.class);
                for verdict in verdicts {
                    if let Verdict::Maybe(filter) = verdict {
                        *verdict = Verdict::of(filter.resolve((&row, 0, sources), &of_kernel_code));
                    }
                }
            }
            if !may_have(&verdicts) {
                return None;
            }
        }
        Some(Decided {
            query: self.query,
            without: self.without,
            classes: classes.to_vec(),
            verdicts,
        })
    }
}

/// Whether instructions of a class meet a filter.
enum Verdict {
    No,
    Yes,
    /// If they meet this one.
    Maybe(Filter),
}

impl Verdict {
    fn of(filter: Filter) -> Verdict {
        match filter.constant() {
            Some(true) => Verdict::Yes,
            Some(false) => Verdict::No,
            None => Verdict::Maybe(filter),
        }
    }
}

/// What is found in a kernel: the number of matches, the first one, and the instructions that are kept.
type FoundInCode = (u64, FoundInstruction, Vec<FoundInstruction>);

/// The filters, as far as the classes of instructions decide them.
struct Decided<'q> {
    query: &'q CodeQuery,
    without: Vec<Option<usize>>,
    classes: Vec<ClassCount>,
    /// For each class, the verdict of each filter.
    verdicts: Vec<Vec<Verdict>>,
}

impl Decided<'_> {
    /// Returns what is found, if the classes of the instructions decide it.
    fn sure(&self) -> Option<FoundInCode> {
        if self.query.steps.len() != 1 || !self.query.steps.iter().all(|step| step.bound.is_empty())
        {
            return None;
        }
        let mut count = 0_u64;
        let mut first: Option<&ClassCount> = None;
        for (class, verdicts) in self.classes.iter().zip(&self.verdicts) {
            match verdicts.first() {
                Some(Verdict::Yes) => {
                    count = count.saturating_add(class.count.into());
                    first = first.filter(|first| first.row < class.row).or(Some(class));
                }
                Some(Verdict::Maybe(_)) => return None,
                Some(Verdict::No) | None => {}
            }
        }
        let first = first?;
        let first = FoundInstruction {
            row: first.row,
            span: first.first,
            number: 1,
            step: 1,
        };
        Some((count, first, Vec::new()))
    }

    fn verdict(&self, class: usize, filter: usize) -> Option<&Verdict> {
        self.verdicts.get(class)?.get(filter)
    }
}

/// The search in the instructions of one kernel.
struct Scan<'a> {
    decided: Decided<'a>,
    kernels: &'a KernelList,
    kernel: u32,
    listing: Rc<dyn Listing>,
    /// The instructions as a list, if some must be looked at.
    instructions: Option<Rc<dyn List>>,
    /// The values of variables so far need these.
    rows: Vec<(u32, Span)>,
    /// The verdicts about rows that were looked at: 0 unknown, else 1 no, 2 yes, 3 undecided.
    seen: Vec<Vec<u8>>,
    work: u64,
    most: usize,
    count: u64,
    first: Option<FoundInstruction>,
    kept: Vec<FoundInstruction>,
    undecided: u64,
    left_out: u64,
    is_incomplete: bool,
}

impl<'a> Scan<'a> {
    fn new(
        document: &mut Document,
        part: &Part,
        name: &str,
        code: Span,
        decided: Decided<'a>,
        kernels: &'a KernelList,
        kernel: u32,
    ) -> Option<Scan<'a>> {
        let is_open = |verdict: &Verdict| matches!(verdict, Verdict::Maybe(_));
        let looks = decided.query.has_steps() || decided.verdicts.iter().flatten().any(is_open);
        let instructions = match part.node.filter(|_| looks) {
            Some(node) => {
                let query = Query {
                    of: Some(code),
                    ..Query::default()
                };
                list_for(document, node, ListId::Instructions, &query)
            }
            None => None,
        };
        let own = instructions.as_ref().and_then(|list| {
            let listing = list.as_code()?.listing();
            (listing.code() == code).then(|| Rc::clone(listing))
        });
        let listing = match (own, part.kernels.as_ref()) {
            (Some(listing), _) => listing,
            (None, Some(of)) if !looks => of.listing(name, &document.sources)?,
            (None, _) => return None,
        };
        Some(Scan {
            decided,
            kernels,
            kernel,
            listing,
            instructions,
            rows: Vec::new(),
            seen: Vec::new(),
            work: WORK,
            most: 0,
            count: 0,
            first: None,
            kept: Vec::new(),
            undecided: 0,
            left_out: 0,
            is_incomplete: false,
        })
    }

    fn found(self) -> Option<FoundInCode> {
        Some((self.count, self.first?, self.kept))
    }

    /// Finds matches, and keeps at most `most` instructions.
    fn run(&mut self, sources: &Sources, most: usize) {
        self.most = most;
        let is_sequence = self.decided.query.has_steps();
        let mut known: HashMap<*const WordClass, Option<u32>> = HashMap::default();
        let mut rows: Vec<(u32, u32, Span)> = Vec::new();
        let (decided, listing) = (&self.decided, Rc::clone(&self.listing));
        let mut is_cut = false;
        // The instructions are looked at afterwards: meanwhile, the decoder cannot classify others.
        listing.each_class(sources, &mut |row, span, class| {
            let at = *known.entry(Rc::as_ptr(class)).or_insert_with(|| {
                let mut all = decided.classes.iter();
                let at = all.position(|known| known.class == *class);
                at.and_then(|at| u32::try_from(at).ok())
            });
            let at = at.unwrap_or(u32::MAX);
            let is_candidate = || {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                !matches!(decided.verdict(at, 0), Some(Verdict::No) | None)
            };
            if is_sequence || is_candidate() {
                rows.push((row, at, span));
            }
            is_cut = is_sequence && rows.len() >= SEQUENCE_ROWS;
            !is_cut
        });
        self.is_incomplete |= is_cut;
        if is_sequence {
            self.rows = rows
                .into_iter()
                .map(|(_, class, span)| (class, span))
                .collect();
            self.sequences(sources);
            return;
        }
        for (row, class, span) in rows {
            match self.matches(0, (row, class, span), sources) {
                Some(true) => {
                    self.count = self.count.saturating_add(1);
                    self.keep(&[(row, span)]);
                }
                Some(false) => {}
                None => self.undecided = self.undecided.saturating_add(1),
            }
        }
    }

    /// Adds the instructions of a match.
    fn keep(&mut self, rows: &[(u32, Span)]) {
        let number = u32::try_from(self.count).unwrap_or(u32::MAX);
        for ((row, span), step) in rows.iter().zip(1..) {
            let found = FoundInstruction {
                row: *row,
                span: *span,
                number,
                step,
            };
            self.first.get_or_insert(found);
            if self.kept.len() < self.most {
                self.kept.push(found);
            } else if self.most > 0 {
                self.left_out = self.left_out.saturating_add(1);
            }
        }
    }

    /// Returns an instruction as a row.
    fn row(&self, class: u32) -> CodeRow<'_> {
        let class = usize::try_from(class).ok();
        let class = class.and_then(|class| self.decided.classes.get(class));
        CodeRow {
            kernels: self.kernels,
            kernel: self.kernel,
            class: class.map(|class| &*class.class),
            instructions: self.instructions.as_deref(),
        }
    }

    /// Whether an instruction meets a filter; `None` if that depends on an unknown value.
    fn matches(
        &self,
        filter: usize,
        (row, class, _): (u32, u32, Span),
        sources: &Sources,
    ) -> Option<bool> {
        let at = usize::try_from(class).unwrap_or(usize::MAX);
        match self.decided.verdict(at, filter) {
            Some(Verdict::Yes) => Some(true),
            Some(Verdict::No) | None => Some(false),
            Some(Verdict::Maybe(open)) => open.decide((&self.row(class), row, sources)),
        }
    }

    /// As [`matches`](Self::matches), for an instruction that is looked at several times.
    fn meets(&mut self, filter: usize, row: usize, sources: &Sources) -> bool {
        const UNDECIDED: u8 = 3;
        let known = self.seen.get(filter).and_then(|seen| seen.get(row));
        let known = known.copied().unwrap_or(1);
        if known > 0 {
            return known == 2;
        }
        let Some((class, span)) = self.rows.get(row).copied() else {
            return false;
        };
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let verdict = match self.matches(filter, (number, class, span), sources) {
            Some(meets) => 1 + u8::from(meets),
            None => UNDECIDED,
        };
        self.undecided += u64::from(verdict == UNDECIDED);
        if let Some(seen) = self.seen.get_mut(filter).and_then(|seen| seen.get_mut(row)) {
            *seen = verdict;
        }
        verdict == 2
    }

    /// Finds the sequences: the first one that starts at each instruction.
    fn sequences(&mut self, sources: &Sources) {
        let filters = self.decided.verdicts.first().map_or(0, Vec::len);
        self.seen = vec![vec![0; self.rows.len()]; filters];
        let query = self.decided.query;
        let Some(first) = query.steps.first() else {
            return;
        };
        for row in 0..self.rows.len() {
            if !self.meets(0, row, sources) {
                continue;
            }
            let mut values: Values = vec![None; query.variables];
            let mut chain = vec![row];
            if self.bind(&first.bound, row, &mut values, sources)
                && self.complete(1, &values, &mut chain, sources)
            {
                self.count = self.count.saturating_add(1);
                let found = chain.iter().filter_map(|row| {
                    let (_, span) = self.rows.get(*row)?;
                    Some((u32::try_from(*row).ok()?, *span))
                });
                let found: Vec<(u32, Span)> = found.collect();
                self.keep(&found);
            }
            if self.work == 0 {
                self.is_incomplete = true;
                return;
            }
        }
    }

    /// Finds the instructions of a step and of those after it, the nearest first.
    fn complete(
        &mut self,
        at: usize,
        values: &Values,
        chain: &mut Vec<usize>,
        sources: &Sources,
    ) -> bool {
        let query = self.decided.query;
        let Some(CodeStep {
            bound,
            within,
            without,
            ..
        }) = query.steps.get(at)
        else {
            return true;
        };
        let Some(before) = chain.last().copied() else {
            return false;
        };
        let mut left = values.clone();
        let end = before.saturating_add(usize::try_from(*within).unwrap_or(usize::MAX));
        for row in before.saturating_add(1)..=end.min(self.rows.len().saturating_sub(1)) {
            let Some(work) = self.work.checked_sub(1) else {
                return false;
            };
            self.work = work;
            if self.meets(at, row, sources) {
                let mut next = left.clone();
                if self.bind(bound, row, &mut next, sources) {
                    chain.push(row);
                    if self.complete(at.saturating_add(1), &next, chain, sources) {
                        return true;
                    }
                    chain.pop();
                }
            }
            if let Some(without) = without
                && !self.passes(at, without, row, &mut left, sources)
            {
                return false;
            }
        }
        false
    }

    /// Keeps the values that variables have in an instruction, too. Returns whether all have one.
    fn bind(
        &self,
        bound: &[(usize, usize)],
        row: usize,
        values: &mut Values,
        sources: &Sources,
    ) -> bool {
        for (column, variable) in bound {
            let words = self.words(*column, row, sources);
            let Some(value) = values.get_mut(*variable) else {
                return false;
            };
            let common = match value.take() {
                None => words,
                Some(known) => known
                    .into_iter()
                    .filter(|word| words.contains(word))
                    .collect(),
            };
            if common.is_empty() {
                return false;
            }
            *value = Some(common);
        }
        true
    }

    /// Removes the values of variables that an instruction between two steps has. Returns whether the
    /// later one can still follow.
    fn passes(
        &mut self,
        step: usize,
        without: &Without,
        row: usize,
        values: &mut Values,
        sources: &Sources,
    ) -> bool {
        let filter = self.decided.without.get(step).copied().flatten();
        let Some(filter) = filter.filter(|filter| self.meets(*filter, row, sources)) else {
            return true;
        };
        let _ = filter;
        for (column, variable) in &without.bound {
            let words = self.words(*column, row, sources);
            let Some(Some(known)) = values.get_mut(*variable) else {
                return false;
            };
            known.retain(|word| !words.contains(word));
            if known.is_empty() {
                return false;
            }
        }
        !without.bound.is_empty()
    }

    /// Returns the values in a cell of an instruction.
    fn words(&self, column: usize, row: usize, sources: &Sources) -> Vec<String> {
        let Some((class, _)) = self.rows.get(row) else {
            return Vec::new();
        };
        let of = self.row(*class);
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        match of.value(row, column, sources) {
            CellValue::Words(words) => words.into_iter().map(|word| word.into_owned()).collect(),
            CellValue::Empty | CellValue::Absent => Vec::new(),
            value => vec![value.text().into_owned()],
        }
    }
}

/// The values that each variable may have so far; `None` before it is bound.
type Values = Vec<Option<Vec<String>>>;

/// Returns the list of kernels that were found, one row for each.
pub(in crate::tables) fn kernels_found(
    found: &[FoundKernel],
    is_of_several: bool,
    names: Around,
) -> KernelList {
    let mut parts: Vec<Rc<Part>> = Vec::new();
    let mut rest = found;
    while let Some(first) = rest.first() {
        let is_same = |other: &&FoundKernel| Rc::ptr_eq(&other.part, &first.part);
        let (own, others) = rest.split_at(rest.iter().take_while(is_same).count());
        rest = others;
        let rows = own
            .iter()
            .filter_map(|found| first.part.rows.get(found.row));
        parts.push(Rc::new(Part {
            rows: Rc::new(rows.cloned().collect()),
            ..(*first.part).clone()
        }));
    }
    KernelList::in_order(parts, is_of_several).with_names(names)
}
