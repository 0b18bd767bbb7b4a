//! The line at the bottom.

use yew::prelude::*;

use crate::ui::panels::spoken_coverage;
use crate::ui::shared::Shared;
use crate::ui::state::Tab;
use crate::ui::words;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file that is looked at.
    pub tab: Option<Shared<Tab>>,
}

/// What is selected, how much is explained, how much was read.
#[component]
pub fn StatusLine(props: &Props) -> Html {
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    let Some(view) = props.tab.as_ref().and_then(|tab| tab.view()) else {
        return html! {
            <footer class="status">
                <span>{ version }</span>
                <span class="grow" />
                <span class="hint">
                    { "keyboard: " }<kbd>{ "o" }</kbd>{ " open " }<kbd>{ "?" }</kbd>{ " all keys" }
                </span>
            </footer>
        };
    };
    let opened = &view.opened;
    let range = view.selection.span.map(|span| {
        format!("{:#x}..{:#x} · {}", span.start, span.end, words::bytes(span.len()))
    });
    html! {
        <footer class="status">
            <span class="mono range">{ range.unwrap_or_else(|| "no bytes of its own".to_owned()) }</span>
            <span class="way">{ view.selection.names().collect::<Vec<_>>().join(" ▸ ") }</span>
            <span class="grow" />
            <span class={classes!("cover", (opened.coverage.gap > 0).then_some("warn"))}>{ spoken_coverage(&opened.coverage, opened.size) }</span>
            <span class="cost">{ read(opened.bytes_read, opened.size) }</span>
            <span class="cost">{ format!("decoded in {}", millis(opened.millis)) }</span>
            <span class="dim cost">{ version }</span>
        </footer>
    }
}

/// Some bytes may be read twice.
fn read(bytes: u64, size: u64) -> String {
    if bytes >= size {
        format!("read all {}", words::size(size))
    } else {
        format!("read {} of {}", words::size(bytes), words::size(size))
    }
}

fn millis(millis: f64) -> String {
    let rounded = (millis.max(0.0) + 0.5) as u64;
    if rounded == 0 {
        "under 1 ms".to_owned()
    } else {
        format!("{} ms", words::grouped(rounded))
    }
}
