//! Large things as properties of components: equal if they are the same.

use std::ops::Deref;
use std::rc::Rc;

/// A pointer that is compared as such.
#[derive(Debug)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Two of the same make are equal, two of equal content are not.
    pub fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }

    /// Another one as long as both are alive.
    pub fn address(&self) -> u64 {
        Rc::as_ptr(&self.0) as usize as u64
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Rc::clone(&self.0))
    }
}

impl<T> From<&Rc<T>> for Shared<T> {
    fn from(value: &Rc<T>) -> Shared<T> {
        Shared(Rc::clone(value))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
