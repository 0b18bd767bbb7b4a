//! The kernel table as text: CSV, tab-separated, Markdown, JSON, and for a terminal.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::KernelRow;
use super::columns::{COLUMNS, Cell, Column, ColumnKind};
use crate::model::text::escaped;

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Comma-separated, with a line of names (RFC 4180, but lines end as on Unix).
    Csv,
    /// Tab-separated, with a line of titles: what spreadsheets take from the clipboard.
    Tabs,
    /// A table of Markdown, with titles and units.
    Markdown,
    /// An array with one object a kernel; all columns, whatever was chosen.
    Json,
    /// Aligned, for a terminal; titles and units in two lines.
    Plain,
}

/// The rows as text. `file` is a first column of that name for all rows, where there is one.
pub fn write(rows: &[&KernelRow], columns: &[&Column], form: Form, file: Option<&str>) -> String {
    let mut table = Table::new(columns, form, file.is_some());
    for row in rows {
        table.push(row, file);
    }
    table.finish()
}

/// A table that is being written.
pub struct Table<'c> {
    columns: Vec<&'c Column>,
    form: Form,
    with_file: bool,
    out: String,
    /// For [`Form::Plain`], which must know all cells to align them.
    cells: Vec<Vec<String>>,
    count: usize,
}

impl<'c> Table<'c> {
    /// An empty table.
    pub fn new(columns: &[&'c Column], form: Form, with_file: bool) -> Table<'c> {
        let mut table = Table {
            columns: columns.to_vec(),
            form,
            with_file,
            out: String::new(),
            cells: Vec::new(),
            count: 0,
        };
        table.head();
        table
    }

    fn head(&mut self) {
        let file = self.with_file.then_some("file");
        let ids = file.into_iter().chain(self.columns.iter().map(|c| c.id));
        let titles = self.columns.iter().map(|c| c.header());
        let titles = file.map(str::to_owned).into_iter().chain(titles);
        match self.form {
            Form::Csv => {
                let line: Vec<String> = ids.map(csv_text).collect();
                self.out = line.join(",") + "\n";
            }
            Form::Tabs => {
                let line: Vec<String> = titles.collect();
                self.out = line.join("\t") + "\n";
            }
            Form::Markdown => {
                let line: Vec<String> = titles.map(|title| markdown(&title)).collect();
                self.out = format!("| {} |\n|", line.join(" | "));
                if self.with_file {
                    self.out.push_str(" --- |");
                }
                for column in &self.columns {
                    let right = column.kind == ColumnKind::Number;
                    self.out.push_str(if right { " ---: |" } else { " --- |" });
                }
                self.out.push('\n');
            }
            Form::Json => self.out.push('['),
            Form::Plain => {}
        }
    }

    /// Adds a kernel.
    pub fn push(&mut self, row: &KernelRow, file: Option<&str>) {
        let file = if self.with_file { file } else { None };
        let cells = self
            .columns
            .iter()
            .map(|column| (column.id, column.cell(row)));
        match self.form {
            Form::Csv => {
                let file = file.map(csv_text);
                let line: Vec<String> = file
                    .into_iter()
                    .chain(cells.map(|(_, cell)| csv(&cell)))
                    .collect();
                self.out.push_str(&line.join(","));
                self.out.push('\n');
            }
            Form::Tabs => {
                let file = file.map(str::to_owned);
                let line: Vec<String> = file
                    .into_iter()
                    .chain(
                        cells.map(|(_, cell)| cell_guarded(&cell).replace(['\t', '\n', '\r'], " ")),
                    )
                    .collect();
                self.out.push_str(&line.join("\t"));
                self.out.push('\n');
            }
            Form::Markdown => {
                let file = file.map(markdown);
                let line: Vec<String> = file
                    .into_iter()
                    .chain(cells.map(|(_, cell)| markdown(&cell.text())))
                    .collect();
                let _ = writeln!(self.out, "| {} |", line.join(" | "));
            }
            Form::Json => {
                self.out
                    .push_str(if self.count == 0 { "\n" } else { ",\n" });
                push_object(&mut self.out, row, file);
            }
            Form::Plain => {
                let file = file.map(escaped);
                let shown = |(id, cell): (&str, Cell<'_>)| match id {
                    "name" => escaped(row.title()),
                    _ => escaped(&cell.text()),
                };
                self.cells
                    .push(file.into_iter().chain(cells.map(shown)).collect());
            }
        }
        self.count += 1;
    }

    /// What has been written since the last time: a table may be too long to be kept.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// The end of it.
    pub fn finish(mut self) -> String {
        match self.form {
            Form::Json => self
                .out
                .push_str(if self.count == 0 { "]\n" } else { "\n]\n" }),
            Form::Plain => self.align(),
            _ => {}
        }
        self.out
    }

    fn align(&mut self) {
        let titles = self.columns.iter().map(|c| c.title.to_owned());
        let units = self.columns.iter().map(|c| c.unit.to_owned());
        let file = |text: &str| self.with_file.then(|| text.to_owned());
        let titles: Vec<String> = file("File").into_iter().chain(titles).collect();
        let units: Vec<String> = file("").into_iter().chain(units).collect();
        let right = |at: usize| {
            let column = at.checked_sub(usize::from(self.with_file));
            let column = column.and_then(|at| self.columns.get(at));
            column.is_some_and(|column| column.kind == ColumnKind::Number)
        };
        let mut widths: Vec<usize> = vec![0; titles.len()];
        for line in [&titles, &units].into_iter().chain(&self.cells) {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut out = String::new();
        for line in [&titles, &units].into_iter().chain(&self.cells) {
            let mut text = String::new();
            for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                if at > 0 {
                    text.push_str("  ");
                }
                if right(at) {
                    text.push_str(&blanks);
                    text.push_str(cell);
                } else {
                    text.push_str(cell);
                    text.push_str(&blanks);
                }
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        self.out = out;
    }
}

/// One kernel as a JSON object: every column by its name, with defaults filled in. What is not
/// known is `null`, lists of words are arrays, the flags are keys of their own.
fn push_object(out: &mut String, row: &KernelRow, file: Option<&str>) {
    out.push('{');
    let mut separator = "";
    if let Some(file) = file {
        out.push_str("\"file\":");
        push_json_text(out, file);
        separator = ",";
    }
    for column in COLUMNS {
        out.push_str(separator);
        separator = ",";
        push_json_text(out, column.id);
        out.push(':');
        match column.cell(row) {
            Cell::Empty => out.push_str("null"),
            Cell::Text(text) => push_json_text(out, text),
            Cell::Ints([x, y, z]) => {
                let _ = write!(out, "[{x},{y},{z}]");
            }
            Cell::Words(words) => {
                out.push('[');
                for (at, word) in words.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    push_json_text(out, word);
                }
                out.push(']');
            }
            Cell::Number(number) => {
                let _ = write!(out, "{number}");
            }
            cell => out.push_str(&cell.text()),
        }
    }
    out.push('}');
}

/// JSON, RFC 8259, section 7. (The page has no other use for a JSON library.)
fn push_json_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn csv(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(_) | Cell::Words(_) => csv_text(&cell.text()),
        cell => cell.text(),
    }
}

fn cell_guarded(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(_) | Cell::Words(_) => guarded(&cell.text()),
        cell => cell.text(),
    }
}

pub(in crate::model) fn csv_text(text: &str) -> String {
    let text = guarded(text);
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// Spreadsheets take text that starts like this for a formula: a quote before it stops them.
pub(in crate::model) fn guarded(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

pub(in crate::model) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text).chars() {
        if matches!(
            c,
            '|' | '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_a_formula() {
        for text in ["=1+1", "+1", "-1", "@x", "\tx"] {
            assert!(csv_text(text).starts_with('\''), "{text:?}");
        }
        assert_eq!(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_text("=a,b"), "\"'=a,b\"");
    }

    #[test]
    fn markdown_stays_a_table() {
        assert_eq!(markdown("a|b<c>_d"), "a\\|b\\<c\\>\\_d");
    }

    #[test]
    fn json_text() {
        let mut out = String::new();
        push_json_text(&mut out, "a\"\\\n\u{1}é");
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001é\"");
    }
}
