//! What the driver does with the document that is looked at, and the rules that say so.

use std::rc::Rc;

use yew::AttrValue;

use super::session::{Session, spawn};
use crate::model::list::ListId;
use crate::model::list::query::Query;
use crate::model::{NodeId, RuleInfo};
use crate::ui::state::{Action, TabId};
use crate::ui::verdict_state::{VerdictChange, WORST_COLUMNS, hazards};
use crate::worker::client::{Client, ClientError};
use crate::worker::protocol::{Ask, Request, Response};

/// So many of the worst kernels are named.
const WORST: u64 = 5;

impl Session {
    fn change_verdict(&self, tab: TabId, change: VerdictChange) {
        self.dispatch(Action::Verdict(tab, change));
    }

    /// Asks about the document that the selection is in, unless it was asked about before.
    pub(super) fn follow_verdict(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let document = view.selection.document();
        if view.verdict.document != Some(document) {
            self.ask_verdict(tab, document, view.verdict.device.clone());
            self.ask_worst(tab, document);
        }
    }

    /// Asks for the verdict on another device; on the document's own if there is no name.
    pub fn verdict_on(self: &Rc<Self>, device: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let device = Some(device.trim()).filter(|name| !name.is_empty());
        if let Some(document) = view.verdict.document {
            self.ask_verdict(tab, document, device.map(|name| name.to_owned().into()));
        }
    }

    fn ask_verdict(self: &Rc<Self>, tab: TabId, document: NodeId, device: Option<AttrValue>) {
        let Some(client) = self.client(tab) else {
            return;
        };
        self.change_verdict(tab, VerdictChange::Asked(document, device.clone()));
        let request = Request::Verdict {
            document,
            device: device.as_ref().map(|name| name.to_string().into()),
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let report = match client.ask(request).await {
                Ok(Response::Verdict(report)) => Ok(report.map(Rc::from)),
                Err(ClientError::Failed(why)) => Err(why.into()),
                Ok(_) => return,
                Err(error) => {
                    session.trouble(tab, &error);
                    return;
                }
            };
            session.change_verdict(tab, VerdictChange::Answered(document, device, report));
        }));
    }

    fn ask_worst(self: &Rc<Self>, tab: TabId, document: NodeId) {
        let columns = WORST_COLUMNS.iter().map(|id| (*id).into()).collect();
        let request = Request::List {
            document,
            list: ListId::Kernels,
            query: Query {
                sort: Some("hazards".into()),
                descending: true,
                ..Query::default()
            },
            ask: Ask::Rows {
                start: 0,
                count: WORST,
                columns,
            },
        };
        let then = move |session: &Rc<Session>, answer| {
            if let Ok(Response::List(page)) = answer {
                let rows = page.rows.into_iter();
                let worst = rows.filter(|row| hazards(row).next().is_some()).collect();
                session.change_verdict(tab, VerdictChange::Worst(document, worst));
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Every rule, from any decoder: that of the file in front, even while it is opened; the
    /// one that waits for a file; another one, where they are gone.
    pub fn with_rules(self: &Rc<Self>, take: Box<dyn FnOnce(Option<Vec<RuleInfo>>)>) {
        let front = self.state().active().and_then(|tab| self.client(tab.id));
        let lives = |client: &Client| client.death().is_none();
        let known = front
            .filter(lives)
            .or_else(|| self.spare.borrow().clone().filter(lives));
        let client = known.unwrap_or_else(|| {
            let client = Client::start();
            *self.spare.borrow_mut() = Some(client.clone());
            client
        });
        spawn(Box::pin(async move {
            take(match client.ask(Request::Rules).await {
                Ok(Response::Rules(rules)) => Some(rules),
                _ => None,
            });
        }));
    }
}
