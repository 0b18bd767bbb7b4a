//! A table of any length: a header that sorts, a window of rows, the keys of a grid.
//!
//! Who shows a table says by [`GridData`] what is in it; rows that are not here yet are
//! asked for with [`GridData::need`]. The grid has one focus stop, and tells by
//! `aria-activedescendant` where the keys are.

use std::rc::Rc;

use yew::prelude::*;

use super::data_grid_keys::{CellPos, Extent, step};
use crate::ui::hooks::{
    Local, VirtualRows, fingerprint, focus, has_selected_text, number_near, on_control,
    scroll_into_view, use_change, use_local, use_row_count, use_rows_below,
};

/// The height of a row; `--grid-row` of the styles is the same.
const ROW: f64 = 26.0;
/// The height of the header; `--grid-head` of the styles is the same.
const HEAD: f64 = 38.0;
/// The height of a line of text; `--text-row` of the styles is the same.
const LINE: f64 = 20.0;
/// The width of a character of a number, and what is left and right of it, in pixels.
const CHARACTER: f64 = 7.3;
const AROUND: u32 = 21;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GridColumn {
    /// What stands above it.
    pub title: String,
    /// What its numbers count; may be empty.
    pub unit: String,
    /// What it means.
    pub doc: String,
    /// Numbers: to the right.
    pub number: bool,
    /// Its rows can be sorted by it.
    pub sorts: bool,
    /// The least width, in characters.
    pub width: u32,
    /// It takes what is left over.
    pub grows: bool,
}

impl GridColumn {
    fn pixels(&self) -> u32 {
        // The arrow of the order needs a place.
        let arrow = 2 * u32::from(self.sorts);
        let title = self.title.chars().count() as u32 + arrow;
        let unit = self.unit.chars().count() as u32;
        let characters = f64::from(title.max(unit).max(self.width));
        (characters * CHARACTER) as u32 + AROUND
    }
}

/// What is in a grid, and what happens in it.
pub trait GridData {
    /// How the grid is called.
    fn label(&self) -> String;
    /// The columns; the first one stays in view.
    fn columns(&self) -> Vec<GridColumn>;
    /// How many rows there are.
    fn rows(&self) -> u64;
    /// The column that sorts, and whether the largest come first.
    fn sort(&self) -> Option<(usize, bool)> {
        None
    }
    /// The cells of a row; nothing while it is on its way.
    fn cells(&self, row: u64) -> Option<Vec<Html>>;
    /// They are lines of text: low, and without a header.
    fn is_text(&self) -> bool {
        false
    }
    /// The row that is selected everywhere; of several the first.
    fn selected(&self) -> Option<u64>;
    /// Is this one of the rows that are selected?
    fn is_selected(&self, row: u64) -> bool {
        self.selected() == Some(row)
    }
    /// Another number whenever the selected row is to be brought into view.
    fn serial(&self) -> u64;
    /// Another number whenever rows may be missing that were there.
    fn version(&self) -> u64 {
        0
    }
    /// Are the rows those of a question from before, or is it not known how many there are?
    fn is_waiting(&self) -> bool {
        false
    }
    /// These rows are in view.
    fn need(&self, _start: u64, _end: u64) {}
    /// The header of a column was pressed.
    fn sort_by(&self, _column: usize) {}
    /// A cell was chosen, by a click or a key.
    fn choose(&self, row: u64, column: usize);
    /// A row was opened: Enter, or a double click.
    fn open(&self, _row: u64) {}
    /// A cell is to be copied; `false` if it is none that can be.
    fn copy(&self, _row: u64, _column: usize) -> bool {
        false
    }
}

/// The data of a grid, for its properties: never equal to another.
#[derive(Clone)]
pub struct GridSource(pub Rc<dyn GridData>);

impl PartialEq for GridSource {
    fn eq(&self, other: &GridSource) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What a grid is given.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The grid's id in the document; those of its rows and cells begin with it.
    pub id: &'static str,
    /// What is in it.
    pub source: GridSource,
}

/// Where the keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cursor {
    place: CellPos,
    /// It was moved here, and the row may not be selected yet.
    moved: bool,
}

struct Grid {
    id: &'static str,
    data: Rc<dyn GridData>,
    rows: Rc<VirtualRows>,
    cursor: Local<Cursor>,
    columns: Vec<GridColumn>,
}

impl Grid {
    /// The cell where the keys are: within what is there.
    fn place(&self) -> CellPos {
        let cursor = self.cursor.get();
        let row = match cursor.moved {
            true => cursor.place.row,
            false => self.data.selected(),
        };
        CellPos {
            row: row.filter(|row| *row < self.data.rows()),
            column: cursor
                .place
                .column
                .min(self.columns.len().saturating_sub(1)),
        }
    }

    fn extent(&self) -> Extent {
        Extent {
            rows: self.data.rows(),
            columns: self.columns.len(),
            page: self.rows.page(),
        }
    }

    fn go(&self, to: CellPos) {
        if to.row.is_none() && self.data.is_text() {
            return;
        }
        let sideways = self.place().column != to.column && !self.data.is_text();
        self.cursor.change(|cursor| {
            *cursor = Cursor {
                place: to,
                moved: true,
            };
        });
        match to.row {
            Some(row) => {
                self.rows.reveal(row);
                if sideways {
                    scroll_into_view(&self.cell_id(row, to.column));
                }
                self.data.choose(row, to.column);
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
            ("c", true, Some(row)) if !has_selected_text() => {
                if !self.data.copy(row, at.column) {
                    return;
                }
            }
            _ => match step(&key, ctrl, at, self.extent()) {
                Some(to) => self.go(to),
                None => return,
            },
        }
        event.prevent_default();
    }

    fn click(&self, event: &MouseEvent) {
        if on_control(event) || (self.data.is_text() && has_selected_text()) {
            return;
        }
        let column = number_near(event, "data-column").unwrap_or(0) as usize;
        if let Some(row) = number_near(event, "data-row") {
            focus(&self.rows.container);
            if event.detail() == 2 {
                self.data.open(row);
            } else {
                self.go(CellPos {
                    row: Some(row),
                    column,
                });
            }
        } else if number_near(event, "data-column").is_some() {
            focus(&self.rows.container);
            self.cursor.change(|cursor| {
                *cursor = Cursor {
                    place: CellPos { row: None, column },
                    moved: true,
                };
            });
            self.data.sort_by(column);
        }
    }

    fn head_id(&self, column: usize) -> String {
        format!("{}-head-{column}", self.id)
    }

    fn cell_id(&self, row: u64, column: usize) -> String {
        format!("{}-{row}-{column}", self.id)
    }

    /// The id of the cell where the keys are, if it is in the document.
    fn active(&self) -> Option<String> {
        let (start, end) = self.rows.shown();
        let at = self.place();
        match at.row {
            Some(row) => {
                let here = (start..end).contains(&row) && self.data.cells(row).is_some();
                here.then(|| self.cell_id(row, at.column))
            }
            None => (!self.data.is_text()).then(|| self.head_id(at.column)),
        }
    }

    /// How many rows the header has.
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
                    html! {
                        <div id={self.head_id(i)} class={class(column, keys)} role="columnheader" aria-colindex={(i + 1).to_string()}
                             aria-sort={spoken} title={column.doc.clone()} data-column={i.to_string()}>
                            <span class="title">{ &column.title }<span class="arrow" aria-hidden="true">{ arrow }</span></span>
                            if !column.unit.is_empty() { <span class="unit">{ &column.unit }</span> }
                        </div>
                    }
                }) }
            </div>
        }
    }

    fn row(&self, row: u64) -> Html {
        let selected = self.data.is_selected(row);
        let number = row.to_string();
        let index = (row + 1 + self.head_rows()).to_string();
        let Some(cells) = self.data.cells(row) else {
            return html! {
                <div key={row} class="grid-row waits" role="row" aria-rowindex={index}>
                    <div role="gridcell">{ "…" }</div>
                </div>
            };
        };
        let at = self.place();
        html! {
            <div key={row} class={if selected { "grid-row sel" } else { "grid-row" }} role="row"
                 aria-rowindex={index} aria-selected={selected.to_string()} data-row={number}>
                { for cells.into_iter().zip(&self.columns).enumerate().map(|(i, (cell, column))| html! {
                    <div id={self.cell_id(row, i)} class={class(column, at == CellPos { row: Some(row), column: i })} role="gridcell"
                         aria-colindex={(i + 1).to_string()} data-column={i.to_string()}>{ cell }</div>
                }) }
            </div>
        }
    }

    /// The columns for the styles: their widths, and the least width of all.
    fn template(&self) -> (String, u32) {
        let mut out = String::new();
        let mut sum = 0;
        for column in &self.columns {
            let width = column.pixels();
            sum += width;
            let text = match column.grows {
                true => format!("minmax({width}px,1fr) "),
                false => format!("{width}px "),
            };
            out.push_str(&text);
        }
        (out, sum)
    }
}

fn class(column: &GridColumn, keys: bool) -> &'static str {
    match (column.number, keys) {
        (true, true) => "num keys",
        (true, false) => "num",
        (false, true) => "keys",
        (false, false) => "",
    }
}

/// A grid.
#[component]
pub fn DataGrid(props: &Props) -> Html {
    let data = Rc::clone(&props.source.0);
    let is_text = data.is_text();
    let (head, row) = if is_text { (0.0, LINE) } else { (HEAD, ROW) };
    let rows = use_rows_below(head, row);
    let count = data.rows();
    use_row_count(&rows, count);
    let grid = Rc::new(Grid {
        id: props.id,
        columns: data.columns(),
        data,
        rows: Rc::clone(&rows),
        cursor: use_local::<Cursor>(),
    });
    let (template, width) = grid.template();
    let here = Rc::clone(&rows);
    use_change(
        [fingerprint(&template), 0, 0, 0],
        Box::new(move || here.set_columns(&template, width)),
    );
    let (start, end) = rows.shown();
    let here = Rc::clone(&grid);
    use_change(
        [start, end, grid.data.version(), count],
        Box::new(move || here.data.need(start, end)),
    );
    let selected = grid.data.selected();
    let here = Rc::clone(&grid);
    let follow = move || {
        if let Some(row) = selected {
            here.cursor.change(|cursor| cursor.moved = false);
            let (start, end) = here.rows.in_view();
            if here.data.is_text() && !(start..end).contains(&row) {
                here.rows.center(row);
            } else {
                here.rows.reveal(row);
            }
        }
    };
    use_change(
        [grid.data.serial(), selected.map_or(0, |row| row + 1), 0, 0],
        Box::new(follow),
    );
    let here = Rc::clone(&grid);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&grid);
    let onclick = Callback::from(move |event: MouseEvent| here.click(&event));
    html! {
        <div class={if is_text { "scroll grid lines" } else { "scroll grid" }} id={props.id} ref={&rows.container} role="grid" tabindex="0"
             aria-label={grid.data.label()} aria-busy={grid.data.is_waiting().then_some("true")} aria-rowcount={(count + grid.head_rows()).to_string()} aria-multiselectable={is_text.then_some("true")}
             aria-colcount={grid.columns.len().to_string()} aria-activedescendant={grid.active()}
             {onclick} {onkeydown}>
            if !is_text { { grid.head() } }
            <div class="spacer" ref={&rows.spacer} role="presentation">
                <div class="window" ref={&rows.window} role="presentation">
                    { for (start..end).map(|row| grid.row(row)) }
                </div>
            </div>
        </div>
    }
}
