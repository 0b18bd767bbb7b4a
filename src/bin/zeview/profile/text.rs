//! Text and Markdown.

use std::io::{self, Write};

use zeview::analysis::inlining::chain_text;
use zeview::analysis::profile::{
    Cause, CodeProfile, ImageKernel, InstructionChange, InstructionSamples, KernelMetrics,
    KernelProfile, LineSamples, ProfileComparison, ProfileReport, RejectedImage, SourcePosition,
    most_stalled, stalled, total,
};
use zeview::model::text::{percent, plural};
use zeview::tables::table::ColumnHeader;

use crate::outline::Outline;

/// Maximum number of images that are listed.
const IMAGES: usize = 8;

/// Maximum number of causes that are listed for an instruction.
const CAUSES: usize = 4;

/// Writer of a profile as plain text or Markdown.
pub struct Writer<'a, W> {
    to: Outline<'a, W>,
    top: usize,
}

impl<'a, W: Write> Writer<'a, W> {
    pub fn new(out: &'a mut W, is_markdown: bool, top: usize) -> Writer<'a, W> {
        Writer {
            to: Outline::new(out, is_markdown),
            top,
        }
    }

    /// Writes the result, until `is_full`.
    pub fn report(&mut self, report: &ProfileReport, is_full: &dyn Fn() -> bool) -> io::Result<()> {
        let all = total(&report.samples);
        if all > 0 || report.metrics.is_empty() {
            let kernels = report.kernels.len() + report.unmatched.len();
            let kernels = plural(kernels as u64, "kernel");
            let samples = samples_text(&report.types, &report.samples, None);
            self.to.line(&format!("{kernels}, {samples}"))?;
        }
        for kernel in &report.kernels {
            if is_full() {
                return Ok(());
            }
            self.kernel(report, kernel)?;
        }
        if !report.unmatched.is_empty() {
            self.to.title("not matched")?;
            for kernel in &report.unmatched {
                let name = name_text(&kernel.name, kernel.device);
                let samples = plural(total(&kernel.samples), "sample");
                self.to
                    .item(&format!("kernel {name}: {samples}: {}", kernel.reason))?;
                if kernel.rejected.len() > 1 {
                    self.rejected(&kernel.rejected)?;
                }
            }
        }
        for kernel in &report.metrics {
            if is_full() {
                return Ok(());
            }
            self.metrics(kernel)?;
        }
        Ok(())
    }

    fn kernel(&mut self, report: &ProfileReport, kernel: &KernelProfile) -> io::Result<()> {
        let name = name_text(&kernel.name, kernel.device);
        self.to.title(&format!("kernel {name}"))?;
        let all = total(&report.samples);
        let samples = samples_text(&report.types, &kernel.samples, Some(all));
        self.to.item(&samples)?;
        let mut types: Vec<(&String, u64)> = report
            .types
            .iter()
            .zip(kernel.samples.iter().copied())
            .collect();
        types.retain(|(_, count)| *count > 0);
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let whole = total(&kernel.samples);
        let types = types
            .into_iter()
            .map(|(name, count)| format!("{name} {count} ({})", percent(count, whole)));
        let types = types.collect::<Vec<_>>().join(", ");
        self.to.item(&format!("by type: {types}"))?;
        if kernel.codes.len() > 1 {
            let count = kernel.codes.len();
            self.to.item(&format!(
                "the samples fit {count} different builds of the kernel in the file; each follows"
            ))?;
        }
        for code in &kernel.codes {
            self.code(&report.types, whole, code)?;
        }
        if !kernel.rejected.is_empty() {
            let count = kernel.rejected.len();
            self.to
                .item(&format!("images with other code for this kernel: {count}"))?;
        }
        Ok(())
    }

    fn code(&mut self, types: &[String], whole: u64, code: &CodeProfile) -> io::Result<()> {
        let images = code.images.iter().take(IMAGES).map(image_text);
        let mut images = images.collect::<Vec<_>>().join(", ");
        let more = code.images.len().saturating_sub(IMAGES);
        if more > 0 {
            images.push_str(&format!(", and {more} more"));
        }
        self.to.item(&format!("code: {images}"))?;
        for limit in &code.limits {
            self.to.item(&format!("note: {limit}"))?;
        }
        self.to.heading("most stalled instructions")?;
        for at in most_stalled(types, &code.instructions, self.top) {
            self.instruction(types, whole, at)?;
        }
        if !code.loops.is_empty() {
            self.to.heading("loops")?;
            let columns = [
                ColumnHeader::text("loop"),
                ColumnHeader::number("depth"),
                ColumnHeader::number("samples"),
                ColumnHeader::number("share"),
                ColumnHeader::number("stalled"),
            ];
            let rows = code.loops.iter().take(self.top).map(|range| {
                let place = format!("{:#x}-{:#x}", range.start, range.end);
                let [samples, share, stalled] = figures(types, whole, &range.counts);
                [place, range.depth.to_string(), samples, share, stalled]
            });
            self.to.table(columns, rows)?;
        }
        self.lines("source lines", types, whole, &code.lines)?;
        let outermost = "source lines, with what is inlined there";
        self.lines(outermost, types, whole, &code.outermost_lines)?;
        let source = code.source_functions.iter();
        let source = source.map(|of| (of.function.clone(), &of.own, &of.with_inlined));
        if !code.outermost_lines.is_empty() {
            let title = "functions of the source";
            self.functions((title, "with inlined"), types, whole, source.collect())?;
        }
        let functions = code.functions.iter();
        let functions = functions.map(|of| (of.function.clone(), &of.own, &of.with_callees));
        if code.functions.len() > 1 {
            self.functions(
                ("functions", "with callees"),
                types,
                whole,
                functions.collect(),
            )?;
        }
        Ok(())
    }

    /// Writes samples of source lines.
    fn lines(
        &mut self,
        title: &str,
        types: &[String],
        whole: u64,
        lines: &[LineSamples],
    ) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.to.heading(title)?;
        let mut lines: Vec<_> = lines.iter().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(total(&line.counts)));
        let columns = [
            ColumnHeader::text("line"),
            ColumnHeader::number("samples"),
            ColumnHeader::number("share"),
            ColumnHeader::number("stalled"),
        ];
        let rows = lines.into_iter().take(self.top).map(|line| {
            let [samples, share, stalled] = figures(types, whole, &line.counts);
            [position(&line.line), samples, share, stalled]
        });
        self.to.table(columns, rows)
    }

    /// Writes samples of functions: their names, their own samples, and those with others.
    fn functions(
        &mut self,
        (title, with): (&str, &str),
        types: &[String],
        whole: u64,
        mut functions: Vec<(String, &Vec<u64>, &Vec<u64>)>,
    ) -> io::Result<()> {
        self.to.heading(title)?;
        functions.sort_by_key(|(_, own, all)| std::cmp::Reverse((total(own), total(all))));
        let columns = [
            ColumnHeader::text("function"),
            ColumnHeader::number("samples"),
            ColumnHeader::number("share"),
            ColumnHeader::number("stalled"),
            ColumnHeader::number(with),
        ];
        let rows = functions
            .into_iter()
            .take(self.top)
            .map(|(name, own, all)| {
                let [samples, share, stalled] = figures(types, whole, own);
                [name, samples, share, stalled, total(all).to_string()]
            });
        self.to.table(columns, rows)
    }

    fn instruction(
        &mut self,
        types: &[String],
        whole: u64,
        at: &InstructionSamples,
    ) -> io::Result<()> {
        let mut counts: Vec<(&String, u64)> = types.iter().zip(at.counts.iter().copied()).collect();
        counts.retain(|(_, count)| *count > 0);
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts = counts
            .into_iter()
            .map(|(name, count)| format!("{name} {count}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let all = total(&at.counts);
        let share = percent(all, whole);
        let line = at.line.as_ref().map(|line| format!(", {}", position(line)));
        self.to.entry(&format!(
            "{:#x}: {} ({share}): {counts}{}",
            at.offset,
            plural(all, "sample"),
            line.unwrap_or_default()
        ))?;
        let chain = chain_text(&at.frames);
        if !chain.is_empty() {
            self.to.sub_item(&chain)?;
        }
        let text = if at.text.is_empty() {
            "instruction of an unknown encoding"
        } else {
            &at.text
        };
        self.to.sub_item(text)?;
        // Those with a reason in the data first.
        let mut causes: Vec<&Cause> = at.causes.iter().collect();
        causes.sort_by_key(|cause| cause.bytes.is_empty());
        for cause in causes.iter().take(CAUSES) {
            self.to.sub_item(&cause_text(types, cause))?;
        }
        let more = causes.len().saturating_sub(CAUSES);
        if more > 0 {
            self.to.sub_item(&format!(
                "and for {}",
                plural(more as u64, "more instruction")
            ))?;
        }
        Ok(())
    }

    fn rejected(&mut self, rejected: &[RejectedImage]) -> io::Result<()> {
        for image in rejected.iter().take(IMAGES) {
            let text = format!("not {}: {}", image_text(&image.image), image.reason);
            self.to.sub_item(&text)?;
        }
        let more = rejected.len().saturating_sub(IMAGES);
        if more > 0 {
            self.to.sub_item(&format!("and {more} more images"))?;
        }
        Ok(())
    }

    fn metrics(&mut self, kernel: &KernelMetrics) -> io::Result<()> {
        let name = name_text(&kernel.name, kernel.device);
        self.to.title(&format!("metrics of {name}"))?;
        let instances = plural(kernel.instances, "instance");
        let rows = plural(kernel.rows, "row");
        self.to.item(&format!("{instances}, {rows}"))?;
        let images = kernel.images.iter().take(IMAGES).map(image_text);
        let images = images.collect::<Vec<_>>().join(", ");
        if images.is_empty() {
            let reason = kernel.reason.as_deref().unwrap_or("no kernel of this name");
            self.to.item(&format!("not matched: {reason}"))?;
        } else {
            self.to.item(&format!("kernels of this name: {images}"))?;
        }
        let rows = kernel.metrics.iter().map(|metric| {
            let numbers = [metric.mean, metric.minimum, metric.maximum, metric.sum];
            let mut numbers = numbers.map(number);
            // A sum of percentages means nothing.
            if metric.name.ends_with("[%]") {
                numbers[3].clear();
            }
            let [mean, minimum, maximum, sum] = numbers;
            [metric.name.to_string(), mean, minimum, maximum, sum]
        });
        let columns = [
            ColumnHeader::text("metric"),
            ColumnHeader::number("mean"),
            ColumnHeader::number("minimum"),
            ColumnHeader::number("maximum"),
            ColumnHeader::number("sum"),
        ];
        self.to.table(columns, rows)
    }

    /// Writes the changes from an earlier profile.
    pub fn comparison(&mut self, comparison: &ProfileComparison) -> io::Result<()> {
        let types = &comparison.types;
        self.to.title("changes from the earlier profile")?;
        let change = |[before, after]: &[Vec<u64>; 2]| {
            format!(
                "{} → {} ({}), stalled {} → {}",
                total(before),
                plural(total(after), "sample"),
                difference(total(before), total(after)),
                stalled(types, before),
                stalled(types, after)
            )
        };
        self.to
            .item(&format!("all kernels: {}", change(&comparison.samples)))?;
        for kernel in &comparison.kernels {
            let name = &kernel.name;
            self.to
                .heading(&format!("kernel {name}: {}", change(&kernel.samples)))?;
            if let Some(reason) = &kernel.reason {
                self.to.entry(reason)?;
            }
            self.types(types, &kernel.samples)?;
            let is_changed = |at: &&InstructionChange| {
                let [before, after] = &at.samples;
                before != after
            };
            for at in kernel.instructions.iter().filter(is_changed).take(self.top) {
                let place = match at.offsets {
                    [Some(before), Some(after)] if before != after => {
                        format!("{before:#x} → {after:#x}")
                    }
                    [_, Some(after)] => format!("{after:#x}"),
                    [Some(before), None] => format!("{before:#x} (only in the earlier build)"),
                    [None, None] => String::new(),
                };
                let new = matches!(at.offsets, [None, Some(_)]);
                let new = if new {
                    " (only in the later build)"
                } else {
                    ""
                };
                self.to
                    .entry(&format!("{place}{new}: {}", change(&at.samples)))?;
                self.to.sub_item(&at.text)?;
            }
        }
        Ok(())
    }

    /// Writes the changes by type.
    fn types(&mut self, types: &[String], [before, after]: &[Vec<u64>; 2]) -> io::Result<()> {
        let mut changes: Vec<(&String, u64, u64)> = types
            .iter()
            .zip(before.iter().zip(after))
            .map(|(name, (before, after))| (name, *before, *after))
            .collect();
        changes.retain(|(_, before, after)| before != after);
        changes.sort_by_key(|(_, before, after)| std::cmp::Reverse(before.abs_diff(*after)));
        if changes.is_empty() {
            return self.to.entry("by type: no change");
        }
        let changes = changes.into_iter();
        let words = changes.map(|(name, before, after)| format!("{name} {before} → {after}"));
        let words = words.collect::<Vec<_>>().join(", ");
        self.to.entry(&format!("by type: {words}"))
    }
}

/// Formats the name of a kernel, with the number of its device if there are several.
fn name_text(name: &str, device: Option<u32>) -> String {
    match device {
        Some(device) => format!("{name}, device {device}"),
        None => name.to_owned(),
    }
}

fn image_text(image: &ImageKernel) -> String {
    let path = match image.path.as_str() {
        "" => "the file",
        path => path,
    };
    match &image.target {
        Some(target) => format!("{path} ({target})"),
        None => path.to_owned(),
    }
}

fn position(position: &SourcePosition) -> String {
    format!("{}:{}", position.file, position.line)
}

fn samples_text(types: &[String], counts: &[u64], of: Option<u64>) -> String {
    let all = total(counts);
    let stalled = stalled(types, counts);
    let share = of.map(|of| format!(" ({} of all)", percent(all, of)));
    format!(
        "{}{}, {stalled} stalled ({})",
        plural(all, "sample"),
        share.unwrap_or_default(),
        percent(stalled, all)
    )
}

fn cause_text(types: &[String], cause: &Cause) -> String {
    let at = usize::try_from(cause.stall).ok();
    let stall = at.and_then(|at| types.get(at));
    let stall = stall.map_or("", String::as_str);
    let bytes = if cause.bytes.is_empty() {
        "no data requires it".to_owned()
    } else {
        cause.bytes.join(", ")
    };
    let line = cause
        .line
        .as_ref()
        .map(|line| format!(", {}", position(line)));
    format!(
        "{} waits for {:#x} ({}: {}{}): {}",
        stall,
        cause.offset,
        cause.on,
        bytes,
        line.unwrap_or_default(),
        cause.text
    )
}

/// Returns the number of samples, their share, and how many of them are stalled.
fn figures(types: &[String], whole: u64, counts: &[u64]) -> [String; 3] {
    let all = total(counts);
    let stalled = stalled(types, counts);
    [all.to_string(), percent(all, whole), stalled.to_string()]
}

#[allow(clippy::cast_precision_loss, reason = "one decimal is printed")]
fn difference(before: u64, after: u64) -> String {
    if before == 0 {
        return "new".to_owned();
    }
    let change = (after as f64 - before as f64) * 100.0 / before as f64;
    format!("{change:+.1} %")
}

/// Formats a number with at most two decimals.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
