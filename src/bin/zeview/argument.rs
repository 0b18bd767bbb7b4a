//! Arguments that commands have in common.

use std::path::PathBuf;

/// A file, or `-` for standard input.
pub(crate) type FileArgument = PathBuf;
