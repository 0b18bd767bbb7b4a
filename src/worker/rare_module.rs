//! What few files need ([`rare`]), as a module of its own: `rare.js`
//! beside this one, loaded when the first file needs it.
//!
//! A fault in it, or no way to load it, costs names and second readings, and nothing else.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::decode::rare::{self, Item, Rare};

#[wasm_bindgen]
extern "C" {
    /// Relative to this module, wherever that has been loaded from.
    #[wasm_bindgen(catch, js_name = import)]
    fn import(specifier: &str) -> Result<Promise, JsValue>;

    /// The folder of this module, if it was not loaded from there (`www/decoder.js`).
    #[wasm_bindgen(thread_local_v2, js_name = zeviewBase)]
    static BASE: Option<String>;

    /// What `src/bin/rare.rs` exports.
    type Exports;

    #[wasm_bindgen(method, catch, js_name = default)]
    fn init(this: &Exports) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn demangled(this: &Exports, name: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn yaml(this: &Exports, text: &[u8]) -> Result<Vec<u8>, JsValue>;
}

/// The module, loaded or not.
pub struct RareModule {
    needed: Cell<bool>,
    state: RefCell<State>,
}

enum State {
    NotAsked,
    Loaded(Exports),
    Failed,
}

thread_local! {
    static SHARED: Rc<RareModule> = Rc::new(RareModule {
        needed: Cell::new(false),
        state: RefCell::new(State::NotAsked),
    });
}

impl RareModule {
    /// The one of this thread.
    pub fn shared() -> Rc<RareModule> {
        SHARED.with(Rc::clone)
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

    /// Does a file that has been checked since [`begin`](RareModule::begin) wait for this?
    pub fn is_awaited(&self) -> bool {
        self.needed.get() && matches!(*self.state.borrow(), State::NotAsked)
    }

    /// Can it be asked?
    pub fn is_loaded(&self) -> bool {
        matches!(*self.state.borrow(), State::Loaded(_))
    }

    /// Loads the module, if that has not been done; `false` if it cannot be done.
    pub async fn load(&self) -> bool {
        if self.is_loaded() {
            return true;
        }
        let loaded = load().await;
        if let Err(thrown) = &loaded {
            web_sys::console::warn_2(&"zeview: a part was not loaded:".into(), thrown);
        }
        self.state
            .replace(loaded.map_or(State::Failed, State::Loaded));
        self.is_loaded()
    }

    fn ask<T>(&self, ask: impl FnOnce(&Exports) -> Result<T, JsValue>) -> Option<T> {
        let answer = match &*self.state.borrow() {
            State::Loaded(exports) => ask(exports),
            _ => return None,
        };
        if answer.is_err() {
            // After a fault nothing in it can be relied on.
            self.state.replace(State::Failed);
        }
        answer.ok()
    }
}

async fn load() -> Result<Exports, JsValue> {
    let base = BASE.with(Option::clone);
    let address = format!("{}rare.js", base.as_deref().unwrap_or("./"));
    let exports: Exports = JsFuture::from(import(&address)?).await?.unchecked_into();
    JsFuture::from(exports.init()?).await?;
    Ok(exports)
}

impl Rare for RareModule {
    fn needed(&self) -> bool {
        self.needed.set(true);
        !matches!(*self.state.borrow(), State::Failed)
    }

    fn demangled(&self, name: &str) -> Option<String> {
        self.ask(|exports| exports.demangled(name)).flatten()
    }

    fn yaml(&self, text: &[u8]) -> Option<Vec<Item>> {
        rare::unpack(&self.ask(|exports| exports.yaml(text))?)
    }
}
