//! Bars around the panes: header, open files, panel tabs, status bar.

use std::rc::Rc;

use yew::prelude::*;

use super::palette;
use crate::model::text::escaped;
use crate::model::{Fact, Tone};
use crate::tables::ListId;
use crate::ui::components::{SearchBox, button, manual, plain, shortened, span_button};
use crate::ui::panels;
use crate::ui::session::SessionContext;
use crate::ui::state::commands::{Command, Pane};
use crate::ui::state::compare::Following;
use crate::ui::state::verdict::{self, outcome_text};
use crate::ui::state::{
    DecoderWork, Level, Origin, PanelId, Phase, State, Tab, TabId, Theme, View, shown_beside,
};
use crate::ui::text::format;
use crate::worker::protocol::Opened;

/// The header: the open file and its most important facts.
pub fn header(session: &SessionContext, state: &State) -> Html {
    let tab = state.active();
    let view = tab.and_then(|tab| tab.view());
    let theme = state.layout.theme;
    let label = format!("Theme: {}", theme.name());
    html! {
        <header class="head-line">
            if state.layout.hosted {
                <h1 class="unseen">{ "zeview" }</h1>
            } else {
                <h1 class="brand">
                    if tab.is_some() {
                        <button type="button" data-command={Command::Home.to_string()} title="Start page; open files stay open">{ "zeview" }</button>
                    } else { { "zeview" } }
                </h1>
            }
            if let Some(tab) = tab {
                { location(session, tab) }
                if state.tabs.len() == 1 {
                    <button type="button" class="ico close-file" data-command={Command::Close(tab.id).to_string()} title="Close the file" aria-label="Close the file">{ "×" }</button>
                }
            } else {
                <span class="dim claim">{ "See inside Intel GPU binaries: kernels, spills, assembly, and whether they run on your GPU" }</span>
            }
            if let Some((tab, Origin::Local)) = tab.map(|tab| (tab, &tab.origin)) {
                { follow(tab) }
            }
            if let Some(view) = view {
                { chips(view) }
                <SearchBox session={session.clone()} tab={tab.map(|tab| tab.id)} offered={palette::offered as fn(&View, &str) -> _} />
            } else {
                <span class="grow" />
            }
            if tab.is_some() {
                <button type="button" class="ico" data-command={Command::Open.to_string()} title="Open a file (o)" aria-label="Open a file">
                    { icon("M1.5 12.5v-9h4l1.5 2h6v2M1.5 12.5l2-5h11l-2 5z", "") }
                </button>
            }
            <button type="button" class="ico" data-command={Command::NextTheme.to_string()} title={label.clone()} aria-label={label}>
                { match theme {
                    Theme::Auto => icon("M8 2.5a5.5 5.5 0 0 0 0 11", "M8 2.5a5.5 5.5 0 0 1 0 11z"),
                    Theme::Light => icon("M8 5a3 3 0 1 0 .01 0M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M3 13l1.4-1.4M11.6 4.4L13 3", ""),
                    Theme::Dark => icon("", "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z"),
                } }
            </button>
            <button type="button" class="ico" data-command={Command::Help.to_string()} title="Help (?)" aria-label="Help">{ "?" }</button>
        </header>
    }
}

/// Toggle for watching the file on disk.
fn follow(tab: &Tab) -> Html {
    let on = tab.following != Following::No;
    html! { <>
        <button type="button" class="ico follow" aria-pressed={on.to_string()} data-command={Command::ToggleFollow.to_string()}
                aria-label="Watch the file" title="Watch: reload when the file changes on disk">
            { icon("M13 8a5 5 0 1 1-1.6-3.7M13 1.8v3h-3", "") }
        </button>
        if tab.following == Following::Changed {
            { button("btn2 before", Command::CompareWithBefore, html! { <>{ "Compare with the previous build " }<kbd aria-hidden="true">{ "b" }</kbd></> }) }
        }
    </> }
}

/// Where one is: the file, the documents in it that contain the selection, and beside code its image
/// and its kernel. Each is a link or a choice.
fn location(session: &SessionContext, tab: &Tab) -> Html {
    let view = tab.view();
    let place = view.and_then(|view| panels::place(session, view));
    let documents = view.map(|view| view.selection.documents());
    let mut documents = documents.unwrap_or_default();
    // The choice of the image stands for it, and for the archive around it.
    let image = place
        .as_ref()
        .and_then(|_| view?.code_images(ListId::Instructions));
    let image = image.and_then(|images| images.images.iter().find(|image| image.is_shown));
    if let (Some(image), Some(view)) = (image, view) {
        let names: Vec<&str> = image.name.split(" · ").collect();
        // `native device code image 1` is `image 1`.
        documents.retain(|(level, _)| {
            let document = view.selection.document_name(*level);
            !names.iter().any(|name| document.ends_with(name))
        });
    }
    let name = escaped(&tab.name);
    let about = view.map(|view| about(&name, &view.opened));
    let about = about.unwrap_or_else(|| name.clone());
    let is_file = documents.is_empty() && place.is_none();
    let crumb = |level: usize, title: String, text: String| {
        let label = html! { <span class="chip-text">{ shortened(&text) }</span> };
        html! {
            <li class="crumb" {title}>{ button("link", Command::SelectAbove(level), label) }</li>
        }
    };
    html! {
        <nav class="nested" aria-label="Location">
            <ol>
                if is_file {
                    <li class="crumb" title={about}><b>{ shortened(&name) }</b></li>
                } else {
                    { crumb(0, about, name) }
                }
                <>{ for documents.into_iter().map(|(level, row)| {
                    let name = view.map_or("", |view| view.selection.document_name(level));
                    let name = escaped(name);
                    let summary = row.summary.as_deref().unwrap_or(&row.name);
                    let title = format!("{name}: {summary}");
                    // Of a file in a package, without its folders.
                    let own = name.rsplit(['/', '\\']).next().map(str::to_owned);
                    crumb(level, title, own.unwrap_or(name))
                }) }</>
                <>{ place.map(|place| html! { <li class="place">{ place }</li> }) }</>
            </ol>
        </nav>
    }
}

/// A file in a line: its name and size, and how much of it was read. Some bytes may be read twice.
fn about(name: &str, opened: &Opened) -> String {
    let size = format::size(opened.size);
    let read = match opened.bytes_read {
        read if read >= opened.size => format!("read all {size}"),
        read => format!("read {} of {size}", format::size(read)),
    };
    if opened.millis < SLOW {
        return format!("{name}\n{read}");
    }
    format!(
        "{name}\n{read}, decoded in {}",
        format::millis(opened.millis)
    )
}

/// Minimum duration in milliseconds that is said.
const SLOW: f64 = 1000.0;

fn icon(lines: &'static str, filled: &'static str) -> Html {
    html! {
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d={lines} /><path class="filled" d={filled} /></svg>
    }
}

/// The headline facts; each links to its bytes.
fn chips(view: &View) -> Html {
    let summary = view.summary();
    let facts = summary.iter().flat_map(|summary| &summary.facts);
    let headline = facts.filter(|fact| fact.headline);
    let is_kernel = view.current_panel().level() == Level::Kernel;
    html! {
        <ul class={if is_kernel { "chips place-chips" } else { "chips" }} aria-label="Summary">
            // Beside code, its image and kernel take their place.
            if !is_kernel { <li><span class="chip">{ summary.map_or("…", |summary| &*summary.title) }</span></li> }
            <>{ for verdict_chips(view) }</>
            { for headline.filter(|_| !is_kernel).map(|fact| html! { <li title={format!("{}: {}", fact.label, escaped(&fact.text))}>{ chip(fact) }</li> }) }
        </ul>
    }
}

/// The driver's verdict and, separately, whether the file is well-formed.
fn verdict_chips(view: &View) -> Vec<Html> {
    let errors = verdict::errors(&view.opened);
    let chip = |tone: Tone, panel, title: String, text: String| {
        let sign = format::tone_sign(tone).unwrap_or("");
        let label = html! { <><span aria-hidden="true">{ sign }</span><span class="chip-text">{ text }</span></> };
        html! { <li class="verdict" {title}>{ button(format::chip_class(tone), Command::Panel(panel), label) }</li> }
    };
    let mut chips = Vec::new();
    let parts = view.verdict_parts();
    if view.awaits_verdict() && (parts.verdict || parts.images && view.verdict.device.is_some()) {
        let title = "What the driver does is not known yet".to_owned();
        chips.push(chip(
            Tone::Plain,
            PanelId::Overview,
            title,
            "driver: …".to_owned(),
        ));
    }
    if let Some(verdict) = view.driver_verdict() {
        let mut words = format!("driver: {}", outcome_text(verdict));
        if let Some(device) = &verdict.device {
            words.push_str(&format!(" on {device}"));
        }
        let tone = verdict::tone(verdict.outcome);
        chips.push(chip(tone, PanelId::Overview, verdict.headline(), words));
    }
    let images = view.container();
    if let Some((images, device)) =
        images.and_then(|images| Some((images, images.device.as_ref()?)))
    {
        let (tone, words) = verdict::choice_text(images);
        let title = "What runs on the selected device".to_owned();
        let words = format!("driver: {words} on {device}");
        chips.push(chip(tone, PanelId::Overview, title, words));
    }
    if errors > 0 {
        let words = format!("malformed: {}", format::counted(errors, "error", "errors"));
        let title = "The file violates the specification".to_owned();
        chips.push(chip(Tone::Bad, PanelId::Problems, title, words));
    }
    chips
}

fn chip(fact: &Fact) -> Html {
    let text = html! { <>
        if let Some(sign) = format::tone_sign(fact.tone) { <span aria-hidden="true">{ sign }</span> }
        <span class="chip-text">{ escaped(&fact.text) }</span>
    </> };
    let class = format::chip_class(fact.tone);
    match fact.span {
        Some(span) => span_button(class, span, text),
        None => html! { <span {class}>{ text }</span> },
    }
}

/// Maximum number of tabs; with more files, a menu lists all of them.
const LISTED: usize = 5;

/// A tab for each open file, if there are several.
pub fn file_tabs(tabs: &[Rc<Tab>], active: Option<TabId>) -> Html {
    html! {
        <nav class="files" aria-label="Open files">
            <div class="file-list" role="tablist" aria-label="Open files">
                { for tabs.iter().enumerate().map(|(i, tab)| {
                    let on = active == Some(tab.id);
                    // None on the start page.
                    let stop = on || (active.is_none() && i == 0);
                    html! {
                        <button key={tab.id.0} type="button" role="tab" class={if on { "file on" } else { "file" }}
                                aria-selected={on.to_string()} tabindex={if stop { "0" } else { "-1" }}
                                id={tab.id.element()} data-command={Command::Activate(tab.id).to_string()} title={escaped(&tab.name)}>
                            if matches!(tab.phase, Phase::Failed(_)) {
                                <span class="sev err" role="img" aria-label="failed to open">{ "✕" }</span>
                            }
                            <span class="file-name">{ escaped(&tab.name) }</span>
                            // Only for pointers; keyboard users press Delete.
                            <span class="close" data-command={Command::Close(tab.id).to_string()} aria-hidden="true">{ "×" }</span>
                        </button>
                    }
                }) }
            </div>
            if tabs.len() > LISTED {
                <details class="menu">
                    <summary class="btn2">{ format!("{} files", tabs.len()) }</summary>
                    <div class="pop acts">
                        { for tabs.iter().map(|tab| html! {
                            <button key={tab.id.0} type="button" class={if active == Some(tab.id) { "choice sel" } else { "choice" }}
                                    data-command={Command::Activate(tab.id).to_string()}>{ shortened(&escaped(&tab.name)) }</button>
                        }) }
                    </div>
                </details>
            }
        </nav>
    }
}

/// A tab of a row of tabs.
pub fn tab(on: bool, controls: &'static str, command: Command, label: Html) -> Html {
    html! {
        <button type="button" role="tab" id={command.tab()} class={if on { "on" } else { "" }}
                aria-selected={on.to_string()} aria-controls={controls} tabindex={if on { "0" } else { "-1" }}
                data-command={command.to_string()}>{ label }</button>
    }
}

/// The levels, the tabs of the panels of one of them, `figures`, and the pane toggles. In a narrow
/// window the tree is one of the tabs.
pub fn panel_tabs(state: &State, view: &View, figures: Option<Html>) -> Html {
    let layout = &state.layout;
    let tree = layout.narrow && !layout.upper_is_panel;
    let current = panels::current(view).id;
    let label = |panel: &panels::Panel| {
        html! { <>
            { panel.name }
            if let Some((count, tone)) = (panel.badge)(view) {
                <span class={format!("badge {}", format::tone_class(tone))}>{ format::grouped(count) }</span>
            }
        </> }
    };
    let level = current.level();
    let levels = Level::ALL.into_iter();
    let levels = levels.filter(|level| view.panel_of(*level).is_some());
    html! {
        <div class="tab-row">
            <div class="levels" role="tablist" aria-label="Level">
                { for levels.map(|of| tab(of == level, "panel", Command::Level(of), html! { <>
                    { of.title() }
                    if of == Level::File && of != level { { for file_badge(view) } }
                </> })) }
            </div>
            <div class="tabs" role="tablist" aria-label="Panels">
                if layout.narrow {
                    { tab(tree, "panel", Command::Pane(Pane::Structure), plain("Structure")) }
                }
                { for panels::shown(view, level).map(|panel| {
                    tab(!tree && current == panel.id, "panel", Command::Panel(panel.id), label(&panel))
                }) }
            </div>
            <span class="grow" />
            <>{ figures }</>
            <>{ manual(panels::manual(current)) }</>
            { pane_buttons(state, view) }
        </div>
    }
}

/// The number of problems, while their tab is at another level.
fn file_badge(view: &View) -> Option<Html> {
    let (count, tone) = (panels::panel(PanelId::Problems).badge)(view)?;
    let class = format!("badge {}", format::tone_class(tone));
    Some(html! { <span {class}>{ format::grouped(count) }</span> })
}

/// A toggle for each pane.
fn pane_buttons(state: &State, view: &View) -> Html {
    let layout = &state.layout;
    let beside = state.beside().is_some();
    let panel = (!beside).then(|| shown_beside(state, view));
    let panes = layout.panes.of(panel);
    let is_shown = |pane: Pane| match (layout.narrow, pane) {
        (false, pane) => panes.has(pane),
        (true, Pane::Structure) => !layout.upper_is_panel,
        (true, pane) => panes.bytes && layout.lower_is_inspector == (pane == Pane::Inspector),
    };
    let button = |pane: Pane, name: &str, key: &'static str, filled: &'static str| {
        html! {
            <button type="button" class="ico" aria-pressed={is_shown(pane).to_string()} aria-label={name.to_owned()}
                    title={format!("{name} ({key})")} aria-keyshortcuts={key}
                    data-command={Command::TogglePane(pane).to_string()}>
                { icon("M1.5 2.5h13v11h-13z", filled) }
            </button>
        }
    };
    let (left, right) = if beside {
        ("First file", "Second file")
    } else {
        ("Structure", "Inspector")
    };
    html! {
        <div class="pane-buttons" role="group" aria-label="Panes">
            if !layout.narrow {
                { button(Pane::Structure, left, "t", "M1.5 2.5h4v11h-4z") }
            }
            { button(Pane::Bytes, "Bytes", "x", "M1.5 9.5h13v4h-13z") }
            { button(Pane::Inspector, right, "i", "M10.5 2.5h4v11h-4z") }
        </div>
    }
}

/// The status bar: selection, decoded share, bytes read.
pub fn status(tab: Option<&Tab>) -> Html {
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    let work = tab.and_then(|tab| Some(work(tab.id, tab.work?)));
    let Some(view) = tab.and_then(Tab::view) else {
        return html! {
            <footer class="status">
                <span>{ version }</span>
                { work.unwrap_or_default() }
                <span class="grow" />
                <span class="hint">
                    <kbd>{ "o" }</kbd>{ " open a file " }<kbd>{ "?" }</kbd>{ " help" }
                </span>
            </footer>
        };
    };
    let opened = &view.opened;
    let range = view.selection.span.map_or_else(
        || "no bytes".to_owned(),
        |span| {
            format!(
                "{:#x}..{:#x} · {}",
                span.start,
                span.end,
                format::bytes(span.len())
            )
        },
    );
    let names: Vec<String> = view.selection.names().collect();
    html! {
        <footer class="status">
            { work.unwrap_or_default() }
            <span class="mono">{ range }</span>
            <span class="way">{ names.join(" ▸ ") }</span>
            <span class="grow" />
            // Nothing to tell is the usual case.
            if opened.coverage.gap > 0 {
                <span class="cover warn">{ panels::undecoded_message(&opened.coverage, opened.size) }</span>
            }
            <span class="dim cost">{ version }</span>
        </footer>
    }
}

/// What the decoder works on, with a button that ends it.
fn work(tab: TabId, work: DecoderWork) -> Html {
    let mut text = format!("{} for {} s", work.text, work.seconds);
    if work.bytes > 0 {
        text = format!("{text}, read {}", format::size(work.bytes));
    }
    html! {
        <span class="work" role="status">
            <progress aria-label="Working" />
            { text }
            { button("btn2", Command::StopWork(tab), plain("Stop")) }
        </span>
    }
}

/// The file was changed on disk.
pub fn banner(tab: TabId, why: &str) -> Html {
    html! {
        <div class="banner" role="alert">
            <span class="sev warn" aria-hidden="true">{ "▲" }</span>
            <span>{ why.to_owned() }{ " The page shows its old contents." }</span>
            { button("btn2", Command::Reopen(tab), plain("Reopen…")) }
        </div>
    }
}
