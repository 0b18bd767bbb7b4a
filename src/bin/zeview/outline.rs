//! Reports as plain text or Markdown: titles, items and tables.

use std::io::{self, Write};

use zeview::model::text::{escaped, markdown};
use zeview::tables::table::{ColumnHeader, Table};

use crate::output::{Visible, print_indented};
use crate::style;

/// Indentation of tables in plain text.
const INDENT: &str = "    ";

/// Writer of plain text or Markdown. It escapes its arguments.
pub struct Outline<'a, W: Write> {
    out: &'a mut Visible<W>,
    is_markdown: bool,
    has_text: bool,
    /// Whether the last line is an item, which a blank line separates from a table in Markdown.
    is_in_list: bool,
}

impl<'a, W: Write> Outline<'a, W> {
    pub fn new(out: &'a mut Visible<W>, is_markdown: bool) -> Outline<'a, W> {
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
            self.out.paint(style::HEAD, text)?;
            writeln!(self.out)
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
            self.out.paint(style::HEAD, format_args!("  {text}:"))?;
            writeln!(self.out)
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

    /// Writes an instruction below an entry.
    pub fn instruction(&mut self, text: &str) -> io::Result<()> {
        if self.is_markdown {
            return self.sub_item(text);
        }
        self.is_in_list = true;
        self.out.write_all(b"        ")?;
        style::print_assembly(&escaped(text), self.out)?;
        writeln!(self.out)
    }

    fn bullet(&mut self, plain: &str, markdown: &str, text: &str) -> io::Result<()> {
        self.is_in_list = true;
        let bullet = if self.is_markdown { markdown } else { plain };
        let text = self.escape(text);
        // What limits the figures, and what is unknown.
        let style = match () {
            () if self.is_markdown => style::PLAIN,
            () if text.starts_with("note: ") || text.starts_with("assumed: ") => style::NOTE,
            () if text.contains(": unknown: ") || text.starts_with("not matched: ") => {
                style::WARNING
            }
            () => style::PLAIN,
        };
        write!(self.out, "{bullet} ")?;
        self.out.paint(style, text)?;
        writeln!(self.out)
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
        print_indented(&table, INDENT, self.out, |_| style::PLAIN)
    }
}
