//! Summaries of a file and its nested documents.

use super::span::Span;
use super::value::Str;
use serde::{Deserialize, Serialize};
use std::ops::BitOr;

/// The accounting of the opened file's bytes; the first three fields add up to its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Bytes that belong to a leaf.
    pub explained: u64,
    /// Bytes that only align what follows.
    pub padding: u64,
    /// Bytes that nothing explains.
    pub gap: u64,
    /// Bytes claimed by more than one section or table.
    pub overlap: u64,
}

/// The tone of a fact, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Neutral.
    Plain,
    /// Good news.
    Good,
    /// Worth a look.
    Warning,
    /// Bad news.
    Bad,
}

/// A short statement about the whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The subject: `target`, `ze_info version`.
    pub label: Str,
    /// The statement.
    pub text: Str,
    /// The tone.
    pub tone: Tone,
    /// The bytes that it is based on.
    pub span: Option<Span>,
    /// Whether the top of the page shows it.
    pub headline: bool,
}

impl Fact {
    /// The label of the target device.
    pub const TARGET: &str = "target";
    /// The label of the number of kernels.
    pub const KERNELS: &str = "kernels";

    /// Creates a neutral fact.
    pub fn new(label: &'static str, text: impl Into<Str>, span: impl Into<Option<Span>>) -> Fact {
        Fact {
            label: label.into(),
            text: text.into(),
            tone: Tone::Plain,
            span: span.into(),
            headline: false,
        }
    }

    /// Marks the fact for the top of the page.
    pub fn headline(mut self) -> Fact {
        self.headline = true;
        self
    }
}

/// The capabilities of a document: which views and tables it offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Capabilities {
    /// It lists kernels.
    pub kernels: bool,
    /// It has symbols and relocations.
    pub symbols: bool,
    /// It has the modules of a SYCLBIN.
    pub modules: bool,
    /// It has readable text.
    pub text: bool,
    /// It has line tables.
    pub lines: bool,
    /// It has code for Intel GPUs.
    pub code: bool,
    /// A driver can load it, so there is a verdict.
    pub loadable: bool,
    /// It is device code: an image, if it is in a container.
    pub image: bool,
    /// It is a host binary with an index of device images, which are opened on demand.
    pub host: bool,
    /// It is a package or folder, whose files are opened on demand.
    pub package: bool,
    /// Its format is unknown, so it is neither well-formed nor malformed.
    pub unknown: bool,
}

impl BitOr for Capabilities {
    type Output = Capabilities;

    fn bitor(self, other: Capabilities) -> Capabilities {
        Capabilities {
            kernels: self.kernels || other.kernels,
            symbols: self.symbols || other.symbols,
            modules: self.modules || other.modules,
            text: self.text || other.text,
            lines: self.lines || other.lines,
            code: self.code || other.code,
            loadable: self.loadable || other.loadable,
            image: self.image || other.image,
            host: self.host || other.host,
            package: self.package || other.package,
            unknown: self.unknown || other.unknown,
        }
    }
}

/// The summary of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The format's identifier: `zebin`, `elf`, `raw` …
    pub format: Str,
    /// The full name of the format.
    pub title: Str,
    /// Facts, the most important first.
    pub facts: Vec<Fact>,
    /// The capabilities of the document itself.
    pub has: Capabilities,
    /// For the opened file: the capabilities of its nested documents.
    pub within: Capabilities,
}

impl Summary {
    /// Creates the summary of a document without capabilities.
    pub fn new(format: &'static str, title: impl Into<Str>, facts: Vec<Fact>) -> Summary {
        Summary {
            format: format.into(),
            title: title.into(),
            facts,
            has: Capabilities::default(),
            within: Capabilities::default(),
        }
    }

    /// Sets the capabilities.
    pub fn with(mut self, has: Capabilities) -> Summary {
        self.has = has;
        self
    }

    /// Returns the capabilities of the document and its nested documents.
    pub fn anywhere(&self) -> Capabilities {
        self.has | self.within
    }
}

/// A nested document, with a part of its summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InnerDocument {
    /// Its bytes.
    pub span: Span,
    /// Its format's identifier.
    pub format: Str,
    /// The full name of its format.
    pub title: Str,
    /// The target device, if known: [`Fact::TARGET`].
    pub target: Option<Str>,
    /// Its capabilities; empty as long as it is deferred.
    pub has: Capabilities,
    /// Whether the index of a host binary lists it as an image.
    pub is_listed: bool,
}
