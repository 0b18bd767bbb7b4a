//! What the driver does.

use crate::analysis::Verdict;
use crate::model::{Outcome, Span, Str, Summary};
use serde::{Deserialize, Serialize};

/// So many of the images that run on a device are named in a verdict.
pub const PICKS_MAX: usize = 4;

/// So many images and symbols of a module are named in the graph.
pub const IMAGES_MAX: usize = 6;

/// What the driver does with a document, and where in the tree its findings are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The verdict; `None` for what nobody gives to the driver: host programs, SPIR-V, containers.
    pub verdict: Option<Verdict>,
    /// The paths of the nodes that the bytes of its first findings belong to.
    pub paths: Vec<String>,
    /// Of a container: its images, and which of them run on the device.
    pub images: Option<ImagesReport>,
    /// The summary of a document within the file; that of the file itself comes with [`Opened`].
    pub summary: Option<Summary>,
}

/// The images of a container, and which of them run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImagesReport {
    /// How many images there are.
    pub count: u64,
    /// The requested device; `None` if none was requested: a container has no device of its own.
    pub device: Option<Str>,
    /// What the driver does with the images that run; `None` if none runs.
    pub outcome: Option<Outcome>,
    /// The first images that run; if none runs, the first that does not.
    pub first: Vec<ImagePick>,
    /// How many run.
    pub chosen: u64,
    /// Who chooses, and how.
    pub rule: Str,
}

/// An image, and why it runs on a device or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImagePick {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub span: Span,
    /// Why.
    pub why: Str,
}
