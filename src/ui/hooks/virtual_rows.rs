//! A window of rows over a long list.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::functional::UseForceUpdateHandle;
use yew::prelude::*;

use super::effect::{use_change, use_kept};
use crate::ui::browser::listener::Listener;
use crate::ui::browser::style::{SizeWatch, px, set_style};
use crate::ui::hooks::scale::Scale;

/// Rows before and after those in view.
const MARGIN: u64 = 8;
/// So many rows are made before it is known how many are in view: in a browser it is, as soon as
/// the element is there; outside nobody ever says it.
const ROWS_WITHOUT_VIEW: u64 = if cfg!(target_arch = "wasm32") { 0 } else { 40 };
/// `deltaMode` of a wheel that counts lines.
const LINES: u32 = 1;

/// What is in the document, and how to scroll.
pub struct VirtualRows {
    /// To be given to the element that scrolls.
    pub container: NodeRef,
    /// To be given to the element in it that is as high as all rows.
    pub spacer: NodeRef,
    /// To be given to the element in that which holds the rows.
    pub window: NodeRef,
    rows: Cell<u64>,
    row: f64,
    /// What covers the top of the viewport: a header that does not scroll.
    header: f64,
    view: Cell<f64>,
    width: Cell<u32>,
    /// Where in the rows the viewport is, in pixels.
    logical: Cell<f64>,
    /// The position of the scroll bar that was set here and not by the user.
    own: Cell<f64>,
    shown: Cell<(u64, u64)>,
    /// The row that was brought into view last, until the user scrolls: it stays in view where
    /// less can be seen.
    revealed: Cell<Option<u64>>,
    /// Where to scroll as soon as it is known how many rows are in view.
    pending: Cell<Option<Pending>>,
    /// Told the first row in view, and how much of it is above, when the user has scrolled.
    heard: RefCell<Option<ScrollCallback>>,
    update: UseForceUpdateHandle,
}

/// Rows that scroll in step with others, and which of them is selected.
#[derive(Default)]
pub(crate) struct ScrolledSide {
    pub(crate) rows: Weak<VirtualRows>,
    pub(crate) selected: u64,
}

type ScrollCallback = Rc<dyn Fn(f64)>;

#[derive(Clone, Copy)]
enum Pending {
    Reveal(u64, u64),
    Center(u64),
}

impl VirtualRows {
    /// The first row of the window, and the row after its last one.
    pub fn shown(&self) -> (u64, u64) {
        let (start, end) = self.shown.get();
        // The window may lie behind the end of a list that has just become shorter.
        let end = end.min(self.rows.get());
        (start.min(end), end)
    }

    /// How many rows are in view.
    pub fn page(&self) -> u64 {
        ((self.view.get() / self.row) as u64).max(1)
    }

    /// The rows in view: the first, and the one after the last.
    pub fn in_view(&self) -> (u64, u64) {
        self.scale().window(self.logical.get(), 0)
    }

    /// The width of the viewport in pixels, in steps of 8; 0 before it is known.
    pub fn width(&self) -> u32 {
        self.width.get()
    }

    /// Says how many rows there are from now on.
    pub fn set_rows(&self, rows: u64) {
        self.rows.set(rows);
    }

    /// Scrolls so that a row is in view; not at all if it is.
    pub fn reveal(&self, row: u64) {
        self.reveal_all(row, row);
    }

    fn reveal_one(&self, row: u64) {
        if let Some(logical) = self.scale().reveal(self.logical.get(), row) {
            self.scroll_to(logical);
        }
    }

    /// As [`VirtualRows::reveal`] for several rows: all of them, if they fit.
    pub fn reveal_all(&self, first: u64, last: u64) {
        if self.view.get() <= 0.0 {
            return self.pending.set(Some(Pending::Reveal(first, last)));
        }
        self.revealed.set(Some(first));
        if last != first && last.saturating_sub(first) < self.page() {
            self.reveal_one(last);
        }
        self.reveal_one(first);
    }

    /// Scrolls so that a row is in the middle.
    pub fn center(&self, row: u64) {
        if self.view.get() <= 0.0 {
            return self.pending.set(Some(Pending::Center(row)));
        }
        self.revealed.set(Some(row));
        self.scroll_to(row as f64 * self.row - self.view.get() / 2.0);
    }

    /// Sets the widths of columns, and the least width of a row, for the styles: `--cols`,
    /// `--cols-width`, and for narrow panels `--cols-tight`, `--cols-tight-width`.
    pub fn set_columns(&self, wide: &(String, u32), tight: &(String, u32)) {
        for (name, width_name, (template, width)) in [
            ("--cols", "--cols-width", wide),
            ("--cols-tight", "--cols-tight-width", tight),
        ] {
            set_style(&self.container, name, template);
            set_style(&self.container, width_name, &px(f64::from(*width)));
        }
    }

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
        if let Some(element) = self.container.cast::<Element>() {
            element.set_scroll_top(physical as i32);
        }
        self.refresh();
    }

    fn scrolled(&self) {
        let Some(element) = self.container.cast::<Element>() else {
            return;
        };
        let physical = f64::from(element.scroll_top());
        let scale = self.scale();
        let is_users = (physical - self.own.get()).abs() > 1.5;
        if is_users {
            self.revealed.set(None);
        }
        if !scale.is_scaled() {
            self.logical.set(physical);
        } else if is_users {
            self.own.set(physical);
            self.logical.set(scale.logical(physical));
        }
        self.refresh();
        if is_users {
            self.tell();
        }
    }

    /// Says where the user has scrolled to.
    fn tell(&self) {
        let heard = self.heard.borrow().clone();
        if let Some(heard) = heard {
            heard(self.logical.get() / self.row);
        }
    }

    /// Calls `heard` with the first row in view whenever the user has scrolled; a part of a row may
    /// be above.
    pub fn on_scroll(&self, heard: ScrollCallback) {
        *self.heard.borrow_mut() = Some(heard);
    }

    /// Scrolls so that this is the first row in view.
    pub fn scroll_to_row(&self, row: f64) {
        if self.view.get() > 0.0 {
            self.revealed.set(None);
            self.scroll_to(row * self.row);
        }
    }

    /// One notch of the wheel would be thousands of rows where positions are mapped.
    fn wheel(&self, event: &WheelEvent) {
        if !self.scale().is_scaled() || event.ctrl_key() {
            return;
        }
        event.prevent_default();
        let step = if event.delta_mode() == LINES {
            self.row
        } else {
            1.0
        };
        self.revealed.set(None);
        self.scroll_to(self.logical.get() + event.delta_y() * step);
        self.tell();
    }

    fn resized(&self, width: f64, view: f64) {
        self.view.set((view - self.header).max(0.0));
        match self.pending.take() {
            Some(Pending::Reveal(first, last)) => self.reveal_all(first, last),
            Some(Pending::Center(row)) => self.center(row),
            None => self
                .revealed
                .get()
                .into_iter()
                .for_each(|row| self.reveal_one(row)),
        }
        self.logical.set(self.logical.get().min(self.scale().end()));
        let steps = width as u32 / 8 * 8;
        if self.width.replace(steps) != steps {
            self.update.force_update();
        }
        self.refresh();
    }

    fn layout(&self) {
        let scale = self.scale();
        set_style(&self.spacer, "height", &px(scale.height()));
        self.logical.set(self.logical.get().min(scale.end()));
        self.refresh();
    }

    fn refresh(&self) {
        if self.view.get() <= 0.0 {
            return;
        }
        let scale = self.scale();
        let logical = self.logical.get();
        let (start, end) = scale.window(logical, MARGIN);
        let offset = if scale.is_scaled() {
            self.own.get() + start as f64 * self.row - logical
        } else {
            start as f64 * self.row
        };
        let transform = format!("translateY({})", px(offset));
        set_style(&self.window, "transform", &transform);
        if self.shown.replace((start, end)) != (start, end) {
            self.update.force_update();
        }
    }

    fn watch(self: &Rc<Self>) -> Option<(Listener, Listener, SizeWatch)> {
        let element = self.container.cast::<Element>()?;
        let here = Rc::clone(self);
        let scroll = Listener::new(&element, "scroll", move |_| here.scrolled());
        let here = Rc::clone(self);
        let wheel = Listener::active(&element, "wheel", move |event| {
            if let Ok(event) = event.dyn_into::<WheelEvent>() {
                here.wheel(&event);
            }
        });
        let here = Rc::clone(self);
        let size = SizeWatch::new(&element, move |width, height| here.resized(width, height))?;
        Some((scroll, wheel, size))
    }
}

/// A window over rows that are `row` pixels high each; [`use_row_count`] says how many there
/// are.
#[hook]
pub fn use_virtual_rows(row: f64) -> Rc<VirtualRows> {
    use_rows_below(0.0, row)
}

/// As [`use_virtual_rows`], below a header of this height that stays in view.
#[hook]
pub fn use_rows_below(header: f64, row: f64) -> Rc<VirtualRows> {
    let update = use_force_update();
    let kept = use_mut_ref(|| None::<Rc<VirtualRows>>);
    let rows = Rc::clone(kept.borrow_mut().get_or_insert_with(|| {
        Rc::new(VirtualRows {
            container: NodeRef::default(),
            spacer: NodeRef::default(),
            window: NodeRef::default(),
            rows: Cell::new(0),
            row,
            header,
            view: Cell::new(0.0),
            width: Cell::new(0),
            logical: Cell::new(0.0),
            own: Cell::new(0.0),
            shown: Cell::new((0, ROWS_WITHOUT_VIEW)),
            revealed: Cell::new(None),
            pending: Cell::new(None),
            heard: RefCell::default(),
            update,
        })
    }));
    let here = Rc::clone(&rows);
    use_kept(Box::new(move || Box::new(here.watch())));
    rows
}

/// Makes the list as high as its rows are now: to be called after they were counted.
#[hook]
pub fn use_row_count(rows: &Rc<VirtualRows>, count: u64) {
    rows.set_rows(count);
    let here = Rc::clone(rows);
    use_change([count, 0, 0, 0], Box::new(move || here.layout()));
}
