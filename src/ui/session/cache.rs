//! Cache of recently fetched pieces of files.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::model::SourceId;
use crate::worker::client::Piece;

/// Maximum number of pieces per file.
const KEEP: usize = 48;

/// A source and the number of a piece in it.
pub(crate) type Key = (SourceId, u64);

/// Recently fetched pieces.
#[derive(Default)]
pub(crate) struct Cache {
    pieces: RefCell<BTreeMap<Key, (u32, Rc<Piece>)>>,
    pub(crate) pending: RefCell<BTreeSet<Key>>,
    clock: Cell<u32>,
}

impl Cache {
    pub(crate) fn clear(&self) {
        self.pieces.borrow_mut().clear();
        self.pending.borrow_mut().clear();
    }

    pub(crate) fn get(&self, key: Key) -> Option<Rc<Piece>> {
        self.clock.set(self.clock.get().wrapping_add(1));
        let mut pieces = self.pieces.borrow_mut();
        let (used, piece) = pieces.get_mut(&key)?;
        *used = self.clock.get();
        Some(Rc::clone(piece))
    }

    pub(crate) fn put(&self, key: Key, piece: Rc<Piece>) {
        let mut pieces = self.pieces.borrow_mut();
        pieces.insert(key, (self.clock.get(), piece));
        while pieces.len() > KEEP {
            let oldest = pieces.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(key, _)| *key) else {
                return;
            };
            pieces.remove(&oldest);
        }
    }
}
