//! Reports as plain text or Markdown: titles, items and tables.

use std::io::{self, Write};

use zeview::model::text::{escaped, markdown};
use zeview::tables::table::{ColumnHeader, Table};

/// Indentation of tables in plain text.
const INDENT: &str = "    ";

/// Writer of plain text or Markdown. It escapes its arguments.
pub struct Outline<'a, W> {
    out: &'a mut W,
    is_markdown: bool,
    has_text: bool,
    /// Whether the last line is an item, which a blank line separates from a table in Markdown.
    is_in_list: bool,
}

impl<'a, W: Write> Outline<'a, W> {
    pub fn new(out: &'a mut W, is_markdown: bool) -> Outline<'a, W> {
        Outline {
            out,
            is_markdown,
            has_text: false,
            is_in_list: false,
        }
    }

    fn escape(&self, text: &str) -> String {
        if self.is_markdown {
            markdown(text)
        } else {
            escaped(text)
        }
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.has_text = true;
        writeln!(self.out, "{}", self.escape(text))
    }

    /// Starts a part of the report.
    pub fn title(&mut self, text: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.has_text, true) {
            writeln!(self.out)?;
        }
        self.is_in_list = false;
        let text = self.escape(text);
        if self.is_markdown {
            writeln!(self.out, "## {text}\n")
        } else {
            writeln!(self.out, "{text}")
        }
    }

    /// Writes an item below a title.
    pub fn item(&mut self, text: &str) -> io::Result<()> {
        self.bullet(" ", "*", text)
    }

    /// Starts a section below a title.
    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        self.is_in_list = false;
        let text = self.escape(text);
        if self.is_markdown {
            writeln!(self.out, "\n### {text}\n")
        } else {
            writeln!(self.out, "  {text}:")
        }
    }

    /// Writes an item below a heading.
    pub fn entry(&mut self, text: &str) -> io::Result<()> {
        self.bullet("   ", "*", text)
    }

    /// Writes an item below an entry.
    pub fn sub_item(&mut self, text: &str) -> io::Result<()> {
        self.bullet("       ", "  *", text)
    }

    fn bullet(&mut self, plain: &str, markdown: &str, text: &str) -> io::Result<()> {
        self.is_in_list = true;
        let bullet = if self.is_markdown { markdown } else { plain };
        writeln!(self.out, "{bullet} {}", self.escape(text))
    }

    /// Writes a table below a title or heading.
    pub fn table<const N: usize>(
        &mut self,
        columns: [ColumnHeader; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> io::Result<()> {
        let mut table = Table::new(columns.into());
        for row in rows {
            table.rows.push(row.map(|cell| self.escape(&cell)));
        }
        if self.is_markdown {
            let blank = if self.is_in_list { "\n" } else { "" };
            return write!(self.out, "{blank}{}", table.markdown());
        }
        let (above, rows) = table.lines();
        for cells in above.into_iter().chain(rows) {
            writeln!(self.out, "{INDENT}{}", cells.join("  "))?;
        }
        Ok(())
    }
}
