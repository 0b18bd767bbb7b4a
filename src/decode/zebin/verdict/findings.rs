//! What the driver meets, in its order, and where it stops.

use std::fmt::Display;

use crate::decode::limits;
use crate::decode::rule::Rule;
use crate::model::{Effect, Finding, RuleInfo, Span};

/// The driver goes no further; the findings say why.
#[derive(Debug, Clone, Copy)]
pub struct Stop;

/// The findings so far.
#[derive(Default)]
pub struct Findings {
    list: Vec<Finding>,
    counts: Vec<(&'static Rule, usize)>,
    decisive: Option<(usize, u32)>,
    stage: u32,
}

impl Findings {
    /// A step of the driver begins: what it meets in one step all counts, a crash the most.
    pub fn stage(&mut self) {
        self.stage += 1;
    }

    /// The driver meets something. The message is only written if the finding is listed.
    pub fn note(&mut self, rule: &'static Rule, span: Span, message: impl Display) {
        self.add(rule, span, &message);
    }

    fn add(&mut self, rule: &'static Rule, span: Span, message: &dyn Display) {
        let effect = rule.effect.unwrap_or(Effect::Passes);
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
        let settled = match self.decisive {
            None => false,
            Some((_, stage)) => stage != self.stage || effect != Effect::Crashes || self.crashes(),
        };
        let decides = !effect.lets_pass() && !settled;
        if count > limits::PER_RULE && !decides {
            return;
        }
        if decides {
            self.decisive = Some((self.list.len(), self.stage));
        }
        self.list.push(Finding {
            rule: rule.id.into(),
            effect,
            message: message.to_string(),
            span,
        });
    }

    /// The driver meets something, and stops.
    pub fn stop(&mut self, rule: &'static Rule, span: Span, message: impl Display) -> Stop {
        self.note(rule, span, message);
        Stop
    }

    fn crashes(&self) -> bool {
        self.decisive()
            .and_then(|at| self.list.get(at))
            .is_some_and(|finding| finding.effect == Effect::Crashes)
    }

    /// The place of the finding that settles the verdict.
    pub fn decisive(&self) -> Option<usize> {
        self.decisive.map(|(at, _)| at)
    }

    /// Was a rule met?
    pub fn met(&self, rule: &'static Rule) -> bool {
        self.counts.iter().any(|(r, _)| r.id == rule.id)
    }

    /// The findings and their rules; of those left out, how many there are.
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
                    message: format!("and {more} more of this rule, which are not listed"),
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
