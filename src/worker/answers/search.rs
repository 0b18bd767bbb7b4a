//! Answers to [`Request::Search`](crate::worker::protocol::Request::Search).
//!
//! Kernels come first, found by their mangled and demangled names, then the nodes of the tree.

use std::collections::HashMap;

use super::list::Lists;
use crate::model::{Document, Hit, NodeId, Query, Search, Span};
use crate::tables::{Cell, CellValue, List, ListId};
use crate::worker::handler::HITS_MAX;
use crate::worker::protocol::{HitRow, Response, SearchStep};

/// Share of a search's progress that the kernels of a container take, in percent.
const KERNELS_SHARE: u64 = 50;
/// Maximum length of a hit's text, and of the part before the match, in bytes.
const TEXT_MAX: usize = 120;
const TEXT_BEFORE: usize = 32;

/// The search in progress.
#[derive(Default)]
pub(crate) struct Searching(Option<SearchState>);

struct SearchState {
    typed: String,
    /// The matching kernels; `None` until all kernels are read.
    kernels: Option<Vec<HitRow>>,
    search: Search,
}

impl Searching {
    /// Runs a step of a search. Starts over if the query differs from the previous one.
    pub(crate) fn answer(
        &mut self,
        document: &mut Document,
        lists: &mut Lists,
        (typed, limit): (&str, u32),
        step: SearchStep,
    ) -> Response {
        let Some(query) = Query::parse(typed) else {
            return Response::Hits {
                hits: Vec::new(),
                more: false,
            };
        };
        let limit = usize::try_from(limit).unwrap_or(HITS_MAX).min(HITS_MAX);
        let known = self.0.take();
        let known = known.filter(|known| step != SearchStep::Begin && known.typed == typed);
        let mut known = known.unwrap_or_else(|| SearchState {
            typed: typed.to_owned(),
            kernels: None,
            search: Search::new(query.clone(), limit),
        });
        let is_stopped = step == SearchStep::Stop;
        if known.kernels.is_none() {
            let text = match &query {
                Query::Text(text) => text.as_str(),
                Query::Bytes(_) => "",
            };
            let reading = match text {
                "" => None,
                _ => lists.read_kernels(document, NodeId::ROOT, false),
            };
            let reading = reading.filter(|progress| !progress.is_over() && !is_stopped);
            if let Some(progress) = reading {
                let percent = KERNELS_SHARE * progress.done / progress.of.max(1);
                self.0 = Some(known);
                return Response::Searching {
                    percent: u8::try_from(percent).unwrap_or(0),
                };
            }
            known.kernels = Some(match text {
                "" => Vec::new(),
                text => kernels(document, lists, text, limit),
            });
        }
        if !is_stopped && !known.search.step(document) {
            let percent = u64::from(known.search.percent());
            let percent = if document.summary.has.host {
                KERNELS_SHARE + percent * (100 - KERNELS_SHARE) / 100
            } else {
                percent
            };
            self.0 = Some(known);
            return Response::Searching {
                percent: u8::try_from(percent).unwrap_or(100),
            };
        }
        let (found, is_cut) = known.search.found();
        let mut hits = known.kernels.unwrap_or_default();
        let row = |hit: Hit| HitRow {
            span: hit.span,
            path: match &query {
                // Every path starts with the opened file.
                Query::Text(_) => hit.path.into_iter().skip(1).collect(),
                Query::Bytes(_) => names_at(document, hit.span),
            },
            text: match &query {
                Query::Text(text) => around(&hit.text, text),
                Query::Bytes(_) => hit.text,
            },
        };
        hits.extend(found.into_iter().map(row));
        let more = is_cut || hits.len() > limit;
        hits.truncate(limit);
        Response::Hits { hits, more }
    }
}

/// Returns the kernels whose names contain a text: each once, with its devices.
fn kernels(document: &mut Document, lists: &mut Lists, text: &str, limit: usize) -> Vec<HitRow> {
    let Some(list) = lists.known(document, NodeId::ROOT, ListId::Kernels) else {
        return Vec::new();
    };
    let list: &dyn List = &*list;
    let column = |id: &str| {
        let mut columns = list.id().columns().iter();
        columns.position(|column| column.id == id).unwrap_or(0)
    };
    let (name, device) = (column("name"), column("device"));
    let mut found: Vec<HitRow> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for row in 0..list.primary() {
        let cell = list.cell(row, name, &document.sources);
        let Some((own, title)) = matching(&cell, text) else {
            continue;
        };
        let device = list.cell(row, device, &document.sources).value;
        let device = device.text().into_owned();
        if let Some(hit) = places.get(own).and_then(|at| found.get_mut(*at)) {
            if !device.is_empty() && !hit.path.contains(&device) {
                hit.path.push(device);
            }
            continue;
        }
        let Some(span) = list.entry(row, &document.sources) else {
            continue;
        };
        if found.len() >= limit {
            break;
        }
        places.insert(own.to_owned(), found.len());
        found.push(HitRow {
            span,
            path: std::iter::once("kernel".to_owned())
                .chain(Some(device).filter(|device| !device.is_empty()))
                .collect(),
            text: title,
        });
    }
    found
}

/// Returns the name of a kernel and an excerpt of it, if one of its forms contains a text in lower
/// case.
fn matching<'a>(cell: &'a Cell<'_>, text: &str) -> Option<(&'a str, String)> {
    let CellValue::Name {
        name,
        demangled,
        short,
    } = &cell.value
    else {
        return None;
    };
    let forms = [short.as_deref(), demangled.as_deref(), Some(&**name)];
    let mut forms = forms.into_iter().flatten();
    let form = forms.find(|form| form.to_lowercase().contains(text))?;
    Some((name, around(form, text)))
}

/// Returns an excerpt of a text around the match.
fn around(text: &str, typed: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_owned();
    }
    // If lower case changes the length of the text, show its start.
    let lower = text.to_ascii_lowercase();
    let at = lower.find(&typed.to_ascii_lowercase()).unwrap_or(0);
    let mut start = at.saturating_sub(TEXT_BEFORE);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let end = start.saturating_add(TEXT_MAX.max(TEXT_BEFORE + typed.len()));
    let mut end = end.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let [before, after] = [(start > 0), (end < text.len())].map(|cut| if cut { "…" } else { "" });
    format!("{before}{}{after}", text.get(start..end).unwrap_or(text))
}

fn names_at(document: &mut Document, span: Span) -> Vec<String> {
    let ids = document.nodes_for(span);
    let nodes = ids.iter().skip(1).filter_map(|id| document.node(*id));
    nodes.map(|node| node.name.to_string()).collect()
}
