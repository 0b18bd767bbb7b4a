//! A file on its way. The styles show it only after a moment: most files are there before.

use yew::prelude::*;

use crate::model::text::escaped;
use crate::ui::hooks::use_session;
use crate::ui::state::{Phase, TabId};
use crate::ui::words;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file's tab.
    pub tab: TabId,
    /// Its name.
    pub name: AttrValue,
    /// How far it is.
    pub phase: Phase,
}

/// What is being waited for, and the way out.
#[component]
pub fn Loading(props: &Props) -> Html {
    let session = use_session();
    let tab = props.tab;
    let cancel = Callback::from(move |_: MouseEvent| session.close(tab));
    let (what, share) = match &props.phase {
        Phase::Fetching { got, total } => {
            let of = total.map(|total| format!(" of {}", words::size(total)));
            let what = format!("{} are here{}", words::size(*got), of.unwrap_or_default());
            let share = total.filter(|t| *t > 0).map(|t| 100.0 * *got as f64 / t as f64);
            (what, share)
        }
        _ => ("The decoder reads its headers and tables.".to_owned(), None),
    };
    html! {
        <main class="middle">
            <div class="loading" role="status">
                <h2>{ format!("Opening {}", escaped(&props.name)) }</h2>
                <progress max="100" value={share.map(|share| (share as u32).to_string())} aria-label="Progress" />
                <p class="dim">{ what }</p>
                <button type="button" class="btn2" onclick={cancel}>{ "Cancel" }</button>
            </div>
        </main>
    }
}
