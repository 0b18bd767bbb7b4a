//! Evaluation of filters.

use super::super::change::ChangeCondition;
use super::super::{CellValue, Column, ColumnKind, List, ListId, Presence};
use super::parse::{Parser, tokens};
use std::cmp::Ordering;
use std::sync::OnceLock;
use zeview_core::model::{Sources, Str};

/// A condition on rows.
#[derive(Debug, Clone)]
pub struct Filter(pub(super) Term);

/// A row of a list.
pub type RowRef<'a> = (&'a dyn List, u32, &'a Sources);

#[derive(Debug, Clone)]
pub(super) enum Term {
    All(Vec<Term>),
    Any(Vec<Term>),
    Not(Box<Term>),
    Text(Text),
    Condition(Condition),
    Change(ChangeCondition),
}

/// Text that some cell must contain.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// As typed.
    pub(super) typed: String,
    /// The text in lower case.
    pub(super) part: String,
    /// The number, if it is hexadecimal.
    pub(super) hex: Option<u64>,
    /// The indices of the columns to search.
    pub(super) columns: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) column: usize,
    pub(super) sign: Comparison,
    pub(super) operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// Longer ones first: `>=` begins with `>`.
pub(super) static OPERATORS: [(&str, Comparison); 7] = [
    (">=", Comparison::GreaterOrEqual),
    ("<=", Comparison::LessOrEqual),
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
    ("=", Comparison::Equal),
];

#[derive(Debug, Clone)]
pub(super) enum Operand {
    Int(i128),
    Real(f64),
    Text(String),
    /// A device by any of its names.
    Device(DeviceName),
    /// A value that is the same in several steps, by its name: `?a`.
    Variable(String),
}

/// A name of a device, as typed, and the device's own name: `bmg-g21` for `B580`.
#[derive(Debug, Clone)]
pub(super) struct DeviceName {
    pub(super) typed: String,
    own: OnceLock<Option<Str>>,
}

impl DeviceName {
    pub(super) fn new(typed: &str) -> DeviceName {
        DeviceName {
            typed: typed.to_owned(),
            own: OnceLock::new(),
        }
    }

    /// Whether a cell has the device. The device's own name is looked up once: all rows are compared.
    fn is(&self, value: &CellValue<'_>, sources: &Sources) -> bool {
        let own = self.own.get_or_init(|| sources.device_named(&self.typed));
        let is = |cell: &str| {
            cell.eq_ignore_ascii_case(&self.typed) || own.as_deref().is_some_and(|own| own == cell)
        };
        match value {
            CellValue::Words(words) => words.iter().any(|word| is(word)),
            value => is(&value.text()),
        }
    }
}

/// The columns with names of devices.
pub(super) const DEVICE_COLUMNS: [&str; 3] = ["device", "devices", "missing"];

impl Filter {
    /// Parses a filter for a list.
    ///
    /// # Errors
    ///
    /// If it is malformed: a message about the first error.
    pub fn parse(text: &str, list: ListId) -> Result<Filter, String> {
        Filter::parsed(text, list, false)
    }

    /// Parses a filter that may have conditions on changes: `spill_size increased`, `code_size
    /// increased 10%`. Only [`matches_since`](Self::matches_since) evaluates them.
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
            searched: |_| true,
            takes_changes,
            takes_variables: false,
        };
        let mut term = parser.whole()?;
        term.put_code_last(list.columns());
        Ok(Filter(term))
    }

    /// Whether its value may need the code of a kernel.
    pub(super) fn needs_code(&self, columns: &[Column]) -> bool {
        self.0.needs_code(columns)
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.0, Term::All(terms) if terms.is_empty())
    }

    /// Whether a row matches.
    pub fn matches(&self, list: &dyn List, row: u32, sources: &Sources) -> bool {
        let now = (list, row, sources);
        self.0.decide(&|term| term.decide_known(now)) == Some(true)
    }

    /// Whether a row matches, given its earlier version; `None` if it is new.
    pub fn matches_since(&self, now: RowRef<'_>, before: Option<RowRef<'_>>) -> bool {
        self.0.matches(now, before)
    }

    /// Whether a row, given its earlier version, matches, in three-valued logic. Returns `None` if
    /// the result depends on a number that is missing from the row.
    pub fn judge(&self, now: RowRef<'_>, before: Option<RowRef<'_>>) -> Option<bool> {
        self.0.judge(now, before)
    }

    /// Whether it depends on an unknown number if a row matches. If so, the row does not match.
    pub fn is_undecided(&self, now: RowRef<'_>) -> bool {
        self.0.decide(&|term| term.decide_known(now)).is_none()
    }

    /// Whether a row matches, if the columns that do not need code decide this.
    pub fn decide_without_code(&self, now: RowRef<'_>) -> Option<bool> {
        let columns = now.0.id().columns();
        self.0.decide(&|term| {
            if term.needs_code(columns) {
                None
            } else {
                term.decide_known(now)
            }
        })
    }

    /// Whether it has conditions on changes.
    pub fn has_changes(&self) -> bool {
        self.0.has_changes()
    }

    /// Returns the names of devices that it compares with, as typed.
    pub fn devices(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.0.devices(&mut found);
        found
    }

    /// Returns the indices of the columns that are compared.
    ///
    /// # Errors
    ///
    /// The text, if the filter contains a plain text term.
    pub fn compared(&self) -> Result<Vec<usize>, String> {
        let mut columns = Vec::new();
        self.0.compared(&mut columns)?;
        Ok(columns)
    }
}

/// What queries of code need beside lists: to decide a filter in parts, those first that cost least.
impl Filter {
    /// Replaces the conditions that the columns with `has` decide for a row by their values.
    pub(crate) fn resolve(&self, now: RowRef<'_>, has: &dyn Fn(usize) -> bool) -> Filter {
        Filter(self.0.resolve(now, has))
    }

    /// Returns its value, if it does not depend on a row.
    pub(crate) fn constant(&self) -> Option<bool> {
        match &self.0 {
            Term::All(terms) if terms.is_empty() => Some(true),
            Term::Any(terms) if terms.is_empty() => Some(false),
            _ => None,
        }
    }

    /// Whether a row matches; `None` if that depends on an unknown number.
    pub(crate) fn decide(&self, now: RowRef<'_>) -> Option<bool> {
        self.0.decide(&|term| term.decide_known(now))
    }

    /// Whether it depends on one of these columns.
    pub(crate) fn needs(&self, is: &dyn Fn(usize) -> bool) -> bool {
        self.0.needs(is)
    }

    /// Moves the terms that depend on one of these columns behind the others.
    pub(crate) fn put_last(&mut self, is: &dyn Fn(usize) -> bool) {
        self.0.put_last(is);
    }
}

impl Term {
    fn constant(value: bool) -> Term {
        if value {
            Term::All(Vec::new())
        } else {
            Term::Any(Vec::new())
        }
    }

    fn resolve(&self, now: RowRef<'_>, has: &dyn Fn(usize) -> bool) -> Term {
        let several = |terms: &[Term], by: bool| {
            let mut left = Vec::new();
            for term in terms {
                let term = Filter(term.resolve(now, has));
                match term.constant() {
                    Some(value) if value == by => return Term::constant(by),
                    Some(_) => {}
                    None => left.push(term.0),
                }
            }
            match (left.pop(), by) {
                (Some(only), _) if left.is_empty() => only,
                (last, by) => {
                    left.extend(last);
                    if by { Term::Any(left) } else { Term::All(left) }
                }
            }
        };
        match self {
            Term::All(terms) => several(terms, false),
            Term::Any(terms) => several(terms, true),
            Term::Not(term) => {
                let term = Filter(term.resolve(now, has));
                match term.constant() {
                    Some(value) => Term::constant(!value),
                    None => Term::Not(Box::new(term.0)),
                }
            }
            Term::Text(text) => {
                let (known, left): (Vec<usize>, Vec<usize>) = text
                    .columns
                    .iter()
                    .copied()
                    .partition(|column| has(*column));
                let (list, row, sources) = now;
                let is_in = |column: usize| text.is_in(&list.value(row, column, sources));
                if known.into_iter().any(is_in) {
                    return Term::constant(true);
                }
                if left.is_empty() {
                    return Term::constant(false);
                }
                Term::Text(Text {
                    columns: left,
                    ..text.clone()
                })
            }
            Term::Condition(condition) if has(condition.column) => self
                .decide_known(now)
                .map_or_else(|| self.clone(), Term::constant),
            term => term.clone(),
        }
    }

    fn needs(&self, is: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Term::All(terms) | Term::Any(terms) => terms.iter().any(|term| term.needs(is)),
            Term::Not(term) => term.needs(is),
            Term::Text(text) => text.columns.iter().any(|column| is(*column)),
            Term::Condition(condition) => is(condition.column),
            Term::Change(change) => is(change.column),
        }
    }

    fn put_last(&mut self, is: &dyn Fn(usize) -> bool) {
        match self {
            Term::All(terms) | Term::Any(terms) => {
                let (mut last, mut first) = std::mem::take(terms)
                    .into_iter()
                    .partition::<Vec<_>, _>(|term| term.needs(is));
                first.append(&mut last);
                for term in &mut first {
                    term.put_last(is);
                }
                *terms = first;
            }
            Term::Not(term) => term.put_last(is),
            Term::Text(_) | Term::Condition(_) | Term::Change(_) => {}
        }
    }

    /// Takes out the conditions with variables: their columns and names. They may only be combined
    /// with `and`.
    pub(super) fn take_variables(self) -> Result<(Term, Vec<(usize, String)>), String> {
        let mut taken = Vec::new();
        let term = self.without_variables(&mut taken);
        match term.variable() {
            Some(name) => Err(format!(
                "?{name} is within or, not or parentheses with or: combine it with and"
            )),
            None => Ok((term, taken)),
        }
    }

    fn without_variables(self, taken: &mut Vec<(usize, String)>) -> Term {
        match self {
            Term::Condition(Condition {
                column,
                operand: Operand::Variable(name),
                ..
            }) => {
                taken.push((column, name));
                Term::All(Vec::new())
            }
            Term::All(terms) => {
                let terms = terms.into_iter();
                Term::All(terms.map(|term| term.without_variables(taken)).collect())
            }
            term => term,
        }
    }

    /// Returns the first variable in it.
    fn variable(&self) -> Option<&str> {
        match self {
            Term::All(terms) | Term::Any(terms) => terms.iter().find_map(Term::variable),
            Term::Not(term) => term.variable(),
            Term::Condition(Condition {
                operand: Operand::Variable(name),
                ..
            }) => Some(name),
            Term::Text(_) | Term::Condition(_) | Term::Change(_) => None,
        }
    }

    fn matches(&self, now: RowRef<'_>, before: Option<RowRef<'_>>) -> bool {
        let (list, row, sources) = now;
        match self {
            Term::All(terms) => terms.iter().all(|term| term.matches(now, before)),
            Term::Any(terms) => terms.iter().any(|term| term.matches(now, before)),
            Term::Not(term) => !term.matches(now, before),
            Term::Text(text) => {
                let mut columns = text.columns.iter();
                columns.any(|column| text.is_in(&list.value(row, *column, sources)))
            }
            Term::Condition(condition) => {
                condition.matches(&condition.value((list, row, sources)), sources)
            }
            Term::Change(change) => {
                let now = list.value(row, change.column, sources);
                let before =
                    before.map(|(list, row, sources)| list.value(row, change.column, sources));
                change.is_met(&now, before.as_ref())
            }
        }
    }

    /// Whether a row matches a leaf term; `None` if that depends on an unknown number.
    fn decide_known(&self, now: RowRef<'_>) -> Option<bool> {
        match self {
            Term::Condition(condition) => condition.decide(&condition.value(now), now.2),
            term => Some(term.matches(now, None)),
        }
    }

    fn judge(&self, now: RowRef<'_>, before: Option<RowRef<'_>>) -> Option<bool> {
        let is_number = |column: usize, list: &dyn List| {
            let column = list.id().columns().get(column);
            column.map(|column| column.kind) == Some(ColumnKind::Number)
        };
        let is_missing = |column: usize, (list, row, sources): RowRef<'_>| {
            let is_missing = |value| matches!(value, CellValue::Empty | CellValue::Unknown { .. });
            is_number(column, list) && is_missing(list.value(row, column, sources))
        };
        self.decide(&|term| match term {
            Term::Condition(condition) => match condition.value(now) {
                CellValue::Empty if is_number(condition.column, now.0) => None,
                // What is known to be absent meets no comparison, except that it differs.
                CellValue::Absent => Some(condition.sign == Comparison::NotEqual),
                value => condition.decide(&value, now.2),
            },
            Term::Change(change)
                if is_missing(change.column, now)
                    || before.is_some_and(|before| is_missing(change.column, before)) =>
            {
                None
            }
            term => Some(term.matches(now, before)),
        })
    }

    /// Kleene's logic, given the values of the leaf terms: one false term decides a conjunction, one true term a disjunction.
    fn decide(&self, value: &dyn Fn(&Term) -> Option<bool>) -> Option<bool> {
        let decided = |terms: &[Term], by: bool| {
            let mut outcome = Some(!by);
            for term in terms {
                match term.decide(value) {
                    Some(value) if value == by => return Some(by),
                    Some(_) => {}
                    None => outcome = None,
                }
            }
            outcome
        };
        match self {
            Term::All(terms) => decided(terms, false),
            Term::Any(terms) => decided(terms, true),
            Term::Not(term) => term.decide(value).map(|holds| !holds),
            term => value(term),
        }
    }

    /// Whether its value needs the code of a kernel.
    fn needs_code(&self, columns: &[Column]) -> bool {
        let is_counted = |at: usize| {
            let column = columns.get(at);
            column.is_some_and(|column| column.presence == Presence::Counted)
        };
        // Text is never searched in such columns.
        self.needs(&is_counted)
    }

    /// Moves the terms that need code behind the others, which often decide without it.
    fn put_code_last(&mut self, columns: &[Column]) {
        self.put_last(&|at| {
            let column = columns.get(at);
            column.is_some_and(|column| column.presence == Presence::Counted)
        });
    }

    fn has_changes(&self) -> bool {
        match self {
            Term::All(terms) | Term::Any(terms) => terms.iter().any(Term::has_changes),
            Term::Not(term) => term.has_changes(),
            Term::Text(_) | Term::Condition(_) => false,
            Term::Change(_) => true,
        }
    }

    fn devices<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Term::All(terms) | Term::Any(terms) => {
                terms.iter().for_each(|term| term.devices(found));
            }
            Term::Not(term) => term.devices(found),
            Term::Condition(Condition {
                operand: Operand::Device(device),
                ..
            }) => found.push(&device.typed),
            Term::Condition(_) | Term::Text(_) | Term::Change(_) => {}
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
    /// Creates a search in the columns with `searched`.
    pub(super) fn new(typed: &str, columns: &[Column], searched: fn(&Column) -> bool) -> Text {
        let part = typed.to_lowercase();
        let hex = part.strip_prefix("0x");
        let hex = hex.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let may_have = |column: &Column| match column.kind {
            // It is computed only if it is selected.
            _ if !column.presence.is_known() => false,
            ColumnKind::Text | ColumnKind::Words => true,
            ColumnKind::Number => hex.is_some(),
            ColumnKind::Bool => column.id.contains(&part),
            ColumnKind::Bytes => false,
        };
        let all = columns.iter().enumerate();
        let columns = all.filter(|(_, column)| searched(column) && may_have(column));
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
    fn value<'a>(&self, (list, row, sources): RowRef<'a>) -> CellValue<'a> {
        list.value(row, self.column, sources)
    }

    /// Whether a value meets the condition; `None` if that depends on an unknown number.
    fn decide(&self, value: &CellValue<'_>, sources: &Sources) -> Option<bool> {
        let most = match value {
            CellValue::Unknown { up_to, .. } => (*up_to)?,
            value => return Some(self.matches(value, sources)),
        };
        let number = match &self.operand {
            Operand::Int(number) => real(*number),
            Operand::Real(number) => *number,
            Operand::Text(_) | Operand::Device(_) | Operand::Variable(_) => return None,
        };
        // A number from 0 to the limit.
        let is_outside = number < 0.0 || number > most;
        let (is_true, is_false) = match self.sign {
            Comparison::Greater => (number < 0.0, number >= most),
            Comparison::GreaterOrEqual => (number <= 0.0, number > most),
            Comparison::Less => (number > most, number <= 0.0),
            Comparison::LessOrEqual => (number >= most, number < 0.0),
            Comparison::Equal => (false, is_outside),
            Comparison::NotEqual => (is_outside, false),
        };
        match (is_true, is_false) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    fn matches(&self, value: &CellValue<'_>, sources: &Sources) -> bool {
        // One matching build is enough.
        if let CellValue::Several(numbers) = value {
            let mut numbers = numbers.iter().copied().map(CellValue::Real);
            return numbers.any(|number| self.matches(&number, sources));
        }
        if let CellValue::Unknown { .. } = value {
            return self.decide(value, sources) == Some(true);
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
                    CellValue::Empty | CellValue::Absent => false,
                    CellValue::Name { .. } => value.names().any(|name| name == text),
                    CellValue::Words(words) => words.iter().any(|word| word == text),
                    value => value.text() == *text,
                };
                return is == (self.sign == Comparison::Equal);
            }
            // Those of steps are compared by `CodeQuery`.
            Operand::Variable(_) => return false,
            Operand::Device(device) => {
                return device.is(value, sources) == (self.sign == Comparison::Equal);
            }
        };
        let Some(order) = order else {
            return self.sign == Comparison::NotEqual;
        };
        match self.sign {
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Equal => order == Ordering::Equal,
            Comparison::NotEqual => order != Ordering::Equal,
        }
    }
}

/// Whether a text contains a part, which is in lower case, ignoring case.
pub(super) fn contains(text: &str, part: &str) -> bool {
    let bytes = part.as_bytes();
    let Some(first) = bytes.first().filter(|_| part.is_ascii()) else {
        return text.to_lowercase().contains(part);
    };
    // Most filters are ASCII: this avoids copying half a million names.
    let starts = text.bytes().enumerate();
    let starts = starts.filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
    let mut parts = starts.map(|(at, _)| text.as_bytes().get(at..at + bytes.len()));
    parts.any(|part| part.is_some_and(|part| part.eq_ignore_ascii_case(bytes)))
}

// Exact below 2^53, and the other side is a fraction.
#[allow(clippy::cast_precision_loss)]
fn real(number: i128) -> f64 {
    number as f64
}
