//! The selected bytes as numbers of each width, and as text.

use yew::prelude::*;

use crate::ui::state::commands::ByteForm;
use crate::ui::text::readings;

/// Interpretations of the first bytes of `len`; expanded if `open`.
pub(super) fn readings_view(bytes: &[u8], len: u64, open: bool) -> Html {
    let take = usize::try_from(len).unwrap_or(usize::MAX).min(bytes.len());
    let bytes = bytes.get(..take).unwrap_or(&[]);
    if bytes.is_empty() {
        return Html::default();
    }
    let mut rows = readings::numbers(bytes);
    let cut = |shown: usize| if len > shown as u64 { " …" } else { "" };
    let hex = readings::written(bytes.get(..16).unwrap_or(bytes), ByteForm::Hex);
    rows.insert(0, readings::Reading::new("hex", hex + cut(16)));
    if let Some(text) = readings::text(bytes) {
        rows.push(readings::Reading::new("text", text + cut(bytes.len())));
    }
    html! {
        <details class="fold" {open}>
            <summary>{ "Bytes as numbers and text" }</summary>
            <dl class="kv tight">
                { for rows.into_iter().map(|reading| html! { <>
                    <dt>{ reading.name }</dt>
                    <dd class="mono text">{ reading.text }</dd>
                </> }) }
            </dl>
            <p class="dim small">{ "Little-endian, from the start of the selection." }</p>
        </details>
    }
}

/// An instruction as 32-bit words, in hexadecimal and binary: bit 31 of the first word is bit 31 of
/// the instruction.
pub(super) fn words_view(bytes: &[u8], len: u64) -> Html {
    let take = usize::try_from(len).unwrap_or(usize::MAX).min(bytes.len());
    let words = bytes.get(..take).unwrap_or(&[]).chunks_exact(4);
    let words = words.filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?)));
    let binary = |word: u32| {
        let digits = format!("{word:032b}");
        let groups: Vec<&str> = (0..4)
            .filter_map(|at| digits.get(8 * at..8 * at + 8))
            .collect();
        groups.join(" ")
    };
    html! {
        <details class="fold" open=true>
            <summary>{ "Encoding" }</summary>
            <ul class="words">
                { for words.enumerate().map(|(at, word)| html! { <li>
                    <span class="dim">{ format!("{}:{} ", 32 * at + 31, 32 * at) }</span>
                    <b class="mono">{ format!("{word:08x}") }</b>
                    <span class="mono bits">{ binary(word) }</span>
                </li> }) }
            </ul>
        </details>
    }
}
