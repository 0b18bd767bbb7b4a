//! The code of a document.

use crate::analysis::assembly::Mix;
use crate::model::{NodeId, Span, Str};
use serde::{Deserialize, Serialize};

/// Maximum number of images in a [`CodeImages`].
pub const IMAGES_LISTED: usize = 500;

/// At most so many sections of code are named.
pub const SECTIONS_MAX: usize = 2000;

/// The images of a container that can have instructions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeImages {
    /// The images, in the order of the file: at most [`IMAGES_LISTED`] of the container, those
    /// around the selected one. An archive that the selection lies in is listed by its members.
    pub images: Vec<CodeImage>,
    /// Number of images that are not listed.
    pub left_out: u64,
}

/// An image that can have instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeImage {
    /// Its name in the container.
    pub name: String,
    /// The devices that its code is for, as far as they are known without opening it.
    pub device: String,
    /// Its first kernel, demangled, if the index of a host's file names it.
    pub kernel: String,
    /// Number of kernels that the index names; 0 without an index.
    pub kernels: u64,
    /// Its bytes.
    pub span: Span,
    /// Its instructions are those of the node that was asked about.
    pub is_shown: bool,
}

/// The code of a document, and what the instructions of a section come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeReport {
    /// The document that has answered.
    pub document: NodeId,
    /// The first sections of code: their names and their bytes.
    pub sections: Vec<(String, Span)>,
    /// The encoding that the file's device has; `None` if it is not known.
    pub encoding: Option<Str>,
    /// All encodings.
    pub encodings: Vec<Str>,
    /// The section that was asked about.
    pub of: Span,
    /// What its instructions come to, as far as they are counted.
    pub mix: Mix,
    /// So many bytes of it are not counted yet; whoever asks again gets more.
    pub left: u64,
}
