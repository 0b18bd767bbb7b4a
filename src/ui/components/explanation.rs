//! Explanations of problems and rules.

use yew::prelude::*;

use super::names::{plain, prose, span_button};
use super::rules::effect_text;
use crate::model::{Label, RuleInfo, Span, Tone};
use crate::ui::state::View;
use crate::ui::state::problem_list::{Class, Entry, describe, rule};
use crate::ui::text::format;

/// The message, the rule's text and source, and related problems; or the rule alone.
pub fn explanation(view: &View, entry: Entry, only_rule: bool) -> Option<Html> {
    let found = describe(view, entry)?;
    let info = rule(view, entry);
    if only_rule {
        return info.map(|info| explained_rule(info, found.tone));
    }
    let problem = match entry.class {
        Class::Driver => None,
        _ => view.opened.diagnostics.get(entry.place),
    };
    let mut texts: Vec<&str> = Vec::new();
    let mut labels: &[Label] = &[];
    if let Some(problem) = problem {
        texts.push(&problem.diagnostic.primary.text);
        texts.extend(problem.diagnostic.help.as_deref());
        labels = &problem.diagnostic.secondary;
    }
    let effect = found.effect.map(|effect| effect_text(found.rule, effect));
    texts.extend(effect.as_deref());
    texts.extend(info.map(|info| &*info.docs));
    Some(text_box(
        found.tone,
        found.message,
        &texts,
        labels,
        html! { <>
            { span_button("link mono", found.span, plain(found.rule)) }
            if let Some(info) = info { { " · " }{ prose(&info.origin) } }
        </> },
    ))
}

/// A rule alone.
fn explained_rule(info: &RuleInfo, tone: Tone) -> Html {
    let effect = info.effect.map(|effect| effect_text(&info.id, effect));
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(effect.as_deref());
    texts.push(&info.docs);
    text_box(
        tone,
        &info.summary,
        &texts,
        &[],
        html! { <><span class="mono">{ info.id.to_string() }</span>{ " · " }{ prose(&info.origin) }</> },
    )
}

#[inline(never)]
fn text_box(tone: Tone, headline: &str, texts: &[&str], labels: &[Label], from: Html) -> Html {
    let place = |span: Span| format!("{:#x} … {:#x}", span.start, span.end);
    html! {
        <div class={format!("box {}", format::tone_class(tone))}>
            <p class="headline">
                if let Some(sign) = format::tone_sign(tone) {
                    <span class={format!("sev {}", format::tone_class(tone))} aria-hidden="true">{ sign }</span>
                }
                { prose(headline) }
            </p>
            { for texts.iter().filter(|text| !text.is_empty() && **text != headline).map(|text| html! { <p>{ prose(text) }</p> }) }
            { for labels.iter().map(|label| html! {
                <p>{ span_button("link mono", label.span, plain(&place(label.span))) }{ " " }{ prose(&label.text) }</p>
            }) }
            <p class="dim small">{ from }</p>
        </div>
    }
}
