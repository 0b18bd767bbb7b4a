//! The work of an analysis.
//!
//! Each part of the analysis has a budget of its own, and its result records whether that was
//! enough. A part that uses an incomplete result is incomplete itself. So each figure is complete,
//! or is known not to be, in whatever order the parts are computed.

use std::cell::{Cell, OnceCell};

use super::build::{DataFlow, Stop};
use crate::limits;
use zeview_core::analysis::figure::{Figure, Unknown};

/// Counters of an analysis.
#[derive(Debug, Default)]
pub(super) struct Work {
    steps: Cell<u64>,
    /// Maximum number of steps for the current part.
    allowed: Cell<u64>,
    /// Whether the current part is incomplete.
    is_cut: Cell<bool>,
    /// Number of steps that queries have used.
    queried: Cell<u64>,
    /// Number of definitions that are kept.
    kept: Cell<usize>,
}

/// The result of a part of the analysis.
#[derive(Debug)]
pub(super) struct Done<T> {
    pub value: T,
    /// Whether the budget was not enough: the result may be incomplete.
    pub is_cut: bool,
}

impl DataFlow {
    /// Counts work. Returns whether the budget of the current part allows more.
    pub(super) fn spend(&self, steps: u64) -> bool {
        let work = &self.work;
        work.steps.set(work.steps.get().saturating_add(steps));
        let is_exhausted = work.steps.get() > work.allowed.get();
        if is_exhausted {
            self.cut();
        }
        !is_exhausted
    }

    /// Marks the current part as incomplete.
    pub(super) fn cut(&self) {
        self.work.is_cut.set(true);
    }

    /// Whether the current part is incomplete.
    pub(super) fn is_cut(&self) -> bool {
        self.work.is_cut.get()
    }

    /// Counts definitions that are kept. Returns `false` if there are too many.
    pub(super) fn keep(&self, count: usize) -> bool {
        let kept = self.work.kept.get().saturating_add(count);
        let may_keep = kept <= limits::data_flow_kept(self.code.len());
        if may_keep {
            self.work.kept.set(kept);
        }
        may_keep
    }

    fn within<T>(&self, budget: u64, f: impl FnOnce() -> T) -> Done<T> {
        let work = &self.work;
        let start = work.steps.get();
        let allowed = work.allowed.replace(start.saturating_add(budget));
        let was_cut = work.is_cut.replace(false);
        let value = f();
        let is_cut = work.is_cut.replace(was_cut);
        // The part around it has not done this work.
        let done = work.steps.get().saturating_sub(start);
        work.allowed.set(allowed.saturating_add(done));
        Done { value, is_cut }
    }

    /// Computes a part of the analysis.
    pub(super) fn part<T>(&self, f: impl FnOnce() -> T) -> Done<T> {
        self.within(limits::data_flow_steps(self.code.len()), f)
    }

    /// Returns a part of the analysis; computes it on first use.
    pub(super) fn known<'a, T>(&self, part: &'a OnceCell<Done<T>>, f: impl FnOnce() -> T) -> &'a T {
        let done = part.get_or_init(|| self.part(f));
        if done.is_cut {
            self.cut();
        }
        &done.value
    }

    /// Answers a question about an instruction.
    pub(super) fn query<T>(&self, f: impl FnOnce() -> T) -> Done<T> {
        let queried = &self.work.queried;
        // All questions together are bounded, but each gets a minimum: the last one of a long
        // session is answered, too.
        let left = limits::data_flow_queries(self.code.len()).saturating_sub(queried.get());
        let start = self.steps();
        let done = self.within(left.max(limits::DATA_FLOW_QUERY), f);
        let used = self.steps().saturating_sub(start);
        queried.set(queried.get().saturating_add(used));
        done
    }

    /// Computes a figure of the whole code.
    pub(super) fn figure<T>(&self, f: impl FnOnce() -> T) -> Figure<T> {
        match self.extent().stop {
            Some((_, Stop::Limit)) => return Err(Unknown::TooLong),
            Some((_, Stop::Truncated)) => return Err(Unknown::Truncated),
            None => {}
        }
        match self.part(f) {
            Done { is_cut: true, .. } => Err(Unknown::TooMuchWork),
            Done { value, .. } => Ok(value),
        }
    }

    /// Number of steps so far. Compiled code takes about one per byte.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.work.steps.get()
    }
}
