//! `.ze_info`: the metadata for the runtime, as YAML. ZE Info specification (zeinfo.md).
//!
//! [`yaml`] reads the text with the place of everything; here it becomes rows. What the keys
//! mean is not looked at yet.

pub mod schema;
pub mod yaml;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use self::yaml::{Extent, Index, Kind, ProblemKind, ROOT, Style, Yaml};
use super::links::Links;
use crate::decode::Context;
use crate::decode::limits;
use crate::decode::rules::{self, Rule};
use crate::model::{Bytes, Doc, Expand, Node, NodeKind, Radix, Rows, Sources, Span, Value};

/// A `.ze_info`, taken apart.
pub struct ZeInfo {
    /// Its bytes in the file.
    pub span: Span,
    text: Bytes,
    yaml: Yaml,
}

/// A kernel in `.ze_info`.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The bytes of the name.
    pub name_span: Span,
    /// The bytes of its entry.
    pub entry: Span,
}

impl ZeInfo {
    /// Reads the text of a section and reports what is wrong with it; nothing where it is too
    /// large or cannot be read.
    pub fn read(cx: &Context<'_>, span: Span) -> Option<ZeInfo> {
        if span.is_empty() {
            cx.report(&rules::ZE_INFO_EMPTY, span, "there is no text in it");
            return None;
        }
        if span.len() > limits::ZE_INFO.min(u64::from(u32::MAX)) {
            cx.report(
                &rules::TOO_LARGE,
                span,
                format!("a .ze_info of {} bytes is not taken apart", span.len()),
            );
            return None;
        }
        let text = match cx.sources.read(span) {
            Ok(text) => text,
            Err(error) => {
                cx.report(&rules::READ_FAILED, span, error.to_string());
                return None;
            }
        };
        let yaml = yaml::parse(&text, yaml::Limits::default());
        let info = ZeInfo { span, text, yaml };
        info.report_problems(cx);
        info.check_keys(cx);
        Some(info)
    }

    /// The bytes of a piece of the text.
    fn at(&self, extent: Extent) -> Span {
        self.span.sub(extent.start.into(), extent.len().into())
    }

    fn report_problems(&self, cx: &Context<'_>) {
        for problem in self.yaml.problems() {
            cx.report(
                rule_of(problem.kind),
                self.at(problem.at),
                format!("line {}: {}", problem.line, problem.kind.summary()),
            );
        }
        for node in self.yaml.nodes().iter().filter(|n| n.kind == Kind::Raw) {
            cx.gap(self.at(node.extent()));
        }
    }

    fn check_keys(&self, cx: &Context<'_>) {
        let mut seen: HashSet<&[u8]> = HashSet::new();
        for (index, node) in self.yaml.nodes().iter().enumerate() {
            if !node.kind.is_mapping() {
                continue;
            }
            seen.clear();
            let index = Index::try_from(index).unwrap_or(Index::MAX);
            for (_, child) in self.yaml.children(index) {
                let Some(key) = child.key() else { continue };
                if !seen.insert(key.of(&self.text)) {
                    cx.report(
                        &rules::ZE_INFO_DUPLICATE_KEY,
                        self.at(key),
                        format!(
                            "line {}: the key {:?} again",
                            child.line,
                            String::from_utf8_lossy(key.of(&self.text))
                        ),
                    );
                }
            }
        }
    }

    fn top(&self, key: &str) -> Option<Index> {
        self.yaml.get(&self.text, self.yaml.content()?, key)
    }

    /// The value of the key `version`, and its bytes.
    pub fn version(&self) -> Option<(String, Span)> {
        let index = self.top("version")?;
        let node = self.yaml.node(index)?;
        let text = self.yaml.scalar_text(&self.text, index).text;
        Some((text.into_owned(), self.at(node.value)))
    }

    /// The kernels that have a name.
    pub fn kernels(&self) -> Vec<Kernel> {
        let Some(list) = self.top("kernels") else {
            return Vec::new();
        };
        let kernels = self.yaml.values(list).filter_map(|(index, node)| {
            let name = self.yaml.get(&self.text, index, "name")?;
            let name_node = self.yaml.node(name)?;
            Some(Kernel {
                name: self.yaml.scalar_text(&self.text, name).text.into_owned(),
                name_span: self.at(name_node.value),
                entry: self.at(node.value),
            })
        });
        kernels.collect()
    }
}

fn rule_of(kind: ProblemKind) -> &'static Rule {
    use ProblemKind as P;
    match kind {
        P::TabIndentation => &rules::ZE_INFO_TAB,
        P::NotUtf8 => &rules::ZE_INFO_ENCODING,
        P::TooDeep | P::TooManyNodes => &rules::TOO_MANY,
        P::Indentation
        | P::NotAnEntry
        | P::Misplaced
        | P::UnclosedQuote
        | P::BadEscape
        | P::TextAfterValue
        | P::UnclosedBracket
        | P::FlowSyntax => &rules::ZE_INFO_SYNTAX,
        _ => &rules::ZE_INFO_SUBSET,
    }
}

const ENTRY_DOC: Doc = Doc {
    text: "A key of .ze_info and its value.",
    source: "ZE Info",
    known: &[],
};
const SYNTAX_DOC: Doc = Doc {
    text: "Belongs to the text, not to the data.",
    source: "YAML",
    known: &[],
};
const RAW_DOC: Doc = Doc {
    text: "A line that is not YAML; it is shown as it stands.",
    source: "YAML",
    known: &[],
};

/// Makes the rows of a `.ze_info`.
pub struct ZeInfoRows {
    /// The text.
    pub info: Rc<ZeInfo>,
    /// Where a kernel's other parts are.
    pub links: Rc<Links>,
}

/// The item of the section.
pub const SECTION: u64 = ROOT as u64;

/// The keys that give an item of a list its name, the best first.
const NAMING_KEYS: &[&str] = &["name", "arg_type", "device_name", "type"];

impl ZeInfoRows {
    /// The children of an item. Those of the document are shown with those of its mapping in
    /// their midst: the mapping itself would be a row that says nothing.
    fn children(&self, item: Index) -> (Range<u32>, Option<(u32, Range<u32>)>) {
        let yaml = &self.info.yaml;
        let count = |i: Index| yaml.node(i).map_or(0, yaml::Node::child_count);
        let own = 0..count(item);
        if item != ROOT {
            return (own, None);
        }
        let mapping = own.clone().find_map(|nth| {
            let child = yaml.child(ROOT, nth)?;
            (yaml.node(child)?.kind == Kind::Mapping).then(|| (nth, 0..count(child)))
        });
        (own, mapping)
    }

    /// The child `nth` of an item, and how many bytes more introduce it.
    fn child(&self, item: Index, nth: u64) -> Option<(Index, u32)> {
        let yaml = &self.info.yaml;
        let nth = u32::try_from(nth).ok()?;
        let (_, mapping) = self.children(item);
        let Some((at, inner)) = mapping else {
            return Some((yaml.child(item, nth)?, 0));
        };
        if nth < at {
            return Some((yaml.child(item, nth)?, 0));
        }
        let content = yaml.child(item, at)?;
        match nth - at {
            within if within < inner.end => {
                let head = yaml.node(content)?.head().len();
                let extra = if within == 0 { head } else { 0 };
                Some((yaml.child(content, within)?, extra))
            }
            within => Some((yaml.child(item, at + 1 + (within - inner.end))?, 0)),
        }
    }

    fn len(&self, item: Index) -> u64 {
        match self.children(item) {
            (own, None) => own.end.into(),
            (own, Some((_, inner))) => u64::from(own.end) + u64::from(inner.end) - 1,
        }
    }

    fn node(&self, index: Index, node: &yaml::Node, parent: &yaml::Node, out: &Rows<'_>) -> Node {
        let info = &*self.info;
        let span = info.at(node.value);
        let in_sequence = parent.kind.is_sequence();
        let name = match info.yaml.key_text(&info.text, index) {
            Some(key) => key.text.into_owned(),
            None if node.kind.is_value() && in_sequence => self.item_name(index),
            None => syntax_name(node, node.value.of(&info.text)).to_owned(),
        };
        let kind = match node.kind {
            Kind::Mapping | Kind::FlowMapping => NodeKind::Mapping,
            Kind::Sequence | Kind::FlowSequence => NodeKind::Sequence,
            Kind::Raw => NodeKind::Gap,
            Kind::Scalar | Kind::Null | Kind::Document => NodeKind::Field,
            _ => NodeKind::Syntax,
        };
        let mut row = Node::new(kind, name, span).head(node.head().len());
        row = match kind {
            NodeKind::Field => row.value(self.scalar(index, node)).doc(&ENTRY_DOC),
            NodeKind::Syntax => row.value(Value::text_from(node.value.of(&info.text))).doc(&SYNTAX_DOC),
            NodeKind::Gap => row.value(Value::text_from(node.value.of(&info.text))).doc(&RAW_DOC),
            _ => self.collection(row, index, node, out),
        };
        if in_sequence && node.kind.is_value() {
            row.indexed = true;
            if row.kind == NodeKind::Mapping && self.is_kernel(parent) {
                row.xrefs = self.links.of_kernel(&row.name);
            }
        }
        row
    }

    fn collection(&self, row: Node, index: Index, node: &yaml::Node, out: &Rows<'_>) -> Node {
        let row = row
            .doc(&ENTRY_DOC)
            .children(out.me, index.into(), Some(node.child_count().into()));
        match node.kind {
            Kind::Sequence => {
                let count = self.info.yaml.values(index).count();
                row.summary(count.to_string())
            }
            Kind::FlowSequence | Kind::FlowMapping => {
                let text = node.value.of(&self.info.text);
                row.summary(String::from_utf8_lossy(text.get(..64).unwrap_or(text)).into_owned())
            }
            _ => row,
        }
    }

    fn scalar(&self, index: Index, node: &yaml::Node) -> Value {
        if node.kind == Kind::Null {
            return Value::None;
        }
        let decoded = self.info.yaml.scalar_text(&self.info.text, index);
        if node.style == Style::Plain && !decoded.lossy {
            if let Some(number) = yaml::as_int(&decoded.text) {
                return number_value(number, &decoded.text);
            }
            if matches!(&*decoded.text, "true" | "false") {
                return Value::Bool(&*decoded.text == "true");
            }
        }
        Value::Text {
            text: decoded.text.into_owned().into(),
            lossy: decoded.lossy,
        }
    }

    /// The name of an item: what it says under one of the keys that name things.
    fn item_name(&self, index: Index) -> String {
        let info = &*self.info;
        let named = NAMING_KEYS.iter().find_map(|key| {
            let value = info.yaml.get(&info.text, index, key)?;
            Some(info.yaml.scalar_text(&info.text, value).text.into_owned())
        });
        named.unwrap_or_else(|| "item".to_owned())
    }

    fn is_kernel(&self, list: &yaml::Node) -> bool {
        list.key().is_some_and(|key| key.of(&self.info.text) == b"kernels")
    }
}

fn number_value(number: i64, text: &str) -> Value {
    let radix = if text.starts_with("0x") || text.starts_with("0X") {
        Radix::Hex
    } else {
        Radix::Decimal
    };
    match u64::try_from(number) {
        Ok(raw) => Value::Unsigned {
            raw,
            bits: 64,
            radix,
            symbol: None,
        },
        Err(_) => Value::Signed {
            raw: number,
            bits: 64,
        },
    }
}

fn syntax_name(node: &yaml::Node, text: &[u8]) -> &'static str {
    match node.kind {
        Kind::Marker if text.starts_with(b"---") => "document start",
        Kind::Marker => "document end",
        Kind::Comment => "comment",
        Kind::Directive => "directive",
        Kind::Syntax => "closing bracket",
        Kind::Blank => "end of text",
        Kind::Raw => "not YAML",
        Kind::Mapping | Kind::FlowMapping => "mapping",
        Kind::Sequence | Kind::FlowSequence => "sequence",
        Kind::Scalar | Kind::Null | Kind::Document => "value",
    }
}

impl Expand for ZeInfoRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        u32::try_from(item).map_or(0, |item| self.len(item))
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(item) = u32::try_from(item) else { return };
        let yaml = &self.info.yaml;
        for nth in range {
            let Some((child, extra)) = self.child(item, nth) else {
                return;
            };
            let parent = yaml.parent(child).and_then(|p| yaml.node(p));
            if let (Some(node), Some(parent)) = (yaml.node(child), parent) {
                let mut row = self.node(child, node, parent, out);
                row.head = row.head.saturating_add(extra);
                out.push(row);
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let item = u32::try_from(item).ok()?;
        let within = offset.checked_sub(self.info.span.start)?;
        let count = self.len(item);
        // Children tile their parent: the first whose end is behind the byte holds it.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let (child, _) = self.child(item, middle)?;
            if u64::from(self.info.yaml.node(child)?.value.end) <= within {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some((low < count).then_some(low).into_iter().collect())
    }
}
