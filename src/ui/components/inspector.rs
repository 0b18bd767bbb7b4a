//! Everything about what is selected.

use std::rc::Rc;

use yew::prelude::*;

use super::known_values::KnownValues;
use super::readings::Readings;
use super::value_view::{bits_view, entry, value_view};
use super::{Actions, Explanation, prose};
use crate::model::text::escaped;
use crate::model::{Span, Value, Xref};
use crate::ui::hooks::{number_near, use_session};
use crate::ui::selection::{self, Selection, Via};
use crate::ui::shared::Shared;
use crate::ui::state::{Origin, View};
use crate::ui::words;
use crate::ui::panels::SEVERITIES;
use crate::worker::protocol::{Detail, Problem, Row};

/// The inspector's properties.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is shown of the file.
    pub view: Shared<View>,
    /// Where the file came from.
    pub origin: Origin,
    /// Everything about the selected node, once it is here.
    pub detail: Option<Rc<Detail>>,
    /// The first bytes of what is selected.
    pub preview: Rc<[u8]>,
}

/// The inspector.
#[component]
pub fn Inspector(props: &Props) -> Html {
    let selection = &props.view.selection;
    let row = selection.way.last().unwrap_or(&props.view.opened.root);
    let detail = props.detail.as_deref().filter(|detail| detail.row.id == row.id);
    let is_value = !selection.free && crate::ui::tree::has_value(row);
    html! {
        <div class="insp">
            if selection.free {
                <h2>{ words::bytes(selection.span.map_or(0, Span::len)) }</h2>
                <p class="sub">{ "in " }<span class="mono">{ selection::name(row) }</span></p>
            } else {
                <h2 class="mono">{ selection::name(row) }</h2>
                <p class="sub">{ kind(row) }</p>
            }
            <dl class="kv">
                if !selection.free {
                    { value_view(&row.value, row.span.filter(|_| row.bits.is_none()).map(Span::len)) }
                    if let Some(summary) = &row.summary {
                        { entry(if is_value { "Meaning" } else { "Content" }, escaped(summary)) }
                    }
                    { bits_view(row.bits) }
                }
                { place(selection) }
                if let Some(count) = detail.and_then(|d| d.row.count).filter(|c| *c > 0 && !selection.free) {
                    { entry("Parts", words::grouped(count)) }
                }
            </dl>
            if let Some(detail) = detail.filter(|_| !selection.free) {
                if let Some(doc) = &detail.doc {
                    <div class="doc">
                        <p>{ prose(doc) }</p>
                        if let Some(source) = &detail.doc_source {
                            <p class="dim small">{ prose(source) }</p>
                        }
                    </div>
                }
                <Links xrefs={detail.xrefs.clone()} />
                { for problems(&props.view, detail, selection) }
                <KnownValues known={detail.known.clone()} value={row.value.clone()} />
            }
            <Readings bytes={Rc::clone(&props.preview)} len={selection.span.map_or(0, Span::len)}
                      open={selection.free || matches!(row.value, Value::Bytes)} />
            <Actions view={props.view.clone()} origin={props.origin.clone()}
                     path={props.detail.as_ref().map(|d| AttrValue::from(d.path.clone()))} />
        </div>
    }
}

fn kind(row: &Row) -> Html {
    html! { <>
        <span class={classes!("dot", words::area_class(row.area))} aria-hidden="true" />
        { words::kind_name(row.kind) }
        if row.area != crate::model::Area::Inherit {
            <span class="dim">{ " · " }{ words::area_name(row.area) }</span>
        }
    </> }
}

/// Offsets and length.
fn place(selection: &Selection) -> Html {
    let Some(span) = selection.span else {
        return entry("Bytes", html! { <span class="dim">{ "none: it is computed" }</span> });
    };
    let head = selection.extent().map_or(0, |extent| span.start - extent.start);
    html! { <>
        { entry("Bytes", html! { <>
            <span class="mono">{ format!("{:#x} … {:#x}", span.start, span.end) }</span>
            if span.source != crate::model::SourceId::FILE {
                <span class="dim">{ format!(" of unpacked data {}", span.source.0) }</span>
            }
        </> }) }
        { entry("Length", html! { <>
            <span class="mono">{ words::grouped(span.len()) }</span>
            if span.len() > 9 {
                <span class="dim mono">{ format!(" ({:#x})", span.len()) }</span>
            }
        </> }) }
        if head > 0 {
            { entry("Key", html! { <>
                <span class="mono">{ format!("{:#x} … {:#x}", span.start - head, span.start) }</span>
                <span class="dim">{ " before it" }</span>
            </> }) }
        }
    </> }
}

/// What the rules say about the node; at most a few, the list of problems has all.
fn problems(view: &View, detail: &Detail, selection: &Selection) -> Vec<Html> {
    const SHOWN: usize = 4;
    let of = |i: &u32| view.opened.diagnostics.get(*i as usize);
    let all: Vec<_> = detail.diagnostics.iter().filter_map(of).collect();
    // Those about exactly these bytes come first, then the worst.
    let is_here = |p: &Problem| Some(p.diagnostic.primary.span) == selection.span;
    let mut problems = Vec::new();
    for here in [true, false] {
        for severity in SEVERITIES {
            let same = |p: &&&Problem| p.diagnostic.severity == severity && is_here(p) == here;
            problems.extend(all.iter().filter(same).copied());
        }
    }
    let more = problems.len().saturating_sub(SHOWN);
    let mut out: Vec<Html> = problems
        .iter()
        .take(SHOWN)
        .map(|problem| {
            let opened = Shared::from(&view.opened);
            html! { <Explanation problem={(*problem).clone()} {opened} /> }
        })
        .collect();
    if more > 0 {
        out.push(html! { <p class="dim">{ format!("and {more} more in the list of problems") }</p> });
    }
    out
}

#[derive(Properties, PartialEq)]
struct LinksProps {
    xrefs: Vec<Xref>,
}

/// What the node refers to.
#[component]
fn Links(props: &LinksProps) -> Html {
    let session = use_session();
    let spans: Vec<Span> = props.xrefs.iter().map(|xref| xref.to).collect();
    let onclick = Callback::from(move |event: MouseEvent| {
        let span = number_near(&event, "data-xref").and_then(|i| spans.get(i as usize));
        if let Some(span) = span {
            session.select_span(*span, Via::Jump);
        }
    });
    if props.xrefs.is_empty() {
        return Html::default();
    }
    html! {
        <section {onclick}>
            <h3>{ "Refers to" }</h3>
            <dl class="kv">
                { for props.xrefs.iter().enumerate().map(|(i, xref)| html! { <>
                    <dt>{ &*xref.why }</dt>
                    <dd>
                        <button type="button" class="link" data-xref={i.to_string()}>
                            { if xref.label.is_empty() { format!("{:#x}", xref.to.start) } else { escaped(&xref.label) } }
                        </button>
                        <span class="dim mono">{ format!(" {:#x}", xref.to.start) }</span>
                    </dd>
                </> }) }
            </dl>
        </section>
    }
}
