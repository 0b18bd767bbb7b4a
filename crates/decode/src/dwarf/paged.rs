//! Rows that can only be read in sequence, a page at a time. Large items keep a checkpoint every
//! 256 rows, so that a page does not read all rows before it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use zeview_core::model::Node;

/// Position while reading the rows of an item.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    /// The offset in the section.
    pub(super) at: usize,
    /// The next kind of row; each kind of item has its own numbers.
    pub(super) phase: u8,
    /// A second position, which depends on the item: the number of the next entry or row, or an
    /// offset in the abbreviation.
    pub(super) next: usize,
    /// Number of rows so far, or remaining.
    pub(super) count: usize,
}

impl State {
    /// Returns the state at an offset.
    pub(super) fn at(at: usize) -> State {
        State {
            at,
            ..State::default()
        }
    }
}

/// Produces the next row.
pub(super) type Step<'a> = &'a mut dyn FnMut(&mut State) -> Option<Node>;

/// Number of rows per checkpoint.
pub(super) const STRIDE: u64 = 256;

struct Checkpoints {
    count: u64,
    states: Vec<State>,
}

/// The checkpoints of the large items of a section. There is less than 1 per 256 bytes, so none is
/// ever dropped.
#[derive(Default)]
pub(super) struct Paged(RefCell<BTreeMap<u64, Rc<Checkpoints>>>);

impl Paged {
    /// Returns the number of rows of an item, or the rows of the range (with a number of 0). `step`
    /// produces the rows, starting from the state `first`.
    pub(super) fn rows(
        &self,
        item: u64,
        first: State,
        range: Option<Range<u64>>,
        step: Step<'_>,
    ) -> (u64, Vec<Node>) {
        let Some(range) = range else {
            return (self.checkpoints(item, first, step).count, Vec::new());
        };
        let (mut state, mut number) = (first, 0);
        if range.start >= STRIDE {
            let checkpoints = self.checkpoints(item, first, step);
            let page = usize::try_from(range.start / STRIDE).unwrap_or(usize::MAX);
            let Some(known) = checkpoints.states.get(page) else {
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

    /// Returns the last checkpoint of a large item for which `is_before` holds, with the index of
    /// its row. `is_before` must hold for a prefix of the states.
    pub(super) fn near(
        &self,
        item: u64,
        is_before: impl Fn(&State) -> bool,
    ) -> Option<(u64, State)> {
        let checkpoints = self.0.borrow().get(&item).cloned()?;
        let after = checkpoints.states.partition_point(is_before);
        let at = after.checked_sub(1)?;
        Some((at as u64 * STRIDE, *checkpoints.states.get(at)?))
    }

    fn checkpoints(&self, item: u64, first: State, step: Step<'_>) -> Rc<Checkpoints> {
        if let Some(checkpoints) = self.0.borrow().get(&item) {
            return Rc::clone(checkpoints);
        }
        let mut checkpoints = Checkpoints {
            count: 0,
            states: Vec::new(),
        };
        let mut state = first;
        loop {
            let before = state;
            if step(&mut state).is_none() {
                break;
            }
            if checkpoints.count.is_multiple_of(STRIDE) {
                checkpoints.states.push(before);
            }
            checkpoints.count += 1;
        }
        let checkpoints = Rc::new(checkpoints);
        if checkpoints.count > STRIDE {
            self.0.borrow_mut().insert(item, Rc::clone(&checkpoints));
        }
        checkpoints
    }
}

/// Returns the rows `range` of a list with random access.
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
