//! A problem, explained.

use yew::prelude::*;

use super::prose;
use crate::model::Span;
use crate::ui::hooks::{number_near, use_session};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::words;
use crate::worker::protocol::{Opened, Problem};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The problem.
    pub problem: Problem,
    /// The file, for the rule.
    pub opened: Shared<Opened>,
}

/// The message, what the rule says, where it comes from, and what else belongs to it.
#[component]
pub fn Explanation(props: &Props) -> Html {
    let session = use_session();
    let diagnostic = &props.problem.diagnostic;
    let spans: Vec<Span> = std::iter::once(&diagnostic.primary)
        .chain(&diagnostic.secondary)
        .map(|label| label.span)
        .collect();
    let onclick = Callback::from(move |event: MouseEvent| {
        let label = number_near(&event, "data-label").and_then(|i| spans.get(i as usize));
        if let Some(span) = label {
            session.select_span(*span, Via::Jump);
        }
    });
    let rule = props.opened.rules.iter().find(|rule| rule.id == diagnostic.rule);
    let severity = diagnostic.severity;
    html! {
        <div class={classes!("box", words::severity_class(severity))} {onclick}>
            <p class="headline">
                <span class={classes!("sev", words::severity_class(severity))} aria-hidden="true">
                    { words::severity_sign(severity) }
                </span>
                <span class="unseen">{ format!("{}: ", severity.name()) }</span>
                { prose(&diagnostic.message) }
            </p>
            if !diagnostic.primary.text.is_empty() {
                <p>{ prose(&diagnostic.primary.text) }</p>
            }
            if let Some(help) = &diagnostic.help {
                <p>{ prose(help) }</p>
            }
            if let Some(rule) = rule {
                if rule.docs != diagnostic.message {
                    <p>{ prose(&rule.docs) }</p>
                }
            }
            { for diagnostic.secondary.iter().enumerate().map(|(i, label)| html! {
                <p>
                    <button type="button" class="link mono" data-label={(i + 1).to_string()}>
                        { format!("{:#x} … {:#x}", label.span.start, label.span.end) }
                    </button>
                    { " " }{ prose(&label.text) }
                </p>
            }) }
            <p class="dim small">
                <button type="button" class="link mono" data-label="0">{ &*diagnostic.rule }</button>
                if let Some(rule) = rule { { " · " }{ prose(&rule.origin) } }
            </p>
        </div>
    }
}
