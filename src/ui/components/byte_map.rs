//! The whole file as a thin column: which area is where, and which part is in view.

use yew::prelude::*;

use crate::model::{Area, NodeId, SourceId, Span};
use crate::ui::hooks::fraction_at;
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::tree::Tree;
use crate::ui::words;

/// So many steps are told apart.
const STEPS: usize = 256;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Shared<View>,
    /// All bytes of the source.
    pub whole: Span,
    /// The first byte in view.
    pub from: u64,
    /// The byte after the last one in view.
    pub to: u64,
    /// Called with the byte to go to.
    pub jump: Callback<u64>,
}

/// The column beside the bytes.
#[component]
pub fn ByteMap(props: &Props) -> Html {
    let whole = props.whole;
    let runs = use_memo((Shared::from(&props.view.tree), whole), |(tree, whole)| {
        runs(&areas(tree, *whole))
    });
    let jump = props.jump.clone();
    let go = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1
            && let Some(share) = fraction_at(&event)
        {
            let at = whole.start + (share * whole.len() as f64) as u64;
            jump.emit(at.min(whole.end.saturating_sub(1)));
        }
    });
    let place = |at: u64| 100.0 * at.saturating_sub(whole.start) as f64 / whole.len().max(1) as f64;
    let (top, bottom) = (place(props.from), place(props.to));
    let selection = &props.view.selection;
    let selected = selection.span.filter(|span| {
        span.source == whole.source && (selection.free || !selection.way.is_empty())
    });
    // The browser's scroll bar and go to offset are there for everybody else.
    html! {
        <svg class="map" aria-hidden="true" onpointerdown={go.clone()} onpointermove={go}>
            { for runs.iter().map(|(area, start, end)| {
                let step = 100.0 / STEPS as f64;
                html! {
                    <rect class={words::area_class(*area)} x="4" width="8"
                          y={pc(*start as f64 * step)} height={pc((*end - *start) as f64 * step)} />
                }
            }) }
            <rect class="in-view" x="1" width="14" y={pc(top)} height={pc((bottom - top).max(0.8))} />
            if let Some(span) = selected {
                <rect class="mark" x="0" width="3" y={pc(place(span.start).min(99.6))}
                      height={pc((place(span.end) - place(span.start)).max(0.4))} />
            }
        </svg>
    }
}

fn pc(share: f64) -> String {
    let hundredths = (share * 100.0) as u64;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// The area that has the most bytes in each step.
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
        for (step, best) in most.iter_mut().enumerate().take(last.min(STEPS)).skip(first) {
            let bytes = span.end.min(edge(step + 1)).saturating_sub(span.start.max(edge(step)));
            if bytes > best.0 {
                *best = (bytes, Some(row.area));
            }
        }
    }
    most.into_iter().map(|(_, area)| area).collect()
}

/// Neighbours of the same area together.
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
    fn each_step_has_the_area_with_the_most_bytes() {
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
