//! A debounced action.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::worker::client::timer::Timer;

/// Runs the latest of the actions it is given.
#[derive(Clone)]
pub struct Debounce(Rc<RefCell<Option<Timer>>>);

impl Debounce {
    /// Runs the action after this delay in milliseconds, unless another one replaces it.
    pub fn after(&self, millis: i32, act: Box<dyn FnOnce()>) {
        *self.0.borrow_mut() = Some(Timer::start(millis, act));
    }
}

/// Creates a debouncer.
#[hook]
pub fn use_later() -> Debounce {
    Debounce(use_mut_ref(|| None))
}
