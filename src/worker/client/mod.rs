//! The page's side of the protocol.
//!
//! A [`Client`] owns one decoder: a worker with one file. [`Client::ask`] turns a request into a
//! future. Requests made before the decoder is [`Ready`](Message::Ready) wait until then.
//!
//! The decoder ends by itself: the work for a file has limits. So it is never terminated for being slow. Work of
//! more than a second is reported to the owner, who can stop it ([`Client::stop_work`]). If the decoder crashes or
//! is stopped, all its pending requests fail, and the owner is notified once, with the request in progress, so that it
//! can start another decoder and not repeat that request.

pub mod crash_log;
mod port;
pub mod timer;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use futures_channel::oneshot;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::client::crash_log::CrashLog;
use super::client::port::{Port, Signal};
use super::client::timer::Timer;
use super::codec;
use super::protocol::{
    CompareReport, Envelope, LeafRow, ListReading, Message, Opened, PROTOCOL_VERSION, Request,
    Response,
};
use crate::diff::Options as CompareOptions;
use crate::model::Span;

/// Work is reported after this time, and from then on after each such time, in milliseconds.
const REPORTED: i32 = 1000;

/// The reason that a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    /// The decoder reported a failure, with this message.
    Failed(String),
    /// The file was changed, moved or deleted since it was opened.
    Changed(String),
    /// The decoder crashed, with this message.
    Crashed(String),
    /// The user stopped the decoder, after this many seconds of work on a request.
    Stopped(u32),
    /// The decoder is of another version than the page.
    Version(u32),
    /// Workers are blocked, or the decoder could not be loaded.
    Unavailable(String),
    /// The user canceled the request, or the file was closed.
    Cancelled,
    /// The response does not match the request.
    Unexpected,
}

/// A step of a comparison.
#[derive(Debug)]
pub enum Comparing {
    /// Kernels are read: the next step goes on.
    Reading(ListReading),
    /// The result.
    Done(Box<CompareReport>),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClientError::Failed(message)
            | ClientError::Changed(message)
            | ClientError::Crashed(message)
            | ClientError::Unavailable(message) => message,
            ClientError::Stopped(seconds) => return write!(f, "You stopped it after {seconds} s."),
            ClientError::Version(_) => "The page and the decoder have different versions.",
            ClientError::Cancelled => "Cancelled.",
            ClientError::Unexpected => "The decoder sent an unexpected answer.",
        })
    }
}

impl std::error::Error for ClientError {}

/// A response and its bytes.
pub struct Answer {
    /// The response.
    pub response: Response,
    /// The bytes of a [`Response::Bytes`].
    pub bytes: Vec<u8>,
}

/// Bytes and the leaves that contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The range of the bytes.
    pub span: Span,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The leaves in them, by position.
    pub leaves: Vec<LeafRow>,
}

type Result<T> = std::result::Result<T, ClientError>;

/// Receives the answer to a request. The receiver may be gone.
type Reply = oneshot::Sender<Result<Answer>>;

/// One running decoder.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

/// Called when the decoder has died, with the request in progress.
type OnExit = Box<dyn Fn(ClientError, Option<Request>)>;

/// Called while the decoder works on a request for more than a second, and with `None` when it has answered.
type OnWork = Box<dyn Fn(Option<Work>)>;

/// A request that the decoder works on.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// The request.
    pub request: Request,
    /// How long, in seconds.
    pub seconds: u32,
    /// Number of bytes of the file that were read for it.
    pub bytes: u64,
}

struct Inner {
    port: RefCell<Option<Port>>,
    /// Whether the decoder has reported that it runs.
    ready: Cell<bool>,
    queue: RefCell<Vec<JsValue>>,
    /// Pending requests by id, which is the order in which the decoder answers.
    pending: RefCell<BTreeMap<u32, (Request, Reply)>>,
    next: Cell<u32>,
    /// Id of the request that opened the current file.
    about: Cell<Option<u32>>,
    timer: RefCell<Option<Timer>>,
    /// Seconds since the last answer while requests are pending, and the bytes read in that time.
    worked: Cell<(u32, u64)>,
    on_work: RefCell<Option<OnWork>>,
    /// Why the decoder no longer runs.
    failure: RefCell<Option<ClientError>>,
    on_exit: RefCell<Option<OnExit>>,
    /// The crashes of earlier decoders of the file.
    crashes: RefCell<Rc<RefCell<CrashLog>>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    /// Starts a decoder. If it cannot be started, all its requests fail.
    pub fn start() -> Client {
        let inner = Rc::new(Inner {
            port: RefCell::new(None),
            ready: Cell::new(false),
            queue: RefCell::new(Vec::new()),
            pending: RefCell::default(),
            next: Cell::new(1),
            about: Cell::new(None),
            timer: RefCell::new(None),
            worked: Cell::default(),
            on_work: RefCell::new(None),
            failure: RefCell::new(None),
            on_exit: RefCell::new(None),
            crashes: RefCell::default(),
        });
        let weak = Rc::downgrade(&inner);
        let started = Port::start(move |signal| {
            if let Some(inner) = weak.upgrade() {
                inner.receive(signal);
            }
        });
        match started {
            Ok(port) => *inner.port.borrow_mut() = Some(port),
            Err(message) => inner.terminate(ClientError::Unavailable(message), None),
        }
        Client(inner)
    }

    /// Sets the callback for when the decoder dies by itself (not by [`Client::stop`]).
    pub fn on_exit(&self, tell: impl Fn(ClientError, Option<Request>) + 'static) {
        *self.0.on_exit.borrow_mut() = Some(Box::new(tell));
    }

    /// Sets the callback for work of more than a second.
    pub fn on_work(&self, tell: impl Fn(Option<Work>) + 'static) {
        *self.0.on_work.borrow_mut() = Some(Box::new(tell));
    }

    /// Ends the decoder in the middle of its work; the owner is notified like after a crash.
    pub fn stop_work(&self) {
        let (seconds, _) = self.0.worked.get();
        self.0.terminate(ClientError::Stopped(seconds), None);
    }

    /// Sets how the file's earlier decoders died. Requests that killed them fail with
    /// [`ClientError::Failed`].
    pub fn avoid(&self, crashes: Rc<RefCell<CrashLog>>) {
        *self.0.crashes.borrow_mut() = crashes;
    }

    /// Returns why the decoder no longer runs; `None` while it runs.
    pub fn failure(&self) -> Option<ClientError> {
        self.0.failure.borrow().clone()
    }

    /// Ends the decoder and cancels all pending requests.
    pub fn stop(&self) {
        self.0.on_exit.borrow_mut().take();
        self.0.on_work.borrow_mut().take();
        self.0.terminate(ClientError::Cancelled, None);
    }

    /// Sends a request and waits for the response.
    ///
    /// # Errors
    ///
    /// If the decoder reports a failure, or does not run.
    pub async fn ask(&self, request: Request) -> Result<Response> {
        self.send(request, None).await.map(|a| a.response)
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// See [`Client::ask`].
    pub async fn open(
        &self,
        name: String,
        encoding: Option<String>,
        file: &Blob,
    ) -> Result<Opened> {
        match self
            .send(Request::Open { name, encoding }, Some(file))
            .await?
            .response
        {
            Response::Opened(opened) => Ok(*opened),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Compares the open file with another one: a step, the first with the file.
    ///
    /// # Errors
    ///
    /// See [`Client::ask`].
    pub async fn compare(
        &self,
        name: String,
        file: Option<&Blob>,
        options: CompareOptions,
        keep: Option<u64>,
    ) -> Result<Comparing> {
        let request = Request::Compare {
            name,
            options,
            keep,
        };
        match self.send(request, file).await?.response {
            Response::Compared(report) => Ok(Comparing::Done(report)),
            Response::Comparing(left) => Ok(Comparing::Reading(left)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Reads a profile: a step of it, the first with the file.
    ///
    /// # Errors
    ///
    /// See [`Client::ask`].
    pub async fn add_profile(
        &self,
        name: String,
        (is_earlier, is_part): (bool, bool),
        file: Option<&Blob>,
    ) -> Result<Response> {
        let request = Request::AddProfile {
            name,
            is_earlier,
            is_part,
        };
        self.send(request, file).await.map(|a| a.response)
    }

    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// See [`Client::ask`].
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
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        if let Some(why) = inner.crashes.borrow().borrow().refuse(&request) {
            return Err(ClientError::Failed(why));
        }
        let id = inner.next.get();
        inner.next.set(id.wrapping_add(1));
        let about = if let Request::Open { .. } = request {
            inner.about.set(Some(id));
            None
        } else {
            inner.about.get()
        };
        let envelope = Envelope { id, about, request };
        let message = codec::write_request(&envelope, file).map_err(ClientError::Failed)?;
        let (reply, answer) = oneshot::channel();
        let idle = inner.pending.borrow().is_empty();
        let pending = (envelope.request, reply);
        inner.pending.borrow_mut().insert(id, pending);
        // Requests are answered in order: otherwise its time begins after those before it.
        if idle {
            inner.wait();
        }
        inner.post(message);
        // The sender is dropped when the request is canceled.
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
            self.terminate(ClientError::Crashed(message), None);
        }
    }

    fn receive(self: &Rc<Inner>, signal: Signal) {
        let (message, bytes) = match signal {
            Signal::Message(data) => match codec::read_message(&data) {
                Ok(read) => read,
                Err(error) => return self.terminate(ClientError::Crashed(error), None),
            },
            Signal::Broken(text) if self.ready.get() => {
                return self.terminate(ClientError::Crashed(text), None);
            }
            Signal::Broken(text) => return self.terminate(ClientError::Unavailable(text), None),
        };
        match message {
            Message::Ready { version } if version != PROTOCOL_VERSION => {
                self.terminate(ClientError::Version(version), None);
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
                let Some((_, reply)) = reply else { return };
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
            Message::Crashed { message, id } => self.terminate(ClientError::Crashed(message), id),
            Message::Working { bytes } => {
                let (seconds, known) = self.worked.get();
                self.worked.set((seconds, known.saturating_add(bytes)));
            }
        }
    }

    /// The time of the oldest pending request begins now.
    fn wait(self: &Rc<Inner>) {
        let (seconds, _) = self.worked.take();
        if seconds > 0 {
            self.tell_work(None);
        }
        self.timer.borrow_mut().take();
        if !self.pending.borrow().is_empty() {
            self.start_timer();
        }
    }

    fn start_timer(self: &Rc<Inner>) {
        let weak = Rc::downgrade(self);
        let timer = Timer::start(REPORTED, move || {
            if let Some(inner) = weak.upgrade() {
                inner.report();
            }
        });
        *self.timer.borrow_mut() = Some(timer);
    }

    /// Tells the owner what the decoder works on.
    fn report(self: &Rc<Inner>) {
        let (seconds, bytes) = self.worked.get();
        let seconds = seconds.saturating_add(1);
        self.worked.set((seconds, bytes));
        let oldest = self
            .pending
            .borrow()
            .first_key_value()
            .map(|(_, (request, _))| request.clone());
        if let Some(request) = oldest {
            self.tell_work(Some(Work {
                request,
                seconds,
                bytes,
            }));
            self.start_timer();
        }
    }

    fn tell_work(&self, work: Option<Work>) {
        if let Some(tell) = &*self.on_work.borrow() {
            tell(work);
        }
    }

    /// Ends the decoder. `id` is the request that killed it, if the decoder reported one; otherwise
    /// it is the oldest, as requests are answered in order.
    fn terminate(self: &Rc<Inner>, error: ClientError, id: Option<u32>) {
        if self.failure.borrow().is_some() {
            return;
        }
        *self.failure.borrow_mut() = Some(error.clone());
        if let Some(port) = &*self.port.borrow() {
            port.close();
        }
        if let Ok(mut timer) = self.timer.try_borrow_mut() {
            timer.take();
        }
        self.queue.borrow_mut().clear();
        let pending = std::mem::take(&mut *self.pending.borrow_mut());
        let named = id.and_then(|id| pending.get(&id));
        let died_of = named.or_else(|| pending.values().next());
        let died_of = died_of.map(|(request, _)| request.clone());
        for (_, reply) in pending.into_values() {
            let _ = reply.send(Err(error.clone()));
        }
        self.tell_work(None);
        let tell = self.on_exit.borrow_mut().take();
        if let Some(tell) = tell {
            tell(error, died_of);
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
