//! Replaces files atomically.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Callback that writes the contents.
type Contents<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writes a temporary file beside `path` and renames it when complete. The previous file, which may
/// be the input, stays intact until then and if anything fails.
pub fn file(path: &Path, contents: Contents<'_>) -> io::Result<()> {
    // Devices and pipes are written directly.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return contents(&mut File::create(path)?);
    }
    // Replace the target of a link, not the link.
    let path = fs::canonicalize(path).unwrap_or(path.to_owned());
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    in_folder(folder, &path, contents)
}

/// Replaces a file in a folder; see [`file`].
pub fn in_folder(folder: &Path, path: &Path, contents: Contents<'_>) -> io::Result<()> {
    let mut file = unfinished(folder)?;
    contents(&mut file)?;
    if let Ok(there) = fs::symlink_metadata(path)
        && there.is_file()
    {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Creates a temporary file with default permissions, which is deleted unless it is renamed.
fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    file.tempfile_in(folder)
}
