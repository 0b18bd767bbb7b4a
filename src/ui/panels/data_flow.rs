//! The data flow of the visible code: the summary above it, live registers beside it, and how an
//! instruction relates to the selected one.

use std::rc::Rc;

use yew::prelude::*;

use super::assembly::offset_link;
use crate::model::Span;
use crate::tables::{Detail, ListId, RelatedInstruction, Relation};
use crate::ui::browser::dom::fraction_at;
use crate::ui::components::{self, button, plain, span_button};
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::protocol::{FlowCell, FlowColumnKind, FlowOverview, FlowPiece, FlowTable};

/// Number of parts of the strip.
const PARTS: usize = 200;
/// Width of the bar of live registers, in pixels.
const BAR: u32 = 40;

/// The summary of the data flow, above the code.
pub(super) fn summary(view: &View) -> Html {
    let Some(key) = view.code_key() else {
        return Html::default();
    };
    // Before the first effect of the listing, nothing is requested.
    if !view.is_flow_asked() && view.code.report.is_asked(&key) {
        return html! {
            <div class="code-head flow">
                { button("btn2", Command::AnalyzeCode, plain("Analyze data flow")) }
                <span class="dim">{ "Live registers, loops, waits and spills of long code are computed on request." }</span>
            </div>
        };
    }
    let Some(flow) = view.flow() else {
        let words = match view.flow_answer() {
            Some(Err(why)) => why.to_string(),
            _ => "Analyzing data flow …".to_owned(),
        };
        return html! { <p class="code-head flow dim" role="status">{ words }</p> };
    };
    let folded: Rc<[u32]> = view.lists.get(ListId::Instructions).query.folded().into();
    html! {
        <div class="code-head flow" role="group" aria-label="Data flow">
            { for flow.facts.iter().map(|fact| html! {
                <span class={fact.is_limit.then_some("dim")} title={fact.title.clone()}>{ sentence(flow.of, &fact.text) }</span>
            }) }
            <span class="grow" />
            { for flow.tables.iter().enumerate().map(|(place, table)| {
                let (flow, folded) = (Rc::clone(flow), Rc::clone(&folded));
                let content = move || {
                    let table = flow.tables.get(place);
                    table.map_or_else(Html::default, |table| table_of(&flow, table, &folded))
                };
                table_menu(&table.title, table.count, Rc::new(content))
            }) }
            { meanings(flow) }
        </div>
    }
}

/// What the figures mean: a sentence for each, and guides.
fn meanings(flow: &Rc<FlowOverview>) -> Html {
    const GUIDES: [(&str, &str); 3] = [
        ("guides/spills.html", "Why does my kernel spill?"),
        ("guides/waits.html", "Where does my kernel wait?"),
        (
            "reference/command-line.html",
            "All figures, as zeview analyze prints them",
        ),
    ];
    let flow = Rc::clone(flow);
    components::menu(
        "What is this?".to_owned(),
        Rc::new(move || {
            let facts = flow.facts.iter().filter(|fact| !fact.title.is_empty());
            html! { <>
                <dl class="meanings">
                    { for facts.map(|fact| html! { <>
                        <dt>{ sentence(flow.of, &fact.text) }</dt>
                        <dd>{ fact.title.clone() }</dd>
                    </> }) }
                </dl>
                { components::manuals(&GUIDES) }
            </> }
        }),
    )
}

/// A link to the instruction at an offset of the code.
pub(super) fn at(of: Span, pc: u32, text: &str) -> Html {
    span_button("link", offset_link(of, pc), plain(text))
}

/// A sentence whose instructions are links.
fn sentence(of: Span, pieces: &[FlowPiece]) -> Html {
    html! { <>{ for pieces.iter().map(|piece| match piece {
        FlowPiece::Text(text) => plain(text),
        FlowPiece::At(pc) => at(of, *pc, &format!("+{pc:#x}")),
    }) }</> }
}

/// The menu of a table, with its number of rows.
pub(super) fn table_menu(title: &str, count: u64, content: Rc<dyn Fn() -> Html>) -> Html {
    components::menu(format!("{title} {}", format::grouped(count)), content)
}

/// A table of results. Loops can be folded.
fn table_of(flow: &FlowOverview, table: &FlowTable, folded: &[u32]) -> Html {
    let columns = table.columns.iter();
    let columns: Vec<(&str, bool)> = columns
        .map(|column| (&*column.title, column.kind == FlowColumnKind::Number))
        .collect();
    let rows = table.rows.iter().map(|row| {
        let mut fold = row.loop_at.and_then(|start| fold_of(flow, start, folded));
        html! { <tr>{ for row.cells.iter().zip(&table.columns).map(|(cell, column)| html! {
            <td class={match column.kind {
                FlowColumnKind::Number => "num",
                FlowColumnKind::Code => "mono",
                FlowColumnKind::Text => "",
            }}>{ for fold.take() }{ match cell {
                FlowCell::Number(0) => plain("–"),
                FlowCell::Number(count) => plain(&format::grouped(*count)),
                FlowCell::Text(pieces) => sentence(flow.of, pieces),
            } }</td>
        }) }</tr> }
    });
    table_with(
        &table.title,
        table.count,
        &columns,
        rows.collect(),
        &table.note,
    )
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
    // Its class says which one is the costliest.
    let words = found.name.trim_start_matches("costliest ").to_owned();
    Some(html! { <span {class} {title}>{ words }{ hidden }</span> })
}

/// A table in a menu, with the number of rows that are left out.
pub(super) fn table_with(
    title: &str,
    count: u64,
    heads: &[(&str, bool)],
    rows: Vec<Html>,
    note: &str,
) -> Html {
    let more = count.saturating_sub(rows.len() as u64);
    html! { <>
        <table class="plain">
            <caption class="unseen">{ title.to_owned() }</caption>
            <thead><tr>
                { for heads.iter().map(|(head, is_number)| html! { <th class={is_number.then_some("num")}>{ (*head).to_owned() }</th> }) }
            </tr></thead>
            <tbody>{ for rows }</tbody>
        </table>
        if more > 0 { <p class="dim small">{ format!("{} more: zeview analyze lists all.", format::grouped(more)) }</p> }
        <p class="dim small">{ note.to_owned() }</p>
    </> }
}

pub(super) fn number(count: u64) -> Html {
    match count {
        0 => html! { <td class="num dim">{ "–" }</td> },
        count => html! { <td class="num">{ format::grouped(count) }</td> },
    }
}

/// The number of live registers before an instruction, as a bar against the kernel's registers.
pub(super) fn live(flow: &FlowOverview, row: u64) -> Option<Html> {
    let live = u32::from(*flow.live.get(usize::try_from(row).ok()?)?);
    let width = |registers: u32| (registers.min(flow.most) * BAR / flow.most.max(1)).to_string();
    let class = if live > 0 && live == flow.peak {
        "live peak"
    } else {
        "live"
    };
    Some(html! {
        <span {class}>
            <svg aria-hidden="true" width={BAR.to_string()} height="12">
                <rect class="now" width={width(live)} height="12" />
                if let Some(more) = flow.more_threads {
                    <rect class="more" x={width(more)} width="1" height="12" />
                }
            </svg>
            { live.to_string() }
        </span>
    })
}

/// The live registers of all code as a narrow column. `jump` is called with the index of the clicked
/// instruction.
pub(super) fn strip(flow: &FlowOverview, jump: Callback<u64>) -> Html {
    let live: Vec<u64> = flow.live.iter().copied().map(u64::from).collect();
    // The last tenth before the limit.
    let limit = (flow.most.into(), 9);
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
    let share = |row: usize| format::share(row as u64, count as u64);
    let height = share(step);
    // Two paths instead of hundreds of elements.
    let [mut usual, mut high] = [String::new(), String::new()];
    for (part, values) in values.chunks(step).enumerate() {
        let value = u128::from(values.iter().copied().max().unwrap_or(0));
        let width = (value * 14 / limit).max(u128::from(value > 0));
        let is_high = value * 10 >= limit * u128::from(tenths);
        let path = if is_high { &mut high } else { &mut usual };
        let y = share(part * step);
        path.push_str(&format!("M0 {y}h{width}v{height}h-{width}z"));
    }
    // Only for pointers: keyboard users have the links of the summary.
    html! {
        <svg {class} viewBox="0 0 14 10000" preserveAspectRatio="none" aria-hidden="true" onpointerdown={go.clone()} onpointermove={go}>
            <title>{ title }</title>
            <path d={usual} />
            <path class="high" d={high} />
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
    let (class, words, title) = match related.relation {
        Relation::Producer => (
            "flow-mark producer",
            format!("← {cause}"),
            format!("writes {cause}"),
        ),
        Relation::Waited => (
            "flow-mark waited",
            format!("‖ {cause}"),
            format!("waited for: {cause}"),
        ),
        Relation::Consumer => (
            "flow-mark consumer",
            "→ reads it".to_owned(),
            "reads the result".to_owned(),
        ),
    };
    html! { <span {class} {title}>{ words }</span> }
}
