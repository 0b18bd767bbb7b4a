//! Identifiers of lists.

use serde::{Deserialize, Serialize};

/// Identifies a list.
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
    /// The properties of a SYCLBIN, or of a module or image in it, selected by
    /// [`Query::of`](crate::tables::query::Query::of).
    Properties,
    /// The images of a container; for a device with [`Query::device`](crate::tables::query::Query::device).
    Images,
    /// The files of a package or folder.
    Files,
    /// The kernels of a container by device.
    Matrix,
    /// The devices, with the driver's verdict on a document, or the images of a container that run
    /// on each.
    Devices,
    /// The lines of the text [`Query::of`](crate::tables::query::Query::of).
    Lines,
    /// The source lines of the code.
    SourceLines,
    /// The instructions of the section of code [`Query::of`](crate::tables::query::Query::of); in another
    /// encoding with [`Query::device`](crate::tables::query::Query::device).
    Instructions,
    /// The differences from the file that the document is compared with.
    Differences,
    /// The details of the difference at [`Query::row`](crate::tables::query::Query::row).
    Changes,
    /// The changes from an earlier profile.
    ProfileChanges,
}

impl ListId {
    /// Every list.
    pub const ALL: [ListId; 15] = [
        ListId::Kernels,
        ListId::Relocations,
        ListId::Symbols,
        ListId::Modules,
        ListId::Properties,
        ListId::Images,
        ListId::Files,
        ListId::Matrix,
        ListId::Devices,
        ListId::Lines,
        ListId::SourceLines,
        ListId::Instructions,
        ListId::Differences,
        ListId::Changes,
        ListId::ProfileChanges,
    ];
}
