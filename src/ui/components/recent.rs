//! Recently opened files on the start page.

use std::rc::Rc;

use yew::prelude::*;

use super::names::shortened;
use crate::model::text::escaped;
use crate::ui::browser::dom::{number_near, restore_focus};
use crate::ui::hooks::{Local, use_change, use_local};
use crate::ui::session::SessionContext;
use crate::ui::session::recent::Recent;
use crate::ui::text::format;

/// Properties of the list.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
}

/// The list, and the number of removals.
type RecentList = Local<(Rc<[Recent]>, u64)>;

fn load(session: &SessionContext, listed: &RecentList) {
    let listed = listed.clone();
    let show = move |files| listed.change(|listed| listed.0 = files);
    session.0.recent_files(Box::new(show));
}

/// A list with buttons to open or remove each file; hidden if empty.
#[component]
pub fn RecentFiles(props: &Props) -> Html {
    let listed = use_local::<(Rc<[Recent]>, u64)>();
    let (session, shown) = (props.session.clone(), listed.clone());
    use_change([0; 4], Box::new(move || load(&session, &shown)));
    let (files, forgotten) = listed.get();
    let refocus = move || {
        if forgotten > 0 {
            restore_focus(false);
        }
    };
    use_change([forgotten, 0, 0, 0], Box::new(refocus));
    if files.is_empty() {
        return Html::default();
    }
    let session = props.session.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let id = |attribute| Some(number_near(&event, attribute)? as u32);
        if let Some(id) = id("data-recent") {
            session.0.open_recent(id);
        } else if let Some(id) = id("data-forget") {
            let listed = listed.clone();
            let forget = move || {
                listed.change(|(files, forgotten)| {
                    let rest = files.iter().filter(|file| id != 0 && file.id != id);
                    *files = rest.cloned().collect();
                    *forgotten += 1;
                });
            };
            session.0.forget_recent(id, Box::new(forget));
        }
    });
    html! {
        <section class="recent" aria-labelledby="recent-head" {onclick}>
            <div class="block-head">
                <h2 id="recent-head">{ "Recent files" }</h2>
                <button type="button" class="quiet" data-forget="0">{ "Forget all" }</button>
            </div>
            <ul>
                { for files.iter().map(|file| {
                    let name = escaped(&file.name);
                    let forget = format!("Forget {name}");
                    html! {
                        <li key={file.id}>
                            <button type="button" class="btn2" data-recent={file.id.to_string()} title={name.clone()}>
                                { shortened(&name) }
                                <span class="dim">{ format::size(file.size) }</span>
                                <span class="dim when">{ file.at.clone() }</span>
                            </button>
                            <button type="button" class="ico" data-forget={file.id.to_string()} aria-label={forget.clone()} title={forget}>{ "×" }</button>
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}
