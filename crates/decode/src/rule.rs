//! The type of a rule; [`rules`](super::rules) lists the rules.

use zeview_core::model::{Effect, RuleInfo, Severity};

/// The source of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A specification: document and section.
    Spec(&'static str),
    /// Intel's driver, compute-runtime: file or function.
    Runtime(&'static str),
    /// This viewer: a limit, or a finding of its own.
    Viewer,
}

/// A condition that a diagnostic reports.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `area/kebab-case`, stable; names the reported pattern.
    pub id: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The driver's reaction, only for rules of a verdict.
    pub effect: Option<Effect>,
    /// The summary, one line.
    pub summary: &'static str,
    /// The source.
    pub origin: Origin,
    /// The explanation.
    pub docs: &'static str,
    /// Whether zeview did not read the reported bytes, or only a part of them: device code in them is
    /// in no list.
    pub is_unread: bool,
}

impl Rule {
    /// Returns the rule as documents store it.
    pub fn info(&self) -> RuleInfo {
        RuleInfo {
            id: self.id.into(),
            severity: self.severity,
            effect: self.effect,
            summary: self.summary.into(),
            origin: match self.origin {
                Origin::Spec(section) => section.into(),
                Origin::Runtime(location) => format!("compute-runtime, {location}").into(),
                Origin::Viewer => "zeview".into(),
            },
            docs: self.docs.into(),
            is_unread: self.is_unread,
        }
    }
}
