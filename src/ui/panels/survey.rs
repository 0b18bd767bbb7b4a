//! Survey of a container: native devices, kernels of interest, and duplicates. It is refined as
//! images are read.

use yew::prelude::*;

use super::list::{briefly, reading};
use super::props::PanelProps;
use crate::analysis::survey::{Count, NO_COUNT, Survey, TITLES};
use crate::model::text::escaped;
use crate::tables::{CellValue, ListId};
use crate::ui::components::{button, plain, shortened};
use crate::ui::hooks::use_change;
use crate::ui::state::commands::Command;
use crate::ui::state::verdict::{SURVEY_COLUMNS, hazards};
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{ListReading, Totals, TotalsRow};

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
    </> }
}

/// A filter for the rows with a value in a column.
fn is(column: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if value.chars().all(is_plain) {
        format!("{column}={value}")
    } else {
        format!("{column}=\"{value}\"")
    }
}

/// The kernels of a container by family, and those of a package by file.
pub(super) fn kernel_totals(view: &View) -> Html {
    let Some(report) = view.survey() else {
        return Html::default();
    };
    let so_far = if report.progress.is_over() {
        ""
    } else {
        ", so far"
    };
    let families = &report.families;
    let files = &report.files;
    html! { <>
        if families.count > 0 {
            <section class="block families" aria-labelledby="families-title">
                <h2 id="families-title">{ format!("Kernel families{so_far}") }{ " " }<span class="dim">{ format!("{}, the worst first", format::grouped(families.count)) }</span></h2>
                { table("family", "Family", families) }
            </section>
        }
        if files.count > 0 {
            <section class="block families" aria-labelledby="files-title">
                <h2 id="files-title">{ format!("Files with kernels{so_far}") }{ " " }<span class="dim">{ format::grouped(files.count) }</span></h2>
                { table("package_file", "File", files) }
            </section>
        }
    </> }
}

fn table(column: &str, title: &'static str, totals: &Totals) -> Html {
    let left = totals.count - totals.rows.len() as u64;
    html! { <>
        <table class="sizes survey">
            <thead><tr>
                <th scope="col">{ title }</th>
                <th scope="col" class="num">{ "Kernels" }</th>
                <th scope="col" class="num">{ "Builds that spill" }</th>
                <th scope="col" class="num">{ "Spill, at most" }<span class="dim">{ " B/thread" }</span></th>
                <th scope="col">{ "On" }</th>
                <th scope="col" class="num">{ "Code" }</th>
                <th scope="col">{ "Worst kernel" }</th>
            </tr></thead>
            <tbody>{ for totals.rows.iter().map(|of| row(column, of)) }</tbody>
        </table>
        if left > 0 {
            <p>{ button("link", Command::Panel(if column == "family" { PanelId::KERNELS } else { PanelId::FILES }), plain(&format!("{} more", format::grouped(left)))) }</p>
        }
    </> }
}

fn row(column: &str, row: &TotalsRow) -> Html {
    let TotalsRow { totals: of, worst } = row;
    let filter = is(column, &of.name);
    let cell = |id: &str| {
        let at = SURVEY_COLUMNS.iter().position(|column| *column == id);
        at.and_then(|at| worst.cells.get(at))
    };
    let name = cell("name").map_or("".into(), |cell| cell.value.title());
    let spill = cell("spill_size").map(|cell| &cell.value);
    let spilling = match (of.spilling, of.unknown) {
        (0, 0) => html! { <td class="num dim">{ "0" }</td> },
        (0, unknown) => {
            html! { <td class="num dim" title={format!("The file does not state it for {}", format::counted(unknown, "build", "builds"))}>{ "–" }</td> }
        }
        (spilling, _) => {
            html! { <td class="num">{ button("cell", Command::SpillsWhere(filter.clone()), plain(&format::grouped(spilling))) }</td> }
        }
    };
    let most = spill
        .and_then(CellValue::number)
        .filter(|_| of.spilling > 0);
    // A spill has its columns.
    let others = hazards(worst).filter(|hazard| hazard.text != "spills");
    html! {
        <tr key={of.name.to_string()}>
            <td>{ button("cell", Command::KernelsWhere(filter), shortened(&escaped(&of.name))) }</td>
            <td class="num">{ format::grouped(of.kernels) }</td>
            { spilling }
            <td class="num">{ most.map_or_else(String::new, |most| format::grouped(most as u64)) }</td>
            <td class="mono">{ escaped(&briefly(&of.devices)) }</td>
            <td class="num" title={format::bytes(of.code_size)}>{ format::size(of.code_size) }</td>
            <td class="worst-of">
                if of.spilling > 0 || hazards(worst).next().is_some() {
                    { button("fact mono", Command::OpenKernel(worst.entry), shortened(&escaped(&name))) }
                    { for others.map(|hazard| html! { <span title={hazard.doc.to_string()}>{ " " }{ format::mark(hazard) }</span> }) }
                }
            </td>
        </tr>
    }
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
                                <td class="mono">{ button("cell", Command::KernelsWhere(is("device", &of.device)), plain(&escaped(&of.device))) }</td>
                            } else {
                                <td class="dim">{ row.device().to_owned() }</td>
                            }
                            { number(images, &images_text) }
                            { number(kernels, &kernels_text) }
                            if spilling.so_far() > 0 && is_named {
                                <td class="num" title={count_title(spilling)}>{ button("cell", Command::SpillsWhere(is("device", &of.device)), plain(&spilling_text)) }</td>
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
