//! `zeview report`: writes files as one HTML page, to share or print.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::decode::limits;
use zeview::model::{NodeId, SourceId};
use zeview::report::{write_end, write_file, write_head};

use crate::argument::{FILES_AND_FOLDERS, InputFiles, own_help};
use crate::files::Inputs;
use crate::output::{self, complain};
use crate::replace;

#[derive(Args)]
#[command(mut_args(own_help(&[("files", FILES_AND_FOLDERS)])))]
#[command(after_long_help = "\
The page has no scripts and does not refer to other files. It contains the first 2000 rows of each \
table and the first 500 problems, and is limited to 200 times the size of the file (or 16 MB); \
omitted rows are counted.\n\n\
Exit status: 0, or 2 if a file could not be read, or the report could not be written.")]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// The output file. Default: standard output.
    #[arg(long, short, value_name = "PAGE")]
    output: Option<PathBuf>,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let mut targets = inputs.targets(&options.input.files);
    if targets.is_empty() {
        complain!("no files to report on");
        return Ok(ExitCode::from(2));
    }
    targets.dedup_by(|a, b| a.path == b.path);
    let title = match targets.as_slice() {
        // The folder is of no use to a reader of the report.
        [one] => one
            .path
            .file_name()
            .unwrap_or(one.path.as_os_str())
            .to_string_lossy()
            .into_owned(),
        several => format!("{} files", several.len()),
    };
    let mut write = |out: &mut dyn Write| -> io::Result<()> {
        write_head(&title, out)?;
        let paths = targets.iter().map(|target| &target.path);
        inputs.each(paths, |inputs, path, mut document| {
            document.open_files(NodeId::ROOT);
            document.open_all();
            inputs.report_unread(path, &document);
            let size = document.sources.whole(SourceId::FILE).len();
            write_file(&mut document, limits::output(size), out)
        })?;
        write_end(out)
    };
    match &options.output {
        Some(path) if is_input(&options.input.files, path) => {
            complain!("the report would replace one of the files; choose another --output");
            return Ok(ExitCode::from(2));
        }
        Some(path) => {
            let written = replace::file(path, &mut |file| {
                let mut out = BufWriter::new(file);
                write(&mut out)?;
                out.flush()
            });
            if let Err(error) = written {
                complain!("{}: {error}", path.display());
                return Ok(ExitCode::from(2));
            }
        }
        None => {
            let mut out = output::raw();
            write(&mut out)?;
            out.flush()?;
        }
    }
    Ok(inputs.status())
}

fn is_input(files: &[PathBuf], output: &Path) -> bool {
    let mut files = files.iter();
    files.any(|file| same_file::is_same_file(file, output).unwrap_or(false))
}
