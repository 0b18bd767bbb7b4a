//! Intel's ELF files that contain other files: the legacy OpenCL container, which predates the
//! zebin, and the OpenMP offload container.
//!
//! ```text
//! SHT_OPENCL_…                    legacy Intel OpenCL container (compute-runtime, cif; igc)
//! __openmp_offload_spirv_N        OpenMP offload container (LLVM, Frontend/Offloading/Utility.cpp)
//! ```

use super::misc;
use crate::Context;
use crate::elf::note::Vocabulary;
use crate::elf::section::{Section, SectionType};
use crate::names::Present;
use crate::open_enum;
use crate::text::lines_node;
use zeview_core::model::{Doc, Node, Value};

const OPENCL: &str = "compute-runtime, device_binary_formats.h";
const LLVM: &str = "LLVM, Frontend/Offloading/Utility.cpp";

static OPENCL_DOC: Doc = Doc::new(
    "A file in a legacy Intel OpenCL container. Drivers since April 2026 load only its intermediate representations.",
    OPENCL,
);
static TEXT_DOC: Doc = Doc::new("Text of a legacy Intel OpenCL container.", OPENCL);
static IDS_DOC: Doc = Doc::new("The ids of specialization constants.", OPENCL);
static VALUES_DOC: Doc = Doc::new(
    "The values of specialization constants, in the order of their ids.",
    OPENCL,
);
static OPENMP_DOC: Doc = Doc::new(
    "An image of the OpenMP offload container. The note with its index tells whether it is native or SPIR-V.",
    LLVM,
);

/// Documentation of an OpenCL container's section with a file. Returns `None` for others.
pub fn opencl(section: &Section) -> Option<&'static Doc> {
    match section.kind {
        SectionType::SHT_OPENCL_LLVM_BINARY
        | SectionType::SHT_OPENCL_LLVM_ARCHIVE
        | SectionType::SHT_OPENCL_DEV_BINARY
        | SectionType::SHT_OPENCL_PCH
        | SectionType::SHT_OPENCL_DEV_DEBUG
        | SectionType::SHT_ZEBIN_SPIRV
        | SectionType::SHT_OPENCL_NON_COHERENT_DEV_BINARY => Some(&OPENCL_DOC),
        _ => None,
    }
}

/// The node of another section of an OpenCL container. Returns `None` for generic types.
pub fn opencl_node(cx: &Context<'_>, section: &Section, node: &Node) -> Option<Node> {
    let (bytes, node) = (section.bytes, node.clone());
    Some(match section.kind {
        SectionType::SHT_OPENCL_SOURCE
        | SectionType::SHT_OPENCL_HEADER
        | SectionType::SHT_OPENCL_LLVM_TEXT
        | SectionType::SHT_OPENCL_OPTIONS => lines_node(cx, bytes, node).doc(&TEXT_DOC),
        SectionType::SHT_OPENCL_SPIRV_SC_IDS => {
            misc::numbers_node(cx, bytes, node, 4).doc(&IDS_DOC)
        }
        SectionType::SHT_OPENCL_SPIRV_SC_VALUES => {
            misc::numbers_node(cx, bytes, node, 8).doc(&VALUES_DOC)
        }
        _ => return None,
    })
}

/// Documentation of an OpenMP container's section with an image. Returns `None` for others.
pub fn openmp(section: &Section) -> Option<&'static Doc> {
    let is_image = section.name.starts_with("__openmp_offload_spirv_");
    is_image.then_some(&OPENMP_DOC)
}

/// The owner of an OpenMP container's notes, with its NUL.
pub const OPENMP_OWNER: &[u8] = b"INTELONEOMPOFFLOAD\0";

open_enum! {
    /// `n_type` of notes that INTELONEOMPOFFLOAD owns. LLVM, Frontend/Offloading/Utility.cpp.
    pub struct OpenMpNoteType(u32) {
        /// The version of the container, as text.
        NT_INTEL_ONEOMP_OFFLOAD_VERSION = 1,
        /// The number of images, as text.
        NT_INTEL_ONEOMP_OFFLOAD_IMAGE_COUNT = 2,
        /// An image's index, format (0 native, 1 SPIR-V), compile options and link options, with NULs between them.
        NT_INTEL_ONEOMP_OFFLOAD_IMAGE_AUX = 3,
    }
}

/// The meaning of an OpenMP container's notes.
pub static OPENMP_NOTES: Vocabulary = Vocabulary {
    types: <OpenMpNoteType as Present>::KNOWN,
    describe: |_, bytes, _| (Value::text_from(bytes), None),
    size: |_| None,
    fields: |_| &[],
    doc: |_| {
        const DOC: Doc = Doc::new("Text of the OpenMP offload container.", LLVM);
        &DOC
    },
};
