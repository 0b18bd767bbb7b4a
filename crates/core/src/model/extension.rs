//! Data that other layers attach to a document, looked up by type.

use std::any::{Any, TypeId};
use std::collections::HashMap;

/// Values that other layers attach to a document, at most one of each type.
#[derive(Default)]
pub struct Extensions(HashMap<TypeId, Box<dyn Any>>);

impl Extensions {
    /// Returns the value of a type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Stores a value, replacing one of the same type.
    pub fn insert<T: Any>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// Removes the value of a type and returns it.
    pub fn remove<T: Any>(&mut self) -> Option<T> {
        let value = self.0.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_found_by_type() {
        let mut extensions = Extensions::default();
        assert_eq!(extensions.get::<u8>(), None);
        extensions.insert(1_u8);
        extensions.insert("text");
        extensions.insert(2_u8);
        assert_eq!(extensions.get::<u8>(), Some(&2));
        assert_eq!(extensions.remove::<&str>(), Some("text"));
        assert_eq!(extensions.get::<&str>(), None);
    }
}
