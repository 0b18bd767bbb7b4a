//! The toolbar of a list: row count, columns, exports, choice of text.

use yew::prelude::*;

use crate::analysis::package_reading::Unpacking;
use crate::model::Severity;
use crate::model::text::escaped;
use crate::tables::query::GroupBy;
use crate::tables::write::Form;
use crate::tables::{Column, ListId, Presence, Scope, Secondary, Shape};
use crate::ui::components::{button, plain, shortened};
use crate::ui::graphs::graph_view::GraphView;
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::state::list::List;
use crate::ui::state::terms;
use crate::ui::state::texts::Texts;
use crate::ui::text::format;
use crate::worker::protocol::{self, ListPage, ListReading};

/// Number of rows.
pub(super) fn status(view: &View, list: &List) -> Html {
    let declared = list.id.declaration();
    let words = &declared.words;
    let Some(page) = list.page.as_ref().filter(|_| !view.is_late(list.id)) else {
        return html! { <span class="dim" role="status">{ "Reading …" }</span> };
    };
    let names_many = page.names.filter(|names| *names < page.total);
    let all = if list.query.all {
        page.total + u64::from(page.secondary.count())
    } else {
        page.total
    };
    let found = list.rows.found.unwrap_or(all);
    let count = match names_many {
        _ if list.query.by() == Some(GroupBy::Image) => format::counted(all, "image", "images"),
        _ if list.query.by() == Some(GroupBy::Family) => format::counted(all, "family", "families"),
        _ if list.query.by() == Some(GroupBy::Device) => format::counted(all, "device", "devices"),
        // One for each image and device, or for equal ones.
        Some(many) => format!(
            "{} of {}",
            match list.query.by() {
                None => format::counted(all, "build", "builds"),
                Some(_) => format::counted(all, "distinct build", "distinct builds"),
            },
            format::counted(many, words.one, words.many)
        ),
        None => match padding(view, list) {
            0 => format::counted(all, words.one, words.many),
            padding if found < all => {
                let rows = format::counted(all, "row", "rows");
                format!("{rows}, {} of padding", format::grouped(padding))
            }
            padding => format!(
                "{}, {} of padding",
                format::counted(all.saturating_sub(padding), words.one, words.many),
                format::grouped(padding)
            ),
        },
    };
    let has_count = page.trouble.is_none() || (list.rows.is_waiting() && page.reading.is_none());
    // The rows so far match another query.
    let awaits = list.rows.is_waiting() && page.reading.is_none();
    let counts = if awaits {
        "…".to_owned()
    } else if found < all {
        format!("{} of {count}", format::grouped(found))
    } else {
        count
    };
    html! { <>
        if !page.subject.is_empty() {
            { match declared.scope {
                // The code is named beside it.
                Scope::Code => Html::default(),
                Scope::Difference => html! { <b class="n">{ shortened(&escaped(&page.subject)) }</b> },
                Scope::Owner => html! { <b>{ format!("{} of {}", words.title, escaped(&page.subject)) }</b> },
                _ => html! { <>
                    <b>{ escaped(&page.subject) }</b>
                    { button("btn2", Command::SelectAbove(0), plain("All images")) }
                </> },
            } }
        }
        if page.secondary.count() > 0 {
            { toggle_button("toggle info", list.query.all, "Rows that are hidden by default", &Command::ToggleSecondary(list.id), secondary(page.secondary)) }
        }
        <span class="dim" role="status">{ if has_count { counts } else { String::new() } }</span>
        if let Some(of) = page.reading.as_ref().filter(|_| list.is_stopped) { { reading(of, true) } }
        // The summary of a comparison has its notes.
        { for page.notes.iter().filter(|_| list.id != ListId::Differences).map(|note| html! { <span class="warn">{ format!("▲ {}", escaped(note)) }</span> }) }
    </> }
}

/// Number of rows of the listing that are no instructions, once counted.
fn padding(view: &View, list: &List) -> u64 {
    let report = view.code_report();
    report
        .filter(|_| list.code.is_some())
        .filter(|report| report.left == 0)
        .map_or(0, |report| report.mix.padding)
}

/// Conditions that can be added to the filter, with the number of rows that meet each.
pub(super) fn toggles(list: &List) -> Vec<Html> {
    let counts = list.page.as_deref().map_or(&[][..], |page| &page.counts);
    let toggles = list.id.declaration().toggles.iter().zip(counts);
    let toggles = toggles.map(|(toggle, count)| {
        let is_on = terms::has(&list.query.filter, toggle.filter);
        // No row meets it.
        if *count == Some(0) && !is_on {
            return Html::default();
        }
        let command = Command::ToggleTerm(list.id, toggle.filter.to_owned());
        let mut label = toggle.label.to_owned();
        if let Some(count) = count {
            label.push(' ');
            label.push_str(&format::grouped(*count));
        }
        toggle_button("figure", is_on, toggle.doc, &command, label)
    });
    toggles.collect()
}

/// A button that is pressed or not.
#[inline(never)]
fn toggle_button(
    class: &'static str,
    is_on: bool,
    title: &'static str,
    command: &Command,
    label: String,
) -> Html {
    html! {
        <button type="button" {class} aria-pressed={is_on.to_string()} {title} data-command={command.to_string()}>
            { label }
        </button>
    }
}

/// Choice of the device, if the rows are for several.
pub(super) fn devices(list: &List, onchange: Callback<Event>) -> Html {
    let devices = list.page.as_deref().map_or(&[][..], |page| &page.devices);
    let chosen = terms::device(&list.query.filter);
    if devices.len() < 2 && chosen.is_none() {
        return Html::default();
    }
    let mut options = vec![(String::new(), "any device".to_owned(), chosen.is_none())];
    for device in devices.iter().filter(|device| !device.contains(' ')) {
        options.push((
            device.to_string(),
            escaped(device),
            chosen == Some(&**device),
        ));
    }
    select("Device", "The device of the kernels", options, onchange)
}

/// A choice of options: their values and texts, and whether each is chosen.
#[inline(never)]
pub(super) fn select(
    label: &'static str,
    title: &'static str,
    options: Vec<(String, String, bool)>,
    onchange: Callback<Event>,
) -> Html {
    html! {
        <select aria-label={label} {title} {onchange}>
            { for options.into_iter().map(|(value, text, selected)| html! {
                <option key={value.clone()} {value} {selected}>{ text }</option>
            }) }
        </select>
    }
}

/// Grouping of the rows, if they are kernels of several images.
pub(super) fn grouping(list: &List, onchange: Callback<Event>) -> Html {
    let chosen = list.query.by();
    let is_of_several = |page: &ListPage| page.names.is_some();
    let are_builds = matches!(chosen, None | Some(GroupBy::Figures));
    if are_builds && !list.page.as_deref().is_some_and(is_of_several) {
        return Html::default();
    }
    let title = "Grouping of rows; values that differ within a group are marked ≠";
    let mut options = vec![(
        String::new(),
        "a row per build".to_owned(),
        chosen.is_none(),
    )];
    for by in GroupBy::ALL {
        let text = match by {
            GroupBy::Figures => "equal builds in a row".to_owned(),
            by => format!("a row per {}", by.name()),
        };
        options.push((by.name().to_owned(), text, chosen == Some(by)));
    }
    select("Rows", title, options, onchange)
}

/// Progress of reading or judging kernels, with buttons to stop and resume.
pub(in crate::ui::panels) fn reading(of: &ListReading, is_stopped: bool) -> Html {
    reading_with(of, is_stopped, Command::StopReading, Command::ReadOn)
}

/// Like [`reading`], with other commands.
pub(in crate::ui::panels) fn reading_with(
    of: &ListReading,
    is_stopped: bool,
    stop: Command,
    resume: Command,
) -> Html {
    let progress = of.progress();
    let (done, one, many) = match of {
        ListReading::Images(..) => ("read", "image", "images"),
        ListReading::Code(_) => ("analyzed", "kernel", "kernels"),
        ListReading::Compared(_) => ("compared", "kernel", "kernels"),
        ListReading::Searched(..) => ("searched", "image", "images"),
    };
    let all = format::counted(progress.of, one, many);
    let text = format!("{} of {all}", format::grouped(progress.done));
    let unpacking = match of {
        ListReading::Images(_, unpacking) | ListReading::Searched(_, unpacking) if !is_stopped => {
            unpacking.as_ref()
        }
        _ => None,
    };
    html! {
        <span class="reading">
            if is_stopped {
                <span class="warn">{ format!("stopped at {text}") }</span>
                { button("btn2", resume, plain("Resume")) }
            } else {
                <progress aria-label="Reading kernels" max={progress.of.to_string()} value={progress.done.to_string()} />
                <span class="dim">{ format!("{done} {text}") }</span>
                if let Some(file) = unpacking {
                    <span class="dim" title={file.path.to_string()}>{ unpacked(file) }</span>
                }
                { button("btn2", stop, plain("Stop")) }
            }
        </span>
    }
}

/// `unpacking libitex_gpu_internal.so: 812 MB of 2.3 GB`.
fn unpacked(file: &Unpacking) -> String {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let (done, of) = (format::size(file.bytes), format::size(file.of));
    format!("unpacking {name}: {done} of {of}")
}

/// Toggle for rows that are hidden by default.
fn secondary(secondary: Secondary) -> String {
    let words = [
        (secondary.copies, "copy", "copies"),
        (secondary.placeholders, "placeholder", "placeholders"),
        (secondary.functions, "function", "functions"),
        (
            secondary.without_code,
            "file without device code",
            "files without device code",
        ),
    ];
    let words = words.into_iter().filter(|(count, ..)| *count > 0);
    let words = words.map(|(count, one, many)| format::counted(count.into(), one, many));
    words.collect::<Vec<_>>().join(", ")
}

/// Menu of columns.
pub(super) fn columns(list: &List) -> Html {
    let shown = list.shown();
    // Visible ones first, in their order.
    let is_shown = |column: &&Column| shown.iter().any(|other| other.id == column.id);
    let others = list.id.columns().iter().filter(|column| !is_shown(column));
    let others = others.filter(|column| column.presence != Presence::QueryOnly);
    let all = shown.iter().copied().chain(others).skip(1);
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ "Columns" }</summary>
            <div class="pop">
                <div class="choices" role="group" aria-label="Columns">
                    { for all.map(|column| {
                        let on = shown.iter().any(|other| other.id == column.id);
                        let command = Command::ToggleColumn(list.id, column.id.to_owned());
                        let step = |label: &str, command: Command, sign: &'static str| html! {
                            <button type="button" class="ico" aria-label={format!("Move {} {label}", column.header())} data-command={command.to_string()}>{ sign }</button>
                        };
                        html! { <div class="line" key={column.id}>
                            <button type="button" class="choice" role="checkbox" aria-checked={on.to_string()}
                                    title={column.doc} data-command={command.to_string()}>
                                <span aria-hidden="true">{ if on { "☑" } else { "☐" } }</span>
                                { column.header() }
                                if column.header() != column.id { <span class="dim mono">{ column.id }</span> }
                            </button>
                            if on {
                                { step("left", Command::MoveLeft(list.id, column.id.to_owned()), "‹") }
                                { step("right", Command::MoveRight(list.id, column.id.to_owned()), "›") }
                            }
                        </div> }
                    }) }
                </div>
                <div class="foot">{ button("btn2", Command::DefaultColumns(list.id), plain("Default columns")) }</div>
            </div>
        </details>
    }
}

/// Menu for copying and saving a list.
pub(super) fn export(list: ListId) -> Html {
    let (commands, note) = match list.declaration().shape {
        Shape::Text => (
            vec![
                (Command::CopyLines, "Copy selected lines"),
                (Command::CopyText, "Copy all"),
                (Command::SaveText, "Save"),
            ],
            "Ctrl+C copies the selected lines.",
        ),
        Shape::Code => (
            vec![
                (Command::CopyList(list, Form::Plain), "Copy as assembly"),
                (Command::SaveList(list, Form::Plain), "Save as assembly"),
                (Command::CopyList(list, Form::Tabs), "Copy as TSV"),
                (Command::CopyList(list, Form::Markdown), "Copy as Markdown"),
                (Command::SaveList(list, Form::Csv), "Save as CSV"),
                (Command::SaveList(list, Form::Json), "Save as JSON"),
                (Command::SaveReport, "Save report"),
            ],
            "The report is one page of HTML to attach to a bug: this code around the selected instruction, its figures, and the file. Assembly is the whole code, as the assembler reads it; the tables have the rows and columns that are shown. Ctrl+C copies the cell, or as assembly the rows selected with Shift.",
        ),
        _ => (
            vec![
                (Command::CopyList(list, Form::Tabs), "Copy as TSV"),
                (Command::CopyList(list, Form::Markdown), "Copy as Markdown"),
                (Command::SaveList(list, Form::Csv), "Save as CSV"),
                (Command::SaveList(list, Form::Markdown), "Save as Markdown"),
                (Command::SaveList(list, Form::Json), "Save as JSON"),
            ],
            "Exports the rows and columns that are shown; JSON has all columns. Ctrl+C copies the cell, or the rows selected with Shift.",
        ),
    };
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ "Export" }</summary>
            <div class="pop acts">
                { for commands.into_iter().map(|(command, label)| button("btn2", command, plain(label))) }
                <p class="dim small">{ note }</p>
            </div>
        </details>
    }
}

/// Error of the filter; with the graph visible, the graph shows it.
pub(super) fn filter_error(list: &List, graph: Option<&GraphView>) -> Html {
    let page = list.page.as_ref().filter(|_| !list.rows.is_waiting());
    let trouble = match graph {
        Some(graph) => graph.modules().and_then(|page| page.trouble.as_deref()),
        None => page.and_then(|page| page.trouble.as_deref()),
    };
    let Some(trouble) = trouble else {
        return Html::default();
    };
    html! {
        <p class="trouble warn" role="alert"><span aria-hidden="true">{ format::severity_sign(Severity::Warning) }</span>{ format!(" Filter: {}", escaped(trouble)) }</p>
    }
}

/// Choice of the text.
pub(super) fn picker(texts: &Texts, onchange: Callback<Event>) -> Html {
    let Some(text) = &texts.shown else {
        return Html::default();
    };
    let is_shown = |row: &protocol::Row| row.span == text.span;
    // Texts of nested documents are not offered.
    let other = (!texts.rows.iter().any(is_shown)).then_some(&**text);
    let rows = texts.rows.iter().chain(other).enumerate();
    let options = rows.map(|(place, row)| (place.to_string(), escaped(&row.name), is_shown(row)));
    select("Text", "The text", options.collect(), onchange)
}

/// Search result in the text, and buttons for the next and previous match.
pub(super) fn matches(texts: &Texts) -> Html {
    let position = match texts.matches {
        None => String::new(),
        Some((_, 0)) => "not found".to_owned(),
        Some((number, all)) => format!("{} of {}", format::grouped(number), format::grouped(all)),
    };
    let step = |label: &'static str, command: Command, sign: &'static str| {
        html! { <button type="button" class="ico" aria-label={label} title={label} data-command={command.to_string()}>{ sign }</button> }
    };
    html! { <>
        <span class="dim found" role="status">{ position }</span>
        { step("Previous match", Command::PreviousMatch, "↑") }
        { step("Next match", Command::NextMatch, "↓") }
    </> }
}
