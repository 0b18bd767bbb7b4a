//! Names of nodes, sentences, and buttons that link to nodes.

use yew::prelude::*;

use crate::model::Span;
use crate::model::text::escaped;
use crate::ui::browser::dom::has_documentation;
use crate::ui::state::commands::Command;
use crate::ui::state::selection::Selection;
use crate::ui::text::format;
use crate::worker::protocol::Row;

/// A row's name; long ones are truncated in the middle.
#[inline(never)]
pub fn name_of(row: &Row) -> Html {
    let name = escaped(row.short.as_ref().unwrap_or(&row.name));
    if row.indexed && name.is_empty() {
        return html! { <span class="n">{ format!("[{}]", row.index) }</span> };
    }
    shortened(&name)
}

/// Links to pages of the documentation, by file and title, or nothing in a package of the page without
/// the documentation.
pub fn manuals(pages: &[(&str, &'static str)]) -> Html {
    if !has_documentation() {
        return Html::default();
    }
    html! {
        <p>{ for pages.iter().enumerate().map(|(i, (page, title))| html! { <>
            if i > 0 { { " · " } }
            <a class="link" href={format!("docs/{page}")} target="_blank" rel="noopener">{ *title }</a>
        </> }) }</p>
    }
}

/// A link to the page of the documentation about what is shown, as [`manuals`].
pub fn manual((page, title): (&str, &str)) -> Html {
    if !has_documentation() {
        return Html::default();
    }
    let title = format!("Guide: {title}");
    html! {
        <a class="ico" href={format!("docs/{page}")} target="_blank" rel="noopener" title={title.clone()} aria-label={title}>{ "?" }</a>
    }
}

/// A name; long ones are truncated in the middle.
#[inline(never)]
pub fn shortened(name: &str) -> Html {
    let (start, end) = format::middle(name);
    if end.is_empty() {
        return html! { <span class="n">{ name.to_owned() }</span> };
    }
    // Screen readers would read two adjacent boxes as two words.
    html! {
        <span class="n long">
            <span class="cut" aria-hidden="true">{ start.to_owned() }</span>
            <span class="keep" aria-hidden="true">{ end.to_owned() }</span>
            <span class="unseen">{ name.to_owned() }</span>
        </span>
    }
}

/// A sentence; text in backticks is code.
#[inline(never)]
pub fn prose(text: &str) -> Html {
    let text = escaped(text);
    let parts = text.split('`').enumerate().map(|(i, part)| {
        if i % 2 == 1 {
            html! { <code>{ part.to_owned() }</code> }
        } else {
            plain(part)
        }
    });
    html! { <>{ for parts }</> }
}

/// Text.
#[inline(never)]
pub fn plain(text: &str) -> Html {
    yew::virtual_dom::VText::new(text.to_owned()).into()
}

/// A button with a command and a label.
#[inline(never)]
pub fn button(class: &'static str, command: Command, label: Html) -> Html {
    html! { <button type="button" {class} data-command={command.to_string()}>{ label }</button> }
}

/// A button that selects bytes.
#[inline(never)]
pub fn span_button(class: &'static str, span: Span, label: Html) -> Html {
    button(class, Command::Select(span), label)
}

/// Breadcrumb of the selection, with a link for each node; of two files, in the one with this name.
pub fn names(selection: &Selection, of: Option<&str>) -> Html {
    let of = of.map_or_else(String::new, |name| format!(" in {}", escaped(name)));
    html! {
        <nav class="names" aria-label={format!("Path of the selection{of}")}>
            { for selection.names().enumerate().map(|(i, name)| html! { <>
                if i > 0 { <span class="arrow" aria-hidden="true">{ "▸" }</span> }
                { button("link", Command::SelectAbove(i + 1), plain(&name)) }
            </> }) }
        </nav>
    }
}
