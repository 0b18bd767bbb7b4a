//! Occupancy of the current kernel.

use std::rc::Rc;

use super::Session;
use crate::analysis::occupancy::OccupancyParameters;
use crate::model::NodeId;
use crate::tables::{Detail, ListId};
use crate::ui::state::occupancy::{Field, OccupancyChange};
use crate::ui::state::{Action, TabId, View};
use crate::worker::client::ClientError;
use crate::worker::protocol::{Request, Response};

/// The current kernel: its document and its index in the list.
pub fn shown(view: &View) -> Option<(NodeId, u64)> {
    let list = view.lists.get(ListId::Kernels);
    match list.detail() {
        Detail::Kernel(_) => Some((list.document?, list.current()?.index)),
        _ => None,
    }
}

impl Session {
    /// Requests the occupancy of the current kernel, unless that was requested already.
    pub fn follow_occupancy(self: &Rc<Self>) {
        if let Some((tab, view)) = self.active()
            && let Some(kernel) = shown(&view)
            && !view.occupancy.is_asked(kernel)
        {
            self.ask_occupancy(tab, kernel, view.occupancy.parameters.clone());
        }
    }

    /// Reads a field's new value.
    pub fn set_occupancy(self: &Rc<Self>, field: Field, typed: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        match (field.apply(typed, &view.occupancy.parameters), shown(&view)) {
            (Ok(parameters), Some(kernel)) => self.ask_occupancy(tab, kernel, parameters),
            (Ok(_), None) => {}
            (Err(why), _) => {
                let refused = OccupancyChange::Refused(why.into());
                self.dispatch(Action::Occupancy(tab, refused));
            }
        }
    }

    fn ask_occupancy(
        self: &Rc<Self>,
        tab: TabId,
        kernel: (NodeId, u64),
        parameters: OccupancyParameters,
    ) {
        let (document, place) = kernel;
        let question = (document, place, parameters.clone());
        let change = OccupancyChange::Requested(question.clone());
        self.dispatch(Action::Occupancy(tab, change));
        let request = Request::Occupancy {
            document,
            kernel: place,
            parameters,
        };
        let then = move |session: &Rc<Session>, answer| {
            let answer = match answer {
                Ok(Response::Occupancy(found)) => Ok(Rc::from(found)),
                Err(ClientError::Failed(why)) => Err(why.into()),
                Err(error) => return session.handle_error(tab, &error),
                Ok(_) => return,
            };
            let answered = OccupancyChange::Answered(question, answer);
            session.dispatch(Action::Occupancy(tab, answered));
        };
        self.ask_then(tab, request, Box::new(then));
    }
}
