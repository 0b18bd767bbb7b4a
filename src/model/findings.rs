//! What a decoder hands over.

use super::diagnostic::{Diagnostic, RuleInfo};
use super::expand::Expand;
use super::holes::Holes;
use super::node::Node;
use super::source::Sources;
use super::span::Span;
use super::summary::{Capabilities, InnerDocument, Summary};
use std::rc::Rc;

/// What a decoder has collected while it looked through a file, or a document in it.
#[derive(Default)]
pub struct Findings {
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// The bytes of the opened file that nothing explains, or that only fill up.
    pub holes: Holes,
    /// Who makes the rows.
    pub expanders: Vec<Rc<dyn Expand>>,
    /// The document, if it was opened late.
    pub of: Option<InnerDocument>,
    /// All documents that are nested in it, and in those.
    pub documents: Vec<InnerDocument>,
    /// Those of them that are opened when somebody asks for what is in them.
    pub late: Vec<Span>,
    /// What can be asked of the documents in it.
    pub within: Capabilities,
    /// The places of the documents that a driver can be given: the file, nested ones.
    pub loadable: Vec<Span>,
}

/// What a decoder hands over to make a document of.
pub struct Parts {
    /// The bytes.
    pub sources: Sources,
    /// The opened file's node.
    pub root: Node,
    /// The file in a few lines.
    pub summary: Summary,
    /// What was found.
    pub findings: Findings,
}
