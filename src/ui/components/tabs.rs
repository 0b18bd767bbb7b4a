//! The open files, where there are several.

use std::rc::Rc;

use yew::prelude::*;

use crate::model::text::escaped;
use crate::ui::hooks::{focus_by_id, number_near, pressed, use_session};
use crate::ui::state::{Action, Phase, Tab, TabId};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The files.
    pub tabs: Vec<Rc<Tab>>,
    /// The one that is looked at.
    pub active: Option<TabId>,
}

/// A tab for each file.
#[component]
pub fn FileTabs(props: &Props) -> Html {
    let session = use_session();
    let onclick = {
        let session = session.clone();
        Callback::from(move |event: MouseEvent| {
            let id = |attribute| number_near(&event, attribute).map(|id| TabId(id as u32));
            if let Some(tab) = id("data-close") {
                session.close(tab);
            } else if let Some(tab) = id("data-tab") {
                session.dispatch(Action::Activate(tab));
            }
        })
    };
    let onkeydown = {
        let ids: Vec<TabId> = props.tabs.iter().map(|tab| tab.id).collect();
        let at = ids.iter().position(|id| Some(*id) == props.active);
        Callback::from(move |event: KeyboardEvent| {
            let (Some(key), Some(at)) = (pressed(&event), at) else { return };
            let count = ids.len();
            let next = match key.as_str() {
                "ArrowRight" => (at + 1) % count,
                "ArrowLeft" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                "Delete" => {
                    if let Some(id) = ids.get(at) {
                        session.close(*id);
                    }
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            if let Some(id) = ids.get(next) {
                session.dispatch(Action::Activate(*id));
                focus_by_id(&format!("file-{}", id.0));
            }
        })
    };
    html! {
        <div class="files" {onclick}>
            <div class="file-list" role="tablist" aria-label="Open files" {onkeydown}>
                { for props.tabs.iter().map(|tab| {
                    let on = props.active == Some(tab.id);
                    html! {
                        <button key={tab.id.0} type="button" role="tab" id={format!("file-{}", tab.id.0)}
                                class={classes!("file", on.then_some("on"))} aria-selected={on.to_string()}
                                tabindex={if on { "0" } else { "-1" }} data-tab={tab.id.0.to_string()}
                                title={tab.name.clone()}>
                            if matches!(tab.phase, Phase::Failed(_)) {
                                <span class="sev err" role="img" aria-label="not opened">{ "✕" }</span>
                            }
                            <span class="file-name">{ escaped(&tab.name) }</span>
                            // A pointer closes it here, the keyboard with Delete.
                            <span class="close" data-close={tab.id.0.to_string()} aria-hidden="true">{ "×" }</span>
                        </button>
                    }
                }) }
            </div>
        </div>
    }
}
