//! Documents as JSON: the output of `zeview dump --json` and of the page's export.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::Finding;
use super::diagnostic::Diagnostic;
use super::document::{Document, PAGE};
use super::node::{Node, NodeId, NodeKind};
use super::span::{SourceId, Span};
use super::text::{TextOptions, value_text};
use super::value::Value;

/// Version of the JSON keys' meaning, as `schema` in every exported object. Increment it when the
/// meaning of a key changes, or a key is removed.
pub const SCHEMA: u32 = 1;

/// A JSON object of the command line: `schema`, and the members of another object.
#[derive(Debug, Serialize)]
pub struct Versioned<T> {
    schema: u32,
    #[serde(flatten)]
    object: T,
}

impl<T: Serialize> Versioned<T> {
    /// Adds the version to an object.
    pub fn new(object: T) -> Versioned<T> {
        Versioned {
            schema: SCHEMA,
            object,
        }
    }
}

/// The text around the elements of a JSON array that is written element by element, one to a line.
#[derive(Debug, Default, Clone, Copy)]
pub struct ArrayFrame {
    has_elements: bool,
}

impl ArrayFrame {
    /// Returns the text before the next element.
    pub fn before(&mut self) -> &'static str {
        if std::mem::replace(&mut self.has_elements, true) {
            ",\n"
        } else {
            "[\n"
        }
    }

    /// Returns the text after the last element.
    pub fn end(self) -> &'static str {
        if self.has_elements { "\n]\n" } else { "[]\n" }
    }
}

/// Serializes the items of an iterator as an array, without collecting them.
#[derive(Debug)]
pub struct Items<F>(pub F);

impl<F, I> Serialize for Items<F>
where
    F: Fn() -> I,
    I: IntoIterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// Writes a node and everything below it as one JSON object. Returns the first node that the limit
/// leaves out.
///
/// Its members: `name`, `kind`, `start` and `end` (bytes of the file; absent for derived values),
/// `source` (if it is not the file), `head` (the start of the head, if it is not empty), `bits`,
/// `value` (number, text or boolean; absent for bytes), `symbol`, `flags`, `text` (the value as
/// `dump` prints it), `summary`, `refs`, `children` (without defaults of absent values).
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_tree(
    document: &Document,
    node: &Node,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<Option<Node>> {
    let mut printer = Printer {
        document,
        left: options.limit.unwrap_or(u64::MAX),
        left_out: None,
        out,
    };
    printer.node(node, options.depth, true)?;
    Ok(printer.left_out)
}

struct Printer<'a> {
    document: &'a Document,
    left: u64,
    left_out: Option<Node>,
    out: &'a mut dyn Write,
}

impl Write for Printer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.saturating_sub(bytes.len() as u64);
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Printer<'_> {
    fn node(&mut self, node: &Node, depth: Option<usize>, is_root: bool) -> io::Result<()> {
        fields(self, node)?;
        let count = if is_root {
            self.document.count(node)
        } else {
            self.document.walked_children(node)
        };
        if count > 0 && depth != Some(0) {
            self.write_all(b",\"children\":[")?;
            self.children(node, count, depth.map(|d| d - 1))?;
            self.write_all(b"]")?;
        }
        self.write_all(b"}")
    }

    fn children(&mut self, node: &Node, count: u64, depth: Option<usize>) -> io::Result<()> {
        let document = self.document;
        let mark = document.registry.mark();
        let mut at = 0;
        while at < count && self.left_out.is_none() {
            let end = count.min(at + PAGE);
            for child in document.make(node, at..end) {
                if child.is_default() || self.left_out.is_some() {
                    continue;
                }
                if self.left == 0 {
                    self.left_out = Some(child);
                    continue;
                }
                if child.index > 0 {
                    self.write_all(b",")?;
                }
                self.node(&child, depth, false)?;
            }
            at = end;
        }
        document.registry.release(mark);
        Ok(())
    }
}

/// Writes the members of a node's object, except for its children.
fn fields(out: &mut dyn Write, node: &Node) -> io::Result<()> {
    out.write_all(b"{\"name\":")?;
    string(out, &node.name)?;
    out.write_all(b",\"kind\":")?;
    string(out, kind_name(node.kind))?;
    if node.indexed {
        write!(out, ",\"index\":{}", node.index)?;
    }
    if let Some(span) = node.span {
        write!(out, ",\"start\":{},\"end\":{}", span.start, span.end)?;
        if span.source != SourceId::FILE {
            write!(out, ",\"source\":{}", span.source.0)?;
        }
        if node.head > 0 {
            write!(
                out,
                ",\"head\":{}",
                span.start.saturating_sub(node.head.into())
            )?;
        }
    }
    if let Some(bits) = node.bits {
        let ends = bits.stretches().map(|(low, high)| format!("{low},{high}"));
        let ends: Vec<String> = ends.collect();
        write!(out, ",\"bits\":[{}]", ends.join(","))?;
    }
    value(out, &node.value)?;
    if let Some(summary) = &node.summary {
        out.write_all(b",\"summary\":")?;
        string(out, summary)?;
    }
    refs(out, node)
}

fn value(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::None | Value::Bytes => return Ok(()),
        Value::Unsigned { raw, symbol, .. } => {
            write!(out, ",\"value\":{raw}")?;
            if let Some(symbol) = symbol {
                out.write_all(b",\"symbol\":")?;
                string(out, symbol)?;
            }
        }
        Value::Signed { raw, .. } => write!(out, ",\"value\":{raw}")?,
        Value::Float(number) => {
            out.write_all(b",\"value\":")?;
            serde_json::to_writer(&mut *out, number)?;
        }
        Value::Bool(yes) => write!(out, ",\"value\":{yes}")?,
        Value::Flags { raw, set, .. } => {
            write!(out, ",\"value\":{raw},\"flags\":")?;
            serde_json::to_writer(&mut *out, set)?;
        }
        Value::Text { text, lossy } => {
            out.write_all(b",\"value\":")?;
            string(out, text)?;
            if *lossy {
                out.write_all(b",\"lossy\":true")?;
            }
            return Ok(());
        }
    }
    out.write_all(b",\"text\":")?;
    string(out, &value_text(value))
}

fn refs(out: &mut dyn Write, node: &Node) -> io::Result<()> {
    if node.xrefs.is_empty() {
        return Ok(());
    }
    out.write_all(b",\"refs\":")?;
    let refs: Vec<_> = node
        .xrefs
        .iter()
        .map(|x| Reference {
            why: &x.why,
            label: &x.label,
            span: x.to.into(),
        })
        .collect();
    serde_json::to_writer(out, &refs)?;
    Ok(())
}

#[derive(Serialize)]
struct Reference<'a> {
    why: &'a str,
    label: &'a str,
    #[serde(flatten)]
    span: SpanJson,
}

fn string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text)?;
    Ok(())
}

/// Returns the name of a kind in JSON: `field`, `record` …
pub fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => "file",
        NodeKind::Record => "record",
        NodeKind::Field => "field",
        NodeKind::Table => "table",
        NodeKind::Item => "item",
        NodeKind::Instruction => "instruction",
        NodeKind::Mapping => "mapping",
        NodeKind::Sequence => "sequence",
        NodeKind::Text => "text",
        NodeKind::Blob => "blob",
        NodeKind::Packed => "packed",
        NodeKind::Syntax => "syntax",
        NodeKind::Padding => "padding",
        NodeKind::Gap => "gap",
        NodeKind::Derived => "derived",
    }
}

/// Bytes in the JSON of the command line: `start`, `end`, and `source` if it is not the file.
#[derive(Debug, Serialize)]
pub struct SpanJson {
    start: u64,
    end: u64,
    #[serde(skip_serializing_if = "is_file")]
    source: u32,
}

impl From<Span> for SpanJson {
    fn from(span: Span) -> SpanJson {
        SpanJson {
            start: span.start,
            end: span.end,
            source: span.source.0,
        }
    }
}

/// A diagnostic in the JSON of the command line.
#[derive(Debug, Serialize)]
pub struct DiagnosticJson<'a> {
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(flatten)]
    span: SpanJson,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

fn is_file(source: &u32) -> bool {
    *source == SourceId::FILE.0
}

impl<'a> DiagnosticJson<'a> {
    /// Creates it from a diagnostic and the path of the node with its bytes.
    pub fn new(diagnostic: &'a Diagnostic, path: String) -> DiagnosticJson<'a> {
        DiagnosticJson {
            rule: &diagnostic.rule,
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            span: diagnostic.primary.span.into(),
            path,
            help: diagnostic.help.as_deref(),
        }
    }
}

/// A finding of the verdict in the JSON of the command line.
#[derive(Debug, Serialize)]
pub struct FindingJson<'a> {
    rule: &'a str,
    effect: &'a str,
    /// Whether this finding determines the verdict.
    decisive: bool,
    message: &'a str,
    #[serde(flatten)]
    span: SpanJson,
    path: String,
}

impl<'a> FindingJson<'a> {
    /// Creates it from a finding, whether it determines the verdict, and the path of the node with
    /// its bytes.
    pub fn new(finding: &'a Finding, decisive: bool, path: String) -> FindingJson<'a> {
        FindingJson {
            rule: &finding.rule,
            effect: finding.effect.name(),
            decisive,
            message: &finding.message,
            span: finding.span.into(),
            path,
        }
    }
}

impl Document {
    /// Returns the path of the innermost node that contains the diagnostic's bytes.
    pub fn path_of(&mut self, diagnostic: &Diagnostic) -> String {
        self.path_of_span(diagnostic.primary.span)
    }

    /// Returns the path of the innermost node that contains the bytes.
    pub fn path_of_span(&mut self, span: Span) -> String {
        let nodes = self.nodes_for(span);
        let innermost = nodes.last().copied().unwrap_or(NodeId::ROOT);
        self.path(innermost)
    }
}
