//! Patch tokens: Intel's kernel format that predates the zebin. Only the format is detected, and
//! the fields of the program header are decoded.
//!
//! ```text
//! SProgramBinaryHeader, 28 bytes │ patch list of the program │ kernels
//! ```
//!
//! [IGC's debug data](super::igc_debug) has the same magic number. In it the third word is 0; here
//! it is the device.
// The fields use the spelling of the header file.
#![allow(non_snake_case)]

use std::rc::Rc;

use super::Context;
use super::device::CoreFamily;
use super::format::{Format, OpenedDocument};
use super::names::{Decimal, Hex};
use super::reader::{Endian, Window};
use super::rules;
use super::text::plural;
use super::tree::StaticTree;
use crate::record;
use zeview_core::model::{Area, Capabilities, Doc, Fact, Node, NodeKind, Span, Summary, Value};

record! {
    /// The header of the program.
    pub struct ProgramHeader: "IGC, patch_list.h, SProgramBinaryHeader" {
        /// 0x494e5443, `INTC` as text.
        Magic: u32 as Hex,
        /// The version of the patch tokens.
        Version: u32 as Decimal,
        /// The core family of the device.
        Device: u32 as CoreFamily,
        /// The size of a pointer.
        GPUPointerSizeInBytes: u32 as Decimal,
        /// The number of kernels.
        NumberOfKernels: u32 as Decimal,
        /// The stepping of the device.
        SteppingId: u32 as Decimal,
        /// The size of the program's patch list, which follows the header.
        PatchListSize: u32 as Decimal,
    }
}

const SOURCE: &str = "IGC, patch_list.h";

static HEADER_DOC: Doc = Doc::new(
    "The target of the program, and the number of kernels.",
    SOURCE,
);
static LIST_DOC: Doc = Doc::new(
    "Patch tokens of the program: constants, globals and options.",
    SOURCE,
);
static KERNELS_DOC: Doc = Doc::new(
    "The kernels: each has a header, name, code, heaps and patch tokens. Not decoded.",
    SOURCE,
);

const MAGIC: &[u8] = b"CTNI";

/// The patch token format.
#[derive(Debug)]
pub struct PatchTokens;

impl Format for PatchTokens {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC) && head.get(8..12).is_some_and(|word| word != [0; 4])
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "patch tokens"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut tree = StaticTree::default();
        let window = Window::clamped(cx.sources, span.subspan(0, ProgramHeader::SIZE));
        let mut facts = Vec::new();
        match ProgramHeader::read(&mut window.reader(Endian::Little)) {
            Ok(header) => {
                push(&mut tree, span, &header);
                facts = facts_of(&header);
                let list = u64::from(header.PatchListSize);
                if list > span.skip(ProgramHeader::SIZE).len() {
                    cx.report(
                        &rules::PATCH_TOKENS_CUT_OFF,
                        header.span_of(ProgramHeader::PatchListSize),
                        format_args!(
                            "PatchListSize is {list}, but the file has {} bytes",
                            span.len()
                        ),
                    );
                }
            }
            Err(error) => {
                let rule = &rules::PATCH_TOKENS_CUT_OFF;
                cx.report_read(rule, &error, span, "the program header");
                cx.gap(span);
                tree.push(StaticTree::TOP, Node::gap("truncated program header", span));
            }
        }
        let count = tree.count_at(StaticTree::TOP);
        OpenedDocument {
            summary: Summary::new("patch-tokens", "patch tokens", facts).with(Capabilities {
                loadable: true,
                ..Capabilities::default()
            }),
            content: Some((cx.register(Rc::new(tree)), 0, Some(count))),
        }
    }
}

fn push(tree: &mut StaticTree, span: Span, header: &ProgramHeader) {
    let record = Node::new(NodeKind::Record, "program header", header.origin);
    let place = tree.push(StaticTree::TOP, record.area(Area::Header).doc(&HEADER_DOC));
    tree.extend(place, header.nodes());
    let list = span.subspan(ProgramHeader::SIZE, header.PatchListSize.into());
    let kernels = span.skip(ProgramHeader::SIZE + list.len());
    for (name, bytes, doc) in [
        ("patch list", list, &LIST_DOC),
        ("kernels", kernels, &KERNELS_DOC),
    ] {
        if !bytes.is_empty() {
            let node = Node::new(NodeKind::Blob, name, bytes).value(Value::Bytes);
            tree.push(StaticTree::TOP, node.doc(doc));
        }
    }
}

fn facts_of(header: &ProgramHeader) -> Vec<Fact> {
    let fact = |label, text, field| Fact::new(label, text, header.span_of(field));
    let family = CoreFamily(header.Device).name().map(str::to_owned);
    let family = family.unwrap_or_else(|| format!("core family {}", header.Device));
    let kernels = plural(header.NumberOfKernels.into(), "kernel");
    vec![
        fact(Fact::TARGET, family, ProgramHeader::Device).headline(),
        fact(Fact::KERNELS, kernels, ProgramHeader::NumberOfKernels).headline(),
        fact(
            "version",
            header.Version.to_string(),
            ProgramHeader::Version,
        ),
    ]
}
