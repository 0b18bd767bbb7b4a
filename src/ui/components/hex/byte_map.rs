//! A map of the whole file as a narrow column: regions and visible part.

use yew::prelude::*;

use crate::model::{Area, NodeId, SourceId, Span};
use crate::ui::browser::dom::fraction_at;
use crate::ui::state::View;
use crate::ui::text::format;
use crate::ui::tree::Tree;

/// Resolution of the map.
const STEPS: usize = 256;

/// Properties of the map.
pub(crate) struct Map<'a> {
    /// The file.
    pub view: &'a View,
    /// The bytes of the source.
    pub whole: Span,
    /// The first visible byte.
    pub from: u64,
    /// The byte after the last visible one.
    pub to: u64,
}

/// The map; `jump` is called with the clicked position, from 0 to 1.
pub(crate) fn byte_map(map: &Map<'_>, jump: Callback<f64>) -> Html {
    let whole = map.whole;
    let go = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1
            && let Some(share) = fraction_at(&event)
        {
            jump.emit(share);
        }
    });
    let selection = &map.view.selection;
    let shown = selection.free || !selection.ancestry.is_empty();
    let selected = selection
        .span
        .filter(|span| span.source == whole.source && shown);
    let rect = |class: &'static str, (x, width): (u8, u8), start: u64, end: u64, least: u64| {
        let (y, height) = place(whole, start, end, least);
        html! { <rect {class} x={x.to_string()} width={width.to_string()} {y} {height} /> }
    };
    let edge =
        |step: usize| whole.start + (u128::from(whole.len()) * step as u128 / STEPS as u128) as u64;
    // Only for pointers: keyboard users scroll or use Go to.
    html! {
        <svg class="map" aria-hidden="true" onpointerdown={go.clone()} onpointermove={go}>
            { for runs(&areas(&map.view.tree, whole)).iter().map(|(area, start, end)| {
                rect(format::area_class(*area), (4, 8), edge(*start), edge(*end), 0)
            }) }
            { rect("in-view", (1, 14), map.from, map.to, 8) }
            { for selected.map(|span| rect("mark", (0, 3), span.start, span.end, 4)) }
        </svg>
    }
}

/// Position and height of a byte range as percentages; the minimum height is in thousandths.
fn place(whole: Span, start: u64, end: u64, least: u64) -> (String, String) {
    let share = |at: u64| {
        let at = u128::from(at.saturating_sub(whole.start));
        (at * 10_000 / u128::from(whole.len().max(1))) as u64
    };
    let height = (share(end).saturating_sub(share(start))).max(least * 10);
    let top = share(start).min(10_000_u64.saturating_sub(height));
    (format::hundredths(top), format::hundredths(height))
}

/// The region with the most bytes in each step.
fn areas(tree: &Tree, whole: Span) -> Vec<Option<Area>> {
    let mut most: Vec<(u64, Option<Area>)> = vec![(0, None); STEPS];
    if whole.source != SourceId::FILE || whole.is_empty() {
        return vec![None; STEPS];
    }
    let len = u128::from(whole.len());
    let edge = |step: usize| (len * step as u128 / STEPS as u128) as u64;
    for row in tree.loaded(NodeId::ROOT) {
        let Some(span) = row.span.filter(|span| span.source == whole.source) else {
            continue;
        };
        let first = (u128::from(span.start) * STEPS as u128 / len) as usize;
        let last = (u128::from(span.end) * STEPS as u128).div_ceil(len) as usize;
        for (step, best) in most
            .iter_mut()
            .enumerate()
            .take(last.min(STEPS))
            .skip(first)
        {
            let bytes = span
                .end
                .min(edge(step + 1))
                .saturating_sub(span.start.max(edge(step)));
            if bytes > best.0 {
                *best = (bytes, Some(row.area));
            }
        }
    }
    most.into_iter().map(|(_, area)| area).collect()
}

/// Merges neighbors of the same region.
fn runs(areas: &[Option<Area>]) -> Vec<(Area, usize, usize)> {
    let mut runs: Vec<(Area, usize, usize)> = Vec::new();
    for (step, area) in areas.iter().enumerate() {
        let Some(area) = area else { continue };
        match runs.last_mut() {
            Some((last, _, end)) if last == area && *end == step => *end += 1,
            _ => runs.push((*area, step, step + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tree::tests::opened;

    #[test]
    fn each_step_shows_its_largest_region() {
        let mut file = opened(2);
        for (row, (start, end)) in file.rows.iter_mut().zip([(0, 1000), (1000, 4096)]) {
            row.span = Some(Span::new(SourceId::FILE, start, end));
        }
        file.rows.last_mut().expect("two").area = Area::Code;
        let tree = Tree::new(&file);
        let areas = areas(&tree, Span::new(SourceId::FILE, 0, 4096));
        let runs = runs(&areas);
        assert_eq!(runs, [(Area::Header, 0, 63), (Area::Code, 63, 256)]);
    }
}
