//! `zeview profile`: a profile of unitrace or GTPin on the code of a file.

mod reading;
mod text;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use zeview::analysis::profile;
use zeview::tables;

use clap::Args;
use zeview::analysis::profile::{ProfileComparison, ProfileReport, base_name, total};
use zeview::decode::demangle::demangle_briefly;
use zeview::decode::isa::Platform;
use zeview::decode::limits;
use zeview::diff::compare_profiles;
use zeview::kernel_names::{self, KernelNameError, KernelQuery};
use zeview::model::text::percent;
use zeview::model::{Document, NodeId, SourceId, is_pattern, matches_pattern};
use zeview::report::profile::json;
use zeview::tables::ListId;

use crate::FileArgument;
use crate::argument::{Encoding, InputFile, KernelName, RawCode, ReportFormat, own_help};
use crate::files::{Inputs, while_reading};
use crate::input;
use crate::output::{self, complain};
use crate::rows::Objects;

pub use reading::{Reading, read};

/// Help of the file.
const FILE_HELP: &str = "The file with the kernels; `-` reads standard input";

/// Help of `--kernel`.
const KERNEL_HELP: &str = "Print only this kernel: its name in the profile or in the file, its demangled name, the \
    short name that tables print, or a pattern";

/// Help of `--platform`.
const PLATFORM_HELP: &str = "The encoding, as for `zeview disasm`. Default: the encoding of the device that each \
    image targets";

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON object: schema, types, samples, kernels, unmatched, metrics, timings, counts, problems, and \
    with --before, before and comparison";

#[derive(Args)]
#[command(mut_args(own_help(&[("file", FILE_HELP), ("kernel", KERNEL_HELP), ("platform", PLATFORM_HELP), ("json", JSON_HELP)])))]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    /// The profiles of a run, or the folder of `unitrace --result-dir`; `-` reads standard input.
    #[arg(value_name = "PROFILE", required = true)]
    profile: Vec<FileArgument>,
    #[command(flatten)]
    name: KernelName,
    /// Number of instructions, loops and source lines to print for each kernel. JSON has all of
    /// them.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Compare with an earlier profile of the same file.
    #[arg(long, value_name = "PROFILE")]
    before: Option<FileArgument>,
    /// The file that --before is a profile of: an earlier build. Kernels are compared by name, and
    /// their instructions as by `zeview diff`.
    #[arg(long, value_name = "FILE", requires = "before")]
    before_file: Option<FileArgument>,
    #[command(flatten)]
    encoding: Encoding,
    #[command(flatten)]
    raw: RawCode,
    #[command(flatten)]
    format: ReportFormat,
}

impl Options {
    /// Returns the files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files = std::iter::once(&self.input.file).chain(&self.profile);
        let before = [self.before.as_ref(), self.before_file.as_ref()];
        let before = before.into_iter().flatten();
        files.chain(before).map(AsRef::as_ref)
    }

    /// Removes the kernels that are not selected. `names` are the names in the file that the selected
    /// name means; a kernel is also selected by its name in the profile.
    fn select(&self, names: &HashSet<String>, report: &mut ProfileReport) {
        let Some(kernel) = &self.name.kernel else {
            return;
        };
        let typed = base_name(kernel);
        let selects = |name: &str, mut in_file: &mut dyn Iterator<Item = &String>| {
            let name = base_name(name);
            name == typed
                || is_pattern(typed) && matches_pattern(name, typed)
                || Iterator::any(&mut in_file, |name| names.contains(name))
        };
        report.kernels.retain(|kernel| {
            let images = kernel.codes.iter().flat_map(|code| &code.images);
            selects(&kernel.name, &mut images.map(|image| &image.kernel))
        });
        report.unmatched.retain(|kernel| {
            let rejected = kernel.rejected.iter();
            let mut names = rejected.map(|rejected| &rejected.image.kernel);
            selects(&kernel.name, &mut names)
        });
        report.metrics.retain(|kernel| {
            let mut names = kernel.images.iter().map(|image| &image.kernel);
            selects(&kernel.name, &mut names)
        });
        report.timings.retain(|kernel| {
            let mut names = kernel.images.iter().map(|image| &image.kernel);
            selects(&kernel.name, &mut names)
        });
        report.counts.retain(|kernel| {
            let images = kernel.codes.iter().flat_map(|code| &code.images);
            let rejected = kernel.rejected.iter().map(|rejected| &rejected.image);
            let mut names = images.chain(rejected).map(|image| &image.kernel);
            selects(&kernel.name, &mut names)
        });
    }

    /// Returns the name of the profile for messages.
    fn profile_name(&self) -> &Path {
        self.profile.first().map_or(Path::new(""), AsRef::as_ref)
    }
}

/// The problem of a profile that has a header, but no rows of kernels.
pub const EMPTY: &str = "no kernel was measured: the profile has no rows of kernels";

/// A profile that was read, and its report.
struct Applied {
    reading: Reading,
    report: ProfileReport,
    /// The number of samples at no instruction, if those are most.
    lost: Option<u64>,
    /// Why no kernel of the file has the selected name.
    unnamed: Option<KernelNameError>,
}

impl Applied {
    /// Reports the problems of the profile. Returns whether there are any, no kernel matches, or most
    /// samples are at no instruction.
    fn complain(&self, path: &Path) -> bool {
        let has_problems = self.reading.complain();
        let path = path.display();
        let is_empty = !has_problems && self.reading.profile.is_empty();
        if is_empty {
            complain!("{path}: {EMPTY}");
        }
        let is_unmatched = self.report.has_kernels() && !self.report.is_matched();
        if is_unmatched {
            complain!("{path}: no kernel of the profile matches the file");
        } else if let Some(lost) = self.lost {
            complain!(
                "{path}: {}",
                lost_samples(lost, total(&self.report.samples))
            );
        }
        has_problems || is_empty || is_unmatched || self.lost.is_some()
    }
}

/// Formats the number of samples at no instruction.
pub fn lost_samples(lost: u64, all: u64) -> String {
    let share = percent(lost, all);
    format!("{lost} of {all} samples ({share}) are at no instruction of the file")
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let opened = open(options).map_err(|(path, error)| inputs.fail(path, &error));
    let Ok(Opened {
        document,
        earlier,
        size,
        applied,
        before,
    }) = opened
    else {
        return Ok(inputs.status());
    };
    let report = &applied.report;
    inputs.report_unread(&options.input.file, &document);
    let mut has_failed = applied.complain(options.profile_name());
    if let (Some(before), Some(path)) = (&before, &options.before) {
        has_failed |= before.complain(path);
    }
    if has_failed {
        inputs.note_problem();
    }
    if let Some(kernel) = &options.name.kernel
        && report.kernels.is_empty()
        && report.unmatched.is_empty()
        && report.metrics.is_empty()
        && report.timings.is_empty()
        && report.counts.is_empty()
    {
        let message = match &applied.unnamed {
            Some(error) => error.headline(),
            None => format!("the profile has no kernel {kernel:?}"),
        };
        inputs.fail(options.profile_name(), &message);
    }
    let comparison = before.as_ref().map(|before| match &earlier {
        Some(earlier) => compare_profiles(
            (earlier, &before.report),
            (&document, &applied.report),
            options.encoding.platform.map(Platform::name),
        ),
        None => ProfileComparison::new(&before.report, &applied.report),
    });
    let account = output::account();
    let file = document.sources.whole(SourceId::FILE).len();
    // The output grows with the profiles, too.
    account.reset(limits::output(file.saturating_add(size)));
    if options.format.json {
        let mut out = Objects::single(&account);
        let earlier = before.as_ref().map(|of| (&of.reading.profile, &of.report));
        let applied = (&applied.reading.profile, report);
        out.push(json(applied, earlier, comparison.as_ref())?)?;
        out.finish()?;
    } else {
        let mut out = output::text_within(&account);
        let mut writer = text::Writer::new(&mut out, options.format.markdown, options.top);
        writer.report(report, &|| account.is_overdrawn())?;
        if let Some(comparison) = &comparison {
            writer.comparison(comparison)?;
        }
        out.flush()?;
    }
    if account.is_overdrawn() {
        let problem = "the output is too long; name a --kernel";
        inputs.fail(&options.input.file, &problem);
    }
    Ok(inputs.status())
}

/// The files.
struct Opened {
    document: Document,
    /// The earlier build.
    earlier: Option<Document>,
    /// The size of the profiles and of the earlier build in bytes.
    size: u64,
    applied: Applied,
    before: Option<Applied>,
}

/// Reads the files. Otherwise returns the one that could not be read, and the error.
fn open<'a>(options: &'a Options) -> Result<Opened, (&'a Path, io::Error)> {
    let raw = options.raw.platform(&options.encoding);
    let mut document = while_reading(&options.input.file, |_| {
        input::open_as(&options.input.file, raw)
    })
    .map_err(|error| (&*options.input.file, error))?;
    let mut size = 0;
    let mut apply = |document: &mut Document, paths: &'a [FileArgument]| {
        let path: &Path = paths.first().map_or(Path::new(""), AsRef::as_ref);
        let mut all = paths.iter().map(AsRef::as_ref);
        let reading = while_reading(path, |_| reading::read_all(&mut all));
        let reading = reading.map_err(|error| (path, error))?;
        size += reading.size;
        let platform = options.encoding.platform.map(Platform::name);
        document.open_files(NodeId::ROOT);
        let images = tables::documents_with(document, ListId::Kernels);
        let mut report = profile::apply_profile(
            document,
            &images,
            &reading.profile,
            platform,
            &demangle_briefly,
        );
        let all = total(&report.samples);
        let lost = report
            .is_mostly_lost()
            .then(|| all.saturating_sub(report.located));
        let query = options.name.kernel.clone().map(KernelQuery::named);
        let found = query.map(|query| kernel_names::find(document, &query));
        let (names, unnamed) = match found {
            Some(Ok(builds)) => (builds.into_iter().map(|build| build.name).collect(), None),
            Some(Err(error)) => (HashSet::new(), Some(error)),
            None => (HashSet::new(), None),
        };
        options.select(&names, &mut report);
        Ok(Applied {
            reading,
            report,
            lost,
            unnamed,
        })
    };
    let applied = apply(&mut document, &options.profile)?;
    let mut earlier = match options.before_file.as_deref() {
        Some(path) => Some(input::open_as(path, raw).map_err(|error| (path, error))?),
        None => None,
    };
    let before = match &options.before {
        Some(path) => {
            let document = earlier.as_mut().unwrap_or(&mut document);
            Some(apply(document, std::slice::from_ref(path))?)
        }
        None => None,
    };
    let earlier_size = |earlier: &Document| earlier.sources.whole(SourceId::FILE).len();
    size += earlier.as_ref().map_or(0, earlier_size);
    Ok(Opened {
        document,
        earlier,
        size,
        applied,
        before,
    })
}
