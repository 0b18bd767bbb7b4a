//! A parser for demangled C++ names.

use super::simplify::simplify;
use super::tree::{Bracket, Piece, TreeId, Trees};

/// Maximum nesting of brackets. The demangler has a lower limit.
const DEPTH_MAX: usize = 128;

/// An open list.
struct Open {
    bracket: Bracket,
    items: Vec<TreeId>,
    /// The pieces of the tree that contains the list.
    before: Vec<Piece>,
}

/// Parses and simplifies a demangled name. Returns `None` if its brackets do not match or are
/// nested too deeply.
pub(super) fn parse(text: &str, trees: &mut Trees) -> Option<TreeId> {
    let bytes = text.as_bytes();
    let mut stack: Vec<Open> = Vec::new();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&c) = bytes.get(at) {
        let rest = text.get(at..)?;
        if c == b' ' {
            // A blank at the end separates nothing, as before a comma.
            let next = bytes.get(at + 1).copied().unwrap_or(b',');
            if !pieces.is_empty() && !matches!(next, b'>' | b',' | b')' | b' ') {
                pieces.push(Piece::Word(trees.word(" ")));
            }
            at += 1;
        } else if let Some(length) = word(rest) {
            pieces.push(Piece::Word(trees.word(rest.get(..length)?)));
            at += length;
        } else if c == b',' && !stack.is_empty() {
            let tree = item(std::mem::take(&mut pieces), trees);
            stack.last_mut()?.items.push(tree);
            at += 1;
        } else if is_comparison(c, &pieces, stack.last()) {
            pieces.push(Piece::Word(trees.word(rest.get(..1)?)));
            at += 1;
        } else if let Some(bracket) = Bracket::opened_by(c) {
            if stack.len() >= DEPTH_MAX {
                return None;
            }
            stack.push(Open {
                bracket,
                items: Vec::new(),
                before: std::mem::take(&mut pieces),
            });
            at += 1;
        } else if let Some(bracket) = Bracket::closed_by(c) {
            let mut open = stack.pop().filter(|open| open.bracket == bracket)?;
            if !pieces.is_empty() || !open.items.is_empty() {
                open.items.push(item(pieces, trees));
            }
            pieces = open.before;
            pieces.push(Piece::List(bracket, open.items.into()));
            at += 1;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            pieces.push(Piece::Word(trees.word(rest.get(..length)?)));
            at += length;
        }
    }
    stack.is_empty().then(|| simplify(pieces, true, trees))
}

/// Creates a simplified item of a list. Most items occur many times in the names of a set.
fn item(pieces: Vec<Piece>, trees: &mut Trees) -> TreeId {
    if let Some(tree) = trees.simplified(&pieces) {
        return tree;
    }
    let tree = simplify(pieces.clone(), false, trees);
    trees.simplify(pieces, tree);
    tree
}

/// Whether a sign is a comparison, as in `(a)>(b)`, and not a bracket.
fn is_comparison(c: u8, before: &[Piece], open: Option<&Open>) -> bool {
    match c {
        b'<' => matches!(before.last(), Some(Piece::List(Bracket::Round, _))),
        b'>' => open.is_some_and(|open| open.bracket != Bracket::Angle),
        _ => false,
    }
}

/// Returns the length of the word at the start of a text, if there is one.
fn word(text: &str) -> Option<usize> {
    const WHOLE: [&str; 4] = ["(anonymous namespace)", "::", "->", "..."];
    if let Some(sign) = WHOLE.iter().find(|sign| text.starts_with(**sign)) {
        return Some(sign.len());
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#' | '~' | '\'');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    match text.get(..length) {
        Some("operator") => Some(length + operator(text.get(length..)?)),
        _ => Some(length).filter(|length| *length > 0),
    }
}

/// Returns the length of an operator's symbol after the word `operator`.
fn operator(text: &str) -> usize {
    // The longer ones come before those that they start with.
    const SIGNS: [&str; 36] = [
        "<=>", "<<=", ">>=", "->*", "()", "[]", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%",
        "^", "&", "|", "!", "=", "<",
    ];
    match SIGNS.iter().find(|sign| text.starts_with(**sign)) {
        Some(sign) => sign.len(),
        None => usize::from(text.starts_with('>')),
    }
}
