//! The differences between the trees of a group of names.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use super::tree::{Hidden, ShapeId, TreeId, Trees, hash, index};

/// Maximum number of trees in the columns that are compared. Differences below further columns are
/// not found.
const ENTRIES_MAX: usize = 8 << 20;

/// Names, each with its tree at one position.
type Entries = Vec<(u32, TreeId)>;
/// Columns to be compared: the visible ones, then those of each kind of hidden parts.
type Queues = Vec<VecDeque<(ColumnId, Entries)>>;

/// Index of a column in [`Columns`].
pub(super) type ColumnId = u32;

/// The trees of several names at one position.
pub(super) struct Column {
    /// The column of the enclosing position.
    parent: Option<ColumnId>,
    /// The kind of the hidden part that contains the position, if any.
    pub(super) hidden: Option<Hidden>,
    /// The shape in each name, if they differ.
    pub(super) shapes: Vec<(u32, ShapeId)>,
    /// The shape of almost all names; a few exceptions do not make it worth displaying.
    pub(super) usual: Option<ShapeId>,
}

/// The positions where the names of a group differ.
pub(super) struct Columns {
    columns: Vec<Column>,
    /// The columns of the parts of trees with a shape, if the parts differ.
    parts: HashMap<(ColumnId, ShapeId), Vec<ColumnId>>,
    /// The columns with different words: the visible ones, then the kinds of hidden parts; outer
    /// columns before inner ones.
    pub(super) order: Vec<ColumnId>,
}

impl Columns {
    /// Compares trees of one shape. Tree `n` belongs to the name with index `n`.
    pub(super) fn new(roots: &[TreeId], trees: &Trees) -> Columns {
        let mut all = Columns {
            columns: vec![Column {
                parent: None,
                hidden: None,
                shapes: Vec::new(),
                usual: None,
            }],
            parts: HashMap::default(),
            order: Vec::new(),
        };
        let mut queues = Queues::new();
        queues.resize_with(Hidden::COUNT + 1, VecDeque::new);
        let entries = (0..).zip(roots.iter().copied()).collect();
        if let Some(queue) = queues.first_mut().filter(|_| roots.len() > 1) {
            queue.push_back((0, entries));
        }
        let mut comparison = Comparison {
            trees,
            queues,
            seen: [HashSet::default(), HashSet::default()],
            budget: ENTRIES_MAX,
        };
        while let Some((id, entries)) = comparison.next() {
            all.split(id, &entries, &mut comparison);
        }
        all
    }

    /// Splits a column by the words of its trees, and into columns of their parts.
    fn split(&mut self, id: ColumnId, entries: &[(u32, TreeId)], comparison: &mut Comparison<'_>) {
        let trees = comparison.trees;
        let mut shapes: Vec<(ShapeId, Entries)> = Vec::new();
        let mut places = HashMap::default();
        for (name, tree) in entries {
            let shape = trees.shape(*tree);
            let place = *places.entry(shape).or_insert(shapes.len());
            if place == shapes.len() {
                shapes.push((shape, Vec::new()));
            }
            if let Some((_, members)) = shapes.get_mut(place) {
                members.push((*name, *tree));
            }
        }
        let Some(column) = self.columns.get_mut(id as usize) else {
            return;
        };
        let hidden = column.hidden;
        if shapes.len() > 1 {
            let words = entries.iter();
            column.shapes = words
                .map(|(name, tree)| (*name, trees.shape(*tree)))
                .collect();
            let is_usual = |(_, members): &&(ShapeId, Entries)| {
                members.len().saturating_mul(50) >= entries.len().saturating_mul(49)
            };
            column.usual = shapes.iter().find(is_usual).map(|(shape, _)| *shape);
            self.order.push(id);
        }
        for (shape, members) in shapes {
            if is_same(&members) {
                continue;
            }
            let mut parts: Vec<(Option<Hidden>, Entries)> = Vec::new();
            for (name, tree) in members {
                for (at, (kind, child)) in trees.children(tree).into_iter().enumerate() {
                    if at == parts.len() {
                        parts.push((kind, Vec::new()));
                    }
                    if let Some((_, entries)) = parts.get_mut(at) {
                        entries.push((name, child));
                    }
                }
            }
            let mut columns = Vec::new();
            for (kind, entries) in parts {
                let column = index(self.columns.len());
                // `None` is the least: what is inside of a hidden part is hidden as well.
                let hidden = hidden.max(kind);
                self.columns.push(Column {
                    parent: Some(id),
                    hidden,
                    shapes: Vec::new(),
                    usual: None,
                });
                columns.push(column);
                comparison.push(column, hidden, entries);
            }
            self.parts.insert((id, shape), columns);
        }
    }

    /// Returns a column.
    pub(super) fn get(&self, id: ColumnId) -> Option<&Column> {
        self.columns.get(id as usize)
    }

    /// Returns the columns of the parts of a tree; empty if all trees of this shape are equal.
    pub(super) fn parts(&self, column: ColumnId, shape: ShapeId) -> &[ColumnId] {
        self.parts.get(&(column, shape)).map_or(&[], |parts| parts)
    }

    /// Returns a column and those that enclose it.
    pub(super) fn around(&self, column: ColumnId) -> impl Iterator<Item = ColumnId> {
        std::iter::successors(Some(column), |column| self.get(*column)?.parent)
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }
}

/// The columns that remain to be compared.
struct Comparison<'a> {
    trees: &'a Trees,
    queues: Queues,
    /// Hashes of the visible columns so far, and of the hidden ones.
    seen: [HashSet<u64>; 2],
    /// Number of trees that may still be compared.
    budget: usize,
}

impl Comparison<'_> {
    fn next(&mut self) -> Option<(ColumnId, Entries)> {
        self.queues.iter_mut().find_map(VecDeque::pop_front)
    }

    /// Adds a column if its trees differ. Skips a column that repeats the trees of another.
    fn push(&mut self, column: ColumnId, hidden: Option<Hidden>, entries: Entries) {
        if is_same(&entries) || entries.len() > self.budget {
            return;
        }
        let hash = hash(&entries);
        let [visible, others] = &mut self.seen;
        let is_new = match hidden {
            None => visible.insert(hash),
            Some(_) => !visible.contains(&hash) && others.insert(hash),
        };
        let queue = hidden.map_or(0, |kind| kind as usize + 1);
        if let Some(queue) = self.queues.get_mut(queue).filter(|_| is_new) {
            self.budget -= entries.len();
            queue.push_back((column, entries));
        }
    }
}

/// Whether all names have the same tree.
fn is_same(entries: &[(u32, TreeId)]) -> bool {
    let mut trees = entries.iter().map(|(_, tree)| tree);
    let first = trees.next();
    trees.all(|tree| Some(tree) == first)
}

/// Equivalence classes of names that are not distinguished yet.
#[derive(Clone)]
pub(super) struct Classes {
    of: Vec<u32>,
    sizes: Vec<u32>,
    /// Number of classes with names.
    count: usize,
}

impl Classes {
    /// Creates a single class of `count` names.
    pub(super) fn new(count: usize) -> Classes {
        Classes {
            of: vec![0; count],
            sizes: vec![index(count)],
            count: 1,
        }
    }

    /// Returns the number of classes.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of classes after splitting these by the others.
    pub(super) fn count_with(&self, other: &Classes) -> usize {
        let both: HashSet<(&u32, &u32)> = self.of.iter().zip(&other.of).collect();
        both.len()
    }

    /// Whether a name is alone in its class.
    pub(super) fn is_single(&self, name: u32) -> bool {
        let class = self.of.get(name as usize);
        let size = class.and_then(|class| self.sizes.get(*class as usize));
        size.is_none_or(|size| *size <= 1)
    }

    /// Splits the classes by the shapes in a column. Returns whether there are more of them now.
    pub(super) fn split(&mut self, shapes: &[(u32, ShapeId)]) -> bool {
        let before = self.count;
        let mut parts: HashMap<(u32, ShapeId), u32> = HashMap::default();
        for (name, shape) in shapes {
            let Some(class) = self.of.get_mut(*name as usize) else {
                continue;
            };
            let next = index(self.sizes.len());
            let part = *parts.entry((*class, *shape)).or_insert(next);
            if part == next {
                self.sizes.push(0);
                self.count += 1;
            }
            if let Some(size) = self.sizes.get_mut(*class as usize) {
                *size = size.saturating_sub(1);
                self.count -= usize::from(*size == 0);
            }
            if let Some(size) = self.sizes.get_mut(part as usize) {
                *size += 1;
            }
            *class = part;
        }
        self.count > before
    }
}

/// Hashes how a column partitions its names, regardless of its content.
pub(super) fn division(shapes: &[(u32, ShapeId)]) -> u64 {
    let mut labels = HashMap::default();
    let label = |(name, shape): &(u32, ShapeId)| {
        let next = labels.len();
        (*name, *labels.entry(*shape).or_insert(next))
    };
    hash(shapes.iter().map(label).collect::<Vec<_>>())
}
