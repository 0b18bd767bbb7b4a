//! What requests about the verdict are answered.

use super::answer::{Answer, PATHS_MAX, failed};
use super::protocol::{Judged, Response};
use crate::decode::rule::Rule;
use crate::decode::rules;
use crate::model::{Document, NodeId, Span};

/// What the driver does with a document, on a device or on its own.
pub(super) fn verdict(document: &mut Document, id: NodeId, device: Option<&str>) -> Answer {
    let devices = document.devices();
    let Some(verdict) = document.verdict(id, device) else {
        return match device.filter(|_| document.is_loadable(id)) {
            Some(name) => failed(format!("There is no device “{name}”.")),
            None => Response::Verdict(None).into(),
        };
    };
    let spans: Vec<Span> = verdict.findings.iter().map(|found| found.span).collect();
    let paths = spans
        .into_iter()
        .take(PATHS_MAX)
        .map(|span| document.path_of_span(span))
        .collect();
    Response::Verdict(Some(Box::new(Judged {
        verdict,
        paths,
        devices,
    })))
    .into()
}

/// Every rule.
pub(super) fn rules() -> Answer {
    Response::Rules(rules::all().map(Rule::info).collect()).into()
}
