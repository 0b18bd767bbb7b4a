//! What is found in the code of kernels: a row for each kernel, or for each instruction.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::kernels::KernelList;
use super::kernels::reading::{Around, KernelReading};
use super::kernels::search::{
    CodeSearch, FoundInstruction, FoundKernel, FoundTotals, SearchOptions, kernels_found,
};
use super::query::{CodeQuery, Query};
use super::{
    Cell, CellValue, Column, Declaration, Fit, KernelRows, List, ListId, Opens, ReadingKind,
    RowDetails, Scope, Tab, Words, columns,
};
use zeview_core::analysis::assembly::{Line, Listing};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::model::text::plural;
use zeview_core::model::{Document, NodeId, Sources, Span};

/// Maximum number of instructions in a list.
pub const ROWS_MAX: usize = 100_000;

/// A row: the list, the index of the kernel, and the instruction.
type RowRef<'a> = (&'a FoundList, u32, FoundInstruction);

columns! {
    /// The columns.
    pub COLUMNS
    "name" Text Default 20 "Kernel" "" "The kernel's name in the file."
        |(list, kernel, _), sources| list.of_kernel(kernel, "name", sources);
    "package_file" Text Optional 20 "File" "" "The file of the package or folder that contains the image."
        |(list, kernel, _), sources| list.of_kernel(kernel, "package_file", sources);
    "image" Text Several 13 "Image" "" "The image with the kernel, where the file is a container."
        |(list, kernel, _), sources| list.of_kernel(kernel, "image", sources);
    "member" Text Optional 11 "Member" "" "The member of the archive in the image."
        |(list, kernel, _), sources| list.of_kernel(kernel, "member", sources);
    "device" Text Several 10 "Device" "" "The device that the image is for."
        |(list, kernel, _), sources| list.of_kernel(kernel, "device", sources);
    "found" Number Default 7 "Found" "" "The number of instructions of the kernel that match; of sequences, the number of places."
        |(list, kernel, _), _| list.kernel(kernel).map_or_else(Cell::empty, |kernel| Cell::count(kernel.count));
    "match" Number Filled 7 "Match" "" "The number of the sequence in the kernel, from 1 on."
        |(_, _, at), _| Cell::count(at.number.into());
    "step" Number Filled 5 "Step" "" "The step of the sequence that the instruction is, from 1 on."
        |(_, _, at), _| Cell::count(at.step.into());
    "offset" Number Default 7 "Offset" "" "The first byte of the instruction in its section; of a kernel, that of the first one found."
        |(list, kernel, at), _| Cell::new(CellValue::Hex(list.offset(kernel, at))).at(Some(at.span));
    "text" Text Default 100 "Instruction" "" "The instruction, as the Intel Graphics Assembler writes it."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.text.trim().to_owned()));
    "comment" Text Default 36 "Message" "" "The meaning of a message: its operation, and the registers that it sends and receives."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.comment.clone()));
    "mnemonic" Text Optional 10 "Mnemonic" "" "The operation without its subfunction."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.mnemonic));
    "operation" Text Optional 10 "Operation" "" "The operation."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.operation.clone()));
    "kind" Text Optional 10 "Kind" "" "The kind of instruction; for arithmetic, the type of the result."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.kind));
    "message" Text Optional 14 "Message kind" "" "The operation of a message and what it is sent to: `load.ugm`."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| Cell::text(line.message_name.clone()));
    "marks" Words Optional 12 "Marks" "" "Annotations: spill, fill, atomic, barrier, sampler, dpas, EOT, illegal."
        |(list, kernel, at), sources| list.of_line(kernel, at, sources, |line| {
            Cell::words(line.marks.iter().map(|mark| mark.text.to_string()))
        });
    "demangled" Text Optional 28 "Demangled" "" "The demangled name."
        |(list, kernel, _), sources| list.of_kernel(kernel, "demangled", sources);
    "short_name" Text Optional 40 "Short name" "" "The demangled name without what other kernels of the file share; different names have different short names."
        |(list, kernel, _), sources| list.of_kernel(kernel, "short_name", sources);
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Container,
    tab: Some(Tab::of_code("find", "Find in code", |file| {
        file.any.code || file.any.host || file.any.package
    })),
    opens: Opens::Code,
    stays: true,
    fit: Some(Fit {
        columns: &["name"],
        least: 12,
        most: 48,
    }),
    reading: ReadingKind::Found,
    ..Declaration::table(
        ListId::Found,
        "found",
        || COLUMNS,
        Words {
            title: "Find in code",
            one: "row",
            many: "rows",
            hint: "Find: marks=spill loop>=2, or marks=fill writes=?a then marks=spill reads=?a",
            none: "Type what to find in the code of all kernels: dpas, marks=spill, message=load.ugm loop>=2.",
        },
    )
};

/// Whether a document has code itself.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.assembly(id).is_some() && document.kernels(id).is_some()
}

/// Searches the code of a document, for a container that of all its images.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    if !is_in(document, id)
        && !super::kernels::reading::are_within(document, id)
        && document.package_files(id).is_none()
    {
        return None;
    }
    let options = SearchOptions {
        each: query.find().each,
        rows_max: ROWS_MAX,
        ..SearchOptions::default()
    };
    // Malformed queries find nothing; `Finding::new` has the message.
    match Finding::new(document, id, &query.filter, options) {
        Ok(mut finding) => {
            while finding.step(document) {}
            Some(finding.list(&document.sources))
        }
        Err(_) => Some(Rc::new(FoundList::none(query.find().each))),
    }
}

/// A search that reads the images of a container itself.
pub struct Finding {
    search: CodeSearch,
    reading: Option<KernelReading>,
}

impl Finding {
    /// Starts a search in a document, or in the images of a container. An empty query finds nothing.
    ///
    /// # Errors
    ///
    /// If the query is malformed, as a message.
    pub fn new(
        document: &mut Document,
        id: NodeId,
        query: &str,
        options: SearchOptions,
    ) -> Result<Finding, String> {
        let parsed = Rc::new(CodeQuery::parse(query)?);
        let search = CodeSearch::new(document, id, parsed, options);
        let reading = match query.trim() {
            "" => None,
            _ if search.is_of_several() => KernelReading::new(document, id),
            _ => None,
        };
        Ok(Finding { search, reading })
    }

    /// Reads all images. Afterwards, [`step`](Self::step) only searches, and the names of kernels are
    /// final.
    pub fn read(&mut self, document: &mut Document, mut progress: impl FnMut(&KernelReading)) {
        if let Some(reading) = &mut self.reading {
            while reading.step(document) {
                progress(reading);
            }
        }
    }

    /// Searches the next kernel, or reads the next image. Returns `false` if there are no more.
    pub fn step(&mut self, document: &mut Document) -> bool {
        let reading = self.reading.as_mut();
        if self.search.is_empty() {
            return false;
        }
        if self.search.step(document, reading) {
            return true;
        }
        self.reading
            .as_mut()
            .is_some_and(|reading| reading.step(document))
    }

    /// Returns what was found so far, in numbers.
    pub fn totals(&self) -> FoundTotals {
        self.search.totals()
    }

    /// Returns notes about kernels that were not read.
    pub fn notes(&self) -> Vec<String> {
        self.reading
            .as_ref()
            .map_or_else(Vec::new, KernelReading::notes)
    }

    /// Returns the list of what was found so far.
    pub fn list(&mut self, sources: &Sources) -> Rc<dyn List> {
        let names = self
            .reading
            .as_mut()
            .and_then(|reading| reading.short_names(sources));
        list(&self.search, names)
    }

    /// Returns the list of the kernels that were found since the last call. Returns `None` if there are
    /// none.
    pub fn take(&mut self, sources: &Sources) -> Option<Rc<dyn List>> {
        let found = self.search.take();
        if found.is_empty() {
            return None;
        }
        let names = self
            .reading
            .as_mut()
            .and_then(|reading| reading.short_names(sources));
        Some(Rc::new(FoundList::new(&self.search, found, names)))
    }
}

/// Returns the list of what a search has found so far.
pub fn list(search: &CodeSearch, names: Around) -> Rc<dyn List> {
    Rc::new(FoundList::new(search, search.found().to_vec(), names))
}

/// Returns the list without rows, before anything is searched.
pub fn none(each: bool) -> Rc<dyn List> {
    Rc::new(FoundList::none(each))
}

impl FoundTotals {
    /// Returns notes about what the search could not decide.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.undecided > 0 {
            let (count, are) = match self.undecided {
                1 => ("1 instruction".to_owned(), "is"),
                count => (plural(count, "instruction"), "are"),
            };
            notes.push(format!(
                "{count} {are} not judged: a value that is compared is unknown"
            ));
        }
        if self.unsearched > 0 {
            notes.push(format!(
                "the code of {} was not searched completely",
                plural(self.unsearched, "kernel")
            ));
        }
        if self.left_out > 0 {
            notes.push(format!(
                "{} more not listed",
                plural(self.left_out, "instruction")
            ));
        }
        notes
    }
}

struct FoundList {
    kernels: KernelList,
    found: Vec<FoundKernel>,
    /// The kernels and instructions of the rows, if each instruction is one.
    rows: Option<Vec<(u32, FoundInstruction)>>,
    is_sequence: bool,
    is_of_several: bool,
    notes: Vec<String>,
    /// The most recent listing: rows are written in order.
    last: RefCell<Option<(u32, Rc<dyn Listing>)>>,
}

impl FoundList {
    fn none(each: bool) -> FoundList {
        FoundList {
            kernels: kernels_found(&[], false, None),
            found: Vec::new(),
            rows: each.then(Vec::new),
            is_sequence: false,
            is_of_several: false,
            notes: Vec::new(),
            last: RefCell::default(),
        }
    }

    fn new(search: &CodeSearch, found: Vec<FoundKernel>, names: Around) -> FoundList {
        let is_of_several = search.is_of_several();
        let rows = search.is_each().then(|| {
            let all = found.iter().zip(0..);
            let all = all.flat_map(|(kernel, at)| {
                kernel
                    .instructions
                    .iter()
                    .map(move |instruction| (at, *instruction))
            });
            all.collect()
        });
        FoundList {
            kernels: kernels_found(&found, is_of_several, names.or(search.names())),
            found,
            rows,
            is_sequence: search.is_sequence(),
            is_of_several,
            notes: search.totals().notes(),
            last: RefCell::default(),
        }
    }

    fn place(&self, row: u32) -> Option<(u32, FoundInstruction)> {
        let at = usize::try_from(row).ok()?;
        match &self.rows {
            Some(rows) => rows.get(at).copied(),
            None => self.found.get(at).map(|kernel| (row, kernel.first)),
        }
    }

    fn kernel(&self, kernel: u32) -> Option<&FoundKernel> {
        self.found.get(usize::try_from(kernel).ok()?)
    }

    fn of_kernel<'a>(&'a self, kernel: u32, id: &str, sources: &Sources) -> Cell<'a> {
        let columns = super::kernels::COLUMNS.iter();
        let at = columns.zip(0..).find(|(column, _)| column.id == id);
        at.map_or_else(Cell::empty, |(_, at)| {
            self.kernels.cell(kernel, at, sources)
        })
    }

    /// Returns the offset of an instruction in its section.
    fn offset(&self, kernel: u32, at: FoundInstruction) -> u64 {
        let provider = self.kernel(kernel).and_then(FoundKernel::provider);
        let code = provider.and_then(|(kernels, name)| kernels.code(name));
        at.span.start.saturating_sub(code.unwrap_or_default().start)
    }

    fn of_line(
        &self,
        kernel: u32,
        at: FoundInstruction,
        sources: &Sources,
        make: impl FnOnce(&Line) -> Cell<'static>,
    ) -> Cell<'static> {
        let line = self.listing(kernel, sources);
        let line = line.and_then(|listing| listing.line(at.row, sources));
        line.map_or_else(Cell::empty, |line| make(&line))
            .at(Some(at.span))
    }

    fn listing(&self, kernel: u32, sources: &Sources) -> Option<Rc<dyn Listing>> {
        if let Some((of, listing)) = &*self.last.borrow()
            && *of == kernel
        {
            return Some(Rc::clone(listing));
        }
        let (kernels, name) = self.kernel(kernel)?.provider()?;
        let listing = kernels.listing(name, sources)?;
        *self.last.borrow_mut() = Some((kernel, Rc::clone(&listing)));
        Some(listing)
    }
}

impl List for FoundList {
    fn id(&self) -> ListId {
        ListId::Found
    }

    fn count(&self) -> u32 {
        let rows = self.rows.as_ref().map_or(self.found.len(), Vec::len);
        u32::try_from(rows).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.place(row)) {
            (Some(cell), Some((kernel, at))) => cell((self, kernel, at), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.place(row).map(|(_, at)| at.span)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let mut rows = 0..self.count();
        let row = rows.find(|row| {
            self.place(*row)
                .is_some_and(|(_, at)| at.span.contains(span))
        })?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> RowDetails {
        let title = self.place(row).map(|(kernel, _)| {
            self.of_kernel(kernel, "short_name", sources)
                .value
                .text()
                .into_owned()
        });
        RowDetails {
            title: title.unwrap_or_default(),
            ..RowDetails::default()
        }
    }

    fn shows(&self, column: &Column) -> bool {
        match (column.id, column.presence) {
            ("match" | "step", _) => self.is_sequence && self.rows.is_some(),
            ("package_file", _) => self.found.iter().any(FoundKernel::is_in_package),
            ("member", _) => self.kernels.needs_members(),
            ("found", _) => self.rows.is_none(),
            (_, presence) => presence.is_shown(self.is_of_several),
        }
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn as_kernels(&self) -> Option<&dyn KernelRows> {
        Some(self)
    }
}

impl KernelRows for FoundList {
    fn is_of_several(&self) -> bool {
        self.is_of_several
    }

    fn names(&self) -> Option<u32> {
        None
    }

    fn kernel(&self, row: u32) -> Option<(Rc<dyn Kernels>, usize)> {
        let (kernel, _) = self.place(row)?;
        KernelRows::kernel(&self.kernels, kernel)
    }

    fn is_native(&self, _: u32) -> bool {
        true
    }

    fn path(&self, row: u32) -> &str {
        let place = self.place(row);
        place.map_or("", |(kernel, _)| self.kernels.path(kernel))
    }
}
