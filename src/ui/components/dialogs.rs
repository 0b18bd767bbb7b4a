//! What lies over the page.

use yew::prelude::*;

use super::rules::Rules;
use crate::ui::hooks::{SessionContext, text_of, use_modal};
use crate::ui::state::Dialog;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
    /// Which.
    pub dialog: Dialog,
}

/// The dialog that is open.
#[component]
pub fn Dialogs(props: &Props) -> Html {
    let session = &props.session.0;
    let node = use_modal(session);
    let onsubmit = {
        let (session, dialog) = (session.clone(), props.dialog.clone());
        // The browser closes the dialog, which gives the focus back.
        Callback::from(move |_: SubmitEvent| {
            let text = text_of("asked");
            match dialog {
                _ if text.trim().is_empty() => {}
                Dialog::Link => session.open_link(&text, None),
                Dialog::GoTo => session.go_to(&text),
                Dialog::Help | Dialog::Rules | Dialog::Copy(_) => {}
            }
        })
    };
    let (title, content) = match &props.dialog {
        Dialog::Help => ("Keys and help", help()),
        Dialog::Rules => ("Rules", html! { <Rules session={props.session.clone()} /> }),
        Dialog::Link => ("Open a link", link()),
        Dialog::GoTo => ("Go to", go_to()),
        Dialog::Copy(text) => ("Copy this text", copy(text)),
    };
    html! {
        <dialog ref={&node} aria-labelledby="dialog-title" {onsubmit}>
            <form method="dialog" class="dialog-head">
                <h2 id="dialog-title">{ title }</h2>
                <span class="grow" />
                <button class="ico" aria-label="Close" formnovalidate=true>{ "×" }</button>
            </form>
            { content }
        </dialog>
    }
}

type Entries = &'static [(&'static str, &'static str)];

const KEYS: &[(&str, Entries)] = &[
    (
        "Everywhere",
        &[
            ("o", "open a file"),
            (
                "/",
                "search names, values, text; bytes as 4d 5a ?? 00 or \"abc\"",
            ),
            ("g", "go to an offset, a name, section+offset"),
            ("[  ]", "the problem before, the next problem"),
            (
                "Tab",
                "from pane to pane; borders between panes move with the arrow keys",
            ),
            ("?", "this list"),
        ],
    ),
    (
        "Structure",
        &[
            ("↑ ↓", "row by row; Home, End, Page Up, Page Down"),
            ("→ ←", "open and enter; close and leave"),
            ("Enter", "open or close"),
            ("*", "open everything on this level"),
            ("a … z", "go to the next name that begins so"),
        ],
    ),
    (
        "Bytes",
        &[
            ("← ↑ ↓ →", "move the cursor; Home, End, Page Up, Page Down"),
            (
                "Enter",
                "select the field at the cursor; again: what is around it",
            ),
            ("Shift", "with an arrow key or a click: select a range"),
        ],
    ),
];

const READS: Entries = &[
    (
        "zebin",
        "Level Zero device binaries: sections, .ze_info, notes, symbols, relocations",
    ),
    (
        "SYCLBIN",
        "versions 1 and 2: modules, images, property sets",
    ),
    (
        "around them",
        "OffloadBinary, ar archives, IGC debug data, SPIR-V, and host files that hold any of these",
    ),
];

fn help() -> Html {
    html! {
        <div class="help">
            { for KEYS.iter().map(|(title, keys)| html! {
                <section>
                    <h3>{ *title }</h3>
                    <dl>
                        { for keys.iter().map(|(key, what)| html! { <>
                            <dt>{ for key.split("  ").map(|key| html! { <kbd>{ key }</kbd> }) }</dt>
                            <dd>{ *what }</dd>
                        </> }) }
                    </dl>
                </section>
            }) }
            <section>
                <h3>{ "With the pointer" }</h3>
                <p>{ "A click on a byte selects its field, further clicks on it what is around; dragging selects a range. Borders move; a double click puts them back." }</p>
            </section>
            <section>
                <h3>{ "Rules" }</h3>
                <p>
                    { super::names::button("btn2", "dialog", "rules".to_owned(), super::names::plain("All rules…")) }
                    { " What is checked, where each rule comes from, and what the driver does." }
                </p>
            </section>
            <section>
                <h3>{ "What is read" }</h3>
                <dl class="reads">
                    { for READS.iter().map(|(name, what)| html! { <><dt>{ *name }</dt><dd>{ *what }</dd></> }) }
                </dl>
                <p class="dim">{ concat!("Damaged files are opened like any other. Files stay on this machine. This is version ", env!("CARGO_PKG_VERSION"), ".") }</p>
            </section>
        </div>
    }
}

/// Asks for a line of text.
fn ask(label: &'static str, placeholder: &'static str, button: &'static str, hint: Html) -> Html {
    html! {
        <form method="dialog" class="ask">
            <label for="asked">{ label }</label>
            <div class="line">
                <input id="asked" type="text" {placeholder} autocomplete="off" spellcheck="false" />
                <button class="btn">{ button }</button>
            </div>
            <p class="dim">{ hint }</p>
        </form>
    }
}

fn link() -> Html {
    let hint = "Only that server is asked. It has to allow other sites to read the file (CORS); otherwise download it and drop it here.";
    ask(
        "Address of a file",
        "https://…/kernel.zebin",
        "Open",
        super::names::plain(hint),
    )
}

fn go_to() -> Html {
    let hint = "`0x1f78`, `8056`, `.ze_info`, `.ze_info+0x78`, `.ze_info/kernels/[0]`";
    ask(
        "Offset, name, or both",
        "0x1f78",
        "Go",
        super::names::prose(hint),
    )
}

fn copy(text: &AttrValue) -> Html {
    html! {
        <div class="ask">
            <p class="dim">{ "The browser does not let this page use the clipboard here. The text is selected: copy it with Ctrl+C (⌘C)." }</p>
            <textarea readonly=true rows="12" class="mono" aria-label="The text to copy" value={text.clone()} />
        </div>
    }
}
