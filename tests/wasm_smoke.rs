//! Checks that the wasm tests reach a browser.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_browser_runs_the_tests() {
    assert!(web_sys::window().is_some());
}
