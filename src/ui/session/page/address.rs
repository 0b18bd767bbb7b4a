//! The URL follows the selection, and the Back button restores it.

use std::rc::Rc;

use crate::ui::browser::listener::Listener;
use crate::ui::session::Session;
use crate::ui::session::page::gate;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, Origin, PanelId, State, Tab, TabId};
use crate::ui::text::route::{self, Link, Query, Target};
use crate::worker::client::timer::Timer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::PopStateEvent;

/// Delay of the update in milliseconds: browsers limit the rate of history changes.
const DELAY: i32 = 200;

/// The history state of the start page.
const START: TabId = TabId(0);

/// Applies the URL's query. The URL of a frame with `srcdoc` has none, so it is an attribute of the
/// root element there.
pub(crate) fn read_query() -> Query {
    // The query of its document belongs to the host.
    if gate::host().is_some() {
        return Query {
            embed: true,
            ..Query::default()
        };
    }
    let query = web_sys::window().and_then(|window| {
        let query = window.location().search().ok()?;
        let root = || window.document()?.document_element();
        match query.as_str() {
            "" => root()?.get_attribute("data-query"),
            _ => Some(query),
        }
    });
    query
        .map(|text| route::parse_query(&text))
        .unwrap_or_default()
}

fn read_hash() -> String {
    if cfg!(not(target_arch = "wasm32")) {
        return String::new();
    }
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.unwrap_or_default()
}

/// Applies the URL's fragment.
pub(crate) fn read_link() -> Link {
    route::parse_fragment(&read_hash())
}

/// What the start page waits for: the name of a file, and the target of a link. Without a name in the
/// address, it is the local file that was open before a reload.
pub fn waits_for() -> (Option<String>, Option<Target>) {
    let name = route::parse_file_name(&read_hash());
    (name.or_else(opened_before), read_link().target)
}

fn opened_before() -> Option<String> {
    if cfg!(not(target_arch = "wasm32")) {
        return None;
    }
    let state = web_sys::window()?.history().ok()?.state().ok()?;
    let (_, name) = parse_entry(&state)?;
    (!name.is_empty()).then_some(name)
}

/// The state of a history entry: the tab, and the name of its file if that is local.
fn entry(tab: TabId, file: Option<&str>) -> JsValue {
    JsValue::from_str(&format!("{} {}", tab.0, file.unwrap_or_default()))
}

fn parse_entry(state: &JsValue) -> Option<(TabId, String)> {
    let text = state.as_string()?;
    let (id, name) = text.split_once(' ')?;
    Some((TabId(id.parse().ok()?), name.to_owned()))
}

fn local_name(tab: &Tab) -> Option<&str> {
    (tab.origin == Origin::Local).then_some(&*tab.name)
}

/// A URL of the selection and view for others; includes the file name if the file is local.
pub fn link_to(tab: &Tab) -> String {
    page_address() + &relative(tab, local_name(tab), false)
}

fn page_address() -> String {
    if cfg!(not(target_arch = "wasm32")) {
        return String::new();
    }
    let page = web_sys::window().and_then(|window| {
        let location = window.location();
        // A frame with `srcdoc` has no address.
        let origin = location.origin().ok().filter(|origin| origin != "null")?;
        Some(origin + &location.pathname().ok()?)
    });
    page.unwrap_or_default()
}

fn relative(tab: &Tab, file: Option<&str>, embed: bool) -> String {
    let view = tab.view();
    let link = view.map(|view| view.link()).unwrap_or_default();
    let base = view.and_then(|view| view.compare.base.as_ref()?.url.clone());
    let mut out = match (&tab.origin, base) {
        (Origin::Link(url), Some(base)) => route::pair_query(&base, url),
        (Origin::Link(url), None) => route::query(url),
        (Origin::Local, _) => String::new(),
    };
    if embed {
        out.push_str(if out.is_empty() {
            "?embed=1"
        } else {
            "&embed=1"
        });
    }
    out + &route::fragment(&link, file)
}

/// A URL of the selection and view in a file.
fn address_of(state: &State, tab: &Tab, is_private: bool) -> String {
    if is_private {
        // A frame that is loaded again must not take the file for one of the embedding page.
        let link = tab.view().map(|view| view.link()).unwrap_or_default();
        return start_address(state).to_owned() + &route::fragment(&link, None);
    }
    relative(tab, None, state.layout.embed)
}

/// The address of the start page.
fn start_address(state: &State) -> &'static str {
    if state.layout.embed { "?embed=1" } else { "" }
}

impl Session {
    /// Updates the URL to the selection and view. Jumps and panel changes get a history entry;
    /// filter changes do not.
    pub(crate) fn show_address(&self) {
        let state = self.state();
        let Some(tab) = state.active() else { return };
        let Some(view) = tab.view() else { return };
        if view.detail().is_none() {
            return;
        }
        let is_private = self.is_private(tab.id);
        let address = address_of(&state, tab, is_private);
        let now = Step {
            opening: view.opening,
            serial: view.selection.serial,
            panel: view.panel,
        };
        let jumped = view.selection.origin == SelectionOrigin::Jump;
        let push = match self.step.replace(Some(now)) {
            Some(before) if before.opening == now.opening => {
                (jumped && before.serial != now.serial) || before.panel != now.panel
            }
            _ => jumped,
        };
        // The embedding page can read the length of the history.
        self.push.set(!is_private && (push || self.push.get()));
        let entry = entry(tab.id, local_name(tab));
        let flag = Rc::clone(&self.push);
        let later = Timer::start(DELAY, move || {
            // If the history cannot be changed, the URL stays as it is.
            let _ = write(&entry, &address, flag.replace(false));
        });
        *self.address.borrow_mut() = Some(later);
    }

    /// Shows the start page. Back returns to the file that was in front.
    pub(crate) fn go_home(&self) {
        let state = self.state();
        if let Some(tab) = state.active() {
            self.address.take();
            self.push.set(false);
            // Write the pending URL first, so that Back leads to it.
            let shown = entry(tab.id, local_name(tab));
            let address = address_of(&state, tab, self.is_private(tab.id));
            let _ = write(&shown, &address, false);
            let _ = write(&entry(START, None), start_address(&state), true);
            self.dispatch(Action::Home);
        }
    }

    /// Returns to the address of the start page, after the last file is closed.
    pub(crate) fn forget_address(&self) {
        self.address.take();
        let _ = write(&entry(START, None), start_address(&self.state()), false);
    }

    /// Follows a link in an open file.
    pub(crate) fn follow_link(self: &Rc<Self>, tab: TabId, link: Link) {
        let device = link.shown.device.clone();
        let says_all = !link.shown.panel.is_empty();
        self.say_wrong_panel(&link);
        self.dispatch(Action::Show(tab, link.shown));
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view());
        if let Some(view) = view.filter(|_| says_all || !device.is_empty())
            && let Some(document) = view.verdict.document()
            && view.verdict.device.as_deref().unwrap_or_default() != device
        {
            let device = (!device.is_empty()).then(|| device.into());
            self.ask_verdict(tab, document, device);
        }
        match link.target {
            Some(target) => self.follow(tab, target),
            None if view.is_some() => self.select_root(tab, SelectionOrigin::Address),
            None => self.ask_root(tab),
        }
    }

    fn say_wrong_panel(self: &Rc<Self>, link: &Link) {
        if let Some(why) = PanelId::wrong_name(&link.shown.panel) {
            self.notice(format!("The link is wrong: {why}"));
        }
    }

    /// Follows a link in a file that was opened just now, before the state contains it.
    pub(crate) fn follow_first_link(self: &Rc<Self>, tab: TabId, link: Link) {
        self.say_wrong_panel(&link);
        self.dispatch(Action::Show(tab, link.shown));
        match link.target {
            Some(target) => self.follow(tab, target),
            None => self.ask_root(tab),
        }
    }
}

/// The written address. The `opening` belongs to one tab.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    opening: u32,
    serial: u32,
    panel: PanelId,
}

/// The history; sandboxed frames have none, and then the URL stays as it is.
fn write(entry: &JsValue, address: &str, push: bool) -> Option<()> {
    let window = web_sys::window()?;
    let location = window.location();
    let path = location.pathname().ok()?;
    let now = path.clone() + &location.search().ok()? + &location.hash().ok()?;
    let address = path + address;
    let history = window.history().ok()?;
    // On the start page, a link may point to a dropped file that is open.
    let home = parse_entry(entry).is_some_and(|(tab, _)| tab == START);
    if push && (now != address || home) {
        history.push_state_with_url(entry, "", Some(&address)).ok()
    } else {
        history
            .replace_state_with_url(entry, "", Some(&address))
            .ok()
    }
}

/// Handles the Back button and typed fragments.
pub(crate) fn listen(session: &Rc<Session>) -> Option<Listener> {
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
    let named = parse_entry(&event.state()).map(|(id, _)| id);
    if named == Some(START) {
        session.address.take();
        return session.dispatch(Action::Home);
    }
    let Some(tab) = named.or(state.active).and_then(|id| state.tab(id)) else {
        return;
    };
    if state.active != Some(tab.id) {
        session.dispatch(Action::Activate(tab.id));
    }
    let mut link = read_link();
    // Our own URLs are complete; a typed one only names its target.
    if (named.is_some() || link == Link::default()) && link.shown.panel.is_empty() {
        link.shown.panel = PanelId::default().name().to_owned();
    }
    session.push.set(false);
    let panel = PanelId::named(&link.shown.panel);
    let step = tab.view().map(|view| Step {
        opening: view.opening,
        serial: view.selection.serial,
        panel: panel.unwrap_or(view.panel),
    });
    session.step.set(step);
    session.follow_link(tab.id, link);
}
