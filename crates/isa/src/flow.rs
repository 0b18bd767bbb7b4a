//! The lines of jumps beside a listing.

use std::collections::{BTreeMap, BTreeSet};

use super::Blocks;
use zeview_core::model::sort;

/// Maximum number of lanes for jumps in a listing. Jumps that do not fit are not drawn.
const LANES: usize = 8;

/// The jumps of some code, arranged beside each other.
#[derive(Debug, Default)]
pub struct Lanes {
    /// The drawn jumps, by the smaller of their two offsets; one map per lane, the innermost first.
    lanes: Vec<BTreeMap<i32, Jump>>,
}

#[derive(Clone, Copy, Debug)]
struct Jump {
    end: i32,
    /// Whether the target is the larger offset.
    down: bool,
}

impl Lanes {
    /// Arranges the jumps of code of this length.
    #[must_use]
    pub fn new(blocks: &Blocks, length: u64) -> Lanes {
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        let mut jumps = BTreeSet::new();
        for end in &blocks.ends {
            let within = |to: &i32| *to != end.next && (0..length).contains(to);
            let targets = end.targets.into_iter().flatten().filter(within);
            jumps.extend(targets.map(|to| (end.at, to)));
        }
        let mut jumps: Vec<(i32, i32)> = jumps.into_iter().collect();
        // Short jumps get the inner lanes, so that those of inner loops do not cross the others.
        sort::by_key(&mut jumps, |(from, to)| (from.abs_diff(*to), *from));
        let mut lanes = Lanes::default();
        for (from, to) in jumps {
            lanes.place(from.min(to), from.max(to), to > from);
        }
        lanes
    }

    /// Puts a jump into the first free lane.
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

    /// Draws the jumps that start, end or pass at an instruction: a character per lane, the
    /// outermost first, and one for the instruction.
    #[must_use]
    pub fn jumps(&self, at: i32) -> String {
        let mut out = String::with_capacity(3 * self.lanes.len() + 3);
        // Lines from the left continue to the instruction.
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

    /// Number of lanes.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.lanes.len()).unwrap_or(u32::MAX)
    }
}
