//! The address shows what is selected, and the Back button goes back to what was.

use std::rc::Rc;

use super::listener::Listener;
use super::session::Session;
use crate::ui::route::{self, Query, Target};
use crate::ui::selection::Via;
use crate::ui::state::{Action, Origin, TabId};
use crate::worker::client_timer::Timer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::PopStateEvent;

/// The address follows after so many milliseconds: browsers refuse too many changes.
const DELAY: i32 = 200;

/// What the address's query asks for.
pub(super) fn read_query() -> Query {
    web_sys::window()
        .and_then(|window| window.location().search().ok())
        .map(|text| route::parse_query(&text))
        .unwrap_or_default()
}

/// What the address's fragment points to.
pub(super) fn read_target() -> Option<Target> {
    let hash = web_sys::window()?.location().hash().ok()?;
    route::parse_fragment(&hash)
}

/// The address of what is selected, as somebody else can open it; without the file, where
/// that is only here.
pub fn link_to(origin: &Origin, target: Option<&Target>) -> String {
    if cfg!(not(target_arch = "wasm32")) {
        return relative(origin, target, false);
    }
    let page = web_sys::window().and_then(|window| {
        let location = window.location();
        Some(location.origin().ok()? + &location.pathname().ok()?)
    });
    page.unwrap_or_default() + &relative(origin, target, false)
}

fn relative(origin: &Origin, target: Option<&Target>, embed: bool) -> String {
    let mut out = match origin {
        Origin::Link(url) => route::query(url),
        Origin::Local => String::new(),
    };
    if embed {
        out.push_str(if out.is_empty() {
            "?embed=1"
        } else {
            "&embed=1"
        });
    }
    if let Some(target) = target {
        out.push_str(&route::fragment(target));
    }
    out
}

impl Session {
    /// Lets the address follow to what is selected.
    pub(super) fn show_address(&self) {
        let state = self.state();
        let Some(tab) = state.active() else { return };
        let Some(view) = tab.view() else { return };
        let Some(detail) = view.detail() else { return };
        let target = view.selection.target(&detail.path);
        let address = relative(&tab.origin, target.as_ref(), state.layout.embed);
        let push = self.push.get() || view.selection.via == Via::Jump;
        self.push.set(push);
        let id = tab.id;
        let flag = Rc::clone(&self.push);
        let later = Timer::start(DELAY, move || {
            // Where the history cannot be changed, the address stays as it is.
            let _ = write(id, &address, flag.replace(false));
        });
        *self.address.borrow_mut() = Some(later);
    }
}

/// A sandboxed frame has no history; then the address stays as it is.
fn write(tab: TabId, address: &str, push: bool) -> Option<()> {
    let window = web_sys::window()?;
    let location = window.location();
    let path = location.pathname().ok()?;
    let now = path.clone() + &location.search().ok()? + &location.hash().ok()?;
    let address = path + address;
    let history = window.history().ok()?;
    let state = JsValue::from(tab.0);
    if push && now != address {
        history.push_state_with_url(&state, "", Some(&address)).ok()
    } else {
        history
            .replace_state_with_url(&state, "", Some(&address))
            .ok()
    }
}

/// Follows the Back button, and fragments that are typed.
pub(super) fn listen(session: &Rc<Session>) -> Option<Listener> {
    let here = Rc::clone(session);
    let window = web_sys::window()?;
    Some(Listener::new(&window, "popstate", move |event| {
        if let Ok(event) = event.dyn_into::<PopStateEvent>() {
            go_back(&here, &event);
        }
    }))
}

fn go_back(session: &Rc<Session>, event: &PopStateEvent) {
    let state = session.state();
    let named = event.state().as_f64().map(|id| TabId(id as u32));
    let Some(tab) = named.or(state.active).and_then(|id| state.tab(id)) else {
        return;
    };
    if state.active != Some(tab.id) {
        session.dispatch(Action::Activate(tab.id));
    }
    match read_target() {
        Some(target) => session.follow(tab.id, target),
        None => session.select_root(tab.id, Via::Address),
    }
}
