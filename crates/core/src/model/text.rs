//! Values and whole documents as stable text: the output of `zeview dump`, the content of the
//! golden tests, and the values in the page.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Finding;
use super::diagnostic::Diagnostic;
use super::document::{Document, PAGE};
use super::node::{Node, NodeKind};
use super::span::{SourceId, Span};
use super::value::{Radix, Value};
pub use super::words::GROUP;
pub use super::words::{
    count_of, counted, cut_before, cut_end, cut_middle, grouped, hex, percent, place_text, plural,
    push_byte, size,
};

/// Maximum number of bytes of a blob in its line.
const PREVIEW: u64 = 16;

/// Formats a value in one line: `64`, `0x40`, `ET_REL (1)`, `"vecadd"`, `ALLOC | WRITE`.
pub fn value_text(value: &Value) -> String {
    let mut text = String::new();
    push_value(&mut text, value);
    text
}

/// Appends a value, formatted as by [`value_text`].
pub fn push_value(out: &mut String, value: &Value) {
    match value {
        Value::None | Value::Bytes => {}
        Value::Unsigned {
            raw,
            radix,
            symbol: None,
            ..
        } => push_number(out, *raw, *radix),
        Value::Unsigned {
            raw,
            radix,
            symbol: Some(symbol),
            ..
        } => {
            push_visible(out, symbol);
            out.push_str(" (");
            push_number(out, *raw, *radix);
            out.push(')');
        }
        Value::Signed { raw, .. } => {
            if *raw < 0 {
                out.push('-');
            }
            push_decimal(out, raw.unsigned_abs());
        }
        Value::Float(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Flags { raw, set, rest, .. } => push_flags(out, *raw, set, *rest),
        Value::Text { text, .. } => push_quoted(out, text),
    }
}

fn push_flags(out: &mut String, raw: u64, set: &[super::value::Str], rest: u64) {
    push_number(out, raw, Radix::Hex);
    if set.is_empty() && rest == 0 {
        return;
    }
    for (i, name) in set.iter().enumerate() {
        out.push_str(if i == 0 { " " } else { " | " });
        out.push_str(name);
    }
    if rest != 0 {
        out.push_str(if set.is_empty() { " " } else { " | " });
        out.push_str("unknown ");
        push_number(out, rest, Radix::Hex);
    }
}

fn push_number(out: &mut String, raw: u64, radix: Radix) {
    match radix {
        Radix::Decimal => push_decimal(out, raw),
        Radix::Hex => {
            out.push_str("0x");
            push_hex(out, raw, 1);
        }
    }
}

fn push_decimal(out: &mut String, mut raw: u64) {
    let mut digits = [b'0'; 20];
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = digit_of(raw % 10);
        raw /= 10;
        used += 1;
        if raw == 0 {
            break;
        }
    }
    push_ascii(out, digits.get(20 - used..).unwrap_or(&[]));
}

/// Appends at least `width` hexadecimal digits, at most 16.
pub(super) fn push_hex(out: &mut String, raw: u64, width: usize) {
    let significant = (64 - raw.leading_zeros() as usize).div_ceil(4);
    let used = significant.max(width).clamp(1, 16);
    let mut digits = [b'0'; 16];
    for (i, digit) in digits.iter_mut().rev().enumerate() {
        *digit = digit_of((raw >> (4 * i)) & 15);
    }
    push_ascii(out, digits.get(16 - used..).unwrap_or(&[]));
}

fn digit_of(value: u64) -> u8 {
    b"0123456789abcdef"
        .get(usize::try_from(value).unwrap_or(0))
        .copied()
        .unwrap_or(b'?')
}

fn push_ascii(out: &mut String, bytes: &[u8]) {
    out.push_str(std::str::from_utf8(bytes).unwrap_or(""));
}

/// Appends text in quotes, escaped as by [`push_visible`], with quotes and backslashes escaped too.
pub fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    if text.contains(['"', '\\']) {
        for c in text.chars() {
            if matches!(c, '"' | '\\') {
                out.push('\\');
            }
            push_visible(out, c.encode_utf8(&mut [0; 4]));
        }
    } else {
        push_visible(out, text);
    }
    out.push('"');
}

/// Appends text with control characters and bidirectional formatting characters escaped, so that it
/// cannot be mistaken for other text.
pub fn push_visible(out: &mut String, text: &str) {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            c if is_unseen(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

/// Escapes text for display, as [`push_visible`] does.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_visible(&mut out, text);
    out
}

/// Returns text as Markdown, in which none of it is markup: on one line, and also at its start.
pub fn markdown(text: &str) -> String {
    let text = escaped(text);
    let mut out = String::with_capacity(text.len());
    // A list, a rule, or the underline of a heading.
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at_checked(digits).unwrap_or(("", &text));
    let mut start = rest.chars();
    let is_marker = match start.next() {
        Some('-' | '+' | '=') => digits == 0,
        Some('.' | ')') => digits > 0,
        _ => false,
    };
    out.push_str(number);
    if is_marker && !start.next().is_some_and(char::is_alphanumeric) {
        out.push('\\');
    }
    for c in rest.chars() {
        if matches!(
            c,
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '~' | '&' | '$'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the edit distance with neighbors swapped as one step (optimal string alignment).
pub use strsim::osa_distance as distance;

/// Whether a character may be displayed as something else or not at all: control characters,
/// zero-width and bidirectional characters (Unicode's Default_Ignorable_Code_Point; UAX #9), and
/// line and paragraph separators.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Options for printing a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOptions {
    /// Maximum number of levels below the selected node; `None` for all.
    pub depth: Option<usize>,
    /// Maximum length of the output, in bytes. Nodes beyond it are left out.
    pub limit: Option<u64>,
}

/// Prints a node and everything below it, one line per node: offset, length, name, value. Returns
/// the first node that the limit leaves out.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_tree(
    document: &Document,
    node: &Node,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<Option<Node>> {
    let mut printer = Printer {
        document,
        depth_max: options.depth.unwrap_or(usize::MAX),
        budget: options.limit.unwrap_or(u64::MAX),
        left_out: None,
        line: String::with_capacity(1 << 16),
        out,
    };
    printer.node(node, 0)?;
    printer.flush()?;
    Ok(printer.left_out)
}

struct Printer<'a> {
    document: &'a Document,
    depth_max: usize,
    /// Remaining length of the output, in bytes.
    budget: u64,
    left_out: Option<Node>,
    line: String,
    out: &'a mut dyn Write,
}

impl Printer<'_> {
    fn node(&mut self, node: &Node, depth: usize) -> io::Result<()> {
        if self.budget == 0 {
            self.left_out.get_or_insert_with(|| node.clone());
            return Ok(());
        }
        let before = self.line.len();
        self.push_line(node, depth);
        let written = self.line.len().saturating_sub(before) as u64;
        self.budget = self.budget.saturating_sub(written);
        if self.line.len() > 1 << 15 {
            self.flush()?;
        }
        if depth >= self.depth_max {
            return Ok(());
        }
        let count = match depth {
            0 => self.document.count(node),
            _ => self.document.walked_children(node),
        };
        let mark = self.document.registry.mark();
        let mut at = 0;
        while at < count && self.left_out.is_none() {
            let end = count.min(at + PAGE);
            for child in self.document.make(node, at..end) {
                if self.left_out.is_none() && !child.is_default() {
                    self.node(&child, depth + 1)?;
                }
            }
            at = end;
        }
        self.document.registry.release(mark);
        Ok(())
    }

    fn push_line(&mut self, node: &Node, depth: usize) {
        let line = &mut self.line;
        push_location(line, node.span);
        line.push_str("  ");
        for _ in 0..depth {
            line.push_str("  ");
        }
        if node.indexed {
            line.push('[');
            push_decimal(line, node.index);
            line.push_str("] ");
        }
        push_visible(line, &node.name);
        if let Some(bits) = node.bits {
            let _ = write!(line, " [{}]", bits.text());
        }
        let before = line.len();
        line.push_str("  ");
        push_value(line, &node.value);
        if node.value == Value::Bytes {
            self.push_preview(node);
        }
        if self.line.len() == before + 2 {
            self.line.truncate(before);
        }
        if let Some(summary) = &node.summary {
            self.line.push_str("  · ");
            push_visible(&mut self.line, summary);
        }
        for xref in &node.xrefs {
            self.line.push_str("  → ");
            self.line.push_str(&xref.why);
            if !xref.label.is_empty() {
                self.line.push(' ');
                push_visible(&mut self.line, &xref.label);
            }
        }
        match node.kind {
            NodeKind::Gap => self.line.push_str("  (gap)"),
            NodeKind::Derived => self.line.push_str("  (derived)"),
            _ => {}
        }
        self.line.push('\n');
    }

    fn push_preview(&mut self, node: &Node) {
        let Some(span) = node.span else { return };
        let Ok(bytes) = self.document.sources.read_clamped(span.subspan(0, PREVIEW)) else {
            self.line.push_str("unreadable");
            return;
        };
        for (i, byte) in bytes.iter().enumerate() {
            if i > 0 {
                self.line.push(' ');
            }
            push_byte(&mut self.line, *byte);
        }
        if span.len() > PREVIEW {
            self.line.push_str(" …");
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

/// Appends the offset and length in columns; derived values have neither.
fn push_location(line: &mut String, span: Option<Span>) {
    let Some(span) = span else {
        line.push_str("       -        -");
        return;
    };
    if span.source != SourceId::FILE {
        push_decimal(line, u64::from(span.source.0));
        line.push(':');
    }
    push_hex(line, span.start, 8);
    let before = line.len();
    push_decimal(line, span.len());
    let width = line.len() - before;
    let missing = 9usize.saturating_sub(width);
    let blanks = "         ".get(..missing).unwrap_or("");
    line.insert_str(before, blanks);
}

/// Formats a diagnostic as a few lines of text.
pub fn diagnostic_text(diagnostic: &Diagnostic, path: &str) -> String {
    let span = diagnostic.primary.span;
    let mut text = format!(
        "{}[{}]: {}\n  at {:#x}..{:#x}",
        diagnostic.severity.name(),
        diagnostic.rule,
        escaped(&diagnostic.message),
        span.start,
        span.end
    );
    if span.source != SourceId::FILE {
        let _ = write!(text, " of source {}", span.source.0);
    }
    if !path.is_empty() {
        let _ = write!(text, " ({})", escaped(path));
    }
    if !diagnostic.primary.text.is_empty() {
        let _ = write!(text, ": {}", escaped(&diagnostic.primary.text));
    }
    text.push('\n');
    for label in &diagnostic.secondary {
        let _ = writeln!(
            text,
            "  see {:#x}..{:#x}: {}",
            label.span.start,
            label.span.end,
            escaped(&label.text)
        );
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(text, "  help: {}", escaped(help));
    }
    text
}

/// Formats a finding of a verdict as two lines of text.
pub fn finding_text(finding: &Finding, path: &str) -> String {
    let mut text = format!(
        "{}[{}]: {}\n  at {:#x}..{:#x}",
        finding.effect.name(),
        finding.rule,
        escaped(&finding.message),
        finding.span.start,
        finding.span.end
    );
    if !path.is_empty() {
        let _ = write!(text, " ({})", escaped(path));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(value_text(&Value::decimal(0, 32)), "0");
        assert_eq!(
            value_text(&Value::decimal(u64::MAX, 64)),
            u64::MAX.to_string()
        );
        assert_eq!(value_text(&Value::hex(0x40, 64)), "0x40");
        assert_eq!(value_text(&Value::hex(u64::MAX, 64)), "0xffffffffffffffff");
        assert_eq!(
            value_text(&Value::decimal(1, 16).named("ET_REL")),
            "ET_REL (1)"
        );
        let least = Value::Signed {
            raw: i64::MIN,
            bits: 64,
        };
        assert_eq!(value_text(&least), i64::MIN.to_string());
    }

    #[test]
    fn nothing_is_markup_in_markdown() {
        for (text, written) in [
            ("a|b<c>_d", r"a\|b\<c\>\_d"),
            ("[x](y) ![z](w)", r"\[x\](y) !\[z\](w)"),
            ("$_0 ~x~ #1 &lt; `c` \\", r"\$\_0 \~x\~ \#1 \&lt; \`c\` \\"),
            ("a\n# b\u{202e}", r"a\\n\# b\\u{202e}"),
            // At the start of a line.
            ("- x", r"\- x"),
            ("---", r"\---"),
            ("+", r"\+"),
            ("1. x", r"1\. x"),
            ("12) x", r"12\) x"),
            ("-x", "-x"),
            ("-0.25", "-0.25"),
            ("1.5", "1.5"),
            ("12", "12"),
            ("a - b", "a - b"),
            ("", ""),
        ] {
            assert_eq!(markdown(text), written);
        }
    }

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(escaped("a\u{202e}b\n\"\u{7}"), "a\\u{202e}b\\n\"\\u{7}");
        assert_eq!(escaped("é plain"), "é plain");
        assert_eq!(value_text(&Value::text("a\"b\\")), r#""a\"b\\""#);
    }
}
