//! What the embedding page learns: nothing about files that it did not give.
//!
//! Every message to it is a `Message`, and the only ways to make one need no file (`Message::ready`,
//! `Message::refusal`) or a file that the embedding page may read (`Readable`). `Session::post`
//! checks that again when it sends: the reader may have added something of their own meanwhile.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File, Window};

use crate::model::Span;
use crate::ui::session::Session;
use crate::ui::state::{Tab, TabId, View};

/// Version of the messages.
pub(super) const VERSION: u32 = 1;

/// Who gave a file to this page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Giver {
    /// The reader: dropped, chosen, pasted, opened by a URL of their own, or kept private.
    #[default]
    Reader,
    /// The embedding page, which may read it.
    Embedder,
}

/// The bytes of an open file, and who gave them and everything that is shown with them.
#[derive(Default)]
pub(crate) struct Content {
    file: RefCell<Option<File>>,
    giver: Cell<Giver>,
}

impl Content {
    /// A file that is still to come.
    pub(crate) fn of(giver: Giver) -> Content {
        Content {
            giver: Cell::new(giver),
            ..Content::default()
        }
    }

    /// Its current bytes.
    pub(crate) fn file(&self) -> Option<File> {
        self.file.borrow().clone()
    }

    /// Replaces the bytes.
    pub(crate) fn put(&self, file: Option<File>, giver: Giver) {
        self.mix(giver);
        *self.file.borrow_mut() = file;
    }

    /// From now on, something from `giver` is shown with the file: another file that it is compared
    /// with, a profile, source text. What the reader adds makes it a file of the reader for good.
    pub(crate) fn mix(&self, giver: Giver) {
        if giver == Giver::Reader {
            self.giver.set(giver);
        }
    }

    /// Who gave all of it.
    pub(crate) fn giver(&self) -> Giver {
        self.giver.get()
    }
}

/// A file that the embedding page may read.
pub(super) struct Readable(Rc<Tab>);

impl Readable {
    pub(super) fn tab(&self) -> &Tab {
        &self.0
    }

    /// Its view, once it is loaded.
    pub(super) fn view(&self) -> Option<&Rc<View>> {
        self.0.view()
    }
}

/// The fields of a message, or of an object in it.
pub(super) struct Fields(Object);

impl Fields {
    pub(super) fn new() -> Fields {
        Fields(Object::new())
    }

    pub(super) fn with(self, key: &str, value: impl Into<JsValue>) -> Fields {
        self.put(key, &value.into());
        self
    }

    #[inline(never)]
    fn put(&self, key: &str, value: &JsValue) {
        // Setting properties of our own objects cannot fail.
        let _ = Reflect::set(&self.0, &key.into(), value);
    }

    /// Adds the source and range of bytes.
    pub(super) fn with_span(self, span: Span) -> Fields {
        // Below 2^53, as all file sizes.
        self.with("source", span.source.0)
            .with("start", span.start as f64)
            .with("end", span.end as f64)
    }
}

impl From<Fields> for JsValue {
    fn from(fields: Fields) -> JsValue {
        fields.0.into()
    }
}

/// A message from the embedding page.
pub(super) struct Received(pub(super) JsValue);

impl Received {
    pub(super) fn get(&self, key: &str) -> JsValue {
        Reflect::get(&self.0, &key.into()).unwrap_or_default()
    }

    pub(super) fn text(&self, key: &str) -> String {
        self.get(key).as_string().unwrap_or_default()
    }
}

/// Why a message is refused. The words are about the message alone, whatever is open.
pub(super) struct Refusal {
    code: &'static str,
    words: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, words: impl Into<String>) -> Refusal {
        Refusal {
            code,
            words: words.into(),
        }
    }

    /// Begins with a field of the message in quotation marks.
    pub(super) fn of(message: &Received, field: &str, words: &'static str) -> Refusal {
        Refusal {
            code: "message",
            words: format!("“{}” {words}", message.text(field)),
        }
    }

    /// There is no file that the embedding page may read. It does not learn whether there is
    /// another one.
    pub(super) fn no_file() -> Refusal {
        Refusal::new("no-file", "No file of this page is open.")
    }
}

/// A message to the embedding page.
pub(super) struct Message {
    fields: Fields,
    /// The file that it is about.
    about: Option<TabId>,
}

impl Message {
    fn new(kind: &str, about: Option<TabId>) -> Message {
        let fields = Fields::new().with("zeview", VERSION).with("type", kind);
        Message { fields, about }
    }

    /// This page listens.
    pub(super) fn ready(id: &JsValue) -> Message {
        Message::new("ready", None).with("id", id)
    }

    /// A message is refused.
    pub(super) fn refusal(refusal: Refusal, id: &JsValue) -> Message {
        Message::new("error", None)
            .with("code", refusal.code)
            .with("message", refusal.words)
            .with("id", id)
    }

    /// A message about a file.
    pub(super) fn about(file: &Readable, kind: &str) -> Message {
        Message::new(kind, Some(file.0.id))
    }

    pub(super) fn with(self, key: &str, value: impl Into<JsValue>) -> Message {
        Message {
            fields: self.fields.with(key, value),
            ..self
        }
    }

    /// Adds the source and range of bytes.
    pub(super) fn with_span(self, span: Span) -> Message {
        Message {
            fields: self.fields.with_span(span),
            ..self
        }
    }
}

/// The window of the embedding page, or the host.
pub(super) struct Outlet {
    window: Window,
    /// Origin of its latest message; empty before that.
    origin: RefCell<String>,
}

impl Outlet {
    pub(super) fn new(window: Window) -> Outlet {
        Outlet {
            window,
            origin: RefCell::default(),
        }
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    pub(super) fn origin(&self) -> String {
        self.origin.borrow().clone()
    }

    /// Sends to this origin from now on.
    pub(super) fn aim(&self, origin: String) {
        *self.origin.borrow_mut() = origin;
    }

    fn send(&self, fields: &Fields) {
        let origin = self.origin.borrow();
        // Sandboxed pages and local files have an opaque origin, which cannot be a target.
        let target = match origin.as_str() {
            "" | "null" => "*",
            origin => origin,
        };
        // The page may be gone.
        let _ = self.window.post_message(&fields.0, target);
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
    let message = Message::new("save", None)
        .with("name", name)
        .with("file", blob);
    Outlet::new(host).send(&message.fields);
    true
}

impl Session {
    /// Whether the embedding page may read a file. A host may read all: this is its own document.
    fn may_read(&self, tab: TabId) -> bool {
        let is_host = |session: &Session| {
            let embedder = session.embedder.borrow();
            embedder.as_ref().is_some_and(|embedder| embedder.is_host)
        };
        let live = self.live(tab);
        live.is_some_and(|live| live.content.giver() == Giver::Embedder) || is_host(self)
    }

    /// A file, if the embedding page may read it.
    pub(super) fn readable(&self, tab: TabId) -> Option<Readable> {
        let tab = self.state().tab(tab).cloned()?;
        self.may_read(tab.id).then_some(Readable(tab))
    }

    /// Whether a file is kept from a page that embeds this one.
    pub(crate) fn is_private(&self, tab: TabId) -> bool {
        self.embedder.borrow().is_some() && !self.may_read(tab)
    }

    /// Sends a message to the embedding page, unless it is about a file that the page may not read.
    pub(super) fn post(&self, message: &Message) {
        let Some(embedder) = self.embedder.borrow().clone() else {
            return;
        };
        if message.about.is_none_or(|tab| self.may_read(tab)) {
            embedder.outlet.send(&message.fields);
        }
    }
}
