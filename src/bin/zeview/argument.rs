//! Arguments shared by several commands. A command whose help differs replaces it:
//! [`own_help`].

use std::path::{Path, PathBuf};

use clap::{Arg, Args};
use zeview::decode::device::Device;
use zeview::decode::device::names::unknown_device;
use zeview::decode::isa::Platform;
use zeview::decode::zebin::verdict::release::Release;
use zeview::kernel_names::{
    self, Build, KernelForms, KernelNameError, KernelQuery, Reason, describe,
};
use zeview::model::Document;
use zeview::tables::write::Form;

use crate::disasm::parse_platform;
use crate::files::Inputs;
use crate::output::{complain, print_detail};

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
    let message = unknown_device(name);
    Err(if message.ends_with('?') {
        message
    } else {
        format!("{message}; `zeview devices` prints all names")
    })
}

/// Whether no device has a name in a query. That of SPIR-V is no device's.
pub(crate) fn is_unknown_device(name: &str) -> bool {
    !name.eq_ignore_ascii_case("SPIR-V") && Device::named(name).is_none()
}

/// Reports the names in a query that no device has. Returns whether there are any.
pub(crate) fn complain_of_devices<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let names = names.into_iter().filter(|name| is_unknown_device(name));
    let mut is_any = false;
    for name in names {
        complain!("{}", unknown_device(name));
        is_any = true;
    }
    is_any
}

/// Checks the name of a release of the driver.
pub(crate) fn known_release(name: &str) -> Result<String, String> {
    if Release::named(name).is_some() {
        return Ok(name.to_owned());
    }
    Err(Release::unknown(name))
}

/// The kernel.
#[derive(Args)]
pub(crate) struct KernelName {
    /// Only this kernel: its name in the file, its demangled name, the short name that tables print,
    /// or a pattern.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
}

/// The builds of a kernel.
#[derive(Args)]
pub(crate) struct KernelBuilds {
    /// Only the code for this device, by any of its names.
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Only the code in this image: its name or number as `zeview kernels` prints it, its path, or a
    /// pattern.
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// Only the code in this file of a package or folder: its path, the end of its path, or a pattern.
    #[arg(long = "file", id = "file_in_package", value_name = "PATH")]
    pub file: Option<String>,
    /// Print all builds of the kernel, and all kernels that match a pattern, each under a heading.
    #[arg(long)]
    pub all_builds: bool,
}

impl KernelBuilds {
    /// Returns the query for native code of a kernel, or of all kernels.
    pub(crate) fn query(&self, name: &KernelName) -> KernelQuery {
        KernelQuery {
            device: self.device.clone(),
            image: self.image.clone(),
            file: self.file.clone(),
            ..KernelQuery::with_code(name.kernel.clone().unwrap_or_default())
        }
    }

    /// Returns the builds of a kernel, or of all kernels. Without `--all-builds`, a kernel must have
    /// only one.
    pub(crate) fn find(
        &self,
        name: &KernelName,
        document: &mut Document,
    ) -> Result<Vec<Build>, Failure> {
        let found = self.find_named(name, document);
        found.map_err(|error| Failure::of_name(&error, document))
    }

    /// As [`find`](KernelBuilds::find); a kernel without native code is found as SPIR-V.
    pub(crate) fn find_code_or_spirv(
        &self,
        name: &KernelName,
        document: &mut Document,
    ) -> Result<Vec<Build>, Failure> {
        let query = KernelQuery {
            forms: KernelForms::CodeOrSpirv,
            ..self.query(name)
        };
        let found = self.find_all(&query, name.kernel.is_some(), document);
        found.map_err(|error| Failure::of_name(&error, document))
    }

    /// As [`find`](KernelBuilds::find), with the reason why there are none.
    pub(crate) fn find_named(
        &self,
        name: &KernelName,
        document: &mut Document,
    ) -> Result<Vec<Build>, KernelNameError> {
        self.find_all(&self.query(name), name.kernel.is_some(), document)
    }

    fn find_all(
        &self,
        query: &KernelQuery,
        is_named: bool,
        document: &mut Document,
    ) -> Result<Vec<Build>, KernelNameError> {
        match (is_named, self.all_builds) {
            (false, _) => kernel_names::all(document, query),
            (true, true) => kernel_names::find(document, query),
            (true, false) => kernel_names::one(document, query).map(|build| vec![build]),
        }
    }
}

/// The reason why a command fails, with further lines.
pub(crate) struct Failure {
    pub message: String,
    pub details: Vec<String>,
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure {
            message,
            details: Vec::new(),
        }
    }
}

impl Failure {
    /// Creates the failure for a name that means no kernel, or several.
    pub(crate) fn of_name(error: &KernelNameError, document: &Document) -> Failure {
        let mut details = match error.reason {
            Reason::NotHere(_) | Reason::Several(_) => describe(error.builds(), Some(document)),
            _ => Vec::new(),
        };
        if matches!(error.reason, Reason::Several(_)) {
            let kernel = if error.query.is_for_all() {
                "--kernel, "
            } else {
                ""
            };
            details.push(format!(
                "choose with {kernel}--device, --image or --file, or print all with --all-builds"
            ));
        }
        Failure {
            message: error.headline(),
            details,
        }
    }

    /// Reports the failure of a file.
    pub(crate) fn report(&self, file: &Path, inputs: &mut Inputs) {
        inputs.fail(file, &self.message);
        for line in &self.details {
            print_detail(line);
        }
    }
}

/// The encoding of the code.
#[derive(Args)]
pub(crate) struct Encoding {
    /// The encoding, as for `zeview disasm`.
    #[arg(long, value_name = "PLATFORM", value_parser = parse_platform)]
    pub platform: Option<Platform>,
}

/// Code without a container.
#[derive(Args)]
pub(crate) struct RawCode {
    /// Treat the file as the code of one kernel without a container, such as the files
    /// `dnnl_dump_gpu_*.bin` of oneDNN. Its name is that of the file.
    #[arg(long, requires = "platform")]
    pub raw: bool,
}

impl RawCode {
    /// Returns the encoding, if the file is code without a container.
    pub(crate) fn platform(&self, encoding: &Encoding) -> Option<Platform> {
        encoding.platform.filter(|_| self.raw)
    }
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
