//! Inflating parts of a file in other workers.
//!
//! The page sends a `MessagePort`, before or after any request, as `{ inflater: port }`
//! (`www/decoder.js`). Through it go
//!
//! ```text
//! → { id, part: Blob, size, crc }   a deflate stream, and the length and CRC-32 of its output
//! ← { id, piece: Uint8Array }       the next bytes of the output, [`PIECE`] of them
//! ← { id, whole: true }             that was all; length and checksum are those expected
//! ← { id }                          it cannot be inflated there
//! ```
//!
//! The browser's own decompressor works while the decoder reads other files. Its output is kept
//! outside of the memory of WebAssembly, so that it is inflated once. That memory is limited: what
//! was inflated first is dropped for what is needed now, and the decoder inflates it again.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, MessageEvent, MessagePort};

use super::blob_source::{error, number, room, whole_number};
use crate::model::{ByteSource, Bytes, DeflatedPart, Inflation, SourceError};

/// Length of a piece of output, in bytes; the last one is shorter.
const PIECE: u64 = 4 << 20;
/// The memory of this machine if the browser does not tell, in gigabytes, and the share of it that
/// holds output.
const MEMORY: f64 = 4.0;
const SHARE: f64 = 1.0 / 3.0;

/// The connection to the workers that inflate.
#[derive(Default)]
pub struct Inflater {
    port: RefCell<Option<MessagePort>>,
    /// The oldest first.
    jobs: RefCell<Vec<Job>>,
    next: Cell<u32>,
    /// Whether a caller waits for a part, and how it is told that there is news.
    is_waited_for: Cell<bool>,
    news: RefCell<Option<Function>>,
}

struct Job {
    id: u32,
    /// The file, and the part of it.
    file: Blob,
    part: DeflatedPart,
    state: State,
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Done,
    /// It is done, and a source reads it.
    Taken,
    /// It failed, or the output was dropped.
    Over,
}

/// The pieces of output so far.
type Output = Rc<RefCell<Vec<Uint8Array>>>;

impl Job {
    fn is_of(&self, file: &Blob, part: &DeflatedPart) -> bool {
        self.part == *part && Object::is(&self.file, file)
    }

    /// Returns the memory that is or will be in use, in bytes.
    fn memory(&self) -> u64 {
        match self.state {
            State::Running | State::Done | State::Taken => self.part.size,
            State::Over => 0,
        }
    }

    fn drop_output(&mut self) {
        self.state = State::Over;
        for piece in self.output.take() {
            // Releases the memory now: the engine does not know how much of it waits.
            let buffer = piece.buffer();
            let transfer = Reflect::get(&buffer, &"transfer".into()).ok();
            if let Some(transfer) = transfer.and_then(|f| f.dyn_into::<Function>().ok()) {
                let _ = transfer.call1(&buffer, &0.into());
            }
        }
    }
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
        let id = member("id").and_then(|id| whole_number(id.as_f64()?));
        let piece = member("piece").and_then(|piece| piece.dyn_into::<Uint8Array>().ok());
        let is_whole = member("whole").is_some_and(|whole| whole.is_truthy());
        let mut jobs = self.jobs.borrow_mut();
        let job = jobs.iter_mut().find(|job| Some(u64::from(job.id)) == id);
        if let Some(job) = job.filter(|job| job.state == State::Running) {
            match piece {
                Some(piece) => job.output.borrow_mut().push(piece),
                None if is_whole => job.state = State::Done,
                None => job.drop_output(),
            }
        }
        drop(jobs);
        self.is_waited_for.set(false);
        if let Some(news) = self.news.take() {
            let _ = news.call0(&JsValue::NULL);
        }
    }

    /// See [`ByteSource::inflate`].
    pub(super) fn inflate(&self, file: &Blob, part: &DeflatedPart) -> Inflation {
        self.begin(file, part, true);
        let mut jobs = self.jobs.borrow_mut();
        let Some(job) = jobs.iter_mut().find(|job| job.is_of(file, part)) else {
            return Inflation::Refused;
        };
        match job.state {
            State::Running => {
                self.is_waited_for.set(true);
                Inflation::Running(job.output.borrow().len() as u64 * PIECE)
            }
            State::Done => {
                job.state = State::Taken;
                Inflation::Done(Box::new(PiecesSource {
                    pieces: Rc::clone(&job.output),
                    len: part.size,
                }))
            }
            State::Taken | State::Over => Inflation::Refused,
        }
    }

    /// Begins with a part, if it is not known and there is memory for it. If it is needed now, what
    /// was inflated first is dropped for it.
    pub(super) fn begin(&self, file: &Blob, part: &DeflatedPart, is_needed: bool) {
        let mut jobs = self.jobs.borrow_mut();
        if jobs.iter().any(|job| job.is_of(file, part)) {
            return;
        }
        let most = memory_most();
        let used = |jobs: &[Job]| jobs.iter().map(Job::memory).sum::<u64>();
        let fits = |jobs: &[Job]| used(jobs).saturating_add(part.size) <= most;
        if part.size > most || !is_needed && !fits(&jobs) {
            return;
        }
        while !fits(&jobs)
            && let Some(oldest) = jobs.iter_mut().find(|job| job.state == State::Taken)
        {
            oldest.drop_output();
        }
        let id = self.next.replace(self.next.get().wrapping_add(1));
        if fits(&jobs) && self.send(id, file, part).is_some() {
            jobs.push(Job {
                id,
                file: file.clone(),
                part: *part,
                state: State::Running,
                output: Output::default(),
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
        for mut job in self.jobs.take() {
            job.drop_output();
        }
        self.is_waited_for.set(false);
    }
}

/// Returns the maximum memory for output, in bytes.
fn memory_most() -> u64 {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let memory = navigator.and_then(|of| Reflect::get(&of, &"deviceMemory".into()));
    let gigabytes = memory.ok().and_then(|memory| memory.as_f64());
    let bytes = gigabytes.unwrap_or(MEMORY) * SHARE * 1e9;
    whole_number(bytes.floor()).unwrap_or(0)
}

/// Output in pieces, until it is dropped.
struct PiecesSource {
    pieces: Output,
    len: u64,
}

impl ByteSource for PiecesSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let (mut bytes, end) = room(start, len, self.len)?;
        let gone = || error(start, len, "the output was dropped");
        let pieces = self.pieces.borrow();
        let mut at = start;
        while at < end {
            let piece = usize::try_from(at / PIECE).ok();
            let piece = piece.and_then(|index| pieces.get(index)).ok_or_else(gone)?;
            let first = at / PIECE * PIECE;
            let until = end.min(first.saturating_add(PIECE));
            let part = [at, until].map(|at| u32::try_from(at.saturating_sub(first)).unwrap_or(0));
            let part = piece.subarray(part[0], part[1]);
            if u64::from(part.length()) != until.saturating_sub(at) {
                return Err(gone());
            }
            bytes.extend_from_slice(&part.to_vec());
            at = until;
        }
        Ok(Bytes::from(bytes))
    }
}
