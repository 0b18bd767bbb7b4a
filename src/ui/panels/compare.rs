//! Comparison with another file: choice of the file, summary, list of differences, and one
//! difference in full.

use yew::prelude::*;

use super::list::{list_of, reading_with};
use super::props::PanelProps;
use crate::analysis::survey::NO_COUNT;
use crate::diff::{DeviceChanges, FileSummary};
use crate::model::Tone;
use crate::model::text::escaped;
use crate::tables::{Cell, CellValue, ListId, Row};
use crate::ui::browser::dom::show_tab;
use crate::ui::components::{button, plain, shortened};
use crate::ui::hooks::use_change;
use crate::ui::state::commands::Command;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{CompareForm, CompareReport};

/// Number of differences.
pub(super) fn badge(view: &View) -> Option<(u64, Tone)> {
    let report = view.compare.report()?;
    Some((report.differences, Tone::Plain))
}

/// The Compare panel.
#[component]
pub fn Compare(props: &PanelProps) -> Html {
    let compare = &props.view.compare;
    // After dropping two files this panel opens without a click on its tab.
    let show = || show_tab(&Command::Panel(PanelId::Compare).tab());
    use_change([props.view.opening.into(), 0, 0, 0], Box::new(show));
    let profile = props.view.profile.overview.as_ref();
    let profiles = profile.filter(|profile| profile.is_compared).map(|_| html! {
        <section class="differences" aria-label="Profiles">{ list_of(ListId::ProfileChanges, props) }</section>
    });
    let report = compare.report();
    if report.is_none() && !(compare.is_working() && compare.has_result) {
        let class = if profiles.is_some() {
            "panel listing compare"
        } else {
            "panel calm compare"
        };
        return html! { <div {class} data-base="">{ choice(props) }<>{ profiles }</></div> };
    }
    let is_equal = report.is_some_and(|report| report.differences == 0);
    html! {
        <div class="panel listing compare" data-base="">
            { head(props, report.map(|report| &**report)) }
            if let Some(report) = report.filter(|_| is_equal) {
                <div class="calm"><p>{ &*report.verdict }</p></div>
            } else {
                <section class="differences" aria-label="Differences">{ list_of(ListId::Differences, props) }</section>
                <section class="changes" aria-label="Selected difference">{ list_of(ListId::Changes, props) }</section>
            }
            <>{ profiles }</>
        </div>
    }
}

/// Files to compare with.
fn choice(props: &PanelProps) -> Html {
    let compare = &props.view.compare;
    if compare.is_working() {
        let name = compare.base.as_ref().map_or("", |base| &base.name);
        return html! { <>
            <p role="status">{ format!("Comparing with {} …", escaped(name)) }</p>
            { progress(props) }
        </> };
    }
    html! { <>
        if let Some(why) = compare.failed() {
            <p class="warn" role="alert">{ escaped(why) }</p>
        }
        <p>{ "Compare with another build of these kernels: kernels by name, code by instructions, values by key." }</p>
        <div class="acts">{ for others(props, "btn2") }</div>
        <p class="dim">{ "Or drop a file here. Two files that are dropped together are compared." }</p>
    </> }
}

/// Progress of reading the kernels of both files.
fn progress(props: &PanelProps) -> Option<Html> {
    let (left, is_stopped) = props.view.compare.reading()?;
    let (stop, resume) = (Command::StopComparing, Command::CompareOn);
    Some(reading_with(left, is_stopped, stop, resume))
}

/// The open files to compare with, and a button to open another one.
fn others<'a>(props: &'a PanelProps, class: &'static str) -> impl Iterator<Item = Html> + 'a {
    let files = props.others.iter().map(move |(tab, name)| {
        button(class, Command::CompareWith(*tab), shortened(&escaped(name)))
    });
    files.chain([button(class, Command::ChooseBase, plain("Choose a file…"))])
}

/// One of the two files.
fn file(label: &'static str, head: &FileSummary, other: &FileSummary) -> Html {
    let mut words = vec![escaped(&head.title), escaped(&head.target)];
    words.push(format::size(head.size));
    if head.compiler != other.compiler {
        words.push(escaped(&head.compiler));
    }
    words.retain(|word| !word.is_empty());
    html! { <>
        <dt>{ label }</dt>
        <dd><b>{ shortened(&escaped(&head.name)) }</b><span class="dim">{ words.join(" · ") }</span></dd>
    </> }
}

/// Summary of the differences, once it is known.
fn head(props: &PanelProps, report: Option<&CompareReport>) -> Html {
    let compare = &props.view.compare;
    let tone = if report.is_some_and(|report| report.same_meaning) {
        Tone::Good
    } else {
        Tone::Plain
    };
    let base = compare.base.as_ref().map(|base| base.tab);
    let is_open = props.others.iter().any(|(tab, _)| Some(*tab) == base);
    let menu = |label: &str, within: Html| {
        html! {
            <details class="menu" name="list-menu">
                <summary class="btn2">{ label.to_owned() }</summary>
                <div class="pop acts">{ within }</div>
            </details>
        }
    };
    let report_menu = html! { <>
        { button("btn2", Command::CopyComparison(CompareForm::Markdown), plain("Copy as Markdown")) }
        { button("btn2", Command::SaveComparison(CompareForm::Markdown), plain("Save as Markdown")) }
        { button("btn2", Command::SaveComparison(CompareForm::Html), plain("Save as HTML")) }
        { button("btn2", Command::SaveComparison(CompareForm::Json), plain("Save as JSON")) }
        <p class="dim small">{ "All differences, in the formats of zeview diff." }</p>
    </> };
    html! {
        <div class="compare-head">
            <dl class="both">
                if let Some(report) = report {
                    { file("from", &report.from, &report.to) }
                    { file("to", &report.to, &report.from) }
                } else {
                    <dt>{ "from" }</dt>
                    <dd>{ for compare.base.as_ref().map(|base| shortened(&escaped(&base.name))) }</dd>
                    <dt>{ "to" }</dt>
                    <dd>{ shortened(&escaped(&props.view.opened.name)) }</dd>
                }
            </dl>
            <div class="acts">
                if let Some(on) = props.sides.filter(|_| is_open) {
                    <button type="button" class="btn2" aria-pressed={on.to_string()} data-command={Command::ToggleSides.to_string()}
                            title="The trees and bytes of both files, synchronized (s)">{ "Side by side" }</button>
                }
                { button("btn2", Command::Swap, plain("Swap")) }
                { menu("Compare with", html! { <>{ for others(props, "btn2") }</> }) }
                { menu("Report", report_menu) }
            </div>
            <div class="said" role="status">
                if let Some(report) = report {
                    <div class="words">
                        <b class={format::tone_class(tone)}>{ &*report.verdict }</b>
                        { for report.counts.iter().map(|line| html! { <span>{ line }</span> }) }
                        if report.is_kernels_only {
                            <span class="dim">{ "Only kernels were compared. " }{ button("link", Command::CompareEverything, plain("Compare images, properties and symbols, too")) }</span>
                        }
                        { for report.remarks.iter().chain(&report.notes).map(|line| html! { <span class="warn">{ format!("▲ {}", escaped(line)) }</span> }) }
                    </div>
                    { devices(report) }
                } else {
                    <span class="dim">{ "Comparing …" }</span>
                    { progress(props) }
                }
            </div>
        </div>
    }
}

/// The changes of the kernels of each device; each number filters the list.
fn devices(report: &CompareReport) -> Html {
    if report.devices.is_empty() {
        return Html::default();
    }
    let row = |device: &DeviceChanges| {
        let name = &device.of.device;
        let cell = |count: u64, filter: &str| {
            let filter = format!("part==kernel device==\"{name}\"{filter}");
            match count {
                _ if name.is_empty() => html! { <td class="num">{ format::grouped(count) }</td> },
                0 => html! { <td class="num dim">{ NO_COUNT }</td> },
                count => {
                    html! { <td class="num">{ button("cell", Command::FilterDifferences(filter), plain(&format::grouped(count))) }</td> }
                }
            }
        };
        let plain_count = |count: u64| html! { <td class="num">{ format::grouped(count) }</td> };
        let shown = if name.is_empty() { "not named" } else { name };
        html! {
            <tr key={name.to_string()}>
                <td class="mono">{ escaped(shown) }</td>
                { cell(device.added, " change=added") }
                { cell(device.removed, " change=removed") }
                { cell(device.changed, " change!=added change!=removed") }
                { cell(device.worse, " assessed==worse") }
                { cell(device.better, " assessed==better") }
                { plain_count(device.unchanged()) }
                { plain_count(device.of.kernels.0) }
                { plain_count(device.of.kernels.1) }
            </tr>
        }
    };
    let titles = [
        "Kernels", "New", "Removed", "Changed", "Worse", "Better", "Same", "In from", "In to",
    ];
    html! {
        <table class="sizes survey by-device">
            <thead><tr>
                { for titles.iter().enumerate().map(|(at, title)| html! {
                    <th scope="col" class={(at > 0).then_some("num")}>{ *title }</th>
                }) }
            </tr></thead>
            <tbody>{ for report.devices.iter().map(row) }</tbody>
        </table>
    }
}

/// Options for comparing and showing instructions.
pub(super) fn instructions(view: &View) -> Html {
    let all = view.lists.get(ListId::Changes).query.all;
    let toggle = |on: bool, command: Command, label: &'static str, title: &'static str| {
        html! {
            <button type="button" class="btn2" aria-pressed={on.to_string()} {title}
                    data-command={command.to_string()}>{ label }</button>
        }
    };
    html! { <>
        { toggle(all, Command::ToggleSecondary(ListId::Changes), "Show unchanged", "Also list instructions that are equal in both files") }
        { toggle(view.compare.options.renumbered, Command::ToggleRenumbered, "Ignore register renaming", "Ignore differences that only affect register and scoreboard token numbers") }
    </> }
}

/// A cell of a difference: each side in its color.
pub(super) fn cell(id: &str, found: &Cell<'_>, row: &Row) -> Option<Html> {
    let change = row.cells.first().map(|cell| cell.value.text());
    let is_change = |word: &str| change.as_deref() == Some(word);
    let marks = row.cells.iter().flat_map(|cell| &cell.marks);
    let mut tones = marks.map(|mark| mark.tone);
    // Red and green mean worse and better; a mere difference is neutral.
    let judged = tones.find(|tone| matches!(tone, Tone::Bad | Tone::Good));
    let side = match (id, judged) {
        ("from", _) if is_change("removed") || is_change("changed") => "side from",
        ("to", Some(tone)) if is_change("added") || is_change("changed") => match tone {
            Tone::Bad => "side worse",
            _ => "side better",
        },
        ("to", _) if is_change("added") || is_change("changed") => "side to",
        ("from" | "to", _) => "side",
        _ => return None,
    };
    let text = match &found.value {
        CellValue::Text(text) => escaped(text),
        _ => String::new(),
    };
    Some(html! {
        <span class={side} title={text.clone()}>
            <span class="asm">{ text }</span>
            if let Some(base) = found.base {
                <button type="button" class="ico there" tabindex="-1" data-command={Command::ShowInBase(base).to_string()}
                        aria-label="Show in the first file" title="Show in the first file (Enter)">{ "↗" }</button>
            }
        </span>
    })
}
