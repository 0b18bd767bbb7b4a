//! The visible bytes: fetched in pieces and cached.

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::prelude::*;

use super::cache::Key;
use super::{Session, spawn};
use crate::model::{SourceId, Span};
use crate::ui::hooks::effect::use_change;
use crate::ui::state::TabId;
use crate::ui::state::commands::ByteForm;
use crate::ui::text::format;
use crate::ui::text::readings::written;
use crate::worker::client::{ClientError, Piece};

/// Size of a piece in bytes.
pub const CHUNK: u64 = 4096;
/// Maximum number of bytes that are copied as text.
pub const COPY_MAX: u64 = 1024 * 1024;
/// Pieces of one file, by number.
pub type Pieces = BTreeMap<u64, Rc<Piece>>;

impl Session {
    fn load_piece(self: &Rc<Self>, tab: TabId, key: Key, done: Box<dyn FnOnce()>) {
        let Some(live) = self.live(tab) else { return };
        let Some(client) = self.client(tab) else {
            return;
        };
        if !live.cache.pending.borrow_mut().insert(key) {
            return;
        }
        let session = Rc::clone(self);
        let span = Span::with_len(key.0, key.1 * CHUNK, CHUNK);
        spawn(Box::pin(async move {
            match client.bytes(span, true).await {
                Ok(piece) => live.cache.put(key, Rc::new(piece)),
                Err(error) => session.handle_error(tab, &error),
            }
            // After an error, it is requested again when it is visible again.
            live.cache.pending.borrow_mut().remove(&key);
            done();
        }));
    }

    /// Copies bytes of a file as text; shows a message if there are too many.
    pub fn copy_bytes(self: &Rc<Self>, tab: TabId, span: Span, form: ByteForm) {
        if span.len() > COPY_MAX {
            let (size, most) = (format::size(span.len()), format::size(COPY_MAX));
            return self.notice(format!(
                "{size} are selected: at most {most} can be copied as text. Save the bytes instead."
            ));
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match session.read(tab, span).await {
                Ok(piece) => session.copy(written(&piece.bytes, form), "Bytes"),
                Err(error) => session.handle_error(tab, &error),
            }
        }));
    }

    /// All bytes of a span, up to the size of one response.
    pub(crate) async fn read(&self, tab: TabId, span: Span) -> Result<Piece, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        client.bytes(span, false).await
    }
}

/// The pieces of `source` that contain the bytes `from..to`: cached ones at once, the others as
/// they arrive. `serial` changes whenever the file is reopened.
#[hook]
pub fn use_pieces(
    session: &Rc<Session>,
    tab: TabId,
    source: SourceId,
    range: (u64, u64),
    serial: u64,
) -> Pieces {
    let update = use_force_update();
    let chunks = range.0 / CHUNK..range.1.div_ceil(CHUNK).min(range.0 / CHUNK + 64);
    let mut here = Pieces::default();
    let mut missing = Vec::new();
    let live = session.live(tab);
    for chunk in chunks.clone() {
        match live
            .as_ref()
            .and_then(|live| live.cache.get((source, chunk)))
        {
            Some(piece) => {
                here.insert(chunk, piece);
            }
            None => missing.push(chunk),
        }
    }
    let session = Rc::clone(session);
    let watched = [
        u64::from(tab.0) << 32 | u64::from(source.0),
        chunks.start,
        chunks.end,
        serial ^ missing.len() as u64,
    ];
    let ask = move || {
        for chunk in missing {
            let update = update.clone();
            session.load_piece(
                tab,
                (source, chunk),
                Box::new(move || update.force_update()),
            );
        }
    };
    use_change(watched, Box::new(ask));
    here
}
