//! Values that are read on first use.

use std::cell::OnceCell;
use std::rc::Rc;

use super::source::Sources;

/// A value that is read on first use, and kept.
pub struct OnDemand<T> {
    read: Box<dyn Fn(&Sources) -> T>,
    value: OnceCell<Rc<T>>,
}

impl<T> OnDemand<T> {
    /// Creates a value that `read` reads.
    pub fn new(read: impl Fn(&Sources) -> T + 'static) -> OnDemand<T> {
        OnDemand {
            read: Box::new(read),
            value: OnceCell::new(),
        }
    }

    /// Returns the value.
    pub fn get(&self, sources: &Sources) -> Rc<T> {
        let value = self.value.get_or_init(|| Rc::new((self.read)(sources)));
        Rc::clone(value)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::model::MemorySource;

    #[test]
    fn a_value_is_read_once() {
        let sources = Sources::new("a", Box::new(MemorySource::from(vec![1])));
        let count = Rc::new(Cell::new(0));
        let counted = Rc::clone(&count);
        let value = OnDemand::new(move |sources| {
            counted.set(counted.get() + 1);
            sources.size()
        });
        assert_eq!(count.get(), 0);
        assert_eq!(*value.get(&sources), 1);
        assert!(Rc::ptr_eq(&value.get(&sources), &value.get(&sources)));
        assert_eq!(count.get(), 1);
    }
}
