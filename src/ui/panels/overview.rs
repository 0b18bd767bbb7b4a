//! The overview: key facts, verdict, and sizes.

use yew::prelude::*;

use super::profile;
use super::props::PanelProps;
use super::sizes::sizes;
use super::survey::{SurveyPanel, kernel_totals};
use super::verdict::{images, target, verdict, worst};
use crate::model::text::escaped;
use crate::model::{Coverage, Fact};
use crate::ui::components::{button, plain, span_button};
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::protocol::CodeGuess;

/// The Overview panel.
pub(super) fn overview(props: &PanelProps) -> Html {
    let opened = &props.view.opened;
    let summary = props.view.summary();
    // The images of a container have a table.
    let has_images = if props.view.awaits_verdict() {
        props.view.verdict_parts().images
    } else {
        props.view.container().is_some()
    };
    let is_host = opened.summary.has.host && props.view.selection.documents().is_empty();
    let is_image = |fact: &&Fact| match &*fact.label {
        "image" | "binary" => true,
        // For a host file this counts the images of each target.
        "device code" => !is_host,
        _ => false,
    };
    let facts = summary.iter().flat_map(|summary| &summary.facts);
    let facts = facts.filter(|fact| !has_images || !is_image(fact));
    // Facts about another document than the selection's name it.
    let of = if props.view.selection.documents().is_empty() {
        ""
    } else {
        " of the whole file"
    };
    let bytes = || {
        html! { <>
            <section class="block">
                <h2>{ format!("Coverage{of}") }</h2>
                { coverage(&opened.coverage, opened.size) }
            </section>
            { sizes(&props.view, props.more) }
        </> }
    };
    let about = html! {
        <section class="block">
            <div class="block-head">
                <h2>{ summary.map_or("…", |summary| &*summary.title) }</h2>
                <span title="The file as one page of HTML, to send or to print">{ button("btn2", Command::SaveReport, plain("Save report")) }</span>
            </div>
            <dl class="kv facts">
                { for facts.map(|fact| html! { <>
                    <dt>{ &*fact.label }</dt>
                    <dd>{ fact_text(fact) }</dd>
                </> }) }
            </dl>
        </section>
    };
    html! {
        <div class="panel overview">
            { profile::section(&props.view) }
            if has_images {
                // What is in it and whether it runs, side by side; then its kernels.
                <div class="beside">
                    <div>{ about }{ verdict(props) }</div>
                    <div><SurveyPanel ..props.clone() /></div>
                </div>
                { kernel_totals(&props.view) }
            } else {
                <div class="beside">
                    <div>
                        { verdict(props) }
                        if let Some(worst) = props.view.worst_kernels().and_then(|rows| worst(rows)) { { worst } }
                    </div>
                    <div>{ about }</div>
                </div>
            }
            if let Some(code) = &opened.code { { open_as_code(code) } }
            if let Some(images) = images(&props.view) { { images } }
            if let Some(target) = target(&props.view) { { target } }
            if is_host || opened.summary.has.package {
                <details class="block host">
                    <summary><h2>{ "Bytes" }</h2></summary>
                    { bytes() }
                </details>
            } else {
                { bytes() }
            }
        </div>
    }
}

/// Offers to open a file of an unknown format as code.
#[inline(never)]
fn open_as_code(code: &CodeGuess) -> Html {
    let likely = usize::try_from(code.likely).unwrap_or(0);
    let names = code.encodings.iter().enumerate();
    html! {
        <section class="block open-as-code">
            <h2>{ "Open as code for …" }</h2>
            <p>{ "A file such as oneDNN's dumps (dnnl_dump_gpu_*.bin) is the code of one kernel without a container. " }{ &code.text }</p>
            <p>
                { for names.map(|(at, name)| {
                    let class = if at < likely { "btn2 likely" } else { "btn2" };
                    button(class, Command::OpenAsCode(name.to_string()), plain(name))
                }) }
            </p>
        </section>
    }
}

#[inline(never)]
fn fact_text(fact: &Fact) -> Html {
    let text = html! { <>
        if let Some(sign) = format::tone_sign(fact.tone) {
            <span class="sign" aria-hidden="true">{ sign }</span>
        }
        { escaped(&fact.text) }
    </> };
    match fact.span {
        Some(span) => {
            html! { <span class={format::tone_class(fact.tone)}>{ span_button("fact", span, text) }</span> }
        }
        None => html! { <span class={format::tone_class(fact.tone)}>{ text }</span> },
    }
}

/// A stacked bar: class and size of each part.
#[inline(never)]
pub(super) fn bar(parts: &[(&'static str, u64)], whole: u64) -> Html {
    let mut at = 0;
    html! {
        <svg class="bar" aria-hidden="true">
            { for parts.iter().filter(|(_, part)| *part > 0).map(|(class, part)| {
                let (x, width) = (at, format::share(*part, whole));
                at += width;
                html! { <rect class={*class} x={format::hundredths(x)} width={format::hundredths(width.max(20))} height="100%" /> }
            }) }
        </svg>
    }
}

fn coverage(coverage: &Coverage, size: u64) -> Html {
    let parts = [
        ("in a known part", "c-explained", coverage.explained),
        ("padding", "c-padding", coverage.padding),
        ("in no known part", "c-gap", coverage.gap),
    ];
    html! { <>
        { bar(&parts.map(|(_, class, part)| (class, part)), size) }
        <ul class="legend">
            { for parts.iter().map(|(name, class, part)| legend(class, name, *part, size, format::bytes(*part))) }
            if coverage.overlap > 0 {
                <li class="warn">
                    <span class="sign" aria-hidden="true">{ "▲" }</span>
                    { format!("{} in more than one part", format::bytes(coverage.overlap)) }
                </li>
            }
        </ul>
    </> }
}

/// A legend entry: color, label and amount.
#[inline(never)]
pub(super) fn legend(
    class: &'static str,
    name: &'static str,
    part: u64,
    whole: u64,
    amount: String,
) -> Html {
    html! {
        <li>
            <svg class="key" aria-hidden="true"><rect {class} width="100%" height="100%" /></svg>
            { name }
            if part > 0 {
                <b>{ format::percent(part, whole) }</b>
                <span class="dim">{ amount }</span>
            } else {
                <span class="dim">{ "none" }</span>
            }
        </li>
    }
}

/// Message about undecoded bytes.
pub fn undecoded_message(coverage: &Coverage, size: u64) -> String {
    if coverage.gap > 0 {
        return format!(
            "{} in no known part ({})",
            format::bytes(coverage.gap),
            format::percent(coverage.gap, size)
        );
    }
    match coverage.padding {
        0 => "every byte is in a known part".to_owned(),
        padding => format!(
            "every byte is in a known part · {} padding",
            format::grouped(padding)
        ),
    }
}
