//! A row of the tree.

use std::borrow::Cow;

use yew::prelude::*;

use crate::model::text::{cut_end, escaped, value_text};
use crate::model::{NodeKind, Value};
use crate::ui::components::{bookmark_sign, name_of};
use crate::ui::state::bookmarks::Bookmark;
use crate::ui::text::format;
use crate::ui::tree;
use crate::ui::tree::flat::{FlatRow, Item, stem};
use crate::worker::protocol::Row;

/// Maximum indentation depth: the styles have no class for a deeper one.
const INDENT_MAX: u32 = 20;
/// Values up to this length, in characters, are shown without truncation.
const VALUE_SHORT: usize = 12;
/// Maximum length of a value in the document.
const VALUE_MAX: usize = 160;

/// State of a row.
#[derive(Clone, Copy)]
pub(crate) struct RowState {
    pub number: u64,
    pub row: FlatRow,
    /// Whether it is expanded; `None` for a leaf.
    pub open: Option<bool>,
    pub selected: bool,
    /// Number of sections, if it is a run of them.
    pub count: u64,
    /// Whether it differs from its counterpart in another file.
    pub differs: bool,
    /// Whether the tree is beside that of the file in front.
    pub beside: bool,
}

/// Element id of a row.
pub(crate) fn id(number: u64, beside: bool) -> String {
    if beside {
        format!("tree-beside-{number}")
    } else {
        format!("tree-{number}")
    }
}

/// A row, or a placeholder while it is loading; for a run of sections `node` is the first.
pub(crate) fn tree_row(at: RowState, node: Option<&Row>, bookmark: Option<&Bookmark>) -> Html {
    let indent = format!("d{}", at.row.depth.min(INDENT_MAX));
    let dimmed = node.is_some_and(|row| is_dimmed(row.kind));
    let class = format!(
        "tr {indent}{}{}",
        if at.selected { " sel" } else { "" },
        if dimmed { " dim" } else { "" }
    );
    html! {
        <div key={at.number} id={id(at.number, at.beside)} {class} role="treeitem" data-row={at.number.to_string()}
             aria-level={(at.row.depth + 1).to_string()} aria-setsize={at.row.siblings.to_string()}
             aria-posinset={at.row.position.to_string()} aria-selected={at.selected.to_string()}
             aria-expanded={at.open.map(|open| open.to_string())} title={node.and_then(place)}>
            <span class={match at.open { Some(true) => "tw open", Some(false) => "tw closed", None => "tw" }} data-twisty="1" />
            { match (at.row.item, node) {
                (Item::Group(_), Some(first)) => html! { <>
                    { format::dot(first.area) }
                    <span class="n">{ format!("{}*", stem(&first.name).unwrap_or_default()) }</span>
                    <span class="v dim">{ format!("({})", format::grouped(at.count)) }</span>
                </> },
                (Item::Group(group), None) => html! {
                    <span class="n dim">{ format!("[{} … {}]", group.start, group.end - 1) }</span>
                },
                (_, Some(row)) => content(row, at, bookmark),
                (_, None) => html! { <span class="n dim">{ "…" }</span> },
            } }
        </div>
    }
}

fn content(row: &Row, at: RowState, bookmark: Option<&Bookmark>) -> Html {
    let depth = at.row.depth;
    html! { <>
        if depth == 1 {
            { format::dot(row.area) }
        }
        if row.indexed && !row.name.is_empty() {
            <span class="ix">{ row.index }</span>
        }
        { name_of(row) }
        if at.differs {
            <span class="differs" role="img" aria-label="differs" title="It differs or contains a difference">{ "≠" }</span>
        }
        <>{ bookmark.map(bookmark_sign) }</>
        if let Some(severity) = row.severity {
            { format::severity_mark(severity) }
        }
        { value(row) }
        <>{ right(row, depth) }</>
    </> }
}

/// Value and summary. Short values are never truncated.
fn value(row: &Row) -> Html {
    let mut text = match &row.value {
        Value::None | Value::Bytes => String::new(),
        value => value_text(value),
    };
    if let Cow::Owned(cut) = cut_end(&text, VALUE_MAX) {
        text = cut;
    }
    let summary = row.summary.as_deref().map(escaped).unwrap_or_default();
    let short = !text.is_empty() && text.len() <= VALUE_SHORT;
    html! { <>
        if !text.is_empty() {
            <span class={if short { "v short" } else { "v" }}>{ text }</span>
        }
        if !summary.is_empty() {
            <span class="v dim">{ summary }</span>
        }
    </> }
}

/// The size of a parent node, the offset of a leaf.
fn right(row: &Row, depth: u32) -> Option<Html> {
    let span = row.span?;
    let is_value = row.count == Some(0) && depth > 1 && tree::has_value(row);
    Some(if is_value {
        html! { <span class="s at">{ format!("{:#x}", span.start) }</span> }
    } else {
        html! { <span class="s">{ format::grouped(span.len()) }</span> }
    })
}

fn place(row: &Row) -> Option<AttrValue> {
    let Some(span) = row.span else {
        return (row.kind == NodeKind::Derived).then(|| "derived value, no bytes".into());
    };
    let len = format::bytes(span.len());
    let name = escaped(&row.name);
    Some(format!("{name}\n{:#x} … {:#x} ({len})", span.start, span.end).into())
}

fn is_dimmed(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Padding | NodeKind::Gap | NodeKind::Derived | NodeKind::Syntax
    )
}
