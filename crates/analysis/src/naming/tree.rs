//! Trees of names; each distinct subtree is stored once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::HashMap;

/// Index of a word in [`Trees`].
pub(super) type WordId = u32;
/// Index of a tree in [`Trees`]. Equal trees have equal indices.
pub(super) type TreeId = u32;
/// Index of a [shape](Trees::shape) in [`Trees`].
pub(super) type ShapeId = u32;

/// The brackets around a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Bracket {
    Angle,
    Round,
    Square,
    Brace,
}

impl Bracket {
    /// Returns the kind of an opening bracket.
    pub(super) fn opened_by(c: u8) -> Option<Bracket> {
        Some(match c {
            b'<' => Bracket::Angle,
            b'(' => Bracket::Round,
            b'[' => Bracket::Square,
            b'{' => Bracket::Brace,
            _ => return None,
        })
    }

    /// Returns the kind of a closing bracket.
    pub(super) fn closed_by(c: u8) -> Option<Bracket> {
        Some(match c {
            b'>' => Bracket::Angle,
            b')' => Bracket::Round,
            b']' => Bracket::Square,
            b'}' => Bracket::Brace,
            _ => return None,
        })
    }

    pub(super) fn signs(self) -> (char, char) {
        match self {
            Bracket::Angle => ('<', '>'),
            Bracket::Round => ('(', ')'),
            Bracket::Square => ('[', ']'),
            Bracket::Brace => ('{', '}'),
        }
    }
}

/// Kind of a part that short names leave out unless two names differ only there. The first kinds
/// become visible before the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Hidden {
    /// Namespaces and classes in front of a name: `a::b::`.
    Qualifier,
    /// Lambdas around a lambda, with their call operators: `{lambda()#1}::operator()() const::`.
    Carrier,
    /// Parameters of a function or a lambda.
    Parameters,
    /// The type of a number, a function's return type, the arguments of a wrapper.
    Type,
}

impl Hidden {
    /// The number of kinds.
    pub(super) const COUNT: usize = 4;
}

/// A part of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// An identifier, a number, an operator, `::`, or a space.
    Word(WordId),
    /// A list in brackets.
    List(Bracket, Rc<[TreeId]>),
    /// A part that is hidden by default.
    Hidden(Hidden, TreeId),
}

struct Tree {
    pieces: Rc<[Piece]>,
    shape: ShapeId,
    /// The width of its text in characters, without and with its qualifiers.
    width: [usize; 2],
}

/// The trees and words of a set, each stored once.
#[derive(Default)]
pub(super) struct Trees {
    words: Vec<Rc<str>>,
    word_ids: HashMap<Rc<str>, WordId>,
    trees: Vec<Tree>,
    tree_ids: HashMap<Rc<[Piece]>, TreeId>,
    shapes: HashMap<Vec<(u32, u32)>, ShapeId>,
    /// The first tree of each shape.
    examples: Vec<TreeId>,
    /// Total number of pieces and items.
    size: usize,
    /// Trees by their pieces before simplification.
    simplified: HashMap<Vec<Piece>, TreeId>,
}

impl Trees {
    /// Returns the index of a word, adding it if it is new.
    pub(super) fn word(&mut self, text: &str) -> WordId {
        if let Some(id) = self.word_ids.get(text) {
            return *id;
        }
        let id = index(self.words.len());
        let text: Rc<str> = text.into();
        self.words.push(Rc::clone(&text));
        self.word_ids.insert(text, id);
        id
    }

    /// Returns the text of a word.
    pub(super) fn text(&self, word: WordId) -> &str {
        self.words.get(word as usize).map_or("", |text| text)
    }

    /// Returns all words, in the order of their indices.
    pub(super) fn words(&self) -> &[Rc<str>] {
        &self.words
    }

    /// Returns the simplified tree of these pieces, if it is known.
    pub(super) fn simplified(&self, pieces: &[Piece]) -> Option<TreeId> {
        self.simplified.get(pieces).copied()
    }

    /// Caches the simplified tree of pieces.
    pub(super) fn simplify(&mut self, pieces: Vec<Piece>, tree: TreeId) {
        self.size += pieces.len();
        self.simplified.insert(pieces, tree);
    }

    /// Returns the total number of trees, pieces and list items.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the index of a tree, adding it if it is new.
    pub(super) fn tree(&mut self, pieces: Vec<Piece>) -> TreeId {
        if let Some(id) = self.tree_ids.get(&*pieces) {
            return *id;
        }
        let key = pieces.iter().map(|piece| match piece {
            Piece::Word(word) => (*word, u32::MAX),
            Piece::List(bracket, items) => (index(items.len()), *bracket as u32),
            Piece::Hidden(kind, _) => (*kind as u32, u32::MAX - 1),
        });
        let next = index(self.shapes.len());
        let shape = *self.shapes.entry(key.collect()).or_insert(next);
        let items = pieces.iter().map(|piece| match piece {
            Piece::List(_, items) => items.len(),
            _ => 0,
        });
        self.size += 1 + pieces.len() + items.sum::<usize>();
        let id = index(self.trees.len());
        if shape == next {
            self.examples.push(id);
        }
        let pieces: Rc<[Piece]> = pieces.into();
        self.trees.push(Tree {
            pieces: Rc::clone(&pieces),
            shape,
            width: [false, true].map(|is_qualified| self.measure(&pieces, is_qualified)),
        });
        self.tree_ids.insert(pieces, id);
        id
    }

    /// Returns the pieces of a tree.
    pub(super) fn pieces(&self, tree: TreeId) -> Rc<[Piece]> {
        let found = self.trees.get(tree as usize);
        found.map_or_else(|| Rc::from([]), |tree| Rc::clone(&tree.pieces))
    }

    /// Returns the shape of a tree: its words, and the number of items in its lists. Trees of one
    /// shape are compared item by item.
    pub(super) fn shape(&self, tree: TreeId) -> ShapeId {
        self.trees.get(tree as usize).map_or(0, |tree| tree.shape)
    }

    /// Returns the words of the trees of a shape.
    pub(super) fn words_of(&self, shape: ShapeId) -> impl Iterator<Item = (WordId, &str)> {
        let example = self.examples.get(shape as usize);
        let tree = example.and_then(|tree| self.trees.get(*tree as usize));
        let pieces = tree.map_or(&[][..], |tree| &tree.pieces);
        pieces.iter().filter_map(|piece| match piece {
            Piece::Word(word) => Some((*word, self.text(*word))),
            _ => None,
        })
    }

    /// Returns the width of a tree's text in characters, with or without its qualifiers.
    pub(super) fn width(&self, tree: TreeId, is_qualified: bool) -> usize {
        let [without, with] = self
            .trees
            .get(tree as usize)
            .map_or([0; 2], |tree| tree.width);
        if is_qualified { with } else { without }
    }

    fn measure(&self, pieces: &[Piece], is_qualified: bool) -> usize {
        let widths = pieces.iter().map(|piece| match piece {
            Piece::Word(word) => self.text(*word).chars().count(),
            Piece::List(_, items) => {
                let items = items.iter().map(|item| self.width(*item, is_qualified) + 2);
                items.sum::<usize>().max(2)
            }
            Piece::Hidden(Hidden::Qualifier, path) if is_qualified => self.width(*path, true),
            Piece::Hidden(..) => 0,
        });
        widths.sum()
    }

    /// Returns the direct children of a tree, in the order of its text.
    pub(super) fn children(&self, tree: TreeId) -> Vec<(Option<Hidden>, TreeId)> {
        let mut children = Vec::new();
        for piece in &*self.pieces(tree) {
            match piece {
                Piece::Word(_) => {}
                Piece::List(_, items) => children.extend(items.iter().map(|item| (None, *item))),
                Piece::Hidden(kind, hidden) => children.push((Some(*kind), *hidden)),
            }
        }
        children
    }
}

/// Converts an index. It saturates, which cannot happen: names have at most a few megabytes.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Computes a hash that is the same in every run.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
