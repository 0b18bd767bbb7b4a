//! `.spv` and `.pisa`: intermediate representations from which the driver can rebuild.

use crate::decode::Context;
use crate::decode::reader::Window;
use crate::decode::{rules, spirv};
use crate::model::{Doc, Node, Span, Value};

const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";

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

/// The node of a `.spv` section.
pub fn spirv_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    if let Some(node) = spirv::node(cx, bytes, node.clone()) {
        return node;
    }
    let node = node.value(Value::Bytes);
    let head = Window::clamped(cx.sources, bytes.sub(0, 4));
    if head.bytes() == BITCODE_MAGIC {
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

/// The node of a `.pisa` section.
pub fn pisa_node(node: Node) -> Node {
    node.value(Value::Bytes).summary("PISA").doc(&PISA_DOC)
}
