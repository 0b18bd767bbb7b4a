//! The text of a `.ze_info` as a file of its own, as IGC dumps it.

use std::ops::Range;
use std::rc::Rc;

use super::links::Links;
use super::occupancy::TargetDevice;
use super::text::Instructions;
use super::ze_info::kernels::ZebinKernels;
use super::ze_info::{SECTION, ZeInfo, ZeInfoRows};
use crate::Context;
use crate::format::{Format, OpenedDocument};
use crate::text::plural;
use zeview_core::analysis::kernels::{Kernels, PLACEHOLDER};
use zeview_core::model::{
    Capabilities, Doc, Expand, Fact, Interfaces, Node, NodeKind, Rows, Sources, Span, Summary,
};

/// The format of such texts.
#[derive(Debug)]
pub struct ZeInfoText;

impl Format for ZeInfoText {
    fn recognize(&self, head: &[u8]) -> bool {
        let head = head.strip_prefix(b"---\n").unwrap_or(head);
        let mut lines = head.split(|byte| *byte == b'\n');
        let is_version = |line: &[u8]| line.starts_with(b"version:");
        // IGC writes the version, then the kernels, each with its name first.
        lines.next().is_some_and(is_version)
            && matches!(lines.next(), Some(b"kernels:" | b"functions:"))
            && lines.next().is_some_and(|line| {
                let line = line.trim_ascii_start();
                line.starts_with(b"- name:")
            })
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "ze_info"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let Some(info) = ZeInfo::read(cx, span, false) else {
            cx.gap(span);
            return OpenedDocument {
                summary: Summary::new("ze_info", "text of a .ze_info", Vec::new()),
                content: None,
            };
        };
        let info = Rc::new(info);
        let links = Rc::<Links>::default();
        let kernels = info.kernels();
        let kernels = kernels.iter().filter(|k| k.name != PLACEHOLDER).count() as u64;
        let mut facts = vec![Fact::new(Fact::KERNELS, plural(kernels, "kernel"), span).headline()];
        if let Some((version, span)) = info.version() {
            facts.push(Fact::new("version", version, span));
        }
        let title = "text of a .ze_info, without code";
        let has = Capabilities {
            kernels: true,
            text: true,
            ..Capabilities::default()
        };
        let kernels = ZebinKernels::new(
            &info,
            Rc::clone(&links),
            TargetDevice::None,
            Rc::new(Instructions::default()),
            None,
        );
        let document = ZeInfoDocument {
            span,
            rows: ZeInfoRows { info, links },
            kernels: Rc::new(kernels),
        };
        OpenedDocument {
            summary: Summary::new("ze_info", title, facts).with(has),
            content: Some((cx.register(Rc::new(document)), TOP, Some(1))),
        }
    }
}

/// The rows of a text, and its kernels.
struct ZeInfoDocument {
    span: Span,
    rows: ZeInfoRows,
    kernels: Rc<ZebinKernels>,
}

/// The item of the whole document. All other items belong to the rows of its text.
const TOP: u64 = u64::MAX;

static TEXT_DOC: Doc = Doc::new("The metadata of the kernels, as YAML.", "ZE Info 1.73");

impl Expand for ZeInfoDocument {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match item {
            TOP => 1,
            _ => self.rows.count(item, sources),
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            let node = Node::new(NodeKind::Text, ".ze_info", self.span).doc(&TEXT_DOC);
            let node = node.children(out.me, SECTION, None);
            return out.push_range(vec![node], range);
        }
        self.rows.rows(item, range, out);
    }

    fn interfaces(&self, item: u64) -> Interfaces {
        Interfaces {
            kernels: (item == TOP).then(|| Rc::clone(&self.kernels) as Rc<dyn Kernels>),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        match item {
            TOP => None,
            _ => self.rows.index_at(item, offset, sources),
        }
    }
}
