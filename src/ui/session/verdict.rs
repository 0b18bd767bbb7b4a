//! The driver's verdict on the current document, and the list of rules.

use std::rc::Rc;

use yew::AttrValue;

use super::{Session, spawn};
use crate::model::{NodeId, RuleInfo, Str};
use crate::tables::ListId;
use crate::tables::query::{Query, RowOptions};
use crate::ui::state::list::ListChange;
use crate::ui::state::verdict::{
    HOST_COLUMNS, IMAGE_COLUMNS, SURVEY_COLUMNS, VerdictChange, WORST_COLUMNS,
};
use crate::ui::state::{Action, PanelId, TabId};
use crate::worker::client::{Client, ClientError};
use crate::worker::protocol::{ListRequest, Request, Response, VerdictReport};

/// Number of worst kernels in the overview.
const WORST: u64 = 6;
/// Number of families of kernels, and of files of a package, in the overview.
const TOTALS: u64 = 14;
/// Number of a container's images in the overview.
const IMAGES: u64 = 12;

impl Session {
    fn change_verdict(&self, tab: TabId, change: VerdictChange) {
        self.dispatch(Action::Verdict(tab, change));
    }

    /// Requests the verdict on the selection's document, unless that was requested already.
    pub(crate) fn follow_verdict(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let document = view.selection.document();
        if view.verdict.document() != Some(document) {
            self.ask_verdict(tab, document, view.verdict.device.clone());
            // The survey has those of containers, as far as they are read.
            let has = view.opened.summary.anywhere();
            if document != NodeId::ROOT || !has.host && !has.package {
                self.request_worst(tab, document);
            }
        }
    }

    /// Requests the verdict for another device; without a name, for the document's own.
    pub fn verdict_on(self: &Rc<Self>, device: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let device = Some(device.trim()).filter(|name| !name.is_empty());
        if let Some(document) = view.verdict.document() {
            self.ask_verdict(tab, document, device.map(|name| name.to_owned().into()));
        }
    }

    pub(crate) fn ask_verdict(
        self: &Rc<Self>,
        tab: TabId,
        document: NodeId,
        device: Option<AttrValue>,
    ) {
        let Some(client) = self.client(tab) else {
            return;
        };
        let judged = (document, device.clone());
        self.change_verdict(tab, VerdictChange::Requested(judged.clone()));
        let name = device.as_ref().map(|name| Str::from(name.to_string()));
        let request = Request::Verdict {
            document,
            device: name.clone(),
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let report = match client.ask(request).await {
                Ok(Response::Verdict(report)) => Ok(Rc::<VerdictReport>::from(report)),
                Err(ClientError::Failed(why)) => Err(why.into()),
                Ok(_) => return,
                Err(error) => {
                    session.handle_error(tab, &error);
                    return;
                }
            };
            let is_container = report.as_ref().is_ok_and(|report| report.images.is_some());
            let is_known = report.is_ok();
            let images = report
                .as_ref()
                .ok()
                .and_then(|report| report.images.as_ref());
            let is_unread = images.is_some_and(|images| images.unread.is_some());
            session.change_verdict(tab, VerdictChange::Answered(judged, report));
            if is_unread && name.is_some() {
                // Which images run on a device is known once the files of the package are read.
                session.list_changed(tab, ListId::Kernels, ListChange::Stop(false));
            }
            if is_known {
                session.show_images_for(tab, name.clone());
            }
            // A library has hundreds of images: first what they are for.
            if is_container && (name.is_some() || !session.is_host(tab, document)) {
                session.ask_images(tab, document, name);
            }
        }));
    }

    /// The list of images is for the requested device.
    fn show_images_for(&self, tab: TabId, device: Option<Str>) {
        let state = self.state();
        let Some(view) = state.tab(tab).and_then(|tab| tab.view()) else {
            return;
        };
        let query = view.lists.get(ListId::Images).query.clone();
        let query = Query {
            options: RowOptions::for_device(device, None),
            ..query
        };
        self.dispatch(Action::List(tab, ListId::Images, ListChange::Query(query)));
    }

    /// Whether a document is the opened file and a host file.
    fn is_host(&self, tab: TabId, document: NodeId) -> bool {
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view());
        document == NodeId::ROOT && view.is_some_and(|view| view.opened.summary.has.host)
    }

    fn ask_images(self: &Rc<Self>, tab: TabId, document: NodeId, device: Option<Str>) {
        let columns = if self.is_host(tab, document) {
            HOST_COLUMNS
        } else {
            IMAGE_COLUMNS
        };
        let columns = columns.iter().map(|id| (*id).into()).collect();
        let judged = (
            document,
            device.as_ref().map(|name| name.to_string().into()),
        );
        let request = Request::List {
            document,
            list: ListId::Images,
            query: Query {
                options: RowOptions::for_device(device, None),
                ..Query::default()
            },
            ask: ListRequest::Rows {
                start: 0,
                count: IMAGES,
                columns,
            },
        };
        let then = move |session: &Rc<Session>, answer| {
            if let Ok(Response::List(page)) = answer {
                session.change_verdict(tab, VerdictChange::Images(judged, page.rows.into()));
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Requests the survey of a container's images and devices until it is complete, as long as the
    /// panel is visible.
    pub fn follow_survey(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let survey = view.survey();
        let is_over = survey.is_some_and(|survey| survey.progress.is_over());
        let list = view.lists.get(ListId::Kernels);
        let is_stopped = survey.is_some() && list.is_stopped;
        let is_wanted = view.panel == PanelId::Overview && view.container().is_some();
        if !is_wanted || is_over || is_stopped {
            return;
        }
        let document = view.selection.document();
        // The answer to a pending request asks for the next step.
        if live.surveying.replace(true) {
            return;
        }
        let columns = SURVEY_COLUMNS.iter().map(|id| (*id).into()).collect();
        let request = Request::List {
            document,
            list: ListId::Kernels,
            query: Query::default(),
            ask: ListRequest::Survey {
                columns,
                count: TOTALS,
            },
        };
        let then = move |session: &Rc<Session>, answer| {
            live.surveying.set(false);
            match answer {
                Ok(Response::Survey(report)) => {
                    let is_over = report.progress.is_over();
                    session.change_verdict(tab, VerdictChange::Survey(document, report.into()));
                    session.follow_survey();
                    if is_over {
                        session.ask_first_images(tab, document);
                        session.judge_again(tab, document);
                    }
                }
                // There are no kernels.
                Ok(_) | Err(ClientError::Failed(_)) => session.ask_first_images(tab, document),
                Err(error) => session.handle_error(tab, &error),
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Requests the first images of a host file, unless they are known.
    fn ask_first_images(self: &Rc<Self>, tab: TabId, document: NodeId) {
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view());
        let is_missing = view.is_some_and(|view| {
            let none = view.first_images().is_none_or(|images| images.is_empty());
            view.selection.document() == document && none
        });
        if is_missing && self.is_host(tab, document) {
            self.ask_images(tab, document, None);
        }
    }

    /// Requests the verdict on a package again, now that its files are read.
    fn judge_again(self: &Rc<Self>, tab: TabId, document: NodeId) {
        let Some(view) = self.view(tab) else { return };
        let container = view.container().filter(|images| images.unread.is_some());
        if container.is_some() && view.selection.document() == document {
            self.ask_verdict(tab, document, view.verdict.device.clone());
        }
    }

    fn request_worst(self: &Rc<Self>, tab: TabId, document: NodeId) {
        let columns = WORST_COLUMNS.iter().map(|id| (*id).into()).collect();
        let request = Request::List {
            document,
            list: ListId::Kernels,
            query: Query::default(),
            ask: ListRequest::Worst {
                columns,
                count: WORST,
            },
        };
        let then = move |session: &Rc<Session>, answer| {
            if let Ok(Response::Worst(worst)) = answer {
                let worst = worst.into_iter().collect();
                session.change_verdict(tab, VerdictChange::Worst(document, worst));
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// All rules, from any decoder: of the file in front, even while it is opening; the idle one;
    /// or a new one.
    pub fn with_rules(self: &Rc<Self>, take: Box<dyn FnOnce(Option<Vec<RuleInfo>>)>) {
        let front = self.state().active().and_then(|tab| self.client(tab.id));
        // A crashed decoder does not answer.
        let lives = |client: &Client| client.failure().is_none();
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
