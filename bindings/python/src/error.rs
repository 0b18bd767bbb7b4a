//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use zeview::api::operations::ApiError;

create_exception!(
    zeview,
    Error,
    PyException,
    "Misuse, or bytes that cannot be read any more. Damaged files are not errors.\n\n\
     `code` is a word for programs (\"no-kernel\"), and `span` the bytes (source, start, end) that could not \
     be read, or None."
);

/// Converts the error of an operation.
pub fn exception(py: Python<'_>, error: ApiError) -> PyErr {
    let ApiError {
        code,
        message,
        span,
    } = error;
    let raised = Error::new_err(message);
    let value = raised.value(py);
    let span = span.map(|span| (span.source.0, span.start, span.end));
    let set = value
        .setattr("code", code)
        .and_then(|()| value.setattr("span", span));
    match set {
        Ok(()) => raised,
        Err(error) => error,
    }
}
