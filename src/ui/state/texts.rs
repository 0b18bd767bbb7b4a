//! State of a file's readable texts, whose lines are a list. Independent of the browser.

use std::rc::Rc;

use crate::model::{NodeId, Span};
use crate::worker::protocol::Row;

/// The text that is shown by default.
const FIRST: &str = ".ze_info";

/// The readable texts of the current document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Texts {
    /// The document, or the node in it, whose texts are loaded; `None` initially.
    pub document: Option<NodeId>,
    /// The document or node of the latest request.
    pub requested: Option<NodeId>,
    /// Its texts.
    pub rows: Rc<[Row]>,
    /// The visible text.
    pub shown: Option<Rc<Row>>,
    /// Number of the selected match, and number of matches; `None` without a search.
    pub matches: Option<(u64, u64)>,
}

/// A change of this state.
pub enum TextsChange {
    /// The texts of a document or node were requested.
    Requested(NodeId),
    /// The texts of a document or node.
    Arrived(NodeId, Vec<Row>),
    /// This text is shown.
    Show(Row),
    /// Result of a search in the text.
    Matches(Option<(u64, u64)>),
}

impl Texts {
    /// Applies a change. `stays`: the visible text is kept when others arrive.
    pub fn apply(&mut self, change: TextsChange, stays: bool) {
        match change {
            TextsChange::Requested(document) => self.requested = Some(document),
            // Superseded by a later request.
            TextsChange::Arrived(document, _)
                if self
                    .requested
                    .is_some_and(|requested| requested != document) => {}
            TextsChange::Arrived(document, rows) => {
                self.document = Some(document);
                if rows.is_empty() && !stays {
                    // Another part's text would be mistaken for that of the selection.
                    self.shown = None;
                    self.matches = None;
                }
                let first = rows.iter().position(|text| text.name == FIRST);
                if !stays && let Some(text) = rows.get(first.unwrap_or(0)) {
                    self.show(text.clone());
                }
                self.rows = rows.into();
            }
            TextsChange::Show(text) => self.show(text),
            TextsChange::Matches(matches) => self.matches = matches,
        }
    }

    fn show(&mut self, text: Row) {
        if self.shown.as_ref().is_none_or(|now| now.span != text.span) {
            self.matches = None;
            self.shown = Some(Rc::new(text));
        }
    }

    /// Shows the text with these bytes, which contains the selection.
    pub fn follow(&mut self, of: Option<Span>, ancestry: &[Row]) {
        let mut rows = ancestry.iter().chain(self.rows.iter());
        if let Some(text) = rows.find(|row| of.is_some() && row.span == of).cloned() {
            self.show(text);
        }
    }
}
