//! What requests about the verdict are answered.

use super::handler::{Answer, PATHS_MAX, failed};
use super::protocol::{Judged, Response};
use crate::decode::rules;
use crate::model::{Document, NodeId, Span};

/// What the driver does with a document, on a device or on its own.
pub(super) fn verdict(document: &mut Document, id: NodeId, device: Option<&str>) -> Answer {
    let devices = document.devices(id);
    let Some(verdict) = document.verdict(id, device) else {
        return match device {
            Some(name) if !devices.is_empty() => failed(format!("There is no device “{name}”.")),
            _ => Response::Verdict(None).into(),
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
    Response::Rules(rules::all().map(rules::Rule::info).collect()).into()
}
