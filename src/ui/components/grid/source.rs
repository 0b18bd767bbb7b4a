//! What a grid shows.

use super::{AROUND, CHARACTER, NARROW, WIDE};
use std::rc::Rc;
use yew::prelude::*;

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
    /// The same where the panel is narrow, whatever stands above it; if that differs.
    pub tight: Option<u32>,
    /// It takes what is left over.
    pub grows: bool,
    /// The width that was chosen, in pixels.
    pub set: Option<u32>,
}

impl GridColumn {
    pub(super) fn pixels(&self) -> u32 {
        if let Some(set) = self.set {
            return set.clamp(NARROW, WIDE);
        }
        // The arrow of the order stands in the padding.
        let title = self.title.chars().count() as u32;
        let unit = self.unit.chars().count() as u32;
        let characters = f64::from(title.max(unit).max(self.width));
        (characters * CHARACTER) as u32 + AROUND
    }

    /// The same where the panel is narrow.
    pub(super) fn tight_pixels(&self) -> u32 {
        match (self.set, self.tight) {
            (None, Some(characters)) => (f64::from(characters) * CHARACTER) as u32 + AROUND,
            _ => self.pixels(),
        }
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
    /// They are lines of code: low.
    fn is_code(&self) -> bool {
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
    /// A column gets another width, in pixels, or its own.
    fn resize(&self, _column: usize, _width: Option<u32>) {}
    /// A column moves to another place.
    fn move_to(&self, _column: usize, _to: usize) {}
    /// A cell was chosen, by a click or a key; by a click on the part of it with this number.
    fn choose(&self, row: u64, column: usize, part: Option<u64>);
    /// A row was opened: Enter, or a double click.
    fn open(&self, _row: u64) {}
    /// A cell is to be copied, or all of these rows; `false` if there is nothing to copy.
    fn copy(&self, _row: u64, _column: usize, _rows: Option<(u64, u64)>) -> bool {
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
