//! IGC's program debug data: the driver's output for patch token programs that were built with `-g`
//! (`CL_PROGRAM_DEBUG_INFO_INTEL`). It has an ELF file with DWARF for each kernel.
//!
//! Follows IGC's program_debug_data.h, as it was until July 2025, and pti-gpu's chapter "GEN Symbols
//! Decoding". The variant for compilers other than IGC, with its own line tables, is not decoded;
//! no sample of it is known.
//!
//! ```text
//! SProgramDebugDataHeaderIGC, 28 bytes
//! SKernelDebugDataHeaderIGC, 12 bytes │ name, NUL, to 4 │ vISA debug ELF │ Gen ISA debug data
//! …
//! ```
//!
//! Patch tokens have the same magic number. In them the third word is the device; here it is a
//! size, which all known writers leave 0.
// The fields have the spelling of the header file.
#![allow(non_snake_case)]

use std::rc::Rc;

use super::Context;
use super::format::{self, Format, Opened};
use super::names::{Dec, Hex};
use super::reader::{Endian, Window};
use super::rules;
use super::text::plural;
use super::tree::{Parent, StaticTree};
use super::zebin::device::CoreFamily;
use crate::model::{Area, Doc, Fact, Node, NodeKind, Span, Summary, Value};
use crate::record;

record! {
    /// The header of the program.
    pub struct ProgramHeader: "program_debug_data.h, SProgramDebugDataHeaderIGC" {
        /// 0x494e5443, `INTC` as text; patch tokens have the same magic number.
        Magic: u32 as Hex,
        /// The version of the patch tokens that the data belongs to.
        Version: u32 as Dec,
        /// The size of all the data; IGC leaves it 0.
        Size: u32 as Dec,
        /// The core family of the device.
        Device: u32 as CoreFamily,
        /// The stepping of the device.
        SteppingId: u32 as Dec,
        /// The size of a pointer; IGC leaves it 0.
        GPUPointerSizeInBytes: u32 as Dec,
        /// The number of kernels that follow.
        NumberOfKernels: u32 as Dec,
    }
}

record! {
    /// The header of a kernel.
    pub struct KernelHeader: "program_debug_data.h, SKernelDebugDataHeaderIGC" {
        /// The size of the name with its NUL, padded to a multiple of 4.
        KernelNameSize: u32 as Dec,
        /// The size of the vISA debug data, an ELF file; 0 if there is none.
        SizeVisaDbgInBytes: u32 as Dec,
        /// The size of the Gen ISA debug data; only the oldest drivers write it.
        SizeGenIsaDbgInBytes: u32 as Dec,
    }
}

const SOURCE: &str = "program_debug_data.h";

static HEADER_DOC: Doc = Doc::new("The target of the data, and the number of kernels.", SOURCE);
static KERNEL_DOC: Doc = Doc::new("A kernel: its name, and its debug data.", SOURCE);
static KERNEL_HEADER_DOC: Doc = Doc::new(
    "The sizes of the name and of the debug data, which follow.",
    SOURCE,
);
static NAME_DOC: Doc = Doc::new(
    "The kernel's name with its NUL, padded to a multiple of 4 bytes.",
    SOURCE,
);
static FILL_DOC: Doc = Doc::new(
    "The size of the name is not a multiple of 4; the debug data starts at one.",
    SOURCE,
);
static GEN_DOC: Doc = Doc::new("Gen ISA debug data; its format is not documented.", SOURCE);
static VISA_DOC: Doc = Doc::new("vISA debug data that is not an ELF file.", SOURCE);
static REST_DOC: Doc = Doc::new(
    "Bytes after the last kernel that the header counts.",
    SOURCE,
);

const MAGIC: &[u8] = b"CTNI";
const ELF: &[u8] = b"\x7fELF";

/// The format.
#[derive(Debug)]
pub struct IgcDebug;

impl Format for IgcDebug {
    fn recognise(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC) && head.get(8..12) == Some(&[0; 4])
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> Opened {
        let mut tree = StaticTree::default();
        let window = Window::clamped(cx.sources, span.subspan(0, ProgramHeader::SIZE));
        let mut facts = Vec::new();
        match ProgramHeader::read(&mut window.reader(Endian::Little)) {
            Ok(header) => {
                push_record(
                    &mut tree,
                    StaticTree::TOP,
                    "program header",
                    header.origin,
                    &HEADER_DOC,
                    |place, tree| {
                        tree.extend(place, header.nodes());
                    },
                );
                let kernels = read_kernels(cx, span, &header, &mut tree);
                facts = facts_of(&header, kernels);
            }
            Err(error) => {
                cx.report_read(&rules::IGC_DEBUG_HEADER, &error, span, "the program header");
                push_rest(cx, &mut tree, span, "truncated program header", &HEADER_DOC);
            }
        }
        let count = tree.count_at(StaticTree::TOP);
        Opened {
            summary: Summary::new("igc-debug", "IGC program debug data", facts),
            content: Some((cx.register(Rc::new(tree)), 0, Some(count))),
        }
    }
}

fn push_record(
    tree: &mut StaticTree,
    place: Parent,
    name: &'static str,
    span: Span,
    doc: &'static Doc,
    fields: impl FnOnce(Parent, &mut StaticTree),
) {
    let node = Node::new(NodeKind::Record, name, span).area(Area::Header);
    let below = tree.push(place, node.doc(doc));
    fields(below, tree);
}

/// Bytes that nothing explains.
fn push_rest(
    cx: &Context<'_>,
    tree: &mut StaticTree,
    span: Span,
    name: &'static str,
    doc: &'static Doc,
) {
    if !span.is_empty() {
        cx.gap(span);
        tree.push(StaticTree::TOP, Node::gap(name, span).doc(doc));
    }
}

fn facts_of(header: &ProgramHeader, kernels: u64) -> Vec<Fact> {
    let fact = |label, text, field| Fact::new(label, text, header.span_of(field));
    let family = CoreFamily(header.Device);
    let family = family
        .name()
        .map_or_else(|| format!("core family {}", header.Device), str::to_owned);
    vec![
        fact(Fact::TARGET, family, ProgramHeader::Device).headline(),
        fact(
            Fact::KERNELS,
            plural(kernels, "kernel"),
            ProgramHeader::NumberOfKernels,
        )
        .headline(),
        fact(
            "version",
            header.Version.to_string(),
            ProgramHeader::Version,
        ),
    ]
}

/// Reads the kernels that are there; says how many.
fn read_kernels(
    cx: &Context<'_>,
    span: Span,
    header: &ProgramHeader,
    tree: &mut StaticTree,
) -> u64 {
    let mut at = ProgramHeader::SIZE;
    let mut count = 0;
    while count < u64::from(header.NumberOfKernels) {
        let Some(size) = read_kernel(cx, span.skip(at), tree) else {
            cx.report(
                &rules::IGC_DEBUG_KERNELS,
                header.span_of(ProgramHeader::NumberOfKernels),
                format_args!(
                    "NumberOfKernels is {}, but the file has {}",
                    header.NumberOfKernels,
                    plural(count, "kernel")
                ),
            );
            push_rest(cx, tree, span.skip(at), "truncated kernel", &KERNEL_DOC);
            return count;
        };
        at += size;
        count += 1;
    }
    let rest = span.skip(at);
    if !rest.is_empty() {
        cx.report(
            &rules::IGC_DEBUG_TRAILING,
            rest,
            format_args!("{} after the last kernel", plural(rest.len(), "byte")),
        );
        push_rest(cx, tree, rest, "after the kernels", &REST_DOC);
    }
    count
}

/// Reads the kernel at the start of `rest`. Returns its size, or `None` if its header is not
/// all there.
fn read_kernel(cx: &Context<'_>, rest: Span, tree: &mut StaticTree) -> Option<u64> {
    let window = Window::clamped(cx.sources, rest.subspan(0, KernelHeader::SIZE));
    let header = KernelHeader::read(&mut window.reader(Endian::Little)).ok()?;
    let data = rest.skip(KernelHeader::SIZE);
    let name_size = u64::from(header.KernelNameSize);
    let visa_size = u64::from(header.SizeVisaDbgInBytes);
    let gen_size = u64::from(header.SizeGenIsaDbgInBytes);
    let name = data.subspan(0, name_size);
    let fill = fill_of(cx, data, &header);
    let visa = data.subspan(name_size + fill, visa_size);
    let generated = data.subspan(name_size + fill + visa_size, gen_size);
    let wanted = KernelHeader::SIZE + name_size + fill + visa_size + gen_size;
    let whole = rest.subspan(0, wanted);
    let text = name_text(cx, name, &header);
    if whole.len() < wanted {
        cx.report(
            &rules::IGC_DEBUG_OUT_OF_BOUNDS,
            header.origin,
            format_args!(
                "{text}: name and debug data are truncated by {}",
                plural(wanted - whole.len(), "byte")
            ),
        );
    }
    let node = Node::new(NodeKind::Item, text, whole).doc(&KERNEL_DOC);
    let place = tree.push(StaticTree::TOP, node.area(Area::Debug));
    push_record(
        tree,
        place,
        "kernel header",
        header.origin,
        &KERNEL_HEADER_DOC,
        |place, tree| {
            tree.extend(place, header.nodes());
        },
    );
    if !name.is_empty() {
        let window = Window::clamped(cx.sources, name);
        let bytes = window.bytes();
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or(bytes);
        let value = Value::text_from(bytes);
        tree.push(place, Node::field("name", value, name).doc(&NAME_DOC));
    }
    let filler = data.subspan(name_size, fill);
    if !filler.is_empty() {
        cx.padding(filler);
        tree.push(place, Node::padding(filler).doc(&FILL_DOC));
    }
    if !visa.is_empty() {
        tree.push(place, visa_node(cx, visa));
    }
    if !generated.is_empty() {
        let node = Node::new(NodeKind::Blob, "Gen ISA debug data", generated);
        tree.push(place, node.value(Value::Bytes).doc(&GEN_DOC));
    }
    Some(wanted.min(rest.len()))
}

/// How many bytes there are between the name and the debug data. pti-gpu rounds the size of
/// the name up to 4, compute-runtime did not: what IGC writes is a multiple of 4 anyway.
/// Otherwise the ELF file tells.
fn fill_of(cx: &Context<'_>, data: Span, header: &KernelHeader) -> u64 {
    let name_size = u64::from(header.KernelNameSize);
    let fill = name_size.next_multiple_of(4) - name_size;
    if fill == 0 {
        return 0;
    }
    cx.report(
        &rules::IGC_DEBUG_NAME_SIZE,
        header.span_of(KernelHeader::KernelNameSize),
        format_args!("KernelNameSize is {name_size}, not a multiple of 4"),
    );
    let starts_at = |at| {
        let window = Window::clamped(cx.sources, data.subspan(at, 4));
        window.bytes() == ELF
    };
    match starts_at(name_size) || !starts_at(name_size + fill) {
        true => 0,
        false => fill,
    }
}

/// The name as a title; the first few characters of a long one.
fn name_text(cx: &Context<'_>, name: Span, header: &KernelHeader) -> String {
    let window = Window::clamped(
        cx.sources,
        name.subspan(0, super::limits::NAME_SHOWN as u64),
    );
    let bytes = window.bytes();
    let len = bytes.iter().position(|byte| *byte == 0);
    let last = Window::clamped(cx.sources, name.skip(name.len().saturating_sub(1)));
    if last.bytes() != [0] {
        cx.report(
            &rules::IGC_DEBUG_NAME,
            header.span_of(KernelHeader::KernelNameSize),
            "the kernel's name has no terminating NUL",
        );
    }
    let text = bytes.get(..len.unwrap_or(bytes.len())).unwrap_or(bytes);
    match text {
        [] => "kernel".to_owned(),
        text => String::from_utf8_lossy(text).into_owned(),
    }
}

fn visa_node(cx: &Context<'_>, visa: Span) -> Node {
    let head = Window::clamped(cx.sources, visa.subspan(0, 4));
    let opened = match head.bytes() == ELF {
        true => format::nested(cx, visa),
        false => None,
    };
    match opened {
        Some(opened) => format::document_node("vISA debug ELF".to_owned(), visa, &opened),
        None => Node::new(NodeKind::Blob, "vISA debug data", visa)
            .value(Value::Bytes)
            .doc(&VISA_DOC),
    }
}
