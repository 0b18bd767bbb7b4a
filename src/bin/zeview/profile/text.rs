//! Text and Markdown.

use std::collections::BTreeSet;
use std::io::{self, Write};

use zeview::analysis::inlining::chain_text;
use zeview::analysis::profile::{
    Cause, CodeProfile, CountedCode, ImageKernel, InstructionChange, InstructionCounts,
    InstructionSamples, KernelCounts, KernelMetrics, KernelProfile, KernelTiming, LineSamples,
    OffsetSamples, ProfileComparison, ProfileReport, RejectedImage, SourcePosition, most_stalled,
    stalled, total,
};
use zeview::model::text::{percent, plural};
use zeview::tables::table::ColumnHeader;

use crate::outline::Outline;
use crate::output::Visible;

/// Maximum number of images that are listed.
const IMAGES: usize = 8;

/// Maximum number of offsets without an instruction that are listed for some code.
const OFFSETS: usize = 8;

/// Maximum number of strides that are listed for an instruction.
const STRIDES: usize = 4;

/// Maximum number of causes that are listed for an instruction.
const CAUSES: usize = 4;

/// Writer of a profile as plain text or Markdown.
pub struct Writer<'a, W: Write> {
    to: Outline<'a, W>,
    top: usize,
}

impl<'a, W: Write> Writer<'a, W> {
    pub fn new(out: &'a mut Visible<W>, is_markdown: bool, top: usize) -> Writer<'a, W> {
        Writer {
            to: Outline::new(out, is_markdown),
            top,
        }
    }

    /// Writes the result, until `is_full`.
    pub fn report(&mut self, report: &ProfileReport, is_full: &dyn Fn() -> bool) -> io::Result<()> {
        let all = total(&report.samples);
        let has_others = [
            report.metrics.is_empty(),
            report.timings.is_empty(),
            report.counts.is_empty(),
        ];
        if all > 0 || has_others.iter().all(|is_empty| *is_empty) {
            let kernels = kernel_names(report);
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
        self.timings(&report.timings)?;
        for kernel in &report.counts {
            if is_full() {
                return Ok(());
            }
            self.counts(kernel)?;
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
        if kernel.of_blocks > 1 {
            let (of, all) = (kernel.blocks, kernel.of_blocks);
            self.to.item(&format!(
                "{of} of {all} blocks of rows with this name: an offset that does not rise begins \
                 another module"
            ))?;
        }
        if let Some(assumption) = &kernel.assumption {
            self.to.item(&format!("assumed: {assumption}"))?;
        }
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
        let end = code.end;
        self.elsewhere(
            whole,
            &code.after_end,
            &format!("after the end of the code ({end:#x}): of code that follows in memory"),
        )?;
        let between =
            "at offsets that are not starts of instructions: damaged rows, or another build";
        self.elsewhere(whole, &code.between, between)?;
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
        let rest = &code.in_no_function;
        let rest = Some(("(in no function)".to_owned(), rest, rest)).filter(|_| total(rest) > 0);
        let functions = functions.chain(rest);
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

    /// Writes the samples that are at no instruction.
    fn elsewhere(&mut self, whole: u64, at: &[OffsetSamples], place: &str) -> io::Result<()> {
        let samples = at.iter().map(|at| total(&at.counts));
        let samples = samples.fold(0, u64::saturating_add);
        if at.is_empty() {
            return Ok(());
        }
        let count = plural(samples, "sample");
        let share = percent(samples, whole);
        self.to.item(&format!("{count} ({share}) {place}"))?;
        let offsets = at.iter().take(OFFSETS);
        let offsets = offsets.map(|at| format!("{:#x}: {}", at.offset, total(&at.counts)));
        let mut offsets = offsets.collect::<Vec<_>>().join(", ");
        let more = at.len().saturating_sub(OFFSETS);
        if more > 0 {
            offsets.push_str(&format!(", and {more} more offsets"));
        }
        self.to.sub_item(&offsets)
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
        let function = at.function.as_ref().map(|name| format!(" in {name}"));
        self.to.entry(&format!(
            "{:#x}{}: {} ({share}): {counts}{}",
            at.offset,
            function.unwrap_or_default(),
            plural(all, "sample"),
            line.unwrap_or_default()
        ))?;
        let chain = chain_text(&at.frames);
        if !chain.is_empty() {
            self.to.sub_item(&chain)?;
        }
        if at.text.is_empty() {
            self.to.sub_item("instruction of an unknown encoding")?;
        } else {
            self.to.instruction(&at.text)?;
        }
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
        let instances = kernel.instances;
        let instances = instances.map(|instances| format!("{}, ", plural(instances, "instance")));
        let rows = plural(kernel.rows, "row");
        self.to
            .item(&format!("{}{rows}", instances.unwrap_or_default()))?;
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

    /// Writes the device times and properties of kernels.
    fn timings(&mut self, timings: &[KernelTiming]) -> io::Result<()> {
        if timings.is_empty() {
            return Ok(());
        }
        self.to.title("device times")?;
        let times = || timings.iter().filter_map(|timing| timing.times);
        let all = times().fold(0_u64, |sum, times| sum.saturating_add(times.total));
        if times().next().is_some() {
            let columns = [
                ColumnHeader::text("kernel"),
                ColumnHeader::number("calls"),
                ColumnHeader::number("time, ns"),
                ColumnHeader::number("share"),
                ColumnHeader::number("average"),
                ColumnHeader::number("minimum"),
                ColumnHeader::number("maximum"),
            ];
            let rows = timings.iter().filter_map(|timing| {
                let times = timing.times?;
                let average = times.total.checked_div(times.calls);
                Some([
                    timing_name(timing),
                    times.calls.to_string(),
                    times.total.to_string(),
                    percent(times.total, all),
                    average.map_or_else(String::new, |average| average.to_string()),
                    times.minimum.to_string(),
                    times.maximum.to_string(),
                ])
            });
            self.to.table(columns, rows)?;
        }
        if timings.iter().any(|timing| timing.properties.is_some()) {
            self.to.heading("kernels that ran")?;
            let columns = [
                ColumnHeader::text("kernel"),
                ColumnHeader::text("compiled"),
                ColumnHeader::number("SIMD"),
                ColumnHeader::number("arguments"),
                ColumnHeader::number("spill"),
                ColumnHeader::number("private"),
                ColumnHeader::number("SLM"),
                ColumnHeader::number("registers"),
            ];
            let known =
                |number: Option<u64>| number.map_or("unknown".to_owned(), |n| n.to_string());
            let rows = timings.iter().filter_map(|timing| {
                let of = timing.properties?;
                let simd = match of.simd {
                    Some(1) => "any".to_owned(),
                    simd => known(simd),
                };
                let compiled = timing.compiled.clone();
                Some([
                    timing_name(timing),
                    compiled.unwrap_or_else(|| "unknown".to_owned()),
                    simd,
                    known(of.arguments),
                    known(of.spill),
                    known(of.private),
                    known(of.slm),
                    known(of.registers),
                ])
            });
            self.to.table(columns, rows)?;
        }
        let is_command = |timing: &&KernelTiming| {
            let reason = timing.reason.as_deref();
            reason.is_some_and(|reason| reason.starts_with("a command"))
        };
        for timing in timings.iter().filter(|timing| !is_command(timing)) {
            let name = timing_name(timing);
            if let Some(reason) = &timing.reason {
                self.to
                    .item(&format!("kernel {name} is not matched: {reason}"))?;
            } else {
                let images = timing.images.iter().take(IMAGES).map(image_text);
                let images = images.collect::<Vec<_>>().join(", ");
                self.to.item(&format!("kernel {name}: {images}"))?;
            }
            for note in &timing.notes {
                self.to.sub_item(note)?;
            }
        }
        Ok(())
    }

    /// Writes the executions of a kernel's instructions.
    fn counts(&mut self, kernel: &KernelCounts) -> io::Result<()> {
        self.to.title(&format!("executions of {}", kernel.name))?;
        let counted = kernel.collected_runs;
        let counted = counted.filter(|counted| *counted != kernel.runs);
        let counted = counted.map(|counted| format!(", {counted} of them counted"));
        self.to.item(&format!(
            "{}{}, {}",
            plural(kernel.runs, "run"),
            counted.unwrap_or_default(),
            plural(kernel.executions, "executed instruction")
        ))?;
        if let Some(reason) = &kernel.reason {
            self.to.item(&format!("not matched: {reason}"))?;
        }
        if kernel.codes.len() > 1 {
            let count = kernel.codes.len();
            self.to.item(&format!(
                "the offsets fit {count} different builds of the kernel in the file; each follows"
            ))?;
        }
        for code in &kernel.codes {
            self.counted(code)?;
        }
        Ok(())
    }

    fn counted(&mut self, code: &CountedCode) -> io::Result<()> {
        let images = code.images.iter().take(IMAGES).map(image_text);
        let images = images.collect::<Vec<_>>().join(", ");
        self.to.item(&format!("code: {images}"))?;
        if let Some(threads) = code.threads {
            self.to.item(&plural(threads, "thread"))?;
        }
        if !code.elsewhere.is_empty() {
            let count = plural(code.elsewhere.len() as u64, "offset");
            let first = code.elsewhere.first().map_or(0, |at| at.offset);
            self.to.item(&format!(
                "{count} at no instruction of the code, from {first:#x}"
            ))?;
        }
        if !code.loops.is_empty() {
            self.to.heading("loops, by measured iterations")?;
            let columns = [
                ColumnHeader::text("loop"),
                ColumnHeader::number("depth"),
                ColumnHeader::number("iterations"),
                ColumnHeader::number("per thread"),
                ColumnHeader::number("cycles"),
            ];
            let mut loops: Vec<_> = code.loops.iter().collect();
            loops.sort_by_key(|found| std::cmp::Reverse(found.cycles));
            let rows = loops.into_iter().take(self.top).map(|found| {
                let threads = code.threads.filter(|threads| *threads > 0);
                let mean = threads.map(|threads| number(ratio(found.iterations, threads)));
                [
                    format!("{:#x}-{:#x}", found.start, found.end),
                    found.depth.to_string(),
                    found.iterations.to_string(),
                    mean.unwrap_or_default(),
                    found.cycles.to_string(),
                ]
            });
            self.to.table(columns, rows)?;
        }
        let key = |at: &&InstructionCounts| {
            let cost = at.cycles.unwrap_or(at.executions);
            std::cmp::Reverse((cost, at.executions))
        };
        let mut order: Vec<&InstructionCounts> = code.instructions.iter().collect();
        order.retain(|at| at.executions > 0);
        order.sort_by_key(key);
        self.to.heading("costliest instructions")?;
        for at in order.iter().take(self.top) {
            let lanes = at.mean_lanes();
            let lanes = lanes.map(|lanes| format!(", {} lanes", number(lanes)));
            let cycles = at.cycles.map(|cycles| format!(", {cycles} cycles"));
            let line = at.line.as_ref().map(|line| format!(", {}", position(line)));
            let function = at.function.as_ref().map(|name| format!(" in {name}"));
            self.to.entry(&format!(
                "{:#x}{}: {}{}{}{}",
                at.offset,
                function.unwrap_or_default(),
                plural(at.executions, "execution"),
                lanes.unwrap_or_default(),
                cycles.unwrap_or_default(),
                line.unwrap_or_default()
            ))?;
            self.to.instruction(&at.text)?;
        }
        self.accesses(code)
    }

    /// Writes the memory accesses, those with the most cache lines first.
    fn accesses(&mut self, code: &CountedCode) -> io::Result<()> {
        let with_access = code.instructions.iter();
        let with_access = with_access.filter_map(|at| Some((at, at.access.as_ref()?)));
        let mut order: Vec<_> = with_access.filter(|(at, _)| at.executions > 0).collect();
        if order.is_empty() {
            return Ok(());
        }
        order.sort_by_key(|(_, access)| std::cmp::Reverse(access.transferred_bytes()));
        self.to.heading("memory accesses")?;
        for (at, access) in order.into_iter().take(self.top) {
            let kind = match (access.is_atomic, access.is_write) {
                (true, _) => "atomic",
                (false, true) => "write",
                (false, false) => "read",
            };
            let memory = match (access.is_slm, access.is_scratch) {
                (true, _) => " of shared local memory",
                (_, true) => " of scratch memory",
                _ => "",
            };
            let mut words = vec![
                format!("{kind}{memory}"),
                format!(
                    "{} of {} per lane",
                    plural(access.elements, "element"),
                    plural(access.element_size, "byte")
                ),
            ];
            let executions = at.executions;
            if access.cache_lines > 0 {
                let lines = number(ratio(access.cache_lines, executions));
                words.push(format!("{lines} cache lines per execution"));
                if let Some(lanes) = at.lanes {
                    let (used, moved) = (access.used_bytes(lanes), access.transferred_bytes());
                    words.push(format!("{} of their bytes used", percent(used, moved)));
                }
            }
            let unaligned = percent(access.unaligned, executions);
            words.push(format!("{unaligned} not aligned to a cache line"));
            self.to
                .entry(&format!("{:#x}: {}", at.offset, words.join(", ")))?;
            if !access.strides.is_empty() {
                let mut strides = access.strides.clone();
                strides.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                let counts = strides.iter().map(|(_, count)| *count);
                let counts = counts.chain(access.other_strides);
                let all = counts.fold(0, u64::saturating_add);
                let listed = strides.iter().take(STRIDES);
                let listed = listed
                    .map(|(stride, count)| format!("{stride} bytes {}", percent(*count, all)));
                let listed = listed.collect::<Vec<_>>().join(", ");
                self.to
                    .sub_item(&format!("strides between lanes: {listed}"))?;
            }
            self.to.instruction(&at.text)?;
        }
        Ok(())
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
                self.to.instruction(&at.text)?;
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

/// Counts the kernels with samples: names on devices.
fn kernel_names(report: &ProfileReport) -> usize {
    let kernels = report.kernels.iter();
    let kernels = kernels.map(|kernel| (kernel.device, &kernel.name));
    let unmatched = report.unmatched.iter();
    let unmatched = unmatched.map(|kernel| (kernel.device, &kernel.name));
    let names: BTreeSet<_> = kernels.chain(unmatched).collect();
    names.len()
}

fn timing_name(timing: &KernelTiming) -> String {
    match timing.tile {
        Some(tile) => format!("{}, tile {tile}", timing.name),
        None => timing.name.clone(),
    }
}

#[allow(clippy::cast_precision_loss, reason = "two decimals are printed")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of.max(1) as f64
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
