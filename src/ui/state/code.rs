//! State of the visible code.

use std::rc::Rc;

use crate::model::{NodeId, Span, Str};
use crate::worker::protocol::{CodeImages, CodeReport, FlowOverview};

/// Identifies code: document, section, and chosen encoding.
pub type CodeKey = (NodeId, Span, Option<Str>);

/// The visible code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeState {
    /// The latest request.
    pub requested: Option<CodeKey>,
    /// Its response; the previous one stays until it arrives.
    pub report: Option<Rc<CodeReport>>,
    /// The latest code whose data flow was requested.
    pub flow_requested: Option<CodeKey>,
    /// Its data flow, or the reason why there is none; `None` until the response arrives.
    pub flow: Option<Result<Rc<FlowOverview>, Str>>,
    /// The node of the latest request for images with code.
    pub images_requested: Option<NodeId>,
    /// The images with code of the container around that node; the previous ones until they arrive.
    pub images: Option<Rc<CodeImages>>,
}

/// A change of this state.
pub enum CodeChange {
    /// The summary of some code was requested.
    Requested(CodeKey),
    /// The response to the latest request; it may be partial.
    Answered(CodeKey, Box<CodeReport>),
    /// The data flow of some code was requested.
    FlowRequested(CodeKey),
    /// The response to the latest request.
    Flow(CodeKey, Result<Box<FlowOverview>, Str>),
    /// The images with code around this node were requested.
    ImagesAsked(NodeId),
    /// The images with code around this node.
    Images(NodeId, Box<CodeImages>),
}

impl CodeState {
    /// Applies a change.
    pub fn apply(&mut self, change: CodeChange) {
        match change {
            CodeChange::Requested(key) => self.requested = Some(key),
            CodeChange::Answered(key, report) if self.requested.as_ref() == Some(&key) => {
                self.report = Some(Rc::from(report));
            }
            CodeChange::Answered(..) => {}
            CodeChange::FlowRequested(key) => {
                self.flow_requested = Some(key);
                self.flow = None;
            }
            CodeChange::Flow(key, flow) if self.flow_requested.as_ref() == Some(&key) => {
                self.flow = Some(flow.map(Rc::from));
            }
            CodeChange::Flow(..) => {}
            CodeChange::ImagesAsked(node) => self.images_requested = Some(node),
            CodeChange::Images(node, images) if self.images_requested == Some(node) => {
                self.images = Some(Rc::from(images));
            }
            CodeChange::Images(..) => {}
        }
    }

    /// The data flow of the section at these bytes.
    pub fn flow_of(&self, of: Option<Span>) -> Option<&Rc<FlowOverview>> {
        let flow = self.flow.as_ref()?.as_ref().ok()?;
        (Some(flow.of) == of).then_some(flow)
    }

    /// The summary of the section at these bytes.
    pub fn report_of(&self, of: Option<Span>) -> Option<&CodeReport> {
        self.report
            .as_deref()
            .filter(|report| Some(report.of) == of)
    }
}
