//! Output. Names of files and in files can contain anything, so control characters are escaped
//! before they reach a terminal. The only escape sequences written are those of [`style`].

use std::fmt::{self, Display};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use anstyle::Style;
use zeview::decode::limits;
use zeview::model::account::{Account, MeteredWriter};
use zeview::model::text::{cut_middle, escaped, is_unseen, push_visible};
use zeview::model::{Document, SourceId};
use zeview::tables::table::Table;
use zeview::tables::write::Form;

use crate::style;

/// Writer that shows control characters other than line ends as escapes. [`Visible::json`] uses
/// JSON escapes. CSV bypasses this writer unless it goes to a terminal.
pub struct Visible<W: Write> {
    out: W,
    escape: fn(&mut String, &str),
    /// Start of a character whose end has not been written yet.
    partial: Vec<u8>,
    colors: bool,
}

impl<W: Write> Visible<W> {
    pub fn new(out: W, colors: bool) -> Visible<W> {
        Visible {
            out,
            escape: push_visible,
            partial: Vec::new(),
            colors,
        }
    }

    /// Returns a writer for JSON, which contains control characters only within strings.
    pub fn json(out: W) -> Visible<W> {
        Visible {
            escape: push_json,
            ..Visible::new(out, false)
        }
    }

    /// Writes text in a style, if colors are enabled.
    pub fn paint(&mut self, style: Style, text: impl Display) -> io::Result<()> {
        if !self.colors || style.is_plain() {
            return write!(self, "{text}");
        }
        // Not through `self`, which would escape the style, too.
        write!(self.out, "{style}")?;
        write!(self, "{text}")?;
        write!(self.out, "{style:#}")
    }

    /// Returns whether colors are enabled.
    pub fn colors(&self) -> bool {
        self.colors
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Almost all text has nothing to escape.
        if self.partial.is_empty() && is_harmless(bytes) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.partial.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.partial) {
            // The bytes end within a character, whose other bytes are still to come.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.partial.len(),
        };
        let rest = self.partial.split_off(end);
        let whole = std::mem::replace(&mut self.partial, rest);
        let text = String::from_utf8_lossy(&whole);
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            (self.escape)(&mut shown, line.strip_suffix('\n').unwrap_or(line));
            shown.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns whether these are whole characters and lines with nothing to escape.
fn is_harmless(bytes: &[u8]) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut rest = text;
    loop {
        // Blocks are checked without branches, many bytes at once.
        let (blocks, _) = rest.as_bytes().as_chunks::<32>();
        let is_block_plain = |block: &&[u8; 32]| {
            let special = block.iter().map(|byte| u8::from(!is_plain(*byte)));
            special.fold(0, |all, one| all | one) == 0
        };
        let blocks = blocks.iter().take_while(is_block_plain).count();
        let plain = rest.as_bytes().iter().skip(blocks * 32);
        let plain = blocks * 32 + plain.take_while(|byte| is_plain(**byte)).count();
        // All of these bytes are ASCII.
        let mut others = rest.get(plain..).unwrap_or_default().chars();
        match others.next() {
            None => return true,
            Some(c) if is_unseen(c) => return false,
            Some(_) => rest = others.as_str(),
        }
    }
}

/// Appends the contents of a JSON string, with invisible characters as JSON escapes.
fn push_json(out: &mut String, text: &str) {
    for c in text.chars() {
        if !is_unseen(c) {
            out.push(c);
            continue;
        }
        // JSON escapes units of UTF-16 (RFC 8259, section 7).
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
}

/// Writer of text output.
pub type Text = Visible<MeteredWriter<BufWriter<Box<dyn Write>>>>;

/// Returns standard output for text.
pub fn text() -> Text {
    text_to(stdout())
}

/// Returns a text writer to another destination.
pub fn text_to(out: Box<dyn Write>) -> Text {
    Visible::new(metered(out, &unlimited()), colors())
}

/// Returns standard output for text, limited by `account`.
pub fn text_within(account: &Rc<Account>) -> Text {
    Visible::new(metered(stdout(), account), colors())
}

/// Returns standard output for text in a format that has no escapes, limited by `account`: verbatim
/// for programs, and escaped for terminals.
pub fn verbatim_within(account: &Rc<Account>) -> Box<dyn Write> {
    if io::stdout().is_terminal() {
        Box::new(text_within(account))
    } else {
        Box::new(metered(plain(), account))
    }
}

fn metered(out: Box<dyn Write>, account: &Rc<Account>) -> MeteredWriter<BufWriter<Box<dyn Write>>> {
    MeteredWriter::new(BufWriter::with_capacity(1 << 16, out), Rc::clone(account))
}

/// Returns an account without a limit.
pub fn unlimited() -> Rc<Account> {
    Rc::new(Account::new(u64::MAX))
}

/// Returns an account for the output of a command. It starts empty; each opened file adds its
/// budget ([`allow`]).
pub fn account() -> Rc<Account> {
    Rc::new(Account::new(0))
}

/// Returns the output budget of a file.
pub fn budget(document: &Document) -> Rc<Account> {
    let account = account();
    allow(&account, document);
    account
}

/// Adds the output budget of a file.
pub fn allow(account: &Account, document: &Document) {
    let size = document.sources.whole(SourceId::FILE).len();
    account.reset(limits::output(size));
}

/// Returns standard output without escaping, for HTML and Markdown.
pub fn raw() -> BufWriter<Box<dyn Write>> {
    BufWriter::with_capacity(1 << 16, plain())
}

/// Whether the command continues after the reader of standard output has gone.
static GOES_ON: AtomicBool = AtomicBool::new(false);
/// Whether the reader of standard output has gone.
static READER_GONE: AtomicBool = AtomicBool::new(false);
/// Whether a message was printed to standard error.
static COMPLAINED: AtomicBool = AtomicBool::new(false);

/// Discards output after its reader has gone, instead of ending the command with an error: the exit
/// status describes the files, even if the output is not read to its end.
pub fn outlive_reader() {
    GOES_ON.store(true, Ordering::Relaxed);
}

/// Returns whether some of the output was discarded.
pub fn is_reader_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

/// Returns whether a message was printed to standard error.
pub fn has_printed_message() -> bool {
    COMPLAINED.load(Ordering::Relaxed)
}

/// Returns standard output without escaping or limit.
fn plain() -> Box<dyn Write> {
    outliving(io::stdout().lock())
}

fn outliving(out: impl Write + 'static) -> Box<dyn Write> {
    if GOES_ON.load(Ordering::Relaxed) {
        Box::new(Lenient::new(out, || {
            READER_GONE.store(true, Ordering::Relaxed);
        }))
    } else {
        Box::new(out)
    }
}

/// Returns standard output for JSON, limited by `account`.
pub fn json_within(account: &Rc<Account>) -> Text {
    Visible::json(metered(plain(), account))
}

/// Returns standard output for this form. CSV is written verbatim for programs and escaped for
/// terminals.
pub fn of(form: Form) -> Box<dyn Write> {
    match form {
        Form::Plain => stdout(),
        Form::Json => Box::new(Visible::json(plain())),
        _ if io::stdout().is_terminal() => Box::new(Lines::new(Visible::new(plain(), false))),
        _ => plain(),
    }
}

/// Writes CSV to a terminal with line breaks in quoted cells as escapes, so that no cell starts a
/// line.
struct Lines<W> {
    out: W,
    is_quoted: bool,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Lines<W> {
        Lines {
            out,
            is_quoted: false,
        }
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A quote in a cell is doubled, which leaves the state unchanged.
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'"' | b'\n')) {
            match piece.split_last() {
                Some((b'\n', line)) if self.is_quoted => {
                    self.out.write_all(line)?;
                    self.out.write_all(b"\\n")?;
                }
                last => {
                    self.out.write_all(piece)?;
                    self.is_quoted ^= matches!(last, Some((b'"', _)));
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns standard output, which translates styles for old Windows consoles.
pub fn stdout() -> Box<dyn Write> {
    if colors() {
        outliving(AutoStream::always(io::stdout().lock()))
    } else {
        plain()
    }
}

/// Returns whether standard output has colors.
pub fn colors() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns the width of the terminal in characters, or `None` if standard output is not a terminal.
pub fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let from_environment = std::env::var("COLUMNS").ok();
    let from_environment = from_environment.and_then(|columns| columns.parse().ok());
    let from_terminal = || terminal_size::terminal_size().map(|(width, _)| width.0.into());
    from_environment
        .or_else(from_terminal)
        .filter(|width| *width > 0)
}

/// Writer that discards output after its reader has gone, and then calls a function.
struct Lenient<W> {
    out: W,
    is_broken: bool,
    broken: fn(),
}

impl<W: Write> Lenient<W> {
    fn new(out: W, broken: fn()) -> Lenient<W> {
        Lenient {
            out,
            is_broken: false,
            broken,
        }
    }

    fn unless_broken(&mut self, outcome: io::Result<()>) -> io::Result<()> {
        match outcome {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_broken = true;
                (self.broken)();
                Ok(())
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for Lenient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_broken {
            let written = self.out.write_all(bytes);
            self.unless_broken(written)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_broken {
            Ok(())
        } else {
            let flushed = self.out.flush();
            self.unless_broken(flushed)
        }
    }
}

/// Fits a table to the terminal, if any. Returns the columns left out.
pub fn fit(table: &mut Table) -> Vec<String> {
    width().map(|width| table.fit(width)).unwrap_or_default()
}

/// Reports the columns that a table leaves out.
pub fn report_left_out(columns: &[String]) {
    if !columns.is_empty() {
        let columns = columns.join(", ");
        complain!("left out, as the terminal is too narrow: {columns}");
    }
}

/// On a terminal, shortens long text in the middle.
pub fn shortened(text: &str) -> String {
    const LONG: usize = 48;
    if io::stdout().is_terminal() {
        cut_middle(text, LONG).into_owned()
    } else {
        text.to_owned()
    }
}

/// Prints a table, fitted to the terminal, and reports the columns that it leaves out.
pub fn print_fitted(table: &mut Table, out: &mut Visible<impl Write>) -> io::Result<()> {
    let left_out = fit(table);
    print_table(table, out, |_| style::PLAIN)?;
    out.flush()?;
    report_left_out(&left_out);
    Ok(())
}

/// Prints a table.
pub fn print_table(
    table: &Table,
    out: &mut Visible<impl Write>,
    style_of: impl Fn(usize) -> Style,
) -> io::Result<()> {
    print_indented(table, "", out, style_of)
}

/// Prints a table, with `indent` before each line.
pub fn print_indented(
    table: &Table,
    indent: &str,
    out: &mut Visible<impl Write>,
    style_of: impl Fn(usize) -> Style,
) -> io::Result<()> {
    let (above, rows) = table.lines();
    for cells in above.iter().filter(|cells| !cells.is_empty()) {
        out.write_all(indent.as_bytes())?;
        print_cells(cells, out, |_| style::HEAD)?;
    }
    for cells in rows {
        out.write_all(indent.as_bytes())?;
        print_cells(&cells, out, &style_of)?;
    }
    Ok(())
}

/// Prints the cells of one line.
fn print_cells(
    cells: &[String],
    out: &mut Visible<impl Write>,
    style_of: impl Fn(usize) -> Style,
) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.write_all(b"  ")?;
        }
        // Tables have many cells: skip formatting where none is needed.
        match style_of(at) {
            style if out.colors && !style.is_plain() => out.paint(style, cell)?,
            _ => out.write_all(cell.as_bytes())?,
        }
    }
    writeln!(out)
}

/// Prints a single line to standard error, with line breaks escaped.
pub fn print_error(what: fmt::Arguments<'_>) {
    COMPLAINED.store(true, Ordering::Relaxed);
    let error = io::stderr();
    let choice = AutoStream::choice(&error);
    let colors = choice != anstream::ColorChoice::Never;
    let mut out = Visible::new(AutoStream::new(error.lock(), choice), colors);
    // An error of writing to standard error cannot be reported.
    let _ = out
        .paint(style::HEAD, "zeview:")
        .and_then(|()| writeln!(out, " {}", escaped(&what.to_string())));
}

/// Prints a line that belongs to the last message of [`print_error`], indented.
pub fn print_detail(text: &str) {
    let error = io::stderr();
    let choice = AutoStream::choice(&error);
    let colors = choice != anstream::ColorChoice::Never;
    let mut out = Visible::new(AutoStream::new(error.lock(), choice), colors);
    // An error of writing to standard error cannot be reported.
    let _ = writeln!(out, "  {}", escaped(text));
}

/// Prints a line to standard error, in the form of `format!`; see [`print_error`].
macro_rules! complain {
    ($($what:tt)*) => { $crate::output::print_error(format_args!($($what)*)) };
}
pub(crate) use complain;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let mut out = Vec::new();
        let text = "a\x1b]0;x\x07\u{202e}b\r\nä\u{9b}1m\n";
        // Pieces that split characters.
        let mut visible = Visible::new(&mut out, false);
        for piece in text.as_bytes().chunks(1) {
            visible.write_all(piece).unwrap();
        }
        let expected = "a\\u{1b}]0;x\\u{7}\\u{202e}b\\r\nä\\u{9b}1m\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn json_uses_json_escapes() {
        let text = "{\"a\": \"\u{7f}\u{202e}\u{9b}1m\u{e0041}ä\"}\n";
        let mut out = Vec::new();
        let mut visible = Visible::json(&mut out);
        for piece in text.as_bytes().chunks(1) {
            visible.write_all(piece).unwrap();
        }
        let written = String::from_utf8(out).unwrap();
        assert_eq!(
            written,
            "{\"a\": \"\\u007f\\u202e\\u009b1m\\udb40\\udc41ä\"}\n"
        );
        let [before, after] = [text, &written].map(serde_json::from_str::<serde_json::Value>);
        assert_eq!(before.unwrap(), after.unwrap());
    }

    #[test]
    fn csv_cells_cannot_start_a_line() {
        let text = "name,size\n\"a\nFORGED: \"\"x\"\"\ny\",1\nb,2\n";
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        for piece in text.as_bytes().chunks(3) {
            lines.write_all(piece).unwrap();
        }
        let expected = "name,size\n\"a\\nFORGED: \"\"x\"\"\\ny\",1\nb,2\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn styles_are_the_only_escape_sequences() {
        for (colors, expected) in [
            (true, "\x1b[1m\\u{1b}[31mx\x1b[0m"),
            (false, "\\u{1b}[31mx"),
        ] {
            let mut out = Vec::new();
            let mut visible = Visible::new(&mut out, colors);
            visible.paint(style::HEAD, "\x1b[31mx").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn output_without_a_reader_is_discarded() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(ErrorKind::StorageFull.into())
            }
        }
        let mut out = Lenient::new(Gone, || {});
        assert!(out.flush().is_err());
        assert!(out.write_all(b"x").is_ok() && out.is_broken);
        assert!(out.write_all(b"y").is_ok() && out.flush().is_ok());
    }
}
