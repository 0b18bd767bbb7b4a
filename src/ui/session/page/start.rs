//! Startup of the page, and effects of state changes.

use std::any::Any;
use std::rc::Rc;

use yew::prelude::*;

use super::gate::{self, Giver};
use super::{address, embedder, keys, media};
use crate::ui::browser::{dom, storage, theme};
use crate::ui::hooks::effect::{fingerprint, use_change, use_kept};
use crate::ui::hooks::splitter;
use crate::ui::session::{Session, SessionContext};
use crate::ui::session::{files, run};
use crate::ui::state::commands::Command;
use crate::ui::state::{Action, Layout, PaneSets, Panes, Phase, State, TabId, Theme};
use crate::ui::text::route::{self, Query};
use crate::worker::client::Client;
use crate::worker::protocol::tree_order::TreeOrder;

/// Starts the page: listens to events, starts an idle decoder, opens the files that the URL names.
/// The returned listeners must live as long as the page.
fn begin(session: &Rc<Session>) -> Box<dyn Any> {
    splitter::prepare();
    let query = address::read_query();
    // This must be known before a file is requested.
    let embedder = query.embed.then(|| embedder::listen(session));
    let chosen = query.theme.as_deref().and_then(Theme::named);
    let mut layout = Layout {
        theme: chosen.unwrap_or_else(theme::remembered),
        embed: query.embed,
        hosted: gate::host().is_some(),
        no_padding: storage::load(run::PADDING).is_some(),
        no_defaults: storage::load(run::DEFAULTS).is_some(),
        order: match storage::load(run::ORDER) {
            Some(_) => TreeOrder::Kernels,
            None => TreeOrder::File,
        },
        side_by_side: storage::load(run::SIDES).is_some(),
        unchanged: storage::load(run::UNCHANGED).is_some(),
        panes: panes(&query),
        // A frame that requests a panel shows it where there is room for only one pane.
        upper_is_panel: query.embed,
        ..Layout::default()
    };
    let media = media::listen(session);
    layout.narrow = media.as_ref().is_some_and(media::Watch::holds);
    session.dispatch(Action::Layout(layout));
    *session.spare.borrow_mut() = Some(Client::start());
    // An embedding page has written the address: for readers' files, it does not name any.
    let giver = if query.embed {
        Giver::Embedder
    } else {
        Giver::Reader
    };
    let base = query.base.map(|base| session.open_link(&base, None, giver));
    let mut tabs = Vec::new();
    for url in &query.urls {
        // The fragment belongs to the first file.
        let link = tabs.is_empty().then(address::read_link);
        tabs.push(session.open_link(url, link, giver));
    }
    if let Some(first) = tabs.first() {
        session.opened_by_address(*first);
    }
    match (base, tabs.as_slice()) {
        (Some(base), [tab, ..]) => session.compare(base, *tab),
        (None, [first, _, ..]) => session.dispatch(Action::Activate(*first)),
        _ => {}
    }
    Box::new((
        keys::listen(session),
        address::listen(session),
        files::listen(session),
        media,
        embedder,
    ))
}

/// The panes requested by the embedding page, or else those of the last visit.
fn panes(query: &Query) -> PaneSets {
    let wanted = query.panes.as_deref().and_then(Panes::named);
    match wanted.filter(|_| query.embed) {
        Some(panes) => PaneSets::all(panes),
        None if query.embed => PaneSets::default(),
        None => {
            storage::load(run::PANES).map_or_else(PaneSets::default, |text| PaneSets::read(&text))
        }
    }
}

/// Effects for the file `id` that is shown beside the one in front, with `serial` of its selection.
#[hook]
fn use_beside(session: &Rc<Session>, state: &UseReducerHandle<State>, id: u64, serial: u64) {
    let tab = state.beside();
    let beside = tab.map(|tab| tab.id);
    let number = beside.map_or(0, |id| u64::from(id.0));
    let view = tab.and_then(|tab| tab.view());
    let opening = view.map_or(0, |view| u64::from(view.opening));
    let order = view.map_or(TreeOrder::File, |view| view.order(&state.layout));
    let own = view.map_or(0, |view| u64::from(view.selection.serial));
    let waiting = tab.is_some_and(|tab| tab.phase == Phase::Waiting);
    let here = Rc::clone(session);
    let open = move || match beside {
        Some(tab) if waiting => here.decode(tab),
        Some(tab) => {
            here.load_root(tab);
            here.follow_order(tab);
        }
        None => {}
    };
    let shown = opening << 1 | u64::from(waiting);
    use_change([number, shown, order as u64, 0], Box::new(open));
    let compared = state.active().and_then(|tab| tab.view());
    let is_known = compared.is_none_or(|view| view.compare.knows_differing());
    let result = compared.map_or(0, |view| view.compare.results);
    let here = Rc::clone(session);
    let ask = move || {
        if beside.is_some() && !is_known {
            here.ask_differing(TabId(id as u32));
        }
    };
    use_change(
        [id << 32 | number, is_known.into(), result.into(), 0],
        Box::new(ask),
    );
    let here = Rc::clone(session);
    let ask = move || {
        if let Some(beside) = beside {
            here.renumber_differing(TabId(id as u32), beside);
        }
    };
    let differing = compared.map_or(0, |view| view.compare.differing_of);
    let last = view.map_or(0, |view| view.last_source().0);
    use_change(
        [id << 32 | number, opening, differing.into(), last.into()],
        Box::new(ask),
    );
    let here = Rc::clone(session);
    let follow = move || {
        if let Some(beside) = beside {
            here.keep_in_step(TabId(id as u32), beside);
        }
    };
    use_change([id << 32 | number, opening, serial, own], Box::new(follow));
}

/// Reports changes of the embedding page's file to it. `shown` is the arrangement of the page.
#[hook]
fn use_events(session: &Rc<Session>, state: &UseReducerHandle<State>, shown: u64) {
    let here = Rc::clone(session);
    let told = session.told().and_then(|id| state.tab(id));
    let id = told.map_or(0, |tab| u64::from(tab.id.0));
    let is_front = told.is_some_and(|tab| state.active == Some(tab.id));
    let has_failed = told.is_some_and(|tab| matches!(tab.phase, Phase::Failed(_)));
    let view = told.and_then(|tab| tab.view());
    let is_known = view.is_some_and(|view| view.detail().is_some());
    let opening = view.map_or(0, |view| u64::from(view.opening));
    let serial = view.map_or(0, |view| u64::from(view.selection.serial));
    // The panel's filter is a part of the link; the driver's findings come later.
    let link = view.map_or(0, |view| fingerprint(&route::fragment(&view.link(), None)));
    let found = view.and_then(|view| view.driver_verdict());
    let found = found.map_or(0, |verdict| verdict.findings.len() as u64 + 1);
    let flags = [is_front, has_failed, is_known].into_iter();
    let flags = flags.fold(id, |all, flag| all << 1 | u64::from(flag));
    use_change(
        [flags, opening << 32 | serial, found << 32 ^ link, shown],
        Box::new(move || here.post_to_embedder()),
    );
}

/// The session of the page, with the effects of state changes.
#[hook]
pub fn use_session(state: &UseReducerHandle<State>) -> SessionContext {
    let dispatcher = state.dispatcher();
    let kept = use_mut_ref(|| None::<Rc<Session>>);
    let session = Rc::clone(
        kept.borrow_mut()
            .get_or_insert_with(|| Rc::new(Session::new(dispatcher, Rc::new(State::default())))),
    );
    session.remember(Rc::new((**state).clone()));

    let here = Rc::clone(&session);
    use_kept(Box::new(move || begin(&here)));

    let tab = state.active();
    let id = tab.map_or(0, |tab| u64::from(tab.id.0));
    let view = tab.and_then(|tab| tab.view());
    let opening = view.map_or(0, |view| u64::from(view.opening));
    let serial = view.map_or(0, |view| u64::from(view.selection.serial));
    let is_known = view.is_some_and(|view| view.detail().is_some());
    let waiting = tab.is_some_and(|tab| tab.phase == Phase::Waiting);

    // A file is decoded when it is first shown.
    let here = Rc::clone(&session);
    let decode = Box::new(move || {
        if waiting {
            here.decode(TabId(id as u32));
        }
    });
    use_change([id, waiting.into(), 0, 0], decode);
    let here = Rc::clone(&session);
    use_change(
        [id, opening, 0, 0],
        Box::new(move || here.load_root(TabId(id as u32))),
    );
    let here = Rc::clone(&session);
    let order = view.map_or(TreeOrder::File, |view| view.order(&state.layout));
    let path = view.and_then(|view| view.selection.path_in(order));
    // A selection made in the other order has no path in this one yet.
    let is_lost = is_known && path.is_none();
    use_change(
        [id, opening, order as u64, is_lost.into()],
        Box::new(move || here.follow_order(TabId(id as u32))),
    );
    use_beside(&session, state, id, serial);
    let here = Rc::clone(&session);
    use_change(
        [id, opening, serial, 0],
        Box::new(move || here.follow_verdict()),
    );
    let here = Rc::clone(&session);
    let link = view.map(|view| route::fragment(&view.link(), None));
    let link = link.map_or(0, |link| fingerprint(&link));
    use_change(
        [id << 1 | u64::from(is_known), opening, serial, link],
        Box::new(move || here.show_address()),
    );
    let here = Rc::clone(&session);
    let layout = &state.layout;
    let failed = tab.is_some_and(|tab| matches!(tab.phase, Phase::Failed(_)));
    let flags = [
        layout.narrow,
        layout.upper_is_panel,
        failed,
        state.dialog.is_some(),
    ];
    let panel = view.map_or(0, |view| view.panel.number() as u64 + 1);
    let shown = flags
        .into_iter()
        .fold(panel, |all, flag| all << 1 | u64::from(flag));
    use_events(&session, state, shown);
    let current = view.map(|view| view.current_panel());
    // The tab bar may be wider than the window.
    let reveal = move || {
        if let Some(panel) = current {
            dom::show_tab(&Command::Panel(panel).tab());
        }
    };
    use_change(
        [
            id,
            opening,
            current.map_or(0, |panel| panel.number() as u64),
            0,
        ],
        Box::new(reveal),
    );
    let keep_focus = move || {
        let is_other_file = here.focused_in.replace(id) != id;
        if is_other_file {
            dom::show_tab(&TabId(id as u32).element());
        }
        if here.focused.borrow().is_some() {
            dom::restore_focus(is_other_file);
        }
    };
    use_change([id, opening, shown, 0], Box::new(keep_focus));
    // The focused element may vanish later, when a response arrives.
    let here = Rc::clone(&session);
    let rendered = session.rendered.get().wrapping_add(1);
    session.rendered.set(rendered);
    let keep_focus = move || {
        let focused = here.focused.borrow().clone();
        if focused.is_some_and(|element| !element.is_connected()) {
            dom::restore_focus(false);
        }
    };
    use_change([rendered, 0, 0, 0], Box::new(keep_focus));
    SessionContext(session)
}
