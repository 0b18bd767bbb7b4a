//! Occupancy of a kernel, with fields for parameters that the file does not contain.

use yew::prelude::*;

use super::kernel_tables::{Line, table};
use super::props::PanelProps;
use crate::analysis::occupancy::{Occupancy, Origin};
use crate::model::Span;
use crate::model::text::escaped;
use crate::ui::browser::dom::{set_text, text_of};
use crate::ui::components::{plain, prose};
use crate::ui::hooks::use_change;
use crate::ui::session::occupancy::shown;
use crate::ui::state::occupancy::Field;
use crate::ui::text::format;

const DEVICE: &str = "occupancy-device";
const WORK_GROUP: &str = "occupancy-work-group";
const EUS: &str = "occupancy-eus";
const LOCAL: &str = "occupancy-local";

/// The occupancy section of the Arguments panel.
#[component]
pub fn Limits(props: &PanelProps) -> Html {
    let state = &props.view.occupancy;
    let here = props.session.clone();
    let selection = props.view.selection.serial.into();
    let place = props.view.lists.get(crate::tables::ListId::Kernels);
    let place = place.current().map_or(u64::MAX, |current| current.index);
    use_change(
        [selection, place, 0, 0],
        Box::new(move || here.0.follow_occupancy()),
    );
    let parameters = state.parameters.clone();
    // Not as the fields' values: a rendering would overwrite what the user types.
    let fill = move || {
        let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        set_text(DEVICE, parameters.device.as_deref().unwrap_or_default());
        set_text(WORK_GROUP, &number(parameters.work_group));
        set_text(EUS, &number(parameters.eus));
        set_text(LOCAL, &number(parameters.local_arguments));
    };
    use_change([0; 4], Box::new(fill));
    let field = |field: Field, id: &'static str, label: &'static str, hint: String| {
        let here = props.session.clone();
        let onchange = Callback::from(move |_: Event| here.0.set_occupancy(field, &text_of(id)));
        let list = (field == Field::Device).then_some("occupancy-devices");
        html! {
            <label for={id}>
                { label }
                <input {id} {list} type="text" autocomplete="off" spellcheck="false" placeholder={hint} {onchange} />
            </label>
        }
    };
    let kernel = shown(&props.view);
    let found = kernel.and_then(|kernel| state.of(kernel));
    let error = kernel.and_then(|kernel| state.error(kernel));
    let hint = |id: &str| {
        let value = found.and_then(|found| found.get(id));
        value.map_or_else(String::new, |value| value.to_string())
    };
    let device = found.and_then(|found| found.device.as_deref());
    let has_local = kernel.is_some_and(|kernel| state.has_local(kernel));
    html! {
        <section class="block occupancy" aria-labelledby="kernel-occupancy">
            <h3 id="kernel-occupancy">{ "Occupancy" }</h3>
            <p role="status">
                if let Some(found) = found { { prose(&found.summary) } } else if error.is_none() { { "not known yet …" } }
            </p>
            if let Some(why) = error { <p class="warn" role="alert">{ escaped(why) }</p> }
            <p class="device">
                { field(Field::WorkGroup, WORK_GROUP, "Work-group size", match hint("work_group") {
                    size if size.is_empty() => "256 or 16x16".to_owned(),
                    size => size,
                }) }
                { field(Field::Eus, EUS, "EUs per sub-slice", hint("eus")) }
                if has_local { { field(Field::LocalArguments, LOCAL, "Local arguments, bytes", hint("local_arguments")) } }
                { field(Field::Device, DEVICE, "Device", escaped(device.unwrap_or("bmg-g21, B580"))) }
                <datalist id="occupancy-devices">
                    { for props.view.opened.devices.iter().map(|name| html! { <option value={name.to_string()} /> }) }
                </datalist>
            </p>
            if let Some(found) = found {
                <details class="fold">
                    <summary>{ "Numbers and their sources" }</summary>
                    { numbers(found, props.view.selection.span) }
                </details>
            }
        </section>
    }
}

fn numbers(found: &Occupancy, selected: Option<Span>) -> Html {
    let device = Line::new(
        origin_span(&found.device_origin),
        vec![
            plain("Device"),
            plain(&escaped(found.device.as_deref().unwrap_or("–"))),
            origin(&found.device_origin),
        ],
    );
    let terms = found.terms.iter().map(|term| {
        let value = term.value.map_or_else(|| "–".to_owned(), format::grouped);
        Line::new(
            origin_span(&term.origin),
            vec![
                plain(&term.title),
                html! { <>if term.limits { <span class="warn">{ "limits " }</span> }{ value }</> },
                origin(&term.origin),
            ],
        )
    });
    let lines = [device].into_iter().chain(terms).collect();
    let head = &[("Number", false), ("Value", true), ("Source", false)];
    table(
        "kernel-limits",
        "Numbers and their sources".to_owned(),
        head,
        lines,
        selected,
    )
}

fn origin_span(origin: &Origin) -> Option<Span> {
    match origin {
        Origin::File(span) => Some(*span),
        _ => None,
    }
}

fn origin(origin: &Origin) -> Html {
    match origin {
        Origin::Missing(_) => html! { <span class="warn">{ escaped(&origin.words()) }</span> },
        origin => plain(&escaped(&origin.words())),
    }
}
