//! Opening files.

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
    } else {
        Box::new(FileSource::open(path)?)
    };
    Ok(decode(source, &name(path)))
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
