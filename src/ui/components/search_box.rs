//! Search for names, values, text and bytes; behind `>`, for what can be done.

use std::rc::Rc;

use yew::prelude::*;

use super::names::plain;
use crate::model::text::escaped;
use crate::ui::browser::dom::{
    focus_by_id, has_dialog, has_focus, number_near, scroll_into_view, set_text, text_of,
};
use crate::ui::browser::keys::pressed;
use crate::ui::hooks::{Debounce, Local, use_change, use_later, use_local};
use crate::ui::session::{Session, SessionContext};
use crate::ui::state::commands::Command;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{TabId, View as FileView};
use crate::ui::text::format;
use crate::worker::protocol::HitRow;

/// Delay between the last keystroke and the search, in milliseconds.
const PAUSE: i32 = 150;
/// Number of hits at first, and increment of "more".
const LIMIT: u32 = 100;
/// Maximum number of hits that the decoder returns.
const LIMIT_MAX: u32 = 1000;
/// Element id of the field.
const FIELD: &str = "search";
/// What is behind it is the name of something to do.
const DO: char = '>';
/// Delay until the page shows what was done, in milliseconds.
const DONE: i32 = 60;

#[derive(Properties)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
    /// The file that is searched.
    pub tab: Option<TabId>,
    /// Returns what can be done whose name has the words.
    pub offered: fn(&FileView, &str) -> Vec<(String, Command)>,
}

/// What is offered is always the same function.
impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        self.session == other.session && self.tab == other.tab
    }
}

#[derive(Clone, PartialEq, Default)]
struct SearchHit {
    /// The search text of the hits.
    typed: String,
    hits: Rc<[HitRow]>,
    more: bool,
    open: bool,
    at: Option<usize>,
    /// A search is running; the next one waits for it.
    busy: bool,
    /// Its progress in percent.
    percent: Option<u8>,
    /// It was canceled.
    stopped: bool,
    /// Number of additional hits.
    extra: u32,
    /// The text is also a file offset.
    offset: Option<u64>,
    /// Behind [`DO`]: what can be done, instead of hits.
    commands: Rc<[(String, Command)]>,
}

struct View {
    session: Rc<Session>,
    found: Local<SearchHit>,
    later: Debounce,
    offered: fn(&FileView, &str) -> Vec<(String, Command)>,
}

impl View {
    fn typed(self: &Rc<Self>) {
        let here = Rc::clone(self);
        self.later.after(PAUSE, Box::new(move || here.ask()));
    }

    fn ask(self: &Rc<Self>) {
        let typed = text_of(FIELD).trim().to_owned();
        let found = self.found.get();
        if typed.is_empty() {
            return self.found.change(|found| {
                *found = SearchHit {
                    busy: found.busy,
                    ..SearchHit::default()
                };
            });
        }
        if let Some(words) = typed.strip_prefix(DO) {
            // A key asked for it already, and may have chosen one.
            if found.typed == typed {
                return self.found.change(|found| found.open = true);
            }
            let view = self.session.active().map(|(_, view)| view);
            let commands = view.map_or_else(Vec::new, |view| (self.offered)(&view, words));
            return self.found.change(|found| {
                *found = SearchHit {
                    busy: found.busy,
                    commands: commands.into(),
                    typed: typed.clone(),
                    open: true,
                    ..SearchHit::default()
                };
            });
        }
        if found.busy {
            return;
        }
        let extra = if found.typed == typed { found.extra } else { 0 };
        self.found.change(|found| {
            if found.typed != typed {
                // Results of another text must be neither read nor chosen.
                *found = SearchHit {
                    typed: typed.clone(),
                    ..SearchHit::default()
                };
            }
            found.busy = true;
            found.open = true;
            found.stopped = false;
            found.percent = None;
        });
        let (here, term) = (Rc::clone(self), typed.clone());
        let goes_on = move |percent| {
            here.found.change(|found| found.percent = Some(percent));
            !here.found.get().stopped && text_of(FIELD).trim() == term
        };
        let (here, term) = (Rc::clone(self), typed.clone());
        let done = move |hits: Vec<HitRow>, more| {
            here.found.change(|found| found.busy = false);
            if text_of(FIELD).trim() != typed {
                return here.ask();
            }
            here.found.change(|found| {
                *found = SearchHit {
                    offset: here.session.offset_of(&typed),
                    typed,
                    hits: hits.into(),
                    more,
                    open: true,
                    stopped: found.stopped,
                    at: found.at.filter(|_| extra > 0),
                    extra,
                    ..SearchHit::default()
                };
            });
        };
        let limit = (LIMIT + extra).min(LIMIT_MAX);
        self.session
            .search(term, limit, Box::new(goes_on), Box::new(done));
    }

    /// Searches for more results.
    fn more(self: &Rc<Self>) {
        self.found.change(|found| found.extra += LIMIT);
        self.ask();
    }

    /// Moves to the next or previous result, wherever the focus is.
    fn step(&self, forward: bool) -> bool {
        let found = self.found.get();
        let Some(last) = found.hits.len().checked_sub(1) else {
            return false;
        };
        let next = match (found.at, forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => {
                if at >= last {
                    0
                } else {
                    at + 1
                }
            }
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        };
        self.choose(next, found.open);
        self.session
            .notice(format!("Result {} of {}", next + 1, status(&found)));
        true
    }

    /// Does what was chosen. The focus goes to the panel's tab, unless a dialog has it.
    fn run(&self, command: Command) {
        set_text(FIELD, "");
        self.found.change(|found| *found = SearchHit::default());
        self.session.run(command);
        let session = Rc::clone(&self.session);
        let focus = move || {
            // The field may be in use again.
            if !has_focus(FIELD) || !text_of(FIELD).is_empty() {
                return;
            }
            let tab = session
                .active()
                .map(|(_, view)| Command::Panel(view.current_panel()));
            if let Some(tab) = tab.filter(|_| !has_dialog()) {
                focus_by_id(&tab.tab());
            }
        };
        self.later.after(DONE, Box::new(focus));
    }

    fn choose(&self, place: usize, open: bool) {
        self.found.change(|found| {
            found.at = Some(place);
            found.open = open;
        });
        let found = self.found.get();
        match (found.hits.get(place), found.offset) {
            (Some(hit), _) => self.session.select_span(hit.span, SelectionOrigin::Jump),
            (None, Some(_)) => self.session.go_to(None, &found.typed),
            (None, None) => {}
        }
    }

    fn key(self: &Rc<Self>, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let mut found = self.found.get();
        if text_of(FIELD).trim() != found.typed {
            // These are not for the typed text.
            found.hits = Rc::default();
            found.offset = None;
            if text_of(FIELD).starts_with(DO) {
                self.ask();
                found = self.found.get();
            }
        }
        let commands = found.commands.len();
        let count = commands + found.hits.len() + usize::from(found.offset.is_some());
        match key.as_str() {
            "Enter" if commands > 0 => {
                let chosen = found.commands.get(found.at.unwrap_or(0));
                if let Some((_, command)) = chosen {
                    self.run(command.clone());
                }
            }
            "Escape" if found.busy && !found.stopped => {
                self.found.change(|found| found.stopped = true)
            }
            "Escape" if found.open => self.found.change(|found| found.open = false),
            "Escape" => focus_by_id("tree"),
            "Enter" if count > 0 => self.choose(found.at.unwrap_or(0).min(count - 1), false),
            "ArrowDown" | "ArrowUp" if count > 0 => {
                // The first command is chosen already.
                let at = found.at.or((commands > 0).then_some(0));
                let next = match (at, key == "ArrowDown") {
                    (None, true) => 0,
                    (None, false) => count - 1,
                    (Some(i), true) => (i + 1) % count,
                    (Some(i), false) => (i + count - 1) % count,
                };
                scroll_into_view(&format!("hit-{next}"));
                if commands > 0 {
                    self.found.change(|found| found.at = Some(next));
                } else {
                    self.choose(next, true);
                }
            }
            _ => return,
        }
        event.prevent_default();
    }
}

/// The search field and its list of results.
#[component]
pub fn SearchBox(props: &Props) -> Html {
    let view = Rc::new(View {
        session: Rc::clone(&props.session.0),
        found: use_local(),
        later: use_later(),
        offered: props.offered,
    });
    // Results are only valid for their file.
    let here = Rc::clone(&view);
    let tab = props.tab.map_or(0, |tab| tab.0.into());
    let forget = Box::new(move || here.found.change(|found| *found = SearchHit::default()));
    use_change([tab, 0, 0, 0], forget);

    let here = Rc::clone(&view);
    let oninput = Callback::from(move |_: InputEvent| here.typed());
    let here = Rc::clone(&view);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&view);
    let focused = Callback::from(move |event: FocusEvent| {
        let open = event.type_() == "focus" && !here.found.get().typed.is_empty();
        here.found.change(|found| found.open = open);
    });
    // Keep the focus in the field, so that the list stays open for the click.
    let here = Rc::clone(&view);
    let onpointerdown = Callback::from(move |event: PointerEvent| {
        event.prevent_default();
        if let Some(place) = number_near(&event, "data-hit") {
            let found = here.found.get();
            match found.commands.get(place as usize) {
                Some((_, command)) => here.run(command.clone()),
                None => here.choose(place as usize, false),
            }
        } else if number_near(&event, "data-more").is_some() {
            here.more();
        }
    });
    let here = Rc::clone(&view);
    let ask = Box::new(move || {
        set_text(FIELD, &DO.to_string());
        focus_by_id(FIELD);
        here.ask();
    });
    props.session.0.on_ask_command(ask);
    let here = Rc::clone(&view);
    props
        .session
        .0
        .on_find(Box::new(move |forward| here.step(forward)));
    let found = view.found.get();
    let active = found.at.filter(|_| found.open).map(|i| format!("hit-{i}"));
    html! {
        <div class="search" role="search">
            <input id={FIELD} type="search" role="combobox" autocomplete="off" spellcheck="false"
                   placeholder="Search names, values, bytes" aria-label="Search names, values, text or bytes"
                   title="Search (/), or behind > find a panel, command or device (Ctrl+K)"
                   aria-keyshortcuts="/ Control+K" aria-expanded={found.open.to_string()} aria-controls="hits"
                   aria-autocomplete="list" aria-activedescendant={active} {oninput} {onkeydown}
                   onfocus={focused.clone()} onblur={focused} />
            <kbd aria-hidden="true">{ "/" }</kbd>
            if found.open {
                <div class="pop" {onpointerdown}>{ hits(&found) }</div>
            }
            <span class="unseen" role="status">{ if found.open { status(&found) } else { String::new() } }</span>
        </div>
    }
}

fn status(found: &SearchHit) -> String {
    if found.busy {
        let percent = found
            .percent
            .map(|percent| format!(" {percent} %. Escape stops."));
        return format!("Searching…{}", percent.unwrap_or_default());
    }
    let stopped = if found.stopped { " (stopped)" } else { "" };
    if found.typed.starts_with(DO) {
        return format::counted(found.commands.len() as u64, "command", "commands");
    }
    match found.hits.len() {
        0 if found.stopped => "Stopped, nothing found so far".to_owned(),
        0 => format!("No results for “{}”", escaped(&found.typed)),
        1 => "1 result".to_owned(),
        count if found.more => format!("the first {count} results{stopped}"),
        count => format!("{count} results"),
    }
}

fn hits(found: &SearchHit) -> Html {
    html! { <>
        <div id="hits" role="listbox" aria-label="Results" class="hits">
            { for found.commands.iter().enumerate().map(|(i, (name, _))| {
                let on = found.at.unwrap_or(0) == i;
                html! {
                    <div id={format!("hit-{i}")} class={if on { "hit sel" } else { "hit" }} role="option"
                         aria-selected={on.to_string()} data-hit={i.to_string()}><span class="text">{ name.clone() }</span></div>
                }
            }) }
            { for found.hits.iter().enumerate().map(|(i, hit)| {
                let on = found.at == Some(i);
                let path: Vec<String> = hit.path.iter().map(|name| escaped(name)).collect();
                // The text of a byte match is its location.
                let offset = format!("{:#x}", hit.span.start);
                html! {
                    <div id={format!("hit-{i}")} class={if on { "hit sel" } else { "hit" }} role="option"
                         aria-selected={on.to_string()} data-hit={i.to_string()}>
                        <span class="mono text">{ marked(&escaped(&hit.text), &found.typed) }</span>
                        if hit.text != offset {
                            <span class="mono where">{ offset }</span>
                        }
                        <span class="path">{ path.join(" ▸ ") }</span>
                    </div>
                }
            }) }
            if let Some(offset) = found.offset {
                <div id={format!("hit-{}", found.hits.len())} class={if found.at == Some(found.hits.len()) { "hit sel" } else { "hit" }}
                     role="option" aria-selected={(found.at == Some(found.hits.len())).to_string()} data-hit={found.hits.len().to_string()}>
                    <span class="text">{ format!("Go to offset {offset:#x}") }</span>
                </div>
            }
        </div>
        <p class="foot dim">
            { status(found) }
            if found.more && !found.busy && found.hits.len() < LIMIT_MAX as usize {
                { " " }<button type="button" class="link" data-more="1" tabindex="-1">{ "Show more" }</button>
            }
            if found.hits.is_empty() && !found.busy && found.offset.is_none() && !found.typed.starts_with(DO) {
                { super::prose(". Type bytes as `4d 5a ?? 00` or `\"abc\"`.") }
            }
        </p>
    </> }
}

/// The text with the search term highlighted.
fn marked(text: &str, typed: &str) -> Html {
    // ASCII lowercase keeps byte offsets.
    let found = text.to_ascii_lowercase().find(&typed.to_ascii_lowercase());
    let parts = found.and_then(|at| {
        let end = at + typed.len();
        Some((text.get(..at)?, text.get(at..end)?, text.get(end..)?))
    });
    match parts {
        Some((before, hit, after)) => {
            html! { <>{ plain(before) }<mark>{ plain(hit) }</mark>{ plain(after) }</> }
        }
        None => plain(text),
    }
}
