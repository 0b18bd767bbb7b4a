//! Parts of a kernel's payload, and what messages load from it.

/// A part of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    /// The data that all threads get.
    CrossThread,
    /// The data of one thread.
    PerThread,
}

/// Bytes of the payload that a message loads into consecutive bytes of registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub area: Area,
    pub offset: u64,
    /// Offset of the first byte of the destination among the general registers.
    pub start: u32,
    pub bytes: u32,
}

impl Loaded {
    /// The byte of the payload in a byte of the destination.
    pub fn origin(&self, at: u32) -> Option<(Area, u64)> {
        let at = at.checked_sub(self.start).filter(|at| *at < self.bytes)?;
        Some((self.area, self.offset + u64::from(at)))
    }
}
