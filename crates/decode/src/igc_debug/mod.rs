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
// The fields use the spelling of the header file.
#![allow(non_snake_case)]

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::device::CoreFamily;
use super::format::{self, Format, OpenedDocument};
use super::names::{Decimal, Hex};
use super::reader::{Endian, Window};
use super::rules;
use super::text::plural;
use crate::record;
use zeview_core::model::{
    Area, Doc, Expand, Fact, Node, NodeKind, Rows, Sources, Span, Summary, Value,
};

record! {
    /// The header of the program.
    pub struct ProgramHeader: "program_debug_data.h, SProgramDebugDataHeaderIGC" {
        /// 0x494e5443, `INTC` as text; patch tokens have the same magic number.
        Magic: u32 as Hex,
        /// The version of the patch tokens that the data belongs to.
        Version: u32 as Decimal,
        /// The size of all the data; IGC leaves it 0.
        Size: u32 as Decimal,
        /// The core family of the device.
        Device: u32 as CoreFamily,
        /// The stepping of the device.
        SteppingId: u32 as Decimal,
        /// The size of a pointer; IGC leaves it 0.
        GPUPointerSizeInBytes: u32 as Decimal,
        /// The number of kernels that follow.
        NumberOfKernels: u32 as Decimal,
    }
}

record! {
    /// The header of a kernel.
    pub struct KernelHeader: "program_debug_data.h, SKernelDebugDataHeaderIGC" {
        /// The size of the name with its NUL, padded to a multiple of 4.
        KernelNameSize: u32 as Decimal,
        /// The size of the vISA debug data, an ELF file; 0 if there is none.
        SizeVisaDbgInBytes: u32 as Decimal,
        /// The size of the Gen ISA debug data; only the oldest drivers write it.
        SizeGenIsaDbgInBytes: u32 as Decimal,
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
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC) && head.get(8..12) == Some(&[0; 4])
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "IGC debug data"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let window = Window::clamped(cx.sources, span.subspan(0, ProgramHeader::SIZE));
        let mut program = Program {
            span,
            header: None,
            kernels: Vec::new(),
            rest: None,
        };
        let mut facts = Vec::new();
        match ProgramHeader::read(&mut window.reader(Endian::Little)) {
            Ok(header) => {
                program.read_kernels(cx, &header);
                facts = facts_of(&header, program.kernels.len() as u64);
                program.header = Some(header);
            }
            Err(error) => {
                cx.report_read(&rules::IGC_DEBUG_HEADER, &error, span, "the program header");
                program.rest(cx, span, "truncated program header", &HEADER_DOC);
            }
        }
        let count = program.parts();
        OpenedDocument {
            summary: Summary::new("igc-debug", "IGC program debug data", facts),
            content: Some((cx.register(Rc::new(program)), TOP, Some(count))),
        }
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

/// The debug data of a program.
struct Program {
    span: Span,
    header: Option<ProgramHeader>,
    kernels: Vec<Kernel>,
    /// The bytes after the kernels.
    rest: Option<Node>,
}

/// A kernel. There may be one every 12 bytes, so only what cannot be read again is kept.
struct Kernel {
    /// Its offset in the program.
    at: u64,
    /// Its ELF file, if it was opened.
    visa: Option<Box<OpenedDocument>>,
}

/// The byte ranges of a kernel's parts.
struct Layout {
    header: KernelHeader,
    /// The size of all parts; the file may have fewer bytes.
    total_size: u64,
    whole: Span,
    name: Span,
    fill: Span,
    visa: Span,
    generated: Span,
}

impl Layout {
    /// Reads the kernel at the start of `rest`. Returns `None` if its header is truncated.
    fn read(sources: &Sources, rest: Span) -> Option<Layout> {
        let window = Window::clamped(sources, rest.subspan(0, KernelHeader::SIZE));
        let header = KernelHeader::read(&mut window.reader(Endian::Little)).ok()?;
        let data = rest.skip(KernelHeader::SIZE);
        let name_size = u64::from(header.KernelNameSize);
        let visa_size = u64::from(header.SizeVisaDbgInBytes);
        let gen_size = u64::from(header.SizeGenIsaDbgInBytes);
        let fill = fill_of(sources, data, name_size);
        let total_size = KernelHeader::SIZE + name_size + fill + visa_size + gen_size;
        Some(Layout {
            header,
            total_size,
            whole: rest.subspan(0, total_size),
            name: data.subspan(0, name_size),
            fill: data.subspan(name_size, fill),
            visa: data.subspan(name_size + fill, visa_size),
            generated: data.subspan(name_size + fill + visa_size, gen_size),
        })
    }

    /// The name as a title, truncated if it is long.
    fn title(&self, sources: &Sources) -> String {
        let start = self.name.subspan(0, super::limits::NAME_SHOWN as u64);
        let window = Window::clamped(sources, start);
        match before_nul(window.bytes()) {
            [] => "kernel".to_owned(),
            text => String::from_utf8_lossy(text).into_owned(),
        }
    }

    /// Reports errors in the kernel.
    fn check(&self, cx: &Context<'_>) {
        let size = self.header.span_of(KernelHeader::KernelNameSize);
        let name_size = self.header.KernelNameSize;
        if !name_size.is_multiple_of(4) {
            cx.report(
                &rules::IGC_DEBUG_NAME_SIZE,
                size,
                format_args!("KernelNameSize is {name_size}, not a multiple of 4"),
            );
        }
        let last = self.name.skip(self.name.len().saturating_sub(1));
        if Window::clamped(cx.sources, last).bytes() != [0] {
            cx.report(
                &rules::IGC_DEBUG_NAME,
                size,
                "the kernel's name has no terminating NUL",
            );
        }
        if self.whole.len() < self.total_size {
            cx.report(
                &rules::IGC_DEBUG_OUT_OF_BOUNDS,
                self.header.origin,
                format_args!(
                    "{}: name and debug data are truncated by {}",
                    self.title(cx.sources),
                    plural(self.total_size - self.whole.len(), "byte")
                ),
            );
        }
        cx.padding(self.fill);
    }

    /// The number of its rows.
    fn count(&self) -> u64 {
        let parts = [self.name, self.fill, self.visa, self.generated];
        1 + parts.iter().filter(|part| !part.is_empty()).count() as u64
    }

    fn rows(&self, kernel: &Kernel, item: u64, out: &Rows<'_>) -> Vec<Node> {
        let header = Node::new(NodeKind::Record, "kernel header", self.header.origin);
        let header = header.area(Area::Header).doc(&KERNEL_HEADER_DOC);
        let fields = Some(KernelHeader::COUNT);
        let mut rows = vec![header.children(out.me, item + 1, fields)];
        if !self.name.is_empty() {
            let window = Window::clamped(out.sources, self.name);
            let value = Value::text_from(before_nul(window.bytes()));
            rows.push(Node::field("name", value, self.name).doc(&NAME_DOC));
        }
        if !self.fill.is_empty() {
            rows.push(Node::padding(self.fill).doc(&FILL_DOC));
        }
        if let Some(opened) = &kernel.visa {
            let name = "vISA debug ELF".to_owned();
            rows.push(format::document_node(name, self.visa, opened));
        } else if !self.visa.is_empty() {
            let node = Node::new(NodeKind::Blob, "vISA debug data", self.visa);
            rows.push(node.value(Value::Bytes).doc(&VISA_DOC));
        }
        if !self.generated.is_empty() {
            let node = Node::new(NodeKind::Blob, "Gen ISA debug data", self.generated);
            rows.push(node.value(Value::Bytes).doc(&GEN_DOC));
        }
        rows
    }
}

/// Number of bytes between the name and the debug data. pti-gpu rounds the size of the name up to
/// 4, compute-runtime did not; IGC writes multiples of 4 anyway. Otherwise the magic number of the
/// ELF file decides.
fn fill_of(sources: &Sources, data: Span, name_size: u64) -> u64 {
    let fill = name_size.next_multiple_of(4) - name_size;
    let starts_at = |at| Window::clamped(sources, data.subspan(at, 4)).bytes() == ELF;
    if fill == 0 || starts_at(name_size) || !starts_at(name_size + fill) {
        0
    } else {
        fill
    }
}

fn before_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)
}

const TOP: u64 = 0;
const PROGRAM_HEADER: u64 = 1;
/// The first kernel; each has two items, itself and its header.
const KERNELS: u64 = 2;

impl Program {
    /// Reads the kernels in the file.
    fn read_kernels(&mut self, cx: &Context<'_>, header: &ProgramHeader) {
        let mut at = ProgramHeader::SIZE;
        for count in 0..u64::from(header.NumberOfKernels) {
            let rest = self.span.skip(at);
            let Some(layout) = Layout::read(cx.sources, rest) else {
                cx.report(
                    &rules::IGC_DEBUG_KERNELS,
                    header.span_of(ProgramHeader::NumberOfKernels),
                    format_args!(
                        "NumberOfKernels is {}, but the file has {}",
                        header.NumberOfKernels,
                        plural(count, "kernel")
                    ),
                );
                return self.rest(cx, rest, "truncated kernel", &KERNEL_DOC);
            };
            layout.check(cx);
            let head = Window::clamped(cx.sources, layout.visa.subspan(0, 4));
            let mut opened = if head.bytes() == ELF {
                format::nested(cx, layout.visa)
            } else {
                None
            };
            if let Some(opened) = &mut opened {
                opened.summary.facts = Vec::new();
            }
            let visa = opened.map(Box::new);
            self.kernels.push(Kernel { at, visa });
            at += layout.whole.len();
        }
        let rest = self.span.skip(at);
        if !rest.is_empty() {
            cx.report(
                &rules::IGC_DEBUG_TRAILING,
                rest,
                format_args!("{} after the last kernel", plural(rest.len(), "byte")),
            );
            self.rest(cx, rest, "after the kernels", &REST_DOC);
        }
    }

    /// Adds bytes that no structure covers.
    fn rest(&mut self, cx: &Context<'_>, span: Span, name: &'static str, doc: &'static Doc) {
        if !span.is_empty() {
            cx.gap(span);
            self.rest = Some(Node::gap(name, span).doc(doc));
        }
    }

    /// Number of rows at the top: the header, the kernels, the rest.
    fn parts(&self) -> u64 {
        let others = usize::from(self.header.is_some()) + usize::from(self.rest.is_some());
        (others + self.kernels.len()) as u64
    }

    fn part(&self, index: u64, out: &Rows<'_>) -> Option<Node> {
        let Some(at) = index.checked_sub(u64::from(self.header.is_some())) else {
            let header = self.header.as_ref()?;
            let node = Node::new(NodeKind::Record, "program header", header.origin);
            let node = node.area(Area::Header).doc(&HEADER_DOC);
            let fields = Some(ProgramHeader::COUNT);
            return Some(node.children(out.me, PROGRAM_HEADER, fields));
        };
        let item = KERNELS + 2 * at;
        let Some((_, layout)) = self.kernel(item, out.sources) else {
            return self.rest.clone();
        };
        let node = Node::new(NodeKind::Item, layout.title(out.sources), layout.whole);
        let node = node.doc(&KERNEL_DOC).area(Area::Debug);
        Some(node.children(out.me, item, Some(layout.count())))
    }

    fn kernel(&self, item: u64, sources: &Sources) -> Option<(&Kernel, Layout)> {
        let at = usize::try_from(item.checked_sub(KERNELS)? / 2).ok()?;
        let kernel = self.kernels.get(at)?;
        Some((kernel, Layout::read(sources, self.span.skip(kernel.at))?))
    }
}

impl Expand for Program {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match item {
            TOP => self.parts(),
            PROGRAM_HEADER => ProgramHeader::COUNT,
            _ if item.is_multiple_of(2) => {
                let kernel = self.kernel(item, sources);
                kernel.map_or(0, |(_, layout)| layout.count())
            }
            _ => KernelHeader::COUNT,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        match item {
            TOP => {
                let nodes: Vec<Node> = range.map_while(|at| self.part(at, out)).collect();
                out.extend(nodes);
            }
            PROGRAM_HEADER => {
                if let Some(header) = &self.header {
                    out.push_range(header.nodes(), range);
                }
            }
            _ => {
                let Some((kernel, layout)) = self.kernel(item, out.sources) else {
                    return;
                };
                if item.is_multiple_of(2) {
                    let rows = layout.rows(kernel, item, out);
                    out.push_range(rows, range);
                } else {
                    out.push_range(layout.header.nodes(), range);
                }
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        if item != TOP || self.header.is_none() {
            return None;
        }
        let at = offset.checked_sub(self.span.start)?;
        let after = self.kernels.partition_point(|kernel| kernel.at <= at) as u64;
        match &self.rest {
            Some(rest) if rest.span.is_some_and(|rest| rest.contains_offset(offset)) => {
                Some(vec![self.parts().saturating_sub(1)])
            }
            _ => Some(vec![after]),
        }
    }
}
