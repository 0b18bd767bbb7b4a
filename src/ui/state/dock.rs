//! What is shown of the figures of code, beside or above its listing.

use crate::worker::protocol::Aspect;

/// Which aspect of the visible code is shown, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dock {
    /// Nobody chose: loops, if there is room beside the code.
    #[default]
    Usual,
    /// Nothing.
    Closed,
    /// An aspect.
    Open {
        /// The aspect.
        aspect: Aspect,
        /// Whether it is above the code, with all columns, although there is room beside it.
        is_wide: bool,
    },
}

impl Dock {
    /// The aspect in the column beside the code.
    pub fn beside(self) -> Option<Aspect> {
        match self {
            Dock::Usual => Some(Aspect::Loops),
            Dock::Open {
                aspect,
                is_wide: false,
            } => Some(aspect),
            Dock::Open { .. } | Dock::Closed => None,
        }
    }

    /// The aspect above the code. `has_column`: whether there is a column beside it.
    pub fn above(self, has_column: bool) -> Option<Aspect> {
        match self {
            Dock::Open { aspect, is_wide } if is_wide || !has_column => Some(aspect),
            _ => None,
        }
    }

    fn shown(self, has_column: bool) -> Option<Aspect> {
        let beside = self.beside().filter(|_| has_column);
        beside.or(self.above(has_column))
    }

    /// After an aspect was chosen: it is shown, or hidden if it was.
    pub fn toggled(self, aspect: Aspect, has_column: bool) -> Dock {
        match self.shown(has_column) {
            Some(shown) if shown == aspect => Dock::Closed,
            _ => Dock::Open {
                aspect,
                is_wide: matches!(self, Dock::Open { is_wide: true, .. }),
            },
        }
    }

    /// After it was moved between the two places.
    pub fn widened(self) -> Dock {
        match self {
            Dock::Open { aspect, is_wide } => Dock::Open {
                aspect,
                is_wide: !is_wide,
            },
            Dock::Usual => Dock::Open {
                aspect: Aspect::Loops,
                is_wide: true,
            },
            Dock::Closed => Dock::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_shown_unasked_only_where_there_is_room() {
        assert_eq!(Dock::Usual.shown(true), Some(Aspect::Loops));
        assert_eq!(Dock::Usual.shown(false), None);
        // So the first click shows them.
        let opened = Dock::Usual.toggled(Aspect::Loops, false);
        assert_eq!(opened.above(false), Some(Aspect::Loops));
        assert_eq!(opened.toggled(Aspect::Loops, false), Dock::Closed);
        assert_eq!(Dock::Usual.toggled(Aspect::Loops, true), Dock::Closed);
    }

    #[test]
    fn another_aspect_takes_the_same_place() {
        let wide = Dock::Usual.widened();
        assert_eq!(
            (wide.beside(), wide.above(true)),
            (None, Some(Aspect::Loops))
        );
        let waits = wide.toggled(Aspect::Waits, true);
        assert_eq!(waits.above(true), Some(Aspect::Waits));
        let beside = waits.widened();
        assert_eq!(
            (beside.beside(), beside.above(true)),
            (Some(Aspect::Waits), None)
        );
        assert_eq!(beside.above(false), Some(Aspect::Waits));
    }
}
