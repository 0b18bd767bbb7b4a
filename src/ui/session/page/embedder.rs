//! Messages to and from the page that embeds this one. Specified in
//! `docs/src/reference/embedding.md`, used by `www/zeview-embed.js`.
//!
//! Nothing is sent before the embedding page's `ping`, and then only to its origin. Messages of
//! other windows are ignored.
//!
//! A program that shows this page in a document of its own, without a frame, sets
//! `globalThis.zeviewHost` before the page starts: an `EventTarget` with a method `postMessage`,
//! which takes the place of the embedding window.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, EventTarget, File, MessageEvent, Url, Window};

use crate::model::{Severity, Span, Tone};
use crate::ui::browser::listener::Listener;
use crate::ui::browser::{dom, fetch, theme};
use crate::ui::hooks::effect::fingerprint;
use crate::ui::session::Session;
use crate::ui::session::page::host::HostRequest;
use crate::ui::state::problem_list::{describe, entries};
use crate::ui::state::{Action, PaneSets, Panes, Phase, TabId, Theme, View};
use crate::ui::text::route;

/// Version of the messages.
const VERSION: u32 = 1;

/// The embedding page, or the host.
pub(crate) struct Embedder {
    window: Window,
    /// Whether it is a host.
    pub(super) is_host: bool,
    /// Origin of its `ping`; empty before that.
    origin: RefCell<String>,
    /// The file that it has opened.
    pub(super) opened: Cell<Option<TabId>>,
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

/// A message under construction.
pub(super) struct Message(Object);

impl Message {
    pub(super) fn new(kind: &str) -> Message {
        let message = Message(Object::new());
        message.with("zeview", VERSION).with("type", kind)
    }

    pub(super) fn with(self, key: &str, value: impl Into<JsValue>) -> Message {
        self.put(key, &value.into());
        self
    }

    #[inline(never)]
    fn put(&self, key: &str, value: &JsValue) {
        // Setting properties of our own objects cannot fail.
        let _ = Reflect::set(&self.0, &key.into(), value);
    }

    /// Adds the source and range of bytes.
    fn with_span(self, span: Span) -> Message {
        // Below 2^53, as all file sizes.
        self.with("source", span.source.0)
            .with("start", span.start as f64)
            .with("end", span.end as f64)
    }
}

/// The host of this page, if a program shows it in a document of its own.
pub(crate) fn host() -> Option<Window> {
    let window = web_sys::window()?;
    let host = Reflect::get(&window, &"zeviewHost".into()).ok()?;
    host.is_object().then(|| host.unchecked_into())
}

/// Gives a file to the host to be saved; returns whether there is a host.
pub(crate) fn save(blob: &Blob, name: &str) -> bool {
    let Some(host) = host() else { return false };
    let message = Message::new("save").with("name", name).with("file", blob);
    host.post_message(&message.0, "*").is_ok()
}

impl Embedder {
    fn new() -> Option<Embedder> {
        let window = web_sys::window()?;
        let host = host();
        let is_host = host.is_some();
        let parent = host.or_else(|| window.parent().ok()?)?;
        (!Object::is(&parent, &window)).then(|| Embedder {
            window: parent,
            is_host,
            origin: RefCell::default(),
            opened: Cell::default(),
            reported: Cell::default(),
            failed: Cell::default(),
            height: Cell::default(),
        })
    }

    fn knows_origin(&self) -> bool {
        !self.origin.borrow().is_empty()
    }

    pub(super) fn post(&self, message: &Message) {
        let origin = self.origin.borrow();
        // Sandboxed pages and local files have an opaque origin, which cannot be a target.
        let target = match origin.as_str() {
            "" | "null" => "*",
            origin => origin,
        };
        // The page may be gone.
        let _ = self.window.post_message(&message.0, target);
    }

    pub(super) fn post_error(&self, code: &str, words: &str, id: &JsValue) {
        let message = Message::new("error")
            .with("code", code)
            .with("message", words);
        self.post(&message.with("id", id));
    }

    /// Whether a URL's origin differs from this page's and the embedding page's.
    fn is_foreign(&self, url: &Url) -> bool {
        let own = web_sys::window().and_then(|window| window.document()?.base_uri().ok()?);
        let own = own.and_then(|base| Url::new(&base).ok());
        let origin = url.origin();
        let named = |other: &str| other == origin && other != "null";
        !(own.is_some_and(|own| named(&own.origin()))
            || named(&self.origin.borrow())
            || ancestor().is_some_and(|other| named(&other)))
    }

    /// Reports the file, its problems and the selection, as far as they have changed.
    fn post_view(&self, view: &View) {
        let mut reported = self.reported.get();
        let is_new = reported.opening != view.opening;
        if is_new {
            reported = Reported {
                opening: view.opening,
                ..Reported::default()
            };
            self.failed.set(None);
            self.post(&loaded(view));
        }
        // The driver's findings come later.
        let found = entries(view).len();
        if is_new || reported.problems != found {
            reported.problems = found;
            self.post(&problems(view));
        }
        let link = route::fragment(&view.link(), None);
        let mark = Some(fingerprint(&link));
        if view.detail().is_some() && reported.link != mark {
            reported.link = mark;
            self.post(&selected(view, &link));
        }
        self.reported.set(reported);
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

fn loaded(view: &View) -> Message {
    let opened = &view.opened;
    let facts = Array::new();
    for fact in opened.summary.facts.iter().filter(|fact| fact.headline) {
        let pair = Message(Object::new())
            .with("label", &*fact.label)
            .with("text", &*fact.text);
        facts.push(&pair.0);
    }
    Message::new("loaded")
        .with("name", opened.name.as_str())
        // Below 2^53, as all file sizes.
        .with("size", opened.size as f64)
        .with("format", &*opened.summary.format)
        .with("title", &*opened.summary.title)
        .with("facts", facts)
}

fn problems(view: &View) -> Message {
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
        let entry = Message(Object::new())
            .with("severity", severity)
            .with("rule", problem.rule)
            .with("message", problem.message)
            .with_span(problem.span);
        list.push(&entry.0);
    }
    Message::new("problems")
        .with("errors", count(Severity::Error))
        .with("warnings", count(Severity::Warning))
        .with("notes", count(Severity::Info))
        .with("list", list)
}

fn selected(view: &View, link: &str) -> Message {
    let message = Message::new("selected").with("link", link.strip_prefix('#').unwrap_or(link));
    match view.selection.span {
        Some(span) => message.with_span(span),
        None => message,
    }
}

/// Listens to the embedding page, if there is one.
pub(crate) fn listen(session: &Rc<Session>) -> Option<Listener> {
    let embedder = Rc::new(Embedder::new()?);
    *session.embedder.borrow_mut() = Some(Rc::clone(&embedder));
    let here = Rc::clone(session);
    let from: EventTarget = if embedder.is_host {
        embedder.window.clone().into()
    } else {
        web_sys::window()?.into()
    };
    let listener = Listener::new(&from, "message", move |event| {
        let Ok(event) = event.dyn_into::<MessageEvent>() else {
            return;
        };
        let is_its = || {
            let source = Reflect::get(&event, &"source".into());
            source.is_ok_and(|source| Object::is(&source, &embedder.window))
        };
        if embedder.is_host || is_its() {
            here.answer(&embedder, &event);
        }
    });
    // Announces only that this page is ready.
    if let Some(embedder) = &*session.embedder.borrow() {
        embedder.post(&Message::new("ready"));
    }
    Some(listener)
}

/// The file of a message: a `File` without another name as it is, so that a host can provide one
/// that it reads on demand.
pub(super) fn file_of(
    get: &dyn Fn(&str) -> JsValue,
    text: &dyn Fn(&str) -> String,
) -> Option<File> {
    let (bytes, name) = (get("bytes"), text("name"));
    if let Some(file) = bytes.dyn_ref::<File>()
        && (name.is_empty() || name == file.name())
    {
        return Some(file.clone());
    }
    let is_bytes = bytes.is_instance_of::<Blob>()
        || bytes.is_instance_of::<ArrayBuffer>()
        || ArrayBuffer::is_view(&bytes);
    let name = if name.is_empty() { "file" } else { &name };
    fetch::file(&Array::of1(&bytes), name).filter(|_| is_bytes)
}

impl Session {
    /// Whether the user must confirm this download, because another page requests it.
    pub(crate) fn needs_confirmation(&self, url: &Url) -> bool {
        let embedder = self.embedder.borrow();
        let embedder = embedder.as_ref();
        embedder.is_some_and(|embedder| embedder.is_foreign(url))
    }

    /// Reports the current view to the embedding page.
    pub(crate) fn post_to_embedder(&self) {
        let embedder = self.embedder.borrow().clone();
        let Some(embedder) = embedder.filter(|embedder| embedder.knows_origin()) else {
            return;
        };
        let state = self.state();
        let Some(tab) = state.active() else { return };
        // Not a file that it is compared with.
        if embedder.opened.get().is_some_and(|opened| opened != tab.id) {
            return;
        }
        match &tab.phase {
            Phase::Ready(view) => embedder.post_view(view),
            Phase::Failed(failure) if embedder.failed.replace(Some(tab.id)) != Some(tab.id) => {
                let words = format!("{}: {}", failure.title, failure.message);
                embedder.post_error("not-opened", &words, &JsValue::UNDEFINED);
            }
            _ => {}
        }
        let height = dom::unscrolled_height();
        if height > 0 && embedder.height.replace(height) != height {
            embedder.post(&Message::new("resize").with("height", height));
        }
    }

    /// Reports an error to it.
    pub(crate) fn post_failure(&self, words: &str) {
        let embedder = self.embedder.borrow().clone();
        if let Some(embedder) = embedder.filter(|embedder| embedder.knows_origin()) {
            embedder.post_error("not-found", words, &JsValue::UNDEFINED);
        }
    }

    fn answer(self: &Rc<Self>, embedder: &Embedder, event: &MessageEvent) {
        let data = event.data();
        let get = |key: &str| Reflect::get(&data, &key.into()).unwrap_or_default();
        let text = |key: &str| get(key).as_string().unwrap_or_default();
        // Other scripts of that page may post messages to all windows.
        let Some(version) = get("zeview").as_f64() else {
            return;
        };
        let is_first = !embedder.knows_origin();
        *embedder.origin.borrow_mut() = match event.origin() {
            origin if embedder.is_host && origin.is_empty() => "null".to_owned(),
            origin => origin,
        };
        let id = get("id");
        let error = |code: &str, words: &str| embedder.post_error(code, words, &id);
        if version != f64::from(VERSION) {
            let words = format!("This page supports version {VERSION} of the messages.");
            return error("version", &words);
        }
        match text("type").as_str() {
            "ping" => {
                embedder.post(&Message::new("ready").with("id", &id));
                if is_first {
                    self.post_to_embedder();
                }
            }
            "open" => match self.open_message(&get, &text) {
                Ok(tab) => embedder.opened.set(Some(tab)),
                Err(words) => error("not-opened", words),
            },
            "select" if text("list").is_empty() => match self.active() {
                Some((tab, _)) => self.follow_link(tab, route::parse_fragment(&text("link"))),
                None => error("no-file", "No file is open."),
            },
            "panel" => match self.active() {
                Some((tab, _)) => {
                    let shown = route::ViewOptions {
                        panel: text("panel"),
                        ..route::ViewOptions::default()
                    };
                    self.dispatch(Action::Show(tab, shown));
                }
                None => error("no-file", "No file is open."),
            },
            "theme" => match Theme::named(&text("theme")) {
                Some(theme) => self.show_theme(theme),
                None => error("message", "A theme is “auto”, “light” or “dark”."),
            },
            "panes" => match Panes::named(&text("panes")) {
                Some(panes) => {
                    let mut layout = self.state().layout;
                    layout.panes = PaneSets::all(panes);
                    self.dispatch(Action::Layout(layout));
                }
                None => error(
                    "message",
                    "Panes are “structure”, “bytes”, “inspector” or “none”.",
                ),
            },
            other => {
                let request = HostRequest {
                    kind: other,
                    get: &get,
                    text: &text,
                };
                if let Err((code, words)) = self.answer_host(embedder, &request) {
                    error(code, &words);
                }
            }
        }
    }

    /// Opens the content of a message in place of the current files.
    fn open_message(
        self: &Rc<Self>,
        get: &dyn Fn(&str) -> JsValue,
        text: &dyn Fn(&str) -> String,
    ) -> Result<TabId, &'static str> {
        let link = route::parse_fragment(&text("link"));
        let before: Vec<TabId> = self.state().tabs.iter().map(|tab| tab.id).collect();
        let url = text("url");
        let tab = if url.is_empty() {
            let file = file_of(get, text)
                .ok_or("“open” needs bytes (a Blob, an ArrayBuffer, a typed array) or a URL.")?;
            let tab = self.add_file((file, None), Phase::Waiting);
            if let Some(live) = self.live(tab) {
                *live.link.borrow_mut() = Some(link);
            }
            self.dispatch(Action::Activate(tab));
            if get("follow").is_truthy() {
                self.begin_follow(tab);
            }
            tab
        } else {
            self.open_link(&url, Some(link))
        };
        for other in before.into_iter().filter(|other| *other != tab) {
            self.close(other);
        }
        Ok(tab)
    }

    /// Sets the theme for this visit.
    fn show_theme(&self, chosen: Theme) {
        theme::show(chosen);
        let mut layout = self.state().layout;
        layout.theme = chosen;
        self.dispatch(Action::Layout(layout));
    }
}
