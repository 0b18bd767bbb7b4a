//! What is wrong or remarkable, tied to bytes.

use serde::{Deserialize, Serialize};

use super::Effect;
use super::span::Span;
use super::value::Str;

/// How much it matters.
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

/// A rule that fired: the same for all its diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleInfo {
    /// `area/kebab-case`, stable; names the pattern complained about.
    pub id: Str,
    /// How much it matters.
    pub severity: Severity,
    /// What the driver does about it, for rules that are the driver's.
    pub effect: Option<Effect>,
    /// One line.
    pub summary: Str,
    /// The specification or the consumer's function that it comes from.
    pub origin: Str,
    /// The explanation.
    pub docs: Str,
}

/// Bytes and what they have to do with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The bytes.
    pub span: Span,
    /// A few words; may be empty.
    pub text: Str,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule's id.
    pub rule: Str,
    /// How much it matters.
    pub severity: Severity,
    /// The headline: one line, without offsets.
    pub message: String,
    /// The bytes at fault.
    pub primary: Label,
    /// Other bytes that belong to it.
    pub secondary: Vec<Label>,
    /// What to do, or what to think of it.
    pub help: Option<Str>,
}
