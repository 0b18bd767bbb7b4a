//! Pane sizes: changed by pointer and keyboard, and stored.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::effect::{Local, use_change, use_local};
use crate::ui::browser::keys;
use crate::ui::browser::storage;
use crate::ui::browser::style::px;

/// Step of an arrow key in pixels.
const STEP: i32 = 16;
/// Maximum default size of a pane in pixels.
const USUAL_MAX: i32 = 340;

/// A splitter between two panes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Splitting {
    /// Custom property with the size, `--left`; also its storage key.
    pub style: &'static str,
    /// The splitter is horizontal: it moves up and down.
    pub horizontal: bool,
    /// The sized pane is the one after the splitter.
    pub after: bool,
    /// Default size in percent of the window.
    pub share: i32,
    /// Minimum size in pixels.
    pub min: i32,
    /// Maximum size in percent of the window.
    pub most: i32,
}

/// State of a splitter.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DragState {
    size: Option<i32>,
    /// Pointer position and size at the start of a drag.
    from: Option<(i32, i32)>,
}

/// A splitter and its size.
#[derive(Clone)]
pub struct Splitter {
    border: Splitting,
    local: Local<DragState>,
}

/// All splitters of the page.
const BORDERS: [Splitting; 3] = [LEFT, RIGHT, BOTTOM];

/// Between the structure and the panes to its right.
pub const LEFT: Splitting = Splitting {
    style: "--left",
    horizontal: false,
    after: false,
    share: 23,
    min: 180,
    most: 45,
};

/// Between the inspector and the panes to its left.
pub const RIGHT: Splitting = Splitting {
    style: "--right",
    horizontal: false,
    after: true,
    share: 22,
    min: 200,
    most: 40,
};

/// Between the bytes and the panes above.
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

    /// The stored size, or the default.
    fn first(&self) -> i32 {
        let remembered = storage::load(&self.key()).and_then(|size| size.parse().ok());
        remembered.unwrap_or_else(|| self.usual())
    }

    /// Direction of a key: whether it enlarges the sized pane.
    fn step(&self, key: &str) -> Option<i32> {
        let step = match (key, self.horizontal) {
            ("ArrowDown", true) | ("ArrowRight", false) => STEP,
            ("ArrowUp", true) | ("ArrowLeft", false) => -STEP,
            _ => return None,
        };
        Some(if self.after { -step } else { step })
    }

    fn position_along(&self, event: &PointerEvent) -> i32 {
        if self.horizontal {
            event.client_y()
        } else {
            event.client_x()
        }
    }
}

impl Splitter {
    /// Current, minimum and maximum size in pixels.
    pub fn range(&self) -> (i32, i32, i32) {
        if cfg!(not(target_arch = "wasm32")) {
            return (USUAL_MAX, self.border.min, USUAL_MAX * 2);
        }
        let border = &self.border;
        let size = self.local.get().size.unwrap_or_else(|| border.usual());
        (border.clamp(size), border.min, border.max())
    }

    /// Whether the splitter is being dragged.
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

    /// Handles pointer events of a drag.
    pub fn point(&self, event: &PointerEvent) {
        let at = self.border.position_along(event);
        match (event.type_().as_str(), self.local.get().from) {
            ("pointerdown", _) if event.button() == 0 => {
                if let Some(element) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) {
                    // Capturing fails only if the pointer is gone already.
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

    /// Handles a key that moves the splitter.
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

    /// Resets the size to the default.
    pub fn reset(&self) {
        self.resize(self.border.usual(), true);
    }
}

/// Sets the initial pane sizes while the page is still empty, where this causes no layout of the
/// content.
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

/// A splitter, its size, and its event handlers.
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
