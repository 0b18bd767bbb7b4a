//! `zeview kernels --fail-if`: a limit that kernels must keep to.

use zeview::model::list::query::Filter;
use zeview::model::list::{List, ListId};
use zeview::model::text::escaped;
use zeview::model::{Document, Node, NodeId, Severity, Sources};

use crate::output::complain;

/// What no kernel may fulfil.
#[derive(Clone)]
pub struct Condition {
    filter: Filter,
    /// The places of the columns in it.
    compared: Vec<usize>,
}

pub fn condition(text: &str) -> Result<Condition, String> {
    let filter = Filter::parse(text, ListId::Kernels)?;
    match filter.compared() {
        Ok(compared) if !compared.is_empty() => Ok(Condition { filter, compared }),
        Ok(_) => Err("it is empty".to_owned()),
        Err(text) => Err(format!(
            "{text:?} compares nothing: write for example spill_size>0"
        )),
    }
}

/// Conditions, and what has been judged by them. Without conditions it passes.
pub struct Gate<'a> {
    conditions: &'a [Condition],
    /// So many kernels were looked at.
    judged: u64,
    /// One of them fulfils a condition.
    is_met: bool,
    /// Something could not be judged.
    is_open: bool,
}

impl<'a> Gate<'a> {
    pub fn new(conditions: &'a [Condition]) -> Gate<'a> {
        Gate {
            conditions,
            judged: 0,
            is_met: false,
            is_open: false,
        }
    }

    fn is_asked(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// A document has no kernels. Says so if they may have been lost: it is damaged.
    pub fn look_for_lost(&mut self, document: &Document, id: NodeId, place: &str) {
        let extent = document.node(id).and_then(Node::extent).unwrap_or_default();
        let mut found = document.diagnostics_in(extent);
        if self.is_asked() && found.any(|d| d.severity == Severity::Error) {
            self.miss(format_args!("{place}: its kernels cannot be read"));
        }
    }

    /// Says what is missing.
    pub fn miss(&mut self, what: std::fmt::Arguments<'_>) {
        match self.is_asked() {
            true => complain!("{what}: --fail-if cannot be judged"),
            false => complain!("{what}"),
        }
        self.is_open = true;
    }

    /// The reader of the output has gone. A kernel that fails has been named all the same.
    pub fn lose_output(&mut self) {
        if self.is_asked() && !self.is_met {
            self.miss(format_args!("the output was not read to its end"));
        }
    }

    /// Judges a kernel; names it if it fails.
    pub fn judge(&mut self, place: &str, list: &dyn List, row: u32, sources: &Sources) {
        self.judged += 1;
        let mut conditions = self.conditions.iter();
        let Some(met) = conditions.find(|c| c.filter.holds(list, row, sources)) else {
            return;
        };
        self.is_met = true;
        let said = met.compared.iter().filter_map(|column| {
            let id = ListId::Kernels.columns().get(*column)?.id;
            let value = list.cell(row, *column, sources).value;
            Some(match value.text() {
                none if none.is_empty() => format!("{id} has no value"),
                text => format!("{id} is {}", escaped(&text)),
            })
        });
        let said: Vec<String> = said.collect();
        let name = list.cell(row, 0, sources).value;
        complain!("{place}: {}: {}", name.title(), said.join(", "));
    }

    /// How many kernels it has looked at.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// 0 if it passes, 1 if a kernel fulfils a condition, 2 if something could not be judged.
    pub fn status(&self) -> u8 {
        match self.is_asked() {
            true if self.is_open => 2,
            _ => u8::from(self.is_met),
        }
    }
}
