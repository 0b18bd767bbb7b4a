//! Content of a grid.

use super::{AROUND, CHARACTER, NARROW, WIDE};
use std::rc::Rc;
use yew::prelude::*;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GridColumn {
    /// Title.
    pub title: String,
    /// Unit of its numbers; may be empty.
    pub unit: String,
    /// Tooltip.
    pub doc: String,
    /// Numbers, aligned to the right.
    pub number: bool,
    /// Whether the rows can be sorted by it.
    pub sorts: bool,
    /// Minimum width in characters.
    pub width: u32,
    /// Minimum width in a narrow panel, ignoring the title, if it differs; 0 hides the column.
    pub tight: Option<u32>,
    /// Whether it takes the remaining width.
    pub grows: bool,
    /// Width in pixels that does not depend on the title and `width`.
    pub exact: Option<u32>,
    /// Whether a longer cell pushes those behind it, in its row only, instead of being cut.
    pub pushes: bool,
    /// The chosen width in pixels.
    pub set: Option<u32>,
}

impl GridColumn {
    pub(super) fn pixels(&self) -> u32 {
        if let Some(set) = self.set {
            return set.clamp(NARROW, WIDE);
        }
        if let Some(exact) = self.exact {
            return exact;
        }
        // The sort arrow fits into the padding.
        let title = self.title.chars().count() as u32;
        let unit = self.unit.chars().count() as u32;
        let characters = f64::from(title.max(unit).max(self.width));
        (characters * CHARACTER) as u32 + AROUND
    }

    /// The minimum width in a narrow panel.
    pub(super) fn tight_pixels(&self) -> u32 {
        match (self.set, self.tight) {
            (None, Some(0)) => 0,
            (None, Some(characters)) => (f64::from(characters) * CHARACTER) as u32 + AROUND,
            _ => self.pixels(),
        }
    }
}

/// Content of a grid and handlers of its events.
pub trait GridData {
    /// Accessible name of the grid.
    fn label(&self) -> String;
    /// The columns; the first one stays in view.
    fn columns(&self) -> Vec<GridColumn>;
    /// Number of rows.
    fn rows(&self) -> u64;
    /// The sort column, and whether the order is descending.
    fn sort(&self) -> Option<(usize, bool)> {
        None
    }
    /// The cells of a row; `None` while it is loading. `widths`: those of the columns in pixels, as far as
    /// they are known.
    fn cells(&self, row: u64, widths: &[u32]) -> Option<Vec<Html>>;
    /// Whether the rows are lines of text: low, and without a header.
    fn is_text(&self) -> bool {
        false
    }
    /// Whether the rows are lines of code: low.
    fn is_code(&self) -> bool {
        false
    }
    /// The CSS classes of a row, in addition to those of every row.
    fn row_class(&self, _row: u64) -> Classes {
        Classes::new()
    }
    /// The selected row; the first of several.
    fn selected(&self) -> Option<u64>;
    /// Whether a row is selected.
    fn is_selected(&self, row: u64) -> bool {
        self.selected() == Some(row)
    }
    /// Changes whenever the selected row must be scrolled into view.
    fn serial(&self) -> u64;
    /// Changes whenever loaded rows may have been dropped.
    fn version(&self) -> u64 {
        0
    }
    /// Identifies the content, such as the code of a kernel: other content starts at its first row.
    fn content(&self) -> u64 {
        0
    }
    /// The row to start at if none is selected, once it is known: the grid scrolls there once for the
    /// same content.
    fn opens_at(&self) -> Option<u64> {
        None
    }
    /// Whether the rows belong to an earlier query or their number is unknown.
    fn is_waiting(&self) -> bool {
        false
    }
    /// Requests these visible rows.
    fn need(&self, _start: u64, _end: u64) {}
    /// Handles a click on a column header.
    fn sort_by(&self, _column: usize) {}
    /// Sets the width of a column in pixels; `None` resets it.
    fn resize(&self, _column: usize, _width: Option<u32>) {}
    /// Moves a column to another position.
    fn move_to(&self, _column: usize, _to: usize) {}
    /// Handles a chosen cell; with the index of its clicked part.
    fn choose(&self, row: u64, column: usize, part: Option<u64>);
    /// Handles Enter or a double click on a row.
    fn open(&self, _row: u64) {}
    /// Copies a cell or all of these rows; returns `false` if there is nothing to copy.
    fn copy(&self, _row: u64, _column: usize, _rows: Option<(u64, u64)>) -> bool {
        false
    }
}

/// Grid data as a component property; never equal, so that the grid always renders.
#[derive(Clone)]
pub struct GridSource(pub Rc<dyn GridData>);

impl PartialEq for GridSource {
    fn eq(&self, other: &GridSource) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
