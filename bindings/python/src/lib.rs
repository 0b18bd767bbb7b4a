//! The native module of the Python package: zeview's library, with its results as JSON.
//!
//! * `document`: the class; each document lives in a thread of its own (`worker`).
//! * `source`: the bytes of a document: a file, `bytes`, or any buffer.
//! * `arrow`: columns of a table as an Arrow stream.
//! * `error`: exceptions.

mod arrow;
mod document;
mod error;
mod source;
mod worker;

/// The module `zeview._zeview`.
#[pyo3::pymodule(gil_used = false)]
mod _zeview {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrow::arrow_stream;
    #[pymodule_export]
    use super::document::{Document, columns, default_columns, lists};
    #[pymodule_export]
    use super::error::Error;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
