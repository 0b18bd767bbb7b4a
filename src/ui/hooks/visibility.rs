//! The user comes back to the page.

use yew::prelude::*;

use super::listener::Listener;

/// Calls `back` whenever the window gets the focus again: files may have changed meanwhile.
#[hook]
pub fn use_on_return(back: Callback<()>) {
    let latest = use_mut_ref(|| back.clone());
    *latest.borrow_mut() = back;
    use_effect_with((), move |()| {
        let listener = web_sys::window().map(|window| {
            Listener::new(&window, "focus", move |_| {
                let back = latest.borrow().clone();
                back.emit(());
            })
        });
        move || drop(listener)
    });
}
