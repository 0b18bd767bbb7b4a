//! The lists that there are.

use serde::{Deserialize, Serialize};

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListId {
    /// The kernels of a document, and the functions that other modules can call.
    Kernels,
    /// The relocations of an ELF file.
    Relocations,
    /// The symbols of an ELF file.
    Symbols,
    /// The abstract modules of a SYCLBIN.
    Modules,
    /// The properties of a SYCLBIN, or of a module or image in it: of what
    /// [`Query::of`](query::Query::of) belongs to.
    Properties,
    /// The images of a container; for a device with [`Query::device`](query::Query::device).
    Images,
    /// The devices, and what the driver does on each with a document, or which images of a
    /// container run on it.
    Devices,
    /// The lines of the text [`Query::of`](query::Query::of).
    Lines,
    /// The source lines of the code.
    SourceLines,
    /// The instructions of the section of code [`Query::of`](query::Query::of); in another
    /// encoding with [`Query::device`](query::Query::device).
    Instructions,
    /// What differs from the file that the document is compared with.
    Differences,
    /// One of the differences in full: that at [`Query::row`](query::Query::row).
    Changes,
}

impl ListId {
    /// Every list.
    pub const ALL: [ListId; 12] = [
        ListId::Kernels,
        ListId::Relocations,
        ListId::Symbols,
        ListId::Modules,
        ListId::Properties,
        ListId::Images,
        ListId::Devices,
        ListId::Lines,
        ListId::SourceLines,
        ListId::Instructions,
        ListId::Differences,
        ListId::Changes,
    ];
}
