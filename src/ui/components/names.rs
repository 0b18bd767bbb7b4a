//! Names of nodes.

use yew::prelude::*;

use crate::model::text::escaped;
use crate::ui::hooks::{number_near, use_session};
use crate::ui::selection::Selection;
use crate::ui::words;
use crate::worker::protocol::Row;

/// A row's name; the middle of a long one gives way first.
pub fn name_of(row: &Row) -> Html {
    let name = escaped(&row.name);
    if row.indexed && name.is_empty() {
        return html! { <span class="n">{ format!("[{}]", row.index) }</span> };
    }
    let (start, end) = words::middle(&name);
    if end.is_empty() {
        return html! { <span class="n">{ name }</span> };
    }
    html! {
        <span class="n long">
            <span class="cut">{ start.to_owned() }</span><span class="keep">{ end.to_owned() }</span>
        </span>
    }
}

/// A sentence; what stands in backticks is code.
pub fn prose(text: &str) -> Html {
    let text = escaped(text);
    let parts = text.split('`').enumerate().map(|(i, part)| {
        if i % 2 == 1 {
            html! { <code>{ part.to_owned() }</code> }
        } else {
            html! { part.to_owned() }
        }
    });
    html! { <>{ for parts }</> }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is selected.
    pub selection: Selection,
}

/// The names on the way to what is selected; each leads there.
#[component]
pub fn Names(props: &Props) -> Html {
    let session = use_session();
    let onclick = Callback::from(move |event: MouseEvent| {
        if let Some(level) = number_near(&event, "data-level") {
            session.select_above(level as usize);
        }
    });
    html! {
        <nav class="names" aria-label="Way to the selection" {onclick}>
            { for props.selection.names().enumerate().map(|(i, name)| html! { <>
                if i > 0 { <span class="arrow" aria-hidden="true">{ "▸" }</span> }
                <button type="button" class="link" data-level={(i + 1).to_string()}>{ name }</button>
            </> }) }
        </nav>
    }
}
