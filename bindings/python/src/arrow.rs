//! Columns as an Arrow stream, for the Arrow PyCapsule interface.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, StringArray, UInt64Array,
};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

/// A column: its name, its type, and its values.
type Column<'py> = (String, String, Bound<'py, PyList>);

/// Returns columns as a capsule with an `ArrowArrayStream` of one batch. The types are those of
/// `array`.
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<Column<'py>>,
    count: usize,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (name, kind, values) in &columns {
        let array = array(kind, values)?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options);
    let batches = RecordBatchIterator::new([batch], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    // The capsule holds the stream itself, and releases it if no one has taken it.
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Returns the values of a list as an array.
fn array(kind: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    Ok(match kind {
        "bool" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "int64" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
        "uint64" => Arc::new(UInt64Array::from(values.extract::<Vec<Option<u64>>>()?)),
        "float64" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
        "string" => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
        "list<string>" => {
            let mut all = ListBuilder::new(StringBuilder::new());
            for words in values.extract::<Vec<Option<Vec<String>>>>()? {
                all.append_option(words.map(|words| words.into_iter().map(Some)));
            }
            Arc::new(all.finish())
        }
        "list<int64>" => {
            let mut all = ListBuilder::new(Int64Builder::new());
            for numbers in values.extract::<Vec<Option<Vec<i64>>>>()? {
                all.append_option(numbers.map(|numbers| numbers.into_iter().map(Some)));
            }
            Arc::new(all.finish())
        }
        kind => return Err(PyValueError::new_err(format!("no type is called {kind:?}"))),
    })
}
