//! The lines of a module of an intermediate representation, as a list: the rows of
//! [`ListId::Lines`] for a module.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::lines::{COLUMNS, LINE_SHOWN};
use super::{Cell, CodeRow, CodeWord, Detail, List, ListId, Match, RowDetails};
use zeview_core::analysis::assembly::TextPartKind;
use zeview_core::analysis::module_text::{IdStyle, ModuleText, TextLine, TokenKind};
use zeview_core::model::{Sources, Span, Xref};

/// Maximum number of uses of an id that are listed.
const USES: usize = 50;

/// Maximum length of a line among the uses of an id, in characters.
const USE_SHOWN: usize = 100;

/// Number of lines whose lengths are compared; with more, the width is that of a cut line.
const COMPARED: u32 = 4096;

struct ModuleLines {
    module: Rc<dyn ModuleText>,
    count: u32,
    /// The line that was requested last.
    last: RefCell<Option<(u32, Rc<TextLine>)>>,
}

/// Returns the list of the lines of a module.
pub(super) fn list(module: Rc<dyn ModuleText>, sources: &Sources) -> Rc<dyn List> {
    Rc::new(ModuleLines {
        count: module.count(sources),
        module,
        last: RefCell::default(),
    })
}

impl ModuleLines {
    fn line(&self, row: u32, sources: &Sources) -> Option<Rc<TextLine>> {
        let mut last = self.last.borrow_mut();
        if let Some((known, line)) = &*last
            && *known == row
        {
            return Some(Rc::clone(line));
        }
        let line = self.module.line(row, IdStyle::Names, sources)?;
        let line = Rc::new(line);
        *last = Some((row, Rc::clone(&line)));
        Some(line)
    }

    /// Returns the first [`LINE_SHOWN`] bytes of a line with its tokens.
    fn shown(&self, row: u32, sources: &Sources) -> Option<(String, TextLine)> {
        let mut line = TextLine::clone(&*self.line(row, sources)?);
        let span = line.span;
        let most = usize::try_from(LINE_SHOWN).unwrap_or(usize::MAX);
        let (mut text, mut tokens) = line.readable();
        if text.len() > most {
            // A boundary of characters.
            let cut = (0..=most).rev().find(|at| text.is_char_boundary(*at));
            text.truncate(cut.unwrap_or(0));
            let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
            tokens.retain_mut(|token| {
                token.end = token.end.min(end);
                token.start < end
            });
        }
        line = TextLine {
            span,
            tokens,
            ..TextLine::default()
        };
        Some((text, line))
    }
}

impl List for ModuleLines {
    fn id(&self) -> ListId {
        ListId::Lines
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match COLUMNS.get(column).map(|column| column.id) {
            _ if row >= self.count => Cell::empty(),
            Some("line") => Cell::count(u64::from(row) + 1),
            Some("text") => match self.shown(row, sources) {
                Some((text, line)) => Cell::text(text).at(Some(line.span)),
                None => Cell::empty(),
            },
            _ => Cell::empty(),
        }
    }

    fn code_row(&self, row: u32, sources: &Sources) -> Option<CodeRow> {
        let (_, line) = self.shown(row, sources)?;
        let starts_function = |kind: TokenKind| {
            let is_start = kind == TokenKind::Opcode && !self.folded_rows(row, sources).is_empty();
            is_start.then_some(row)
        };
        let words = line.tokens.iter().map(|token| {
            let definition = match token.kind {
                TokenKind::Id(id) => {
                    let row = self.module.definition(id, sources);
                    row.and_then(|row| self.module.bytes_of(row, sources))
                }
                _ => None,
            };
            CodeWord {
                start: token.start,
                end: token.end,
                role: None,
                name: 0,
                kind: Some(TextPartKind::Token {
                    kind: token.kind,
                    span: token.span,
                    definition,
                    function: starts_function(token.kind),
                }),
            }
        });
        Some(CodeRow {
            words: words.collect(),
            ..CodeRow::default()
        })
    }

    fn folded_rows(&self, start: u32, sources: &Sources) -> Vec<Range<u32>> {
        let rows = self.module.function_at(start, sources);
        let hidden = rows.map(|rows| rows.start.saturating_add(1)..rows.end);
        hidden
            .filter(|hidden| !hidden.is_empty())
            .into_iter()
            .collect()
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        self.module.bytes_of(row, sources)
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let whole = self.module.span();
        let span = Some(span).filter(|span| whole.contains(*span) && *span != whole)?;
        let first = self.module.row_at(span.start, sources)?;
        let last = span.end.saturating_sub(1).max(span.start);
        let last = self.module.row_at(last, sources)?;
        Some(first..last.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> RowDetails {
        let Some((text, line)) = self.shown(row, sources) else {
            return RowDetails::default();
        };
        let result = line.tokens.iter().find_map(|token| match token.kind {
            TokenKind::Result(id) => Some(id),
            _ => None,
        });
        let Some(id) = result else {
            return RowDetails::default();
        };
        let mut uses = self.module.uses(id, 0, USES + 1, sources);
        let has_more = uses.len() > USES;
        uses.truncate(USES);
        let links = uses.into_iter().filter_map(|row| {
            let (text, line) = self.shown(row, sources)?;
            let short: String = text.trim_start().chars().take(USE_SHOWN).collect();
            Some(Xref {
                why: "used by".into(),
                label: short.into(),
                to: line.span,
            })
        });
        RowDetails {
            title: text.trim_start().to_owned(),
            links: links.collect(),
            detail: Detail::Definition { has_more },
        }
    }

    /// For the text column, returns the length of the longest line in bytes, or of a cut line.
    fn largest(&self, column: usize, sources: &Sources) -> Option<f64> {
        if column != 1 {
            return None;
        }
        let lengths = || {
            let lines = (0..self.count).filter_map(|row| self.line(row, sources));
            lines.map(|line| line.text.len() as u64).max()
        };
        let most = match self.count {
            0..=COMPARED => lengths().unwrap_or(0),
            _ => LINE_SHOWN,
        };
        // A width on the screen: exact below 2^53.
        #[allow(clippy::cast_precision_loss)]
        Some(most as f64)
    }
}

/// Returns the lines of a module with some of its bytes, as `spirv-dis` writes them.
///
/// # Errors
///
/// A message, if they are longer than `limit` bytes.
pub fn text(
    module: &dyn ModuleText,
    of: Span,
    sources: &Sources,
    limit: usize,
) -> Result<String, String> {
    let first = module.row_at(of.start, sources).unwrap_or(0);
    let mut out = Vec::new();
    for row in first..module.count(sources) {
        if module
            .bytes_of(row, sources)
            .is_none_or(|span| span.start >= of.end)
        {
            break;
        }
        if let Some(line) = module.line(row, IdStyle::Names, sources) {
            out.extend_from_slice(&line.text);
            out.push(b'\n');
        }
        if out.len() > limit {
            return Err("This text is too long to copy. Select fewer lines.".to_owned());
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Returns the next line with a text, at or after the byte `from` of the source (or the last before
/// it), wrapping around. Ignores ASCII case.
pub fn find(
    module: &dyn ModuleText,
    typed: &str,
    from: u64,
    forward: bool,
    sources: &Sources,
) -> Option<Match> {
    let needle = typed.as_bytes();
    let first = *needle.first()?;
    let has = |text: &[u8]| {
        let starts = text.windows(needle.len());
        let mut starts =
            starts.filter(|part| part.first().is_some_and(|b| b.eq_ignore_ascii_case(&first)));
        starts.any(|part| part.eq_ignore_ascii_case(needle))
    };
    let mut count = 0;
    let mut best: Option<(Span, u64)> = None;
    let mut around: Option<(Span, u64)> = None;
    for row in 0..module.count(sources) {
        let Some(line) = module.line(row, IdStyle::Names, sources) else {
            continue;
        };
        if !has(&line.text) {
            continue;
        }
        count += 1;
        let found = (line.span, count);
        match forward {
            true if line.span.start >= from => best = best.or(Some(found)),
            true => around = around.or(Some(found)),
            false if line.span.start < from => best = Some(found),
            false => around = Some(found),
        }
    }
    best.or(around).map(|(span, ordinal)| Match {
        span,
        ordinal,
        count,
    })
}
