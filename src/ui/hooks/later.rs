//! Something to do when a pause has been long enough.

use std::rc::Rc;

use yew::prelude::*;

use crate::worker::client_timer::Timer;

/// Does what it was given last, so many milliseconds after that.
#[hook]
pub fn use_later(millis: i32) -> Callback<Rc<dyn Fn()>> {
    let timer = use_mut_ref(|| None::<Timer>);
    use_callback(millis, move |act: Rc<dyn Fn()>, millis| {
        *timer.borrow_mut() = Some(Timer::start(*millis, move || act()));
    })
}
