//! The page as a whole.

use std::rc::Rc;

use yew::prelude::*;

use super::components::{
    Dialogs, Empty, FailureView, FileTabs, Header, Loading, StatusLine, Workspace,
};
use super::hooks::{
    Session, SessionContext, focus_by_id, read_query, read_target, use_back, use_drops,
    use_file_input, use_keys, use_on_return, use_pastes, use_theme, without_embed,
};
use super::panels::step_problem;
use super::selection::Via;
use super::shared::Shared;
use super::state::{Action, Dialog, Phase, State, Tab};

/// The page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(State::default);
    let dispatcher = state.dispatcher();
    let session = use_memo((), |()| Session::new(dispatcher, Rc::new(State::default())));
    session.remember(Rc::new((*state).clone()));
    html! {
        <ContextProvider<SessionContext> context={SessionContext(Rc::clone(&session))}>
            <Page state={Shared::new((*state).clone())} />
        </ContextProvider<SessionContext>>
    }
}

#[derive(Properties, PartialEq)]
struct PageProps {
    state: Shared<State>,
}

#[component]
fn Page(props: &PageProps) -> Html {
    let state = &props.state;
    let session = super::hooks::use_session();
    let query = use_memo((), |()| read_query());
    let (theme, next_theme) = use_theme();
    let over = use_drops(&session);
    use_pastes(&session);
    use_back();
    let (input, choose_for, onchange) = use_file_input(&session);
    let choose = use_callback(choose_for.clone(), |(), choose| choose.emit(None));
    {
        let (session, query) = (Rc::clone(&session), Rc::clone(&query));
        use_effect_with((), move |()| {
            session.warm_up();
            if let Some(url) = &query.url {
                session.open_link(url, read_target());
            }
        });
    }
    let tab = state.active().cloned();
    {
        // A file is decoded when somebody looks at it.
        let session = Rc::clone(&session);
        let waiting = tab.as_ref().filter(|tab| tab.phase == Phase::Waiting);
        use_effect_with(waiting.map(|tab| tab.id), move |waiting| {
            if let Some(tab) = waiting {
                session.begin(*tab);
            }
        });
    }
    {
        let session = Rc::clone(&session);
        use_on_return(Callback::from(move |()| session.check_file()));
    }
    use_keys(keys(&session, tab.as_deref(), &choose));

    let shared = tab.as_ref().map(Shared::from);
    let frame = !query.embed;
    html! {
        <div class={classes!("page", over.then_some("over"), (!frame).then_some("embed"))}>
            if frame {
                <Header tab={shared.clone()} {theme} {next_theme} choose={choose.clone()} />
                if state.tabs.len() > 1 {
                    <FileTabs tabs={state.tabs.clone()} active={state.active} />
                }
            }
            { body(&session, tab.as_ref(), &choose, &choose_for, query.embed) }
            if frame {
                <StatusLine tab={shared} />
            } else {
                <a class="away" href={tab.as_ref().map(|tab| without_embed(&tab.origin))} target="_blank" rel="noopener">{ "open in zeview" }</a>
            }
            <input ref={&input} type="file" multiple=true class="unseen" tabindex="-1" aria-hidden="true" {onchange} />
            if let Some(dialog) = state.dialog.clone() {
                <Dialogs {dialog} />
            }
            <div class="notice" role="status">
                if let Some(notice) = &state.notice { <span>{ notice.clone() }</span> }
            </div>
            if over {
                <div class="over-all" aria-hidden="true"><p>{ "Drop to open" }</p></div>
            }
        </div>
    }
}

type Choose = Callback<Option<super::state::TabId>>;

fn body(
    session: &Rc<Session>,
    tab: Option<&Rc<Tab>>,
    choose: &Callback<()>,
    choose_for: &Choose,
    embed: bool,
) -> Html {
    let Some(tab) = tab else {
        return html! { <Empty choose={choose.clone()} /> };
    };
    let (id, name) = (tab.id, tab.name.clone());
    match &tab.phase {
        Phase::Ready(view) => {
            let (session, choose_for) = (Rc::clone(session), choose_for.clone());
            let reopen = Callback::from(move |()| {
                let choose_for = choose_for.clone();
                session.reopen(id, move || choose_for.emit(Some(id)));
            });
            html! {
                <Workspace key={id.0} tab={Shared::from(tab)} view={Shared::from(view)} {embed} {reopen} />
            }
        }
        Phase::Failed(failure) => html! {
            <FailureView tab={id} {name} failure={failure.clone()} choose={choose.clone()} />
        },
        phase => html! { <Loading tab={id} {name} phase={phase.clone()} /> },
    }
}

/// What the keys of the whole page do.
fn keys(session: &Rc<Session>, tab: Option<&Tab>, choose: &Callback<()>) -> Rc<dyn Fn(&str) -> bool> {
    let (session, choose) = (Rc::clone(session), choose.clone());
    let view = tab.and_then(|tab| tab.view()).cloned();
    Rc::new(move |key| {
        match (key, &view) {
            ("o", _) => choose.emit(()),
            ("?", _) => session.dispatch(Action::Dialog(Some(Dialog::Help))),
            ("/", Some(_)) => focus_by_id("search"),
            ("g", Some(_)) => session.dispatch(Action::Dialog(Some(Dialog::GoTo))),
            ("[" | "]", Some(view)) => match step_problem(view, key == "]") {
                Some(span) => session.select_span(span, Via::Jump),
                None => session.notice("There are no problems."),
            },
            _ => return false,
        }
        true
    })
}
