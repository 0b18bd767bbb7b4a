//! `.debug_line`: the programs that make the table of lines. DWARF 5, 6.2.

use std::collections::HashMap;
use std::ops::Range;

use gimli::constants::{DwLne, DwLns};
use gimli::{DebugLine, DebugLineOffset, IncompleteLineProgram, LineRow};

use super::Line;
use super::cursor::Cursor;
use super::sections::{DebugSections, Section, Slice, item, lazy};
use crate::decode::text::plural;
use crate::model::{Doc, Node, NodeKind, Value};

const SOURCE: &str = "DWARF 5, 6.2 Line Number Information";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static PROGRAM_DOC: Doc = doc(
    "A program that makes rows of a table when it runs: from this address on, the code comes from that line.",
);
static HEADER_DOC: Doc =
    doc("How the opcodes are to be read, and the directories and files that they speak of.");
static OPCODES_DOC: Doc = doc("The opcodes of the program, one after the other.");
static OPCODE_DOC: Doc = doc(
    "An opcode. Some change the address, file or line; some also add a row to the table, which stands beside them.",
);
static REST_DOC: Doc = doc("What stands here cannot be read as a line program.");

/// Where a program is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its opcodes start, if that can be told.
    pub(super) body: Option<usize>,
}

/// The opcodes of a program and what they do.
#[derive(Debug, Default)]
pub(super) struct Steps {
    list: Vec<Step>,
    rows: u64,
    /// The first byte that could not be read.
    rest: usize,
    opcode_base: u8,
    files: Vec<String>,
    /// The number of the first file.
    first_file: u64,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    at: u32,
    row: Option<Row>,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
struct Row {
    address: u64,
    file: u32,
    line: u32,
    column: u32,
    end: bool,
    /// The section of code, by its index, if a relocation says so.
    text: Option<u64>,
}

/// More opcodes of one program are not taken apart.
const STEPS: usize = 1 << 22;
/// More rows are not linked to code.
const LINES: usize = 1 << 22;

impl DebugSections {
    /// Walks through the lengths of the programs.
    pub(super) fn find_programs(&self) -> Vec<Program> {
        let mut programs = Vec::new();
        let mut cursor = self.line.cursor(0..usize::MAX);
        while let Some(program) = next_program(cursor) {
            programs.push(program);
            cursor.at = program.end;
        }
        programs
    }

    fn program(&self, program: &Program) -> Option<IncompleteLineProgram<Slice<'_>>> {
        let section = DebugLine::from(self.line.slice());
        let offset = DebugLineOffset(program.start);
        section
            .program(offset, self.address_size(), None, None)
            .ok()
    }

    /// The file of that number in the program at an offset.
    pub(super) fn file_name(&self, program: usize, index: u64) -> Option<String> {
        let found = self.programs.binary_search_by_key(&program, |p| p.start);
        let steps = self.steps_of(found.ok()?);
        steps.file(index).map(str::to_owned)
    }

    pub(super) fn steps_of(&self, number: usize) -> std::rc::Rc<Steps> {
        self.steps.get(number, || {
            let program = self.programs.get(number);
            let steps = program.and_then(|program| self.run(program));
            steps.unwrap_or_else(|| Steps {
                rest: program.and_then(|p| p.body).unwrap_or(0),
                ..Steps::default()
            })
        })
    }

    /// Runs a program.
    fn run(&self, program: &Program) -> Option<Steps> {
        let mut lines = self.program(program)?;
        let header = lines.header().clone();
        let lengths = header.standard_opcode_lengths().slice().to_vec();
        let files = header
            .file_names()
            .iter()
            .map(|file| self.path(&file.path_name()));
        let mut steps = Steps {
            files: files.collect(),
            first_file: u64::from(header.version() < 5),
            opcode_base: header.opcode_base(),
            ..Steps::default()
        };
        let mut cursor = self.line.cursor(program.body?..program.end);
        let mut instructions = header.instructions();
        let mut row = LineRow::new(&header);
        let mut text = None;
        while steps.list.len() < STEPS {
            let from = cursor.at;
            let Ok(Some(instruction)) = instructions.next_instruction(&header) else {
                break;
            };
            let Some(address) = skip(&mut cursor, header.opcode_base(), &lengths) else {
                cursor.at = from;
                break;
            };
            if let Some(address) = address {
                text = self.line.fix(address).and_then(|fix| fix.text);
            }
            let Ok(adds) = row.execute(instruction, &mut lines) else {
                cursor.at = from;
                break;
            };
            let made = adds.then(|| made(&row, text));
            steps.rows += u64::from(adds);
            steps.list.push(Step {
                at: u32::try_from(from).unwrap_or(u32::MAX),
                row: made,
            });
            if adds {
                if row.end_sequence() {
                    text = None;
                }
                row.reset(&header);
            }
        }
        steps.rest = cursor.at;
        Some(steps)
    }

    fn path(&self, value: &gimli::AttributeValue<Slice<'_>>) -> String {
        use gimli::AttributeValue::{DebugLineStrRef, DebugStrRef, String};
        match value {
            String(text) => super::cursor::short(text.slice()),
            DebugLineStrRef(offset) => text_at(&self.line_str, offset.0),
            DebugStrRef(offset) => text_at(&self.str, offset.0),
            _ => std::string::String::new(),
        }
    }

    /// The programs.
    pub(super) fn program_nodes(&self) -> Vec<Node> {
        let mut rows = Vec::new();
        for (number, program) in self.programs.iter().enumerate() {
            let lines = self.program(program);
            let header = lines.as_ref().map(IncompleteLineProgram::header);
            let file = header.and_then(|header| header.file_names().first());
            let node = Node::new(
                NodeKind::Record,
                "line program",
                self.line.place(program.start, program.end),
            );
            let node = match file {
                Some(file) => node.summary(self.path(&file.path_name())),
                None => node,
            };
            let node = node.indexed().doc(&PROGRAM_DOC);
            rows.push(lazy(node, item::UNIT, number, None));
        }
        let end = self.programs.last().map_or(0, |program| program.end);
        let rest = self.line.cursor(end..usize::MAX).rest();
        if !rest.is_empty() {
            let node = Node::new(NodeKind::Blob, "no line program", rest).value(Value::Bytes);
            rows.push(node.doc(&REST_DOC));
        }
        rows
    }

    /// The header of a program, its opcodes, and what cannot be read.
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
        let steps = self.steps_of(number);
        let rest = steps.rest.clamp(body, program.end);
        if rest > body {
            let node = Node::new(NodeKind::Table, "opcodes", self.line.place(body, rest))
                .summary(plural(steps.rows, "row"))
                .doc(&OPCODES_DOC);
            let count = steps.list.len() as u64;
            rows.push(lazy(node, item::OPCODES, number, Some(count)));
        }
        if rest < program.end {
            let rest = self.line.place(rest, program.end);
            let node = Node::new(NodeKind::Blob, "unreadable opcodes", rest);
            rows.push(node.value(Value::Bytes).doc(&REST_DOC));
        }
        rows
    }

    /// The opcodes of a program.
    pub(super) fn opcode_rows(&self, number: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let steps = self.steps_of(number);
        let count = steps.list.len() as u64;
        let Some(range) = range else {
            return (count, Vec::new());
        };
        let indices = range.start.min(count)..range.end.min(count);
        let indices = indices.filter_map(|i| usize::try_from(i).ok());
        let rows = indices.filter_map(|i| self.opcode_row(&steps, i));
        (count, rows.collect())
    }

    fn opcode_row(&self, steps: &Steps, index: usize) -> Option<Node> {
        let (from, to) = steps.place(index)?;
        let (name, value, operand) = describe(self.line.cursor(from..to), steps.opcode_base)?;
        let mut words = Vec::new();
        words.extend(operand);
        let mut node = Node::field(name, value, self.line.place(from, to)).doc(&OPCODE_DOC);
        if let Some(row) = steps.list.get(index)?.row {
            words.push(format!("row {:#x} {}", row.address, steps.row_text(&row)));
            let place = self.code_at(row.address, row.text);
            if let Some((text, to)) = place.and_then(|place| self.code_text(place)) {
                node = node.xref("code", text, to);
            }
        }
        Some(match words.is_empty() {
            true => node,
            false => node.summary(words.join(": ")),
        })
    }

    /// The rows of all tables, by the section of code that they are about and the offset there.
    pub(super) fn collect_lines(&self) -> HashMap<u64, Vec<Line>> {
        let mut all: HashMap<u64, Vec<Line>> = HashMap::new();
        let mut budget = LINES;
        for number in 0..self.programs.len() {
            let steps = self.steps_of(number);
            for (index, step) in steps.list.iter().enumerate() {
                let Some(row) = step.row else {
                    continue;
                };
                let place = self.code_at(row.address, row.text);
                let (Some((text, offset)), Some((from, to))) = (place, steps.place(index)) else {
                    continue;
                };
                budget = budget.saturating_sub(1);
                if budget == 0 {
                    return sorted(all);
                }
                all.entry(text).or_default().push(Line {
                    offset,
                    place: match row.end || row.line == 0 {
                        true => String::new(),
                        false => steps.line_text(&row),
                    },
                    span: self.line.place(from, to),
                });
            }
        }
        sorted(all)
    }
}

fn text_at(section: &Section, offset: usize) -> String {
    let found = section.string(offset as u64);
    found.map_or_else(String::new, |(text, _)| text)
}

/// Rows of the same address stay in the order of the table: the last one counts.
fn sorted(mut all: HashMap<u64, Vec<Line>>) -> HashMap<u64, Vec<Line>> {
    for lines in all.values_mut() {
        lines.sort_by_key(|line| line.offset);
    }
    all
}

impl Steps {
    fn file(&self, index: u64) -> Option<&str> {
        let at = usize::try_from(index.checked_sub(self.first_file)?).ok()?;
        self.files.get(at).map(String::as_str)
    }

    /// `file.cl:12`
    fn line_text(&self, row: &Row) -> String {
        match self.file(row.file.into()) {
            Some(file) => format!("{file}:{}", row.line),
            None => format!("file {}:{}", row.file, row.line),
        }
    }

    /// `file.cl:12:5`
    fn row_text(&self, row: &Row) -> String {
        match (row.end, row.column) {
            (true, _) => "end".to_owned(),
            (false, 0) => self.line_text(row),
            (false, column) => format!("{}:{column}", self.line_text(row)),
        }
    }

    /// The bytes of an opcode.
    fn place(&self, index: usize) -> Option<(usize, usize)> {
        let from = usize::try_from(self.list.get(index)?.at).ok()?;
        let to = self.list.get(index + 1).map(|step| step.at);
        let to = to
            .and_then(|to| usize::try_from(to).ok())
            .unwrap_or(self.rest);
        Some((from, to))
    }
}

fn made(row: &LineRow, text: Option<u64>) -> Row {
    let small = |raw: u64| u32::try_from(raw).unwrap_or(u32::MAX);
    Row {
        address: row.address(),
        file: small(row.file_index()),
        line: row.line().map_or(0, |line| small(line.get())),
        column: match row.column() {
            gimli::ColumnType::LeftEdge => 0,
            gimli::ColumnType::Column(column) => small(column.get()),
        },
        end: row.end_sequence(),
        text,
    }
}

/// The program at the cursor: its length, and where its opcodes start.
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

/// Skips an opcode; gives the place of the address that it sets, if it sets one.
fn skip(cursor: &mut Cursor<'_>, opcode_base: u8, lengths: &[u8]) -> Option<Option<usize>> {
    let opcode = *cursor.take(1)?.first()?;
    if opcode >= opcode_base {
        return Some(None);
    }
    if opcode == 0 {
        let len = usize::try_from(cursor.leb()?).ok()?;
        let at = cursor.at;
        let bytes = cursor.take(len)?;
        let sets = bytes.first() == Some(&2);
        return Some(sets.then_some(at + 1));
    }
    let operands = match opcode {
        9 => {
            cursor.take(2)?;
            0
        }
        2..=5 | 12 => 1,
        1 | 6..=8 | 10 | 11 => 0,
        _ => *lengths.get(usize::from(opcode) - 1)?,
    };
    for _ in 0..operands {
        cursor.leb()?;
    }
    Some(None)
}

/// The name of an opcode, its value, and what it works with.
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
        _ if cursor.at < cursor.end => cursor.leb().map(|raw| raw.to_string()),
        _ => None,
    };
    Some((name, Value::Bytes, operand))
}
