//! `zeview check`: what is wrong with files.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use zeview::model::json::DiagnosticJson;
use zeview::model::text::diagnostic_text;
use zeview::model::{Coverage, Document, Severity};

use crate::FileArgument;
use crate::input;
use crate::progress::Progress;

#[derive(Args)]
pub struct Options {
    /// The files; `-` reads standard input.
    #[arg(required = true)]
    files: Vec<FileArgument>,
    /// Print a JSON array with one object a file.
    #[arg(long)]
    json: bool,
}

/// Keys of [`Options::json`], one object a file.
#[derive(Serialize)]
struct FileJson<'a> {
    file: String,
    format: &'a str,
    coverage: Coverage,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut status = 0;
    let mut first = true;
    if options.json {
        out.write_all(b"[")?;
    }
    let progress = Progress::start();
    for (number, file) in options.files.iter().enumerate() {
        progress.say(|| {
            let of = options.files.len();
            format!("checking {} ({} of {of})", file.display(), number + 1)
        });
        let mut document = match input::open(file) {
            Ok(document) => document,
            Err(error) => {
                eprintln!("zeview: {}: {error}", file.display());
                status = 2;
                continue;
            }
        };
        if document
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
        {
            status = status.max(1);
        }
        let name = file.display().to_string();
        if options.json {
            out.write_all(if first { b"\n" } else { b",\n" })?;
            first = false;
            print_json(&mut document, name, &mut out)?;
        } else {
            print_text(&mut document, &name, &mut out)?;
        }
    }
    drop(progress);
    if options.json {
        out.write_all(b"\n]\n")?;
    }
    out.flush()?;
    Ok(ExitCode::from(status))
}

fn print_json(document: &mut Document, file: String, out: &mut impl Write) -> io::Result<()> {
    let all = document.diagnostics.clone();
    let diagnostics = all
        .iter()
        .map(|diagnostic| DiagnosticJson::new(diagnostic, document.path_of(diagnostic)))
        .collect();
    serde_json::to_writer(
        out,
        &FileJson {
            file,
            format: &document.summary.format,
            coverage: document.coverage,
            diagnostics,
        },
    )?;
    Ok(())
}

fn print_text(document: &mut Document, file: &str, out: &mut impl Write) -> io::Result<()> {
    let all = document.diagnostics.clone();
    let count = |severity| all.iter().filter(|d| d.severity == severity).count();
    let Coverage {
        padding,
        gap,
        overlap,
        ..
    } = document.coverage;
    write!(out, "{file}: {}", document.summary.title)?;
    for fact in document.summary.facts.iter().filter(|f| f.headline) {
        write!(out, " · {}", fact.text)?;
    }
    write!(
        out,
        " · {} errors, {} warnings",
        count(Severity::Error),
        count(Severity::Warning)
    )?;
    writeln!(
        out,
        " · bytes: {padding} padding, {gap} unexplained, {overlap} claimed twice"
    )?;
    for diagnostic in &all {
        let path = document.path_of(diagnostic);
        for line in diagnostic_text(diagnostic, &path).lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}
