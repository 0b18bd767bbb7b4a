//! Tables of the Arguments panel.

use yew::prelude::*;

use crate::analysis::kernels::{
    KernelDetail, KeySpans, PayloadEntry, Property, SourceArgument, place,
};
use crate::model::sort;
use crate::model::text::{escaped, value_text};
use crate::model::{Span, Value};
use crate::ui::components::{plain, prose, span_button};
use crate::ui::text::format;

/// Maximum number of rows per table; the tree has them all.
const ROWS: usize = 100;

/// A row: its bytes and cells.
pub(super) struct Line {
    span: Option<Span>,
    class: &'static str,
    cells: Vec<Cell>,
}

impl Line {
    /// A row whose first cell links to its bytes.
    pub(super) fn new(span: Option<Span>, cells: Vec<Html>) -> Line {
        Line {
            span,
            class: "",
            cells: cells.into_iter().map(Cell::from).collect(),
        }
    }
}

/// A cell, and the bytes of its value.
struct Cell {
    html: Html,
    span: Option<Span>,
}

impl From<Html> for Cell {
    fn from(html: Html) -> Cell {
        Cell { html, span: None }
    }
}

/// A cell that links to the value of this key.
fn at(html: Html, places: &KeySpans, key: &str) -> Cell {
    Cell {
        html,
        span: place(places, key),
    }
}

/// Table header: titles; numbers are aligned to the right.
type TableHeader = &'static [(&'static str, bool)];

fn number(value: Option<i64>) -> Html {
    let text = match value {
        Some(value) if value < 0 => value.to_string(),
        Some(value) => format::grouped(value.unsigned_abs()),
        None => "–".to_owned(),
    };
    plain(&text)
}

fn word(text: Option<&str>) -> Html {
    plain(&text.map_or_else(|| "–".to_owned(), escaped))
}

/// Whether bytes contain the selection. A row stays marked while one of its values is selected.
pub(super) fn contains(span: Option<Span>, selected: Option<Span>) -> bool {
    let both = span.zip(selected);
    both.is_some_and(|(span, selected)| span.contains(selected))
}

/// A table; cells link to the bytes of their value, otherwise the first one to those of the row.
/// Marks the row that contains `selected`.
pub(super) fn table(
    id: &'static str,
    title: String,
    head: TableHeader,
    lines: Vec<Line>,
    selected: Option<Span>,
) -> Html {
    if lines.is_empty() {
        return Html::default();
    }
    let more = lines.len().saturating_sub(ROWS) as u64;
    let class = |i: usize| match head.get(i) {
        Some((_, true)) => "num",
        _ => "",
    };
    html! {
        <section class="block">
            <h3 {id}>{ title }</h3>
            // Wide tables scroll on their own, also by keyboard.
            <div class="wide" role="region" tabindex="0" aria-labelledby={id}>
                <table class="plain" aria-labelledby={id}>
                    <thead><tr>
                        { for head.iter().enumerate().map(|(i, (title, _))| html! { <th scope="col" class={class(i)}>{ *title }</th> }) }
                    </tr></thead>
                    <tbody>
                        { for lines.into_iter().take(ROWS).map(|line| {
                            let Line { span, class: kind, cells } = line;
                            let is_selected = contains(span, selected);
                            html! {
                                <tr class={if is_selected { "sel" } else { kind }}>
                                    { for cells.into_iter().enumerate().map(|(i, cell)| {
                                        let Cell { html: cell, span: own } = cell;
                                        let cell = match own.or(span.filter(|_| i == 0)) {
                                            Some(to) => span_button("cell", to, cell),
                                            None => cell,
                                        };
                                        html! { <td class={class(i)}>{ cell }</td> }
                                    }) }
                                </tr>
                            }
                        }) }
                    </tbody>
                </table>
            </div>
            if more > 0 {
                <p class="dim small">{ format!("{} more in the structure", format::grouped(more)) }</p>
            }
        </section>
    }
}

const PAYLOAD: TableHeader = &[
    ("Offset, B", true),
    ("Size, B", true),
    ("#", true),
    ("Name", false),
    ("Type", false),
    ("Kind", false),
    ("Addressing", false),
    ("Address space", false),
    ("Access", false),
    ("Other", false),
];

/// The cross-thread payload by position: entries, gaps, and overlaps.
pub(super) fn payload(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let payload = &detail.payload;
    let mut order: Vec<&PayloadEntry> = payload.entries.iter().collect();
    sort::by_key(&mut order, |entry| {
        (entry.offset.is_none(), entry.offset, entry.size)
    });
    let mut lines = Vec::new();
    let mut at: i64 = 0;
    // Do not build rows beyond the limit.
    for entry in order {
        if lines.len() > 2 * ROWS {
            break;
        }
        if let Some(offset) = entry.offset {
            if offset > at {
                lines.push(gap(at, offset - at));
            }
            let taken = at - offset;
            lines.push(line(entry, (taken > 0).then_some(taken)));
            let end = offset.saturating_add(entry.size.unwrap_or(0).max(0));
            at = at.max(end);
        } else {
            lines.push(line(entry, None));
        }
    }
    let count = payload.entries.len() as u64;
    let title = format::counted(count, "payload entry", "payload entries");
    table("kernel-payload", title, PAYLOAD, lines, selected)
}

fn gap(at: i64, len: i64) -> Line {
    let mut cells = vec![number(Some(at)), number(Some(len)), plain("")];
    cells.push(plain("gap"));
    cells.resize_with(PAYLOAD.len(), || plain(""));
    Line {
        class: "gap",
        ..Line::new(None, cells)
    }
}

fn line(entry: &PayloadEntry, overlap: Option<i64>) -> Line {
    let name = match (&entry.name, entry.arg_index) {
        (Some(name), _) => escaped(name),
        (None, Some(_)) => "–".to_owned(),
        (None, None) => "implicit".to_owned(),
    };
    let access = entry.access_type.as_deref();
    let value = |key: &str, html: Html| at(html, &entry.places, key);
    Line {
        span: Some(entry.span),
        class: if entry.explicit { "" } else { "implicit" },
        cells: vec![
            value("offset", number(entry.offset)),
            value("size", number(entry.size)),
            value("arg_index", number(entry.arg_index)),
            plain(&name).into(),
            word(entry.type_name.as_deref()).into(),
            value("arg_type", word(Some(&entry.kind))),
            value("addrmode", word(entry.addrmode.as_deref())),
            value("addrspace", word(entry.addrspace.as_deref())),
            value("access_type", word(access)),
            html! { <>
                if let Some(bytes) = overlap {
                    <span class="warn">{ format!("▲ overlaps earlier entries by {} ", format::bytes(bytes.unsigned_abs())) }</span>
                }
                { more(entry) }
            </> }.into(),
        ],
    }
}

/// Columns that only some entries have.
fn more(entry: &PayloadEntry) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut text = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            out.push(format!("{key} {}", escaped(value)));
        }
    };
    text("image_type", &entry.image_type);
    text("sampler_type", &entry.sampler_type);
    for (key, value) in [
        ("sampler_index", entry.sampler_index),
        ("source_offset", entry.source_offset),
        ("slm_alignment", entry.slm_alignment),
        ("bti_value", entry.bti_value),
    ] {
        if let Some(value) = value {
            out.push(format!("{key} {value}"));
        }
    }
    out.extend(entry.flags.iter().map(|flag| flag.to_string()));
    out.join(" · ")
}

const ARGUMENTS: TableHeader = &[
    ("#", true),
    ("Name", false),
    ("Type", false),
    ("Size, B", true),
    ("Address space", false),
    ("Access", false),
    ("Qualifiers", false),
    ("Passed as", false),
];

/// The arguments as declared in the source.
pub(super) fn arguments(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let line = |argument: &SourceArgument| {
        let entries = argument.entries.iter();
        let mut passed: Vec<String> = entries
            .filter_map(|i| detail.payload.entries.get(*i as usize))
            .map(passed_as)
            .collect();
        if let Some(bti) = argument.bti_value {
            match passed.iter_mut().find(|passed| *passed == STATEFUL) {
                Some(passed) => passed.push_str(&format!(" through binding table entry {bti}")),
                None => passed.push(format!("binding table entry {bti}")),
            }
        }
        if passed.is_empty() {
            passed.push("not passed: removed by the compiler".to_owned());
        }
        let value = |key: &str, html: Html| at(html, &argument.places, key);
        let size = argument.type_size.and_then(|size| i64::try_from(size).ok());
        Line {
            span: argument.span,
            class: "",
            cells: vec![
                value("index", number(Some(argument.index))),
                value("name", word(argument.name.as_deref())),
                value("type_name", word(argument.type_name.as_deref())),
                value("type_name", number(size)),
                value(
                    "address_qualifier",
                    word(argument.address_qualifier.as_deref()),
                ),
                value(
                    "access_qualifier",
                    word(argument.access_qualifier.as_deref()),
                ),
                value("type_qualifiers", word(argument.type_qualifiers.as_deref())),
                plain(&passed.join(" · ")).into(),
            ],
        }
    };
    let count = detail.arguments.len() as u64;
    let lines = detail.arguments.iter().take(ROWS + 1).map(line).collect();
    let title = format!(
        "{} in the source",
        format::counted(count, "argument", "arguments")
    );
    table("kernel-arguments", title, ARGUMENTS, lines, selected)
}

/// An argument that is accessed through a surface.
const STATEFUL: &str = "stateful";

/// How an entry of the payload passes its argument.
fn passed_as(entry: &PayloadEntry) -> String {
    let kind = escaped(&entry.kind);
    let words = match (kind.as_str(), entry.addrmode.as_deref()) {
        // Its offset is meaningless: the payload does not contain it.
        ("arg_bypointer", Some("stateful")) if entry.size.unwrap_or(0) == 0 => {
            return STATEFUL.to_owned();
        }
        ("arg_bypointer", Some("stateless")) => "pointer",
        ("arg_bypointer", Some("bindless")) => "bindless handle",
        ("arg_byvalue", _) => "value",
        _ => &kind,
    };
    match entry.offset {
        Some(offset) => format!("{words} at offset {offset}"),
        None => words.to_owned(),
    }
}

const PROPERTIES: TableHeader = &[
    ("Key", false),
    ("Value", true),
    ("Unit", false),
    ("Meaning", false),
];

/// Keys with their values; defaults are gray.
pub(super) fn properties(
    id: &'static str,
    title: &str,
    properties: &[Property],
    selected: Option<Span>,
) -> Html {
    let line = |property: &Property| {
        let value = match (&property.words, &property.value) {
            (Some(words), _) => escaped(words),
            (None, Value::None) => "–".to_owned(),
            (None, value) => value_text(value),
        };
        let note = match property.span {
            Some(_) => property.unit.to_string(),
            None => "default".to_owned(),
        };
        let class = if property.span.is_none() {
            "default"
        } else {
            ""
        };
        let cells = vec![
            plain(&escaped(&property.key)),
            plain(&value),
            plain(&note),
            prose(&property.doc),
        ];
        Line {
            class,
            ..Line::new(property.span, cells)
        }
    };
    let lines = properties.iter().map(line).collect();
    table(id, title.to_owned(), PROPERTIES, lines, selected)
}

/// Per-thread payload, binding table, memory, samplers.
pub(super) fn others(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let line = |span: Span, places: &KeySpans, cells: Vec<(&str, Html)>| Line {
        span: Some(span),
        class: "",
        cells: cells
            .into_iter()
            .map(|(key, html)| at(html, places, key))
            .collect(),
    };
    let per_thread = detail.per_thread_payload.iter().map(|entry| {
        line(
            entry.span,
            &entry.places,
            vec![
                ("arg_type", word(Some(&entry.kind))),
                ("offset", number(entry.offset)),
                ("size", number(entry.size)),
            ],
        )
    });
    let binding = detail.binding_table.iter().map(|entry| {
        line(
            entry.span,
            &entry.places,
            vec![
                ("bti_value", number(entry.bti_value)),
                ("arg_index", number(entry.arg_index)),
                ("", word(entry.name.as_deref())),
            ],
        )
    });
    let buffers = detail.memory_buffers.iter().map(|buffer| {
        let per = if buffer.is_simt_thread {
            "lane"
        } else {
            "hardware thread"
        };
        let slot = (buffer.kind == "scratch").then_some(buffer.slot);
        line(
            buffer.span,
            &buffer.places,
            vec![
                ("usage", word(Some(&buffer.usage))),
                ("type", word(Some(&buffer.kind))),
                ("slot", number(slot)),
                ("size", number(buffer.size)),
                ("is_simt_thread", plain(per)),
            ],
        )
    });
    let samplers = detail.inline_samplers.iter().map(|sampler| {
        let normalized = if sampler.normalized { "yes" } else { "no" };
        line(
            sampler.span,
            &sampler.places,
            vec![
                ("sampler_index", number(sampler.sampler_index)),
                ("addrmode", word(Some(&sampler.addrmode))),
                ("filtermode", word(Some(&sampler.filtermode))),
                ("normalized", plain(normalized)),
            ],
        )
    });
    html! { <>
        { table("kernel-per-thread", "Per-thread payload".to_owned(),
            &[("Kind", false), ("Offset, B", true), ("Size, B", true)], per_thread.collect(), selected) }
        { table("kernel-bindings", "Binding table".to_owned(),
            &[("Entry", true), ("#", true), ("Argument", false)], binding.collect(), selected) }
        { table("kernel-buffers", "Memory buffers".to_owned(),
            &[("Usage", false), ("Type", false), ("Slot", true), ("Size, B", true), ("Per", false)],
            buffers.collect(), selected) }
        { table("kernel-samplers", "Inline samplers".to_owned(),
            &[("Sampler", true), ("Addressing", false), ("Filter", false), ("Normalized", false)],
            samplers.collect(), selected) }
    </> }
}
