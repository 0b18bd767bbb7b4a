//! Short display names for kernels.
//!
//! Names of SYCL kernels have up to ten thousand characters, and what distinguishes two of them is in
//! the middle. [`ShortNames`] gives each name of a set a short one:
//!
//! 1. It parses the demangled name into a tree of bracketed lists (`parse`).
//! 2. It removes wrappers and hides what rarely matters: namespaces, parameters of enclosing
//!    functions, enclosing lambdas (`simplify`).
//! 3. If the result is still long, it compares the trees of all names with the same words around
//!    their template arguments, keeps the differences, and replaces the rest by `…` (`shorten`).
//!
//! Hidden parts come back where two names would be equal without them, and a number is added where
//! everything else fails: different names of a set have different short names. Names that are not
//! mangled stay unchanged. The result depends on the set only, not on its order. Equal subtrees are
//! stored and compared once, so the work is linear in the length of the names.
//!
//! Tables show a name in two columns as well: its [family](ShortNames::family), which depends on the
//! name only, and the [arguments](ShortNames::arguments) that tell the kernels of a family apart.

mod arguments;
mod columns;
mod parse;
mod shorten;
mod simplify;
mod tree;
mod words;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use shorten::Group;
use tree::{ShapeId, TreeId, Trees};
use words::Words;

use zeview_core::model::sort;
use zeview_core::model::text::cut_before;

/// Target width of short names, in characters.
pub const WIDTH: usize = 80;

/// Maximum length of names that are not mangled, in characters.
const PLAIN_MAX: usize = 512;

/// Maximum number of trees and pieces of a set, beyond the number of bytes of its names. Further
/// names are cut in the middle.
const PIECES_MAX: usize = 1 << 20;

/// Maximum number of sets of which one extends the other.
const DEPTH_MAX: usize = 8;

/// The short names of a set.
#[derive(Default)]
pub struct ShortNames {
    /// The short names of a set that this one extends.
    base: Option<Rc<ShortNames>>,
    names: HashMap<String, ShortName>,
    /// The parsed names, until their arguments are requested.
    set: RefCell<Option<NameSet>>,
    /// Whether no further names follow.
    is_complete: bool,
}

/// A short name.
#[derive(Clone)]
struct ShortName {
    text: String,
    /// Its family, if that is not the short name.
    family: Option<String>,
    /// Its arguments, once they are requested.
    arguments: OnceCell<Vec<String>>,
}

impl ShortNames {
    /// Returns short names for a set of names with their demangled forms.
    pub fn new<'a>(names: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> ShortNames {
        let mut set = NameSet::default();
        for (name, demangled) in names {
            set.add(name, demangled);
        }
        set.into_short_names()
    }

    /// Returns the short names of `base`, with short names for further names. These do not change the
    /// short names of `base`, and are different from them.
    pub fn extending<'a>(
        base: Rc<ShortNames>,
        names: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> ShortNames {
        let mut set = NameSet::default();
        for (name, demangled) in names {
            if base.get(name).is_none() {
                set.add(name, demangled);
            }
        }
        let mut names = set.extending(&base);
        if base.is_complete() {
            names.is_complete = true;
            names.set.replace(Some(set));
        }
        names
    }

    /// Returns the short name of a name of the set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name).map(|short| &*short.text)
    }

    /// Returns the family of a name of the set: its name without namespaces, template arguments and
    /// parameters, or the short name if nothing is in front of these. It does not depend on the other
    /// names.
    pub fn family(&self, name: &str) -> Option<&str> {
        let found = self.find(name)?;
        Some(found.family.as_deref().unwrap_or(&found.text))
    }

    /// Returns the arguments that tell a name of the set apart from the others of its family; empty
    /// for the only name of a family. Returns `None` as long as further names may follow
    /// ([`NameSet::short_names`]).
    ///
    /// They are computed for all names at once, when they are requested first.
    pub fn arguments(&self, name: &str) -> Option<&[String]> {
        for set in self.sets().filter(|set| set.is_complete) {
            let parsed = set.set.take();
            if let Some(parsed) = parsed {
                arguments::provide(parsed, set);
            }
        }
        self.find(name)?.arguments.get().map(|found| &**found)
    }

    fn find(&self, name: &str) -> Option<&ShortName> {
        self.sets().find_map(|set| set.names.get(name))
    }

    /// Whether no further names follow.
    fn is_complete(&self) -> bool {
        self.sets().all(|set| set.is_complete)
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.sets().map(|set| set.names.len()).sum()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all short names.
    fn all(&self) -> impl Iterator<Item = &str> {
        let sets = self.sets();
        sets.flat_map(|set| set.names.values().map(|short| &*short.text))
    }

    /// Returns this set, then those that it extends.
    fn sets(&self) -> impl Iterator<Item = &ShortNames> {
        std::iter::successors(Some(self), |names| names.base.as_deref())
    }

    fn depth(&self) -> usize {
        self.sets().count()
    }
}

/// A set of names for [`ShortNames`], to which names can be added.
#[derive(Default)]
pub struct NameSet {
    trees: Trees,
    names: HashMap<String, Form>,
    /// Length of all names, in bytes.
    bytes: usize,
}

/// The source of a short name.
enum Form {
    Tree {
        root: TreeId,
        /// Whether the kernel runs over a rounded range.
        is_rounded: bool,
    },
    Text(String),
}

/// A name and its short name.
struct Entry<'a> {
    name: &'a str,
    /// Its group, its index in the group, and whether it runs over a rounded range.
    tree: Option<(usize, usize, bool)>,
    short: String,
}

impl NameSet {
    /// Adds a name with its demangled form, unless it is already in the set.
    pub fn add(&mut self, name: &str, demangled: Option<&str>) {
        if self.names.contains_key(name) {
            return;
        }
        self.bytes = self.bytes.saturating_add(name.len());
        let tree = demangled.and_then(|text| self.tree(text));
        let form = tree.unwrap_or_else(|| {
            let text = demangled.unwrap_or(name);
            let is_mangled = demangled.is_some() || name.starts_with("_Z");
            Form::Text(cut(text, if is_mangled { 2 * WIDTH } else { PLAIN_MAX }))
        });
        self.names.insert(name.to_owned(), form);
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether the set has no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(|name| &**name)
    }

    /// Returns the short names of the current set. Adding names later may change all of them.
    pub fn short_names(&self) -> ShortNames {
        ShortNames {
            names: self.distinct(&HashSet::default(), |_| true),
            ..ShortNames::default()
        }
    }

    /// Returns the short names of the set, to which no names are added any more.
    pub fn into_short_names(self) -> ShortNames {
        let mut names = self.short_names();
        names.is_complete = true;
        names.set.replace(Some(self));
        names
    }

    /// Returns the short names of `base`, with short names for the names of this set that it does
    /// not have. These do not change the short names of `base`, and are different from them.
    pub fn extending(&self, base: &Rc<ShortNames>) -> ShortNames {
        let taken = base.all().collect();
        let names = self.distinct(&taken, |name| base.get(name).is_none());
        // Looking a name up takes a step for each base.
        if base.depth() < DEPTH_MAX {
            let base = Some(Rc::clone(base));
            return ShortNames {
                base,
                names,
                ..ShortNames::default()
            };
        }
        let known = base.sets().flat_map(|set| &set.names);
        let known = known.map(|(name, short)| (name.clone(), short.clone()));
        let names = known.chain(names).collect();
        ShortNames {
            names,
            ..ShortNames::default()
        }
    }

    /// Parses a demangled name. Returns `None` if it is malformed or exceeds a limit.
    fn tree(&mut self, text: &str) -> Option<Form> {
        if self.trees.size() > PIECES_MAX.saturating_add(self.bytes) {
            return None;
        }
        let root = parse::parse(text, &mut self.trees)?;
        let (root, is_rounded) = simplify::unwrap(root, &mut self.trees);
        Some(Form::Tree { root, is_rounded })
    }

    /// Returns short names of the wanted names. They differ from each other and from those in
    /// `taken`.
    fn distinct(
        &self,
        taken: &HashSet<&str>,
        wanted: impl Fn(&str) -> bool,
    ) -> HashMap<String, ShortName> {
        let names = self.names.iter();
        let names = names.map(|(name, form)| (&**name, form));
        let mut names: Vec<(&str, &Form)> = names.filter(|(name, _)| wanted(name)).collect();
        sort::by_key(&mut names, |(name, _)| *name);
        let mut groups = Groups::default();
        let mut entries: Vec<Entry<'_>> = Vec::with_capacity(names.len());
        for (name, form) in names {
            let (tree, short) = match form {
                Form::Tree { root, is_rounded } => {
                    let (group, at) = groups.add(*root, *is_rounded, &self.trees);
                    (Some((group, at, *is_rounded)), String::new())
                }
                Form::Text(text) => (None, text.clone()),
            };
            entries.push(Entry { name, tree, short });
        }
        let words = Words::new(self.trees.words(), &shorten::WORDS);
        let texts = groups.texts(&self.trees, &words, WIDTH, true);
        for entry in &mut entries {
            if let Some((group, at, is_rounded)) = entry.tree
                && let Some(text) = texts.get(group).and_then(|texts| texts.get(at))
            {
                entry.short = cut(text, 2 * WIDTH);
                entry.short.push_str(mark(is_rounded));
            }
        }
        number(&mut entries, taken);
        let entries = entries.into_iter().map(|entry| {
            let family = match self.names.get(entry.name) {
                Some(Form::Tree { root, .. }) => arguments::family(*root, &self.trees),
                _ => None,
            };
            let short = ShortName {
                text: entry.short,
                family,
                arguments: OnceCell::new(),
            };
            (entry.name.to_owned(), short)
        });
        entries.collect()
    }
}

/// The trees of a set of names, grouped by shape.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// The group of each shape.
    by_shape: HashMap<ShapeId, usize>,
    /// The index of each tree in its group.
    by_tree: HashMap<TreeId, usize>,
}

impl Groups {
    /// Adds a tree. Returns its group, and its index in the group.
    fn add(&mut self, root: TreeId, is_rounded: bool, trees: &Trees) -> (usize, usize) {
        let count = self.groups.len();
        let group = *self.by_shape.entry(trees.shape(root)).or_insert(count);
        if group == count {
            self.groups.push(Group::default());
        }
        let Some(members) = self.groups.get_mut(group) else {
            return (group, 0);
        };
        members.is_rounded |= is_rounded;
        let next = members.roots.len();
        let at = *self.by_tree.entry(root).or_insert(next);
        if at == next {
            members.roots.push(root);
        }
        (group, at)
    }

    /// Returns the texts of the trees of each group, of at most `width` characters if possible:
    /// names, which have namespaces if there is room, or lists of arguments.
    fn texts(
        &self,
        trees: &Trees,
        words: &Words<'_>,
        width: usize,
        is_name: bool,
    ) -> Vec<Vec<String>> {
        let limit = |group: &Group| width - mark(group.is_rounded).len();
        let mut groups = self.groups.iter();
        let is_qualified = is_name
            && groups.all(|group| {
                let mut roots = group.roots.iter();
                roots.all(|root| trees.width(*root, true) <= limit(group))
            });
        let groups = self.groups.iter();
        let texts = groups.map(|group| {
            shorten::shorten(group, limit(group), is_qualified, is_name, trees, words)
        });
        texts.collect()
    }
}

/// Returns the suffix of a kernel that runs over a rounded range.
fn mark(is_rounded: bool) -> &'static str {
    if is_rounded { simplify::ROUNDED } else { "" }
}

/// Cuts the middle out of a text of more than `most` characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    cut_before(text, 2 * WIDTH, WIDTH).into_owned()
}

/// Adds numbers to short names that are equal or taken, in the order of the names.
fn number(entries: &mut [Entry<'_>], taken: &HashSet<&str>) {
    let mut counts: HashMap<String, usize> = HashMap::default();
    for entry in &*entries {
        let others = usize::from(taken.contains(&*entry.short));
        *counts.entry(entry.short.clone()).or_insert(others) += 1;
    }
    let mut ordinals: HashMap<String, usize> = HashMap::default();
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
