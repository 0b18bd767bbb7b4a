//! The device images of a host binary, as described by its index.
//!
//! Plain data, created by a decoder on demand ([`Document::host_images`]).

use std::collections::HashSet;
use std::rc::Rc;

use super::modules::{Property, PropertySet, compile_target, requirement};
use crate::model::{Document, NodeId, Sources, Span, Str};

/// Provides the device images of a host binary.
pub trait HostImages {
    /// Returns the number of images.
    fn count(&self) -> usize;

    /// Returns the index of the image with these bytes.
    fn find(&self, span: Span) -> Option<usize>;

    /// Returns an image and its description, by index in file order. Of the property sets, only
    /// those with the given names are read.
    fn image_with(
        &self,
        index: usize,
        sources: &Sources,
        wanted: fn(&str) -> bool,
    ) -> Option<HostImage>;

    /// Returns an image and its complete description.
    fn image(&self, index: usize, sources: &Sources) -> Option<HostImage> {
        self.image_with(index, sources, |_| true)
    }

    /// Returns the devices of the native code in an image, from the names in its archive or from
    /// its notes; empty for SPIR-V. Decompresses the image if necessary.
    fn devices(&self, image: &HostImage, sources: &Sources) -> Vec<Str>;

    /// Adds explanations to the properties.
    fn explain(&self, sets: &mut [PropertySet]);

    /// Returns the demangled name of a kernel, or `None` if it is not mangled.
    fn demangled(&self, name: &str) -> Option<Rc<str>>;
}

impl Document {
    /// Returns the device images of a host binary: the opened one (its root), or one that is nested
    /// in it.
    pub fn host_images(&self, document: NodeId) -> Option<Rc<dyn HostImages>> {
        self.interfaces(document).host_images
    }
}

/// A device image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostImage {
    /// Its stored bytes.
    pub span: Span,
    /// The name of the section that contains it; empty if there is none.
    pub section: String,
    /// The method that found it: `descriptor`, `tgtimg`, `offload-binary`, `carved`.
    pub method: &'static str,
    /// The index of the descriptor that lists it.
    pub descriptor: Option<u64>,
    /// The contents of the struct that describes it.
    pub described: Option<ImageDescription>,
    /// If it is compressed: the size after decompression, if it is stored.
    pub unpacked: Option<Option<u64>>,
    /// The contents: `spirv`, `ar`, `zebin`, `bitcode`, `offload-binary`, `syclbin`, `other`.
    pub kind: &'static str,
}

/// The contents of the struct that describes an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageDescription {
    /// The version of the struct; `None` for an entry of an OffloadBinary.
    pub version: Option<u64>,
    /// The target: `spir64`, `spir64_gen` …
    pub target: String,
    /// The programming model.
    pub offload_kind: Str,
    /// The storage format of the bytes.
    pub format: Str,
    /// Compiler options.
    pub compile_options: String,
    /// Linker options.
    pub link_options: String,
    /// The kernels and exported functions.
    pub entries: Vec<Entry>,
    /// The property sets, in order.
    pub properties: Vec<PropertySet>,
    /// Number of entries, property sets and strings that are left out, because the images together
    /// describe more than the size of the file allows.
    pub left_out: u64,
    /// The locations of these values.
    pub places: ImageLocations,
}

/// A kernel or an exported function of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The bytes of the name.
    pub name_span: Span,
    /// The bytes of the entry.
    pub span: Span,
}

/// The locations of an image's struct and of the data that it points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageLocations {
    /// The struct itself.
    pub record: Option<Span>,
    /// The target string.
    pub target: Option<Span>,
    /// The compiler options.
    pub compile_options: Option<Span>,
    /// The linker options.
    pub link_options: Option<Span>,
    /// The array of entries.
    pub entries: Option<Span>,
}

/// The property set of the functions that other images may import.
pub const EXPORTED: &str = "SYCL/exported symbols";
/// The property set of the required device features.
pub const REQUIREMENTS: &str = "SYCL/device requirements";
/// The property set of everything else.
pub const MISC: &str = "SYCL/misc properties";
/// The property set of the functions that must come from other images.
pub const IMPORTED: &str = "SYCL/imported symbols";

impl ImageDescription {
    /// Returns the kernels among the entries: those that are neither exported nor the runtime's
    /// own. sycl/source/detail/program_manager/program_manager.cpp, addImage.
    pub fn kernels(&self) -> Vec<&Entry> {
        let exported: HashSet<&str> = self.names_in(EXPORTED).into_iter().collect();
        let is_kernel =
            |name: &str| !exported.contains(name) && !name.contains("__sycl_service_kernel__");
        let entries = self.entries.iter();
        entries.filter(|entry| is_kernel(&entry.name)).collect()
    }

    /// Returns the names in a property set.
    pub fn names_in(&self, set: &str) -> Vec<&str> {
        let sets = self.properties.iter().filter(|found| found.name == set);
        let names = sets.flat_map(|set| set.entries.iter().map(|entry| entry.key.as_str()));
        names.collect()
    }

    /// Returns a device requirement.
    pub fn requirement(&self, key: &str) -> Option<&Property> {
        requirement(&self.properties, key)
    }

    /// Returns the single device that the image was compiled for, if specified: `intel_gpu_pvc`.
    pub fn compile_target(&self) -> Option<String> {
        compile_target(&self.properties)
    }

    /// Returns the register mode that the kernels request, from the options in the properties.
    pub fn register_mode(&self) -> Option<&Property> {
        let misc = self.properties.iter().find(|set| set.name == MISC)?;
        let keys = ["sycl-grf-size", "sycl-register-alloc-mode"];
        let mut entries = misc.entries.iter();
        entries.find(|entry| keys.contains(&entry.key.as_str()))
    }
}

impl HostImage {
    /// Returns the size after decompression, if known.
    pub fn size(&self) -> Option<u64> {
        match self.unpacked {
            Some(size) => size,
            None => Some(self.span.len()),
        }
    }

    /// Whether it contains native code, not only code that is compiled at run time.
    pub fn is_native(&self) -> bool {
        matches!(self.kind, "ar" | "zebin")
    }

    /// Whether it contains code for a processor or GPU that is not Intel's.
    pub fn is_foreign(&self) -> bool {
        matches!(self.kind, "elf" | "cuda-elf" | "amdgpu-elf")
    }
}

/// Returns the kind of an image's contents for display.
pub fn kind_text(image: &HostImage) -> &'static str {
    match image.kind {
        "spirv" => "SPIR-V",
        "ar" => "ocloc archive",
        "bitcode" => "LLVM bitcode",
        "elf" => "ELF",
        "cuda-elf" => "ELF for CUDA devices",
        "amdgpu-elf" => "ELF for AMD GPUs",
        "offload-binary" => "OffloadBinary",
        "syclbin" => "SYCLBIN",
        "other" => "unknown",
        kind => kind,
    }
}
