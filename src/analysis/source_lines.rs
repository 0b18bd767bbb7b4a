//! The source lines of a document's code, and the text of the source files.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::source_lines`]).
//! [`tables`](crate::tables::source_lines) shows it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::{Document, NodeId, Sources, Span};

/// Who knows the source lines of a document.
pub trait SourceLines {
    /// All of them, by section and offset; made once.
    fn table(&self, sources: &Sources) -> Rc<LineTable>;

    /// How many instructions there are in some bytes of code. Returns `None` if that cannot be
    /// told.
    fn instructions(&self, code: Span, sources: &Sources) -> Option<u64>;
}

/// The source lines of a document.
#[derive(Debug, Default)]
pub struct LineTable {
    /// The files.
    pub files: Vec<SourceFile>,
    /// The sections of code.
    pub sections: Vec<CodeSection>,
    /// The ranges of code, by section and offset; first those whose section is not known.
    pub rows: Vec<LineRow>,
    /// So many more are not in the list: there are too many.
    pub left_out: u64,
}

/// A file of the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// Its name without directories; `file 1`, if it has none.
    pub name: String,
    /// Its directory, as far as the table says it.
    pub directory: String,
    /// The table has a name for it: not nothing, and not a number, as IGC writes without the
    /// source.
    pub is_named: bool,
}

/// A section of code.
#[derive(Debug, Clone)]
pub struct CodeSection {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Span,
    /// The kernel whose code it is: its name, and its entry in the list of kernels.
    pub kernel: Option<(String, Span)>,
}

/// A range of code that comes from one line.
#[derive(Debug, Clone, Copy)]
pub struct LineRow {
    /// The index of its section in [`LineTable::sections`]; `None` if no symbol names the section.
    pub section: Option<u32>,
    /// The first byte in the section.
    pub offset: u64,
    /// How many bytes; at least one.
    pub len: u64,
    /// The place of its file in [`LineTable::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0: not known.
    pub column: u32,
    /// The bytes of the line table that say so.
    pub entry: Span,
}

impl LineTable {
    /// The section of a row.
    pub fn section(&self, row: &LineRow) -> Option<&CodeSection> {
        self.sections.get(usize::try_from(row.section?).ok()?)
    }

    /// The file of a row.
    pub fn file(&self, row: &LineRow) -> Option<&SourceFile> {
        self.files.get(usize::try_from(row.file).ok()?)
    }

    /// The code of a row.
    pub fn code(&self, row: &LineRow) -> Option<Span> {
        let section = self.section(row)?;
        Some(section.bytes.subspan(row.offset, row.len))
    }

    /// The rows of the section of code that has these bytes, by offset.
    pub fn rows_of(&self, code: Span) -> &[LineRow] {
        let start = |row: &LineRow| self.section(row).map(|section| section.bytes.start);
        let place = Some(code.start);
        let first = self.rows.partition_point(|row| start(row) < place);
        let end = self.rows.partition_point(|row| start(row) <= place);
        self.rows.get(first..end).unwrap_or_default()
    }

    /// The row of the section of code with these bytes that an offset in it is of.
    pub fn row_at(&self, code: Span, offset: u64) -> Option<&LineRow> {
        let rows = self.rows_of(code);
        let after = rows.partition_point(|row| row.offset <= offset);
        let row = rows.get(after.checked_sub(1)?)?;
        (offset - row.offset < row.len).then_some(row)
    }

    /// Where a row is in the source: `add.cl:12`.
    pub fn place(&self, row: &LineRow) -> String {
        let name = self.file(row).map_or("", |file| &file.name);
        format!("{name}:{}", row.line)
    }

    /// Which of its files the source file of that name is: those with the name; else the only one
    /// without a name.
    pub fn files_for<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a SourceFile> {
        let has_name = move |file: &&SourceFile| file.is_named && file.name == name;
        let mut unnamed = self.files.iter().filter(|file| !file.is_named);
        let is_named = self.files.iter().any(|file| has_name(&file));
        let only = match (unnamed.next(), unnamed.next()) {
            (only, None) => only.filter(|_| !is_named),
            _ => None,
        };
        self.files.iter().filter(has_name).chain(only)
    }
}

/// The last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The texts of source files that the reader has given, by their names without directories.
pub type SourceTexts = Rc<BTreeMap<String, Vec<String>>>;

impl Document {
    /// Who knows the source lines of a document: of the opened file (its root), or of one that is
    /// nested in it.
    pub fn source_lines(&self, document: NodeId) -> Option<Rc<dyn SourceLines>> {
        self.interface(document)
    }

    /// Keeps the text of a source file, to be shown beside its lines; another one of that name is
    /// forgotten.
    pub fn add_source_text(&mut self, path: &str, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        let name = base_name(path).to_owned();
        let mut texts = self.extensions.remove::<SourceTexts>().unwrap_or_default();
        Rc::make_mut(&mut texts).insert(name, lines);
        self.extensions.insert(texts);
    }

    /// The texts of source files that are kept.
    pub(crate) fn source_texts(&self) -> SourceTexts {
        let texts = self.extensions.get::<SourceTexts>();
        texts.map(Rc::clone).unwrap_or_default()
    }
}
