//! The data flow of the visible code: the summary above it, live registers beside it, and how an
//! instruction relates to the selected one.

use yew::prelude::*;

use super::assembly::offset_link;
use crate::analysis::data_flow::{Bottleneck, LoopReport, SlotReport, SpillPattern, WaitReport};
use crate::model::Span;
use crate::tables::{Detail, ListId, RelatedInstruction, Relation};
use crate::ui::browser::dom::fraction_at;
use crate::ui::components::{button, plain, span_button};
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::protocol::FlowOverview;

/// Maximum number of rows of a table in a menu.
const ROWS: usize = 100;
/// Maximum number of links in a cell.
const LINKS: usize = 6;
/// Number of parts of the strip.
const PARTS: usize = 200;
/// Width of the bar of live registers, in pixels.
const BAR: u32 = 40;

/// The summary of the data flow, above the code.
pub(super) fn summary(view: &View) -> Html {
    let code = &view.code;
    let of = view.lists.get(ListId::Instructions).query.of;
    if code.requested.is_none() {
        return Html::default();
    }
    if code.flow_requested != code.requested {
        return html! {
            <div class="code-head flow">
                { button("btn2", Command::AnalyzeCode, plain("Analyze data flow")) }
                <span class="dim">{ "Live registers, loops, waits and spills of long code are computed on request." }</span>
            </div>
        };
    }
    let Some(flow) = code.flow_of(of) else {
        let words = match &code.flow {
            Some(Err(why)) => why.to_string(),
            _ => "Analyzing data flow …".to_owned(),
        };
        return html! { <p class="code-head flow dim" role="status">{ words }</p> };
    };
    let report = &flow.report;
    let of = flow.of;
    html! {
        <div class="code-head flow" role="group" aria-label="Data flow">
            if let Some(peak) = &report.peak {
                <span>
                    { at(of, peak.pc, &match flow.grf_count {
                        Some(all) => format!("{} of {all} registers live", peak.registers),
                        None => format!("{} registers live", peak.registers),
                    }) }
                    { " at the peak" }
                </span>
                if let Some(range) = &peak.longest {
                    <span title="The value that is live the longest across the peak">
                        { "longest: " }
                        { at(of, range.from.unwrap_or(0), &format!("{} from {}", range.register, match range.from {
                            Some(pc) => format!("+{pc:#x}"),
                            None => "the start".to_owned(),
                        })) }
                        { " to " }
                        { at(of, range.to, &format!("+{:#x}", range.to)) }
                    </span>
                }
            }
            if let Some(hottest) = report.hottest.and_then(|at| report.loops.get(at as usize)) {
                <span title="The innermost loop with the most cycles per iteration, as the compiler's scheduler assumes">
                    { "costliest loop: " }
                    { at(of, hottest.start, &format!("+{:#x}", hottest.start)) }
                    { format!(", {} cycles, bound by ", format::grouped(hottest.cycles)) }
                    { bound(of, &hottest.bottleneck) }
                </span>
            }
            if let Some(dead @ 1..) = report.dead_writes {
                <span>{ format::counted(dead.into(), "dead write", "dead writes") }</span>
            }
            { for report.limits.iter().map(|limit| html! { <span class="dim">{ limit.clone() }</span> }) }
            if flow.left_out > 0 {
                <span class="dim">{ format!(
                    "{} not listed here: zeview analyze lists all",
                    format::counted(flow.left_out, "loop, slot or pattern", "loops, slots and patterns"),
                ) }</span>
            }
            <span class="grow" />
            { loops(flow) }
            { waits(flow) }
            { slots(flow) }
            { patterns(flow) }
        </div>
    }
}

/// A link to the instruction at an offset of the code.
pub(super) fn at(of: Span, pc: u32, text: &str) -> Html {
    span_button("link", offset_link(of, pc), plain(text))
}

/// Links to the first of several instructions.
fn all_at(of: Span, pcs: &[u32]) -> Html {
    let more = pcs.len().saturating_sub(LINKS);
    html! { <>
        { for pcs.iter().take(LINKS).map(|pc| html! { <>{ at(of, *pc, &format!("+{pc:#x}")) }{ " " }</> }) }
        if more > 0 { <span class="dim">{ format!("{} more", format::grouped(more as u64)) }</span> }
    </> }
}

/// The bottleneck of a loop; offsets in it are links.
fn bound(of: Span, bottleneck: &Bottleneck) -> Html {
    match bottleneck {
        Bottleneck::Wait { pc, producer } => html! { <>
            { "wait at " }{ at(of, *pc, &format!("+{pc:#x}")) }
            { " for " }{ at(of, *producer, &format!("+{producer:#x}")) }
        </> },
        other => plain(&other.to_string()),
    }
}

/// A menu with a table.
pub(super) fn menu(
    title: &str,
    count: u64,
    heads: &[(&'static str, bool)],
    rows: Vec<Html>,
    note: &str,
) -> Html {
    let more = count.saturating_sub(rows.len() as u64);
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ format!("{title} {}", format::grouped(count)) }</summary>
            <div class="pop tall">
                <table class="plain">
                    <caption class="unseen">{ title.to_owned() }</caption>
                    <thead><tr>
                        { for heads.iter().map(|(head, is_number)| html! { <th class={is_number.then_some("num")}>{ *head }</th> }) }
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
                if more > 0 { <p class="dim small">{ format!("{} more: zeview analyze lists all.", format::grouped(more)) }</p> }
                <p class="dim small">{ note.to_owned() }</p>
            </div>
        </details>
    }
}

pub(super) fn number(count: u64) -> Html {
    match count {
        0 => html! { <td class="num dim">{ "–" }</td> },
        count => html! { <td class="num">{ format::grouped(count) }</td> },
    }
}

/// The loops, the costliest first.
fn loops(flow: &FlowOverview) -> Html {
    let of = flow.of;
    let mut loops: Vec<&LoopReport> = flow.report.loops.iter().collect();
    if loops.is_empty() {
        return Html::default();
    }
    crate::model::sort::by_key(&mut loops, |found| {
        (!found.innermost, u64::MAX - found.cycles)
    });
    let row = |found: &&LoopReport| {
        let loaded = found.moved.iter().map(|moved| moved.loaded).sum();
        let stored = found.moved.iter().map(|moved| moved.stored).sum();
        html! { <tr>
            <td class="mono">{ at(of, found.start, &format!("+{:#x}", found.start)) }</td>
            { number(found.depth.into()) }
            { number(found.instructions.into()) }
            { number(found.dpas.into()) }
            { number(loaded) }
            { number(stored) }
            { number(found.spills.into()) }
            { number(found.fills.into()) }
            { number(found.waits.into()) }
            { number(found.cycles) }
            <td class="nowrap">{ bound(of, &found.bottleneck) }</td>
        </tr> }
    };
    let heads = [
        ("Loop", false),
        ("Depth", true),
        ("Instructions", true),
        ("dpas", true),
        ("Loads, B", true),
        ("Stores, B", true),
        ("Spills", true),
        ("Fills", true),
        ("Waits", true),
        ("Cycles", true),
        ("Bound by", false),
    ];
    let all = flow.report.loops.len() as u64;
    let rows = loops.iter().take(ROWS).map(row).collect();
    let note = "An iteration of one thread, with the cycles that the compiler's scheduler assumes.";
    menu("Loops", all, &heads, rows, note)
}

/// The costliest waits.
fn waits(flow: &FlowOverview) -> Html {
    let of = flow.of;
    let waits = &flow.report.waits;
    if waits.is_empty() {
        return Html::default();
    }
    let row = |wait: &WaitReport| {
        let on = wait.waits.iter().map(|wait| {
            html! { <div>
                <span class="mono">{ wait.on.clone() }</span>
                if let Some(pc) = wait.pc { { " of " }{ at(of, pc, &format!("+{pc:#x}")) } }
                <span class="dim">{ match wait.bytes.as_slice() {
                    [] => " no data in common".to_owned(),
                    bytes => format!(" {}", bytes.join(" ")),
                } }</span>
            </div> }
        });
        html! { <tr>
            <td class="mono">{ at(of, wait.pc, &format!("+{:#x}", wait.pc)) }</td>
            { number(wait.cycles.into()) }
            { number(wait.depth.into()) }
            <td>{ for on }</td>
        </tr> }
    };
    let heads = [
        ("Instruction", false),
        ("Cycles", true),
        ("Loop depth", true),
        ("Waits for", false),
    ];
    let rows = waits.iter().take(ROWS).map(row).collect();
    let note = "The costliest waits, the deepest loops first: one thread alone, as the compiler's scheduler assumes.";
    menu("Waits", waits.len() as u64, &heads, rows, note)
}

/// The spills by slot.
fn slots(flow: &FlowOverview) -> Html {
    let of = flow.of;
    let slots = &flow.report.slots;
    if slots.is_empty() {
        return Html::default();
    }
    let mut order: Vec<&SlotReport> = slots.iter().collect();
    crate::model::sort::by_key(&mut order, |slot| {
        let messages = slot.writers.len() + slot.readers.len();
        (u32::MAX - slot.depth, usize::MAX - messages)
    });
    let row = |slot: &&SlotReport| {
        html! { <tr>
            <td class="mono">{ slot.address.clone() }</td>
            { number(slot.bytes.into()) }
            { number(slot.depth.into()) }
            <td class="mono">{ all_at(of, &slot.writers) }</td>
            <td class="mono">{ all_at(of, &slot.readers) }</td>
        </tr> }
    };
    let heads = [
        ("Slot", false),
        ("Bytes", true),
        ("Loop depth", true),
        ("Written at", false),
        ("Read at", false),
    ];
    let rows = order.iter().take(ROWS).map(row).collect();
    let note =
        "Scratch memory by address: spills write it, fills read it. The deepest loops first.";
    menu("Spill slots", slots.len() as u64, &heads, rows, note)
}

/// The spills that cost more than necessary.
fn patterns(flow: &FlowOverview) -> Html {
    let of = flow.of;
    let patterns = &flow.report.patterns;
    if patterns.is_empty() {
        return Html::default();
    }
    // The rarest first: most spills are in loops.
    let of_kind = |kind: &str| patterns.iter().filter(|other| other.kind == kind).count();
    let mut order: Vec<(usize, &SpillPattern)> = patterns
        .iter()
        .map(|pattern| (of_kind(&pattern.kind), pattern))
        .collect();
    crate::model::sort::by_key(&mut order, |(count, _)| *count);
    let row = |(_, pattern): &(usize, &SpillPattern)| {
        html! { <tr>
            <td class="nowrap">{ pattern.kind.clone() }</td>
            <td class="mono">{ pattern.address.clone() }</td>
            <td class="mono">{ all_at(of, &pattern.places) }</td>
            <td>{ pattern.text.clone() }</td>
        </tr> }
    };
    let heads = [
        ("Pattern", false),
        ("Slot", false),
        ("At", false),
        ("Explanation", false),
    ];
    let rows = order.iter().take(ROWS).map(row).collect();
    let note = "Spills that may be avoidable, the rarest pattern first.";
    menu("Spill patterns", patterns.len() as u64, &heads, rows, note)
}

/// The number of live registers before an instruction, as a bar against the kernel's registers.
pub(super) fn live(flow: &FlowOverview, row: u64) -> Option<Html> {
    let live = u32::from(*flow.live.get(usize::try_from(row).ok()?)?);
    let most = most(flow);
    let width = |registers: u32| (registers.min(most) * BAR / most.max(1)).to_string();
    let peak = flow.report.peak.as_ref().map(|peak| peak.registers);
    let class = if live > 0 && peak == Some(live) {
        "live peak"
    } else {
        "live"
    };
    Some(html! {
        <span {class}>
            <svg aria-hidden="true" width={BAR.to_string()} height="12">
                <rect class="all" width={BAR.to_string()} height="12" />
                <rect class="now" width={width(live)} height="12" />
            </svg>
            { live.to_string() }
        </span>
    })
}

/// The length of a full bar, in registers.
fn most(flow: &FlowOverview) -> u32 {
    let peak = flow.report.peak.as_ref().map_or(0, |peak| peak.registers);
    flow.grf_count.unwrap_or(128).max(peak)
}

/// The live registers of all code as a narrow column. `jump` is called with the index of the clicked
/// instruction.
pub(super) fn strip(flow: &FlowOverview, jump: Callback<u64>) -> Html {
    let live: Vec<u64> = flow.live.iter().copied().map(u64::from).collect();
    // The last tenth before the limit.
    let limit = (most(flow).into(), 9);
    strip_of_values("heat", "Live registers of all code", &live, limit, jump)
}

/// The values of all instructions as a narrow column. A bar of the full width is `limit`; bars from
/// `tenths` tenths of it on are highlighted.
pub(super) fn strip_of_values(
    class: &'static str,
    title: &'static str,
    values: &[u64],
    (limit, tenths): (u64, u64),
    jump: Callback<u64>,
) -> Html {
    let count = values.len();
    if count == 0 {
        return Html::default();
    }
    let go = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1
            && let Some(share) = fraction_at(&event)
        {
            jump.emit((share * (count - 1) as f64) as u64);
        }
    });
    let step = count.div_ceil(PARTS);
    let limit = u128::from(limit.max(1));
    let share = |row: usize| format::hundredths(format::share(row as u64, count as u64));
    let height = share(step);
    let parts = values.chunks(step).enumerate().map(|(part, values)| {
        let value = u128::from(values.iter().copied().max().unwrap_or(0));
        let width = (value * 14 / limit).max(u128::from(value > 0)).to_string();
        let is_high = value * 10 >= limit * u128::from(tenths);
        let class = if is_high { "high" } else { "" };
        html! { <rect {class} y={share(part * step)} {width} height={height.clone()} /> }
    });
    // Only for pointers: keyboard users have the links of the summary.
    html! {
        <svg {class} aria-hidden="true" onpointerdown={go.clone()} onpointermove={go}>
            <title>{ title }</title>
            { for parts }
        </svg>
    }
}

/// Returns the relation of the instruction with these bytes to the selected one, from the details
/// of that one.
pub(super) fn relation_of(detail: &Detail, entry: Span) -> Option<&RelatedInstruction> {
    let Detail::Instruction(detail) = detail else {
        return None;
    };
    detail.related.iter().find(|related| related.to == entry)
}

/// A sign beside the offset of a related instruction.
pub(super) fn sign(relation: Relation) -> Html {
    let (class, sign) = match relation {
        Relation::Producer => ("flow-sign producer", "←"),
        Relation::Waited => ("flow-sign waited", "‖"),
        Relation::Consumer => ("flow-sign consumer", "→"),
    };
    // The words beside the instruction say it.
    html! { <span {class} aria-hidden="true">{ sign }</span> }
}

/// Words beside a related instruction.
pub(super) fn mark(related: &RelatedInstruction) -> Html {
    let cause = &related.cause;
    let (class, words) = match related.relation {
        Relation::Producer => ("flow-mark producer", format!("← writes {cause}")),
        Relation::Waited => ("flow-mark waited", format!("← waited for: {cause}")),
        Relation::Consumer => ("flow-mark consumer", "→ reads the result".to_owned()),
    };
    html! { <span {class}>{ words }</span> }
}
