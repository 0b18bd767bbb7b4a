//! What the decoders of a file died of: that is not asked again.

use crate::worker::protocol::Request;

/// After so many deaths the file is not opened any more.
const MOST: usize = 8;

/// The requests that a file's decoders died of, and how each ended.
#[derive(Debug, Default)]
pub struct Deaths {
    list: Vec<(Option<Request>, String)>,
}

impl Deaths {
    /// Adds one: the request that the decoder worked on, if there was any, and how it ended.
    /// Returns whether the file may be opened by another decoder. If opening it was what killed
    /// a decoder, it may be opened once more.
    pub fn add(&mut self, request: Option<Request>, end: String) -> bool {
        self.list.push((request, end));
        let opening = self.list.iter().filter(|(request, _)| {
            let request = request.as_ref();
            request.is_none_or(|request| matches!(request, Request::Open { .. }))
        });
        opening.count() < 2 && self.list.len() < MOST
    }

    /// Has no decoder died?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Why a request is not sent: a decoder died of the same one. Opening a file is always sent.
    pub fn refuse(&self, request: &Request) -> Option<String> {
        let same = |died: &Request| died == request && !matches!(died, Request::Open { .. });
        let (_, end) = self
            .list
            .iter()
            .find(|(died, _)| died.as_ref().is_some_and(same))?;
        Some(format!(
            "{end} zeview does not try this again for this file."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;

    fn detail(node: u32) -> Request {
        Request::Rows {
            order: Default::default(),
            node: NodeId(node),
            start: 0,
            count: 1,
        }
    }

    fn open() -> Request {
        Request::Open {
            name: "a".to_owned(),
        }
    }

    #[test]
    fn what_killed_a_decoder_is_not_asked_again() {
        let mut deaths = Deaths::default();
        assert_eq!(deaths.refuse(&detail(1)), None);
        assert!(deaths.add(Some(detail(1)), "It crashed.".to_owned()));
        let why = deaths.refuse(&detail(1)).unwrap();
        assert!(why.starts_with("It crashed."), "{why}");
        assert_eq!(deaths.refuse(&detail(2)), None);
        assert_eq!(deaths.refuse(&open()), None);
        assert!(!deaths.is_empty());
    }

    #[test]
    fn a_file_is_opened_twice_at_most_if_that_is_what_kills() {
        let mut deaths = Deaths::default();
        assert!(deaths.add(Some(open()), String::new()));
        assert_eq!(deaths.refuse(&open()), None);
        assert!(!deaths.add(Some(open()), String::new()));
    }

    #[test]
    fn a_file_that_kills_many_is_given_up() {
        let mut deaths = Deaths::default();
        let tries = (0..100).take_while(|n| deaths.add(Some(detail(*n)), String::new()));
        assert_eq!(tries.count(), MOST - 1);
    }
}
