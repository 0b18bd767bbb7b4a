//! Short display names for kernels.
//!
//! Names of SYCL kernels have up to ten thousand characters, and what distinguishes two of them is in
//! the middle. [`ShortNames`] gives each name of a set a short one:
//!
//! 1. It reads the demangled name into a tree of lists in brackets (`parse`).
//! 2. It removes wrappers and hides what rarely matters: namespaces, the parameters of enclosing
//!    functions, enclosing lambdas (`simplify`).
//! 3. If that is still long, it compares the trees of all names with the same words around their
//!    template arguments, keeps what differs, and replaces the rest by `…` (`shorten`).
//!
//! Hidden parts come back where two names would be equal without them, and a number is added where
//! everything else fails: different names of a set have different short names. Names that are not
//! mangled stay as they are. The result depends on the set only, not on its order. Equal subtrees are
//! stored and compared once, so the work is linear in the length of the names.

mod columns;
mod parse;
mod shorten;
mod simplify;
mod tree;
mod words;

use std::collections::{HashMap, HashSet};

use shorten::Group;
use tree::{ShapeId, TreeId, Trees};
use words::Words;

use crate::model::sort;

/// Maximum number of characters of most short names.
pub const WIDTH: usize = 80;

/// Maximum number of characters of names that are not mangled.
const PLAIN_MAX: usize = 512;

/// Maximum number of trees of a set, with their pieces, and as many more as its names have bytes.
/// Names beyond are cut in the middle.
const PIECES_MAX: usize = 1 << 20;

/// The short names of a set.
#[derive(Debug, Clone, Default)]
pub struct ShortNames {
    names: HashMap<String, String>,
}

/// A name that gets a short one.
struct Entry<'a> {
    name: &'a str,
    /// Its group, its index there, and whether it runs over a rounded range.
    tree: Option<(usize, usize, bool)>,
    short: String,
}

impl ShortNames {
    /// Returns short names for a set of names with their demangled forms.
    pub fn new<'a>(names: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> ShortNames {
        let mut all = ShortNames::default();
        all.add(names.into_iter().collect());
        all
    }

    /// Adds names that do not change the short names of the others.
    pub fn extend<'a>(&mut self, names: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) {
        let is_new = |(name, _): &(&str, Option<&str>)| !self.names.contains_key(*name);
        let names: Vec<_> = names.into_iter().filter(is_new).collect();
        if !names.is_empty() {
            self.add(names);
        }
    }

    /// Returns the short name of a name of the set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(|short| &**short)
    }

    fn add(&mut self, mut names: Vec<(&str, Option<&str>)>) {
        let mut seen = HashSet::new();
        names.retain(|(name, _)| seen.insert(*name));
        sort::by_key(&mut names, |(name, _)| *name);
        let bytes: usize = names.iter().map(|(name, _)| name.len()).sum();
        let mut set = Set {
            pieces_max: PIECES_MAX.saturating_add(bytes),
            ..Set::default()
        };
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for (name, demangled) in names {
            let tree = demangled.and_then(|text| set.add(text));
            let short = match tree {
                Some(_) => String::new(),
                None => {
                    let text = demangled.unwrap_or(name);
                    let is_mangled = demangled.is_some() || name.starts_with("_Z");
                    cut(text, if is_mangled { 2 * WIDTH } else { PLAIN_MAX })
                }
            };
            entries.push(Entry { name, tree, short });
        }
        let texts = set.texts();
        for entry in &mut entries {
            if let Some((group, at, is_rounded)) = entry.tree
                && let Some(text) = texts.get(group).and_then(|texts| texts.get(at))
            {
                entry.short = cut(text, 2 * WIDTH);
                entry.short.push_str(mark(is_rounded));
            }
        }
        let taken = self.names.values().map(|short| &**short).collect();
        number(&mut entries, &taken);
        let names = entries.into_iter();
        self.names
            .extend(names.map(|entry| (entry.name.to_owned(), entry.short)));
    }
}

/// The trees of a set of names.
#[derive(Default)]
struct Set {
    pieces_max: usize,
    trees: Trees,
    groups: Vec<Group>,
    /// The group of each shape.
    by_shape: HashMap<ShapeId, usize>,
    /// The group of each tree, and its index there.
    by_tree: HashMap<TreeId, (usize, usize)>,
}

impl Set {
    /// Adds a demangled name. Returns `None` if it cannot be read, or a limit is reached.
    fn add(&mut self, text: &str) -> Option<(usize, usize, bool)> {
        if self.trees.size() > self.pieces_max {
            return None;
        }
        let root = parse::parse(text, &mut self.trees)?;
        let (root, is_rounded) = simplify::unwrap(root, &mut self.trees);
        let count = self.groups.len();
        let group = *self.by_shape.entry(self.trees.shape(root)).or_insert(count);
        if group == count {
            self.groups.push(Group::default());
        }
        let members = self.groups.get_mut(group)?;
        members.is_rounded |= is_rounded;
        let next = members.roots.len();
        let (_, at) = *self.by_tree.entry(root).or_insert((group, next));
        if at == next {
            members.roots.push(root);
        }
        Some((group, at, is_rounded))
    }

    /// The short texts of the trees of each group.
    fn texts(&self) -> Vec<Vec<String>> {
        let limit = |group: &Group| WIDTH - mark(group.is_rounded).len();
        let mut groups = self.groups.iter();
        let is_qualified = groups.all(|group| {
            let mut roots = group.roots.iter();
            roots.all(|root| self.trees.width(*root, true) <= limit(group))
        });
        let words = Words::new(self.trees.words(), &shorten::WORDS);
        let groups = self.groups.iter();
        let texts = groups
            .map(|group| shorten::shorten(group, limit(group), is_qualified, &self.trees, &words));
        texts.collect()
    }
}

/// The mark of a kernel by whether it runs over a rounded range.
fn mark(is_rounded: bool) -> &'static str {
    if is_rounded { simplify::ROUNDED } else { "" }
}

/// A text of more than `most` characters without its middle.
fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let first: String = text.chars().take(WIDTH - 1).collect();
    let last: String = text.chars().skip(count - WIDTH).collect();
    format!("{first}…{last}")
}

/// Adds numbers to short names that are equal, or taken, in the order of the names.
fn number(entries: &mut [Entry<'_>], taken: &HashSet<&str>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for entry in &*entries {
        let others = usize::from(taken.contains(&*entry.short));
        *counts.entry(entry.short.clone()).or_insert(others) += 1;
    }
    let mut ordinals: HashMap<String, usize> = HashMap::new();
    for entry in entries {
        if counts.get(&entry.short).is_none_or(|count| *count < 2) {
            continue;
        }
        let ordinal = ordinals.entry(entry.short.clone()).or_insert(0);
        loop {
            *ordinal += 1;
            let numbered = format!("{} #{ordinal}", entry.short);
            if !counts.contains_key(&numbered) && !taken.contains(&*numbered) {
                entry.short = numbered;
                break;
            }
        }
    }
}
