//! Data that other layers attach to a document, and interfaces that formats provide; both are
//! looked up by type, so that the model depends on neither.

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

/// A request for an interface of a document, such as `Rc<dyn Kernels>`, answered by the document's
/// [`Expand`](super::Expand)er.
pub struct InterfaceRequest {
    wanted: TypeId,
    found: Option<Box<dyn Any>>,
}

impl InterfaceRequest {
    /// Returns the interface of type `T`, if `answer` provides it.
    pub(super) fn ask<T: Any>(answer: impl FnOnce(&mut InterfaceRequest)) -> Option<T> {
        let mut request = InterfaceRequest {
            wanted: TypeId::of::<T>(),
            found: None,
        };
        answer(&mut request);
        request.found?.downcast().ok().map(|found| *found)
    }

    /// Answers the request if it is for an interface of this type. Only then `make` is called,
    /// which returns `None` if the document does not have it.
    pub fn provide<T: Any>(&mut self, make: impl FnOnce() -> Option<T>) -> &mut InterfaceRequest {
        if self.wanted == TypeId::of::<T>() {
            self.found = make().map(|made| Box::new(made) as Box<dyn Any>);
        }
        self
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

    #[test]
    fn a_request_is_answered_with_its_own_type() {
        let mut made = 0;
        let mut answer = |request: &mut InterfaceRequest| {
            request
                .provide(|| {
                    made += 1;
                    Some(7_u32)
                })
                .provide(|| None::<u64>);
        };
        assert_eq!(InterfaceRequest::ask::<u32>(&mut answer), Some(7));
        assert_eq!(InterfaceRequest::ask::<u64>(&mut answer), None);
        assert_eq!(InterfaceRequest::ask::<u16>(&mut answer), None);
        assert_eq!(made, 1);
    }
}
