//! The rows of a SYCLBIN of the first generation.

use std::ops::Range;
use std::rc::Rc;

use super::super::{Part, SOURCE, Syclbin};
use super::header::{self, FileHeader, kind};
use crate::layout::{self, Regions, filler};
use crate::reader::{Endian, Window};
use crate::records::{self, RecordNotes};
use zeview_core::analysis::modules::Modules;
use zeview_core::model::{
    Area, Doc, Expand, Interfaces, Node, NodeKind, Rows, Sources, Span, Value,
};

const HEADER_DOC: Doc = Doc::new(
    "The number of headers of each kind, and the sizes of the tables.",
    SOURCE,
);
const METADATA_DOC: Doc = Doc::new(
    "The property sets of all modules. Offsets of metadata are offsets in this table.",
    SOURCE,
);
const BINARY_DOC: Doc = Doc::new(
    "The device code of all modules. Offsets of device code are offsets in this table.",
    SOURCE,
);

/// The id of a part.
pub fn id_of(part: Part) -> u64 {
    match part {
        Part::Global => layout::id(kind::HEADER, 0),
        Part::Module(at) => layout::id(kind::MODULES, at.into()),
        Part::Ir(at) => layout::id(kind::IR, at.into()),
        Part::Native(at) => layout::id(kind::NATIVE, at.into()),
    }
}

/// The inverse of [`id_of`]. Returns `None` for other ids.
pub fn part_of(id: u64) -> Option<Part> {
    let (kind, index) = layout::split(id);
    let index = u32::try_from(index).ok()?;
    Some(match kind {
        kind::HEADER => Part::Global,
        kind::MODULES => Part::Module(index),
        kind::IR => Part::Ir(index),
        kind::NATIVE => Part::Native(index),
        _ => return None,
    })
}

/// The item of the document itself.
pub const TOP: u64 = u64::MAX;

/// A SYCLBIN that has been checked.
pub struct File {
    /// Its contents.
    pub survey: Rc<Syclbin>,
    /// The interface to its modules.
    pub modules: Rc<dyn Modules>,
    /// The file header.
    pub header: Span,
    /// All parts.
    pub regions: Regions,
    /// The parts of the metadata table.
    pub metadata: Regions,
    /// The parts of the binary table.
    pub binary: Regions,
}

/// The expander of its rows.
pub struct FileRows(pub Rc<File>);

impl FileRows {
    fn part(&self, index: u64, out: &Rows<'_>) -> Option<Node> {
        let (id, span) = self.0.regions.get(index)?;
        if let Some(node) = filler(id, span) {
            return Some(node);
        }
        let (kind, _) = layout::split(id);
        let table = |name, kind| {
            records::table(
                out,
                name,
                span,
                kind,
                Rc::clone(&self.0) as Rc<dyn RecordNotes>,
            )
        };
        let group = |name: &'static str, regions: &Regions, doc| {
            Node::new(NodeKind::Record, name, span)
                .children(out.me, layout::id(kind, 0), Some(regions.region_count()))
                .doc(doc)
        };
        Some(match kind {
            kind::HEADER if span.len() < FileHeader::SIZE => {
                Node::new(NodeKind::Blob, "truncated file header", span).value(Value::Bytes)
            }
            kind::HEADER => Node::new(NodeKind::Record, "file header", span)
                .area(Area::Header)
                .children(out.me, layout::id(kind, 0), Some(FileHeader::COUNT))
                .doc(&HEADER_DOC),
            kind::MODULES => table("abstract module headers", &header::MODULES),
            kind::IR => table("IR module headers", &header::IR),
            kind::NATIVE => table("native device code image headers", &header::NATIVE),
            kind::METADATA => {
                group("metadata table", &self.0.metadata, &METADATA_DOC).area(Area::Meta)
            }
            _ => group("binary table", &self.0.binary, &BINARY_DOC).area(Area::Code),
        })
    }
}

impl Expand for FileRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        // Other items know their own count.
        if item == TOP {
            self.0.regions.region_count()
        } else {
            0
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let file = &self.0;
        let (kind, _) = layout::split(item);
        if item == TOP {
            for index in range {
                out.extend(self.part(index, out));
            }
        } else if kind == kind::HEADER {
            let header = Window::clamped(out.sources, file.header);
            FileHeader::clamped(&header, Endian::Little).push_rows(range, out);
        } else {
            let is_text = kind == kind::METADATA;
            let list = if is_text {
                &file.metadata
            } else {
                &file.binary
            };
            for at in range {
                let Some((id, span)) = list.get(at) else {
                    continue;
                };
                let node = filler(id, span).or_else(|| {
                    let part = part_of(id)?;
                    Some(if is_text {
                        file.survey.text_node(part, span, out)
                    } else {
                        file.survey.code_node(part, span, out)
                    })
                });
                out.extend(node);
            }
        }
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            modules: Some(Rc::clone(&self.0.modules)),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let regions = match (item, layout::split(item).0) {
            (TOP, _) => &self.0.regions,
            (_, kind::METADATA) => &self.0.metadata,
            (_, kind::BINARY) => &self.0.binary,
            _ => return None,
        };
        Some(vec![regions.index_at(offset)])
    }
}

impl RecordNotes for File {
    fn record(&self, table: u8, index: u64, node: Node, _out: &Rows<'_>) -> Node {
        let Some(part) = part_of(layout::id(table, index)) else {
            return node;
        };
        let mut node = node;
        if let Some(text) = self.survey.text(part).filter(|text| !text.span.is_empty()) {
            node = node.xref("metadata", "its properties", text.span);
        }
        if let Some(code) = self.survey.code(part) {
            if let Some(opened) = &code.opened {
                node = node.summary(opened.summary.title.clone());
            }
            return node.xref("code", part.name(), code.bytes);
        }
        let Part::Module(at) = part else { return node };
        let at = usize::try_from(at).ok();
        let Some(module) = at.and_then(|at| self.survey.modules.get(at)) else {
            return node;
        };
        let (ir, native) = (module.ir.len() as u64, module.native.len() as u64);
        let count = crate::text::plural;
        let mut words = Vec::new();
        for (range, noun, list) in [
            (&module.ir, "IR module", &self.survey.ir),
            (
                &module.native,
                "native device code image",
                &self.survey.native,
            ),
        ] {
            if range.is_empty() {
                continue;
            }
            words.push(count(range.len() as u64, noun));
            let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
            let first = list.get(at(range.start)).map(|code| code.header);
            let last = list.get(at(range.end) - 1).map(|code| code.header);
            if let (Some(first), Some(last)) = (first, last) {
                let all = Span::new(first.source, first.start, last.end);
                node = node.xref("headers", count(range.len() as u64, noun), all);
            }
        }
        match ir + native {
            0 => node.summary("no device code"),
            _ => node.summary(words.join(", ")),
        }
    }
}
