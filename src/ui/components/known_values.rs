//! Values defined by the specification.

use yew::prelude::*;

use crate::model::Value;
use crate::worker::protocol::KnownRow;

/// Longer lists are collapsed initially.
const SHORT: usize = 8;

/// The list, with the file's value marked.
pub(super) fn known_values(known: &[KnownRow], value: &Value) -> Html {
    if known.is_empty() {
        return Html::default();
    }
    let flags = matches!(value, Value::Flags { .. });
    let raw = value.as_u64();
    // Words have no numbers.
    let word = match value {
        Value::Text { text, .. } => Some(text),
        _ => None,
    };
    let is_current = |known: &KnownRow| match (raw, word) {
        (_, Some(word)) => *word == known.name,
        (Some(raw), _) if flags => known.raw != 0 && raw & known.raw == known.raw,
        (raw, _) => raw == Some(known.raw),
    };
    let hex = flags || known.iter().any(|known| known.raw > 9999);
    html! {
        <details class="fold" open={known.len() <= SHORT}>
            <summary>{ format!("{} known values", known.len()) }</summary>
            <table class="known">
                <thead class="unseen"><tr><th>{ "Set" }</th><th>{ "Value" }</th><th>{ "Name" }</th></tr></thead>
                <tbody>
                { for known.iter().map(|known| {
                    let current = is_current(known);
                    let number = if hex { format!("{:#x}", known.raw) } else { known.raw.to_string() };
                    html! {
                        <tr class={if current { "sel" } else { "" }}>
                            <td class="tick">{ if current { "✓" } else { "" } }</td>
                            <td class="num">{ if word.is_none() { number } else { String::new() } }</td>
                            <td>
                                <span class="mono">{ &*known.name }</span>
                                if !known.doc.is_empty() { <small>{ &*known.doc }</small> }
                            </td>
                        </tr>
                    }
                }) }
                </tbody>
            </table>
        </details>
    }
}
