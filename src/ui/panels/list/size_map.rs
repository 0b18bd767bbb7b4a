//! The treemap above a table of sizes, with the way to the groups around.

use std::rc::Rc;

use yew::prelude::*;

use crate::model::text::{cut_end, escaped};
use crate::sizes::{MapGroup, Part, SizeKey, SizeMap};
use crate::tables::query::SizeOptions;
use crate::ui::browser::dom::{focus_by_id, number_near, value_of};
use crate::ui::browser::keys::pressed;
use crate::ui::components::{button, plain, shortened};
use crate::ui::graphs::treemap::{Area, Direction, neighbor, squarified};
use crate::ui::hooks::use_local;
use crate::ui::panels::overview::legend;
use crate::ui::session::SessionContext;
use crate::ui::state::commands::Command;
use crate::ui::text::format;

/// The size of the drawing, in its own units: about those of the screen.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 360.0;
/// The height of the title of a group, and the width of its border.
const TITLE: f64 = 16.0;
const BORDER: f64 = 2.0;
/// The width of a character of a title.
const CHARACTER: f64 = 7.0;

/// The CSS class of a kind of bytes.
fn class(part: Part) -> &'static str {
    match part {
        Part::Instructions => "a-code",
        Part::Intermediate => "a-ir",
        Part::Data => "a-data",
        Part::Debug => "a-dbg",
        Part::Metadata => "a-meta",
        Part::Symbols => "a-sym",
        Part::Container => "a-hdr",
        Part::Copies => "a-note",
        Part::Host => "a-other",
        Part::NotRead => "a-pad",
    }
}

/// The groups around the ones that are shown, and what they are grouped by.
pub(super) fn controls(
    options: &SizeOptions,
    map: Option<&SizeMap>,
    onchange: Callback<Event>,
) -> Html {
    let by = options.by.or_else(|| map?.by);
    let within = options.within.iter().enumerate();
    html! { <>
        <select aria-label="Group by" title="What bytes are grouped by" {onchange}>
            { for SizeKey::ALL.into_iter().map(|key| html! {
                <option key={key.name()} value={key.name()} selected={Some(key) == by}>{ format!("by {}", key.name()) }</option>
            }) }
        </select>
        if !options.within.is_empty() {
            <nav class="crumbs" aria-label="Groups around">
                { button("link", Command::SizesUp(0), plain("whole file")) }
                { for within.map(|(at, of)| {
                    let text = shortened(&escaped(&format!("{} {}", of.key.name(), of.name)));
                    html! { <>
                        <span aria-hidden="true">{ " › " }</span>
                        if at + 1 < options.within.len() {
                            { button("link", Command::SizesUp(at + 1), text) }
                        } else {
                            <span aria-current="location">{ text }</span>
                        }
                    </> }
                }) }
            </nav>
        }
    </> }
}

/// The event that changes what sizes are grouped by.
pub(super) fn on_group(session: &SessionContext) -> Callback<Event> {
    let here = session.clone();
    Callback::from(move |event: Event| here.0.group_sizes(&value_of(&event)))
}

#[derive(Properties, Clone, PartialEq)]
pub(super) struct Props {
    pub(super) map: Rc<SizeMap>,
    pub(super) session: SessionContext,
}

/// A group in words: `bmg-g21: 55 MB, 37 %; Enter shows what is in it`.
fn label(group: &MapGroup, whole: u64) -> String {
    let title = title(group);
    let share = format::percent(group.stored, whole);
    let more = if group.others > 0 {
        ""
    } else {
        "; Enter shows what is in it"
    };
    format!("{title}: {}, {share}{more}", format::size(group.stored))
}

fn title(group: &MapGroup) -> String {
    match group.others {
        0 => escaped(&group.title),
        others => format!("{} others", format::grouped(others)),
    }
}

/// The text in a rectangle; `None` if there is no room for a few characters.
fn fitting(text: &str, width: f64) -> Option<String> {
    // A non-negative number.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let room = ((width - 2.0 * BORDER) / CHARACTER).max(0.0) as usize;
    (room >= 3).then(|| match text.chars().count() {
        count if count <= room => text.to_owned(),
        // The sign of the cut needs room, too.
        _ => cut_end(text, room - 1).into_owned(),
    })
}

/// The treemap: groups, and the groups in them, which are colored by their kind.
#[component]
pub(super) fn Treemap(props: &Props) -> Html {
    let map = &props.map;
    let current = use_local::<usize>();
    let sizes: Vec<u64> = map.groups.iter().map(|group| group.stored).collect();
    // The rest comes last, but is not the smallest.
    let whole = Area::new(0.0, 0.0, WIDTH, HEIGHT);
    let areas = squarified(&sizes, whole);
    let now = current.clone();
    let places = areas.clone();
    let here = props.session.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let Some(key) = pressed(&event) else { return };
        let from = number_near(&event, "data-group").and_then(|at| usize::try_from(at).ok());
        let Some(from) = from else { return };
        let to = match &*key {
            "Enter" | " " => {
                event.prevent_default();
                event.stop_propagation();
                return here.0.open_size_group(from);
            }
            "Home" => Some(0),
            "End" => places.len().checked_sub(1),
            key => match Direction::of_key(key) {
                Some(direction) => neighbor(&places, from, direction),
                None => return,
            },
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(to) = to {
            now.change(|current| *current = to);
            focus_by_id(&id(to));
        }
    });
    let active = current.get().min(areas.len().saturating_sub(1));
    let parts = Part::ALL.into_iter().zip(map.parts);
    let parts = parts.filter(|(_, size)| *size > 0);
    let by = map.by.map_or("", SizeKey::name);
    let name = format!(
        "Treemap of {} by {by}; arrow keys move, Enter shows what is in a group",
        format::bytes(map.stored)
    );
    html! {
        <div class="treemap">
            <svg role="group" aria-label={name} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} {onkeydown}>
                { for map.groups.iter().zip(&areas).enumerate().map(|(at, (group, area))| {
                    drawn(at, group, *area, map.stored, at == active)
                }) }
            </svg>
            <ul class="legend">
                { for parts.map(|(part, size)| legend(class(part), part.title(), size, map.stored, format::bytes(size))) }
            </ul>
        </div>
    }
}

/// The element id of a group.
fn id(at: usize) -> String {
    format!("size-group-{at}")
}

/// A group with its cells.
fn drawn(at: usize, group: &MapGroup, area: Area, whole: u64, is_active: bool) -> Html {
    let number = |number: f64| format!("{number:.1}");
    let has_title = area.height > TITLE + 8.0;
    let top = if has_title { TITLE } else { BORDER };
    let inner = area.within(top, BORDER);
    let sizes: Vec<u64> = group.cells.iter().map(|cell| cell.stored).collect();
    let places = inner.map_or_else(Vec::new, |inner| squarified(&sizes, inner));
    let command = (group.others == 0).then(|| Command::SizeGroup(at).to_string());
    let label = label(group, whole);
    let text = fitting(&title(group), area.width).filter(|_| has_title);
    html! {
        <g key={at} class="group" data-command={command}>
            // The texts in it are cut to what fits, so that they are not part of its name.
            <rect id={id(at)} class="frame" role="button" tabindex={if is_active { "0" } else { "-1" }}
                  aria-label={label.clone()} aria-disabled={(group.others > 0).then_some("true")} data-group={at.to_string()}
                  x={number(area.x)} y={number(area.y)} width={number(area.width)} height={number(area.height)}>
                <title>{ label }</title>
            </rect>
            { for group.cells.iter().zip(places).map(|(cell, place)| {
                let shown = fitting(&escaped(&cell.title), place.width).filter(|_| place.height > 14.0);
                let part = cell.part.title();
                let about = format!("{} · {}: {}, mostly {part}", title(group), escaped(&cell.title), format::size(cell.stored));
                html! { <g aria-hidden="true">
                    <rect class={classes!("cell", class(cell.part))} x={number(place.x)} y={number(place.y)}
                          width={number(place.width)} height={number(place.height)}><title>{ about }</title></rect>
                    if let Some(shown) = shown {
                        <text class="small" x={number(place.x + 3.0)} y={number(place.y + 12.0)}>{ shown }</text>
                    }
                </g> }
            }) }
            if let Some(text) = text {
                <text aria-hidden="true" x={number(area.x + 4.0)} y={number(area.y + 12.0)}>{ text }</text>
            }
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_fit() {
        assert_eq!(fitting("bmg-g21", 200.0).as_deref(), Some("bmg-g21"));
        assert_eq!(fitting("bmg-g21", 20.0), None);
        assert_eq!(
            fitting("a long name", 40.0).map(|text| text.chars().count() <= 5),
            Some(true)
        );
    }

    #[test]
    fn groups_have_words() {
        let mut group = MapGroup {
            title: "pvc".to_owned(),
            stored: 500,
            ..MapGroup::default()
        };
        assert!(label(&group, 1000).starts_with("pvc: 500"));
        group.others = 3;
        assert!(label(&group, 1000).starts_with("3 others: "));
    }
}
