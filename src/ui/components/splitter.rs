//! A border between panes that can be moved.

use yew::prelude::*;

use crate::ui::hooks::{Splitting, use_splitter};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Which.
    pub border: Splitting,
    /// What becomes larger and smaller.
    pub label: AttrValue,
    /// The id of that.
    pub controls: AttrValue,
}

/// The border.
#[component]
pub fn Border(props: &Props) -> Html {
    let splitter = use_splitter(props.border);
    let horizontal = props.border.horizontal;
    let class = classes!(
        "border",
        if horizontal { "h" } else { "v" },
        splitter.moving.then_some("moving")
    );
    html! {
        <div {class} role="separator" tabindex="0" aria-label={props.label.clone()}
             aria-orientation={if horizontal { "horizontal" } else { "vertical" }}
             aria-valuenow={splitter.size.to_string()} aria-valuemin={(props.border.min as i32).to_string()}
             aria-valuemax={splitter.max.to_string()} aria-controls={props.controls.clone()}
             onpointerdown={splitter.onpointerdown} onpointermove={splitter.onpointermove}
             onpointerup={splitter.onpointerup.clone()} onpointercancel={splitter.onpointerup}
             onkeydown={splitter.onkeydown} ondblclick={splitter.ondblclick} />
    }
}
