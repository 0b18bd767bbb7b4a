//! What a command did not read of its input.

use std::path::Path;

use zeview::model::Document;

use crate::output::complain;

/// Prints what was not read of a file, in one line. Returns whether there is something, so that
/// the exit status is 2.
pub fn complain_of(file: &Path, document: &Document) -> bool {
    let unread = document.unread_parts();
    if unread.is_empty() {
        return false;
    }
    complain!("{}: {}", file.display(), unread.text());
    true
}
