//! A problem, explained.

use yew::prelude::*;

use super::names::{plain, prose, span_button};
use crate::ui::words;
use crate::worker::protocol::{Opened, Problem};

/// The message, what the rule says, where it comes from, and what else belongs to it.
#[inline(never)]
pub fn explanation(problem: &Problem, opened: &Opened) -> Html {
    let diagnostic = &problem.diagnostic;
    let rule = opened.rules.iter().find(|rule| rule.id == diagnostic.rule);
    let severity = diagnostic.severity;
    let mut said: Vec<&str> = vec![&diagnostic.primary.text];
    said.extend(diagnostic.help.as_deref());
    said.extend(rule.map(|rule| &*rule.docs));
    html! {
        <div class={format!("box {}", words::severity_class(severity))}>
            <p class="headline">
                { words::severity_mark(severity) }
                { prose(&diagnostic.message) }
            </p>
            { for said.iter().filter(|text| !text.is_empty() && **text != diagnostic.message).map(|text| html! { <p>{ prose(text) }</p> }) }
            { for diagnostic.secondary.iter().map(|label| {
                let place = format!("{:#x} … {:#x}", label.span.start, label.span.end);
                html! { <p>{ span_button("link mono", label.span, plain(&place)) }{ " " }{ prose(&label.text) }</p> }
            }) }
            <p class="dim small">
                { span_button("link mono", diagnostic.primary.span, plain(&diagnostic.rule)) }
                if let Some(rule) = rule { { " · " }{ prose(&rule.origin) } }
            </p>
        </div>
    }
}
