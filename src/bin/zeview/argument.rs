//! Arguments shared by several commands.

use std::path::PathBuf;

/// A file, or `-` for standard input.
pub(crate) type FileArgument = PathBuf;
