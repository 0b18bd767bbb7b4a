//! A part of the decoder that is a wasm module of its own, loaded when it is needed.
//!
//! A fault in it, or no way to load it, costs what it would have told, and nothing else.

use std::cell::{Cell, RefCell};

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// Relative to this module, wherever that has been loaded from.
    #[wasm_bindgen(catch, js_name = import)]
    fn import(specifier: &str) -> Result<Promise, JsValue>;

    /// Gives a part by its name, started, where this was started from memory
    /// (`www/decoder.js`) and can import nothing.
    #[wasm_bindgen(thread_local_v2, js_name = zeviewPart)]
    static PART: Option<Function>;

    type Started;

    #[wasm_bindgen(method, catch, js_name = default)]
    fn init(this: &Started) -> Result<Promise, JsValue>;
}

/// A module that exports `E`, loaded or not.
pub struct Module<E> {
    name: &'static str,
    needed: Cell<bool>,
    state: RefCell<State<E>>,
}

enum State<E> {
    NotAsked,
    Loaded(E),
    Failed,
}

impl<E: JsCast> Module<E> {
    /// The module of that name, whose script is beside the decoder's own.
    pub const fn new(name: &'static str) -> Module<E> {
        Module {
            name,
            needed: Cell::new(false),
            state: RefCell::new(State::NotAsked),
        }
    }

    /// Another file begins, which may need nothing, or have more luck.
    pub fn begin(&self) {
        self.needed.set(false);
        self.state
            .replace_with(|state| match std::mem::replace(state, State::NotAsked) {
                State::Failed => State::NotAsked,
                other => other,
            });
    }

    /// Takes note that it is needed; `false` if it cannot be had.
    pub fn need(&self) -> bool {
        self.needed.set(true);
        !matches!(*self.state.borrow(), State::Failed)
    }

    /// Has somebody needed it since [`begin`](Module::begin) that waits for it?
    pub fn is_awaited(&self) -> bool {
        self.needed.get() && matches!(*self.state.borrow(), State::NotAsked)
    }

    /// Can it be asked?
    pub fn is_loaded(&self) -> bool {
        matches!(*self.state.borrow(), State::Loaded(_))
    }

    /// Loads it, if that has not been done; `false` if it cannot be done.
    pub async fn load(&self) -> bool {
        if self.is_loaded() {
            return true;
        }
        let loaded = load(self.name).await;
        if let Err(thrown) = &loaded {
            web_sys::console::warn_2(&"zeview: a part was not loaded:".into(), thrown);
        }
        self.state.replace(match loaded {
            Ok(exports) => State::Loaded(exports.unchecked_into()),
            Err(_) => State::Failed,
        });
        self.is_loaded()
    }

    /// Asks it; nothing if it is not there, or fails.
    pub fn ask<T>(&self, ask: impl FnOnce(&E) -> Result<T, JsValue>) -> Option<T> {
        let answer = match &*self.state.borrow() {
            State::Loaded(exports) => ask(exports),
            _ => return None,
        };
        if answer.is_err() {
            self.fail();
        }
        answer.ok()
    }

    /// After a fault nothing in it can be relied on.
    pub fn fail(&self) {
        self.state.replace(State::Failed);
    }
}

async fn load(name: &str) -> Result<JsValue, JsValue> {
    if let Some(part) = PART.with(Option::clone) {
        let started: Promise = part
            .call1(&JsValue::UNDEFINED, &name.into())?
            .unchecked_into();
        return JsFuture::from(started).await;
    }
    let exports = JsFuture::from(import(&format!("./{name}.js"))?).await?;
    JsFuture::from(exports.unchecked_ref::<Started>().init()?).await?;
    Ok(exports)
}
