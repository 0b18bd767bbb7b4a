//! Requests that crashed the decoders of a file. The client does not repeat them.

use crate::worker::protocol::Request;

/// Maximum number of crashes after which the file is still opened again.
const CRASHES_MAX: usize = 8;

/// The requests that crashed a file's decoders, and how each decoder ended.
#[derive(Debug, Default)]
pub struct CrashLog {
    list: Vec<(Option<Request>, String)>,
}

impl CrashLog {
    /// Records a crash: the request in progress, if any, and how the decoder ended. Returns whether
    /// another decoder may open the file. If opening crashed a decoder, it may be retried once.
    pub fn add(&mut self, request: Option<Request>, end: String) -> bool {
        self.list.push((request, end));
        let opening = self.list.iter().filter(|(request, _)| {
            let request = request.as_ref();
            request.is_none_or(|request| matches!(request, Request::Open { .. }))
        });
        opening.count() < 2 && self.list.len() < CRASHES_MAX
    }

    /// Returns whether no decoder has crashed.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns why a request is not sent: it crashed a decoder before. Opening is always allowed.
    pub fn refuse(&self, request: &Request) -> Option<String> {
        let same =
            |crashed: &Request| crashed == request && !matches!(crashed, Request::Open { .. });
        let (_, end) = self
            .list
            .iter()
            .find(|(crashed, _)| crashed.as_ref().is_some_and(same))?;
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
    fn a_request_that_killed_a_decoder_is_not_repeated() {
        let mut crashes = CrashLog::default();
        assert_eq!(crashes.refuse(&detail(1)), None);
        assert!(crashes.add(Some(detail(1)), "It crashed.".to_owned()));
        let why = crashes.refuse(&detail(1)).unwrap();
        assert!(why.starts_with("It crashed."), "{why}");
        assert_eq!(crashes.refuse(&detail(2)), None);
        assert_eq!(crashes.refuse(&open()), None);
        assert!(!crashes.is_empty());
    }

    #[test]
    fn a_file_whose_opening_kills_is_opened_at_most_twice() {
        let mut crashes = CrashLog::default();
        assert!(crashes.add(Some(open()), String::new()));
        assert_eq!(crashes.refuse(&open()), None);
        assert!(!crashes.add(Some(open()), String::new()));
    }

    #[test]
    fn a_file_that_kills_many_decoders_is_given_up() {
        let mut crashes = CrashLog::default();
        let tries = (0..100).take_while(|n| crashes.add(Some(detail(*n)), String::new()));
        assert_eq!(tries.count(), CRASHES_MAX - 1);
    }
}
