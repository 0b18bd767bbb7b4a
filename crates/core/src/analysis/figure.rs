//! Figures that may be unknown, with the reason.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::Span;

/// A figure of a kernel or of some code, or the reason why it is unknown.
pub type Figure<T> = Result<T, Unknown>;

/// The reason why a figure of a kernel or of some code is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unknown {
    /// There are more instructions than the analysis covers.
    TooLong,
    /// The code ends within an instruction.
    Truncated,
    /// A limit on the work was reached.
    TooMuchWork,
    /// An instruction reads registers whose numbers are in other registers.
    Indirect,
    /// Messages transfer a number of bytes that is not known.
    Messages,
    /// Instructions do a number of operations that is not known.
    Undecoded,
    /// It depends on functions that the code calls.
    Calls,
    /// The code has no such bytes to divide by.
    NoBytes,
    /// The code of several kernels overlaps, and exceeds the size of the file.
    Overlapping,
    /// It depends on kernels of the file that are not read yet.
    Unread,
    /// The code is not analyzed yet.
    Pending,
    /// The file gives the scratch memory of a thread, but not what it is for: the vector compiler
    /// writes neither `spill_size` nor `private_size`.
    NotStated {
        /// The size of the scratch memory, in bytes per hardware thread.
        up_to: u64,
    },
    /// The file states a size with a key that the driver does not read in this version of
    /// `.ze_info`, and no scratch memory.
    Ignored {
        /// The stated size, in bytes per hardware thread.
        up_to: u64,
    },
    /// The compiler reserved memory for the call stack, because it cannot compute how much the
    /// kernel needs (recursion, indirect calls). Spills are a part of it.
    CallStack {
        /// The reservation, in bytes per hardware thread.
        reserved: u64,
        /// Number of messages in the kernel's code that write scratch memory; `None` if they were
        /// not counted.
        spill_messages: Option<u64>,
    },
}

impl Unknown {
    /// Returns the reason in words.
    #[must_use]
    pub fn reason(self) -> Cow<'static, str> {
        match self {
            Unknown::TooLong => "the code is too long".into(),
            Unknown::Truncated => "the code ends within an instruction".into(),
            Unknown::TooMuchWork => "the code takes too much work".into(),
            Unknown::Indirect => "registers are addressed indirectly".into(),
            Unknown::Messages => "messages of unknown size".into(),
            Unknown::Undecoded => "instructions that do not decode".into(),
            Unknown::Calls => "calls of functions".into(),
            Unknown::NoBytes => "no bytes of global memory".into(),
            Unknown::Overlapping => "the code of many kernels overlaps".into(),
            Unknown::Unread => "not all kernels of the file are read".into(),
            Unknown::Pending => "not analyzed yet".into(),
            Unknown::NotStated { up_to } => {
                format!("not stated (vector compute), up to {up_to} bytes").into()
            }
            Unknown::Ignored { up_to } => format!(
                "not stated (the driver ignores the key before ze_info 1.39), up to {up_to} bytes"
            )
            .into(),
            Unknown::CallStack {
                reserved,
                spill_messages,
            } => {
                let reserved = format!("call stack, reserved ({reserved} bytes)");
                match spill_messages {
                    None => reserved.into(),
                    Some(0) => format!("{reserved}; no spill messages in the code").into(),
                    Some(1) => format!("{reserved}; 1 spill message in the code").into(),
                    Some(count) => format!("{reserved}; {count} spill messages in the code").into(),
                }
            }
        }
    }

    /// Returns the word for tables: `unknown`, `not stated`, `call stack, reserved`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Unknown::NotStated { .. } | Unknown::Ignored { .. } => "not stated",
            Unknown::CallStack { .. } => "call stack, reserved",
            _ => "unknown",
        }
    }

    /// Adds the number of spill messages in the code to the reservation for a call stack. `count` is
    /// called only then.
    #[must_use]
    pub fn with_spill_messages(self, count: impl FnOnce() -> Option<u64>) -> Unknown {
        match self {
            Unknown::CallStack { reserved, .. } => Unknown::CallStack {
                reserved,
                spill_messages: count(),
            },
            other => other,
        }
    }

    /// Returns the largest value that the figure may have, if it has a limit. The smallest is 0.
    #[must_use]
    pub fn limit(self) -> Option<u64> {
        match self {
            Unknown::NotStated { up_to } | Unknown::Ignored { up_to } => Some(up_to),
            Unknown::CallStack { reserved, .. } => Some(reserved),
            _ => None,
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.word() {
            "unknown" => write!(f, "unknown: {}", self.reason()),
            _ => f.write_str(&self.reason()),
        }
    }
}

/// A size in bytes per hardware thread that the file states, or the reason why it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeFigure {
    /// The size; 0 by default.
    pub figure: Figure<i64>,
    /// The bytes of the value, or of the size that limits it. `None` for a default.
    pub span: Option<Span>,
}

impl Default for SizeFigure {
    fn default() -> SizeFigure {
        SizeFigure::new(Ok(0), None)
    }
}

impl SizeFigure {
    /// Creates a size.
    #[must_use]
    pub fn new(figure: Figure<i64>, span: Option<Span>) -> SizeFigure {
        SizeFigure { figure, span }
    }

    /// Whether the size is known and not 0.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.figure.is_ok_and(|size| size > 0)
    }

    /// Returns the larger of two sizes. An unknown one may be larger than any other.
    #[must_use]
    pub fn max(self, other: SizeFigure) -> SizeFigure {
        match (self.figure, other.figure) {
            (Ok(a), Ok(b)) if b > a => other,
            (Ok(_), Err(_)) => other,
            (Err(a), Err(b)) if b.limit() > a.limit() => other,
            _ => self,
        }
    }
}
