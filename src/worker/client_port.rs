//! The worker itself: how it is started and what comes out of it.
//!
//! Its address stands in the document (`data-worker` of the root element), relative to the
//! document's base. In a sandboxed frame a worker cannot be started from an address, but
//! from a blob: one that imports the address.

use js_sys::{Array, Function};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, EventTarget, MessageEvent, Url, Worker,
    WorkerOptions, WorkerType,
};

const DEFAULT_ADDRESS: &str = "./worker_loader.js";

/// What comes out of a worker.
pub(super) enum Signal {
    /// A message.
    Message(JsValue),
    /// It could not be loaded, or something in it has failed.
    Broken(String),
}

/// A running worker.
pub(super) struct Port {
    worker: Worker,
    /// The address of the blob that it was started from, to be given back.
    blob: Option<String>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Port {
    /// Starts a worker; `tell` gets whatever comes out of it.
    pub(super) fn start(tell: impl Fn(Signal) + Clone + 'static) -> Result<Port, String> {
        let address = address().ok_or("the page has no address of a decoder")?;
        let (worker, blob) = match worker(&address) {
            Ok(worker) => (worker, None),
            Err(refused) => match blob_worker(&address) {
                Ok((worker, blob)) => (worker, Some(blob)),
                Err(_) => return Err(words(&refused)),
            },
        };
        let tell_message = tell.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            tell_message(Signal::Message(event.data()));
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            let text = event
                .dyn_ref::<ErrorEvent>()
                .map(ErrorEvent::message)
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| "The decoder could not be loaded.".to_owned());
            tell(Signal::Broken(text));
        });
        let target: &EventTarget = &worker;
        for (name, listener) in [
            ("message", on_message.as_ref()),
            ("error", on_error.as_ref()),
            ("messageerror", on_error.as_ref()),
        ] {
            let listener: &Function = listener.unchecked_ref();
            target
                .add_event_listener_with_callback(name, listener)
                .map_err(|error| words(&error))?;
        }
        Ok(Port {
            worker,
            blob,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a message.
    pub(super) fn post(&self, message: &JsValue) -> Result<(), String> {
        self.worker
            .post_message(message)
            .map_err(|error| words(&error))
    }

    /// Ends the worker at once, whatever it is doing.
    pub(super) fn close(&self) {
        self.worker.terminate();
        if let Some(blob) = &self.blob {
            let _ = Url::revoke_object_url(blob);
        }
    }
}

fn address() -> Option<String> {
    let document = web_sys::window()?.document()?;
    let named = document.document_element()?.get_attribute("data-worker");
    let named = named.as_deref().unwrap_or(DEFAULT_ADDRESS);
    let base = document.base_uri().ok()??;
    Some(Url::new_with_base(named, &base).ok()?.href())
}

fn worker(address: &str) -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    Worker::new_with_options(address, &options)
}

fn blob_worker(address: &str) -> Result<(Worker, String), JsValue> {
    let quoted = js_sys::JSON::stringify(&address.into())?;
    let text = JsValue::from("import ").unchecked_into::<js_sys::JsString>();
    let parts = Array::of1(&text.concat(&quoted));
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    Ok((worker(&url)?, url))
}

/// What a thrown value says.
fn words(thrown: &JsValue) -> String {
    thrown
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()))
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "Something has failed in the browser.".to_owned())
}
