//! Large component properties that are compared by pointer.

use std::ops::Deref;
use std::rc::Rc;

/// A pointer that compares by address.
#[derive(Debug)]
pub struct PtrEq<T>(Rc<T>);

impl<T> PtrEq<T> {
    /// Clones are equal; separate values with equal content are not.
    pub fn new(value: T) -> PtrEq<T> {
        PtrEq(Rc::new(value))
    }
}

impl<T> Clone for PtrEq<T> {
    fn clone(&self) -> PtrEq<T> {
        PtrEq(Rc::clone(&self.0))
    }
}

impl<T> From<&Rc<T>> for PtrEq<T> {
    fn from(value: &Rc<T>) -> PtrEq<T> {
        PtrEq(Rc::clone(value))
    }
}

impl<T> PartialEq for PtrEq<T> {
    fn eq(&self, other: &PtrEq<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for PtrEq<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
