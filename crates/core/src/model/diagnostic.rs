//! Diagnostics: problems and remarkable facts, tied to bytes.

use serde::{Deserialize, Serialize};

use super::Effect;
use super::span::Span;
use super::value::Str;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Unusual; a consumer may ignore it.
    Warning,
    /// Against the specification: a consumer may refuse or misread the file.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A rule that fired, shared by all its diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleInfo {
    /// The stable id, `area/kebab-case`; it names the problem.
    pub id: Str,
    /// The severity.
    pub severity: Severity,
    /// For the driver's rules: the driver's reaction.
    pub effect: Option<Effect>,
    /// The summary, one line.
    pub summary: Str,
    /// The specification, or the consumer's function, that it is from.
    pub origin: Str,
    /// The explanation.
    pub docs: Str,
    /// Whether zeview did not read the reported bytes, or only a part of them: device code in them is
    /// in no list.
    #[serde(rename = "unread")]
    pub is_unread: bool,
}

/// A span with a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The bytes.
    pub span: Span,
    /// A short note; may be empty.
    pub text: Str,
}

/// A single diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule's id.
    pub rule: Str,
    /// The severity.
    pub severity: Severity,
    /// The headline: one line, without offsets.
    pub message: String,
    /// The bytes at fault.
    pub primary: Label,
    /// Related bytes.
    pub secondary: Vec<Label>,
    /// Advice.
    pub help: Option<Str>,
}
