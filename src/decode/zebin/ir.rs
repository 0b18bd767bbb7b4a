//! `.spv` and `.pisa`: intermediate representations from which the driver can rebuild. Their
//! headers are decoded; the words that follow are one piece.

use crate::decode::Context;
use crate::decode::eager::{Eager, Tree};
use crate::decode::names::{Dec, Hex};
use crate::decode::reader::{Endian, Window};
use crate::decode::rules;
use crate::model::{Doc, Node, NodeKind, Span, Value};
use crate::record;

record! {
    /// The header of a SPIR-V module.
    pub struct SpirvHeader: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction" {
        /// 0x07230203 in the order of bytes of the module.
        magic: u32 as Hex,
        /// The version: major in bits 23:16, minor in bits 15:8.
        version: u32 as Hex,
        /// Who has written the module: the tool in bits 31:16, its version below.
        generator: u32 as Hex,
        /// All ids are lower than this.
        bound: u32 as Dec,
        /// Reserved.
        schema: u32 as Dec,
    }
}

const SPIRV_MAGIC: u32 = 0x0723_0203;
const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";

const WORDS_DOC: Doc = Doc {
    text: "The instructions of the module, in 32-bit words.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const SPIRV_DOC: Doc = Doc {
    text: "SPIR-V of the module: the driver rebuilds from it when the code does not fit the device.",
    source: "zebin ELF, .spv",
    known: &[],
};
const BITCODE_DOC: Doc = Doc {
    text: "LLVM bitcode of the module.",
    source: "zebin ELF, .spv",
    known: &[],
};
const PISA_DOC: Doc = Doc {
    text: "Kernel code in PISA form: an intermediate representation that the driver builds from.",
    source: "zebin ELF, .pisa, since version 1.71",
    known: &[],
};

fn spirv_header(window: &Window) -> Option<SpirvHeader> {
    [Endian::Little, Endian::Big]
        .into_iter()
        .find_map(|endian| {
            let header = SpirvHeader::read(&mut window.reader(endian)).ok()?;
            (header.magic == SPIRV_MAGIC).then_some(header)
        })
}

/// The node of a `.spv` section.
pub fn spirv_node(cx: &Context<'_>, bytes: Span, mut node: Node) -> Node {
    let window = Window::clamped(cx.sources, bytes.sub(0, SpirvHeader::SIZE));
    if let Some(header) = spirv_header(&window) {
        let rows = cx.register(std::rc::Rc::new(Tree::new(move |_| {
            spirv_rows(&header, bytes)
        })));
        node.kind = NodeKind::Record;
        let (major, minor) = ((header.version >> 16) & 0xff, (header.version >> 8) & 0xff);
        return node
            .summary(format!("SPIR-V {major}.{minor}"))
            .children(rows, 0, None)
            .doc(&SPIRV_DOC);
    }
    node.value = Value::Bytes;
    if window.bytes().starts_with(BITCODE_MAGIC) {
        return node.summary("LLVM bitcode").doc(&BITCODE_DOC);
    }
    if !bytes.is_empty() {
        cx.report(
            &rules::ZEBIN_IR,
            bytes.sub(0, 4),
            format_args!("{} starts with no magic number that is known", node.name),
        );
    }
    node.doc(&SPIRV_DOC)
}

fn spirv_rows(header: &SpirvHeader, bytes: Span) -> Eager {
    let mut tree = Eager::default();
    for spec in SpirvHeader::FIELDS {
        let node = spec.row(header.raw(spec.name), header.origin);
        let node = match spec.name {
            "version" => {
                let (major, minor) = ((header.version >> 16) & 0xff, (header.version >> 8) & 0xff);
                node.summary(format!("{major}.{minor}"))
            }
            _ => node,
        };
        tree.push(Eager::TOP, node);
    }
    let words = bytes.from(SpirvHeader::SIZE);
    if !words.is_empty() {
        tree.push(
            Eager::TOP,
            Node::new(NodeKind::Blob, "words", words)
                .value(Value::Bytes)
                .doc(&WORDS_DOC),
        );
    }
    tree
}

/// The node of a `.pisa` section.
pub fn pisa_node(node: Node) -> Node {
    node.value(Value::Bytes).summary("PISA").doc(&PISA_DOC)
}
