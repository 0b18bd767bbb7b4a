//! `zeview analyze`: the data flow of kernels in a summary.

use std::collections::HashMap;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use zeview::analysis::data_flow::{
    FlowReport, LoopReport, Pressure, SlotReport, SpillPattern, WaitReport, pattern_groups,
};
use zeview::analysis::figure::Unknown;
use zeview::analysis::functions::{Callee, FunctionReport};
use zeview::analysis::kernel_inputs::{InputKind, InputUses};
use zeview::analysis::line_costs::{LineCosts, SourceFunctionCosts};
use zeview::analysis::occupancy::LargerFile;
use zeview::kernel_names;
use zeview::model::text::{escaped, plural};
use zeview::model::{Document, SourceId};
use zeview::report::analysis::{self, BuildFigures, KernelAnalysis};
use zeview::report::code::FlowSummary;
use zeview::tables::table::ColumnHeader;

use crate::argument::{
    Encoding, InputFile, KernelBuilds, KernelName, RawCode, ReportFormat, own_help,
};
use crate::disasm::{Code, Decoders, Wanted, find, flow, heading, open};
use crate::files::Inputs;
use crate::kernels::{self, SummaryOptions};
use crate::outline::Outline;
use crate::output;
use crate::rows::Objects;

/// Maximum number of source lines without `--all`.
const LINES: usize = 20;

/// Help of `--kernel`.
const KERNEL_HELP: &str = "Analyze only this kernel or function: its name in the file, its demangled name, the short \
    name that tables print, or a pattern such as `*gemm*`";

/// Help of `--platform`.
const PLATFORM_HELP: &str = "The encoding, as for `zeview disasm`. Default: the encoding of the device that the file \
    targets";

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON array with one object per kernel: schema, kernel, path (of the document with the kernel, if it is not the file itself), grf_bytes, the summary, inputs \
    (arguments and other values from outside of the kernel, with their uses), and lines (figures of source lines)";

#[derive(Args)]
#[command(mut_args(own_help(&[("kernel", KERNEL_HELP), ("platform", PLATFORM_HELP), ("json", JSON_HELP)])))]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    #[command(flatten)]
    name: KernelName,
    #[command(flatten)]
    builds: KernelBuilds,
    #[command(flatten)]
    encoding: Encoding,
    #[command(flatten)]
    raw: RawCode,
    #[command(flatten)]
    summary: SummaryOptions,
    /// Print all source lines, not only those with the most cycles, and each spill pattern in a line of its
    /// own.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    format: ReportFormat,
}

impl Options {
    /// Whether it prints a table of all kernels, which may be judged.
    pub fn is_summary(&self) -> bool {
        self.summary.summary
    }
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let file = &options.input.file;
    if options.summary.summary {
        return kernels::run(&options.summary.table(file, &options.format));
    }
    let mut inputs = Inputs::default();
    let raw = options.raw.platform(&options.encoding);
    let opened = open(file, raw, &mut inputs, |document| {
        let wanted = Wanted {
            lines: true,
            inputs: true,
        };
        let builds = options.builds.find(&options.name, document)?;
        let others = other_builds(options, &builds, document);
        let platform = options.encoding.platform;
        let others = find(document, platform, &others, wanted).unwrap_or_default();
        Ok((find(document, platform, &builds, wanted)?, others))
    });
    let Some((document, (found, others))) = opened else {
        return Ok(inputs.status());
    };
    let account = output::budget(&document);
    let mut json = options.format.json.then(|| Objects::array(&account));
    let mut text = output::text_within(&account);
    let mut to = Outline::new(&mut text, options.format.markdown);
    let mut decoders = Decoders::default();
    let mut builds = Vec::new();
    // Sections of code may overlap.
    let mut left: HashMap<SourceId, u64> = HashMap::new();
    let others = others.iter().filter_map(|code| {
        let bytes = document.sources.read(code.span).ok()?;
        let flow = flow(&decoders.of(code.platform), &bytes, code);
        let summary = FlowSummary::new(&flow, None, code.span);
        figures(code, &summary.report, flow.register_bytes())
    });
    let others: Vec<BuildFigures> = others.collect();
    for code in &found {
        let kernel = escaped(&code.name);
        if account.is_overdrawn() {
            inputs.fail(file, &"stopped: the output is too long; name a --kernel");
            break;
        }
        let source = code.span.source;
        let whole = document.sources.whole(source).len();
        let left = left.entry(source).or_insert(whole);
        let Some(rest) = left.checked_sub(code.span.len()) else {
            let reason = Unknown::Overlapping.reason();
            let problem = format!("{kernel}: not analyzed: {reason}; name a --kernel");
            inputs.fail(file, &problem);
            continue;
        };
        *left = rest;
        let bytes = match document.sources.read(code.span) {
            Ok(bytes) => bytes,
            Err(error) => {
                inputs.fail(file, &format_args!("{kernel}: {error}"));
                continue;
            }
        };
        let flow = flow(&decoders.of(code.platform), &bytes, code);
        let mut summary = FlowSummary::new(&flow, code.lines.as_deref(), code.span);
        if let Some(of) = summary.report.beyond_a_limit() {
            let problem = format!("{kernel}: {} unknown: {}", of.figure, of.reason);
            inputs.fail(file, &problem);
        }
        let mut left_out = 0;
        if !options.all {
            left_out = summary.lines.len().saturating_sub(LINES);
            summary.lines.truncate(LINES);
            summary.outermost_lines.truncate(LINES);
            summary.source_functions.truncate(LINES);
        }
        if let Some(json) = &mut json {
            json.push(KernelAnalysis::new(
                (code.name.clone(), code.path.clone()),
                &code.stated,
                flow.register_bytes(),
                Some(others.clone()),
                summary,
            ))?;
            continue;
        }
        builds.extend(figures(code, &summary.report, flow.register_bytes()));
        let larger = code
            .stated
            .larger_file(&summary.report, flow.register_bytes());
        write(code, &summary.report, larger, options.all, &mut to)?;
        write_inputs(summary.inputs.as_deref().unwrap_or_default(), &mut to)?;
        write_lines("source lines", &summary.lines, left_out, &mut to)?;
        let outermost = "source lines, with what is inlined there";
        write_lines(outermost, &summary.outermost_lines, 0, &mut to)?;
        write_source_functions(&summary.source_functions, &mut to)?;
    }
    builds.extend(others);
    match json {
        Some(json) => json.finish()?,
        None => write_builds(&builds, &mut to)?,
    }
    text.flush()?;
    if account.is_overdrawn() {
        inputs.note_problem();
    }
    Ok(inputs.status())
}

/// Returns the other builds of a kernel that was named: for other devices, with another number of
/// registers.
fn other_builds(
    options: &Options,
    builds: &[kernel_names::Build],
    document: &mut Document,
) -> Vec<kernel_names::Build> {
    let ([own], Some(_)) = (builds, &options.name.kernel) else {
        return Vec::new();
    };
    analysis::other_builds(document, own)
}

/// Returns the figures of a build, beside others.
fn figures(code: &Code, report: &FlowReport, register_bytes: u16) -> Option<BuildFigures> {
    let names = [&code.name, &code.path, &code.place].map(Clone::clone);
    BuildFigures::new(names, &code.stated, report, register_bytes)
}

fn write(
    code: &Code,
    report: &FlowReport,
    larger: Option<LargerFile>,
    is_all: bool,
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    to.title(&heading(code))?;
    to.item(&format!("instructions: {}", report.instructions))?;
    match code.stated.spill(report) {
        Some(Ok(size)) => to.item(&format!("spill size: {size} bytes per hardware thread"))?,
        Some(Err(unknown)) => to.item(&format!("spill size: {unknown}"))?,
        None => {}
    }
    if let Some(peak) = &report.peak {
        let (registers, bytes) = (peak.registers, peak.bytes);
        to.item(&format!(
            "peak pressure: {registers} live registers ({bytes} bytes) at {:#x}",
            peak.pc
        ))?;
        if let Some(iga) = &peak.iga {
            to.item(&format!(
                "peak pressure without the values of waiting channels, as IGA counts: {} live registers ({} bytes) at {:#x}",
                iga.registers, iga.bytes, iga.pc
            ))?;
        }
        if let Some(range) = &peak.longest {
            let from = match range.from {
                Some(pc) => format!("{pc:#x}"),
                None => "the start of the kernel".to_owned(),
            };
            to.item(&format!(
                "longest live range across the peak: {} from {from} to {:#x}, {} instructions",
                range.register, range.to, range.instructions
            ))?;
        }
    }
    if let Some(larger) = larger {
        to.item(&larger.to_string())?;
    }
    if let Some(count) = report.dead_writes {
        to.item(&format!("dead writes: {count}"))?;
    }
    if let (Some(spills), Some(fills)) = (report.spills, report.fills) {
        to.item(&format!("spill messages: {spills}, fill messages: {fills}"))?;
    }
    if let (Some(saves), Some(restores)) = (report.saves, report.restores)
        && saves + restores > 0
    {
        to.item(&format!(
            "messages that save registers for calls: {saves}, that restore them: {restores}"
        ))?;
    }
    for unknown in &report.unknown {
        to.item(&format!("{}: unknown: {}", unknown.figure, unknown.reason))?;
    }
    for limit in &report.limits {
        to.item(&format!("note: {limit}"))?;
    }
    write_pressures(report.pressures.as_deref().unwrap_or_default(), to)?;
    write_functions(report.functions.as_deref().unwrap_or_default(), to)?;
    write_slots(report.slots.as_deref().unwrap_or_default(), to)?;
    write_patterns(report.patterns.as_deref().unwrap_or_default(), is_all, to)?;
    write_loops(report, code.stated.threads(), to)?;
    let waits = report.waits.as_deref().unwrap_or_default();
    if !waits.is_empty() {
        to.heading("costliest waits, in cycles that the compiler's scheduler assumes")?;
        for wait in waits {
            to.entry(&wait_text(wait))?;
        }
    }
    Ok(())
}

/// Why fewer registers can be live at a spill than at the peak.
const SPILL_NOTE: &str = "a spilled value is stored wherever it is computed: the registers may be full elsewhere, \
    between there and its uses";

/// Writes the values in registers at the peak and at spills, by cause and by size.
fn write_pressures(pressures: &[Pressure], to: &mut Outline<'_, impl Write>) -> io::Result<()> {
    for of in pressures {
        to.heading(&format!(
            "values in registers at the {} at {:#x}: {} registers ({} bytes)",
            of.at, of.pc, of.registers, of.bytes
        ))?;
        let columns = [
            ColumnHeader::text("cause"),
            ColumnHeader::number("registers"),
            ColumnHeader::number("bytes"),
            ColumnHeader::number("values"),
        ];
        let rows = of.causes.iter().map(|total| {
            [
                total.cause.to_string(),
                total.registers.to_string(),
                total.bytes.to_string(),
                total.values.to_string(),
            ]
        });
        to.table(columns, rows)?;
        let columns = [
            ColumnHeader::text("value"),
            ColumnHeader::number("bytes"),
            ColumnHeader::text("registers"),
            ColumnHeader::text("computed at"),
            ColumnHeader::text("next use"),
            ColumnHeader::number("instructions until then"),
            ColumnHeader::text("cause"),
        ];
        let rows = of.values.iter().map(|value| {
            let mut registers = value
                .bytes
                .iter()
                .take(LISTED)
                .cloned()
                .collect::<Vec<_>>()
                .join(",");
            if value.bytes.len() > LISTED {
                registers.push_str(",…");
            }
            let born = match (value.born.is_empty(), value.is_input) {
                (true, _) if value.is_undefined => "nowhere".to_owned(),
                (true, _) => "start".to_owned(),
                (false, true) => format!("start, {}", offsets(&value.born)),
                (false, false) => offsets(&value.born),
            };
            let again = if value.recomputable {
                ", could be computed again"
            } else {
                ""
            };
            [
                value.title(),
                value.size.to_string(),
                registers,
                born,
                match value.next_use {
                    Some(pc) => format!("{pc:#x}{}", value.next_use_note()),
                    None => value.next_use_note().to_owned(),
                },
                value.distance.map_or_else(String::new, |of| of.to_string()),
                format!("{}{again}", value.cause),
            ]
        });
        to.table(columns, rows)?;
        if of.others > 0 {
            to.entry(&format!("{} smaller values", of.others))?;
        }
        if of.at == "spill" {
            to.entry(SPILL_NOTE)?;
        }
    }
    Ok(())
}

/// Writes the builds of kernels that have several, side by side.
fn write_builds(builds: &[BuildFigures], to: &mut Outline<'_, impl Write>) -> io::Result<()> {
    let has_others =
        |of: &BuildFigures| builds.iter().filter(|other| other.name == of.name).count() > 1;
    let mut listed: Vec<&BuildFigures> = builds.iter().filter(|of| has_others(of)).collect();
    if listed.is_empty() {
        return Ok(());
    }
    zeview::model::sort::by_key(&mut listed, |of| of.name.clone());
    to.heading("builds of the same kernel")?;
    let columns = [
        ColumnHeader::text("kernel"),
        ColumnHeader::text("build"),
        ColumnHeader::number("registers"),
        ColumnHeader::number("threads per EU"),
        ColumnHeader::number("spill size"),
        ColumnHeader::number("live registers at the peak"),
        ColumnHeader::number("as IGA counts"),
        ColumnHeader::number("register bytes"),
        ColumnHeader::number("spills"),
        ColumnHeader::number("fills"),
        ColumnHeader::text("most bytes at the peak"),
    ];
    let rows = listed.iter().map(|of| {
        [
            of.name.clone(),
            of.place.clone(),
            figure(of.registers),
            figure(of.threads_per_eu),
            of.spill_size
                .map_or_else(|| "unknown".to_owned(), |size| size.to_string()),
            of.live.to_string(),
            figure(of.iga.map(u64::from)),
            of.register_bytes.to_string(),
            figure(of.spills.map(u64::from)),
            figure(of.fills.map(u64::from)),
            of.cause.clone(),
        ]
    });
    to.table(columns, rows)
}

/// Writes the functions of code that has several.
fn write_functions(
    functions: &[FunctionReport],
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    let has_calls = functions.iter().any(|of| !of.calls.is_empty());
    if functions.len() < 2 && !has_calls {
        return Ok(());
    }
    to.heading(
        "functions, with cycles of one run for one thread as the compiler's scheduler assumes",
    )?;
    let columns = [
        ColumnHeader::text("function"),
        ColumnHeader::text("at"),
        ColumnHeader::number("instructions"),
        ColumnHeader::number("with callees"),
        ColumnHeader::number("cycles"),
        ColumnHeader::number("with callees"),
        ColumnHeader::number("loops"),
        ColumnHeader::number("live"),
        ColumnHeader::number("spills"),
        ColumnHeader::number("fills"),
        ColumnHeader::number("saves"),
        ColumnHeader::number("restores"),
        ColumnHeader::text("calls"),
        ColumnHeader::text("called by"),
        ColumnHeader::text("note"),
    ];
    let rows = functions.iter().map(|of| {
        let name = |at: &u32| {
            let found = usize::try_from(*at).ok().and_then(|at| functions.get(at));
            found.map_or_else(String::new, |of| of.name.clone())
        };
        let callers: Vec<String> = of.callers.iter().map(name).collect();
        let mut notes: Vec<String> = Vec::new();
        notes.extend(of.recursive.then(|| "recursive".to_owned()));
        let indirect: Vec<u32> = of.indirect_calls().collect();
        if !indirect.is_empty() {
            notes.push(format!("indirect calls at {}", offsets(&indirect)));
        }
        let reason = of
            .limit
            .iter()
            .map(|reason| format!("cycles with callees unknown: {reason}"));
        notes.extend(reason);
        let (own, all) = (&of.own, &of.with_callees);
        [
            of.name.clone(),
            format!("{:#x}", of.start),
            own.instructions.to_string(),
            all.instructions.to_string(),
            figure(own.cycles),
            figure(all.cycles),
            own.loops.to_string(),
            figure(own.peak_live_registers.map(u64::from)),
            own.spills.to_string(),
            own.fills.to_string(),
            own.saves.to_string(),
            own.restores.to_string(),
            callees(functions, of).join(", "),
            callers.join(", "),
            notes.join("; "),
        ]
    });
    to.table(columns, rows)
}

/// The names of the functions that a function calls, each once, with the number of calls.
fn callees(functions: &[FunctionReport], of: &FunctionReport) -> Vec<String> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for call in &of.calls {
        let name = match &call.callee {
            Callee::Function(at) => {
                let found = usize::try_from(*at).ok().and_then(|at| functions.get(at));
                found.map_or_else(String::new, |of| of.name.clone())
            }
            Callee::Symbol(name) => name.clone(),
            Callee::Indirect => "unknown address".to_owned(),
            Callee::Astray => "no instruction".to_owned(),
        };
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => names.push((name, 1)),
        }
    }
    let text = |(name, count): (String, usize)| match count {
        1 => name,
        count => format!("{name} ({count} calls)"),
    };
    names.into_iter().map(text).collect()
}

fn write_slots(slots: &[SlotReport], to: &mut Outline<'_, impl Write>) -> io::Result<()> {
    if slots.is_empty() {
        return Ok(());
    }
    to.heading("scratch memory by slot")?;
    let columns = [
        ColumnHeader::text("slot"),
        ColumnHeader::number("bytes"),
        ColumnHeader::number("written"),
        ColumnHeader::number("read"),
        ColumnHeader::number("loops around"),
        ColumnHeader::text("written at"),
        ColumnHeader::text("read at"),
        ColumnHeader::text("use"),
    ];
    let rows = slots.iter().map(|slot| {
        [
            slot.address.clone(),
            slot.bytes.to_string(),
            slot.writers.len().to_string(),
            slot.readers.len().to_string(),
            slot.depth.to_string(),
            offsets(&slot.writers),
            loads(slot),
            if slot.saves {
                "saved for calls"
            } else {
                "spilled"
            }
            .to_owned(),
        ]
    });
    to.table(columns, rows)
}

/// The loads of a slot. If several stores write it, each with the store that it reads.
fn loads(slot: &SlotReport) -> String {
    if slot.writers.len() < 2 {
        return offsets(&slot.readers);
    }
    let listed = slot.loads.iter().take(LISTED).map(|load| {
        if load.stores.is_empty() {
            format!("{:#x}", load.pc)
        } else {
            format!("{:#x} from {}", load.pc, offsets(&load.stores))
        }
    });
    let mut text = listed.collect::<Vec<_>>().join("; ");
    if slot.loads.len() > LISTED {
        text.push_str("; …");
    }
    text
}

fn write_patterns(
    patterns: &[SpillPattern],
    is_all: bool,
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    if patterns.is_empty() {
        return Ok(());
    }
    to.heading(if patterns.iter().any(SpillPattern::is_of_spill) {
        "spills and registers that cost more than necessary"
    } else {
        "register patterns: values that need no register"
    })?;
    let columns = [
        ColumnHeader::text("pattern"),
        ColumnHeader::number("count"),
        ColumnHeader::text("slots or registers"),
        ColumnHeader::text("at"),
        ColumnHeader::text("explanation"),
    ];
    let groups = if is_all {
        patterns.iter().map(|of| vec![of]).collect()
    } else {
        pattern_groups(patterns)
    };
    let rows = groups.iter().filter_map(|group| {
        let first = group.first()?;
        let mut addresses: Vec<&str> = group.iter().map(|of| &*of.address).collect();
        addresses.dedup();
        let mut listed = addresses.iter().take(LISTED).copied().collect::<Vec<_>>();
        if addresses.len() > LISTED {
            listed.push("…");
        }
        let places: Vec<u32> = match group.len() {
            1 => first.places.clone(),
            _ => group
                .iter()
                .filter_map(|of| of.places.first())
                .copied()
                .collect(),
        };
        Some([
            first.kind.clone(),
            group.len().to_string(),
            listed.join(", "),
            offsets(&places),
            first.text.clone(),
        ])
    });
    to.table(columns, rows)
}

/// Writes the values from outside of the kernel, with their uses.
fn write_inputs(inputs: &[InputUses], to: &mut Outline<'_, impl Write>) -> io::Result<()> {
    if inputs.is_empty() {
        return Ok(());
    }
    to.heading("arguments and other inputs")?;
    let columns = [
        ColumnHeader::text("input"),
        ColumnHeader::text("from"),
        ColumnHeader::text("registers"),
        ColumnHeader::number("uses"),
        ColumnHeader::text("used at"),
    ];
    let rows = inputs.iter().map(|input| {
        let (from, has_offset) = match input.from {
            InputKind::Payload => ("payload", true),
            InputKind::PerThread => ("payload of the thread", true),
            InputKind::Address => ("address", false),
            InputKind::Surface => ("surface", true),
            InputKind::Symbol => ("symbol", false),
            InputKind::Data => ("data", false),
        };
        let place = if has_offset {
            format!("{from} {}", input.offset)
        } else {
            from.to_owned()
        };
        [
            input.name.to_string(),
            place,
            input.bytes.join(","),
            input.places.len().to_string(),
            offsets(&input.places),
        ]
    });
    to.table(columns, rows)
}

/// Formats a figure of a source line; the summary has the reason why it is unknown.
fn figure(number: Option<u64>) -> String {
    number.map_or_else(|| "unknown".to_owned(), |number| number.to_string())
}

/// Writes the figures of source lines.
fn write_lines(
    title: &str,
    lines: &[LineCosts],
    left_out: usize,
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    to.heading(&format!(
        "{title}, with cycles of one run for one thread as the compiler's scheduler assumes"
    ))?;
    let columns = [
        ColumnHeader::text("line"),
        ColumnHeader::number("instructions"),
        ColumnHeader::number("cycles"),
        ColumnHeader::number("stalls"),
        ColumnHeader::number("waits"),
        ColumnHeader::number("live"),
        ColumnHeader::number("spills"),
        ColumnHeader::number("fills"),
        ColumnHeader::text("at"),
    ];
    let rows = lines.iter().map(|line| {
        let (place, line) = (format!("{}:{}", line.file, line.line), &line.figures);
        let starts: Vec<u32> = line.ranges.iter().map(|range| range.0).collect();
        [
            place,
            line.instructions.to_string(),
            figure(line.cycles),
            figure(line.stalls),
            line.waits.to_string(),
            figure(line.peak_live_registers.map(u64::from)),
            line.spills.to_string(),
            line.fills.to_string(),
            offsets(&starts),
        ]
    });
    to.table(columns, rows)?;
    if left_out > 0 {
        to.entry(&format!("{left_out} more lines: --all lists them"))?;
    }
    Ok(())
}

/// Writes the figures of functions of the source, if one of them is inlined.
fn write_source_functions(
    functions: &[SourceFunctionCosts],
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    if functions.iter().all(|of| of.inlined_calls == 0) {
        return Ok(());
    }
    to.heading("functions of the source, with cycles as above")?;
    let columns = [
        ColumnHeader::text("function"),
        ColumnHeader::number("inlined calls"),
        ColumnHeader::number("instructions"),
        ColumnHeader::number("with inlined"),
        ColumnHeader::number("cycles"),
        ColumnHeader::number("with inlined"),
        ColumnHeader::number("stalls"),
        ColumnHeader::number("live"),
        ColumnHeader::number("spills"),
        ColumnHeader::number("fills"),
        ColumnHeader::text("at"),
    ];
    let rows = functions.iter().map(|of| {
        let starts: Vec<u32> = of.own.ranges.iter().map(|range| range.0).collect();
        [
            of.function.clone(),
            of.inlined_calls.to_string(),
            of.own.instructions.to_string(),
            of.with_inlined.instructions.to_string(),
            figure(of.own.cycles),
            figure(of.with_inlined.cycles),
            figure(of.own.stalls),
            figure(of.own.peak_live_registers.map(u64::from)),
            of.own.spills.to_string(),
            of.own.fills.to_string(),
            offsets(&starts),
        ]
    });
    to.table(columns, rows)
}

fn write_loops(
    report: &FlowReport,
    threads: Option<u64>,
    to: &mut Outline<'_, impl Write>,
) -> io::Result<()> {
    let loops = report.loops.as_deref().unwrap_or_default();
    if loops.is_empty() {
        return Ok(());
    }
    to.heading(&format!(
        "loops, with cycles of an iteration for one thread as the compiler's scheduler assumes; the costliest if each loop runs {} times",
        report.assumed_iterations
    ))?;
    let columns = [
        ColumnHeader::text("loop"),
        ColumnHeader::number("depth"),
        ColumnHeader::number("instructions"),
        ColumnHeader::number("dpas"),
        ColumnHeader::number("sends"),
        ColumnHeader::number("spills"),
        ColumnHeader::number("fills"),
        ColumnHeader::number("waits"),
        ColumnHeader::number("cycles"),
        ColumnHeader::number("issue"),
        ColumnHeader::number("latency"),
        ColumnHeader::text("throughput"),
        ColumnHeader::text("largest of one thread"),
        ColumnHeader::number("threads to fill the pipe"),
        ColumnHeader::text(&match threads {
            Some(threads) => format!("bound of {threads} threads"),
            None => "bound of all threads".to_owned(),
        }),
        ColumnHeader::text("operations"),
        ColumnHeader::text("bytes"),
        ColumnHeader::number("operations per byte"),
    ];
    let rows = (0_u32..).zip(loops).map(|(at, found)| {
        let hottest = if report.hottest == Some(at) {
            " (costliest)"
        } else {
            ""
        };
        [
            format!("{:#x}-{:#x}{hottest}", found.start, found.end),
            found.depth.to_string(),
            found.instructions.to_string(),
            found.dpas.to_string(),
            found.sends.to_string(),
            found.spills.to_string(),
            found.fills.to_string(),
            found.waits.to_string(),
            found.cycles.to_string(),
            found.issue.to_string(),
            found.latency.to_string(),
            found.throughput_text(),
            found.bottleneck.to_string(),
            found
                .saturating_threads
                .map_or_else(String::new, |of| of.to_string()),
            threads.map_or_else(
                || "unknown device".to_owned(),
                |threads| found.bound_of_threads(threads).to_string(),
            ),
            operations_text(found),
            moved_bytes(found),
            match found.intensity {
                Some(intensity) => format!("{intensity:.2}"),
                None => "unknown".to_owned(),
            },
        ]
    });
    to.table(columns, rows)?;
    to.entry(LOOP_NOTE)?;
    for found in loops {
        let (start, end) = (found.start, found.end);
        if let Some(reason) = &found.intensity_unknown {
            to.entry(&format!(
                "{start:#x}-{end:#x}: operations per byte: unknown: {reason}"
            ))?;
        }
    }
    Ok(())
}

/// How operations and bytes are counted.
const LOOP_NOTE: &str = "cycles, issue and latency of one thread alone, as the compiler's scheduler assumes; throughput: cycles in which an \
    iteration of one thread occupies the busiest pipe of the hardware, of messages a register per cycle; \
    as many threads as fill the pipe hide the latency; operations and bytes of one thread per iteration, for all channels of the execution size, \
    enabled or not; a multiply-add is two operations; operations per byte: float and dpas, by the bytes \
    of memory other than SLM and scratch";

/// Arithmetic operations of an iteration, by kind and type.
fn operations_text(found: &LoopReport) -> String {
    let operations = found.operations.iter().map(|of| {
        let count = of
            .count
            .map_or("unknown".to_owned(), |count| count.to_string());
        match &*of.data_type {
            "" => "words that do not decode: unknown".to_owned(),
            data_type => format!("{} {data_type} {count}", of.kind),
        }
    });
    operations.collect::<Vec<_>>().join("; ")
}

/// Bytes that an iteration moves, by memory and cache setting.
fn moved_bytes(found: &LoopReport) -> String {
    let moved = found.moved.iter().map(|moved| {
        let mut parts = Vec::new();
        if let Some(loaded) = moved.loaded.filter(|bytes| *bytes > 0) {
            parts.push(format!("loads {loaded}"));
        }
        if let Some(stored) = moved.stored.filter(|bytes| *bytes > 0) {
            parts.push(format!("stores {stored}"));
        }
        match moved.prefetches {
            0 => {}
            1 => parts.push("1 prefetch".to_owned()),
            count => parts.push(format!("{count} prefetches")),
        }
        if let Some(reason) = &moved.unknown {
            let messages = plural(moved.messages.into(), "message");
            parts.push(format!("{messages}, bytes unknown: {reason}"));
        }
        // The shared function names most memories.
        let memory = if moved.space == "global" || moved.space == moved.memory {
            moved.memory.clone()
        } else {
            format!("{} ({})", moved.memory, moved.space)
        };
        format!("{memory}{} {}", moved.cache, parts.join(", "))
    });
    moved.collect::<Vec<_>>().join("; ")
}

/// Maximum number of offsets in a list.
const LISTED: usize = 4;

fn offsets(pcs: &[u32]) -> String {
    let listed = pcs.iter().take(LISTED).map(|pc| format!("{pc:#x}"));
    let mut text = listed.collect::<Vec<_>>().join(", ");
    if pcs.len() > LISTED {
        text.push_str(", …");
    }
    text
}

fn wait_text(wait: &WaitReport) -> String {
    let mut text = format!("{:#x} waits {} cycles", wait.pc, wait.cycles);
    match wait.depth {
        0 => {}
        1 => text.push_str(" in a loop"),
        depth => text.push_str(&format!(" in {depth} loops")),
    }
    let waits = wait.waits.iter().map(|wait| {
        let producer = match wait.pc {
            Some(pc) => format!("{pc:#x}"),
            None => "nothing".to_owned(),
        };
        let others = match wait.others {
            0 => String::new(),
            1 => ", and 1 other".to_owned(),
            others => format!(", and {others} others"),
        };
        if wait.bytes.is_empty() {
            format!(
                "{} for {producer}, without a reason in the data{others}",
                wait.on
            )
        } else {
            format!(
                "{} for {producer} because of {}{others}",
                wait.on,
                wait.bytes.join(",")
            )
        }
    });
    let waits = waits.collect::<Vec<_>>().join("; ");
    if !waits.is_empty() {
        text.push_str(": ");
        text.push_str(&waits);
    }
    text
}
