//! What lies over the page.

use yew::prelude::*;

use crate::ui::hooks::{select_text, text_of, use_modal, use_session};
use crate::ui::state::{Action, Dialog};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Which.
    pub dialog: Dialog,
}

/// The dialog that is open.
#[component]
pub fn Dialogs(props: &Props) -> Html {
    match &props.dialog {
        Dialog::Help => html! { <Help /> },
        Dialog::Link => html! { <Link /> },
        Dialog::GoTo => html! { <GoTo /> },
        Dialog::Copy(text) => html! { <Copy text={text.clone()} /> },
    }
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    title: AttrValue,
    children: Html,
}

#[component]
fn Frame(props: &FrameProps) -> Html {
    let session = use_session();
    let node = use_node_ref();
    let close = Callback::from(move |()| session.dispatch(Action::Dialog(None)));
    use_modal(&node, close);
    html! {
        <dialog ref={&node} aria-labelledby="dialog-title">
            <form method="dialog" class="dialog-head">
                <h2 id="dialog-title">{ props.title.clone() }</h2>
                <span class="grow" />
                <button class="ico" aria-label="Close">{ "×" }</button>
            </form>
            { props.children.clone() }
        </dialog>
    }
}

const KEYS: &[(&str, &[(&str, &str)])] = &[
    ("Everywhere", &[
        ("o", "open a file"),
        ("/", "search names, values, text; bytes as 4d 5a ?? 00 or \"abc\""),
        ("g", "go to an offset, a name, section+offset"),
        ("[  ]", "the problem before, the next problem"),
        ("Tab", "from pane to pane; borders between panes move with the arrow keys"),
        ("?", "this list"),
    ]),
    ("Structure", &[
        ("↑ ↓", "row by row; Home, End, Page Up, Page Down"),
        ("→ ←", "open and enter; close and leave"),
        ("Enter", "open or close"),
        ("*", "open everything on this level"),
        ("a … z", "go to the next name that begins so"),
    ]),
    ("Bytes", &[
        ("← ↑ ↓ →", "move the cursor; Home, End, Page Up, Page Down"),
        ("Enter", "select the field at the cursor; again: what is around it"),
        ("Shift", "with an arrow key or a click: select a range"),
    ]),
];

const READS: &[(&str, &str)] = &[
    ("zebin", "Level Zero device binaries: sections, .ze_info, notes, symbols, relocations"),
    ("SYCLBIN", "versions 1 and 2: modules, images, property sets"),
    ("around them", "OffloadBinary, ar archives, IGC debug data, SPIR-V, and host files that hold any of these"),
];

#[component]
fn Help() -> Html {
    html! {
        <Frame title="Keys and help">
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
                    <h3>{ "What is read" }</h3>
                    <dl class="reads">
                        { for READS.iter().map(|(name, what)| html! { <><dt>{ *name }</dt><dd>{ *what }</dd></> }) }
                    </dl>
                    <p class="dim">{ concat!("Damaged files are opened like any other. Files stay on this machine. This is version ", env!("CARGO_PKG_VERSION"), ".") }</p>
                </section>
            </div>
        </Frame>
    }
}

#[derive(Properties, PartialEq)]
struct AskProps {
    title: AttrValue,
    label: AttrValue,
    placeholder: AttrValue,
    #[prop_or("text".into())]
    kind: AttrValue,
    button: AttrValue,
    done: Callback<String>,
    children: Html,
}

/// Asks for a line of text.
#[component]
fn Ask(props: &AskProps) -> Html {
    let input = use_node_ref();
    let onsubmit = {
        let (input, done) = (input.clone(), props.done.clone());
        // The browser closes the dialog, which gives the focus back.
        Callback::from(move |_: SubmitEvent| {
            let text = text_of(&input);
            if !text.trim().is_empty() {
                done.emit(text);
            }
        })
    };
    html! {
        <Frame title={props.title.clone()}>
            <form method="dialog" class="ask" {onsubmit}>
                <label for="asked">{ props.label.clone() }</label>
                <div class="line">
                    <input ref={&input} id="asked" type={props.kind.clone()} placeholder={props.placeholder.clone()}
                           autocomplete="off" spellcheck="false" autofocus=true />
                    <button class="btn">{ props.button.clone() }</button>
                </div>
                <div class="dim">{ props.children.clone() }</div>
            </form>
        </Frame>
    }
}

#[component]
fn Link() -> Html {
    let session = use_session();
    let done = Callback::from(move |text: String| session.open_link(&text, None));
    html! {
        <Ask title="Open a link" label="Address of a file" placeholder="https://…/kernel.zebin" button="Open" {done}>
            <p>{ "Only that server is asked. It has to allow other sites to read the file (CORS); otherwise download it and drop it here." }</p>
        </Ask>
    }
}

#[component]
fn GoTo() -> Html {
    let session = use_session();
    let done = Callback::from(move |text: String| session.go_to(&text));
    html! {
        <Ask title="Go to" label="Offset, name, or both" placeholder="0x1f78" button="Go" {done}>
            <p>
                <code>{ "0x1f78" }</code>{ ", " }<code>{ "8056" }</code>{ ", " }<code>{ ".ze_info" }</code>{ ", " }
                <code>{ ".ze_info+0x78" }</code>{ ", " }<code>{ ".ze_info/kernels/[0]" }</code>
            </p>
        </Ask>
    }
}

#[derive(Properties, PartialEq)]
struct CopyProps {
    text: AttrValue,
}

#[component]
fn Copy(props: &CopyProps) -> Html {
    let area = use_node_ref();
    let selected = area.clone();
    use_effect_with((), move |()| select_text(&selected));
    html! {
        <Frame title="Copy this text">
            <div class="ask">
                <p class="dim">{ "The browser does not let this page use the clipboard here. The text is selected: copy it with Ctrl+C (⌘C)." }</p>
                <textarea ref={&area} readonly=true rows="12" class="mono" aria-label="The text to copy" value={props.text.to_string()} />
            </div>
        </Frame>
    }
}
