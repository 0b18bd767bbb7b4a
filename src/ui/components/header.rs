//! The line at the top: what is open, and how it looks at one glance.

use yew::prelude::*;

use super::SearchBox;
use crate::model::text::escaped;
use crate::model::{Fact, Tone};
use crate::ui::hooks::{Theme, number_near, use_session};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::state::{Action, Dialog, Tab, View};
use crate::ui::words;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file that is looked at.
    pub tab: Option<Shared<Tab>>,
    /// The colours.
    pub theme: Theme,
    /// Goes to the next colours.
    pub next_theme: Callback<()>,
    /// Lets the user choose files.
    pub choose: Callback<()>,
}

/// The header.
#[component]
pub fn Header(props: &Props) -> Html {
    let session = use_session();
    let help = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.dispatch(Action::Dialog(Some(Dialog::Help))))
    };
    let theme = props.next_theme.reform(|_: MouseEvent| ());
    let choose = props.choose.reform(|_: MouseEvent| ());
    let theme_label = format!("Colours: {}", props.theme.name());
    let view = props.tab.as_ref().and_then(|tab| tab.view().map(Shared::from));
    html! {
        <header class="head-line">
            <h1 class="brand">{ "zeview" }</h1>
            if let Some(tab) = &props.tab {
                <span class="crumb"><span aria-hidden="true">{ "▸ " }</span><b title={tab.name.clone()}>{ escaped(&tab.name) }</b></span>
            } else {
                <span class="dim claim">{ "Intel GPU binaries, byte by byte" }</span>
            }
            if let Some(view) = view {
                <Chips view={view.clone()} />
                <span class="grow" />
                <SearchBox tab={props.tab.as_ref().map(|tab| tab.id)} />
            } else {
                <span class="grow" />
            }
            if props.tab.is_some() {
                <button type="button" class="ico" onclick={choose} title="Open a file (o)" aria-label="Open a file">
                    { icon_open() }
                </button>
            }
            <button type="button" class="ico" onclick={theme} title={theme_label.clone()} aria-label={theme_label}>
                { icon_theme(props.theme) }
            </button>
            <button type="button" class="ico" onclick={help} title="Keys and help (?)" aria-label="Keys and help">
                { "?" }
            </button>
        </header>
    }
}

fn icon_open() -> Html {
    html! {
        <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M1.5 12.5v-9h4l1.5 2h6v2M1.5 12.5l2-5h11l-2 5z" fill="none" stroke="currentColor" stroke-linejoin="round" />
        </svg>
    }
}

/// A disc: half of it is dark, all of it, or it shines.
fn icon_theme(theme: Theme) -> Html {
    let rays = "M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M3 13l1.4-1.4M11.6 4.4L13 3";
    html! {
        <svg viewBox="0 0 16 16" aria-hidden="true">
            { match theme {
                Theme::Auto => html! { <>
                    <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" />
                    <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
                </> },
                Theme::Light => html! { <>
                    <circle cx="8" cy="8" r="3" fill="none" stroke="currentColor" />
                    <path d={rays} stroke="currentColor" />
                </> },
                Theme::Dark => html! {
                    <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z" fill="currentColor" />
                },
            } }
        </svg>
    }
}

#[derive(Properties, PartialEq)]
struct ChipsProps {
    view: Shared<View>,
}

/// The headline facts; each leads to the bytes that say so.
#[component]
fn Chips(props: &ChipsProps) -> Html {
    let session = use_session();
    let facts = &props.view.opened.summary.facts;
    let view = props.view.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let fact = number_near(&event, "data-fact")
            .and_then(|i| view.opened.summary.facts.get(i as usize));
        if let Some(span) = fact.and_then(|fact| fact.span) {
            session.select_span(span, Via::Jump);
        }
    });
    let headline = facts.iter().enumerate().filter(|(_, fact)| fact.headline);
    html! {
        <ul class="chips" aria-label="The file in a few words" {onclick}>
            <li><span class="chip">{ &*props.view.opened.summary.title }</span></li>
            { for headline.map(|(i, fact)| html! { <li>{ chip(i, fact) }</li> }) }
        </ul>
    }
}

fn chip(number: usize, fact: &Fact) -> Html {
    let class = classes!("chip", words::tone_class(fact.tone));
    let sign = words::tone_sign(fact.tone).filter(|_| fact.tone != Tone::Plain);
    let text = html! { <>
        if let Some(sign) = sign { <span aria-hidden="true">{ sign }</span> }
        <span class="chip-text">{ escaped(&fact.text) }</span>
    </> };
    let title = format!("{}: {}", fact.label, escaped(&fact.text));
    if fact.span.is_some() {
        html! { <button type="button" {class} {title} data-fact={number.to_string()}>{ text }</button> }
    } else {
        html! { <span {class} {title}>{ text }</span> }
    }
}
