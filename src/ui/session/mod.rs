//! The open files and their decoders: everything asynchronous.
//!
//! `State` describes the page; the session talks to the decoders and dispatches their responses.
//! Each visited file has its own decoder, so that returning to it is instant.

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
pub mod occupancy;
pub mod open;
pub mod page;
pub mod recent;
pub mod replace;
pub mod run;
pub mod search;
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
use super::session::bookmarks::BookmarkRuntime;
use super::session::cache::Cache;
use super::session::page::address::Step;
use super::session::page::embedder::Embedder;
use super::session::page::gate::{Content, Giver};
use crate::model::{NodeId, SourceId, Span};
use crate::tables::ListId;
use crate::ui::state::code::CodeChange;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, State, TabId, View};
use crate::ui::text::route::Link;
use crate::worker::client::crash_log::CrashLog;
use crate::worker::client::timer::Timer;
use crate::worker::client::{Client, ClientError};
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Request, Response, Row};

/// Duration of a short message, in milliseconds.
const NOTICE: i32 = 4000;

/// Page state that is not part of `State`: decoders, timers, focus.
pub struct Session {
    dispatcher: UseReducerDispatcher<State>,
    state: RefCell<Rc<State>>,
    pub(crate) live: RefCell<BTreeMap<TabId, Rc<TabRuntime>>>,
    /// An idle decoder, started early for the first file.
    pub(crate) spare: RefCell<Option<Client>>,
    pub(crate) next: Cell<u32>,
    notice: RefCell<Option<Timer>>,
    pub(crate) address: RefCell<Option<Timer>>,
    /// Whether the next address gets its own history entry.
    pub(crate) push: Rc<Cell<bool>>,
    /// The address that was written last.
    pub(crate) step: Cell<Option<Step>>,
    /// Moves to the next or previous search result.
    find: RefCell<Option<Find>>,
    /// Asks for something to do, in the search field.
    ask_command: RefCell<Option<Rc<dyn Fn()>>>,
    /// The element that had the focus last.
    pub(crate) focused: RefCell<Option<Element>>,
    /// Number of renders of the page.
    pub(crate) rendered: Cell<u64>,
    /// The file in front at the last focus check.
    pub(crate) focused_in: Cell<u64>,
    /// Whether files are being dragged over the page. `State` has it only after a render, and the
    /// drop may come earlier.
    pub(crate) is_dragging: Cell<bool>,
    /// The next chosen file replaces this one.
    pub(crate) instead: Cell<Option<TabId>>,
    /// The embedding page.
    pub(crate) embedder: RefCell<Option<Rc<Embedder>>>,
    /// The next chosen file contains bookmarks.
    pub(crate) imports: Cell<bool>,
    /// This file is compared with the next chosen one.
    pub(crate) compared: Cell<Option<TabId>>,
    /// Scroll synchronization of the bytes of the two compared files.
    pub(crate) scrolled: RefCell<[ScrolledSide; 2]>,
}

/// Moves to a search result, forward or backward; returns whether there is one.
type Find = Rc<dyn Fn(bool) -> bool>;

/// A profile that is added once its file is open.
pub(crate) struct WaitingProfile {
    pub(crate) file: File,
    /// Whether other files of the same run follow.
    pub(crate) is_part: bool,
}

/// Per-file state that is not part of `State`.
#[derive(Default)]
pub(crate) struct TabRuntime {
    pub(crate) content: Content,
    /// The encoding of the file, if the user opened it as code without a container.
    pub(crate) encoding: RefCell<Option<String>>,
    /// Lets the browser read the file again after it has changed.
    pub(crate) handle: RefCell<Option<JsValue>>,
    pub(crate) client: RefCell<Option<Client>>,
    /// Number of decoders that were given the file.
    pub(crate) turn: Cell<u32>,
    /// Requests that crashed the file's decoders.
    pub(crate) crashes: Rc<RefCell<CrashLog>>,
    /// Aborts the download.
    pub(crate) abort: RefCell<Option<AbortController>>,
    /// The link to follow once the file is open.
    pub(crate) link: RefCell<Option<Link>>,
    /// Bytes to select once the file is open: it is the first file of a comparison with that tab.
    pub(crate) selected_once_open: Cell<Option<(TabId, Span, SelectionOrigin)>>,
    /// Pending pages of tree rows.
    pub(crate) pending_rows: RefCell<BTreeSet<(TreeOrder, NodeId, u64)>>,
    /// Pending pages of lists: list, generation, page number.
    pub(crate) pages: RefCell<BTreeSet<(ListId, u32, u64)>>,
    /// Data flow that is shown with the first rows of its code.
    pub(crate) flow: RefCell<Option<CodeChange>>,
    /// The pending row of a selection: list, selection, generation.
    pub(crate) pending_row: Cell<Option<(ListId, u32, u32)>>,
    /// Whether a survey of the images is pending.
    pub(crate) surveying: Cell<bool>,
    /// Number of selection requests; only the latest takes effect.
    pub(crate) last_selection: Cell<u32>,
    /// The id of the embedding page's message that causes the next one.
    pub(crate) request: RefCell<JsValue>,
    pub(crate) click: RefCell<Option<Click>>,
    /// The last match in a text, and the serial of the selection it will cause: moving on before
    /// that continues from here.
    pub(crate) found: Cell<Option<(u32, Span)>>,
    pub(crate) cache: Cache,
    /// Whether the decoder has opened the file.
    pub(crate) is_open: Cell<bool>,
    /// The comparison that starts once both files are loaded.
    pub(crate) base: Cell<Option<TabId>>,
    /// Number of comparisons so far.
    pub(crate) compared: Cell<u32>,
    /// The profiles that are added once the file is open, the last one first.
    pub(crate) profiles: RefCell<Vec<WaitingProfile>>,
    /// The source files that were dropped with the file, to be added once it is open.
    pub(crate) sources: RefCell<Vec<File>>,
    /// The profile with samples that was added last.
    pub(crate) sampled: RefCell<Option<File>>,
    /// Whether the profile that is read is not the last file of a run.
    pub(crate) is_run: Cell<bool>,
    /// Number of profiles that were begun or canceled.
    pub(crate) profile_turn: Cell<u32>,
    /// Its bookmarks.
    pub(crate) marks: BookmarkRuntime,
    /// Timer that polls a watched file.
    pub(crate) poll: RefCell<Option<Timer>>,
    /// For a watched file: its current bytes, its bytes before the last change, and the tab that
    /// shows the latter.
    pub(crate) copy: RefCell<Option<File>>,
    pub(crate) before: RefCell<Option<File>>,
    pub(crate) before_tab: Cell<Option<TabId>>,
}

impl TabRuntime {
    /// That of a file from `giver`.
    pub(crate) fn of(giver: Giver) -> TabRuntime {
        TabRuntime {
            content: Content::of(giver),
            ..TabRuntime::default()
        }
    }

    /// Invalidates responses of earlier decoders.
    pub(crate) fn next_turn(&self) -> u32 {
        self.turn.set(self.turn.get().wrapping_add(1));
        self.turn.get()
    }
}

/// The last clicked byte: a second click selects what encloses it.
pub(crate) struct Click {
    pub(crate) source: SourceId,
    pub(crate) offset: u64,
    pub(crate) ancestry: Rc<[Row]>,
    pub(crate) level: usize,
}

/// The session's handle for components.
#[derive(Clone)]
pub struct SessionContext(pub Rc<Session>);

impl PartialEq for SessionContext {
    fn eq(&self, other: &SessionContext) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Session {
    /// Creates a session without files.
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
            ask_command: RefCell::default(),
            find: RefCell::default(),
            focused: RefCell::default(),
            rendered: Cell::new(0),
            focused_in: Cell::new(0),
            is_dragging: Cell::new(false),
            instead: Cell::new(None),
            embedder: RefCell::default(),
            imports: Cell::new(false),
            compared: Cell::new(None),
            scrolled: RefCell::default(),
        }
    }

    /// Takes the state of the current render.
    pub fn remember(&self, state: Rc<State>) {
        *self.state.borrow_mut() = state;
    }

    /// The rendered state.
    pub fn state(&self) -> Rc<State> {
        Rc::clone(&self.state.borrow())
    }

    /// Dispatches an action.
    pub fn dispatch(&self, action: Action) {
        self.dispatcher.dispatch(action);
    }

    /// Sets the function that moves between search results.
    pub fn on_find(&self, step: Box<dyn Fn(bool) -> bool>) {
        *self.find.borrow_mut() = Some(step.into());
    }

    /// Sets the function that asks for something to do.
    pub fn on_ask_command(&self, ask: Box<dyn Fn()>) {
        *self.ask_command.borrow_mut() = Some(ask.into());
    }

    /// Asks for something to do.
    pub(crate) fn ask_command(&self) {
        let ask = self.ask_command.borrow().clone();
        if let Some(ask) = ask {
            ask();
        }
    }

    /// Moves to the next result of the last search; returns whether there is any.
    pub(crate) fn find_next(&self, forward: bool) -> bool {
        let find = self.find.borrow().clone();
        find.is_some_and(|find| find(forward))
    }

    /// Switches to the next theme.
    pub fn next_theme(&self) {
        let mut layout = self.state().layout;
        layout.theme = layout.theme.next();
        theme::choose(layout.theme);
        self.dispatch(Action::Layout(layout));
    }

    /// Sends a request to a file's decoder.
    ///
    /// # Errors
    ///
    /// Like [`Client::ask`].
    pub(crate) async fn ask(&self, tab: TabId, request: Request) -> Result<Response, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        client.ask(request).await
    }

    /// Shows a short message.
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

    /// The file in front, if it is loaded.
    pub(crate) fn active(&self) -> Option<(TabId, Rc<View>)> {
        let state = self.state();
        let tab = state.active()?;
        Some((tab.id, Rc::clone(tab.view()?)))
    }

    /// A file, or else the one in front, if it is loaded.
    pub(crate) fn file(&self, file: Option<TabId>) -> Option<(TabId, Rc<View>)> {
        match file {
            Some(tab) => Some((tab, self.view(tab)?)),
            None => self.active(),
        }
    }

    /// A file, if it is loaded.
    pub(crate) fn view(&self, tab: TabId) -> Option<Rc<View>> {
        self.state().tab(tab)?.view().cloned()
    }

    /// The tree order of a file.
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

/// Spawns a future.
pub(crate) fn spawn(task: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(task);
}
