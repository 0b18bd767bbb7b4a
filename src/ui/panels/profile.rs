//! The profile of a file: its summary on the overview, and the samples of the visible code: in all, a
//! bar beside each instruction, and the details of one.

use yew::prelude::*;

use super::assembly::offset_link;
use super::data_flow::{at, bar_class, number, table_with};
use super::overview::bar;
use crate::analysis::profile::{
    ACTIVE, InstructionCounts, InstructionSamples, KernelTiming, stalled, total,
};
use crate::model::Span;
use crate::model::text::{cut_middle, escaped};
use crate::tables::ListId;
use crate::ui::components::{button, plain, prose, shortened, span_button};
use crate::ui::state::commands::Command;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::ui::text::profile::metrics;
use crate::worker::protocol::{CodeSamples, CountedKernel, ProfileOverview, ProfiledKernel};

/// Number of the most stalled instructions that are named in a sentence.
const NAMED: usize = 2;
/// Number of problems of a profile that are listed.
const PROBLEMS: usize = 20;

/// The colors of stall types.
fn class(stall: &str) -> &'static str {
    match stall {
        ACTIVE => "st-active",
        "SbidStall" => "st-sbid",
        "DistStall" => "st-dist",
        "SendStall" => "st-send",
        "PipeStall" => "st-pipe",
        "SyncStall" => "st-sync",
        "ControlStall" => "st-control",
        "InstrFetchStall" => "st-fetch",
        _ => "st-other",
    }
}

/// The stall types with samples, in descending order.
fn by_count<'a>(types: &'a [String], counts: &'a [u64]) -> Vec<(&'a str, u64)> {
    let both = types.iter().map(String::as_str).zip(counts.iter().copied());
    let mut both: Vec<(&str, u64)> = both.filter(|(_, count)| *count > 0).collect();
    crate::model::sort::by_key(&mut both, |(_, count)| u64::MAX - count);
    both
}

/// A stall type: its color, name and share.
fn stall_type(name: &str, count: u64, all: u64) -> Html {
    html! {
        <span class="stall-type" title={format!("{} samples", format::grouped(count))}>
            <svg class="key" aria-hidden="true"><rect class={class(name)} width="100%" height="100%" /></svg>
            { name.to_owned() }
            { " " }
            <b>{ format::percent(count, all) }</b>
        </span>
    }
}

/// The stall type with the most samples.
fn worst<'a>(types: &'a [String], counts: &'a [u64]) -> Option<&'a str> {
    let all = by_count(types, counts);
    let mut stalls = all.into_iter().filter(|(name, _)| *name != ACTIVE);
    Some(stalls.next()?.0)
}

/// The samples by type in words, in descending order.
fn in_words(types: &[String], counts: &[u64]) -> String {
    let words = by_count(types, counts).into_iter();
    let words = words.map(|(name, count)| format!("{name} {}", format::grouped(count)));
    words.collect::<Vec<String>>().join(", ")
}

/// A link that shows the instruction at an offset.
fn code_link(code: Span, offset: u64, text: Html) -> Html {
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    button("link", Command::ShowCodeAt(offset_link(code, offset)), text)
}

/// The section of the overview.
pub(super) fn section(view: &View) -> Html {
    let profile = &view.profile;
    html! { <>
        if let Some((name, percent)) = &profile.reading {
            <section class="block profile" aria-label="Profile">
                <div class="rowc" role="status">
                    { format!("Reading {name} … {percent} %") }
                    { button("btn2", Command::CancelProfile, plain("Cancel")) }
                </div>
            </section>
        }
        if let Some(why) = &profile.failed {
            <section class="block profile" aria-label="Profile">
                <p class="warn" role="status"><span class="sign" aria-hidden="true">{ "▲" }</span>{ prose(&escaped(why)) }</p>
            </section>
        }
        if let Some(overview) = &profile.overview { { overview_of(overview) } }
    </> }
}

fn overview_of(overview: &ProfileOverview) -> Html {
    let types = &overview.types;
    let all = total(&overview.samples);
    let parts = by_count(types, &overview.samples);
    let colors: Vec<(&'static str, u64)> = parts
        .iter()
        .map(|(name, count)| (class(name), *count))
        .collect();
    let has_devices = {
        let mut devices = overview.kernels.iter().map(|kernel| kernel.device);
        let first = devices.next().flatten();
        devices.any(|device| device != first)
    };
    html! {
        <section class="block profile" aria-label="Profile">
            <div class="block-head">
                <h2>{ "Profile " }<span class="dim mono">{ escaped(&overview.name) }</span></h2>
                if all > 0 {
                    <span class="dim">{ format!(
                        "{}, {} stalled",
                        format::counted(all, "sample", "samples"),
                        format::percent(stalled(types, &overview.samples), all),
                    ) }</span>
                }
            </div>
            if all > 0 {
                { bar(&colors, all) }
                <div class="legend">{ for parts.iter().map(|(name, count)| stall_type(name, *count, all)) }</div>
            }
            if overview.lost > 0 {
                <p class={if is_mostly_lost(overview) { "warn" } else { "dim small" }}>{ format!(
                    "{} ({}) at no instruction of the file.",
                    format::counted(overview.lost, "sample is", "samples are"),
                    format::percent(overview.lost, all),
                ) }</p>
            }
            if !overview.kernels.is_empty() {
                <table class="plain">
                    <caption class="unseen">{ "Kernels by samples" }</caption>
                    <thead><tr>
                        <th>{ "Kernel" }</th>
                        if has_devices { <th class="num">{ "Device" }</th> }
                        <th>{ "Image" }</th>
                        <th class="num">{ "Samples" }</th>
                        <th class="num">{ "Share" }</th>
                        <th class="num">{ "Stalled" }</th>
                        <th>{ "Most stalled" }</th>
                        <th>{ "Waits for" }</th>
                    </tr></thead>
                    <tbody>{ for overview.kernels.iter().map(|kernel| kernel_row(overview, kernel, has_devices)) }</tbody>
                </table>
            }
            if !overview.unmatched.is_empty() {
                <table class="plain">
                    <caption>{ "Not matched: nothing is shown for these kernels" }</caption>
                    <thead><tr><th>{ "Kernel" }</th><th class="num">{ "Samples" }</th><th>{ "Reason" }</th></tr></thead>
                    <tbody>{ for overview.unmatched.iter().map(|kernel| html! { <tr>
                        <td>{ shortened(&escaped(&kernel.name)) }{ for device(kernel.device.filter(|_| has_devices)) }</td>
                        { number(kernel.samples) }
                        <td>{ prose(&escaped(&kernel.reason)) }</td>
                    </tr> }) }</tbody>
                </table>
            }
            { timings(overview) }
            { counts(&overview.counts) }
            if !overview.metrics.is_empty() {
                <p>{ button("link", Command::Panel(PanelId::KERNELS), plain(&metrics(&overview.metrics))) }</p>
            }
            if overview.left_out > 0 {
                <p class="dim small">{ format!("{} more kernels: zeview profile lists all.", format::grouped(overview.left_out)) }</p>
            }
            { problems(overview) }
        </section>
    }
}

fn device(number: Option<u32>) -> Option<Html> {
    let number = number?;
    Some(html! { <span class="dim">{ format!(" device {number}") }</span> })
}

fn kernel_row(overview: &ProfileOverview, kernel: &ProfiledKernel, has_devices: bool) -> Html {
    let all = total(&kernel.samples);
    let image = kernel.images.first();
    let code = image.map(|image| image.code);
    let name = shortened(&escaped(&kernel.name));
    let stall = kernel.stalls.first();
    let cause = stall.and_then(|stall| stall.causes.first());
    let more = kernel.images.len().saturating_sub(1);
    html! { <tr>
        <td>{ match code {
            Some(code) => code_link(code, stall.map_or(0, |stall| stall.offset), name),
            None => name,
        } }{ for notes(overview, kernel, code) }</td>
        if has_devices { <td class="num">{ kernel.device.map(|device| device.to_string()) }</td> }
        <td title={kernel.images.iter().map(|image| escaped(&image.path)).collect::<Vec<String>>().join("\n")}>
            if let Some(image) = image {
                { image.target.as_deref().map_or_else(|| escaped(if image.path.is_empty() { "the file" } else { &image.path }), escaped) }
            }
            if more > 0 { <span class="dim">{ format!(" and {more} more") }</span> }
            if kernel.is_ambiguous { <span class="mark warn" title="The samples fit different builds of this kernel: it is not known which one ran.">{ "several builds" }</span> }
        </td>
        { number(all) }
        <td class="num">{ format::percent(all, total(&overview.samples)) }</td>
        <td class="num">{ format::percent(stalled(&overview.types, &kernel.samples), all) }</td>
        <td>if let (Some(code), Some(stall)) = (code, stall) {
            <span class="mono">{ code_link(code, stall.offset, plain(&format!("+{:#x}", stall.offset))) }</span>
            { format!(" {}", share(&overview.types, stall, all)) }
        }</td>
        <td>if let (Some(code), Some(cause)) = (code, cause) {
            <span class="mono">{ code_link(code, cause.offset, plain(&format!("+{:#x}", cause.offset))) }</span>
            <span class="dim mono" title={escaped(&cause.text)}>{ format!(" {}", cut_middle(&escaped(&cause.operation), 60)) }</span>
        }</td>
    </tr> }
}

/// Whether most samples are at no instruction.
fn is_mostly_lost(overview: &ProfileOverview) -> bool {
    let all = total(&overview.samples);
    overview.lost > all.saturating_sub(overview.lost)
}

/// The functions of a kernel, and what is to be known of its samples; a line each.
fn notes(overview: &ProfileOverview, kernel: &ProfiledKernel, code: Option<Span>) -> Vec<Html> {
    let all = total(&kernel.samples);
    let line = |text: String| html! { <div class="dim small">{ text }</div> };
    let mut lines: Vec<Html> = kernel
        .functions
        .iter()
        .filter(|_| kernel.functions.len() > 1)
        .map(|function| {
            let samples = total(&function.own);
            let share = format!(
                " {} ({}), {} stalled",
                format::counted(samples, "sample", "samples"),
                format::percent(samples, all),
                format::percent(stalled(&overview.types, &function.own), samples),
            );
            let name = shortened(&escaped(&function.function));
            html! { <div class="small">
                { match code {
                    Some(code) => code_link(code, function.start, name),
                    None => name,
                } }
                <span class="dim">{ share }</span>
            </div> }
        })
        .collect();
    let [blocks, of_blocks] = kernel.blocks;
    if of_blocks > 1 {
        lines.push(line(format!(
            "{blocks} of {of_blocks} blocks of rows with this name: modules that were loaded"
        )));
    }
    if let Some(assumption) = &kernel.assumption {
        lines.push(line(format!("assumed: {assumption}")));
    }
    let [after, between] = kernel.elsewhere;
    let places = [
        (
            after,
            "after the end of the code: of code that follows in memory",
        ),
        (
            between,
            "not at the start of an instruction: damaged rows, or another build",
        ),
    ];
    for (count, place) in places {
        if count > 0 {
            let samples = format::counted(count, "sample", "samples");
            lines.push(line(format!(
                "{samples} ({}) {place}",
                format::percent(count, all)
            )));
        }
    }
    lines
}

/// The device times and properties of kernels.
fn timings(overview: &ProfileOverview) -> Html {
    if overview.timings.is_empty() {
        return Html::default();
    }
    let row = |timing: &KernelTiming| {
        let figure = |of: Option<u64>| of.map(format::grouped);
        let times = timing.times;
        let average = times.and_then(|times| times.total.checked_div(times.calls));
        let properties = timing.properties.unwrap_or_default();
        let tile = timing.tile.map(|tile| format!(" tile {tile}"));
        let simd = match properties.simd {
            Some(1) => Some("any".to_owned()),
            simd => figure(simd),
        };
        let remarks = timing.reason.iter().chain(&timing.notes);
        let name = shortened(&escaped(&timing.name));
        let code = timing.images.first().map(|image| image.code);
        html! { <tr>
            <td>
                { match code.filter(|code| !code.is_empty()) {
                    Some(code) => code_link(code, 0, name),
                    None => name,
                } }
                <span class="dim">{ tile }</span>
                { for remarks.map(|remark| html! { <div class="dim small">{ escaped(remark) }</div> }) }
            </td>
            <td class="num">{ figure(times.map(|times| times.calls)) }</td>
            <td class="num">{ figure(times.map(|times| times.total)) }</td>
            <td class="num">{ times.map(|times| format::percent(times.total, overview.device_time)) }</td>
            <td class="num">{ figure(average) }</td>
            <td>{ timing.compiled.clone() }</td>
            <td class="num">{ simd }</td>
            <td class="num">{ figure(properties.spill) }</td>
            <td class="num">{ figure(properties.private) }</td>
            <td class="num">{ figure(properties.slm) }</td>
            <td class="num">{ figure(properties.registers) }</td>
        </tr> }
    };
    let heads = [
        ("Kernel", false),
        ("Calls", true),
        ("Time, ns", true),
        ("Share", true),
        ("Average, ns", true),
        ("Compiled", false),
        ("SIMD", true),
        ("Spill, B", true),
        ("Private, B", true),
        ("SLM, B", true),
        ("Registers", true),
    ];
    html! {
        <table class="plain">
            <caption>{ "Device times, and the kernels that ran" }</caption>
            <thead><tr>{ for heads.into_iter().map(|(head, is_number)| html! {
                <th class={is_number.then_some("num")}>{ head }</th>
            }) }</tr></thead>
            <tbody>{ for overview.timings.iter().map(row) }</tbody>
        </table>
    }
}

/// The kernels whose executions were counted.
fn counts(counts: &[CountedKernel]) -> Html {
    let found: Vec<&CountedKernel> = counts.iter().filter(|of| of.reason.is_none()).collect();
    if found.is_empty() {
        return Html::default();
    }
    let row = |kernel: &CountedKernel| {
        let code = kernel.images.first().map(|image| image.code);
        let at = kernel.costliest.as_ref();
        let name = shortened(&escaped(&kernel.name));
        html! { <tr>
            <td>{ match code {
                Some(code) => code_link(code, at.map_or(0, |at| at.offset), name),
                None => name,
            } }</td>
            { number(kernel.runs) }
            <td class="num">{ kernel.threads.map(format::grouped) }</td>
            { number(kernel.executions) }
            <td>if let (Some(code), Some(at)) = (code, at) {
                <span class="mono">{ code_link(code, at.offset, plain(&format!("+{:#x}", at.offset))) }</span>
                { format!(" {}", executed(at)) }
            }</td>
        </tr> }
    };
    html! {
        <table class="plain">
            <caption>{ "Executions" }</caption>
            <thead><tr>
                <th>{ "Kernel" }</th>
                <th class="num">{ "Runs" }</th>
                <th class="num">{ "Threads" }</th>
                <th class="num">{ "Executed instructions" }</th>
                <th>{ "Costliest" }</th>
            </tr></thead>
            <tbody>{ for found.into_iter().map(row) }</tbody>
        </table>
    }
}

/// The executions of an instruction in words.
fn executed(at: &InstructionCounts) -> String {
    let executions = format::counted(at.executions, "execution", "executions");
    match at.mean_lanes() {
        Some(lanes) => format!("{executions}, {lanes:.1} lanes"),
        None => executions,
    }
}

/// The executions and memory accesses of the instruction at an offset.
fn counted(found: &InstructionCounts) -> Html {
    let access = found.access.as_ref().map(|access| {
        let mut words = Vec::new();
        if access.cache_lines > 0 {
            words.push(format::counted(
                access.cache_lines,
                "cache line",
                "cache lines",
            ));
            if let Some(lanes) = found.lanes {
                let (used, moved) = (access.used_bytes(lanes), access.transferred_bytes());
                words.push(format!(
                    "{} of their bytes used",
                    format::percent(used, moved)
                ));
            }
        }
        let unaligned = format::percent(access.unaligned, found.executions);
        words.push(format!("{unaligned} not aligned"));
        let strides = access.strides.iter();
        let most = strides.max_by_key(|(_, count)| *count);
        words.extend(most.map(|(stride, _)| format!("mostly {stride} bytes between lanes")));
        words.join(", ")
    });
    html! {
        <div class="stalled" role="group" aria-label="Executions">
            <p class="said"><b>{ executed(found) }</b></p>
            if let Some(access) = access { <p class="dim">{ access }</p> }
        </div>
    }
}

/// The share of an instruction among the samples of its kernel, and its most frequent stall type.
fn share(types: &[String], samples: &InstructionSamples, all: u64) -> String {
    let percent = format::percent(total(&samples.counts), all);
    match worst(types, &samples.counts) {
        Some(stall) => format!("{percent} {stall}"),
        None => percent,
    }
}

fn problems(overview: &ProfileOverview) -> Html {
    let shown = overview.problems.len().min(PROBLEMS);
    let more = overview.problems.len().saturating_sub(shown) as u64 + overview.more_problems;
    if shown == 0 {
        return Html::default();
    }
    html! {
        <details class="problems-of" open={true}>
            <summary class="warn">{ format!(
                "{}, {} skipped",
                format::counted(shown as u64 + more, "problem", "problems"),
                format::counted(overview.skipped_rows, "row", "rows"),
            ) }</summary>
            <ul class="rows">
                { for overview.problems.iter().take(PROBLEMS).map(|problem| html! {
                    <li><b>{ format!("Line {}: ", format::grouped(problem.line)) }</b>{ prose(&escaped(&problem.message)) }</li>
                }) }
                if more > 0 { <li class="dim">{ format!("{} more", format::grouped(more)) }</li> }
            </ul>
        </details>
    }
}

/// What is to be said of a profile in the line above the code: that it is being read, or why nothing of it
/// is shown.
pub(super) fn status(view: &View) -> Html {
    let profile = &view.profile;
    let of = view.lists.get(ListId::Instructions).query.of;
    if let Some((name, percent)) = &profile.reading {
        return html! {
            <span role="status">
                { format!("Reading {name} … {percent} %") }
                { button("btn2", Command::CancelProfile, plain("Cancel")) }
            </span>
        };
    }
    if let Some(why) = &profile.failed {
        return html! { <span class="warn" role="status">{ prose(&escaped(why)) }</span> };
    }
    let Some(overview) = profile
        .overview
        .as_ref()
        .filter(|_| profile.samples_of(of).is_none())
    else {
        return Html::default();
    };
    let known = of.and_then(|of| profile.samples.to(&of));
    let counted = known.and_then(Option::as_ref);
    let counted = counted.map_or(0, |code| code.counts.len());
    let words = match known {
        _ if counted > 0 => format!(
            "{}: executions of {}. Columns has Executions, Lanes and Cache lines.",
            overview.name,
            format::counted(counted as u64, "instruction", "instructions"),
        ),
        Some(_) => format!("{} has no samples in this code.", overview.name),
        None => return Html::default(),
    };
    html! { <span class="dim">{ words }</span> }
}

/// The samples of the visible code in a few words: their number, and the share of the most frequent
/// stall.
pub(super) fn figure(samples: &CodeSamples) -> Html {
    let all = total(&samples.samples);
    let parts = by_count(&samples.types, &samples.samples);
    let stall = parts.iter().find(|(name, _)| *name != ACTIVE);
    html! { <>
        <b>{ format::grouped(all) }</b>{ " samples" }
        if let Some((name, count)) = stall {
            { format!(", {name} ") }<b>{ format::percent(*count, all) }</b>
        }
    </> }
}

/// The samples of the visible code: by type, the most stalled instructions, and what those wait for.
pub(super) fn about_code(samples: &CodeSamples) -> Html {
    let types = &samples.types;
    let all = total(&samples.samples);
    let parts = by_count(types, &samples.samples);
    let named = samples.most_stalled().take(NAMED);
    html! { <>
        <p>
            <b>{ format::counted(all, "sample", "samples") }</b>
            { format!(", {} stalled", format::percent(stalled(types, &samples.samples), all)) }
        </p>
        <div class="legend">{ for parts.iter().map(|(name, count)| stall_type(name, *count, all)) }</div>
        <p>{ for named.enumerate().map(|(place, stall)| html! { <span>
            { if place == 0 { "most stalled: " } else { "; then " } }
            { at_offset(samples.of, stall.offset) }
            { format!(", {}", share(types, stall, all)) }
            if let Some(cause) = stall.causes.first() {
                { ", waits for " }
                { at_offset(samples.of, cause.offset) }
            }
        </span> }) }</p>
        { stalls(samples) }
    </> }
}

fn at_offset(of: Span, offset: u64) -> Html {
    let pc = u32::try_from(offset).unwrap_or(u32::MAX);
    at(of, pc, &format!("+{pc:#x}"))
}

/// The most stalled instructions, and all stall types.
fn stalls(samples: &CodeSamples) -> Html {
    let types = &samples.types;
    let all = total(&samples.samples);
    let row = |stall: &InstructionSamples| {
        html! { <tr>
            <td class="mono">{ at_offset(samples.of, stall.offset) }</td>
            { number(total(&stall.counts)) }
            <td class="num detail">{ format::percent(total(&stall.counts), all) }</td>
            <td class="detail" title={in_words(types, &stall.counts)}>{ stack(types, &stall.counts, samples.most, 80) }</td>
            <td>{ worst(types, &stall.counts).map(str::to_owned) }</td>
            <td>{ for stall.causes.iter().take(NAMED).map(|cause| html! { <div>
                { at_offset(samples.of, cause.offset) }
                <span class="dim mono">{ format!(" {} {}", cause.on, cause.bytes.join(" ")) }</span>
            </div> }) }</td>
        </tr> }
    };
    let heads = [
        ("Instruction", classes!()),
        ("Samples", classes!("num")),
        ("Share", classes!("num", "detail")),
        ("By type", classes!("detail")),
        ("Stall", classes!()),
        ("Waits for", classes!()),
    ];
    let rows: Vec<Html> = samples.most_stalled().map(row).collect();
    let count = rows.len() as u64;
    table_with("Stalls", count, &heads, rows)
}

/// A bar of samples by type. `most` samples have the whole width.
fn stack(types: &[String], counts: &[u64], most: u64, width: u32) -> Html {
    let scaled = |count: u64| {
        let scaled = u128::from(count) * u128::from(width) / u128::from(most.max(1));
        u32::try_from(scaled).unwrap_or(width).min(width)
    };
    let mut before = 0_u64;
    let parts = by_count(types, counts).into_iter().map(|(name, count)| {
        let x = scaled(before);
        before = before.saturating_add(count);
        // Each instruction with samples has at least one pixel.
        let end = scaled(before).max(u32::from(x == 0));
        html! { <rect class={class(name)} x={x.to_string()} width={end.saturating_sub(x).to_string()} height="12" /> }
    });
    html! { <svg aria-hidden="true" width={width.to_string()} height="12">{ for parts }</svg> }
}

/// The samples of an instruction: a bar by type, and their number.
pub(super) fn cell(samples: &CodeSamples, row: u64) -> Html {
    let Some(found) = samples.row(row) else {
        return Html::default();
    };
    let count = total(&found.counts);
    let share = format::percent(count, total(&samples.samples));
    let title = format!("{share}: {}", in_words(&samples.types, &found.counts));
    // A thousandth of all.
    let is_hot = count >= total(&samples.samples).div_ceil(1000);
    html! {
        <span class={classes!("samples", bar_class(count, samples.most), is_hot.then_some("hot"))} {title}>{ format::grouped(count) }</span>
    }
}

/// Number of characters of the largest number of samples.
pub(super) fn digits(samples: &CodeSamples) -> u32 {
    let text = format::grouped(samples.most);
    u32::try_from(text.chars().count()).unwrap_or(8)
}

/// The samples of the instruction at these bytes: by type, and what causes its stalls.
pub(super) fn about(view: &View, entry: Span) -> Option<Html> {
    let of = view.lists.get(ListId::Instructions).query.of?;
    let samples = view.profile.samples.to(&of)?.as_ref()?;
    let offset = entry.start.checked_sub(of.start)?;
    let executions = samples.counts_at(offset).map(counted);
    let Some(found) = samples.at(offset) else {
        return executions;
    };
    let (types, count) = (&samples.types, total(&found.counts));
    Some(html! { <>
        { executions }
        <div class="stalled" role="group" aria-label="Samples">
            <p class="said">
                <b>{ format::counted(count, "sample", "samples") }</b>
                { format!(", {} of this code", format::percent(count, total(&samples.samples))) }
            </p>
            <div class="legend">{ for by_count(types, &found.counts).into_iter().map(|(name, of)| stall_type(name, of, count)) }</div>
            <ul class="xrefs">
                { for found.causes.iter().map(|cause| {
                    let bytes = match cause.bytes.as_slice() {
                        [] => String::new(),
                        bytes => format!(" ({})", bytes.join(" ")),
                    };
                    let label = format!("{} at +{:#x}{bytes}", cause.on, cause.offset);
                    let pc = u32::try_from(cause.offset).unwrap_or(u32::MAX);
                    html! { <li>
                        <span class="dim">{ "stalled by" }</span>
                        { span_button("link", offset_link(of, pc), shortened(&label)) }
                    </li> }
                }) }
            </ul>
        </div>
    </> })
}
