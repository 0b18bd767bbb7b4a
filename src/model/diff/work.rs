//! How much work a comparison may take.

/// Steps for each byte of the two files. Real ones take 1 to 4: a step is a node that is made, some
/// bytes that are read, or a comparison of two instructions.
const TIMES: u64 = 24;
/// Steps that are always allowed.
const MORE: u64 = 8 << 20;
/// Steps at most: some ten seconds.
const MOST: u64 = 4 << 30;

/// Counts steps.
#[derive(Debug, Clone)]
pub struct Work {
    left: u64,
    spent: u64,
}

impl Work {
    /// The work that two files of `size` bytes together may take.
    pub fn new(size: u64) -> Work {
        Work {
            left: size.saturating_mul(TIMES).saturating_add(MORE).min(MOST),
            spent: 0,
        }
    }

    /// Spends steps. Returns whether there were so many left.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.spent = self.spent.saturating_add(steps);
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    /// Everything is spent.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// How many steps were spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}
