//! Rows that are read one after the other, a page at a time. Where every 256th row of a large item
//! starts is kept, so that a page costs its own rows and not those before it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use crate::model::Node;

/// How far the rows of an item are read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    /// The offset in the section.
    pub(super) at: usize,
    /// What comes next: each kind of item has numbers of its own.
    pub(super) phase: u8,
    /// Another offset, or the number of something.
    pub(super) next: usize,
    /// How many there were, or are left.
    pub(super) count: usize,
}

impl State {
    /// At the beginning of something.
    pub(super) fn at(at: usize) -> State {
        State {
            at,
            ..State::default()
        }
    }
}

/// Makes the next row.
pub(super) type Step<'a> = &'a mut dyn FnMut(&mut State) -> Option<Node>;

/// A state is kept for every so many rows.
pub(super) const STRIDE: u64 = 256;

struct Checkpoints {
    count: u64,
    states: Vec<State>,
}

/// The marks of the large items of a section. There are fewer than 1 for each 256 of its bytes, so
/// none is ever dropped.
#[derive(Default)]
pub(super) struct Paged(RefCell<BTreeMap<u64, Rc<Checkpoints>>>);

impl Paged {
    /// How many rows an item has, or those of the range (then the number is of no use). Its rows
    /// are what `step` makes, from the state `first` on.
    pub(super) fn rows(
        &self,
        item: u64,
        first: State,
        range: Option<Range<u64>>,
        step: Step<'_>,
    ) -> (u64, Vec<Node>) {
        let Some(range) = range else {
            return (self.marks(item, first, step).count, Vec::new());
        };
        let (mut state, mut number) = (first, 0);
        if range.start >= STRIDE {
            let marks = self.marks(item, first, step);
            let page = usize::try_from(range.start / STRIDE).unwrap_or(usize::MAX);
            let Some(known) = marks.states.get(page) else {
                return (0, Vec::new());
            };
            (state, number) = (*known, range.start / STRIDE * STRIDE);
        }
        let mut rows = Vec::new();
        while number < range.end {
            let Some(row) = step(&mut state) else {
                break;
            };
            if number >= range.start {
                rows.push(row);
            }
            number += 1;
        }
        (0, rows)
    }

    /// The last state that is kept of a large item for which `is_before` holds, as it does for
    /// those before it; and the number of its row.
    pub(super) fn near(
        &self,
        item: u64,
        is_before: impl Fn(&State) -> bool,
    ) -> Option<(u64, State)> {
        let marks = self.0.borrow().get(&item).cloned()?;
        let after = marks.states.partition_point(is_before);
        let at = after.checked_sub(1)?;
        Some((at as u64 * STRIDE, *marks.states.get(at)?))
    }

    fn marks(&self, item: u64, first: State, step: Step<'_>) -> Rc<Checkpoints> {
        if let Some(marks) = self.0.borrow().get(&item) {
            return Rc::clone(marks);
        }
        let mut marks = Checkpoints {
            count: 0,
            states: Vec::new(),
        };
        let mut state = first;
        loop {
            let before = state;
            if step(&mut state).is_none() {
                break;
            }
            if marks.count.is_multiple_of(STRIDE) {
                marks.states.push(before);
            }
            marks.count += 1;
        }
        let marks = Rc::new(marks);
        if marks.count > STRIDE {
            self.0.borrow_mut().insert(item, Rc::clone(&marks));
        }
        marks
    }
}

/// The rows `range` of a list whose entries can be found by number.
pub(super) fn numbered(
    count: usize,
    range: Option<Range<u64>>,
    mut row: impl FnMut(usize) -> Option<Node>,
) -> (u64, Vec<Node>) {
    let all = count as u64;
    let range = range.unwrap_or(0..0);
    let numbers = range.start.min(all)..range.end.min(all);
    let numbers = numbers.filter_map(|number| usize::try_from(number).ok());
    (all, numbers.filter_map(&mut row).collect())
}
