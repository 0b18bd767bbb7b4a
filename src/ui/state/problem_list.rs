//! The problems of a file in display order: the driver's findings, then violations of the
//! specification, worst first.

use crate::model::sort;
use crate::model::{Effect, RuleInfo, Severity, Span, Tone};

use super::View;
use super::verdict::effect_tone;

/// Maximum number of problems of one rule that are shown individually by default.
const FOLD: usize = 4;

/// Origin and severity. Driver findings are kept apart: they do not measure how malformed a file
/// is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A finding of the driver model.
    Driver,
    /// A violation of the specification.
    Error,
    /// Unusual.
    Warning,
    /// Informational.
    Info,
}

/// All classes in display order.
pub const CLASSES: [Class; 4] = [Class::Driver, Class::Error, Class::Warning, Class::Info];

impl Class {
    fn of(severity: Severity) -> Class {
        match severity {
            Severity::Error => Class::Error,
            Severity::Warning => Class::Warning,
            Severity::Info => Class::Info,
        }
    }

    /// The severity of classes other than the driver's.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Class::Driver => None,
            Class::Error => Some(Severity::Error),
            Class::Warning => Some(Severity::Warning),
            Class::Info => Some(Severity::Info),
        }
    }
}

/// One problem: its class, and its index in the verdict's findings or the diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Class, which selects the list.
    pub class: Class,
    /// Index in that list.
    pub place: usize,
}

/// Text and target of an [`Entry`].
pub struct ProblemDetail<'a> {
    /// The rule's id.
    pub rule: &'a str,
    /// One-line message.
    pub message: &'a str,
    /// The affected bytes.
    pub span: Span,
    /// Path of the affected node, if known.
    pub path: &'a str,
    /// Tone.
    pub tone: Tone,
    /// The driver's reaction, for driver findings.
    pub effect: Option<Effect>,
}

/// Looks up an entry.
pub fn describe(view: &View, entry: Entry) -> Option<ProblemDetail<'_>> {
    if entry.class == Class::Driver {
        let report = view.verdict_report()?;
        let finding = report.verdict.as_ref()?.findings.get(entry.place)?;
        return Some(ProblemDetail {
            rule: &finding.rule,
            message: &finding.message,
            span: finding.span,
            path: report.paths.get(entry.place).map_or("", String::as_str),
            tone: effect_tone(finding.effect),
            effect: Some(finding.effect),
        });
    }
    let problem = view.opened.diagnostics.get(entry.place)?;
    let diagnostic = &problem.diagnostic;
    Some(ProblemDetail {
        rule: &diagnostic.rule,
        message: &diagnostic.message,
        span: diagnostic.primary.span,
        path: &problem.path,
        tone: match diagnostic.severity {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Warning,
            Severity::Info => Tone::Plain,
        },
        effect: None,
    })
}

/// The rule of an entry.
pub fn rule(view: &View, entry: Entry) -> Option<&RuleInfo> {
    let id = describe(view, entry)?.rule;
    let rules = match entry.class {
        Class::Driver => &view.driver_verdict()?.rules,
        _ => &view.opened.rules,
    };
    rules.iter().find(|rule| rule.id == id)
}

/// All problems by class, then by rule in order of first appearance, then by position.
pub fn entries(view: &View) -> Vec<Entry> {
    let findings = view.driver_verdict().map_or(0, |v| v.findings.len());
    let driver = (0..findings).map(|place| (Class::Driver, place));
    let diagnostics = view.opened.diagnostics.iter().enumerate();
    let spec = diagnostics.map(|(place, p)| (Class::of(p.diagnostic.severity), place));
    let mut rules: Vec<&str> = Vec::new();
    let mut keyed: Vec<(Class, usize, usize)> = Vec::new();
    for (class, place) in driver.chain(spec) {
        let Some(problem) = describe(view, Entry { class, place }) else {
            continue;
        };
        // At most a few dozen rules fire in one file.
        let number = rules.iter().position(|rule| *rule == problem.rule);
        let number = number.unwrap_or_else(|| {
            rules.push(problem.rule);
            rules.len() - 1
        });
        keyed.push((class, number, place));
    }
    sort::ascending(&mut keyed);
    let entry = |(class, _, place)| Entry { class, place };
    keyed.into_iter().map(entry).collect()
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// Heading of a class, with the number of problems.
    Class(Class, u64),
    /// A group of problems of one rule: the first, the count, and whether it is expanded.
    Rule(Entry, u64, bool),
    /// One problem.
    Entry(Entry),
}

/// The lines for these entries. `is_open` returns whether a group is expanded, given its first
/// entry and all entries.
pub fn lines(
    view: &View,
    entries: &[Entry],
    is_open: impl Fn(&str, &[Entry]) -> bool,
) -> Vec<Line> {
    let rule_of = |entry: &Entry| describe(view, *entry).map_or("", |problem| problem.rule);
    let mut lines = Vec::new();
    for class in entries.chunk_by(|a, b| a.class == b.class) {
        if let Some(first) = class.first() {
            lines.push(Line::Class(first.class, class.len() as u64));
        }
        for alike in class.chunk_by(|a, b| rule_of(a) == rule_of(b)) {
            let Some(first) = alike.first() else { continue };
            if alike.len() > FOLD {
                let open = is_open(rule_of(first), alike);
                lines.push(Line::Rule(*first, alike.len() as u64, open));
                if !open {
                    continue;
                }
            }
            lines.extend(alike.iter().copied().map(Line::Entry));
        }
    }
    lines
}

/// The bytes of the next or previous problem, wrapping around.
pub fn step(view: &View, forward: bool) -> Option<Span> {
    let mut spans: Vec<Span> = entries(view)
        .into_iter()
        .filter_map(|entry| Some(describe(view, entry)?.span))
        .collect();
    // Consecutive problems with the same bytes are one stop.
    spans.dedup();
    let last = spans.len().checked_sub(1)?;
    let at = view
        .selection
        .span
        .and_then(|span| spans.iter().position(|s| *s == span));
    let next = match (at, forward) {
        (Some(i), true) if i < last => i + 1,
        (Some(0) | None, false) => last,
        (Some(i), false) => i - 1,
        (_, true) => 0,
    };
    spans.get(next).copied()
}
