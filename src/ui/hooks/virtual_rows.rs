//! A window of rows over a long list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use web_sys::{HtmlElement, WheelEvent};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::listener::Listener;
use super::style::{SizeWatch, px, set_style};
use crate::ui::scale::Scale;

/// Rows before and after those in view.
const MARGIN: u64 = 8;
/// Outside a browser nothing is in view; so many rows are made.
const ROWS_WITHOUT_VIEW: u64 = 40;
/// `deltaMode` of a wheel that counts lines.
const LINES: u32 = 1;

/// What is in the document, and how to scroll.
#[derive(Clone, PartialEq)]
pub struct VirtualRows {
    /// To be given to the element that scrolls.
    pub container: NodeRef,
    /// To be given to the element in it that is as high as all rows.
    pub spacer: NodeRef,
    /// To be given to the element in that which holds the rows.
    pub window: NodeRef,
    /// The first row of the window.
    pub start: u64,
    /// The row after its last one.
    pub end: u64,
    /// How many rows are in view.
    pub page: u64,
    inner: Handle,
}

#[derive(Clone)]
struct Handle(Rc<Inner>);

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    container: NodeRef,
    spacer: NodeRef,
    window: NodeRef,
    rows: Cell<u64>,
    row: f64,
    view: Cell<f64>,
    /// Where in the rows the viewport is, in pixels.
    logical: Cell<f64>,
    /// The position of the scroll bar that was set here and not by the user.
    own: Cell<f64>,
    shown: Cell<(u64, u64, u64)>,
    set: RefCell<Option<UseStateSetter<(u64, u64, u64)>>>,
}

impl VirtualRows {
    /// Scrolls so that a row is in view; not at all if it is.
    pub fn reveal(&self, row: u64) {
        let inner = &self.inner.0;
        if let Some(logical) = inner.scale().reveal(inner.logical.get(), row) {
            inner.scroll_to(logical);
        }
    }

    /// As [`VirtualRows::reveal`] for several rows: all of them, if they fit.
    pub fn reveal_all(&self, first: u64, last: u64) {
        if last - first < self.page {
            self.reveal(last);
        }
        self.reveal(first);
    }

    /// Scrolls by so many rows.
    pub fn scroll_by(&self, rows: f64) {
        let inner = &self.inner.0;
        inner.scroll_to(inner.logical.get() + rows * inner.row);
    }

    /// Scrolls so that a row is in the middle.
    pub fn center(&self, row: u64) {
        let inner = &self.inner.0;
        inner.scroll_to(row as f64 * inner.row - inner.view.get() / 2.0);
    }

    /// The rows in view: the first, and the one after the last.
    pub fn in_view(&self) -> (u64, u64) {
        let inner = &self.inner.0;
        inner.scale().window(inner.logical.get(), 0)
    }
}

impl Inner {
    fn scale(&self) -> Scale {
        Scale {
            rows: self.rows.get(),
            row: self.row,
            view: self.view.get(),
        }
    }

    fn scroll_to(&self, logical: f64) {
        let scale = self.scale();
        let logical = logical.clamp(0.0, scale.end());
        self.logical.set(logical);
        let physical = scale.physical(logical).round();
        self.own.set(physical);
        if let Some(element) = self.container.cast::<HtmlElement>() {
            element.set_scroll_top(physical as i32);
        }
        self.update();
    }

    fn scrolled(&self) {
        let Some(element) = self.container.cast::<HtmlElement>() else {
            return;
        };
        let physical = f64::from(element.scroll_top());
        let scale = self.scale();
        if !scale.is_scaled() {
            self.logical.set(physical);
        } else if (physical - self.own.get()).abs() > 1.5 {
            self.own.set(physical);
            self.logical.set(scale.logical(physical));
        }
        self.update();
    }

    /// One notch of the wheel would be thousands of rows where positions are mapped.
    fn wheel(&self, event: &WheelEvent) {
        if !self.scale().is_scaled() || event.ctrl_key() {
            return;
        }
        event.prevent_default();
        let step = if event.delta_mode() == LINES { self.row } else { 1.0 };
        self.scroll_to(self.logical.get() + event.delta_y() * step);
    }

    fn resized(&self, view: f64) {
        self.view.set(view);
        self.logical.set(self.logical.get().min(self.scale().end()));
        self.update();
    }

    fn layout(&self) {
        let scale = self.scale();
        set_style(&self.spacer, "height", &px(scale.height()));
        self.logical.set(self.logical.get().min(scale.end()));
        self.update();
    }

    fn update(&self) {
        let scale = self.scale();
        let logical = self.logical.get();
        let (start, end) = scale.window(logical, MARGIN);
        let offset = if scale.is_scaled() {
            self.own.get() + start as f64 * self.row - logical
        } else {
            start as f64 * self.row
        };
        set_style(&self.window, "transform", &format!("translateY({})", px(offset)));
        let page = (self.view.get() / self.row) as u64;
        let shown = (start, end, page.max(1));
        if self.shown.replace(shown) != shown
            && let Some(set) = &*self.set.borrow()
        {
            set.set(shown);
        }
    }
}

/// A window over `rows` rows that are `row` pixels high each.
#[hook]
pub fn use_virtual_rows(rows: u64, row: f64) -> VirtualRows {
    let without_view = (0, rows.min(ROWS_WITHOUT_VIEW), 1);
    let shown = use_state_eq(|| without_view);
    let (container, spacer, window) = (use_node_ref(), use_node_ref(), use_node_ref());
    let inner = use_memo((), |()| Inner {
        container: container.clone(),
        spacer: spacer.clone(),
        window: window.clone(),
        rows: Cell::new(rows),
        row,
        view: Cell::new(0.0),
        logical: Cell::new(0.0),
        own: Cell::new(0.0),
        shown: Cell::new(without_view),
        set: RefCell::new(None),
    });
    *inner.set.borrow_mut() = Some(shown.setter());
    inner.rows.set(rows);

    let here = Rc::clone(&inner);
    use_effect_with((), move |()| {
        let mut kept = (Vec::new(), None);
        if let Some(element) = here.container.cast::<HtmlElement>() {
            here.resized(element.client_height().into());
            let scrolled = Rc::clone(&here);
            kept.0.push(Listener::new(&element, "scroll", move |_| {
                scrolled.scrolled();
            }));
            let wheeled = Rc::clone(&here);
            kept.0.push(Listener::active(&element, "wheel", move |event| {
                if let Ok(event) = event.dyn_into::<WheelEvent>() {
                    wheeled.wheel(&event);
                }
            }));
            kept.1 = SizeWatch::new(&element, move |_, height| here.resized(height));
        }
        move || drop(kept)
    });
    let here = Rc::clone(&inner);
    use_effect_with(rows, move |_| here.layout());

    // The window may lie behind the end of a list that has just become shorter.
    let (start, end, page) = *shown;
    let (start, end) = (start.min(rows), end.min(rows));
    VirtualRows {
        container,
        spacer,
        window,
        start,
        end: end.max(start),
        page,
        inner: Handle(inner),
    }
}
