//! Requests that crashed the decoders of a file. The client does not repeat them.

use crate::tables::ListId;
use crate::tables::query::Query;
use crate::worker::protocol::Request;

/// Maximum number of crashes after which the file is still opened again.
const CRASHES_MAX: usize = 8;

/// The requests that crashed a file's decoders, and how each decoder ended.
#[derive(Debug, Default)]
pub struct CrashLog {
    list: Vec<(Option<Request>, String)>,
    /// The requests that the user stopped, and the reason as text.
    stopped: Vec<(Request, String)>,
}

impl CrashLog {
    /// Records a request that the user stopped.
    pub fn add_stopped(&mut self, request: Request, end: String) {
        self.stopped.push((request, end));
    }

    /// Lets stopped requests be sent again.
    pub fn allow_stopped(&mut self) {
        self.stopped.clear();
    }

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

    /// Returns why a request is not sent: the same work crashed a decoder or was stopped before. Opening is always
    /// allowed.
    pub fn refuse(&self, request: &Request) -> Option<String> {
        let same = |other: &Request| is_same_work(other, request);
        if let Some((_, end)) = self.stopped.iter().find(|(stopped, _)| same(stopped)) {
            return Some(end.clone());
        }
        let (_, end) = self
            .list
            .iter()
            .find(|(crashed, _)| crashed.as_ref().is_some_and(same))?;
        Some(format!(
            "{end} zeview does not try this again for this file."
        ))
    }
}

/// Whether two requests are the same work. All that is asked of the rows of a query needs these rows.
fn is_same_work(a: &Request, b: &Request) -> bool {
    match (a, b) {
        (Request::Open { .. }, _) => false,
        (Request::List { .. }, Request::List { .. }) if rows(a).is_some() => rows(a) == rows(b),
        (Request::Select { .. }, Request::List { .. })
        | (Request::List { .. }, Request::Select { .. }) => rows(a).is_some() && rows(a) == rows(b),
        _ => a == b,
    }
}

/// The list and the query whose rows a request needs, if the query has a filter or an order.
fn rows(request: &Request) -> Option<(ListId, &Query)> {
    let (list, query) = match request {
        Request::List { list, query, .. } => (*list, query),
        Request::Select {
            follow: Some(follow),
            ..
        } => (follow.list, &follow.query),
        _ => return None,
    };
    let needs_all = !query.filter.is_empty() || query.sort.is_some();
    needs_all.then_some((list, query))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;
    use crate::worker::protocol::ListRequest;

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
            encoding: None,
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
    fn rows_of_a_query_that_was_stopped_are_not_asked_for_until_the_user_does() {
        let kernels = |filter: &str, start| Request::List {
            document: NodeId::ROOT,
            list: ListId::Kernels,
            query: Query {
                filter: filter.to_owned(),
                ..Query::default()
            },
            ask: ListRequest::Rows {
                start,
                count: 9,
                columns: Vec::new(),
            },
        };
        let mut crashes = CrashLog::default();
        crashes.add_stopped(kernels("dpas>0", 0), "You stopped it after 3 s.".to_owned());
        assert!(crashes.refuse(&kernels("dpas>0", 512)).is_some());
        assert_eq!(crashes.refuse(&kernels("dpas>1", 0)), None);
        assert_eq!(crashes.refuse(&kernels("", 0)), None);
        assert!(crashes.is_empty(), "nothing has crashed");
        crashes.allow_stopped();
        assert_eq!(crashes.refuse(&kernels("dpas>0", 0)), None);
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
