//! The worker itself: starts it and receives its messages.
//!
//! `www/decoder.js` starts the worker in a way that the browser and the frame around the page
//! allow. The start-up script (`www/boot.js`) loads that module before the page begins.

use js_sys::Function;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen]
extern "C" {
    /// The result of `start` in `www/decoder.js`.
    type Decoder;

    #[wasm_bindgen(catch, js_namespace = zeviewDecoder, js_name = start)]
    fn start_decoder(tell: &Function, fail: &Function) -> Result<Decoder, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn post(this: &Decoder, message: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method)]
    fn close(this: &Decoder);
}

/// A message or failure from a worker.
pub(crate) enum Signal {
    /// A message.
    Message(JsValue),
    /// The worker could not be started, or has failed.
    Broken(String),
}

/// A worker that runs or is starting.
pub(crate) struct Port {
    decoder: Decoder,
    _tell: Closure<dyn FnMut(JsValue)>,
    _fail: Closure<dyn FnMut(String)>,
}

impl Port {
    /// Starts the worker; `tell` receives its signals.
    pub(crate) fn start(tell: impl Fn(Signal) + Clone + 'static) -> Result<Port, String> {
        let of_failures = tell.clone();
        let on_message = Closure::<dyn FnMut(JsValue)>::new(move |message| {
            tell(Signal::Message(message));
        });
        let on_failure = Closure::<dyn FnMut(String)>::new(move |text| {
            of_failures(Signal::Broken(text));
        });
        let decoder = start_decoder(
            on_message.as_ref().unchecked_ref(),
            on_failure.as_ref().unchecked_ref(),
        )
        .map_err(|thrown| words(&thrown))?;
        Ok(Port {
            decoder,
            _tell: on_message,
            _fail: on_failure,
        })
    }

    /// Sends a message. The worker must have reported that it is ready.
    pub(crate) fn post(&self, message: &JsValue) -> Result<(), String> {
        self.decoder.post(message).map_err(|thrown| words(&thrown))
    }

    /// Ends the worker at once, whatever it is doing.
    pub(crate) fn close(&self) {
        self.decoder.close();
    }
}

/// Returns the message of a thrown value.
fn words(thrown: &JsValue) -> String {
    thrown
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()))
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "Unknown browser error.".to_owned())
}
