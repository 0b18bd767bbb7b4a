//! Compressed sections. gABI, "Compression Header"; GNU's older form, whose sections are named
//! `.zdebug_…` and start with `ZLIB` and the size as a big-endian number.
//!
//! ```text
//! Elf64_Chdr: ch_type │ reserved │ ch_size │ ch_addralign │ the packed bytes
//! GNU:        "ZLIB" │ size, 8 bytes │ the packed bytes
//! ```

use super::class::Class;
use super::file::ElfFile;
use super::section::{Section, SectionFlags, SectionType};
use crate::compression::{Inflated, Method};
use crate::context::Context;
use crate::names::{Decimal, Hex};
use crate::reader::{Endian, Window};
use crate::rules;
use crate::tree::StaticTree;
use crate::{open_enum, record};
use std::rc::Rc;
use zeview_core::model::{Area, Doc, Node, NodeKind, Span, Value};

open_enum! {
    /// `ch_type`. gABI, "Compression Header".
    pub struct CompressionType(u32) {
        /// zlib.
        ELFCOMPRESS_ZLIB = 1,
        /// zstd.
        ELFCOMPRESS_ZSTD = 2,
    }
}

record! {
    /// The header of a compressed section, 32 bit.
    pub struct Header32: "gABI, Compression Header" {
        /// The compression method.
        ch_type: u32 as CompressionType,
        /// The uncompressed size in bytes.
        ch_size: u32 as Decimal,
        /// The alignment of the uncompressed section.
        ch_addralign: u32 as Decimal,
    }
}

record! {
    /// The header of a compressed section, 64 bit.
    pub struct Header64: "gABI, Compression Header" {
        /// The compression method.
        ch_type: u32 as CompressionType,
        /// Unused.
        ch_reserved: u32 as Hex,
        /// The uncompressed size in bytes.
        ch_size: u64 as Decimal,
        /// The alignment of the uncompressed section.
        ch_addralign: u64 as Decimal,
    }
}

record! {
    /// The header of GNU's compressed sections, big endian.
    pub struct GnuHeader: "GNU binutils, .zdebug sections" {
        /// `ZLIB`.
        magic: u32 as Hex,
        /// The uncompressed size in bytes.
        size: u64 as Decimal,
    }
}

static HEADER_DOC: Doc = Doc::new(
    "The compression method, and the uncompressed size.",
    "gABI, Compression Header",
);
static PACKED_DOC: Doc = Doc::new(
    "Compressed bytes that are not decompressed.",
    "gABI, Section Compression",
);

/// A compressed section.
#[derive(Debug, Clone)]
pub struct Packed {
    /// The section's index.
    pub index: u64,
    /// The section after decompression, if that succeeded: its name and bytes differ, the rest is
    /// the same.
    pub plain: Option<Section>,
    /// The rows of the header, and the compressed bytes.
    header: Vec<Node>,
    header_span: Span,
    body: Span,
    inflated: Option<Inflated>,
    method: Option<Method>,
}

/// Decompresses the compressed sections.
pub fn unpack(cx: &Context<'_>, file: &ElfFile) -> Vec<Packed> {
    let is_packed = |section: &&Section| {
        // gABI: SHF_COMPRESSED is for sections without SHF_ALLOC only.
        let flagged = section.flags & SectionFlags::COMPRESSED != 0
            && section.flags & SectionFlags::ALLOC == 0
            && file.dialect.unpacks(section);
        (flagged || is_gnu(section))
            && section.kind == SectionType::SHT_PROGBITS
            && !section.bytes.is_empty()
    };
    let mut left = file.dialect.unpack_limit();
    let sections = file.sections.iter().filter(is_packed);
    let packed = sections.filter_map(|section| one(cx, file, section, &mut left));
    packed.collect()
}

fn is_gnu(section: &Section) -> bool {
    section.name.starts_with(".zdebug_") && section.flags & SectionFlags::COMPRESSED == 0
}

fn one(cx: &Context<'_>, file: &ElfFile, section: &Section, left: &mut u64) -> Option<Packed> {
    let head = Window::clamped(cx.sources, section.bytes.subspan(0, Header64::SIZE));
    let header = match (is_gnu(section), file.class) {
        (true, _) => {
            let header = GnuHeader::read(&mut head.reader(Endian::Big)).ok();
            // Not compressed, despite the name.
            let header = header.filter(|h| h.magic == GNU)?;
            let zlib = CompressionType::ELFCOMPRESS_ZLIB.0;
            Ok((header.origin, header.nodes().collect(), zlib, header.size))
        }
        (false, Class::Elf32) => Header32::read(&mut head.reader(file.endian)).map(|h| {
            let size = h.ch_size.into();
            (h.origin, h.nodes().collect(), h.ch_type, size)
        }),
        (false, Class::Elf64) => Header64::read(&mut head.reader(file.endian))
            .map(|h| (h.origin, h.nodes().collect(), h.ch_type, h.ch_size)),
    };
    let (header_span, header, kind, size) = match header {
        Ok(header) => header,
        Err(error) => {
            let part = format!("{}: the compression header", section.name);
            cx.report_read(&rules::ELF_COMPRESSION_HEADER, &error, section.bytes, &part);
            return None;
        }
    };
    let method = match CompressionType(kind) {
        CompressionType::ELFCOMPRESS_ZLIB => Some(Method::Zlib),
        CompressionType::ELFCOMPRESS_ZSTD => Some(Method::Zstd),
        _ => {
            cx.report(
                &rules::ELF_COMPRESSION_TYPE,
                header_span.subspan(0, 4),
                format_args!("{}: unknown type {kind}", section.name),
            );
            None
        }
    };
    let body = section.bytes.skip(header_span.len());
    let fits = body.len() <= *left;
    let inflated = match method.filter(|_| fits && !body.is_empty()) {
        Some(method) => {
            *left -= body.len();
            cx.inflate(&section.name, method, body, Some(size))
        }
        None => None,
    };
    let plain = inflated.map(|inflated| Section {
        name: plain_name(&section.name),
        bytes: inflated.whole,
        size: inflated.whole.len(),
        ..section.clone()
    });
    Some(Packed {
        index: section.index,
        plain,
        header,
        header_span,
        body,
        inflated,
        method,
    })
}

const GNU: u32 = u32::from_be_bytes(*b"ZLIB");

/// Maps `.zdebug_info` to `.debug_info`.
fn plain_name(name: &str) -> String {
    match name.strip_prefix(".z") {
        Some(rest) if rest.starts_with("debug_") => format!(".{rest}"),
        _ => name.to_owned(),
    }
}

impl Packed {
    /// The section's node; `contents` is the node of the decompressed section.
    pub fn node(&self, cx: &Context<'_>, mut node: Node, contents: Option<Node>) -> Node {
        let mut tree = StaticTree::default();
        let record = Node::new(NodeKind::Record, "compression header", self.header_span)
            .area(Area::Header)
            .doc(&HEADER_DOC);
        let place = tree.push(StaticTree::TOP, record);
        tree.extend(place, self.header.iter().cloned());
        match (self.inflated, contents) {
            (Some(inflated), Some(contents)) => {
                let place = tree.push(StaticTree::TOP, inflated.node("compressed bytes"));
                tree.push(place, contents);
                let rest = self.body.skip(inflated.packed.len());
                if !rest.is_empty() {
                    cx.gap(rest);
                    tree.push(StaticTree::TOP, Node::gap("after the stream", rest));
                }
            }
            _ if !self.body.is_empty() => {
                let body = Node::new(NodeKind::Blob, "compressed bytes", self.body);
                let body = body.value(Value::Bytes).doc(&PACKED_DOC);
                tree.push(StaticTree::TOP, body.summary("not decompressed"));
            }
            _ => {}
        }
        node.kind = NodeKind::Record;
        let method = self.method.map_or("compressed", Method::name);
        let count = tree.count_at(StaticTree::TOP);
        node.summary(method)
            .children(cx.register(Rc::new(tree)), 0, Some(count))
    }
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn only_compressed_debug_sections_are_renamed() {
        for (name, plain) in [
            (".zdebug_info", ".debug_info"),
            (".debug_info", ".debug_info"),
            (".zeros", ".zeros"),
            (".zdebug", ".zdebug"),
            ("zdebug_info", "zdebug_info"),
        ] {
            assert_eq!(plain_name(name), plain);
        }
    }
}
