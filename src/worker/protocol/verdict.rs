//! The driver's verdict.

use crate::analysis::Verdict;
use crate::analysis::survey::Progress;
use crate::model::{Outcome, Span, Str, Summary};
use serde::{Deserialize, Serialize};

/// Maximum number of images in [`ImagesReport::first`].
pub const PICKS_MAX: usize = 4;

/// Maximum number of images, and of symbols, per module of a graph.
pub const IMAGES_MAX: usize = 6;

/// The verdict on a document, and the locations of its findings in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The verdict; `None` for files that are not passed to the driver: host programs, SPIR-V,
    /// containers.
    pub verdict: Option<Verdict>,
    /// Paths of the nodes that contain the bytes of its first findings.
    pub paths: Vec<String>,
    /// For a container: its images, and which of them run on the device.
    pub images: Option<ImagesReport>,
    /// The summary of a document within the file; that of the file itself comes with [`Opened`](super::Opened).
    pub summary: Option<Summary>,
    /// The device that the document names itself; may be empty.
    pub device: Str,
}

/// The images of a container, and which of them run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImagesReport {
    /// Number of images.
    pub count: u64,
    /// The requested device; `None` if none was requested: a container has no device of its own.
    pub device: Option<Str>,
    /// The worst outcome of the images that run; `None` without a device.
    pub outcome: Option<Outcome>,
    /// The worst outcome in OpenCL; `None` without a device.
    pub opencl: Option<Outcome>,
    /// The first images that run; if none runs, the first that does not.
    pub first: Vec<ImagePick>,
    /// Number of images that run.
    pub chosen: u64,
    /// How many kernels are compiled at first use on the device, in a line; empty if no image runs.
    pub first_use: String,
    /// The first of these kernels, demangled.
    pub first_used: Vec<String>,
    /// Number of these kernels.
    pub compiled: u64,
    /// The component that chooses the image, and its rule.
    pub rule: Str,
    /// For a package whose files were not all read: how many were. The others may have images.
    pub unread: Option<Progress>,
}

/// Maximum number of kernels in [`ImagesReport::first_used`].
pub const FIRST_USED_MAX: usize = 200;

/// An image, and why it runs on a device or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImagePick {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub span: Span,
    /// The result, if it runs.
    pub outcome: Option<Outcome>,
    /// Why.
    pub why: Str,
}
