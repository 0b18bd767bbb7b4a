//! The open files and their decoders: everything that takes time.
//!
//! The state says what is shown, the session brings it about: it asks the decoders and
//! dispatches what they answer. One decoder for each file that has been looked at, so that
//! going back to it costs nothing.

pub mod bookmarks;
pub mod bytes;
pub mod cache;
pub mod clipboard;
pub mod code;
pub mod columns;
pub mod compare;
pub mod crash;
pub mod dialog;
pub mod files;
pub mod follow;
pub mod graph;
pub mod guide;
pub mod list;
pub mod marks;
pub mod occupancy;
pub mod open;
pub mod page;
pub mod recent;
pub mod replace;
pub mod run;
pub mod select;
pub mod sides;
pub mod tree;
pub mod verdict;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::{AbortController, Element, File};
use yew::prelude::*;

use super::browser::theme;
use super::hooks::virtual_rows::ScrolledSide;
use super::session::cache::Cache;
use super::session::marks::BookmarkRuntime;
use super::session::page::address::Step;
use super::session::page::embedder::Embedder;
use crate::model::{NodeId, SourceId, Span};
use crate::tables::ListId;
use crate::ui::state::{Action, State, TabId, View};
use crate::ui::text::route::Link;
use crate::worker::client::deaths::Deaths;
use crate::worker::client::timer::Timer;
use crate::worker::client::{Client, ClientError};
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Request, Response, Row};

/// How long a short message stays, in milliseconds.
const NOTICE: i32 = 4000;

/// What the state cannot hold of the page.
pub struct Session {
    dispatcher: UseReducerDispatcher<State>,
    state: RefCell<Rc<State>>,
    pub(crate) live: RefCell<BTreeMap<TabId, Rc<TabRuntime>>>,
    /// A decoder that was started with the page, for the first file.
    pub(crate) spare: RefCell<Option<Client>>,
    pub(crate) next: Cell<u32>,
    notice: RefCell<Option<Timer>>,
    pub(crate) address: RefCell<Option<Timer>>,
    /// The address that follows is one to come back from.
    pub(crate) push: Rc<Cell<bool>>,
    /// Where the address has followed to.
    pub(crate) step: Cell<Option<Step>>,
    /// Goes to the next result of a search, or to the previous one.
    find: RefCell<Option<Find>>,
    /// What has had the focus last.
    pub(crate) focused: RefCell<Option<Element>>,
    /// How often the page was rendered.
    pub(crate) rendered: Cell<u64>,
    /// The file that was in front when the focus was looked at last.
    pub(crate) focused_in: Cell<u64>,
    /// Files are being dragged over the page. The state says so too, but only when it has
    /// been shown: the drop may come before that.
    pub(crate) over: Cell<bool>,
    /// The file that is chosen next is shown instead of this one.
    pub(crate) instead: Cell<Option<TabId>>,
    /// The page that this one stands in.
    pub(crate) embedder: RefCell<Option<Rc<Embedder>>>,
    /// The file that is chosen next is one of bookmarks.
    pub(crate) imports: Cell<bool>,
    /// This file is compared with the one that is chosen next.
    pub(crate) compared: Cell<Option<TabId>>,
    /// The bytes of the file in front, and of the one beside it.
    pub(crate) scrolled: RefCell<[ScrolledSide; 2]>,
}

/// Says whether there is a result to go to; forward or backward.
type Find = Rc<dyn Fn(bool) -> bool>;

/// What the state cannot hold of a file.
#[derive(Default)]
pub(crate) struct TabRuntime {
    pub(crate) file: RefCell<Option<File>>,
    /// With it the browser gives the file again after it has changed.
    pub(crate) handle: RefCell<Option<JsValue>>,
    pub(crate) client: RefCell<Option<Client>>,
    /// Counts how often a decoder was given the file.
    pub(crate) turn: Cell<u32>,
    /// What the file's decoders died of.
    pub(crate) deaths: Rc<RefCell<Deaths>>,
    /// Ends the transfer over the network.
    pub(crate) abort: RefCell<Option<AbortController>>,
    /// What to show as soon as the file is open.
    pub(crate) link: RefCell<Option<Link>>,
    /// The pages of rows that were asked for.
    pub(crate) asked: RefCell<BTreeSet<(TreeOrder, NodeId, u64)>>,
    /// The pages of lists that were asked for: list, generation, number.
    pub(crate) pages: RefCell<BTreeSet<(ListId, u32, u64)>>,
    /// A survey of the images is on its way.
    pub(crate) surveying: Cell<bool>,
    /// Counts what was to be selected: only the last one is.
    pub(crate) wanted: Cell<u32>,
    pub(crate) click: RefCell<Option<Click>>,
    /// What was found last in a text, and the serial of the selection that it will take the
    /// place of: who goes on before that goes on from here.
    pub(crate) found: Cell<Option<(u32, Span)>>,
    pub(crate) cache: Cache,
    /// The decoder has opened the file.
    pub(crate) is_open: Cell<bool>,
    /// The file is compared with this one as soon as both are here.
    pub(crate) base: Cell<Option<TabId>>,
    /// What is marked in it.
    pub(crate) marks: BookmarkRuntime,
    /// A file that is followed is looked at again.
    pub(crate) look: RefCell<Option<Timer>>,
    /// Of a file that is followed, its bytes as they are now, and as they were before the last
    /// change; and the tab in which those were opened.
    pub(crate) copy: RefCell<Option<File>>,
    pub(crate) before: RefCell<Option<File>>,
    pub(crate) before_tab: Cell<Option<TabId>>,
}

impl TabRuntime {
    /// Another number than all before: an older decoder has nothing to say any more.
    pub(crate) fn next_turn(&self) -> u32 {
        self.turn.set(self.turn.get().wrapping_add(1));
        self.turn.get()
    }
}

/// A click on a byte: the next one on the same byte selects what is around it.
pub(crate) struct Click {
    pub(crate) source: SourceId,
    pub(crate) offset: u64,
    pub(crate) ancestry: Rc<[Row]>,
    pub(crate) level: usize,
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
            live: RefCell::default(),
            spare: RefCell::new(None),
            next: Cell::new(1),
            notice: RefCell::new(None),
            address: RefCell::new(None),
            push: Rc::default(),
            step: Cell::new(None),
            find: RefCell::default(),
            focused: RefCell::default(),
            rendered: Cell::new(0),
            focused_in: Cell::new(0),
            over: Cell::new(false),
            instead: Cell::new(None),
            embedder: RefCell::default(),
            imports: Cell::new(false),
            compared: Cell::new(None),
            scrolled: RefCell::default(),
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

    /// Keeps what goes from one result of a search to the next.
    pub fn on_find(&self, step: Box<dyn Fn(bool) -> bool>) {
        *self.find.borrow_mut() = Some(step.into());
    }

    /// Goes to the next result of the last search; says whether there is any.
    pub(crate) fn find_next(&self, forward: bool) -> bool {
        let find = self.find.borrow().clone();
        find.is_some_and(|find| find(forward))
    }

    /// Goes to the next colours.
    pub fn next_theme(&self) {
        let mut layout = self.state().layout;
        layout.theme = layout.theme.next();
        theme::choose(layout.theme);
        self.dispatch(Action::Layout(layout));
    }

    /// Asks a file's decoder for something.
    ///
    /// # Errors
    ///
    /// As [`Client::ask`].
    pub(crate) async fn ask(&self, tab: TabId, request: Request) -> Result<Response, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        client.ask(request).await
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
    pub(crate) fn active(&self) -> Option<(TabId, Rc<View>)> {
        let state = self.state();
        let tab = state.active()?;
        Some((tab.id, Rc::clone(tab.view()?)))
    }

    /// A file, or else the one that is looked at, if it is shown.
    pub(crate) fn file(&self, file: Option<TabId>) -> Option<(TabId, Rc<View>)> {
        match file {
            Some(tab) => Some((tab, self.view(tab)?)),
            None => self.active(),
        }
    }

    /// A file, if it is shown.
    pub(crate) fn view(&self, tab: TabId) -> Option<Rc<View>> {
        self.state().tab(tab)?.view().cloned()
    }

    /// The order in which the tree of a file is shown.
    pub(crate) fn order(&self, tab: TabId) -> TreeOrder {
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view());
        view.map_or(TreeOrder::File, |view| view.order(&state.layout))
    }

    pub(crate) fn live(&self, tab: TabId) -> Option<Rc<TabRuntime>> {
        self.live.borrow().get(&tab).cloned()
    }

    pub(crate) fn client(&self, tab: TabId) -> Option<Client> {
        self.live(tab)?.client.borrow().clone()
    }
}

/// Runs something that takes time.
pub(crate) fn spawn(task: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(task);
}
