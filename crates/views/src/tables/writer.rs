//! Writes lists as text.

use std::borrow::Cow;

use super::json::{JsonColumns, RowJson};
use super::query::Order;
use super::table::{ColumnHeader, Rows, Table, markdown_line, markdown_rule};
use super::write::Form;
use super::{CellValue, Column, ColumnKind, List, ListId};
use zeview_core::model::Sources;
use zeview_core::model::json::{ArrayFrame, Versioned};
use zeview_core::model::text::{escaped, markdown};

/// Formats rows of a list; `only` has the first and last position, and omits the header.
///
/// # Errors
///
/// A message, if it would be longer than about `limit` bytes.
pub fn write(
    list: &dyn List,
    order: &Order,
    columns: &[&'static Column],
    form: Form,
    only: Option<(u64, u64)>,
    sources: &Sources,
    limit: usize,
) -> Result<String, String> {
    let mut writer = Writer::new(list.id(), columns, form, false);
    if only.is_some() {
        writer.out.clear();
    }
    let (first, last) = only.unwrap_or((0, u64::MAX));
    for row in order.from(first, last.saturating_sub(first).saturating_add(1)) {
        writer.push(list, row, sources, None);
        if writer.out.len().saturating_add(writer.cells.size()) > limit {
            return Err("This list is too long to copy. Filter it first.".to_owned());
        }
    }
    Ok(writer.finish())
}

/// Writes rows of lists that have the same columns.
pub struct Writer {
    /// The columns, with their indices.
    columns: Vec<(usize, &'static Column)>,
    form: Form,
    with_file: bool,
    /// Whether to write names in full in tables, too.
    has_full_names: bool,
    /// Whether [`Form::Plain`] shortens cells with several texts to the first and the number of
    /// others.
    has_short_words: bool,
    out: String,
    /// The cells of [`Form::Plain`], which are kept to align them.
    cells: Rows,
    frame: ArrayFrame,
    json: JsonColumns,
}

impl Writer {
    /// Writes the header, with a first column `file` for the argument of [`push`](Writer::push) if
    /// `with_file` is set.
    pub fn new(list: ListId, columns: &[&'static Column], form: Form, with_file: bool) -> Writer {
        let place = |column: &'static Column| {
            let mut all = list.columns().iter();
            Some((all.position(|other| other.id == column.id)?, column))
        };
        let mut writer = Writer {
            columns: columns.iter().filter_map(|column| place(column)).collect(),
            form,
            with_file,
            has_full_names: false,
            has_short_words: false,
            out: String::new(),
            cells: Rows::default(),
            frame: ArrayFrame::default(),
            json: JsonColumns::new(list, columns),
        };
        let file = with_file.then_some("file");
        let columns = writer.columns.iter().map(|(_, column)| column);
        let ids = columns.clone().map(|column| column.id.to_owned());
        let ids: Vec<String> = file.map(str::to_owned).into_iter().chain(ids).collect();
        let titles = columns.map(|column| column.header());
        let titles: Vec<String> = file.map(str::to_owned).into_iter().chain(titles).collect();
        match form {
            Form::Csv => writer.line("", ids.iter().map(|id| csv(id)), ",", "\n"),
            Form::Tabs => writer.line("", titles, "\t", "\n"),
            Form::Markdown => {
                let numbers = writer.columns.iter();
                let numbers = numbers.map(|(_, column)| column.kind == ColumnKind::Number);
                let all = file.map(|_| false).into_iter().chain(numbers);
                writer.out = markdown_line(titles.iter().map(|title| markdown(title)));
                writer.out.push_str(&markdown_rule(all));
            }
            Form::Json | Form::Plain => {}
        }
        writer
    }

    /// Writes names in full, where [`Form::Plain`] would shorten them.
    pub fn with_full_names(self, has_full_names: bool) -> Writer {
        Writer {
            has_full_names,
            ..self
        }
    }

    /// Shortens long cells of a group to the first text and the number of the others, in
    /// [`Form::Plain`].
    pub fn with_short_words(self, has_short_words: bool) -> Writer {
        Writer {
            has_short_words,
            ..self
        }
    }

    fn line(
        &mut self,
        start: &str,
        cells: impl IntoIterator<Item = String>,
        between: &str,
        end: &str,
    ) {
        self.out.push_str(start);
        for (at, cell) in cells.into_iter().enumerate() {
            self.out.push_str(if at > 0 { between } else { "" });
            self.out.push_str(&cell);
        }
        self.out.push_str(end);
    }

    /// Adds a row.
    pub fn push(&mut self, list: &dyn List, row: u32, sources: &Sources, file: Option<&str>) {
        let value = |place: usize| list.cell(row, place, sources).value;
        let file = file.filter(|_| self.with_file);
        if self.form == Form::Json {
            self.out.push_str(self.frame.before());
            let row = RowJson::new((list, row, sources), &self.json, file);
            // Rows have no keys that are not text, and writing to a string cannot fail.
            let row = serde_json::to_string(&Versioned::new(row)).unwrap_or_default();
            self.out.push_str(&row);
            return;
        }
        let form = self.form;
        let cells = self.columns.iter();
        let has_full_names = self.has_full_names;
        let has_short_words = self.has_short_words;
        // These are long: the table would be wide if it repeated them.
        let mut reasons = Vec::new();
        let cells = cells.map(|(place, column)| {
            let value = value(*place);
            if let (CellValue::Unknown { reason, .. }, Form::Plain) = (&value, form)
                && reason.limit().is_some()
            {
                if reasons.contains(reason) {
                    return reason.word().to_owned();
                }
                reasons.push(*reason);
            }
            let value = if has_full_names {
                value.in_full()
            } else {
                value
            };
            match value {
                CellValue::Words(words)
                    if form == Form::Plain
                        && has_short_words
                        && column.kind == ColumnKind::Text =>
                {
                    escaped(&first_of(&words))
                }
                value => written(&value, form),
            }
        });
        let file = file.map(|file| written(&CellValue::Text(file.into()), form));
        let cells: Vec<String> = file.into_iter().chain(cells).collect();
        match form {
            Form::Csv => self.line("", cells, ",", "\n"),
            Form::Tabs => self.line("", cells, "\t", "\n"),
            Form::Markdown => self.out.push_str(&markdown_line(cells)),
            Form::Plain | Form::Json => self.cells.push(cells),
        }
    }

    /// Takes the output since the last call, because a table may be too long to be kept.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Returns the rest of the output.
    pub fn finish(mut self) -> String {
        match self.form {
            Form::Json => self.out.push_str(self.frame.end()),
            Form::Plain => self.align(),
            _ => {}
        }
        self.out
    }

    fn align(&mut self) {
        let table = self.table();
        let (above, rows) = table.lines();
        for cells in above.into_iter().chain(rows) {
            self.line("", cells, "  ", "\n");
        }
    }

    /// Returns the size of the cells so far in bytes, for [`Form::Plain`].
    pub fn size(&self) -> usize {
        self.cells.size()
    }

    /// Returns the rows so far, for [`Form::Plain`].
    pub fn table(&mut self) -> Table {
        let file = self.with_file.then(|| ColumnHeader::text("File"));
        let columns = self.columns.iter().map(|(_, column)| ColumnHeader {
            title: column.title.to_owned(),
            unit: column.unit.to_owned(),
            is_number: column.kind == ColumnKind::Number,
        });
        let mut table = Table::new(file.into_iter().chain(columns).collect());
        table.rows = std::mem::take(&mut self.cells);
        table
    }
}

/// Maximum length of a cell with several words, in characters, before it is shortened.
const WORDS_MAX: usize = 32;

/// Joins words; if they are too long, returns the first one and the number of the others.
fn first_of(words: &[Cow<'_, str>]) -> String {
    let all = words.join(", ");
    match words {
        [first, rest @ ..] if !rest.is_empty() && all.chars().count() > WORDS_MAX => {
            format!("{first} + {}", rest.len())
        }
        _ => all,
    }
}

fn written(value: &CellValue<'_>, form: Form) -> String {
    let is_text = matches!(
        value,
        CellValue::Text(_)
            | CellValue::Name { .. }
            | CellValue::Words(_)
            | CellValue::Several(_)
            | CellValue::Unknown { .. }
    );
    let text = value.text();
    match form {
        Form::Csv if is_text => csv(&text),
        Form::Tabs if is_text => guarded(&text).replace(['\t', '\n', '\r'], " "),
        Form::Csv | Form::Tabs => text.into_owned(),
        Form::Markdown => markdown(&text),
        Form::Plain | Form::Json => escaped(&value.title()),
    }
}

fn csv(text: &str) -> String {
    let text = guarded(text);
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// Prefixes a quote to text that spreadsheets would interpret as a formula: text that starts with
/// these characters or their full-width forms.
fn guarded(text: &str) -> Cow<'_, str> {
    const WIDE: [char; 4] = ['\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) || text.starts_with(WIDE) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::json::CellJson;

    #[test]
    fn text_cannot_become_a_formula() {
        for text in ["=1+1", "+1", "-1", "@x", "\tx", "\n=x", "\u{ff1d}x"] {
            let cell = csv(text);
            assert!(cell.trim_start_matches('"').starts_with('\''), "{cell:?}");
        }
        assert_eq!(csv("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv("=a,b"), "\"'=a,b\"");
        assert_eq!(written(&CellValue::Int(-8), Form::Csv), "-8");
    }

    #[test]
    fn grouped_cells_are_shortened_to_the_first_word() {
        let words = |words: &[&'static str]| {
            let words: Vec<Cow<'_, str>> = words.iter().map(|word| (*word).into()).collect();
            first_of(&words)
        };
        assert_eq!(words(&[]), "");
        assert_eq!(words(&["pvc", "bmg-g21"]), "pvc, bmg-g21");
        let images = ["image 1", "image 2", "image 3", "image 4", "image 5"];
        assert_eq!(words(&images[..3]), "image 1, image 2, image 3");
        assert_eq!(words(&images), "image 1 + 4");
    }

    #[test]
    fn numbers_are_short() {
        let real = |number| CellValue::Real(number).text().into_owned();
        for (number, text) in [
            (104.0, "104"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.33"),
            (0.0, "0"),
            (0.125, "0.12"),
            (-0.25, "-0.25"),
            (-0.001, "0"),
            (7.05, "7.05"),
        ] {
            assert_eq!(real(number), text);
        }
    }

    #[test]
    fn programs_get_values() {
        let text = |value| serde_json::to_string(&CellJson(&value)).unwrap();
        assert_eq!(text(CellValue::Real(32.0)), "32");
        assert_eq!(text(CellValue::Real(0.5)), "0.5");
        assert_eq!(text(CellValue::Real(f64::NAN)), "null");
        assert_eq!(text(CellValue::Real(1e300)), "1e+300");
        assert_eq!(text(CellValue::Hex(64)), "64");
        assert_eq!(text(CellValue::Count(u64::MAX)), u64::MAX.to_string());
        assert_eq!(text(CellValue::Ints([1, 2, 3])), "[1,2,3]");
        assert_eq!(
            text(CellValue::Words(vec!["a".into(), "b".into()])),
            "[\"a\",\"b\"]"
        );
        assert_eq!(
            text(CellValue::Text("a\"\\\n\u{1}é".into())),
            "\"a\\\"\\\\\\n\\u0001é\""
        );
        assert_eq!(text(CellValue::Bytes(vec![0, 255])), "\"00 ff\"");
    }

    #[test]
    fn a_very_long_cell_does_not_widen_its_column() {
        let columns: Vec<&'static Column> = ListId::Symbols.default_columns().collect();
        let mut writer = Writer::new(ListId::Symbols, &columns, Form::Plain, true);
        for cell in ["x".repeat(100_000), "y".repeat(3)] {
            writer.cells.push([&cell; 2]);
        }
        let text = writer.finish();
        let short = text.lines().last().unwrap();
        assert!(short.starts_with("yyy   yyy"), "{short:?}");
    }
}
