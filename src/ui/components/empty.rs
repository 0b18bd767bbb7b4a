//! The start page, and files that are loading or have failed.

use yew::prelude::*;

use super::names::{button, manuals, plain};
use crate::model::text::{counted, escaped};
use crate::ui::session::page::address::waits_for;
use crate::ui::state::commands::Command;
use crate::ui::state::guide::TOURS;
use crate::ui::state::samples::SAMPLES;
use crate::ui::state::{Failure, Phase, Tab};
use crate::ui::text::format;

/// A drop zone. `www/boot.js` replays clicks made before it is rendered, and identifies the buttons
/// by `data-wish` and `data-sample`. `recent` are the recently opened files.
pub fn empty(recent: Html) -> Html {
    html! {
        <main class="middle">
            <div class="drop">
                <>{ waiting() }</>
                <div class="zone">
                    <h2>{ "Drop a .zebin or .syclbin here" }</h2>
                    <p>{ "Also .so, .dll, .exe and .o files with device code, SPIR-V, ocloc output, OffloadBinary, wheels and other packages" }</p>
                    <div class="rowc">
                        <button type="button" class="btn" data-command={Command::Open.to_string()}>{ "Open a file…" }</button>
                        <button type="button" class="btn2 big" data-command={Command::OpenFolder.to_string()} data-wish="folder">{ "Open a folder…" }</button>
                        <button type="button" class="btn2 big" data-command={Command::OpenLink.to_string()} data-wish="link">{ "Open from URL…" }</button>
                    </div>
                    <p class="dim">{ "or paste a file, hex or Base64 (Ctrl+V)" }</p>
                </div>
                { recent }
                <div>
                    <p>{ "No file at hand? Open a sample:" }</p>
                    <div class="samples">
                        { for TOURS.iter().enumerate().map(|(i, tour)| html! {
                            <button type="button" class="btn2" data-command={Command::Guide(i).to_string()} data-wish={tour.wish}>
                                <b>{ tour.label }</b>{ " " }<span>{ tour.about }</span>
                            </button>
                        }) }
                        { for SAMPLES.iter().enumerate().map(|(i, sample)| html! {
                            <button type="button" class="btn2" data-command={Command::Sample(i).to_string()} data-sample={sample.key()}>
                                <b>{ sample.label }</b>{ " " }<span>{ sample.about }</span>
                            </button>
                        }) }
                    </div>
                </div>
                <p class="dim">{ "Files stay on this machine. Nothing is uploaded or installed, and the page works offline." }</p>
                { manuals(&[("zebin.html", "What is a zebin?"), ("index.html", "Documentation")]) }
            </div>
        </main>
    }
}

/// Target and file of the URL.
fn waiting() -> Option<Html> {
    let (file, target) = waits_for();
    let file = file.map(|name| format!("“{}”", escaped(&name)));
    let text = match (target, file) {
        (Some(target), file) => {
            let file = file.as_deref().unwrap_or("the file");
            format!(
                "This link points to {}. Open {file} to see it.",
                escaped(&target.words())
            )
        }
        (None, Some(file)) => {
            format!("A reloaded page cannot read local files. Open {file} again.")
        }
        (None, None) => return None,
    };
    Some(html! { <p role="status">{ text }</p> })
}

/// A file that is loading. The styles delay it, because most files load in a moment.
pub fn loading(tab: &Tab) -> Html {
    let (status, share) = match tab.phase {
        Phase::Fetching { got, total } => {
            let of = total.map(|total| format!(" of {}", format::size(total)));
            let status = format!("{}{} downloaded", format::size(got), of.unwrap_or_default());
            let share = total.map(|total| got.saturating_mul(100) / total.max(1));
            (status, share)
        }
        Phase::Listing { files } => {
            let files = counted(files as u64, "file", "files");
            (format!("{files} found"), None)
        }
        _ => ("Reading headers and tables".to_owned(), None),
    };
    html! {
        <main class="middle">
            <div class="loading" role="status">
                <h2>{ format!("Opening {}", escaped(&tab.name)) }</h2>
                <progress max="100" value={share.map(|share| share.to_string())} aria-label="Progress" />
                <p class="dim">{ status }</p>
                { button("btn2", Command::Close(tab.id), plain("Cancel")) }
            </div>
        </main>
    }
}

/// A file on another site that the embedding page wants to download, and could read.
pub fn asking(tab: &Tab, host: &str, page: Option<&str>) -> Html {
    let around = page.map_or_else(
        || "The page around this frame".to_owned(),
        |page| format!("The page around this frame, {},", escaped(page)),
    );
    html! {
        <main class="middle">
            <div class="failed asking">
                <h2>{ format!("Open {} from {}?", escaped(&tab.name), escaped(host)) }</h2>
                <p class="message">{ format!("{around} asks for a file from another site. If you allow it, that page can read what zeview shows of the file: its names, sizes, problems and tables, and the assembly.") }</p>
                <div class="rowc">
                    { button("btn2 big", Command::OpenPrivately(tab.id), plain("Open, but keep it private")) }
                    { button("btn2 big", Command::Retry(tab.id), plain("Open, and let that page read it")) }
                </div>
            </div>
        </main>
    }
}

/// A file that failed to load: the cause and the suggested action.
pub fn failed(tab: &Tab, failure: &Failure, can_retry: bool) -> Html {
    html! {
        <main class="middle">
            <div class="failed" role="alert">
                <h2><span class="sev err" aria-hidden="true">{ "✕" }</span>{ failure.title.clone() }</h2>
                <p class="mono dim">{ escaped(&tab.name) }</p>
                <p class="message">{ failure.message.clone() }</p>
                <p>{ failure.advice.clone() }</p>
                <div class="rowc">
                    if can_retry {
                        { button("btn", Command::Retry(tab.id), plain("Try again")) }
                    }
                    { button("btn2", Command::Open, plain("Open another file…")) }
                    { button("btn2", Command::Close(tab.id), plain("Close")) }
                </div>
            </div>
        </main>
    }
}
