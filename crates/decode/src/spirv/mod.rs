//! SPIR-V, Khronos' intermediate representation: a section of a zebin that the driver can
//! recompile, or a separate file. Follows the SPIR-V specification 1.6 (unified), section 2.3.
//!
//! ```text
//! header: magic │ version │ generator │ bound │ schema     5 words
//! instruction: opcode (low half), word count (high half) │ operands     word count words
//! …
//! ```
//!
//! A check reads only the header. `module` decodes the instructions when they are opened.

mod bodies;
mod calls;
mod digest;
mod grammar;
mod instruction;
pub mod kernels;
mod module;
mod names;
mod number;
pub(crate) mod opcodes;
mod operands;
mod operations;
mod overview;
mod places;
#[rustfmt::skip]
mod tables;
mod text;
mod words;

use std::ops::Range;
use std::rc::Rc;

use foldhash::HashSet;

use self::kernels::SpirvKernels;
use self::text::LazyModule;
use super::Context;
use super::format::{Format, OpenedDocument};
use super::names::{Decimal, Hex};
use super::reader::{Endian, Window};
use super::rules;
use super::text::plural;
use crate::record;
use zeview_core::analysis::kernels::Kernels;
use zeview_core::analysis::module_text::ModuleText;
use zeview_core::model::{
    Capabilities, Doc, Expand, ExpanderId, Fact, Interfaces, Node, NodeKind, Rows, Sources, Span,
    Summary, Tone,
};

record! {
    /// The header of a SPIR-V module.
    pub struct Header: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction" {
        /// 0x07230203 in the byte order of the module.
        magic: u32 as Hex,
        /// The version: major in bits 23:16, minor in bits 15:8.
        version: u32 as Hex,
        /// The generator of the module: the tool in bits 31:16, its version in bits 15:0.
        generator: u32 as Hex,
        /// All ids are lower than this.
        bound: u32 as Decimal,
        /// Reserved.
        schema: u32 as Decimal,
    }
}

impl Header {
    /// `1.4`
    fn version_text(&self) -> String {
        format!(
            "{}.{}",
            (self.version >> 16) & 0xff,
            (self.version >> 8) & 0xff
        )
    }
}

/// The magic number of modules.
const MAGIC: u32 = 0x0723_0203;

const MODULE_DOC: Doc = Doc {
    text: "A SPIR-V module: a header of five words, then instructions. The driver compiles it; if it is in a zebin, only if the code is for another device.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};

/// Returns the byte order of a module, by its magic number.
fn order(head: &[u8]) -> Option<Endian> {
    let word: [u8; 4] = head.get(..4)?.try_into().ok()?;
    match (u32::from_le_bytes(word), u32::from_be_bytes(word)) {
        (MAGIC, _) => Some(Endian::Little),
        (_, MAGIC) => Some(Endian::Big),
        _ => None,
    }
}

/// Returns whether the bytes start like a module.
pub fn is_module(head: &[u8]) -> bool {
    order(head).is_some()
}

/// The SPIR-V format.
#[derive(Debug)]
pub struct Spirv;

impl Format for Spirv {
    fn recognize(&self, head: &[u8]) -> bool {
        is_module(head)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "SPIR-V"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let header = check(cx, span);
        let fact = |label: &'static str, text: String, headline| Fact {
            label: label.into(),
            text: text.into(),
            tone: Tone::Plain,
            span: header.map(|header| header.origin),
            headline,
        };
        let (title, facts) = match &header {
            Some(header) => (
                format!("SPIR-V {}", header.version_text()),
                vec![
                    fact("version", header.version_text(), true),
                    fact("ids below", header.bound.to_string(), false),
                ],
            ),
            None => ("truncated SPIR-V".to_owned(), Vec::new()),
        };
        let kernels = kernels::entry_points(cx.sources, span, false);
        let mut facts = facts;
        if let Some(first) = kernels.first() {
            let count = plural(kernels.len() as u64, "kernel");
            facts.push(Fact::new(Fact::KERNELS, count, first.name.span).headline());
        }
        let document = SpirvRows {
            module: LazyModule::new(span),
            kernels: (!kernels.is_empty())
                .then(|| Rc::new(SpirvKernels::new(span, HashSet::default()))),
        };
        let has = Capabilities {
            kernels: document.kernels.is_some(),
            text: true,
            ..Capabilities::default()
        };
        OpenedDocument {
            summary: Summary::new("spirv", title, facts).with(has),
            content: Some((cx.register(Rc::new(document)), module::TOP, None)),
        }
    }
}

/// The rows of a module, its text, and its kernels if it is a document.
struct SpirvRows {
    module: Rc<LazyModule>,
    kernels: Option<Rc<SpirvKernels>>,
}

impl Expand for SpirvRows {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.module.module(sources).count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.module.module(out.sources).rows(item, range, out);
    }

    fn interfaces(&self, item: u64) -> Interfaces {
        if item != module::TOP {
            return Interfaces::default();
        }
        let kernels = self.kernels.as_ref();
        Interfaces {
            kernels: kernels.map(|kernels| Rc::clone(kernels) as Rc<dyn Kernels>),
            text: Some(Rc::clone(&self.module) as Rc<dyn ModuleText>),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.module.module(sources).index_at(item, offset, sources)
    }
}

/// Returns the names of a module's kernels, with their bytes: only the start of the module is read.
pub fn kernel_names(sources: &Sources, module: Span) -> Vec<(String, Span)> {
    let kernels = kernels::entry_points(sources, module, false).into_iter();
    let names = kernels.map(|kernel| (kernel.name.value, kernel.name.span.unwrap_or_default()));
    names.collect()
}

/// Returns the node of a section that contains a module; `None` otherwise.
pub fn node(cx: &Context<'_>, bytes: Span, mut node: Node) -> Option<Node> {
    let head = Window::clamped(cx.sources, bytes.subspan(0, 4));
    order(head.bytes())?;
    if let Some(header) = check(cx, bytes) {
        node = node.summary(format!("SPIR-V {}", header.version_text()));
    }
    node.kind = NodeKind::Record;
    let rows = rows(cx, bytes);
    Some(node.children(rows, module::TOP, None).doc(&MODULE_DOC))
}

/// Registers the rows of a module, which are read on demand.
fn rows(cx: &Context<'_>, span: Span) -> ExpanderId {
    cx.register(Rc::new(SpirvRows {
        module: LazyModule::new(span),
        kernels: None,
    }))
}

/// Checks only the header.
fn check(cx: &Context<'_>, span: Span) -> Option<Header> {
    let window = Window::clamped(cx.sources, span.subspan(0, Header::SIZE));
    let endian = order(window.bytes())?;
    let header = match Header::read(&mut window.reader(endian)) {
        Ok(header) => header,
        Err(error) => {
            cx.report_read(&rules::SPIRV_HEADER, &error, span, "the SPIR-V header");
            return None;
        }
    };
    if header.version & 0xff00_00ff != 0 || (header.version >> 16) & 0xff != 1 {
        cx.report(
            &rules::SPIRV_VERSION,
            header.span_of(Header::version),
            format_args!("the version is {:#x}", header.version),
        );
    }
    if !span.len().is_multiple_of(4) {
        cx.report(
            &rules::SPIRV_ODD_SIZE,
            span.skip(span.len() - span.len() % 4),
            format_args!("{} bytes are not a whole number of words", span.len()),
        );
    }
    Some(header)
}
