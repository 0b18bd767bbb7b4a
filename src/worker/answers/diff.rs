//! Answers to requests about the comparison with another file.

use super::export::EXPORT_MAX;
use crate::diff::{Comparison, Options};
use crate::model::json::Versioned;
use crate::model::{Document, SourceId};
use crate::report::comparison::{counts, json, verdict_text, write_html, write_markdown};
use crate::worker::protocol::{CompareForm, CompareReport, Response};
use zeview_views::diff;

/// Compares a document with another file, or again with the same file; in that case the result also
/// locates the difference at index `keep`.
///
/// # Errors
///
/// If there is no previous comparison, as a message.
pub(crate) fn compare(
    document: &mut Document,
    base: Option<Document>,
    options: &Options,
    keep: Option<u64>,
) -> Result<Response, String> {
    let before = diff::comparison(document)
        .filter(|_| base.is_none())
        .cloned();
    let compared = match base {
        Some(base) => Some(diff::compare_with(document, base, options)),
        None => diff::compare_again(document, options),
    };
    let comparison = compared.ok_or(NONE)?;
    let kept = before.and_then(|before| comparison.find_again(&before, keep?));
    Ok(Response::Compared(Box::new(CompareReport {
        kept,
        ..report(&comparison)
    })))
}

const NONE: &str = "The file is not compared with another one.";

fn report(comparison: &Comparison) -> CompareReport {
    CompareReport {
        from: comparison.a.clone(),
        to: comparison.b.clone(),
        equal: comparison.equal,
        same_meaning: comparison.same_meaning(),
        differences: comparison.entries.len() as u64,
        verdict: verdict_text(comparison).into(),
        counts: counts(comparison).split_off(comparison.devices.len()),
        devices: comparison.by_device(),
        is_kernels_only: comparison.is_kernels_only,
        remarks: comparison.remarks.clone(),
        is_cut: comparison.is_cut,
        notes: comparison.notes.clone(),
        kept: None,
    }
}

/// Returns the indexes of the bytes that differ, one per file.
///
/// # Errors
///
/// If the file is not compared, as a message.
pub(crate) fn differing(document: &Document) -> Result<Response, String> {
    let differing = diff::differing_from_base(document).ok_or(NONE)?;
    Ok(Response::Differing(Box::new(differing)))
}

/// Finds the path of an unpacked source of the first file.
///
/// # Errors
///
/// If the file is not compared, as a message.
pub(crate) fn base_path(document: &Document, source: SourceId) -> Result<Response, String> {
    let base = diff::base(document).ok_or(NONE)?;
    let mut base = base.document.borrow_mut();
    let whole = base.sources.whole(source);
    let node = base.nodes_for(whole).last().copied();
    let node = node.filter(|id| base.node(*id).is_some_and(|node| node.span == Some(whole)));
    Ok(Response::BasePath(node.map(|id| base.path(id))))
}

/// Writes the whole comparison as text.
///
/// # Errors
///
/// If the file is not compared, or the text would be too long, as a message.
pub(crate) fn written(document: &Document, form: CompareForm) -> Result<Response, String> {
    let comparison = diff::comparison(document).ok_or(NONE)?;
    let mut out = Vec::new();
    let written = match form {
        CompareForm::Markdown => write_markdown(comparison, &mut out),
        CompareForm::Html => write_html(comparison, &mut out),
        CompareForm::Json => serde_json::to_writer(&mut out, &Versioned::new(json(comparison)))
            .map_err(std::io::Error::from),
    };
    written.map_err(|error| error.to_string())?;
    if out.len() > EXPORT_MAX {
        return Err("This comparison is too long. Use the command line: zeview diff.".to_owned());
    }
    String::from_utf8(out)
        .map(Response::Text)
        .map_err(|error| error.to_string())
}
