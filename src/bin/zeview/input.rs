//! Opens input files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use zeview::decode::isa::Platform;
use zeview::decode::{decode, decode_code};
use zeview::model::{ByteSource, Document, FileSource, FolderSource, MemorySource, folder_files};

/// Opens and decodes a file, a folder, or standard input for `-`. Files and folders in a folder that
/// cannot be read become rows with a diagnostic.
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn open(path: &Path) -> io::Result<Document> {
    if path != Path::new("-") && path.is_dir() {
        let files = folder_files(path)?;
        return Ok(decode(Box::new(FolderSource::new(files)), &name(path)));
    }
    Ok(decode(source(path)?, &name(path)))
}

/// Opens a file, or standard input for `-`, as code without a container if an encoding is given;
/// otherwise like [`open`].
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn open_as(path: &Path, raw: Option<Platform>) -> io::Result<Document> {
    match raw {
        None => open(path),
        Some(platform) => Ok(decode_code(source(path)?, &name(path), platform)),
    }
}

/// The bytes of a file, or of standard input for `-`.
fn source(path: &Path) -> io::Result<Box<dyn ByteSource>> {
    Ok(if path == Path::new("-") {
        stream(&mut io::stdin().lock(), STREAM_MEMORY, STREAM_MAX)?
    } else if is_pipe(path)? {
        stream(&mut File::open(path)?, STREAM_MEMORY, STREAM_MAX)?
    } else {
        Box::new(FileSource::open(path)?)
    })
}

/// Maximum number of bytes read from pipes and devices, which may never end.
const STREAM_MAX: u64 = 1 << 30;
/// Maximum number of bytes of a stream kept in memory; longer streams go to a temporary file.
const STREAM_MEMORY: u64 = 64 << 20;

/// Reads a stream to its end: at most `most` bytes, of which `memory` are kept in memory.
fn stream(input: &mut dyn Read, memory: u64, most: u64) -> io::Result<Box<dyn ByteSource>> {
    let mut bytes = Vec::new();
    // One byte more shows whether the stream is longer.
    input.take(memory + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= memory {
        return Ok(Box::new(MemorySource::from(bytes)));
    }
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(&bytes)?;
    // One byte more than allowed: if that many are there, the stream is too long.
    let left = (most + 1).saturating_sub(bytes.len() as u64);
    drop(bytes);
    if io::copy(&mut input.take(left), &mut file)? == left {
        return Err(too_long(most));
    }
    file.flush()?;
    // The unnamed file exists until it is closed.
    Ok(Box::new(FileSource::open(file.path())?))
}

/// Passes the bytes of a file, or of standard input for `-`, to `to` in pieces. Returns their number.
///
/// # Errors
///
/// Fails if the input cannot be read, or is a pipe or device of more than [`STREAM_MAX`] bytes.
pub fn read(path: &Path, to: &mut dyn FnMut(&[u8])) -> io::Result<u64> {
    let is_stream = path == Path::new("-") || is_pipe(path)?;
    let mut input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path)?)
    };
    let mut piece = vec![0; 1 << 16];
    let mut count = 0_u64;
    loop {
        let len = match input.read(&mut piece) {
            Ok(0) => return Ok(count),
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        count += len as u64;
        if is_stream && count > STREAM_MAX {
            return Err(too_long(STREAM_MAX));
        }
        to(&piece[..len]);
    }
}

fn too_long(most: u64) -> io::Error {
    io::Error::other(format!(
        "longer than {} MiB, the limit for pipes and devices: write it to a file first",
        most >> 20
    ))
}

/// Returns whether the input can be read only once, from its beginning: a pipe, FIFO or terminal.
fn is_pipe(path: &Path) -> io::Result<bool> {
    let metadata = fs::metadata(path)?;
    Ok(!metadata.is_file() && !metadata.is_dir())
}

/// Returns the name of the file in the tree.
fn name(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_bounded() {
        for (length, is_read) in [(0, true), (10, true), (11, true), (100, true), (101, false)] {
            let mut input = io::repeat(7).take(length);
            let source = stream(&mut input, 10, 100);
            assert_eq!(source.is_ok(), is_read, "{length}");
            if let Ok(source) = source {
                assert_eq!(source.len(), length);
                let bytes = source.read(0, length).unwrap();
                assert!(bytes.iter().all(|byte| *byte == 7));
            }
        }
        let mut endless = io::repeat(0);
        let error = stream(&mut endless, 1 << 20, 3 << 20).err().unwrap();
        assert!(
            error.to_string().starts_with("longer than 3 MiB"),
            "{error}"
        );
    }
}
