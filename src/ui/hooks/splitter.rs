//! The sizes of panes: changed with pointer and keys, remembered.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::effect::{Local, use_change, use_local};
use crate::ui::browser::keys;
use crate::ui::browser::storage;
use crate::ui::browser::style::px;

/// How far an arrow key moves, in pixels.
const STEP: i32 = 16;
/// No pane is larger by itself.
const USUAL_MAX: i32 = 340;

/// A border between two panes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Splitting {
    /// The style that holds the size, `--left`; also the key that it is remembered by.
    pub style: &'static str,
    /// The border moves up and down, not to the sides.
    pub horizontal: bool,
    /// The pane that has the size lies after the border.
    pub after: bool,
    /// The size before anybody has changed it, in percent of the window.
    pub share: i32,
    /// The smallest size in pixels.
    pub min: i32,
    /// The largest size in percent of the window.
    pub most: i32,
}

/// What is known of the border now.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DragState {
    size: Option<i32>,
    /// Where the pointer went down, and the size then.
    from: Option<(i32, i32)>,
}

/// A border and its size.
#[derive(Clone)]
pub struct Splitter {
    border: Splitting,
    local: Local<DragState>,
}

/// The borders of the page.
const BORDERS: [Splitting; 3] = [LEFT, RIGHT, BOTTOM];

/// Between the structure and what is right of it.
pub const LEFT: Splitting = Splitting {
    style: "--left",
    horizontal: false,
    after: false,
    share: 23,
    min: 180,
    most: 45,
};

/// Between the inspector and what is left of it.
pub const RIGHT: Splitting = Splitting {
    style: "--right",
    horizontal: false,
    after: true,
    share: 22,
    min: 200,
    most: 40,
};

/// Between the bytes and what is above them.
pub const BOTTOM: Splitting = Splitting {
    style: "--bottom",
    horizontal: true,
    after: true,
    share: 34,
    min: 96,
    most: 75,
};

impl Splitting {
    fn window(&self) -> i32 {
        let size = web_sys::window().and_then(|window| {
            let size = if self.horizontal {
                window.inner_height()
            } else {
                window.inner_width()
            };
            size.ok()?.as_f64()
        });
        size.map_or(1440, |size| size as i32)
    }

    fn max(&self) -> i32 {
        (self.window() * self.most / 100).max(self.min)
    }

    fn clamp(&self, size: i32) -> i32 {
        size.clamp(self.min, self.max())
    }

    fn usual(&self) -> i32 {
        self.clamp((self.window() * self.share / 100).min(USUAL_MAX))
    }

    fn key(&self) -> String {
        format!("zeview.pane{}", self.style)
    }

    /// The size of an earlier visit, or the usual one.
    fn first(&self) -> i32 {
        let remembered = storage::load(&self.key()).and_then(|size| size.parse().ok());
        remembered.unwrap_or_else(|| self.usual())
    }

    /// Which way a key moves the border: the pane that has the size becomes larger.
    fn step(&self, key: &str) -> Option<i32> {
        let step = match (key, self.horizontal) {
            ("ArrowDown", true) | ("ArrowRight", false) => STEP,
            ("ArrowUp", true) | ("ArrowLeft", false) => -STEP,
            _ => return None,
        };
        Some(if self.after { -step } else { step })
    }

    fn along(&self, event: &PointerEvent) -> i32 {
        if self.horizontal {
            event.client_y()
        } else {
            event.client_x()
        }
    }
}

impl Splitter {
    /// The size in pixels: now, at least, at most.
    pub fn range(&self) -> (i32, i32, i32) {
        if cfg!(not(target_arch = "wasm32")) {
            return (USUAL_MAX, self.border.min, USUAL_MAX * 2);
        }
        let border = &self.border;
        let size = self.local.get().size.unwrap_or_else(|| border.usual());
        (border.clamp(size), border.min, border.max())
    }

    /// Is the border being moved?
    pub fn is_moving(&self) -> bool {
        self.local.get().from.is_some()
    }

    fn resize(&self, size: i32, keep: bool) {
        let size = self.border.clamp(size);
        self.local.change(|moving| moving.size = Some(size));
        if keep {
            storage::store(&self.border.key(), Some(&size.to_string()));
        }
    }

    /// The pointer goes down, moves, and goes up.
    pub fn point(&self, event: &PointerEvent) {
        let at = self.border.along(event);
        match (event.type_().as_str(), self.local.get().from) {
            ("pointerdown", _) if event.button() == 0 => {
                if let Some(element) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) {
                    // Only a pointer that is gone already cannot be captured.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                let from = Some((at, self.range().0));
                self.local.change(|moving| moving.from = from);
            }
            ("pointermove", Some(from)) => self.resize(self.moved(from, at), false),
            ("pointerup" | "pointercancel", Some(from)) => {
                self.resize(self.moved(from, at), true);
                self.local.change(|moving| moving.from = None);
            }
            _ => {}
        }
    }

    fn moved(&self, (from, size): (i32, i32), at: i32) -> i32 {
        if self.border.after {
            size - (at - from)
        } else {
            size + (at - from)
        }
    }

    /// A key moves the border.
    pub fn key(&self, event: &KeyboardEvent) {
        let Some(key) = keys::pressed(event) else {
            return;
        };
        let size = match key.as_str() {
            "Home" => self.border.min,
            "End" => self.border.max(),
            "Enter" => self.border.usual(),
            key => match self.border.step(key) {
                Some(step) => self.range().0 + step,
                None => return,
            },
        };
        event.prevent_default();
        self.resize(size, true);
    }

    /// Back to the size that nobody has changed.
    pub fn reset(&self) {
        self.resize(self.border.usual(), true);
    }
}

/// Sets the sizes that the panes will have. With an empty page that costs nothing; later all that
/// is shown would have to be looked at again.
pub(crate) fn prepare() {
    for border in BORDERS {
        apply(border.style, border.clamp(border.first()));
    }
}

fn apply(style: &str, size: i32) {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.document_element())
        .and_then(|root| root.dyn_into::<HtmlElement>().ok());
    let Some(root) = root else { return };
    let (sizes, size) = (root.style(), px(size.into()));
    if sizes.get_property_value(style).is_ok_and(|now| now == size) {
        return;
    }
    let _ = sizes.set_property(style, &size);
}

/// A border, its size, and what changes it.
#[hook]
pub fn use_splitter(border: Splitting) -> Rc<Splitter> {
    let local = use_local::<DragState>();
    if cfg!(target_arch = "wasm32") && local.get().size.is_none() {
        local.start(DragState {
            size: Some(border.first()),
            from: None,
        });
    }
    let splitter = Splitter { border, local };
    let size = splitter.range().0;
    use_change(
        [size as u64, 0, 0, 0],
        Box::new(move || apply(border.style, size)),
    );
    Rc::new(splitter)
}
