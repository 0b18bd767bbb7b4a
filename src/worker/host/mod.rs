//! The decoder's side of the protocol, in a worker or, where workers are refused, in the
//! page itself.
//!
//! # In a worker
//!
//! [`start`] announces [`Message::Ready`] and answers every request in the order in which
//! they came. Files are read piece by piece. A panic is posted as [`Message::Crashed`]; so
//! is no other fault (memory or stack used up): those reach the page as the worker's `error`
//! event. After either the worker has to be terminated.
//!
//! The same script gives embedders the [`api`](crate::api). In a worker of their own they
//! say `self.zeviewHost = false` before it starts, and nobody listens.
//!
//! # In the page
//!
//! Frames with `sandbox="allow-scripts"` refuse workers from an address, and module workers
//! from a blob; a classic worker from a blob that imports the address is allowed in Chromium.
//! Where all are refused, [`start_in_page`], exported as `startInPage`, runs the decoder in
//! the page. It returns a `MessagePort` with a method `terminate`, so that it can be used as
//! if it were the `Worker`: `postMessage`, `addEventListener("message", …)`, `terminate()`.
//!
//! ```js
//! const decoder = await import("./worker.js");
//! await decoder.default();
//! const port = decoder.startInPage();
//! port.addEventListener("message", receive);   // in the same turn: Ready comes next
//! ```
//!
//! `www/embed.js` tries the three ways one after the other.
//!
//! What is different: the page stands still while the decoder works, and a file is held in
//! memory as a whole, so that one above [`PAGE_MAX`] is answered with
//! [`Failed`](super::protocol::Response::Failed). After a crash `startInPage` can
//! be called again. A fault other than a panic is an `error` event of the window.

pub mod blob_source;

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
    Blob, DedicatedWorkerGlobalScope, EventTarget, MessageChannel, MessageEvent, MessagePort,
};

use super::codec;
use super::handler::{Answer, Handler, failed, unreadable};
use super::host::blob_source::{ArraySource, BlobSource};
use super::protocol::{Envelope, Message, PROTOCOL_VERSION, Request};
use crate::model::ByteSource;

/// The largest file that is opened in the page itself, where it is held in memory.
pub const PAGE_MAX: u64 = 256 * 1024 * 1024;

#[wasm_bindgen]
extern "C" {
    /// What a worker's scope and a message port have in common.
    #[wasm_bindgen(extends = EventTarget)]
    #[derive(Clone)]
    type Line;

    #[wasm_bindgen(method, catch, js_name = postMessage)]
    fn post(this: &Line, message: &JsValue, transfer: &Array) -> Result<(), JsValue>;

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn milliseconds() -> f64;
}

/// Starts to listen, if this is a worker's scope; does nothing in a window.
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
}

/// Starts a decoder in the page itself, for frames that refuse workers. It is used as if it
/// were a `Worker`; listen to `message` before the next `await`, `Ready` comes first.
///
/// # Errors
///
/// When the browser has no message channels.
#[wasm_bindgen(js_name = startInPage, unchecked_return_type = "InPageDecoder")]
pub fn start_in_page() -> Result<JsValue, JsValue> {
    let channel = MessageChannel::new()?;
    let (near, far) = (channel.port1(), channel.port2());
    let host = Rc::new(Host::new(near.clone().unchecked_into(), Place::Page));
    let listener = host.listener();
    host.listen(listener.as_ref().unchecked_ref());
    near.start();
    far.start();
    // The port holds the listener, and `terminate` lets go of both.
    let terminate = Closure::once_into_js(move || {
        host.retire(&near, listener.as_ref().unchecked_ref());
        drop(listener);
    });
    Reflect::set(&far, &"terminate".into(), &terminate)?;
    Ok(far.into())
}

/// Where the decoder runs; it decides how files are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Piece by piece.
    Worker,
    /// As a whole, while other requests wait.
    Page,
}

struct Host {
    line: Line,
    place: Place,
    handler: RefCell<Handler>,
    queue: RefCell<VecDeque<JsValue>>,
    /// For a file on its way into memory.
    waiting: Cell<bool>,
    /// A request is being answered.
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
            waiting: Cell::new(false),
            working: Cell::new(false),
            retired: Cell::new(false),
        }
    }

    fn listener(self: &Rc<Host>) -> Closure<dyn FnMut(MessageEvent)> {
        let host = Rc::clone(self);
        Closure::new(move |event: MessageEvent| {
            host.queue.borrow_mut().push_back(event.data());
            host.work();
        })
    }

    fn listen(&self, listener: &Function) {
        // Fails only for listeners that are no functions.
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

    /// Answers what has come, in that order.
    fn work(self: &Rc<Host>) {
        while !self.waiting.get() {
            let Some(request) = self.queue.borrow_mut().pop_front() else {
                return;
            };
            self.handle(&request);
        }
    }

    fn handle(self: &Rc<Host>, request: &JsValue) {
        let id = id_of(request);
        self.working_on(id, || match codec::read_request(request) {
            Ok((envelope, Some(file))) => self.take(envelope, file),
            Ok((envelope, None)) => Some(self.handler.borrow_mut().answer(&envelope)),
            Err(message) => Some(failed(format!("invalid request: {message}"))),
        });
    }

    /// Posts what `answer` gives, and makes its panics known as this request's.
    fn working_on(&self, id: u32, answer: impl FnOnce() -> Option<Answer>) {
        // A request that was never finished: after a crash nothing can be relied on.
        if self.working.replace(true) {
            return;
        }
        WORKING.set(Some((self.line.clone(), id)));
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
        }
        match self.place {
            Place::Worker => Some(match BlobSource::new(file) {
                Ok(source) => self.give(&envelope, Box::new(source)),
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
            Request::Open { name } => handler.open(envelope.id, name, source),
            _ => handler.compare(envelope, source),
        }
    }

    /// Reads the whole file and answers then; meanwhile other requests wait.
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
                        let (Request::Open { name } | Request::Compare { name, .. }) =
                            &envelope.request
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

/// The id of a request that may not be readable otherwise; 0 if not even that is there.
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
    /// Whose request is being answered.
    static WORKING: RefCell<Option<(Line, u32)>> = const { RefCell::new(None) };
}

/// Posts panics to whoever waits for an answer, and writes them to the console.
pub(crate) fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(report)));
}

fn report(panic: &PanicHookInfo<'_>) {
    let message = panic.to_string();
    web_sys::console::error_1(&format!("zeview: {message}").into());
    let working = WORKING.try_with(|working| working.try_borrow_mut().ok()?.take());
    if let Ok(Some((line, id))) = working {
        let crashed = Message::Crashed {
            message,
            id: Some(id),
        };
        send(&line, &crashed, None);
    }
}
