//! Scrolling beyond the maximum height of an element.
//!
//! Browsers cap the height of an element (33.5 million pixels in Chromium, 17.9 in Firefox). Above
//! [`HEIGHT_MAX`] the scrolled element is lower than its rows, and positions are mapped
//! proportionally.

/// Maximum height of an element in pixels.
pub const HEIGHT_MAX: f64 = 12_000_000.0;

/// Rows of equal height in a viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Number of rows.
    pub rows: u64,
    /// Row height in pixels.
    pub row: f64,
    /// Viewport height in pixels.
    pub view: f64,
}

impl Scale {
    /// Total height of the rows.
    pub fn total(&self) -> f64 {
        self.rows as f64 * self.row
    }

    /// Height of the scrolled element.
    pub fn height(&self) -> f64 {
        self.total().min(HEIGHT_MAX)
    }

    /// Whether positions must be mapped.
    pub fn is_scaled(&self) -> bool {
        self.total() > HEIGHT_MAX
    }

    /// Maximum position in the rows.
    pub fn end(&self) -> f64 {
        (self.total() - self.view).max(0.0)
    }

    /// Converts a scroll bar position to a row position.
    pub fn logical(&self, scrolled: f64) -> f64 {
        self.mapped(scrolled, self.height() - self.view, self.end())
    }

    /// Converts a row position to a scroll bar position.
    pub fn physical(&self, logical: f64) -> f64 {
        self.mapped(logical, self.end(), self.height() - self.view)
    }

    fn mapped(&self, position: f64, from: f64, to: f64) -> f64 {
        if !self.is_scaled() || from <= 0.0 {
            return position;
        }
        (position / from * to).clamp(0.0, to)
    }

    /// Rows that are rendered: the visible ones, and some before and after.
    pub fn window(&self, logical: f64, margin: u64) -> (u64, u64) {
        let first = (logical.max(0.0) / self.row) as u64;
        let last = ((logical.max(0.0) + self.view) / self.row).ceil() as u64;
        let start = first.saturating_sub(margin).min(self.rows);
        (start, last.saturating_add(margin).min(self.rows).max(start))
    }

    /// Where to scroll so that a row is visible; `None` if it is. A distant row goes to a third of
    /// the height, a near one to the edge.
    pub fn reveal(&self, logical: f64, row: u64) -> Option<f64> {
        let top = row as f64 * self.row;
        let bottom = top + self.row;
        if top >= logical && bottom <= logical + self.view {
            return None;
        }
        let near = 2.0 * self.row;
        let target = if top < logical && top >= logical - near {
            top
        } else if bottom > logical + self.view && bottom <= logical + self.view + near {
            bottom - self.view
        } else {
            top - self.view / 3.0
        };
        Some(target.clamp(0.0, self.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Scale = Scale {
        rows: 1000,
        row: 20.0,
        view: 400.0,
    };
    /// 5 GB, 16 bytes per row.
    const LARGE: Scale = Scale {
        rows: 312_500_000,
        row: 20.0,
        view: 400.0,
    };

    #[test]
    fn small_lists_are_not_mapped() {
        assert!(!SMALL.is_scaled());
        assert_eq!(SMALL.logical(123.0), 123.0);
        assert_eq!(SMALL.window(200.0, 4), (6, 34));
        assert_eq!(SMALL.window(19_600.0, 4), (976, 1000));
    }

    #[test]
    fn both_ends_of_a_large_list_can_be_reached() {
        assert!(LARGE.is_scaled());
        assert_eq!(LARGE.height(), HEIGHT_MAX);
        assert_eq!(LARGE.logical(0.0), 0.0);
        let end = LARGE.logical(HEIGHT_MAX - 400.0);
        assert_eq!(LARGE.window(end, 0), (312_499_980, 312_500_000));
        assert!((LARGE.physical(end) - (HEIGHT_MAX - 400.0)).abs() < 1.0);
    }

    #[test]
    fn rows_in_view_stay_where_they_are() {
        assert_eq!(SMALL.reveal(200.0, 12), None);
        assert_eq!(SMALL.reveal(200.0, 9), Some(180.0));
        assert_eq!(SMALL.reveal(200.0, 30), Some(220.0));
        assert_eq!(SMALL.reveal(0.0, 999), Some(19_600.0));
        assert_eq!(SMALL.reveal(10_000.0, 0), Some(0.0));
    }
}
