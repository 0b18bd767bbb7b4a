//! Export of a subtree as text.

use std::io::{self, Write};

use crate::model::{Document, Node, json, text};
use crate::worker::protocol::ExportForm;

/// Maximum length of the text in one answer, in bytes.
pub const EXPORT_MAX: usize = 64 * 1024 * 1024;

/// Writes a node and its descendants as text of at most `limit` bytes.
///
/// # Errors
///
/// If the text would be longer, as a message.
pub fn export(
    document: &Document,
    node: &Node,
    form: ExportForm,
    limit: usize,
) -> Result<String, String> {
    let mut out = Bounded {
        text: Vec::new(),
        limit,
    };
    let all = text::TextOptions::default();
    let written = match form {
        ExportForm::Json => json::write_tree(document, node, all, &mut out),
        ExportForm::Text => text::write_tree(document, node, all, &mut out),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => format!(
            "This is more than {} MB of text. Export a part of it, or use the command line: zeview dump.",
            limit / (1024 * 1024)
        ),
        _ => error.to_string(),
    })?;
    String::from_utf8(out.text).map_err(|error| error.to_string())
}

struct Bounded {
    text: Vec<u8>,
    limit: usize,
}

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.text.len().saturating_add(piece.len()) > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
