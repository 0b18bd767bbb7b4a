//! What stands around the panels: header, tabs, status line, and the panes.

mod bars;
mod guide;
mod workspace;

pub use self::bars::{banner, file_tabs, header, status};
pub use self::guide::guide;
pub use self::workspace::workspace;
