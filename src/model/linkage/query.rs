//! Which relocations or symbols, in which order.

use serde::{Deserialize, Serialize};

use super::Tables;
use super::list::{Key, Kind, ListId, Value};
use crate::model::sort;
use crate::model::span::Span;
use crate::model::value::Str;

/// Which rows, in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// The column that sorts, by its name; the order of the file without.
    pub sort: Option<Str>,
    /// The largest first.
    pub descending: bool,
    /// Words that must all be met: a part of any text in the row, or a condition
    /// (`size>0`, `section==.text.vecadd`).
    pub filter: String,
    /// The bytes of the text, for its lines.
    pub text: Option<Span>,
}

impl Query {
    /// The rows that are asked for, in order. Rows that are alike keep the order of the file.
    ///
    /// # Errors
    ///
    /// When there is no column of that name; says so in words.
    pub fn run(&self, tables: &Tables, list: ListId) -> Result<Vec<u32>, String> {
        let words: Vec<Word> = self
            .filter
            .split_whitespace()
            .map(|w| Word::parse(list, w))
            .collect();
        let holds = |at: &u32| words.iter().all(|word| word.holds(tables, list, *at));
        let found: Vec<u32> = tables.all(list).filter(holds).collect();
        let Some(id) = self.sort.as_deref() else {
            return Ok(found);
        };
        if !list.all().iter().any(|column| column.id == id) {
            return Err(format!("there is no column {id}"));
        }
        let key = |at: u32| (tables.value(list, at, id).0.key(), at);
        let mut keyed: Vec<(Key<'_>, u32)> = found.into_iter().map(key).collect();
        sort::by(&mut keyed, |(a, _), (b, _)| match self.descending {
            true => b.cmp(a),
            false => a.cmp(b),
        });
        Ok(keyed.into_iter().map(|(_, at)| at).collect())
    }

    /// What is wrong with the filter: a word that looks like a condition and is none.
    pub fn trouble(&self, list: ListId) -> Option<String> {
        let mut words = self.filter.split_whitespace();
        words.find_map(|word| condition(list, word)?.err())
    }
}

/// A condition's two sides, and the sign between them.
fn split(word: &str) -> Option<(&str, &'static str, &str)> {
    let at = word.find(['>', '<', '=', '!'])?;
    let (left, rest) = word.split_at_checked(at)?;
    let signs = [">=", "<=", "==", "!=", ">", "<"];
    let parts = |sign: &'static str| Some((left, sign, rest.strip_prefix(sign)?));
    signs.into_iter().find_map(parts)
}

/// `0x1f`, `31`, `-1`.
fn number(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(Into::into),
        None if text.starts_with('-') => text.parse::<i64>().ok().map(Into::into),
        None => text.parse::<u64>().ok().map(Into::into),
    }
}

enum Word {
    /// A part of a text, in lower case.
    Part(String),
    /// A column, a sign, a number.
    Number(&'static str, &'static str, i128),
    /// A column, whether it is that text or not, the text.
    Text(&'static str, bool, String),
}

/// A condition, if a word looks like one; or what is wrong with it.
fn condition(list: ListId, word: &str) -> Option<Result<Word, String>> {
    let (left, sign, right) = split(word)?;
    let equals = matches!(sign, "==" | "!=");
    let Some(column) = list.all().iter().find(|column| column.id == left) else {
        // `operator<`, `foo<int>` and `a->b` are parts of names.
        return equals.then(|| Err(format!("there is no column {left:?} in {word:?}")));
    };
    Some(match (column.kind, number(right)) {
        (Kind::Number, Some(number)) => Ok(Word::Number(column.id, sign, number)),
        (Kind::Number, None) => Err(format!("{right:?} in {word:?} is no number")),
        _ if equals => Ok(Word::Text(column.id, sign == "==", right.to_owned())),
        _ => Err(format!(
            "{left} is text: it can only be compared by == and !="
        )),
    })
}

impl Word {
    fn parse(list: ListId, word: &str) -> Word {
        match condition(list, word) {
            Some(Ok(condition)) => condition,
            _ => Word::Part(word.to_lowercase()),
        }
    }

    fn holds(&self, tables: &Tables, list: ListId, at: u32) -> bool {
        match self {
            Word::Part(part) => {
                let has = |text: &str| text.to_lowercase().contains(part.as_str());
                list.columns()
                    .iter()
                    .any(|column| match tables.value(list, at, column.id).0 {
                        Value::Text(text) => has(&text),
                        Value::Name(name, title) => has(name) || (name != title && has(title)),
                        Value::Hex(number) => format!("{number:#x}") == *part,
                        _ => false,
                    })
            }
            Word::Number(id, sign, number) => {
                let Key::Number(value) = tables.value(list, at, id).0.key() else {
                    return *sign == "!=";
                };
                match *sign {
                    ">" => value > *number,
                    ">=" => value >= *number,
                    "<" => value < *number,
                    "<=" => value <= *number,
                    "==" => value == *number,
                    _ => value != *number,
                }
            }
            Word::Text(id, equal, text) => {
                let is = match tables.value(list, at, id).0 {
                    Value::Text(other) => other == text.as_str(),
                    Value::Name(name, title) => name == text || title == text,
                    _ => false,
                };
                is == *equal
            }
        }
    }
}
