//! The clipboard.

use std::rc::Rc;

use wasm_bindgen_futures::JsFuture;

use super::{Session, spawn};
use crate::ui::state::{Action, Dialog};

impl Session {
    /// Copies text to the clipboard. If that is refused (a frame without focus), shows the text to
    /// be copied by hand.
    pub fn copy(self: &Rc<Self>, text: String, label: &'static str) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let clipboard = web_sys::window()
                .filter(web_sys::Window::is_secure_context)
                .map(|window| window.navigator().clipboard());
            let copied = match clipboard {
                Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
                None => false,
            };
            if copied {
                session.notice(format!("{label} copied"));
            } else {
                session.dispatch(Action::Dialog(Dialog::Copy(text.into())));
            }
        }));
    }
}
