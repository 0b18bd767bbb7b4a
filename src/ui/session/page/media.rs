//! Is the window narrow?

use std::rc::Rc;

use web_sys::MediaQueryList;

use crate::ui::browser::listener::Listener;
use crate::ui::session::Session;
use crate::ui::state::Action;

/// Below this the panes are stacked; the styles have the same.
const NARROW: &str = "(max-width: 899.98px)";

/// Watches the window until it is dropped.
pub(crate) struct Watch {
    list: MediaQueryList,
    _listener: Listener,
}

impl Watch {
    /// Is it narrow now?
    pub(crate) fn holds(&self) -> bool {
        self.list.matches()
    }
}

/// Arranges the page for the window whenever it becomes narrow or wide.
pub(crate) fn listen(session: &Rc<Session>) -> Option<Watch> {
    let list = web_sys::window()?.match_media(NARROW).ok()??;
    let (here, now) = (Rc::clone(session), list.clone());
    let listener = Listener::new(&list, "change", move |_| {
        here.dispatch(Action::Narrow(now.matches()));
    });
    Some(Watch {
        list,
        _listener: listener,
    })
}
