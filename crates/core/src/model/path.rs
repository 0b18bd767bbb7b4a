//! Paths of nodes in the tree: `.ze_info/kernels/[2]/execution_env/simd_size`.

use std::collections::HashMap;

use super::document::{Document, KEPT, PAGE};
use super::node::{Node, NodeId};
use super::suggest::{did_you_mean, nearest, unknown_name};
use super::value::Str;

/// The error for a path that matches no node, or too many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The segment that was not found.
    pub segment: String,
    /// The path of the node that has no such child.
    pub within: String,
    /// The name of a child with a similar name.
    pub near: Option<String>,
    /// Whether the segment is a pattern.
    pub is_pattern: bool,
    /// The maximum number of matches, if the pattern has more.
    pub limit: Option<u64>,
    /// Whether the search stopped before all nodes were compared with the pattern, because the file
    /// describes too many for its size.
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
            (true, _) => write!(f, "no part of {within} matches {segment:?}")?,
            (false, _) => {
                let near = self.near.as_slice();
                return f.write_str(&unknown_name(&format!("part of {within}"), segment, near));
            }
        }
        f.write_str(&did_you_mean(self.near.as_slice()))
    }
}

impl std::error::Error for PathError {}

/// The names of the first children of a node, with their counts.
#[derive(Debug, Default)]
pub struct CountedNames {
    seen: HashMap<Str, u32>,
    /// For each child, its ordinal among siblings with the same name.
    ordinals: Vec<u32>,
}

impl Document {
    /// Returns the path of a node, starting at the root's children: names, or `[3]` for entries of
    /// tables and sequences; `name#2` is the second child of that name. In names, `/` is written as
    /// `%2F`, `%` as `%25`, and the pattern characters as `%2A` and `%3F`; in a name that looks
    /// like `[3]` or `name#2`, `[` or `#` is escaped as well.
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

    /// Returns the one-based ordinal of a child among siblings with the same name. Each child is
    /// counted once, and only up to the last one needed: a hostile file may have any number.
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
        // No further than the children that are kept along with this one.
        let end = (index / KEPT).saturating_add(1).saturating_mul(KEPT);
        let count = self.count(parent).min(end);
        loop {
            let at = counted.ordinals.len() as u64;
            if at > index || at >= count {
                break;
            }
            // The rows are created and dropped: no one has opened the node.
            let mark = self.registry.mark();
            let children = self.make(parent, at..count.min(at.saturating_add(PAGE)));
            self.registry.release(mark);
            if children.is_empty() {
                break;
            }
            for child in children {
                let nth = counted.seen.entry(child.name).or_default();
                *nth += 1;
                counted.ordinals.push(*nth);
            }
        }
    }

    /// Returns the node at a path. In addition to what [`Document::path`] writes, entries of a
    /// table are found by name and by plain number.
    ///
    /// # Errors
    ///
    /// If a segment of the path matches no child.
    pub fn find(&mut self, path: &str) -> Result<NodeId, PathError> {
        let mut at = NodeId::ROOT;
        for segment in path.split('/').filter(|s| !s.is_empty()) {
            at = self.find_child(at, segment)?;
        }
        Ok(at)
    }

    /// Returns the child of a node that matches a segment of a path.
    pub fn find_child(&mut self, id: NodeId, segment: &str) -> Result<NodeId, PathError> {
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

    /// Returns the most similar name among the first children of a node, if it is similar enough to
    /// suggest.
    fn name_like(&mut self, id: NodeId, typed: &str) -> Option<String> {
        const LOOKED_AT: u64 = 4096;
        const LENGTH_MAX: usize = 200;
        let children = self.children(id, 0..LOOKED_AT);
        let names = children.iter().filter_map(|child| self.node(*child));
        let names = names.map(|node| escape(&node.name));
        let names: Vec<String> = names.filter(|name| name.len() <= LENGTH_MAX).collect();
        nearest(typed, names.iter().map(String::as_str)).map(str::to_owned)
    }

    fn child_named(&mut self, id: NodeId, segment: &str) -> Option<NodeId> {
        if let Some(index) = bracketed(segment) {
            return self.children(id, index..index.checked_add(1)?).pop();
        }
        let (name, nth) = numbered(segment).unwrap_or((segment, 1));
        let found = self.child_that(id, nth, |n: &Node| escape(&n.name) == name);
        let found = found.or_else(|| {
            let is_brief = name.contains(BRIEF_SIGN);
            is_brief
                .then(|| self.child_that(id, nth, |n: &Node| is_brief_of(name, &escape(&n.name))))?
        });
        let found = found.or_else(|| {
            let index: u64 = segment.parse().ok()?;
            self.children(id, index..index.checked_add(1)?).pop()
        });
        let found = found.or_else(|| self.image_named(id, segment));
        // Older versions gave the data of an archive's member the name of the member.
        let is_again = self.node(id).is_some_and(|n| escape(&n.name) == segment);
        match found {
            None if is_again => self.child_that(id, 1, |n: &Node| n.name == "data"),
            found => found,
        }
    }
}

/// Length in bytes from which a name is abbreviated in links.
const BRIEF_FROM: usize = 64;

/// The number of characters that an abbreviation keeps.
const BRIEF_KEPT: usize = 32;

/// What follows them, before the digits.
const BRIEF_SIGN: char = '~';

/// Abbreviates a long name for a link: its beginning, `~`, and ten hexadecimal digits of its hash (the
/// lower 40 bits of FNV-1a, so that the link is right for other builds of the file, too). Returns `None` for
/// a name that is short.
pub fn brief(name: &str) -> Option<String> {
    let end = name.char_indices().nth(BRIEF_KEPT)?.0;
    if name.len() < BRIEF_FROM {
        return None;
    }
    let kept = name.get(..end)?;
    Some(format!("{kept}{BRIEF_SIGN}{:010x}", hash(name)))
}

/// Whether a text is what [`brief`] returns for a name. Only the digits count.
pub fn is_brief_of(text: &str, name: &str) -> bool {
    let digits = text.rsplit_once(BRIEF_SIGN).map(|(_, digits)| digits);
    let digits = digits.filter(|digits| digits.len() == 10 && name.len() >= BRIEF_FROM);
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) == Some(hash(name))
}

/// Abbreviates the long names of a path for a link; [`Document::find`] finds its node.
pub fn brief_path(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let (name, nth) = match segment.rsplit_once('#') {
            Some((name, _)) if numbered(segment).is_some() => segment.split_at(name.len()),
            _ => (segment, ""),
        };
        match brief(name) {
            Some(name) => name + nth,
            None => segment.to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn hash(name: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let all = name.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    all & 0xff_ffff_ffff
}

/// Splits `name#2` into the name and its ordinal.
fn numbered(segment: &str) -> Option<(&str, usize)> {
    let (name, nth) = segment.rsplit_once('#')?;
    Some((name, nth.parse().ok().filter(|n| *n > 1)?))
}

fn bracketed(segment: &str) -> Option<u64> {
    segment.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Formats a child as a segment of a path, without the ordinal.
pub fn segment(name: &str, index: u64, indexed: bool) -> String {
    if indexed || name.is_empty() {
        format!("[{index}]")
    } else {
        escape(name)
    }
}

/// Escapes a name for use in a path.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_abbreviated_by_their_hashes() {
        assert_eq!(brief("vecadd"), None);
        let long = "_ZTS".to_owned() + &"x".repeat(60);
        let short = brief(&long).unwrap_or_default();
        // FNV-1a of 64 bits, computed by another program.
        assert_eq!(
            short,
            format!("_ZTS{}~{:010x}", "x".repeat(28), 0x3f_0573_d8e1_u64)
        );
        assert!(is_brief_of(&short, &long));
        // What stands before the digits may change, the name may not.
        assert!(is_brief_of(&short.replace("_ZTS", "kernel "), &long));
        assert!(!is_brief_of(&short, &(long.clone() + "y")));
        assert!(!is_brief_of("~Foo", &long) && !is_brief_of(&short, "short"));
        let many = "ä".repeat(9000);
        assert!(brief(&many).is_some_and(|short| is_brief_of(&short, &many)));
        let path = format!("image 0/{long}#3/[2]/size");
        assert_eq!(brief_path(&path), format!("image 0/{short}#3/[2]/size"));
    }
}
