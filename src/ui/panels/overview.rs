//! The file in a few lines, and where its bytes go.

use yew::prelude::*;

use super::{PanelProps, Sizes};
use crate::model::{Coverage, Fact};
use crate::ui::hooks::{number_near, use_session};
use crate::ui::selection::Via;
use crate::ui::words;

/// The overview.
#[component]
pub fn Overview(props: &PanelProps) -> Html {
    let opened = &props.view.opened;
    let facts = opened.summary.facts.iter().enumerate();
    html! {
        <div class="panel overview">
            <section class="block">
                <h2>{ &*opened.summary.title }</h2>
                <Facts tab={props.tab} view={props.view.clone()} count={facts.len()} />
            </section>
            <section class="block">
                <h2>{ "Bytes" }</h2>
                { coverage(&opened.coverage, opened.size) }
            </section>
            <Sizes ..props.clone() />
        </div>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct FactsProps {
    tab: crate::ui::state::TabId,
    view: crate::ui::shared::Shared<crate::ui::state::View>,
    count: usize,
}

#[component]
fn Facts(props: &FactsProps) -> Html {
    let session = use_session();
    let view = props.view.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let fact = number_near(&event, "data-fact").and_then(|i| usize::try_from(i).ok());
        let span = fact
            .and_then(|i| view.opened.summary.facts.get(i))
            .and_then(|fact| fact.span);
        if let Some(span) = span {
            session.select_span(span, Via::Jump);
        }
    });
    let facts = &props.view.opened.summary.facts;
    html! {
        <dl class="kv facts" {onclick}>
            { for facts.iter().enumerate().map(|(i, fact)| html! { <>
                <dt>{ &*fact.label }</dt>
                <dd>{ fact_text(i, fact) }</dd>
            </> }) }
        </dl>
    }
}

fn fact_text(number: usize, fact: &Fact) -> Html {
    let text = html! { <>
        { sign(fact) }
        { crate::model::text::escaped(&fact.text) }
    </> };
    let class = classes!("fact", words::tone_class(fact.tone));
    if fact.span.is_some() {
        html! {
            <button type="button" class={classes!("link", class)} data-fact={number.to_string()}>
                { text }
            </button>
        }
    } else {
        html! { <span {class}>{ text }</span> }
    }
}

/// A fact's sign, read out only as the text that it stands before.
fn sign(fact: &Fact) -> Html {
    match words::tone_sign(fact.tone) {
        Some(sign) => html! { <span class="sign" aria-hidden="true">{ sign }</span> },
        None => Html::default(),
    }
}

fn coverage(coverage: &Coverage, size: u64) -> Html {
    let parts = [
        ("explained", "c-explained", coverage.explained),
        ("padding", "c-padding", coverage.padding),
        ("unexplained", "c-gap", coverage.gap),
    ];
    let mut at = 0.0;
    let scale = |part: u64| 100.0 * part as f64 / size.max(1) as f64;
    html! { <>
        <svg class="bar" role="img" aria-label={spoken(coverage, size)}>
            { for parts.iter().filter(|part| part.2 > 0).map(|(_, class, part)| {
                let x = at;
                at += scale(*part);
                let width = scale(*part).max(0.3);
                html! { <rect class={*class} x={pc(x)} y="0" width={pc(width)} height="100%" /> }
            }) }
        </svg>
        <ul class="legend">
            { for parts.iter().map(|(name, class, part)| html! {
                <li>
                    <svg class="key" aria-hidden="true"><rect class={*class} width="100%" height="100%" /></svg>
                    { name }{ " " }
                    if *part > 0 {
                        <b>{ words::percent(*part, size) }</b>
                        <span class="dim">{ words::bytes(*part) }</span>
                    } else {
                        <span class="dim">{ "none" }</span>
                    }
                </li>
            }) }
            if coverage.overlap > 0 {
                <li class="warn">
                    <span class="sign" aria-hidden="true">{ "▲" }</span>
                    { format!("{} belong to more than one part", words::bytes(coverage.overlap)) }
                </li>
            }
        </ul>
    </> }
}

fn pc(share: f64) -> String {
    // Hundredths of a percent are finer than any screen.
    let hundredths = (share * 100.0) as u64;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// Where every byte is accounted for, in a few words.
pub fn spoken(coverage: &Coverage, size: u64) -> String {
    if coverage.gap == 0 && coverage.padding == 0 {
        return "every byte explained".to_owned();
    }
    if coverage.gap == 0 {
        return format!(
            "every byte explained · {} padding",
            words::grouped(coverage.padding)
        );
    }
    format!(
        "{} unexplained ({})",
        words::bytes(coverage.gap),
        words::percent(coverage.gap, size)
    )
}
