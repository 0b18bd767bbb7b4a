//! What is printed. Names in a file can hold anything, and so can the names of files: a
//! terminal must show it, not obey it.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use zeview::model::text::push_visible;

/// Writes text with every control character shown as an escape, but for the ends of lines.
/// JSON and CSV have rules of their own, and are written without it.
pub struct Visible<W: Write> {
    out: W,
    /// The beginning of a character whose end has not been written yet.
    partial: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub fn new(out: W) -> Visible<W> {
        Visible {
            out,
            partial: Vec::new(),
        }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.partial) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.partial.len(),
        };
        let rest = self.partial.split_off(end);
        let whole = std::mem::replace(&mut self.partial, rest);
        let text = String::from_utf8_lossy(&whole);
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            push_visible(&mut shown, line.strip_suffix('\n').unwrap_or(line));
            shown.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Standard output for text.
pub fn text() -> Visible<BufWriter<StdoutLock<'static>>> {
    Visible::new(raw())
}

/// Standard output for JSON and CSV.
pub fn raw() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Prints a line to standard error.
pub fn print_error(what: fmt::Arguments<'_>) {
    // There is nobody to tell that standard error cannot be written to.
    let _ = writeln!(Visible::new(io::stderr().lock()), "zeview: {what}");
}

/// Prints a line to standard error: [`print_error`] in the form of `format!`.
macro_rules! complain {
    ($($what:tt)*) => { $crate::output::print_error(format_args!($($what)*)) };
}
pub(crate) use complain;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        let mut out = Vec::new();
        let text = "a\x1b]0;x\x07\u{202e}b\r\nä\u{9b}1m\n";
        // In pieces that cut characters in two.
        let mut visible = Visible::new(&mut out);
        for piece in text.as_bytes().chunks(1) {
            visible.write_all(piece).unwrap();
        }
        let expected = "a\\u{1b}]0;x\\u{7}\\u{202e}b\\r\nä\\u{9b}1m\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
