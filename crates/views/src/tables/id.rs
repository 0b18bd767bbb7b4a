//! The registry of all lists.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use zeview_core::model::{Document, NodeId};

use super::query::Query;
use super::{Declaration, List};

/// Declares the lists with the modules that implement them. Each module has its declaration, `LIST`;
/// `is_in`, whether a document has the list itself; and `read`, which reads the rows.
///
/// The last two are functions rather than fields of the declaration: the page links declarations,
/// but nothing that reads a document.
macro_rules! lists {
    ($($(#[$about:meta])* $id:ident => $module:ident;)*) => {
        /// Identifies a list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ListId {
            $($(#[$about])* $id,)*
        }

        impl ListId {
            /// Every list, in the order of the page's tabs.
            pub const ALL: [ListId; [$(ListId::$id),*].len()] = [$(ListId::$id),*];

            /// Returns the declaration of the list.
            pub fn declaration(self) -> &'static Declaration {
                match self {
                    $(ListId::$id => &super::$module::LIST,)*
                }
            }

            pub(super) fn is_in(self, document: &Document, id: NodeId) -> bool {
                match self {
                    $(ListId::$id => super::$module::is_in(document, id),)*
                }
            }

            pub(super) fn read(
                self,
                document: &mut Document,
                id: NodeId,
                query: &Query,
            ) -> Option<Rc<dyn List>> {
                match self {
                    $(ListId::$id => super::$module::read(document, id, query),)*
                }
            }
        }
    };
}

lists! {
    /// The files of a package or folder.
    Files => files;
    /// The kernels of a container by device.
    Matrix => matrix;
    /// The kernels of a document, and the functions that other modules can call.
    Kernels => kernels;
    /// The instructions of the section of code [`Query::of`]; in another encoding with
    /// [`Query::encoding`].
    Instructions => instructions;
    /// The kernels whose code has what [`Query::filter`] describes, or the instructions.
    Found => found;
    /// The images of a container; for a device with [`Query::device`].
    Images => images;
    /// The bytes of the opened file by device, kernel and so on, with [`Query::sizes`].
    Sizes => sizes;
    /// The devices, with the driver's verdict on a document, or the images of a container that run
    /// on each.
    Devices => devices;
    /// The abstract modules of a SYCLBIN.
    Modules => modules;
    /// The properties of a SYCLBIN, or of a module or image in it, selected by [`Query::of`].
    Properties => properties;
    /// The lines of the text [`Query::of`].
    Lines => lines;
    /// The source lines of the code.
    SourceLines => source_lines;
    /// The symbols of an ELF file.
    Symbols => symbols;
    /// The relocations of an ELF file.
    Relocations => relocations;
    /// The differences from the file that the document is compared with.
    Differences => differences;
    /// The details of the difference [`Query::difference`].
    Changes => changes;
    /// The changes from an earlier profile.
    ProfileChanges => profile_changes;
}
