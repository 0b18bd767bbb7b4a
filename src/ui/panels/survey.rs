//! Survey of a container: native devices, kernels of interest, and duplicates. It is refined as
//! images are read.

use yew::prelude::*;

use super::list::reading;
use super::props::PanelProps;
use super::verdict::worst;
use crate::analysis::survey::{Count, NO_COUNT, Survey, TITLES};
use crate::model::text::escaped;
use crate::tables::ListId;
use crate::ui::components::{button, plain};
use crate::ui::hooks::use_change;
use crate::ui::state::PanelId;
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::protocol::ListReading;

/// The survey of a container.
#[component]
pub(super) fn SurveyPanel(props: &PanelProps) -> Html {
    let view = &props.view;
    let session = props.session.clone();
    let list = view.lists.get(ListId::Kernels);
    let document = u64::from(view.selection.document().0);
    let is_known = u64::from(view.container().is_some());
    let wanted = u64::from(list.is_stopped) << 1 | is_known;
    use_change(
        [view.opening.into(), document, wanted, 0],
        Box::new(move || session.0.follow_survey()),
    );
    let Some(report) = view.survey() else {
        return html! {
            <section class="block" aria-labelledby="survey-title">
                <h2 id="survey-title">{ "Native code" }</h2>
                <p class="dim" role="status">{ "not known yet …" }</p>
            </section>
        };
    };
    let survey = &report.survey;
    html! { <>
        <section class="block" aria-labelledby="survey-title">
            <div class="block-head">
                <h2 id="survey-title">{ "Native code" }</h2>
                if !report.progress.is_over() { { reading(&ListReading::Images(report.progress, report.unpacking.clone()), list.is_stopped) } }
            </div>
            { totals(survey) }
            { devices(survey) }
            if let Some(twice) = survey.copies_message(&format::counted) { <p class="dim">{ twice }</p> }
            if view.opened.summary.has.package {
                <p>{ button("link", Command::Panel(PanelId::MATRIX), plain("All kernels by device")) }</p>
            }
        </section>
        if let Some(worst) = worst(&report.worst, report.progress.is_over()) { { worst } }
    </> }
}

fn count_title(count: Count) -> Option<&'static str> {
    match count {
        Count::Known(_) => None,
        Count::SoFar(_) => Some("so far: not all images were read"),
        Count::Unknown => Some("not known yet"),
    }
}

/// The number of kernels, and of their builds.
fn totals(survey: &Survey) -> Html {
    let count = |number| Count::new(number, survey.progress);
    let kernels = count(survey.kernels);
    if kernels.so_far() == 0 {
        return Html::default();
    }
    let noun = if survey.kernels == 1 {
        "kernel"
    } else {
        "kernels"
    };
    let builds = match count(survey.builds) {
        builds if survey.builds > survey.kernels => {
            format!(
                ", {} builds with native code",
                builds.text(&format::grouped)
            )
        }
        _ => String::new(),
    };
    let text = format!("{} {noun}{builds}", kernels.text(&format::grouped));
    html! { <p title={count_title(kernels)}>{ text }</p> }
}

fn devices(survey: &Survey) -> Html {
    if survey.devices.is_empty() {
        return match survey.without_code(&format::counted) {
            Some(words) => html! { <p>{ words }</p> },
            None => Html::default(),
        };
    }
    let number = |count: Count, text: &str| {
        let dim = (text == NO_COUNT).then_some("dim");
        html! { <td class={classes!("num", dim)} title={count_title(count)}>{ text.to_owned() }</td> }
    };
    let is_number = |place: usize| (1..TITLES.len() - 1).contains(&place);
    html! {
        <table class="sizes survey">
            <thead><tr>
                { for TITLES.iter().enumerate().map(|(place, title)| html! {
                    <th scope="col" class={is_number(place).then_some("num")}>{ *title }</th>
                }) }
            </tr></thead>
            <tbody>
                { for survey.rows().map(|row| {
                    let of = row.of;
                    let [images, kernels, spilling, large_grf] = row.numbers();
                    let [images_text, kernels_text, spilling_text, large_grf_text] = row.texts(&format::grouped);
                    let is_named = row.is_native && !of.device.is_empty();
                    let fallback = row.fallback(&format::counted);
                    let is_dim = !row.is_native || of.with_spirv == 0 || !survey.progress.is_over();
                    html! {
                        <tr key={row.device().to_owned()}>
                            if is_named {
                                <td class="mono">{ button("cell", Command::KernelsFor(of.device.to_string()), plain(&escaped(&of.device))) }</td>
                            } else {
                                <td class="dim">{ row.device().to_owned() }</td>
                            }
                            { number(images, &images_text) }
                            { number(kernels, &kernels_text) }
                            if spilling.so_far() > 0 && is_named {
                                <td class="num" title={count_title(spilling)}>{ button("cell", Command::SpillsFor(of.device.to_string()), plain(&spilling_text)) }</td>
                            } else {
                                { number(spilling, &spilling_text) }
                            }
                            { number(large_grf, &large_grf_text) }
                            <td class="num" title={format::bytes(of.bytes)}>{ row.size(&format::size) }</td>
                            <td class={is_dim.then_some("dim")}>{ fallback }</td>
                        </tr>
                    }
                }) }
            </tbody>
        </table>
    }
}
