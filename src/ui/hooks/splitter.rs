//! The sizes of panes: changed with pointer and keys, remembered.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::style::px;
use super::{keys, storage};

/// How far an arrow key moves, in pixels.
const STEP: f64 = 16.0;

/// A border between two panes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Splitting {
    /// The style that holds the size, `--left`; also the key that it is remembered by.
    pub style: &'static str,
    /// The borders move up and down, not to the sides.
    pub horizontal: bool,
    /// The pane that has the size lies after the border.
    pub after: bool,
    /// The size before anybody has changed it: a share of the window, and bounds for that.
    pub share: f64,
    /// The smallest size.
    pub min: f64,
    /// The largest size, as a share of the window.
    pub most: f64,
}

/// What the border's element needs.
#[derive(Clone, PartialEq)]
pub struct Splitter {
    /// The size in pixels.
    pub size: i32,
    /// The largest size in pixels.
    pub max: i32,
    /// The border is being moved.
    pub moving: bool,
    /// For the element.
    pub onpointerdown: Callback<PointerEvent>,
    /// For the element.
    pub onpointermove: Callback<PointerEvent>,
    /// For the element; also when the pointer is taken away.
    pub onpointerup: Callback<PointerEvent>,
    /// For the element.
    pub onkeydown: Callback<KeyboardEvent>,
    /// Back to the size that nobody has changed.
    pub ondblclick: Callback<MouseEvent>,
}

impl Splitting {
    fn window(&self) -> f64 {
        if cfg!(not(target_arch = "wasm32")) {
            return 1440.0;
        }
        let size = web_sys::window().and_then(|window| {
            let size = if self.horizontal { window.inner_height() } else { window.inner_width() };
            size.ok()?.as_f64()
        });
        size.unwrap_or(1440.0)
    }

    fn max(&self) -> f64 {
        (self.window() * self.most).max(self.min)
    }

    fn clamp(&self, size: f64) -> f64 {
        size.clamp(self.min, self.max()).round()
    }

    fn usual(&self) -> f64 {
        self.clamp((self.window() * self.share).min(340.0))
    }

    fn key(&self) -> String {
        format!("zeview.pane{}", self.style)
    }

    fn remembered(&self) -> Option<f64> {
        if cfg!(not(target_arch = "wasm32")) {
            return None;
        }
        let size: i32 = storage::load(&self.key())?.parse().ok()?;
        Some(self.clamp(f64::from(size)))
    }

    /// Which way a key moves the border: the pane that has the size becomes larger.
    fn step(&self, key: &str) -> Option<f64> {
        let (less, more) = if self.horizontal {
            ("ArrowUp", "ArrowDown")
        } else {
            ("ArrowLeft", "ArrowRight")
        };
        let step = if key == more {
            STEP
        } else if key == less {
            -STEP
        } else {
            return None;
        };
        Some(if self.after { -step } else { step })
    }
}

fn apply(style: &str, size: f64) {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.document_element())
        .and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        let _ = root.style().set_property(style, &px(size));
    }
}

/// The size of a pane and what changes it.
#[hook]
pub fn use_splitter(border: Splitting) -> Splitter {
    let size = use_state_eq(|| border.remembered().unwrap_or_else(|| border.usual()));
    // Where the pointer went down, and the size then.
    let start = use_state_eq(|| None::<(f64, f64)>);
    use_effect_with(*size, move |size| apply(border.style, *size));

    let set = size.setter();
    let change = Callback::from(move |(wanted, keep): (f64, bool)| {
        let clamped = border.clamp(wanted);
        set.set(clamped);
        if keep {
            storage::store(&border.key(), Some(&(clamped as i32).to_string()));
        }
    });
    let along = move |event: &PointerEvent| {
        f64::from(if border.horizontal { event.client_y() } else { event.client_x() })
    };
    let (set_start, now) = (start.setter(), *size);
    let onpointerdown = Callback::from(move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        if let Some(element) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) {
            // Only a pointer that is gone already cannot be captured.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        set_start.set(Some((along(&event), now)));
    });
    let moved = {
        let start = *start;
        move |event: &PointerEvent| {
            let (from, size) = start?;
            let by = along(event) - from;
            Some(if border.after { size - by } else { size + by })
        }
    };
    let (on_move, on_up, moved_up) = (change.clone(), change.clone(), moved);
    let set_start = start.setter();
    let (at_key, at_reset) = (change.clone(), change);
    Splitter {
        size: now as i32,
        max: border.max() as i32,
        moving: start.is_some(),
        onpointerdown,
        onpointermove: Callback::from(move |event: PointerEvent| {
            if let Some(size) = moved(&event) {
                on_move.emit((size, false));
            }
        }),
        onpointerup: Callback::from(move |event: PointerEvent| {
            if let Some(size) = moved_up(&event) {
                on_up.emit((size, true));
            }
            set_start.set(None);
        }),
        onkeydown: Callback::from(move |event: KeyboardEvent| {
            let Some(key) = keys::pressed(&event) else { return };
            let wanted = match key.as_str() {
                "Home" => border.min,
                "End" => border.max(),
                "Enter" => border.usual(),
                key => match border.step(key) {
                    Some(step) => now + step,
                    None => return,
                },
            };
            event.prevent_default();
            at_key.emit((wanted, true));
        }),
        ondblclick: Callback::from(move |_| at_reset.emit((border.usual(), true))),
    }
}
