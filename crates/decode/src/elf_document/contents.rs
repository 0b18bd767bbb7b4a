//! Contents of sections that the generic ABI does not define.

use std::rc::Rc;

use crate::Context;
use crate::dwarf::Dwarf;
use crate::elf::section::Section;
use zeview_core::analysis::assembly::Assembly;
use zeview_core::analysis::kernels::Kernels;
use zeview_core::analysis::linkage::Linkage;
use zeview_core::model::{Fact, Node, Sources, Span, Str};

/// The contents of a file, as its dialect defines them.
pub trait Contents {
    /// The format's title. Returns `None` if [`Dialect::title`](crate::elf::dialect::Dialect::title) is enough.
    fn title(&self) -> Option<Str> {
        None
    }

    /// The file in a few facts.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Completes the node of a section with facts about the section itself, not about its contents.
    fn describe(&self, section: &Section, node: Node) -> Node {
        let _ = section;
        node
    }

    /// The node of a section with rows for its contents. Returns `None` where the generic ABI
    /// defines them.
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

    /// Number of instructions in a range of code. Returns `None` if it is unknown.
    fn instructions(&self, code: Span, sources: &Sources) -> Option<u64> {
        let _ = (code, sources);
        None
    }

    /// The instructions, given the kernels and relocations of the file. Returns `None` if the file
    /// has no Intel GPU code.
    fn assembly(
        &self,
        kernels: Option<Rc<dyn Kernels>>,
        linkage: Rc<Linkage>,
    ) -> Option<Rc<dyn Assembly>> {
        let _ = (kernels, linkage);
        None
    }

    /// The name of the kernel whose code is in a section of that name, and the bytes that describe
    /// the kernel. Returns `None` for other sections.
    fn kernel_of(&self, section: &str) -> Option<(String, Span)> {
        let _ = section;
        None
    }
}

/// Contents that only the generic ABI defines.
pub struct Plain;

impl Contents for Plain {}
