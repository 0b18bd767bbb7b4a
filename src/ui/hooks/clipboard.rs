//! The clipboard.

use std::rc::Rc;

use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::session::Session;
use crate::ui::state::{Action, Dialog};

/// Puts text on the clipboard. Where that is refused (a frame without the focus), the text
/// is shown instead, ready to be copied by hand.
pub fn copy(session: &Rc<Session>, text: String, what: &str) {
    let session = Rc::clone(session);
    let done = format!("{what} copied");
    spawn_local(async move {
        let clipboard = web_sys::window()
            .filter(web_sys::Window::is_secure_context)
            .map(|window| window.navigator().clipboard());
        let copied = match clipboard {
            Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
            None => false,
        };
        if copied {
            session.notice(done);
        } else {
            session.dispatch(Action::Dialog(Some(Dialog::Copy(text.into()))));
        }
    });
}
