//! `.debug_line`: the programs that produce the line table. DWARF 5, 6.2.
use super::cursor::Cursor;
use super::line_header::LineProgramHeader;
use super::line_machine::{Machine, Row};
use super::paged::{STRIDE, numbered};
use super::section::Line;
use super::sections::{DebugSections, item, lazy};
use crate::reader::uint;
use crate::text::plural;
use gimli::constants::{self, DwLne, DwLns};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use zeview_core::model::sort;
use zeview_core::model::{Doc, Node, NodeKind, Span, Value};

const SOURCE: &str = "DWARF 5, 6.2 Line Number Information";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static PROGRAM_DOC: Doc = doc(
    "A line number program. Its opcodes produce the rows of the line table, which map addresses to source lines.",
);

static HEADER_DOC: Doc =
    doc("The parameters of the opcodes, and the directories and source files.");

static OPCODES_DOC: Doc = doc("The opcodes of the program.");

static OPCODE_DOC: Doc = doc(
    "An opcode. It changes the address, file or line, or adds a row to the line table. The row is shown next to the opcode.",
);

static REST_DOC: Doc = doc("Bytes that cannot be decoded as a line program.");

/// The location of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The start of its opcodes, if known.
    pub(super) body: Option<usize>,
}

/// The opcodes of a program and their effects.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Number of opcodes, and of the rows that they add.
    count: u64,
    rows: u64,
    /// The first byte that could not be read.
    rest: usize,
    /// The state before every [`STRIDE`]th opcode.
    marks: Vec<Machine>,
    /// The offsets of the paths of files that opcodes add.
    defined: Vec<u32>,
}

/// The effect of an opcode.
#[derive(Default)]
struct OpcodeEffect {
    row: Option<Row>,
    /// The offset of the path of the file that it adds.
    path: Option<usize>,
}

/// The rows for a section of code, by offset.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<LineMark>);

/// The start of a line in a section of code, and the opcode that adds the row.
#[derive(Debug, Clone, Copy)]
struct LineMark {
    offset: u32,
    opcode: u32,
    file: u32,
    /// 0 if the line is unknown.
    line: u32,
}

/// Maximum number of rows linked to code; fewer for small sections.
const LINES: usize = 1 << 21;

const LINES_MORE: usize = 1 << 16;

impl DebugSections {
    /// Finds the programs by their lengths.
    pub(super) fn find_programs(&self) -> Vec<Program> {
        let mut programs = Vec::new();
        let mut cursor = self.line.cursor(0..usize::MAX);
        while let Some(program) = next_program(cursor) {
            programs.push(program);
            cursor.at = program.end;
        }
        programs
    }

    /// Returns a file of the program at an offset, by its number.
    pub(super) fn file_name(&self, program: usize, index: u64) -> Option<String> {
        let found = self.programs.binary_search_by_key(&program, |p| p.start);
        self.file(found.ok()?, index)
    }

    /// Returns the path of a file of a program, by its number.
    pub(super) fn file(&self, number: usize, index: u64) -> Option<String> {
        let head = self.head_of(number);
        let at = usize::try_from(index.checked_sub(head.first_file())?).ok()?;
        if let Some(path) = head.paths.get(at) {
            return Some(self.path_text(&head, *path));
        }
        let run = self.run_of(number);
        let path = run.defined.get(at.checked_sub(head.paths.len())?)?;
        Some(self.text_at(*path))
    }

    fn run_of(&self, number: usize) -> Rc<Run> {
        let program = self.programs.get(number);
        let size = program.map_or(0, |program| program.end - program.start);
        self.runs.get(number, size, || {
            let body = program.and_then(|program| Some((program, program.body?)));
            body.map_or_else(Run::default, |(program, body)| {
                self.run(&self.head_of(number), program, body)
            })
        })
    }

    /// Executes a program.
    fn run(&self, head: &LineProgramHeader, program: &Program, body: usize) -> Run {
        let mut run = Run::default();
        let mut machine = Machine::new(body);
        loop {
            let before = machine;
            let Some(done) = self.step(head, program, &mut machine) else {
                run.rest = before.at;
                return run;
            };
            if run.count.is_multiple_of(STRIDE) {
                run.marks.push(before);
            }
            run.count += 1;
            run.rows += u64::from(done.row.is_some());
            let path = done.path.and_then(|path| u32::try_from(path).ok());
            run.defined.extend(path);
        }
    }

    /// Executes an opcode. Returns `None` if it cannot be read. DWARF 5, 6.2.5.
    fn step(
        &self,
        head: &LineProgramHeader,
        program: &Program,
        machine: &mut Machine,
    ) -> Option<OpcodeEffect> {
        if !head.can_run() {
            return None;
        }
        let mut cursor = self.line.cursor(machine.at..program.end);
        let opcode = u8::try_from(cursor.number(1)?).ok()?;
        let mut done = OpcodeEffect::default();
        if opcode >= head.opcode_base {
            let adjusted = opcode - head.opcode_base;
            let line = i64::from(head.line_base) + i64::from(adjusted % head.line_range);
            machine.advance_line(line);
            machine.advance(head, u64::from(adjusted / head.line_range))?;
            done.row = Some(machine.row(false));
        } else if opcode == 0 {
            let len = usize::try_from(cursor.leb()?).ok()?;
            let end = cursor
                .at
                .checked_add(len)
                .filter(|end| *end <= cursor.end)?;
            let mut own = Cursor { end, ..cursor };
            // The length says where the next opcode is, so unknown opcodes can be skipped.
            cursor.at = end;
            match (DwLne(u8::try_from(own.number(1)?).ok()?), head.version) {
                (constants::DW_LNE_end_sequence, _) => {
                    done.row = Some(machine.row(true));
                    *machine = Machine::new(cursor.at);
                }
                (constants::DW_LNE_set_address, _) => {
                    let size = usize::from(head.address_size);
                    let (at, bytes) = (own.at, self.line.slice());
                    own.take(size)?;
                    let bytes = bytes.slice().get(at..own.at)?;
                    let address = uint(bytes, self.line.endian);
                    // The two highest addresses mark removed code.
                    machine.gone = address >= head.address_mask() - 1;
                    if !machine.gone {
                        (machine.address, machine.operation) = (address, 0);
                    }
                    machine.text = self.line.fix(at).and_then(|fix| fix.text);
                }
                // Reserved in version 5.
                (constants::DW_LNE_define_file, ..=4) => {
                    done.path = Some(own.at);
                    own.text()?;
                    for _ in 0..3 {
                        own.leb()?;
                    }
                }
                (constants::DW_LNE_set_discriminator, _) => {
                    machine.discriminator = own.leb()?;
                }
                _ => {}
            }
        } else {
            match DwLns(opcode) {
                constants::DW_LNS_copy => done.row = Some(machine.row(false)),
                constants::DW_LNS_advance_pc => machine.advance(head, cursor.leb()?)?,
                constants::DW_LNS_advance_line => machine.advance_line(cursor.signed_leb()?),
                constants::DW_LNS_set_file => machine.file = cursor.leb()?,
                constants::DW_LNS_set_column => machine.column = cursor.leb()?,
                constants::DW_LNS_const_add_pc => {
                    // As the special opcode 255 (DWARF 5, 6.2.5.2).
                    let adjusted = u8::MAX - head.opcode_base;
                    machine.advance(head, u64::from(adjusted / head.line_range))?;
                }
                constants::DW_LNS_fixed_advance_pc => {
                    // In bytes, whatever the smallest instruction is: for assemblers that cannot
                    // encode LEB128.
                    let by = cursor.number(2)?;
                    machine.add(head, by)?;
                    machine.operation = 0;
                }
                constants::DW_LNS_set_isa => {
                    cursor.leb()?;
                }
                constants::DW_LNS_negate_stmt
                | constants::DW_LNS_set_basic_block
                | constants::DW_LNS_set_prologue_end
                | constants::DW_LNS_set_epilogue_begin => {}
                _ => {
                    // The header has the number of operands, so that unknown opcodes can be
                    // skipped.
                    let at = head.lengths.checked_add(usize::from(opcode) - 1)?;
                    for _ in 0..*self.line.bytes.get(at)? {
                        cursor.leb()?;
                    }
                }
            }
        }
        machine.at = cursor.at;
        Some(done)
    }

    /// Returns the rows of the programs.
    pub(super) fn program_nodes(&self, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let end = self.programs.last().map_or(0, |program| program.end);
        let rest = self.line.cursor(end..usize::MAX).rest();
        let count = self.programs.len() + usize::from(!rest.is_empty());
        numbered(count, range, |number| {
            let Some(program) = self.programs.get(number) else {
                let node = Node::new(NodeKind::Blob, "no line program", rest);
                return Some(node.value(Value::Bytes).doc(&REST_DOC));
            };
            let span = self.line.place(program.start, program.end);
            let node = Node::new(NodeKind::Record, "line program", span);
            let head = self.head_of(number);
            let node = match head.paths.first().filter(|_| head.can_run()) {
                Some(path) => node.summary(self.path_text(&head, *path)),
                None => node,
            };
            let node = node.indexed().doc(&PROGRAM_DOC);
            Some(lazy(node, item::UNIT, number, None))
        })
    }

    /// Returns the rows of a program: its header, its opcodes and unreadable bytes.
    pub(super) fn program_rows(&self, number: usize) -> Vec<Node> {
        let Some(program) = self.programs.get(number) else {
            return Vec::new();
        };
        let body = program.body.unwrap_or(program.end);
        let header = Node::new(
            NodeKind::Record,
            "header",
            self.line.place(program.start, body),
        );
        let mut rows = vec![lazy(header.doc(&HEADER_DOC), item::HEADER, number, None)];
        if program.body.is_none() {
            return rows;
        }
        let run = self.run_of(number);
        let rest = run.rest.clamp(body, program.end);
        if rest > body {
            let node = Node::new(NodeKind::Table, "opcodes", self.line.place(body, rest))
                .summary(plural(run.rows, "row"))
                .doc(&OPCODES_DOC);
            rows.push(lazy(node, item::OPCODES, number, Some(run.count)));
        }
        if rest < program.end {
            let rest = self.line.place(rest, program.end);
            let node = Node::new(NodeKind::Blob, "unreadable opcodes", rest);
            rows.push(node.value(Value::Bytes).doc(&REST_DOC));
        }
        rows
    }

    /// Returns the opcodes of a program.
    pub(super) fn opcode_rows(&self, number: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let run = self.run_of(number);
        let range = range.unwrap_or(0..0);
        let page = usize::try_from(range.start / STRIDE).unwrap_or(usize::MAX);
        let (program, state) = (self.programs.get(number), run.marks.get(page));
        let (Some(program), Some(mut machine)) = (program, state.copied()) else {
            return (run.count, Vec::new());
        };
        let head = self.head_of(number);
        let mut rows = Vec::new();
        for at in range.start / STRIDE * STRIDE..range.end {
            let from = machine.at;
            let Some(done) = self.step(&head, program, &mut machine) else {
                break;
            };
            if at >= range.start {
                rows.extend(self.opcode_row(number, &head, from..machine.at, done.row));
            }
        }
        (run.count, rows)
    }

    /// Returns the opcode that contains an offset.
    pub(super) fn opcode_at(&self, number: usize, offset: usize) -> Option<u64> {
        let (run, program) = (self.run_of(number), self.programs.get(number)?);
        let after = run.marks.partition_point(|machine| machine.at <= offset);
        let page = after.checked_sub(1)?;
        let (mut machine, mut at) = (*run.marks.get(page)?, page as u64 * STRIDE);
        let head = self.head_of(number);
        loop {
            self.step(&head, program, &mut machine)?;
            if offset < machine.at {
                return Some(at);
            }
            at += 1;
        }
    }

    fn opcode_row(
        &self,
        number: usize,
        head: &LineProgramHeader,
        bytes: Range<usize>,
        row: Option<Row>,
    ) -> Option<Node> {
        let place = self.line.place(bytes.start, bytes.end);
        let (name, value, operand) = describe(self.line.cursor(bytes), head.opcode_base)?;
        let mut words = Vec::new();
        words.extend(operand);
        let mut node = Node::field(name, value, place).doc(&OPCODE_DOC);
        if let Some(row) = row {
            let text = self.row_text(number, &row);
            words.push(if row.gone {
                format!("row without code: {text}")
            } else {
                format!("row {:#x}: {text}", row.address)
            });
            let place = self.code_of(&row);
            if let Some((text, to)) = place.and_then(|place| self.code_text(place)) {
                node = node.xref("code", text, to);
            }
        }
        Some(if words.is_empty() {
            node
        } else {
            node.summary(words.join(": "))
        })
    }

    /// `file.cl:12`
    fn line_text(&self, number: usize, file: u64, line: u64) -> String {
        match self.file(number, file) {
            Some(file) if is_named(&file) => format!("{file}:{line}"),
            Some(number) if !number.is_empty() => format!("file {number}, line {line}"),
            _ => format!("file {file}, line {line}"),
        }
    }

    /// `file.cl:12:5`
    fn row_text(&self, number: usize, row: &Row) -> String {
        let line = || self.line_text(number, row.file, row.line);
        match (row.end, row.column) {
            (true, _) => "end".to_owned(),
            (false, 0) => line(),
            (false, column) if self.file(number, row.file).is_some_and(|f| is_named(&f)) => {
                format!("{}:{column}", line())
            }
            (false, column) => format!("{}, column {column}", line()),
        }
    }

    /// Returns the code location of a row.
    pub(super) fn code_of(&self, row: &Row) -> Option<(u64, u64)> {
        match (row.gone, row.address.checked_sub(1)) {
            (true, _) => None,
            // The first byte after the code may be the start of another section.
            (false, Some(last)) if row.end && row.text.is_none() => self.code_after(last),
            _ => self.code_at(row.address, row.text),
        }
    }

    /// Returns the address of a row with an unknown code section: IGC leaves the symbols of some
    /// sections unnamed.
    pub(super) fn address_without_section(&self, row: &Row) -> Option<u64> {
        (!row.gone && row.text.is_none() && self.code_of(row).is_none()).then_some(row.address)
    }

    /// Calls `take` for each row of a program, with the bytes of the opcode that adds it.
    pub(super) fn each_row(&self, number: usize, mut take: impl FnMut(Row, Span)) {
        let Some((program, body)) = self.programs.get(number).and_then(|p| Some((p, p.body?)))
        else {
            return;
        };
        let head = self.head_of(number);
        let mut machine = Machine::new(body);
        loop {
            let opcode = machine.at;
            let Some(done) = self.step(&head, program, &mut machine) else {
                return;
            };
            if let Some(row) = done.row {
                take(row, self.line.place(opcode, machine.at));
            }
        }
    }

    /// Returns the rows of all tables, by code section and offset.
    pub(super) fn collect_lines(&self) -> BTreeMap<u64, Lines> {
        let mut all: BTreeMap<u64, Lines> = BTreeMap::new();
        let mut left = (self.line.bytes.len() / 2 + LINES_MORE).min(LINES);
        for (number, program) in self.programs.iter().enumerate() {
            let Some(body) = program.body else {
                continue;
            };
            let head = self.head_of(number);
            let mut machine = Machine::new(body);
            loop {
                let opcode = machine.at;
                let Some(done) = self.step(&head, program, &mut machine) else {
                    break;
                };
                let placed = done.row.and_then(|row| Some((row, self.code_of(&row)?)));
                let Some((row, (text, offset))) = placed else {
                    continue;
                };
                if left == 0 {
                    break;
                }
                left -= 1;
                let small = |raw: u64| u32::try_from(raw).unwrap_or(u32::MAX);
                all.entry(text).or_default().0.push(LineMark {
                    offset: small(offset),
                    opcode: small(opcode as u64),
                    file: small(row.file),
                    line: if row.end { 0 } else { small(row.line) },
                });
            }
        }
        // Rows with the same address keep the order of the table: the last one counts.
        for Lines(list) in all.values_mut() {
            sort::by_key(list, |mark| (mark.offset, mark.opcode));
        }
        all
    }

    /// Returns the line of the byte at an offset of a code section.
    pub(super) fn line_at(&self, Lines(list): &Lines, offset: u64) -> Option<Line> {
        let after = list.partition_point(|mark| u64::from(mark.offset) <= offset);
        let mark = list.get(after.checked_sub(1)?)?;
        let opcode = usize::try_from(mark.opcode).ok()?;
        let after = self.programs.partition_point(|p| p.start <= opcode);
        let number = after.checked_sub(1)?;
        // Only the length of the opcode matters here; the mark has its row.
        let mut machine = Machine::new(opcode);
        self.step(
            &self.head_of(number),
            self.programs.get(number)?,
            &mut machine,
        )?;
        Some(Line {
            place: match mark.line {
                0 => String::new(),
                line => self.line_text(number, mark.file.into(), line.into()),
            },
            span: self.line.place(opcode, machine.at),
        })
    }
}

/// Returns whether a path is a file name. Without the source, IGC writes a number.
pub(super) fn is_named(path: &str) -> bool {
    path.bytes().any(|byte| !byte.is_ascii_digit())
}

/// Reads the program at the cursor: its length, and the start of its opcodes.
fn next_program(mut cursor: Cursor<'_>) -> Option<Program> {
    let start = cursor.at;
    let mut word = 4;
    let mut length = cursor.number(4)?;
    if length == 0xffff_ffff {
        word = 8;
        length = cursor.number(8)?;
    }
    let end = cursor.at.checked_add(usize::try_from(length).ok()?)?;
    if end > cursor.end {
        return None;
    }
    cursor.end = end;
    let body = |mut cursor: Cursor<'_>| {
        if cursor.number(2)? >= 5 {
            cursor.take(2)?;
        }
        let length = usize::try_from(cursor.number(word)?).ok()?;
        cursor.at.checked_add(length).filter(|body| *body <= end)
    };
    Some(Program {
        start,
        end,
        body: body(cursor),
    })
}

/// Returns the name, value and operands of an opcode.
fn describe(mut cursor: Cursor<'_>, opcode_base: u8) -> Option<(String, Value, Option<String>)> {
    let opcode = *cursor.take(1)?.first()?;
    if opcode >= opcode_base {
        let value = Value::decimal(opcode.into(), 8);
        return Some(("special opcode".to_owned(), value, None));
    }
    if opcode == 0 {
        cursor.leb()?;
        let Some(code) = cursor.take(1) else {
            return Some(("empty extended opcode".to_owned(), Value::Bytes, None));
        };
        let code = *code.first()?;
        let name = DwLne(code).static_string();
        let name = name.map_or_else(|| format!("extended opcode {code}"), str::to_owned);
        let operand = match code {
            4 => cursor.leb().map(|raw| raw.to_string()),
            _ => None,
        };
        return Some((name, Value::Bytes, operand));
    }
    let name = DwLns(opcode).static_string();
    let name = name.map_or_else(|| format!("standard opcode {opcode}"), str::to_owned);
    let operand = match opcode {
        9 => cursor.number(2).map(|raw| raw.to_string()),
        3 => cursor.signed_leb().map(|raw| format!("{raw:+}")),
        _ => {
            let operands = std::iter::from_fn(|| cursor.leb().map(|raw| raw.to_string()));
            let operands: Vec<String> = operands.collect();
            (!operands.is_empty()).then(|| operands.join(", "))
        }
    };
    Some((name, Value::Bytes, operand))
}
