//! Where the blocks of some code begin, and the jumps between them.

use std::collections::{BTreeMap, BTreeSet};

use super::format::ends_block;
use super::{Decoder, targets};
use crate::model::{Sources, Span};

use super::windows::for_each_word;

/// So many jumps are drawn beside each other; those that find no place are not.
const LANES: usize = 8;

/// The blocks and jumps of some code. Offsets count from its start; code is at most 2 GiB long.
#[derive(Debug, Default)]
pub struct Flow {
    /// Where the blocks start, in order: after branches, after the end of the thread, and where
    /// branches go. A place can be outside of the code, or within an instruction.
    pub starts: Vec<i32>,
    /// Where instructions jump back to: from, to.
    pub back: Vec<(i32, i32)>,
    /// The jumps that are drawn, the innermost lane first: by the lower end, the upper end and
    /// whether it is the target.
    lanes: Vec<BTreeMap<i32, Jump>>,
}

#[derive(Clone, Copy, Debug)]
struct Jump {
    end: i32,
    /// It goes to larger offsets.
    down: bool,
}

impl Flow {
    /// Looks through some code.
    #[must_use]
    pub fn find(decoder: &Decoder, code: Span, sources: &Sources) -> Flow {
        let mut starts = BTreeSet::from([0]);
        let mut jumps = BTreeSet::new();
        for_each_word(sources, code, &mut |at, word| {
            if !word.first().is_some_and(|byte| decoder.can_branch(*byte)) {
                return true;
            }
            let (Ok(at), Some(instruction)) = (i32::try_from(at), decoder.decode(word)) else {
                return true;
            };
            let next = at.saturating_add(i32::from(instruction.length));
            if ends_block(&instruction) {
                starts.insert(next);
            }
            for target in targets(&instruction, at) {
                starts.insert(target);
                if target != next {
                    jumps.insert((at, target));
                }
            }
            true
        });
        let length = i32::try_from(code.len()).unwrap_or(i32::MAX);
        let mut within: Vec<(i32, i32)> = jumps.iter().copied().collect();
        within.retain(|(_, to)| (0..length).contains(to));
        let back = within.iter().filter(|(from, to)| to <= from).copied();
        let mut flow = Flow {
            starts: starts.into_iter().collect(),
            back: back.collect(),
            lanes: Vec::new(),
        };
        within.sort_by_key(|(from, to)| (from.abs_diff(*to), *from));
        for (from, to) in within {
            flow.place(from.min(to), from.max(to), to > from);
        }
        flow
    }

    /// Puts a jump into the first lane where nothing else is.
    fn place(&mut self, start: i32, end: i32, down: bool) {
        let is_free = |lane: &BTreeMap<i32, Jump>| {
            let before = lane.range(..=end).next_back();
            before.is_none_or(|(_, jump)| jump.end < start)
        };
        let lane = match self.lanes.iter().position(is_free) {
            Some(lane) => lane,
            None if self.lanes.len() < LANES => {
                self.lanes.push(BTreeMap::new());
                self.lanes.len() - 1
            }
            None => return,
        };
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.insert(start, Jump { end, down });
        }
    }

    /// The jumps that start, end, or pass at an instruction: a character for each lane, the
    /// outermost first, and one for the instruction.
    #[must_use]
    pub fn jumps(&self, at: i32) -> String {
        let mut out = String::with_capacity(3 * self.lanes.len() + 3);
        // What comes from the left goes on to the instruction.
        let mut across = None;
        for lane in self.lanes.iter().rev() {
            let jump = lane.range(..=at).next_back();
            let jump = jump.filter(|(_, jump)| jump.end >= at);
            let character = match (jump, across) {
                (None, None) => ' ',
                (None, Some(_)) => '─',
                (Some((start, jump)), _) if *start == at || jump.end == at => {
                    let is_upper = *start == at;
                    let is_target = jump.down != is_upper;
                    let before = across.replace(is_target || across == Some(true));
                    match (before, is_upper) {
                        (None, true) => '┌',
                        (None, false) => '└',
                        (Some(_), true) => '┬',
                        (Some(_), false) => '┴',
                    }
                }
                (Some(_), None) => '│',
                (Some(_), Some(_)) => '┼',
            };
            out.push(character);
        }
        if !self.lanes.is_empty() {
            out.push(match across {
                None => ' ',
                Some(false) => '─',
                Some(true) => '►',
            });
        }
        out
    }

    /// How many jumps are beside each other at most.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        u32::try_from(self.lanes.len()).unwrap_or(u32::MAX)
    }

    /// How many blocks of the code there are.
    #[must_use]
    pub fn blocks(&self, length: i32) -> u64 {
        let starts = self.starts.iter();
        starts.filter(|start| (0..length).contains(*start)).count() as u64
    }

    /// How many loops there are, and in how many of them an instruction is at most: a loop goes
    /// from a place to the last jump back to it.
    #[must_use]
    pub fn loops(&self) -> (u64, u64) {
        let mut loops: BTreeMap<i32, i32> = BTreeMap::new();
        for (from, to) in &self.back {
            let end = loops.entry(*to).or_insert(*from);
            *end = (*end).max(*from);
        }
        let mut ends: Vec<i32> = loops.values().copied().collect();
        ends.sort_unstable();
        let (mut done, mut nesting) = (0, 0);
        for (begun, start) in (1_usize..).zip(loops.keys()) {
            while ends.get(done).is_some_and(|end| end < start) {
                done += 1;
            }
            nesting = nesting.max(begun - done);
        }
        (loops.len() as u64, nesting as u64)
    }
}
