//! All rules with explanations, as printed by `zeview rules`.

use std::rc::Rc;

use yew::prelude::*;

use super::names::prose;
use crate::model::{Effect, RuleInfo, Severity, Tone};
use crate::ui::browser::dom::text_of;
use crate::ui::hooks::{use_change, use_local};
use crate::ui::session::SessionContext;
use crate::ui::state::verdict::effect_tone;
use crate::ui::text::format;

/// Element id of the filter field.
const FIELD: &str = "rule-filter";
/// Maximum number of visible rules.
const SHOWN: usize = 80;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
}

#[derive(Clone, PartialEq, Default)]
struct LoadedRules {
    rules: Option<Rc<[RuleInfo]>>,
    /// The decoder crashed before it returned them.
    failed: bool,
    text: String,
}

/// The list of rules.
#[component]
pub fn Rules(props: &Props) -> Html {
    let known = use_local::<LoadedRules>();
    let (session, here) = (props.session.clone(), known.clone());
    use_change(
        [0; 4],
        Box::new(move || {
            session.0.with_rules(Box::new(move |rules| {
                here.change(|known| {
                    known.failed = rules.is_none();
                    known.rules = rules.map(Rc::from);
                });
            }));
        }),
    );
    let here = known.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let text = text_of(FIELD).trim().to_ascii_lowercase();
        here.change(|known| known.text = text);
    });
    let now = known.get();
    let rules = now.rules.as_deref().unwrap_or(&[]);
    let found: Vec<&RuleInfo> = rules.iter().filter(|rule| lets(rule, &now.text)).collect();
    let more = found.len().saturating_sub(SHOWN);
    html! {
        <div class="rules">
            <div class="line">
                <input id={FIELD} type="search" placeholder="Id or text" aria-label="Filter rules" {oninput} />
                <span class="dim" role="status">
                    { match (&now.rules, now.failed) {
                        (Some(_), _) => format!("{} of {}", found.len(), rules.len()),
                        (None, false) => "…".to_owned(),
                        (None, true) => "The decoder stopped. Close this dialog and try again.".to_owned(),
                    } }
                </span>
            </div>
            { for found.iter().take(SHOWN).map(|rule| entry(rule)) }
            if more > 0 { <p class="dim">{ format!("{more} more; filter to see them") }</p> }
        </div>
    }
}

fn lets(rule: &RuleInfo, text: &str) -> bool {
    let has = |part: &str| part.to_ascii_lowercase().contains(text);
    text.is_empty() || has(&rule.id) || has(&rule.summary) || has(&rule.docs) || has(&rule.origin)
}

/// The rule about files for another device: the driver's reaction depends on SPIR-V.
const OTHER_DEVICE: &str = "driver/other-device";

/// The driver's reaction to a violation of a rule, as a sentence.
pub(super) fn effect_text(rule: &str, effect: Effect) -> String {
    match rule {
        OTHER_DEVICE => {
            "The driver refuses the file. If the file contains SPIR-V, it is recompiled: the driver compiles that and loads the result.".to_owned()
        }
        _ => format!("The driver {}.", effect.words()),
    }
}

fn entry(rule: &RuleInfo) -> Html {
    let (tone, meaning) = match (rule.effect, rule.severity) {
        (Some(effect), _) => (effect_tone(effect), effect.words()),
        (None, Severity::Error) => (Tone::Bad, "error"),
        (None, Severity::Warning) => (Tone::Warning, "warning"),
        (None, Severity::Info) => (Tone::Plain, "note"),
    };
    html! {
        <details key={rule.id.to_string()}>
            <summary>
                { format::tone_mark(tone, meaning) }
                <span class="mono">{ rule.id.to_string() }</span>
                <span class="dim">{ prose(&rule.summary) }</span>
            </summary>
            if let Some(effect) = rule.effect {
                <p>{ effect_text(&rule.id, effect) }</p>
            }
            <p>{ prose(&rule.docs) }</p>
            <p class="dim small">{ prose(&rule.origin) }</p>
        </details>
    }
}
