//! Details of the selection.

use yew::prelude::*;

use super::bookmark::{bookmark_box, selected_bookmark};
use super::explanation::explanation;
use super::known_values::known_values;
use super::names::{button, plain, prose, span_button};
use super::readings::{readings_view, words_view};
use super::value_view::{bits_view, entry, value_view};
use crate::model::sort;
use crate::model::text::escaped;
use crate::model::{Area, NodeKind, SourceId, Span, Value, Xref};
use crate::ui::session::bytes::COPY_MAX;
use crate::ui::state::View;
use crate::ui::state::commands::{ByteForm, Command};
use crate::ui::state::problem_list::{Class, Entry, describe, entries};
use crate::ui::state::selection::{self, Selection};
use crate::ui::text::format;
use crate::worker::protocol::{Detail, Row};

/// The inspector.
pub fn inspector(view: &View) -> Html {
    let selection = &view.selection;
    let (row, detail) = (view.row(), view.detail());
    let len = selection.span.map_or(0, Span::len);
    // Numeric readings of an instruction are meaningless.
    let preview = if row.kind == NodeKind::Instruction && !selection.free {
        words_view(&view.preview, len)
    } else {
        readings_view(
            &view.preview,
            len,
            selection.free || matches!(row.value, Value::Bytes),
        )
    };
    html! {
        <div class="insp" key={u64::from(row.id.0)}>
            if selection.free {
                <h2>{ format::bytes(len) }</h2>
                <p class="sub">{ "in " }<span class="mono">{ selection::name(row) }</span></p>
                <dl class="kv">{ place(selection) }</dl>
            } else {
                <h2 class="mono" title={row.short.is_some().then(|| escaped(&row.name))}>{ selection::name(row) }</h2>
                <p class="sub">{ kind(row) }</p>
                <dl class="kv">
                    { within(selection) }
                    { value_view(&row.value, row.span.filter(|_| row.bits.is_none()).map(Span::len)) }
                    if let Some(summary) = &row.summary {
                        { entry(
                            if is_unit(summary) {
                                "Unit"
                            } else if crate::ui::tree::has_value(row) {
                                "Meaning"
                            } else {
                                "Contents"
                            },
                            html! { <span class="clamped" title={escaped(summary)}>{ plain(&escaped(summary)) }</span> },
                        ) }
                    }
                    { bits_view(row.bits) }
                    { place(selection) }
                </dl>
                if let Some(detail) = detail {
                    { about(view, detail) }
                }
            }
            if let Some(bookmark) = selected_bookmark(view) { { bookmark_box(bookmark) } }
            { preview }
            { actions(view, row) }
        </div>
    }
}

/// Whether a value's summary is just its unit.
fn is_unit(summary: &str) -> bool {
    let unit = summary.split(" per ").next().unwrap_or(summary);
    matches!(
        unit,
        "bytes" | "registers" | "lanes" | "threads" | "work-items" | "cycles"
    )
}

/// Meaning, references and problems of the node.
#[inline(never)]
fn about(view: &View, detail: &Detail) -> Html {
    html! { <>
        if let Some(doc) = &detail.doc {
            <div class="doc">
                <p>{ prose(doc) }</p>
                <p class="dim small">{ prose(detail.doc_source.as_deref().unwrap_or("")) }</p>
            </div>
        }
        { links(&detail.xrefs) }
        <>{ for problems(view, detail) }</>
        { known_values(&detail.known, &view.row().value) }
    </> }
}

#[inline(never)]
fn kind(row: &Row) -> Html {
    html! { <>
        { format::dot(row.area) }
        { format::kind_name(row.kind) }
        if row.area != Area::Inherit {
            <span class="dim">{ " · " }{ format::area_name(row.area) }</span>
        }
    </> }
}

/// Enclosing table entries: the kernel and the argument of a value.
fn within(selection: &Selection) -> Html {
    let rows = &selection.ancestry;
    let around = rows.iter().take(rows.len().saturating_sub(1)).enumerate();
    let entries = around.filter(|(_, row)| row.indexed && !row.name.is_empty());
    let entries: Vec<Html> = entries
        .map(|(place, row)| {
            let words = row.summary.as_ref().map(|words| escaped(words));
            html! { <div>
                { button("link", Command::SelectAbove(place + 1), super::names::name_of(row)) }
                if let Some(words) = words { <span class="dim">{ " " }{ words }</span> }
            </div> }
        })
        .collect();
    if entries.is_empty() {
        Html::default()
    } else {
        entry("In", html! { <>{ for entries }</> })
    }
}

#[inline(never)]
fn mono(text: &str, after: &str) -> Html {
    html! { <><span class="mono">{ text.to_owned() }</span><span class="dim">{ after.to_owned() }</span></> }
}

/// Offsets and length.
#[inline(never)]
fn place(selection: &Selection) -> Html {
    let Some(span) = selection.span else {
        return entry("Bytes", mono("", "none: the value is derived"));
    };
    let source = match span.source {
        SourceId::FILE => String::new(),
        SourceId(number) => {
            let rows = &selection.ancestry;
            let is_first = |row: &Row| row.span.is_some_and(|first| first.source == span.source);
            match rows.iter().position(is_first) {
                Some(at) if rows.get(at).is_some_and(|row| *row.name == *"file") => {
                    format!(" in {}", escaped(selection.document_name(at + 1)))
                }
                _ => format!(" in decompressed data {number}"),
            }
        }
    };
    let hex = if span.len() > 9 {
        format!(" ({:#x})", span.len())
    } else {
        String::new()
    };
    let start = selection.extent().map_or(span.start, |extent| extent.start);
    html! { <>
        { entry("Bytes", html! { <>
            { button("link", Command::ShowBytes, mono(&format!("{:#x} … {:#x}", span.start, span.end), "")) }
            <span class="dim">{ source }</span>
        </> }) }
        { entry("Length", mono(&format::grouped(span.len()), &hex)) }
        if start < span.start {
            { entry("Key", mono(&format!("{start:#x} … {:#x}", span.start), "")) }
        }
    </> }
}

/// Findings about the node; at most a few, because the Problems panel has all.
fn problems(view: &View, detail: &Detail) -> Vec<Html> {
    const SHOWN: usize = 4;
    // Exact matches first, then by severity.
    let mut here: Vec<(bool, Class, usize)> = Vec::new();
    let extent = view.selection.extent();
    for entry in entries(view) {
        let Some(problem) = describe(view, entry) else {
            continue;
        };
        let inside = match entry.class {
            Class::Driver => extent.is_some_and(|extent| extent.contains(problem.span)),
            _ => detail
                .diagnostics
                .iter()
                .any(|place| *place as usize == entry.place),
        };
        if inside {
            let other = Some(problem.span) != view.selection.span;
            here.push((other, entry.class, entry.place));
        }
    }
    sort::ascending(&mut here);
    let more = here.len().saturating_sub(SHOWN);
    let shown = here.into_iter().take(SHOWN);
    let mut boxes: Vec<Html> = shown
        .filter_map(|(_, class, place)| explanation(view, Entry { class, place }, false))
        .collect();
    if more > 0 {
        boxes.push(html! { <p class="dim">{ format!("{more} more in Problems") }</p> });
    }
    boxes
}

/// References of the node.
#[inline(never)]
fn links(xrefs: &[Xref]) -> Html {
    if xrefs.is_empty() {
        return Html::default();
    }
    html! {
        <section>
            <h3>{ "References" }</h3>
            <dl class="kv">
                { for xrefs.iter().map(|xref| {
                    let place = format!("{:#x}", xref.to.start);
                    let label = if xref.label.is_empty() { "bytes" } else { &xref.label };
                    entry(&xref.why, html! { <>
                        { span_button("link", xref.to, plain(&escaped(label))) }
                        <span class="dim mono">{ " " }{ place }</span>
                    </> })
                }) }
            </dl>
        </section>
    }
}

/// Actions on the selection: copy, save, export.
#[inline(never)]
fn actions(view: &View, row: &Row) -> Html {
    let button = |command: Command, label: &'static str, can: bool| {
        html! { <button type="button" class="btn2" data-command={command.to_string()} disabled={!can}>{ label }</button> }
    };
    let node = !view.selection.free;
    let len = view.selection.span.map_or(0, Span::len);
    let save = match view.selected_document() {
        Some(_) => "Save image",
        None => "Save bytes",
    };
    let short = len > 0 && len <= COPY_MAX;
    let path = view.detail().is_some_and(|detail| !detail.path.is_empty());
    html! {
        <section class="actions">
            <div class="rowc">
                { button(Command::CopyLink, "Copy link", view.detail().is_some()) }
                { button(Command::CopyValue, "Copy value", node && !format::plain_value(&row.value).is_empty()) }
                { button(Command::CopyPath, "Copy path", path) }
                { button(Command::SaveBytes, save, len > 0) }
                if selected_bookmark(view).is_none() {
                    <button type="button" class="btn2" data-command={Command::Bookmark.to_string()} aria-keyshortcuts=";">
                        { "Bookmark " }<kbd aria-hidden="true">{ ";" }</kbd>
                    </button>
                }
            </div>
            <details class="fold">
                <summary>{ "More formats" }</summary>
                <div class="rowc">
                    { for ByteForm::ALL.map(|(form, label)| button(Command::CopyBytes(form), label, short)) }
                    { button(Command::CopyTree, "Copy tree as text", node) }
                    { button(Command::SaveTree, "Save tree as JSON", node) }
                </div>
                if len > COPY_MAX {
                    <p class="dim small">{ format!("More than {} cannot be copied as text. Save the bytes instead.", format::size(COPY_MAX)) }</p>
                }
            </details>
        </section>
    }
}
