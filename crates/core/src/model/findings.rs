//! The results of a decoder.

use super::diagnostic::{Diagnostic, RuleInfo};
use super::expand::Expand;
use super::holes::Holes;
use super::node::Node;
use super::source::Sources;
use super::span::Span;
use super::summary::{Capabilities, InnerDocument, Summary};
use std::rc::Rc;

/// The findings of a decoder in a file, or in a nested document.
#[derive(Default)]
pub struct Findings {
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// Number of findings of unread bytes, including those that are not listed.
    pub unread: u64,
    /// The gaps and padding of the opened file.
    pub holes: Holes,
    /// The expanders of its nodes.
    pub expanders: Vec<Rc<dyn Expand>>,
    /// The document, if it is a deferred one.
    pub of: Option<InnerDocument>,
    /// All nested documents, at any depth.
    pub documents: Vec<InnerDocument>,
    /// The nested documents whose opening is deferred.
    pub deferred: Vec<Span>,
    /// The capabilities of the nested documents.
    pub within: Capabilities,
    /// The spans of the documents that a driver can load: the file, nested ones.
    pub loadable: Vec<Span>,
}

/// The results of a decoder, from which a document is created.
pub struct Parts {
    /// The byte sources.
    pub sources: Sources,
    /// The node of the opened file.
    pub root: Node,
    /// The summary of the file.
    pub summary: Summary,
    /// The findings.
    pub findings: Findings,
}
