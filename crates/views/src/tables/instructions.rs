//! The instructions of a section of code: a row for each.

use std::ops::Range;
use std::rc::Rc;

use super::query::{Order, Query};
use super::source_lines::SourceLineList;
use super::symbols::link;
use super::{
    Cell, CellValue, CodeList, CodeRow, CodeWord, Column, Declaration, Detail, Details, Drawing,
    Fit, InstructionDetail, List, ListId, Opens, Presence, RelatedInstruction, Relation,
    RowDetails, Scope, Shape, Tab, Words, columns, source_lines,
};
use zeview_analysis::profile::{InstructionCounts, added_profile, total};
use zeview_core::analysis::assembly::{Line, Listing, TextPart};
use zeview_core::analysis::data_flow::{Flows, OperandRegisters};
use zeview_core::analysis::figure::Unknown;
use zeview_core::analysis::inlining::SourceFrame;
use zeview_core::analysis::linkage::{AddressPart, Relocation, Tables};
use zeview_core::analysis::source_lines::{CodeSection, LineRow};
use zeview_core::model::{Document, NodeId, Sources, Span, Str, Tone, Xref, sort};

type RowRef<'a> = (&'a InstructionList, u32);

columns! {
    /// The columns.
    pub COLUMNS
    "offset" Number Default 7 "Offset" "" "The first byte of the instruction in its section."
        |(list, row), sources| match list.listing.span(row, sources) {
            Some(span) => Cell::new(CellValue::Hex(span.start - list.section.bytes.start)).at(Some(span)),
            None => Cell::empty(),
        };
    "source" Text Filled 16 "Line" "" "The source file and line."
        |(list, row), sources| list.source(row, sources);
    "source_text" Text Filled 28 "Source" "" "The text of the line, from a source file that was added; tabs are four spaces."
        |(list, row), sources| match (&list.lines, list.line_of(row, sources)) {
            (Some(lines), Some(line)) if list.is_first_of_line(row, sources) => lines.text(line),
            _ => Cell::empty(),
        };
    "label" Text Optional 11 "Label" "" "The label of a basic block (its offset), and annotations of the instruction."
        |(list, row), sources| list.of_line(row, sources, |line| Cell {
            marks: line.marks.clone(),
            ..Cell::text(line.label.clone())
        });
    "text" Text Default 112 "Instruction" "" "The instruction, as the Intel Graphics Assembler writes it; the symbols whose addresses the driver patches in."
        |(list, row), sources| {
            let cell = list.of_line(row, sources, |line| {
                Cell::text(line.text.clone()).mark(Tone::Plain, line.operation.clone(), line.meaning.clone())
            });
            list.relocations_of(row, sources).fold(cell, |cell, relocation| {
                let (name, doc) = list.patch(relocation);
                cell.mark(Tone::Plain, name, doc)
            })
        };
    "waits" Text Default 12 "Scoreboard" "" "The scoreboard options: pipe@distance, $token."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.waits.clone()));
    "comment" Text Default 36 "Message" "" "The meaning of a message: its operation, and the registers that it sends and receives."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.comment.clone()));
    "symbol" Text Optional 18 "Patched with" "" "The symbol whose address the driver patches into the instruction."
        |(list, row), sources| list.relocations_of(row, sources).next().map_or_else(Cell::empty, |relocation| {
            Cell::text(list.patch(relocation).0).at(Some(relocation.entry))
        });
    "inputs" Words Optional 28 "Inputs" "" "The values from outside of the kernel that the instruction uses: arguments, ids, surfaces, patched addresses."
        |(list, row), sources| list.of_flow(row, sources, |flow| {
            let Some(inputs) = flow.inputs(row) else {
                return Cell::figure(Err(Unknown::TooMuchWork));
            };
            let span = inputs.first().and_then(|input| input.span);
            let mut names: Vec<String> = Vec::new();
            for input in inputs {
                if !names.contains(&input.name) {
                    names.push(input.name);
                }
            }
            Cell::words(names.into_iter()).at(span)
        });
    "operation" Text Optional 10 "Operation" "" "The operation."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.operation.clone()));
    "mnemonic" Text Optional 10 "Mnemonic" "" "The operation without its subfunction: `send` for `send.ugm`."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.mnemonic));
    "message" Text Optional 14 "Message kind" "" "The operation of a message and what it is sent to: `load.ugm`; `by register` if a register has its descriptor."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.message_name.clone()));
    "loop" Number Optional 5 "Loop" "depth" "The number of loops around the instruction: 0 outside of loops."
        |(list, row), sources| list.loops_around(row, sources).map_or_else(Cell::empty, |depth| Cell::count(depth.into()));
    "kind" Text Optional 10 "Kind" "" "The kind of instruction; for arithmetic, the type of the result."
        |(list, row), sources| list.of_line(row, sources, |line| Cell::text(line.kind));
    "target" Number Optional 7 "Target" "in section" "The jump target."
        |(list, row), sources| list.of_line(row, sources, |line| {
            let target = line.targets.first().and_then(|target| u64::try_from(*target).ok());
            target.map_or_else(Cell::empty, |target| {
                Cell::new(CellValue::Hex(target)).at(list.at(target, sources))
            })
        });
    "marks" Words Optional 12 "Marks" "" "Annotations: spill, fill, atomic, barrier, sampler, dpas, EOT, illegal."
        |(list, row), sources| list.of_line(row, sources, |line| {
            Cell::words(line.marks.iter().map(|mark| mark.text.to_string()))
        });
    "samples" Number Optional 7 "Samples" "" "Samples of the profile that was added: how often a thread was at the instruction."
        |(list, row), _| list.samples_of(row);
    "executions" Number Optional 9 "Executions" "" "Times that threads executed the instruction, counted by GTPin."
        |(list, row), _| list.counted(row, |at| Cell::count(at.executions));
    "lanes" Number Optional 7 "Lanes" "per execution" "SIMD lanes that were enabled on average, counted by GTPin."
        |(list, row), _| list.counted(row, |at| {
            at.mean_lanes().map_or_else(Cell::empty, |lanes| Cell::new(CellValue::Real(lanes)))
        });
    "cache_lines" Number Optional 9 "Cache lines" "" "Cache lines that the message accessed in all executions, counted by GTPin."
        |(list, row), _| list.counted(row, |at| {
            at.access.as_ref().map_or_else(Cell::empty, |access| Cell::count(access.cache_lines))
        });
    "live" Number Optional 7 "Live" "registers" "General registers with a byte that is read later, before the instruction, including the values of channels that wait while others run."
        |(list, row), sources| list.of_flow(row, sources, |flow| {
            let live = flow.live(row).map(|live| live.registers.into());
            Cell::figure(live.ok_or(Unknown::TooMuchWork))
        });
    "live_iga" Number Optional 7 "Live (IGA)" "registers" "The same without the values of channels that wait while others run, as the Intel Graphics Assembler counts."
        |(list, row), sources| list.of_flow(row, sources, |flow| {
            let live = flow.live_iga(row).map(|live| live.registers.into());
            Cell::figure(live.ok_or(Unknown::TooMuchWork))
        });
    "reads" Words Optional 14 "Reads" "" "The registers that it reads, each by its number."
        |(list, row), sources| list.of_flow(row, sources, |flow| registers(flow, row, |operand| !operand.writes));
    "writes" Words Optional 14 "Writes" "" "The registers that it writes, each by its number."
        |(list, row), sources| list.of_flow(row, sources, |flow| registers(flow, row, |operand| operand.writes));
    "reg" Words Optional 14 "Registers" "" "The registers that it reads or writes, each by its number."
        |(list, row), sources| list.of_flow(row, sources, |flow| registers(flow, row, |_| true));
    "latency" Number Optional 7 "Latency" "cycles" "Cycles until its result is there, as the compiler's scheduler assumes."
        |(list, row), sources| list.of_flow(row, sources, |flow| {
            flow.instruction(row).map_or_else(Cell::empty, |of| Cell::count(of.latency.into()))
        });
    "occupancy" Number Optional 7 "Issue" "cycles" "Cycles that its issue takes, as the compiler's scheduler assumes."
        |(list, row), sources| list.of_flow(row, sources, |flow| {
            flow.instruction(row).map_or_else(Cell::empty, |of| Cell::count(of.occupancy.into()))
        });
    "function" Text Optional 16 "Function" "" "The function of the source that the instruction is of, demangled: one that is inlined here, or the one that has the code."
        |(list, row), sources| match list.frames(row, sources).into_iter().next() {
            Some(frame) => Cell::text(frame.function),
            None => Cell::empty(),
        };
    "inlined" Text Optional 20 "Inlined at" "" "The calls through which that function was inlined, the innermost first: the line of each call, and the function that it is in."
        |(list, row), sources| source_lines::inlined_at(&list.frames(row, sources)).map_or_else(Cell::empty, Cell::text);
    "size" Number Optional 4 "Size" "B" "The bytes of the instruction: 16, or 8 if it is compacted."
        |(list, row), sources| list.listing.span(row, sources).map_or_else(Cell::empty, |span| Cell::count(span.len()).at(Some(span)));
    "bytes" Bytes Optional 48 "Bytes" "" "The bytes of the instruction."
        |(list, row), sources| {
            let span = list.listing.span(row, sources);
            let bytes = span.and_then(|span| sources.read(span).ok());
            bytes.map_or_else(Cell::empty, |bytes| Cell::new(CellValue::Bytes(bytes.to_vec())).at(span))
        };
}

/// Maximum number of producers, of consumers and of instructions that are waited for, among the links of
/// an instruction.
const FLOW_LINKS: usize = 12;

/// The registers of some of an instruction's operands, without repetition.
fn registers(
    flow: &dyn Flows,
    row: u32,
    is_wanted: impl Fn(&OperandRegisters) -> bool,
) -> Cell<'static> {
    let operands = flow.operands(row);
    let operands = operands.iter().filter(|operand| is_wanted(operand));
    let mut names: Vec<String> = Vec::new();
    for (file, number) in operands.flat_map(|operand| &operand.registers) {
        let name = format!("{file}{number}");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Cell::words(names.into_iter())
}

/// Maximum number of instructions whose texts are measured for the width of their column.
const MEASURED: u32 = 1024;

/// Maximum number of displayed relocations per instruction; compilers write one or two.
const PATCHES_SHOWN: usize = 8;

/// Formats rows of a listing in assembler syntax, with their labels: those at the positions `first`
/// to `last`.
///
/// # Errors
///
/// A message, if they would be longer than about `limit` bytes.
pub fn assembly(
    list: &dyn List,
    order: &Order,
    (first, last): (u64, u64),
    sources: &Sources,
    limit: usize,
) -> Result<String, String> {
    let place = |id: &str| COLUMNS.iter().position(|column| column.id == id);
    let cell = |row: u32, id: &str| match place(id) {
        Some(place) => list.cell(row, place, sources).value.text().into_owned(),
        None => String::new(),
    };
    let mut out = String::new();
    for row in order.from(first, last.saturating_sub(first).saturating_add(1)) {
        let (label, comment) = (cell(row, "label"), cell(row, "comment"));
        if !label.is_empty() {
            out.push_str(&label);
            out.push_str(":\n");
        }
        out.push_str(&cell(row, "text"));
        if !comment.is_empty() {
            out.push_str(" // ");
            out.push_str(&comment);
        }
        out.push('\n');
        if out.len() > limit {
            return Err("These instructions are too long to copy. Select fewer.".to_owned());
        }
    }
    Ok(out)
}

struct InstructionList {
    section: CodeSection,
    listing: Rc<dyn Listing>,
    lines: Option<SourceLineList>,
    tables: Option<Rc<Tables>>,
    /// The indices of the relocations that patch the section, by their patched bytes.
    patches: Vec<(Span, usize)>,
    has_texts: bool,
    /// The instructions with samples, and their number.
    samples: Vec<(u32, u64)>,
    /// The instructions whose executions were counted.
    counts: Vec<InstructionCounts>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Code,
    shape: Shape::Code,
    drawing: Some(Drawing::Blocks),
    tab: Some(Tab {
        in_images: true,
        ..Tab::of_code("assembly", "Assembly", |file| file.any.code)
    }),
    opens: Opens::Fold,
    details: Details::Shown,
    fit: Some(Fit {
        columns: &["label", "text"],
        least: 5,
        most: 240,
    }),
    ..Declaration::table(
        ListId::Instructions,
        "instructions",
        || COLUMNS,
        Words {
            title: "Assembly",
            one: "instruction",
            many: "instructions",
            hint: "Filter: r37, dpas, marks=spill",
            none: "No instructions.",
        },
    )
};

/// Whether a document has code.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.assembly(id).is_some()
}

/// Reads the instructions of a section of code (by default the first), in an encoding.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let sources = &document.sources;
    let listing = document.listing(id, query.of, query.encoding().map(|name| &**name))?;
    let sections = document.assembly(id)?.sections();
    let mut sections = sections.iter();
    let section = sections
        .find(|section| section.bytes == listing.code())?
        .clone();
    let lines = document.source_lines(id).map(|lines| {
        let texts = document.source_texts();
        source_lines::list(lines, texts, document.assembly(id), sources)
    });
    let tables = document.linkage(id).map(|linkage| linkage.tables(sources));
    let relocations = tables.iter().flat_map(|tables| tables.relocations.iter());
    let patches = relocations.enumerate().filter_map(|(at, relocation)| {
        let patched = relocation.patched.filter(|patched| !patched.is_empty())?;
        section.bytes.contains(patched).then_some((patched, at))
    });
    let mut patches: Vec<_> = patches.collect();
    sort::ascending(&mut patches);
    let samples = added_profile(document).map(|profile| {
        let samples = profile.on_code(section.bytes);
        let samples = samples.iter().map(|at| (at.row, total(&at.counts)));
        samples.collect()
    });
    let samples = samples.unwrap_or_default();
    let counts = added_profile(document).map(|profile| profile.counts_on_code(section.bytes));
    Some(Rc::new(InstructionList {
        section,
        listing,
        lines,
        tables,
        patches,
        has_texts: !document.source_texts().is_empty(),
        samples,
        counts: counts.unwrap_or_default(),
    }))
}

impl InstructionList {
    fn of_line(
        &self,
        row: u32,
        sources: &Sources,
        make: impl FnOnce(&Line) -> Cell<'static>,
    ) -> Cell<'static> {
        let line = self.listing.line(row, sources);
        line.map_or_else(Cell::empty, |line| make(&line))
    }

    fn of_flow(
        &self,
        row: u32,
        sources: &Sources,
        make: impl FnOnce(&dyn Flows) -> Cell<'static>,
    ) -> Cell<'static> {
        let flow = self.listing.data_flow(sources);
        let flow = flow.filter(|flow| flow.pc(row).is_some());
        flow.map_or_else(Cell::empty, |flow| make(&*flow))
    }

    /// Returns the number of loops around an instruction. Returns `None` if it is unknown: beyond the
    /// maximum number of blocks, or without an encoding.
    fn loops_around(&self, row: u32, sources: &Sources) -> Option<u32> {
        let span = self.listing.span(row, sources)?;
        let blocks = self.listing.blocks(sources);
        let at = usize::try_from(blocks.at(span.start)?).ok()?;
        Some(blocks.blocks.get(at)?.depth)
    }

    /// Returns a cell of an instruction whose executions were counted.
    fn counted(
        &self,
        row: u32,
        cell: impl FnOnce(&InstructionCounts) -> Cell<'static>,
    ) -> Cell<'static> {
        let at = self.counts.binary_search_by_key(&row, |at| at.row);
        let found = at.ok().and_then(|at| self.counts.get(at));
        found.map_or_else(Cell::empty, cell)
    }

    /// Returns the functions that an instruction is of, the innermost first.
    fn frames(&self, row: u32, sources: &Sources) -> Vec<SourceFrame> {
        let (Some(lines), Some(span)) = (&self.lines, self.listing.span(row, sources)) else {
            return Vec::new();
        };
        let code = self.section.bytes;
        let offset = span.start.saturating_sub(code.start);
        lines.table.frames_at(code, offset)
    }

    /// Returns the number of samples of an instruction.
    fn samples_of(&self, row: u32) -> Cell<'static> {
        let at = self.samples.binary_search_by_key(&row, |(row, _)| *row);
        let found = at.ok().and_then(|at| self.samples.get(at));
        found.map_or_else(Cell::empty, |(_, samples)| Cell::count(*samples))
    }

    /// Adds links to the instructions that an instruction gets values from, waits for, and gives
    /// values to. Returns these instructions.
    fn add_flow(
        &self,
        row: u32,
        sources: &Sources,
        links: &mut Vec<Xref>,
    ) -> Vec<RelatedInstruction> {
        let mut related = Vec::new();
        let Some(flow) = self.listing.data_flow(sources) else {
            return related;
        };
        let Some(of) = flow.instruction(row) else {
            return related;
        };
        if let Some(limit) = &of.limit {
            link(links, "incomplete", limit, self.listing.span(row, sources));
        }
        for input in flow.inputs(row).iter().flatten().take(FLOW_LINKS) {
            link(links, "input", &input.text, input.span);
        }
        let mut add = |relation, cause: String, reason: &str, to: Option<Span>| {
            let Some(to) = to else { return };
            let start = to.start - self.section.bytes.start;
            let (why, text) = match relation {
                Relation::Producer => ("value from", format!("{cause} at +{start:#x}")),
                Relation::Waited => ("waits for", format!("{cause} at +{start:#x} ({reason})")),
                Relation::Consumer => ("used by", format!("{cause} at +{start:#x}")),
            };
            link(links, why, &text, Some(to));
            related.push(RelatedInstruction {
                relation,
                to,
                cause,
            });
        };
        let at = |pc: Option<u32>| self.at(pc?.into(), sources);
        for producer in of.defs.iter().take(FLOW_LINKS) {
            let bytes = producer.bytes.join(" ");
            add(Relation::Producer, bytes, "", at(producer.pc));
        }
        for wait in of.waits.iter().take(FLOW_LINKS) {
            let reason = match wait.bytes.as_slice() {
                [] => "no data in common".to_owned(),
                bytes => bytes.join(" "),
            };
            add(Relation::Waited, wait.on.clone(), &reason, at(wait.pc));
        }
        let uses = flow.uses(row).unwrap_or_default();
        let pc = flow.pc(row);
        for consumer in uses.into_iter().take(FLOW_LINKS) {
            let to = self.listing.span(consumer, sources);
            let defs = flow.instruction(consumer).map(|of| of.defs);
            let from_here = defs.into_iter().flatten().filter(|def| def.pc == pc);
            let bytes: Vec<String> = from_here.flat_map(|def| def.bytes).collect();
            add(Relation::Consumer, bytes.join(" "), "", to);
        }
        related
    }

    /// Returns the roles of the operands with registers, and the first register of each.
    fn registers(&self, row: u32, sources: &Sources) -> Vec<(Str, String)> {
        let flow = self.listing.data_flow(sources);
        let operands = flow.map_or_else(Vec::new, |flow| flow.operands(row));
        let first = operands.into_iter().filter_map(|operand| {
            let (file, number) = operand.registers.first()?;
            Some((operand.operand.into(), format!("{file}{number}")))
        });
        first.collect()
    }

    /// Returns the instruction at an offset of the section.
    fn at(&self, offset: u64, sources: &Sources) -> Option<Span> {
        let code = self.section.bytes;
        let at = Some(offset).filter(|offset| *offset < code.len())?;
        let row = self.listing.row_at(code.start + at, sources)?;
        self.listing.span(row, sources)
    }

    /// Returns the row of the line table for an instruction.
    fn line_of(&self, row: u32, sources: &Sources) -> Option<&LineRow> {
        let span = self.listing.span(row, sources)?;
        let offset = span.start - self.section.bytes.start;
        let lines = self.lines.as_ref()?;
        lines.table.row_at(self.section.bytes, offset)
    }

    /// Whether it is the first instruction of its line, or of a later part of the line.
    fn is_first_of_line(&self, row: u32, sources: &Sources) -> bool {
        let place = |line: &LineRow| (line.file, line.line);
        let before = row
            .checked_sub(1)
            .and_then(|row| self.line_of(row, sources));
        self.line_of(row, sources).map(place) != before.map(place)
    }

    /// The length that 99 % of the instructions do not exceed, in characters; of long code, 99 % of
    /// [`MEASURED`] instructions in all parts of it.
    fn usual_length(&self, length: fn(&CodeRow) -> u32, sources: &Sources) -> u32 {
        let count = self.listing.count();
        let step = count.div_ceil(MEASURED).max(1);
        let rows = (0..count).step_by(step as usize);
        let rows = rows.filter_map(|row| self.code_row(row, sources));
        let mut lengths: Vec<u32> = rows.map(|row| length(&row)).collect();
        sort::ascending(&mut lengths);
        let at = lengths.len().saturating_sub(1) * 99 / 100;
        lengths.get(at).copied().unwrap_or(0)
    }

    fn source(&self, row: u32, sources: &Sources) -> Cell<'static> {
        let Some(line) = self.line_of(row, sources) else {
            return Cell::empty();
        };
        let place = self.lines.as_ref().map(|lines| lines.table.place(line));
        Cell::text(place.unwrap_or_default()).at(Some(line.entry))
    }

    /// Returns the first relocations that patch an instruction.
    fn relocations_of(&self, row: u32, sources: &Sources) -> impl Iterator<Item = &Relocation> {
        let span = self.listing.span(row, sources).unwrap_or_default();
        let first = self
            .patches
            .partition_point(|(patched, _)| patched.end <= span.start);
        let here = self.patches.iter().skip(first);
        let here = here.take_while(move |(patched, _)| patched.start < span.end);
        let all = self.tables.as_ref().map(|tables| &tables.relocations);
        here.take(PATCHES_SHOWN)
            .filter_map(move |(_, at)| all?.get(*at))
    }

    /// Returns the name of the symbol whose address is written, and an explanation.
    fn patch(&self, relocation: &Relocation) -> (String, String) {
        let tables = self.tables.as_ref();
        let symbol = tables.and_then(|tables| tables.symbol_of(relocation));
        let kind = &relocation.kind;
        match symbol {
            Some(symbol) if !symbol.title().is_empty() => {
                let part = relocation.part.unwrap_or(AddressPart::Whole);
                let name = symbol.title().to_owned();
                let doc = format!("The driver patches in the {part}address of {name} ({kind}).");
                (name, doc)
            }
            _ => (
                kind.to_string(),
                format!("The driver patches this instruction ({kind})."),
            ),
        }
    }
}

impl List for InstructionList {
    fn id(&self) -> ListId {
        ListId::Instructions
    }

    fn count(&self) -> u32 {
        self.listing.count()
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match CELLS.get(column).filter(|_| row < self.count()) {
            Some(cell) => cell((self, row), sources),
            None => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        self.listing.span(row, sources)
    }

    /// Bytes in the code match the instructions that contain them; a relocation matches the first
    /// instruction that it patches. The whole code matches none.
    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let code = self.section.bytes;
        if span == code && self.count() > 1 {
            return None;
        }
        let mut span = span;
        if !code.contains(span) {
            let all = self.tables.as_ref().map(|tables| &tables.relocations)?;
            let mut patches = self.patches.iter();
            let entry = |at: &usize| all.get(*at).map(|relocation| relocation.entry);
            let found = patches.find(|(_, at)| entry(at).is_some_and(|of| of.contains(span)));
            span = found?.0;
        }
        let first = self.listing.row_at(span.start, sources)?;
        let last = span.end.saturating_sub(1).max(span.start);
        let last = self.listing.row_at(last, sources)?;
        Some(first..last.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> RowDetails {
        let (Some(span), line) = (
            self.listing.span(row, sources),
            self.listing.line(row, sources),
        ) else {
            return RowDetails::default();
        };
        let place = |offset: u64| format!("{} + {offset:#x}", self.section.name);
        let title = place(span.start - self.section.bytes.start);
        let mut links = Vec::new();
        let line = line.as_deref();
        let mut targets = line.map_or_else(Vec::new, |line| line.targets.clone());
        // Both targets of a branch are often the same.
        targets.dedup();
        for target in targets {
            if let Ok(target) = u64::try_from(target) {
                let to = self.at(target, sources);
                link(&mut links, "jumps to", &place(target), to);
            }
        }
        for relocation in self.relocations_of(row, sources) {
            let kind = &relocation.kind;
            link(&mut links, "relocation", kind, Some(relocation.entry));
            let tables = self.tables.as_ref();
            if let Some(symbol) = tables.and_then(|tables| tables.symbol_of(relocation)) {
                let to = symbol.target.filter(|target| !target.is_empty());
                link(
                    &mut links,
                    "symbol",
                    symbol.title(),
                    to.or(Some(symbol.entry)),
                );
            }
        }
        let related = self.add_flow(row, sources, &mut links);
        if let Some(line) = self.line_of(row, sources) {
            let place = self.source(row, sources).value;
            link(&mut links, "source line", &place.text(), Some(line.entry));
        }
        if let Some((name, entry)) = &self.section.kernel {
            link(&mut links, "kernel", name, Some(*entry));
        }
        let detail = line.map_or(Detail::None, |line| {
            Detail::Instruction(Box::new(InstructionDetail {
                meaning: line.meaning.clone(),
                comment: line.comment.clone(),
                parts: self.listing.parts(row, sources),
                frames: self.frames(row, sources),
                registers: self.registers(row, sources),
                related,
            }))
        });
        RowDetails {
            title,
            links,
            detail,
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.listing.encoding().is_none() {
            let text = "The encoding of this device is not known. Choose another one.";
            notes.push(text.to_owned());
        }
        notes
    }

    /// For the columns of texts and of their options, returns the length of nearly all of them in
    /// characters: the page shows a text without its options.
    fn largest(&self, column: usize, sources: &Sources) -> Option<f64> {
        let length = match COLUMNS.get(column)?.id {
            "text" => CodeRow::compact_length,
            "waits" => |row: &CodeRow| u32::try_from(row.options.len()).unwrap_or(u32::MAX),
            _ => return None,
        };
        Some(f64::from(self.usual_length(length, sources)))
    }

    fn shows(&self, column: &Column) -> bool {
        let rows = |lines: &SourceLineList| !lines.table.rows_of(self.section.bytes).is_empty();
        let has_lines = self.lines.as_ref().is_some_and(rows);
        match (column.presence, column.id) {
            (Presence::Default, _) => true,
            (Presence::Filled, "source") => has_lines,
            (Presence::Filled, _) => has_lines && self.has_texts,
            _ => false,
        }
    }

    fn subject(&self) -> String {
        self.section.name.clone()
    }

    fn as_code(&self) -> Option<&dyn CodeList> {
        Some(self)
    }

    fn folded_rows(&self, start: u32, sources: &Sources) -> Vec<Range<u32>> {
        let flow = self.listing.data_flow(sources);
        let mut rows = flow.map_or_else(Vec::new, |flow| flow.loop_rows(start));
        if let Some(first) = rows.first_mut() {
            // The first instruction stays in the list, and stands for the loop.
            first.start = first.start.saturating_add(1);
        }
        rows
    }

    fn code_row(&self, row: u32, sources: &Sources) -> Option<CodeRow> {
        Some(code_row(&*self.listing, row, sources))
    }
}

/// Returns what a row of code has besides its cells.
pub fn code_row(listing: &dyn Listing, row: u32, sources: &Sources) -> CodeRow {
    let Some(line) = listing.line(row, sources) else {
        return CodeRow::default();
    };
    CodeRow {
        words: words(&line.text, &listing.text_parts(row, sources)),
        class: line.class,
        scratch: line.scratch,
        options: line.options.clone(),
        is_compacted: line.is_compacted,
        is_target: !line.label.is_empty(),
        message: match line.message.as_str() {
            "" => line.comment.clone(),
            message => message.to_owned(),
        },
    }
}

impl CodeList for InstructionList {
    fn listing(&self) -> &Rc<dyn Listing> {
        &self.listing
    }

    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart> {
        self.listing.text_parts(row, sources)
    }
}

/// Returns the words of an instruction's text.
fn words(text: &str, parts: &[TextPart]) -> Vec<CodeWord> {
    let mut words = Vec::new();
    let mut done = 0;
    while let Some(blanks) = text.get(done..).and_then(|rest| rest.find(|c| c != ' ')) {
        let start = done + blanks;
        let rest = text.get(start..).unwrap_or("");
        let end = start + rest.find(' ').unwrap_or(rest.len());
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let is_here = |part: &&TextPart| part.start < number(end) && number(start) < part.end;
        let part = parts.iter().find(is_here);
        words.push(CodeWord {
            start: number(start),
            end: number(end),
            role: part.map(|part| part.role),
            // A part of several words has its name in the first one.
            name: match part {
                Some(part) if part.start == number(start) => part.name.min(number(end - start)),
                _ => 0,
            },
            kind: part.and_then(|part| part.kind.clone()),
        });
        done = end;
    }
    words
}
