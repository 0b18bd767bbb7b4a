//! The source lines of code, and the text of the source files.
//!
//! Plain data, created by a decoder on demand ([`Document::source_lines`]).
//! `tables` presents it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inlining::Inlining;
use crate::model::{Document, NodeId, OnDemand, Sources, Span};

/// Counts the instructions in a range of code. Returns `None` if the encoding is unknown.
pub type CountInstructions = Box<dyn Fn(Span, &Sources) -> Option<u64>>;

/// The source lines of a document, read on first use.
pub struct SourceLines {
    table: OnDemand<LineTable>,
    count: CountInstructions,
}

impl SourceLines {
    /// Creates the lines that `read` reads.
    pub fn new(
        read: impl Fn(&Sources) -> LineTable + 'static,
        count: CountInstructions,
    ) -> SourceLines {
        SourceLines {
            table: OnDemand::new(read),
            count,
        }
    }

    /// Returns all source lines, by section and offset.
    pub fn table(&self, sources: &Sources) -> Rc<LineTable> {
        self.table.get(sources)
    }

    /// Counts the instructions in a range of code. Returns `None` if the encoding is unknown.
    pub fn instructions(&self, code: Span, sources: &Sources) -> Option<u64> {
        (self.count)(code, sources)
    }
}

/// The source lines of a document.
#[derive(Debug, Default)]
pub struct LineTable {
    /// The files.
    pub files: Vec<SourceFile>,
    /// The sections of code.
    pub sections: Vec<CodeSection>,
    /// The ranges of code, by section and offset; first those with an unknown section.
    pub rows: Vec<LineRow>,
    /// Number of further ranges that exceed the limit of the list.
    pub left_out: u64,
    /// The functions of the code, with those that are inlined.
    pub inlining: Inlining,
}

/// A file of the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// Its name without directories, or `file 1` if it has none.
    pub name: String,
    /// Its directory, as given by the line table.
    pub directory: String,
    /// Whether it has a real name: not empty, and not a number, which IGC writes if the source is
    /// not available.
    pub is_named: bool,
}

/// A section of code.
#[derive(Debug, Clone)]
pub struct CodeSection {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Span,
    /// The kernel of the code: its name, and its entry in the list of kernels.
    pub kernel: Option<(String, Span)>,
}

/// A range of code with the same source line.
#[derive(Debug, Clone, Copy)]
pub struct LineRow {
    /// The index of its section in [`LineTable::sections`]; `None` if no symbol names the section.
    pub section: Option<u32>,
    /// The offset of the first byte in the section.
    pub offset: u64,
    /// The length in bytes; at least one.
    pub len: u64,
    /// The index of its file in [`LineTable::files`].
    pub file: u32,
    /// One-based line number.
    pub line: u32,
    /// One-based column number; 0 if unknown.
    pub column: u32,
    /// The discriminator, which tells blocks of one line apart; 0 by default.
    pub discriminator: u32,
    /// The bytes of its entry in the line table.
    pub entry: Span,
}

impl LineTable {
    /// Returns the section of a row.
    pub fn section(&self, row: &LineRow) -> Option<&CodeSection> {
        self.sections.get(usize::try_from(row.section?).ok()?)
    }

    /// Returns the file of a row.
    pub fn file(&self, row: &LineRow) -> Option<&SourceFile> {
        self.files.get(usize::try_from(row.file).ok()?)
    }

    /// Returns the code of a row.
    pub fn code(&self, row: &LineRow) -> Option<Span> {
        let section = self.section(row)?;
        Some(section.bytes.subspan(row.offset, row.len))
    }

    /// Returns the rows of the section with these bytes, by offset.
    pub fn rows_of(&self, code: Span) -> &[LineRow] {
        let start = |row: &LineRow| self.section(row).map(|section| section.bytes.start);
        let place = Some(code.start);
        let first = self.rows.partition_point(|row| start(row) < place);
        let end = self.rows.partition_point(|row| start(row) <= place);
        self.rows.get(first..end).unwrap_or_default()
    }

    /// Returns the row at an offset in the section with these bytes.
    pub fn row_at(&self, code: Span, offset: u64) -> Option<&LineRow> {
        let rows = self.rows_of(code);
        let after = rows.partition_point(|row| row.offset <= offset);
        let row = rows.get(after.checked_sub(1)?)?;
        (offset - row.offset < row.len).then_some(row)
    }

    /// Formats the source location of a row: `add.cl:12`.
    pub fn place(&self, row: &LineRow) -> String {
        let name = self.file(row).map_or("", |file| &file.name);
        format!("{name}:{}", row.line)
    }

    /// Returns the files that a source file of that name may be: those with the name, or else the
    /// only one without a name.
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

/// Returns the last component of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The source texts that the user has provided, by file name without directories.
pub type SourceTexts = Rc<BTreeMap<String, Vec<String>>>;

impl Document {
    /// Returns the source lines of a document: of the opened file (its root), or of one that is
    /// nested in it.
    pub fn source_lines(&self, document: NodeId) -> Option<Rc<SourceLines>> {
        self.interfaces(document).source_lines
    }

    /// Adds the text of a source file, for display with its lines. It replaces one of the same
    /// name.
    pub fn add_source_text(&mut self, path: &str, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        let name = base_name(path).to_owned();
        let mut texts = self.extensions.remove::<SourceTexts>().unwrap_or_default();
        Rc::make_mut(&mut texts).insert(name, lines);
        self.extensions.insert(texts);
    }

    /// Returns the source texts.
    pub fn source_texts(&self) -> SourceTexts {
        let texts = self.extensions.get::<SourceTexts>();
        texts.map(Rc::clone).unwrap_or_default()
    }
}
