//! The page begins here, and what follows when its state has changed.

use std::any::Any;
use std::rc::Rc;

use yew::prelude::*;

use super::effect::{use_change, use_kept};
use super::session::{Session, SessionContext};
use super::{address, files, keys, media, splitter, theme};
use crate::ui::state::{Action, Layout, Phase, State, TabId};
use crate::worker::client::Client;

/// Begins: listens to the page, starts a decoder for the first file, opens what the address asks
/// for. What it returns is to be kept as long as the page is.
fn begin(session: &Rc<Session>) -> Box<dyn Any> {
    splitter::prepare();
    let query = address::read_query();
    let mut layout = Layout {
        theme: theme::remembered(),
        embed: query.embed,
        ..Layout::default()
    };
    let media = media::listen(session);
    layout.narrow = media.as_ref().is_some_and(media::Watch::holds);
    session.dispatch(Action::Layout(layout));
    *session.spare.borrow_mut() = Some(Client::start());
    if let Some(url) = query.url {
        session.open_link(&url, address::read_target());
    }
    Box::new((
        keys::listen(session),
        address::listen(session),
        files::listen(session),
        media,
    ))
}

/// The session of the page, and what follows when its state has changed.
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

    // A file is decoded when somebody looks at it.
    let here = Rc::clone(&session);
    let decode = Box::new(move || {
        if waiting {
            here.decode(TabId(id as u32));
        }
    });
    use_change([id, waiting.into(), 0, 0], decode);
    let here = Rc::clone(&session);
    use_change([id, opening, 0, 0], Box::new(move || here.load_root()));
    let here = Rc::clone(&session);
    use_change(
        [id, opening, serial, 0],
        Box::new(move || here.follow_verdict()),
    );
    let here = Rc::clone(&session);
    use_change(
        [id, opening, serial, is_known.into()],
        Box::new(move || here.show_address()),
    );
    SessionContext(session)
}
