//! The open files and their decoders: everything that takes time.
//!
//! The state says what is shown, the session brings it about: it asks the decoders and
//! dispatches what they answer. One decoder for each file that has been looked at, so that
//! going back to it costs nothing.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::{AbortController, File};
use yew::prelude::*;

use super::bytes::Cache;
use super::effect::{address as address_of, use_change, use_kept};
use super::{address, files, keys, media, splitter, theme};
use crate::model::linkage::list::ListId;
use crate::model::{NodeId, SourceId, Span};
use crate::ui::route::Target;
use crate::ui::state::{Action, Layout, Phase, State, TabId, View};
use crate::worker::client::Client;
use crate::worker::client_table::Table;
use crate::worker::client_timer::Timer;
use crate::worker::deaths::Deaths;
use crate::worker::protocol::Row;

/// So many bytes are read for the readings of a selection.
const PREVIEW: u64 = 64;
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
    pub(super) address: RefCell<Option<Timer>>,
    /// The address that follows is one to come back from.
    pub(super) push: Rc<Cell<bool>>,
    /// Files are being dragged over the page. The state says so too, but only when it has
    /// been shown: the drop may come before that.
    pub(super) over: Cell<bool>,
    /// The file that is chosen next is shown instead of this one.
    pub(super) instead: Cell<Option<TabId>>,
}

/// What the state cannot hold of a file.
#[derive(Default)]
pub(super) struct Live {
    pub(super) file: RefCell<Option<File>>,
    /// With it the browser gives the file again after it has changed.
    pub(super) handle: RefCell<Option<JsValue>>,
    pub(super) client: RefCell<Option<Client>>,
    /// What the file's decoders died of.
    pub(super) deaths: Rc<RefCell<Deaths>>,
    /// Ends the transfer over the network.
    pub(super) abort: RefCell<Option<AbortController>>,
    /// Where to go as soon as the file is open.
    pub(super) target: RefCell<Option<Target>>,
    /// The pages of rows that were asked for.
    pub(super) asked: RefCell<Table<(NodeId, u64), ()>>,
    /// The pages of kernels that were asked for, by generation.
    pub(super) kernel_pages: RefCell<Table<(u32, u64), ()>>,
    /// The pages of lists that were asked for.
    pub(super) pages: RefCell<Table<AskedPage, ()>>,
    /// The pages of modules that were asked for, by generation.
    pub(super) module_pages: RefCell<Table<(u32, u64), ()>>,
    /// Counts what was to be selected: only the last one is.
    pub(super) wanted: Cell<u32>,
    pub(super) click: RefCell<Option<Click>>,
    /// What was found last in a text, and the serial of the selection that it will take the
    /// place of: who goes on before that goes on from here.
    pub(super) found: Cell<Option<(u32, Span)>>,
    pub(super) cache: Cache,
}

/// A page of a list: its generation and its number.
pub(super) type AskedPage = (ListId, u32, u64);

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
            address: RefCell::new(None),
            push: Rc::default(),
            over: Cell::new(false),
            instead: Cell::new(None),
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

    /// Begins: listens to the page, starts a decoder for the first file, opens what the
    /// address asks for. What it returns is to be kept as long as the page is.
    pub(super) fn begin_page(self: &Rc<Session>) -> Box<dyn Any> {
        splitter::prepare();
        let query = address::read_query();
        let mut layout = Layout {
            theme: theme::remembered(),
            embed: query.embed,
            ..Layout::default()
        };
        let media = media::listen(self);
        layout.narrow = media.as_ref().is_some_and(media::Watch::holds);
        self.dispatch(Action::Layout(layout));
        *self.spare.borrow_mut() = Some(Client::start());
        if let Some(url) = query.url {
            self.open_link(&url, address::read_target());
        }
        Box::new((
            keys::listen(self),
            address::listen(self),
            files::listen(self),
            media,
        ))
    }

    /// Goes to the next colours.
    pub fn next_theme(&self) {
        let mut layout = self.state().layout;
        layout.theme = layout.theme.next();
        theme::choose(layout.theme);
        self.dispatch(Action::Layout(layout));
    }

    /// Asks for everything about what is selected now.
    pub(super) fn load_selection(self: &Rc<Session>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let (node, span) = (view.selection.node_id(), view.selection.span);
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            if view.detail().is_none() {
                match session.detail(tab, node).await {
                    Ok(detail) => session.dispatch(Action::Detail(tab, Rc::new(detail))),
                    Err(error) => session.trouble(tab, &error),
                }
            }
            if let Some(span) = span.filter(|span| !span.is_empty()) {
                match session.read(tab, span.sub(0, PREVIEW)).await {
                    Ok(piece) => {
                        session.dispatch(Action::Preview(tab, span, piece.bytes.into()));
                    }
                    Err(error) => session.trouble(tab, &error),
                }
            }
        }));
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

/// Runs something that takes time.
pub(super) fn spawn(task: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(task);
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
    use_kept(Box::new(move || here.begin_page()));

    let tab = state.active();
    let id = tab.map_or(0, |tab| u64::from(tab.id.0));
    let view = tab.and_then(|tab| tab.view());
    let opened = view.map_or(0, |view| address_of(&view.opened));
    let serial = view.map_or(0, |view| u64::from(view.selection.serial));
    let detail = view
        .and_then(|view| view.detail.as_ref())
        .map_or(0, address_of);
    let waiting = tab.is_some_and(|tab| tab.phase == Phase::Waiting);

    // A file is decoded when somebody looks at it.
    let here = Rc::clone(&session);
    let begin = Box::new(move || {
        if waiting {
            here.begin(TabId(id as u32));
        }
    });
    use_change([id, waiting.into(), 0, 0], begin);
    let here = Rc::clone(&session);
    use_change([id, opened, 0, 0], Box::new(move || here.load_root()));
    let here = Rc::clone(&session);
    use_change(
        [id, opened, serial, 0],
        Box::new(move || {
            here.load_selection();
            here.follow_verdict();
        }),
    );
    let here = Rc::clone(&session);
    use_change(
        [id, opened, serial, detail],
        Box::new(move || here.show_address()),
    );
    SessionContext(session)
}
