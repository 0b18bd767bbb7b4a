//! The rows of a zebin's sections.

use std::rc::Rc;

use super::{Content, check, spec_of};
use crate::Context;
use crate::dwarf::Dwarf;
use crate::elf::note::Notes;
use crate::elf::section::Section;
use crate::elf::string_table::Strings;
use crate::text::{lines_node, plural};
use crate::zebin::text::{self, Code};
use crate::zebin::ze_info::{SECTION, ZeInfoRows};
use crate::zebin::{ZebinContents, gtpin_info, ir, misc};
use zeview_core::model::{Node, NodeKind};

/// Adds a section's facts to `node`, which has its name and bytes already.
pub fn describe(section: &Section, contents: &ZebinContents, mut node: Node) -> Node {
    node.xrefs.extend(contents.links.of_section(section));
    let Some(spec) = spec_of(section.kind, section.name.as_bytes()) else {
        return node;
    };
    node.area(spec.area).doc(&spec.doc)
}

/// The node of a section with rows for its contents; `node` is the result of [`describe`]. Returns
/// `None` if the generic ABI defines the rows.
pub fn section_node(
    cx: &Context<'_>,
    section: &Section,
    contents: &ZebinContents,
    dwarf: Option<&Rc<Dwarf>>,
    mut node: Node,
) -> Option<Node> {
    let bytes = section.bytes;
    let spec = spec_of(section.kind, section.name.as_bytes())?;
    Some(match spec.content {
        Content::Generic => return None,
        Content::Code => {
            let code = Code::new(
                &contents.file,
                section,
                dwarf.map(Rc::clone),
                &contents.instructions,
            );
            let count = code.len();
            if let Some(summary) = text::summary(&code) {
                node = node.summary(summary);
            }
            node.kind = NodeKind::Record;
            node.children(cx.register(Rc::new(code)), 0, Some(count))
        }
        Content::Strings => {
            node.kind = NodeKind::Table;
            let rows = cx.register(Rc::new(Strings::new(bytes)));
            node.children(rows, 0, None)
        }
        Content::ZeInfo => ze_info_node(cx, section, contents, node),
        Content::Spirv => ir::spirv_node(cx, bytes, node),
        Content::Lines => {
            check::encoding(cx, section);
            lines_node(cx, bytes, node)
        }
        Content::Options => misc::options_node(cx, bytes, node),
        Content::Numbers(size) => misc::numbers_node(cx, bytes, node, size),
        Content::Gtpin => gtpin_info::node(cx, section, node),
        Content::Metrics => misc::metrics_node(cx, bytes, node),
        Content::Notes => {
            let mut notes = contents.notes.borrow_mut();
            // They were read for the target already; no other section may take them.
            let (_, notes) = notes.take_if(|(index, _)| *index == section.index)?;
            node.kind = NodeKind::Table;
            let count = notes.list().len() as u64;
            let rows = cx.register(Rc::new(notes));
            node.summary(plural(count, "note"))
                .children(rows, Notes::SECTION, None)
        }
    })
}

fn ze_info_node(
    cx: &Context<'_>,
    section: &Section,
    contents: &ZebinContents,
    mut node: Node,
) -> Node {
    node.kind = NodeKind::Text;
    match &contents.ze_info {
        Some((index, info)) if *index == section.index => {
            let kernels = info.kernels().len() as u64;
            let rows = cx.register(Rc::new(ZeInfoRows {
                info: Rc::clone(info),
                links: Rc::clone(&contents.links),
            }));
            node.summary(plural(kernels, "kernel"))
                .children(rows, SECTION, None)
        }
        // A duplicate, or too large.
        _ => lines_node(cx, section.bytes, node),
    }
}
