//! The layout of a treemap: squarified rectangles (Bruls, Huizing and van Wijk, 2000).

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Area {
    /// Creates a rectangle.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area {
            x,
            y,
            width,
            height,
        }
    }

    /// Returns the rectangle without a margin at its top, and a smaller one at the other sides; `None`
    /// if nothing is left.
    pub fn within(self, top: f64, margin: f64) -> Option<Area> {
        let inner = Area::new(
            self.x + margin,
            self.y + top,
            self.width - 2.0 * margin,
            self.height - top - margin,
        );
        (inner.width > 0.0 && inner.height > 0.0).then_some(inner)
    }

    fn shorter_side(self) -> f64 {
        self.width.min(self.height)
    }
}

/// Divides a rectangle into areas in proportion to sizes, which are in descending order, close to
/// squares. The areas are in the order of the sizes; those of sizes 0 are empty.
pub fn squarified(sizes: &[u64], whole: Area) -> Vec<Area> {
    // Exact enough below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let sizes: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
    let total: f64 = sizes.iter().sum();
    let mut areas = Vec::with_capacity(sizes.len());
    if total <= 0.0 {
        return vec![Area::new(whole.x, whole.y, 0.0, 0.0); sizes.len()];
    }
    let scale = whole.width * whole.height / total;
    let mut left = whole;
    let mut start = 0;
    while start < sizes.len() {
        let side = left.shorter_side();
        let mut end = start + 1;
        let mut best = worst_ratio(&sizes[start..end], scale, side);
        while end < sizes.len() {
            let ratio = worst_ratio(&sizes[start..=end], scale, side);
            if ratio > best {
                break;
            }
            best = ratio;
            end += 1;
        }
        let row = &sizes[start..end];
        let sum: f64 = row.iter().sum();
        let is_last = end == sizes.len();
        left = lay_row(row, sum * scale, is_last, left, &mut areas);
        start = end;
    }
    areas
}

/// The largest ratio of the sides of the rectangles in a row along a side.
fn worst_ratio(row: &[f64], scale: f64, side: f64) -> f64 {
    let sum: f64 = row.iter().sum::<f64>() * scale;
    let thickness = sum / side.max(f64::MIN_POSITIVE);
    row.iter().fold(1.0, |worst: f64, size| {
        let length = size * scale / thickness.max(f64::MIN_POSITIVE);
        let ratio = if length > thickness {
            length / thickness
        } else {
            thickness / length
        };
        worst.max(ratio)
    })
}

/// Places a row along the shorter side of a rectangle. Returns the rest of the rectangle.
fn lay_row(row: &[f64], area: f64, is_last: bool, left: Area, areas: &mut Vec<Area>) -> Area {
    let sum: f64 = row.iter().sum();
    let is_column = left.width >= left.height;
    let side = left.shorter_side();
    let thickness = match (is_last, is_column) {
        (true, true) => left.width,
        (true, false) => left.height,
        _ if side > 0.0 => area / side,
        _ => 0.0,
    };
    let mut at = 0.0;
    for size in row {
        let length = if sum > 0.0 { size / sum * side } else { 0.0 };
        areas.push(if is_column {
            Area::new(left.x, left.y + at, thickness, length)
        } else {
            Area::new(left.x + at, left.y, length, thickness)
        });
        at += length;
    }
    if is_column {
        let width = (left.width - thickness).max(0.0);
        Area::new(left.x + thickness, left.y, width, left.height)
    } else {
        let height = (left.height - thickness).max(0.0);
        Area::new(left.x, left.y + thickness, left.width, height)
    }
}

/// A direction of an arrow key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

impl Direction {
    /// Returns the direction of a key.
    pub fn of_key(key: &str) -> Option<Direction> {
        Some(match key {
            "ArrowLeft" => Direction::Left,
            "ArrowRight" => Direction::Right,
            "ArrowUp" => Direction::Up,
            "ArrowDown" => Direction::Down,
            _ => return None,
        })
    }
}

/// Returns the index of the nearest rectangle in a direction from another one.
pub fn neighbor(areas: &[Area], from: usize, direction: Direction) -> Option<usize> {
    let center = |area: &Area| (area.x + area.width / 2.0, area.y + area.height / 2.0);
    let (x, y) = center(areas.get(from)?);
    let distance = |area: &Area| {
        let (to_x, to_y) = center(area);
        let (along, across) = match direction {
            Direction::Left => (x - to_x, to_y - y),
            Direction::Right => (to_x - x, to_y - y),
            Direction::Up => (y - to_y, to_x - x),
            Direction::Down => (to_y - y, to_x - x),
        };
        // Mostly ahead.
        (along > 0.5).then_some(along + 2.0 * across.abs())
    };
    let others = areas.iter().enumerate().filter(|(at, _)| *at != from);
    let found = others.filter_map(|(at, area)| Some((at, distance(area)?)));
    let nearest = found.min_by(|(_, a), (_, b)| a.total_cmp(b));
    nearest.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Area = Area {
        x: 10.0,
        y: 20.0,
        width: 600.0,
        height: 400.0,
    };

    fn overlap(a: &Area, b: &Area) -> f64 {
        let width = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
        let height = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
        width.max(0.0) * height.max(0.0)
    }

    #[test]
    fn areas_are_in_proportion_and_disjoint() {
        for sizes in [
            vec![6, 6, 4, 3, 2, 2, 1],
            vec![1],
            vec![1000, 1],
            (1..60).rev().map(|size| size * size).collect(),
            vec![5; 40],
            vec![7, 0, 0],
        ] {
            let areas = squarified(&sizes, WHOLE);
            assert_eq!(areas.len(), sizes.len());
            let total: u64 = sizes.iter().sum();
            for (size, area) in sizes.iter().zip(&areas) {
                let wanted = 240_000.0 * *size as f64 / total as f64;
                assert!(
                    (area.width * area.height - wanted).abs() < 0.01,
                    "{sizes:?}"
                );
                assert!(area.x > 9.99 && area.y > 19.99);
                assert!(area.x + area.width < 610.01 && area.y + area.height < 420.01);
            }
            for (at, a) in areas.iter().enumerate() {
                for b in &areas[at + 1..] {
                    assert!(overlap(a, b) < 0.01, "{sizes:?}");
                }
            }
        }
        assert_eq!(squarified(&[], WHOLE), []);
        assert!(
            squarified(&[0, 0], WHOLE)
                .iter()
                .all(|area| area.width == 0.0)
        );
    }

    /// The example of the paper.
    #[test]
    fn rectangles_are_close_to_squares() {
        let areas = squarified(&[6, 6, 4, 3, 2, 2, 1], WHOLE);
        let ratio = |area: &Area| {
            let ratio = area.width / area.height;
            ratio.max(1.0 / ratio)
        };
        assert!(areas.iter().map(ratio).fold(0.0, f64::max) < 3.0);
    }

    #[test]
    fn arrows_reach_all_rectangles() {
        let areas = squarified(&[6, 6, 4, 3, 2, 2, 1], WHOLE);
        let keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
        let mut reached = vec![0];
        let mut next = 0;
        while let Some(from) = reached.get(next).copied() {
            next += 1;
            for key in keys {
                let to = neighbor(&areas, from, Direction::of_key(key).unwrap());
                if let Some(to) = to.filter(|to| !reached.contains(to)) {
                    reached.push(to);
                }
            }
        }
        assert_eq!(reached.len(), areas.len());
        assert_eq!(neighbor(&areas, 0, Direction::Left), None);
        assert_eq!(Direction::of_key("Enter"), None);
    }
}
