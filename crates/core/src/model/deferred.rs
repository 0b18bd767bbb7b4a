//! Nested documents that are opened on demand: a library has thousands of device images, most of
//! which are never looked at.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use super::expand::Expand;
use super::findings::Findings;
use super::node::{Content, ExpanderId};
use super::source::Sources;

/// Maximum number of deferred documents that stay open; the others are reopened on demand.
const KEPT: usize = 32;

/// The deferred documents that were opened, with their expanders.
#[derive(Default)]
pub struct DeferredDocuments(RefCell<State>);

#[derive(Default)]
struct State {
    /// The documents, sorted by the ids of their expanders.
    list: Vec<Deferred>,
    /// Index in `list` by the expander and item that opened the document.
    places: HashMap<(ExpanderId, u64), usize>,
    /// Indices of the documents that are open, the last used last, each with the number of bytes
    /// unpacked for it, which its expanders may hold.
    kept: VecDeque<(usize, u64)>,
    /// The findings since the last call of `found`.
    found: Vec<Findings>,
}

struct Deferred {
    by: Rc<dyn Expand>,
    item: u64,
    content: Content,
    /// The id of its first expander, and of the first expander of the next document.
    ids: (ExpanderId, ExpanderId),
    /// Its expanders, while it is open.
    expanders: Option<Vec<Rc<dyn Expand>>>,
}

impl DeferredDocuments {
    /// The first id of a deferred document's expanders.
    pub const FIRST: ExpanderId = ExpanderId(1 << 30);

    /// Returns the content of a document that was opened before.
    pub fn opened(&self, place: (ExpanderId, u64)) -> Option<Content> {
        let state = self.0.borrow();
        let at = *state.places.get(&place)?;
        state.list.get(at).map(|deferred| deferred.content)
    }

    /// Opens a document.
    pub fn open(
        &self,
        expander: ExpanderId,
        item: u64,
        by: Rc<dyn Expand>,
        sources: &Sources,
    ) -> Content {
        let last = self.0.borrow().list.last().map(|deferred| deferred.ids.1);
        let first = last.unwrap_or(Self::FIRST);
        let Some(mut deferred) = by.open(item, sources, first) else {
            return Content::Leaf;
        };
        let expanders = std::mem::take(&mut deferred.findings.expanders);
        let count = u32::try_from(expanders.len()).unwrap_or(u32::MAX);
        let end = ExpanderId(first.0.saturating_add(count));
        if end >= ExpanderId::SELF {
            return Content::Leaf;
        }
        let unpacked = deferred.findings.of.as_ref();
        let unpacked = unpacked.map_or(0, |inner| sources.unpacked_len(inner.span));
        let mut state = self.0.borrow_mut();
        let at = state.list.len();
        state.list.push(Deferred {
            by,
            item,
            content: deferred.content,
            ids: (first, end),
            expanders: None,
        });
        state.places.insert((expander, item), at);
        state.found.push(deferred.findings);
        state.keep((at, unpacked), expanders, sources.kept_most());
        deferred.content
    }

    /// Returns an expander of a deferred document, which is reopened if it was closed.
    pub fn get(&self, id: ExpanderId, sources: &Sources) -> Option<Rc<dyn Expand>> {
        let (at, by, item, first) = {
            let state = self.0.borrow();
            let after = state.list.partition_point(|deferred| deferred.ids.0 <= id);
            // Documents without expanders come before the one that starts with the same id.
            let at = after.checked_sub(1)?;
            let deferred = state.list.get(at)?;
            let first = deferred.ids.0;
            if let Some(list) = &deferred.expanders {
                let found = list.get(usize::try_from(id.0 - first.0).ok()?).cloned();
                drop(state);
                self.0.borrow_mut().touch(at);
                return found;
            }
            (at, Rc::clone(&deferred.by), deferred.item, first)
        };
        let findings = by.open(item, sources, first)?.findings;
        let unpacked = findings.of.as_ref();
        let unpacked = unpacked.map_or(0, |inner| sources.unpacked_len(inner.span));
        let expanders = findings.expanders;
        let found = expanders
            .get(usize::try_from(id.0 - first.0).ok()?)
            .cloned();
        let mut state = self.0.borrow_mut();
        state.keep((at, unpacked), expanders, sources.kept_most());
        found
    }

    pub fn found(&self) -> Vec<Findings> {
        std::mem::take(&mut self.0.borrow_mut().found)
    }
}

impl State {
    /// Notes that a document is in use, so that it stays open.
    fn touch(&mut self, at: usize) {
        let is_last = self.kept.back().is_some_and(|(last, _)| *last == at);
        let place = self.kept.iter().position(|(kept, _)| *kept == at);
        if let Some(place) = place.filter(|_| !is_last)
            && let Some(kept) = self.kept.remove(place)
        {
            self.kept.push_back(kept);
        }
    }

    /// Keeps a document open, and closes the oldest ones beyond [`KEPT`] documents or `most`
    /// unpacked bytes.
    fn keep(&mut self, kept: (usize, u64), expanders: Vec<Rc<dyn Expand>>, most: u64) {
        if let Some(deferred) = self.list.get_mut(kept.0) {
            deferred.expanders = Some(expanders);
            self.kept.push_back(kept);
        }
        let bytes =
            |kept: &VecDeque<(usize, u64)>| kept.iter().map(|(_, bytes)| bytes).sum::<u64>();
        while (self.kept.len() > KEPT || bytes(&self.kept) > most)
            && self.kept.len() > 1
            && let Some((oldest, _)) = self.kept.pop_front()
        {
            if let Some(deferred) = self.list.get_mut(oldest) {
                deferred.expanders = None;
            }
        }
    }
}
