//! `zeview dump`: prints the whole tree as text or JSON.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use zeview::decode::limits;
use zeview::model::json::{self, DiagnosticJson, Versioned};
use zeview::model::text::{TextOptions, diagnostic_text, escaped, write_tree};
use zeview::model::{Coverage, Diagnostic, Document, Node, NodeId, Summary, is_pattern};

use crate::argument::{InputFile, Within, own_help};
use crate::files::Inputs;
use crate::output::{self, Text};
use crate::rows::Objects;
use crate::style;

/// Help of `--path`.
const PATH_HELP: &str = "Print only these parts: a path as `zeview ls` prints it, or a pattern: `*` and `?` \
    within a name, `**` for any number of names";

#[derive(Args)]
#[command(mut_args(own_help(&[("path", PATH_HELP)])))]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    /// Print a JSON object: schema, file, path (with --path), size, format, summary, coverage,
    /// tree, diagnostics, stopped (start and end, if the tree is incomplete). For a pattern, print
    /// an array of these.
    #[arg(long)]
    json: bool,
    /// Print only this many levels.
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
    #[command(flatten)]
    within: Within,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let file = &options.input.file;
    let mut inputs = Inputs::default();
    let Some(mut document) = inputs.open(file) else {
        return Ok(inputs.status());
    };
    let path = options.within.path.as_deref().unwrap_or("");
    let found = match document.find_all(path) {
        Ok(found) => found,
        Err(error) => {
            inputs.fail(file, &error);
            return Ok(inputs.status());
        }
    };
    let unlimited = output::unlimited();
    let mut json = match (options.json, is_pattern(path)) {
        (false, _) => None,
        (true, true) => Some(Objects::array(&unlimited)),
        (true, false) => Some(Objects::single(&unlimited)),
    };
    let mut text = output::text();
    let most = limits::output(document.root().span.map_or(0, |span| span.len()));
    let mut limit = Limit {
        left: most,
        stopped: None,
    };
    for (at, id) in found.into_iter().enumerate() {
        if limit.stopped.is_some() {
            break;
        }
        let node = document.node(id).unwrap_or(document.root()).clone();
        let findings = findings(&mut document, &node, id);
        let Some(json) = &mut json else {
            text.write_all(if at > 0 { b"\n" } else { b"" })?;
            print_text(&document, &node, &findings, options, &mut limit, &mut text)?;
            continue;
        };
        let path = options.within.path.as_ref().map(|_| document.path(id));
        json.write(|out| {
            print_json(
                &document,
                &node,
                path.as_deref(),
                &findings,
                options,
                &mut limit,
                out,
            )
        })?;
    }
    if let Some(json) = json {
        json.finish()?;
    }
    text.flush()?;
    if let Some(node) = limit.stopped {
        let place = location(&node);
        let problem = format!(
            "stopped {place}: the output is limited to {most} bytes; print parts of the tree with --path"
        );
        inputs.fail(file, &problem);
    }
    Ok(inputs.status())
}

/// Remaining output budget, and the first node that exceeded it.
struct Limit {
    left: u64,
    stopped: Option<Node>,
}

impl Limit {
    fn options(&self, options: &Options) -> TextOptions {
        TextOptions {
            depth: options.depth,
            limit: Some(self.left),
        }
    }
}

/// `at 0x40..0x80 (e_ident)`
fn location(node: &Node) -> String {
    let name = escaped(&node.name);
    match node.span {
        Some(span) => format!("at {:#x}..{:#x} ({name})", span.start, span.end),
        None => format!("at {name}"),
    }
}

/// Counts the bytes written.
struct CountingWriter<W> {
    out: W,
    count: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.count += bytes.len() as u64;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the diagnostics within a node, with their paths.
fn findings(document: &mut Document, node: &Node, id: NodeId) -> Vec<(Diagnostic, String)> {
    document.open_within(node.extent().unwrap_or_default());
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
    limit: &mut Limit,
    out: &mut Text,
) -> io::Result<()> {
    let colors = out.colors();
    let tree = limit.options(options);
    let mut dim = DimOffsets::new(out);
    let mut counted = CountingWriter {
        out: if colors {
            &mut dim as &mut dyn Write
        } else {
            &mut *dim.out
        },
        count: 0,
    };
    limit.stopped = write_tree(document, node, tree, &mut counted)?;
    limit.left = limit.left.saturating_sub(counted.count);
    if let Some(node) = &limit.stopped {
        writeln!(out, "stopped {}: the output is too long", location(node))?;
    }
    if !findings.is_empty() {
        writeln!(out)?;
    }
    for (diagnostic, path) in findings {
        let text = diagnostic_text(diagnostic, path);
        style::print_finding(&text, style::severity(diagnostic.severity), "", out)?;
    }
    Ok(())
}

/// Writer that dims the offsets and lengths of a tree.
struct DimOffsets<'a> {
    out: &'a mut Text,
    /// Start of a line whose end has not been written yet.
    partial: Vec<u8>,
}

impl DimOffsets<'_> {
    fn new(out: &mut Text) -> DimOffsets<'_> {
        DimOffsets {
            out,
            partial: Vec::new(),
        }
    }
}

impl Write for DimOffsets<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.extend_from_slice(bytes);
        let end = self.partial.iter().rposition(|byte| *byte == b'\n');
        let rest = self.partial.split_off(end.map_or(0, |end| end + 1));
        let whole = std::mem::replace(&mut self.partial, rest);
        for line in String::from_utf8_lossy(&whole).split_inclusive('\n') {
            // Two words with surrounding blanks.
            let after_word = |from: usize| {
                let rest = line.get(from..).unwrap_or("");
                let word = rest.len() - rest.trim_start().len();
                let end = rest.get(word..).and_then(|rest| rest.find(' '));
                from + word + end.unwrap_or(0)
            };
            let (place, rest) = line.split_at(after_word(after_word(0)));
            self.out.paint(style::DIM, place)?;
            self.out.write_all(rest.as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The bytes of the node at which the output stopped.
#[derive(Serialize)]
struct Stopped {
    start: Option<u64>,
    end: Option<u64>,
}

/// JSON members before the tree, which is streamed.
#[derive(Serialize)]
struct DumpHeader<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    size: u64,
    format: &'a str,
    summary: &'a Summary,
    coverage: Coverage,
}

fn print_json(
    document: &Document,
    node: &Node,
    path: Option<&str>,
    findings: &[(Diagnostic, String)],
    options: &Options,
    limit: &mut Limit,
    out: &mut impl Write,
) -> io::Result<()> {
    let head = Versioned::new(DumpHeader {
        path,
        file: &document.root().name,
        size: document.root().span.map_or(0, |s| s.len()),
        format: &document.summary.format,
        summary: &document.summary,
        coverage: document.coverage,
    });
    let head = serde_json::to_string(&head)?;
    // Leave the object open: the remaining members are long and streamed.
    let head = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{head},\"tree\":")?;
    let mut counted = CountingWriter {
        out: &mut *out,
        count: 0,
    };
    limit.stopped = json::write_tree(document, node, limit.options(options), &mut counted)?;
    limit.left = limit.left.saturating_sub(counted.count);
    let findings: Vec<_> = findings
        .iter()
        .map(|(diagnostic, path)| DiagnosticJson::new(diagnostic, path.clone()))
        .collect();
    let findings = serde_json::to_string(&findings)?;
    write!(out, ",\"diagnostics\":{findings}")?;
    if let Some(span) = limit.stopped.as_ref().map(|node| node.span) {
        let (start, end) = span.map_or((None, None), |span| (Some(span.start), Some(span.end)));
        let stopped = serde_json::to_string(&Stopped { start, end })?;
        write!(out, ",\"stopped\":{stopped}")?;
    }
    write!(out, "}}")
}
