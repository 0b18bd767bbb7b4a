//! The address shows what is selected, and the Back button goes back to what was.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::PopStateEvent;
use yew::prelude::*;

use super::listener::Listener;
use super::session::{Session, use_session};
use crate::model::NodeId;
use crate::ui::route::{self, Query, Target};
use crate::ui::selection::{Selection, Via};
use crate::ui::state::{Action, Origin, TabId};
use crate::worker::client_timer::Timer;

/// The address follows after so many milliseconds: browsers refuse too many changes.
const DELAY: i32 = 200;

/// What the address's query asks for.
pub fn read_query() -> Query {
    if cfg!(not(target_arch = "wasm32")) {
        return Query::default();
    }
    web_sys::window()
        .and_then(|window| window.location().search().ok())
        .map(|text| route::parse_query(&text))
        .unwrap_or_default()
}

/// What the address's fragment points to.
pub fn read_target() -> Option<Target> {
    let hash = web_sys::window()?.location().hash().ok()?;
    route::parse_fragment(&hash)
}

/// The address of what is selected, as somebody else can open it; without the file, where
/// that is only here.
pub fn link_to(origin: &Origin, target: Option<&Target>) -> String {
    let page = web_sys::window().and_then(|window| {
        let location = window.location();
        Some(location.origin().ok()? + &location.pathname().ok()?)
    });
    page.unwrap_or_default() + &relative(origin, target, false)
}

/// The address of this page without `embed`.
pub fn without_embed(origin: &Origin) -> String {
    link_to(origin, read_target().as_ref())
}

fn relative(origin: &Origin, target: Option<&Target>, embed: bool) -> String {
    let mut out = match origin {
        Origin::Link(url) => route::query(url),
        Origin::Local => String::new(),
    };
    if embed {
        out.push_str(if out.is_empty() { "?embed=1" } else { "&embed=1" });
    }
    if let Some(target) = target {
        out.push_str(&route::fragment(target));
    }
    out
}

/// Keeps the address at what is selected; `path` is the path of the selected node, once it
/// is known.
#[hook]
pub fn use_address(
    tab: TabId,
    origin: &Origin,
    selection: &Selection,
    path: Option<&str>,
    embed: bool,
) {
    let timer = use_mut_ref(|| None::<Timer>);
    let push = use_memo((), |()| Cell::new(false));
    let address = path.map(|path| relative(origin, selection.target(path).as_ref(), embed));
    let via = selection.via;
    use_effect_with((tab, address), move |(tab, address)| {
        let Some(address) = address.clone() else { return };
        push.set(push.get() || via == Via::Jump);
        let tab = *tab;
        let later = Timer::start(DELAY, move || {
            // Where the history cannot be changed, the address stays as it is.
            let _ = write(tab, &address, push.replace(false));
        });
        *timer.borrow_mut() = Some(later);
    });
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
        history.replace_state_with_url(&state, "", Some(&address)).ok()
    }
}

/// Follows the Back button, and fragments that are typed.
#[hook]
pub fn use_back() {
    let session = use_session();
    use_effect_with((), move |()| {
        let listener = web_sys::window().map(|window| {
            Listener::new(&window, "popstate", move |event| {
                if let Ok(event) = event.dyn_into::<PopStateEvent>() {
                    go_back(&session, &event);
                }
            })
        });
        move || drop(listener)
    });
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
        None => {
            if let Some(view) = tab.view() {
                let root = Selection::root(view.opened.root.span);
                debug_assert_eq!(root.node_id(), NodeId::ROOT);
                session.dispatch(Action::Select(tab.id, root));
            }
        }
    }
}
