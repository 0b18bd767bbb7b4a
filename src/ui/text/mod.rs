//! Texts: how values are written in the page, and what typed and pasted text means.

pub mod format;
pub mod goto;
pub mod paste;
pub mod readings;
pub mod route;
