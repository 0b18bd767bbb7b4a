//! Comparisons as JSON, text, Markdown and HTML.

mod html;
mod json;
mod markdown;
mod words;

pub use html::write_html;
pub use json::{DiffJson, json};
pub use markdown::write_markdown;
pub use words::{
    KERNELS_ONLY, counts, entry_text, field_text, head_text, measure_text, notes, verdict_text,
};
