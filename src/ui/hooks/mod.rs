//! What the page needs of the browser. Components and panels stay free of `web_sys`.

mod address;
mod bytes;
mod clipboard;
mod detail;
mod dialog;
mod dom;
mod fetch;
mod files;
mod keys;
mod later;
mod listener;
mod session;
mod session_crash;
mod session_open;
mod session_select;
mod session_tree;
mod splitter;
mod storage;
mod style;
mod theme;
mod virtual_rows;
mod visibility;

pub use self::address::{link_to, read_query, read_target, use_address, use_back, without_embed};
pub use self::bytes::{CHUNK, Pieces, use_pieces};
pub use self::clipboard::copy;
pub use self::detail::{use_detail, use_preview};
pub use self::dialog::use_modal;
pub use self::dom::{
    cell_at, focus, focus_by_id, fraction_at, is_typing, number_at, number_near, scroll_into_view, select_text,
    text_near, text_of,
};
pub use self::files::{save_bytes, save_text, use_drops, use_file_input, use_pastes};
pub use self::keys::{pressed, use_keys};
pub use self::later::use_later;
pub use self::session::{Session, SessionContext, use_session};
pub use self::splitter::{Splitter, Splitting, use_splitter};
pub use self::style::{Styles, set_style, use_element_width, use_media, use_styles};
pub use self::theme::{Theme, use_theme};
pub use self::virtual_rows::{VirtualRows, use_virtual_rows};
pub use self::visibility::use_on_return;
