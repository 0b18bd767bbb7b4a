//! Short forms of long identifiers, which stay distinct.

use std::cell::OnceCell;
use std::rc::Rc;

use foldhash::HashMap;

use super::tree::WordId;
use zeview_core::model::sort;

/// Minimum length of short forms, in characters.
const LEAST: usize = 7;

/// Maximum length of words that are kept whole, in bytes.
const SHORT: usize = 10;
/// Maximum length of words that are split into parts, in bytes. Longer ones are cut in the middle.
const PARTS_MAX: usize = 64;
/// Maximum number of parts considered for a short form.
const PARTS_TRIED: usize = 8;

/// Short forms of the words of a set, for some lengths in characters.
pub(super) struct Words<'a> {
    words: &'a [Rc<str>],
    lengths: Vec<(usize, OnceCell<HashMap<WordId, String>>)>,
}

impl<'a> Words<'a> {
    /// Creates short forms of the words, for each of the lengths.
    pub(super) fn new(words: &'a [Rc<str>], lengths: &[usize]) -> Words<'a> {
        let lengths = lengths.iter().map(|length| (*length, OnceCell::new()));
        Words {
            words,
            lengths: lengths.collect(),
        }
    }

    /// Returns the form of a word for a length, or the word itself if it has none.
    pub(super) fn short<'b>(&'b self, word: WordId, text: &'b str, length: usize) -> &'b str {
        let found = self.lengths.iter().find(|(other, _)| *other == length);
        let short = found.and_then(|(length, forms)| {
            let forms = forms.get_or_init(|| {
                let words = self.words.iter().map(|word| &**word);
                let words: Vec<(WordId, &str)> = (0..).zip(words).collect();
                shortened(&words, *length, &counts(&words), true)
            });
            forms.get(&word)
        });
        short.map_or(text, |short| short)
    }
}

/// Returns the shortest forms that distinguish the words: `…Strided…` and `…Combined…`.
pub(super) fn distinguished(words: &[(WordId, &str)]) -> HashMap<WordId, String> {
    shortened(words, LEAST, &counts(words), false)
}

/// Counts the words that contain each part.
fn counts<'a>(words: &[(WordId, &'a str)]) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::default();
    for part in words.iter().flat_map(|(_, word)| parts(word)) {
        *counts.entry(part).or_insert(0) += 1;
    }
    counts
}

/// Returns distinct short forms of the words longer than `length`. Where two would be equal, it
/// tries longer ones.
fn shortened(
    words: &[(WordId, &str)],
    length: usize,
    counts: &HashMap<&str, u32>,
    has_first: bool,
) -> HashMap<WordId, String> {
    const STEP: usize = 3;
    const STEPS: usize = 8;
    let mut found = HashMap::default();
    let mut rest = words.to_vec();
    for length in (length..).step_by(STEP).take(STEPS) {
        let mut forms: HashMap<String, Vec<(WordId, &str)>> = HashMap::default();
        for (id, word) in rest.drain(..) {
            if let Some(form) = short(word, length, counts, has_first) {
                forms.entry(form).or_default().push((id, word));
            }
        }
        for (form, same) in forms {
            match *same {
                [(id, _)] => {
                    found.insert(id, form);
                }
                _ => rest.extend(same),
            }
        }
    }
    found
}

/// Shortens a word to the parts that are rare in other words, and the first one if `has_first`:
/// `Two…Strided…` of `TwoOffsets_StridedIndexer`.
fn short(
    word: &str,
    length: usize,
    counts: &HashMap<&str, u32>,
    has_first: bool,
) -> Option<String> {
    if word.len() <= length.max(SHORT) {
        return None;
    }
    if word.len() > PARTS_MAX {
        let last = word.char_indices().rev().nth(length / 2)?.0;
        let first = word.char_indices().nth(length / 2)?.0;
        return Some(format!("{}…{}", word.get(..first)?, word.get(last..)?));
    }
    let parts: Vec<&str> = parts(word).collect();
    let mut rare: Vec<(u32, usize)> = Vec::new();
    for (part, at) in parts.iter().zip(0..) {
        let count = counts.get(part).copied().unwrap_or(0);
        rare.push((
            if at == 0 && has_first {
                0
            } else {
                count.max(1)
            },
            at,
        ));
    }
    sort::ascending(&mut rare);
    let mut is_kept = vec![false; parts.len()];
    let mut best = None;
    for (_, at) in rare.into_iter().take(PARTS_TRIED) {
        let Some(kept) = is_kept.get_mut(at) else {
            continue;
        };
        *kept = true;
        let text = joined(&parts, &is_kept);
        if best.is_none() || text.chars().count() <= length {
            best = Some(text);
        } else if let Some(kept) = is_kept.get_mut(at) {
            *kept = false;
        }
    }
    // For two characters less, the whole word is easier to read.
    best.filter(|short| short.chars().count() + 2 < word.chars().count())
}

/// Joins the kept parts of a word, with `…` in place of the others.
fn joined(parts: &[&str], is_kept: &[bool]) -> String {
    let mut text = String::new();
    for (part, is_kept) in parts.iter().zip(is_kept) {
        match is_kept {
            true => text.push_str(part),
            false if text.ends_with('…') => {}
            false => text.push('…'),
        }
    }
    text
}

/// Splits a word into parts: `Two`, `Offsets_`, `Strided`, `Indexer`.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    const LONGEST: usize = 16;
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut before = None;
        let mut length = 0;
        let is_end = |(at, c): (usize, char)| {
            let is_end = match before {
                Some('_') => c != '_',
                Some(b) => c.is_uppercase() && !b.is_uppercase(),
                None => false,
            };
            before = Some(c);
            length += 1;
            (is_end || length > LONGEST).then_some(at)
        };
        let end = rest.char_indices().find_map(is_end).unwrap_or(rest.len());
        let (part, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(part).filter(|part| !part.is_empty())
    })
}
