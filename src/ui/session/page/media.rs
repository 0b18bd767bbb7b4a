//! Detects a narrow window.

use std::rc::Rc;

use web_sys::MediaQueryList;

use crate::ui::browser::listener::Listener;
use crate::ui::session::Session;
use crate::ui::state::Action;

/// Maximum width at which panes are stacked; the style sheet has the same value.
const NARROW: &str = "(max-width: 899.98px)";

/// Watches the window until dropped.
pub(crate) struct Watch {
    list: MediaQueryList,
    _listener: Listener,
}

impl Watch {
    /// Whether the window is narrow now.
    pub(crate) fn holds(&self) -> bool {
        self.list.matches()
    }
}

/// Updates the layout whenever the window becomes narrow or wide.
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
