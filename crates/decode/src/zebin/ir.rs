//! `.spv`: the intermediate representation that the driver can recompile.

use crate::Context;
use crate::reader::Window;
use crate::{rules, spirv};
use zeview_core::model::{Doc, Node, Span, Value};

const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";

const BITCODE_DOC: Doc = Doc::new("LLVM bitcode of the module.", "zebin ELF, .spv");

/// The node of a `.spv` section.
pub fn spirv_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    if let Some(node) = spirv::node(cx, bytes, node.clone()) {
        return node;
    }
    let node = node.value(Value::Bytes);
    let head = Window::clamped(cx.sources, bytes.subspan(0, 4));
    if head.bytes() == BITCODE_MAGIC {
        return node.summary("LLVM bitcode").doc(&BITCODE_DOC);
    }
    if !bytes.is_empty() {
        cx.report(
            &rules::ZEBIN_IR,
            bytes.subspan(0, 4),
            format_args!("{} starts with an unknown magic number", node.name),
        );
    }
    node
}
