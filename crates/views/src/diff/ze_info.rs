//! Comparison of `.ze_info`: kernels and functions by name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::code::{CodeChange, CountsPair};
use super::entry::{Change, Entry, Field, Part};
use super::renames::Renames;
use super::walk::ValuePath;
use super::{Comparand, Comparer, measure};
use zeview_core::analysis::kernels::{KernelDetail, KernelRow, Kernels, PLACEHOLDER};
use zeview_core::model::{Node, NodeKind, sort};

/// Lists of `.ze_info` with an entry for each kernel, in addition to the kernels themselves.
static OF_KERNELS: [&str; 2] = ["kernels_misc_info", "kernels_cost_info"];

/// The kernels and functions of a file, and the other keys.
#[derive(Default)]
pub(super) struct Names {
    kernels: Vec<Node>,
    functions: Vec<Node>,
    /// Further entries about a kernel: the list, and the entry.
    more: HashMap<String, Vec<(String, Node)>>,
    /// The keys that are not about a kernel.
    others: Vec<Node>,
}

impl Names {
    fn listed(&self, part: Part) -> &[Node] {
        match part {
            Part::Kernel => &self.kernels,
            _ => &self.functions,
        }
    }

    /// Returns the further entries about a kernel.
    fn entries_of(&self, kernel: &str) -> &[(String, Node)] {
        self.more.get(kernel).map_or(&[], Vec::as_slice)
    }

    /// Returns the description of a kernel.
    fn kernel(&self, name: &str) -> Option<&Node> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Returns the names of the kernels.
    fn known(&self) -> HashSet<&str> {
        self.kernels.iter().map(|kernel| &*kernel.name).collect()
    }

    /// Returns the names of kernels that only one of the two files has.
    pub fn left(&self, other: &Names) -> (Vec<String>, Vec<String>) {
        let (one, two) = (self.known(), other.known());
        let only = |kernels: &[Node], others: &HashSet<&str>| {
            let mut seen = HashSet::new();
            let names = kernels.iter().map(|kernel| &*kernel.name);
            let left = names.filter(|name| !others.contains(name) && seen.insert(*name));
            left.map(str::to_owned).collect::<Vec<_>>()
        };
        (only(&self.kernels, &two), only(&other.kernels, &one))
    }
}

/// Formats the arguments of a kernel without their names, to identify the kernel.
pub(super) fn arguments(detail: &KernelDetail) -> String {
    let explicit = detail.payload.entries.iter().filter(|entry| entry.explicit);
    let words = explicit.map(|entry| {
        let (kind, size) = (&entry.kind, entry.size.unwrap_or(0));
        format!("{kind}:{size}:{}", entry.arg_index.unwrap_or(-1))
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Comparer<'_> {
    /// Returns the kernels and functions that `.ze_info` lists.
    pub(super) fn kernel_names(&mut self, which: Comparand, ze_info: Option<&Node>) -> Names {
        let mut names = Names::default();
        let Some(ze_info) = ze_info else { return names };
        for key in self.children(which, ze_info) {
            let is_list = key.kind == NodeKind::Sequence;
            match &*key.name {
                "kernels" if is_list => names.kernels.append(&mut self.children(which, &key)),
                "functions" if is_list => names.functions.append(&mut self.children(which, &key)),
                list if is_list && OF_KERNELS.contains(&list) => {
                    let list = list.to_owned();
                    for entry in self.children(which, &key) {
                        let of = names.more.entry(entry.name.to_string()).or_default();
                        // A kernel has one entry in each list; others are compared like keys.
                        if !of.iter().any(|(known, _)| *known == list) {
                            of.push((list.clone(), entry))
                        } else {
                            names.others.push(entry)
                        }
                    }
                }
                _ => names.others.push(key),
            }
        }
        names
    }

    /// Compares the kernels and functions of two files.
    pub(super) fn ze_info(
        &mut self,
        names: &(Names, Names),
        kernels: &KernelsPair,
        renames: &Renames,
        code: &mut BTreeMap<String, (CodeChange, CountsPair)>,
        at: u32,
    ) {
        let rows = |comparer: &Self, which, kernels: &Option<Rc<dyn Kernels>>| {
            let sources = &comparer.document(which).sources;
            kernels.as_ref().map(|kernels| kernels.rows(sources))
        };
        let rows = (
            rows(self, Comparand::A, &kernels.0),
            rows(self, Comparand::B, &kernels.1),
        );
        fn find(rows: &Option<Rc<Vec<KernelRow>>>) -> HashMap<&str, usize> {
            let mut places = HashMap::new();
            for (at, row) in rows.iter().flat_map(|rows| rows.iter()).enumerate() {
                places.entry(&*row.name.value).or_insert(at);
            }
            places
        }
        let places = (find(&rows.0), find(&rows.1));
        let mut matched = 0;
        for part in [Part::Kernel, Part::Function] {
            let (of_a, of_b) = (names.0.listed(part), names.1.listed(part));
            for (a, b) in pairs(of_a, of_b, renames) {
                if self.work.is_over() {
                    return;
                }
                // Compared by device, except for placeholders.
                let named = a.or(b).map_or("", |named| &*named.name);
                if self.has_kernels && part == Part::Kernel && named != PLACEHOLDER {
                    code.remove(named);
                    continue;
                }
                let row_a = a.and_then(|named| rows.0.as_ref()?.get(*places.0.get(&*named.name)?));
                let row_b = b.and_then(|named| rows.1.as_ref()?.get(*places.1.get(&*named.name)?));
                let (change, named) = match (a, b) {
                    (Some(one), Some(other)) if one.name != other.name => (Change::Renamed, one),
                    (Some(one), Some(_)) => (Change::Changed, one),
                    (Some(one), None) => (Change::Removed, one),
                    (None, Some(other)) => (Change::Added, other),
                    (None, None) => continue,
                };
                let mut fields = self.kernel_fields(names, (a, b));
                if let (Some(one), Some(other)) = (row_a, row_b) {
                    measure::merge(one, other, &mut fields);
                }
                let mut code_change = None;
                if a.is_some() && b.is_some() {
                    matched += u64::from(part == Part::Kernel);
                    code_change = code.remove(&*named.name);
                }
                let measures = measure::measures(row_a, row_b, code_change.as_ref());
                let is_same = fields.is_empty() && code_change.is_none() && measures.is_empty();
                if change == Change::Changed && is_same {
                    continue;
                }
                let mut entry = Entry::new(part, change, at, &*named.name).with(fields);
                let row = row_a.or(row_b);
                entry.demangled = row.and_then(|row| row.demangled.clone());
                entry.a = a.and_then(|named| named.span);
                entry.b = b.and_then(|named| named.span);
                entry.new_name = b
                    .filter(|_| change == Change::Renamed)
                    .map(|named| named.name.to_string());
                entry.measures = measures;
                entry.code = code_change.map(|(change, _)| change);
                self.push(entry);
            }
        }
        if let Some(pair) = self
            .result
            .pairs
            .get_mut(usize::try_from(at).unwrap_or(usize::MAX))
        {
            pair.kernels = if self.has_kernels { 0 } else { matched };
        }
        self.leftover_code(code, at);
        self.other_keys(names, at);
    }

    /// Compares code that belongs to no kernel or function.
    fn leftover_code(&mut self, code: &mut BTreeMap<String, (CodeChange, CountsPair)>, at: u32) {
        for (name, (change, _)) in std::mem::take(code) {
            let entry = Entry::new(Part::Section, Change::Changed, at, format!(".text.{name}"));
            let mut entry = entry.at(Some(change.a), Some(change.b));
            entry.code = Some(change);
            self.push(entry);
        }
    }

    /// Compares the entries about a kernel in both files, by its names in them.
    pub(super) fn fields_of_kernel(
        &mut self,
        names: &(Names, Names),
        (a, b): (&str, &str),
    ) -> Vec<Field> {
        self.kernel_fields(names, (names.0.kernel(a), names.1.kernel(b)))
    }

    /// Compares the entries about a kernel in both files, or collects those of one.
    fn kernel_fields(
        &mut self,
        names: &(Names, Names),
        (a, b): (ListedKernel<'_>, ListedKernel<'_>),
    ) -> Vec<Field> {
        let mut fields = Vec::new();
        self.with_temporary_expanders(|comparer| {
            let path = &mut ValuePath::default();
            comparer.optional_fields(a, b, path, &mut fields);
            let of_a = a.map_or(&[][..], |named| names.0.entries_of(&named.name));
            let of_b = b.map_or(&[][..], |named| names.1.entries_of(&named.name));
            fn of<'n>(entries: &'n [(String, Node)], list: &str) -> ListedKernel<'n> {
                let found = entries.iter().find(|(name, _)| name == list);
                found.map(|(_, node)| node)
            }
            for (list, one) in of_a {
                path.enter(list, false);
                comparer.optional_fields(Some(one), of(of_b, list), path, &mut fields);
                path.leave();
            }
            for (list, other) in of_b {
                if of(of_a, list).is_none() {
                    path.enter(list, false);
                    comparer.optional_fields(None, Some(other), path, &mut fields);
                    path.leave();
                }
            }
        });
        // The name of a renamed kernel is not a difference of its own.
        if let (Some(one), Some(other)) = (a, b)
            && one.name != other.name
        {
            let is_name = |path: &str| {
                let list = path.strip_suffix("/name");
                path == "name" || list.is_some_and(|list| OF_KERNELS.contains(&list))
            };
            fields.retain(|f| f.from.is_none() || f.to.is_none() || !is_name(&f.path));
        }
        fields
    }

    fn optional_fields(
        &mut self,
        a: Option<&Node>,
        b: Option<&Node>,
        path: &mut ValuePath,
        fields: &mut Vec<Field>,
    ) {
        match (a, b) {
            (Some(a), Some(b)) => self.fields(a, b, path, fields),
            (Some(a), None) => self.only(Comparand::A, a, path, fields),
            (None, Some(b)) => self.only(Comparand::B, b, path, fields),
            (None, None) => {}
        }
    }

    /// Compares the keys of `.ze_info` that are not about a kernel.
    fn other_keys(&mut self, names: &(Names, Names), at: u32) {
        let mut fields = Vec::new();
        let path = &mut ValuePath::default();
        let mut left: HashMap<&str, Vec<&Node>> = HashMap::new();
        for key in names.1.others.iter().rev() {
            left.entry(&key.name).or_default().push(key);
        }
        for key in &names.0.others {
            let other = left.get_mut(&*key.name).and_then(Vec::pop);
            path.enter(&key.name, false);
            self.optional_fields(Some(key), other, path, &mut fields);
            path.leave();
        }
        // In file order.
        let mut left: Vec<&Node> = left.into_values().flatten().collect();
        sort::by_key(&mut left, |key| key.index);
        for key in left {
            path.enter(&key.name, false);
            self.optional_fields(None, Some(key), path, &mut fields);
            path.leave();
        }
        // Entries about kernels that are not in the list.
        let known = (names.0.known(), names.1.known());
        let sides = [
            (Comparand::A, &names.0, &known.0, &names.1),
            (Comparand::B, &names.1, &known.1, &names.0),
        ];
        for (which, of, known, other) in sides {
            let mut stray: Vec<_> = of
                .more
                .iter()
                .filter(|(name, _)| !known.contains(name.as_str()))
                .collect();
            sort::by_key(&mut stray, |(name, _)| *name);
            for (name, entries) in stray {
                let others = other.more.get(name);
                for (list, node) in entries {
                    let same = others.and_then(|o| o.iter().find(|(name, _)| name == list));
                    path.enter(&format!("{list}[{name}]"), false);
                    match (which, same) {
                        (Comparand::A, Some((_, other))) => {
                            self.fields(node, other, path, &mut fields)
                        }
                        (_, None) => self.only(which, node, path, &mut fields),
                        _ => {}
                    }
                    path.leave();
                }
            }
        }
        if fields.is_empty() {
            return;
        }
        let span = |names: &Names| names.others.first().and_then(|node| node.span);
        let entry = Entry::new(Part::Attribute, Change::Changed, at, ".ze_info");
        self.push(entry.at(span(&names.0), span(&names.1)).with(fields));
    }
}

/// The providers of the kernels of both files.
type KernelsPair = (Option<Rc<dyn Kernels>>, Option<Rc<dyn Kernels>>);

/// A kernel or function.
type ListedKernel<'n> = Option<&'n Node>;

/// Pairs entries of the same name, in the order of the first list, then those only in the second.
fn pairs<'n>(
    a: &'n [Node],
    b: &'n [Node],
    renames: &Renames,
) -> Vec<(ListedKernel<'n>, ListedKernel<'n>)> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, named) in b.iter().enumerate().rev() {
        places.entry(&named.name).or_default().push(at);
    }
    let mut is_matched = vec![false; b.len()];
    let mut found = Vec::new();
    for one in a {
        let name = renames.kernel(&one.name);
        let other = places.get_mut(&*name).and_then(Vec::pop);
        if let Some(matched) = other.and_then(|at| is_matched.get_mut(at)) {
            *matched = true;
        }
        found.push((Some(one), other.and_then(|at| b.get(at))));
    }
    let rest = b.iter().zip(is_matched).filter(|(_, matched)| !matched);
    found.extend(rest.map(|(other, _)| (None, Some(other))));
    found
}
