//! Inflating parts of a file in other workers.
//!
//! The page sends a `MessagePort`, before or after any request, as `{ inflater: port }`
//! (`www/decoder.js`). Through it go
//!
//! ```text
//! → { id, part: Blob, size, crc }   a deflate stream, and the length and CRC-32 of its output
//! ← { id, bytes }                   this many bytes so far
//! ← { id, output: Blob }            all bytes, compared with length and checksum
//! ← { id }                          it cannot be inflated there
//! ```
//!
//! The browser's own decompressor is twice as fast as one in WebAssembly, works while the decoder
//! reads other files, and its output is kept by the browser, on the disk if it is large.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, MessageEvent, MessagePort};

use super::blob_source::{BlobSource, number, whole_number};
use crate::model::{DeflatedPart, Inflation};

/// Number of parts in work or finished but not taken, at most: those of the next files.
const JOBS: usize = 4;

/// The connection to the workers that inflate.
#[derive(Default)]
pub struct Inflater {
    port: RefCell<Option<MessagePort>>,
    jobs: RefCell<Vec<Job>>,
    next: Cell<u32>,
    /// Whether a caller waits for a part, and how it is told that there is news.
    is_waited_for: Cell<bool>,
    news: RefCell<Option<js_sys::Function>>,
}

struct Job {
    id: u32,
    /// The file, and the part of it.
    file: Blob,
    part: DeflatedPart,
    state: State,
}

impl Job {
    fn is_of(&self, file: &Blob, part: &DeflatedPart) -> bool {
        self.part == *part && Object::is(&self.file, file)
    }
}

enum State {
    Running(u64),
    Done(Blob),
    /// It failed, or the output was taken.
    Over,
}

impl Inflater {
    /// Takes the port if the message has one.
    pub fn connect(self: &Rc<Self>, message: &JsValue) -> bool {
        let port = Reflect::get(message, &"inflater".into()).ok();
        let Some(port) = port.and_then(|port| port.dyn_into::<MessagePort>().ok()) else {
            return false;
        };
        let of = Rc::clone(self);
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            of.receive(&event.data());
        });
        // For as long as the worker lives.
        let listener = listener.into_js_value();
        port.set_onmessage(Some(listener.unchecked_ref()));
        self.port.replace(Some(port));
        true
    }

    fn receive(&self, message: &JsValue) {
        let member = |name: &str| Reflect::get(message, &name.into()).ok();
        let count = |name: &str| member(name)?.as_f64().and_then(whole_number);
        let id = count("id").and_then(|id| u32::try_from(id).ok());
        let output = member("output").and_then(|output| output.dyn_into::<Blob>().ok());
        let state = match (output, count("bytes")) {
            (Some(output), _) => State::Done(output),
            (None, Some(bytes)) => State::Running(bytes),
            (None, None) => State::Over,
        };
        let mut jobs = self.jobs.borrow_mut();
        if let Some(job) = jobs.iter_mut().find(|job| Some(job.id) == id) {
            job.state = state;
        }
        drop(jobs);
        self.is_waited_for.set(false);
        if let Some(news) = self.news.take() {
            let _ = news.call0(&JsValue::NULL);
        }
    }

    /// See [`ByteSource::inflate`](crate::model::ByteSource::inflate).
    pub(super) fn inflate(self: &Rc<Self>, file: &Blob, part: &DeflatedPart) -> Inflation {
        self.begin(file, part);
        let mut jobs = self.jobs.borrow_mut();
        let Some(job) = jobs.iter_mut().find(|job| job.is_of(file, part)) else {
            return Inflation::Refused;
        };
        if let State::Running(bytes) = job.state {
            self.is_waited_for.set(true);
            return Inflation::Running(bytes);
        }
        match std::mem::replace(&mut job.state, State::Over) {
            State::Done(output) => match BlobSource::new(output, self) {
                Ok(source) => Inflation::Done(Box::new(source)),
                Err(_) => Inflation::Refused,
            },
            State::Running(_) | State::Over => Inflation::Refused,
        }
    }

    /// Begins with a part, if it is not known and there is room.
    pub(super) fn begin(&self, file: &Blob, part: &DeflatedPart) {
        let mut jobs = self.jobs.borrow_mut();
        let is_open = |job: &&Job| !matches!(job.state, State::Over);
        let is_known = jobs.iter().any(|job| job.is_of(file, part));
        if is_known || jobs.iter().filter(is_open).count() >= JOBS {
            return;
        }
        let id = self.next.replace(self.next.get().wrapping_add(1));
        if self.send(id, file, part).is_some() {
            jobs.push(Job {
                id,
                file: file.clone(),
                part: *part,
                state: State::Running(0),
            });
        }
    }

    fn send(&self, id: u32, file: &Blob, part: &DeflatedPart) -> Option<()> {
        let port = self.port.borrow();
        let port = port.as_ref()?;
        let end = part.start.saturating_add(part.len);
        let slice = file.slice_with_f64_and_f64(number(part.start), number(end));
        let job = Object::new();
        let members: [(&str, JsValue); 4] = [
            ("id", id.into()),
            ("part", slice.ok()?.into()),
            ("size", number(part.size).into()),
            ("crc", part.crc.into()),
        ];
        for (name, value) in members {
            Reflect::set(&job, &name.into(), &value).ok()?;
        }
        port.post_message(&job).ok()
    }

    /// Whether the last answer said that a part is being inflated, and there was no news since.
    pub fn is_waited_for(&self) -> bool {
        self.is_waited_for.get()
    }

    /// Waits for news of a part.
    pub async fn wait(&self) {
        let news = Promise::new(&mut |resolve, _| {
            self.news.replace(Some(resolve));
        });
        let _ = JsFuture::from(news).await;
    }

    /// Forgets all parts, of a file that is closed.
    pub fn forget(&self) {
        self.jobs.borrow_mut().clear();
        self.is_waited_for.set(false);
    }
}
