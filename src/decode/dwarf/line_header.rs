//! The header of a line program: how its opcodes are to be read, directories and files.
//! DWARF 5, 6.2.4; DWARF 4 has the paths in another form.

use gimli::constants::{DwForm, DwLnct, DwLns};

use super::abbrev::form_text;
use super::cursor::{Cursor, short};
use super::line::Program;
use super::sections::{DebugSections, item, lazy};
use crate::model::{Doc, Node, NodeKind, Span, Value};

const SOURCE: &str = "DWARF 5, 6.2.4 The Line Number Program Header";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static ESCAPE_DOC: Doc = doc("Says that offsets and lengths have 64 bits.");
static LENGTH_DOC: Doc = doc("The size of the program, without this field.");
static VERSION_DOC: Doc = doc("The version of the program, which has its own number.");
static ADDRESS_DOC: Doc = doc("The size of an address in bytes. Since version 5.");
static SEGMENT_DOC: Doc = doc("The size of a segment selector in bytes. Since version 5.");
static HEADER_LENGTH_DOC: Doc = doc("How many bytes there are up to the first opcode.");
static MINIMUM_DOC: Doc = doc("The size of the smallest instruction: advances count in it.");
static OPERATIONS_DOC: Doc = doc("How many operations an instruction may have. Since version 4.");
static STATEMENT_DOC: Doc = doc("Whether rows are beginnings of statements to begin with.");
static BASE_DOC: Doc = doc("The least that a special opcode adds to the line.");
static RANGE_DOC: Doc = doc("How many different advances of lines special opcodes have.");
static OPCODE_BASE_DOC: Doc = doc("The first special opcode.");
static LENGTHS_DOC: Doc = doc("How many operands each standard opcode has.");
static DIRECTORY_DOC: Doc = doc("A directory with source files.");
static FILE_DOC: Doc = doc("A source file.");
static PATH_DOC: Doc = doc("A part of the entry, in the form that the header says.");
static FORMATS_DOC: Doc = doc("How many parts each entry has. Since version 5.");
static FORMAT_DOC: Doc = doc("What a part of each entry is, and its form. Since version 5.");
static COUNT_DOC: Doc = doc("How many entries follow. Since version 5.");
static END_DOC: Doc = doc("The end of the list.");
static REST_DOC: Doc = doc("What stands here is no part of a header that is known.");

/// A part of an entry: what it is, and its form.
type Format = (u64, u64);

/// What stands in a header, and how its entries are to be read.
#[derive(Default)]
struct Head {
    rows: Vec<Node>,
    directories: Vec<Format>,
    files: Vec<Format>,
}

const DW_FORM_STRING: u64 = 0x08;
const DW_FORM_UDATA: u64 = 0x0f;

impl DebugSections {
    /// The rows of a program's header.
    pub(super) fn program_header_rows(&self, number: usize) -> Vec<Node> {
        match self.programs.get(number) {
            Some(program) => self.head(program).rows,
            None => Vec::new(),
        }
    }

    /// The parts of the directory or file at an offset.
    pub(super) fn path_rows(&self, start: usize, file: bool) -> Vec<Node> {
        let after = self
            .programs
            .partition_point(|program| program.start <= start);
        let program = after
            .checked_sub(1)
            .and_then(|number| self.programs.get(number));
        let Some(program) = program else {
            return Vec::new();
        };
        let head = self.head(program);
        let formats = if file { head.files } else { head.directories };
        let mut cursor = self.line.cursor(start..program.end);
        let wide = self.is_wide(program);
        let rows = formats
            .iter()
            .map_while(|format| self.path_part(&mut cursor, *format, wide));
        rows.collect()
    }

    fn is_wide(&self, program: &Program) -> bool {
        let mut cursor = self.line.cursor(program.start..program.end);
        cursor.number(4) == Some(0xffff_ffff)
    }

    fn head(&self, program: &Program) -> Head {
        let end = program.body.unwrap_or(program.end);
        let mut head = Head::default();
        let mut cursor = self.line.cursor(program.start..end);
        // As far as it goes; what is left is one piece.
        let _ = self.read_head(&mut cursor, &mut head);
        let whole = self.line.place(program.start, end);
        let read = head.rows.last().and_then(|row| row.span);
        let rest = match read {
            Some(read) => Span::new(whole.source, read.end, whole.end),
            None => whole,
        };
        if !rest.is_empty() {
            let node = Node::new(NodeKind::Blob, "more of the header", rest);
            head.rows.push(node.value(Value::Bytes).doc(&REST_DOC));
        }
        head
    }

    fn read_head(&self, cursor: &mut Cursor<'_>, head: &mut Head) -> Option<()> {
        let rows = &mut head.rows;
        let (length, mut node) = cursor.field("unit_length", 4, false, &LENGTH_DOC)?;
        let wide = length == 0xffff_ffff;
        if wide {
            node.name = "escape".into();
            rows.push(node.doc(&ESCAPE_DOC));
            node = cursor.field("unit_length", 8, false, &LENGTH_DOC)?.1;
        }
        rows.push(node);
        let (version, node) = cursor.field("version", 2, false, &VERSION_DOC)?;
        rows.push(node);
        if version >= 5 {
            rows.push(cursor.field("address_size", 1, false, &ADDRESS_DOC)?.1);
            rows.push(
                cursor
                    .field("segment_selector_size", 1, false, &SEGMENT_DOC)?
                    .1,
            );
        }
        let word = if wide { 8 } else { 4 };
        rows.push(
            cursor
                .field("header_length", word, false, &HEADER_LENGTH_DOC)?
                .1,
        );
        rows.push(
            cursor
                .field("minimum_instruction_length", 1, false, &MINIMUM_DOC)?
                .1,
        );
        if version >= 4 {
            let name = "maximum_operations_per_instruction";
            rows.push(cursor.field(name, 1, false, &OPERATIONS_DOC)?.1);
        }
        rows.push(cursor.field("default_is_stmt", 1, false, &STATEMENT_DOC)?.1);
        let (base, node) = cursor.field("line_base", 1, false, &BASE_DOC)?;
        let base = u8::try_from(base).unwrap_or(0).cast_signed();
        rows.push(node.value(Value::Signed {
            raw: base.into(),
            bits: 8,
        }));
        rows.push(cursor.field("line_range", 1, false, &RANGE_DOC)?.1);
        let (opcode_base, node) = cursor.field("opcode_base", 1, false, &OPCODE_BASE_DOC)?;
        rows.push(node);
        for opcode in 1..opcode_base {
            let opcode = u8::try_from(opcode).unwrap_or(0);
            let name = DwLns(opcode).static_string();
            let name = name.map_or_else(|| format!("opcode {opcode}"), str::to_owned);
            let mut node = cursor.field("length", 1, false, &LENGTHS_DOC)?.1;
            node.name = format!("standard_opcode_lengths {name}").into();
            rows.push(node);
        }
        if version >= 5 {
            head.directories = self.read_formats("directory", cursor, &mut head.rows)?;
            self.read_counted(cursor, head, wide, false)?;
            head.files = self.read_formats("file_name", cursor, &mut head.rows)?;
            return self.read_counted(cursor, head, wide, true);
        }
        head.directories = vec![(1, DW_FORM_STRING)];
        head.files = [1, 2, 3, 4].map(|what| (what, DW_FORM_UDATA)).to_vec();
        if let Some(path) = head.files.first_mut() {
            path.1 = DW_FORM_STRING;
        }
        self.read_listed(cursor, head, false)?;
        self.read_listed(cursor, head, true)
    }

    /// Version 4: entries up to an empty one.
    fn read_listed(&self, cursor: &mut Cursor<'_>, head: &mut Head, file: bool) -> Option<()> {
        loop {
            if cursor.section.bytes.get(cursor.at) == Some(&0) && cursor.at < cursor.end {
                let from = cursor.at;
                cursor.take(1)?;
                let node = Node::field("end", Value::decimal(0, 8), cursor.since(from));
                head.rows.push(node.doc(&END_DOC));
                return Some(());
            }
            self.read_entry(cursor, head, false, file)?;
        }
    }

    /// Version 5: so many entries.
    fn read_counted(
        &self,
        cursor: &mut Cursor<'_>,
        head: &mut Head,
        wide: bool,
        file: bool,
    ) -> Option<()> {
        let name = if file {
            "file_names_count"
        } else {
            "directories_count"
        };
        let (count, node) = cursor.leb_field(name, &COUNT_DOC)?;
        head.rows.push(node);
        for _ in 0..count {
            let from = cursor.at;
            self.read_entry(cursor, head, wide, file)?;
            // Entries without parts would have no end.
            if cursor.at == from {
                return None;
            }
        }
        Some(())
    }

    fn read_entry(
        &self,
        cursor: &mut Cursor<'_>,
        head: &mut Head,
        wide: bool,
        file: bool,
    ) -> Option<()> {
        let formats = if file { &head.files } else { &head.directories };
        let from = cursor.at;
        let mut parts = Vec::new();
        for format in formats {
            parts.push(self.path_part(cursor, *format, wide)?);
        }
        let (name, doc, kind) = match file {
            true => ("file", &FILE_DOC, item::FILE),
            false => ("directory", &DIRECTORY_DOC, item::DIRECTORY),
        };
        let mut node = Node::new(NodeKind::Item, name, cursor.since(from)).doc(doc);
        if let Some(path) = parts.iter().find(|part| part.name == "DW_LNCT_path") {
            node.summary = match (&path.summary, &path.value) {
                (Some(text), _) => Some(text.clone()),
                (None, Value::Text { text, .. }) => Some(text.clone()),
                _ => None,
            };
        }
        let count = parts.len() as u64;
        head.rows.push(lazy(node, kind, from, Some(count)));
        Some(())
    }

    fn read_formats(
        &self,
        what: &'static str,
        cursor: &mut Cursor<'_>,
        rows: &mut Vec<Node>,
    ) -> Option<Vec<Format>> {
        let mut node = cursor.field("count", 1, false, &FORMATS_DOC)?;
        node.1.name = format!("{what}_entry_format_count").into();
        rows.push(node.1);
        let mut formats = Vec::new();
        for _ in 0..node.0 {
            let from = cursor.at;
            let format = (cursor.leb()?, cursor.leb()?);
            let name = format!("{what}_entry_format");
            let node = Node::field(name, Value::Bytes, cursor.since(from));
            let form = u16::try_from(format.1).map_or_else(
                |_| format!("form {:#x}", format.1),
                |form| form_text(DwForm(form)),
            );
            let summary = format!("{}, {form}", content_text(format.0));
            rows.push(node.summary(summary).doc(&FORMAT_DOC));
            formats.push(format);
        }
        Some(formats)
    }

    /// A part of an entry.
    fn path_part(&self, cursor: &mut Cursor<'_>, format: Format, wide: bool) -> Option<Node> {
        let from = cursor.at;
        let word = if wide { 8 } else { 4 };
        let (value, text) = match format.1 {
            DW_FORM_STRING => {
                let text = cursor.text()?;
                (Value::text_from(text), None)
            }
            DW_FORM_UDATA => (Value::decimal(cursor.leb()?, 64), None),
            0x0b => (Value::decimal(cursor.number(1)?, 8), None),
            0x05 => (Value::decimal(cursor.number(2)?, 16), None),
            0x06 => (Value::decimal(cursor.number(4)?, 32), None),
            0x07 => (Value::decimal(cursor.number(8)?, 64), None),
            0x1e => {
                cursor.take(16)?;
                (Value::Bytes, None)
            }
            0x09 => {
                let len = usize::try_from(cursor.leb()?).ok()?;
                cursor.take(len)?;
                (Value::Bytes, None)
            }
            // DW_FORM_strp, DW_FORM_line_strp.
            form @ (0x0e | 0x1f) => {
                let raw = cursor.number(word)?;
                let at = self.line.fix(from).map_or(raw, |fix| fix.value);
                let section = if form == 0x0e {
                    &self.str
                } else {
                    &self.line_str
                };
                let bits = if wide { 64 } else { 32 };
                (Value::hex(raw, bits), section.string(at))
            }
            _ => return None,
        };
        let node = Node::field(content_text(format.0), value, cursor.since(from)).doc(&PATH_DOC);
        Some(match text {
            Some((text, to)) => node.summary(short(text.as_bytes())).xref("string", "", to),
            None => node,
        })
    }
}

/// `DW_LNCT_path`
fn content_text(what: u64) -> String {
    let name = u16::try_from(what)
        .ok()
        .and_then(|what| DwLnct(what).static_string());
    name.map_or_else(|| format!("content {what:#x}"), str::to_owned)
}
