//! What a rule is; [`rules`](super::rules) lists them.

use crate::model::{Effect, RuleInfo, Severity};

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A specification: document and section.
    Spec(&'static str),
    /// Intel's driver, compute-runtime: file or function.
    Runtime(&'static str),
    /// This viewer: a limit, or a remark of its own.
    Viewer,
}

/// What can be wrong or remarkable.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `area/kebab-case`, stable; names the pattern complained about.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What the driver does about it: only the rules of a verdict have it.
    pub effect: Option<Effect>,
    /// One line.
    pub summary: &'static str,
    /// Who says so.
    pub origin: Origin,
    /// The explanation.
    pub docs: &'static str,
}

impl Rule {
    /// The rule as the document carries it.
    pub fn info(&self) -> RuleInfo {
        RuleInfo {
            id: self.id.into(),
            severity: self.severity,
            effect: self.effect,
            summary: self.summary.into(),
            origin: match self.origin {
                Origin::Spec(place) => place.into(),
                Origin::Runtime(place) => format!("compute-runtime, {place}").into(),
                Origin::Viewer => "zeview".into(),
            },
            docs: self.docs.into(),
        }
    }
}
