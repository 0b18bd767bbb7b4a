//! The device images in a host's file, and what its index says of them.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::host_images`]).

use std::collections::HashSet;
use std::rc::Rc;

use super::modules::{Property, PropertySet, PropertyValue, requirement};
use crate::model::{Document, NodeId, Sources, Span, Str};

/// Who knows the device images of a host's file.
pub trait HostImages {
    /// How many there are.
    fn count(&self) -> usize;

    /// Which of them has these bytes.
    fn find(&self, span: Span) -> Option<usize>;

    /// One of them with what is said of it, by its place among the others in the file. Of the
    /// property sets only those with such names are read.
    fn image_with(
        &self,
        index: usize,
        sources: &Sources,
        wanted: fn(&str) -> bool,
    ) -> Option<HostImage>;

    /// One of them with all that is said of it.
    fn image(&self, index: usize, sources: &Sources) -> Option<HostImage> {
        self.image_with(index, sources, |_| true)
    }

    /// The devices that native code in an image is for, from the names in its archive or from its
    /// notes; of SPIR-V none. Unpacks the image if it is compressed.
    fn devices(&self, image: &HostImage, sources: &Sources) -> Vec<Str>;

    /// Says what the properties mean.
    fn explain(&self, sets: &mut [PropertySet]);

    /// The demangled name of a kernel. Returns `None` if it is not mangled.
    fn demangled(&self, name: &str) -> Option<Rc<str>>;
}

impl Document {
    /// Who knows the device images of a host's file: the opened one (its root), or one that is
    /// nested in it.
    pub fn host_images(&self, document: NodeId) -> Option<Rc<dyn HostImages>> {
        self.interface(document)
    }
}

/// A device image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostImage {
    /// Its bytes as they are stored.
    pub span: Span,
    /// The name of the section that they are in; empty, if there is none.
    pub section: String,
    /// What has led to it: `descriptor`, `tgtimg`, `offload-binary`, `carved`.
    pub how: &'static str,
    /// Which of the file's descriptors lists it.
    pub descriptor: Option<u64>,
    /// What the struct that describes it says.
    pub described: Option<ImageDescription>,
    /// The size after decompression, if it is compressed, and if it says so.
    pub unpacked: Option<Option<u64>>,
    /// What is in it: `spirv`, `ar`, `zebin`, `bitcode`, `offload-binary`, `syclbin`, `other`.
    pub kind: &'static str,
}

/// What the struct of an image says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageDescription {
    /// The version of the struct; an OffloadBinary's entry has none.
    pub version: Option<u64>,
    /// The target: `spir64`, `spir64_gen` …
    pub target: String,
    /// The programming model.
    pub offload_kind: Str,
    /// How the bytes are stored.
    pub format: Str,
    /// The options for the compiler.
    pub compile_options: String,
    /// The options for the linker.
    pub link_options: String,
    /// The kernels and exported functions.
    pub entries: Vec<Entry>,
    /// The property sets, in order.
    pub properties: Vec<PropertySet>,
    /// The number of entries, property sets and texts that are left out, because all images
    /// together describe more than the size of the file allows.
    pub left_out: u64,
    /// Where all this is.
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

/// Where the struct of an image and what it points to are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageLocations {
    /// The struct itself.
    pub record: Option<Span>,
    /// The target.
    pub target: Option<Span>,
    /// The options for the compiler.
    pub compile_options: Option<Span>,
    /// The options for the linker.
    pub link_options: Option<Span>,
    /// The array of entries.
    pub entries: Option<Span>,
}

/// The property set with the functions that other images may import.
pub const EXPORTED: &str = "SYCL/exported symbols";
/// The property set with what the device must support.
pub const REQUIREMENTS: &str = "SYCL/device requirements";
/// The property set with what is in no other.
pub const MISC: &str = "SYCL/misc properties";
/// The property set with the functions that must come from other images.
pub const IMPORTED: &str = "SYCL/imported symbols";

impl ImageDescription {
    /// The kernels among the entries: those that are not exported, and that are not the runtime's
    /// own. sycl/source/detail/program_manager/program_manager.cpp, addImage.
    pub fn kernels(&self) -> Vec<&Entry> {
        let exported: HashSet<&str> = self.names_in(EXPORTED).into_iter().collect();
        let is_kernel =
            |name: &str| !exported.contains(name) && !name.contains("__sycl_service_kernel__");
        let entries = self.entries.iter();
        entries.filter(|entry| is_kernel(&entry.name)).collect()
    }

    /// The names in a property set.
    pub fn names_in(&self, set: &str) -> Vec<&str> {
        let sets = self.properties.iter().filter(|found| found.name == set);
        let names = sets.flat_map(|set| set.entries.iter().map(|entry| entry.key.as_str()));
        names.collect()
    }

    /// One of the requirements on the device.
    pub fn requirement(&self, key: &str) -> Option<&Property> {
        requirement(&self.properties, key)
    }

    /// The only device that the image was compiled for, if it says so: `intel_gpu_pvc`.
    pub fn compile_target(&self) -> Option<String> {
        match &self.requirement("compile_target")?.value {
            PropertyValue::Bytes { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// How many registers the kernels ask for, from the options in the properties.
    pub fn register_mode(&self) -> Option<&Property> {
        let misc = self.properties.iter().find(|set| set.name == MISC)?;
        let keys = ["sycl-grf-size", "sycl-register-alloc-mode"];
        let mut entries = misc.entries.iter();
        entries.find(|entry| keys.contains(&entry.key.as_str()))
    }
}

impl HostImage {
    /// The size after decompression; `None` if the image does not say it.
    pub fn size(&self) -> Option<u64> {
        match self.unpacked {
            Some(size) => size,
            None => Some(self.span.len()),
        }
    }

    /// It holds code for devices, not only what is compiled at run time.
    pub fn is_native(&self) -> bool {
        matches!(self.kind, "ar" | "zebin")
    }
}

/// The contents of an image in words.
pub fn kind_words(image: &HostImage) -> &'static str {
    match image.kind {
        "spirv" => "SPIR-V",
        "ar" => "ocloc archive",
        "bitcode" => "LLVM bitcode",
        "offload-binary" => "OffloadBinary",
        "syclbin" => "SYCLBIN",
        "other" => "unknown",
        kind => kind,
    }
}
