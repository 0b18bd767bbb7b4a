//! Reproducible random numbers.

/// splitmix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns a generator seeded with `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a generator seeded with a name.
    pub fn named(name: &str) -> Random {
        let fold = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
    }

    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end as u64).max(1)) as usize
    }

    /// Returns `count` numbers below `end`, or all of them if there are no more.
    pub fn sample(&mut self, end: usize, count: usize) -> Vec<usize> {
        if end <= count {
            return (0..end).collect();
        }
        (0..count).map(|_| self.below(end)).collect()
    }
}
