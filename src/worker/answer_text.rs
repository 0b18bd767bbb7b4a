//! What requests about readable texts are answered.

use super::answer::EXPORT_MAX;
use super::protocol::{Ask, LINE_SHOWN, ListPage, ListPlace, ROWS_MAX, Response};
use crate::decode::text::{LineIndex, without_break};
use crate::model::linkage::list::{Cell, Row};
use crate::model::{Document, NodeId, SourceError, Sources, Span};

/// So much of a text is looked through at once.
const CHUNK: u64 = 256 * 1024;

/// Answers about texts, and where the lines of the last one start.
#[derive(Default)]
pub(super) struct TextDesk {
    index: Option<LineIndex>,
}

impl TextDesk {
    pub(super) fn answer(
        &mut self,
        document: &Document,
        id: NodeId,
        text: Span,
        ask: &Ask,
    ) -> Result<Response, String> {
        let sources = &document.sources;
        let answered = match ask {
            Ask::Rows(start, count) => self.lines(sources, text, *start, *count),
            Ask::At(span) => {
                let lines = self.lines_of(sources, text, *span);
                Ok(place(id, lines))
            }
            Ask::Find(typed, from, forward) => {
                find(sources, text, typed, *from, *forward).map(|found| place(id, found))
            }
            Ask::Written(_) if text.len() > EXPORT_MAX as u64 => {
                return Err("This text is too long to be copied: save it instead.".to_owned());
            }
            Ask::Written(_) => sources
                .read_clamped(text)
                .map(|bytes| Response::Text(readable(&bytes))),
        };
        answered.map_err(|error| error.to_string())
    }

    fn index(&mut self, sources: &Sources, text: Span) -> &LineIndex {
        let known = self.index.take().filter(|index| index.span == text);
        let index = known.unwrap_or_else(|| LineIndex::new(sources, text));
        self.index.insert(index)
    }

    fn lines(
        &mut self,
        sources: &Sources,
        text: Span,
        start: u64,
        count: u64,
    ) -> Result<Response, SourceError> {
        let index = self.index(sources, text);
        let end = start.saturating_add(count.min(ROWS_MAX));
        let mut spans = Vec::new();
        index.lines_from(sources, start, &mut |number, line| {
            if number < end {
                spans.push(line);
            }
            number < end
        });
        let rows = spans.into_iter().map(|line| line_row(sources, line));
        Ok(Response::List(Box::new(ListPage {
            rows: rows.collect::<Result<_, _>>()?,
            start,
            found: index.count,
            total: index.count,
            left_out: 0,
            longest: index.longest,
            trouble: None,
        })))
    }

    /// The lines that some bytes are in, but for blanks around them: their bytes, the number of
    /// the first, and how many they are.
    fn lines_of(&mut self, sources: &Sources, text: Span, span: Span) -> Option<(Span, u64, u64)> {
        let span = Some(span).filter(|span| text.contains(*span) && *span != text)?;
        let head = sources.read_clamped(span.sub(0, BLANKS)).ok()?;
        let tail = span.from(span.len().saturating_sub(BLANKS));
        let tail = sources.read_clamped(tail).ok()?;
        let before = head.len() - head.trim_ascii_start().len();
        let after = tail.len() - tail.trim_ascii_end().len();
        let (start, end) = (span.start + before as u64, span.end - after as u64);
        let (start, end) = match start < end {
            true => (start, end - 1),
            false => (span.start, span.start),
        };
        let index = self.index(sources, text);
        let first = index.line_at(sources, start)?;
        let last = index.line_at(sources, end)?;
        let mut bytes: Option<Span> = None;
        for number in [first, last] {
            index.lines_from(sources, number, &mut |_, line| {
                let from = bytes.map_or(line.start, |bytes| bytes.start);
                bytes = Some(Span::new(line.source, from, line.end));
                false
            });
        }
        Some((bytes?, first, last - first + 1))
    }
}

/// So many blanks around something are not counted to its lines.
const BLANKS: u64 = 4096;

fn place(document: NodeId, found: Option<(Span, u64, u64)>) -> Response {
    Response::ListAt(Box::new(ListPlace {
        document,
        place: found.map(|(_, place, _)| place),
        entry: found.map(|(entry, _, _)| entry),
        title: String::new(),
        links: Vec::new(),
        count: found.map_or(0, |(_, _, count)| count),
        filter: String::new(),
    }))
}

fn line_row(sources: &Sources, line: Span) -> Result<Row, SourceError> {
    let tail = sources.read_clamped(line.from(line.len().saturating_sub(2)))?;
    let broken = tail.len() - without_break(&tail).len();
    let span = line.sub(0, line.len() - broken as u64);
    let bytes = sources.read_clamped(span.sub(0, LINE_SHOWN))?;
    // A character is not cut in two.
    let cut = match std::str::from_utf8(&bytes) {
        Err(error) if error.error_len().is_none() && span.len() > LINE_SHOWN => {
            bytes.get(..error.valid_up_to()).unwrap_or(&bytes)
        }
        _ => &bytes,
    };
    let rest = span.from(cut.len() as u64);
    Ok(Row {
        span,
        cells: vec![Cell {
            text: readable(cut),
            other: None,
            to: (!rest.is_empty()).then_some(rest),
        }],
    })
}

/// The text of bytes; those that are not UTF-8 stand as `\xff`.
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

/// The match at `from` or after it (before it, backwards), around the end: its bytes, the how
/// manieth it is, and how many there are.
fn find(
    sources: &Sources,
    text: Span,
    typed: &str,
    from: u64,
    forward: bool,
) -> Result<Option<(Span, u64, u64)>, SourceError> {
    let needle = typed.as_bytes();
    let Some(first) = needle.first() else {
        return Ok(None);
    };
    let mut total = 0;
    let mut best: Option<(u64, u64)> = None;
    let mut around: Option<(u64, u64)> = None;
    let mut at = text.start;
    while at < text.end {
        let step = CHUNK.max(needle.len() as u64);
        let window = text.sub(at - text.start, step + needle.len() as u64 - 1);
        let bytes = sources.read_clamped(window)?;
        let starts = bytes.iter().enumerate();
        let starts = starts.filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
        for (place, _) in starts {
            let here = bytes.get(place..).and_then(|rest| rest.get(..needle.len()));
            if place as u64 >= step || !here.is_some_and(|h| h.eq_ignore_ascii_case(needle)) {
                continue;
            }
            total += 1;
            let found = (at + place as u64, total);
            match forward {
                true if found.0 >= from => best = best.or(Some(found)),
                true => around = around.or(Some(found)),
                false if found.0 < from => best = Some(found),
                false => around = Some(found),
            }
        }
        at += step;
    }
    let found = best.or(around);
    Ok(found.map(|(start, number)| {
        let span = Span::at(text.source, start, needle.len() as u64);
        (span, number, total)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MemorySource, SourceId};

    fn sources(text: &[u8]) -> (Sources, Span) {
        let source = MemorySource::from(text.to_vec());
        let span = Span::at(SourceId::FILE, 0, text.len() as u64);
        (Sources::new("text", Box::new(source)), span)
    }

    #[test]
    fn bytes_that_are_no_text_are_shown() {
        assert_eq!(readable(b"a\xff\xc3\xa4\xc3"), "a\\xff\u{e4}\\xc3");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = "\u{e4}".repeat(2000) + "\r\n";
        let (sources, span) = sources(format!("a{long}").as_bytes());
        let row = line_row(&sources, span).unwrap();
        assert_eq!(row.cells[0].text.len(), 999);
        assert_eq!(row.cells[0].to, Some(span.sub(999, 3002)));
        assert_eq!(row.span.len(), 4001);
    }

    #[test]
    fn matches_are_found_around_both_ends() {
        let (sources, span) = sources(b"ab xAB x ab");
        let start = |from, forward| {
            let (found, number, total) =
                find(&sources, span, "aB", from, forward).unwrap().unwrap();
            assert_eq!(total, 3);
            (found.start, number)
        };
        assert_eq!(start(0, true), (0, 1));
        assert_eq!(start(1, true), (4, 2));
        assert_eq!(start(10, true), (0, 1));
        assert_eq!(start(4, false), (0, 1));
        assert_eq!(start(0, false), (9, 3));
        assert_eq!(find(&sources, span, "abc", 0, true), Ok(None));
        assert_eq!(find(&sources, span, "", 0, true), Ok(None));
    }

    #[test]
    fn a_match_over_the_edge_of_two_pieces_is_found_once() {
        let edge = usize::try_from(CHUNK).unwrap();
        for at in [edge - 3, edge - 1, edge] {
            let mut text = vec![b'.'; 2 * edge];
            text[at..at + 3].copy_from_slice(b"end");
            let (sources, span) = sources(&text);
            let (found, _, total) = find(&sources, span, "end", 0, true).unwrap().unwrap();
            assert_eq!((found.start, total), (at as u64, 1));
        }
    }
}
