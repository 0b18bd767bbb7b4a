//! The lines of a readable text.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Cell, Declaration, Details, List, ListId, Match, Scope, Shape, Tab, Words, columns, left_out,
    module_lines,
};
use zeview_core::model::lines::{CHUNK, LineIndex, STRIDE, without_break};
use zeview_core::model::{Document, NodeId, NodeKind, SourceError, Sources, Span};

/// Maximum length of a line in its cell, in bytes.
pub const LINE_SHOWN: u64 = 1000;

type RowRef<'a> = (&'a LineList, u32);

columns! {
    /// The columns.
    pub COLUMNS
    "line" Number Default 0 "Line" "" "The line number, from 1."
        |(_, row), _| Cell::count(u64::from(row) + 1);
    "text" Text Default 0 "Text" "" "The text of the line, without its line break; bytes that are not UTF-8 are shown as \\xff."
        |(list, row), sources| match list.line(row, sources).map(|line| shown(line, sources)) {
            Some(Ok(cell)) => cell,
            _ => Cell::empty(),
        };
}

/// Maximum number of blanks around a span that are ignored when finding its lines.
const BLANKS: u64 = 4096;

/// Returns the bytes of a line without its line break.
fn unbroken(line: Span, sources: &Sources) -> Result<Span, SourceError> {
    let tail = sources.read_clamped(line.skip(line.len().saturating_sub(2)))?;
    let broken = tail.len() - without_break(&tail).len();
    Ok(line.subspan(0, line.len() - broken as u64))
}

/// Formats the first [`LINE_SHOWN`] bytes of a line.
fn shown(line: Span, sources: &Sources) -> Result<Cell<'static>, SourceError> {
    let span = unbroken(line, sources)?;
    let bytes = sources.read_clamped(span.subspan(0, LINE_SHOWN))?;
    // Does not split a character.
    let cut = match std::str::from_utf8(&bytes) {
        Err(error) if error.error_len().is_none() && span.len() > LINE_SHOWN => {
            bytes.get(..error.valid_up_to()).unwrap_or(&bytes)
        }
        _ => &bytes,
    };
    Ok(Cell::text(readable(cut)).at(Some(span.subspan(0, cut.len() as u64))))
}

/// Decodes text, with `\xff` in place of invalid UTF-8.
fn readable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str("\\x");
            for digit in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(digit.into(), 16));
            }
        }
    }
    out
}

/// Returns a text as it is in the file, with `\xff` in place of invalid UTF-8.
///
/// # Errors
///
/// A message, if it is longer than `limit` bytes or cannot be read.
pub fn text(of: Span, sources: &Sources, limit: usize) -> Result<String, String> {
    if of.len() > limit as u64 {
        return Err("This text is too long to copy. Save it instead.".to_owned());
    }
    let bytes = sources
        .read_clamped(of)
        .map_err(|error| error.to_string())?;
    Ok(readable(&bytes))
}

struct LineList {
    index: LineIndex,
    /// The block of [`STRIDE`] lines that was requested last, with the number of its first line.
    block: RefCell<(u64, Vec<Span>)>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Text,
    shape: Shape::Text,
    details: Details::IfAny,
    tab: Some(Tab {
        in_images: true,
        has_bytes: false,
        ..Tab::of_file("text", "Text", |file| file.any.text)
    }),
    ..Declaration::table(
        ListId::Lines,
        "lines",
        || COLUMNS,
        Words {
            title: "Text",
            one: "line",
            many: "lines",
            hint: "Find in this text",
            none: "No readable text.",
        },
    )
};

/// Whether a node is a document: it may have texts.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    let node = document.node(id);
    node.is_some_and(|node| node.kind == NodeKind::File)
}

/// Reads the lines of the text or module that the query is of.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let of = query.of?;
    let modules = document.module_texts(id).into_iter();
    let mut modules = modules.map(|(_, module)| module);
    Some(match modules.find(|module| module.span() == of) {
        Some(module) => module_lines::list(module, &document.sources),
        None => list(of, &document.sources),
    })
}

/// Returns the list of the lines of a text; scans the text once.
fn list(text: Span, sources: &Sources) -> Rc<dyn List> {
    Rc::new(LineList {
        index: LineIndex::new(sources, text),
        block: RefCell::default(),
    })
}

impl LineList {
    /// Returns the bytes of a line, with its line break.
    fn line(&self, row: u32, sources: &Sources) -> Option<Span> {
        let first = u64::from(row) / STRIDE * STRIDE;
        let mut block = self.block.borrow_mut();
        if block.0 != first || block.1.is_empty() {
            let mut lines = Vec::new();
            self.index.lines_from(sources, first, &mut |number, line| {
                lines.push(line);
                number + 1 < first + STRIDE
            });
            *block = (first, lines);
        }
        let place = usize::try_from(u64::from(row) - first).ok()?;
        block.1.get(place).copied()
    }
}

impl List for LineList {
    fn id(&self) -> ListId {
        ListId::Lines
    }

    fn count(&self) -> u32 {
        u32::try_from(self.index.count).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match CELLS.get(column).filter(|_| row < self.count()) {
            Some(cell) => cell((self, row), sources),
            None => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        unbroken(self.line(row, sources)?, sources).ok()
    }

    /// Ignores blanks around the bytes.
    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let text = self.index.span;
        let span = Some(span).filter(|span| text.contains(*span) && *span != text)?;
        let head = sources.read_clamped(span.subspan(0, BLANKS)).ok()?;
        let tail = span.skip(span.len().saturating_sub(BLANKS));
        let tail = sources.read_clamped(tail).ok()?;
        let before = head.len() - head.trim_ascii_start().len();
        let after = tail.len() - tail.trim_ascii_end().len();
        let (start, end) = (span.start + before as u64, span.end - after as u64);
        let (start, end) = if start < end {
            (start, end - 1)
        } else {
            (span.start, span.start)
        };
        let first = u32::try_from(self.index.line_at(sources, start)?).ok()?;
        let last = u32::try_from(self.index.line_at(sources, end)?).ok()?;
        Some(first..last.saturating_add(1))
    }

    fn notes(&self) -> Vec<String> {
        left_out(self.index.count - u64::from(self.count()))
    }

    /// For the text column, returns the length of the longest line in bytes.
    fn largest(&self, column: usize, _: &Sources) -> Option<f64> {
        // A width on the screen: exact below 2^53.
        #[allow(clippy::cast_precision_loss)]
        (column == 1).then_some(self.index.longest as f64)
    }
}

/// Returns the next match in a text at or after `from` (or the last before it), wrapping around.
///
/// # Errors
///
/// If the bytes cannot be read.
pub fn find(
    text: Span,
    typed: &str,
    from: u64,
    forward: bool,
    sources: &Sources,
) -> Result<Option<Match>, SourceError> {
    let needle = typed.as_bytes();
    let Some(first) = needle.first() else {
        return Ok(None);
    };
    let mut count = 0;
    let mut best: Option<(u64, u64)> = None;
    let mut around: Option<(u64, u64)> = None;
    let mut at = text.start;
    while at < text.end {
        let step = CHUNK.max(needle.len() as u64);
        let window = text.subspan(at - text.start, step + needle.len() as u64 - 1);
        let bytes = sources.read_clamped(window)?;
        let starts = bytes.iter().enumerate();
        let starts = starts.filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
        for (place, _) in starts {
            let here = bytes.get(place..).and_then(|rest| rest.get(..needle.len()));
            if place as u64 >= step || !here.is_some_and(|h| h.eq_ignore_ascii_case(needle)) {
                continue;
            }
            count += 1;
            let found = (at + place as u64, count);
            match forward {
                true if found.0 >= from => best = best.or(Some(found)),
                true => around = around.or(Some(found)),
                false if found.0 < from => best = Some(found),
                false => around = Some(found),
            }
        }
        at += step;
    }
    Ok(best.or(around).map(|(start, ordinal)| Match {
        span: Span::with_len(text.source, start, needle.len() as u64),
        ordinal,
        count,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::CellValue;
    use zeview_core::model::{MemorySource, SourceId};

    fn sources(text: &[u8]) -> (Sources, Span) {
        let source = MemorySource::from(text.to_vec());
        let span = Span::with_len(SourceId::FILE, 0, text.len() as u64);
        (Sources::new("text", Box::new(source)), span)
    }

    #[test]
    fn invalid_utf8_is_escaped() {
        assert_eq!(readable(b"a\xff\xc3\xa4\xc3"), "a\\xff\u{e4}\\xc3");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = "\u{e4}".repeat(2000) + "\r\n";
        let (sources, span) = sources(format!("a{long}").as_bytes());
        let cell = shown(span, &sources).unwrap();
        assert!(matches!(cell.value, CellValue::Text(text) if text.len() == 999));
        assert_eq!(cell.span, Some(span.subspan(0, 999)));
        assert_eq!(unbroken(span, &sources).unwrap().len(), 4001);
    }

    #[test]
    fn rows_are_lines_in_any_order() {
        let text: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let (sources, span) = sources(text.as_bytes());
        let list = list(span, &sources);
        assert_eq!(list.count(), 200);
        for row in (0..200).rev().chain([63, 64, 0, 199]) {
            let cell = list.cell(row, 1, &sources);
            assert_eq!(cell.value.text(), format!("line {row}"));
            assert_eq!(cell.span, list.entry(row, &sources));
            let at = list.rows_at(cell.span.unwrap(), &sources);
            assert_eq!(at, Some(row..row + 1));
        }
        assert_eq!(list.entry(200, &sources), None);
        assert_eq!(list.cell(200, 0, &sources), Cell::empty());
    }

    #[test]
    fn searches_wrap_around() {
        let (sources, span) = sources(b"ab xAB x ab");
        let start = |from, forward| {
            let found = find(span, "aB", from, forward, &sources).unwrap().unwrap();
            assert_eq!(found.count, 3);
            (found.span.start, found.ordinal)
        };
        assert_eq!(start(0, true), (0, 1));
        assert_eq!(start(1, true), (4, 2));
        assert_eq!(start(10, true), (0, 1));
        assert_eq!(start(4, false), (0, 1));
        assert_eq!(start(0, false), (9, 3));
        assert_eq!(find(span, "abc", 0, true, &sources), Ok(None));
        assert_eq!(find(span, "", 0, true, &sources), Ok(None));
    }

    #[test]
    fn a_match_across_two_pieces_is_found_once() {
        let edge = usize::try_from(CHUNK).unwrap();
        for at in [edge - 3, edge - 1, edge] {
            let mut text = vec![b'.'; 2 * edge];
            text[at..at + 3].copy_from_slice(b"end");
            let (sources, span) = sources(&text);
            let found = find(span, "end", 0, true, &sources).unwrap().unwrap();
            assert_eq!((found.span.start, found.count), (at as u64, 1));
        }
    }
}
