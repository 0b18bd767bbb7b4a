//! A table of any length: sortable header, virtual rows, keyboard navigation.
//!
//! The owner implements [`GridData`] to provide the content; [`GridData::need`] requests missing
//! rows. The grid is one tab stop, and `aria-activedescendant` refers to the current cell.

mod cursor;
mod keys;
mod source;
use self::cursor::{Cursor, Drag};
use self::keys::{CellPos, Extent, step};
pub use self::source::{GridColumn, GridData, GridSource};
use crate::ui::browser::dom::{
    capture_pointer, focus, has_selected_text, number_at, number_near, on_control,
    scroll_into_view, width_of,
};
use crate::ui::hooks::{
    Local, VirtualRows, fingerprint, use_change, use_local, use_row_count, use_rows_below,
};
use std::rc::Rc;
use yew::prelude::*;

/// Row height in pixels; equals `--grid-row` in the styles.
const ROW: f64 = 21.0;

/// Header height in pixels; equals `--grid-head` in the styles.
const HEAD: f64 = 32.0;

/// Height of a line of text in pixels; equals `--text-row` in the styles.
const LINE: f64 = 18.0;

/// Height of an instruction, and of the header above them, in pixels; equal `--code-row` and
/// `--code-head` in the styles.
const CODE: f64 = 16.0;

const CODE_HEAD: f64 = 18.0;

/// Width of a digit, and horizontal padding of a cell, in pixels.
pub(super) const CHARACTER: f64 = 7.3;

pub(super) const AROUND: u32 = 17;

/// Minimum and maximum width of a column in pixels, and the step of a key.
pub(super) const NARROW: u32 = 40;

pub(super) const WIDE: u32 = 2000;

const STEP: u32 = 16;

/// Number of rows above the one that the grid opens at.
const CONTEXT: u64 = 3;

/// Distance in pixels after which a press on a header drags it instead of sorting.
const STILL: i32 = 5;

/// Properties of a grid.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Element id of the grid; prefix of the ids of its rows and cells.
    pub id: &'static str,
    /// The content.
    pub source: GridSource,
}

struct Grid {
    id: &'static str,
    data: Rc<dyn GridData>,
    rows: Rc<VirtualRows>,
    cursor: Local<Cursor>,
    columns: Vec<GridColumn>,
    /// Their widths in pixels, as far as they are known.
    widths: Vec<u32>,
}

impl Grid {
    /// The current cell, clamped to the grid's size.
    fn place(&self) -> CellPos {
        let cursor = self.cursor.get();
        let row = if cursor.moved {
            cursor.place.row
        } else {
            self.data.selected()
        };
        CellPos {
            row: row.filter(|row| *row < self.data.rows()),
            column: cursor
                .place
                .column
                .min(self.columns.len().saturating_sub(1)),
        }
    }

    /// First and last row of the range selected with Shift.
    fn range(&self) -> Option<(u64, u64)> {
        let (anchor, row) = (self.cursor.get().anchor?, self.place().row?);
        Some((anchor.min(row), anchor.max(row)))
    }

    fn extent(&self) -> Extent {
        Extent {
            rows: self.data.rows(),
            columns: self.columns.len(),
            page: self.rows.page(),
        }
    }

    /// `extend`: selects the rows in between, too.
    fn go(&self, to: CellPos, extend: bool) {
        self.go_to(to, extend, None, true);
    }

    /// `shows`: scrolls the cell into view; a clicked cell is visible already.
    fn go_to(&self, to: CellPos, extend: bool, part: Option<u64>, shows: bool) {
        if to.row.is_none() && self.data.is_text() {
            return;
        }
        let before = self.cursor.get().anchor.or(self.place().row);
        let extends = extend && to.row.is_some() && !self.data.is_text();
        let sideways = shows && self.place().column != to.column && !self.data.is_text();
        self.cursor.change(|cursor| {
            *cursor = Cursor {
                place: to,
                moved: true,
                anchor: before.filter(|_| extends),
                chosen: to.row.or(cursor.chosen),
                drag: None,
            };
        });
        match to.row {
            Some(row) => {
                self.rows.reveal(row);
                if sideways {
                    scroll_into_view(&self.cell_id(row, to.column));
                }
                self.data.choose(row, to.column, part);
            }
            None if sideways => scroll_into_view(&self.head_id(to.column)),
            None => {}
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        if event.alt_key() || event.is_composing() || on_control(event) {
            return;
        }
        let ctrl = event.ctrl_key() || event.meta_key();
        let (key, at) = (event.key(), self.place());
        match (key.as_str(), ctrl, at.row) {
            ("Enter" | " ", false, None) => self.data.sort_by(at.column),
            ("Enter", false, Some(row)) => self.data.open(row),
            ("ArrowLeft" | "ArrowRight", _, None) if ctrl != event.shift_key() => {
                let right = key == "ArrowRight";
                let now = width_of(&self.head_id(at.column));
                match (ctrl, right) {
                    (false, true) => self.data.resize(at.column, Some(now + STEP)),
                    (false, false) => {
                        let width = now.saturating_sub(STEP).max(NARROW);
                        self.data.resize(at.column, Some(width));
                    }
                    (true, true) => self.carry(at.column, at.column + 1),
                    (true, false) => self.carry(at.column, at.column.saturating_sub(1)),
                }
            }
            ("c", true, Some(row)) if !has_selected_text() => {
                if !self.data.copy(row, at.column, self.range()) {
                    return;
                }
            }
            ("Escape", false, _)
                if matches!(self.cursor.get().drag, Some(Drag::Carried { .. })) =>
            {
                self.set_drag(Some(Drag::Dropped));
                // Escape only cancels the drag.
                event.stop_propagation();
            }
            (" ", false, Some(_)) if event.shift_key() => self.go(at, true),
            _ => match step(&key, ctrl, at, self.extent()) {
                Some(to) => self.go(to, event.shift_key() && to.column == at.column),
                None => return,
            },
        }
        event.prevent_default();
    }

    /// Moves a column to another position; the cursor moves with it.
    fn carry(&self, column: usize, to: usize) {
        if column > 0 && column != to && (1..self.columns.len()).contains(&to) {
            self.data.move_to(column, to);
            self.cursor.change(|cursor| cursor.place.column = to);
        }
    }

    fn go_to_head(&self, column: usize) {
        self.cursor.change(|cursor| {
            *cursor = Cursor {
                place: CellPos { row: None, column },
                moved: true,
                chosen: cursor.chosen,
                ..Cursor::default()
            };
        });
    }

    fn set_drag(&self, drag: Option<Drag>) {
        self.cursor.change(|cursor| cursor.drag = drag);
    }

    /// Drags a column border (only the styles follow until it is released) or a header.
    fn drag(&self, event: &PointerEvent) {
        let x = event.client_x();
        // The button was released outside of the window.
        let moves = event.type_() == "pointermove" && event.buttons() > 0;
        match self.cursor.get().drag {
            _ if event.type_() == "pointerdown" => self.press(event),
            Some(Drag::Width { column, left }) => {
                let width = u32::try_from(x - left).unwrap_or(0).clamp(NARROW, WIDE);
                if moves {
                    let drag = Some((column, width));
                    let [wide, tight] = [GridColumn::pixels, GridColumn::tight_pixels]
                        .map(|pixels| self.template(drag, pixels));
                    return self.rows.set_columns(&wide, &tight);
                }
                self.set_drag(None);
                self.data.resize(column, Some(width));
            }
            Some(Drag::Pressed { column, at }) if moves && (x - at).abs() > STILL => {
                // Escape is pressed here.
                focus(&self.rows.container);
                capture_pointer(event);
                self.go_to_head(column);
                self.set_drag(Some(Drag::Carried { column, to: column }));
            }
            Some(Drag::Pressed { .. }) if !moves => self.set_drag(None),
            Some(Drag::Carried { column, to }) if moves => {
                if let Some(over) = self.column_at(event).filter(|over| *over != to) {
                    self.set_drag(Some(Drag::Carried { column, to: over }));
                    scroll_into_view(&self.head_id(over));
                }
            }
            Some(Drag::Carried { column, to }) => {
                self.set_drag(Some(Drag::Dropped));
                if event.type_() != "pointercancel" {
                    self.carry(column, to);
                }
            }
            _ => {}
        }
    }

    fn press(&self, event: &PointerEvent) {
        if event.shift_key() && !self.data.is_text() {
            // A drag selects rows, not text.
            event.prevent_default();
        }
        let x = event.client_x();
        let drag = if let Some(column) = number_near(event, "data-grip") {
            event.prevent_default();
            capture_pointer(event);
            let column = column as usize;
            let left = x - width_of(&self.head_id(column)) as i32;
            Some(Drag::Width { column, left })
        } else {
            // Touch scrolls instead. The first column cannot be moved.
            let is_mouse = event.pointer_type() == "mouse" && event.button() == 0;
            let column = number_near(event, "data-head").filter(|column| is_mouse && *column > 0);
            column.map(|column| Drag::Pressed {
                column: column as usize,
                at: x,
            })
        };
        if self.cursor.get().drag != drag {
            self.set_drag(drag);
        }
    }

    /// The column under the pointer; never the first, which stays in place.
    fn column_at(&self, event: &PointerEvent) -> Option<usize> {
        let (column, element) = number_at(event, "data-column")?;
        let is_here = element.id().starts_with(&format!("{}-", self.id));
        is_here.then(|| (column as usize).max(1))
    }

    fn click(&self, event: &MouseEvent) {
        if self.cursor.get().drag == Some(Drag::Dropped) {
            return self.set_drag(None);
        }
        if let Some(column) = number_near(event, "data-grip") {
            if event.detail() == 2 {
                self.data.resize(column as usize, None);
            }
            return;
        }
        if on_control(event) || (self.data.is_text() && has_selected_text()) {
            return;
        }
        let column = number_near(event, "data-column").unwrap_or(0) as usize;
        let row = number_near(event, "data-row");
        // Cells that have not arrived can be clicked too.
        if let Some(row) = row.or_else(|| number_near(event, "data-waits")) {
            focus(&self.rows.container);
            // A click selects the row; a second click, or one with Alt, selects a part of it.
            let part = number_near(event, "data-part")
                .filter(|_| event.alt_key() || self.data.is_selected(row));
            if event.detail() == 2 && part.is_none() {
                // The rows may have moved since the first click.
                self.data.open(self.place().row.unwrap_or(row));
            } else {
                let row = Some(row);
                self.go_to(CellPos { row, column }, event.shift_key(), part, false);
            }
        } else if number_near(event, "data-column").is_some() {
            focus(&self.rows.container);
            self.go_to_head(column);
            self.data.sort_by(column);
        }
    }

    fn head_id(&self, column: usize) -> String {
        format!("{}-head-{column}", self.id)
    }

    fn cell_id(&self, row: u64, column: usize) -> String {
        format!("{}-{row}-{column}", self.id)
    }

    /// Element id of the current cell, if it is in the document.
    fn active(&self) -> Option<String> {
        let (start, end) = self.rows.shown();
        let at = self.place();
        match at.row {
            Some(row) => {
                let here =
                    (start..end).contains(&row) && self.data.cells(row, &self.widths).is_some();
                here.then(|| self.cell_id(row, at.column))
            }
            None => (!self.data.is_text()).then(|| self.head_id(at.column)),
        }
    }

    /// Number of header rows.
    fn head_rows(&self) -> u64 {
        u64::from(!self.data.is_text())
    }

    fn head(&self) -> Html {
        let sort = self.data.sort();
        let at = self.place();
        html! {
            <div class="grid-head" role="row" aria-rowindex="1">
                { for self.columns.iter().enumerate().map(|(i, column)| {
                    let order = sort.filter(|(by, _)| *by == i).map(|(_, descending)| descending);
                    let spoken = match order {
                        _ if !column.sorts => None,
                        Some(true) => Some("descending"),
                        Some(false) => Some("ascending"),
                        None => Some("none"),
                    };
                    let arrow = match order {
                        Some(true) => "▼",
                        Some(false) => "▲",
                        None => "",
                    };
                    let keys = at.row.is_none() && at.column == i;
                    let drop = match self.cursor.get().drag {
                        Some(Drag::Carried { column, .. }) if column == i => Some("from"),
                        Some(Drag::Carried { column, to }) if to == i => Some(if to < column { "before" } else { "after" }),
                        _ => None,
                    };
                    html! {
                        <div id={self.head_id(i)} class={class(column, keys)} role="columnheader" aria-colindex={(i + 1).to_string()}
                             aria-sort={spoken} title={column.doc.clone()} data-column={i.to_string()} data-head={i.to_string()} data-drop={drop}>
                            <span class="title">{ &column.title }<span class="arrow" aria-hidden="true">{ arrow }</span></span>
                            if !column.unit.is_empty() { <span class="unit">{ &column.unit }</span> }
                            // The keyboard does the same.
                            <span class="grip" data-grip={i.to_string()} aria-hidden="true" />
                        </div>
                    }
                }) }
            </div>
        }
    }

    fn row(&self, row: u64) -> Html {
        let range = self.range();
        let in_range = range.is_some_and(|(first, last)| (first..=last).contains(&row));
        let selected = in_range || self.data.is_selected(row);
        let number = row.to_string();
        let index = (row + 1 + self.head_rows()).to_string();
        let Some(cells) = self.data.cells(row, &self.widths) else {
            return html! {
                <div key={row} class="grid-row waits" role="row" aria-rowindex={index} data-waits={number}>
                    <div role="gridcell">{ "…" }</div>
                </div>
            };
        };
        let at = self.place();
        html! {
            <div key={row} class={classes!("grid-row", selected.then_some("sel"), self.data.row_class(row))} role="row"
                 aria-rowindex={index} aria-selected={selected.to_string()} data-row={number}>
                { for cells.into_iter().zip(&self.columns).enumerate().map(|(i, (cell, column))| html! {
                    <div id={self.cell_id(row, i)} class={class(column, at == CellPos { row: Some(row), column: i })} role="gridcell"
                         aria-colindex={(i + 1).to_string()} data-column={i.to_string()}>{ cell }</div>
                }) }
            </div>
        }
    }

    /// Columns for the styles: widths, and their total minimum width.
    fn template(
        &self,
        drag: Option<(usize, u32)>,
        pixels: fn(&GridColumn) -> u32,
    ) -> (String, u32) {
        let mut out = String::new();
        let mut sum = 0;
        for (i, column) in self.columns.iter().enumerate() {
            let dragged = drag.filter(|(of, _)| *of == i).map(|(_, width)| width);
            let width = dragged.unwrap_or_else(|| pixels(column));
            sum += width;
            let grows = column.grows && column.set.is_none() && dragged.is_none();
            let text = match grows {
                true => format!("minmax({width}px,1fr) "),
                false if column.pushes && column.set.is_none() && dragged.is_none() => {
                    format!("minmax({width}px,max-content) ")
                }
                false => format!("{width}px "),
            };
            out.push_str(&text);
        }
        (out, sum)
    }
}

/// The widths of columns in a grid of this width, in pixels: what the others leave is shared by those
/// that grow.
fn laid_out(columns: &[GridColumn], width: u32) -> Vec<u32> {
    let least: Vec<u32> = columns.iter().map(GridColumn::pixels).collect();
    let grows = |column: &&GridColumn| column.grows && column.set.is_none();
    let growing = columns.iter().filter(grows).count() as u32;
    let rest = width.saturating_sub(least.iter().sum());
    let more = rest.checked_div(growing).unwrap_or(0);
    let widths = columns.iter().zip(least);
    let widths = widths.map(|(column, least)| if grows(&column) { least + more } else { least });
    widths.collect()
}

fn class(column: &GridColumn, keys: bool) -> &'static str {
    let is_hidden = column.set.is_none() && column.tight == Some(0);
    match (column.number, keys) {
        (_, true) if is_hidden => "num wide-only keys",
        (_, false) if is_hidden => "num wide-only",
        (true, true) => "num keys",
        (true, false) => "num",
        (false, true) => "keys",
        (false, false) => "",
    }
}

/// A table of any length.
#[component]
pub fn DataGrid(props: &Props) -> Html {
    let data = Rc::clone(&props.source.0);
    let is_text = data.is_text();
    let is_code = data.is_code();
    let (head, row) = match (is_text, is_code) {
        (true, _) => (0.0, LINE),
        (false, true) => (CODE_HEAD, CODE),
        (false, false) => (HEAD, ROW),
    };
    let rows = use_rows_below(head, row);
    let count = data.rows();
    use_row_count(&rows, count);
    let columns = data.columns();
    let grid = Rc::new(Grid {
        id: props.id,
        widths: laid_out(&columns, rows.width()),
        columns,
        data,
        rows: Rc::clone(&rows),
        cursor: use_local::<Cursor>(),
    });
    let [wide, tight] =
        [GridColumn::pixels, GridColumn::tight_pixels].map(|pixels| grid.template(None, pixels));
    // Before the browser styles new rows for other columns.
    rows.apply_columns(&wide, &tight);
    let here = Rc::clone(&rows);
    use_change(
        [fingerprint(&wide.0), fingerprint(&tight.0), 0, 0],
        Box::new(move || here.apply_columns(&wide, &tight)),
    );
    let content = grid.data.content();
    // The content whose first row was shown.
    let opened = use_mut_ref(|| 0);
    let (of, first) = grid.data.opens_at().map_or((0, 0), |row| (content, row));
    let is_new = of > 0 && first < count && *opened.borrow() != of;
    let top = first.saturating_sub(CONTEXT);
    // The content whose start was shown, and the content that is shown from there: other renderings
    // may come before the effects of this one.
    let (begun, opening) = (use_mut_ref(|| 0), use_mut_ref(|| 0));
    let has_scrolled =
        rows.in_view().0 > 0 && *begun.borrow() == content && *opening.borrow() != of;
    let opens = is_new && !has_scrolled && grid.data.selected().is_none();
    if opens {
        opening.replace(of);
        rows.render_from(top);
    }
    let (start, end) = rows.shown();
    let here = Rc::clone(&grid);
    use_change(
        [start, end, grid.data.version(), count],
        Box::new(move || here.data.need(start, end)),
    );
    let here = Rc::clone(&rows);
    let order = grid.data.sort();
    let order = order.map_or(0, |(column, descending)| {
        2 * column as u64 + u64::from(descending) + 1
    });
    use_change([order, 0, 0, 0], Box::new(move || here.reveal(0)));
    let (here, last) = (Rc::clone(&rows), Rc::clone(&opened));
    let begin = move || {
        begun.replace(content);
        last.replace(0);
        here.reveal(0);
    };
    use_change([content, 0, 0, 0], Box::new(begin));
    let (serial, selected) = (grid.data.serial(), grid.data.selected());
    let here = Rc::clone(&grid);
    // A row may be known before the number of rows.
    let selected = selected.filter(|row| *row < count);
    // Scroll to a selection once, not again when the order of the rows changes.
    let followed = use_mut_ref(|| None);
    let follow = move || {
        if let Some(row) = selected
            && followed.replace(Some(serial)) != Some(serial)
        {
            let mut is_left = false;
            here.cursor.change(|cursor| is_left = cursor.follow(row));
            if is_left {
                return;
            }
            let (start, end) = here.rows.in_view();
            if here.data.is_text() && !(start..end).contains(&row) {
                here.rows.center(row);
            } else {
                here.rows.reveal(row);
            }
        }
    };
    use_change(
        [serial, selected.map_or(0, |row| row + 1), 0, 0],
        Box::new(follow),
    );
    let here = Rc::clone(&grid);
    let open = move || {
        if is_new {
            opened.replace(of);
            opening.replace(0);
        }
        if opens {
            here.rows.show_from(top);
            here.cursor.change(|cursor| {
                cursor.place.row = Some(first).filter(|first| *first > 0);
                cursor.moved = first > 0;
            });
        }
    };
    use_change([of, first, count, 0], Box::new(open));
    let here = Rc::clone(&grid);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&grid);
    let onclick = Callback::from(move |event: MouseEvent| here.click(&event));
    let here = Rc::clone(&grid);
    let drag = Callback::from(move |event: PointerEvent| here.drag(&event));
    html! {
        <div class={classes!("scroll", "grid", is_text.then_some("lines"), is_code.then_some("code"))} id={props.id} ref={&rows.container} role="grid" tabindex="0"
             aria-label={grid.data.label()} aria-busy={grid.data.is_waiting().then_some("true")} aria-rowcount={(count + grid.head_rows()).to_string()} aria-multiselectable="true"
             aria-colcount={grid.columns.len().to_string()} aria-activedescendant={grid.active()}
             {onclick} {onkeydown} onpointerdown={drag.clone()} onpointermove={drag.clone()} onpointercancel={drag.clone()} onpointerup={drag}>
            if !is_text { { grid.head() } }
            <div class="spacer" ref={&rows.spacer} role="presentation">
                <div class="window" ref={&rows.window} role="presentation">
                    { for (start..end).map(|row| grid.row(row)) }
                </div>
            </div>
        </div>
    }
}
