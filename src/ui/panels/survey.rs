//! What a container holds: for which devices there is native code, which kernels to look at first,
//! and what is in it twice. It fills in as the images are read.

use yew::prelude::*;

use super::list::reading;
use super::props::PanelProps;
use super::verdict::worst;
use crate::model::list::{ListId, Row};
use crate::model::survey::{DeviceSurvey, Survey};
use crate::model::text::escaped;
use crate::ui::commands::Command;
use crate::ui::components::{button, plain};
use crate::ui::format;
use crate::ui::hooks::use_change;
use crate::ui::state::verdict::hazards;

/// What a container holds.
#[component]
pub(super) fn SurveyPanel(props: &PanelProps) -> Html {
    let view = &props.view;
    let session = props.session.clone();
    let list = view.lists.get(ListId::Kernels);
    let document = view.verdict.document.map_or(0, |id| u64::from(id.0) + 1);
    let is_known = u64::from(view.verdict.container().is_some());
    let wanted = u64::from(list.is_stopped) << 1 | is_known;
    use_change(
        [view.opening.into(), document, wanted, 0],
        Box::new(move || session.0.follow_survey()),
    );
    let Some(report) = &view.verdict.survey else {
        return Html::default();
    };
    let survey = &report.survey;
    let shown: Vec<Row> = report
        .worst
        .iter()
        .filter(|row| hazards(row).next().is_some())
        .cloned()
        .collect();
    html! { <>
        <section class="block" aria-labelledby="survey-title">
            <div class="block-head">
                <h2 id="survey-title">{ "Native code" }</h2>
                if !report.progress.is_over() { { reading(report.progress, list.is_stopped) } }
            </div>
            { devices(survey) }
            if let Some(twice) = twice(survey) { <p class="dim">{ twice }</p> }
        </section>
        if let Some(worst) = worst(&shown) { { worst } }
    </> }
}

fn devices(survey: &Survey) -> Html {
    if survey.devices.is_empty() {
        return match &survey.spirv {
            _ if !survey.progress.is_over() => Html::default(),
            Some(spirv) => html! {
                <p>{ format!("None: the driver compiles the SPIR-V of {} for the device at run time.", kernels_of(spirv)) }</p>
            },
            None => html! { <p>{ "None of the images has kernels." }</p> },
        };
    }
    let number = |count: u64| match count {
        0 => html! { <td class="num dim">{ "–" }</td> },
        count => html! { <td class="num">{ format::grouped(count) }</td> },
    };
    let fallback = |of: &DeviceSurvey| match of.with_spirv {
        0 => html! { <td class="dim">{ "none" }</td> },
        count if count == of.kernels => html! { <td>{ "all kernels" }</td> },
        count => html! { <td>{ format::counted(count, "kernel", "kernels") }</td> },
    };
    html! {
        <table class="sizes survey">
            <thead><tr>
                <th scope="col">{ "Device" }</th>
                <th scope="col" class="num">{ "Images" }</th>
                <th scope="col" class="num">{ "Kernels" }</th>
                <th scope="col" class="num">{ "Spilling" }</th>
                <th scope="col" class="num">{ "Large GRF" }</th>
                <th scope="col" class="num">{ "Size" }</th>
                <th scope="col">{ "SPIR-V, too" }</th>
            </tr></thead>
            <tbody>
                { for survey.devices.iter().map(|of| html! {
                    <tr key={of.device.to_string()}>
                        <td class="mono">
                            if of.device.is_empty() {
                                <span class="dim">{ "not named" }</span>
                            } else {
                                { button("cell", Command::KernelsFor(of.device.to_string()), plain(&escaped(&of.device))) }
                            }
                        </td>
                        { number(of.images) }
                        { number(of.kernels) }
                        <td class="num">
                            if of.spilling > 0 && !of.device.is_empty() {
                                { button("cell", Command::SpillsFor(of.device.to_string()), plain(&format::grouped(of.spilling))) }
                            } else {
                                <span class="dim">{ "–" }</span>
                            }
                        </td>
                        { number(of.large_grf) }
                        <td class="num">{ format::bytes(of.bytes) }</td>
                        { fallback(of) }
                    </tr>
                }) }
                if let Some(spirv) = &survey.spirv {
                    <tr key="spirv">
                        <td class="dim">{ "any other, at run time" }</td>
                        { number(spirv.images) }
                        { number(spirv.kernels) }
                        { number(0) }
                        { number(0) }
                        <td class="num">{ format::bytes(spirv.bytes) }</td>
                        <td class="dim">{ match survey.only_spirv {
                            0 => String::new(),
                            only => format!("{} only so", format::counted(only, "kernel", "kernels")),
                        } }</td>
                    </tr>
                }
            </tbody>
        </table>
    }
}

fn kernels_of(of: &DeviceSurvey) -> String {
    match of.kernels {
        0 => format::counted(of.images, "image", "images"),
        kernels => format::counted(kernels, "kernel", "kernels"),
    }
}

fn twice(survey: &Survey) -> Option<String> {
    let copies = &survey.copies;
    (copies.documents > 0).then(|| {
        format!(
            "In the file more than once: {} with {} ({}) have the same bytes as others for the same device.",
            format::counted(copies.documents, "zebin", "zebins"),
            format::counted(copies.kernels, "kernel", "kernels"),
            format::bytes(copies.bytes)
        )
    })
}
