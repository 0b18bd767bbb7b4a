//! Names of places in the tree: `.ze_info/kernels/[2]/execution_env/simd_size`.

use std::collections::HashMap;

use super::document::{Document, PAGE};
use super::node::{Node, NodeId};
use super::text::distance;
use super::value::Str;

/// A path that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The part that was not found.
    pub segment: String,
    /// The path of the node that has no such child.
    pub within: String,
    /// The child that was perhaps meant.
    pub near: Option<String>,
    /// The part is a pattern.
    pub is_pattern: bool,
    /// The maximum number of matches, if more parts match the pattern.
    pub limit: Option<u64>,
    /// The search ended before all parts were compared with the pattern: the file describes too many
    /// for its size.
    pub is_cut: bool,
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let within = match self.within.as_str() {
            "" => "the file",
            within => within,
        };
        let segment = &self.segment;
        match (self.is_pattern, self.limit) {
            _ if self.is_cut => write!(
                f,
                "{within} has too many parts to search for {segment:?}: begin the pattern with the name of one"
            )?,
            (_, Some(limit)) => write!(
                f,
                "more than {limit} parts match {segment:?} in {within}: use a pattern that matches fewer"
            )?,
            (true, _) => write!(f, "no part matches {segment:?} in {within}")?,
            (false, _) => write!(f, "no part {segment:?} in {within}")?,
        }
        match &self.near {
            Some(near) => write!(f, "; did you mean {near:?}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PathError {}

/// How often each name is there among the first children of a node.
#[derive(Debug, Default)]
pub(crate) struct CountedNames {
    seen: HashMap<Str, u32>,
    /// The how manieth of its name each of them is.
    ordinals: Vec<u32>,
}

impl Document {
    /// The path of a node, from the root's children on: names, or `[3]` for the entries of
    /// tables and sequences; `name#2` is the second of that name. A `/` in a name stands
    /// as `%2F`, a `%` as `%25`, and what means something in a pattern as `%2A` and `%3F`; a
    /// name that looks like `[3]` or `name#2` has its sign escaped as well.
    pub fn path(&mut self, id: NodeId) -> String {
        let mut segments = Vec::new();
        let mut at = id;
        while let Some(node) = self.node(at) {
            let Some(parent) = node.parent else { break };
            segments.push(self.segment(at, parent));
            at = parent;
        }
        segments.reverse();
        segments.join("/")
    }

    fn segment(&mut self, id: NodeId, parent: NodeId) -> String {
        let Some(node) = self.node(id) else {
            return String::new();
        };
        let name = segment(&node.name, node.index, node.indexed);
        let index = node.index;
        if node.indexed || node.name.is_empty() {
            return name;
        }
        match self.ordinal(parent, index) {
            1 => name,
            nth => format!("{name}#{nth}"),
        }
    }

    /// The how manieth of its name a child is, from 1. Each child of a node is counted once,
    /// and only up to the last that somebody asked for: a hostile file has as many as it likes.
    fn ordinal(&mut self, parent: NodeId, index: u64) -> u32 {
        let mut counted = self.ordinals.remove(&parent).unwrap_or_default();
        self.count_names(parent, index, &mut counted);
        let nth = usize::try_from(index).ok();
        let nth = nth.and_then(|index| counted.ordinals.get(index).copied());
        self.ordinals.insert(parent, counted);
        nth.unwrap_or(1)
    }

    fn count_names(&self, parent: NodeId, index: u64, counted: &mut CountedNames) {
        let Some(parent) = self.node(parent) else {
            return;
        };
        let count = self.count(parent);
        // The rows are made and forgotten: nobody has asked to see them.
        let mark = self.registry.mark();
        loop {
            let at = counted.ordinals.len() as u64;
            if at > index || at >= count {
                break;
            }
            let children = self.make(parent, at..count.min(at.saturating_add(PAGE)));
            if children.is_empty() {
                break;
            }
            for child in children {
                let nth = counted.seen.entry(child.name).or_default();
                *nth += 1;
                counted.ordinals.push(*nth);
            }
        }
        self.registry.release(mark);
    }

    /// The node at a path. Besides what [`Document::path`] writes, the entries of a table
    /// are found by name and by plain number.
    ///
    /// # Errors
    ///
    /// When a part of the path names no child.
    pub fn find(&mut self, path: &str) -> Result<NodeId, PathError> {
        let mut at = NodeId::ROOT;
        for segment in path.split('/').filter(|s| !s.is_empty()) {
            at = self.find_child(at, segment)?;
        }
        Ok(at)
    }

    /// The child of a node that a part of a path names.
    pub(crate) fn find_child(&mut self, id: NodeId, segment: &str) -> Result<NodeId, PathError> {
        match self.child_named(id, segment) {
            Some(child) => Ok(child),
            None => Err(PathError {
                segment: segment.to_owned(),
                within: self.path(id),
                near: self.name_like(id, segment),
                is_pattern: false,
                limit: None,
                is_cut: false,
            }),
        }
    }

    /// The name among the first children of a node that is most like what was typed, if it is
    /// much like it.
    fn name_like(&mut self, id: NodeId, typed: &str) -> Option<String> {
        const LOOKED_AT: u64 = 4096;
        const LENGTH_MAX: usize = 200;
        let children = self.children(id, 0..LOOKED_AT);
        let typed = typed.to_lowercase();
        let apart = |name: &String| distance(name.to_lowercase().as_bytes(), typed.as_bytes());
        let names = children.iter().filter_map(|child| self.node(*child));
        let names = names.map(|node| escape(&node.name));
        let names = names.filter(|name| !name.is_empty() && name.len() <= LENGTH_MAX);
        let nearest = names.map(|name| (apart(&name), name)).min()?;
        let near_enough = (typed.len() / 3).clamp(1, 8);
        (typed.len() <= LENGTH_MAX && nearest.0 <= near_enough).then_some(nearest.1)
    }

    fn child_named(&mut self, id: NodeId, segment: &str) -> Option<NodeId> {
        if let Some(index) = bracketed(segment) {
            return self.children(id, index..index.checked_add(1)?).pop();
        }
        let (name, nth) = numbered(segment).unwrap_or((segment, 1));
        let found = self.child_that(id, nth, |n: &Node| escape(&n.name) == name);
        let found = found.or_else(|| {
            let index: u64 = segment.parse().ok()?;
            self.children(id, index..index.checked_add(1)?).pop()
        });
        let found = found.or_else(|| self.image_named(id, segment));
        // The data of an archive's member once had the member's name.
        let is_again = self.node(id).is_some_and(|n| escape(&n.name) == segment);
        match found {
            None if is_again => self.child_that(id, 1, |n: &Node| n.name == "data"),
            found => found,
        }
    }
}

/// `name#2`: the name, and the how manieth of it.
fn numbered(segment: &str) -> Option<(&str, usize)> {
    let (name, nth) = segment.rsplit_once('#')?;
    Some((name, nth.parse().ok().filter(|n| *n > 1)?))
}

fn bracketed(segment: &str) -> Option<u64> {
    segment.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// A child in a path, without the ordinal that a second one of its name has.
pub fn segment(name: &str, index: u64, indexed: bool) -> String {
    if indexed || name.is_empty() {
        format!("[{index}]")
    } else {
        escape(name)
    }
}

/// A name as a path has it.
pub fn escape(name: &str) -> String {
    let mut text = name.to_owned();
    for (sign, escaped) in [('%', "%25"), ('/', "%2F"), ('*', "%2A"), ('?', "%3F")] {
        if text.contains(sign) {
            text = text.replace(sign, escaped);
        }
    }
    if bracketed(&text).is_some() {
        return text.replacen('[', "%5B", 1);
    }
    match numbered(&text) {
        Some((before, nth)) => format!("{before}%23{nth}"),
        None => text,
    }
}
