//! The page as a whole.

use yew::prelude::*;

use super::browser::dom::set_title;
use super::components::ptr_eq::PtrEq;
use super::components::{Dialogs, RecentFiles, asking, empty, failed, loading};
use super::hooks::{fingerprint, use_change};
use super::layout::{banner, file_tabs, guide, header, status, workspace};
use super::session::SessionContext;
use super::session::page::address::link_to;
use super::session::page::start::use_session;
use super::state::{Phase, State};
use crate::model::text::escaped;

/// The page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(State::default);
    let session = use_session(&state);
    let file = state.active().map(|tab| escaped(&tab.name));
    let number = file.as_deref().map_or(0, fingerprint);
    use_change(
        [number, 0, 0, 0],
        Box::new(move || set_title(file.as_deref())),
    );
    page(&session, &state)
}

fn page(session: &SessionContext, state: &State) -> Html {
    let layout = &state.layout;
    html! {
        <div class={classes!("page", layout.embed.then_some("embed"), layout.hosted.then_some("hosted"), layout.no_defaults.then_some("no-defaults"))}>
            if !layout.embed || layout.hosted {
                { header(session, state) }
                if state.tabs.len() > usize::from(state.active.is_some()) {
                    { file_tabs(&state.tabs, state.active) }
                }
            }
            { body(session, state) }
            <>{ guide(state) }</>
            if !layout.embed {
                { status(state.active().map(|tab| &**tab)) }
            } else if !layout.hosted {
                { link_out(session, state) }
            }
            <input id="file" type="file" multiple=true class="unseen" tabindex="-1" aria-hidden="true" />
            <input id="folder" type="file" webkitdirectory=true class="unseen" tabindex="-1" aria-hidden="true" />
            if let Some(open) = &state.dialog {
                <Dialogs key={open.serial} session={session.clone()} open={open.clone()} />
            }
            <div class="notice" role="status">
                if let Some(notice) = &state.notice { <span>{ notice.clone() }</span> }
            </div>
            if layout.is_dragging {
                <div class="over-all" aria-hidden="true"><p>{ "Drop to open" }</p></div>
            }
        </div>
    }
}

fn body(session: &SessionContext, state: &State) -> Html {
    let Some(tab) = state.active() else {
        return if state.layout.embed {
            empty(Html::default())
        } else {
            empty(html! { <RecentFiles session={session.clone()} /> })
        };
    };
    match &tab.phase {
        Phase::Ready(view) => html! { <>
            <>{ view.changed.as_ref().map(|why| banner(tab.id, why)) }</>
            { workspace(session, state, tab, &PtrEq::from(view)) }
        </> },
        Phase::Failed(failure) => failed(tab, failure, session.0.can_retry(tab.id)),
        Phase::Asking { host, page } => asking(tab, host, page.as_deref()),
        Phase::Waiting | Phase::Fetching { .. } | Phase::Listing { .. } | Phase::Decoding => {
            loading(tab)
        }
    }
}

/// Link out of an embedded page.
fn link_out(session: &SessionContext, state: &State) -> Html {
    let Some(tab) = state.active() else {
        return Html::default();
    };
    html! {
        <footer>
            <h1 class="unseen">{ "zeview" }</h1>
            if session.0.is_private(tab.id) {
                <p class="private">{ "Private: the page around this frame cannot read this file." }</p>
            }
            <a class="away" href={link_to(tab)} target="_blank" rel="noopener">{ "Open in zeview" }</a>
        </footer>
    }
}
