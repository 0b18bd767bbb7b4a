//! Rows of lists as JSON objects.

use std::borrow::Cow;
use std::cell::Cell;

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use super::{CellValue, Column, List, ListId};
use zeview_core::model::Sources;

/// The columns of a list in JSON: all but those that are counted from the code, measured, or derived
/// from all rows, unless they are named.
#[derive(Debug)]
pub struct JsonColumns(Vec<(usize, &'static Column)>);

impl JsonColumns {
    /// Returns the columns of a list, with the named ones.
    pub fn new(list: ListId, named: &[&'static Column]) -> JsonColumns {
        let is_named = |column: &Column| named.iter().any(|other| other.id == column.id);
        let all = list.columns().iter().enumerate();
        let wanted = all.filter(|(_, column)| column.presence.is_known() || is_named(column));
        JsonColumns(wanted.collect())
    }
}

/// A row as an object: the cells by the ids of their columns, and `unknown` with the reasons why
/// numbers are not known, which are null.
pub struct RowJson<'a> {
    list: &'a dyn List,
    row: u32,
    sources: &'a Sources,
    columns: &'a JsonColumns,
    file: Option<&'a str>,
    size: Cell<usize>,
}

impl<'a> RowJson<'a> {
    /// Returns a row. `file` is the value of its first key, if it has one.
    pub fn new(
        (list, row, sources): (&'a dyn List, u32, &'a Sources),
        columns: &'a JsonColumns,
        file: Option<&'a str>,
    ) -> RowJson<'a> {
        RowJson {
            list,
            row,
            sources,
            columns,
            file,
            size: Cell::new(0),
        }
    }

    /// Returns the columns.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<'_, 'a> {
        self.columns.0.iter().map(|(_, column)| *column)
    }

    /// Returns the value of each column.
    pub fn values(&self) -> impl Iterator<Item = CellValue<'_>> {
        self.columns.0.iter().map(|(place, _)| {
            let value = self.list.cell(self.row, *place, self.sources).value;
            let size = self.size.get().saturating_add(size_of_value(&value));
            self.size.set(size);
            value
        })
    }

    /// Returns the size of the values so far, in bytes.
    pub fn size(&self) -> usize {
        self.size.get()
    }
}

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.columns.0.len();
        let mut unknown = Vec::new();
        // A struct, not a map: its keys are converted to JavaScript once.
        let mut row = serializer.serialize_struct("Row", count.saturating_add(1))?;
        if let Some(file) = self.file {
            row.serialize_field("file", file)?;
        }
        for (column, value) in self.columns().zip(self.values()) {
            if let CellValue::Unknown { reason, .. } = &value {
                unknown.push((column.id, reason.reason()));
            }
            row.serialize_field(column.id, &CellJson(&value))?;
            self.size
                .set(self.size.get().saturating_add(size_of_value(&value)));
        }
        if !unknown.is_empty() {
            row.serialize_field("unknown", &Reasons(unknown))?;
        }
        row.end()
    }
}

/// Returns the size of a value in bytes; a number has eight.
fn size_of_value(value: &CellValue<'_>) -> usize {
    const NUMBER: usize = 8;
    match value {
        CellValue::Text(text) | CellValue::Name { name: text, .. } => text.len(),
        CellValue::Words(words) => words.iter().map(|word| word.len()).sum(),
        CellValue::Bytes(bytes) => bytes.len(),
        _ => NUMBER,
    }
}

/// The reasons of unknown values, by column.
struct Reasons(Vec<(&'static str, Cow<'static, str>)>);

impl Serialize for Reasons {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (column, reason) in &self.0 {
            map.serialize_entry(column, reason)?;
        }
        map.end()
    }
}

/// The value of a cell: numbers, booleans, text, or arrays of these; null if it is empty or
/// unknown.
pub struct CellJson<'a>(pub &'a CellValue<'a>);

impl Serialize for CellJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            CellValue::Empty | CellValue::Absent | CellValue::Unknown { .. } => {
                serializer.serialize_none()
            }
            CellValue::Int(number) => serializer.serialize_i64(*number),
            CellValue::Count(number) | CellValue::Hex(number) => serializer.serialize_u64(*number),
            CellValue::Real(number) => RealJson(*number).serialize(serializer),
            CellValue::Bool(yes) => serializer.serialize_bool(*yes),
            CellValue::Ints(numbers) => numbers.serialize(serializer),
            CellValue::Words(words) => serializer.collect_seq(words),
            CellValue::Several(numbers) => {
                serializer.collect_seq(numbers.iter().copied().map(RealJson))
            }
            value => serializer.serialize_str(&value.text()),
        }
    }
}

/// A number without a decimal point if it is whole; null if it is none.
struct RealJson(f64);

impl Serialize for RealJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Whole numbers are exact below it: 2⁵³.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let RealJson(number) = *self;
        if !number.is_finite() {
            return serializer.serialize_none();
        }
        // In the range of the type.
        #[allow(clippy::cast_possible_truncation)]
        if number.fract() == 0.0 && number.abs() < EXACT {
            serializer.serialize_i64(number as i64)
        } else {
            serializer.serialize_f64(number)
        }
    }
}
