//! Hooks of Yew.

pub mod effect;
pub mod later;
pub mod scale;
pub mod splitter;
pub mod virtual_rows;

pub use self::effect::{Local, fingerprint, use_change, use_local};
pub use self::later::{Debounce, use_later};
pub use self::splitter::{BOTTOM, LEFT, RIGHT, Splitter, Splitting, use_splitter};
pub use self::virtual_rows::{VirtualRows, use_row_count, use_rows_below, use_virtual_rows};
