//! One kernel in full: its arguments, what the hardware is set up for, and where its parts
//! are.

use yew::prelude::*;

use super::PanelProps;
use super::kernel_ruler::{payload_words, ruler};
use super::kernel_tables::{arguments, others, payload, properties};
use crate::model::Tone;
use crate::model::kernels::{HazardKind, KernelDetail};
use crate::model::text::escaped;
use crate::ui::components::{button, plain, prose, span_button};
use crate::ui::hooks::use_change;
use crate::ui::kernel_table::KernelTable;
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::words;

/// A kernel's own page.
#[component]
pub fn Arguments(props: &PanelProps) -> Html {
    let table = &props.view.kernels;
    let serial = u64::from(props.view.selection.serial);
    let opened = Shared::from(&props.view.opened).address();
    let here = props.session.clone();
    use_change(
        [serial, u64::from(table.rows.generation), opened, 0],
        Box::new(move || here.0.follow_kernels()),
    );
    // The crumb says how many there are.
    let here = props.session.clone();
    use_change(
        [u64::from(table.rows.generation), opened, 0, 0],
        Box::new(move || here.0.need_kernels(0, 1)),
    );
    match (&table.detail, &table.failed) {
        (Some(detail), _) => page(&props.view, detail),
        (None, Some(why)) => calm(prose(why)),
        (None, None) if table.rows.found == Some(0) => {
            calm(plain("There is no kernel to be shown."))
        }
        (None, None) => html! { <div class="panel" /> },
    }
}

fn calm(text: Html) -> Html {
    html! { <div class="panel calm"><p>{ text }</p></div> }
}

fn page(view: &View, detail: &KernelDetail) -> Html {
    let selected = view.selection.span;
    html! {
        <div class="panel kernel" key={detail.row.index}>
            { crumb(&view.kernels) }
            { head(detail) }
            <div class="block">
                <h3>{ payload_words(detail) }</h3>
                { ruler(detail, selected) }
            </div>
            { payload(detail, selected) }
            { arguments(detail, selected) }
            { others(detail, selected) }
            { properties("kernel-env", "Execution environment", &detail.execution_env, selected) }
            { properties("kernel-user", "Asked for in the source", &detail.user_attributes, selected) }
            { properties("kernel-others", "Experimental properties and debugging", &detail.others, selected) }
        </div>
    }
}

/// Which kernel of how many, and the way to the others.
fn crumb(table: &KernelTable) -> Html {
    let step = |with: &str, label: &'static str, sign: &'static str, can: bool| {
        html! {
            <button type="button" class="ico" data-do="kernels" data-with={with.to_owned()} aria-label={label} title={label} disabled={!can}>{ sign }</button>
        }
    };
    let found = table.rows.found.unwrap_or(0);
    let place = table.current.and_then(|current| current.place);
    let (before, after) = match place {
        Some(place) => (place > 0, place + 1 < found),
        None => (found > 0, found > 0),
    };
    html! {
        <nav class="filters crumbs" aria-label="Kernels">
            { button("link", "kernels", "table".to_owned(), plain("All kernels")) }
            <span class="dim" aria-hidden="true">{ "▸" }</span>
            <span class="dim">
                if let Some(place) = place { { format!("{} of {}", words::grouped(place + 1), words::grouped(found)) } }
                else { { "not among those of the filter" } }
            </span>
            { step("before", "The kernel before", "‹", before) }
            { step("next", "The next kernel", "›", after) }
        </nav>
    }
}

fn head(detail: &KernelDetail) -> Html {
    let row = &detail.row;
    let name = escaped(&row.name.value);
    html! {
        <div class="block kernel-head">
            <h2>{ span_button("cell", row.entry, plain(&escaped(row.title()))) }</h2>
            <p class="sub">
                if row.demangled.is_some() { <span class="mono text">{ name }</span> }
                { button("link", "kernels", "name".to_owned(), plain("copy name")) }
                if row.demangled.is_some() { { button("link", "kernels", "title".to_owned(), plain("copy demangled")) } }
            </p>
            <p class="facts-line">
                { for facts(detail).into_iter().map(|fact| html! { <span>{ fact }</span> }) }
            </p>
            if !row.hazards.is_empty() {
                <ul class="rowc">
                    { for row.hazards.iter().map(|hazard| {
                        let tone = match hazard.kind {
                            HazardKind::HeavySpills | HazardKind::LargeSlm => Tone::Bad,
                            _ => Tone::Warning,
                        };
                        html! { <li><span class={words::chip_class(tone)}><span aria-hidden="true">{ "▲" }</span>{ &*hazard.text }</span></li> }
                    }) }
                </ul>
            }
            if !detail.links.is_empty() {
                <ul class="facts-line" aria-label="Its parts">
                    { for detail.links.iter().map(|link| html! {
                        <li title={format!("{:#x}, {}", link.to.start, words::bytes(link.to.len()))}>
                            <span class="dim">{ &*link.why }{ " " }</span>
                            { span_button("link", link.to, plain(&escaped(&link.label))) }
                        </li>
                    }) }
                </ul>
            }
        </div>
    }
}

/// The kernel in a few numbers, each with its unit.
fn facts(detail: &KernelDetail) -> Vec<String> {
    let row = &detail.row;
    let number = |value: i64| words::grouped(u64::try_from(value).unwrap_or(0));
    let mut out = vec![
        match row.simd_size.value {
            0 => "SIMD size not given".to_owned(),
            size => format!("SIMD{size}"),
        },
        format!("{} registers", number(row.grf_count.value)),
    ];
    let mut say = |value: i64, what: &str| {
        if value > 0 {
            out.push(format!("{} {what}", number(value)));
        }
    };
    say(row.eu_thread_count.value, "threads per EU");
    say(row.spill_size.value, "B of spill per thread");
    say(row.private_size.value, "B of private memory per thread");
    say(row.slm_size.value, "B of shared local memory");
    say(row.barrier_count.value, "barriers");
    if let Some(size) = row.code_size {
        out.push(format!("{} of code", words::bytes(size.value)));
    }
    if row.from_scratch_slots {
        out.push("spill and private sizes are those of the scratch slots".to_owned());
    }
    let flags = row.flags.iter().map(|flag| flag.word());
    out.extend(flags.filter(|word| !word.is_empty()).map(escaped));
    if row.is_function {
        out.push("a function that other modules can call".to_owned());
    }
    out
}
