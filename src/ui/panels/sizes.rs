//! Sizes by region and by part.

use yew::prelude::*;

use super::overview::{bar, legend};
use crate::model::sort;
use crate::model::{Area, NodeId, SourceId};
use crate::ui::components::{button, name_of, plain};
use crate::ui::session::tree::ROOT_MAX;
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::ui::tree::PAGE;
use crate::worker::protocol::Row;

/// Number of parts that are listed initially.
const SHOWN: usize = 24;
/// Maximum number of parts when expanded: tables of the page have a limit.
const SHOWN_MORE: usize = 100;

const AREAS: [Area; 10] = [
    Area::Code,
    Area::Ir,
    Area::Meta,
    Area::Data,
    Area::Symbol,
    Area::Note,
    Area::Debug,
    Area::Header,
    Area::Padding,
    Area::Inherit,
];

type Part<'a> = (u64, &'a Row);

/// A bar of the regions and a table of the parts.
pub(super) fn sizes(view: &View, more: bool) -> Html {
    let all = view.tree.count(view.tree.root()).unwrap_or(0).min(ROOT_MAX);
    let mut pages = (0..all.div_ceil(PAGE)).map(|page| page * PAGE);
    if pages.any(|start| !view.tree.has_page(NodeId::ROOT, start)) {
        // The sums would be those of the first parts.
        return html! {
            <section class="block">
                <h2>{ "Sizes" }</h2>
                <p class="dim" role="status">{ "not known yet …" }</p>
            </section>
        };
    }
    let parts = by_size(view);
    let total = view.opened.size;
    let shown = if more { SHOWN_MORE } else { SHOWN };
    let rest = parts.get(shown..).unwrap_or(&[]);
    let rest_bytes: u64 = rest.iter().map(|(size, _)| size).sum();
    let selected = view.selection.ancestry.first().map(|row| row.id);
    html! { <>
        <section class="block">
            <h2>{ if view.selection.documents().is_empty() { "Sizes" } else { "Sizes of the whole file" } }</h2>
            // An unknown format has no known parts.
            if !view.opened.summary.has.unknown { { areas(&parts, total, view.opened.summary.within.image) } }
        </section>
        <table class="sizes">
            <thead><tr>
                <th scope="col">{ "Part" }</th>
                <th scope="col">{ "Area" }</th>
                <th scope="col" class="num">{ "Offset" }</th>
                <th scope="col" class="num">{ "Size" }<small>{ "bytes" }</small></th>
                <th scope="col" class="num">{ "Share" }</th>
            </tr></thead>
            <tbody>
                { for parts.iter().take(shown).map(|(size, row)| part(row, *size, total, selected == Some(row.id))) }
            </tbody>
        </table>
        if !rest.is_empty() {
            <p class="block dim">
                { format!("{} more, {} in total. ", format::counted(rest.len() as u64, "part", "parts"), format::bytes(rest_bytes)) }
                if !more { { button("link", Command::MoreParts, plain("Show more")) } }
            </p>
        }
    </> }
}

fn by_size(view: &View) -> Vec<Part<'_>> {
    let size = |row: &Row| {
        row.span
            .filter(|s| s.source == SourceId::FILE)
            .map_or(0, |s| s.len())
    };
    let rows: Vec<&Row> = view.tree.loaded(NodeId::ROOT).collect();
    // Plain numbers, to share the sort code of all lists.
    let mut order: Vec<(u64, usize)> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| (u64::MAX - size(row), i))
        .collect();
    sort::ascending(&mut order);
    let parts = order
        .into_iter()
        .filter_map(|(_, i)| rows.get(i).map(|row| (size(row), *row)));
    parts.filter(|(size, _)| *size > 0).collect()
}

/// A bar of the regions. In a container of images, code means whole images with all of their
/// sections.
fn areas(parts: &[Part<'_>], total: u64, holds_images: bool) -> Html {
    let of = |area: Area| -> u64 {
        parts
            .iter()
            .filter(|(_, row)| row.area == area)
            .map(|(size, _)| size)
            .sum()
    };
    let sums = AREAS.map(|area| (area, of(area)));
    html! { <>
        { bar(&sums.map(|(area, sum)| (format::area_class(area), sum)), total) }
        <ul class="legend">
            { for sums.iter().filter(|(_, sum)| *sum > 0).map(|(area, sum)| {
                let name = match area {
                    Area::Code if holds_images => "device images",
                    area => format::area_name(*area),
                };
                legend(format::area_class(*area), name, *sum, total, format::size(*sum))
            }) }
        </ul>
    </> }
}

fn part(row: &Row, size: u64, total: u64, selected: bool) -> Html {
    let offset = row.span.map_or(0, |span| span.start);
    let cell = |text: String| html! { <td class="num">{ text }</td> };
    html! {
        <tr key={row.index} class={if selected { "sel" } else { "" }}>
            <td>{ button("cell", Command::SelectPart(row.index), name_of(row)) }</td>
            <td class="dim">
                { format::dot(row.area) }
                { format::area_name(row.area) }
            </td>
            { cell(format!("{offset:#x}")) }
            { cell(format::grouped(size)) }
            { cell(format::percent(size, total)) }
        </tr>
    }
}
