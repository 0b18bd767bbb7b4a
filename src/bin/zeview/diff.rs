//! `zeview diff`: compares two files, or two folders of files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zeview::diff::listing_of;

use clap::Args;
use zeview::diff::listing::{Row, rows};
use zeview::diff::{
    Change, Comparison, Entry, Field, Options as How, Outcome, Part, Preference, Selection,
    compare, compare_kernels,
};
use zeview::kernel_names::{self, Build, KernelQuery};
use zeview::model::json::Versioned;
use zeview::model::text::{counted, escaped, grouped, markdown, plural, push_visible};
use zeview::model::{Document, Severity};
use zeview::report::comparison::{
    counts, entry_text, field_text, head_text, json, measure_text, notes, verdict_text, write_html,
    write_markdown,
};

use crate::FileArgument;
use crate::argument::{Encoding, Failure, RawCode, own_help};
use crate::files::Inputs;
use crate::gate::{self, Condition, Gate};
use crate::input;
use crate::output::{self, Text, complain};
use crate::progress::Progress;
use crate::rows::print_object;
use crate::style;

/// Help of `--platform`.
const PLATFORM_HELP: &str = "For --raw: the encoding, as for `zeview disasm`";

#[derive(Args)]
#[command(mut_args(own_help(&[("platform", PLATFORM_HELP)])))]
#[command(after_long_help = "\
Kernels are matched by name, then by code and arguments; attributes by key, arguments by index and \
kind, sections by name, notes by owner and type, symbols and relocations by name and target, \
images and modules by exports and target. Bytes that zeview does not decode, gaps and damaged \
parts are compared as bytes.\n\n\
In libraries and packages, kernels are matched by device and name over all images; SPIR-V is \
compared by entry point, with the functions, types and constants that it refers to. Images, \
properties, sections and symbols of the host are compared only if no kernel differs, with \
--everything, or if --only or --ignore name them.\n\n\
Files have the same meaning if they differ only in layout: padding; offsets of parts; references \
by index or offset to something with the same name; the order of sections, symbols, relocations, \
strings, and of keys and named entries in .ze_info; whitespace and comments in it; zero bytes \
after code; compression; date, owner and mode of archive members.\n\n\
--fail-if accepts the conditions of `zeview kernels --fail-if`, applied to the kernels of the \
second file, and COLUMN increased, COLUMN decreased, COLUMN changed, with an optional tolerance \
(`64`, `10%`): `spill_size increased`, `code_size increased 10%`, `spill_size increased or \
registers_used>120`. For a new kernel, values increase from zero.\n\n\
--only and --ignore accept parts (kernels, functions, images, modules, properties, attributes, \
notes, sections, symbols, relocations, bytes, code), and names, keys and paths with * and ?: \
`--ignore code,symbols,'.misc.*'`, `--only 'execution_env/*'`.\n\n\
JSON: an object with schema, a and b (file, format, size, target, compiler), equal (the bytes are \
the same), outcome (identical, same_meaning, different, unknown), same_meaning, complete, remarks, \
not_compared (parts that were not compared or listed, with the reason), for libraries and packages \
devices (an array of objects with device, kernels, added, removed, renamed, changed, worse, better, \
unchanged), and for each part (kernels \
…) an object with added and removed (names), renamed (pairs of names), changed: objects with name, \
new_name, demangled, device, document (the path of a nested one), a and b (start, end), fields (key, path, \
from, to, a, b), for kernels also measures (key, from, to, better) and code (equal, \
instructions_added, instructions_removed, shortest, hunks: a and b, rows of the listings); kernels \
also has unchanged. For folders: an object with schema, equal, same_meaning, complete, added, \
removed, changed, not_compared, files (an array of such objects with path, for files that differ).\n\n\
Exit status: 0 if the files are identical or differ only in layout; 1 if anything else differs, \
including bytes that zeview does not decode and files that are in one folder only; 2 if no \
difference was found but not everything could be compared, or there are no files. With --only or \
--ignore, only the selected parts count.\n\n\
Exit status with --fail-if: 1 if a kernel of the second file or folder meets a condition; 2 if \
none does, but not everything could be judged: a file or value could not be read, no kernel was \
judged, no kernel is in a file of both folders, or the output was not read to its end; otherwise \
0. The kernels of a file that only the second folder has are new. Files without kernels are skipped and counted.")]
pub struct Options {
    /// The first file or folder; `-` reads standard input.
    #[arg(value_name = "A")]
    pub from: FileArgument,
    /// The second file or folder. With a third argument, the first kernel of A to compare.
    #[arg(value_name = "B")]
    pub to: FileArgument,
    /// A kernel of A that is compared with its kernel B: variants of a template, configurations. Both
    /// are named as for `zeview disasm --kernel`.
    #[arg(value_name = "KERNEL", conflicts_with_all = ["raw", "only", "ignore", "everything", "fail_if"])]
    kernel: Option<String>,
    /// For two kernels: the device of the build, by any of its names.
    #[arg(long, value_name = "DEVICE", requires = "kernel")]
    device: Option<String>,
    /// For two kernels: the device of the build of the second one, if it is another one.
    #[arg(long, value_name = "DEVICE", requires = "kernel")]
    to_device: Option<String>,
    /// For two kernels: the image of the builds, as for `zeview disasm`.
    #[arg(long, value_name = "IMAGE", requires = "kernel")]
    image: Option<String>,
    /// For two kernels: the file of a package with the builds, as for `zeview disasm`.
    #[arg(
        long = "file",
        id = "file_in_package",
        value_name = "PATH",
        requires = "kernel"
    )]
    file: Option<String>,
    #[command(flatten)]
    raw: RawCode,
    #[command(flatten)]
    encoding: Encoding,
    /// Print a JSON object: schema, equal, same_meaning, kernels, …; see below.
    #[arg(long, conflicts_with_all = ["markdown", "html"])]
    json: bool,
    /// Print Markdown, to paste into an issue.
    #[arg(long, conflicts_with = "html")]
    markdown: bool,
    /// Print a page of HTML without scripts.
    #[arg(long)]
    html: bool,
    /// Print the instructions that differ, with this many rows of context.
    #[arg(long, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    code: Option<u32>,
    /// Ignore the numbering of general registers and scoreboard tokens.
    #[arg(long)]
    renumbered: bool,
    /// Compare only these parts, keys and names, separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<String>,
    /// Ignore these parts, keys and names, separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Print all differences, not only the most important ones. JSON, Markdown and HTML always
    /// contain all.
    #[arg(long)]
    all: bool,
    /// Also compare the images, properties, sections and symbols of libraries and packages whose
    /// kernels differ.
    #[arg(long)]
    everything: bool,
    /// Fail (exit status 1) only if a kernel meets the condition: `spill_size increased`,
    /// `code_size increased 10%`, `spill_size>0`. Can be given several times.
    #[arg(long, value_name = "CONDITION", value_parser = gate::change)]
    fail_if: Vec<Condition>,
    /// With --fail-if: do not judge kernels that the first file or folder does not have. Otherwise,
    /// their values increase from zero.
    #[arg(long, requires = "fail_if")]
    skip_new: bool,
}

impl Options {
    /// Whether the other parts of libraries only matter if their kernels are the same.
    fn wants_kernels_only(&self) -> bool {
        let is_of_kernels = |word: &String| matches!(&**word, "kernels" | "kernel" | "code");
        !self.everything && self.ignore.is_empty() && self.only.iter().all(is_of_kernels)
    }
}

/// Maximum number of differences printed as text without --all.
const ENTRIES: usize = 60;
/// Maximum number of fields of a difference printed as text without --all.
const FIELDS: usize = 20;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    if let Some(kernel) = &options.kernel {
        return kernels(kernel, options);
    }
    let is_folder = |path: &Path| path.as_os_str() != "-" && path.is_dir();
    match (is_folder(&options.from), is_folder(&options.to)) {
        (true, true) => folders(options),
        (false, false) => files(options),
        _ => {
            complain!("a folder can only be compared with a folder");
            Ok(ExitCode::from(2))
        }
    }
}

/// Result of comparing two files.
struct ComparedFiles {
    a: Document,
    b: Document,
    result: Comparison,
}

fn opened(path: &Path, options: &Options) -> Result<Document, String> {
    let raw = options.raw.platform(&options.encoding);
    input::open_as(path, raw).map_err(|error| format!("{}: {error}", path.display()))
}

/// Compares two kernels of a file.
fn kernels(second: &str, options: &Options) -> io::Result<ExitCode> {
    let progress = Progress::start();
    progress.set(|| format!("comparing kernels of {}", options.from.display()));
    let compared = compared_kernels(second, options);
    drop(progress);
    match compared {
        Ok(mut compared) => {
            write(&mut compared, options)?;
            Ok(ExitCode::from(compared.result.outcome().status()))
        }
        Err(failure) => {
            failure.report(&options.from, &mut Inputs::default());
            Ok(ExitCode::from(2))
        }
    }
}

fn compared_kernels(second: &str, options: &Options) -> Result<ComparedFiles, Failure> {
    let first = options.to.to_string_lossy();
    let find = |name: &str, device: &Option<String>| -> Result<(Document, Build), Failure> {
        let mut document = input::open(&options.from).map_err(|error| error.to_string())?;
        let query = KernelQuery {
            device: device.clone(),
            image: options.image.clone(),
            file: options.file.clone(),
            ..KernelQuery::named(name)
        };
        let build = kernel_names::one(&mut document, &query);
        match build {
            Ok(build) => Ok((document, build)),
            Err(error) => Err(Failure::of_name(&error, &document)),
        }
    };
    let (mut a, one) = find(&first, &options.device)?;
    let to_device = options.to_device.as_ref().or(options.device.as_ref());
    let (mut b, other) = find(second, &to_device.cloned())?;
    let how = How {
        renumbered: options.renumbered,
        kernels_first: true,
        ..How::default()
    };
    let result = compare_kernels((&mut a, &one), (&mut b, &other), &how)?;
    Ok(ComparedFiles { a, b, result })
}

/// Compares two files and applies --fail-if to the kernels of the second. `name` identifies the
/// file in messages and may be empty.
fn compared(
    name: &str,
    (from, to): (&Path, &Path),
    options: &Options,
    gate: &mut FileGate<'_>,
) -> Result<ComparedFiles, String> {
    let (mut a, mut b) = (opened(from, options)?, opened(to, options)?);
    let how = How {
        renumbered: options.renumbered,
        kernels_first: options.wants_kernels_only(),
        ..How::default()
    };
    let mut result = compare(&mut a, &mut b, &how);
    // Before the selection, which removes differences: the conditions see all kernels.
    gate.judge(name, &mut b, Some((&mut a, &result)));
    let selection = Selection {
        only: options.only.clone(),
        ignore: options.ignore.clone(),
    };
    selection.apply(&mut a, &mut b, &how, &mut result);
    Ok(ComparedFiles { a, b, result })
}

/// Applies the conditions of --fail-if to the kernels of files.
struct FileGate<'o> {
    gate: Gate<'o>,
    /// Whether folders are compared.
    has_folders: bool,
    /// Number of kernels judged in files that have a counterpart.
    compared: u64,
    /// Number of files in folders that have no kernels.
    skipped: u64,
    /// Whether a file or folder could not be read.
    is_unread: bool,
}

impl<'o> FileGate<'o> {
    fn new(options: &'o Options, has_folders: bool) -> FileGate<'o> {
        let mut gate = Gate::new(&options.fail_if);
        if options.skip_new {
            gate.skip_new_kernels();
        }
        FileGate {
            gate,
            has_folders,
            compared: 0,
            skipped: 0,
            is_unread: false,
        }
    }

    fn judge(
        &mut self,
        name: &str,
        file: &mut Document,
        before: Option<(&mut Document, &Comparison)>,
    ) {
        let gate = &mut self.gate;
        if !gate.has_conditions() {
            return;
        }
        let had_kernels = before
            .as_ref()
            .is_some_and(|(_, result)| result.kernels.0 > 0);
        let has_counterpart = before.is_some();
        let without_code = gate.without_code();
        let judged = gate.judge_document(name, file, before);
        self.compared += if has_counterpart { judged } else { 0 };
        let has_kernels = judged > 0 || gate.without_code() > without_code;
        if self.has_folders && !has_kernels {
            file.open_all();
            let mut found = file.diagnostics.iter();
            if found.any(|found| found.severity == Severity::Error) {
                gate.miss(&format!("{name}: the file is damaged and has no kernels"));
            } else if had_kernels {
                gate.miss(&format!(
                    "{name}: the first file has kernels, the second has none"
                ));
            } else {
                self.skipped += 1;
            }
        }
        gate::report(gate);
    }

    /// Prints the last messages and returns the exit status with --fail-if.
    fn finish(&mut self) -> u8 {
        let gate = &mut self.gate;
        let second = if self.has_folders {
            "the second folder"
        } else {
            "the second file"
        };
        let without_code = gate.without_code();
        match gate.judged() {
            0 if without_code > 0 => {
                gate.miss(&format!("no kernel in {second} has native code"));
            }
            0 => gate.miss(&format!("{second} has no kernels to judge")),
            _ if self.compared == 0 => gate.miss("no kernels are in files of both folders"),
            _ if without_code > 0 => {
                let kernels = plural(without_code, "kernel");
                complain!("{kernels} without native code skipped by --fail-if");
            }
            _ => {}
        }
        match gate.skipped_new() {
            0 => {}
            new => complain!("{} skipped by --skip-new", plural(new, "new kernel")),
        }
        if self.skipped > 0 {
            let files = plural(self.skipped, "file");
            complain!("{files} without kernels skipped by --fail-if");
        }
        gate::finish(gate, self.is_unread)
    }
}

fn files(options: &Options) -> io::Result<ExitCode> {
    let progress = Progress::start();
    progress.set(|| {
        format!(
            "comparing {} and {}",
            options.from.display(),
            options.to.display()
        )
    });
    let mut gate = FileGate::new(options, false);
    let compared = compared("", (&options.from, &options.to), options, &mut gate);
    drop(progress);
    let mut compared = match compared {
        Ok(compared) => compared,
        Err(error) => {
            complain!("{error}");
            return Ok(ExitCode::from(2));
        }
    };
    write(&mut compared, options)?;
    Ok(ExitCode::from(if options.fail_if.is_empty() {
        compared.result.outcome().status()
    } else {
        gate.finish()
    }))
}

/// Writes a comparison in the requested form.
fn write(compared: &mut ComparedFiles, options: &Options) -> io::Result<()> {
    let mut raw = output::raw();
    if options.json {
        print_object(json(&compared.result))?;
    } else if options.markdown {
        write_markdown(&compared.result, &mut raw)?;
    } else if options.html {
        write_html(&compared.result, &mut raw)?;
    } else {
        let mut text = output::text();
        print(compared, options, &mut text)?;
        text.flush()?;
    }
    raw.flush()
}

/// Returns the files of a folder by their paths relative to it.
fn files_of(folder: &Path, inputs: &mut Inputs) -> BTreeMap<PathBuf, PathBuf> {
    let targets = inputs.targets(&[folder.to_owned()]);
    let relative = targets.into_iter().map(|target| {
        let path = target.path.strip_prefix(folder).unwrap_or(&target.path);
        (path.to_owned(), target.path.clone())
    });
    relative.collect()
}

/// JSON object for two folders.
#[derive(serde::Serialize)]
struct FoldersJson<'f> {
    equal: bool,
    same_meaning: bool,
    complete: bool,
    added: &'f [String],
    removed: &'f [String],
    changed: &'f [String],
    /// Files without differences that could not be compared completely.
    not_compared: &'f [String],
    files: &'f [Box<serde_json::value::RawValue>],
}

fn folders(options: &Options) -> io::Result<ExitCode> {
    let mut gate = FileGate::new(options, true);
    let mut inputs = Inputs::default();
    let from = files_of(&options.from, &mut inputs);
    let mut to = files_of(&options.to, &mut inputs);
    gate.is_unread = !inputs.is_complete();
    let (mut raw, mut text) = (output::raw(), output::text());
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    let (mut changed, mut unknown) = (Vec::new(), Vec::new());
    let (mut same, mut equal, mut all) = (0_u64, 0_u64, Vec::new());
    let is_text = !options.json && !options.markdown && !options.html;
    let progress = Progress::start();
    for (path, one) in &from {
        let name = path.display().to_string();
        let Some(other) = to.remove(path) else {
            removed.push(name);
            continue;
        };
        progress.set(|| format!("comparing {name}"));
        let mut compared = match compared(&name, (one, &other), options, &mut gate) {
            Ok(compared) => compared,
            Err(error) => {
                complain!("{error}");
                gate.is_unread = true;
                continue;
            }
        };
        match compared.result.outcome() {
            Outcome::Identical | Outcome::SameMeaning => {
                same += 1;
                equal += u64::from(compared.result.equal);
                continue;
            }
            Outcome::Unknown => unknown.push(name.clone()),
            Outcome::Different => changed.push(name.clone()),
        }
        if options.json {
            let object = Versioned::new(json(&compared.result).at(&name));
            all.push(serde_json::value::to_raw_value(&object)?);
        } else if options.markdown {
            writeln!(raw, "### {}\n", markdown(&name))?;
            write_markdown(&compared.result, &mut raw)?;
        } else if options.html {
            write_html(&compared.result, &mut raw)?;
        } else {
            text.paint(style::HEAD, escaped(&name))?;
            writeln!(text)?;
            print(&mut compared, options, &mut text)?;
            writeln!(text)?;
        }
    }
    for (path, file) in &to {
        let name = path.display().to_string();
        // All kernels of a new file are new.
        if gate.gate.has_conditions() {
            progress.set(|| format!("reading {name}"));
            match opened(file, options) {
                Ok(mut document) => gate.judge(&name, &mut document, None),
                Err(error) => {
                    complain!("{error}");
                    gate.is_unread = true;
                }
            }
        }
        added.push(name);
    }
    drop(progress);
    let is_same = added.is_empty() && removed.is_empty() && changed.is_empty();
    let compared = same + (changed.len() + unknown.len()) as u64;
    let is_complete = unknown.is_empty() && !gate.is_unread && (compared > 0 || !is_same);
    if options.json {
        print_object(FoldersJson {
            equal: is_same && is_complete && equal == same,
            same_meaning: is_same && is_complete,
            complete: is_complete,
            added: &added,
            removed: &removed,
            changed: &changed,
            not_compared: &unknown,
            files: &all,
        })?;
    } else {
        let total = |out: &mut dyn Write| -> io::Result<()> {
            for (names, what) in [
                (&removed, "only in the first"),
                (&added, "only in the second"),
            ] {
                for name in names {
                    let name = if options.markdown {
                        format!("- {}", markdown(name))
                    } else {
                        escaped(name)
                    };
                    writeln!(out, "{name}: {what} folder")?;
                }
            }
            if options.markdown {
                // A separate paragraph, not part of the list above.
                writeln!(out)?;
            }
            writeln!(
                out,
                "{} files: {} identical, {} same meaning, {} differ, {} added, {} removed{}",
                compared + (added.len() + removed.len()) as u64,
                equal,
                same - equal,
                changed.len(),
                added.len(),
                removed.len(),
                match unknown.len() {
                    0 => String::new(),
                    count => format!(", {count} not compared"),
                }
            )
        };
        match is_text {
            true => total(&mut text)?,
            false if options.markdown => total(&mut raw)?,
            false => {}
        }
    }
    raw.flush()?;
    text.flush()?;
    if !options.fail_if.is_empty() {
        return Ok(ExitCode::from(gate.finish()));
    }
    if is_same && compared == 0 && !gate.is_unread {
        complain!("there are no files to compare");
    }
    Ok(ExitCode::from(match is_same {
        false => 1,
        true if is_complete => 0,
        true => 2,
    }))
}

fn print(compared: &mut ComparedFiles, options: &Options, out: &mut Text) -> io::Result<()> {
    let result = &compared.result;
    writeln!(out, "from {}", head_text(&result.a))?;
    writeln!(out, "to   {}", head_text(&result.b))?;
    out.paint(style::HEAD, verdict_text(result))?;
    writeln!(out)?;
    for remark in &result.remarks {
        writeln!(out, "  {remark}")?;
    }
    for line in counts(result) {
        writeln!(out, "  {line}")?;
    }
    for note in &notes(result) {
        writeln!(out, "  note: {}", escaped(note))?;
    }
    // The list may be long: take it instead of copying it, and restore it before the next use.
    let entries = std::mem::take(&mut compared.result.entries);
    // The most important differences come first.
    let shown = if options.all { usize::MAX } else { ENTRIES };
    for entry in entries.iter().take(shown) {
        print_entry(compared, entry, options, out)?;
    }
    if entries.len() > shown {
        writeln!(out)?;
        let more = (entries.len() - shown) as u64;
        let more = counted(more, "difference", "differences");
        writeln!(out, "{more} more: use --all to list everything")?;
    }
    compared.result.entries = entries;
    Ok(())
}

fn print_entry(
    compared: &mut ComparedFiles,
    entry: &Entry,
    options: &Options,
    out: &mut Text,
) -> io::Result<()> {
    writeln!(out)?;
    out.paint(style::HEAD, entry_text(&compared.result, entry))?;
    writeln!(out)?;
    let is_whole = matches!(entry.change, Change::Added | Change::Removed);
    let is_kernel = matches!(entry.part, Part::Kernel | Part::Function);
    for measure in entry.measures.iter().filter(|_| !is_whole) {
        let style = match measure.better {
            Preference::Better => style::GOOD,
            Preference::Worse => style::BAD,
            Preference::Neither => style::PLAIN,
        };
        write!(out, "  {:17} ", measure.key)?;
        out.paint(style, measure_text(measure))?;
        writeln!(out)?;
    }
    if is_whole && is_kernel {
        return Ok(());
    }
    // There may be many: write each one immediately.
    let mut line = String::new();
    // Do not repeat the same number.
    let is_measure = |field: &&Field| entry.measures.iter().any(|m| m.key == field.key);
    let fields = entry.fields.iter().filter(|f| is_whole || !is_measure(f));
    let shown = if options.all { usize::MAX } else { FIELDS };
    for field in fields.clone().take(shown) {
        line.clear();
        line.push_str("  ");
        push_visible(&mut line, &field.path);
        line.push_str(": ");
        line.push_str(&field_text(field));
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    let left = fields.count().saturating_sub(shown);
    if left > 0 {
        writeln!(out, "  … and {left} more")?;
    }
    let Some(code) = &entry.code else {
        return Ok(());
    };
    writeln!(
        out,
        "  code: {} instructions added, {} removed, of {} → {}",
        grouped(code.added),
        grouped(code.removed),
        grouped(code.counts.0.into()),
        grouped(code.counts.1.into()),
    )?;
    match options.code {
        Some(context) => print_code(compared, entry, context, out),
        None => Ok(()),
    }
}

/// Prints the instructions that differ, in the form of a patch.
fn print_code(
    compared: &mut ComparedFiles,
    entry: &Entry,
    context: u32,
    out: &mut Text,
) -> io::Result<()> {
    let Some(code) = &entry.code else {
        return Ok(());
    };
    let (one, other) = (
        listing_of(&mut compared.a, code.a),
        listing_of(&mut compared.b, code.b),
    );
    let (Some(one), Some(other)) = (one, other) else {
        return Ok(());
    };
    let line =
        |listing: &dyn zeview::analysis::assembly::Listing, document: &Document, row: u32| {
            let line = listing.line(row, &document.sources);
            line.map_or_else(String::new, |line| line.text.clone())
        };
    // Lines wait until the hunk ends: a patch has all removed lines before the added ones.
    let mut removed = Vec::new();
    let mut added = Vec::new();
    let flush = |removed: &mut Vec<String>, added: &mut Vec<String>, out: &mut Text| {
        for text in removed.drain(..) {
            out.paint(style::BAD, format_args!("  - {text}"))?;
            writeln!(out)?;
        }
        for text in added.drain(..) {
            out.paint(style::GOOD, format_args!("  + {text}"))?;
            writeln!(out)?;
        }
        Ok::<_, io::Error>(())
    };
    for row in rows(code, Some(context)) {
        match row {
            Row::Differs(a, b) => {
                removed.extend(a.map(|row| line(&*one, &compared.a, row)));
                added.extend(b.map(|row| line(&*other, &compared.b, row)));
            }
            Row::Same(a, _) => {
                flush(&mut removed, &mut added, out)?;
                writeln!(out, "    {}", line(&*one, &compared.a, a))?;
            }
            Row::Folded(count) => {
                flush(&mut removed, &mut added, out)?;
                out.paint(style::DIM, format_args!("    … {count} instructions"))?;
                writeln!(out)?;
            }
        }
    }
    flush(&mut removed, &mut added, out)
}
