//! The kernels of one document in a list.

use std::rc::Rc;

use zeview_analysis::profile::ProfiledKernels;
use zeview_core::analysis::kernels::{KernelRow, Kernels};
use zeview_core::model::text::place_text;
use zeview_core::model::{NodeId, Span, Str};

/// The kernels of one document.
#[derive(Clone, Default)]
pub(crate) struct Part {
    /// Their provider. For images that are compiled at run time only the names are known.
    pub(super) kernels: Option<Rc<dyn Kernels>>,
    pub(super) rows: Rc<Vec<KernelRow>>,
    /// The file of the package with the image; empty outside of packages.
    pub(super) file: Str,
    /// The kernels of the SPIR-V that native code beside it has as well: they have no rows.
    pub(super) also_native: Rc<Vec<String>>,
    /// The name of the image.
    pub(super) image: String,
    /// The archive member in the image; empty if the image contains a single document.
    pub(super) member: String,
    /// The target device.
    pub(super) device: Str,
    /// Its node; `None` if only the names of its kernels were read.
    pub(super) node: Option<NodeId>,
    /// The path of its node.
    pub(super) path: String,
    /// Its bytes.
    pub(super) span: Span,
    /// Whether it is SPIR-V.
    pub(super) is_spirv: bool,
    /// Whether it is code for other processors than Intel's GPUs.
    pub(super) is_foreign: bool,
    /// Whether the same kernels also exist as SPIR-V.
    pub(super) has_spirv: bool,
    /// Whether an earlier part has the same bytes and device.
    pub(super) is_copy: bool,
    /// The figures of kernels in a profile.
    pub(super) profiled: ProfiledKernels,
    /// The images of the parts that are copies of this one.
    pub(super) copies: Vec<String>,
}

impl Part {
    /// Whether the kernels are native code that was read.
    pub(super) fn is_native(&self) -> bool {
        self.kernels.is_some() && !self.is_spirv
    }

    /// Formats the image, with the file that it is in and the archive member in it.
    pub(super) fn place(&self) -> String {
        place_text([&*self.file, &*self.image, &*self.member])
    }
}
