//! LLVM bitcode: device code that a linker compiles into images, as objects contain it. Its contents
//! are not decoded.

use std::rc::Rc;

use super::Context;
use super::format::{Format, OpenedDocument};
use super::tree::StaticTree;
use zeview_core::model::{Doc, Node, NodeKind, Span, Summary, Value};

const MAGIC: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

static DOC: Doc = Doc::new(
    "LLVM bitcode: no driver loads it. The device linker compiles it into SPIR-V or native code.",
    "LLVM, BitCodeFormat.rst",
);

/// The format of LLVM bitcode.
#[derive(Debug)]
pub struct Bitcode;

impl Format for Bitcode {
    fn recognize(&self, head: &[u8]) -> bool {
        MAGIC.iter().any(|magic| head.starts_with(magic))
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "LLVM bitcode"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut tree = StaticTree::default();
        let node = Node::new(NodeKind::Blob, "bitcode", span).value(Value::Bytes);
        tree.push(StaticTree::TOP, node.doc(&DOC));
        OpenedDocument {
            summary: Summary::new("bitcode", "LLVM bitcode", Vec::new()),
            content: Some((cx.register(Rc::new(tree)), 0, Some(1))),
        }
    }
}
