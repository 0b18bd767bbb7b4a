//! What the page knows of the code that is shown.

use std::rc::Rc;

use crate::model::{NodeId, Span, Str};
use crate::worker::protocol::{CodeImages, CodeReport};

/// Which code: the document, the section, and the encoding that was chosen.
pub type CodeKey = (NodeId, Span, Option<Str>);

/// The code that is shown, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeState {
    /// What was asked about last.
    pub asked: Option<CodeKey>,
    /// The answer; the last one stays while another is on its way.
    pub report: Option<Rc<CodeReport>>,
    /// The node whose images with code were requested last.
    pub images_asked: Option<NodeId>,
    /// The images with code of the container around that node, or around the one before.
    pub images: Option<Rc<CodeImages>>,
}

/// A change of what is known.
pub enum CodeChange {
    /// Some code was asked about.
    Asked(CodeKey),
    /// The answer, to the last request only; it may be that of a part.
    Answered(CodeKey, Box<CodeReport>),
    /// The images with code around this node were requested.
    ImagesAsked(NodeId),
    /// The images with code around this node.
    Images(NodeId, Box<CodeImages>),
}

impl CodeState {
    /// Changes it.
    pub fn apply(&mut self, change: CodeChange) {
        match change {
            CodeChange::Asked(asked) => self.asked = Some(asked),
            CodeChange::Answered(asked, report) if self.asked.as_ref() == Some(&asked) => {
                self.report = Some(Rc::from(report));
            }
            CodeChange::Answered(..) => {}
            CodeChange::ImagesAsked(node) => self.images_asked = Some(node),
            CodeChange::Images(node, images) if self.images_asked == Some(node) => {
                self.images = Some(Rc::from(images));
            }
            CodeChange::Images(..) => {}
        }
    }

    /// The answer about the section at these bytes.
    pub fn report_of(&self, of: Option<Span>) -> Option<&CodeReport> {
        self.report
            .as_deref()
            .filter(|report| Some(report.of) == of)
    }
}
