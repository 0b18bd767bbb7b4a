//! Components for any file, independent of formats.
//!
//! Only components with state are Yew components; the others are functions, which are shorter and
//! compile to less code.

mod bookmark;
mod dialogs;
mod empty;
mod explanation;
mod grid;
mod hex;
mod inspector;
mod known_values;
mod menu;
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
pub use self::menu::menu;
pub use self::names::{
    button, manual, manuals, name_of, names, plain, prose, shortened, span_button,
};
pub use self::recent::RecentFiles;
pub use self::search_box::SearchBox;
pub use self::splitter::Border;
pub use self::tree::view::TreeView;
