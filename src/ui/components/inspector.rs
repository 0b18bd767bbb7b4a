//! Everything about what is selected.

use yew::prelude::*;

use super::explanation::explanation;
use super::known_values::known_values;
use super::names::{plain, prose, span_button};
use super::readings::readings_view;
use super::value_view::{self, bits_view, entry, value_view};
use crate::model::text::escaped;
use crate::model::{Area, SourceId, Span, Value, Xref};
use crate::ui::acts::COPY_MAX;
use crate::ui::problem_list::{Class, Entry, entries, said};
use crate::ui::selection::{self, Selection};
use crate::ui::state::View;
use crate::ui::words;
use crate::worker::protocol::{Detail, Row};

/// The inspector.
pub fn inspector(view: &View) -> Html {
    let selection = &view.selection;
    let (row, detail) = (view.row(), view.detail());
    let len = selection.span.map_or(0, Span::len);
    let preview = readings_view(
        &view.preview,
        len,
        selection.free || matches!(row.value, Value::Bytes),
    );
    html! {
        <div class="insp" key={u64::from(row.id.0)}>
            if selection.free {
                <h2>{ words::bytes(len) }</h2>
                <p class="sub">{ "in " }<span class="mono">{ selection::name(row) }</span></p>
                <dl class="kv">{ place(selection) }</dl>
            } else {
                <h2 class="mono">{ selection::name(row) }</h2>
                <p class="sub">{ kind(row) }</p>
                <dl class="kv">
                    { value_view(&row.value, row.span.filter(|_| row.bits.is_none()).map(Span::len)) }
                    if let Some(summary) = &row.summary {
                        { entry(if crate::ui::tree::has_value(row) { "Meaning" } else { "Content" }, plain(&escaped(summary))) }
                    }
                    { bits_view(row.bits) }
                    { place(selection) }
                    if let Some(count) = detail.and_then(|d| d.row.count).filter(|c| *c > 0) {
                        { entry("Parts", plain(&words::grouped(count))) }
                    }
                </dl>
                if let Some(detail) = detail {
                    { about(view, detail) }
                }
            }
            { preview }
            { actions(view, row) }
        </div>
    }
}

/// What the node means, refers to and is blamed for.
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
        { for problems(view, detail) }
        { known_values(&detail.known, &detail.row.value) }
    </> }
}

#[inline(never)]
fn kind(row: &Row) -> Html {
    html! { <>
        { words::dot(row.area) }
        { words::kind_name(row.kind) }
        if row.area != Area::Inherit {
            <span class="dim">{ " · " }{ words::area_name(row.area) }</span>
        }
    </> }
}

#[inline(never)]
fn mono(text: &str, after: &str) -> Html {
    html! { <><span class="mono">{ text.to_owned() }</span><span class="dim">{ after.to_owned() }</span></> }
}

/// Offsets and length.
#[inline(never)]
fn place(selection: &Selection) -> Html {
    let Some(span) = selection.span else {
        return entry("Bytes", mono("", "none: it is computed"));
    };
    let source = match span.source {
        SourceId::FILE => String::new(),
        SourceId(number) => format!(" of unpacked data {number}"),
    };
    let hex = if span.len() > 9 {
        format!(" ({:#x})", span.len())
    } else {
        String::new()
    };
    let start = selection.extent().map_or(span.start, |extent| extent.start);
    html! { <>
        { entry("Bytes", mono(&format!("{:#x} … {:#x}", span.start, span.end), &source)) }
        { entry("Length", mono(&words::grouped(span.len()), &hex)) }
        if start < span.start {
            { entry("Key", mono(&format!("{start:#x} … {:#x}", span.start), " before it")) }
        }
    </> }
}

/// What the driver and the rules say about the node; at most a few, the list of problems has
/// all.
fn problems(view: &View, detail: &Detail) -> Vec<Html> {
    const SHOWN: usize = 4;
    // Those about exactly these bytes come first, then the worst.
    let mut here: Vec<(bool, Class, usize)> = Vec::new();
    let extent = view.selection.extent();
    for entry in entries(view) {
        let Some(said) = said(view, entry) else {
            continue;
        };
        let inside = match entry.class {
            Class::Driver => extent.is_some_and(|extent| extent.contains(said.span)),
            _ => detail
                .diagnostics
                .iter()
                .any(|place| *place as usize == entry.place),
        };
        if inside {
            let other = Some(said.span) != view.selection.span;
            here.push((other, entry.class, entry.place));
        }
    }
    crate::model::sort::by(&mut here, Ord::cmp);
    let more = here.len().saturating_sub(SHOWN);
    let shown = here.into_iter().take(SHOWN);
    let mut boxes: Vec<Html> = shown
        .filter_map(|(_, class, place)| explanation(view, Entry { class, place }, false))
        .collect();
    if more > 0 {
        boxes.push(
            html! { <p class="dim">{ format!("and {more} more in the list of problems") }</p> },
        );
    }
    boxes
}

/// What the node refers to.
#[inline(never)]
fn links(xrefs: &[Xref]) -> Html {
    if xrefs.is_empty() {
        return Html::default();
    }
    html! {
        <section>
            <h3>{ "Refers to" }</h3>
            <dl class="kv">
                { for xrefs.iter().map(|xref| {
                    let place = format!("{:#x}", xref.to.start);
                    let label = if xref.label.is_empty() { "these bytes" } else { &xref.label };
                    entry(&xref.why, html! { <>
                        { span_button("link", xref.to, plain(&escaped(label))) }
                        <span class="dim mono">{ " " }{ place }</span>
                    </> })
                }) }
            </dl>
        </section>
    }
}

/// What can be done with what is selected: copy, save, export.
#[inline(never)]
fn actions(view: &View, row: &Row) -> Html {
    let button = |act: &'static str, label: &'static str, can: bool| {
        html! { <button type="button" class="btn2" data-do={act} disabled={!can}>{ label }</button> }
    };
    let node = !view.selection.free;
    let len = view.selection.span.map_or(0, Span::len);
    let short = len > 0 && len <= COPY_MAX;
    let path = view.detail().is_some_and(|detail| !detail.path.is_empty());
    html! {
        <section class="actions">
            <div class="rowc">
                { button("copy-link", "Copy link", view.detail().is_some()) }
                { button("copy-value", "Copy value", node && !value_view::plain(&row.value).is_empty()) }
                { button("copy-path", "Copy path", path) }
                { button("save", "Save bytes", len > 0) }
            </div>
            <details class="fold">
                <summary>{ "Copy and export as…" }</summary>
                <div class="rowc">
                    { button("hex", "Hex text", short) }
                    { button("c", "C array", short) }
                    { button("rust", "Rust array", short) }
                    { button("text", "Tree as text", node) }
                    { button("json", "Save JSON", node) }
                </div>
                if len > COPY_MAX {
                    <p class="dim small">{ format!("As text at most {}; save the bytes instead.", words::size(COPY_MAX)) }</p>
                }
            </details>
        </section>
    }
}
