//! The decoder as the page uses it. Every request and answer passes through the encoding between page and
//! worker, so each test that asks it also checks that messages survive.

use std::cell::Cell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zeview::model::{ByteSource, Bytes, Document, MemorySource};
use zeview::worker::handler::{Answer, Handler};
use zeview::worker::protocol::{Envelope, Opened, Request, Response};

/// Returns the data as the other side receives it.
#[track_caller]
pub fn passed<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(data: &T) -> T {
    let bytes = postcard::to_allocvec(data).unwrap();
    let (received, rest): (T, _) = postcard::take_from_bytes(&bytes).unwrap();
    assert_eq!(&received, data);
    assert!(rest.is_empty());
    received
}

/// A decoder with an open file.
pub struct Decoder {
    handler: Handler,
    /// Id of the last request.
    id: u32,
    /// Id of the request that opened the file that requests are about.
    pub about: u32,
    /// What was asked and answered, except for opening.
    pub record: Vec<(Envelope, Response)>,
}

impl Decoder {
    /// Opens a file.
    #[track_caller]
    pub fn open(name: &str, bytes: impl Into<Vec<u8>>) -> (Decoder, Opened) {
        let mut handler = Handler::new(|| 0.0);
        let answer = handler.open(1, name, memory(bytes.into()));
        Decoder::opened(handler, answer)
    }

    /// Like [`open`](Self::open), with a clock by which each step of long work uses up the time of
    /// its answer.
    #[track_caller]
    pub fn open_slow(name: &str, bytes: impl Into<Vec<u8>>) -> (Decoder, Opened) {
        thread_local! {
            static NOW: Cell<f64> = const { Cell::new(0.0) };
        }
        let mut handler = Handler::new(|| {
            NOW.with(|now| {
                now.set(now.get() + 1e4);
                now.get()
            })
        });
        let answer = handler.open(1, name, memory(bytes.into()));
        Decoder::opened(handler, answer)
    }

    /// Opens a document that was decoded before.
    #[track_caller]
    pub fn show(name: &str, document: Document) -> (Decoder, Opened) {
        let mut handler = Handler::new(|| 0.0);
        let answer = handler.show(1, name, document);
        Decoder::opened(handler, answer)
    }

    #[track_caller]
    fn opened(handler: Handler, answer: Answer) -> (Decoder, Opened) {
        let decoder = Decoder {
            handler,
            id: 1,
            about: 1,
            record: Vec::new(),
        };
        match passed(&answer.response) {
            Response::Opened(opened) => (decoder, *opened),
            other => panic!("{other:?}"),
        }
    }

    fn envelope(&mut self, request: Request) -> Envelope {
        self.id += 1;
        passed(&Envelope {
            id: self.id,
            about: Some(self.about),
            request,
        })
    }

    fn keep(&mut self, envelope: Envelope, answer: Answer) -> (Response, Option<Bytes>) {
        let response = passed(&answer.response);
        self.record.push((envelope, response.clone()));
        (response, answer.bytes)
    }

    /// Asks for something that needs no file.
    pub fn ask(&mut self, request: Request) -> Response {
        self.ask_bytes(request).0
    }

    /// Like [`ask`](Self::ask), with the bytes that travel beside the answer.
    pub fn ask_bytes(&mut self, request: Request) -> (Response, Option<Bytes>) {
        let envelope = self.envelope(request);
        let answer = self.handler.answer(&envelope);
        self.keep(envelope, answer)
    }

    /// Compares with another file, or reads a profile.
    pub fn ask_with(&mut self, request: Request, file: impl Into<Vec<u8>>) -> Response {
        self.ask_with_source(request, memory(file.into()))
    }

    /// Like [`ask_with`](Self::ask_with), from a source.
    pub fn ask_with_source(&mut self, request: Request, file: Box<dyn ByteSource>) -> Response {
        let envelope = self.envelope(request);
        let answer = match envelope.request {
            Request::Compare { .. } => self.handler.compare(&envelope, file),
            Request::AddProfile { .. } => self.handler.add_profile(&envelope, file),
            _ => panic!("{:?} takes no file", envelope.request),
        };
        self.keep(envelope, answer).0
    }
}

fn memory(bytes: Vec<u8>) -> Box<dyn ByteSource> {
    Box::new(MemorySource::from(bytes))
}
