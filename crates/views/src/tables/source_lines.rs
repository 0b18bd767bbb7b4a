//! The source lines of code: a row for each range of code.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::lines::LINE_SHOWN;
use super::query::Query;
use super::symbols::link;
use super::{
    Annotation, Button, Cell, CellValue, Declaration, Detail, Details, List, ListId, RowDetails,
    Tab, Words, columns,
};
use zeview_analysis::line_costs::{SourceFigures, row_costs};
use zeview_core::analysis::assembly::Assembly;
use zeview_core::analysis::figure::Unknown;
use zeview_core::analysis::inlining::SourceFrame;
use zeview_core::analysis::source_lines::{
    LineRow, LineTable, SourceFile, SourceLines, SourceTexts,
};
use zeview_core::model::{Document, NodeId, Sources, Span, Tone};

type RowRef<'a> = (&'a SourceLineList, &'a LineRow);

columns! {
    /// The columns.
    pub COLUMNS
    "source_file" Text Default 14 "File" "" "The source file, without directories."
        |(list, row), _| list.table.file(row).map_or_else(Cell::empty, |file| Cell::text(&*file.name));
    "line" Number Default 0 "Line" "" "The line in the source file."
        |(_, row), _| Cell::count(row.line.into()).at(Some(row.entry));
    "column" Number Default 0 "Col" "" "The column in the line; empty if the table does not have it."
        |(_, row), _| match row.column {
            0 => Cell::empty(),
            column => Cell::count(column.into()).at(Some(row.entry)),
        };
    "function" Text Default 16 "Function" "" "The function that the line is of, demangled; several if calls of different functions share the code."
        |(list, row), _| list.chains(row, |frames| frames.first().map(|frame| frame.function.clone()));
    "inlined" Text Default 20 "Inlined at" "" "The calls through which the function was inlined, the innermost first: the line of each call, and the function that it is in. Empty if the function has code of its own."
        |(list, row), _| list.chains(row, inlined_at);
    "text" Text Default 30 "Source" "" "The text of the line, from a source file that was added; tabs are four spaces."
        |(list, row), _| list.text(row);
    "offset" Number Default 8 "Offset" "in section" "The first byte of the code in its section."
        |(list, row), _| Cell::new(CellValue::Hex(row.offset)).at(list.table.code(row));
    "size" Number Default 0 "Size" "B" "The bytes of the code."
        |(list, row), _| Cell::count(row.len).at(list.table.code(row));
    "instructions" Number Default 5 "Instr." "" "The instructions of the code."
        |(list, row), sources| {
            let code = list.table.code(row);
            let count = code.and_then(|code| list.lines.instructions(code, sources));
            count.map_or_else(Cell::empty, |count| Cell::count(count).at(code))
        };
    "cycles" Number Counted 7 "Cycles" "" "Cycles to issue the instructions of the code once, and that they wait: one thread alone, as the compiler's scheduler assumes."
        |(list, row), sources| list.costs(row, sources, |costs| costs.cycles);
    "waits" Number Counted 5 "Waits" "" "The instructions of the code that wait for others."
        |(list, row), sources| list.costs(row, sources, |costs| Some(costs.waits.into()));
    "live" Number Counted 5 "Live" "registers" "The maximum number of general registers that are live before an instruction of the code."
        |(list, row), sources| list.costs(row, sources, |costs| costs.peak_live_registers.map(u64::from));
    "spills" Number Counted 5 "Spills" "" "The messages of the code that write scratch memory."
        |(list, row), sources| list.costs(row, sources, |costs| Some(costs.spills.into()));
    "fills" Number Counted 5 "Fills" "" "The messages of the code that read scratch memory."
        |(list, row), sources| list.costs(row, sources, |costs| Some(costs.fills.into()));
    "section" Text Default 16 "Section" "" "The section of the code; empty if no symbol names it."
        |(list, row), _| match list.table.section(row) {
            Some(section) => Cell::text(&*section.name).at(Some(section.bytes)),
            None => Cell::empty(),
        };
    "kernel" Text Optional 18 "Kernel" "" "The kernel whose code it is."
        |(list, row), _| match list.table.section(row).and_then(|section| section.kernel.as_ref()) {
            Some((name, entry)) => Cell::text(&**name).at(Some(*entry)),
            None => Cell::empty(),
        };
    "directory" Text Optional 24 "Directory" "" "The directory of the source file."
        |(list, row), _| list.table.file(row).map_or_else(Cell::empty, |file| Cell::text(&*file.directory));
}

/// Formats the calls through which a function was inlined: `k.cl:9 in step`.
pub(super) fn inlined_at(frames: &[SourceFrame]) -> Option<String> {
    let callers = frames
        .get(1..)
        .filter(|callers| !callers.is_empty())?
        .iter();
    let texts = callers.map(|frame| format!("{} in {}", frame.place(), frame.function));
    Some(texts.collect::<Vec<_>>().join(", "))
}

/// The source lines of a document.
pub(super) struct SourceLineList {
    lines: Rc<SourceLines>,
    pub(super) table: Rc<LineTable>,
    texts: SourceTexts,
    /// The instructions, for the figures of their data flow.
    assembly: Option<Rc<dyn Assembly>>,
    /// The added file for each file of the table, with a warning if it may be the wrong one.
    added: HashMap<SourceFile, (String, Option<Annotation>)>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab {
        has_bytes: false,
        ..Tab::of_file("source-lines", "Source lines", |file| file.any.lines)
    }),
    details: Details::Shown,
    stays: true,
    button: Some(Button::AddSources),
    ..Declaration::table(
        ListId::SourceLines,
        "source-lines",
        || COLUMNS,
        Words {
            title: "Source lines",
            one: "row",
            many: "rows",
            hint: "File, text, or line=12",
            none: "The line tables have no rows for the code.",
        },
    )
};

/// Whether a document has line tables.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.source_lines(id).is_some()
}

/// Reads the line tables of a document.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    let lines = document.source_lines(id)?;
    let texts = document.source_texts();
    let assembly = document.assembly(id);
    Some(Rc::new(list(lines, texts, assembly, &document.sources)))
}

/// Returns the list of the lines, with the texts of the added files.
pub(super) fn list(
    lines: Rc<SourceLines>,
    texts: SourceTexts,
    assembly: Option<Rc<dyn Assembly>>,
    sources: &Sources,
) -> SourceLineList {
    let table = lines.table(sources);
    let mut added = HashMap::new();
    for name in texts.keys() {
        let files: Vec<&SourceFile> = table.files_for(name).collect();
        let directories: Vec<&str> = files.iter().map(|file| &*file.directory).collect();
        let doc = match files.as_slice() {
            [file] if file.is_named => None,
            [file] => Some(format!(
                "{} has no name in the line table: this is {name}.",
                file.name
            )),
            _ => Some(format!(
                "{} files have this name: in {}. The text may be that of another one.",
                files.len(),
                directories.join(", ")
            )),
        };
        let word = if files.len() > 1 {
            "ambiguous"
        } else {
            "assumed"
        };
        let mark = doc.map(|doc| Annotation {
            tone: if files.len() > 1 {
                Tone::Warning
            } else {
                Tone::Plain
            },
            text: word.into(),
            doc: doc.into(),
        });
        for file in files {
            added.insert(file.clone(), (name.clone(), mark.clone()));
        }
    }
    SourceLineList {
        added,
        table,
        lines,
        texts,
        assembly,
    }
}

impl SourceLineList {
    fn row(&self, row: u32) -> Option<&LineRow> {
        self.table.rows.get(usize::try_from(row).ok()?)
    }

    /// Returns the text of a row's line, if its file was added.
    pub(super) fn text(&self, row: &LineRow) -> Cell<'_> {
        let Some(file) = self.table.file(row) else {
            return Cell::empty();
        };
        let Some((name, mark)) = self.added.get(file) else {
            return Cell::empty();
        };
        let lines = self.texts.get(name).map_or(&[][..], Vec::as_slice);
        let place = usize::try_from(row.line).unwrap_or(usize::MAX);
        let line = place.checked_sub(1).and_then(|place| lines.get(place));
        let Some(line) = line else {
            let doc = format!("{name} has {} lines.", lines.len());
            return Cell::empty().mark(Tone::Warning, "no such line", doc);
        };
        let most = usize::try_from(LINE_SHOWN).unwrap_or(usize::MAX);
        let end = line
            .char_indices()
            .nth(most)
            .map_or(line.len(), |(at, _)| at);
        let shown = line.get(..end).unwrap_or(line);
        let mut cell = Cell::text(shown.replace('\t', "    "));
        cell.marks.extend(mark.clone());
        cell
    }

    /// Returns a figure of the data flow of a row's code.
    fn costs(
        &self,
        row: &LineRow,
        sources: &Sources,
        figure: impl FnOnce(&SourceFigures) -> Option<u64>,
    ) -> Cell<'static> {
        let find = || {
            let section = self.table.section(row)?.bytes;
            let listing = self.assembly.as_ref()?.listing(section, None, sources);
            let flow = listing.ok()?.data_flow(sources)?;
            row_costs(&*flow, row)
        };
        find().map_or_else(Cell::empty, |costs| {
            Cell::figure(figure(&costs).ok_or(Unknown::TooMuchWork))
        })
    }

    /// Formats the chains of inlined calls of a row's code, each once.
    fn chains(
        &self,
        row: &LineRow,
        format: impl Fn(&[SourceFrame]) -> Option<String>,
    ) -> Cell<'static> {
        let Some(section) = self.table.section(row) else {
            return Cell::empty();
        };
        let mut texts: Vec<String> = Vec::new();
        let mut entry = None;
        for offset in self.table.scope_starts(section.bytes, row) {
            let frames = self.table.frames_at(section.bytes, offset);
            let text = format(&frames).filter(|text| !text.is_empty());
            texts.extend(text.filter(|text| !texts.contains(text)));
            let scope = self.table.scope_at(section.bytes, offset);
            entry = entry.or_else(|| Some(self.table.scope(scope?)?.entry));
        }
        if texts.is_empty() {
            return Cell::empty();
        }
        Cell::text(texts.join("; ")).at(entry)
    }

    /// Returns the rows with the same file and line.
    fn same<'a>(&'a self, row: &'a LineRow) -> impl Iterator<Item = &'a LineRow> {
        let rows = self.table.rows.iter();
        rows.filter(|other| (other.file, other.line) == (row.file, row.line))
    }
}

impl List for SourceLineList {
    fn id(&self) -> ListId {
        ListId::SourceLines
    }

    fn count(&self) -> u32 {
        u32::try_from(self.table.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(row)) => cell((self, row), sources),
            _ => Cell::empty(),
        }
    }

    /// The code, or the bytes of the line table if the section of the code is unknown.
    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        let row = self.row(row)?;
        Some(self.table.code(row).unwrap_or(row.entry))
    }

    /// Matches the code, or the bytes of the line table.
    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let rows = (0..).zip(&self.table.rows);
        let found = rows.filter_map(|(at, row)| {
            let is_in = |bytes: Span| bytes.contains(span) && !bytes.is_empty();
            match self.table.code(row).filter(|code| is_in(*code)) {
                Some(code) => Some((false, code.len(), at)),
                None => is_in(row.entry).then_some((true, row.entry.len(), at)),
            }
        });
        let (_, _, row) = found.min()?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let Some(row) = self.row(row) else {
            return RowDetails::default();
        };
        let name = self.table.file(row).map_or("", |file| &file.name);
        let mut links = Vec::new();
        if let Some(section) = self.table.section(row) {
            let place = format!("{} + {:#x}", section.name, row.offset);
            link(&mut links, "code", &place, self.table.code(row));
            if let Some((name, entry)) = &section.kernel {
                link(&mut links, "kernel", name, Some(*entry));
            }
        }
        link(&mut links, "line table", "row", Some(row.entry));
        let (mut ranges, mut bytes) = (0u64, 0u64);
        for row in self.same(row) {
            ranges += 1;
            bytes = bytes.saturating_add(row.len);
        }
        // Queries cannot express a name with a quotation mark.
        let query = if name.contains('"') {
            format!("line={}", row.line)
        } else {
            format!("source_file=\"{name}\" line={}", row.line)
        };
        RowDetails {
            title: format!("{name}, line {}", row.line),
            links,
            detail: Detail::Line {
                ranges,
                bytes,
                query,
            },
        }
    }

    fn notes(&self) -> Vec<String> {
        super::left_out(self.table.left_out)
    }
}
