//! Text tables for a terminal.

use std::borrow::Cow;
use std::iter::repeat_n;

use foldhash::{HashMap, HashSet};

use super::text_width::{cut, start, width};
use zeview_core::model::sort::ascending;

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
    /// Maximum width of a line, in cells of a terminal.
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

/// Maximum length of a cell, in cells of a terminal, that widens its column: longer names would fill all
/// other rows with blanks.
const WIDEST: usize = 400;

/// Minimum width of a text column after narrowing, in cells of a terminal.
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
        let none = Cuts::default();
        let mut above = vec![self.filled(&titles, &widths, &none)];
        if units.iter().any(|unit| !unit.is_empty()) {
            above.push(self.filled(&units, &widths, &none));
        }
        let cuts = self.cuts(&widths);
        let filled = move |row: Vec<&str>| self.filled(&row, &widths, &cuts);
        (above, self.rows.iter().map(filled))
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
            .map(|head| width(&head.title).max(width(&head.unit)))
            .collect();
        for row in self.rows.iter() {
            for (most, cell) in widths.iter_mut().zip(row) {
                let cells = width(cell);
                if cells <= WIDEST {
                    *most = (*most).max(cells);
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

    /// Returns the cells of each column that would be equal to others after cutting them in the middle, with texts
    /// that differ.
    fn cuts(&self, widths: &[usize]) -> Cuts {
        let mut cuts = Cuts::default();
        if self.width.is_none() {
            return cuts;
        }
        for (at, (most, head)) in widths.iter().zip(&self.heads).enumerate() {
            if head.is_number {
                continue;
            }
            let column = self.rows.iter().filter_map(|row| row.get(at).copied());
            let all: HashSet<&str> = column.collect();
            if all.iter().all(|cell| width(cell) <= *most) {
                continue;
            }
            let mut all: Vec<&str> = all.into_iter().collect();
            ascending(&mut all);
            let mut equal: HashMap<Cow<'_, str>, Vec<&str>> = HashMap::default();
            for cell in &all {
                equal.entry(cut(cell, *most)).or_default().push(cell);
            }
            let mut taken = Taken::default();
            for (text, cells) in &equal {
                if cells.len() == 1 {
                    taken.texts.insert(text.to_string());
                }
            }
            for cell in &all {
                let text = cut(cell, *most);
                let group = equal.get(&text).map_or(&[][..], Vec::as_slice);
                if group.len() > 1 {
                    let text = distinct(cell, group, *most, &mut taken);
                    cuts.0.insert((at, (*cell).to_owned()), text);
                }
            }
        }
        cuts
    }

    fn filled(&self, cells: &[&str], widths: &[usize], cuts: &Cuts) -> Vec<String> {
        let columns = cells.iter().zip(widths).zip(&self.heads).enumerate();
        let cells = columns.map(|(at, ((cell, most), head))| {
            let cell = match self.width {
                Some(_) if !head.is_number => match cuts.get(at, cell) {
                    Some(cut) => Cow::Borrowed(cut),
                    None => cut(cell, *most),
                },
                _ => Cow::Borrowed(*cell),
            };
            let blanks = most.saturating_sub(width(&cell));
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

/// Cut texts of cells, by column and cell.
#[derive(Default)]
struct Cuts(HashMap<(usize, String), String>);

impl Cuts {
    fn get(&self, column: usize, cell: &str) -> Option<&str> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(column, cell.to_owned())).map(String::as_str)
    }
}

/// The cut texts of a column.
#[derive(Default)]
struct Taken {
    texts: HashSet<String>,
    /// The last number that was appended to a text.
    number: u64,
}

/// Maximum number of cells before and after one in their order that it is compared with.
const COMPARED: usize = 256;

/// Cuts a cell so that it differs from others that have the same start and end, and from `taken`: shows a piece
/// at each place where it differs from some of them, and if that is not enough, a number. `group` is sorted.
fn distinct(cell: &str, group: &[&str], most: usize, taken: &mut Taken) -> String {
    let head = start(cell, most / 4);
    let places = branches(cell, group);
    let room = most.saturating_sub(width(head));
    let each = room.checked_div(places.len()).unwrap_or(0);
    if let Some(each) = each.checked_sub(1).filter(|each| *each > 0) {
        let mut text = head.to_owned();
        let mut end = head.len();
        for (at, place) in places.iter().enumerate() {
            let from = (*place).max(end);
            let rest = cell.get(from..).unwrap_or_default();
            let is_last = at + 1 == places.len();
            let room = most.saturating_sub(width(&text) + usize::from(from > end));
            let piece = start(rest, if is_last { room } else { each });
            if from > end && !piece.is_empty() {
                text.push('…');
            }
            text.push_str(piece);
            end = from + piece.len();
        }
        if width(&text) <= most && taken.texts.insert(text.clone()) {
            return text;
        }
    }
    taken.number = taken.number.saturating_add(1);
    let number = format!("#{}", taken.number);
    cut(cell, most.saturating_sub(number.len())).into_owned() + &number
}

/// Returns the offsets in a cell, in ascending order, at which it differs from others that are equal before.
fn branches(cell: &str, group: &[&str]) -> Vec<usize> {
    let shared = |one: &str, other: &str| {
        let pairs = one.char_indices().zip(other.chars());
        let equal = pairs.take_while(|((_, one), other)| one == other);
        equal.last().map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    let at = group.partition_point(|other| *other < cell);
    let before = group.iter().take(at).rev();
    let after = group.iter().skip(at + 1);
    let mut places: Vec<usize> = before
        .take(COMPARED)
        .map(|other| shared(cell, other))
        .collect();
    places.extend(after.take(COMPARED).map(|other| shared(cell, other)));
    ascending(&mut places);
    places.dedup();
    places
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
        assert!(text.lines().all(|line| width(line) <= 24), "{text}");
        assert_eq!(table().fit(1), ["Size", "Flags"]);
    }

    #[test]
    fn names_that_differ_look_different() {
        let variants: Vec<String> = (0..40)
            .flat_map(|number| {
                let between = "x".repeat(30);
                ["float", "half", "int"].map(|kind| {
                    format!("GemmCuteName<bfloat16_t, {between}{number}, {kind}, w8a16_policy, 3>")
                })
            })
            .collect();
        for most in [16, 20, 24, 40, 60] {
            let mut table = Table::new(vec![ColumnHeader::text("Name")]);
            for name in &variants {
                table.rows.push([name]);
            }
            table.fit(most);
            let text = text(&table);
            let lines: HashSet<&str> = text.lines().skip(1).collect();
            assert_eq!(lines.len(), variants.len(), "{most}: {text}");
            assert!(lines.iter().all(|line| width(line) <= most), "{text}");
        }
    }

    #[test]
    fn wide_characters_are_aligned() {
        let mut table = Table::new(vec![
            ColumnHeader::text("Name"),
            ColumnHeader::number("Size"),
        ]);
        table.rows.push(["カーネル", "1"]);
        table.rows.push(["gemm_e\u{301}", "12"]);
        let expected = "Name      Size\nカーネル     1\ngemm_e\u{301}      12\n";
        assert_eq!(text(&table), expected);
    }
}
