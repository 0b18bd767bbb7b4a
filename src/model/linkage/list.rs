//! Relocations and symbols as lists: columns, order, filter, text.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

pub use super::query::Query;
use super::{Home, Relocation, Section, Symbol, Tables};
use crate::model::kernels::table::{self, Form};
use crate::model::node::Xref;
use crate::model::source::Sources;
use crate::model::span::Span;
use crate::model::value::Str;

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListId {
    /// The relocations.
    Relocations,
    /// The symbols.
    Symbols,
    /// The lines of a readable text, which are not of the [`Tables`].
    Lines,
}

/// How a column is set and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text: to the left.
    Text,
    /// Numbers: to the right.
    Number,
    /// Bytes of the file: they have no order.
    Bytes,
}

/// A column.
#[derive(Debug)]
pub struct Column {
    /// Its name, in filters and CSV.
    pub id: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// What its numbers count, or a second line of the title; may be empty.
    pub unit: &'static str,
    /// How it is set and compared.
    pub kind: Kind,
}

const fn column(id: &'static str, title: &'static str, unit: &'static str, kind: Kind) -> Column {
    Column {
        id,
        title,
        unit,
        kind,
    }
}

/// The columns of the relocations; the last one is only there to be asked for.
static RELOCATIONS: [Column; 8] = [
    column("symbol", "Symbol", "", Kind::Text),
    column("type", "Type", "", Kind::Text),
    column("section", "Patches", "section", Kind::Text),
    column("offset", "Offset", "in it", Kind::Number),
    column("addend", "Addend", "", Kind::Number),
    column("bytes", "Bytes", "to be patched", Kind::Bytes),
    column("place", "Symbol is at", "", Kind::Text),
    column("symbol_index", "", "", Kind::Number),
];

/// The columns of the symbols; the last one is only there to be asked for.
static SYMBOLS: [Column; 10] = [
    column("name", "Symbol", "", Kind::Text),
    column("type", "Kind", "", Kind::Text),
    column("section", "Section", "", Kind::Text),
    column("value", "Value", "", Kind::Number),
    column("size", "Size", "B", Kind::Number),
    column("relocations", "Relocations", "to it", Kind::Number),
    column("kernel", "Kernel", "", Kind::Text),
    column("binding", "Binding", "", Kind::Text),
    column("visibility", "Visibility", "", Kind::Text),
    column("index", "", "", Kind::Number),
];

impl ListId {
    pub(super) fn all(self) -> &'static [Column] {
        match self {
            ListId::Relocations => &RELOCATIONS,
            ListId::Symbols => &SYMBOLS,
            ListId::Lines => &[],
        }
    }

    /// The columns that are shown.
    pub fn columns(self) -> &'static [Column] {
        let all = self.all();
        all.split_last().map_or(all, |(_, shown)| shown)
    }
}

/// What stands in a cell, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Another name for it: the mangled one.
    pub other: Option<String>,
    /// The bytes that it speaks of.
    pub to: Option<Span>,
}

/// A row as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The bytes of its entry.
    pub span: Span,
    /// A cell for each of [`ListId::columns`].
    pub cells: Vec<Cell>,
}

/// A cell before it is written.
pub(super) enum Value<'a> {
    Empty,
    Text(Cow<'a, str>),
    /// A name, and how people write it.
    Name(&'a str, &'a str),
    Number(i64),
    Count(u64),
    Hex(u64),
    Bytes(Span),
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'a> {
    Empty,
    Number(i128),
    Text(Cow<'a, str>),
}

impl<'a> Value<'a> {
    pub(super) fn key(self) -> Key<'a> {
        match self {
            Value::Empty | Value::Bytes(_) => Key::Empty,
            Value::Text(text) => Key::Text(text),
            Value::Name(_, title) => Key::Text(title.into()),
            Value::Number(number) => Key::Number(number.into()),
            Value::Hex(number) | Value::Count(number) => Key::Number(number.into()),
        }
    }

    /// As the file has it; bytes are read now.
    fn text(&self, sources: &Sources) -> Cow<'a, str> {
        match self {
            Value::Empty => "".into(),
            Value::Text(text) => text.clone(),
            Value::Name(name, _) => (*name).into(),
            Value::Number(number) => number.to_string().into(),
            Value::Count(number) => number.to_string().into(),
            Value::Hex(number) => format!("{number:#x}").into(),
            Value::Bytes(span) => {
                let mut text = String::new();
                if let Ok(bytes) = sources.read_clamped(*span) {
                    for byte in bytes.iter() {
                        let blank = if text.is_empty() { "" } else { " " };
                        let _ = write!(text, "{blank}{byte:02x}");
                    }
                }
                text.into()
            }
        }
    }
}

impl Tables {
    /// How many rows a list has.
    pub fn count(&self, list: ListId) -> u64 {
        self.all(list).count() as u64
    }

    pub(super) fn len(&self, list: ListId) -> usize {
        match list {
            ListId::Relocations => self.relocations.len(),
            ListId::Symbols => self.symbols.len(),
            ListId::Lines => 0,
        }
    }

    /// The rows of a list, in the order of the file. The first entry of a table of symbols,
    /// which stands for none, is not among them.
    pub fn all(&self, list: ListId) -> impl Iterator<Item = u32> {
        let all = 0..u32::try_from(self.len(list)).unwrap_or(u32::MAX);
        all.filter(move |at| match list {
            ListId::Relocations => true,
            ListId::Symbols => self.symbol(*at).is_some_and(|symbol| !symbol.is_null()),
            ListId::Lines => false,
        })
    }

    fn symbol(&self, at: u32) -> Option<&Symbol> {
        self.symbols.get(usize::try_from(at).ok()?)
    }

    fn relocation(&self, at: u32) -> Option<&Relocation> {
        self.relocations.get(usize::try_from(at).ok()?)
    }

    /// Where a symbol lives, in words.
    fn place<'a>(&'a self, symbol: &'a Symbol) -> Cow<'a, str> {
        match (&symbol.home, self.home(symbol)) {
            (Home::Word(word), _) if symbol.value == 0 => (&**word).into(),
            (Home::Word(word), _) => format!("{word} {:#x}", symbol.value).into(),
            (_, Some(section)) if symbol.value == 0 => section.name.as_str().into(),
            (_, Some(section)) => format!("{} + {:#x}", section.name, symbol.value).into(),
            (Home::Section(_), None) => "".into(),
        }
    }

    /// A cell, and the bytes that it leads to.
    pub(super) fn value(&self, list: ListId, at: u32, id: &str) -> (Value<'_>, Option<Span>) {
        let value = match list {
            ListId::Relocations => self.relocation(at).map(|row| self.of_relocation(row, id)),
            ListId::Symbols => self.symbol(at).map(|row| self.of_symbol(row, id)),
            ListId::Lines => None,
        };
        value.unwrap_or((Value::Empty, None))
    }

    fn of_relocation<'a>(&'a self, row: &'a Relocation, id: &str) -> (Value<'a>, Option<Span>) {
        let symbol = self.symbol_of(row);
        match id {
            "symbol" => match symbol {
                Some(symbol) => (Value::Name(&symbol.name, symbol.title()), None),
                None => (
                    Value::Text(format!("symbol {}", row.symbol_index).into()),
                    None,
                ),
            },
            "type" => (Value::Text((&*row.kind).into()), None),
            "section" => named(self.patches(row)),
            "offset" => (Value::Hex(row.offset), row.patched),
            "addend" => (row.addend.map_or(Value::Empty, Value::Number), None),
            "bytes" => (row.patched.map_or(Value::Empty, Value::Bytes), row.patched),
            "place" => match symbol {
                Some(symbol) => (Value::Text(self.place(symbol)), symbol.target),
                None => (Value::Empty, None),
            },
            _ => (Value::Count(row.symbol_index), None),
        }
    }

    fn of_symbol<'a>(&'a self, row: &'a Symbol, id: &str) -> (Value<'a>, Option<Span>) {
        let text = |text: &'a Str| (Value::Text((&**text).into()), None);
        match id {
            "name" => (Value::Name(&row.name, row.title()), None),
            "type" => text(&row.kind),
            "binding" => text(&row.binding),
            "visibility" => text(&row.visibility),
            "section" => match &row.home {
                Home::Word(word) => text(word),
                Home::Section(_) => named(self.home(row)),
            },
            "value" => (Value::Hex(row.value), row.target),
            "size" => (Value::Count(row.size), row.target),
            "kernel" => match self.home(row).and_then(|home| home.kernel.as_ref()) {
                Some((name, entry)) => (Value::Text(name.into()), Some(*entry)),
                None => (Value::Empty, None),
            },
            "relocations" => (Value::Count(row.users.into()), None),
            _ => (Value::Count(row.index), None),
        }
    }

    /// A row as it is shown.
    pub fn row(&self, list: ListId, at: u32, sources: &Sources) -> Option<Row> {
        let cell = |column: &Column| {
            let (value, to) = self.value(list, at, column.id);
            let (text, other) = match value {
                Value::Name(name, title) if name != title => (title.into(), Some(name.to_owned())),
                value => (value.text(sources), None),
            };
            Cell {
                text: text.into_owned(),
                other,
                to,
            }
        };
        Some(Row {
            span: self.row_span(list, at)?,
            cells: list.columns().iter().map(cell).collect(),
        })
    }

    /// How many relocations refer to a symbol, and the filter that finds them.
    pub fn uses(&self, at: u32) -> (u64, String) {
        let Some(symbol) = self.symbol(at) else {
            return (0, String::new());
        };
        let plain = !symbol.name.is_empty() && !symbol.name.contains(char::is_whitespace);
        let filter = match plain {
            true => format!("symbol=={}", symbol.name),
            false => format!("symbol_index=={}", symbol.index),
        };
        (symbol.users.into(), filter)
    }

    /// The bytes of a row's entry.
    pub fn row_span(&self, list: ListId, at: u32) -> Option<Span> {
        match list {
            ListId::Relocations => self.relocation(at).map(|row| row.entry),
            ListId::Symbols => self.symbol(at).map(|row| row.entry),
            ListId::Lines => None,
        }
    }

    /// The row that bytes belong to: that of their entry; else the relocation that patches
    /// them, or the symbol that stands for them; else the one that stands for their beginning.
    pub fn find(&self, list: ListId, span: Span) -> Option<u32> {
        let mut best: Option<(u8, u64, u32)> = None;
        for at in self.all(list) {
            if self.row_span(list, at)?.contains(span) {
                return Some(at);
            }
            let to = match list {
                ListId::Relocations => self.relocation(at)?.patched,
                _ => self.symbol(at)?.target,
            };
            let Some(to) = to.filter(|to| !to.is_empty()) else {
                continue;
            };
            let rank = match list {
                _ if to.contains(span) => 0,
                // An instruction in which something is patched.
                ListId::Relocations if span.len() <= NEAR && span.contains(to) => 1,
                // A section, with padding at its end.
                ListId::Symbols if span.contains(to) && span.start == to.start => 1,
                _ => continue,
            };
            let found = (rank, to.len(), at);
            best = Some(best.map_or(found, |best| best.min(found)));
        }
        best.map(|(_, _, at)| at)
    }

    /// What a row is called, and what belongs to it.
    pub fn links(&self, list: ListId, at: u32) -> (String, Vec<Xref>) {
        let mut links = Vec::new();
        let mut push = |why: &'static str, label: String, to: Option<Span>| {
            links.extend(to.map(|to| Xref {
                why: why.into(),
                label: label.into(),
                to,
            }));
        };
        let mut title = String::new();
        match list {
            ListId::Relocations => {
                let Some(row) = self.relocation(at) else {
                    return (title, links);
                };
                let section = self.patches(row);
                title = self.patched(row);
                push("patches", title.clone(), row.patched);
                if let Some(symbol) = self.symbol_of(row) {
                    push("symbol", symbol.title().to_owned(), Some(symbol.entry));
                    push("which is", self.place(symbol).into_owned(), symbol.target);
                }
                if let Some((name, entry)) = section.and_then(|s| s.kernel.clone()) {
                    push("kernel", name, Some(entry));
                }
            }
            ListId::Symbols => {
                let Some(row) = self.symbol(at) else {
                    return (title, links);
                };
                title = row.title().to_owned();
                push("stands for", self.place(row).into_owned(), row.target);
                if let Some((name, entry)) = self.home(row).and_then(|home| home.kernel.clone()) {
                    push("kernel", name, Some(entry));
                }
                for user in self.users(at).take(USERS) {
                    push("patched in", self.patched(user), Some(user.entry));
                }
            }
            ListId::Lines => {}
        }
        (title, links)
    }

    /// Where a relocation patches, in words.
    fn patched(&self, row: &Relocation) -> String {
        let section = self.patches(row).map_or("", |section| &section.name);
        format!("{section} + {:#x}", row.offset)
    }
}

/// So many of a symbol's relocations are named.
const USERS: usize = 12;

/// A selection of so many bytes is about the place that is patched in it: an instruction.
const NEAR: u64 = 64;

fn named(section: Option<&Section>) -> (Value<'_>, Option<Span>) {
    match section {
        Some(section) => (Value::Text((&section.name).into()), Some(section.bytes)),
        None => (Value::Empty, None),
    }
}

/// Rows as text, after a line of names or titles; symbols are called as the file calls them.
///
/// # Errors
///
/// When it would be longer than `limit` bytes, or is not written in this form; says so in words.
pub fn write(
    tables: &Tables,
    list: ListId,
    rows: &[u32],
    form: Form,
    sources: &Sources,
    limit: usize,
) -> Result<String, &'static str> {
    if matches!(form, Form::Json | Form::Plain) {
        return Err("A list is written as CSV, for spreadsheets, or as Markdown.");
    }
    let columns = list.columns();
    let mut out = String::new();
    let heads: Vec<Cow<'_, str>> = columns
        .iter()
        .map(|column| match (form, column.unit) {
            (Form::Csv, _) => column.id.into(),
            (_, "") => column.title.into(),
            (_, unit) => format!("{}, {unit}", column.title).into(),
        })
        .collect();
    push_line(&mut out, &heads, form);
    if form == Form::Markdown {
        out.push('|');
        for column in columns {
            let right = column.kind == Kind::Number;
            out.push_str(if right { " ---: |" } else { " --- |" });
        }
        out.push('\n');
    }
    for at in rows {
        let cell = |column: &Column| tables.value(list, *at, column.id).0.text(sources);
        let cells: Vec<Cow<'_, str>> = columns.iter().map(cell).collect();
        push_line(&mut out, &cells, form);
        if out.len() > limit {
            return Err("This list is too long to be copied: filter it.");
        }
    }
    Ok(out)
}

fn push_line(out: &mut String, cells: &[Cow<'_, str>], form: Form) {
    let (start, between, end) = match form {
        Form::Csv => ("", ",", "\n"),
        Form::Tabs | Form::Plain | Form::Json => ("", "\t", "\n"),
        Form::Markdown => ("| ", " | ", " |\n"),
    };
    out.push_str(start);
    for (at, text) in cells.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        out.push_str(&match form {
            Form::Csv => table::csv_text(text),
            Form::Tabs | Form::Plain | Form::Json => {
                table::guarded(text).replace(['\t', '\n', '\r'], " ")
            }
            Form::Markdown => table::markdown(text),
        });
    }
    out.push_str(end);
}
