//! Finds names, values, text and bytes.

use std::rc::Rc;

use yew::prelude::*;

use crate::model::text::escaped;
use crate::ui::hooks::{focus_by_id, number_near, pressed, scroll_into_view, text_of, use_later, use_session};
use crate::ui::selection::Via;
use crate::ui::state::TabId;
use crate::worker::protocol::HitRow;

/// So long after the last letter the search begins, in milliseconds.
const PAUSE: i32 = 150;
/// At most so many hits.
const LIMIT: u32 = 100;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file that is searched.
    pub tab: Option<TabId>,
}

#[derive(Clone, PartialEq, Default)]
struct Found {
    typed: String,
    hits: Rc<[HitRow]>,
    more: bool,
}

/// The id of the field, to give it the focus.
pub const SEARCH_ID: &str = "search";

/// The field and the list of hits below it.
#[component]
pub fn SearchBox(props: &Props) -> Html {
    let session = use_session();
    let input = use_node_ref();
    let found = use_state(|| None::<Found>);
    let open = use_state_eq(|| false);
    let at = use_state_eq(|| None::<usize>);
    let later = use_later(PAUSE);
    // A search is on its way: the next one waits until it is back.
    let busy = use_mut_ref(|| false);

    {
        // Hits of one file are none in another.
        let (found, open) = (found.setter(), open.setter());
        use_effect_with(props.tab, move |_| {
            found.set(None);
            open.set(false);
        });
    }
    let ask = {
        let (session, input) = (session.clone(), input.clone());
        let (found, at, open) = (found.setter(), at.setter(), open.setter());
        let busy = Rc::clone(&busy);
        Rc::new(move || ask(&session, &input, &busy, &Shown { found: found.clone(), at: at.clone(), open: open.clone() }))
    };
    let oninput = {
        let ask = Rc::clone(&ask);
        Callback::from(move |_: InputEvent| {
            let ask = Rc::clone(&ask);
            later.emit(Rc::new(move || ask()));
        })
    };
    let choose = {
        let (session, found, at) = (session.clone(), found.clone(), at.setter());
        Callback::from(move |place: usize| {
            at.set(Some(place));
            if let Some(hit) = found.as_ref().and_then(|found| found.hits.get(place)) {
                session.select_span(hit.span, Via::Jump);
            }
        })
    };
    let onkeydown = {
        let (found, open, at, choose) = (found.clone(), open.clone(), at.clone(), choose.clone());
        Callback::from(move |event: KeyboardEvent| {
            let Some(key) = pressed(&event) else { return };
            let count = found.as_ref().map_or(0, |found| found.hits.len());
            match key.as_str() {
                "Escape" if *open => open.set(false),
                "Escape" => focus_by_id("tree"),
                "Enter" if count > 0 => {
                    choose.emit(at.unwrap_or(0).min(count - 1));
                    open.set(false);
                }
                "ArrowDown" | "ArrowUp" if count > 0 => {
                    open.set(true);
                    let next = match (*at, key == "ArrowDown") {
                        (None, true) => 0,
                        (None, false) => count - 1,
                        (Some(i), true) => (i + 1) % count,
                        (Some(i), false) => (i + count - 1) % count,
                    };
                    scroll_into_view(&format!("hit-{next}"));
                    choose.emit(next);
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    let onfocus = {
        let (open, found) = (open.setter(), found.clone());
        Callback::from(move |_: FocusEvent| open.set(found.is_some()))
    };
    let onblur = {
        let open = open.setter();
        Callback::from(move |_: FocusEvent| open.set(false))
    };
    // The field keeps the focus, so that the list does not close before it is clicked on.
    let onpointerdown = {
        let (open, choose) = (open.setter(), choose);
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            if let Some(place) = number_near(&event, "data-hit") {
                choose.emit(place as usize);
                open.set(false);
            }
        })
    };
    let shown = found.as_ref().filter(|_| *open);
    let active = at.filter(|_| shown.is_some()).map(|i| format!("hit-{i}"));
    html! {
        <div class="search" role="search">
            <input ref={&input} id={SEARCH_ID} type="search" role="combobox" autocomplete="off" spellcheck="false"
                   placeholder="Search names, values, bytes" aria-label="Search names, values, text or bytes"
                   aria-keyshortcuts="/" aria-expanded={shown.is_some().to_string()} aria-controls="hits"
                   aria-autocomplete="list" aria-activedescendant={active} {oninput} {onkeydown} {onfocus} {onblur} />
            <kbd aria-hidden="true">{ "/" }</kbd>
            <div class="pop" hidden={shown.is_none()} {onpointerdown}>
                if let Some(found) = shown {
                    { hits(found, *at) }
                }
            </div>
            <span class="unseen" role="status">
                { shown.map(said).unwrap_or_default() }
            </span>
        </div>
    }
}

/// What a search changes.
#[derive(Clone)]
struct Shown {
    found: UseStateSetter<Option<Found>>,
    at: UseStateSetter<Option<usize>>,
    open: UseStateSetter<bool>,
}

fn ask(
    session: &Rc<crate::ui::hooks::Session>,
    input: &NodeRef,
    busy: &Rc<std::cell::RefCell<bool>>,
    shown: &Shown,
) {
    let typed = text_of(input).trim().to_owned();
    if typed.is_empty() {
        shown.found.set(None);
        shown.open.set(false);
        return;
    }
    if busy.replace(true) {
        return;
    }
    let (again, input, busy, shown) = (Rc::clone(session), input.clone(), Rc::clone(busy), shown.clone());
    session.search(typed.clone(), LIMIT, move |hits, more| {
        busy.replace(false);
        let now = text_of(&input).trim().to_owned();
        if now != typed {
            return ask(&again, &input, &busy, &shown);
        }
        shown.at.set(None);
        shown.open.set(true);
        shown.found.set(Some(Found {
            typed,
            hits: hits.into(),
            more,
        }));
    });
}

fn said(found: &Found) -> String {
    match found.hits.len() {
        0 => format!("Nothing contains “{}”", escaped(&found.typed)),
        1 => "1 hit".to_owned(),
        count if found.more => format!("the first {count} hits"),
        count => format!("{count} hits"),
    }
}

fn hits(found: &Found, at: Option<usize>) -> Html {
    html! { <>
        <div id="hits" role="listbox" aria-label="Hits" class="hits">
            { for found.hits.iter().enumerate().map(|(i, hit)| html! {
                <div key={i} id={format!("hit-{i}")} class={classes!("hit", (at == Some(i)).then_some("sel"))}
                     role="option" aria-selected={(at == Some(i)).to_string()} data-hit={i.to_string()}>
                    <span class="mono text">{ marked(&escaped(&hit.text), &found.typed) }</span>
                    <span class="mono where">{ format!("{:#x}", hit.span.start) }</span>
                    <span class="path">{ path(hit) }</span>
                </div>
            }) }
        </div>
        <p class="foot dim">
            { said(found) }
            if found.hits.is_empty() {
                { ". Bytes are written as " }<code>{ "4d 5a ?? 00" }</code>{ " or " }<code>{ "\"abc\"" }</code>{ "." }
            }
        </p>
    </> }
}

fn path(hit: &HitRow) -> String {
    let names = hit.path.iter().map(|name| escaped(name));
    names.collect::<Vec<_>>().join(" ▸ ")
}

/// The text with what was typed marked in it.
fn marked(text: &str, typed: &str) -> Html {
    let found = text.is_ascii().then(|| text.to_ascii_lowercase().find(&typed.to_ascii_lowercase())).flatten();
    let parts = found.and_then(|at| {
        let end = at + typed.len();
        Some((text.get(..at)?, text.get(at..end)?, text.get(end..)?))
    });
    match parts {
        Some((before, hit, after)) => html! { <>{ before }<mark>{ hit }</mark>{ after }</> },
        None => html! { { text } },
    }
}
