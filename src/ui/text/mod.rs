//! Text: formatting of values, parsing of typed and pasted text.

pub mod format;
pub mod goto;
pub mod paste;
pub mod profile;
pub mod readings;
pub mod route;
