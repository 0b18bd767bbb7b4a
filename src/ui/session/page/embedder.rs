//! Messages to and from the page that embeds this one. Specified in
//! `docs/src/reference/embedding.md`, used by `www/zeview-embed.js`.
//!
//! Before the embedding page's `ping`, nothing is sent but that this page listens; afterwards only to
//! its origin, and only about files that it gave (`gate.rs`). Messages of other windows are ignored.
//!
//! A program that shows this page in a document of its own, without a frame, sets
//! `globalThis.zeviewHost` before the page starts: an `EventTarget` with a method `postMessage`,
//! which takes the place of the embedding window.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, EventTarget, File, MessageEvent, Url};

use super::gate::{Fields, Giver, Message, Outlet, Readable, Received, Refusal, VERSION, host};
use crate::model::{Severity, Tone};
use crate::ui::browser::listener::Listener;
use crate::ui::browser::{dom, fetch, theme};
use crate::ui::hooks::effect::fingerprint;
use crate::ui::session::Session;
use crate::ui::session::files::ChosenFile;
use crate::ui::state::problem_list::{describe, entries};
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, PaneSets, PanelId, Panes, Phase, TabId, Theme, View};
use crate::ui::text::route;

/// The embedding page, or the host.
pub(crate) struct Embedder {
    pub(super) outlet: Outlet,
    /// Whether it is a host.
    pub(super) is_host: bool,
    /// Whether it has sent a `ping`: it receives events from then on.
    listens: Cell<bool>,
    /// The file that it has opened, and the id of that message.
    opened: Cell<Option<TabId>>,
    request: RefCell<JsValue>,
    reported: Cell<Reported>,
    failed: Cell<Option<TabId>>,
    height: Cell<u32>,
}

/// What was reported last.
#[derive(Clone, Copy, Default)]
struct Reported {
    /// The opening of a file.
    opening: u32,
    /// Number of its problems.
    problems: usize,
    /// Fingerprint of the link to the selection.
    link: Option<u64>,
}

impl Embedder {
    fn new() -> Option<Embedder> {
        let window = web_sys::window()?;
        let host = host();
        let is_host = host.is_some();
        let parent = host.or_else(|| window.parent().ok()?)?;
        // The parent of a page that is not embedded is the page itself.
        (!Object::is(&parent, &window)).then(|| Embedder {
            outlet: Outlet::new(parent),
            is_host,
            listens: Cell::default(),
            opened: Cell::default(),
            request: RefCell::default(),
            reported: Cell::default(),
            failed: Cell::default(),
            height: Cell::default(),
        })
    }

    /// The embedding page opens a file, with the message that has this id.
    pub(super) fn opens(&self, tab: TabId, id: JsValue) {
        self.opened.set(Some(tab));
        *self.request.borrow_mut() = id;
        self.reported.take();
        self.failed.take();
    }

    /// Whether a URL is neither of the embedding page's origin nor in this page's folder. Other files
    /// of this page's host are as private as those of a third one: the host may be in a network that
    /// the embedding page is not in.
    fn is_foreign(&self, url: &Url) -> bool {
        let base = web_sys::window().and_then(|window| window.document()?.base_uri().ok()?);
        let folder = base.and_then(|base| Url::new_with_base("./", &base).ok());
        let address = url.href();
        let is_own = folder.is_some_and(|folder| {
            // A server may decode a separator.
            address.starts_with(&folder.href()) && !url.pathname().contains('%')
        });
        !is_own && self.name() != Some(url.origin())
    }

    /// The origin of the embedding page, if it is known and not opaque.
    fn name(&self) -> Option<String> {
        let known = Some(self.outlet.origin()).filter(|origin| !origin.is_empty());
        known.or_else(ancestor).filter(|origin| origin != "null")
    }
}

/// The origin of the embedding page according to the browser.
fn ancestor() -> Option<String> {
    let window = web_sys::window()?;
    // Not supported by all browsers.
    let origins = Reflect::get(&window.location(), &"ancestorOrigins".into()).ok();
    let first = origins.and_then(|origins| Reflect::get_u32(origins.unchecked_ref(), 0).ok());
    if let Some(origin) = first.and_then(|origin| origin.as_string()) {
        return Some(origin);
    }
    let referrer = window.document()?.referrer();
    Some(Url::new(&referrer).ok()?.origin())
}

fn loaded(file: &Readable, view: &View) -> Message {
    let opened = &view.opened;
    let facts = Array::new();
    for fact in opened.summary.facts.iter().filter(|fact| fact.headline) {
        let pair = Fields::new()
            .with("label", &*fact.label)
            .with("text", &*fact.text);
        facts.push(&pair.into());
    }
    Message::about(file, "loaded")
        .with("name", opened.name.as_str())
        // Below 2^53, as all file sizes.
        .with("size", opened.size as f64)
        .with("format", &*opened.summary.format)
        .with("title", &*opened.summary.title)
        .with("facts", facts)
}

fn problems(file: &Readable, view: &View) -> Message {
    let count = |severity: Severity| {
        let found = view.opened.diagnostics.iter();
        let count = found
            .filter(|problem| problem.diagnostic.severity == severity)
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let list = Array::new();
    for problem in entries(view)
        .into_iter()
        .filter_map(|at| describe(view, at))
    {
        let severity = match problem.tone {
            Tone::Bad => "error",
            Tone::Warning => "warning",
            Tone::Plain | Tone::Good => "note",
        };
        let entry = Fields::new()
            .with("severity", severity)
            .with("rule", problem.rule)
            .with("message", problem.message)
            .with_span(problem.span);
        list.push(&entry.into());
    }
    Message::about(file, "problems")
        .with("errors", count(Severity::Error))
        .with("warnings", count(Severity::Warning))
        .with("notes", count(Severity::Info))
        .with("list", list)
}

fn selected(file: &Readable, view: &View, link: &str) -> Message {
    let message =
        Message::about(file, "selected").with("link", link.strip_prefix('#').unwrap_or(link));
    match view.selection.span {
        Some(span) => message.with_span(span),
        None => message,
    }
}

/// A file cannot be shown, a selection does not exist.
fn failure(file: &Readable, code: &str, words: &str, id: &JsValue) -> Message {
    Message::about(file, "error")
        .with("code", code)
        .with("message", words)
        .with("id", id)
}

/// Listens to the embedding page, if there is one.
pub(crate) fn listen(session: &Rc<Session>) -> Option<Listener> {
    let embedder = Rc::new(Embedder::new()?);
    *session.embedder.borrow_mut() = Some(Rc::clone(&embedder));
    let here = Rc::clone(session);
    let from: EventTarget = if embedder.is_host {
        embedder.outlet.window().clone().into()
    } else {
        web_sys::window()?.into()
    };
    let listener = Listener::new(&from, "message", move |event| {
        let Ok(event) = event.dyn_into::<MessageEvent>() else {
            return;
        };
        let is_its = || {
            let source = Reflect::get(&event, &"source".into());
            source.is_ok_and(|source| Object::is(&source, embedder.outlet.window()))
        };
        if embedder.is_host || is_its() {
            here.answer(&embedder, &event);
        }
    });
    // To any page: it says only that this page is ready.
    session.post(&Message::ready(&JsValue::UNDEFINED));
    Some(listener)
}

/// The file of a message: a `File` without another name as it is, so that a host can provide one
/// that it reads on demand.
pub(super) fn file_of(message: &Received) -> Option<ChosenFile> {
    let (bytes, name) = (message.get("bytes"), message.text("name"));
    let given = |file| ChosenFile {
        file,
        handle: None,
        giver: Giver::Embedder,
    };
    if let Some(file) = bytes.dyn_ref::<File>()
        && (name.is_empty() || name == file.name())
    {
        return Some(given(file.clone()));
    }
    let is_bytes = bytes.is_instance_of::<Blob>()
        || bytes.is_instance_of::<ArrayBuffer>()
        || ArrayBuffer::is_view(&bytes);
    let name = if name.is_empty() { "file" } else { &name };
    let file = fetch::file(&Array::of1(&bytes), name).filter(|_| is_bytes);
    file.map(given)
}

impl Session {
    /// Whether the reader must confirm this download, because the embedding page requests it and
    /// could read it; the name of that page, if it is known.
    pub(crate) fn needs_confirmation(&self, url: &Url) -> Option<Option<String>> {
        let embedder = self.embedder.borrow();
        let embedder = embedder.as_ref();
        let foreign = embedder.filter(|embedder| embedder.is_foreign(url));
        foreign.map(|embedder| embedder.name())
    }

    /// The file that the page's address names: it is the embedding page that wrote that.
    pub(super) fn opened_by_address(&self, tab: TabId) {
        if let Some(embedder) = self.embedder.borrow().as_ref().filter(|e| !e.is_host) {
            embedder.opens(tab, JsValue::UNDEFINED);
        }
    }

    /// The file whose events are reported to the embedding page: the one that it opened, for a host
    /// while it is in front.
    pub(super) fn told(&self) -> Option<TabId> {
        let embedder = self.embedder.borrow();
        let embedder = embedder
            .as_ref()
            .filter(|embedder| embedder.listens.get())?;
        let (opened, front) = (embedder.opened.get(), self.state().active);
        if embedder.is_host {
            // Not a file that it is compared with.
            front.filter(|front| opened.is_none_or(|opened| opened == *front))
        } else {
            opened
        }
    }

    /// The file that a message is about: the one that the embedding page opened, for a host the one
    /// in front.
    pub(super) fn subject(&self, embedder: &Embedder) -> Result<Readable, Refusal> {
        let tab = if embedder.is_host {
            self.state().active
        } else {
            embedder.opened.get()
        };
        let file = tab.and_then(|tab| self.readable(tab));
        let file = file.filter(|file| file.view().is_some());
        file.ok_or_else(Refusal::no_file)
    }

    /// The file that a message changes or compares: for a host, in front may be the file that it is
    /// compared with.
    pub(super) fn changing(&self, embedder: &Embedder) -> Result<TabId, Refusal> {
        let front = self.subject(embedder)?.tab().id;
        Ok(embedder.opened.get().unwrap_or(front))
    }

    /// Reports the file, its problems and the selection, as far as they have changed.
    fn post_view(&self, embedder: &Embedder, file: &Readable, view: &View) {
        let mut reported = embedder.reported.get();
        let is_new = reported.opening != view.opening;
        if is_new {
            reported = Reported {
                opening: view.opening,
                ..Reported::default()
            };
            embedder.failed.set(None);
            let id = embedder.request.take();
            self.post(&loaded(file, view).with("id", id));
        }
        // The driver's findings come later.
        let found = entries(view).len();
        if is_new || reported.problems != found {
            reported.problems = found;
            self.post(&problems(file, view));
        }
        // Beside a file of the reader, the selection follows the one there.
        let follows = view.selection.origin == SelectionOrigin::Follow;
        let front = self.state().active;
        let is_kept = follows && front.is_some_and(|front| self.is_private(front));
        let link = route::fragment(&view.link(), None);
        let mark = Some(fingerprint(&link));
        if view.detail().is_some() && reported.link != mark && !is_kept {
            reported.link = mark;
            self.post(&selected(file, view, &link));
        }
        embedder.reported.set(reported);
    }

    /// Reports the file of the embedding page to it.
    pub(crate) fn post_to_embedder(&self) {
        let embedder = self.embedder.borrow().clone();
        let file = self.told().and_then(|tab| self.readable(tab));
        let (Some(embedder), Some(file)) = (embedder, file) else {
            return;
        };
        let tab = file.tab();
        match &tab.phase {
            Phase::Ready(view) => self.post_view(&embedder, &file, view),
            Phase::Failed(why) if embedder.failed.replace(Some(tab.id)) != Some(tab.id) => {
                let words = format!("{}: {}", why.title, why.message);
                let id = embedder.request.take();
                self.post(&failure(&file, "not-opened", &words, &id));
            }
            _ => {}
        }
        // That of another file would tell something about it.
        if self.state().active != Some(tab.id) {
            return;
        }
        let height = dom::unscrolled_height();
        if height > 0 && embedder.height.replace(height) != height {
            self.post(&Message::about(&file, "resize").with("height", height));
        }
    }

    /// Reports to the embedding page that a selection in a file failed; with the id of its message.
    pub(crate) fn post_failure(&self, tab: TabId, words: &str, id: &JsValue) {
        let embedder = self.embedder.borrow().clone();
        let listens = embedder.is_some_and(|embedder| embedder.listens.get());
        if let Some(file) = self.readable(tab).filter(|_| listens) {
            self.post(&failure(&file, "not-found", words, id));
        }
    }

    fn answer(self: &Rc<Self>, embedder: &Embedder, event: &MessageEvent) {
        let message = Received(event.data());
        // Other scripts of that page may post messages to all windows.
        let Some(version) = message.get("zeview").as_f64() else {
            return;
        };
        embedder.outlet.aim(match event.origin() {
            origin if embedder.is_host && origin.is_empty() => "null".to_owned(),
            origin => origin,
        });
        let id = message.get("id");
        let result = if version != f64::from(VERSION) {
            Err(Refusal::new(
                "version",
                "This page supports version 1 of the messages.",
            ))
        } else if message.text("type") == "ping" {
            let is_first = !embedder.listens.replace(true);
            self.post(&Message::ready(&id));
            if is_first {
                self.post_to_embedder();
            }
            Ok(())
        } else if embedder.listens.get() {
            self.act(embedder, &message)
        } else {
            Err(Refusal::new("message", "The first message is a “ping”."))
        };
        if let Err(refusal) = result {
            self.post(&Message::refusal(refusal, &id));
        }
    }

    /// Does what a message requests.
    fn act(self: &Rc<Self>, embedder: &Embedder, message: &Received) -> Result<(), Refusal> {
        match message.text("type").as_str() {
            "open" => self.open_message(embedder, message)?,
            "select" if message.text("list").is_empty() => {
                let tab = self.subject(embedder)?.tab().id;
                let link = route::parse_fragment(&message.text("link"));
                if let Some(live) = self.live(tab) {
                    *live.request.borrow_mut() = message.get("id");
                }
                self.follow_link(tab, link);
            }
            "panel" => {
                if let Some(why) = PanelId::wrong_name(&message.text("panel")) {
                    return Err(Refusal::new("not-found", why));
                }
                let shown = route::ViewOptions {
                    panel: message.text("panel"),
                    ..route::ViewOptions::default()
                };
                let tab = self.subject(embedder)?.tab().id;
                self.dispatch(Action::Show(tab, shown));
            }
            "theme" => {
                let wrong = || Refusal::new("message", "A theme is “auto”, “light” or “dark”.");
                self.show_theme(Theme::named(&message.text("theme")).ok_or_else(wrong)?);
            }
            "panes" => {
                let wrong = || {
                    Refusal::new(
                        "message",
                        "Panes are “structure”, “bytes”, “inspector” or “none”.",
                    )
                };
                let panes = Panes::named(&message.text("panes")).ok_or_else(wrong)?;
                let mut layout = self.state().layout;
                layout.panes = PaneSets::all(panes);
                self.dispatch(Action::Layout(layout));
            }
            _ => self.act_for_host(embedder, message)?,
        }
        Ok(())
    }

    /// Opens the content of a message in place of the current files.
    fn open_message(
        self: &Rc<Self>,
        embedder: &Embedder,
        message: &Received,
    ) -> Result<(), Refusal> {
        let link = route::parse_fragment(&message.text("link"));
        let before: Vec<TabId> = self.state().tabs.iter().map(|tab| tab.id).collect();
        let url = message.text("url");
        let tab = if url.is_empty() {
            let file = file_of(message).ok_or(Refusal::new(
                "not-opened",
                "“open” needs bytes (a Blob, an ArrayBuffer, a typed array) or a URL.",
            ))?;
            let tab = self.add_file(file, Phase::Waiting);
            if let Some(live) = self.live(tab) {
                *live.link.borrow_mut() = Some(link);
            }
            self.dispatch(Action::Activate(tab));
            if message.get("follow").is_truthy() {
                self.begin_follow(tab);
            }
            tab
        } else {
            self.open_link(&url, Some(link), Giver::Embedder)
        };
        embedder.opens(tab, message.get("id"));
        for other in before.iter().filter(|other| **other != tab) {
            self.close(*other);
        }
        if before.contains(&tab) {
            // It is open, so nothing changes.
            self.post_to_embedder();
        }
        Ok(())
    }

    /// Sets the theme for this visit.
    fn show_theme(&self, chosen: Theme) {
        theme::show(chosen);
        let mut layout = self.state().layout;
        layout.theme = chosen;
        self.dispatch(Action::Layout(layout));
    }
}
