//! A one-shot timer that is canceled on drop.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A one-shot timer.
pub struct Timer {
    handle: i32,
    _ring: Closure<dyn FnMut()>,
}

impl Timer {
    /// Calls `ring` after this many milliseconds.
    pub fn start(millis: i32, ring: impl FnOnce() + 'static) -> Timer {
        let ring = Closure::once(ring);
        let handle = web_sys::window()
            .and_then(|window| {
                window
                    .set_timeout_with_callback_and_timeout_and_arguments_0(
                        ring.as_ref().unchecked_ref(),
                        millis,
                    )
                    .ok()
            })
            // No timer has this handle.
            .unwrap_or(0);
        Timer {
            handle,
            _ring: ring,
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_timeout_with_handle(self.handle);
        }
    }
}
