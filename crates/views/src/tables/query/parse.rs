//! The parser for filters.

use super::super::change::{Allowed, ChangeCondition, Direction};
use super::super::{Column, ColumnKind, Presence};
use super::filter::{
    Comparison, Condition, DEVICE_COLUMNS, DeviceName, OPERATORS, Operand, Term, Text,
};
use zeview_core::model::suggest::{nearest, unknown_name};

/// A token of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Open,
    Close,
    And,
    Or,
    Not,
    /// In quotation marks.
    Quoted(&'t str),
    /// A word, which may be a condition or a part of one.
    Word(&'t str),
}

/// Splits a filter into tokens. A parenthesis at the beginning of a word, or after `and`, `or` and
/// `not`, opens a group; others, and those that close them, are part of the word.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let (mut groups, mut within) = (0u32, 0u32);
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '(' => {
                groups += 1;
                tokens.push(Token::Open);
                1
            }
            ')' if within == 0 => {
                groups = groups
                    .checked_sub(1)
                    .ok_or("unmatched ); put text with parentheses in quotes")?;
                tokens.push(Token::Close);
                1
            }
            '"' => {
                let inner = rest.get(1..).unwrap_or("");
                let (quoted, _) = inner.split_once('"').ok_or("unclosed quotation mark")?;
                tokens.push(Token::Quoted(quoted));
                quoted.len() + 2
            }
            _ => {
                let len = word(rest, &mut within);
                let word = rest.get(..len).unwrap_or(rest);
                tokens.push(match word {
                    "and" => Token::And,
                    "or" => Token::Or,
                    "not" => Token::Not,
                    word => Token::Word(word),
                });
                len
            }
        };
        rest = rest.get(len..).unwrap_or("").trim_start();
    }
    match groups {
        0 => Ok(tokens),
        _ => Err("unclosed parenthesis".to_owned()),
    }
}

/// Returns the length, in bytes, of the word at the start of `rest`; `within` counts the
/// parentheses that are open in words.
pub(super) fn word(rest: &str, within: &mut u32) -> usize {
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        match c {
            c if c.is_whitespace() => return at,
            '"' if is_sign(before) => return at,
            '(' if matches!(rest.get(..at), Some("and" | "or" | "not")) => return at,
            '(' => *within += 1,
            ')' if *within == 0 => return at,
            ')' => *within -= 1,
            _ => {}
        }
        before = c;
    }
    rest.len()
}

fn is_sign(c: char) -> bool {
    matches!(c, '<' | '>' | '=')
}

/// Splits a word at its first operator.
fn split(word: &str) -> Option<(&str, &'static str, Comparison, &str)> {
    let starts = word.char_indices().map(|(at, _)| at);
    starts
        .filter_map(|at| word.split_at_checked(at))
        .find_map(|(left, rest)| {
            // The `>` of `->` is a part of a name: `a->b`.
            let found = OPERATORS.iter().find(|(text, _)| rest.starts_with(text));
            let (text, sign) =
                found.filter(|(text, _)| !(left.ends_with('-') && text.starts_with('>')))?;
            Some((left, *text, *sign, rest.get(text.len()..)?))
        })
}

/// Maximum number of words of a column title.
const TITLE_WORDS: usize = 6;

/// Maximum number of columns suggested in a message.
const NAMED: usize = 3;

/// Maximum nesting of parentheses and `not`.
const DEPTH: u32 = 100;

pub(super) struct Parser<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) at: usize,
    pub(super) depth: u32,
    pub(super) columns: &'static [Column],
    /// The columns that text is searched in.
    pub(super) searched: fn(&Column) -> bool,
    pub(super) takes_changes: bool,
    /// Whether values may be variables: `?a`.
    pub(super) takes_variables: bool,
}

impl<'t> Parser<'t> {
    fn peek(&self, ahead: usize) -> Option<Token<'t>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        let is = self.peek(0) == Some(token);
        self.at += usize::from(is);
        is
    }

    /// Parses all tokens; none match all rows.
    pub(super) fn whole(&mut self) -> Result<Term, String> {
        match self.any() {
            _ if self.tokens.is_empty() => Ok(Term::All(Vec::new())),
            term => term,
        }
    }

    pub(super) fn any(&mut self) -> Result<Term, String> {
        let mut terms = vec![self.all()?];
        while self.take(Token::Or) {
            terms.push(self.all()?);
        }
        Ok(one_or(terms, Term::Any))
    }

    fn all(&mut self) -> Result<Term, String> {
        let mut terms = vec![self.not()?];
        while self.take(Token::And)
            || !matches!(self.peek(0), None | Some(Token::Or | Token::Close))
        {
            terms.push(self.not()?);
        }
        Ok(one_or(terms, Term::All))
    }

    fn not(&mut self) -> Result<Term, String> {
        let missing = |what: &str| {
            Err(format!(
                "{what}; put the words and, or, not in quotes to search for them"
            ))
        };
        let Some(token) = self.peek(0) else {
            return missing("missing operand at the end");
        };
        if self.depth >= DEPTH {
            return Err("parentheses nested too deeply".to_owned());
        }
        self.at += 1;
        self.depth += 1;
        let term = match token {
            Token::Not => Term::Not(Box::new(self.not()?)),
            Token::Open => {
                let term = self.any()?;
                self.take(Token::Close);
                term
            }
            Token::Close => return Err("missing operand before )".to_owned()),
            Token::And => return missing("missing operand before \"and\""),
            Token::Or => return missing("missing operand before \"or\""),
            Token::Quoted(text) => Term::Text(Text::new(text, self.columns, self.searched)),
            Token::Word(word) => {
                self.at -= 1;
                if let Some(change) = self.change()? {
                    Term::Change(change)
                } else if let Some(condition) = self.condition()? {
                    Term::Condition(condition)
                } else {
                    self.at += 1;
                    Term::Text(Text::new(word, self.columns, self.searched))
                }
            }
        };
        self.depth -= 1;
        Ok(term)
    }
}

fn one_or(mut terms: Vec<Term>, many: fn(Vec<Term>) -> Term) -> Term {
    match terms.pop() {
        Some(only) if terms.is_empty() => only,
        last => {
            terms.extend(last);
            many(terms)
        }
    }
}

impl Parser<'_> {
    /// Parses a condition on a change; `None` if there is none here.
    fn change(&mut self) -> Result<Option<ChangeCondition>, String> {
        if !self.takes_changes {
            return Ok(None);
        }
        let mut name: Vec<&str> = Vec::new();
        for ahead in 0..=TITLE_WORDS {
            let Some(Token::Word(word)) = self.peek(ahead) else {
                return Ok(None);
            };
            let Some(direction) = Direction::of(word).filter(|_| ahead > 0) else {
                name.push(word);
                continue;
            };
            let name = name.join(" ");
            let columns = match called(self.columns, &name) {
                none if none.is_empty() => beginning(self.columns, &name),
                columns => columns,
            };
            let column = match columns.as_slice() {
                [column] => *column,
                [] => return Err(self.unknown(&name, word)),
                columns => return Err(self.ambiguous(&name, columns)),
            };
            let allowed = match self.peek(ahead + 1) {
                Some(Token::Word(word)) => Allowed::of(word),
                _ => None,
            };
            self.at += ahead + 1 + usize::from(allowed.is_some());
            return Ok(Some(ChangeCondition {
                column,
                direction,
                allowed: allowed.unwrap_or(Allowed::Number(0.0)),
            }));
        }
        Ok(None)
    }

    /// Parses a condition; `None` if the word is text.
    fn condition(&mut self) -> Result<Option<Condition>, String> {
        let mut before: Vec<&str> = Vec::new();
        for ahead in 0..=TITLE_WORDS {
            let Some(Token::Word(word)) = self.peek(ahead) else {
                return Ok(None);
            };
            let Some((left, text, sign, right)) = split(word) else {
                before.push(word);
                continue;
            };
            before.extend(Some(left).filter(|left| !left.is_empty()));
            let (operand, taken) = match (right, self.peek(ahead + 1)) {
                ("", Some(Token::Quoted(text) | Token::Word(text))) => (Some(text), ahead + 2),
                ("", _) => (None, ahead + 1),
                (right, _) => (Some(right), ahead + 1),
            };
            // The longest column name that ends before the operator, and its start.
            let named = |columns: fn(&[Column], &str) -> Vec<usize>| {
                let names = (0..before.len()).filter_map(|start| {
                    Some((
                        start,
                        columns(self.columns, &before.get(start..)?.join(" ")),
                    ))
                });
                names.into_iter().find(|(_, columns)| !columns.is_empty())
            };
            let exact = named(called);
            let near = before.last().copied().unwrap_or("");
            let is_operator = !left.is_empty() && near.ends_with("operator");
            let looks_like = word == text
                || text.contains('=')
                || operand.is_some_and(|operand| number(operand).is_some());
            if exact.is_none() && (is_operator || !looks_like) {
                return Ok(None);
            }
            let Some((start, columns)) = exact.clone().or_else(|| named(beginning)) else {
                return Err(self.unknown(near, text));
            };
            if start > 0 {
                return Ok(None);
            }
            let column = match columns.as_slice() {
                [column] => *column,
                columns => match self.first_of_title(columns).filter(|_| exact.is_some()) {
                    Some(column) => column,
                    None => return Err(self.ambiguous(&before.join(" "), columns)),
                },
            };
            let operand = operand.ok_or_else(|| format!("missing value after {text}"))?;
            self.at += taken;
            return self.compare(column, sign, operand).map(Some);
        }
        Ok(None)
    }

    fn compare(&self, column: usize, sign: Comparison, operand: &str) -> Result<Condition, String> {
        let Some(Column { id, kind, .. }) = self.columns.get(column) else {
            return Err("no such column".to_owned());
        };
        let equality = matches!(sign, Comparison::Equal | Comparison::NotEqual);
        let text = || Operand::Text(operand.to_owned());
        let operand = match (kind, operand) {
            (ColumnKind::Bool, "yes" | "true") => Operand::Int(1),
            (ColumnKind::Bool, "no" | "false") => Operand::Int(0),
            (ColumnKind::Text | ColumnKind::Words, typed)
                if self.takes_variables && is_variable(typed) =>
            {
                if sign != Comparison::Equal {
                    return Err(format!("compare {typed} with ="));
                }
                Operand::Variable(typed.trim_start_matches('?').to_owned())
            }
            (ColumnKind::Text | ColumnKind::Words, typed)
                if equality && DEVICE_COLUMNS.contains(id) =>
            {
                Operand::Device(DeviceName::new(typed))
            }
            (ColumnKind::Text | ColumnKind::Words, _) if equality => text(),
            (ColumnKind::Number | ColumnKind::Bool | ColumnKind::Words, operand) => {
                number(operand).ok_or_else(|| format!("{id} requires a number, not {operand:?}"))?
            }
            (ColumnKind::Text, _) => {
                return Err(format!("{id} is text: use = or !="));
            }
            (ColumnKind::Bytes, _) => return Err(format!("{id} cannot be compared")),
        };
        Ok(Condition {
            column,
            sign,
            operand,
        })
    }

    /// Returns the first of several columns with the same title, if it is visible by default:
    /// `spill>0` refers to the spill size.
    fn first_of_title(&self, columns: &[usize]) -> Option<usize> {
        let first = *columns.first()?;
        let column = self.columns.get(first)?;
        (column.presence == Presence::Default).then_some(first)
    }

    fn unknown(&self, name: &str, sign: &str) -> String {
        if name.is_empty() {
            return format!("missing column before {sign}");
        }
        let near = nearest(&plain(name), self.columns.iter().map(|column| column.id));
        let message = unknown_name("column", name, near.as_slice());
        match near {
            Some(_) => message,
            None => format!("{message}; put text with < > = in quotes"),
        }
    }

    fn ambiguous(&self, name: &str, columns: &[usize]) -> String {
        let ids = columns.iter().filter_map(|at| self.columns.get(*at));
        let mut ids: Vec<&str> = ids.map(|column| column.id).collect();
        if ids.len() > NAMED {
            ids.truncate(NAMED);
            ids.push("another");
        }
        format!("{name:?} is ambiguous: {}", ids.join(" or "))
    }
}

/// Normalizes a title: `Req. sub-group` becomes `req._sub-group`.
fn plain(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join("_").replace(',', "").to_lowercase()
}

/// Returns the columns with this id, or else with this title.
fn called(columns: &[Column], name: &str) -> Vec<usize> {
    let name = plain(name);
    let places = |is: &dyn Fn(&Column) -> bool| -> Vec<usize> {
        let all = columns.iter().enumerate();
        let which = all.filter(|(_, column)| is(column));
        which.map(|(place, _)| place).collect()
    };
    match places(&|column| plain(column.id) == name) {
        none if none.is_empty() => {
            places(&|column| plain(column.title) == name || plain(&column.header()) == name)
        }
        by_id => by_id,
    }
}

/// Returns the columns whose id or title has this prefix.
fn beginning(columns: &[Column], name: &str) -> Vec<usize> {
    let name = plain(name);
    let begins = |column: &Column| {
        plain(column.id).starts_with(&name) || plain(&column.header()).starts_with(&name)
    };
    let all = columns.iter().enumerate();
    let which = all.filter(|(_, column)| begins(column));
    which.map(|(place, _)| place).collect()
}

/// Whether a value is a variable: `?a`.
fn is_variable(typed: &str) -> bool {
    let name = typed.strip_prefix('?');
    name.is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Parses a number: `31`, `0x1f`, `-1`, `0.5`.
pub(super) fn number(text: &str) -> Option<Operand> {
    if let Some(digits) = text.strip_prefix("0x") {
        let number = u64::from_str_radix(digits, 16).ok()?;
        return Some(Operand::Int(number.into()));
    }
    if let Ok(number) = text.parse() {
        return Some(Operand::Int(number));
    }
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(Operand::Real(number))
}
