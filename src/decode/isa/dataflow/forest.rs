//! The nesting of loops.
//!
//! A natural loop has the blocks that its head dominates and from which a jump back can be reached.
//! Loops with different heads are nested or have no block in common, so that they form a forest,
//! which is built from the inside: a loop that is complete counts as its head.
//!
//! A section may contain functions: each is entered at its first block, from anywhere.

use std::collections::BTreeMap;

use super::build::{DataFlow, Guard, index};
use crate::decode::isa::tables::Op;
use crate::model::sort;

/// No loop.
const NONE: u32 = u32::MAX;

/// The loops of some code.
#[derive(Debug, Default)]
pub(super) struct Forest {
    /// The loops, in the order of their heads.
    pub loops: Vec<Nested>,
    /// The innermost loop of each block.
    innermost: Vec<u32>,
    /// The blocks in loops; those of a loop and of all loops in it are adjacent.
    blocks: Vec<u32>,
}

/// A loop, and its place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nested {
    /// The target of the jumps back.
    pub head: u32,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// The index of the enclosing loop.
    pub parent: Option<usize>,
    /// Whether it contains no other loop.
    pub innermost: bool,
    /// Its blocks in [`Forest::blocks`], including those of inner loops.
    first: usize,
    len: usize,
}

impl Forest {
    /// The innermost loop of a block.
    pub fn loop_of(&self, block: u32) -> Option<usize> {
        let found = self.innermost.get(index(block)).copied()?;
        (found != NONE).then(|| index(found))
    }

    /// The blocks of a loop, in order, including those of inner loops.
    pub fn blocks(&self, at: usize) -> Vec<u32> {
        let found = self.loops.get(at);
        let blocks = found.and_then(|found| self.blocks.get(found.first..found.first + found.len));
        let mut blocks = blocks.unwrap_or_default().to_vec();
        sort::ascending(&mut blocks);
        blocks
    }

    /// Number of blocks of a loop.
    pub fn len(&self, at: usize) -> usize {
        self.loops.get(at).map_or(0, |found| found.len)
    }

    /// Whether a block is in a loop, or in one that it contains.
    pub fn has(&self, at: usize, block: u32) -> bool {
        let (Some(outer), Some(inner)) = (self.loops.get(at), self.loop_of(block)) else {
            return false;
        };
        let inner = self.loops.get(inner).map_or(0, |inner| inner.first);
        (outer.first..outer.first + outer.len).contains(&inner)
    }

    /// Sets depths, and puts the blocks of a loop and of those in it next to each other.
    fn arrange(&mut self) {
        // A loop is found after those in it: its head dominates theirs.
        let mut order: Vec<usize> = (0..self.loops.len()).collect();
        order.reverse();
        for at in &order {
            let parent = self.loops.get(*at).and_then(|found| found.parent);
            let parent = parent.and_then(|parent| self.loops.get_mut(parent));
            let depth = parent.map_or(1, |parent| {
                parent.innermost = false;
                parent.depth + 1
            });
            if let Some(found) = self.loops.get_mut(*at) {
                found.depth = depth;
            }
        }
        // The blocks outside of inner loops, then all.
        let mut own = vec![0; self.loops.len()];
        for found in &self.innermost {
            if let Some(own) = own.get_mut(index(*found)) {
                *own += 1;
            }
        }
        let mut all = own.clone();
        for at in 0..self.loops.len() {
            let parent = self.loops.get(at).and_then(|found| found.parent);
            let len = all.get(at).copied().unwrap_or(0);
            if let Some(outer) = parent.and_then(|parent| all.get_mut(parent)) {
                *outer += len;
            }
        }
        // The place of the next block or inner loop of each loop.
        let mut next = vec![0; self.loops.len()];
        let mut end = 0;
        for at in &order {
            let len = all.get(*at).copied().unwrap_or(0);
            let parent = self.loops.get(*at).and_then(|found| found.parent);
            let place = match parent {
                Some(parent) => next.get_mut(parent),
                None => Some(&mut end),
            };
            let first = place.map_or(0, |place| std::mem::replace(place, *place + len));
            if let Some(found) = self.loops.get_mut(*at) {
                (found.first, found.len) = (first, len);
            }
            if let Some(next) = next.get_mut(*at) {
                *next = first + own.get(*at).copied().unwrap_or(0);
            }
        }
        let mut place: Vec<usize> = self.loops.iter().map(|found| found.first).collect();
        self.blocks = vec![0; end];
        for (block, found) in (0_u32..).zip(&self.innermost) {
            if let Some(place) = place.get_mut(index(*found)) {
                if let Some(to) = self.blocks.get_mut(*place) {
                    *to = block;
                }
                *place += 1;
            }
        }
    }

    /// Puts the loops into the order of their heads.
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0_u32..).zip(&self.loops).map(|(at, _)| at).collect();
        sort::by_key(&mut order, |at| {
            self.loops.get(index(*at)).map_or(0, |found| found.head)
        });
        let mut place = vec![NONE; order.len()];
        for (to, from) in (0_u32..).zip(&order) {
            if let Some(place) = place.get_mut(index(*from)) {
                *place = to;
            }
        }
        let placed = |at: u32| place.get(index(at)).copied().unwrap_or(NONE);
        let parent = |at: usize| u32::try_from(at).map_or(NONE, placed);
        let loops = order.iter();
        let loops = loops.filter_map(|from| self.loops.get(index(*from)));
        self.loops = loops
            .map(|found| Nested {
                parent: found.parent.map(|at| index(parent(at))),
                ..found.clone()
            })
            .collect();
        for found in &mut self.innermost {
            *found = placed(*found);
        }
    }
}

/// The dominator tree of the blocks. Its root is no block: from there, the entries are reached.
struct Dominators {
    /// The root and all blocks, in reverse postorder.
    order: Vec<u32>,
    /// The place of each block in a walk of the tree, and the number of blocks below it, with
    /// itself; 0 if it is not reachable.
    places: Vec<(u32, u32)>,
}

/// The order in which blocks are reached.
struct Reached {
    /// The root and all blocks, in reverse postorder.
    order: Vec<u32>,
    /// The blocks to which the root leads.
    entries: Vec<u32>,
    /// Whether each block is reached from the first one or the target of a call.
    certain: Vec<bool>,
}

impl Dominators {
    /// Numbers the tree in which each block is below its immediate dominator.
    fn new(order: Vec<u32>, above: &[u32]) -> Dominators {
        let count = above.len();
        let above = |block: u32| above.get(index(block)).copied().unwrap_or(NONE);
        // From the leaves: each block comes after the one above it.
        let mut places = vec![(0, 0_u32); count];
        for block in order.iter().rev() {
            let below = places.get_mut(index(*block)).map_or(0, |(_, len)| {
                *len += 1;
                *len
            });
            if let Some((_, len)) = places.get_mut(index(above(*block)))
                && above(*block) != *block
            {
                *len = len.saturating_add(below);
            }
        }
        // The place of the next block below each block.
        let mut next = vec![1_u32; count];
        for block in order.iter().skip(1) {
            let len = places.get(index(*block)).map_or(0, |(_, len)| *len);
            let place = next.get_mut(index(above(*block)));
            let place = place.map_or(0, |place| {
                std::mem::replace(place, place.saturating_add(len))
            });
            set(&mut next, *block, place.saturating_add(1));
            if let Some((at, _)) = places.get_mut(index(*block)) {
                *at = place;
            }
        }
        Dominators { order, places }
    }

    fn dominates(&self, one: u32, other: u32) -> bool {
        let place = |block: u32| self.places.get(index(block)).copied().unwrap_or((0, 0));
        let ((first, len), (at, below)) = (place(one), place(other));
        below > 0 && at.checked_sub(first).is_some_and(|at| at < len)
    }
}

impl DataFlow {
    /// The nesting of the loops.
    pub(super) fn forest(&self) -> &Forest {
        self.known(&self.forest, || self.find_forest())
    }

    fn find_forest(&self) -> Forest {
        let dominators = self.dominators();
        let mut tails: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for block in 0..self.blocks() {
            for to in self.jumps(block) {
                if dominators.dominates(*to, block) {
                    tails.entry(*to).or_default().push(block);
                }
            }
        }
        let mut forest = Forest {
            innermost: vec![NONE; self.nodes.len()],
            ..Forest::default()
        };
        // The block that each block counts as: itself, or the head of a loop that contains it.
        let mut heads: Vec<u32> = (0..self.blocks()).collect();
        // The loop of each head.
        let mut loops: Vec<u32> = vec![NONE; self.nodes.len()];
        for head in dominators.order.iter().rev() {
            let Some(tails) = tails.remove(head) else {
                continue;
            };
            let at = forest.loops.len();
            let number = u32::try_from(at).unwrap_or(NONE);
            forest.loops.push(Nested {
                head: *head,
                depth: 1,
                parent: None,
                innermost: true,
                first: 0,
                len: 0,
            });
            let mut work = tails;
            while let Some(block) = work.pop() {
                let block = head_of(&mut heads, block);
                if block == *head {
                    continue;
                }
                set(&mut heads, block, *head);
                match loops.get(index(block)).copied() {
                    Some(inner) if inner != NONE => {
                        if let Some(inner) = forest.loops.get_mut(index(inner)) {
                            inner.parent = Some(at);
                        }
                    }
                    _ => set(&mut forest.innermost, block, number),
                }
                let before = self.node(block).map_or(&[][..], |node| &node.predecessors);
                let before = before.iter().copied();
                work.extend(before.filter(|from| dominators.dominates(*head, *from)));
            }
            set(&mut forest.innermost, *head, number);
            set(&mut loops, *head, number);
        }
        forest.arrange();
        forest.sort();
        forest
    }

    /// The successors of a block in its function.
    fn jumps(&self, block: u32) -> &[u32] {
        let Some(node) = self.node(block) else {
            return &[];
        };
        let last = node.end.checked_sub(1).and_then(|last| self.row(last));
        match last.map(|row| (row.op, row.guard == Guard::default())) {
            Some((Op::Call | Op::Calla, _) | (Op::Ret, false)) => {
                let next = node.successors.iter().position(|to| *to == block + 1);
                let next = next.and_then(|at| node.successors.get(at..=at));
                next.unwrap_or_default()
            }
            Some((Op::Ret, true)) => &[],
            _ => &node.successors,
        }
    }

    /// The entries that are certain, the first block and the targets of calls, and the blocks that
    /// no other block leads to.
    fn entries(&self) -> (Vec<u32>, Vec<u32>) {
        let mut is_entry = vec![false; self.nodes.len()];
        let mut is_target = vec![false; self.nodes.len()];
        for block in 0..self.blocks() {
            let within = self.jumps(block);
            for to in within {
                set(&mut is_target, *to, true);
            }
            let node = self.node(block);
            let last = node.and_then(|node| self.row(node.end.checked_sub(1)?));
            if last.is_some_and(|row| matches!(row.op, Op::Call | Op::Calla)) {
                let all = node.map_or(&[][..], |node| &node.successors);
                for to in all.iter().filter(|to| !within.contains(to)) {
                    set(&mut is_entry, *to, true);
                }
            }
        }
        set(&mut is_entry, 0, true);
        let those = |list: Vec<bool>, wanted: bool| {
            let found = (0_u32..).zip(list);
            let found = found.filter(|(_, is)| *is == wanted);
            found.map(|(block, _)| block).collect()
        };
        (those(is_entry, true), those(is_target, false))
    }

    fn dominators(&self) -> Dominators {
        let root = self.blocks();
        let Reached {
            order,
            entries,
            certain,
        } = self.reached();
        let mut place = vec![NONE; self.nodes.len() + 1];
        for (at, block) in (0_u32..).zip(&order) {
            set(&mut place, *block, at);
        }
        let mut above = vec![NONE; self.nodes.len() + 1];
        for block in entries.iter().chain([&root]) {
            set(&mut above, *block, root);
        }
        self.dominate(&order, &certain, &place, &mut above);
        let found = Dominators::new(order, &above);
        // A jump back to a block that dominates it does not change what dominates that block.
        let is_over = (0..self.blocks()).all(|block| {
            let at = |block: u32| place.get(index(block)).copied().unwrap_or(NONE);
            let mut to = self.jumps(block).iter();
            at(block) == NONE || to.all(|to| at(*to) > at(block) || found.dominates(*to, block))
        });
        if is_over {
            return found;
        }
        let order = found.order;
        while self.dominate(&order, &certain, &place, &mut above) && self.spend(order.len() as u64)
        {
        }
        Dominators::new(order, &above)
    }

    /// The order in which blocks are reached.
    fn reached(&self) -> Reached {
        let mut seen = vec![false; self.nodes.len()];
        let (certain, alone) = self.entries();
        let mut found = Reached {
            order: Vec::new(),
            // Also those that are reached by a jump.
            entries: certain.clone(),
            certain: Vec::new(),
        };
        self.reach(certain, &mut seen, &mut found);
        found.certain.clone_from(&seen);
        self.reach(alone, &mut seen, &mut found);
        // Blocks that only lead to each other: their first one is an entry.
        self.reach(0..self.blocks(), &mut seen, &mut found);
        found.order.push(self.blocks());
        found.order.reverse();
        found
    }

    /// Adds the entries that were not reached, and all blocks that they lead to, in postorder.
    fn reach(
        &self,
        entries: impl IntoIterator<Item = u32>,
        seen: &mut [bool],
        found: &mut Reached,
    ) {
        let mut stack: Vec<(u32, usize)> = Vec::new();
        let mut is_new = |block: u32| {
            let seen = seen.get_mut(index(block));
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        for entry in entries {
            if !is_new(entry) {
                continue;
            }
            found.entries.push(entry);
            stack.push((entry, 0));
            while let Some((block, next)) = stack.last_mut() {
                let to = self.jumps(*block).get(*next).copied();
                *next += 1;
                match to {
                    Some(to) if is_new(to) => stack.push((to, 0)),
                    Some(_) => {}
                    None => {
                        found.order.push(*block);
                        stack.pop();
                    }
                }
            }
        }
    }

    /// Updates the immediate dominator of each block by its predecessors, as far as these are known.
    /// That of the entries is the root. Returns whether any changed.
    fn dominate(&self, order: &[u32], certain: &[bool], place: &[u32], above: &mut [u32]) -> bool {
        let mut has_changed = false;
        let root = self.blocks();
        for block in order.iter().skip(1) {
            if above.get(index(*block)) == Some(&root) {
                continue;
            }
            let Some(node) = self.node(*block) else {
                continue;
            };
            let mut found = NONE;
            // Neighbors first: they have the nearest dominators.
            for from in node.predecessors.iter().rev() {
                let is_known = above.get(index(*from)).is_some_and(|above| *above != NONE);
                if !is_known || !self.jumps(*from).contains(block) {
                    continue;
                }
                // Dead code that leads into a loop is no second entry of it.
                let is_certain = |block: u32| certain.get(index(block)) == Some(&true);
                if is_certain(*block) && !is_certain(*from) {
                    continue;
                }
                found = match found {
                    NONE => *from,
                    other => self.common(other, *from, above, place),
                };
            }
            if let Some(entry) = above.get_mut(index(*block))
                && found != NONE
                && *entry != found
            {
                *entry = found;
                has_changed = true;
            }
        }
        has_changed
    }

    /// The nearest common dominator of two blocks.
    fn common(&self, mut one: u32, mut other: u32, dominators: &[u32], place: &[u32]) -> u32 {
        let at = |block: u32| place.get(index(block)).copied().unwrap_or(NONE);
        while one != other && self.spend(1) {
            let later = if at(one) > at(other) {
                &mut one
            } else {
                &mut other
            };
            match dominators.get(index(*later)) {
                Some(above) if above != later && *above != NONE => *later = *above,
                _ => return self.blocks(),
            }
        }
        one
    }
}

fn set<T>(list: &mut [T], at: u32, value: T) {
    if let Some(place) = list.get_mut(index(at)) {
        *place = value;
    }
}

/// The block that a block counts as. Shortens the way to it.
fn head_of(heads: &mut [u32], mut block: u32) -> u32 {
    while let Some(head) = heads.get(index(block)).copied()
        && head != block
    {
        let next = heads.get(index(head)).copied().unwrap_or(head);
        set(heads, block, next);
        block = next;
    }
    block
}
