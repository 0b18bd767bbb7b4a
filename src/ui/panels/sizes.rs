//! Where the bytes go: by area, and part by part.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use crate::model::{Area, NodeId, SourceId};
use crate::ui::hooks::{number_near, use_session};
use crate::ui::selection::Via;
use crate::ui::words;
use crate::worker::protocol::Row;

/// So many parts are listed before somebody asks for more.
const SHOWN: usize = 24;
/// And so many then: a table in the page has at most so many rows.
const SHOWN_MORE: usize = 100;

const AREAS: [Area; 9] = [
    Area::Code,
    Area::Ir,
    Area::Meta,
    Area::Data,
    Area::Symbol,
    Area::Note,
    Area::Debug,
    Area::Header,
    Area::Padding,
];

/// A table of sizes.
#[component]
pub fn Sizes(props: &PanelProps) -> Html {
    let session = use_session();
    let all = use_state_eq(|| false);
    let tree = Rc::clone(&props.view.tree);
    let parts = by_size(tree.loaded(NodeId::ROOT));
    let total = props.view.opened.size;
    let shown = if *all { SHOWN_MORE } else { SHOWN };
    let rest = parts.len().saturating_sub(shown);
    let rest_bytes: u64 = parts.iter().skip(shown).map(|(size, _)| size).sum();
    let largest = parts.first().map_or(0, |(size, _)| *size);
    let selected = props.view.selection.way.first().map(|row| row.id);

    let onclick = {
        let tree = Rc::clone(&tree);
        Callback::from(move |event: MouseEvent| {
            let row = number_near(&event, "data-part").and_then(|i| tree.child(NodeId::ROOT, i));
            if let Some(row) = row {
                session.select_row(row, Via::Jump);
            }
        })
    };
    let more = {
        let all = all.setter();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    let (column, align) = ("Part", "num");
    html! { <>
        <section class="block">
            <h2>{ "Where the bytes go" }</h2>
            { areas(&parts, total) }
        </section>
        <table class="sizes" {onclick}>
            <thead><tr>
                <th scope="col">{ column }</th>
                <th scope="col">{ "Area" }</th>
                <th scope="col" class={align}>{ "Offset" }</th>
                <th scope="col" class={align}>{ "Size" }<small>{ "bytes" }</small></th>
                <th scope="col" class={align}>{ "Share" }</th>
                <th scope="col" class="wide"><span class="unseen">{ "Size as a bar" }</span></th>
            </tr></thead>
            <tbody>
                { for parts.iter().take(shown).map(|(size, row)| {
                    part(row, *size, total, largest, selected == Some(row.id))
                }) }
            </tbody>
        </table>
        if rest > 0 {
            <p class="block dim">
                { format!("and {} more with {} ", words::counted(rest as u64, "part", "parts"), words::bytes(rest_bytes)) }
                if !*all {
                    <button type="button" class="link" onclick={more}>{ "show more" }</button>
                }
            </p>
        }
    </> }
}

fn by_size<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(u64, &'a Row)> {
    let parts: Vec<_> = rows
        .filter_map(|row| Some((row.span.filter(|s| s.source == SourceId::FILE)?.len(), row)))
        .filter(|(size, _)| *size > 0)
        .collect();
    // Plain numbers: the same code sorts all lists.
    let mut order: Vec<(u64, usize)> = (0..).zip(&parts).map(|(i, (size, _))| (u64::MAX - size, i)).collect();
    order.sort_unstable();
    order.into_iter().filter_map(|(_, i)| parts.get(i).copied()).collect()
}

fn areas(parts: &[(u64, &Row)], total: u64) -> Html {
    let of = |area: Area| -> u64 {
        let same = |a: Area| a == area || (area == Area::Header && a == Area::Inherit);
        let sizes = parts.iter().filter(|(_, row)| same(row.area));
        sizes.map(|(size, _)| size).sum()
    };
    let sums: Vec<_> = AREAS.iter().map(|a| (*a, of(*a))).filter(|(_, s)| *s > 0).collect();
    let mut at = 0.0;
    html! { <>
        <svg class="bar" aria-hidden="true">
            { for sums.iter().map(|(area, sum)| {
                let x = at;
                let width = 100.0 * *sum as f64 / total.max(1) as f64;
                at += width;
                html! {
                    <rect class={words::area_class(*area)} x={pc(x)} y="0" width={pc(width.max(0.2))} height="100%" />
                }
            }) }
        </svg>
        <ul class="legend">
            { for sums.iter().map(|(area, sum)| html! {
                <li>
                    <span class={classes!("dot", words::area_class(*area))} aria-hidden="true" />
                    { words::area_name(*area) }{ " " }
                    <b>{ words::percent(*sum, total) }</b>
                    <span class="dim">{ words::size(*sum) }</span>
                </li>
            }) }
        </ul>
    </> }
}

fn part(row: &Row, size: u64, total: u64, largest: u64, selected: bool) -> Html {
    let width = 100.0 * size as f64 / largest.max(1) as f64;
    let offset = row.span.map_or(0, |span| span.start);
    html! {
        <tr key={row.index} class={classes!(selected.then_some("sel"))}>
            <td>
                <button type="button" class="link cell" data-part={row.index.to_string()}>
                    { crate::ui::components::name_of(row) }
                </button>
            </td>
            <td class="dim">{ words::area_name(row.area) }</td>
            <td class="num">{ format!("{offset:#x}") }</td>
            <td class="num">{ words::grouped(size) }</td>
            <td class="num">{ words::percent(size, total) }</td>
            <td class="wide">
                <svg class="bar thin" aria-hidden="true">
                    <rect class={words::area_class(row.area)} width={pc(width.max(0.3))} height="100%" />
                </svg>
            </td>
        </tr>
    }
}

fn pc(share: f64) -> String {
    let hundredths = (share * 100.0) as u64;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}
