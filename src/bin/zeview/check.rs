//! `zeview check`: what the driver does with files, and what is wrong with them.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use zeview::decode::zebin::device::Device;
use zeview::model::json::{DiagnosticJson, FindingJson};
use zeview::model::text::{diagnostic_text, escaped, finding_text};
use zeview::model::{
    Coverage, Diagnostic, Document, Node, NodeId, Outcome, PathError, Rebuild, Severity, Verdict,
};

use crate::FileArgument;
use crate::input;
use crate::output::{Visible, complain};
use crate::parallel::in_order;
use crate::progress::Progress;

#[derive(Args)]
pub struct Options {
    /// The files; `-` reads standard input.
    #[arg(required = true)]
    files: Vec<FileArgument>,
    /// Print a JSON array with one object a file.
    #[arg(long)]
    json: bool,
    /// Check only this document within the file: names as the dump shows them, `[3]` for the
    /// entries of tables.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The device for the verdict, instead of the file's own: a name of the driver (`bmg-g21`),
    /// `arch.release.revision` (`20.1.0`), or the number (`0x05004000`).
    #[arg(long, value_name = "NAME", value_parser = device)]
    device: Option<String>,
}

/// A name that stands for a device.
fn device(name: &str) -> Result<String, String> {
    match Device::named(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err("there is no such device".to_owned()),
    }
}

/// Keys of [`Options::json`], one object a file.
#[derive(Serialize)]
struct FileJson<'a> {
    file: String,
    /// The document within the file that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// Null for a document within the file.
    format: Option<&'a str>,
    /// What the driver does with the file; null for containers and host programs.
    verdict: Option<Outcome>,
    /// There is no error in the diagnostics.
    well_formed: bool,
    driver: Option<&'a str>,
    device: Option<&'a str>,
    findings: Vec<FindingJson<'a>>,
    rebuild: Option<&'a Rebuild>,
    /// What the driver does with each of the documents in what holds files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<InnerJson<'a>>,
    /// Null for a document within the file.
    coverage: Option<Coverage>,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

/// Keys of an entry of [`FileJson::documents`].
#[derive(Serialize)]
struct InnerJson<'a> {
    path: &'a str,
    device: Option<&'a str>,
    verdict: Outcome,
    findings: Vec<FindingJson<'a>>,
}

/// At most so many documents in one file get a verdict: a library can have thousands.
const INNER: usize = 1024;

/// What the driver does with the documents in the file.
fn inner_verdicts(document: &mut Document, device: Option<&str>) -> Vec<(String, Verdict)> {
    let mut all = Vec::new();
    let spans: Vec<_> = document.documents().iter().copied().take(INNER).collect();
    for span in spans {
        let node = document.nodes_for(span).pop();
        let verdict = node.and_then(|node| document.verdict(node, device));
        if let Some(verdict) = verdict {
            all.push((document.path_of_span(span), verdict));
        }
    }
    all
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut status = 0;
    let mut separator = "\n";
    if options.json {
        out.write_all(b"[")?;
    }
    let progress = Progress::start();
    let count = options.files.len();
    in_order(
        count,
        |number| match options.files.get(number) {
            Some(file) => {
                progress.say(|| format!("checking {} ({} of {count})", file.display(), number + 1));
                check(file, options)
            }
            None => Ok(Checked::default()),
        },
        |number, checked| {
            let name = options.files.get(number).map(|file| file.display());
            match checked {
                Ok(checked) => {
                    if options.json {
                        out.write_all(separator.as_bytes())?;
                        separator = ",\n";
                    }
                    status = status.max(u8::from(!checked.good));
                    out.write_all(&checked.text)
                }
                Err(error) => {
                    complain!("{}: {error}", name.unwrap_or(Path::new("").display()));
                    status = 2;
                    Ok(())
                }
            }
        },
    )?;
    drop(progress);
    if options.json {
        out.write_all(b"\n]\n")?;
    }
    out.flush()?;
    Ok(ExitCode::from(status))
}

/// A file that was checked.
#[derive(Default)]
struct Checked {
    /// What is printed about it.
    text: Vec<u8>,
    /// It is well-formed, and the driver loads it.
    good: bool,
}

fn check(file: &Path, options: &Options) -> Result<Checked, Box<dyn Error + Send + Sync>> {
    let mut document = input::open(file)?;
    let part = Part::find(&mut document, options.path.as_deref()).map_err(|e| e.to_string())?;
    let device = options.device.as_deref();
    let verdict = document.verdict(part.id, device);
    let inner = match (&verdict, part.path) {
        (None, None) => inner_verdicts(&mut document, device),
        _ => Vec::new(),
    };
    let loads = match (&verdict, device) {
        (Some(verdict), _) => verdict.outcome.loads(),
        // A container is for a device if one of its images is.
        (None, Some(_)) => inner.is_empty() || inner.iter().any(|(_, v)| v.outcome.loads()),
        // Each image is judged on its own device.
        (None, None) => inner.iter().all(|(_, v)| v.outcome.loads()),
    };
    let name = file.display().to_string();
    let mut text = Vec::new();
    let (verdict, inner) = (verdict.as_ref(), inner.as_slice());
    match options.json {
        true => print_json(&mut document, &part, verdict, inner, name, &mut text)?,
        false => {
            let mut out = Visible::new(&mut text);
            print_text(&mut document, &part, verdict, inner, name, &mut out)?;
        }
    }
    Ok(Checked {
        text,
        good: loads && part.is_well_formed(),
    })
}

/// What is checked: the whole file, or a document within it.
struct Part<'a> {
    id: NodeId,
    path: Option<&'a str>,
    /// What was found in it.
    diagnostics: Vec<Diagnostic>,
    /// In a few words.
    title: String,
}

impl<'a> Part<'a> {
    fn find(document: &mut Document, path: Option<&'a str>) -> Result<Part<'a>, PathError> {
        let Some(path) = path else {
            let mut title = document.summary.title.to_string();
            for fact in document.summary.facts.iter().filter(|f| f.headline) {
                title.push_str(" · ");
                title.push_str(&fact.text);
            }
            return Ok(Part {
                id: NodeId::ROOT,
                path: None,
                diagnostics: document.diagnostics.clone(),
                title,
            });
        };
        let id = document.find(path)?;
        let node = document.node(id);
        let extent = node.and_then(Node::extent).unwrap_or_default();
        let title = node.and_then(|node| node.summary.clone());
        Ok(Part {
            id,
            path: Some(path),
            diagnostics: document.diagnostics_in(extent).cloned().collect(),
            title: title.unwrap_or_default().into_owned(),
        })
    }

    fn is_well_formed(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.all(|d| d.severity != Severity::Error)
    }
}

fn print_json(
    document: &mut Document,
    part: &Part<'_>,
    verdict: Option<&Verdict>,
    inner: &[(String, Verdict)],
    file: String,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let diagnostics = part
        .diagnostics
        .iter()
        .map(|diagnostic| DiagnosticJson::new(diagnostic, document.path_of(diagnostic)))
        .collect();
    let findings = verdict.map_or_else(Vec::new, |verdict| findings_json(document, verdict));
    let documents = inner
        .iter()
        .map(|(path, verdict)| InnerJson {
            path,
            device: verdict.device.as_deref(),
            verdict: verdict.outcome,
            findings: findings_json(document, verdict),
        })
        .collect();
    serde_json::to_writer(
        out,
        &FileJson {
            file,
            path: part.path,
            format: part.path.is_none().then_some(&*document.summary.format),
            verdict: verdict.map(|verdict| verdict.outcome),
            well_formed: part.is_well_formed(),
            driver: verdict.map(|verdict| &*verdict.driver),
            device: verdict.and_then(|verdict| verdict.device.as_deref()),
            findings,
            rebuild: verdict.and_then(|verdict| verdict.rebuild.as_ref()),
            documents,
            coverage: part.path.is_none().then_some(document.coverage),
            diagnostics,
        },
    )?;
    Ok(())
}

fn findings_json<'a>(document: &mut Document, verdict: &'a Verdict) -> Vec<FindingJson<'a>> {
    let findings = verdict.findings.iter().enumerate();
    findings
        .map(|(at, finding)| {
            let path = document.path_of_span(finding.span);
            FindingJson::new(finding, verdict.decisive == Some(at), path)
        })
        .collect()
}

fn print_text(
    document: &mut Document,
    part: &Part<'_>,
    verdict: Option<&Verdict>,
    inner: &[(String, Verdict)],
    file: String,
    out: &mut impl Write,
) -> io::Result<()> {
    let all = &part.diagnostics;
    let count = |severity| all.iter().filter(|d| d.severity == severity).count();
    let Coverage {
        padding,
        gap,
        overlap,
        ..
    } = document.coverage;
    match part.path {
        Some(path) => write!(out, "{}:{}: ", escaped(&file), escaped(path))?,
        None => write!(out, "{}: ", escaped(&file))?,
    }
    if let Some(verdict) = verdict {
        writeln!(out, "{}", verdict.headline())?;
        print_verdict(document, verdict, out)?;
        write!(out, "  ")?;
    }
    write!(
        out,
        "{} · {}, {} errors, {} warnings",
        escaped(&part.title),
        if part.is_well_formed() {
            "well-formed"
        } else {
            "malformed"
        },
        count(Severity::Error),
        count(Severity::Warning)
    )?;
    if part.path.is_none() {
        write!(
            out,
            " · bytes: {padding} padding, {gap} unexplained, {overlap} claimed twice"
        )?;
    }
    writeln!(out)?;
    for (path, verdict) in inner {
        writeln!(out, "  {}: {}", escaped(path), verdict.headline())?;
        print_verdict(document, verdict, out)?;
    }
    let indent = if verdict.is_some() { "    " } else { "  " };
    for diagnostic in all {
        let path = document.path_of(diagnostic);
        for line in diagnostic_text(diagnostic, &path).lines() {
            writeln!(out, "{indent}{line}")?;
        }
    }
    Ok(())
}

/// What the driver meets, and what could be done about it.
fn print_verdict(
    document: &mut Document,
    verdict: &Verdict,
    out: &mut impl Write,
) -> io::Result<()> {
    for finding in &verdict.findings {
        let path = document.path_of_span(finding.span);
        for line in finding_text(finding, &path).lines() {
            writeln!(out, "    {line}")?;
        }
    }
    match &verdict.rebuild {
        Some(rebuild) if !verdict.outcome.loads() => writeln!(out, "    {}", rebuild.text),
        _ => Ok(()),
    }
}
