//! Bytes that were read.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// Bytes that were read; cheap to clone and to slice.
#[derive(Clone)]
pub struct Bytes {
    pub(super) data: Rc<Vec<u8>>,
    start: usize,
    end: usize,
}

impl Bytes {
    /// Returns the bytes `start..end`, clipped to the end.
    pub fn slice(&self, start: usize, end: usize) -> Bytes {
        let len = self.end.saturating_sub(self.start);
        let from = start.min(len);
        let to = end.clamp(from, len);
        Bytes {
            data: Rc::clone(&self.data),
            start: self.start.saturating_add(from),
            end: self.start.saturating_add(to),
        }
    }

    /// Returns exactly these bytes; copies them only if they are part of a larger buffer.
    pub(super) fn into_data(self) -> Rc<Vec<u8>> {
        if self.start == 0 && self.end == self.data.len() {
            self.data
        } else {
            Rc::new(self.to_vec())
        }
    }
}

impl From<Rc<Vec<u8>>> for Bytes {
    fn from(data: Rc<Vec<u8>>) -> Bytes {
        let end = data.len();
        Bytes {
            data,
            start: 0,
            end,
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(data: Vec<u8>) -> Bytes {
        Bytes::from(Rc::new(data))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or(&[])
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}
