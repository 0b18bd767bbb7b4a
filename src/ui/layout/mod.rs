//! Page layout: header, tabs, status bar, and panes.

mod bars;
mod guide;
mod palette;
mod workspace;

pub use self::bars::{banner, file_tabs, header, status};
pub use self::guide::guide;
pub use self::workspace::workspace;
