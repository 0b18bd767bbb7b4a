//! Conditions on changes of a cell: `spill_size increased`, `code_size increased 10%`.
//!
//! ```text
//! change = column ( "increased" | "decreased" | "changed" ) [ number | number "%" ]
//! ```
//!
//! A number is a tolerance; a percentage is relative to the earlier value. New values count as
//! increased from zero.

use super::CellValue;

/// A condition on the change of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangeCondition {
    /// The index of the column.
    pub column: usize,
    pub direction: Direction,
    pub allowed: Allowed,
}

/// The direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Increased,
    Decreased,
    Changed,
}

/// The tolerance of a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Allowed {
    Number(f64),
    Percent(f64),
}

impl Direction {
    /// Parses a direction.
    pub fn of(word: &str) -> Option<Direction> {
        match word {
            "increased" => Some(Direction::Increased),
            "decreased" => Some(Direction::Decreased),
            "changed" => Some(Direction::Changed),
            _ => None,
        }
    }
}

impl Allowed {
    /// Parses a number or percentage.
    pub fn of(word: &str) -> Option<Allowed> {
        let number = |text: &str| {
            let number: f64 = text.parse().ok()?;
            (number.is_finite() && number >= 0.0).then_some(number)
        };
        match word.strip_suffix('%') {
            Some(text) => number(text).map(Allowed::Percent),
            None => number(word).map(Allowed::Number),
        }
    }
}

impl ChangeCondition {
    /// Whether a cell with its earlier value meets the condition. For values that are not numbers
    /// only `changed` is known.
    pub fn is_met(&self, now: &CellValue<'_>, before: Option<&CellValue<'_>>) -> bool {
        let number = |value: &CellValue<'_>| match value {
            // A loop where there was none is new.
            CellValue::Absent => Some(0.0),
            CellValue::Words(words) => u32::try_from(words.len()).ok().map(f64::from),
            value => value.number(),
        };
        let was = before.map_or(Some(0.0), number);
        let (Some(is), Some(was)) = (number(now), was) else {
            let differs = before.is_none_or(|before| before.text() != now.text());
            return self.direction == Direction::Changed && differs;
        };
        let allowed = match self.allowed {
            Allowed::Number(number) => number,
            Allowed::Percent(percent) => was.abs() * percent / 100.0,
        };
        let change = is - was;
        match self.direction {
            Direction::Increased => change > allowed,
            Direction::Decreased => -change > allowed,
            Direction::Changed => change.abs() > allowed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes() {
        let count = CellValue::Count;
        for (direction, allowed, before, now, holds) in [
            ("increased", "0", Some(0), 4096, true),
            ("increased", "0", Some(4096), 4096, false),
            ("increased", "0", Some(4096), 0, false),
            ("increased", "0", None, 64, true),
            ("increased", "0", None, 0, false),
            ("increased", "10%", Some(1000), 1100, false),
            ("increased", "10%", Some(1000), 1101, true),
            ("increased", "64", Some(0), 64, false),
            ("decreased", "0", Some(8), 4, true),
            ("changed", "0", Some(8), 4, true),
            ("changed", "4", Some(8), 4, false),
        ] {
            let condition = ChangeCondition {
                column: 0,
                direction: Direction::of(direction).unwrap(),
                allowed: Allowed::of(allowed).unwrap(),
            };
            let before = before.map(count);
            assert_eq!(
                condition.is_met(&count(now), before.as_ref()),
                holds,
                "{direction} {allowed} {before:?} {now}"
            );
        }
        let text = |text: &'static str| CellValue::Text(text.into());
        let condition = ChangeCondition {
            column: 0,
            direction: Direction::Changed,
            allowed: Allowed::Number(0.0),
        };
        // A loop that appears is an increase; without loops before and after, there is no change.
        let increased = ChangeCondition {
            direction: Direction::Increased,
            ..condition
        };
        assert!(increased.is_met(&count(9), Some(&CellValue::Absent)));
        assert!(!increased.is_met(&CellValue::Absent, Some(&CellValue::Absent)));
        assert!(!increased.is_met(&CellValue::Absent, Some(&count(9))));
        assert!(condition.is_met(&text("a"), Some(&text("b"))));
        assert!(!condition.is_met(&text("a"), Some(&text("a"))));
        assert!(Allowed::of("-1").is_none() && Allowed::of("x%").is_none());
    }
}
