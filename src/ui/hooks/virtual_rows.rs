//! Virtual scrolling of long lists.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, WheelEvent};
use yew::functional::UseForceUpdateHandle;
use yew::prelude::*;

use super::effect::{fingerprint, use_change, use_kept};
use super::later::use_later;
use crate::ui::browser::listener::Listener;
use crate::ui::browser::style::{SizeWatch, px, set_style};
use crate::ui::hooks::scale::Scale;

/// Number of rows rendered before and after the visible ones, after the first rendering.
const MARGIN: u64 = 8;
/// Delay until then, in milliseconds.
const MARGIN_AFTER: i32 = 100;
/// Number of rows rendered before the viewport's height is known, which outside of a browser is
/// always.
const ROWS_WITHOUT_VIEW: u64 = if cfg!(target_arch = "wasm32") { 0 } else { 40 };
/// `deltaMode` of wheels that count lines.
const LINES: u32 = 1;

/// The rendered window, and how to scroll.
pub struct VirtualRows {
    /// For the scrolling element.
    pub container: NodeRef,
    /// For its child, which is as high as all rows.
    pub spacer: NodeRef,
    /// For the child's child, which contains the rendered rows.
    pub window: NodeRef,
    rows: Cell<u64>,
    row: f64,
    /// Height of what covers the top of the viewport: a fixed header.
    header: f64,
    view: Cell<f64>,
    width: Cell<u32>,
    /// Row position of the viewport in pixels.
    logical: Cell<f64>,
    /// The scroll bar position that was set by this code and not by the user.
    own: Cell<f64>,
    shown: Cell<(u64, u64)>,
    margin: Cell<u64>,
    /// Fingerprints of the applied columns.
    columns: Cell<(u64, u64)>,
    /// The row that was revealed last, until the user scrolls: it stays visible in a smaller
    /// viewport.
    revealed: Cell<Option<u64>>,
    /// Where to scroll once the viewport's height is known.
    pending: Cell<Option<Pending>>,
    /// Called when the user has scrolled, with the first visible row and its hidden height.
    callback: RefCell<Option<ScrollCallback>>,
    update: UseForceUpdateHandle,
}

/// Rows that scroll in sync with others, and the selected one.
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
    From(u64),
}

impl VirtualRows {
    /// The first row of the window, and the row after its last one.
    pub fn shown(&self) -> (u64, u64) {
        let (start, end) = self.shown.get();
        // The window may be beyond the end of a list that has just become shorter.
        let end = end.min(self.rows.get());
        (start.min(end), end)
    }

    /// Number of visible rows.
    pub fn page(&self) -> u64 {
        ((self.view.get() / self.row) as u64).max(1)
    }

    /// The visible rows: the first, and the one after the last.
    pub fn in_view(&self) -> (u64, u64) {
        self.scale().window(self.logical.get(), 0)
    }

    /// Viewport width in pixels, in steps of 8; 0 until it is known.
    pub fn width(&self) -> u32 {
        self.width.get()
    }

    /// Sets the number of rows.
    pub fn set_rows(&self, rows: u64) {
        self.rows.set(rows);
    }

    /// Scrolls a row into view, if necessary.
    pub fn reveal(&self, row: u64) {
        self.reveal_all(row, row);
    }

    /// Whether the user has not scrolled since a row was revealed.
    pub fn is_revealed(&self) -> bool {
        self.revealed.get().is_some()
    }

    fn reveal_one(&self, row: u64) {
        if let Some(logical) = self.scale().reveal(self.logical.get(), row) {
            self.scroll_to(logical);
        }
    }

    /// Like [`VirtualRows::reveal`] for several rows, if they all fit.
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

    /// Scrolls a row to the middle.
    pub fn center(&self, row: u64) {
        if self.view.get() <= 0.0 {
            return self.pending.set(Some(Pending::Center(row)));
        }
        self.revealed.set(Some(row));
        self.scroll_to(row as f64 * self.row - self.view.get() / 2.0);
    }

    /// Scrolls a row to the top.
    pub fn show_from(&self, row: u64) {
        if self.view.get() <= 0.0 {
            return self.pending.set(Some(Pending::From(row)));
        }
        self.revealed.set(Some(row));
        self.scroll_to(row as f64 * self.row);
    }

    /// Shows the rows from this one on in the current rendering, after which
    /// [`VirtualRows::show_from`] must scroll there.
    pub fn render_from(&self, row: u64) {
        if self.view.get() > 0.0 {
            let scale = self.scale();
            let logical = (row as f64 * self.row).clamp(0.0, scale.end());
            self.logical.set(logical);
            self.shown.set(scale.window(logical, self.margin.get()));
        }
    }

    /// Sets the columns, unless they are set already. Does nothing before the first rendering.
    pub fn apply_columns(&self, wide: &(String, u32), tight: &(String, u32)) {
        let columns = (fingerprint(&wide.0), fingerprint(&tight.0));
        if self.container.get().is_some() && self.columns.replace(columns) != columns {
            self.set_columns(wide, tight);
        }
    }

    /// Sets column widths and the minimum width of a row as custom properties: `--cols`,
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
            // The number of rows may have changed since `layout`; it would limit the position.
            set_style(&self.spacer, "height", &px(scale.height()));
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
            self.report_scroll();
        }
    }

    /// Reports a scroll by the user.
    fn report_scroll(&self) {
        let callback = self.callback.borrow().clone();
        if let Some(callback) = callback {
            callback(self.logical.get() / self.row);
        }
    }

    /// Calls `callback` with the first visible row, which may be partly hidden, whenever the user has
    /// scrolled.
    pub fn on_scroll(&self, callback: ScrollCallback) {
        *self.callback.borrow_mut() = Some(callback);
    }

    /// Scrolls so that this is the first visible row.
    pub fn scroll_to_row(&self, row: f64) {
        if self.view.get() > 0.0 {
            self.revealed.set(None);
            self.scroll_to(row * self.row);
        }
    }

    /// Where positions are mapped, one notch of the wheel would be thousands of rows.
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
        self.report_scroll();
    }

    fn resized(&self, width: f64, view: f64) {
        self.view.set((view - self.header).max(0.0));
        match self.pending.take() {
            Some(Pending::Reveal(first, last)) => self.reveal_all(first, last),
            Some(Pending::Center(row)) => self.center(row),
            Some(Pending::From(row)) => self.show_from(row),
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
        let (start, end) = scale.window(logical, self.margin.get());
        let offset = if scale.is_scaled() {
            self.own.get() + start as f64 * self.row - logical
        } else {
            start as f64 * self.row
        };
        let transform = format!("translateY({})", px(offset));
        set_style(&self.window, "transform", &transform);
        self.frame();
        if self.shown.replace((start, end)) != (start, end) {
            self.update.force_update();
        }
    }

    /// Tells what is beside the rows which of them are visible, as shares of all: `--seen-top` and
    /// `--seen-height` of their parent.
    fn frame(&self) {
        let element = self.container.cast::<Element>();
        let parent = element.and_then(|element| element.parent_element());
        let Some(parent) = parent.and_then(|parent| parent.dyn_into::<HtmlElement>().ok()) else {
            return;
        };
        let all = (self.rows.get() as f64 * self.row).max(1.0);
        for (name, part) in [
            ("--seen-top", self.logical.get()),
            ("--seen-height", self.view.get()),
        ] {
            let share = format!("{:.3}%", (part / all * 100.0).min(100.0));
            // Fails only for read-only style declarations.
            let _ = parent.style().set_property(name, &share);
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

/// A window over rows of height `row` in pixels; [`use_row_count`] sets their number.
#[hook]
pub fn use_virtual_rows(row: f64) -> Rc<VirtualRows> {
    use_rows_below(0.0, row)
}

/// Like [`use_virtual_rows`], below a fixed header of this height.
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
            margin: Cell::new(0),
            columns: Cell::new((0, 0)),
            revealed: Cell::new(None),
            pending: Cell::new(None),
            callback: RefCell::default(),
            update,
        })
    }));
    let here = Rc::clone(&rows);
    use_kept(Box::new(move || Box::new(here.watch())));
    rows
}

/// Updates the height of the list; call it after the rows were counted.
#[hook]
pub fn use_row_count(rows: &Rc<VirtualRows>, count: u64) {
    rows.set_rows(count);
    let here = Rc::clone(rows);
    use_change([count, 0, 0, 0], Box::new(move || here.layout()));
    // The visible rows appear sooner without those around them.
    let later = use_later();
    let here = Rc::clone(rows);
    let widen = move || {
        here.margin.set(MARGIN);
        here.refresh();
    };
    let widen_later = move || {
        if count > 0 {
            later.after(MARGIN_AFTER, Box::new(widen));
        }
    };
    use_change([u64::from(count > 0), 0, 0, 0], Box::new(widen_later));
}
