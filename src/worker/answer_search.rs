//! Answers to [`Request::Search`](super::protocol::Request::Search).

use super::handler::HITS_MAX;
use super::protocol::{HitRow, Response, SearchStep};
use crate::model::{Document, Hit, Query, Search, Span};

/// The search that is on its way, and what it was asked for.
#[derive(Default)]
pub(super) struct Searching(Option<(String, Search)>);

impl Searching {
    /// A step of a search. One that does not go on what was asked before begins anew.
    pub(super) fn answer(
        &mut self,
        document: &mut Document,
        typed: &str,
        limit: u32,
        step: SearchStep,
    ) -> Response {
        let Some(query) = Query::parse(typed) else {
            return Response::Hits {
                hits: Vec::new(),
                more: false,
            };
        };
        let known = self.0.take();
        let known = known.filter(|(of, _)| step != SearchStep::Begin && of == typed);
        let mut search = known.map_or_else(
            || {
                let limit = usize::try_from(limit).unwrap_or(HITS_MAX).min(HITS_MAX);
                Search::new(query.clone(), limit)
            },
            |(_, search)| search,
        );
        let is_over = step == SearchStep::Stop || search.step(document);
        if !is_over {
            let percent = search.percent();
            self.0 = Some((typed.to_owned(), search));
            return Response::Searching { percent };
        }
        let (hits, more) = search.found();
        let row = |hit: Hit| HitRow {
            span: hit.span,
            path: match &query {
                // The opened file is on the way to everything.
                Query::Text(_) => hit.path.into_iter().skip(1).collect(),
                Query::Bytes(_) => names_at(document, hit.span),
            },
            text: hit.text,
        };
        Response::Hits {
            hits: hits.into_iter().map(row).collect(),
            more,
        }
    }
}

fn names_at(document: &mut Document, span: Span) -> Vec<String> {
    let ids = document.nodes_for(span);
    let nodes = ids.iter().skip(1).filter_map(|id| document.node(*id));
    nodes.map(|node| node.name.to_string()).collect()
}
