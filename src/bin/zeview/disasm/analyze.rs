//! `zeview analyze`: the data flow of kernels in a summary.

use std::collections::HashMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use serde_json::json;
use zeview::analysis::data_flow::{FlowReport, Flows, LoopReport, WaitReport};
use zeview::analysis::figure::{Figure, Unknown};
use zeview::analysis::kernel_inputs::{InputKind, InputUses};
use zeview::analysis::line_costs::{LineCosts, line_costs};
use zeview::decode::isa::{Decoder, Platform};
use zeview::model::SourceId;
use zeview::model::text::{self, escaped};

use crate::argument::{Encoding, InputFile, KernelName, ReportFormat, own_help};
use crate::disasm::{Code, Wanted, find, flow, open};
use crate::output::{self, complain};

/// Maximum number of source lines without `--all`.
const LINES: usize = 20;

/// Help of `--kernel`.
const KERNEL_HELP: &str = "Analyze only this kernel or function";

/// Help of `--platform`.
const PLATFORM_HELP: &str = "The encoding, as for `zeview disasm`. Default: the encoding of the device that the file \
    targets";

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON array with one object per kernel: schema, kernel, grf_bytes, the summary, inputs \
    (arguments and other values from outside of the kernel, with their uses), and lines (figures of source lines)";

#[derive(Args)]
#[command(mut_args(own_help(&[("kernel", KERNEL_HELP), ("platform", PLATFORM_HELP), ("json", JSON_HELP)])))]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    #[command(flatten)]
    name: KernelName,
    #[command(flatten)]
    encoding: Encoding,
    /// Print all source lines, not only those with the most cycles.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    format: ReportFormat,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let name = options.input.file.display();
    let opened = open(&options.input.file, |document| {
        let wanted = Wanted {
            lines: true,
            inputs: true,
        };
        find(
            document,
            options.encoding.platform,
            options.name.kernel.as_deref(),
            wanted,
        )
    });
    let Some((document, found)) = opened else {
        return Ok(ExitCode::from(2));
    };
    let account = output::budget(&document);
    let mut out = output::within(&account, options.format.json);
    let mut status = 0;
    let mut decoder: Option<(Platform, Rc<Decoder>)> = None;
    let mut is_first = true;
    // Sections of code may overlap.
    let mut left: HashMap<SourceId, u64> = HashMap::new();
    out.write_all(if options.format.json { b"[" } else { b"" })?;
    for code in &found {
        if account.is_overdrawn() {
            complain!("{name}: stopped: the output is too long; name a --kernel");
            status = 2;
            break;
        }
        let source = code.span.source;
        let whole = document.sources.whole(source).len();
        let left = left.entry(source).or_insert(whole);
        let Some(rest) = left.checked_sub(code.span.len()) else {
            let reason = Unknown::Overlapping.reason();
            let kernel = escaped(&code.name);
            complain!("{name}: {kernel}: not analyzed: {reason}; name a --kernel");
            status = 2;
            continue;
        };
        *left = rest;
        let bytes = match document.sources.read(code.span) {
            Ok(bytes) => bytes,
            Err(error) => {
                complain!("{name}: {}: {error}", code.name);
                status = 2;
                continue;
            }
        };
        let (_, decoder) = match &mut decoder {
            Some(decoder) if decoder.0 == code.platform => decoder,
            other => other.insert((code.platform, Decoder::of(code.platform))),
        };
        let flow = flow(decoder, &bytes, code);
        let mut report = flow.report();
        let inputs = report.known("inputs", flow.input_uses());
        if let Some(of) = report.beyond_a_limit() {
            let kernel = escaped(&code.name);
            complain!("{name}: {kernel}: {} unknown: {}", of.figure, of.reason);
            status = 2;
        }
        let table = code.lines.as_deref();
        let mut lines = table.map_or_else(Vec::new, |table| line_costs(&flow, table, code.span));
        let left_out = lines.len().saturating_sub(LINES);
        if !options.all {
            lines.truncate(LINES);
        }
        if options.format.json {
            let spill = spill(code, &report);
            let spill = spill.and_then(|size| report.known("spill size", size));
            let mut object = json!({
                "schema": zeview::model::json::SCHEMA,
                "kernel": code.name,
                "grf_bytes": flow.register_bytes(),
                "spill_size": spill,
            });
            if let (Some(object), serde_json::Value::Object(values)) =
                (object.as_object_mut(), serde_json::to_value(report)?)
            {
                object.extend(values);
                object.insert("inputs".to_owned(), serde_json::to_value(inputs)?);
                object.insert("lines".to_owned(), serde_json::to_value(lines)?);
            }
            out.write_all(if is_first { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut out, &object)?;
        } else {
            write(code, &report, options.format.markdown, is_first, &mut out)?;
            let mut to = Writer {
                out: &mut out,
                markdown: options.format.markdown,
            };
            write_inputs(inputs.as_deref().unwrap_or_default(), &mut to)?;
            let left_out = if options.all { 0 } else { left_out };
            write_lines(&lines, left_out, &mut to)?;
        }
        is_first = false;
    }
    out.write_all(if options.format.json { b"\n]\n" } else { b"" })?;
    out.flush()?;
    if account.is_overdrawn() {
        status = 2;
    }
    Ok(ExitCode::from(status))
}

/// Writer of plain text or Markdown.
struct Writer<'a, W> {
    out: &'a mut W,
    markdown: bool,
}

impl<W: Write> Writer<'_, W> {
    fn heading(&mut self, text: &str) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "\n### {}\n", text::markdown(text))
        } else {
            writeln!(self.out, "{text}:")
        }
    }

    fn item(&mut self, text: &str) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "* {}", text::markdown(text))
        } else {
            writeln!(self.out, "  {text}")
        }
    }

    /// Writes a table: the column titles, then the rows.
    fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "| {} |", columns.join(" | "))?;
            writeln!(self.out, "|{}", "---|".repeat(columns.len()))?;
            for row in rows {
                let cells: Vec<_> = row.iter().map(|cell| text::markdown(cell)).collect();
                writeln!(self.out, "| {} |", cells.join(" | "))?;
            }
            return Ok(());
        }
        let width = |at: usize| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let cells = cells.map(|cell| cell.chars().count());
            let title = columns.get(at).map_or(0, |title| title.chars().count());
            cells.chain([title]).max().unwrap_or(0)
        };
        let titles: Vec<String> = columns.iter().map(|title| (*title).to_owned()).collect();
        for row in [&titles].into_iter().chain(rows) {
            let mut line = String::from(" ");
            for (at, cell) in row.iter().enumerate() {
                line.push(' ');
                line.push_str(cell);
                let blanks = width(at) - cell.chars().count();
                line.push_str(&" ".repeat(blanks + 1));
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns the spill size of a kernel, with the messages that its code has.
fn spill(code: &Code, report: &FlowReport) -> Option<Figure<i64>> {
    let figure = code.spill?.figure;
    Some(figure.map_err(|unknown| unknown.with_spill_messages(|| report.spills.map(Into::into))))
}

fn write(
    code: &Code,
    report: &FlowReport,
    markdown: bool,
    is_first: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if !is_first {
        writeln!(out)?;
    }
    let name = escaped(&code.name);
    if markdown {
        writeln!(out, "## {}\n", text::markdown(&name))?;
    } else {
        writeln!(out, "kernel {name}")?;
    }
    let mut to = Writer { out, markdown };
    to.item(&format!("instructions: {}", report.instructions))?;
    match spill(code, report) {
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
    if let Some(count) = report.dead_writes {
        to.item(&format!("dead writes: {count}"))?;
    }
    if let (Some(spills), Some(fills)) = (report.spills, report.fills) {
        to.item(&format!("spill messages: {spills}, fill messages: {fills}"))?;
    }
    for unknown in &report.unknown {
        to.item(&format!("{}: unknown: {}", unknown.figure, unknown.reason))?;
    }
    for limit in &report.limits {
        to.item(&format!("note: {limit}"))?;
    }
    let slots = report.slots.as_deref().unwrap_or_default();
    if !slots.is_empty() {
        to.heading("spills by slot")?;
        let columns = [
            "slot",
            "bytes",
            "written",
            "read",
            "loops around",
            "written at",
            "read at",
        ];
        let rows: Vec<Vec<String>> = slots
            .iter()
            .map(|slot| {
                vec![
                    slot.address.clone(),
                    slot.bytes.to_string(),
                    slot.writers.len().to_string(),
                    slot.readers.len().to_string(),
                    slot.depth.to_string(),
                    offsets(&slot.writers),
                    offsets(&slot.readers),
                ]
            })
            .collect();
        to.table(&columns, &rows)?;
    }
    write_patterns(report, &mut to)?;
    write_loops(report, &mut to)?;
    let waits = report.waits.as_deref().unwrap_or_default();
    if !waits.is_empty() {
        to.heading("costliest waits, in cycles that the compiler's scheduler assumes")?;
        for wait in waits {
            to.item(&wait_text(wait))?;
        }
    }
    Ok(())
}

fn write_patterns(report: &FlowReport, to: &mut Writer<'_, impl Write>) -> io::Result<()> {
    let patterns = report.patterns.as_deref().unwrap_or_default();
    if patterns.is_empty() {
        return Ok(());
    }
    to.heading("spills and registers that cost more than necessary")?;
    let rows = patterns.iter().map(|pattern| {
        vec![
            pattern.kind.clone(),
            pattern.address.clone(),
            offsets(&pattern.places),
            pattern.text.clone(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    to.table(
        &["pattern", "slot or registers", "at", "explanation"],
        &rows,
    )
}

/// Writes the values from outside of the kernel, with their uses.
fn write_inputs(inputs: &[InputUses], to: &mut Writer<'_, impl Write>) -> io::Result<()> {
    if inputs.is_empty() {
        return Ok(());
    }
    to.heading("arguments and other inputs")?;
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
        vec![
            escaped(&input.name).to_string(),
            place,
            input.bytes.join(","),
            input.places.len().to_string(),
            offsets(&input.places),
        ]
    });
    let rows: Vec<_> = rows.collect();
    to.table(&["input", "from", "registers", "uses", "used at"], &rows)
}

/// Formats a figure of a source line; the summary has the reason why it is unknown.
fn figure(number: Option<u64>) -> String {
    number.map_or_else(|| "unknown".to_owned(), |number| number.to_string())
}

/// Writes the figures of source lines.
fn write_lines(
    lines: &[LineCosts],
    left_out: usize,
    to: &mut Writer<'_, impl Write>,
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    to.heading(
        "source lines, with cycles of one run for one thread as the compiler's scheduler assumes",
    )?;
    let columns = [
        "line",
        "instructions",
        "cycles",
        "stalls",
        "waits",
        "live",
        "spills",
        "fills",
        "at",
    ];
    let rows = lines.iter().map(|line| {
        let starts: Vec<u32> = line.ranges.iter().map(|range| range.0).collect();
        vec![
            format!("{}:{}", escaped(&line.file), line.line),
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
    let rows: Vec<_> = rows.collect();
    to.table(&columns, &rows)?;
    if left_out > 0 {
        to.item(&format!("{left_out} more lines: --all lists them"))?;
    }
    Ok(())
}

fn write_loops(report: &FlowReport, to: &mut Writer<'_, impl Write>) -> io::Result<()> {
    let loops = report.loops.as_deref().unwrap_or_default();
    if loops.is_empty() {
        return Ok(());
    }
    to.heading(
        "loops, with cycles of an iteration for one thread as the compiler's scheduler assumes",
    )?;
    let columns = [
        "loop",
        "depth",
        "instructions",
        "dpas",
        "sends",
        "spills",
        "fills",
        "waits",
        "cycles",
        "bound by",
        "bytes",
    ];
    let loops = (0_u32..).zip(loops);
    let rows: Vec<Vec<String>> = loops
        .map(|(at, found)| {
            let hottest = if report.hottest == Some(at) {
                " (hottest)"
            } else {
                ""
            };
            vec![
                format!("{:#x}-{:#x}{hottest}", found.start, found.end),
                found.depth.to_string(),
                found.instructions.to_string(),
                found.dpas.to_string(),
                found.sends.to_string(),
                found.spills.to_string(),
                found.fills.to_string(),
                found.waits.to_string(),
                found.cycles.to_string(),
                found.bound.clone(),
                moved_bytes(found),
            ]
        })
        .collect();
    to.table(&columns, &rows)
}

/// Bytes that an iteration moves, by memory and cache setting.
fn moved_bytes(found: &LoopReport) -> String {
    let moved = found.moved.iter().map(|moved| {
        let mut parts = Vec::new();
        if moved.loaded > 0 {
            parts.push(format!("loads {}", moved.loaded));
        }
        if moved.stored > 0 {
            parts.push(format!("stores {}", moved.stored));
        }
        format!("{}{} {}", moved.memory, moved.cache, parts.join(", "))
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
        if wait.bytes.is_empty() {
            format!("{} for {producer}, without a reason in the data", wait.on)
        } else {
            format!(
                "{} for {producer} because of {}",
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
