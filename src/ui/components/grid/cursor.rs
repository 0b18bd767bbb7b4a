//! The current cell of a grid.

use super::keys::CellPos;

/// The current cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    pub(super) place: CellPos,
    /// The cursor was moved here, and its row may not be selected yet.
    pub(super) moved: bool,
    /// The other end of the row range that is selected for copying.
    pub(super) anchor: Option<u64>,
    /// The row that was chosen here last, until it is selected.
    pub(super) chosen: Option<u64>,
    pub(super) drag: Option<Drag>,
}

impl Cursor {
    /// Follows a selected row. Returns whether the cursor was moved on before the row was selected,
    /// and stays where it is.
    pub(super) fn follow(&mut self, row: u64) -> bool {
        let is_here = self.place.row == Some(row);
        // A range may have been extended from the row.
        let is_anchor = self.anchor == Some(row);
        let is_left = !is_here && (is_anchor || self.chosen == Some(row));
        self.anchor = self.anchor.filter(|_| is_here || is_anchor);
        self.moved &= is_left;
        self.chosen = None;
        is_left
    }
}

/// A pointer gesture on a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drag {
    /// A column is being resized: its left edge in pixels.
    Width { column: usize, left: i32 },
    /// A header is pressed, at this position in pixels. This may become a click.
    Pressed { column: usize, at: i32 },
    /// A column is being dragged to this position.
    Carried { column: usize, to: usize },
    /// A drag has ended, which is no click.
    Dropped,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cursor after a click on row 4, and the keys that moved it to a row.
    fn moved_to(row: u64, anchor: Option<u64>) -> Cursor {
        let place = CellPos {
            row: Some(row),
            column: 0,
        };
        Cursor {
            place,
            moved: true,
            anchor,
            chosen: Some(row),
            drag: None,
        }
    }

    #[test]
    fn a_range_outlives_the_selection_of_its_first_row() {
        let mut cursor = moved_to(5, Some(4));
        assert!(cursor.follow(4));
        assert_eq!((cursor.moved, cursor.anchor), (true, Some(4)));
        assert!(!cursor.follow(5));
        assert_eq!((cursor.moved, cursor.anchor), (false, Some(4)));
    }

    #[test]
    fn a_selection_from_elsewhere_ends_the_range() {
        let mut cursor = moved_to(5, Some(4));
        assert!(!cursor.follow(9));
        assert_eq!((cursor.moved, cursor.anchor), (false, None));
    }

    #[test]
    fn a_cursor_that_moved_on_stays() {
        let mut cursor = Cursor {
            chosen: Some(4),
            ..moved_to(5, None)
        };
        assert!(cursor.follow(4));
        assert!(cursor.moved);
    }
}
