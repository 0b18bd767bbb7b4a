//! The row of tabs above the panels.

use yew::prelude::*;

use crate::ui::hooks::{focus_by_id, number_near, pressed, use_session};
use crate::ui::panels::{self, PanelId};
use crate::ui::shared::Shared;
use crate::ui::state::Action;
use crate::ui::words;
use crate::worker::protocol::Opened;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file.
    pub opened: Shared<Opened>,
    /// The panel that is shown; nothing if the tree is.
    pub current: Option<PanelId>,
    /// Narrow windows show the tree as one more panel.
    #[prop_or_default]
    pub tree: Option<Callback<()>>,
}

/// The tabs.
#[component]
pub fn PanelTabs(props: &Props) -> Html {
    let session = use_session();
    let shown: Vec<_> = panels::shown(&props.opened).collect();
    let offset = usize::from(props.tree.is_some());
    let count = shown.len() + offset;
    let current = props.current.and_then(|c| shown.iter().position(|p| p.id == c));
    let current = current.map_or(0, |i| i + offset);
    let choose = {
        let ids: Vec<PanelId> = shown.iter().map(|panel| panel.id).collect();
        let tree = props.tree.clone();
        Callback::from(move |place: usize| match (place.checked_sub(offset), &tree) {
            (Some(i), _) => {
                if let Some(id) = ids.get(i) {
                    session.dispatch(Action::Panel(*id));
                }
            }
            (None, Some(tree)) => tree.emit(()),
            (None, None) => {}
        })
    };
    let onclick = {
        let choose = choose.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(place) = number_near(&event, "data-panel") {
                choose.emit(place as usize);
            }
        })
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let Some(key) = pressed(&event) else { return };
        let next = match key.as_str() {
            "ArrowRight" => (current + 1) % count,
            "ArrowLeft" => (current + count - 1) % count,
            "Home" => 0,
            "End" => count - 1,
            _ => return,
        };
        event.prevent_default();
        choose.emit(next);
        focus_by_id(&format!("panel-tab-{next}"));
    });
    let tab = |place: usize, name: &str, badge: Option<panels::Badge>| {
        let on = place == current;
        html! {
            <button key={place} type="button" role="tab" id={format!("panel-tab-{place}")}
                    class={classes!(on.then_some("on"))} aria-selected={on.to_string()} aria-controls="panel"
                    tabindex={if on { "0" } else { "-1" }} data-panel={place.to_string()}>
                { name }
                if let Some(badge) = badge {
                    <span class={classes!("badge", words::severity_class(badge.severity))}>{ words::grouped(badge.count) }</span>
                }
            </button>
        }
    };
    html! {
        <div class="tabs" role="tablist" aria-label="Panels" {onclick} {onkeydown}>
            if props.tree.is_some() { { tab(0, "Structure", None) } }
            { for shown.iter().enumerate().map(|(i, panel)| tab(i + offset, panel.name, (panel.badge)(&props.opened))) }
        </div>
    }
}
