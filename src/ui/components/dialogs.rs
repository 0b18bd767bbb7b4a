//! Dialogs.

use yew::prelude::*;

use super::bookmark::comment_form;
use super::names::{button, manuals, plain, prose};
use super::rules::Rules;
use crate::model::text::escaped;
use crate::ui::browser::dom::text_of;
use crate::ui::session::SessionContext;
use crate::ui::session::dialog::use_modal;
use crate::ui::session::page::gate::Giver;
use crate::ui::state::commands::Command;
use crate::ui::state::{Dialog, OpenDialog};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
    /// The open dialog.
    pub open: OpenDialog,
}

/// The open dialog.
#[component]
pub fn Dialogs(props: &Props) -> Html {
    let session = &props.session.0;
    let dialog = &props.open.dialog;
    let node = use_modal(session, props.open.serial);
    let onsubmit = {
        let (session, dialog) = (session.clone(), dialog.clone());
        // The browser closes the dialog, which restores the focus.
        Callback::from(move |_: SubmitEvent| {
            let text = text_of("asked");
            match dialog {
                _ if text.trim().is_empty() => {}
                Dialog::Link => {
                    session.open_link(&text, None, Giver::Reader);
                }
                Dialog::GoTo(tab, _) => session.go_to(Some(tab), &text),
                Dialog::Help | Dialog::Rules | Dialog::Comment(..) | Dialog::Copy(_) => {}
            }
        })
    };
    let (title, content) = match dialog {
        Dialog::Help => ("Help", help()),
        Dialog::Rules => ("Rules", html! { <Rules session={props.session.clone()} /> }),
        Dialog::Link => ("Open from URL", link()),
        Dialog::GoTo(..) => ("Go to", go_to()),
        Dialog::Comment(_, bookmark) => ("Bookmark", comment_form(bookmark)),
        Dialog::Copy(text) => ("Copy this text", copy(text)),
    };
    html! {
        <dialog ref={&node} aria-labelledby="dialog-title" {onsubmit}>
            <form method="dialog" class="dialog-head">
                <h2 id="dialog-title">{ title }{ for place_in(dialog) }</h2>
                <span class="grow" />
                <button class="ico" aria-label="Close" formnovalidate=true>{ "×" }</button>
            </form>
            { content }
        </dialog>
    }
}

/// The file in which a location is asked for, if two are visible.
fn place_in(dialog: &Dialog) -> Option<String> {
    match dialog {
        Dialog::GoTo(_, Some(name)) => Some(format!(" a location in {}", escaped(name))),
        _ => None,
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
                "search names, values, text, or bytes (4d 5a ?? 00, \"abc\")",
            ),
            (
                "Ctrl+K",
                "find a panel, a command or a device by name; the same as > in the search field",
            ),
            ("F3  n", "next search result; with Shift the previous one"),
            (
                "g",
                "go to an offset, a name, or section+offset; in Assembly to an offset in the section or a label",
            ),
            (
                "t  x  i",
                "hide or show the structure, the bytes, the inspector; remembered for each panel",
            ),
            ("z", "only the panel; again: the panes, too"),
            (
                "[  ]",
                "previous, next kernel of the image; in File the problem",
            ),
            (",  .", "previous difference, next difference"),
            ("s", "show the two files side by side, or only the second"),
            (
                ";",
                "bookmark the selected row or bytes; again: write a comment on it",
            ),
            ("b", "compare with the previous build (watched files)"),
            ("F6", "next pane; with Shift the previous one"),
            ("l", "next level: Library, Kernel, File"),
            ("1 … 9", "open the tab with that number"),
            (
                "Tab",
                "next control; arrow keys move the border between panes",
            ),
            ("?", "this help"),
        ],
    ),
    (
        "Structure",
        &[
            (
                "↑ ↓",
                "previous row, next row; also Home, End, Page Up, Page Down",
            ),
            (
                "→ ←",
                "expand, or go to the first child; collapse, or go to the parent",
            ),
            ("Enter", "expand or collapse"),
            ("*", "expand all siblings"),
            ("a … z", "go to the next name that starts with the letters"),
            (
                "Show",
                "tree order; rows that are equal in two files; padding; defaults",
            ),
        ],
    ),
    (
        "Bytes",
        &[
            (
                "← ↑ ↓ →",
                "move the cursor; also Home, End, Page Up, Page Down",
            ),
            (
                "Enter",
                "select the field at the cursor; again: the record around it",
            ),
            ("Shift", "with an arrow key or a click: select a range"),
            ("Ctrl+C", "copy the selected bytes as hex"),
            (
                "Menu",
                "copy as text, an array in C or Rust, Python bytes, Base64",
            ),
        ],
    ),
];

const TABLE_KEYS: (&str, Entries) = (
    "Tables",
    &[
        (
            "← ↑ ↓ →",
            "move from cell to cell; on a column title, Enter sorts",
        ),
        (
            "Shift+←  Shift+→",
            "on a column title: narrower, wider; with Ctrl instead of Shift: move the column",
        ),
        (
            "Enter",
            "open the assembly of the kernel, the properties of the module; fold the loop; of a difference, show the first file",
        ),
        (
            "Shift",
            "with ↑ ↓ or a click: select rows; with Space: this row",
        ),
        (
            "Alt",
            "with a click on an instruction: select the operand; also a second click",
        ),
        (
            "Ctrl+C",
            "copy the cell, or the rows selected with Shift (tab-separated, without titles); in a text: the selected lines",
        ),
    ],
);

const FILTERS: Entries = &[
    (
        "add float",
        "rows that contain both words, in any column and letter case",
    ),
    (
        "\"add float\"",
        "the exact text; quoted text is never a condition",
    ),
    (
        "spill_size>0",
        "a column compared with a number: > < >= <= = !=",
    ),
    (
        "type=R_SYM_ADDR_32",
        "a column compared with text: = and !=",
    ),
    (
        "offset>=0x40",
        "numbers are decimal or hexadecimal; flags are yes or no",
    ),
    (
        "simd>8 and not (slm or fast)",
        "and, or, not, and parentheses; adjacent words mean and",
    ),
];

const READS: Entries = &[
    (
        "zebin",
        "Level Zero device binaries: sections, .ze_info, notes, symbols, relocations",
    ),
    ("SYCLBIN", "versions 0 to 2: modules, images, property sets"),
    (
        "Containers",
        "OffloadBinary, ar archives, IGC debug data, SPIR-V, and host binaries that contain them",
    ),
];

fn help() -> Html {
    html! {
        <div class="help">
            { manuals(&[("index.html", "Documentation: guides, reference and the formats")]) }
            { for KEYS.iter().chain([&TABLE_KEYS]).map(|(title, keys)| html! {
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
                <h3>{ "Mouse" }</h3>
                <p>{ "Click a byte to select its field; click it again to select the record around it. Drag to select a range. Drag a border to resize a pane; double-click it to reset." }</p>
            </section>
            <section>
                <h3>{ "Filters" }</h3>
                <dl class="reads">
                    { for FILTERS.iter().map(|(typed, what)| html! { <><dt><code>{ *typed }</code></dt><dd>{ *what }</dd></> }) }
                </dl>
                <p class="dim">{ "A column is named by its id or its title; the first letters are enough if only one column starts with them. The id is in the tooltip of the column title." }</p>
            </section>
            <section>
                <h3>{ "Bookmarks" }</h3>
                <p>{ "Bookmarks stay in this browser and come back with the same file: for 50 files with up to 500 each, and the oldest go first. Drop an exported bookmark file on the page to import it." }</p>
            </section>
            <section>
                <h3>{ "Rules" }</h3>
                <p>
                    { button("btn2", Command::Rules, plain("All rules…")) }
                    { " What is checked, the source of each rule, and what the driver does." }
                </p>
            </section>
            <section>
                <h3>{ "File formats" }</h3>
                <dl class="reads">
                    { for READS.iter().map(|(name, what)| html! { <><dt>{ *name }</dt><dd>{ *what }</dd></> }) }
                </dl>
                <p class="dim">{ concat!("Damaged files can be opened too. Files stay on this machine. zeview ", env!("CARGO_PKG_VERSION")) }</p>
            </section>
        </div>
    }
}

/// A dialog with one text field.
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
    let hint = "Only the server in the URL is contacted, and it must send CORS headers. If it does not, download the file and drop it here.";
    ask("File URL", "https://…/kernel.zebin", "Open", plain(hint))
}

fn go_to() -> Html {
    let hint = "`0x1f78`, `8056`, `.ze_info`, `.ze_info+0x78`, `.ze_info/kernels/[0]`. In Assembly, offsets are those of the section, as in its first column, and labels such as `L1840` work; `file:0x1f78` is an offset in the file.";
    ask("Offset, name, or name+offset", "0x1f78", "Go", prose(hint))
}

fn copy(text: &AttrValue) -> Html {
    html! {
        <div class="ask">
            <p class="dim">{ "The browser blocked access to the clipboard. The text is selected: press Ctrl+C (⌘C) to copy it." }</p>
            <textarea readonly=true rows="12" class="mono" aria-label="Text to copy" value={text.clone()} />
        </div>
    }
}
