//! A menu whose content is rendered while it is open.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::browser::dom::is_open;
use crate::ui::hooks::use_local;

/// Renders the content of a menu.
type Content = Rc<dyn Fn() -> Html>;

#[derive(Properties)]
struct Props {
    label: String,
    content: Content,
}

/// Never equal: the content may have changed.
impl PartialEq for Props {
    fn eq(&self, _: &Props) -> bool {
        false
    }
}

/// A menu with much content. Opening it closes the others above a list.
pub fn menu(label: String, content: Content) -> Html {
    html! { <Menu {label} {content} /> }
}

#[component]
fn Menu(props: &Props) -> Html {
    let opened = use_local::<bool>();
    let now = opened.clone();
    let ontoggle = Callback::from(move |event: Event| now.change(|now| *now = is_open(&event)));
    html! {
        <details class="menu" name="list-menu" {ontoggle}>
            <summary class="btn2">{ props.label.clone() }</summary>
            <div class="pop tall">
                if opened.get() { { (props.content)() } }
            </div>
        </details>
    }
}
