//! Text tables for a terminal.

use std::borrow::Cow;
use std::iter::repeat_n;

use zeview_core::model::text::cut_middle;

/// The header of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnHeader {
    /// Its first line.
    pub title: String,
    /// Its second line; may be empty.
    pub unit: String,
    /// Whether its cells are numbers: right-aligned, and never cut.
    pub is_number: bool,
}

impl ColumnHeader {
    /// Creates the header of a text column.
    pub fn text(title: &str) -> ColumnHeader {
        ColumnHeader {
            title: title.to_owned(),
            unit: String::new(),
            is_number: false,
        }
    }

    /// Creates the header of a column of numbers.
    pub fn number(title: &str) -> ColumnHeader {
        ColumnHeader {
            is_number: true,
            ..ColumnHeader::text(title)
        }
    }

    /// Clears the header's texts.
    pub fn clear(&mut self) {
        self.title.clear();
        self.unit.clear();
    }
}

/// Rows of cells with column headers.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The column headers.
    pub heads: Vec<ColumnHeader>,
    /// The rows, with a cell for each column.
    pub rows: Rows,
    /// Maximum length of a line, in characters.
    width: Option<usize>,
}

/// The cells of all rows in a single text, because a table may have many rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    text: String,
    /// The end of each cell in the text.
    cells: Vec<usize>,
    /// The end of each row in the cells.
    rows: Vec<usize>,
}

impl Rows {
    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item: AsRef<str>>) {
        for cell in cells {
            self.text.push_str(cell.as_ref());
            self.cells.push(self.text.len());
        }
        self.rows.push(self.cells.len());
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
        self.rows.clear();
    }

    /// Returns the total size of the cells in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Returns an iterator over the rows.
    pub fn iter(&self) -> impl Iterator<Item = Vec<&str>> {
        let mut first = 0;
        let mut start = 0;
        self.rows.iter().map(move |end| {
            let cells = self.cells.get(first..*end).unwrap_or_default();
            first = *end;
            let cells = cells.iter().map(|end| {
                let cell = self.text.get(start..*end).unwrap_or_default();
                start = *end;
                cell
            });
            cells.collect()
        })
    }
}

/// Maximum length of a cell, in characters, that widens its column: longer names would fill all
/// other rows with blanks.
const WIDEST: usize = 400;

/// Minimum width of a text column after narrowing, in characters.
const NARROWEST: usize = 16;

/// Number of blanks between two columns.
const BETWEEN: usize = 2;

impl Table {
    /// Creates an empty table.
    pub fn new(heads: Vec<ColumnHeader>) -> Table {
        Table {
            heads,
            ..Table::default()
        }
    }

    /// Limits lines to `width` characters: long text is cut in the middle, and if that is not
    /// enough, the last columns are left out. Returns the headers of those.
    pub fn fit(&mut self, width: usize) -> Vec<String> {
        self.width = Some(width);
        let widths = self.widths();
        let least = widths.iter().zip(&self.heads).map(|(width, head)| {
            if head.is_number {
                *width
            } else {
                (*width).min(NARROWEST)
            }
        });
        let mut end = 0;
        let mut kept = 0;
        for (at, least) in least.enumerate() {
            end += least + if at > 0 { BETWEEN } else { 0 };
            if end > width && at > 0 {
                break;
            }
            kept = at + 1;
        }
        let left_out = self.heads.split_off(kept.min(self.heads.len()));
        let mut names: Vec<String> = left_out.into_iter().map(|head| head.title).collect();
        names.dedup();
        names
    }

    /// Returns the header lines and the rows, with cells padded to the width of their columns.
    pub fn lines(&self) -> (Vec<Vec<String>>, impl Iterator<Item = Vec<String>>) {
        let widths = self.fitted();
        let titles: Vec<&str> = self.heads.iter().map(|head| &*head.title).collect();
        let units: Vec<&str> = self.heads.iter().map(|head| &*head.unit).collect();
        let mut above = vec![self.filled(&titles, &widths)];
        if units.iter().any(|unit| !unit.is_empty()) {
            above.push(self.filled(&units, &widths));
        }
        (
            above,
            self.rows.iter().map(move |row| self.filled(&row, &widths)),
        )
    }

    /// Returns the table as Markdown. The cells are Markdown already.
    pub fn markdown(&self) -> String {
        let mut out = markdown_line(self.heads.iter().map(|head| &head.title));
        out.push_str(&markdown_rule(self.heads.iter().map(|head| head.is_number)));
        out.extend(self.rows.iter().map(markdown_line));
        out
    }

    /// Returns the width that each column needs.
    fn widths(&self) -> Vec<usize> {
        let heads = self.heads.iter();
        let mut widths: Vec<usize> = heads
            .map(|head| length(&head.title).max(length(&head.unit)))
            .collect();
        for row in self.rows.iter() {
            for (width, cell) in widths.iter_mut().zip(row) {
                let length = length(cell);
                if length <= WIDEST {
                    *width = (*width).max(length);
                }
            }
        }
        widths
    }

    /// Returns the width of each column, limited to the width of the table.
    fn fitted(&self) -> Vec<usize> {
        let mut widths = self.widths();
        let Some(most) = self.width else {
            return widths;
        };
        let between = BETWEEN * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + between > most {
            let columns = widths.iter_mut().zip(&self.heads);
            let texts = columns.filter(|(width, head)| !head.is_number && **width > NARROWEST);
            let Some((width, _)) = texts.max_by_key(|(width, _)| **width) else {
                break;
            };
            // One character at a time, so that the widest columns end up equally wide.
            *width -= 1;
        }
        widths
    }

    fn filled(&self, cells: &[&str], widths: &[usize]) -> Vec<String> {
        let columns = cells.iter().zip(widths).zip(&self.heads);
        let cells = columns.map(|((cell, width), head)| {
            let cell = match self.width {
                Some(_) if !head.is_number => cut_middle(cell, *width),
                _ => Cow::Borrowed(*cell),
            };
            let blanks = width.saturating_sub(length(&cell));
            let mut filled = String::with_capacity(cell.len() + blanks);
            if head.is_number {
                filled.extend(repeat_n(' ', blanks));
            }
            filled.push_str(&cell);
            if !head.is_number {
                filled.extend(repeat_n(' ', blanks));
            }
            filled
        });
        let mut cells: Vec<String> = cells.collect();
        // No trailing blanks.
        while let Some(last) = cells.last_mut() {
            last.truncate(last.trim_end().len());
            if !last.is_empty() {
                break;
            }
            cells.pop();
        }
        cells
    }
}

/// Returns a line of a Markdown table.
pub(super) fn markdown_line(cells: impl IntoIterator<Item: AsRef<str>>) -> String {
    let mut line = "|".to_owned();
    for cell in cells {
        for piece in [" ", cell.as_ref(), " |"] {
            line.push_str(piece);
        }
    }
    line.push('\n');
    line
}

/// Returns the line below the titles of a Markdown table; for each column, whether it has numbers.
pub(super) fn markdown_rule(columns: impl IntoIterator<Item = bool>) -> String {
    let rule = columns.into_iter();
    markdown_line(rule.map(|is_number| if is_number { "---:" } else { "---" }))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table) -> String {
        let (above, rows) = table.lines();
        let lines = above.into_iter().chain(rows);
        lines.map(|cells| cells.join("  ") + "\n").collect()
    }

    fn table() -> Table {
        let mut table = Table::new(vec![
            ColumnHeader::text("Name"),
            ColumnHeader::number("Size"),
            ColumnHeader::text("Flags"),
        ]);
        table.rows.push(["abcdefghijklmnopqrstuvwxyz", "12", "x"]);
        table.rows.push(["short", "3", ""]);
        table
    }

    #[test]
    fn columns_fit_their_cells() {
        let expected = "\
Name                        Size  Flags
abcdefghijklmnopqrstuvwxyz    12  x
short                          3
";
        assert_eq!(text(&table()), expected);
    }

    #[test]
    fn names_are_cut_in_the_middle_and_then_columns_are_left_out() {
        let mut narrow = table();
        assert_eq!(narrow.fit(33), [""; 0]);
        let expected = "\
Name                  Size  Flags
abcdefghij…rstuvwxyz    12  x
short                    3
";
        assert_eq!(text(&narrow), expected);
        let mut narrower = table();
        assert_eq!(narrower.fit(24), ["Flags"]);
        let text = text(&narrower);
        assert!(text.lines().all(|line| length(line) <= 24), "{text}");
        assert_eq!(table().fit(1), ["Size", "Flags"]);
    }
}
