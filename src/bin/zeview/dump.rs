//! `zeview dump`: the whole tree as text or JSON.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use zeview::model::json::{self, DiagnosticJson};
use zeview::model::text::{TextOptions, diagnostic_text, write_tree};
use zeview::model::{Coverage, Diagnostic, Document, Node, NodeId, Summary};

use crate::FileArgument;
use crate::input;
use crate::output::{self, complain};
use crate::progress::Progress;

#[derive(Args)]
pub struct Options {
    /// The file; `-` reads standard input.
    file: FileArgument,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print so many levels only.
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
    /// Print this part only: names as the dump shows them, `[3]` for the entries of tables.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let progress = Progress::start();
    progress.say(|| format!("decoding {}", options.file.display()));
    let mut document = match input::open(&options.file) {
        Ok(document) => document,
        Err(error) => {
            complain!("{}: {error}", options.file.display());
            return Ok(ExitCode::from(2));
        }
    };
    drop(progress);
    let id = match document.find(options.path.as_deref().unwrap_or("")) {
        Ok(id) => id,
        Err(error) => {
            complain!("{}: {error}", options.file.display());
            return Ok(ExitCode::from(2));
        }
    };
    let node = document.node(id).unwrap_or(document.root()).clone();
    let findings = findings(&mut document, &node, id);
    if options.json {
        let mut out = output::raw();
        print_json(&document, &node, &findings, options, &mut out)?;
        out.flush()?;
    } else {
        let mut out = output::text();
        print_text(&document, &node, &findings, options, &mut out)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The diagnostics within a node, with their paths.
fn findings(document: &mut Document, node: &Node, id: NodeId) -> Vec<(Diagnostic, String)> {
    let all: Vec<Diagnostic> = match node.extent() {
        _ if id == NodeId::ROOT => document.diagnostics.clone(),
        Some(extent) => document.diagnostics_in(extent).cloned().collect(),
        None => Vec::new(),
    };
    all.into_iter()
        .map(|diagnostic| {
            let path = document.path_of(&diagnostic);
            (diagnostic, path)
        })
        .collect()
}

fn print_text(
    document: &Document,
    node: &Node,
    findings: &[(Diagnostic, String)],
    options: &Options,
    out: &mut impl Write,
) -> io::Result<()> {
    let depth = options.depth;
    write_tree(document, node, TextOptions { depth }, out)?;
    if !findings.is_empty() {
        writeln!(out)?;
    }
    for (diagnostic, path) in findings {
        out.write_all(diagnostic_text(diagnostic, path).as_bytes())?;
    }
    Ok(())
}

/// All but the tree, which is written as it is made.
#[derive(Serialize)]
struct Head<'a> {
    file: &'a str,
    size: u64,
    format: &'a str,
    summary: &'a Summary,
    coverage: Coverage,
}

fn print_json(
    document: &Document,
    node: &Node,
    findings: &[(Diagnostic, String)],
    options: &Options,
    out: &mut impl Write,
) -> io::Result<()> {
    let head = serde_json::to_string(&Head {
        file: &document.root().name,
        size: document.root().span.map_or(0, |s| s.len()),
        format: &document.summary.format,
        summary: &document.summary,
        coverage: document.coverage,
    })?;
    // The object goes on: its last members are long.
    let head = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{head},\"tree\":")?;
    json::write_tree(document, node, options.depth, out)?;
    let findings: Vec<_> = findings
        .iter()
        .map(|(diagnostic, path)| DiagnosticJson::new(diagnostic, path.clone()))
        .collect();
    writeln!(
        out,
        ",\"diagnostics\":{}}}",
        serde_json::to_string(&findings)?
    )
}
