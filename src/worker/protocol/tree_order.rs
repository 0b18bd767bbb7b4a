//! The orders of the tree, and the ids of its rows.
//!
//! In the order by kernel some rows have no node, and the entries of a kernel stand twice: below
//! the kernel, and in the table of all of them. Their ids say what they are; all others are those
//! of nodes, which never become so many.

use serde::{Deserialize, Serialize};

use crate::model::NodeId;

/// In which order the tree shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum TreeOrder {
    /// As its bytes.
    #[default]
    File,
    /// The parts of each kernel together, then those of none.
    Kernels,
}

/// What a row of the tree by kernel stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowId {
    /// A node in its own place.
    Node(NodeId),
    /// A node below a kernel that stands in the rest of the file, too.
    Entry(NodeId),
    /// The kernel at this place of the list.
    Kernel(u32),
    /// All that belongs to no kernel.
    Rest,
}

/// Ids of kernels begin here.
const KERNELS: u32 = 1 << 30;
/// Ids of entries begin here.
const ENTRIES: u32 = 1 << 31;
/// The rest of the file.
const REST: u32 = u32::MAX;

impl RowId {
    /// What the row with this id stands for.
    pub fn of(id: NodeId) -> RowId {
        match id.0 {
            REST => RowId::Rest,
            id if id >= ENTRIES => RowId::Entry(NodeId(id - ENTRIES)),
            id if id >= KERNELS => RowId::Kernel(id - KERNELS),
            _ => RowId::Node(id),
        }
    }

    /// The id of its row.
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
    fn ids_say_what_rows_stand_for() {
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
