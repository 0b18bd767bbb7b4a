//! Rows of a list by column, for JavaScript: a list has thousands of rows, and a call from
//! WebAssembly for each cell takes longer than reading a few typed arrays.

use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use serde::Serialize;
use wasm_bindgen::JsValue;

use super::exact::SAFE;
use super::js::to_js;
use crate::tables::json::{CellJson, RowJson};
use crate::tables::{CellValue, Column};

/// Kinds of cells, as in `rows.js`.
const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NUMBER: u8 = 3;
const TEXT: u8 = 4;
const OTHER: u8 = 5;

/// Rows, by column.
#[derive(Default)]
pub struct Columns {
    count: u32,
    columns: Vec<ColumnCells>,
    unknown: Vec<UnknownCell>,
}

/// The cells of a column, by kind, each kind in the order of the rows.
struct ColumnCells {
    id: &'static str,
    /// The kind of the cell of each row.
    kinds: Vec<u8>,
    numbers: Vec<f64>,
    /// All texts together.
    text: String,
    /// The end of each text, in UTF-16 code units.
    ends: Vec<u32>,
    end: u32,
    others: Array,
}

/// The reason why a number is not known.
#[derive(Serialize)]
struct UnknownCell {
    row: u32,
    column: &'static str,
    reason: String,
}

impl Columns {
    /// Adds a row.
    ///
    /// # Errors
    ///
    /// As [`to_js`].
    pub fn push(&mut self, row: &RowJson<'_>) -> Result<(), String> {
        if self.columns.is_empty() {
            self.columns = row.columns().map(ColumnCells::new).collect();
        }
        for (cells, value) in self.columns.iter_mut().zip(row.values()) {
            if let CellValue::Unknown { reason, .. } = &value {
                self.unknown.push(UnknownCell {
                    row: self.count,
                    column: cells.id,
                    reason: reason.reason().into_owned(),
                });
            }
            cells.push(&value)?;
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Returns the table as an array: the number of rows, the columns, the reasons of unknown
    /// numbers.
    ///
    /// # Errors
    ///
    /// As [`to_js`].
    pub fn finish(self) -> Result<JsValue, String> {
        let columns: Array = self.columns.into_iter().map(ColumnCells::finish).collect();
        let unknown = to_js(&self.unknown)?;
        Ok(Array::of3(&self.count.into(), &columns, &unknown).into())
    }
}

impl ColumnCells {
    fn new(column: &'static Column) -> ColumnCells {
        ColumnCells {
            id: column.id,
            kinds: Vec::new(),
            numbers: Vec::new(),
            text: String::new(),
            ends: Vec::new(),
            end: 0,
            others: Array::new(),
        }
    }

    fn push(&mut self, value: &CellValue<'_>) -> Result<(), String> {
        let kind = match value {
            CellValue::Empty | CellValue::Absent | CellValue::Unknown { .. } => NULL,
            CellValue::Bool(false) => FALSE,
            CellValue::Bool(true) => TRUE,
            CellValue::Text(text) | CellValue::Name { name: text, .. } => {
                self.text.push_str(text);
                let length = if text.is_ascii() {
                    text.len()
                } else {
                    text.encode_utf16().count()
                };
                self.end = self
                    .end
                    .saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
                self.ends.push(self.end);
                TEXT
            }
            value => match number(value) {
                Some(number) => {
                    self.numbers.push(number);
                    NUMBER
                }
                None => {
                    self.others.push(&to_js(&CellJson(value))?);
                    OTHER
                }
            },
        };
        self.kinds.push(kind);
        Ok(())
    }

    /// Returns the parts, in the order in which `rows.js` reads them.
    fn finish(self) -> JsValue {
        let parts: [JsValue; 6] = [
            self.id.into(),
            Uint8Array::from(&*self.kinds).into(),
            Float64Array::from(&*self.numbers).into(),
            self.text.into(),
            Uint32Array::from(&*self.ends).into(),
            self.others.into(),
        ];
        Array::from_iter(parts).into()
    }
}

/// Returns a number that a `number` represents exactly.
fn number(value: &CellValue<'_>) -> Option<f64> {
    if let CellValue::Real(number) = value {
        return Some(*number).filter(|number| number.is_finite());
    }
    let whole = value.int()?;
    let is_exact = whole.unsigned_abs() <= SAFE.into();
    // Exact.
    is_exact.then_some(whole as f64)
}
