//! The decoder host in a worker: files by offset, and messages.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Blob, DedicatedWorkerGlobalScope, Event, MessageEvent, MessagePort};
use zeview::model::{ByteSource, NodeId, SourceId, Span};
use zeview::worker::host::blob_source::{ArraySource, BlobSource};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    Envelope, Message, PROTOCOL_VERSION, Request, Response, SelectionTarget,
};
use zeview::worker::{codec, host};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn blob(parts: &[&[u8]]) -> Blob {
    let parts: Array = parts.iter().map(|part| Uint8Array::from(*part)).collect();
    Blob::new_with_u8_array_sequence(&parts).unwrap()
}

// Sources

#[wasm_bindgen_test]
fn a_blob_is_read_by_position() {
    let source = BlobSource::new(blob(&[b"one,", b"two,", b"three"]), &Rc::default()).unwrap();
    assert_eq!(source.len(), 13);
    assert_eq!(&*source.read(0, 13).unwrap(), b"one,two,three");
    assert_eq!(&*source.read(2, 5).unwrap(), b"e,two");
    assert_eq!(&*source.read(13, 0).unwrap(), b"");
    for (start, len) in [(13, 1), (0, 14), (u64::MAX, 1), (1, u64::MAX)] {
        let error = source.read(start, len).unwrap_err();
        assert_eq!(error.message, "out of range");
        assert_eq!(error.span, Span::with_len(SourceId::FILE, start, len));
    }
}

#[wasm_bindgen_test]
fn a_piece_of_a_blob_counts_from_its_own_start() {
    let whole = blob(&[b"one,", b"two,", b"three"]);
    let piece = whole.slice_with_f64_and_f64(3.0, 9.0).unwrap();
    let source = BlobSource::new(piece, &Rc::default()).unwrap();
    assert_eq!(source.len(), 6);
    assert_eq!(&*source.read(0, 6).unwrap(), b",two,t");
    assert!(source.read(5, 2).is_err());
}

#[wasm_bindgen_test]
fn long_reads_are_joined() {
    let bytes: Vec<u8> = (0..10_000_000_u32).map(|i| (i % 251) as u8).collect();
    let source = BlobSource::new(blob(&[&bytes]), &Rc::default()).unwrap();
    let read = source.read(1, 9_999_998).unwrap();
    assert!(*read == bytes[1..9_999_999]);
}

#[wasm_bindgen_test]
async fn announced_bytes_are_fetched_in_the_background() {
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 251) as u8).collect();
    let source = BlobSource::new(blob(&[&bytes]), &Rc::default()).unwrap();
    let ahead = source.read_ahead();
    assert!(!ahead.is_behind() && !source.is_ready(0, 10));
    source.announce(1000, 500_000);
    assert!(ahead.is_behind() && !source.is_ready(1000, 500_000));
    // Before they arrive, they are read at once.
    assert!(*source.read(1000, 100).unwrap() == bytes[1000..1100]);
    ahead.catch_up().await;
    assert!(!ahead.is_behind() && source.is_ready(1000, 500_000));
    assert!(!source.is_ready(999, 10) && !source.is_ready(500_999, 2));
    assert!(*source.read(2000, 100).unwrap() == bytes[2000..2100]);
    assert!(*source.read(1000, 500_000).unwrap() == bytes[1000..501_000]);
    // Once read to the end, they are forgotten, and read again when requested.
    assert!(!source.is_ready(1000, 10));
    assert!(*source.read(1000, 10).unwrap() == bytes[1000..1010]);
    // Bytes beyond the end do not arrive.
    source.announce(999_990, 100);
    ahead.catch_up().await;
    assert!(!ahead.is_behind() && !source.is_ready(999_990, 100));
    assert!(source.read(999_990, 100).is_err());
}

#[wasm_bindgen_test]
fn positions_above_four_gigabytes() {
    // A blob that repeats the same part takes no memory.
    let part = blob(&[&vec![7; 1 << 20]]);
    let parts = Array::new();
    for _ in 0..4 * 1024 + 1 {
        parts.push(&part);
    }
    parts.push(&blob(&[b"the end"]));
    let Ok(large) = Blob::new_with_blob_sequence(&parts) else {
        return;
    };
    let source = BlobSource::new(large, &Rc::default()).unwrap();
    let len = source.len();
    assert_eq!(len, (4 * 1024 + 1) * (1 << 20) + 7);
    assert_eq!(&*source.read(len - 9, 9).unwrap(), b"\x07\x07the end");
}

#[wasm_bindgen_test]
fn an_array_is_read_where_it_is() {
    let array = Uint8Array::from(&b"abcdef"[..]).subarray(1, 5);
    let source = ArraySource::new(array.clone());
    assert_eq!(source.len(), 4);
    assert_eq!(&*source.read(1, 3).unwrap(), b"cde");
    assert!(source.read(1, 4).is_err());
    // Transferring the buffer takes the bytes away.
    let options = Object::new();
    let transfer = Array::of1(&array.buffer());
    Reflect::set(&options, &"transfer".into(), &transfer).unwrap();
    function("structuredClone")
        .call2(&JsValue::NULL, &array, &options)
        .unwrap();
    assert!(
        source
            .read(1, 3)
            .unwrap_err()
            .message
            .contains("transferred")
    );
}

fn function(name: &str) -> Function {
    let value = Reflect::get(&js_sys::global(), &name.into()).unwrap();
    value.unchecked_into()
}

// The worker's own channel. The test's worker talks to its page through the same one, so posted
// messages are caught, and incoming ones are synthetic events.

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

type Caught = Rc<RefCell<Vec<(JsValue, Array)>>>;

/// Runs `act` and returns the messages posted meanwhile.
fn posted(act: impl FnOnce()) -> Vec<(JsValue, Array)> {
    let caught = Caught::default();
    let sink = Rc::clone(&caught);
    let catch = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |message, transfer: JsValue| {
        sink.borrow_mut().push((message, Array::from(&transfer)));
    });
    let name = JsValue::from("postMessage");
    let original = Reflect::get(&scope(), &name).unwrap();
    Reflect::set(&scope(), &name, catch.as_ref()).unwrap();
    act();
    Reflect::set(&scope(), &name, &original).unwrap();
    caught.take()
}

fn receive(data: &JsValue) {
    let options = Object::new();
    Reflect::set(&options, &"data".into(), data).unwrap();
    let arguments = Array::of2(&"message".into(), &options);
    let event = Reflect::construct(&function("MessageEvent"), &arguments).unwrap();
    scope()
        .dispatch_event(event.unchecked_ref::<Event>())
        .unwrap();
}

fn request(id: u32, request: Request, file: Option<&Blob>) -> JsValue {
    let about = None;
    codec::write_request(&Envelope { id, about, request }, file).unwrap()
}

fn open(id: u32, file: &Blob) -> JsValue {
    let name = "name".to_owned();
    request(
        id,
        Request::Open {
            name,
            encoding: None,
        },
        Some(file),
    )
}

fn bytes(id: u32, start: u64, end: u64) -> JsValue {
    let span = Span::new(SourceId::FILE, start, end);
    let leaves = true;
    request(id, Request::Bytes { span, leaves }, None)
}

#[track_caller]
fn answer(message: &JsValue) -> (u32, Response, Option<Uint8Array>) {
    match codec::read_message(message).unwrap() {
        (Message::Answer { id, response }, bytes) => (id, response, bytes),
        other => panic!("{other:?}"),
    }
}

#[wasm_bindgen_test]
fn the_host_answers_in_a_worker() {
    // An embedder's worker is left alone.
    Reflect::set(&scope(), &"zeviewHost".into(), &JsValue::FALSE).unwrap();
    assert!(posted(host::start).is_empty());
    Reflect::delete_property(&scope(), &"zeviewHost".into()).unwrap();

    let ready = posted(host::start);
    let version = PROTOCOL_VERSION;
    let (message, _) = codec::read_message(&ready[0].0).unwrap();
    assert_eq!(message, Message::Ready { version });
    assert_eq!(ready.len(), 1);

    let replies = posted(|| {
        let select = || Request::Select {
            order: TreeOrder::File,
            place: SelectionTarget::Node(NodeId::ROOT),
            follow: None,
        };
        receive(&request(1, select(), None));
        receive(&open(2, &blob(&[b"just ", b"some ", b"bytes"])));
        receive(&bytes(3, 5, 100));
        receive(&JsValue::from("nonsense"));
        let request = request(4, select(), None);
        let garbage = Uint8Array::from(&[0xff; 9][..]);
        Reflect::set(&request, &"data".into(), &garbage).unwrap();
        receive(&request);
    });
    let answers: Vec<_> = replies.iter().map(|(message, _)| answer(message)).collect();
    let ids: Vec<u32> = answers.iter().map(|answer| answer.0).collect();
    assert_eq!(ids, [1, 2, 3, 0, 4]);
    assert!(matches!(answers[0].1, Response::Failed { .. }));
    let Response::Opened(opened) = &answers[1].1 else {
        panic!("{:?}", answers[1].1);
    };
    assert_eq!((opened.size, opened.name.as_str()), (15, "name"));
    assert!(opened.millis >= 0.0 && opened.bytes_read <= 1024);

    // Bytes are moved, not copied.
    let data = answers[2].2.as_ref().unwrap();
    assert_eq!(data.to_vec(), b"some bytes");
    assert_eq!(replies[2].1.get(0), JsValue::from(data.buffer()));
    assert_eq!(replies[1].1.length(), 0);

    for (_, response, _) in &answers[3..] {
        let Response::Failed { message, changed } = response else {
            panic!("{response:?}");
        };
        assert!(message.starts_with("invalid request") && !changed);
    }
}

// In the page: the same through a port, with files that are read completely.

/// Waits for the next `count` messages.
async fn messages(port: &MessagePort, count: usize, act: impl FnOnce()) -> Vec<JsValue> {
    let caught: Rc<RefCell<Vec<JsValue>>> = Rc::default();
    let sink = Rc::clone(&caught);
    let mut done = None;
    let promise = Promise::new(&mut |resolve, _| done = Some(resolve));
    let done = done.unwrap();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        sink.borrow_mut().push(event.data());
        if sink.borrow().len() == count {
            done.call0(&JsValue::NULL).unwrap();
        }
    });
    let listener = listener.into_js_value();
    let listener = listener.unchecked_ref();
    port.add_event_listener_with_callback("message", listener)
        .unwrap();
    act();
    JsFuture::from(promise).await.unwrap();
    port.remove_event_listener_with_callback("message", listener)
        .unwrap();
    caught.take()
}

#[wasm_bindgen_test]
async fn the_host_answers_in_the_page() {
    let port: MessagePort = host::start_in_page().unwrap().unchecked_into();
    let replies = messages(&port, 4, || {
        port.post_message(&open(1, &blob(&[b"first"]))).unwrap();
        port.post_message(&bytes(2, 0, 100)).unwrap();
        port.post_message(&open(3, &blob(&[b"sec", b"ond"])))
            .unwrap();
    })
    .await;
    let (message, _) = codec::read_message(&replies[0]).unwrap();
    assert!(matches!(message, Message::Ready { .. }));
    let answers: Vec<_> = replies[1..].iter().map(answer).collect();
    // In order, although files take time.
    let ids: Vec<u32> = answers.iter().map(|answer| answer.0).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(answers[1].2.as_ref().unwrap().to_vec(), b"first");
    assert!(matches!(&answers[2].1, Response::Opened(opened) if opened.size == 6));

    let terminate = Reflect::get(&port, &"terminate".into()).unwrap();
    let terminate: Function = terminate.unchecked_into();
    terminate.call0(&port).unwrap();
}
