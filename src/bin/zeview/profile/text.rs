//! Text and Markdown.

use std::io::{self, Write};

use zeview::analysis::profile::{
    Cause, CodeProfile, ImageKernel, InstructionChange, InstructionSamples, KernelMetrics,
    KernelProfile, ProfileComparison, ProfileReport, RejectedImage, SourcePosition, stalled, total,
};
use zeview::decode::text::plural;
use zeview::model::text::{escaped, markdown};

/// Maximum number of images that are listed.
const IMAGES: usize = 8;

/// Maximum number of causes that are listed for an instruction.
const CAUSES: usize = 4;

/// Writer of plain text or Markdown.
pub struct Writer<'a, W> {
    out: &'a mut W,
    markdown: bool,
    top: usize,
    /// Whether something was written.
    has_text: bool,
}

impl<'a, W: Write> Writer<'a, W> {
    pub fn new(out: &'a mut W, markdown: bool, top: usize) -> Writer<'a, W> {
        Writer {
            out,
            markdown,
            top,
            has_text: false,
        }
    }

    /// Writes the result, until `is_full`.
    pub fn report(&mut self, report: &ProfileReport, is_full: &dyn Fn() -> bool) -> io::Result<()> {
        let all = total(&report.samples);
        if all > 0 || report.metrics.is_empty() {
            let kernels = report.kernels.len() + report.unmatched.len();
            let kernels = plural(kernels as u64, "kernel");
            let samples = self.samples(&report.types, &report.samples, None);
            self.line(&format!("{kernels}, {samples}"))?;
        }
        for kernel in &report.kernels {
            if is_full() {
                return Ok(());
            }
            self.kernel(report, kernel)?;
        }
        if !report.unmatched.is_empty() {
            self.title("not matched")?;
            for kernel in &report.unmatched {
                let name = self.name(&kernel.name, kernel.device);
                let samples = plural(total(&kernel.samples), "sample");
                self.item(&format!("kernel {name}: {samples}: {}", kernel.reason))?;
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
        let name = self.name(&kernel.name, kernel.device);
        self.title(&format!("kernel {name}"))?;
        let all = total(&report.samples);
        let samples = self.samples(&report.types, &kernel.samples, Some(all));
        self.item(&samples)?;
        let mut types: Vec<(&String, u64)> = report
            .types
            .iter()
            .zip(kernel.samples.iter().copied())
            .collect();
        types.retain(|(_, count)| *count > 0);
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let whole = total(&kernel.samples);
        let types = types.into_iter().map(|(name, count)| {
            format!("{} {count} ({})", self.escape(name), percent(count, whole))
        });
        let types = types.collect::<Vec<_>>().join(", ");
        self.item(&format!("by type: {types}"))?;
        if kernel.codes.len() > 1 {
            let count = kernel.codes.len();
            self.item(&format!(
                "the samples fit {count} different builds of the kernel in the file; each follows"
            ))?;
        }
        for code in &kernel.codes {
            self.code(&report.types, whole, code)?;
        }
        if !kernel.rejected.is_empty() {
            let count = kernel.rejected.len();
            self.item(&format!("images with other code for this kernel: {count}"))?;
        }
        Ok(())
    }

    fn code(&mut self, types: &[String], whole: u64, code: &CodeProfile) -> io::Result<()> {
        let images = code
            .images
            .iter()
            .take(IMAGES)
            .map(|image| self.image(image));
        let mut images = images.collect::<Vec<_>>().join(", ");
        let more = code.images.len().saturating_sub(IMAGES);
        if more > 0 {
            images.push_str(&format!(", and {more} more"));
        }
        self.item(&format!("code: {images}"))?;
        for limit in &code.limits {
            let limit = self.escape(limit);
            self.item(&format!("note: {limit}"))?;
        }
        let mut instructions: Vec<&InstructionSamples> = code.instructions.iter().collect();
        instructions.retain(|at| stalled(types, &at.counts) > 0);
        instructions.sort_by_key(|at| std::cmp::Reverse(stalled(types, &at.counts)));
        self.heading("most stalled instructions")?;
        for at in instructions.into_iter().take(self.top) {
            self.instruction(types, whole, at)?;
        }
        if !code.loops.is_empty() {
            self.heading("loops")?;
            let rows = code.loops.iter().take(self.top).map(|range| {
                let place = format!("{:#x}-{:#x}", range.start, range.end);
                let mut row = vec![place, range.depth.to_string()];
                row.extend(figures(types, whole, &range.counts));
                row
            });
            let rows: Vec<Vec<String>> = rows.collect();
            self.table(&["loop", "depth", "samples", "share", "stalled"], &rows)?;
        }
        if !code.lines.is_empty() {
            self.heading("source lines")?;
            let mut lines: Vec<_> = code.lines.iter().collect();
            lines.sort_by_key(|line| std::cmp::Reverse(total(&line.counts)));
            let rows = lines.into_iter().take(self.top).map(|line| {
                let mut row = vec![self.position(&line.line)];
                row.extend(figures(types, whole, &line.counts));
                row
            });
            let rows: Vec<Vec<String>> = rows.collect();
            self.table(&["line", "samples", "share", "stalled"], &rows)?;
        }
        Ok(())
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
            .map(|(name, count)| format!("{} {count}", self.escape(name)));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let all = total(&at.counts);
        let share = percent(all, whole);
        let line = at
            .line
            .as_ref()
            .map(|line| format!(", {}", self.position(line)));
        self.entry(&format!(
            "{:#x}: {} ({share}): {counts}{}",
            at.offset,
            plural(all, "sample"),
            line.unwrap_or_default()
        ))?;
        let text = if at.text.is_empty() {
            "instruction of an unknown encoding".to_owned()
        } else {
            self.escape(&at.text)
        };
        self.sub_item(&text)?;
        // Those with a reason in the data first.
        let mut causes: Vec<&Cause> = at.causes.iter().collect();
        causes.sort_by_key(|cause| cause.bytes.is_empty());
        for cause in causes.iter().take(CAUSES) {
            let text = self.cause(types, cause);
            self.sub_item(&text)?;
        }
        let more = causes.len().saturating_sub(CAUSES);
        if more > 0 {
            self.sub_item(&format!(
                "and for {}",
                plural(more as u64, "more instruction")
            ))?;
        }
        Ok(())
    }

    fn cause(&self, types: &[String], cause: &Cause) -> String {
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
            .map(|line| format!(", {}", self.position(line)));
        format!(
            "{} waits for {:#x} ({}: {}{}): {}",
            self.escape(stall),
            cause.offset,
            self.escape(&cause.on),
            self.escape(&bytes),
            line.unwrap_or_default(),
            self.escape(&cause.text)
        )
    }

    fn rejected(&mut self, rejected: &[RejectedImage]) -> io::Result<()> {
        for image in rejected.iter().take(IMAGES) {
            let text = format!("not {}: {}", self.image(&image.image), image.reason);
            self.sub_item(&text)?;
        }
        let more = rejected.len().saturating_sub(IMAGES);
        if more > 0 {
            self.sub_item(&format!("and {more} more images"))?;
        }
        Ok(())
    }

    fn metrics(&mut self, kernel: &KernelMetrics) -> io::Result<()> {
        let name = self.name(&kernel.name, kernel.device);
        self.title(&format!("metrics of {name}"))?;
        let instances = plural(kernel.instances, "instance");
        let rows = plural(kernel.rows, "row");
        self.item(&format!("{instances}, {rows}"))?;
        let images = kernel
            .images
            .iter()
            .take(IMAGES)
            .map(|image| self.image(image));
        let images = images.collect::<Vec<_>>().join(", ");
        if images.is_empty() {
            let reason = kernel.reason.as_deref().unwrap_or("no kernel of this name");
            self.item(&format!("not matched: {reason}"))?;
        } else {
            self.item(&format!("kernels of this name: {images}"))?;
        }
        let rows = kernel.metrics.iter().map(|metric| {
            let numbers = [metric.mean, metric.minimum, metric.maximum, metric.sum];
            let mut numbers = numbers.map(number);
            // A sum of percentages means nothing.
            if metric.name.ends_with("[%]") {
                numbers[3].clear();
            }
            [vec![self.escape(&metric.name)], numbers.to_vec()].concat()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        self.table(&["metric", "mean", "minimum", "maximum", "sum"], &rows)
    }

    /// Writes the changes from an earlier profile.
    pub fn comparison(&mut self, comparison: &ProfileComparison) -> io::Result<()> {
        let types = &comparison.types;
        self.title("changes from the earlier profile")?;
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
        self.item(&format!("all kernels: {}", change(&comparison.samples)))?;
        for kernel in &comparison.kernels {
            let name = self.escape(&kernel.name);
            self.heading(&format!("kernel {name}: {}", change(&kernel.samples)))?;
            if let Some(reason) = &kernel.reason {
                self.entry(reason)?;
            }
            self.types(types, &kernel.samples)?;
            let is_changed = |at: &&InstructionChange| {
                let [before, after] = &at.samples;
                before != after
            };
            for at in kernel.instructions.iter().filter(is_changed).take(self.top) {
                let text = self.escape(&at.text);
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
                self.entry(&format!("{place}{new}: {}", change(&at.samples)))?;
                self.sub_item(&text)?;
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
            return self.entry("by type: no change");
        }
        let changes = changes.into_iter();
        let words = changes
            .map(|(name, before, after)| format!("{} {before} → {after}", self.escape(name)));
        let words = words.collect::<Vec<_>>().join(", ");
        self.entry(&format!("by type: {words}"))
    }

    fn escape(&self, text: &str) -> String {
        if self.markdown {
            markdown(text)
        } else {
            escaped(text)
        }
    }

    fn name(&self, name: &str, device: Option<u32>) -> String {
        let name = self.escape(name);
        match device {
            Some(device) => format!("{name}, device {device}"),
            None => name,
        }
    }

    fn image(&self, image: &ImageKernel) -> String {
        let path = match image.path.as_str() {
            "" => "the file".to_owned(),
            path => self.escape(path),
        };
        match &image.target {
            Some(target) => format!("{path} ({})", self.escape(target)),
            None => path,
        }
    }

    fn position(&self, position: &SourcePosition) -> String {
        format!("{}:{}", self.escape(&position.file), position.line)
    }

    fn samples(&self, types: &[String], counts: &[u64], of: Option<u64>) -> String {
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

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.has_text = true;
        writeln!(self.out, "{text}")
    }

    fn title(&mut self, text: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.has_text, true) {
            writeln!(self.out)?;
        }
        if self.markdown {
            writeln!(self.out, "## {text}\n")
        } else {
            writeln!(self.out, "{text}")
        }
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "\n### {text}\n")
        } else {
            writeln!(self.out, "  {text}:")
        }
    }

    fn item(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{} {text}", if self.markdown { "*" } else { " " })
    }

    /// Writes an item below a heading.
    fn entry(&mut self, text: &str) -> io::Result<()> {
        writeln!(
            self.out,
            "{} {text}",
            if self.markdown { "*" } else { "   " }
        )
    }

    fn sub_item(&mut self, text: &str) -> io::Result<()> {
        writeln!(
            self.out,
            "{} {text}",
            if self.markdown { "  *" } else { "       " }
        )
    }

    /// Writes a table: the column titles, then the rows, of which the first column is text.
    fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "\n| {} |", columns.join(" | "))?;
            let rest = "---:|".repeat(columns.len().saturating_sub(1));
            writeln!(self.out, "|---|{rest}")?;
            for row in rows {
                writeln!(self.out, "| {} |", row.join(" | "))?;
            }
            return Ok(());
        }
        let width = |at: usize| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let title = columns.get(at).map_or(0, |title| title.chars().count());
            let cells = cells.map(|cell| cell.chars().count());
            cells.chain([title]).max().unwrap_or(0)
        };
        let titles: Vec<String> = columns.iter().map(|title| (*title).to_owned()).collect();
        for row in [&titles].into_iter().chain(rows) {
            let mut line = String::from("   ");
            for (at, cell) in row.iter().enumerate() {
                let blanks = " ".repeat(width(at).saturating_sub(cell.chars().count()));
                if at == 0 {
                    line.push_str(&format!(" {cell}{blanks}"));
                } else {
                    line.push_str(&format!("  {blanks}{cell}"));
                }
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns the number of samples, their share, and how many of them are stalled.
fn figures(types: &[String], whole: u64, counts: &[u64]) -> [String; 3] {
    let all = total(counts);
    let stalled = stalled(types, counts);
    [all.to_string(), percent(all, whole), stalled.to_string()]
}

#[allow(clippy::cast_precision_loss, reason = "one decimal is printed")]
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0.0 %".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
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
