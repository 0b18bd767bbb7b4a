//! The nested documents of a file, in order.

use std::collections::{BTreeSet, HashMap};

use super::span::Span;
use super::summary::InnerDocument;

/// The nested documents of a file: a list that grows in the middle, because each document is
/// followed by those in it, which are known once it is opened.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// The documents, each with the index of the next one.
    list: Vec<(InnerDocument, Option<usize>)>,
    first: Option<usize>,
    last: Option<usize>,
    /// The documents by their bytes. Of equal ones, the first to be known is first.
    by_span: BTreeSet<(Span, usize)>,
}

/// Documents that were opened: their summary, and the documents in them.
pub(super) type Opened = HashMap<Span, (InnerDocument, Vec<InnerDocument>)>;

impl Documents {
    pub(super) fn new(documents: Vec<InnerDocument>) -> Documents {
        let mut all = Documents::default();
        all.append(documents);
        all
    }

    /// Adds documents at the end.
    pub(super) fn append(&mut self, documents: Vec<InnerDocument>) {
        for document in documents {
            self.last = self.insert(self.last, document);
        }
    }

    /// Inserts a document after another one; `None` inserts it at the start. Returns its index.
    fn insert(&mut self, after: Option<usize>, document: InnerDocument) -> Option<usize> {
        let at = self.list.len();
        let link = match after.and_then(|after| self.list.get_mut(after)) {
            Some((_, next)) => next,
            None => &mut self.first,
        };
        let next = link.replace(at);
        if next.is_none() {
            self.last = Some(at);
        }
        self.by_span.insert((document.span, at));
        self.list.push((document, next));
        Some(at)
    }

    /// Replaces the documents that were opened, and inserts those in them. `order` has the bytes of
    /// the opened ones.
    pub(super) fn open(&mut self, order: Vec<Span>, mut opened: Opened) {
        let mut pending = order.clone();
        pending.reverse();
        while let Some(span) = pending.pop() {
            let Some(at) = self.at(span) else {
                continue;
            };
            let (Some((known, _)), Some((of, documents))) =
                (self.list.get_mut(at), opened.remove(&span))
            else {
                continue;
            };
            *known = InnerDocument {
                is_listed: known.is_listed,
                ..of
            };
            let mut after = Some(at);
            for document in documents {
                // It may have been opened before the document around it was known.
                pending.push(document.span);
                after = self.insert(after, document);
            }
        }
        for span in order {
            // A file that was not located when its package was opened.
            if let Some((of, documents)) = opened.remove(&span) {
                self.append(vec![of]);
                self.append(documents);
            }
        }
    }

    /// Returns all documents, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &InnerDocument> + Clone {
        self.from(self.first)
    }

    /// Returns the first document with these bytes, and all that follow it in order.
    pub(super) fn starting_at(&self, span: Span) -> impl Iterator<Item = &InnerDocument> + Clone {
        self.from(self.at(span))
    }

    /// Returns the documents whose bytes lie in `whole`, by position. Those of other sources are not
    /// among them.
    pub(super) fn within(&self, whole: Span) -> impl Iterator<Item = &InnerDocument> {
        let end = Span::new(whole.source, whole.end, u64::MAX);
        let places = self
            .by_span
            .range((Span { end: 0, ..whole }, 0)..=(end, usize::MAX));
        let documents = places.filter_map(|(_, at)| self.list.get(*at));
        let documents = documents.map(|(document, _)| document);
        documents.filter(move |inner| whole.contains(inner.span))
    }

    /// Returns the index of the first document with these bytes.
    fn at(&self, span: Span) -> Option<usize> {
        let mut places = self.by_span.range((span, 0)..=(span, usize::MAX));
        places.next().map(|(_, at)| *at)
    }

    fn from(&self, first: Option<usize>) -> impl Iterator<Item = &InnerDocument> + Clone {
        let entry = |at: Option<usize>| self.list.get(at?);
        let entries = std::iter::successors(entry(first), move |(_, next)| entry(*next));
        entries.map(|(document, _)| document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    fn document(start: u64) -> InnerDocument {
        InnerDocument {
            span: Span::with_len(SourceId::FILE, start, 1),
            ..InnerDocument::default()
        }
    }

    fn starts(documents: &Documents) -> Vec<u64> {
        documents.iter().map(|inner| inner.span.start).collect()
    }

    #[test]
    fn documents_follow_the_one_that_contains_them() {
        let mut all = Documents::new([1, 2, 3].map(document).into());
        let open = |all: &mut Documents, list: &[(u64, &[u64])]| {
            let order = list.iter().map(|(start, _)| document(*start).span);
            let opened = list.iter().map(|(start, within)| {
                let within = within.iter().copied().map(document).collect();
                (document(*start).span, (document(*start), within))
            });
            all.open(order.collect(), opened.collect());
        };
        open(&mut all, &[(2, &[20, 21])]);
        assert_eq!(starts(&all), [1, 2, 20, 21, 3]);
        // Several at once, the inner one first.
        open(&mut all, &[(30, &[31]), (3, &[30]), (20, &[])]);
        assert_eq!(starts(&all), [1, 2, 20, 21, 3, 30, 31]);
        // An unknown one and those in it are at the end.
        open(&mut all, &[(9, &[90])]);
        assert_eq!(starts(&all), [1, 2, 20, 21, 3, 30, 31, 9, 90]);
        all.append(vec![document(4)]);
        let rest = all.starting_at(document(90).span);
        let rest: Vec<u64> = rest.map(|inner| inner.span.start).collect();
        assert_eq!(rest, [90, 4]);
        assert_eq!(all.starting_at(document(5).span).count(), 0);
        let within = all.within(Span::new(SourceId::FILE, 3, 31));
        let within: Vec<u64> = within.map(|inner| inner.span.start).collect();
        assert_eq!(within, [3, 4, 9, 20, 21, 30]);
        assert_eq!(starts(&Documents::default()), [0; 0]);
    }
}
