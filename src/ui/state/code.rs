//! State of the visible code.

use std::rc::Rc;

use super::View;
use super::answer::Answer;
use crate::model::{NodeId, Span, Str};
use crate::tables::ListId;
use crate::worker::protocol::{CodeImages, CodeReport, FlowOverview};

/// Identifies code: document, section, and chosen encoding.
pub type CodeKey = (NodeId, Span, Option<Str>);

/// The visible code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeState {
    /// Its summary; may be partial.
    pub report: Answer<CodeKey, Rc<CodeReport>>,
    /// The sections and encodings of a document, which are the same for all of its code.
    pub sections: Answer<NodeId, Rc<CodeReport>>,
    /// Its data flow, or the reason why there is none.
    pub flow: Answer<CodeKey, Result<Rc<FlowOverview>, Str>>,
    /// The images with code of the container around a node; `None` if there is no container.
    pub images: Answer<NodeId, Option<Rc<CodeImages>>>,
    /// Whether the latest of them were several: their list stays while the next one is awaited.
    pub offers_images: bool,
}

/// A change of this state.
pub enum CodeChange {
    /// The summary of some code was requested.
    Requested(CodeKey),
    /// The response; it may be partial.
    Answered(CodeKey, Box<CodeReport>),
    /// The data flow of some code was requested.
    FlowRequested(CodeKey),
    /// The response.
    Flow(CodeKey, Result<Box<FlowOverview>, Str>),
    /// The images with code around this node were requested.
    ImagesAsked(NodeId),
    /// The images with code around this node.
    Images(NodeId, Option<Box<CodeImages>>),
}

impl CodeState {
    /// Applies a change.
    pub fn apply(&mut self, change: CodeChange) {
        match change {
            CodeChange::Requested(key) => {
                self.sections.ask(key.0);
                self.report.ask(key);
            }
            CodeChange::Answered(key, report) => {
                let report: Rc<CodeReport> = Rc::from(report);
                self.sections.put(&key.0, Rc::clone(&report));
                self.report.put(&key, report);
            }
            CodeChange::FlowRequested(key) => self.flow.ask(key),
            CodeChange::Flow(key, flow) => {
                self.flow.put(&key, flow.map(Rc::from));
            }
            CodeChange::ImagesAsked(node) => self.images.ask(node),
            CodeChange::Images(node, images) => {
                let images: Option<Rc<CodeImages>> = images.map(Rc::from);
                let offers = images
                    .as_ref()
                    .is_some_and(|images| images.images.len() > 1);
                if self.images.put(&node, images) {
                    self.offers_images = offers;
                }
            }
        }
    }
}

/// What is known about the code of the listing.
impl View {
    /// The code of the listing, if there is any.
    pub fn code_key(&self) -> Option<CodeKey> {
        let list = self.lists.get(ListId::Instructions);
        Some((
            list.document?,
            list.query.of?,
            list.query.encoding().cloned(),
        ))
    }

    /// The summary of the code, as far as it is known.
    pub fn code_report(&self) -> Option<&CodeReport> {
        self.code
            .report
            .to(&self.code_key()?)
            .map(|report| &**report)
    }

    /// The sections and encodings of the document with the code, once they are known.
    pub fn code_sections(&self) -> Option<&CodeReport> {
        let document = self.lists.get(ListId::Instructions).document?;
        self.code.sections.to(&document).map(|report| &**report)
    }

    /// The data flow of the code or the reason why there is none, once it is known.
    pub fn flow_answer(&self) -> Option<&Result<Rc<FlowOverview>, Str>> {
        self.code.flow.to(&self.code_key()?)
    }

    /// The data flow of the code, once it is known.
    pub fn flow(&self) -> Option<&Rc<FlowOverview>> {
        self.flow_answer()?.as_ref().ok()
    }

    /// Whether the data flow of the code was requested.
    pub fn is_flow_asked(&self) -> bool {
        self.code_key()
            .is_some_and(|key| self.code.flow.is_asked(&key))
    }

    /// The node whose surrounding images with code a list offers.
    pub fn images_node(&self, list: ListId) -> NodeId {
        let document = self.lists.get(list).document;
        let document = document.filter(|id| *id != NodeId::ROOT);
        document.unwrap_or(self.selection.node_id())
    }

    /// Those images, once they are known.
    pub fn code_images(&self, list: ListId) -> Option<&CodeImages> {
        self.code.images.to(&self.images_node(list))?.as_deref()
    }

    /// Whether the file is or may be a container of images with code.
    pub fn may_have_images(&self) -> bool {
        let summary = &self.opened.summary;
        summary.within.image || summary.anywhere().host || summary.has.package
    }

    /// Whether those images are not known yet.
    pub fn awaits_images(&self, list: ListId) -> bool {
        let node = self.images_node(list);
        self.may_have_images() && self.code.images.to(&node).is_none()
    }
}
