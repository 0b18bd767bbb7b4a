//! What shows any file: no component knows a format.
//!
//! What has state of its own is a component of Yew, everything else a function: it makes the
//! same, is shorter, and is less to download.

mod bookmark;
mod dialogs;
mod empty;
mod explanation;
mod grid;
mod hex;
mod inspector;
mod known_values;
mod names;
pub mod ptr_eq;
mod readings;
mod recent;
mod rules;
mod search_box;
mod splitter;
mod tree;
mod value_view;

pub use self::bookmark::{bookmark_sign, comment, selected_bookmark};
pub use self::dialogs::Dialogs;
pub use self::empty::{asking, empty, failed, loading};
pub use self::explanation::explanation;
pub use self::grid::{DataGrid, GridColumn, GridData, GridSource};
pub use self::hex::view::{HexView, copy_menu};
pub use self::inspector::inspector;
pub use self::names::{button, name_of, names, plain, prose, shortened, span_button};
pub use self::recent::RecentFiles;
pub use self::search_box::SearchBox;
pub use self::splitter::Border;
pub use self::tree::view::TreeView;
