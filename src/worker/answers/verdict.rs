//! Answers to requests about the verdict.

use crate::analysis::survey::Progress;
use crate::decode::demangle::demangle;
use crate::decode::device::Device;
use crate::decode::device::names::unknown_device;
use crate::decode::rule::Rule;
use crate::decode::{self, rules};
use crate::model::{Document, Fact, NodeId, Span, Summary};
use crate::tables;
use crate::tables::ListId;
use crate::worker::handler::{Answer, PATHS_MAX, failed};
use crate::worker::protocol::{
    FIRST_USED_MAX, ImagePick, ImagesReport, PICKS_MAX, Response, VerdictReport,
};

/// Predicts what the driver does with a document on a device, by default its own. For a container,
/// reports which images run on the device. `unread` is the progress of reading the files of a package
/// that are not all read.
pub(crate) fn verdict(
    document: &mut Document,
    id: NodeId,
    device: Option<&str>,
    unread: Option<Progress>,
) -> Answer {
    let mut report = VerdictReport {
        summary: summary(document, id),
        device: document.image_text(id).1,
        ..VerdictReport::default()
    };
    let is_known = if document.is_loadable(id) {
        report.verdict = document.verdict(id, device);
        report.verdict.is_some()
    } else {
        report.images = tables::has_list(document, id, ListId::Images)
            .then(|| images(document, id, device, unread));
        let images = report.images.as_ref();
        images.is_none_or(|images| images.device.is_some() == device.is_some())
    };
    if let Some(name) = device.filter(|_| !is_known) {
        return failed(unknown_device(name));
    }
    let findings = report.verdict.iter().flat_map(|verdict| &verdict.findings);
    let spans: Vec<Span> = findings.map(|found| found.span).take(PATHS_MAX).collect();
    let paths = spans.into_iter().map(|span| document.path_of_span(span));
    report.paths = paths.collect();
    Response::Verdict(Box::new(report)).into()
}

/// Reports the images of a container and which of them run on the device. Ignores unknown devices.
fn images(
    document: &mut Document,
    id: NodeId,
    device: Option<&str>,
    unread: Option<Progress>,
) -> ImagesReport {
    let images = match device {
        Some(_) => document.images_to_choose(id),
        None => document.images(id),
    };
    let mut report = ImagesReport {
        count: images.list.len() as u64 + images.left_out,
        // Whether there are images or not.
        device: device
            .and_then(Device::named)
            .map(|known| known.name().into()),
        unread,
        ..ImagesReport::default()
    };
    let Some(choice) = device.and_then(|device| document.choice(&images, device)) else {
        return report;
    };
    // Images of files that were not read may have native code of the same kernels.
    if unread.is_none() {
        let first_use = document.first_use(&images, &choice);
        report.first_use = first_use.text().unwrap_or_default();
        report.compiled = first_use.kernels.len() as u64;
        let names = first_use.kernels.iter().take(FIRST_USED_MAX);
        let names =
            names.map(|name| demangle(name).map_or_else(|| name.clone(), |text| text.to_string()));
        report.first_used = names.collect();
    }
    let mut places: Vec<usize> = choice.chosen().collect();
    report.chosen = places.len() as u64;
    // No image runs on the device: the first one shows why.
    if places.is_empty() {
        places.push(0);
    }
    let picks = places.into_iter().take(PICKS_MAX);
    let picks = picks.filter_map(|at| images.list.get(at).zip(choice.picks.get(at)));
    report.first = picks
        .map(|(image, pick)| ImagePick {
            name: image.name.clone(),
            span: image.span,
            outcome: pick.outcome,
            why: pick.why.clone(),
        })
        .collect();
    report.device = Some(choice.device);
    report.outcome = Some(choice.outcome);
    report.opencl = Some(choice.opencl);
    report.rule = choice.rule;
    report
}

/// Returns the summary of a document within the file. Returns only the cached one if the document
/// may contain others, because summarizing it would open them.
fn summary(document: &Document, id: NodeId) -> Option<Summary> {
    let span = document.node(id).filter(|_| id != NodeId::ROOT)?.span?;
    let inner = document.inner_document(span)?;
    if inner.has.kernels || inner.format == "opencl-elf" {
        return Some(decode::summary(&document.sources, span));
    }
    let target = inner.target.iter();
    let facts = target.map(|target| Fact::new(Fact::TARGET, target.clone(), None).headline());
    let summary = Summary::new("", inner.title.clone(), facts.collect());
    Some(summary.with(inner.has))
}

/// Returns all rules.
pub(crate) fn rules() -> Answer {
    Response::Rules(rules::all().map(Rule::info).collect()).into()
}
