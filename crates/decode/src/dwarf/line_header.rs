//! The header of a line program: opcode parameters, directories and files. DWARF 5, 6.2.4; DWARF 4
//! encodes the paths differently.

use std::ops::Range;
use std::rc::Rc;

use gimli::constants::{DwForm, DwLnct, DwLns};

use super::abbrev::form_text;
use super::cursor::{Cursor, short};
use super::paged::State;
use super::sections::{DebugSections, item, lazy};
use zeview_core::model::{Doc, Node, NodeKind, Span, Value};

const SOURCE: &str = "DWARF 5, 6.2.4 The Line Number Program Header";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static ESCAPE_DOC: Doc =
    doc("Marks the 64-bit DWARF format: offsets and lengths are 64 bits wide.");
static LENGTH_DOC: Doc = doc("The size of the program in bytes, without this field.");
static VERSION_DOC: Doc = doc("The version of the line table format.");
static ADDRESS_DOC: Doc = doc("The size of an address in bytes. Since version 5.");
static SEGMENT_DOC: Doc = doc("The size of a segment selector in bytes. Since version 5.");
static HEADER_LENGTH_DOC: Doc = doc("The number of bytes from here to the first opcode.");
static MINIMUM_DOC: Doc =
    doc("The size of the smallest instruction in bytes; the unit of address advances.");
static OPERATIONS_DOC: Doc =
    doc("The maximum number of operations per instruction. Since version 4.");
static STATEMENT_DOC: Doc =
    doc("The initial value of is_stmt: whether a row is the start of a statement.");
static BASE_DOC: Doc = doc("The smallest line advance of a special opcode.");
static RANGE_DOC: Doc = doc("The number of different line advances of special opcodes.");
static OPCODE_BASE_DOC: Doc = doc("The number of the first special opcode.");
static LENGTHS_DOC: Doc = doc("The number of operands of each standard opcode.");
static DIRECTORY_DOC: Doc = doc("A directory of source files.");
static FILE_DOC: Doc = doc("A source file.");
static PATH_DOC: Doc = doc("A field of the entry. The entry format gives its form.");
static FORMATS_DOC: Doc = doc("The number of fields per entry. Since version 5.");
static FORMAT_DOC: Doc = doc("The content type and form of a field. Since version 5.");
static COUNT_DOC: Doc = doc("The number of entries. Since version 5.");
static END_DOC: Doc = doc("The end of the list.");
static REST_DOC: Doc = doc("Bytes that cannot be decoded as part of the header.");

/// A field of an entry: its content type and form.
type Format = (u64, u64);

/// The parameters in a header, and the format of its entries.
#[derive(Debug, Default)]
pub(super) struct LineProgramHeader {
    pub(super) version: u64,
    wide: bool,
    pub(super) address_size: u8,
    pub(super) minimum: u8,
    pub(super) operations: u8,
    pub(super) line_base: i8,
    pub(super) line_range: u8,
    pub(super) opcode_base: u8,
    /// The offset of the standard opcode lengths.
    pub(super) lengths: usize,
    directories: Vec<Format>,
    files: Vec<Format>,
    /// The offset of the directories, and since version 5 their number; `None` if the header ends
    /// before.
    lists: Option<(usize, u64)>,
    /// The offsets of the directory paths.
    directory_paths: Vec<u32>,
    /// The offsets of the file paths.
    pub(super) paths: Vec<u32>,
    /// The directory numbers of the files.
    directory_numbers: Vec<u32>,
}

impl LineProgramHeader {
    /// Returns the number of the first file.
    pub(super) fn first_file(&self) -> u64 {
        u64::from(self.version < 5)
    }

    /// Returns whether its parameters allow executing opcodes.
    pub(super) fn can_run(&self) -> bool {
        (2..=5).contains(&self.version)
            && matches!(self.address_size, 1 | 2 | 4 | 8)
            && self.minimum > 0
            && self.operations > 0
            && self.line_range > 0
            && self.opcode_base > 0
            && self.lists.is_some()
    }

    /// Returns the maximum address.
    pub(super) fn address_mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * u32::from(self.address_size.clamp(1, 8)))
    }
}

/// Maximum number of files of a program with paths.
const FILES: usize = 1 << 20;

const DW_FORM_DATA2: u64 = 0x05;
const DW_FORM_DATA4: u64 = 0x06;
const DW_FORM_DATA8: u64 = 0x07;
const DW_FORM_STRING: u64 = 0x08;
const DW_FORM_BLOCK: u64 = 0x09;
const DW_FORM_DATA1: u64 = 0x0b;
const DW_FORM_STRP: u64 = 0x0e;
const DW_FORM_UDATA: u64 = 0x0f;
const DW_FORM_DATA16: u64 = 0x1e;
const DW_FORM_LINE_STRP: u64 = 0x1f;

impl DebugSections {
    /// Reads the header of a program.
    pub(super) fn head_of(&self, number: usize) -> Rc<LineProgramHeader> {
        let Some(program) = self.programs.get(number) else {
            return Rc::default();
        };
        let end = program.body.unwrap_or(program.end);
        self.heads.get(number, end - program.start, || {
            let mut head = LineProgramHeader::default();
            let mut cursor = self.line.cursor(program.start..end);
            // Stops at the first unreadable field; the remaining bytes form one node.
            let _ = self.read_fixed(&mut cursor, &mut head, &mut Vec::new());
            if let Some((at, count)) = head.lists {
                cursor.at = at;
                let _ = self.read_lists(&mut cursor, &mut head, count);
            }
            head
        })
    }

    /// Finds the paths of the files.
    fn read_lists(
        &self,
        cursor: &mut Cursor<'_>,
        head: &mut LineProgramHeader,
        count: u64,
    ) -> Option<()> {
        let is_listed = head.version < 5;
        let mut left = count;
        while has_entry(cursor, is_listed, &mut left)? {
            let (path, _) = self.skip_entry(cursor, &head.directories, head.wide)?;
            if head.directory_paths.len() < FILES {
                head.directory_paths.push(path);
            }
        }
        if !is_listed {
            head.files = self.read_formats("", cursor, &mut Vec::new())?;
            left = cursor.leb()?;
        }
        while has_entry(cursor, is_listed, &mut left)? && head.paths.len() < FILES {
            let (path, directory) = self.skip_entry(cursor, &head.files, head.wide)?;
            head.paths.push(path);
            head.directory_numbers.push(directory);
        }
        Some(())
    }

    /// Skips an entry; returns the offset of its path, and the number of its directory.
    fn skip_entry(
        &self,
        cursor: &mut Cursor<'_>,
        formats: &[Format],
        wide: bool,
    ) -> Option<(u32, u32)> {
        let (from, mut path, mut directory) = (cursor.at, None, 0);
        for (ty, form) in formats {
            match (*ty, *form) {
                (1, _) => {
                    path.get_or_insert(cursor.at);
                }
                // Copies of the cursor: `skip_part` reads the field once more.
                (2, DW_FORM_UDATA) => directory = { *cursor }.leb()?,
                (2, DW_FORM_DATA1) => directory = { *cursor }.number(1)?,
                (2, DW_FORM_DATA2) => directory = { *cursor }.number(2)?,
                _ => {}
            }
            skip_part(cursor, *form, wide)?;
        }
        let small = |raw: u64| u32::try_from(raw).unwrap_or(u32::MAX);
        // Empty entries would not advance.
        (cursor.at > from).then_some((small(path.unwrap_or(from) as u64), small(directory)))
    }

    /// Returns the directory of a file of a program, by the file's number. Empty if the header
    /// omits it: before version 5, the compilation directory has no entry.
    pub(super) fn directory(&self, number: usize, file: u64) -> String {
        let head = self.head_of(number);
        let at = file.checked_sub(head.first_file());
        let at = at.and_then(|at| usize::try_from(at).ok());
        let directory = at.and_then(|at| head.directory_numbers.get(at));
        let at = directory.and_then(|number| u64::from(*number).checked_sub(head.first_file()));
        let at = at.and_then(|at| usize::try_from(at).ok());
        let path = at.and_then(|at| head.directory_paths.get(at));
        path.map_or_else(String::new, |path| {
            self.part_text(&head, &head.directories, *path)
        })
    }

    /// Returns the path of a file, by its offset.
    pub(super) fn path_text(&self, head: &LineProgramHeader, at: u32) -> String {
        self.part_text(head, &head.files, at)
    }

    fn part_text(&self, head: &LineProgramHeader, formats: &[Format], at: u32) -> String {
        let form = formats.iter().find(|(ty, _)| *ty == 1).map(|f| f.1);
        let place = usize::try_from(at).unwrap_or(usize::MAX);
        let text = match form {
            Some(DW_FORM_STRING) => return self.text_at(at),
            Some(form @ (DW_FORM_STRP | DW_FORM_LINE_STRP)) => {
                let mut cursor = self.line.cursor(place..usize::MAX);
                let raw = cursor.number(if head.wide { 8 } else { 4 });
                raw.and_then(|raw| self.referred(form, place, raw))
            }
            _ => None,
        };
        text.map(|(text, _)| text).unwrap_or_default()
    }

    /// Returns the string at an offset of the section.
    pub(super) fn text_at(&self, at: u32) -> String {
        let text = self.line.string(at.into());
        text.map(|(text, _)| text).unwrap_or_default()
    }

    /// Returns the string that an offset in `.debug_line` refers to.
    fn referred(&self, form: u64, at: usize, raw: u64) -> Option<(String, Span)> {
        let offset = self.line.fix(at).map_or(raw, |fix| fix.value);
        match form {
            DW_FORM_STRP => self.str.string(offset),
            _ => self.line_str.string(offset),
        }
    }

    /// Returns the rows of a program's header.
    pub(super) fn program_header_rows(
        &self,
        number: usize,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let Some(program) = self.programs.get(number) else {
            return (0, Vec::new());
        };
        let end = program.body.unwrap_or(program.end);
        let head = self.head_of(number);
        let mut fixed = Vec::new();
        let mut cursor = self.line.cursor(program.start..end);
        // Stops at the first unreadable field; the remaining bytes form one node.
        let _ = self.read_fixed(&mut cursor, &mut LineProgramHeader::default(), &mut fixed);
        let mut step = |state: &mut State| self.header_row(&head, &fixed, end, state);
        let key = item::of(item::HEADER, number);
        let first = State::at(program.start);
        self.line.paged.rows(key, first, range, &mut step)
    }

    /// Returns the next row of a header: first the parameters, then the directories, the file
    /// formats, the files, and the remaining bytes.
    fn header_row(
        &self,
        head: &LineProgramHeader,
        fixed: &[Node],
        end: usize,
        state: &mut State,
    ) -> Option<Node> {
        let is_listed = head.version < 5;
        if state.phase == 0 {
            if let Some(row) = fixed.get(state.next) {
                let to = row.span.map_or(0, |span| span.end - self.line.span.start);
                state.at = usize::try_from(to).unwrap_or(usize::MAX);
                state.next += 1;
                return Some(row.clone());
            }
            state.phase = match head.lists {
                Some((_, count)) => {
                    state.count = usize::try_from(count).unwrap_or(usize::MAX);
                    1
                }
                None => 4,
            };
        }
        let mut cursor = self.line.cursor(state.at..end);
        while matches!(state.phase, 1 | 3) {
            let is_file = state.phase == 3;
            let mut left = state.count as u64;
            match has_entry(&mut cursor, is_listed, &mut left) {
                Some(true) => match self.read_entry_row(&mut cursor, head, is_file) {
                    Some(row) => {
                        state.count = state.count.saturating_sub(1);
                        state.at = cursor.at;
                        return Some(row);
                    }
                    None => state.phase = 4,
                },
                Some(false) => {
                    let from = state.at;
                    (state.at, state.next) = (cursor.at, 0);
                    state.phase = match (is_file, is_listed) {
                        (true, _) => 4,
                        (false, true) => 3,
                        (false, false) => 2,
                    };
                    if is_listed {
                        let node = Node::field("end", Value::decimal(0, 8), cursor.since(from));
                        return Some(node.doc(&END_DOC));
                    }
                }
                None => state.phase = 4,
            }
        }
        if state.phase == 2 {
            let mut rows = Vec::new();
            let formats = self.read_formats("file_name", &mut cursor, &mut rows);
            let count = formats.and_then(|_| cursor.leb_field("file_names_count", &COUNT_DOC));
            let last = count.map(|(count, node)| {
                rows.push(node);
                (count, cursor.at)
            });
            let row = rows.get(state.next).cloned();
            state.next += 1;
            if state.next >= rows.len() {
                (state.phase, state.next) = (4, 0);
                if let Some(span) = row.as_ref().and_then(|row| row.span) {
                    let to = span.end.saturating_sub(self.line.span.start);
                    state.at = usize::try_from(to).unwrap_or(usize::MAX);
                }
                if let Some((count, at)) = last {
                    (state.phase, state.at) = (3, at);
                    state.count = usize::try_from(count).unwrap_or(usize::MAX);
                }
            }
            if row.is_some() {
                return row;
            }
        }
        let rest = self.line.place(state.at, end);
        if state.phase > 4 || rest.is_empty() {
            return None;
        }
        (state.phase, state.at) = (5, end);
        let node = Node::new(NodeKind::Blob, "rest of the header", rest);
        Some(node.value(Value::Bytes).doc(&REST_DOC))
    }

    /// Returns the fields of the directory or file at an offset.
    pub(super) fn path_rows(&self, start: usize, file: bool) -> Vec<Node> {
        let after = self
            .programs
            .partition_point(|program| program.start <= start);
        let number = after.checked_sub(1);
        let Some((number, program)) = number.and_then(|n| Some((n, self.programs.get(n)?))) else {
            return Vec::new();
        };
        let head = self.head_of(number);
        let formats = if file { &head.files } else { &head.directories };
        let mut cursor = self.line.cursor(start..program.end);
        let rows = formats
            .iter()
            .map_while(|format| self.path_part(&mut cursor, *format, head.wide));
        rows.collect()
    }

    /// Reads the fields before the directories.
    fn read_fixed(
        &self,
        cursor: &mut Cursor<'_>,
        head: &mut LineProgramHeader,
        rows: &mut Vec<Node>,
    ) -> Option<()> {
        let small = |raw: u64| u8::try_from(raw).unwrap_or(0);
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
        (head.version, head.wide) = (version, wide);
        head.address_size = self.address_size();
        if version >= 5 {
            let (size, node) = cursor.field("address_size", 1, false, &ADDRESS_DOC)?;
            rows.push(node);
            head.address_size = small(size);
            let segment = cursor.field("segment_selector_size", 1, false, &SEGMENT_DOC)?;
            rows.push(segment.1);
        }
        let word = if wide { 8 } else { 4 };
        rows.push(
            cursor
                .field("header_length", word, false, &HEADER_LENGTH_DOC)?
                .1,
        );
        let mut byte = |name, doc| {
            let (raw, node) = cursor.field(name, 1, false, doc)?;
            rows.push(node);
            Some(small(raw))
        };
        head.minimum = byte("minimum_instruction_length", &MINIMUM_DOC)?;
        head.operations = if version >= 4 {
            byte("maximum_operations_per_instruction", &OPERATIONS_DOC)?
        } else {
            1
        };
        byte("default_is_stmt", &STATEMENT_DOC)?;
        let (base, node) = cursor.field("line_base", 1, false, &BASE_DOC)?;
        head.line_base = small(base).cast_signed();
        rows.push(node.value(Value::Signed {
            raw: head.line_base.into(),
            bits: 8,
        }));
        let (range, node) = cursor.field("line_range", 1, false, &RANGE_DOC)?;
        rows.push(node);
        head.line_range = small(range);
        let (opcode_base, node) = cursor.field("opcode_base", 1, false, &OPCODE_BASE_DOC)?;
        rows.push(node);
        (head.opcode_base, head.lengths) = (small(opcode_base), cursor.at);
        for opcode in 1..opcode_base {
            let opcode = u8::try_from(opcode).unwrap_or(0);
            let name = DwLns(opcode).static_string();
            let name = name.map_or_else(|| format!("opcode {opcode}"), str::to_owned);
            let mut node = cursor.field("length", 1, false, &LENGTHS_DOC)?.1;
            node.name = format!("standard_opcode_lengths {name}").into();
            rows.push(node);
        }
        if version >= 5 {
            head.directories = self.read_formats("directory", cursor, rows)?;
            let (count, node) = cursor.leb_field("directories_count", &COUNT_DOC)?;
            rows.push(node);
            head.lists = Some((cursor.at, count));
            return Some(());
        }
        head.directories = vec![(1, DW_FORM_STRING)];
        head.files = [1, 2, 3, 4].map(|ty| (ty, DW_FORM_UDATA)).to_vec();
        if let Some(path) = head.files.first_mut() {
            path.1 = DW_FORM_STRING;
        }
        head.lists = Some((cursor.at, 0));
        Some(())
    }

    fn read_entry_row(
        &self,
        cursor: &mut Cursor<'_>,
        head: &LineProgramHeader,
        file: bool,
    ) -> Option<Node> {
        let formats = if file { &head.files } else { &head.directories };
        let from = cursor.at;
        let mut parts = Vec::new();
        for format in formats {
            parts.push(self.path_part(cursor, *format, head.wide)?);
        }
        // Empty entries would not advance.
        if cursor.at == from {
            return None;
        }
        let (name, doc, kind) = if file {
            ("file", &FILE_DOC, item::FILE)
        } else {
            ("directory", &DIRECTORY_DOC, item::DIRECTORY)
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
        Some(lazy(node, kind, from, Some(count)))
    }

    fn read_formats(
        &self,
        list: &'static str,
        cursor: &mut Cursor<'_>,
        rows: &mut Vec<Node>,
    ) -> Option<Vec<Format>> {
        let mut node = cursor.field("count", 1, false, &FORMATS_DOC)?;
        node.1.name = format!("{list}_entry_format_count").into();
        rows.push(node.1);
        let mut formats = Vec::new();
        for _ in 0..node.0 {
            let from = cursor.at;
            let format = (cursor.leb()?, cursor.leb()?);
            let name = format!("{list}_entry_format");
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

    /// Reads a field of an entry.
    fn path_part(&self, cursor: &mut Cursor<'_>, format: Format, wide: bool) -> Option<Node> {
        let from = cursor.at;
        let word = if wide { 8 } else { 4 };
        let (value, text) = match format.1 {
            DW_FORM_STRING => {
                let text = cursor.text()?;
                (Value::text_from(text), None)
            }
            DW_FORM_UDATA => (Value::decimal(cursor.leb()?, 64), None),
            DW_FORM_DATA1 | DW_FORM_DATA2 | DW_FORM_DATA4 | DW_FORM_DATA8 => {
                let size = fixed_size(format.1, wide)?;
                let bits = u8::try_from(8 * size).unwrap_or(64);
                (Value::decimal(cursor.number(size)?, bits), None)
            }
            DW_FORM_DATA16 | DW_FORM_BLOCK => {
                skip_part(cursor, format.1, wide)?;
                (Value::Bytes, None)
            }
            form @ (DW_FORM_STRP | DW_FORM_LINE_STRP) => {
                let raw = cursor.number(word)?;
                let bits = if wide { 64 } else { 32 };
                (Value::hex(raw, bits), self.referred(form, from, raw))
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

/// Returns whether another entry follows. In version 4, an empty entry ends the list and is
/// skipped; version 5 has a count.
fn has_entry(cursor: &mut Cursor<'_>, is_listed: bool, left: &mut u64) -> Option<bool> {
    if !is_listed {
        let more = *left > 0;
        *left = left.saturating_sub(1);
        return Some(more);
    }
    let more = *cursor.section.bytes.get(cursor.at..cursor.end)?.first()? != 0;
    cursor.at += usize::from(!more);
    Some(more)
}

/// Skips a field of an entry.
fn skip_part(cursor: &mut Cursor<'_>, form: u64, wide: bool) -> Option<()> {
    let len = match form {
        DW_FORM_STRING => {
            cursor.text()?;
            0
        }
        DW_FORM_UDATA => {
            cursor.leb()?;
            0
        }
        DW_FORM_BLOCK => usize::try_from(cursor.leb()?).ok()?,
        form => fixed_size(form, wide)?,
    };
    cursor.take(len).map(|_| ())
}

/// Returns the size of a form that has a fixed size.
fn fixed_size(form: u64, wide: bool) -> Option<usize> {
    Some(match form {
        DW_FORM_DATA1 => 1,
        DW_FORM_DATA2 => 2,
        DW_FORM_DATA4 => 4,
        DW_FORM_DATA8 => 8,
        DW_FORM_DATA16 => 16,
        DW_FORM_STRP | DW_FORM_LINE_STRP => {
            if wide {
                8
            } else {
                4
            }
        }
        _ => return None,
    })
}

/// `DW_LNCT_path`
fn content_text(content_type: u64) -> String {
    let name = u16::try_from(content_type)
        .ok()
        .and_then(|content_type| DwLnct(content_type).static_string());
    name.map_or_else(|| format!("content {content_type:#x}"), str::to_owned)
}
