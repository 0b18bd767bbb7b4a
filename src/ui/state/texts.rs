//! What the page knows of the readable texts of a file, whose lines are a list: without a
//! browser.

use std::rc::Rc;

use crate::model::{NodeId, Span};
use crate::worker::protocol::Row;

/// The text that is shown before somebody chooses another.
const FIRST: &str = ".ze_info";

/// The readable texts of the document that is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Texts {
    /// The document, or the node in it, whose texts are known; `None` before any is.
    pub document: Option<NodeId>,
    /// The document or node whose texts were requested last.
    pub asked: Option<NodeId>,
    /// Its texts.
    pub rows: Rc<[Row]>,
    /// The text whose lines are shown.
    pub shown: Option<Rc<Row>>,
    /// The number of the match that is selected, and how many there are; `None` if nothing is
    /// looked for.
    pub matches: Option<(u64, u64)>,
}

/// A change of what is known.
pub enum TextsChange {
    /// The texts of a document or node were requested.
    Asked(NodeId),
    /// The texts of a document or node.
    Arrived(NodeId, Vec<Row>),
    /// This text is shown.
    Show(Row),
    /// What a search in the text has found.
    Matches(Option<(u64, u64)>),
}

impl Texts {
    /// Changes it. `stays`: the text that is shown stays when others arrive.
    pub fn apply(&mut self, change: TextsChange, stays: bool) {
        match change {
            TextsChange::Asked(document) => self.asked = Some(document),
            // Something else has been requested since.
            TextsChange::Arrived(document, _)
                if self.asked.is_some_and(|asked| asked != document) => {}
            TextsChange::Arrived(document, rows) => {
                self.document = Some(document);
                if rows.is_empty() && !stays {
                    // The text of another part would be taken for that of the selection.
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

    /// Shows the text of these bytes; it is one on the way to the selection.
    pub fn follow(&mut self, of: Option<Span>, ancestry: &[Row]) {
        let mut rows = ancestry.iter().chain(self.rows.iter());
        if let Some(text) = rows.find(|row| of.is_some() && row.span == of).cloned() {
            self.show(text);
        }
    }
}
