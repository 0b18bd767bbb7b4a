//! The code of a document.

use crate::analysis::assembly::Mix;
use crate::model::{NodeId, Span, Str};
use serde::{Deserialize, Serialize};

/// Maximum number of images in a [`CodeImages`].
pub const IMAGES_LISTED: usize = 500;

/// Maximum number of code sections in a [`CodeReport`].
pub const SECTIONS_MAX: usize = 2000;

/// The images of a container that can have instructions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeImages {
    /// At most [`IMAGES_LISTED`] images around the selected one, in the order of the file. If the
    /// selection lies in an archive, the members of the archive.
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
    /// Its first kernel, demangled, if the index of a host file names it.
    pub kernel: String,
    /// Number of kernels that the index names; 0 without an index.
    pub kernels: u64,
    /// Its bytes.
    pub span: Span,
    /// Whether its instructions are those of the requested node.
    pub is_shown: bool,
}

/// The code of a document, and the instruction mix of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeReport {
    /// The document that the report is about.
    pub document: NodeId,
    /// The first sections of code: their names and their bytes.
    pub sections: Vec<(String, Span)>,
    /// The encoding that the file's device has; `None` if it is not known.
    pub encoding: Option<Str>,
    /// All encodings.
    pub encodings: Vec<Str>,
    /// The requested section.
    pub of: Span,
    /// Its instruction mix, as far as it is counted.
    pub mix: Mix,
    /// Number of bytes that are not counted yet; further requests count more.
    pub left: u64,
}
