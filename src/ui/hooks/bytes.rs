//! The bytes that are in view, fetched in pieces and kept for a while.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::session::{Session, use_session};
use crate::model::{SourceId, Span};
use crate::ui::state::TabId;
use crate::worker::client_table::Table;
use crate::worker::client::{ClientError, Piece};

/// The bytes are asked for in pieces of this size.
pub const CHUNK: u64 = 4096;
/// So many pieces are kept of each file.
const KEEP: usize = 48;

type Key = (SourceId, u64);

/// Pieces of one file, by number.
pub type Pieces = Table<u64, Rc<Piece>>;

/// The pieces that were fetched lately.
#[derive(Default)]
pub(super) struct Cache {
    pieces: RefCell<Table<Key, (u32, Rc<Piece>)>>,
    asked: RefCell<Table<Key, ()>>,
    clock: Cell<u32>,
}

impl Cache {
    pub(super) fn clear(&self) {
        self.pieces.borrow_mut().clear();
        self.asked.borrow_mut().clear();
    }

    fn get(&self, key: Key) -> Option<Rc<Piece>> {
        self.clock.set(self.clock.get().wrapping_add(1));
        let mut pieces = self.pieces.borrow_mut();
        let (used, piece) = pieces.get_mut(key)?;
        *used = self.clock.get();
        Some(Rc::clone(piece))
    }

    fn put(&self, key: Key, piece: Rc<Piece>) {
        let mut pieces = self.pieces.borrow_mut();
        pieces.put(key, (self.clock.get(), piece));
        while pieces.all().len() > KEEP {
            let oldest = pieces.all().iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(key, _)| *key) else {
                return;
            };
            pieces.take(oldest);
        }
    }
}

impl Session {
    fn load_piece(self: &Rc<Self>, tab: TabId, key: Key, done: impl FnOnce() + 'static) {
        let Some(live) = self.live(tab) else { return };
        let Some(client) = self.client(tab) else { return };
        if !live.cache.asked.borrow_mut().put(key, ()) {
            return;
        }
        let session = Rc::clone(self);
        let span = Span::at(key.0, key.1 * CHUNK, CHUNK);
        spawn_local(async move {
            match client.bytes(span, true).await {
                Ok(piece) => live.cache.put(key, Rc::new(piece)),
                Err(error) => session.trouble(tab, &error),
            }
            // After an error it is asked for again when it comes into view again.
            live.cache.asked.borrow_mut().take(key);
            done();
        });
    }

    /// Reads bytes of the active file, at most those of one answer, then `done` with them.
    pub fn read_whole(self: &Rc<Self>, span: Span, done: impl FnOnce(Vec<u8>) + 'static) {
        let Some((tab, _)) = self.active() else { return };
        let session = Rc::clone(self);
        spawn_local(async move {
            match session.read(tab, span).await {
                Ok(piece) => done(piece.bytes),
                Err(error) => session.trouble(tab, &error),
            }
        });
    }

    /// All bytes of a span, at most those of one answer.
    pub(super) async fn read(&self, tab: TabId, span: Span) -> Result<Piece, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        client.bytes(span, false).await
    }
}

/// The pieces of `source` that hold the bytes `from..to`: those that are here, the others
/// as soon as they are. `serial` is another one whenever the file is opened anew.
#[hook]
pub fn use_pieces(tab: TabId, source: SourceId, from: u64, to: u64, serial: usize) -> Pieces {
    let session = use_session();
    let arrived = use_state(|| 0_u32);
    let chunks = from / CHUNK..to.div_ceil(CHUNK).min(from / CHUNK + 64);
    let mut here = Pieces::default();
    if let Some(live) = session.live(tab) {
        for chunk in chunks.clone() {
            if let Some(piece) = live.cache.get((source, chunk)) {
                here.put(chunk, piece);
            }
        }
    }
    let missing: Vec<u64> = chunks.filter(|chunk| !here.has(*chunk)).collect();
    let alive = use_mut_ref(|| true);
    let still = Rc::clone(&alive);
    use_effect_with((), move |()| move || *still.borrow_mut() = false);
    let count = use_mut_ref(|| 0_u32);
    let set = arrived.setter();
    use_effect_with((tab, source, missing, serial), move |(tab, source, missing, _)| {
        for chunk in missing {
            let (set, alive, count) = (set.clone(), Rc::clone(&alive), Rc::clone(&count));
            session.load_piece(*tab, (*source, *chunk), move || {
                if *alive.borrow() {
                    *count.borrow_mut() += 1;
                    set.set(*count.borrow());
                }
            });
        }
    });
    here
}
