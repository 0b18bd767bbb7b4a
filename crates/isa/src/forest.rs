//! The nesting of loops.
//!
//! A natural loop has the blocks that its head dominates and from which a jump back can be reached.
//! Loops with different heads are nested or have no block in common, so that they form a forest,
//! which is built from the inside: a loop that is complete counts as its head.
//!
//! A section may contain functions: each is entered at its first block, from anywhere.

use std::collections::BTreeMap;

use super::cfg::{Graph, index};
use zeview_core::model::sort;

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

    /// The nesting depth of the innermost loop of a block; 0 outside of loops.
    pub fn depth(&self, block: u32) -> u32 {
        let found = self.loop_of(block).and_then(|at| self.loops.get(at));
        found.map_or(0, |found| found.depth)
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
    /// The root and all blocks, each before those that are reached from it.
    walk: Vec<u32>,
    /// The block from which each was reached.
    above: Vec<u32>,
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

impl Forest {
    /// Finds the loops of a graph.
    pub fn find(graph: &Graph) -> Forest {
        let dominators = Reached::of(graph).dominators(graph);
        let mut tails: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for block in 0..graph.count() {
            for to in graph.within(block) {
                if dominators.dominates(*to, block) {
                    tails.entry(*to).or_default().push(block);
                }
            }
        }
        let mut forest = Forest {
            innermost: vec![NONE; index(graph.count())],
            ..Forest::default()
        };
        // The block that each block counts as: itself, or the head of a loop that contains it.
        let mut heads: Vec<u32> = (0..graph.count()).collect();
        // The loop of each head.
        let mut loops: Vec<u32> = vec![NONE; index(graph.count())];
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
                let before = graph.predecessors(block).iter().copied();
                work.extend(before.filter(|from| dominators.dominates(*head, *from)));
            }
            set(&mut forest.innermost, *head, number);
            set(&mut loops, *head, number);
        }
        forest.arrange();
        forest.sort();
        forest
    }
}

/// Returns the entries that are certain, the first block and the targets of calls, and the blocks
/// that no other block leads to.
fn entries(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let mut is_entry = vec![false; index(graph.count())];
    let mut is_target = vec![false; index(graph.count())];
    for block in 0..graph.count() {
        let within = graph.within(block);
        for to in within {
            set(&mut is_target, *to, true);
        }
        if graph.calls(block) {
            let all = graph.successors(block).iter();
            for to in all.filter(|to| !within.contains(to)) {
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

impl Reached {
    /// Walks the blocks of a graph.
    fn of(graph: &Graph) -> Reached {
        let root = graph.count();
        let (certain, alone) = entries(graph);
        let mut found = Reached {
            order: Vec::new(),
            walk: vec![root],
            above: vec![NONE; index(root) + 1],
            // Also those that are reached by a jump.
            entries: certain.clone(),
            certain: Vec::new(),
        };
        let mut seen = vec![false; index(root)];
        found.reach(graph, certain, &mut seen);
        found.certain.clone_from(&seen);
        found.reach(graph, alone, &mut seen);
        // Blocks that only lead to each other: their first one is an entry.
        found.reach(graph, 0..root, &mut seen);
        found.order.push(root);
        found.order.reverse();
        found
    }

    /// Adds the entries that were not reached, and all blocks that they lead to.
    fn reach(&mut self, graph: &Graph, entries: impl IntoIterator<Item = u32>, seen: &mut [bool]) {
        let root = graph.count();
        let mut stack: Vec<(u32, usize)> = Vec::new();
        let mut is_new = |block: u32| {
            let seen = seen.get_mut(index(block));
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        for entry in entries {
            if !is_new(entry) {
                continue;
            }
            self.entries.push(entry);
            self.walk.push(entry);
            set(&mut self.above, entry, root);
            stack.push((entry, 0));
            while let Some((block, next)) = stack.last_mut() {
                let from = *block;
                let to = graph.within(from).get(*next).copied();
                *next += 1;
                match to {
                    Some(to) if is_new(to) => {
                        self.walk.push(to);
                        set(&mut self.above, to, from);
                        stack.push((to, 0));
                    }
                    Some(_) => {}
                    None => {
                        self.order.push(from);
                        stack.pop();
                    }
                }
            }
        }
    }

    /// Finds the block that immediately dominates each block, by the algorithm of Lengauer and
    /// Tarjan, whose work is nearly linear in any graph.
    fn dominators(self, graph: &Graph) -> Dominators {
        let root = graph.count();
        let count = self.walk.len();
        let mut place = vec![NONE; index(root) + 1];
        for (at, block) in (0_u32..).zip(&self.walk) {
            set(&mut place, *block, at);
        }
        let at = |block: u32| place.get(index(block)).copied().unwrap_or(NONE);
        let block = |at: u32| self.walk.get(index(at)).copied().unwrap_or(root);
        let is_certain = |block: u32| self.certain.get(index(block)) == Some(&true);
        let mut is_entry = vec![false; count];
        for entry in &self.entries {
            set(&mut is_entry, at(*entry), true);
        }
        // All by place in the walk.
        let mut links = Links::new(count);
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut above = vec![0_u32; count];
        let walked = u32::try_from(count).unwrap_or(NONE);
        for to in (1..walked).rev() {
            let parent = self.above.get(index(block(to))).copied().map_or(0, at);
            let mut semi = if is_entry.get(index(to)) == Some(&true) {
                0
            } else {
                parent
            };
            for from in graph.predecessors(block(to)) {
                // Dead code that leads into a loop is no second entry of it.
                let is_dead = is_certain(block(to)) && !is_certain(*from);
                if is_dead || !graph.within(*from).contains(&block(to)) {
                    continue;
                }
                let least = links.least(at(*from));
                semi = semi.min(links.semi(least));
            }
            set(&mut links.semi, to, semi);
            if let Some(bucket) = buckets.get_mut(index(semi)) {
                bucket.push(to);
            }
            set(&mut links.above, to, parent);
            let waiting = buckets.get_mut(index(parent)).map(std::mem::take);
            for found in waiting.unwrap_or_default() {
                let least = links.least(found);
                let is_earlier = links.semi(least) < links.semi(found);
                set(&mut above, found, if is_earlier { least } else { parent });
            }
        }
        for found in 1..walked {
            let over = above.get(index(found)).copied().unwrap_or(0);
            if over != links.semi(found) {
                let over = above.get(index(over)).copied().unwrap_or(0);
                set(&mut above, found, over);
            }
        }
        let mut by_block = vec![NONE; index(root) + 1];
        for (at, over) in (0_u32..).zip(above) {
            set(&mut by_block, block(at), block(over));
        }
        Dominators::new(self.order, &by_block)
    }
}

/// Paths to the root of a walk, as far as they are linked; by place in the walk.
struct Links {
    /// The place above each; [`NONE`] if it is not linked.
    above: Vec<u32>,
    /// The semidominator of each, or itself.
    semi: Vec<u32>,
    /// The place with the least semidominator on the way up that was shortened.
    least: Vec<u32>,
}

impl Links {
    fn new(count: usize) -> Links {
        let own: Vec<u32> = (0_u32..).take(count).collect();
        Links {
            above: vec![NONE; count],
            semi: own.clone(),
            least: own,
        }
    }

    fn semi(&self, at: u32) -> u32 {
        self.semi.get(index(at)).copied().unwrap_or(at)
    }

    fn above(&self, at: u32) -> u32 {
        self.above.get(index(at)).copied().unwrap_or(NONE)
    }

    fn known_least(&self, at: u32) -> u32 {
        self.least.get(index(at)).copied().unwrap_or(at)
    }

    /// Returns the place with the least semidominator on the linked way up. Shortens the way.
    fn least(&mut self, at: u32) -> u32 {
        if self.above(at) == NONE {
            return at;
        }
        let mut way = Vec::new();
        let mut place = at;
        while self.above(self.above(place)) != NONE {
            way.push(place);
            place = self.above(place);
        }
        for place in way.into_iter().rev() {
            let above = self.above(place);
            let (own, other) = (self.known_least(place), self.known_least(above));
            if self.semi(other) < self.semi(own) {
                set(&mut self.least, place, other);
            }
            let next = self.above(above);
            set(&mut self.above, place, next);
        }
        self.known_least(at)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::Exit;

    /// Finds the loops of blocks that are left in these ways, with edges to the next block and these:
    /// heads, blocks and depths.
    fn loops(exits: &[Exit], taken: &[(u32, u32)]) -> Vec<(u32, Vec<u32>, u32)> {
        let next = (0_u32..).zip(exits.iter().skip(1));
        let next = next.map(|(block, _)| (block, block + 1));
        let graph = Graph::new(exits, next.chain(taken.iter().copied()).collect());
        let forest = graph.forest();
        let loops = forest.loops.iter().enumerate();
        loops
            .map(|(at, found)| (found.head, forest.blocks(at), found.depth))
            .collect()
    }

    #[test]
    fn loops_are_nested() {
        // Two adjacent loops in one that has two jumps back; one block that is a loop.
        let taken = [(2, 1), (3, 3), (4, 0), (5, 0), (6, 7), (7, 7)];
        let found = loops(&[Exit::Within; 8], &taken);
        let expected = [
            (0, vec![0, 1, 2, 3, 4, 5], 1),
            (1, vec![1, 2], 2),
            (3, vec![3], 2),
            (7, vec![7], 1),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_backward_call_is_no_loop() {
        let exits = [Exit::Within, Exit::Within, Exit::Call];
        assert_eq!(loops(&exits, &[(2, 0)]), []);
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_loop() {
        // Block 1 and block 2 lead to each other, and block 0 to both.
        assert_eq!(loops(&[Exit::Within; 4], &[(0, 2), (2, 1)]), []);
    }

    /// The blocks that every way to a block passes, by removing each.
    fn passed(graph: &Graph, block: u32) -> Vec<u32> {
        let is_reached = |without: u32| {
            let mut seen = vec![false; index(graph.count())];
            let mut work = vec![0];
            while let Some(at) = work.pop() {
                if at != without && !std::mem::replace(&mut seen[index(at)], true) {
                    work.extend(graph.within(at));
                }
            }
            seen[index(block)]
        };
        (0..graph.count()).filter(|at| !is_reached(*at)).collect()
    }

    #[test]
    fn dominators_are_on_every_way() {
        let mut state = 1_u64;
        let mut next = |most: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u32::try_from(state >> 33).unwrap() % most
        };
        for count in 2..40 {
            for _ in 0..20 {
                let mut edges: Vec<(u32, u32)> = (1..count).map(|at| (next(at), at)).collect();
                edges.extend((0..count).map(|at| (at, next(count))));
                let graph = Graph::new(&vec![Exit::Within; index(count)], edges.clone());
                let found = Reached::of(&graph).dominators(&graph);
                for block in 0..count {
                    let expected = passed(&graph, block);
                    let all = (0..count).filter(|at| found.dominates(*at, block));
                    assert_eq!(all.collect::<Vec<_>>(), expected, "{block} of {edges:?}");
                }
            }
        }
    }
}
