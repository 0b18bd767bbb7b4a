//! Arguments shared by several commands. A command whose help differs replaces it:
//! [`own_help`].

use std::path::PathBuf;

use clap::{Arg, Args};
use zeview::decode::device::Device;
use zeview::decode::device::names::similar;
use zeview::decode::isa::Platform;
use zeview::decode::zebin::verdict::release::Release;
use zeview::tables::write::Form;

use crate::disasm::parse_platform;

/// A file, or `-` for standard input.
pub(crate) type FileArgument = PathBuf;

/// Replaces the help of shared arguments, by their ids. Their order stays as it is; clap's `mut_arg`
/// would move them to the end.
pub(crate) fn own_help(help: &'static [(&'static str, &'static str)]) -> impl Fn(Arg) -> Arg {
    move |arg| {
        let own = help.iter().find(|(id, _)| arg.get_id() == *id);
        match own {
            Some((_, text)) => arg.help(*text),
            None => arg,
        }
    }
}

/// The file of a command that reads one.
#[derive(Args)]
pub(crate) struct InputFile {
    /// The file; `-` reads standard input.
    pub file: FileArgument,
}

/// The files of a command that reads several.
#[derive(Args)]
pub(crate) struct InputFiles {
    /// The files; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<FileArgument>,
}

/// The help of [`InputFiles`] for commands that search folders.
pub(crate) const FILES_AND_FOLDERS: &str = "The files and folders; `-` reads standard input";

/// The documents within a file.
#[derive(Args)]
pub(crate) struct Within {
    /// Only these documents within the file: a path as `zeview ls` prints it, or a pattern.
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
}

/// Checks the name of a device. The error suggests a similar name.
pub(crate) fn known_device(name: &str) -> Result<String, String> {
    if Device::named(name).is_some() {
        return Ok(name.to_owned());
    }
    Err(match similar(name) {
        Some(similar) => format!("unknown device; did you mean {similar:?}?"),
        None => "unknown device; `zeview devices` prints all names".to_owned(),
    })
}

/// Checks the name of a release of the driver.
pub(crate) fn known_release(name: &str) -> Result<String, String> {
    if Release::named(name).is_some() {
        return Ok(name.to_owned());
    }
    let (oldest, newest) = Release::range();
    Err(format!(
        "unknown release; known are those from {oldest} to {newest}, such as 25.18, and lts2"
    ))
}

/// The kernel.
#[derive(Args)]
pub(crate) struct KernelName {
    /// Only this kernel.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
}

/// The encoding of the code.
#[derive(Args)]
pub(crate) struct Encoding {
    /// The encoding, as for `zeview disasm`.
    #[arg(long, value_name = "PLATFORM", value_parser = parse_platform)]
    pub platform: Option<Platform>,
}

/// The format of a report; by default plain text.
#[derive(Args)]
pub(crate) struct ReportFormat {
    /// Print JSON.
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown.
    #[arg(long)]
    pub markdown: bool,
}

/// The format of a table; by default aligned columns.
#[derive(Args)]
pub(crate) struct TableFormat {
    /// Print a JSON array with one object per row.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print comma-separated values with a header line.
    #[arg(long)]
    pub csv: bool,
}

impl TableFormat {
    /// Returns the form of the rows.
    pub(crate) fn form(&self) -> Form {
        match (self.json, self.csv) {
            (true, _) => Form::Json,
            (_, true) => Form::Csv,
            _ => Form::Plain,
        }
    }
}
