//! Which rows of a list, in which order: one query language for all lists.
//!
//! ```text
//! filter    = and { "or" and }
//! and       = not { [ "and" ] not }
//! not       = "not" not | "(" filter ")" | condition | text
//! condition = column sign value
//! sign      = ">" | ">=" | "<" | "<=" | "=" | "==" | "!="
//! ```
//!
//! * A *text* is a word, or several in quotation marks. A row has it if it is a part of the text
//!   in some of its cells, in any letter case: of a name (mangled, demangled or short), of words. A
//!   number in hex (`0x40`) is met by cells with exactly this number in hex, and the name of a
//!   yes-or-no column by rows that say yes.
//! * A *column* is called by its id (`spill_size`), its title (`SIMD`), or both lines of its title
//!   (`Spill, B/thread`), in any letter case, with blanks or underscores; the beginning is enough
//!   where only one column begins so.
//! * A *value* is a number (decimal, or in hex with `0x`), `yes`, `no`, `true`, `false`, or text.
//!   Text is compared with `=` and `!=`: all of it, as the file has it, demangled or short. Of several
//!   words `=` means that one of them is the text; the other signs compare how many they are.
//!   A cell that says nothing fulfils no condition but `!=`.
//! * `and`, `or`, `not` are these words in lower case; in quotes they are text, as everything is.
//! * Blanks around a sign and around parentheses may be left out. Without blanks, what is before
//!   a `<` or `>` is a part of a name unless it names a column or a number comes after it:
//!   `foo<int>`, `a->b`; so is an `operator==`. Parentheses within a word are a part of it:
//!   `add(int, int)`.
//!
//! What is meant as a condition and is none, and what does not end, is an error in words: a
//! filter never becomes a search for text unnoticed.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::change::{Allowed, ChangeCondition, Direction};
use super::{CellValue, Column, ColumnKind, Key, List, ListId, Presence};
use crate::model::text::distance;
use crate::model::{Sources, Span, Str, sort};

/// Which rows, in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// What a row must fulfil; see [`Filter`]. Empty: all rows.
    pub filter: String,
    /// The id of the column that sorts; the order of the file without.
    pub sort: Option<Str>,
    /// The largest first.
    pub descending: bool,
    /// With the rows that are shown only on demand: functions among kernels, instructions that are
    /// the same in both files.
    pub all: bool,
    /// What the list is of: the bytes of a text, of what has properties, of a section of code.
    pub of: Option<Span>,
    /// Of [`ListId::Images`]: the device that images are chosen for. Of [`ListId::Instructions`]:
    /// the encoding, or a device that has it; that of the file's device without.
    pub device: Option<Str>,
    /// Of [`ListId::Changes`]: the difference, by its place in [`ListId::Differences`].
    pub row: Option<u64>,
    /// Of [`ListId::Kernels`] of several images: what a row stands for, if not for one build.
    pub by: Option<GroupBy>,
}

/// What kernels are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupBy {
    /// The name: a row for each kernel, with all its builds.
    Kernel,
    /// The image.
    Image,
    /// The device.
    Device,
}

impl GroupBy {
    /// Every way to group.
    pub const ALL: [GroupBy; 3] = [GroupBy::Kernel, GroupBy::Image, GroupBy::Device];

    /// The way to group with a [name](GroupBy::name).
    pub fn named(name: &str) -> Option<GroupBy> {
        GroupBy::ALL.into_iter().find(|by| by.name() == name)
    }

    /// Its name: `kernel`.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Kernel => "kernel",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }

    /// The column of [`ListId::Kernels`] that is the same in a group.
    pub fn column(self) -> &'static str {
        match self {
            GroupBy::Kernel => "name",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }
}

impl Query {
    /// The rows that are asked for, in order. Rows that are alike keep the order of the list.
    ///
    /// # Errors
    ///
    /// When the filter is none, or there is no column to sort by; says so in words.
    pub fn run(&self, list: &dyn List, sources: &Sources) -> Result<Order, String> {
        let filter = Filter::parse(&self.filter, list.id())?;
        let columns = list.id().columns();
        let sort = match &self.sort {
            Some(id) => {
                let column = columns.iter().position(|column| column.id == id);
                Some(column.ok_or_else(|| format!("no column {id:?}"))?)
            }
            None => None,
        };
        let count = match self.all {
            true => list.count(),
            false => list.primary(),
        };
        if filter.is_empty() && sort.is_none() {
            return Ok(Order::All(count));
        }
        let rows = (0..count).filter(|row| filter.holds(list, *row, sources));
        let Some(column) = sort else {
            return Ok(Order::Rows(rows.collect()));
        };
        let keyed = rows.map(|row| (list.key(row, column, sources), row));
        let mut keyed: Vec<(Key<'_>, u32)> = keyed.collect();
        sort::by(&mut keyed, |(a, _), (b, _)| match self.descending {
            true => b.order(a),
            false => a.order(b),
        });
        Ok(Order::Rows(keyed.into_iter().map(|(_, row)| row).collect()))
    }
}

/// Rows in an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// The first so many, in the order of the list.
    All(u32),
    /// These.
    Rows(Vec<u32>),
}

impl Order {
    /// How many rows.
    pub fn count(&self) -> u32 {
        match self {
            Order::All(count) => *count,
            Order::Rows(rows) => u32::try_from(rows.len()).unwrap_or(u32::MAX),
        }
    }

    /// The row at a place.
    pub fn row(&self, place: u64) -> Option<u32> {
        let place = u32::try_from(place).ok()?;
        match self {
            Order::All(count) => (place < *count).then_some(place),
            Order::Rows(rows) => rows.get(usize::try_from(place).ok()?).copied(),
        }
    }

    /// The place of a row.
    pub fn place(&self, row: u32) -> Option<u64> {
        match self {
            Order::All(count) => (row < *count).then_some(row.into()),
            Order::Rows(rows) => {
                let place = rows.iter().position(|other| *other == row)?;
                Some(place as u64)
            }
        }
    }

    /// At most so many rows from a place on.
    pub fn from(&self, start: u64, count: u64) -> impl Iterator<Item = u32> {
        let end = u64::from(self.count()).min(start.saturating_add(count));
        (start..end).filter_map(|place| self.row(place))
    }
}

/// What a row must fulfil.
#[derive(Debug, Clone)]
pub struct Filter(Term);

/// A row of a list.
pub type At<'a> = (&'a dyn List, u32, &'a Sources);

#[derive(Debug, Clone)]
enum Term {
    All(Vec<Term>),
    Any(Vec<Term>),
    Not(Box<Term>),
    Text(Text),
    Condition(Condition),
    Change(ChangeCondition),
}

/// A part of the text in some cell.
#[derive(Debug, Clone)]
struct Text {
    /// As typed.
    typed: String,
    /// In lower case.
    part: String,
    /// The number, if it is one in hex.
    hex: Option<u64>,
    /// The columns whose cells may have it.
    columns: Vec<usize>,
}

#[derive(Debug, Clone)]
struct Condition {
    column: usize,
    sign: Sign,
    operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// Longer ones first: `>=` begins with `>`.
static SIGNS: [(&str, Sign); 7] = [
    (">=", Sign::GreaterOrEqual),
    ("<=", Sign::LessOrEqual),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    (">", Sign::Greater),
    ("<", Sign::Less),
    ("=", Sign::Equal),
];

#[derive(Debug, Clone)]
enum Operand {
    Int(i128),
    Real(f64),
    Text(String),
}

impl Filter {
    /// Reads a filter for a list.
    ///
    /// # Errors
    ///
    /// When it is none; says in words what is wrong with it.
    pub fn parse(text: &str, list: ListId) -> Result<Filter, String> {
        Filter::parsed(text, list, false)
    }

    /// The same with conditions about what a cell was before: `spill_size increased`,
    /// `code_size increased 10%`. They hold only in [`holds_since`](Self::holds_since).
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_changes(text: &str, list: ListId) -> Result<Filter, String> {
        Filter::parsed(text, list, true)
    }

    fn parsed(text: &str, list: ListId, takes_changes: bool) -> Result<Filter, String> {
        let mut parser = Parser {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            columns: list.columns(),
            takes_changes,
        };
        match parser.any() {
            _ if parser.tokens.is_empty() => Ok(Filter(Term::All(Vec::new()))),
            term => Ok(Filter(term?)),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(&self.0, Term::All(terms) if terms.is_empty())
    }

    /// Does a row fulfil it?
    pub fn holds(&self, list: &dyn List, row: u32, sources: &Sources) -> bool {
        self.0.holds((list, row, sources), None)
    }

    /// Does a row fulfil it, which was `before`? Nothing if it is new.
    pub fn holds_since(&self, now: At<'_>, before: Option<At<'_>>) -> bool {
        self.0.holds(now, before)
    }

    /// Whether a row, which was `before`, meets it, in three-valued logic: a comparison with a number
    /// that is missing from the row is unknown. Returns `None` if the result depends on such a number.
    pub fn judge(&self, now: At<'_>, before: Option<At<'_>>) -> Option<bool> {
        self.0.judge(now, before)
    }

    /// Whether it has conditions about what a cell was before.
    pub fn has_changes(&self) -> bool {
        self.0.has_changes()
    }

    /// The places of the columns that are compared.
    ///
    /// # Errors
    ///
    /// Returns a text if some of it is no condition.
    pub fn compared(&self) -> Result<Vec<usize>, String> {
        let mut columns = Vec::new();
        self.0.compared(&mut columns)?;
        Ok(columns)
    }
}

impl Term {
    fn holds(&self, now: At<'_>, before: Option<At<'_>>) -> bool {
        let (list, row, sources) = now;
        match self {
            Term::All(terms) => terms.iter().all(|term| term.holds(now, before)),
            Term::Any(terms) => terms.iter().any(|term| term.holds(now, before)),
            Term::Not(term) => !term.holds(now, before),
            Term::Text(text) => {
                let mut columns = text.columns.iter();
                columns.any(|column| text.is_in(&list.cell(row, *column, sources).value))
            }
            Term::Condition(condition) => {
                condition.holds(&list.cell(row, condition.column, sources).value)
            }
            Term::Change(change) => {
                let now = list.cell(row, change.column, sources).value;
                let before =
                    before.map(|(list, row, sources)| list.cell(row, change.column, sources).value);
                change.holds(&now, before.as_ref())
            }
        }
    }

    /// Kleene's logic: one false term decides a conjunction, one true term a disjunction.
    fn judge(&self, now: At<'_>, before: Option<At<'_>>) -> Option<bool> {
        let decided = |terms: &[Term], by: bool| {
            let mut outcome = Some(!by);
            for term in terms {
                match term.judge(now, before) {
                    Some(value) if value == by => return Some(by),
                    Some(_) => {}
                    None => outcome = None,
                }
            }
            outcome
        };
        let is_missing = |column: usize, (list, row, sources): At<'_>| {
            let columns = list.id().columns();
            let is_number = columns.get(column).map(|c| c.kind) == Some(ColumnKind::Number);
            is_number && list.cell(row, column, sources).value == CellValue::Empty
        };
        match self {
            Term::All(terms) => decided(terms, false),
            Term::Any(terms) => decided(terms, true),
            Term::Not(term) => term.judge(now, before).map(|holds| !holds),
            Term::Condition(Condition { column, sign, .. }) if is_missing(*column, now) => {
                (*sign == Sign::NotEqual).then_some(true)
            }
            Term::Change(change)
                if is_missing(change.column, now)
                    || before.is_some_and(|before| is_missing(change.column, before)) =>
            {
                None
            }
            term => Some(term.holds(now, before)),
        }
    }

    fn has_changes(&self) -> bool {
        match self {
            Term::All(terms) | Term::Any(terms) => terms.iter().any(Term::has_changes),
            Term::Not(term) => term.has_changes(),
            Term::Text(_) | Term::Condition(_) => false,
            Term::Change(_) => true,
        }
    }

    fn compared(&self, columns: &mut Vec<usize>) -> Result<(), String> {
        match self {
            Term::All(terms) | Term::Any(terms) => {
                terms.iter().try_for_each(|term| term.compared(columns))
            }
            Term::Not(term) => term.compared(columns),
            Term::Text(text) => Err(text.typed.clone()),
            Term::Condition(condition) => {
                columns.push(condition.column);
                Ok(())
            }
            Term::Change(change) => {
                columns.push(change.column);
                Ok(())
            }
        }
    }
}

impl Text {
    fn new(typed: &str, columns: &[Column]) -> Text {
        let part = typed.to_lowercase();
        let hex = part.strip_prefix("0x");
        let hex = hex.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let may_have = |column: &Column| match column.kind {
            // It has no number in hex, and is only known where it is asked for.
            _ if column.presence == Presence::Counted => false,
            ColumnKind::Text | ColumnKind::Words => true,
            ColumnKind::Number => hex.is_some(),
            ColumnKind::Bool => column.id.contains(&part),
            ColumnKind::Bytes => false,
        };
        let all = columns.iter().enumerate();
        let columns = all.filter(|(_, column)| may_have(column));
        Text {
            columns: columns.map(|(place, _)| place).collect(),
            typed: typed.to_owned(),
            part,
            hex,
        }
    }

    fn is_in(&self, value: &CellValue<'_>) -> bool {
        let has = |text: &str| contains(text, &self.part);
        match value {
            CellValue::Text(text) => has(text),
            CellValue::Name { .. } => value.names().any(has),
            CellValue::Words(words) => words.iter().any(|word| has(word)),
            CellValue::Ints(_) => has(&value.text()),
            CellValue::Hex(number) => self.hex == Some(*number),
            CellValue::Bool(yes) => *yes,
            _ => false,
        }
    }
}

impl Condition {
    fn holds(&self, value: &CellValue<'_>) -> bool {
        // One of the builds is enough.
        if let CellValue::Several(numbers) = value {
            let mut numbers = numbers.iter().copied().map(CellValue::Real);
            return numbers.any(|number| self.holds(&number));
        }
        let order = match &self.operand {
            Operand::Int(number) => match value {
                CellValue::Words(words) => Some((words.len() as i128).cmp(number)),
                CellValue::Real(value) => value.partial_cmp(&real(*number)),
                value => value.int().map(|value| value.cmp(number)),
            },
            Operand::Real(number) => {
                let value = match value {
                    CellValue::Words(words) => Some(real(words.len() as i128)),
                    value => value.number(),
                };
                value.and_then(|value| value.partial_cmp(number))
            }
            Operand::Text(text) => {
                let is = match value {
                    CellValue::Empty => false,
                    CellValue::Name { .. } => value.names().any(|name| name == text),
                    CellValue::Words(words) => words.iter().any(|word| word == text),
                    value => value.text() == *text,
                };
                return is == (self.sign == Sign::Equal);
            }
        };
        let Some(order) = order else {
            return self.sign == Sign::NotEqual;
        };
        match self.sign {
            Sign::Greater => order == Ordering::Greater,
            Sign::GreaterOrEqual => order != Ordering::Less,
            Sign::Less => order == Ordering::Less,
            Sign::LessOrEqual => order != Ordering::Greater,
            Sign::Equal => order == Ordering::Equal,
            Sign::NotEqual => order != Ordering::Equal,
        }
    }
}

/// Does a text have a part, which is in lower case, in any letter case?
fn contains(text: &str, part: &str) -> bool {
    let bytes = part.as_bytes();
    let Some(first) = bytes.first().filter(|_| part.is_ascii()) else {
        return text.to_lowercase().contains(part);
    };
    // Most filters are ASCII: no copy is made of half a million names.
    let starts = text.bytes().enumerate();
    let starts = starts.filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
    let mut parts = starts.map(|(at, _)| text.as_bytes().get(at..at + bytes.len()));
    parts.any(|part| part.is_some_and(|part| part.eq_ignore_ascii_case(bytes)))
}

// Exact below 2^53, and it is compared with a fraction.
#[allow(clippy::cast_precision_loss)]
fn real(number: i128) -> f64 {
    number as f64
}

/// A piece of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Open,
    Close,
    And,
    Or,
    Not,
    /// In quotation marks.
    Quoted(&'t str),
    /// A word that may be a condition, or a part of one.
    Word(&'t str),
}

/// Takes a filter apart. A parenthesis at the beginning of a word, or behind `and`, `or` and
/// `not`, opens a group; others are a part of the word, and so are those that close them.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
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

/// How many bytes the word has that `rest` begins with; `within` are the parentheses that are
/// open in words.
fn word(rest: &str, within: &mut u32) -> usize {
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

/// What is before the first sign in a word, the sign, and what is after it.
fn split(word: &str) -> Option<(&str, &'static str, Sign, &str)> {
    let starts = word.char_indices().map(|(at, _)| at);
    starts
        .filter_map(|at| word.split_at_checked(at))
        .find_map(|(left, rest)| {
            let found = SIGNS.iter().find(|(text, _)| rest.starts_with(text));
            let (text, sign) =
                found.filter(|(text, _)| !(left.ends_with('-') && text.starts_with('>')))?;
            Some((left, *text, *sign, rest.get(text.len()..)?))
        })
}

/// The title of a column has at most so many words.
const TITLE_WORDS: usize = 6;

/// So many of the columns that may be meant are named.
const NAMED: usize = 3;

/// Parentheses and `not` within each other.
const DEPTH: u32 = 100;

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u32,
    columns: &'static [Column],
    takes_changes: bool,
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

    fn any(&mut self) -> Result<Term, String> {
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
            Token::Quoted(text) => Term::Text(Text::new(text, self.columns)),
            Token::Word(word) => {
                self.at -= 1;
                if let Some(change) = self.change()? {
                    Term::Change(change)
                } else if let Some(condition) = self.condition()? {
                    Term::Condition(condition)
                } else {
                    self.at += 1;
                    Term::Text(Text::new(word, self.columns))
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
    /// The condition about what a cell was before that begins here; `None` if there is none.
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

    /// The condition that begins here; `None` if there is none, and the word is text.
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
            // The longest name that ends before the sign, and where it starts.
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

    fn compare(&self, column: usize, sign: Sign, operand: &str) -> Result<Condition, String> {
        let Some(Column { id, kind, .. }) = self.columns.get(column) else {
            return Err("no such column".to_owned());
        };
        let equality = matches!(sign, Sign::Equal | Sign::NotEqual);
        let text = || Operand::Text(operand.to_owned());
        let operand = match (kind, operand) {
            (ColumnKind::Bool, "yes" | "true") => Operand::Int(1),
            (ColumnKind::Bool, "no" | "false") => Operand::Int(0),
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

    /// Returns the first of several columns with one title, if it is shown by default: `spill>0` is
    /// about the spill size.
    fn first_of_title(&self, columns: &[usize]) -> Option<usize> {
        let first = *columns.first()?;
        let column = self.columns.get(first)?;
        (column.presence == Presence::Default).then_some(first)
    }

    fn unknown(&self, name: &str, sign: &str) -> String {
        if name.is_empty() {
            return format!("missing column before {sign}");
        }
        let plain = plain(name);
        let near = self.columns.iter().filter_map(|column| {
            let apart = distance(plain.as_bytes(), column.id.as_bytes());
            let contains = plain.len() > 2 && column.id.contains(&plain);
            (contains || (apart <= 2 && 2 * apart < plain.len())).then_some((apart, column.id))
        });
        match near.min() {
            Some((_, id)) => format!("no column {name:?}; did you mean {id}?"),
            None => format!("no column {name:?}; put text with < > = in quotes"),
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

/// `Req. sub-group` as `req._sub-group`.
fn plain(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join("_").replace(',', "").to_lowercase()
}

/// The columns that are called so: by their id, or else by their title.
fn called(columns: &[Column], name: &str) -> Vec<usize> {
    let name = plain(name);
    let places = |is: &dyn Fn(&Column) -> bool| -> Vec<usize> {
        let all = columns.iter().enumerate();
        let which = all.filter(|(_, column)| is(column));
        which.map(|(place, _)| place).collect()
    };
    match places(&|column| column.id == name) {
        none if none.is_empty() => {
            places(&|column| plain(column.title) == name || plain(&column.header()) == name)
        }
        by_id => by_id,
    }
}

/// The columns whose id or title begins so.
fn beginning(columns: &[Column], name: &str) -> Vec<usize> {
    let name = plain(name);
    let begins = |column: &Column| {
        column.id.starts_with(&name) || plain(&column.header()).starts_with(&name)
    };
    let all = columns.iter().enumerate();
    let which = all.filter(|(_, column)| begins(column));
    which.map(|(place, _)| place).collect()
}

/// `31`, `0x1f`, `-1`, `0.5`.
fn number(text: &str) -> Option<Operand> {
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

#[cfg(test)]
mod tests;
