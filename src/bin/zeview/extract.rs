//! `zeview extract`: the bytes of a part of a file, as a file of their own.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::model::{Document, Span};

use crate::FileArgument;
use crate::input;

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
        eprintln!("zeview: {name}: {error}");
        Ok(ExitCode::from(2))
    };
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
    let written = if options.output == Path::new("-") {
        write(&document, span, &mut io::stdout().lock())
    } else {
        // Not before it is known that there is something to write.
        File::create(&options.output).and_then(|mut file| write(&document, span, &mut file))
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("zeview: {}: {error}", options.output.display());
            Ok(ExitCode::from(2))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
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
