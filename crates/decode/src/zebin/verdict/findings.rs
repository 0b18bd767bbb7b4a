//! The findings of the verdict in the driver's order, the point where the driver stops, and the
//! work limit.

use std::fmt::{self, Display};

use super::release::Release;
use super::rules;
use crate::context::headline;
use crate::limits;
use crate::rule::Rule;
use zeview_core::analysis::Import;
use zeview_core::model::{Effect, Finding, RuleInfo, Span};

/// The driver stops, or the model of it does; the findings contain the reason.
#[derive(Debug, Clone, Copy)]
pub struct Refused;

/// The findings so far.
#[derive(Clone)]
pub struct Findings {
    release: Release,
    list: Vec<Finding>,
    counts: Vec<(&'static Rule, usize)>,
    imports: Vec<Import>,
    decisive: Option<(usize, u32)>,
    stage: u32,
    steps: u64,
    limit: u64,
}

impl Findings {
    /// No findings yet, for a file of this size and a release of the driver.
    pub fn new(file: Span, release: Release) -> Findings {
        Findings {
            release,
            list: Vec::new(),
            counts: Vec::new(),
            imports: Vec::new(),
            decisive: None,
            stage: 0,
            steps: 0,
            limit: limits::verdict_steps(file.len()),
        }
    }

    /// The release of the driver.
    pub fn release(&self) -> Release {
        self.release
    }

    /// Adds work on the bytes of `span`, in bytes read or kept.
    ///
    /// # Errors
    ///
    /// Returns an error if the work exceeds the limit for the file's size.
    pub fn spend(&mut self, steps: u64, span: Span) -> Result<(), Refused> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps <= self.limit {
            Ok(())
        } else {
            self.refuse(
                &rules::NOT_JUDGED,
                span,
                "too much work for the size of the file",
            )
        }
    }

    /// The work so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The remaining work.
    pub fn steps_left(&self) -> u64 {
        self.limit.saturating_sub(self.steps)
    }

    /// Starts a step of the driver. Within one step a crash takes precedence, and an import counts
    /// only if nothing else stops the driver.
    pub fn stage(&mut self) {
        self.stage += 1;
    }

    /// Reports a finding. The message is only formatted if the finding is listed.
    pub fn note(&mut self, rule: &'static Rule, span: Span, message: impl Display) {
        self.add(rule, span, &message);
    }

    /// Like [`note`](Self::note), with another effect than the rule's usual one.
    pub fn note_as(
        &mut self,
        rule: &'static Rule,
        effect: Effect,
        span: Span,
        message: impl Display,
    ) {
        self.add_as(rule, effect, span, &message);
    }

    /// Makes the last finding decide the outcome.
    pub fn decide_by_last(&mut self) {
        let last = self.list.len().checked_sub(1);
        self.decisive = last.map(|at| (at, self.stage));
    }

    /// Changes the effect of all findings that have `from`.
    pub fn change_effect(&mut self, from: Effect, to: Effect) {
        for finding in self.list.iter_mut().filter(|found| found.effect == from) {
            finding.effect = to;
        }
    }

    /// The effect of the finding that decides the outcome.
    pub fn decisive_effect(&self) -> Option<Effect> {
        Some(self.list.get(self.decisive()?)?.effect)
    }

    /// Reports a finding at which the driver stops.
    ///
    /// # Errors
    ///
    /// Always returns an error.
    pub fn refuse<T>(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Display,
    ) -> Result<T, Refused> {
        self.add(rule, span, &message);
        Err(Refused)
    }

    /// Reports a symbol that the file uses but does not define.
    pub fn import(&mut self, symbol: &Excerpt<'_>, span: Span) {
        if self.imports.len() < limits::PER_RULE {
            self.imports.push(Import {
                symbol: symbol.to_string(),
                span,
                exported_by: Vec::new(),
            });
        }
    }

    /// The symbols that other modules must define.
    pub fn take_imports(&mut self) -> Vec<Import> {
        std::mem::take(&mut self.imports)
    }

    fn add(&mut self, rule: &'static Rule, span: Span, message: &dyn Display) {
        self.add_as(rule, rule.effect.unwrap_or(Effect::Passes), span, message);
    }

    fn add_as(&mut self, rule: &'static Rule, effect: Effect, span: Span, message: &dyn Display) {
        let count = match self.counts.iter_mut().find(|(r, _)| r.id == rule.id) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((rule, 1));
                1
            }
        };
        let decided = self.decisive().and_then(|at| self.list.get(at));
        // The driver collects the errors of a step before it stops, but a crash ends it at once.
        let settled = match (self.decisive, decided.map(|finding| finding.effect)) {
            (Some(_), Some(Effect::NeedsLinking)) => effect == Effect::NeedsLinking,
            (Some((_, stage)), decided) => {
                stage != self.stage || effect != Effect::Crashes || decided == Some(Effect::Crashes)
            }
            (None, _) => false,
        };
        let decides = !effect.allows_loading() && !settled;
        // The decisive finding is listed in any case: outcomes point to it.
        if count > limits::PER_RULE && !decides {
            return;
        }
        if decides {
            self.decisive = Some((self.list.len(), self.stage));
        }
        if self.list.is_empty() {
            // Most files have one; a package has many files.
            self.list.reserve_exact(1);
        }
        self.list.push(Finding {
            rule: rule.id.into(),
            effect,
            message: headline(&message.to_string()),
            span,
        });
    }

    /// The index of the finding that decides the outcome.
    pub fn decisive(&self) -> Option<usize> {
        self.decisive.map(|(at, _)| at)
    }

    /// Returns whether a rule has fired.
    pub fn contains(&self, rule: &'static Rule) -> bool {
        self.counts.iter().any(|(r, _)| r.id == rule.id)
    }

    /// The findings, their rules, and the index of the one that decides the outcome.
    pub fn finish(mut self) -> (Vec<Finding>, Vec<RuleInfo>, Option<usize>) {
        for (rule, count) in &self.counts {
            let more = count.saturating_sub(limits::PER_RULE);
            let last = self
                .list
                .iter()
                .rfind(|finding| finding.rule == rule.id)
                .cloned();
            if let (true, Some(last)) = (more > 0, last) {
                self.list.push(Finding {
                    message: format!("{more} more findings of this rule are not listed"),
                    ..last
                });
            }
        }
        let decisive = self.decisive();
        (
            self.list,
            self.counts.iter().map(|(rule, _)| rule.info()).collect(),
            decisive,
        )
    }
}

/// A name of the file for a message: as text, up to 80 bytes.
pub struct Excerpt<'a>(pub &'a [u8]);

impl Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.0.get(..80).unwrap_or(self.0);
        f.write_str(&String::from_utf8_lossy(start))
    }
}
