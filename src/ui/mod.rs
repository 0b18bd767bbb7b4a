//! The page.

/// Starts the page in the document's body.
pub fn start() {}
