//! The decoder's side of the protocol, in a worker or, where workers are blocked, in the page
//! itself.
//!
//! # In a worker
//!
//! [`start`] announces [`Message::Ready`] and answers requests in the order of arrival. Files are
//! read in pieces. Panics are posted as [`Message::Crashed`]. Other faults (out of memory, stack
//! overflow) reach the page as the worker's `error` event. After either, the worker must be
//! terminated.
//!
//! The same script contains the [`api`](crate::api) for embedders. In their own worker they set
//! `self.zeviewHost = false` before it starts, which disables the listener.
//!
//! # In the page
//!
//! Frames with `sandbox="allow-scripts"` block workers from a URL, and module workers from a blob;
//! Chromium allows a classic worker from a blob that imports the URL. Where all are blocked,
//! [`start_in_page`], exported as `startInPage`, runs the decoder in the page. It returns a
//! `MessagePort` with a method `terminate`, with the interface of a `Worker`: `postMessage`,
//! `addEventListener("message", …)`, `terminate()`.
//!
//! ```js
//! const decoder = await import("./worker.js");
//! await decoder.default();
//! const port = decoder.startInPage();
//! port.addEventListener("message", receive);   // in the same turn: Ready comes next
//! ```
//!
//! `www/embed.js` tries the three in this order.
//!
//! Differences: the page is blocked while the decoder works, and a file is held in memory as a
//! whole, so files above [`PAGE_MAX`] are answered with
//! [`Failed`](super::protocol::Response::Failed). After a crash `startInPage` can be called again.
//! Faults other than panics are `error` events of the window.

pub mod blob_source;
pub mod inflater;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use std::sync::Once;

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, DedicatedWorkerGlobalScope, ErrorEvent, EventTarget, MessageChannel, MessageEvent,
    MessagePort,
};

use super::codec;
use super::handler::{Answer, Handler, failed, unreadable};
use super::host::blob_source::{ArraySource, BlobSource, ReadAhead};
use super::host::inflater::Inflater;
use super::protocol::{Envelope, Message, PROTOCOL_VERSION, Request};
use crate::model::ByteSource;

/// Maximum size of a file opened in the page itself, which holds it in memory, in bytes.
pub const PAGE_MAX: u64 = 256 * 1024 * 1024;

#[wasm_bindgen]
extern "C" {
    /// The common interface of a worker's scope and a message port.
    #[wasm_bindgen(extends = EventTarget)]
    #[derive(Clone)]
    type Line;

    #[wasm_bindgen(method, catch, js_name = postMessage)]
    fn post(this: &Line, message: &JsValue, transfer: &Array) -> Result<(), JsValue>;

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn milliseconds() -> f64;

    #[wasm_bindgen(js_namespace = performance, js_name = mark)]
    fn mark(name: &str);

    #[wasm_bindgen(js_namespace = performance, js_name = measure)]
    fn measure(name: &str, from: &str);
}

/// The entry of the browser's performance timeline for decoding a file.
const OPEN: &str = "zeview open";

/// Starts listening in a worker; does nothing in a window.
pub fn start() {
    let global = js_sys::global();
    let refused = Reflect::get(&global, &"zeviewHost".into());
    if !global.is_instance_of::<DedicatedWorkerGlobalScope>() || refused == Ok(JsValue::FALSE) {
        return;
    }
    let host = Rc::new(Host::new(global.unchecked_into(), Place::Worker));
    // For as long as the worker lives.
    let listener = host.listener().into_js_value();
    host.listen(listener.unchecked_ref());
    report_aborts(&host.line);
}

/// Starts a decoder in the page itself, for frames that block workers. It has the interface of a
/// `Worker`. Listen to `message` before the next `await`: `Ready` comes first.
///
/// # Errors
///
/// If the browser has no message channels.
#[wasm_bindgen(js_name = startInPage, unchecked_return_type = "InPageDecoder")]
pub fn start_in_page() -> Result<JsValue, JsValue> {
    let channel = MessageChannel::new()?;
    let (near, far) = (channel.port1(), channel.port2());
    let host = Rc::new(Host::new(near.clone().unchecked_into(), Place::Page));
    let listener = host.listener();
    host.listen(listener.as_ref().unchecked_ref());
    near.start();
    far.start();
    // The port owns the listener; `terminate` releases both.
    let terminate = Closure::once_into_js(move || {
        host.retire(&near, listener.as_ref().unchecked_ref());
        drop(listener);
    });
    Reflect::set(&far, &"terminate".into(), &terminate)?;
    Ok(far.into())
}

/// Where the decoder runs, which determines how files are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In pieces.
    Worker,
    /// As a whole, while other requests wait.
    Page,
}

struct Host {
    line: Line,
    place: Place,
    handler: RefCell<Handler>,
    queue: RefCell<VecDeque<JsValue>>,
    /// What is fetched from the open file in the background.
    ahead: RefCell<Rc<ReadAhead>>,
    inflater: Rc<Inflater>,
    /// Whether bytes of a file are being loaded.
    waiting: Cell<bool>,
    /// Whether a request is being answered.
    working: Cell<bool>,
    retired: Cell<bool>,
}

impl Host {
    fn new(line: Line, place: Place) -> Host {
        report_panics();
        Host {
            line,
            place,
            handler: RefCell::new(Handler::new(milliseconds)),
            queue: RefCell::new(VecDeque::new()),
            ahead: RefCell::default(),
            inflater: Rc::default(),
            waiting: Cell::new(false),
            working: Cell::new(false),
            retired: Cell::new(false),
        }
    }

    fn listener(self: &Rc<Host>) -> Closure<dyn FnMut(MessageEvent)> {
        let host = Rc::clone(self);
        Closure::new(move |event: MessageEvent| {
            if host.inflater.connect(&event.data()) {
                return;
            }
            host.queue.borrow_mut().push_back(event.data());
            host.work();
        })
    }

    fn listen(&self, listener: &Function) {
        // Fails only for listeners that are not functions.
        let _ = self
            .line
            .add_event_listener_with_callback("message", listener);
        let ready = Message::Ready {
            version: PROTOCOL_VERSION,
        };
        send(&self.line, &ready, None);
    }

    fn retire(&self, near: &MessagePort, listener: &Function) {
        self.retired.set(true);
        let _ = near.remove_event_listener_with_callback("message", listener);
        near.close();
        self.queue.borrow_mut().clear();
        self.handler.borrow_mut().clear();
    }

    /// Answers the queued requests in order, each after the bytes that were announced before it, and
    /// after news of a part that is inflated elsewhere.
    fn work(self: &Rc<Host>) {
        while !self.waiting.get() {
            let ahead = Rc::clone(&self.ahead.borrow());
            if ahead.is_behind() && !self.queue.borrow().is_empty() {
                self.wait_for(async move { ahead.catch_up().await });
                return;
            }
            if self.inflater.is_waited_for() && !self.queue.borrow().is_empty() {
                let inflater = Rc::clone(&self.inflater);
                self.wait_for(async move { inflater.wait().await });
                return;
            }
            let Some(request) = self.queue.borrow_mut().pop_front() else {
                return;
            };
            self.handle(&request);
        }
    }

    fn wait_for(self: &Rc<Host>, news: impl Future<Output = ()> + 'static) {
        self.waiting.set(true);
        let host = Rc::clone(self);
        spawn_local(async move {
            news.await;
            host.waiting.set(false);
            host.work();
        });
    }

    fn handle(self: &Rc<Host>, request: &JsValue) {
        let id = id_of(request);
        self.working_on(id, || match codec::read_request(request) {
            Ok((envelope, Some(file))) => self.take(envelope, file),
            Ok((envelope, None)) => Some(self.handler.borrow_mut().answer(&envelope)),
            Err(message) => Some(failed(format!("invalid request: {message}"))),
        });
    }

    /// Posts the answer from `answer`; reports panics as failures of this request.
    fn working_on(&self, id: u32, answer: impl FnOnce() -> Option<Answer>) {
        // A request never finished: after a crash the state is unreliable.
        if self.working.replace(true) {
            return;
        }
        WORKING.set(Some((self.line.clone(), id)));
        UNTOLD.set((0, milliseconds()));
        if let Some(answer) = answer() {
            self.post(id, answer);
        }
        WORKING.take();
        self.working.set(false);
    }

    /// Answers a request with a file.
    fn take(self: &Rc<Host>, envelope: Envelope, file: Blob) -> Option<Answer> {
        if let Request::Open { .. } = envelope.request {
            self.handler.borrow_mut().clear();
            self.inflater.forget();
        }
        match self.place {
            Place::Worker => Some(match BlobSource::new(file, &self.inflater) {
                Ok(source) => {
                    if let Request::Open { .. } = envelope.request {
                        self.ahead.replace(source.read_ahead());
                    }
                    self.give(&envelope, Box::new(source))
                }
                Err(message) => failed(message),
            }),
            Place::Page if file.size() > blob_source::number(PAGE_MAX) => Some(failed(format!(
                "This frame blocks workers. Without a worker, files larger than {} MB cannot be opened. Open the page in its own tab.",
                PAGE_MAX / (1024 * 1024)
            ))),
            Place::Page => {
                self.load(envelope, &file);
                None
            }
        }
    }

    fn give(&self, envelope: &Envelope, source: Box<dyn ByteSource>) -> Answer {
        let mut handler = self.handler.borrow_mut();
        match &envelope.request {
            Request::Open { name, encoding } => {
                mark(OPEN);
                let answer = handler.open_as(envelope.id, name, encoding.as_deref(), source);
                measure(OPEN, OPEN);
                answer
            }
            Request::AddProfile { .. } => handler.add_profile(envelope, source),
            _ => handler.compare(envelope, source),
        }
    }

    /// Reads the whole file, then answers; other requests wait.
    fn load(self: &Rc<Host>, envelope: Envelope, file: &Blob) {
        self.waiting.set(true);
        let reading = JsFuture::from(file.array_buffer());
        let host = Rc::clone(self);
        spawn_local(async move {
            let read = reading.await;
            host.waiting.set(false);
            if host.retired.get() {
                return;
            }
            host.working_on(envelope.id, || {
                Some(match read {
                    Ok(buffer) => {
                        let source = ArraySource::new(Uint8Array::new(&buffer));
                        host.give(&envelope, Box::new(source))
                    }
                    Err(thrown) => {
                        let (Request::Open { name, .. }
                        | Request::Compare { name, .. }
                        | Request::AddProfile { name, .. }) = &envelope.request
                        else {
                            return None;
                        };
                        unreadable(name, &blob_source::reason(&thrown))
                    }
                })
            });
            host.work();
        });
    }

    fn post(&self, id: u32, answer: Answer) {
        let bytes = answer.bytes.map(|bytes| Uint8Array::from(&*bytes));
        let message = Message::Answer {
            id,
            response: answer.response,
        };
        send(&self.line, &message, bytes.as_ref());
    }
}

/// Returns the id of a request that may be unreadable otherwise; 0 if there is none.
fn id_of(request: &JsValue) -> u32 {
    let id = Reflect::get(request, &"id".into()).ok();
    let id = id.and_then(|id| id.as_f64());
    let id = id.and_then(blob_source::whole_number);
    id.and_then(|id| u32::try_from(id).ok()).unwrap_or(0)
}

fn send(line: &Line, message: &Message, bytes: Option<&Uint8Array>) {
    let sent = codec::write_message(message, bytes).and_then(|object| {
        let transfer = Array::new();
        if let Some(bytes) = bytes {
            transfer.push(&bytes.buffer());
        }
        line.post(&object, &transfer)
            .map_err(|thrown| format!("{thrown:?}"))
    });
    if let Err(trouble) = sent {
        web_sys::console::error_1(&format!("zeview: a message was not sent: {trouble}").into());
    }
}

thread_local! {
    /// The request in progress and its sender.
    static WORKING: RefCell<Option<(Line, u32)>> = const { RefCell::new(None) };
    /// Bytes that the request in progress read since the last sign of life or since its start,
    /// and the time of that.
    static UNTOLD: Cell<(u64, f64)> = const { Cell::new((0, 0.0)) };
}

/// Minimum time between two signs of life, in milliseconds.
const SIGN: f64 = 500.0;

/// Tells the sender of the request in progress that bytes were read.
pub(super) fn tell_read(bytes: u64) {
    let (untold, told) = UNTOLD.get();
    let untold = untold.saturating_add(bytes);
    let now = milliseconds();
    if now - told < SIGN {
        return UNTOLD.set((untold, told));
    }
    UNTOLD.set((0, now));
    let line = WORKING.with_borrow(|working| working.as_ref().map(|(line, _)| line.clone()));
    if let Some(line) = line {
        send(&line, &Message::Working { bytes: untold }, None);
    }
}

/// Posts panics to the sender of the request in progress and writes them to the console.
pub(crate) fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(report)));
}

/// Reports the end of a worker that did not panic. A program that gets no memory aborts without a
/// word, and the browser only says that something unreachable was reached.
fn report_aborts(scope: &EventTarget) {
    let listener = Closure::<dyn FnMut(ErrorEvent)>::new(|event: ErrorEvent| {
        if WORKING.with_borrow(Option::is_some) {
            let in_use = Reflect::get(&wasm_bindgen::memory(), &"buffer".into());
            let in_use = in_use.and_then(|buffer| Reflect::get(&buffer, &"byteLength".into()));
            let in_use = in_use.ok().and_then(|length| length.as_f64());
            crashed(out_of_memory(&event.message(), in_use.unwrap_or(0.0)));
            event.prevent_default();
        }
    });
    // A failure to listen leaves the browser's own words.
    let _ =
        scope.add_event_listener_with_callback("error", listener.into_js_value().unchecked_ref());
}

/// Returns what ended the program, given the browser's words and the bytes of its memory.
fn out_of_memory(words: &str, in_use: f64) -> String {
    if !words.ends_with("unreachable") {
        return words.to_owned();
    }
    let gigabytes = in_use / f64::from(1 << 30);
    format!(
        "it is out of memory, with {gigabytes:.1} GB in use. The command line has no such limit"
    )
}

fn report(panic: &PanicHookInfo<'_>) {
    let message = panic.to_string();
    web_sys::console::error_1(&format!("zeview: {message}").into());
    crashed(message);
}

/// Tells the sender of the request in progress that the decoder has ended.
fn crashed(message: String) {
    let working = WORKING.try_with(|working| working.try_borrow_mut().ok()?.take());
    if let Ok(Some((line, id))) = working {
        let crashed = Message::Crashed {
            message,
            id: Some(id),
        };
        send(&line, &crashed, None);
    }
}
