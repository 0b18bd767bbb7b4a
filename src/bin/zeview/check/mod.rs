//! `zeview check`: predicts what the driver does with files, and lists their problems.

mod beside;
mod devices;
mod sarif;
mod tally;
mod text;

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Args;
use zeview::analysis::LoadOptions;
use zeview::analysis::unread;
use zeview::model::json::ArrayFrame;
use zeview::model::{Document, NodeId};
use zeview::report::check::{VerdictRow, file_json};
use zeview::tables::write::Form;

use crate::argument::{
    FILES_AND_FOLDERS, InputFiles, Within, known_device, known_release, own_help,
};
use crate::files::{Inputs, Target};
use crate::input;
use crate::output::{self, Visible, complain};
use crate::parallel::in_order;
use crate::progress::Progress;
use tally::{FileOutcome, Tally};
pub use text::print_headline;

/// Help of `--path`.
const PATH_HELP: &str = "Check only these documents within the file: a path as `zeview ls` prints it, or a \
    pattern";

#[derive(Args)]
#[command(mut_args(own_help(&[("files", FILES_AND_FOLDERS), ("path", PATH_HELP)])))]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// Print a JSON array with one object per file: schema, file, path (with --path), format,
    /// verdict (null for containers, host programs and unknown formats), well_formed (null for
    /// unknown formats, and if not everything was read), driver, device, findings, opencl (verdict and
    /// findings of that API; the others are Level Zero's), needs_driver, rebuild, documents, unread,
    /// files (of a package), coverage, diagnostics.
    #[arg(long)]
    json: bool,
    /// Print a SARIF 2.1.0 log, for tools that show findings in code reviews.
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Print failures only.
    #[arg(long, short, conflicts_with_all = ["json", "sarif"])]
    quiet: bool,
    /// Also fail on warnings and on named files of unknown formats.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    within: Within,
    /// The device for the verdict, instead of the file's target: any name that `zeview devices`
    /// prints, such as a driver name (`bmg-g21`), a marketing or code name (`B580`, `Battlemage`), a
    /// release (`xe2-hpg`), `arch.release.revision` (`20.1.0`), a SYCL architecture
    /// (`intel_gpu_bmg_g21`), a PCI device id (`0xe20b`), or a product configuration (`0x05004000`). For a container, also explains which image runs on the device. `all` prints
    /// a table of all devices; with --json, an object with `devices`.
    #[arg(long, value_name = "NAME", value_parser = device)]
    device: Option<String>,
    /// The release of the driver: its number (`25.18`), a version (`25.18.33578.42`), or `lts2`.
    /// Judges the keys and values of `.ze_info`, compatible devices, and the rules that came with a
    /// release; everything else as in release 26.27. Default: 26.27.
    #[arg(long, value_name = "RELEASE", value_parser = known_release)]
    driver: Option<String>,
}

impl Options {
    fn load(&self) -> LoadOptions<'_> {
        LoadOptions {
            device: self.device.as_deref().filter(|device| *device != ALL),
            release: self.driver.as_deref(),
        }
    }
}

/// Value of `--device` that selects all devices.
const ALL: &str = "all";

/// Checks the name of a device.
fn device(name: &str) -> Result<String, String> {
    if name == ALL {
        return Ok(name.to_owned());
    }
    known_device(name)
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    if options.sarif && options.device.as_deref() == Some(ALL) {
        complain!("--sarif takes one device");
        return Ok(ExitCode::from(2));
    }
    let mut tally = Tally::default();
    let mut inputs = Inputs::default();
    let files = inputs.targets(&options.input.files);
    if !inputs.is_complete() {
        tally.add(FileOutcome::Unreadable);
    }
    let is_json = options.json || options.sarif;
    let form = if is_json { Form::Json } else { Form::Plain };
    let mut out = BufWriter::new(output::of(form));
    if options.sarif {
        out.write_all(sarif::BEGIN.as_bytes())?;
    }
    let mut array = ArrayFrame::default();
    let mut unreadable = Vec::new();
    let progress = Progress::start();
    let count = files.len();
    in_order(
        count,
        |number| match files.get(number) {
            Some(file) => {
                let name = file.path.display();
                progress.set(|| format!("checking {name} ({} of {count})", number + 1));
                check(file, options)
            }
            None => Ok(Checked::default()),
        },
        |number, checked| {
            let Some(file) = files.get(number) else {
                return Ok(());
            };
            match checked {
                Ok(checked) => {
                    for outcome in checked.outcomes {
                        tally.add(outcome);
                    }
                    tally.fails |= checked.fails;
                    for text in checked.texts {
                        if is_json {
                            out.write_all(array.before().as_bytes())?;
                        }
                        out.write_all(&text)?;
                    }
                    Ok(())
                }
                Err(error) => {
                    inputs.fail(&file.path, &error);
                    unreadable.push((file.path.clone(), error.to_string()));
                    tally.add(FileOutcome::Unreadable);
                    Ok(())
                }
            }
        },
    )?;
    drop(progress);
    if is_json {
        out.write_all(array.end().as_bytes())?;
    }
    if options.sarif {
        sarif::finish(&unreadable, &mut out)?;
    }
    let says_total =
        options.input.files.iter().any(|file| file.is_dir()) || options.input.files.len() > 1;
    if !is_json && says_total && (tally.status() > 0 || !options.quiet) {
        tally.print(&mut Visible::new(&mut out, output::colors()))?;
    }
    out.flush()?;
    if tally.is_empty() {
        complain!("there are no files to check");
    }
    Ok(ExitCode::from(tally.status()))
}

/// Results for one file.
#[derive(Default)]
struct Checked {
    /// Texts to print: of each selected document, or SARIF results.
    texts: Vec<Vec<u8>>,
    /// Outcomes of the file and of each selected document.
    outcomes: Vec<FileOutcome>,
    fails: bool,
}

fn check(target: &Target, options: &Options) -> Result<Checked, Box<dyn Error + Send + Sync>> {
    let mut document = input::open(&target.path)?;
    if options.device.as_deref() == Some(ALL) {
        return matrix(&mut document, target, options);
    }
    let all = match &options.within.path {
        None => vec![VerdictRow::file(&mut document, options.load())],
        Some(path) => {
            let found = document.find_all(path).map_err(|e| e.to_string())?;
            let judge = |id: NodeId| VerdictRow::part(&mut document, id, options.load());
            found.into_iter().map(judge).collect()
        }
    };
    let mut checked = Checked::default();
    for mut judged in all {
        if target.is_found && options.within.path.is_none() {
            let found = beside::dropped_kernels(&document, &target.path);
            judged.diagnostics.extend(found);
        }
        add(&mut document, &judged, target, options, &mut checked)?;
    }
    Ok(checked)
}

/// Prints a device table for each selected document.
fn matrix(
    document: &mut Document,
    target: &Target,
    options: &Options,
) -> Result<Checked, Box<dyn Error + Send + Sync>> {
    let ids = match &options.within.path {
        None => vec![NodeId::ROOT],
        Some(path) => document.find_all(path).map_err(|e| e.to_string())?,
    };
    let mut checked = Checked::default();
    for id in ids {
        let (outcome, table) = devices::table(document, id, options.load(), options.json);
        if outcome == FileOutcome::Unknown && target.is_found {
            checked.outcomes.push(FileOutcome::Skipped);
            continue;
        }
        checked.outcomes.push(outcome);
        checked.fails |= outcome.fails();
        if options.quiet && !outcome.fails() && outcome != FileOutcome::Incomplete {
            continue;
        }
        let path = options.within.path.as_ref().map(|_| document.path(id));
        let mut text = Vec::new();
        let mut out = if options.json {
            Visible::json(&mut text)
        } else {
            Visible::new(&mut text, output::colors())
        };
        let unread = unread::unread_parts(document);
        devices::print(
            &target.path,
            &unread,
            path.as_deref(),
            &table,
            options.json,
            &mut out,
        )?;
        checked.texts.push(text);
    }
    Ok(checked)
}

fn add(
    document: &mut Document,
    judged: &VerdictRow,
    target: &Target,
    options: &Options,
    checked: &mut Checked,
) -> io::Result<()> {
    let outcome = match FileOutcome::of(judged) {
        FileOutcome::Unknown if target.is_found => {
            checked.outcomes.push(FileOutcome::Skipped);
            return Ok(());
        }
        outcome => outcome,
    };
    let fails = outcome.fails() || (options.strict && judged.is_doubtful());
    checked.outcomes.push(outcome);
    checked.fails |= fails;
    if options.quiet && !fails && outcome != FileOutcome::Incomplete {
        return Ok(());
    }
    let name = target.path.display().to_string();
    let mut text = Vec::new();
    match (options.json, options.sarif) {
        (true, _) => file_json(document, judged, &name, &mut text)?,
        (_, true) => {
            for result in sarif::results(document, judged, &target.path) {
                checked.texts.push(serde_json::to_vec(&result)?);
            }
            return Ok(());
        }
        _ => {
            let mut out = Visible::new(&mut text, output::colors());
            text::print(document, judged, &name, &mut out)?;
        }
    }
    checked.texts.push(text);
    Ok(())
}
