//! The selected bytes as numbers of each width, and as text.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::readings;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The first bytes of what is selected.
    pub bytes: Rc<[u8]>,
    /// How many bytes are selected.
    pub len: u64,
    /// Shown at once: nothing else says what the bytes are.
    pub open: bool,
}

/// The readings.
#[component]
pub fn Readings(props: &Props) -> Html {
    let take = usize::try_from(props.len).unwrap_or(usize::MAX).min(props.bytes.len());
    let bytes = props.bytes.get(..take).unwrap_or(&[]);
    if bytes.is_empty() {
        return Html::default();
    }
    let text = readings::text(bytes);
    let hex = readings::hex_text(bytes.get(..bytes.len().min(16)).unwrap_or(bytes));
    html! {
        <details class="fold" open={props.open}>
            <summary>{ "Bytes as numbers and text" }</summary>
            <dl class="kv tight">
                <dt>{ "hex" }</dt>
                <dd class="mono">{ hex }{ if props.len > 16 { " …" } else { "" } }</dd>
                { for readings::numbers(bytes).into_iter().map(|reading| html! { <>
                    <dt>{ reading.name }</dt>
                    <dd class="mono">{ reading.text }</dd>
                </> }) }
                if let Some(text) = text {
                    <dt>{ "text" }</dt>
                    <dd class="mono text">{ text }{ if props.len > bytes.len() as u64 { "…" } else { "" } }</dd>
                }
            </dl>
            <p class="dim small">{ "Little endian, from the first byte of the selection." }</p>
        </details>
    }
}
