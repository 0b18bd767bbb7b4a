//! Which kernels, in which order.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::KernelRow;
use super::columns::{Cell, Column, ColumnKind};
use crate::model::sort;
use crate::model::value::Str;

/// What is asked of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// The column that sorts, by its name; the order of the file without.
    pub sort: Option<Str>,
    /// The largest first.
    pub descending: bool,
    /// Words that must all be met: a part of the name (mangled or not), of a flag or hazard, or
    /// a condition (`spill_size>0`).
    pub filter: String,
    /// Functions too.
    pub functions: bool,
}

impl Query {
    /// The indices of the rows that are asked for, in order. Rows that are alike keep the order
    /// of the file.
    ///
    /// # Errors
    ///
    /// When there is no column of that name; says so in words.
    pub fn run(&self, rows: &[KernelRow]) -> Result<Vec<u32>, String> {
        let words: Vec<Word> = self.filter.split_whitespace().map(Word::parse).collect();
        let wanted = |row: &KernelRow| {
            (self.functions || !row.is_function) && words.iter().all(|word| word.holds(row))
        };
        let mut found: Vec<u32> = (0u32..)
            .zip(rows)
            .filter(|(_, row)| wanted(row))
            .map(|(index, _)| index)
            .collect();
        if let Some(id) = &self.sort {
            let column = Column::named(id).ok_or_else(|| format!("there is no column {id}"))?;
            arrange(&mut found, rows, column, self.descending);
        }
        Ok(found)
    }
}

impl Query {
    /// What is wrong with the filter: a word that looks like a condition and is none.
    pub fn trouble(&self) -> Option<String> {
        let words = self.filter.split_whitespace();
        let mut conditions = words.filter(|word| word.contains(SIGNS));
        conditions.find_map(|word| {
            let name = word.split(SIGNS).next().unwrap_or("");
            // `operator<`, `foo<int>` and `a->b` are parts of names.
            let is_meant = Column::named(name).is_some() || word.contains(['=', '!']);
            word.parse::<Condition>().err().filter(|_| is_meant)
        })
    }
}

/// What a condition compares by.
const SIGNS: [char; 4] = ['>', '<', '=', '!'];

fn arrange(found: &mut [u32], rows: &[KernelRow], column: &Column, descending: bool) {
    let row = |index: u32| usize::try_from(index).ok().and_then(|at| rows.get(at));
    let direct = |order: Ordering| if descending { order.reverse() } else { order };
    if column.kind == ColumnKind::Number {
        // Numbers are many rows' only key: fetched once.
        let mut keyed: Vec<(Option<f64>, u32)> = found
            .iter()
            .map(|&index| (row(index).and_then(|row| column.cell(row).number()), index))
            .collect();
        sort::by(&mut keyed, |(a, _), (b, _)| {
            direct(match (a, b) {
                (Some(a), Some(b)) => a.total_cmp(b),
                (a, b) => a.is_some().cmp(&b.is_some()),
            })
        });
        for (place, (_, index)) in found.iter_mut().zip(keyed) {
            *place = index;
        }
        return;
    }
    if column.id == "hazards" {
        // What is worst, and of that the most.
        let weight = |index: u32| {
            let row = row(index)?;
            let worst = row.hazards.iter().map(|hazard| hazard.kind).max();
            Some((worst, row.spill_size.value, row.private_size.value))
        };
        sort::by(found, |a, b| direct(weight(*a).cmp(&weight(*b))));
        return;
    }
    let cell = |index: u32| match row(index) {
        // People look for the name that they see.
        Some(row) if column.id == "name" => Cell::Text(row.title()),
        Some(row) => column.cell(row),
        None => Cell::Empty,
    };
    sort::by(found, |a, b| direct(cell(*a).order(&cell(*b))));
}

/// The largest number of each column of numbers, over all rows.
pub fn maxima(rows: &[KernelRow]) -> Vec<(Str, f64)> {
    let numbers = super::columns::COLUMNS
        .iter()
        .filter(|column| column.kind == ColumnKind::Number);
    numbers
        .filter_map(|column| {
            let cells = rows.iter().filter_map(|row| column.cell(row).number());
            let largest = cells.max_by(f64::total_cmp)?;
            Some((Str::Borrowed(column.id), largest))
        })
        .collect()
}

enum Word {
    Part(String),
    Condition(Condition),
}

impl Word {
    fn parse(word: &str) -> Word {
        match word.parse() {
            Ok(condition) => Word::Condition(condition),
            Err(_) => Word::Part(word.to_lowercase()),
        }
    }

    fn holds(&self, row: &KernelRow) -> bool {
        match self {
            Word::Condition(condition) => condition.holds(row),
            Word::Part(part) => {
                let has = |text: &str| text.to_lowercase().contains(part.as_str());
                has(&row.name.value)
                    || row.demangled.as_deref().is_some_and(has)
                    || row
                        .flags
                        .iter()
                        .any(|flag| has(flag.word()) || has(&flag.key))
                    || row.hazards.iter().any(|hazard| has(&hazard.text))
            }
        }
    }
}

/// A comparison of a column with a number or text: `spill_size > 0`.
///
/// The operators are `>`, `>=`, `<`, `<=`, `==` (also `=`) and `!=`. Numbers are compared as
/// numbers, `true` and `false` too; text can only be equal or not. A cell that says nothing
/// (a code size that is not known) fulfils no condition but `!=`.
#[derive(Debug, Clone)]
pub struct Condition {
    column: &'static Column,
    operator: Operator,
    operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

#[derive(Debug, Clone)]
enum Operand {
    Number(f64),
    Text(String),
}

/// Longer ones first: `>=` starts with `>`.
const OPERATORS: &[(&str, Operator)] = &[
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("=", Operator::Equal),
];

impl std::str::FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let at = text
            .find(SIGNS)
            .ok_or_else(|| format!("{text:?} compares nothing: write for example spill_size>0"))?;
        let (name, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let name = name.trim();
        let (operator, operand) = OPERATORS
            .iter()
            .find_map(|(sign, operator)| Some((*operator, rest.strip_prefix(sign)?)))
            .ok_or_else(|| format!("{text:?} has none of > >= < <= == !="))?;
        let column = Column::named(name)
            .ok_or_else(|| format!("there is no column {name:?} in {text:?}"))?;
        let operand = operand.trim();
        let operand = operand
            .strip_prefix('"')
            .and_then(|inner| inner.strip_suffix('"'))
            .unwrap_or(operand);
        let operand = match (operand, column.kind) {
            ("true", ColumnKind::Bool) => Operand::Number(1.0),
            ("false", ColumnKind::Bool) => Operand::Number(0.0),
            (word, ColumnKind::Number | ColumnKind::Bool) => {
                let number: Result<f64, _> = word.parse();
                let number = number.ok().filter(|number| number.is_finite());
                Operand::Number(number.ok_or_else(|| format!("{word:?} in {text:?} is no number"))?)
            }
            (word, _) => Operand::Text(word.to_owned()),
        };
        let ordered = !matches!(operator, Operator::Equal | Operator::NotEqual);
        if ordered && matches!(operand, Operand::Text(_)) {
            return Err(format!(
                "{name} is text: it can only be compared by == and !="
            ));
        }
        Ok(Condition {
            column,
            operator,
            operand,
        })
    }
}

impl Condition {
    /// Does the kernel fulfil it?
    pub fn holds(&self, row: &KernelRow) -> bool {
        let cell = self.column.cell(row);
        let order = match &self.operand {
            Operand::Number(number) => cell.number().and_then(|cell| cell.partial_cmp(number)),
            Operand::Text(text) => (cell != Cell::Empty).then(|| cell.text().cmp(text)),
        };
        let Some(order) = order else {
            return self.operator == Operator::NotEqual;
        };
        match self.operator {
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
        }
    }

    /// The column that is compared.
    pub fn column(&self) -> &'static Column {
        self.column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_says_what_is_wrong_with_it() {
        let trouble = |filter: &str| {
            let filter = filter.to_owned();
            let query = Query {
                filter,
                ..Query::default()
            };
            query.trouble()
        };
        for fine in [
            "",
            "vec add",
            "spill_size>0",
            "has_dpas==true x",
            "foo<int>",
            "a->b",
        ] {
            assert_eq!(trouble(fine), None, "{fine}");
        }
        for (bad, why) in [
            ("spill_size>x", "no number"),
            ("spil>=0", "no column"),
            ("add name>5", "only be compared by"),
        ] {
            let said = trouble(bad).unwrap();
            assert!(said.contains(why), "{bad}: {said}");
        }
    }

    #[test]
    fn conditions_say_what_is_wrong_with_them() {
        for good in [
            "spill_size>0",
            " spill_size >= 1.5 ",
            "name==a b",
            "has_dpas==true",
            "name!=\"x\"",
        ] {
            assert!(good.parse::<Condition>().is_ok(), "{good}");
        }
        for (bad, why) in [
            ("spill", "compares nothing"),
            ("spill>0", "no column"),
            ("spill_size>x", "no number"),
            ("spill_size>nan", "no number"),
            ("name>x", "only be compared by"),
            ("spill_size!0", "has none of"),
        ] {
            let error = bad.parse::<Condition>().unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }
}
