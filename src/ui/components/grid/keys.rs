//! Keyboard navigation of a grid, following the WAI-ARIA authoring practices.

/// A cell; the row above the first one is the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellPos {
    /// `None` for the header.
    pub row: Option<u64>,
    /// Zero-based column.
    pub column: usize,
}

/// Size of the grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub rows: u64,
    pub columns: usize,
    /// Number of visible rows.
    pub page: u64,
}

/// The cell that a key moves to; `None` for other keys.
pub(super) fn step(key: &str, ctrl: bool, at: CellPos, extent: Extent) -> Option<CellPos> {
    let last_row = extent.rows.checked_sub(1);
    let last_column = extent.columns.saturating_sub(1);
    let down = |by: u64| match (at.row, last_row) {
        (_, None) => None,
        (None, _) => Some(0),
        (Some(row), Some(last)) => Some(row.saturating_add(by).min(last)),
    };
    let mut to = at;
    match (key, ctrl) {
        ("ArrowDown", false) => to.row = down(1),
        ("ArrowUp", false) => to.row = at.row.and_then(|row| row.checked_sub(1)),
        ("PageDown", false) => to.row = down(extent.page.max(1)),
        ("PageUp", false) => {
            to.row = at
                .row
                .filter(|row| *row > 0)
                .map(|row| row.saturating_sub(extent.page.max(1)));
        }
        ("ArrowRight", false) => to.column = (at.column + 1).min(last_column),
        ("ArrowLeft", false) => to.column = at.column.saturating_sub(1),
        ("Home", false) => to.column = 0,
        ("End", false) => to.column = last_column,
        ("Home", true) => {
            to = CellPos {
                row: last_row.map(|_| 0),
                column: 0,
            }
        }
        ("End", true) => {
            to = CellPos {
                row: last_row,
                column: last_column,
            }
        }
        _ => return None,
    }
    Some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent {
        rows: 100,
        columns: 4,
        page: 10,
    };

    fn at(row: impl Into<Option<u64>>, column: usize) -> CellPos {
        CellPos {
            row: row.into(),
            column,
        }
    }

    #[test]
    fn keys_move_the_cursor() {
        for (key, ctrl, from, to) in [
            ("ArrowDown", false, at(None, 2), at(0, 2)),
            ("ArrowDown", false, at(99, 2), at(99, 2)),
            ("ArrowUp", false, at(0, 1), at(None, 1)),
            ("ArrowUp", false, at(None, 1), at(None, 1)),
            ("PageDown", false, at(95, 0), at(99, 0)),
            ("PageUp", false, at(5, 0), at(0, 0)),
            ("ArrowRight", false, at(1, 3), at(1, 3)),
            ("ArrowLeft", false, at(1, 0), at(1, 0)),
            ("Home", false, at(7, 3), at(7, 0)),
            ("End", false, at(7, 0), at(7, 3)),
            ("Home", true, at(7, 3), at(0, 0)),
            ("End", true, at(7, 0), at(99, 3)),
        ] {
            assert_eq!(step(key, ctrl, from, EXTENT), Some(to), "{key} {ctrl}");
        }
        assert_eq!(step("a", false, at(0, 0), EXTENT), None);
        assert_eq!(step("ArrowDown", true, at(0, 0), EXTENT), None);
    }

    #[test]
    fn without_rows_there_is_only_the_header() {
        let none = Extent { rows: 0, ..EXTENT };
        for key in ["ArrowDown", "PageDown", "ArrowUp", "PageUp"] {
            assert_eq!(step(key, false, at(None, 0), none), Some(at(None, 0)));
        }
        assert_eq!(step("End", true, at(None, 0), none), Some(at(None, 3)));
    }
}
