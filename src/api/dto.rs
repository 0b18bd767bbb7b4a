//! Data transfer objects in the shapes of `types.ts`. 64-bit values of the file are serialized as
//! 128-bit numbers, which are always `bigint` in JavaScript; positions, sizes and counts are
//! `number` there. JSON has one kind of numbers.

use serde::{Serialize, Serializer};

use crate::model::text::value_text;
use crate::model::{self, Document, NodeId, Radix, SourceId, json};

/// Summary of the file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary<'a> {
    name: String,
    size: u64,
    format: &'a str,
    title: &'a str,
    facts: Vec<Fact<'a>>,
    coverage: Coverage,
}

impl<'a> Summary<'a> {
    /// Summarizes a document.
    pub fn new(document: &'a Document) -> Summary<'a> {
        let summary = &document.summary;
        let coverage = document.coverage;
        Summary {
            name: document.sources.name(SourceId::FILE),
            size: document.sources.whole(SourceId::FILE).len(),
            format: &summary.format,
            title: &summary.title,
            facts: summary.facts.iter().map(Fact::new).collect(),
            coverage: Coverage {
                explained: coverage.explained,
                padding: coverage.padding,
                gap: coverage.gap,
                overlap: coverage.overlap,
            },
        }
    }
}

/// A notable fact about the file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact<'a> {
    label: &'a str,
    text: &'a str,
    tone: model::Tone,
    span: Option<Span>,
    headline: bool,
}

impl<'a> Fact<'a> {
    fn new(fact: &'a model::Fact) -> Fact<'a> {
        Fact {
            label: &fact.label,
            text: &fact.text,
            tone: fact.tone,
            span: fact.span.map(Span::new),
            headline: fact.headline,
        }
    }
}

/// Coverage of the file's bytes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    explained: u64,
    padding: u64,
    gap: u64,
    overlap: u64,
}

/// A range of bytes of one source.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    source: u32,
    start: u64,
    end: u64,
}

impl Span {
    pub(super) fn new(span: model::Span) -> Span {
        Span {
            source: span.source.0,
            start: span.start,
            end: span.end,
        }
    }
}

/// A row of the tree.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Node<'a> {
    id: u32,
    parent: Option<u32>,
    index: u64,
    name: &'a str,
    indexed: bool,
    kind: &'a str,
    area: &'a str,
    value: Value<'a>,
    text: String,
    summary: Option<&'a str>,
    span: Option<Span>,
    head: u32,
    bits: Option<Bits>,
    count: u64,
    severity: Option<model::Severity>,
    doc: Option<Doc<'a>>,
    refs: Vec<Ref<'a>>,
}

impl<'a> Node<'a> {
    /// Returns a node of a document. Returns `None` if there is no such node.
    pub fn new(document: &'a Document, id: NodeId) -> Option<Node<'a>> {
        let node = document.node(id)?;
        Some(Node {
            id: id.0,
            parent: node.parent.map(|parent| parent.0),
            index: node.index,
            name: &node.name,
            indexed: node.indexed,
            kind: json::kind_name(node.kind),
            area: area_name(node.area),
            value: Value::new(&node.value),
            text: value_text(&node.value),
            summary: node.summary.as_deref(),
            span: node.span.map(Span::new),
            head: node.head,
            bits: node.bits.map(Bits::new),
            count: document.count(node),
            severity: document.severity(node),
            doc: node.doc.map(Doc::new),
            refs: node.xrefs.iter().map(Ref::new).collect(),
        })
    }
}

fn area_name(area: model::Area) -> &'static str {
    match area {
        model::Area::Inherit => "inherit",
        model::Area::Header => "header",
        model::Area::Code => "code",
        model::Area::Meta => "meta",
        model::Area::Data => "data",
        model::Area::Symbol => "symbol",
        model::Area::Note => "note",
        model::Area::Ir => "ir",
        model::Area::Debug => "debug",
        model::Area::Padding => "padding",
    }
}

/// Bits of a word.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bits {
    low: u8,
    high: u8,
    stretches: Vec<(u8, u8)>,
}

impl Bits {
    fn new(bits: model::Bits) -> Bits {
        let stretches: Vec<(u8, u8)> = bits.stretches().collect();
        Bits {
            low: stretches.first().map_or(0, |(low, _)| *low),
            high: stretches.last().map_or(0, |(_, high)| *high),
            stretches,
        }
    }
}

/// The decoded value of a node. A variant `X` is `XValue` in `types.ts`, `None` is `NoValue`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum Value<'a> {
    None,
    Unsigned {
        #[serde(serialize_with = "wide")]
        raw: u64,
        bits: u8,
        radix: &'a str,
        symbol: Option<&'a str>,
    },
    Signed {
        #[serde(serialize_with = "wide_signed")]
        raw: i64,
        bits: u8,
    },
    Float {
        number: f64,
    },
    Bool {
        yes: bool,
    },
    Flags {
        #[serde(serialize_with = "wide")]
        raw: u64,
        bits: u8,
        set: &'a [model::Str],
        #[serde(serialize_with = "wide")]
        rest: u64,
    },
    Text {
        text: &'a str,
        lossy: bool,
    },
    Bytes,
}

impl<'a> Value<'a> {
    fn new(value: &'a model::Value) -> Value<'a> {
        match value {
            model::Value::None => Value::None,
            model::Value::Unsigned {
                raw,
                bits,
                radix,
                symbol,
            } => Value::Unsigned {
                raw: *raw,
                bits: *bits,
                radix: match radix {
                    Radix::Decimal => "decimal",
                    Radix::Hex => "hex",
                },
                symbol: symbol.as_deref(),
            },
            model::Value::Signed { raw, bits } => Value::Signed {
                raw: *raw,
                bits: *bits,
            },
            model::Value::Float(number) => Value::Float { number: *number },
            model::Value::Bool(yes) => Value::Bool { yes: *yes },
            model::Value::Flags {
                raw,
                bits,
                set,
                rest,
            } => Value::Flags {
                raw: *raw,
                bits: *bits,
                set,
                rest: *rest,
            },
            model::Value::Text { text, lossy } => Value::Text {
                text,
                lossy: *lossy,
            },
            model::Value::Bytes => Value::Bytes,
        }
    }
}

fn wide<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128((*value).into())
}

fn wide_signed<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i128((*value).into())
}

/// The meaning of a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doc<'a> {
    text: &'a str,
    source: &'a str,
    known: Vec<KnownValue<'a>>,
}

impl<'a> Doc<'a> {
    fn new(doc: &'a model::Doc) -> Doc<'a> {
        let known = doc.known.iter().map(|known| KnownValue {
            raw: known.raw,
            name: known.name,
            doc: known.doc,
        });
        Doc {
            text: doc.text,
            source: doc.source,
            known: known.collect(),
        }
    }
}

/// A named value of the specification.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownValue<'a> {
    #[serde(serialize_with = "wide")]
    raw: u64,
    name: &'a str,
    doc: &'a str,
}

/// A reference to other bytes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ref<'a> {
    why: &'a str,
    label: &'a str,
    to: Span,
}

impl<'a> Ref<'a> {
    fn new(xref: &'a model::Xref) -> Ref<'a> {
        Ref {
            why: &xref.why,
            label: &xref.label,
            to: Span::new(xref.to),
        }
    }
}

/// A finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic<'a> {
    rule: &'a str,
    severity: model::Severity,
    message: &'a str,
    primary: Label<'a>,
    secondary: Vec<Label<'a>>,
    help: Option<&'a str>,
}

impl<'a> Diagnostic<'a> {
    /// Converts a diagnostic.
    pub fn new(diagnostic: &'a model::Diagnostic) -> Diagnostic<'a> {
        Diagnostic {
            rule: &diagnostic.rule,
            severity: diagnostic.severity,
            message: &diagnostic.message,
            primary: Label::new(&diagnostic.primary),
            secondary: diagnostic.secondary.iter().map(Label::new).collect(),
            help: diagnostic.help.as_deref(),
        }
    }
}

/// Bytes and their role in a diagnostic.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Label<'a> {
    span: Span,
    text: &'a str,
}

impl<'a> Label<'a> {
    fn new(label: &'a model::Label) -> Label<'a> {
        Label {
            span: Span::new(label.span),
            text: &label.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value as Json;

    use super::*;
    use crate::api::TYPES;

    const SPAN: model::Span = model::Span::new(SourceId::FILE, 1, 2);

    static DOC: model::Doc = model::Doc {
        text: "text",
        source: "source",
        known: &[model::KnownValue {
            raw: 1,
            name: "ONE",
            doc: "one",
        }],
    };

    fn document() -> Document {
        let label = model::Label {
            span: SPAN,
            text: "here".into(),
        };
        let root = model::Node::field("root", model::Value::hex(1, 8), SPAN)
            .doc(&DOC)
            .bits(0, 1)
            .xref("why", "label", SPAN);
        Document::new(model::Parts {
            sources: model::Sources::new("x", Box::new(model::MemorySource::from([0, 1, 2]))),
            root,
            summary: model::Summary::new(
                "raw",
                "bytes",
                vec![model::Fact {
                    tone: model::Tone::Good,
                    ..model::Fact::new("target", "none", SPAN).headline()
                }],
            ),
            findings: model::Findings {
                diagnostics: vec![model::Diagnostic {
                    rule: "a/b".into(),
                    severity: model::Severity::Error,
                    message: "message".to_owned(),
                    primary: label.clone(),
                    secondary: vec![label],
                    help: None,
                }],
                ..model::Findings::default()
            },
        })
    }

    fn json(data: impl Serialize) -> Json {
        serde_json::to_value(data).unwrap()
    }

    /// Returns the names that an interface of `types.ts` declares.
    fn declared(interface: &str) -> BTreeSet<String> {
        let start = format!("export interface {interface} {{\n");
        let (_, rest) = TYPES
            .split_once(&start)
            .unwrap_or_else(|| panic!("types.ts has no interface {interface}"));
        let (body, _) = rest.split_once("\n}").unwrap();
        let members = body.lines().map(str::trim).filter(|line| {
            let comment = ["/*", "*"].iter().any(|mark| line.starts_with(mark));
            !comment && !line.is_empty()
        });
        members
            .map(|line| line.split_once(':').unwrap().0.to_owned())
            .collect()
    }

    #[track_caller]
    fn same_names(interface: &str, json: &Json) {
        let names: BTreeSet<String> = json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, declared(interface), "{interface}");
    }

    /// Returns the strings of a union type.
    fn texts(name: &str) -> BTreeSet<String> {
        let (_, rest) = TYPES.split_once(&format!("export type {name} =")).unwrap();
        let (body, _) = rest.split_once(';').unwrap();
        let names = body.split('|').map(|part| part.trim().trim_matches('"'));
        names.filter(|n| !n.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn names_match_the_declarations() {
        let document = document();
        let summary = json(Summary::new(&document));
        same_names("Summary", &summary);
        same_names("Fact", &summary["facts"][0]);
        same_names("Coverage", &summary["coverage"]);

        let node = json(Node::new(&document, NodeId::ROOT).unwrap());
        same_names("Node", &node);
        same_names("Span", &node["span"]);
        same_names("Bits", &node["bits"]);
        same_names("Doc", &node["doc"]);
        same_names("Known", &node["doc"]["known"][0]);
        same_names("Ref", &node["refs"][0]);

        let diagnostic = json(Diagnostic::new(&document.diagnostics[0]));
        same_names("Diagnostic", &diagnostic);
        same_names("Label", &diagnostic["primary"]);
    }

    #[test]
    fn values_match_the_declarations() {
        let flags = model::Value::Flags {
            raw: 3,
            bits: 8,
            set: vec!["A".into()],
            rest: 2,
        };
        let values = [
            ("NoValue", model::Value::None),
            ("UnsignedValue", model::Value::decimal(1, 8)),
            ("SignedValue", model::Value::Signed { raw: -1, bits: 8 }),
            ("FloatValue", model::Value::Float(0.5)),
            ("BoolValue", model::Value::Bool(true)),
            ("FlagsValue", flags),
            ("TextValue", model::Value::text("x")),
            ("BytesValue", model::Value::Bytes),
        ];
        for (interface, value) in &values {
            let json = json(Value::new(value));
            same_names(interface, &json);
            let name = json["type"].as_str().unwrap();
            assert!(TYPES.contains(&format!("interface {interface} {{\n  type: \"{name}\";")));
        }
        let declared = texts("Value");
        assert_eq!(declared, values.map(|(name, _)| name.to_owned()).into());
    }

    #[test]
    fn strings_match_the_declarations() {
        use model::{Area, NodeKind, Severity};
        let kinds = [
            NodeKind::File,
            NodeKind::Record,
            NodeKind::Field,
            NodeKind::Table,
            NodeKind::Item,
            NodeKind::Instruction,
            NodeKind::Mapping,
            NodeKind::Sequence,
            NodeKind::Text,
            NodeKind::Blob,
            NodeKind::Packed,
            NodeKind::Syntax,
            NodeKind::Padding,
            NodeKind::Gap,
            NodeKind::Derived,
        ];
        let kinds = kinds.map(|kind| json::kind_name(kind).to_owned());
        assert_eq!(texts("NodeKind"), kinds.into());
        let areas = [
            Area::Inherit,
            Area::Header,
            Area::Code,
            Area::Meta,
            Area::Data,
            Area::Symbol,
            Area::Note,
            Area::Ir,
            Area::Debug,
            Area::Padding,
        ];
        let areas = areas.map(|area| area_name(area).to_owned());
        assert_eq!(texts("Area"), areas.into());
        let severities = [Severity::Info, Severity::Warning, Severity::Error];
        let severities = severities.map(|severity| severity.name().to_owned());
        assert_eq!(texts("Severity"), severities.into());
    }
}
