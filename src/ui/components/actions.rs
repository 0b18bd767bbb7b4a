//! What can be done with what is selected: copy, save, export.

use yew::prelude::*;

use super::value_view;
use crate::ui::hooks::{copy, link_to, save_bytes, save_text, use_session};
use crate::ui::readings;
use crate::ui::shared::Shared;
use crate::ui::state::{Origin, View};
use crate::ui::words;
use crate::worker::protocol::ExportForm;

/// No more bytes are copied as text.
const COPY_MAX: u64 = 1024 * 1024;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is shown of the file.
    pub view: Shared<View>,
    /// Where the file came from.
    pub origin: Origin,
    /// The path of the selected node, once it is known.
    pub path: Option<AttrValue>,
}

/// The buttons of the inspector.
#[component]
pub fn Actions(props: &Props) -> Html {
    let session = use_session();
    let selection = &props.view.selection;
    let row = selection.way.last().unwrap_or(&props.view.opened.root);
    let span = selection.span.filter(|span| !span.is_empty());
    let value = Some(value_view::plain(&row.value)).filter(|v| !v.is_empty() && !selection.free);
    let name = file_name(&props.view.opened.name, &row.name);

    let button = |label: &'static str, act: Option<Callback<MouseEvent>>| {
        html! {
            <button type="button" class="btn2" disabled={act.is_none()} onclick={act}>{ label }</button>
        }
    };
    let copied = |text: String, what: &'static str| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| copy(&session, text.clone(), what))
    };
    let link = props.path.as_ref().map(|path| {
        copied(link_to(&props.origin, selection.target(path).as_ref()), "Link")
    });
    let path = props.path.as_ref().filter(|path| !path.is_empty());
    let save = span.map(|span| {
        let (session, name) = (session.clone(), format!("{name}.bin"));
        Callback::from(move |_: MouseEvent| save_bytes(&session, span, name.clone()))
    });
    let as_text = |what: &'static str, write: fn(&[u8]) -> String| {
        let span = span.filter(|span| span.len() <= COPY_MAX)?;
        let session = session.clone();
        Some(Callback::from(move |_: MouseEvent| {
            let inner = session.clone();
            session.read_whole(span, move |bytes| copy(&inner, write(&bytes), what));
        }))
    };
    let json = (!selection.free).then(|| {
        let (session, node, name) = (session.clone(), row.id, format!("{name}.json"));
        Callback::from(move |_: MouseEvent| {
            let name = name.clone();
            session.export(node, ExportForm::Json, move |text| save_text(&text, &name));
        })
    });
    let text = (!selection.free).then(|| {
        let (session, node) = (session.clone(), row.id);
        Callback::from(move |_: MouseEvent| {
            let inner = session.clone();
            session.export(node, ExportForm::Text, move |text| copy(&inner, text, "Text"));
        })
    });
    let too_long = span.is_some_and(|span| span.len() > COPY_MAX);
    html! {
        <section class="actions">
            <div class="rowc">
                { button("Copy link", link) }
                { button("Copy value", value.map(|v| copied(v, "Value"))) }
                { button("Copy path", path.map(|path| copied(path.to_string(), "Path"))) }
                { button("Save bytes", save) }
            </div>
            <details class="fold">
                <summary>{ "Copy and export as…" }</summary>
                <div class="rowc">
                    { button("Hex text", as_text("Hex text", readings::hex_text)) }
                    { button("C array", as_text("C array", readings::c_array)) }
                    { button("Rust array", as_text("Rust array", readings::rust_array)) }
                    { button("Tree as text", text) }
                    { button("Save JSON", json) }
                </div>
                if too_long {
                    <p class="dim small">
                        { format!("As text at most {}; save the bytes instead.", words::size(COPY_MAX)) }
                    </p>
                }
            </details>
        </section>
    }
}

/// A name for a part of a file that any file system takes.
fn file_name(file: &str, part: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let mut name: String = file.chars().chain(['-']).chain(part.chars()).map(plain).collect();
    if file == part {
        name = file.chars().map(plain).collect();
    }
    match name.char_indices().nth(80) {
        Some((at, _)) => name.split_at(at).0.to_owned(),
        None => name,
    }
}

