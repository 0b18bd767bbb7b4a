//! Before the first file: the decoder decodes a small one of its own, again and again.
//!
//! Browsers translate WebAssembly in a hurry when it first runs, and well only what has run
//! often. Without this the first file, which is the one that people wait for, takes three to
//! four times as long as any later one. It is done while nobody asks for anything, in turns of
//! a few milliseconds, and ends when the first request comes.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::DedicatedWorkerGlobalScope;

use super::codec;
use super::handler::Handler;
use super::protocol::{Ask, Envelope, Message, Request};
use crate::decode::rare::Rare;
use crate::model::list::ListId;
use crate::model::list::query::Query;
use crate::model::{MemorySource, NodeId};

/// Decoded so often: then what matters has been translated well.
const TIMES: u32 = 300;
/// A turn ends after so many milliseconds, so that a request waits no longer.
const TURN: f64 = 8.0;
/// The first turn begins after so many milliseconds: the page is still being set up.
const FIRST: i32 = 250;
/// Between turns, in milliseconds.
const PAUSE: i32 = 4;

/// One kernel, as the compiler writes it.
static SAMPLE: &[u8] = include_bytes!("../../www/samples/vecadd.bmg.zebin");

/// Begins, in a worker; `idle` says whether nobody has asked for anything yet.
pub fn begin(clock: fn() -> f64, rare: Rc<dyn Rare>, idle: impl Fn() -> bool + 'static) {
    spawn_local(async move {
        let mut left = TIMES;
        let mut pause = FIRST;
        while left > 0 && sleep(pause).await && idle() {
            pause = PAUSE;
            let began = clock();
            while left > 0 && clock() - began < TURN {
                once(clock, &rare);
                left -= 1;
            }
        }
    });
}

/// Waits so many milliseconds; says whether that was possible.
async fn sleep(milliseconds: i32) -> bool {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return false;
    };
    let waiting = Promise::new(&mut |resolve, reject| {
        let timer =
            scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        if timer.is_err() {
            let _ = reject.call0(&JsValue::NULL);
        }
    });
    JsFuture::from(waiting).await.is_ok()
}

/// What the page asks about a zebin at first.
fn once(clock: fn() -> f64, rare: &Rc<dyn Rare>) {
    let mut handler = Handler::with(clock, Rc::clone(rare));
    handler.decode(0, "", Box::new(MemorySource::from(SAMPLE)));
    let document = NodeId::ROOT;
    let requests = [
        Request::Verdict {
            document,
            device: None,
        },
        Request::List {
            document,
            list: ListId::Kernels,
            query: Query::default(),
            ask: Ask::Rows {
                start: 0,
                count: 1,
                columns: Vec::new(),
            },
        },
    ];
    let answers = requests.map(|request| {
        handler.answer(&Envelope {
            id: 0,
            about: None,
            request,
        })
    });
    for answer in [handler.opened()].into_iter().chain(answers) {
        let response = answer.response;
        let _ = codec::write_message(&Message::Answer { id: 0, response }, None);
    }
}
