//! The orders of the tree, and the ids of its rows.
//!
//! In the order by kernel some rows have no node, and the entries of a kernel appear twice: below
//! the kernel, and in the table of all entries. Their ids encode what they are; all other ids are
//! node ids, which never get that large.

use serde::{Deserialize, Serialize};

use crate::model::NodeId;

/// The order in which the tree shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum TreeOrder {
    /// In the order of its bytes.
    #[default]
    File,
    /// Grouped by kernel, followed by the rest.
    Kernels,
}

/// The meaning of a row id in the tree by kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowId {
    /// A node at its own position.
    Node(NodeId),
    /// A node below a kernel that also appears in the rest of the file.
    Entry(NodeId),
    /// The kernel at this index of the list.
    Kernel(u32),
    /// Everything that belongs to no kernel.
    Rest,
}

/// First id of kernels.
const KERNELS: u32 = 1 << 30;
/// First id of entries.
const ENTRIES: u32 = 1 << 31;
/// Id of the rest of the file.
const REST: u32 = u32::MAX;

impl RowId {
    /// Returns the meaning of a row id.
    pub fn of(id: NodeId) -> RowId {
        match id.0 {
            REST => RowId::Rest,
            id if id >= ENTRIES => RowId::Entry(NodeId(id - ENTRIES)),
            id if id >= KERNELS => RowId::Kernel(id - KERNELS),
            _ => RowId::Node(id),
        }
    }

    /// Returns the id of the row.
    pub fn id(self) -> NodeId {
        match self {
            RowId::Node(id) => id,
            RowId::Entry(NodeId(id)) => NodeId(ENTRIES.saturating_add(id)),
            RowId::Kernel(place) => NodeId(KERNELS.saturating_add(place)),
            RowId::Rest => NodeId(REST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip() {
        for row in [
            RowId::Node(NodeId::ROOT),
            RowId::Node(NodeId(KERNELS - 1)),
            RowId::Entry(NodeId::ROOT),
            RowId::Entry(NodeId(KERNELS - 1)),
            RowId::Kernel(0),
            RowId::Kernel(KERNELS - 1),
            RowId::Rest,
        ] {
            assert_eq!(RowId::of(row.id()), row);
        }
    }
}
