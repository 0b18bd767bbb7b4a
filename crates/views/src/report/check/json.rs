//! Output of `zeview check --json`.

use std::io;

use serde::Serialize;

use super::{ImageChoice, VerdictRow, path_of};
use zeview_core::analysis::package::PackageAccount;
use zeview_core::analysis::{ApiVerdict, Import, Rebuild, Verdict};
use zeview_core::model::json::{DiagnosticJson, FindingJson, SCHEMA};
use zeview_core::model::{Coverage, Diagnostic, Document, Finding, NodeId, Outcome};

/// JSON object of a file, or of a document selected with `--path`.
#[derive(Serialize)]
struct FileJson<'a> {
    schema: u32,
    file: &'a str,
    /// Path of the selected document within the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// Null for a document within the file.
    format: Option<&'a str>,
    /// The driver's verdict; null for containers, host programs and unknown formats.
    verdict: Option<Outcome>,
    /// Whether the diagnostics contain no error; null for unknown formats, and if there is none in
    /// what was read, but not everything was.
    well_formed: Option<bool>,
    driver: Option<&'a str>,
    device: Option<&'a str>,
    findings: Vec<FindingJson<'a>>,
    /// OpenCL's verdict; the keys before it are Level Zero's. Null without a verdict.
    opencl: Option<OpenclJson<'a>>,
    /// The release of the driver that the file needs.
    needs_driver: Option<NeededJson<'a>>,
    /// Symbols that other modules must define.
    #[serde(skip_serializing_if = "<[Import]>::is_empty")]
    imports: &'a [Import],
    rebuild: Option<&'a Rebuild>,
    /// With --device: the images of a container that run on the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<ChoiceJson<'a>>,
    /// The driver's verdict on each image of a container.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<InnerJson<'a>>,
    /// The diagnostics about bytes that were not read.
    unread: Vec<DiagnosticJson<'a>>,
    /// For a package: its files, by what was read of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<PackageAccount>,
    /// Null for a document within the file.
    coverage: Option<Coverage>,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

/// Value of `opencl`.
#[derive(Serialize)]
struct OpenclJson<'a> {
    verdict: Outcome,
    findings: Vec<FindingJson<'a>>,
}

impl<'a> OpenclJson<'a> {
    fn new(document: &mut Document, verdict: &'a Verdict) -> OpenclJson<'a> {
        let ApiVerdict {
            outcome,
            decisive,
            findings,
        } = &verdict.opencl;
        OpenclJson {
            verdict: *outcome,
            findings: findings_json(document, findings, *decisive),
        }
    }
}

/// Value of `needs_driver`.
#[derive(Serialize)]
struct NeededJson<'a> {
    release: &'a str,
    version: &'a str,
    /// The key or value that needs it.
    key: &'a str,
}

impl<'a> NeededJson<'a> {
    fn new(verdict: &'a Verdict) -> Option<NeededJson<'a>> {
        let needed = verdict.needs_driver.as_ref()?;
        Some(NeededJson {
            release: &needed.release,
            version: &needed.version,
            key: &needed.word,
        })
    }
}

/// Entry of [`FileJson::documents`].
#[derive(Serialize)]
struct InnerJson<'a> {
    path: &'a str,
    device: Option<&'a str>,
    verdict: Outcome,
    findings: Vec<FindingJson<'a>>,
    opencl: OpenclJson<'a>,
    needs_driver: Option<NeededJson<'a>>,
    #[serde(skip_serializing_if = "<[Import]>::is_empty")]
    imports: &'a [Import],
}

/// Value of [`FileJson::choice`].
#[derive(Serialize)]
struct ChoiceJson<'a> {
    device: &'a str,
    verdict: Outcome,
    opencl: OutcomeJson,
    rule: &'a str,
    first_use: FirstUseJson,
    images: Vec<PickJson<'a>>,
}

/// Value of [`ChoiceJson::first_use`]: the kernels that are compiled at first use.
#[derive(Serialize)]
struct FirstUseJson {
    kernels: u64,
    of: u64,
    images: u64,
    /// Their size in the file, in bytes.
    bytes: u64,
    /// Number of images whose kernels are unknown.
    unlisted: u64,
}

/// An outcome in OpenCL, without findings.
#[derive(Serialize)]
struct OutcomeJson {
    verdict: Outcome,
}

/// Entry of [`ChoiceJson::images`].
#[derive(Serialize)]
struct PickJson<'a> {
    path: &'a str,
    chosen: bool,
    /// Null if it is not chosen.
    verdict: Option<Outcome>,
    opencl: Option<OutcomeJson>,
    reason: &'a str,
}

impl<'a> ChoiceJson<'a> {
    fn new(of: &'a ImageChoice) -> ChoiceJson<'a> {
        let ImageChoice {
            images,
            choice,
            first_use,
        } = of;
        let picks = images.list.iter().zip(&choice.picks);
        ChoiceJson {
            device: &choice.device,
            verdict: choice.outcome,
            opencl: OutcomeJson {
                verdict: choice.opencl,
            },
            rule: &choice.rule,
            first_use: FirstUseJson {
                kernels: first_use.kernels.len() as u64,
                of: first_use.of,
                images: first_use.images,
                bytes: first_use.bytes,
                unlisted: first_use.unlisted,
            },
            images: picks
                .map(|(image, pick)| PickJson {
                    path: &image.path,
                    chosen: pick.is_chosen,
                    verdict: pick.outcome,
                    opencl: pick.opencl.map(|verdict| OutcomeJson { verdict }),
                    reason: &pick.why,
                })
                .collect(),
        }
    }
}

/// Writes the JSON object of a file; `file` is its name.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn file_json(
    document: &mut Document,
    judged: &VerdictRow,
    file: &str,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let diagnostics = judged
        .diagnostics
        .iter()
        .map(|diagnostic| {
            DiagnosticJson::new(diagnostic, path_of(document, diagnostic.primary.span))
        })
        .collect();
    let all = judged.diagnostics.iter();
    let unread: Vec<&Diagnostic> = all
        .filter(|found| document.is_about_unread(found))
        .collect();
    let unread = unread.into_iter().map(|found| {
        let path = path_of(document, found.primary.span);
        DiagnosticJson::new(found, path)
    });
    let unread = unread.collect();
    let verdict = judged.verdict.as_ref();
    let findings = verdict.map_or_else(Vec::new, |verdict| {
        findings_json(document, &verdict.findings, verdict.decisive)
    });
    let opencl = verdict.map(|verdict| OpenclJson::new(document, verdict));
    let documents = judged
        .inner
        .iter()
        .map(|(path, verdict)| InnerJson {
            path,
            device: verdict.device.as_deref(),
            verdict: verdict.outcome,
            findings: findings_json(document, &verdict.findings, verdict.decisive),
            opencl: OpenclJson::new(document, verdict),
            needs_driver: NeededJson::new(verdict),
            imports: &verdict.imports,
        })
        .collect();
    let is_whole = judged.path.is_none();
    serde_json::to_writer(
        out,
        &FileJson {
            schema: SCHEMA,
            file,
            path: judged.path.as_deref(),
            format: is_whole.then_some(&*document.summary.format),
            verdict: verdict.map(|verdict| verdict.outcome),
            well_formed: judged.is_well_formed(),
            driver: verdict.map(|verdict| &*verdict.driver),
            device: verdict.and_then(|verdict| verdict.device.as_deref()),
            findings,
            opencl,
            needs_driver: verdict.and_then(NeededJson::new),
            imports: verdict.map_or(&[], |verdict| &verdict.imports),
            rebuild: verdict.and_then(|verdict| verdict.rebuild.as_ref()),
            choice: judged.choice.as_ref().map(ChoiceJson::new),
            documents,
            unread,
            files: judged.files,
            coverage: is_whole.then_some(document.coverage),
            diagnostics,
        },
    )?;
    Ok(())
}

/// Writes the problems of a file and of all documents in it as a JSON array, each as in [`file_json`].
///
/// # Errors
///
/// If writing to `out` fails.
pub fn problems_json(document: &mut Document, out: &mut Vec<u8>) -> io::Result<()> {
    document.open_files(NodeId::ROOT);
    document.open_all();
    let diagnostics = document.diagnostics.clone();
    let all = diagnostics.iter().map(|diagnostic| {
        let path = path_of(document, diagnostic.primary.span);
        DiagnosticJson::new(diagnostic, path)
    });
    let all: Vec<DiagnosticJson<'_>> = all.collect();
    serde_json::to_writer(out, &all)?;
    Ok(())
}

fn findings_json<'a>(
    document: &mut Document,
    findings: &'a [Finding],
    decisive: Option<usize>,
) -> Vec<FindingJson<'a>> {
    let findings = findings.iter().enumerate();
    findings
        .map(|(at, finding)| {
            let path = path_of(document, finding.span);
            FindingJson::new(finding, decisive == Some(at), path)
        })
        .collect()
}
