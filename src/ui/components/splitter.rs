//! A movable border between panes.

use yew::prelude::*;

use crate::ui::hooks::{Splitting, use_splitter};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Its orientation and limits.
    pub border: Splitting,
    /// Accessible name: the size that it changes.
    pub label: &'static str,
    /// Element id of the resized pane.
    pub controls: &'static str,
}

/// A movable border between panes.
#[component]
pub fn Border(props: &Props) -> Html {
    let splitter = use_splitter(props.border);
    let (size, min, max) = splitter.range();
    let horizontal = props.border.horizontal;
    let class = match (horizontal, splitter.is_moving()) {
        (true, false) => "border h",
        (true, true) => "border h moving",
        (false, false) => "border v",
        (false, true) => "border v moving",
    };
    let pointer = {
        let splitter = splitter.clone();
        Callback::from(move |event: PointerEvent| splitter.point(&event))
    };
    let onkeydown = {
        let splitter = splitter.clone();
        Callback::from(move |event: KeyboardEvent| splitter.key(&event))
    };
    let ondblclick = Callback::from(move |_: MouseEvent| splitter.reset());
    html! {
        <div {class} role="separator" tabindex="0" aria-label={props.label}
             aria-orientation={if horizontal { "horizontal" } else { "vertical" }}
             aria-valuenow={size.to_string()} aria-valuemin={min.to_string()} aria-valuemax={max.to_string()}
             aria-controls={props.controls} {onkeydown} {ondblclick}
             onpointerdown={pointer.clone()} onpointermove={pointer.clone()}
             onpointerup={pointer.clone()} onpointercancel={pointer} />
    }
}
