//! The contents of sections that the generic ABI does not define.

use std::rc::Rc;

use super::dialect::Dialect;
use super::file::ElfFile;
use super::section::Section;
use crate::analysis::assembly::Assembly;
use crate::analysis::kernels::Kernels;
use crate::decode::Context;
use crate::decode::dwarf::Dwarf;
use crate::model::{Fact, Node, Sources, Span, Str};

/// Reads the files of some dialects.
pub trait Interpreter {
    /// The dialect of a file.
    fn dialect(&self, file: &ElfFile) -> Rc<dyn Dialect>;

    /// Looks through the file and checks it.
    fn read(&self, cx: &Context<'_>, file: &Rc<ElfFile>) -> Rc<dyn Contents>;
}

/// What a dialect has read of a file.
pub trait Contents {
    /// The format in words. Returns `None` if [`Dialect::title`] says all.
    fn title(&self) -> Option<Str> {
        None
    }

    /// The file in a few facts.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Completes the node of a section with what is to be said of the section, not of what is
    /// in it.
    fn describe(&self, section: &Section, node: Node) -> Node {
        let _ = section;
        node
    }

    /// The node of a section with rows for what is in it; `None` where these are the generic
    /// ABI's.
    fn node(
        &self,
        cx: &Context<'_>,
        section: &Section,
        dwarf: Option<&Rc<Dwarf>>,
        node: &Node,
    ) -> Option<Node> {
        let _ = (cx, section, dwarf, node);
        None
    }

    /// Bytes of the file that no header describes. Returns `None` if there are none.
    fn more_parts(&self, cx: &Context<'_>) -> Option<Node> {
        let _ = cx;
        None
    }

    /// The kernels. Returns `None` if the file does not list any.
    fn kernels(&self) -> Option<Rc<dyn Kernels>> {
        None
    }

    /// How many instructions there are in some bytes of code. Returns `None` if that cannot be
    /// told.
    fn instructions(&self, code: Span, sources: &Sources) -> Option<u64> {
        let _ = (code, sources);
        None
    }

    /// The instructions. Returns `None` if the file has no code of Intel's GPUs.
    fn assembly(&self) -> Option<Rc<dyn Assembly>> {
        None
    }

    /// The name of the kernel whose code a section of that name holds, and the bytes that
    /// describe the kernel. Returns `None` for sections of other names.
    fn kernel_of(&self, section: &str) -> Option<(String, Span)> {
        let _ = section;
        None
    }
}

/// Nothing is known but the generic ABI.
pub struct Plain;

impl Contents for Plain {}
