//! Something to do when a pause has been long enough.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::worker::client::timer::Timer;

/// Does what it was given last.
#[derive(Clone)]
pub struct Debounce(Rc<RefCell<Option<Timer>>>);

impl Debounce {
    /// Does it after so many milliseconds, unless something else is given before.
    pub fn after(&self, millis: i32, act: Box<dyn FnOnce()>) {
        *self.0.borrow_mut() = Some(Timer::start(millis, act));
    }
}

/// One thing to do later.
#[hook]
pub fn use_later() -> Debounce {
    Debounce(use_mut_ref(|| None))
}
