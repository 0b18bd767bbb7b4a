//! Values that are read on use, and dropped again for others.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::source::{Droppable, Sources};

/// Reads a value from the sources; `None` if its bytes cannot be read.
type Read<T> = Box<dyn Fn(&Sources) -> Option<T>>;

/// A value that is read from the sources on use. It stays in memory for as long as somebody else
/// uses it, or until other values need the memory: a library has thousands of device images, each
/// with metadata that take several times the memory of their text.
pub struct Evictable<T> {
    read: Read<T>,
    /// Its approximate size in memory, in bytes.
    size: u64,
    value: RefCell<Weak<T>>,
    /// The same value, while it is cached.
    cached: RefCell<Option<Rc<T>>>,
}

impl<T: 'static> Evictable<T> {
    /// Creates a value that was read already, and that `read` can read again. `size` is its
    /// approximate size in memory, in bytes.
    pub fn new(
        value: &Rc<T>,
        size: u64,
        read: impl Fn(&Sources) -> Option<T> + 'static,
    ) -> Rc<Evictable<T>> {
        Rc::new(Evictable {
            read: Box::new(read),
            size,
            value: RefCell::new(Rc::downgrade(value)),
            cached: RefCell::new(None),
        })
    }

    /// Returns the value; `None` if its bytes cannot be read any more.
    pub fn get(self: &Rc<Self>, sources: &Sources) -> Option<Rc<T>> {
        if let Some(value) = self.value.borrow().upgrade() {
            return Some(value);
        }
        let value = Rc::new((self.read)(sources)?);
        *self.value.borrow_mut() = Rc::downgrade(&value);
        *self.cached.borrow_mut() = Some(Rc::clone(&value));
        sources.keep(Rc::clone(self) as Rc<dyn Droppable>);
        Some(value)
    }
}

impl<T> Droppable for Evictable<T> {
    fn size(&self) -> u64 {
        self.size
    }

    fn drop_value(&self) {
        self.cached.borrow_mut().take();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::model::MemorySource;

    #[test]
    fn a_value_is_dropped_for_others() {
        let sources = Sources::new("a", Box::new(MemorySource::from(vec![1])));
        let most = sources.kept_most();
        let count = Rc::new(Cell::new(0));
        let make = |size: u64| {
            let first = Rc::new(size);
            let counted = Rc::clone(&count);
            Evictable::new(&first, size, move |_| {
                counted.set(counted.get() + 1);
                Some(size)
            })
        };
        let (one, other) = (make(most / 2 + 1), make(most / 2 + 2));
        let get = |value: &Rc<Evictable<u64>>| value.get(&sources).map(|value| *value);
        // The first value is gone already, so that it is read again, but only once.
        assert_eq!(
            (get(&one), get(&one)),
            (Some(most / 2 + 1), Some(most / 2 + 1))
        );
        assert_eq!(count.get(), 1);
        // Both are too large; whoever uses one keeps it.
        let used = one.get(&sources);
        assert_eq!(get(&other), Some(most / 2 + 2));
        assert_eq!((get(&one), count.get()), (Some(most / 2 + 1), 2));
        drop(used);
        assert_eq!((get(&one), count.get()), (Some(most / 2 + 1), 3));
    }
}
