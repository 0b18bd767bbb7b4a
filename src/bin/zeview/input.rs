//! Opening files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use zeview::decode::decode;
use zeview::model::{ByteSource, Document, FileSource, MemorySource};

/// Opens and decodes a file, or standard input for `-`.
///
/// # Errors
///
/// When it cannot be read.
pub fn open(path: &Path) -> io::Result<Document> {
    let source: Box<dyn ByteSource> = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Box::new(MemorySource::from(bytes))
    } else if is_pipe(path)? {
        Box::new(MemorySource::from(fs::read(path)?))
    } else {
        Box::new(FileSource::open(path)?)
    };
    Ok(decode(source, &name(path)))
}

/// Is it something that can be read only once, from its beginning: a pipe, a FIFO, a terminal?
fn is_pipe(path: &Path) -> io::Result<bool> {
    let there = fs::metadata(path)?;
    Ok(!there.is_file() && !there.is_dir())
}

/// The name that the file has in the tree.
fn name(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}
