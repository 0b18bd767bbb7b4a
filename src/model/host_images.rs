//! The device images in a host's file, and what its index says of them.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::host_images`]).

use std::collections::HashSet;
use std::rc::Rc;

use super::document::Document;
use super::node::NodeId;
use super::source::Sources;
use super::span::Span;
use super::value::Str;

/// Who knows the device images of a host's file.
pub trait HostImages {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them with all that is said of it, by its place among the others in the file.
    fn image(&self, index: usize, sources: &Sources) -> Option<HostImage>;
}

impl Document {
    /// Who knows the device images of a host's file: the opened one (its root), or one that is
    /// nested in it.
    pub fn host_images(&self, document: NodeId) -> Option<Rc<dyn HostImages>> {
        let (expander, item) = self.expander(self.node(document)?)?;
        expander.host_images(item)
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
    pub described: Option<Described>,
    /// The size after decompression, if it is compressed, and if it says so.
    pub unpacked: Option<Option<u64>>,
    /// What is in it: `spirv`, `ar`, `zebin`, `bitcode`, `offload-binary`, `syclbin`, `other`.
    pub kind: &'static str,
}

/// What the struct of an image says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
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
    pub entries: Vec<String>,
    /// The property sets, in order.
    pub properties: Vec<(String, Vec<(String, Property)>)>,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Property {
    /// A number of 32 bits.
    Number(u64),
    /// So many bits.
    Bytes {
        /// How many.
        bits: u64,
        /// They, and what fills the last byte.
        bytes: Vec<u8>,
    },
}

/// The property set with the functions that other images may import.
pub const EXPORTED: &str = "SYCL/exported symbols";
/// The property set with the functions that must come from other images.
pub const IMPORTED: &str = "SYCL/imported symbols";

impl Described {
    /// The kernels among the entries: those that are not exported, and that are not the runtime's
    /// own. sycl/source/detail/program_manager/program_manager.cpp, addImage.
    pub fn kernels(&self) -> Vec<&str> {
        let exported: HashSet<&str> = self.names_in(EXPORTED).into_iter().collect();
        let names = self.entries.iter().map(String::as_str);
        names
            .filter(|name| !exported.contains(name) && !name.contains("__sycl_service_kernel__"))
            .collect()
    }

    /// The names in a property set.
    pub fn names_in(&self, set: &str) -> Vec<&str> {
        let sets = self.properties.iter().filter(|(name, _)| name == set);
        let names = sets.flat_map(|(_, all)| all.iter().map(|(name, _)| name.as_str()));
        names.collect()
    }
}
