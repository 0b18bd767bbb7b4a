//! The open files and their decoders: everything that takes time.
//!
//! The state says what is shown, the session brings it about: it asks the decoders and
//! dispatches what they answer. One decoder for each file that has been looked at, so that
//! going back to it costs nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::{AbortController, File};
use yew::prelude::*;

use super::bytes::Cache;
use crate::model::{NodeId, SourceId};
use crate::ui::route::Target;
use crate::ui::state::{Action, State, TabId, View};
use crate::worker::client::Client;
use crate::worker::client_table::Table;
use crate::worker::client_timer::Timer;
use crate::worker::protocol::Row;

/// How long a short message stays, in milliseconds.
const NOTICE: i32 = 4000;

/// What the state cannot hold of the page.
pub struct Session {
    dispatcher: UseReducerDispatcher<State>,
    state: RefCell<Rc<State>>,
    pub(super) live: RefCell<Table<TabId, Rc<Live>>>,
    /// A decoder that was started with the page, for the first file.
    pub(super) spare: RefCell<Option<Client>>,
    pub(super) next: Cell<u32>,
    notice: RefCell<Option<Timer>>,
}

/// What the state cannot hold of a file.
#[derive(Default)]
pub(super) struct Live {
    pub(super) file: RefCell<Option<File>>,
    /// With it the browser gives the file again after it has changed.
    pub(super) handle: RefCell<Option<JsValue>>,
    pub(super) client: RefCell<Option<Client>>,
    /// How often the decoder has died of this file.
    pub(super) deaths: Cell<u32>,
    /// Ends the transfer over the network.
    pub(super) abort: RefCell<Option<AbortController>>,
    /// Where to go as soon as the file is open.
    pub(super) target: RefCell<Option<Target>>,
    /// The pages of rows that were asked for.
    pub(super) asked: RefCell<Table<(NodeId, u64), ()>>,
    /// Counts what was to be selected: only the last one is.
    pub(super) wanted: Cell<u32>,
    pub(super) click: RefCell<Option<Click>>,
    pub(super) cache: Cache,
}

/// A click on a byte: the next one on the same byte selects what is around it.
pub(super) struct Click {
    pub(super) source: SourceId,
    pub(super) offset: u64,
    pub(super) way: Rc<[Row]>,
    pub(super) level: usize,
}

/// The session, for components.
#[derive(Clone)]
pub struct SessionContext(pub Rc<Session>);

impl PartialEq for SessionContext {
    fn eq(&self, other: &SessionContext) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Session {
    /// A session without files.
    pub fn new(dispatcher: UseReducerDispatcher<State>, state: Rc<State>) -> Session {
        Session {
            dispatcher,
            state: RefCell::new(state),
            live: RefCell::new(Table::default()),
            spare: RefCell::new(None),
            next: Cell::new(1),
            notice: RefCell::new(None),
        }
    }

    /// Takes note of the state that is shown now.
    pub fn remember(&self, state: Rc<State>) {
        *self.state.borrow_mut() = state;
    }

    /// The state that is shown.
    pub fn state(&self) -> Rc<State> {
        Rc::clone(&self.state.borrow())
    }

    /// Changes the state.
    pub fn dispatch(&self, action: Action) {
        self.dispatcher.dispatch(action);
    }

    /// Starts a decoder, so that it is ready when the first file comes.
    pub fn warm_up(&self) {
        *self.spare.borrow_mut() = Some(Client::start());
    }

    /// Says something that need not be answered.
    pub fn notice(self: &Rc<Session>, text: impl Into<AttrValue>) {
        self.dispatch(Action::Notice(Some(text.into())));
        let session = Rc::downgrade(self);
        let timer = Timer::start(NOTICE, move || {
            if let Some(session) = session.upgrade() {
                session.dispatch(Action::Notice(None));
            }
        });
        *self.notice.borrow_mut() = Some(timer);
    }

    /// The file that is looked at, if it is shown.
    pub(super) fn active(&self) -> Option<(TabId, Rc<View>)> {
        let state = self.state();
        let tab = state.active()?;
        Some((tab.id, Rc::clone(tab.view()?)))
    }

    pub(super) fn live(&self, tab: TabId) -> Option<Rc<Live>> {
        self.live.borrow().get(tab).cloned()
    }

    pub(super) fn client(&self, tab: TabId) -> Option<Client> {
        self.live(tab)?.client.borrow().clone()
    }
}

/// The session of the page.
///
/// # Panics
///
/// Outside of [`App`](crate::ui::app::App), which provides it.
#[hook]
pub fn use_session() -> Rc<Session> {
    use_context::<SessionContext>()
        .expect("the app provides the session")
        .0
}
