//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use zeview::api::operations::ApiError;

create_exception!(
    zeview,
    Error,
    PyException,
    "Misuse, bytes that cannot be read any more, or a file that does not pass `Check.require`. Damaged files \
     are no errors otherwise.\n\n\
     `code` is a word for programs (\"no-kernel\"), `span` the bytes (source, start, end) that could not be \
     read or break a rule, and `rule` the rule; or None."
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
        .and_then(|()| value.setattr("span", span))
        .and_then(|()| value.setattr("rule", None::<&str>));
    match set {
        Ok(()) => raised,
        Err(error) => error,
    }
}
