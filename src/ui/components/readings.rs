//! The selected bytes as numbers of each width, and as text.

use yew::prelude::*;

use crate::ui::commands::ByteForm;
use crate::ui::readings;

/// The readings of the first bytes of `len`; shown at once if `open`.
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
