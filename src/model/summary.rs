//! A file, and the documents in it, in a few lines.

use super::span::Span;
use super::value::Str;
use serde::{Deserialize, Serialize};
use std::ops::BitOr;

/// How the bytes of the opened file are accounted for; the first three add up to its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Bytes that belong to a leaf.
    pub explained: u64,
    /// Bytes that only fill up to an alignment.
    pub padding: u64,
    /// Bytes that nothing explains.
    pub gap: u64,
    /// Bytes that more than one section or table claims.
    pub overlap: u64,
}

/// How a fact sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Just so.
    Plain,
    /// Good news.
    Good,
    /// Look at it.
    Warning,
    /// Bad news.
    Bad,
}

/// One thing worth saying about the whole file, in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about: `target`, `ze_info version`.
    pub label: Str,
    /// What is so.
    pub text: Str,
    /// How it sounds.
    pub tone: Tone,
    /// The bytes that say so.
    pub span: Option<Span>,
    /// One of the few that the top of the page shows.
    pub headline: bool,
}

impl Fact {
    /// The label of the device that a file is for.
    pub const TARGET: &str = "target";
    /// The label of the number of kernels.
    pub const KERNELS: &str = "kernels";

    /// A plain fact.
    pub fn new(label: &'static str, text: impl Into<Str>, span: impl Into<Option<Span>>) -> Fact {
        Fact {
            label: label.into(),
            text: text.into(),
            tone: Tone::Plain,
            span: span.into(),
            headline: false,
        }
    }

    /// The same, as one of the few that the top of the page shows.
    pub fn headline(mut self) -> Fact {
        self.headline = true;
        self
    }
}

/// What can be asked of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Capabilities {
    /// Its format lists kernels.
    pub kernels: bool,
    /// It has symbols and relocations.
    pub symbols: bool,
    /// It has the modules of a SYCLBIN.
    pub modules: bool,
    /// It has readable text.
    pub text: bool,
    /// It has line tables.
    pub lines: bool,
    /// It has code of Intel's GPUs.
    pub code: bool,
    /// It can be given to the driver: there is a verdict.
    pub loadable: bool,
    /// It is device code: within a container, one of its images.
    pub image: bool,
    /// It is a host's file with an index of device images, which are opened when somebody asks.
    pub host: bool,
    /// It is of a format that zeview does not read: it can be neither well-formed nor malformed.
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
            unknown: self.unknown || other.unknown,
        }
    }
}

/// The file in a few lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The format's identifier: `zebin`, `elf`, `raw` …
    pub format: Str,
    /// The format in words.
    pub title: Str,
    /// What else there is to say, in the order of importance.
    pub facts: Vec<Fact>,
    /// What can be asked of the document itself.
    pub has: Capabilities,
    /// Of the opened file: what can be asked of the documents in it.
    pub within: Capabilities,
}

impl Summary {
    /// The summary of a document of which nothing can be asked.
    pub fn new(format: &'static str, title: impl Into<Str>, facts: Vec<Fact>) -> Summary {
        Summary {
            format: format.into(),
            title: title.into(),
            facts,
            has: Capabilities::default(),
            within: Capabilities::default(),
        }
    }

    /// The same, of a document of which this can be asked.
    pub fn with(mut self, has: Capabilities) -> Summary {
        self.has = has;
        self
    }

    /// What can be asked of the document, or of one in it.
    pub fn anywhere(&self) -> Capabilities {
        self.has | self.within
    }
}

/// A document within the opened one: what is kept of its summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InnerDocument {
    /// Its bytes.
    pub span: Span,
    /// Its format's identifier.
    pub format: Str,
    /// Its format in words.
    pub title: Str,
    /// The device that it is for, if it says so: [`Fact::TARGET`].
    pub target: Option<Str>,
    /// What can be asked of it; of one that nobody has opened yet, nothing is known.
    pub has: Capabilities,
    /// The index of a host's file lists it as an image, whatever it is.
    pub is_listed: bool,
}
