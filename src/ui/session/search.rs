//! Search in the active file.

use std::rc::Rc;

use super::{Session, spawn};
use crate::ui::state::TabId;
use crate::worker::client::ClientError;
use crate::worker::protocol::{HitRow, Request, Response, SearchStep};

impl Session {
    /// Searches for typed text. `goes_on` receives the progress in percent and returns whether to
    /// continue.
    pub fn search(
        self: &Rc<Self>,
        typed: String,
        limit: u32,
        goes_on: Box<dyn Fn(u8) -> bool>,
        done: Box<dyn FnOnce(Vec<HitRow>, bool)>,
    ) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let found = session.found(tab, &typed, limit, &*goes_on).await;
            let (hits, more) = found.unwrap_or_else(|error| {
                session.handle_error(tab, &error);
                (Vec::new(), true)
            });
            done(hits, more);
        }));
    }

    /// Search results so far, and whether there may be more.
    pub(crate) async fn found(
        &self,
        tab: TabId,
        typed: &str,
        limit: u32,
        goes_on: &dyn Fn(u8) -> bool,
    ) -> Result<(Vec<HitRow>, bool), ClientError> {
        let mut step = SearchStep::Begin;
        loop {
            let typed = typed.to_owned();
            match self
                .ask(tab, Request::Search { typed, limit, step })
                .await?
            {
                Response::Hits { hits, more } => return Ok((hits, more)),
                Response::Searching { percent } if goes_on(percent) => step = SearchStep::GoOn,
                Response::Searching { .. } => step = SearchStep::Stop,
                _ => return Err(ClientError::Unexpected),
            }
        }
    }
}
