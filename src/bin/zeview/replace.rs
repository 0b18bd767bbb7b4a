//! Writes files so that what was there before is whole until all is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// What writes the contents.
type Contents<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writes beside the file and gives it the name when all is written: what had the name before,
/// which may be the file that is read, is whole until then, and stays if anything fails.
pub fn file(path: &Path, contents: Contents<'_>) -> io::Result<()> {
    // A device or a pipe is written to as it is.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return contents(&mut File::create(path)?);
    }
    // Where a link leads is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or(path.to_owned());
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    in_folder(folder, &path, contents)
}

/// The same, of a file in a folder.
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

/// A file that vanishes unless it gets a name; with the permissions of any new file.
fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    file.tempfile_in(folder)
}
