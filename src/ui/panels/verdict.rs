//! The verdict: whether the file is well-formed and, independently, what the driver does with it on
//! a chosen device; supported devices; kernels with the worst hazards.

use yew::prelude::*;

use super::props::PanelProps;
use crate::analysis::survey::Progress;
use crate::analysis::{Matching, Verdict};
use crate::model::sort;
use crate::model::text::escaped;
use crate::model::{Effect, Outcome, Severity, Str, Tone};
use crate::tables::{CellValue, Row};
use crate::ui::browser::dom::{set_text, text_of};
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::components::{button, plain, prose, shortened, span_button};
use crate::ui::hooks::{fingerprint, use_change};
use crate::ui::session::SessionContext;
use crate::ui::state::commands::Command;
use crate::ui::state::verdict::{choice_text, effect_tone, errors, hazards, outcome_text, tone};
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{ImagesReport, Opened, WorstRow};

/// Element id of the device field.
const DEVICE: &str = "device";
/// Targets of a container while no device is requested.
const NO_DEVICE: &str = "No device";
/// Maximum number of driver findings; the Problems panel has all.
const FINDINGS: usize = 6;

/// Validity, outcome, and the driver's findings.
pub(super) fn verdict(props: &PanelProps) -> Html {
    let state = &props.view.verdict;
    let is_nested = !props.view.selection.documents().is_empty();
    let picker = |reset: &'static str| {
        html! {
            <Picker session={props.session.clone()} device={state.device.clone()} {reset} opened={PtrEq::from(&props.view.opened)} />
        }
    };
    let view = &*props.view;
    let (verdict, container) = (view.driver_verdict(), view.container());
    let driver = verdict.map_or("driver".to_owned(), |verdict| {
        format!("Intel driver {}", verdict.driver)
    });
    let (awaits, parts) = (view.awaits_verdict(), view.verdict_parts());
    let has_images = container.is_some() || awaits && parts.images;
    let is_judged = verdict.is_some() || has_images || view.verdict_error().is_some();
    let is_expected = awaits && (parts.verdict || view.opened.summary.has.loadable);
    let reset = match (has_images, is_nested) {
        (true, _) => NO_DEVICE,
        (false, true) => "Back to the image’s target",
        (false, false) => "Back to the file’s target",
    };
    html! {
        <section class="block verdict" aria-labelledby="verdict-title">
            <h2 id="verdict-title">{ "Verdict" }</h2>
            <dl class="kv facts">
                <dt>{ "format" }</dt>
                <dd>{ well_formed(&props.view) }</dd>
                if is_judged || is_expected {
                    <dt>{ driver }</dt>
                    <dd>
                        <div>{ match (verdict, container) {
                            (Some(verdict), _) => statement(verdict, is_nested),
                            (None, Some(images)) => choice(images),
                            (None, None) if awaits => not_known(state.device.as_deref()),
                            (None, None) => Html::default(),
                        } }</div>
                        { picker(reset) }
                        if let Some(error) = view.verdict_error() {
                            <p class="warn" role="alert">{ escaped(error) }</p>
                        }
                        if let Some(verdict) = verdict {
                            { findings(verdict) }
                            if let Some(difference) = difference(verdict) { { difference } }
                            if let Some(rebuild) = rebuild(verdict) { { rebuild } }
                            if let Some(needed) = needs_driver(verdict) { { needed } }
                        }
                    </dd>
                }
            </dl>
        </section>
    }
}

#[inline(never)]
fn signed(tone: Tone, text: &str) -> Html {
    html! {
        <span class={format::tone_class(tone)}>
            if let Some(sign) = format::tone_sign(tone) { <span class="sign" aria-hidden="true">{ sign }</span> }
            { text.to_owned() }
        </span>
    }
}

fn problems_link(text: String) -> Html {
    button("link", Command::Panel(PanelId::Problems), plain(&text))
}

fn well_formed(view: &View) -> Html {
    let all = &view.opened.diagnostics;
    let count = |severity| {
        let of = all
            .iter()
            .filter(|problem| problem.diagnostic.severity == severity);
        of.count() as u64
    };
    if view.opened.summary.has.unknown {
        return html! { "not a GPU binary that zeview reads" };
    }
    let (tone, text) = match errors(&view.opened) {
        0 => (Tone::Good, "well-formed"),
        _ => (Tone::Bad, "malformed"),
    };
    let counts = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "note", "notes"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(severity, one, many)| (count(severity), one, many))
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, many)| format::counted(count, one, many))
        .collect();
    html! { <>
        { signed(tone, text) }
        if !counts.is_empty() { { " · " }{ problems_link(counts.join(", ")) } }
    </> }
}

/// The verdict is awaited.
fn not_known(device: Option<&str>) -> Html {
    let on = device.map(|device| format!(" on {}", escaped(device)));
    html! { <span class="dim" role="status">{ "not known yet" }{ on }{ " …" }</span> }
}

/// Files of a package that were not read yet may have more images.
fn unread(images: &ImagesReport, device: &str, progress: Progress) -> Html {
    let so_far = match images.chosen {
        0 => String::new(),
        count => format!(
            " So far, {} on it.",
            format::counted(count, "image runs", "images run")
        ),
    };
    html! { <>
        { signed(Tone::Plain, "not known yet") }{ format!(" on {device} (selected device)") }
        <p class="dim" role="status">{ format!(
            "{} of {} were read.{so_far}",
            format::grouped(progress.done),
            format::counted(progress.of, "file", "files"),
        ) }</p>
    </> }
}

/// Lists the images of a container that run on the device.
fn choice(images: &ImagesReport) -> Html {
    let Some(device) = &images.device else {
        return html! { <span class="dim">{ "Choose a GPU to see which images it would use." }</span> };
    };
    if let Some(progress) = images.unread {
        return unread(images, device, progress);
    }
    let tone_of = tone;
    let (tone, words) = choice_text(images);
    let more = images.chosen.saturating_sub(images.first.len() as u64);
    html! { <>
        { signed(tone, &words) }{ format!(" on {device} (selected device)") }
        { first_use(images) }
        <ul class="findings">
            { for images.first.iter().map(|image| html! {
                <li>
                    { format::tone_mark(image.outcome.map_or(Tone::Bad, tone_of), image.outcome.unwrap_or(Outcome::DoesNotRun).words()) }
                    <span>{ span_button("fact", image.span, plain(&escaped(&image.name))) }<span class="dim">{ " · " }{ prose(&image.why) }</span></span>
                </li>
            }) }
        </ul>
        if more > 0 {
            <p>{ button("link", Command::Panel(PanelId::IMAGES), plain(&format::counted(more, "more image", "more images"))) }</p>
        }
        <p class="dim">{ prose(&images.rule) }</p>
    </> }
}

/// The kernels that are compiled at first use: their number, and the first ones on request.
fn first_use(images: &ImagesReport) -> Html {
    if images.first_use.is_empty() {
        return Html::default();
    }
    let mut letters = images.first_use.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let text = format!("{}{}.", first.collect::<String>(), letters.as_str());
    if images.first_used.is_empty() {
        return html! { <p class="first-use">{ text }</p> };
    }
    let more = images
        .compiled
        .saturating_sub(images.first_used.len() as u64);
    html! {
        <details class="first-use">
            <summary>{ text }</summary>
            <ul class="mono">
                { for images.first_used.iter().map(|name| html! { <li>{ shortened(&escaped(name)) }</li> }) }
            </ul>
            if more > 0 {
                <p class="dim">{ format!("and {}: zeview images --device NAME --first-use lists all.", format::counted(more, "other", "others")) }</p>
            }
        </details>
    }
}

/// The first images of a container.
pub(super) fn images(view: &View) -> Option<Html> {
    // Images of a package are known only in its open files.
    let is_package = view.opened.summary.has.package && view.selection.documents().is_empty();
    if is_package {
        return None;
    }
    let Some(container) = view.container() else {
        return (view.awaits_verdict() && view.verdict_parts().images).then(|| {
            html! {
                <section class="block" aria-labelledby="images-title">
                    <h2 id="images-title">{ "Images" }</h2>
                    <p class="dim" role="status">{ "not known yet …" }</p>
                </section>
            }
        });
    };
    let rows = view.first_images().map_or(&[][..], |rows| rows);
    let more = container.count.saturating_sub(rows.len() as u64);
    let has_device = container.device.is_some();
    let is_host = view.opened.summary.has.host && view.selection.documents().is_empty();
    let (second, third) = if is_host {
        ("Target", "First kernel")
    } else {
        ("Device", "On its target")
    };
    let text = |row: &Row, at: usize| {
        let cell = row.cells.get(at);
        cell.map_or_else(String::new, |cell| escaped(&cell.value.text()).to_string())
    };
    let verdict = |row: &Row| {
        let cell = row.cells.get(2);
        let marks = cell.map_or(&[][..], |cell| &cell.marks);
        html! { <>{ for marks.iter().map(|mark| html! {
            <span class={format::tone_class(mark.tone)} aria-hidden="true">{ format!("{} ", mark.text) }</span>
        }) }{ text(row, 2) }</> }
    };
    let kernel = |row: &Row| {
        let cell = row.cells.get(2);
        let marks = cell.map_or(&[][..], |cell| &cell.marks);
        let name = cell.map_or("".into(), |cell| cell.value.title());
        html! { <>{ shortened(&escaped(&name)) }{ for marks.iter().map(format::mark) }</> }
    };
    Some(html! { <>
        <section class="block" aria-labelledby="images-title">
            <h2 id="images-title">{ format::counted(container.count, if is_host { "device image" } else { "image" }, if is_host { "device images" } else { "images" }) }</h2>
        </section>
        if !rows.is_empty() {
            <table class="sizes">
                <thead><tr>
                    <th scope="col">{ "Image" }</th>
                    <th scope="col">{ second }</th>
                    <th scope="col">{ third }</th>
                    if let Some(device) = &container.device { <th scope="col">{ format!("On {device}") }</th> }
                </tr></thead>
                <tbody>
                    { for rows.iter().map(|row| {
                        let is_chosen = row.cells.get(3).is_some_and(|cell| cell.value == CellValue::Bool(true));
                        html! {
                            <tr key={row.index}>
                                <td>{ span_button("cell", row.entry, shortened(&text(row, 0))) }</td>
                                <td>{ text(row, 1) }</td>
                                <td class={if is_host { "long" } else { "" }}>{ if is_host { kernel(row) } else { verdict(row) } }</td>
                                if has_device {
                                    <td class={if is_chosen { "" } else { "dim" }}>
                                        { if is_chosen { format!("{}: {}", text(row, 5), text(row, 4)) } else { text(row, 4) } }
                                    </td>
                                }
                            </tr>
                        }
                    }) }
                </tbody>
            </table>
        }
        <p class="block dim">
            if more > 0 && !rows.is_empty() { { format!("{} more · ", format::counted(more, "image", "images")) } }
            { button("link", Command::Panel(PanelId::IMAGES), plain("All images")) }
            { " · " }
            { button("link", Command::Panel(PanelId::DEVICES), plain("All devices")) }
        </p>
    </> })
}

fn statement(verdict: &Verdict, is_nested: bool) -> Html {
    let on = match (&verdict.device, verdict.requested) {
        (Some(device), true) => format!(" on {device} (selected device)"),
        (Some(device), false) if is_nested => format!(" on {device} (the image’s target)"),
        (Some(device), false) => format!(" on {device} (the file’s target)"),
        (None, _) => match verdict.decisive.and_then(|at| verdict.findings.get(at)) {
            // The first cause follows on the next line.
            Some(found) if !found.rule.ends_with("no-target") => " on any device".to_owned(),
            _ => " on any device: the file names no target".to_owned(),
        },
    };
    html! { <>{ signed(tone(verdict.outcome), &outcome_text(verdict)) }{ on }</> }
}

#[derive(Properties, PartialEq)]
struct PickerProps {
    session: SessionContext,
    /// The requested device.
    device: Option<AttrValue>,
    /// Label of the button that removes the requested device.
    reset: &'static str,
    /// The verdict, with the driver's devices.
    opened: PtrEq<Opened>,
}

/// The field for checking another device.
#[component]
fn Picker(props: &PickerProps) -> Html {
    let session = props.session.clone();
    let onchange = Callback::from(move |_: Event| session.0.verdict_on(&text_of(DEVICE)));
    let device = props.device.clone();
    let requested = device.clone().unwrap_or_default();
    // Not as the field's value: a rendering would overwrite what the user types.
    use_change(
        [fingerprint(&requested), device.is_some().into(), 0, 0],
        Box::new(move || set_text(DEVICE, &requested)),
    );
    html! {
        <p class="device">
            <label for={DEVICE}>{ if props.reset == NO_DEVICE { "Check a GPU" } else { "Check another GPU" } }</label>
            <input id={DEVICE} list="devices" type="text" class="mono" autocomplete="off" spellcheck="false"
                   placeholder="B580, bmg-g21" {onchange} />
            <datalist id="devices">
                { for props.opened.devices.iter().map(|name| html! { <option value={name.to_string()} /> }) }
            </datalist>
            if device.is_some() { { button("btn2", Command::OwnDevice, plain(props.reset)) } }
        </p>
    }
}

fn findings(verdict: &Verdict) -> Html {
    let listed = || verdict.findings.iter().enumerate();
    // Decisive findings first, then the others.
    let rank = |at: usize, effect: Effect| (verdict.decisive != Some(at), effect == Effect::Passes);
    let mut order: Vec<((bool, bool), usize)> = listed()
        .map(|(at, found)| (rank(at, found.effect), at))
        .collect();
    sort::ascending(&mut order);
    let more = order.len().saturating_sub(FINDINGS);
    let rows = order.into_iter().take(FINDINGS).filter_map(|(_, at)| {
        let found = verdict.findings.get(at)?;
        let rule = verdict.rules.iter().find(|rule| rule.id == found.rule);
        let mut imports = verdict.imports.iter();
        let exporters = imports
            .find(|import| import.span == found.span && !import.exported_by.is_empty())
            .map(|import| format!(" · exported by {}", import.exported_by.join(", ")));
        Some(html! {
            <li>
                { format::tone_mark(effect_tone(found.effect), found.effect.words()) }
                <span>
                    { span_button("fact", found.span, prose(&found.message)) }
                    if let Some(exporters) = exporters { { exporters } }
                    if let Some(rule) = rule {
                        <span class="dim">{ " · " }{ prose(&rule.summary) }</span>
                    }
                </span>
            </li>
        })
    });
    html! { <>
        <ul class="findings">{ for rows }</ul>
        if more > 0 { <p>{ problems_link(format!("{} more", format::grouped(more as u64))) }</p> }
    </> }
}

/// The intermediate representation that the driver can recompile.
fn rebuild(verdict: &Verdict) -> Option<Html> {
    let rebuild = verdict.rebuild.as_ref()?;
    Some(html! { <p class="dim">{ span_button("fact", rebuild.span, prose(&rebuild.text)) }</p> })
}

/// What the APIs do, if they differ.
fn difference(verdict: &Verdict) -> Option<Html> {
    let text = verdict.difference()?;
    let opencl = &verdict.opencl;
    let found = opencl.decisive.and_then(|at| opencl.findings.get(at));
    Some(match found {
        Some(found) => html! { <p>{ span_button("fact", found.span, prose(&text)) }</p> },
        None => html! { <p>{ prose(&text) }</p> },
    })
}

/// The release of the driver that the file needs.
fn needs_driver(verdict: &Verdict) -> Option<Html> {
    let needed = verdict.needs_driver.as_ref()?;
    Some(html! { <p class="dim">{ span_button("fact", needed.span, prose(&needed.text())) }</p> })
}

/// The devices that the file runs on, and the rule that decides.
pub(super) fn target(view: &View) -> Option<Html> {
    let matching = view.driver_verdict()?.matching.as_ref()?;
    Some(html! {
        <section class="block" aria-labelledby="target-title">
            <h2 id="target-title">{ "Devices" }</h2>
            <dl class="kv facts">
                <dt>{ "matching rule" }</dt>
                <dd>{ prose(&matching.rule) }</dd>
                <dt>{ "runs natively on" }</dt>
                <dd>{ names(&matching.accepted_on, "no known device") }</dd>
                { compatible_devices(matching) }
            </dl>
            <p>{ button("link", Command::Panel(PanelId::DEVICES), plain("All devices")) }</p>
        </section>
    })
}

fn names(devices: &[Str], none: &'static str) -> Html {
    match devices {
        [] => html! { <span class="dim">{ none }</span> },
        devices => html! { <span class="mono">{ devices.join(", ") }</span> },
    }
}

fn compatible_devices(matching: &Matching) -> Option<Html> {
    (!matching.compatible.is_empty()).then(|| {
        html! { <>
            <dt>{ "of these, compatible" }</dt>
            <dd>
                { names(&matching.compatible, "") }
                <span class="dim">{ " (the file was not built for them)" }</span>
            </dd>
        </> }
    })
}

/// The kernels to look at, of all kernels or of those that were read so far: one of each kind of
/// finding and family.
pub(super) fn worst(worst: &[WorstRow]) -> Option<Html> {
    if worst.is_empty() {
        return None;
    }
    Some(html! {
        <section class="block" aria-labelledby="worst-title">
            <h2 id="worst-title">{ "Kernels to look at" }</h2>
            <ul class="worst">
                { for worst.iter().map(|WorstRow { row, others }| {
                    let name = row.cells.first().map_or("".into(), |cell| cell.value.title());
                    html! {
                        <li>
                            { button("fact mono", Command::OpenKernel(row.entry), shortened(&escaped(&name))) }
                            <span class="why">
                                { for hazards(row).map(|hazard| html! {
                                    <span>{ format::mark(hazard) }<span class="dim">{ hazard.doc.to_string() }</span></span>
                                }) }
                                if *others > 0 {
                                    <span class="dim">{ format!("and {} of this family", format::counted(*others, "other", "others")) }</span>
                                }
                            </span>
                        </li>
                    }
                }) }
            </ul>
        </section>
    })
}
