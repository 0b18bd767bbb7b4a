//! Rows and parts as bytes, for the way from one wasm module to another.

use std::cell::RefCell;

use super::{Piece, Subject};
use crate::model::{
    Area, Bits, Content, Doc, ExpanderId, Known, Node, NodeKind, Radix, SourceId, Span, Str, Value,
    Xref,
};

const KINDS: &[NodeKind] = &[
    NodeKind::File,
    NodeKind::Record,
    NodeKind::Field,
    NodeKind::Table,
    NodeKind::Item,
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

/// A subject and its parts without their bytes, and these one after the other.
pub fn pack_pieces(subject: Subject, pieces: &[Piece]) -> (Vec<u8>, Vec<u8>) {
    let mut out = Writer::default();
    out.number(subject.code().into());
    out.count(pieces.len());
    let mut bytes = Vec::new();
    for piece in pieces {
        out.text(&piece.name);
        for number in piece.numbers {
            out.number(number);
        }
        out.number(piece.len);
        out.count(piece.bytes.len());
        bytes.extend_from_slice(&piece.bytes);
    }
    (out.0, bytes)
}

/// The other way of [`pack_pieces`]; nothing where the bytes are not from there.
pub fn unpack_pieces(described: &[u8], mut bytes: &[u8]) -> Option<(Subject, Vec<Piece>)> {
    let from = &mut Reader(described);
    let subject = Subject::of(u32::try_from(from.number()?).ok()?)?;
    let pieces = from.list(|from| {
        let name = from.text()?;
        let mut numbers = [0; 4];
        for number in &mut numbers {
            *number = from.number()?;
        }
        let len = from.number()?;
        let (own, rest) = bytes.split_at_checked(usize::try_from(from.number()?).ok()?)?;
        bytes = rest;
        Some(Piece {
            name,
            numbers,
            len,
            bytes: own.to_vec(),
        })
    })?;
    Some((subject, pieces))
}

/// Rows as a reading makes them.
pub fn pack_rows(nodes: &[Node]) -> Vec<u8> {
    let mut docs: Vec<&'static Doc> = Vec::new();
    for doc in nodes.iter().filter_map(|node| node.doc) {
        if !docs.iter().any(|known| std::ptr::eq(*known, doc)) {
            docs.push(doc);
        }
    }
    let mut out = Writer::default();
    out.count(docs.len());
    for doc in &docs {
        out.doc(doc);
    }
    out.count(nodes.len());
    for node in nodes {
        let same = |known: &&Doc| node.doc.is_some_and(|doc| std::ptr::eq(*known, doc));
        out.node(node, docs.iter().position(same));
    }
    out.0
}

/// The other way of [`pack_rows`]; nothing where the bytes are not from there.
pub fn unpack_rows(bytes: &[u8]) -> Option<Vec<Node>> {
    let from = &mut Reader(bytes);
    let docs = from.list(Reader::doc)?;
    from.list(|from| from.node(&docs))
}

/// Little numbers take one byte, as in LEB128.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut raw: u64) {
        while raw > 0x7f {
            self.0.push(0x80 | u8::try_from(raw & 0x7f).unwrap_or(0));
            raw >>= 7;
        }
        self.0.push(u8::try_from(raw).unwrap_or(0));
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&Str>) {
        self.number(text.is_some().into());
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn span(&mut self, span: Span) {
        self.number(span.source.0.into());
        self.number(span.start);
        self.number(span.len());
    }

    fn doc(&mut self, doc: &Doc) {
        self.text(doc.text);
        self.text(doc.source);
        self.count(doc.known.len());
        for known in doc.known {
            self.number(known.raw);
            self.text(known.name);
            self.text(known.doc);
        }
    }

    fn node(&mut self, node: &Node, doc: Option<usize>) {
        let kind = KINDS.iter().position(|kind| *kind == node.kind);
        self.count(kind.unwrap_or(0));
        self.text(&node.name);
        self.number(node.indexed.into());
        self.value(&node.value);
        self.optional(node.summary.as_ref());
        self.number(node.span.is_some().into());
        self.span(node.span.unwrap_or_default());
        let bits = node.bits.map_or((0, 0), |bits| (bits.low, bits.high));
        self.number(bits.0.into());
        self.number(bits.1.into());
        match node.content {
            Content::Leaf => self.number(0),
            Content::Lazy { item, count, .. } => {
                self.number(count.map_or(1, |count| count.saturating_add(2)));
                self.number(item);
            }
        }
        self.count(node.xrefs.len());
        for xref in &node.xrefs {
            self.text(&xref.why);
            self.text(&xref.label);
            self.span(xref.to);
        }
        self.count(doc.map_or(0, |at| at + 1));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::None => self.number(0),
            Value::Unsigned {
                raw,
                bits,
                radix,
                symbol,
            } => {
                self.number(match radix {
                    Radix::Decimal => 1,
                    Radix::Hex => 2,
                });
                self.number(*raw);
                self.number((*bits).into());
                self.optional(symbol.as_ref());
            }
            Value::Signed { raw, bits } => {
                self.number(3);
                self.number(raw.cast_unsigned());
                self.number((*bits).into());
            }
            Value::Float(number) => {
                self.number(4);
                self.number(number.to_bits());
            }
            Value::Bool(yes) => {
                self.number(5);
                self.number((*yes).into());
            }
            Value::Flags {
                raw,
                bits,
                set,
                rest,
            } => {
                self.number(6);
                self.number(*raw);
                self.number((*bits).into());
                self.count(set.len());
                for name in set {
                    self.text(name);
                }
                self.number(*rest);
            }
            Value::Text { text, lossy } => {
                self.number(7);
                self.text(text);
                self.number((*lossy).into());
            }
            Value::Bytes => self.number(8),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (mut raw, mut shift) = (0u64, 0u32);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            raw |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(raw);
            }
            shift += 7;
        }
    }

    fn byte(&mut self) -> Option<u8> {
        u8::try_from(self.number()?).ok()
    }

    fn yes(&mut self) -> Option<bool> {
        Some(self.number()? != 0)
    }

    fn text(&mut self) -> Option<String> {
        let len = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn optional(&mut self) -> Option<Option<Str>> {
        Some(match self.yes()? {
            true => Some(self.text()?.into()),
            false => None,
        })
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(one(self)?);
        }
        Some(list)
    }

    fn span(&mut self) -> Option<Span> {
        let source = SourceId(u32::try_from(self.number()?).ok()?);
        Some(Span::at(source, self.number()?, self.number()?))
    }

    fn doc(&mut self) -> Option<&'static Doc> {
        let (text, source) = (self.text()?, self.text()?);
        let known = self.list(|from| Some((from.number()?, from.text()?, from.text()?)))?;
        Some(kept(&text, &source, &known))
    }

    fn node(&mut self, docs: &[&'static Doc]) -> Option<Node> {
        let kind = *KINDS.get(usize::try_from(self.number()?).ok()?)?;
        let mut node = Node::new(kind, self.text()?, Span::default());
        node.indexed = self.yes()?;
        node.value = self.value()?;
        node.summary = self.optional()?;
        let has_span = self.yes()?;
        node.span = Some(self.span()?).filter(|_| has_span);
        let bits = (self.byte()?, self.byte()?);
        node.bits = (bits.1 > 0).then_some(Bits {
            low: bits.0,
            high: bits.1,
        });
        node.content = match self.number()? {
            0 => Content::Leaf,
            count => Content::Lazy {
                expander: ExpanderId(0),
                item: self.number()?,
                count: count.checked_sub(2),
            },
        };
        node.xrefs = self.list(|from| {
            Some(Xref {
                why: from.text()?.into(),
                label: from.text()?.into(),
                to: from.span()?,
            })
        })?;
        let doc = usize::try_from(self.number()?).ok()?;
        node.doc = doc.checked_sub(1).and_then(|at| docs.get(at)).copied();
        node.area = Area::Inherit;
        Some(node)
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.number()? {
            0 => Value::None,
            radix @ (1 | 2) => Value::Unsigned {
                raw: self.number()?,
                bits: self.byte()?,
                radix: if radix == 1 {
                    Radix::Decimal
                } else {
                    Radix::Hex
                },
                symbol: self.optional()?,
            },
            3 => Value::Signed {
                raw: self.number()?.cast_signed(),
                bits: self.byte()?,
            },
            4 => Value::Float(f64::from_bits(self.number()?)),
            5 => Value::Bool(self.yes()?),
            6 => Value::Flags {
                raw: self.number()?,
                bits: self.byte()?,
                set: self.list(|from| Some(from.text()?.into()))?,
                rest: self.number()?,
            },
            7 => Value::Text {
                text: self.text()?.into(),
                lossy: self.yes()?,
            },
            8 => Value::Bytes,
            _ => return None,
        })
    }
}

thread_local! {
    /// What nodes mean is static where it is written; here each sentence is kept once, for as
    /// long as the decoder runs. The readers have a few dozen of them.
    static DOCS: RefCell<Vec<&'static Doc>> = const { RefCell::new(Vec::new()) };
}

fn kept(text: &str, source: &str, known: &[(u64, String, String)]) -> &'static Doc {
    DOCS.with_borrow_mut(|docs| {
        let same = |doc: &&&'static Doc| {
            doc.text == text && doc.source == source && doc.known.len() == known.len()
        };
        if let Some(doc) = docs.iter().find(same) {
            return *doc;
        }
        let keep = |text: &str| -> &'static str { String::from(text).leak() };
        let known: Vec<Known> = known
            .iter()
            .map(|(raw, name, doc)| Known {
                raw: *raw,
                name: keep(name),
                doc: keep(doc),
            })
            .collect();
        let doc: &'static Doc = Box::leak(Box::new(Doc {
            text: keep(text),
            source: keep(source),
            known: known.leak(),
        }));
        docs.push(doc);
        doc
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIRST: Doc = Doc {
        text: "first",
        source: "spec",
        known: &[Known {
            raw: 7,
            name: "SEVEN",
            doc: "",
        }],
    };

    fn nodes() -> Vec<Node> {
        let span = |start, len| Span::at(SourceId(3), start, len);
        let values = [
            Value::None,
            Value::hex(u64::MAX, 64).named("all"),
            Value::decimal(127, 8),
            Value::Signed { raw: -1, bits: 32 },
            Value::Float(0.5),
            Value::Bool(true),
            Value::Flags {
                raw: 5,
                bits: 32,
                set: vec!["ONE".into()],
                rest: 4,
            },
            Value::Text {
                text: "ä\u{fffd}".into(),
                lossy: true,
            },
            Value::Bytes,
        ];
        let mut nodes: Vec<Node> = (0..)
            .zip(values)
            .map(|(i, value)| Node::field("name", value, span(i * 128, i)).doc(&FIRST))
            .collect();
        nodes.push(Node::derived("derived", Value::None).summary("words"));
        let lazy =
            |count| Node::new(NodeKind::Item, "", span(1, 2)).children(ExpanderId(0), 9, count);
        nodes.push(lazy(None).xref("why", "label", span(4, 5)));
        nodes.push(lazy(Some(300)).indexed().bits(3, 9));
        nodes
    }

    #[test]
    fn rows_survive_the_way() {
        let nodes = nodes();
        let bytes = pack_rows(&nodes);
        assert_eq!(unpack_rows(&bytes).as_deref(), Some(&*nodes));
        assert_eq!(unpack_rows(&bytes[..bytes.len() - 1]), None);
        let again = unpack_rows(&bytes).unwrap();
        let first = unpack_rows(&bytes).unwrap();
        assert!(std::ptr::eq(again[0].doc.unwrap(), first[0].doc.unwrap()));
    }

    #[test]
    fn parts_survive_the_way() {
        let piece = |name: &str, bytes: &[u8]| Piece {
            name: name.to_owned(),
            numbers: [1, 2, u64::MAX, 4],
            len: 70,
            bytes: bytes.to_vec(),
        };
        let pieces = vec![piece("a", &[1, 2, 3]), piece("", &[]), piece("c", &[4])];
        let (described, bytes) = pack_pieces(Subject::Spirv, &pieces);
        let back = unpack_pieces(&described, &bytes);
        assert_eq!(back, Some((Subject::Spirv, pieces)));
        assert_eq!(unpack_pieces(&described, &bytes[..3]), None);
        assert_eq!(unpack_pieces(&[9], &[]), None);
    }
}
