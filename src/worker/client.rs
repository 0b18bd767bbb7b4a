//! The page's side of the protocol.
//!
//! A [`Client`] owns one decoder: a worker that holds one file. [`Client::ask`] turns a
//! request into a future. What is asked before the decoder has said
//! [`Ready`](Message::Ready) waits until then. A decoder that crashes, or is silent for
//! `PATIENCE`, is terminated; everything that was asked of it fails, and whoever started
//! it is told once, to start another one.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use futures_channel::oneshot;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::client_port::{Port, Signal};
use super::client_timer::Timer;
use super::codec;
use super::protocol::{Envelope, LeafRow, Message, Opened, PROTOCOL_VERSION, Request, Response};
use crate::model::Span;

/// How long the decoder may be silent while it has something to do, in milliseconds.
const PATIENCE: i32 = 30_000;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    /// The decoder says that it could not be done, and why.
    Failed(String),
    /// The file was changed, moved or deleted since it was chosen; in words.
    Changed(String),
    /// The decoder has crashed; what it said last.
    Crashed(String),
    /// The decoder was silent for too long.
    Silent,
    /// The decoder is of another version than the page.
    Version(u32),
    /// Workers are refused here, or the decoder could not be loaded.
    Unavailable(String),
    /// The user did not want to wait, or the file was closed.
    Cancelled,
    /// This decoder does not read the file's format; the other one does.
    Elsewhere,
    /// The answer was to another question.
    Unexpected,
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClientError::Failed(message)
            | ClientError::Changed(message)
            | ClientError::Crashed(message)
            | ClientError::Unavailable(message) => message,
            ClientError::Silent => "The decoder did not answer for 30 seconds.",
            ClientError::Version(_) => "The page and the decoder have different versions.",
            ClientError::Cancelled => "Cancelled.",
            ClientError::Elsewhere => "This decoder does not read files of this format.",
            ClientError::Unexpected => "The decoder sent an unexpected answer.",
        })
    }
}

impl std::error::Error for ClientError {}

/// An answer and the bytes that came with it.
pub struct Answer {
    /// The answer.
    pub response: Response,
    /// The bytes of a [`Response::Bytes`].
    pub bytes: Vec<u8>,
}

/// Bytes and the leaves that they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which bytes.
    pub span: Span,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The leaves in them, by position.
    pub leaves: Vec<LeafRow>,
}

type Result<T> = std::result::Result<T, ClientError>;

/// Where the answer to a request goes: nobody minds if whoever waits for it is gone.
type Reply = oneshot::Sender<Result<Answer>>;

/// One running decoder.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

/// Called when the decoder is gone for good.
type OnDeath = Box<dyn Fn(ClientError)>;

struct Inner {
    port: RefCell<Option<Port>>,
    /// The decoder has said that it runs.
    ready: Cell<bool>,
    queue: RefCell<Vec<JsValue>>,
    pending: RefCell<BTreeMap<u32, Reply>>,
    next: Cell<u32>,
    /// The request that opened the file that is open.
    about: Cell<Option<u32>>,
    timer: RefCell<Option<Timer>>,
    /// Why it does not run any more.
    death: RefCell<Option<ClientError>>,
    on_death: RefCell<Option<OnDeath>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    /// Starts the decoder of zebins. One that cannot be started fails whatever it is asked.
    pub fn start() -> Client {
        Client::named("worker")
    }

    /// Starts the decoder of all formats: for files that the other one does not read
    /// ([`ClientError::Elsewhere`]).
    pub fn start_full() -> Client {
        Client::named("full")
    }

    fn named(name: &str) -> Client {
        let inner = Rc::new(Inner {
            port: RefCell::new(None),
            ready: Cell::new(false),
            queue: RefCell::new(Vec::new()),
            pending: RefCell::default(),
            next: Cell::new(1),
            about: Cell::new(None),
            timer: RefCell::new(None),
            death: RefCell::new(None),
            on_death: RefCell::new(None),
        });
        let weak = Rc::downgrade(&inner);
        let started = Port::start(name, move |signal| {
            if let Some(inner) = weak.upgrade() {
                inner.receive(signal);
            }
        });
        match started {
            Ok(port) => *inner.port.borrow_mut() = Some(port),
            Err(message) => inner.die(ClientError::Unavailable(message)),
        }
        Client(inner)
    }

    /// Says whom to tell when the decoder dies by itself (not by [`Client::stop`]).
    pub fn on_death(&self, tell: impl Fn(ClientError) + 'static) {
        *self.0.on_death.borrow_mut() = Some(Box::new(tell));
    }

    /// Why it does not run any more; nothing while it runs.
    pub fn death(&self) -> Option<ClientError> {
        self.0.death.borrow().clone()
    }

    /// Ends the decoder: everything that was asked of it is cancelled.
    pub fn stop(&self) {
        self.0.on_death.borrow_mut().take();
        self.0.die(ClientError::Cancelled);
    }

    /// Asks for something.
    ///
    /// # Errors
    ///
    /// When the decoder says that it cannot be done, or does not run (any more).
    pub async fn ask(&self, request: Request) -> Result<Response> {
        self.send(request, None).await.map(|a| a.response)
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// As [`Client::ask`].
    pub async fn open(&self, name: String, file: &Blob) -> Result<Opened> {
        match self
            .send(Request::Open { name }, Some(file))
            .await?
            .response
        {
            Response::Opened(opened) => Ok(*opened),
            Response::Elsewhere => Err(ClientError::Elsewhere),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// As [`Client::ask`].
    pub async fn bytes(&self, span: Span, leaves: bool) -> Result<Piece> {
        let answer = self.send(Request::Bytes { span, leaves }, None).await?;
        match answer.response {
            Response::Bytes { span, leaves } => Ok(Piece {
                span,
                leaves,
                bytes: answer.bytes,
            }),
            _ => Err(ClientError::Unexpected),
        }
    }

    async fn send(&self, request: Request, file: Option<&Blob>) -> Result<Answer> {
        let inner = &self.0;
        if let Some(death) = self.death() {
            return Err(death);
        }
        let id = inner.next.get();
        inner.next.set(id.wrapping_add(1));
        let about = if file.is_some() {
            inner.about.set(Some(id));
            None
        } else {
            inner.about.get()
        };
        let envelope = Envelope { id, about, request };
        let message = codec::write_request(&envelope, file).map_err(ClientError::Failed)?;
        let (reply, answer) = oneshot::channel();
        let idle = inner.pending.borrow().is_empty();
        inner.pending.borrow_mut().insert(id, reply);
        if idle {
            inner.wait();
        }
        inner.post(message);
        // Whoever forgets a request does not answer it any more.
        answer.await.unwrap_or(Err(ClientError::Cancelled))
    }
}

impl Inner {
    fn post(self: &Rc<Inner>, message: JsValue) {
        if !self.ready.get() {
            self.queue.borrow_mut().push(message);
            return;
        }
        let posted = match &*self.port.borrow() {
            Some(port) => port.post(&message),
            None => return,
        };
        if let Err(message) = posted {
            self.die(ClientError::Crashed(message));
        }
    }

    fn receive(self: &Rc<Inner>, signal: Signal) {
        let (message, bytes) = match signal {
            Signal::Message(data) => match codec::read_message(&data) {
                Ok(read) => read,
                Err(error) => return self.die(ClientError::Crashed(error)),
            },
            Signal::Broken(text) if self.ready.get() => {
                return self.die(ClientError::Crashed(text));
            }
            Signal::Broken(text) => return self.die(ClientError::Unavailable(text)),
        };
        match message {
            Message::Ready { version } if version != PROTOCOL_VERSION => {
                self.die(ClientError::Version(version));
            }
            Message::Ready { .. } => {
                self.ready.set(true);
                let queue = std::mem::take(&mut *self.queue.borrow_mut());
                for message in queue {
                    self.post(message);
                }
            }
            Message::Answer { id, response } => {
                let reply = self.pending.borrow_mut().remove(&id);
                self.wait();
                let Some(reply) = reply else { return };
                let _ = reply.send(match response {
                    Response::Failed {
                        message,
                        changed: true,
                    } => Err(ClientError::Changed(message)),
                    Response::Failed { message, .. } => Err(ClientError::Failed(message)),
                    response => Ok(Answer {
                        response,
                        bytes: bytes.map(|b| b.to_vec()).unwrap_or_default(),
                    }),
                });
            }
            Message::Crashed { message, .. } => self.die(ClientError::Crashed(message)),
        }
    }

    /// Winds up the clock if anything is expected.
    fn wait(self: &Rc<Inner>) {
        if self.pending.borrow().is_empty() {
            self.timer.borrow_mut().take();
            return;
        }
        let weak = Rc::downgrade(self);
        let timer = Timer::start(PATIENCE, move || {
            if let Some(inner) = weak.upgrade() {
                inner.die(ClientError::Silent);
            }
        });
        *self.timer.borrow_mut() = Some(timer);
    }

    fn die(self: &Rc<Inner>, error: ClientError) {
        if self.death.borrow().is_some() {
            return;
        }
        *self.death.borrow_mut() = Some(error.clone());
        if let Some(port) = &*self.port.borrow() {
            port.close();
        }
        if let Ok(mut timer) = self.timer.try_borrow_mut() {
            timer.take();
        }
        self.queue.borrow_mut().clear();
        let pending = std::mem::take(&mut *self.pending.borrow_mut());
        for reply in pending.into_values() {
            let _ = reply.send(Err(error.clone()));
        }
        let tell = self.on_death.borrow_mut().take();
        if let Some(tell) = tell {
            tell(error);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(port) = &*self.port.borrow() {
            port.close();
        }
    }
}
