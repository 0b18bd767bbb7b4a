//! Effects after rendering, and component state.
//!
//! Yew's hooks are generic, and each instantiation adds to the download. These use fixed types:
//! dependencies are numbers, and values are `dyn Any`.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use yew::functional::UseForceUpdateHandle;
use yew::prelude::*;

/// Dependencies: ids, counters.
pub type EffectDependencies = [u64; 4];

/// A hash of a text as a dependency.
pub fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Calls `act` after the first rendering and whenever a dependency has changed.
#[hook]
pub fn use_change(watched: EffectDependencies, act: Box<dyn FnOnce()>) {
    use_effect_with(watched, move |_| act());
}

/// Creates a value after the first rendering and drops it with the component.
#[hook]
pub fn use_kept(make: Box<dyn FnOnce() -> Box<dyn Any>>) {
    use_effect_with((), move |()| {
        let kept = make();
        move || drop(kept)
    });
}

/// Component state; setting another value renders the component again.
pub struct Local<T> {
    cell: Rc<RefCell<T>>,
    update: UseForceUpdateHandle,
}

impl<T> Clone for Local<T> {
    fn clone(&self) -> Local<T> {
        Local {
            cell: Rc::clone(&self.cell),
            update: self.update.clone(),
        }
    }
}

impl<T: Clone + PartialEq> Local<T> {
    /// The current value.
    pub fn get(&self) -> T {
        self.cell.borrow().clone()
    }

    /// Sets it without rendering: before the first use.
    pub(crate) fn start(&self, value: T) {
        *self.cell.borrow_mut() = value;
    }

    /// Updates it.
    pub fn change(&self, change: impl FnOnce(&mut T)) {
        let before = self.get();
        change(&mut self.cell.borrow_mut());
        if *self.cell.borrow() != before {
            self.update.force_update();
        }
    }
}

/// Component state that starts with the default of `T`.
#[hook]
pub fn use_local<T: Default + 'static>() -> Local<T> {
    let cell = use_mut_ref(T::default);
    let update = use_force_update();
    Local { cell, update }
}
