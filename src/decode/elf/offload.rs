//! Sections that hold files for a device: Intel's OpenCL container from before the zebin, the
//! OpenMP offload container, and what compilers put into objects and programs of a host.
//!
//! ```text
//! SHT_OPENCL_…                    legacy Intel OpenCL container (compute-runtime, cif; igc)
//! __openmp_offload_spirv_N        OpenMP offload container (LLVM, Frontend/Offloading/Utility.cpp)
//! .llvm.offloading                an OffloadBinary, or several (LLVM, Object/OffloadBinary.cpp)
//! __CLANG_OFFLOAD_BUNDLE__<id>    one image (clang, ClangOffloadBundler.rst)
//! ```

use super::file::ElfFile;
use super::identity::Identity;
use super::rows::lines_node;
use super::section::{Section, SectionType};
use crate::decode::context::Context;
use crate::decode::format::{self, Opened};
use crate::decode::zebin::misc;
use crate::model::{Area, Doc, Fact, Node, NodeKind};

const fn doc(text: &'static str, source: &'static str) -> Doc {
    Doc {
        text,
        source,
        known: &[],
    }
}

const OPENCL: &str = "compute-runtime, device_binary_formats.h";

static OPENCL_DOC: Doc = doc(
    "A file in a legacy Intel OpenCL container. Drivers since April 2026 take only intermediate representations out of it.",
    OPENCL,
);
static TEXT_DOC: Doc = doc("Text of a legacy Intel OpenCL container.", OPENCL);
static IDS_DOC: Doc = doc("The ids of specialization constants.", OPENCL);
static VALUES_DOC: Doc = doc(
    "The values of specialization constants, in the order of their ids.",
    OPENCL,
);
static OPENMP_DOC: Doc = doc(
    "An image of the OpenMP offload container. The note of its index says whether it is native or SPIR-V.",
    "LLVM, Frontend/Offloading/Utility.cpp",
);
static OFFLOADING_DOC: Doc = doc(
    "Images for devices, packed by the compiler: the linker takes them out.",
    "LLVM, Object/OffloadBinary.h",
);
static BUNDLE_DOC: Doc = doc(
    "An image for a device. The section's name says which model of offloading it is for, and which target.",
    "clang, ClangOffloadBundler.rst",
);

/// Names of sections with an image start so.
const BUNDLE: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// The documents in sections, by the sections' indices.
pub(super) type Images = Vec<(u64, Opened)>;

/// Opens the files in sections.
pub(super) fn open(cx: &Context<'_>, file: &ElfFile) -> Images {
    let sections = file.sections.iter().filter(|section| {
        image_doc(file, section).is_some() && section.kind != SectionType::SHT_NOBITS
    });
    let opened = sections
        .filter(|s| !s.bytes.is_empty())
        .filter_map(|section| Some((section.index, format::nested(cx, section.bytes)?)));
    opened.collect()
}

/// What a section with a file in it is; nothing for other sections.
fn image_doc(file: &ElfFile, section: &Section) -> Option<&'static Doc> {
    let legacy = file.identity == Identity::LegacyOpenCl;
    let name = section.name.as_str();
    match section.kind {
        SectionType::SHT_OPENCL_LLVM_BINARY
        | SectionType::SHT_OPENCL_LLVM_ARCHIVE
        | SectionType::SHT_OPENCL_DEV_BINARY
        | SectionType::SHT_OPENCL_PCH
        | SectionType::SHT_OPENCL_DEV_DEBUG
        | SectionType::SHT_ZEBIN_SPIRV
        | SectionType::SHT_OPENCL_NON_COHERENT_DEV_BINARY
            if legacy =>
        {
            Some(&OPENCL_DOC)
        }
        SectionType::SHT_LLVM_OFFLOADING => Some(&OFFLOADING_DOC),
        _ if name == ".llvm.offloading" => Some(&OFFLOADING_DOC),
        _ if name.starts_with("__openmp_offload_spirv_") => Some(&OPENMP_DOC),
        // The host's own is a byte that nobody reads: the host's code is all around it.
        _ => {
            let id = name.strip_prefix(BUNDLE)?;
            (!id.starts_with("host")).then_some(&BUNDLE_DOC)
        }
    }
}

/// What `node`, which is to be a section's bytes, is, if it is one of these.
pub(super) fn section_node(
    cx: &Context<'_>,
    file: &ElfFile,
    section: &Section,
    images: &Images,
    mut node: Node,
) -> Option<Node> {
    let text = |node| lines_node(cx, section.bytes, node).doc(&TEXT_DOC);
    match section.kind {
        _ if file.identity != Identity::LegacyOpenCl => {}
        SectionType::SHT_OPENCL_SOURCE
        | SectionType::SHT_OPENCL_HEADER
        | SectionType::SHT_OPENCL_LLVM_TEXT
        | SectionType::SHT_OPENCL_OPTIONS => return Some(text(node)),
        SectionType::SHT_OPENCL_SPIRV_SC_IDS => {
            return Some(misc::numbers_node(cx, section.bytes, node, 4).doc(&IDS_DOC));
        }
        SectionType::SHT_OPENCL_SPIRV_SC_VALUES => {
            return Some(misc::numbers_node(cx, section.bytes, node, 8).doc(&VALUES_DOC));
        }
        _ => {}
    }
    let (_, opened) = images.iter().find(|(index, _)| *index == section.index)?;
    let document = format::document_node(String::new(), section.bytes, opened);
    node.kind = NodeKind::File;
    node.summary = Some(format::headline(opened).into());
    node.content = document.content;
    node.value = document.value;
    if section.kind == SectionType::SHT_OPENCL_DEV_DEBUG {
        node.area = Area::Debug;
    }
    match image_doc(file, section) {
        Some(doc) => Some(node.doc(doc)),
        None => Some(node),
    }
}

/// What there is to say about the files in sections.
pub(super) fn facts(file: &ElfFile, images: &Images) -> Vec<Fact> {
    let named = images.iter().filter_map(|(index, opened)| {
        let section = file.section(*index)?;
        Some((section.name.as_str(), section.bytes, opened))
    });
    format::image_facts(file.span, named)
}
