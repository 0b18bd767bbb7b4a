//! Shortens the trees of a set of names.

use foldhash::{HashMap, HashSet};

use super::columns::{Classes, ColumnId, Columns, division};
use super::tree::{Bracket, Hidden, Piece, ShapeId, TreeId, Trees, WordId};
use super::words::{Words, distinguished};

/// Maximum length, in characters, of a list that is written in full instead of being left out.
const SMALL: usize = 8;

/// Trees that have the same words around their arguments.
#[derive(Default)]
pub(super) struct Group {
    /// The distinct trees, in the order of the names.
    pub(super) roots: Vec<TreeId>,
    /// Whether one of them runs over a rounded range.
    pub(super) is_rounded: bool,
}

/// The amount of detail in a short text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Everything that is not hidden.
    Whole,
    /// The differences, with words of about this length.
    Differing { word: usize, style: Style },
}

/// The style of the differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// With the enclosing words: `K<…, Tile<64>, …>`.
    Nested,
    /// Without them: `K<… 64>`.
    Flat,
    /// Like `Flat`, without spaces.
    Compact,
}

const fn nested(word: usize) -> Form {
    let style = Style::Nested;
    Form::Differing { word, style }
}

const fn flat(word: usize) -> Form {
    let style = Style::Flat;
    Form::Differing { word, style }
}

const fn compact(word: usize) -> Form {
    let style = Style::Compact;
    Form::Differing { word, style }
}

/// The forms with differences only, the longest first.
const FORMS: [Form; 11] = [
    nested(usize::MAX),
    nested(32),
    nested(24),
    nested(16),
    flat(32),
    flat(24),
    flat(16),
    flat(12),
    compact(12),
    compact(8),
    SHORTEST,
];
/// Number of these with spaces after commas.
const SPACED: usize = 8;
const SHORTEST: Form = compact(LOCAL);

/// Stands for words that are as short as their column allows.
const LOCAL: usize = 7;

/// The word lengths of these forms.
pub(super) const WORDS: [usize; 6] = [8, 12, 16, 24, 28, 32];

/// Maximum number of further arguments of a kernel that are written if there is room.
const FURTHER: usize = 16;

/// Maximum length of the words around a kernel's arguments, except in the shortest forms.
const ROOT: usize = 28;

/// Shortens the trees of a group, in their order: names, or lists of arguments.
pub(super) fn shorten(
    group: &Group,
    limit: usize,
    is_qualified: bool,
    is_name: bool,
    trees: &Trees,
    words: &Words<'_>,
) -> Vec<String> {
    let columns = Columns::new(&group.roots, trees);
    let mut writer = Writer {
        trees,
        words,
        is_active: Vec::new(),
        is_shown: Vec::new(),
        revealed: HashSet::default(),
        columns: &columns,
        is_qualified,
        is_name,
        local: HashMap::default(),
        further: HashSet::default(),
    };
    let mut chosen = ChosenColumns::new(&mut writer, group.roots.len());
    writer.show(&chosen.needed);
    // A text that does not fit takes the next shorter form, independent of the other texts.
    let is_whole = |root: TreeId| trees.width(root, is_qualified) <= limit;
    let whole = group.roots.iter().filter(|root| is_whole(**root));
    let whole = whole.count();
    if whole * 2 >= group.roots.len() {
        if whole < group.roots.len() {
            writer.shorten_words(&chosen.needed);
        }
        let texts = group.roots.iter().zip(0..);
        let texts = texts.map(|(root, name)| {
            if is_whole(*root) {
                writer.text(*root, name, Form::Whole)
            } else {
                writer.fitting(*root, name, &FORMS, limit)
            }
        });
        return texts.collect();
    }
    // So that a few very long names do not shorten all others.
    let is_enough = |count: usize| count.saturating_mul(10) >= group.roots.len().saturating_mul(9);
    let mut first = writer.first(group, &FORMS[..SPACED], limit, is_enough);
    if first.is_none() {
        if !is_name {
            chosen.add_around(&columns);
        }
        chosen.reduce(&columns, group.roots.len());
        writer.show(&chosen.needed);
        writer.shorten_words(&chosen.needed);
        first = writer.first(group, &FORMS, limit, is_enough);
    }
    let (forms, form) = match first.and_then(|at| Some((FORMS.get(at..)?, *FORMS.get(at)?))) {
        Some(found) => found,
        None => (&FORMS[..], SHORTEST),
    };
    let mut texts = writer.texts(group, form);
    let fitting = fits(&texts, limit);
    // If there is room, more than needed: as many of the columns as fit in as many names.
    let (mut most, mut too_many) = (0, chosen.redundant.len() + 1);
    while too_many - most > 1 && first.is_some_and(|at| at < SPACED) {
        let middle = most.midpoint(too_many);
        writer.show_more(&chosen, middle);
        let wider = writer.texts(group, form);
        if fits(&wider, limit) >= fitting {
            most = middle;
            texts = wider;
        } else {
            too_many = middle;
        }
    }
    // Then, what the names have in common.
    if matches!(
        form,
        Form::Differing {
            style: Style::Nested,
            ..
        }
    ) {
        writer.show_more(&chosen, most);
        for argument in 0..FURTHER {
            writer.further.insert(argument);
            let wider = writer.texts(group, form);
            if fits(&wider, limit) >= fitting {
                texts = wider
            } else {
                writer.further.remove(&argument);
            }
        }
        writer.further.clear();
    }
    writer.show(&chosen.needed);
    if writer.local.is_empty() && !texts.iter().all(|text| is_within(text, limit)) {
        writer.shorten_words(&chosen.needed);
    }
    let texts = texts.into_iter().zip(&group.roots).zip(0..);
    let texts = texts.map(|((text, root), name)| {
        if is_within(&text, limit) {
            text
        } else {
            writer.fitting(*root, name, forms, limit)
        }
    });
    texts.collect()
}

fn is_within(text: &str, limit: usize) -> bool {
    text.len() <= limit || text.chars().count() <= limit
}

/// Counts the texts within the limit.
fn fits(texts: &[String], limit: usize) -> usize {
    texts.iter().filter(|text| is_within(text, limit)).count()
}

/// The columns that distinguish the names of a group.
struct ChosenColumns {
    /// The columns that are necessary to distinguish all names.
    needed: Vec<ColumnId>,
    /// Further columns with other differences.
    redundant: Vec<ColumnId>,
}

impl ChosenColumns {
    /// Chooses the outermost columns. Hidden columns are revealed only in names that need them.
    fn new(writer: &mut Writer<'_>, count: usize) -> ChosenColumns {
        let mut chosen = ChosenColumns {
            needed: Vec::new(),
            redundant: Vec::new(),
        };
        let mut classes = Classes::new(count);
        let mut divisions = HashSet::default();
        for id in &writer.columns.order {
            let Some(column) = writer.columns.get(*id) else {
                continue;
            };
            let is_visible = match column.hidden {
                None => true,
                Some(kind) => writer.is_qualified && kind == Hidden::Qualifier,
            };
            if is_visible {
                let is_new = divisions.insert(division(&column.shapes));
                if classes.split(&column.shapes) {
                    chosen.needed.push(*id);
                } else if is_new {
                    chosen.redundant.push(*id);
                }
                continue;
            }
            let shapes = column.shapes.iter();
            let equal = shapes.filter(|(name, _)| !classes.is_single(*name));
            let equal: Vec<(u32, ShapeId)> = equal.copied().collect();
            if classes.split(&equal) {
                for (name, _) in equal {
                    let around = writer.columns.around(*id);
                    writer.revealed.extend(around.map(|id| (id, name)));
                }
            }
        }
        chosen
    }

    /// Adds the columns around the necessary ones: without these, columns within a type tell its
    /// names apart only from each other.
    fn add_around(&mut self, columns: &Columns) {
        let around = self.needed.iter().flat_map(|id| columns.around(*id));
        let around: HashSet<ColumnId> = around.collect();
        self.redundant.retain(|id| !around.contains(id));
        let order = columns.order.iter().copied();
        self.needed = order.filter(|id| around.contains(id)).collect();
    }

    /// Removes columns that the later ones make unnecessary.
    fn reduce(&mut self, columns: &Columns, count: usize) {
        /// Maximum number of columns, because the time is quadratic.
        const MOST: usize = 32;
        if self.needed.len() > MOST {
            return;
        }
        let shapes = |id: &ColumnId| columns.get(*id).map_or(&[][..], |column| &column.shapes);
        // The classes that result from the columns before each.
        let mut before = vec![Classes::new(count)];
        for id in &self.needed {
            let mut classes = before
                .last()
                .cloned()
                .unwrap_or_else(|| Classes::new(count));
            classes.split(shapes(id));
            before.push(classes);
        }
        let most = before.pop().map_or(0, |classes| classes.count());
        let mut behind = Classes::new(count);
        let mut removed = Vec::new();
        let mut around = HashSet::default();
        for (id, before) in self.needed.iter().zip(&before).rev() {
            // A column means little without those around it.
            if !around.contains(id) && before.count_with(&behind) == most {
                removed.push(*id);
            } else {
                behind.split(shapes(id));
                around.extend(columns.around(*id));
            }
        }
        self.needed.retain(|id| !removed.contains(id));
        removed.reverse();
        removed.append(&mut self.redundant);
        self.redundant = removed;
    }
}

struct Writer<'a> {
    trees: &'a Trees,
    words: &'a Words<'a>,
    columns: &'a Columns,
    /// The visible columns, and those around them.
    is_active: Vec<bool>,
    /// The columns whose words are visible.
    is_shown: Vec<bool>,
    /// Hidden columns that are visible for a name, and those around them.
    revealed: HashSet<(ColumnId, u32)>,
    is_qualified: bool,
    /// Whether the texts are names; otherwise they are lists of arguments.
    is_name: bool,
    /// Short forms of the words of the necessary columns.
    local: HashMap<(ColumnId, WordId), String>,
    /// Arguments of the kernel that are visible although all names share them.
    further: HashSet<usize>,
}

/// The items of a list, some of which are left out.
#[derive(Default)]
struct List {
    items: Vec<Option<String>>,
    /// Whether items of other lists are among them.
    is_spliced: bool,
}

impl Writer<'_> {
    /// Makes exactly these columns visible.
    fn show(&mut self, shown: &[ColumnId]) {
        self.is_active = vec![false; self.columns.len()];
        self.is_shown = self.is_active.clone();
        for column in shown {
            if let Some(is_shown) = self.is_shown.get_mut(*column as usize) {
                *is_shown = true;
            }
            for id in self.columns.around(*column) {
                match self.is_active.get_mut(id as usize) {
                    Some(is_active) if !*is_active => *is_active = true,
                    // Those around it are active already.
                    _ => break,
                }
            }
        }
    }

    /// Makes the necessary columns visible, and the first `count` redundant ones.
    fn show_more(&mut self, chosen: &ChosenColumns, count: usize) {
        let more = chosen.redundant.iter().take(count);
        let shown: Vec<ColumnId> = chosen.needed.iter().chain(more).copied().collect();
        self.show(&shown);
    }

    /// Computes the shortest forms of the words in columns.
    fn shorten_words(&mut self, columns: &[ColumnId]) {
        for id in columns {
            let shapes = self
                .columns
                .get(*id)
                .map_or(&[][..], |column| &column.shapes);
            let shapes: HashSet<ShapeId> = shapes.iter().map(|(_, shape)| *shape).collect();
            let words = shapes
                .into_iter()
                .flat_map(|shape| self.trees.words_of(shape));
            let words: HashMap<WordId, &str> = words.collect();
            let words: Vec<(WordId, &str)> = words.into_iter().collect();
            let short = distinguished(&words).into_iter();
            self.local
                .extend(short.map(|(word, short)| ((*id, word), short)));
        }
    }

    fn text(&self, root: TreeId, name: u32, form: Form) -> String {
        let mut text = String::new();
        self.tree(root, Some(0), name, form, &mut text);
        text
    }

    fn texts(&self, group: &Group, form: Form) -> Vec<String> {
        let texts = group.roots.iter().zip(0..);
        texts
            .map(|(root, name)| self.text(*root, name, form))
            .collect()
    }

    /// Returns the text in the first form that fits, with further arguments if there is room; or in
    /// the shortest form.
    fn fitting(&mut self, root: TreeId, name: u32, forms: &[Form], limit: usize) -> String {
        for form in forms {
            let mut text = self.text(root, name, *form);
            if !is_within(&text, limit) {
                continue;
            }
            for argument in 0..FURTHER {
                self.further.insert(argument);
                let wider = self.text(root, name, *form);
                if is_within(&wider, limit) {
                    text = wider
                } else {
                    self.further.remove(&argument);
                }
            }
            self.further.clear();
            return text;
        }
        self.text(root, name, SHORTEST)
    }

    /// Returns the first form in which enough of the texts fit.
    fn first(
        &self,
        group: &Group,
        forms: &[Form],
        limit: usize,
        is_enough: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let is_fitting = |form: &Form| is_enough(fits(&self.texts(group, *form), limit));
        forms.iter().position(is_fitting)
    }

    /// Writes a tree with its words.
    fn tree(
        &self,
        tree: TreeId,
        column: Option<ColumnId>,
        name: u32,
        form: Form,
        out: &mut String,
    ) {
        let shape = self.trees.shape(tree);
        let columns = column.map_or(&[][..], |column| self.columns.parts(column, shape));
        let mut columns = columns.iter().copied();
        let mut argument = 0;
        for piece in &*self.trees.pieces(tree) {
            match piece {
                Piece::Word(word) => {
                    let text = self.trees.text(*word);
                    let is_local = matches!(form, Form::Differing { word: LOCAL, .. });
                    if is_local && matches!(text, "unsigned" | "signed") {
                        out.extend(text.chars().take(1).chain(['…']));
                        continue;
                    } else if is_local && text == " " && out.ends_with('…') {
                        continue;
                    }
                    out.push_str(match form {
                        Form::Differing { word: limit, .. } => {
                            let least = match (column, limit) {
                                (Some(0), 9..) => ROOT,
                                (Some(0), _) => 12,
                                _ => limit,
                            };
                            let key = column.filter(|_| least == LOCAL).map(|id| (id, *word));
                            match key.and_then(|key| self.local.get(&key)) {
                                Some(short) => short,
                                None => self.words.short(*word, text, limit.max(least).max(8)),
                            }
                        }
                        Form::Whole => text,
                    });
                }
                Piece::Hidden(kind, hidden) => {
                    let column = columns.next();
                    let is_revealed = column.is_some_and(|id| self.revealed.contains(&(id, name)));
                    let is_visible = *kind == Hidden::Qualifier && self.is_qualified;
                    if is_visible {
                        self.tree(*hidden, column, name, form, out);
                    } else if is_revealed {
                        let form = nested(usize::MAX);
                        self.tree(*hidden, column, name, form, out);
                    }
                }
                // Lambdas are always visible.
                Piece::List(Bracket::Brace, items) => {
                    out.push('{');
                    for item in &**items {
                        self.tree(*item, columns.next(), name, form, out);
                    }
                    out.push('}');
                }
                Piece::List(bracket, items) => {
                    let mut list = List::default();
                    for item in &**items {
                        let before = list.items.len();
                        self.item(*item, columns.next(), name, form, &mut list);
                        let is_further = column == Some(0) && self.further.contains(&argument);
                        if is_further && let Some(item_text @ None) = list.items.get_mut(before) {
                            let mut text = String::new();
                            self.tree(*item, None, name, form, &mut text);
                            *item_text = Some(text);
                        }
                        argument += 1;
                    }
                    self.list(*bracket, items, &list, form, out);
                }
            }
        }
    }

    /// Writes a list.
    fn list(&self, bracket: Bracket, items: &[TreeId], list: &List, form: Form, out: &mut String) {
        let (small, is_compact) = match form {
            Form::Differing { word: ..=16, style } => (SMALL / 3, style == Style::Compact),
            _ => (SMALL, false),
        };
        let (open, close) = bracket.signs();
        if !list.items.iter().any(Option::is_some) {
            let widths = items.iter().map(|item| self.trees.width(*item, false) + 2);
            // The type of a constant is informative.
            let is_type = out.is_empty() && bracket == Bracket::Round;
            if is_type || widths.sum::<usize>() <= small + 2 {
                out.push(open);
                for (item, at) in items.iter().zip(0..) {
                    out.push_str(if at > 0 { ", " } else { "" });
                    self.tree(*item, None, 0, Form::Whole, out);
                }
                out.push(close);
            } else if small < SMALL || out.ends_with('…') {
                out.push_str(if out.ends_with('…') { "" } else { "…" });
            } else {
                out.extend([open, '…', close]);
            }
            return;
        }
        // Between items of other lists, an ellipsis would not add anything.
        let is_merged = is_compact || list.is_spliced;
        // Something is left out of all arguments.
        let has_gap = (self.is_name || !out.is_empty())
            && (list.is_spliced || list.items.iter().any(Option::is_none));
        let gap = if is_compact { "…" } else { "… " };
        out.push(open);
        out.push_str(if is_merged && has_gap { gap } else { "" });
        let mut before = None;
        for item in &list.items {
            if item.is_none() && (is_merged || before == Some(false)) {
                continue;
            }
            let comma = if is_compact { "," } else { ", " };
            out.push_str(if before.is_some() { comma } else { "" });
            out.push_str(item.as_deref().unwrap_or("…"));
            before = Some(item.is_some());
        }
        out.push(close);
    }

    /// Adds an item of a list, or its content without the enclosing words.
    fn item(&self, tree: TreeId, column: Option<ColumnId>, name: u32, form: Form, list: &mut List) {
        let write = || {
            let mut text = String::new();
            self.tree(tree, column, name, form, &mut text);
            Some(text)
        };
        let Form::Differing { style, .. } = form else {
            return list.items.push(write());
        };
        let is = |flags: &[bool]| {
            let flag = column.and_then(|id| flags.get(id as usize));
            flag.is_some_and(|flag| *flag)
        };
        let is_revealed = column.is_some_and(|id| self.revealed.contains(&(id, name)));
        if !is(&self.is_active) && !is_revealed {
            return list.items.push(None);
        }
        let shape = self.trees.shape(tree);
        let children = self.trees.children(tree);
        let usual = column.and_then(|id| self.columns.get(id)?.usual);
        let is_usual = usual == Some(shape) && !children.is_empty();
        let is_shown = is(&self.is_shown) && !is_usual;
        if is_shown || is_revealed || style == Style::Nested {
            return list.items.push(write());
        }
        list.is_spliced = true;
        let columns = column.map_or(&[][..], |column| self.columns.parts(column, shape));
        let mut columns = columns.iter().copied();
        for (kind, child) in children {
            let column = columns.next();
            if kind.is_none() {
                self.item(child, column, name, form, list);
            }
        }
    }
}
