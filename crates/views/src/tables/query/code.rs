//! Queries of code: conditions on instructions and on their kernels, and sequences of instructions.
//!
//! ```text
//! query   = step { "then" [ "within" number ] [ "without" "(" filter ")" ] step }
//! step    = filter
//! ```
//!
//! * A *step* is a filter with the columns of the list of instructions, and those of the kernel. Text is
//!   searched in the instruction as it is printed, not in the names of kernels.
//! * `A then B` is an instruction that meets A, with one that meets B among the 16 instructions after it, or as
//!   many as `within` says.
//! * `without (C)`: no instruction between the two meets C.
//! * `column=?a` binds a value of the column, such as a register: all conditions with `?a` must have a
//!   value in common. They are combined with `and`. In `without`, the instructions in between must not
//!   have the value.

use std::sync::OnceLock;

use super::super::{Column, Presence};
use super::filter::{Filter, Term};
use super::parse::{Parser, Token, tokens};

/// Maximum number of steps.
const STEPS_MAX: usize = 8;

/// Number of instructions after one of which another must be one, by default and at most.
const WITHIN: u32 = 16;
const WITHIN_MAX: u32 = 1024;

/// The columns of instructions that the class of their words decides.
const OF_CLASS: [&str; 5] = ["mnemonic", "operation", "kind", "message", "marks"];

/// The columns of instructions that need no text of theirs.
const OF_PLACE: [&str; 3] = ["offset", "loop", "size"];

/// The columns that need the data flow of the code.
const OF_FLOW: [&str; 8] = [
    "inputs",
    "live",
    "live_iga",
    "reads",
    "writes",
    "reg",
    "latency",
    "occupancy",
];

/// The columns that text is searched in: the instruction as it is printed.
const SEARCHED: [&str; 10] = [
    "label",
    "text",
    "comment",
    "mnemonic",
    "operation",
    "kind",
    "message",
    "marks",
    "symbol",
    "source",
];

/// A query of code.
#[derive(Debug, Clone)]
pub struct CodeQuery {
    /// The steps, at least one.
    pub(crate) steps: Vec<CodeStep>,
    /// The number of variables.
    pub(crate) variables: usize,
}

/// One instruction of a sequence.
#[derive(Debug, Clone)]
pub(crate) struct CodeStep {
    pub filter: Filter,
    /// The columns with variables, and the numbers of the variables.
    pub bound: Vec<(usize, usize)>,
    /// The number of instructions after that of the step before, among which it is.
    pub within: u32,
    /// What no instruction between them meets.
    pub without: Option<Without>,
}

/// What no instruction between two steps meets.
#[derive(Debug, Clone)]
pub(crate) struct Without {
    pub filter: Filter,
    pub bound: Vec<(usize, usize)>,
}

/// Where the value of a column of a query is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The class of the instruction's word.
    Class,
    /// The list of instructions, at this column.
    Instruction(usize),
    /// The list of kernels, at this column.
    Kernel {
        /// The column.
        column: usize,
        /// Whether it needs the code of the kernel.
        is_counted: bool,
    },
}

/// The columns of queries, and where their values are from.
struct Columns {
    columns: Vec<Column>,
    origins: Vec<Origin>,
}

fn all() -> &'static Columns {
    static ALL: OnceLock<Columns> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Columns {
            columns: Vec::new(),
            origins: Vec::new(),
        };
        for (at, column) in super::super::instructions::COLUMNS.iter().enumerate() {
            all.columns.push(*column);
            all.origins.push(if OF_CLASS.contains(&column.id) {
                Origin::Class
            } else {
                Origin::Instruction(at)
            });
        }
        // Metrics of profiles are no columns of queries: they depend on the thread.
        for (at, column) in super::super::kernels::COLUMNS.iter().enumerate() {
            if all.columns.iter().any(|known| known.id == column.id) {
                continue;
            }
            all.columns.push(*column);
            all.origins.push(Origin::Kernel {
                column: at,
                is_counted: column.presence == Presence::Counted,
            });
        }
        all
    })
}

/// Returns where the value of a column is from.
pub(crate) fn origin(column: usize) -> Option<Origin> {
    all().origins.get(column).copied()
}

/// Returns the id of a column.
pub(crate) fn column_id(column: usize) -> &'static str {
    all().columns.get(column).map_or("", |column| column.id)
}

/// Returns the columns of queries of code: those of instructions, then those of kernels.
pub fn code_columns() -> &'static [Column] {
    &all().columns
}

fn is_one_of(column: usize, ids: &[&str]) -> bool {
    ids.contains(&column_id(column))
}

impl CodeQuery {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// If it is malformed: a message about the first error, with the number of its step if there are several.
    pub fn parse(text: &str) -> Result<CodeQuery, String> {
        let parts = split(tokens(text)?)?;
        if parts.len() > STEPS_MAX {
            return Err(format!("more than {STEPS_MAX} steps"));
        }
        let is_one = parts.len() == 1;
        let mut names = Vec::new();
        let mut steps = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            let step = part.step(at, &mut names);
            steps.push(step.map_err(|error| {
                if is_one {
                    error
                } else {
                    format!("step {}: {error}", at + 1)
                }
            })?);
        }
        for (number, name) in names.iter().enumerate() {
            let is_it = |(_, of): &&(usize, usize)| *of == number;
            let bound = |step: &CodeStep| step.bound.iter().filter(is_it).count();
            let between = |step: &CodeStep| {
                let without = step.without.iter();
                without
                    .flat_map(|without| &without.bound)
                    .filter(is_it)
                    .count()
            };
            let first = steps.iter().position(|step| bound(step) > 0);
            let excluded = steps.iter().position(|step| between(step) > 0);
            // `without` precedes its own step.
            if excluded.is_some_and(|excluded| first.is_none_or(|first| first >= excluded)) {
                return Err(format!(
                    "?{name} in without has no value yet: bind it in a step before"
                ));
            }
            let uses: usize = steps.iter().map(|step| bound(step) + between(step)).sum();
            if uses < 2 {
                return Err(format!(
                    "?{name} occurs only once: it stands for a value that several conditions share"
                ));
            }
        }
        Ok(CodeQuery {
            steps,
            variables: names.len(),
        })
    }

    /// Whether it has no conditions.
    pub fn is_empty(&self) -> bool {
        let empty = |step: &CodeStep| step.filter.is_empty() && step.bound.is_empty();
        self.steps.iter().all(empty)
    }

    /// Whether instructions must be compared with others, or with themselves.
    pub(crate) fn has_steps(&self) -> bool {
        self.is_sequence() || self.variables > 0
    }

    /// Whether it is of several instructions.
    pub fn is_sequence(&self) -> bool {
        self.steps.len() > 1
    }

    /// Returns the names of devices that it compares with, as typed.
    pub fn devices(&self) -> Vec<&str> {
        self.steps
            .iter()
            .flat_map(|step| step.filter.devices())
            .collect()
    }
}

/// The tokens of a step.
struct Part<'t> {
    within: Option<&'t str>,
    without: Option<Vec<Token<'t>>>,
    tokens: Vec<Token<'t>>,
}

/// Splits a query at `then`, outside of parentheses.
fn split(tokens: Vec<Token<'_>>) -> Result<Vec<Part<'_>>, String> {
    let mut parts = vec![Part {
        within: None,
        without: None,
        tokens: Vec::new(),
    }];
    let mut depth = 0_u32;
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Word("then") if depth > 0 => {
                return Err(
                    "then is within parentheses; put it in quotes to search for it".to_owned(),
                );
            }
            Token::Word("then") => {
                let number = parts.len();
                if parts.last().is_none_or(|part| part.tokens.is_empty()) {
                    return Err(format!(
                        "missing instruction before then: step {number} is empty"
                    ));
                }
                let mut part = Part {
                    within: None,
                    without: None,
                    tokens: Vec::new(),
                };
                if rest.next_if_eq(&Token::Word("within")).is_some() {
                    part.within = match rest.next() {
                        Some(Token::Word(number)) => Some(number),
                        _ => return Err("missing number of instructions after within".to_owned()),
                    };
                }
                if let Some(Token::Word(word)) = rest.peek()
                    && word.starts_with("without(")
                {
                    return Err("write a blank after without: without (…)".to_owned());
                }
                if rest.next_if_eq(&Token::Word("without")).is_some() {
                    if rest.next() != Some(Token::Open) {
                        return Err("without needs parentheses: without (writes=?a)".to_owned());
                    }
                    let mut inner = Vec::new();
                    let mut open = 1_u32;
                    for token in rest.by_ref() {
                        match token {
                            Token::Open => open += 1,
                            Token::Close => open -= 1,
                            _ => {}
                        }
                        if open == 0 {
                            break;
                        }
                        inner.push(token);
                    }
                    part.without = Some(inner);
                }
                parts.push(part);
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.tokens.push(token);
        }
    }
    // What is no number behind `within` is the first thing to say.
    let is_empty = |part: &Part<'_>| {
        let within = part.within.is_none_or(|typed| typed.parse::<u32>().is_ok());
        part.tokens.is_empty() && within
    };
    if parts.len() > 1 && parts.last().is_some_and(is_empty) {
        return Err(format!(
            "missing instruction after then: step {} is empty",
            parts.len()
        ));
    }
    Ok(parts)
}

impl<'t> Part<'t> {
    fn step(self, at: usize, names: &mut Vec<String>) -> Result<CodeStep, String> {
        let within = match self.within {
            None => WITHIN,
            Some(typed) => typed
                .parse()
                .ok()
                .filter(|number| (1..=WITHIN_MAX).contains(number))
                .ok_or_else(|| {
                    format!("within needs a number from 1 to {WITHIN_MAX}, not {typed:?}")
                })?,
        };
        let without = match self.without {
            None => None,
            Some(tokens) if tokens.is_empty() => return Err("without () is empty".to_owned()),
            Some(tokens) => {
                let (filter, bound) = filter(tokens, names)?;
                Some(Without { filter, bound })
            }
        };
        let (filter, bound) = filter(self.tokens, names)?;
        Ok(CodeStep {
            filter,
            bound,
            within: if at == 0 { 0 } else { within },
            without,
        })
    }
}

/// Parses the filter of a step.
fn filter(
    tokens: Vec<Token<'_>>,
    names: &mut Vec<String>,
) -> Result<(Filter, Vec<(usize, usize)>), String> {
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        columns: code_columns(),
        searched: |column| SEARCHED.contains(&column.id),
        takes_changes: false,
        takes_variables: true,
    };
    let term: Term = parser.whole()?;
    let (term, taken) = term.take_variables()?;
    let mut bound = Vec::new();
    for (column, name) in taken {
        if matches!(origin(column), Some(Origin::Kernel { .. }) | None) {
            return Err(format!(
                "?{name} stands for a value of an instruction, and {} is one of its kernel",
                column_id(column)
            ));
        }
        let number = names.iter().position(|known| *known == name);
        let number = number.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        bound.push((column, number));
    }
    let mut filter = Filter(term);
    // What is decided first costs least.
    filter.put_last(&|at| !is_one_of(at, &OF_CLASS) && !is_one_of(at, &OF_PLACE));
    filter.put_last(&|at| is_one_of(at, &OF_FLOW));
    Ok((filter, bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        CodeQuery::parse(text).expect_err(text)
    }

    #[test]
    fn queries_have_steps_and_variables() {
        let query = CodeQuery::parse(
            "marks=fill writes=?a then within 40 without (writes=?a) marks=spill and reads=?a",
        );
        let query = query.expect("it is a query");
        let steps: Vec<_> = query
            .steps
            .iter()
            .map(|step| (step.within, step.bound.len()))
            .collect();
        assert_eq!(steps, [(0, 1), (40, 1)]);
        assert_eq!(query.variables, 1);
        let query = CodeQuery::parse("mnemonic=send and loop>=2 and device=pvc spill_size>0");
        assert_eq!(query.expect("it is a query").steps.len(), 1);
        // In quotes, it is text.
        assert!(!CodeQuery::parse("\"then\"").expect("text").is_sequence());
    }

    #[test]
    fn errors_name_the_place() {
        for (text, message) in [
            (
                "then send",
                "missing instruction before then: step 1 is empty",
            ),
            (
                "send then",
                "missing instruction after then: step 2 is empty",
            ),
            (
                "send then then mov",
                "missing instruction before then: step 2 is empty",
            ),
            (
                "(a then b)",
                "then is within parentheses; put it in quotes to search for it",
            ),
            (
                "a then within b",
                "step 2: within needs a number from 1 to 1024, not \"b\"",
            ),
            (
                "a then within 0 b",
                "step 2: within needs a number from 1 to 1024, not \"0\"",
            ),
            (
                "a then within",
                "missing number of instructions after within",
            ),
            (
                "a then without b",
                "without needs parentheses: without (writes=?a)",
            ),
            ("a then without () b", "step 2: without () is empty"),
            (
                "a then knd=message",
                "step 2: no column is called \"knd\"; did you mean \"kind\"?",
            ),
            (
                "reads=?a",
                "?a occurs only once: it stands for a value that several conditions share",
            ),
            ("a then reads!=?a writes=?a", "step 2: compare ?a with ="),
            (
                "a then (reads=?a or writes=?a)",
                "step 2: ?a is within or, not or parentheses with or: combine it with and",
            ),
            (
                "a then without (writes=?a) reads=?a",
                "?a in without has no value yet: bind it in a step before",
            ),
            (
                "name=?a then name=?a",
                "step 1: ?a stands for a value of an instruction, and name is one of its kernel",
            ),
        ] {
            assert_eq!(error(text), message, "{text}");
        }
    }
}
