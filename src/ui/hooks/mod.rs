//! What the page needs of the browser. Components and panels stay free of `web_sys`.

mod address;
mod bytes;
mod cache;
mod clipboard;
mod dialog;
mod dom;
mod effect;
mod embedder;
mod fetch;
mod files;
mod keys;
mod later;
mod listener;
mod marks;
mod media;
mod recent;
mod run;
mod session;
mod session_bookmarks;
mod session_code;
mod session_compare;
mod session_crash;
mod session_follow;
mod session_graph;
mod session_guide;
mod session_list;
mod session_occupancy;
mod session_open;
mod session_replace;
mod session_select;
mod session_sides;
mod session_tree;
mod session_verdict;
mod splitter;
mod start;
mod storage;
mod style;
mod theme;
mod virtual_rows;

pub use self::address::{link_to, waits_for};
pub use self::bytes::{CHUNK, COPY_MAX, Pieces, use_pieces};
pub use self::dialog::use_modal;
pub use self::dom::{
    capture_pointer, cell_at, click, focus, focus_by_id, fraction_at, has_selected_text, number_at,
    number_near, on_control, open_menu, restore_focus, scroll_into_view, set_text, text_of,
    value_of, width_of,
};
pub use self::effect::{Local, fingerprint, use_change, use_local};
pub use self::keys::pressed;
pub use self::later::{Later, use_later};
pub use self::recent::Recent;
pub use self::session::{Session, SessionContext};
pub use self::session_graph::drawing;
pub use self::session_list::FIND;
pub use self::splitter::{BOTTOM, LEFT, RIGHT, Splitter, Splitting, use_splitter};
pub use self::start::use_session;
pub use self::virtual_rows::{VirtualRows, use_row_count, use_rows_below, use_virtual_rows};
