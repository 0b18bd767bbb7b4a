//! The data flow of the visible code: its tables, live registers and loops beside it, and how an
//! instruction relates to the selected one.

use yew::prelude::*;

use super::assembly::offset_link;
use crate::analysis::profile::total;
use crate::model::Span;
use crate::tables::{Detail, RelatedInstruction, Relation};
use crate::ui::browser::dom::fraction_at;
use crate::ui::components::{plain, span_button};
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::protocol::{
    CodeSamples, FlowCell, FlowColumn, FlowColumnKind, FlowOverview, FlowPiece, FlowTable,
};

/// Number of parts of the strip.
const PARTS: usize = 200;

/// A link to the instruction at an offset of the code.
pub(super) fn at(of: Span, pc: u32, text: &str) -> Html {
    span_button("link", offset_link(of, pc), plain(text))
}

/// A sentence whose instructions are links.
pub(super) fn sentence(of: Span, pieces: &[FlowPiece]) -> Html {
    html! { <>{ for pieces.iter().map(|piece| match piece {
        FlowPiece::Text(text) => plain(text),
        FlowPiece::At(pc) => at(of, *pc, &format!("+{pc:#x}")),
    }) }</> }
}

/// A table of results. Loops can be folded.
pub(super) fn table_of(flow: &FlowOverview, table: &FlowTable, folded: &[u32]) -> Html {
    let columns = table.columns.iter();
    let columns: Vec<(&str, Classes)> = columns
        .map(|column| (&*column.title, classes_of(column)))
        .collect();
    let rows = table.rows.iter().map(|row| {
        let mut fold = row.loop_at.and_then(|start| fold_of(flow, start, folded));
        html! { <tr>{ for row.cells.iter().zip(&table.columns).map(|(cell, column)| html! {
            <td class={classes_of(column)}>{ for fold.take() }{ match cell {
                FlowCell::Number(0) => plain("–"),
                FlowCell::Number(count) => plain(&format::grouped(*count)),
                FlowCell::Text(pieces) => sentence(flow.of, pieces),
            } }</td>
        }) }</tr> }
    });
    table_with(&table.title, table.count, &columns, rows.collect())
}

fn classes_of(column: &FlowColumn) -> Classes {
    let kind = match column.kind {
        FlowColumnKind::Number => Some("num"),
        FlowColumnKind::Code => Some("mono"),
        FlowColumnKind::Text => None,
    };
    classes!(kind, column.is_detail.then_some("detail"))
}

/// A button that folds or unfolds the loop at an offset of the code.
pub(super) fn fold_of(flow: &FlowOverview, start: u32, folded: &[u32]) -> Option<Html> {
    let found = flow.loop_at(start)?;
    let is_open = !folded.contains(&start);
    let label = format!("{}: {} instructions", found.name, found.instructions);
    Some(html! {
        <button type="button" class="fold-loop" title={label.clone()} aria-label={label} aria-expanded={is_open.to_string()}
                data-command={Command::FoldLoop(start.into()).to_string()} />
    })
}

/// Words beside the first instruction of a loop.
pub(super) fn loop_mark(flow: &FlowOverview, start: u32, folded: &[u32]) -> Option<Html> {
    let found = flow.loop_at(start)?;
    let is_folded = folded.contains(&start);
    let is_costliest = flow.loops.first() == Some(found);
    let class = classes!(
        "flow-mark",
        "loop",
        is_costliest.then_some("hot"),
        is_folded.then_some("folded"),
    );
    let hidden = found.instructions.saturating_sub(1);
    let hidden = is_folded.then(|| format!(", {hidden} instructions folded"));
    let title = found.name.clone();
    let issue = format::percent(found.issue, found.cycles);
    let cycles = format::counted(found.cycles, "cycle", "cycles");
    // Its class says which one is the costliest.
    Some(
        html! { <span {class} {title}><b>{ "loop" }</b>{ format!(" {cycles}, issue {issue}") }{ hidden }</span> },
    )
}

/// A table, with the number of rows that are left out.
pub(super) fn table_with(
    title: &str,
    count: u64,
    heads: &[(&str, Classes)],
    rows: Vec<Html>,
) -> Html {
    let more = count.saturating_sub(rows.len() as u64);
    html! { <>
        <table class="plain">
            <caption>{ title.to_owned() }</caption>
            <thead><tr>
                { for heads.iter().map(|(head, class)| html! { <th class={class.clone()}>{ (*head).to_owned() }</th> }) }
            </tr></thead>
            <tbody>{ for rows }</tbody>
        </table>
        if more > 0 { <p class="dim small">{ format!("{} more: zeview analyze lists all.", format::grouped(more)) }</p> }
    </> }
}

pub(super) fn number(count: u64) -> Html {
    match count {
        0 => html! { <td class="num dim">{ "–" }</td> },
        count => html! { <td class="num">{ format::grouped(count) }</td> },
    }
}

/// The class of a bar whose length is a share of its cell, in twentieths. Not 0 if the value is not.
pub(super) fn bar_class(value: u64, most: u64) -> &'static str {
    const CLASSES: [&str; 21] = [
        "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13",
        "w14", "w15", "w16", "w17", "w18", "w19", "w20",
    ];
    let share = u128::from(value) * 20 / u128::from(most.max(1));
    let share = share.max(u128::from(value > 0)).min(20);
    CLASSES.get(share as usize).copied().unwrap_or("w20")
}

/// The number of live registers before an instruction, with a bar against the kernel's registers.
pub(super) fn live(flow: &FlowOverview, row: u64) -> Option<Html> {
    let live = u32::from(*flow.live.get(usize::try_from(row).ok()?)?);
    let is_peak = live > 0 && live == flow.peak;
    // More threads run with the registers at the line.
    let more = flow.more_threads.map(|more| {
        let at = u64::from(more) * 20 / u64::from(flow.most.max(1));
        format!("more m{}", at.min(20))
    });
    let bar = bar_class(live.into(), flow.most.into());
    let class = classes!("live", bar, is_peak.then_some("peak"), more);
    Some(html! { <span {class}>{ live.to_string() }</span> })
}

/// Width of the strip, and the places of its lanes, in pixels.
const STRIP: u32 = 56;
const LOOP_LANES: [u32; 2] = [1, 5];
const LIVE_LANE: (u32, u32) = (10, 16);
const SPILL_LANE: (u32, u32) = (28, 6);
const FILL_LANE: (u32, u32) = (36, 6);
const SAMPLE_LANE: (u32, u32) = (44, 11);

/// All code as a narrow column: brackets of its loops, live registers, spills, fills and samples.
/// `jump` is called with the index of the clicked instruction. `is_whole`: the rows are all of the code,
/// and the visible ones can be framed.
pub(super) fn strip(
    flow: Option<&FlowOverview>,
    samples: Option<&CodeSamples>,
    count: u64,
    (current, is_whole): (Option<u64>, bool),
    jump: Callback<u64>,
) -> Html {
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
    // A few paths instead of hundreds of elements.
    let lane = |values: &[u64], most: u64, lane: (u32, u32)| lane_path(values, count, most, lane);
    let brackets = flow.map(|flow| brackets(flow, count));
    let drawn = flow.map(|flow| {
        let live: Vec<u64> = flow.live.iter().copied().map(u64::from).collect();
        let [mut spills, mut fills] = [(); 2].map(|()| vec![0; live.len()]);
        for (row, found) in &flow.scratch {
            let of = if found.role.is_store() {
                &mut spills
            } else {
                &mut fills
            };
            if let Some(one) = of.get_mut(*row as usize) {
                *one = 1;
            }
        }
        html! { <>
            <path class="live-lane" d={lane(&live, flow.most.into(), LIVE_LANE)} />
            <path class="spill-lane" d={lane(&spills, 1, SPILL_LANE)} />
            <path class="fill-lane" d={lane(&fills, 1, FILL_LANE)} />
        </> }
    });
    let stalls = samples.map(|samples| {
        let mut values = vec![0; usize::try_from(count).unwrap_or(0)];
        for row in &samples.rows {
            if let Some(value) = values.get_mut(row.row as usize) {
                // Few instructions have most of the samples.
                *value = total(&row.counts).isqrt();
            }
        }
        html! { <path class="sample-lane" d={lane(&values, samples.most.isqrt(), SAMPLE_LANE)} /> }
    });
    let here = current.map(|row| {
        let y = format::share(row, count);
        html! { <path class="here" d={format!("M0 {y}h{STRIP}")} /> }
    });
    // Only for pointers: keyboard users have the links of the figures.
    html! {
        <svg class="heat" viewBox={format!("0 0 {STRIP} 10000")} preserveAspectRatio="none" aria-hidden="true" onpointerdown={go.clone()} onpointermove={go}>
            <title>{ "All code: loops, live registers, spills, fills, samples" }</title>
            { brackets }
            { drawn }
            { stalls }
            { here }
            // Its place is that of the rows, in the styles.
            if is_whole { <rect class="seen" width={STRIP.to_string()} /> }
        </svg>
    }
}

/// The values of all instructions as bars from the left edge of a lane. `most` has its full width.
fn lane_path(values: &[u64], count: u64, most: u64, (x, width): (u32, u32)) -> String {
    let step = values.len().div_ceil(PARTS).max(1);
    let most = u128::from(most.max(1));
    let height = format::share(step as u64, count);
    let mut path = String::new();
    for (part, values) in values.chunks(step).enumerate() {
        let value = u128::from(values.iter().copied().max().unwrap_or(0));
        if value > 0 {
            let width = (value * u128::from(width) / most).clamp(1, width.into());
            let y = format::share((part * step) as u64, count);
            path.push_str(&format!("M{x} {y}h{width}v{height}h-{width}z"));
        }
    }
    path
}

/// The brackets of loops; that of the costliest is darker.
fn brackets(flow: &FlowOverview, count: u64) -> Html {
    let [mut usual, mut hot] = [String::new(), String::new()];
    for (place, found) in flow.loops.iter().enumerate() {
        let x = match found.depth {
            0 | 1 => LOOP_LANES[0],
            // Deeper ones share the second lane.
            _ => LOOP_LANES[1],
        };
        let (start, end) = found.rows;
        let y = format::share(start.into(), count);
        let height = format::share(end.saturating_sub(start).into(), count).max(1);
        let path = if place == 0 { &mut hot } else { &mut usual };
        path.push_str(&format!("M{} {y}h-3v{height}h3", x + 3));
    }
    html! { <>
        <path class="loop-lane" d={usual} />
        <path class="loop-lane hot" d={hot} />
    </> }
}

/// Returns the relation of the instruction with these bytes to the selected one, from the details
/// of that one.
pub(super) fn relation_of(detail: &Detail, entry: Span) -> Option<&RelatedInstruction> {
    let Detail::Instruction(detail) = detail else {
        return None;
    };
    detail.related.iter().find(|related| related.to == entry)
}

/// The relation of an instruction to the selected one: a sign, and the bytes or the condition.
pub(super) fn mark(related: &RelatedInstruction) -> Html {
    let cause = related.cause.clone();
    let (class, sign, title) = match related.relation {
        Relation::Producer => ("flow-mark producer", "←", format!("value from: {cause}")),
        Relation::Waited => ("flow-mark waited", "‖", format!("waited for: {cause}")),
        Relation::Consumer => (
            "flow-mark consumer",
            "→",
            format!("uses the result: {cause}"),
        ),
    };
    html! { <span {class} {title}><b>{ sign }</b>{ cause }</span> }
}
