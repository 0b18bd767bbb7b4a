//! `zeview extract`: the bytes of a part of a file, as a file of their own.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tempfile::NamedTempFile;
use zeview::model::{Document, Span};

use crate::FileArgument;
use crate::input;
use crate::output::complain;

#[derive(Args)]
pub struct Options {
    /// The file; `-` reads standard input.
    file: FileArgument,
    /// The part: names as the dump shows them, `[3]` for the entries of tables.
    path: String,
    /// Where to write its bytes; `-` writes to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// So much is read at once.
const PIECE: u64 = 1 << 20;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let name = options.file.display();
    let fail = |error: &dyn std::fmt::Display| {
        complain!("{name}: {error}");
        Ok(ExitCode::from(2))
    };
    if same_file::is_same_file(&options.file, &options.output).unwrap_or(false) {
        return fail(&"this is the file that is read; choose another --output");
    }
    let mut document = match input::open(&options.file) {
        Ok(document) => document,
        Err(error) => return fail(&error),
    };
    let id = match document.find(&options.path) {
        Ok(id) => id,
        Err(error) => return fail(&error),
    };
    let Some(span) = document.node(id).and_then(|node| node.span) else {
        return fail(&format_args!("{} has no bytes of its own", options.path));
    };
    let written = match options.output.as_path() {
        path if path == Path::new("-") => write(&document, span, &mut io::stdout().lock()),
        path => write_file(&document, span, path),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain!("{}: {error}", options.output.display());
            Ok(ExitCode::from(2))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes beside the file and gives it the name when all is written: what had the name before,
/// which may be the file that is read, is whole until then, and stays if anything fails.
fn write_file(document: &Document, span: Span, path: &Path) -> io::Result<()> {
    // A device or a pipe is written to as it is.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return write(document, span, &mut File::create(path)?);
    }
    // Where a link leads is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or(path.to_owned());
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = unfinished(folder)?;
    write(document, span, &mut file)?;
    if let Ok(there) = fs::metadata(&path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(&path)?;
    Ok(())
}

/// A file that vanishes unless it gets a name; with the permissions of any new file.
fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    file.tempfile_in(folder)
}

fn write(document: &Document, span: Span, out: &mut impl Write) -> io::Result<()> {
    let mut at = 0;
    while at < span.len() {
        let piece = span.sub(at, PIECE);
        let bytes = document.sources.read(piece).map_err(io::Error::other)?;
        out.write_all(&bytes)?;
        at += piece.len();
    }
    out.flush()
}
