//! `zeview step`: prints kernels in step: for each line of the source, the SPIR-V, the vISA and the
//! instructions.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use zeview::kernel_names::KernelQuery;
use zeview::model::text::escaped;
use zeview::step::{Basis, KernelStep, Point, StepColumn, StepKind, StepLine, kernel_step};

use crate::argument::{Failure, InputFile, KernelBuilds, KernelName, own_help};
use crate::files::{Inputs, while_reading};
use crate::input;
use crate::output;
use crate::rows::Objects;

/// Help of `--kernel`.
const KERNEL_HELP: &str = "The kernel; may be left out if the file has only one: its name in the file, its demangled name, the short name that \
    tables print, or a pattern such as `*gemm*`";

#[derive(Args)]
#[command(mut_args(own_help(&[("kernel", KERNEL_HELP)])))]
pub struct Options {
    #[command(flatten)]
    pub input: InputFile,
    #[command(flatten)]
    name: KernelName,
    #[command(flatten)]
    builds: KernelBuilds,
    /// A source file, for the text of its lines, or a text of a compiler: .ttir, .ttgir, .llir, .ll. It is matched
    /// by file name. Can be given several times. SPIR-V may contain the text of the source.
    #[arg(long, value_name = "SOURCE")]
    source: Vec<PathBuf>,
    /// Print only these forms, separated by commas.
    #[arg(long, value_name = "FORMS", value_delimiter = ',')]
    columns: Vec<Form>,
    /// Print only what belongs to a line of the source, with the functions that are inlined there:
    /// `add.cl:12`, or `12` in any file.
    #[arg(long, value_name = "LINE", value_parser = place, conflicts_with = "json")]
    line: Option<(String, u32)>,
    /// Print a JSON array with one object per kernel: schema, kernel, basis (what ties the columns:
    /// lines, names, none), columns (kind, title, lines: number, text, span, and points as indices;
    /// its own first, then the calls around it), points (kind line: file, line; kind name: name),
    /// notes.
    #[arg(long)]
    json: bool,
}

/// Reads a place: a file, which may be empty, and a line.
fn place(text: &str) -> Result<(String, u32), String> {
    let (file, line) = text.rsplit_once(':').unwrap_or(("", text));
    match line.parse() {
        Ok(line) if line > 0 => Ok((file.to_owned(), line)),
        _ => Err("not a line: write it as FILE:LINE or LINE, counted from 1".to_owned()),
    }
}

/// A form of a kernel, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Source,
    Ttir,
    Ttgir,
    Llvm,
    Spirv,
    Visa,
    Instructions,
}

impl Form {
    fn kind(self) -> StepKind {
        match self {
            Form::Source => StepKind::Source,
            Form::Ttir => StepKind::Ttir,
            Form::Ttgir => StepKind::Ttgir,
            Form::Llvm => StepKind::Llvm,
            Form::Spirv => StepKind::Spirv,
            Form::Visa => StepKind::Visa,
            Form::Instructions => StepKind::Instructions,
        }
    }
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let file = &options.input.file;
    let mut inputs = Inputs::default();
    let mut texts = Vec::new();
    for path in &options.source {
        match std::fs::read(path) {
            Ok(bytes) => texts.push((path, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => inputs.fail(path, &error),
        }
    }
    let found = while_reading(file, |_| {
        let mut document = input::open(file).map_err(|error| error.to_string())?;
        for (path, text) in &texts {
            document.add_source_text(&path.display().to_string(), text);
        }
        // All kernels of a library would be more than anybody reads.
        let all = || Some(KernelQuery::ALL.to_owned());
        let name = options.name.kernel.clone().or_else(all);
        let name = KernelName { kernel: name };
        let builds = options.builds.find_code_or_spirv(&name, &mut document)?;
        Ok::<_, Failure>((document, builds))
    });
    let (mut document, builds) = match found {
        Ok(found) => found,
        Err(error) => {
            error.report(file, &mut inputs);
            return Ok(inputs.status());
        }
    };
    let account = output::budget(&document);
    let mut json = options.json.then(|| Objects::array(&account));
    let mut text = output::text_within(&account);
    for build in &builds {
        if account.is_overdrawn() {
            break;
        }
        let mut step = kernel_step(&mut document, build);
        if !options.columns.is_empty() {
            let is_wanted = |kind| options.columns.iter().any(|form| form.kind() == kind);
            step.columns.retain(|column| is_wanted(column.kind));
        }
        match &mut json {
            Some(json) => json.push(&step)?,
            None => {
                let place = match &*build.path {
                    "" => String::new(),
                    _ => format!(" ({})", build.place()),
                };
                let heading = format!("kernel {}{place}", step.kernel);
                writeln!(text, "// {}", escaped(&heading))?;
                let wanted = options.line.as_ref();
                if !write_text(&step, wanted, &mut text)? {
                    let problem = match wanted {
                        Some((file, line)) if file.is_empty() => {
                            format!("nothing belongs to line {line}")
                        }
                        Some((file, line)) => format!("nothing belongs to {file}:{line}"),
                        None => "nothing is known of the kernel".to_owned(),
                    };
                    inputs.fail(file, &problem);
                }
            }
        }
        if account.is_overdrawn() {
            let problem = format!(
                "stopped in {}: the output is too long; name a --kernel",
                escaped(&build.name)
            );
            inputs.fail(file, &problem);
        }
    }
    if let Some(json) = json {
        json.finish()?;
    }
    text.flush()?;
    Ok(inputs.status())
}

/// Width of the names of forms.
const WIDTH: usize = 13;

/// Whether a point is a wanted place. A file may be given by the end of its path.
fn is_at(point: &Point, (wanted, number): &(String, u32)) -> bool {
    matches!(point, Point::Line { file, line } if line == number && file.ends_with(&**wanted))
}

/// Prints a kernel, or what belongs to one line of the source. Returns whether there was something.
fn write_text(
    step: &KernelStep,
    wanted: Option<&(String, u32)>,
    out: &mut impl Write,
) -> io::Result<bool> {
    for note in &step.notes {
        writeln!(out, "// {}", escaped(note))?;
    }
    let sources = |column: &&StepColumn| column.kind == StepKind::Source;
    // The text of each source line.
    let mut texts: BTreeMap<u32, &str> = BTreeMap::new();
    for line in step.columns.iter().filter(sources).flat_map(|of| &of.lines) {
        if let [point] = *line.points {
            texts.entry(point).or_insert(&line.text);
        }
    }
    // The lines of each form, by their own place.
    let mut by_point: BTreeMap<Option<u32>, Vec<(StepKind, &StepLine)>> = BTreeMap::new();
    for column in step.columns.iter().filter(|column| !sources(column)) {
        for line in &column.lines {
            let known = |at: &&u32| step.points.get(**at as usize);
            let own = match wanted {
                None => line.points.first().copied(),
                // Also the instructions of functions that are inlined there.
                Some(wanted) => {
                    let mut points = line.points.iter();
                    let found = points.find(|at| known(at).is_some_and(|of| is_at(of, wanted)));
                    let Some(found) = found else { continue };
                    Some(*found)
                }
            };
            by_point.entry(own).or_default().push((column.kind, line));
        }
    }
    let has_any = !by_point.is_empty();
    let mut order: Vec<Option<u32>> = by_point.keys().copied().collect();
    order.sort_by_key(|point| {
        let point = point.and_then(|at| step.points.get(at as usize));
        match point {
            Some(Point::Line { file, line }) => (0, file.clone(), *line),
            Some(Point::Name { name }) => (1, name.clone(), 0),
            None => (2, String::new(), 0),
        }
    });
    for point in order {
        let heading = match point.and_then(|at| step.points.get(at as usize)) {
            Some(known) => {
                let text = point.and_then(|at| texts.get(&at)).copied();
                format!("{}  {}", known.text(), text.unwrap_or_default())
            }
            None if step.basis == Basis::None && step.columns.len() > 1 => {
                "all lines: nothing ties them".to_owned()
            }
            None if step.basis == Basis::None => "all lines".to_owned(),
            None => "no source line".to_owned(),
        };
        writeln!(out, "\n{}", escaped(heading.trim_end()))?;
        let mut last = None;
        for (kind, line) in by_point.get(&point).into_iter().flatten() {
            let name = if last == Some(*kind) {
                ""
            } else {
                kind.words()
            };
            last = Some(*kind);
            let mut name = name;
            if !line.label.is_empty() {
                writeln!(out, "  {name:WIDTH$} {}:", escaped(&line.label))?;
                name = "";
            }
            // An instruction of SPIR-V may have a text of several lines.
            let text = line.text.replace('\n', "\\n");
            let text = text.trim_end();
            writeln!(out, "  {name:WIDTH$} {}", escaped(text))?;
        }
    }
    writeln!(out)?;
    Ok(has_any)
}
