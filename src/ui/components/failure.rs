//! A file that is not shown, and why.

use yew::prelude::*;

use crate::model::text::escaped;
use crate::ui::hooks::use_session;
use crate::ui::state::{Failure, TabId};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file's tab.
    pub tab: TabId,
    /// Its name.
    pub name: AttrValue,
    /// What happened.
    pub failure: Failure,
    /// Lets the user choose another file.
    pub choose: Callback<()>,
}

/// What happened, and what to do.
#[component]
pub fn FailureView(props: &Props) -> Html {
    let session = use_session();
    let (tab, can_retry) = (props.tab, session.can_retry(props.tab));
    let retry = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.retry(tab))
    };
    let close = Callback::from(move |_: MouseEvent| session.close(tab));
    let choose = props.choose.reform(|_: MouseEvent| ());
    let failure = &props.failure;
    html! {
        <main class="middle">
            <div class="failed" role="alert">
                <h2><span class="sev err" aria-hidden="true">{ "✕" }</span>{ failure.title.clone() }</h2>
                <p class="mono dim">{ escaped(&props.name) }</p>
                <p class="message">{ failure.message.clone() }</p>
                <p>{ failure.advice.clone() }</p>
                <div class="rowc">
                    if can_retry {
                        <button type="button" class="btn" onclick={retry}>{ "Try again" }</button>
                    }
                    <button type="button" class="btn2" onclick={choose}>{ "Open another file…" }</button>
                    <button type="button" class="btn2" onclick={close}>{ "Close" }</button>
                </div>
            </div>
        </main>
    }
}
