//! Splits the text into lines of tokens, as the driver does.

use super::Fault;
use crate::zebin::verdict::rules;

/// A token of the text.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// Its offset in the text.
    pub start: u32,
    /// Its length in bytes.
    pub len: u32,
    /// Its kind.
    pub kind: TokenKind,
    /// Its first byte, by which the driver distinguishes single characters.
    pub first: u8,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word before the colon.
    Identifier,
    /// A word after the colon, or quoted text.
    Text,
    /// A number, or a lone plus.
    Number,
    /// A single character, including the line end.
    Character,
    /// The text after a `#`.
    Comment,
    /// `---` or `...`.
    Section,
    /// `[`
    ListStart,
    /// `]`
    ListEnd,
}

/// A line's tokens.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Its first token.
    pub first: u32,
    /// Its last token: the line end.
    pub last: u32,
    /// Its indentation. The driver keeps 16 bits.
    pub indent: u16,
    /// Its kind.
    pub kind: LineKind,
    /// Whether it contains an inline list.
    pub list: bool,
    /// Whether it contains a colon.
    pub colon: bool,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// An empty line, a comment or a marker.
    Unused,
    /// `key: value`
    Entry,
    /// `- …`
    Item,
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub struct Tokens {
    /// All tokens.
    pub tokens: Vec<Token>,
    /// The lines that are complete.
    pub lines: Vec<Line>,
    /// The offsets of tabs in the indentation.
    pub tabs: Vec<u32>,
    /// Whether the text ends without a line break.
    pub open_end: bool,
    /// The error that stops the driver.
    pub fault: Option<Fault>,
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// Continues a word: digits, letters, `_ - .` and blanks.
const WORD: u8 = 4;

static CLASSES: [u8; 256] = classes();

#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        if byte.is_ascii_alphabetic() || byte == b'_' {
            table[at] = LETTER | WORD;
        } else if byte.is_ascii_digit() {
            table[at] = DIGIT | WORD;
        } else if matches!(byte, b'-' | b'.' | b' ' | b'\t') {
            table[at] = WORD;
        }
        at += 1;
    }
    table
}

fn is(byte: u8, class: u8) -> bool {
    CLASSES
        .get(usize::from(byte))
        .is_some_and(|c| c & class != 0)
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

struct Tokenizer<'a> {
    text: &'a [u8],
    /// The maximum number of tokens.
    most: usize,
    pos: usize,
    out: Tokens,
    indent: u32,
    line_first: u32,
    in_indent: bool,
    list: bool,
    colon: bool,
}

/// Splits a text into tokens, and stops after more than `most`. `after` is the byte after the text,
/// which the driver reads if the last line has no line break.
pub fn tokenize(text: &[u8], after: u8, most: usize) -> Tokens {
    let mut run = Tokenizer {
        text,
        most,
        pos: 0,
        out: Tokens {
            tokens: Vec::with_capacity(most.min(text.len() / 6)),
            lines: Vec::with_capacity(most.min(text.len() / 24)),
            ..Tokens::default()
        },
        indent: 0,
        line_first: 0,
        in_indent: true,
        list: false,
        colon: false,
    };
    while let Some(&byte) = text.get(run.pos) {
        if let Err(fault) = run.step(byte) {
            run.out.fault = Some(fault);
            return run.out;
        }
        if run.out.tokens.len() > most {
            return run.out;
        }
    }
    if run
        .out
        .tokens
        .last()
        .is_some_and(|token| token.first != b'\n')
    {
        run.out.open_end = true;
        // The driver ignores an error here.
        let _ = run.end_line(after);
    }
    run.out.tokens.shrink_to_fit();
    run.out.lines.shrink_to_fit();
    run.out.tabs.shrink_to_fit();
    run.out
}

impl Tokenizer<'_> {
    fn push(&mut self, kind: TokenKind, len: usize, first: u8) {
        self.push_token(Token {
            start: position(self.pos),
            len: position(len),
            kind,
            first,
        });
        self.pos += len;
    }

    #[inline]
    fn push_token(&mut self, token: Token) {
        make_room(&mut self.out.tokens, self.most);
        self.out.tokens.push(token);
    }

    fn fault(&self, rule: &'static crate::rule::Rule) -> Fault {
        Fault {
            rule,
            at: position(self.pos),
        }
    }

    fn step(&mut self, byte: u8) -> Result<(), Fault> {
        if is(byte, LETTER) {
            self.word(byte);
            return Ok(());
        }
        match byte {
            b' ' => {
                let rest = self.text.get(self.pos..).unwrap_or(&[]);
                let run = rest.iter().take_while(|byte| **byte == b' ').count();
                if self.in_indent {
                    self.indent = self.indent.wrapping_add(position(run));
                }
                self.pos += run;
            }
            b'\n' => self.end_line(b'\n')?,
            b':' => {
                self.colon = true;
                self.in_indent = false;
                self.push(TokenKind::Character, 1, byte);
            }
            b'\t' => {
                if self.in_indent {
                    self.indent = self.indent.wrapping_add(4);
                    make_room(&mut self.out.tabs, usize::MAX);
                    self.out.tabs.push(position(self.pos));
                }
                self.pos += 1;
            }
            // Both are skipped wherever they are; a lone CR does not end a line (observed).
            b'\r' | 0 => self.pos += 1,
            b'#' => self.comment(),
            b'"' | b'\'' => self.quoted(byte)?,
            b'-' => self.dash(),
            b'.' => self.dot(),
            b'[' => {
                if !is_inline_list(self.text.get(self.pos..).unwrap_or(&[])) {
                    return Err(self.fault(&rules::YAML_INLINE_LIST));
                }
                self.list = true;
                self.push(TokenKind::ListStart, 1, byte);
            }
            b']' | b',' => {
                if !self.list {
                    return Err(self.fault(&rules::YAML_INLINE_LIST));
                }
                let kind = if byte == b']' {
                    TokenKind::ListEnd
                } else {
                    TokenKind::Character
                };
                self.push(kind, 1, byte);
            }
            b'{' | b'}' => return Err(self.fault(&rules::YAML_BRACE)),
            _ => {
                self.in_indent = false;
                let end = number_end(self.text, self.pos, true);
                if end <= self.pos {
                    return Err(self.fault(&rules::YAML_CHARACTER));
                }
                self.push(TokenKind::Number, end - self.pos, byte);
            }
        }
        Ok(())
    }

    /// A word may contain blanks; trailing ones do not count.
    fn word(&mut self, first: u8) {
        self.in_indent = false;
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        let run = rest.iter().take_while(|byte| is(**byte, WORD)).count();
        let word = rest.get(..run).unwrap_or(rest);
        let len = word.trim_ascii_end().len();
        let kind = if self.colon {
            TokenKind::Text
        } else {
            TokenKind::Identifier
        };
        self.push(kind, len, first);
        self.pos += run - len;
    }

    fn comment(&mut self) {
        self.in_indent = false;
        self.push(TokenKind::Character, 1, b'#');
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        let len = rest.iter().take_while(|byte| **byte != b'\n').count();
        if let (true, Some(&first)) = (len > 0, rest.first()) {
            self.push(TokenKind::Comment, len, first);
        }
    }

    /// Quoted text ends at the next quote of the same kind without a preceding backslash, on any
    /// line.
    fn quoted(&mut self, quote: u8) -> Result<(), Fault> {
        self.in_indent = false;
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        let mut before = quote;
        for (at, &byte) in rest.iter().enumerate().skip(1) {
            if byte == quote && before != b'\\' {
                self.push(TokenKind::Text, at + 1, quote);
                return Ok(());
            }
            before = byte;
        }
        Err(self.fault(&rules::YAML_OPEN_QUOTE))
    }

    fn dash(&mut self) {
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        if self.in_indent && rest.starts_with(b"---") {
            self.push(TokenKind::Section, 3, b'-');
        } else {
            let len = number_end(self.text, self.pos, true).saturating_sub(self.pos);
            let kind = if len > 1 {
                TokenKind::Number
            } else {
                TokenKind::Character
            };
            self.push(kind, len.max(1), b'-');
        }
        self.in_indent = false;
    }

    fn dot(&mut self) {
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        if self.in_indent && rest.starts_with(b"...") {
            self.push(TokenKind::Section, 3, b'.');
        } else {
            self.push(TokenKind::Character, 1, b'.');
        }
        self.in_indent = false;
    }

    fn end_line(&mut self, first: u8) -> Result<(), Fault> {
        let last = position(self.out.tokens.len());
        self.push_token(Token {
            start: position(self.pos),
            len: 1,
            kind: TokenKind::Character,
            first,
        });
        let begin = self.line_first;
        let start = usize::try_from(begin)
            .ok()
            .and_then(|at| self.out.tokens.get(at))
            .copied();
        let kind = match start {
            Some(token) if last != begin => match (token.kind, token.first) {
                (TokenKind::Identifier, _) => LineKind::Entry,
                (TokenKind::Character, b'-') => LineKind::Item,
                (TokenKind::Character, b'#') | (TokenKind::Section, _) => LineKind::Unused,
                _ => {
                    return Err(Fault {
                        rule: &rules::YAML_LINE_START,
                        at: token.start,
                    });
                }
            },
            _ => LineKind::Unused,
        };
        // The driver keeps the lower half.
        #[allow(clippy::cast_possible_truncation)]
        let indent = self.indent as u16;
        make_room(&mut self.out.lines, self.most);
        self.out.lines.push(Line {
            first: begin,
            last,
            indent,
            kind,
            list: self.list,
            colon: self.colon,
        });
        self.pos += 1;
        self.indent = 0;
        self.line_first = position(self.out.tokens.len());
        self.in_indent = true;
        self.list = false;
        self.colon = false;
        Ok(())
    }
}

/// Grows by half, up to one more than `most`: doubling would need twice the memory.
#[inline]
fn make_room<T>(list: &mut Vec<T>, most: usize) {
    const FIRST: usize = 64;
    let len = list.len();
    if len == list.capacity() {
        let wanted = (len / 2).max(FIRST);
        list.reserve_exact(wanted.min(most.saturating_sub(len).saturating_add(1)));
    }
}

/// The end of the number at `pos`: `pos` if there is none or if a letter follows the digits, or the
/// byte after the sign if nothing else follows.
fn number_end(text: &[u8], pos: usize, sign: bool) -> usize {
    let Some(&byte) = text.get(pos) else {
        return pos;
    };
    if is(byte, DIGIT) {
        let hex = byte == b'0' && matches!(text.get(pos + 1), Some(b'x' | b'X'));
        let from = if hex { pos + 2 } else { pos };
        let rest = text.get(from..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|b| {
            if hex {
                b.is_ascii_hexdigit()
            } else {
                b.is_ascii_digit() || **b == b'.'
            }
        });
        let end = from + digits.count();
        return match text.get(end) {
            // `1e1` and `4gb` are no numbers, and no words either.
            Some(next) if next.is_ascii_alphabetic() => pos,
            _ => end,
        };
    }
    match sign && matches!(byte, b'+' | b'-') {
        true if pos + 1 < text.len() => number_end(text, pos + 1, false),
        true => pos + 1,
        false => pos,
    }
}

/// Returns whether the text starts with a bracketed list of letters and digits, separated by
/// commas, with only blanks after it on the line.
fn is_inline_list(text: &[u8]) -> bool {
    let (mut item, mut closed) = (false, false);
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => break,
            b' ' | b'\t' | b'\r' => at += 1,
            b']' if !item || !closed => {
                closed = true;
                at += 1;
            }
            b',' if item && !closed => {
                item = false;
                at += 1;
            }
            _ if !item && byte.is_ascii_alphanumeric() => {
                let rest = text.get(at..).unwrap_or(&[]);
                at += rest
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric())
                    .count();
                item = true;
            }
            _ => return false,
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::{is_inline_list, number_end};

    #[test]
    fn numbers_end_before_other_characters() {
        for (text, end) in [
            ("12 ", 2),
            ("12", 2),
            ("1.5,", 3),
            ("0x1F]", 4),
            ("0Xf", 3),
            ("0x", 2),
            ("-3 ", 2),
            ("+40", 3),
            ("-", 1),
            ("--1", 1),
            ("- 1", 1),
            ("-a", 1),
            ("12a", 0),
            ("0x1g", 0),
            ("-1a", 1),
            ("a", 0),
            ("", 0),
        ] {
            assert_eq!(number_end(text.as_bytes(), 0, true), end, "{text:?}");
        }
        assert_eq!(number_end(b"k: -12", 3, true), 6);
        assert_eq!(number_end(b"-1", 0, false), 0);
    }

    #[test]
    fn bracketed_lists() {
        for text in [
            "[]",
            "[ ]",
            "[1]",
            "[1, 2]",
            "[ a ,b2, 3 ] \t\r",
            "[1,]",
            "[1]\nx",
        ] {
            assert!(is_inline_list(text.as_bytes()), "{text:?}");
        }
        for text in [
            "[", "[1", "[1\n]", "[,]", "[1 2]", "[1] x", "[1,,2]", "[a-b]", "[[1]]", "[1],",
        ] {
            assert!(!is_inline_list(text.as_bytes()), "{text:?}");
        }
    }
}
