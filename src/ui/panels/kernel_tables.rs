//! The tables of a kernel's own page.

use yew::prelude::*;

use crate::model::kernels::{KernelDetail, PayloadEntry, Property, SourceArgument};
use crate::model::text::{escaped, value_text};
use crate::model::{Span, Value};
use crate::ui::components::{plain, prose, span_button};
use crate::ui::format;

/// No table of the page has more rows; the tree has them all.
const ROWS: usize = 100;

/// A row: the bytes that it is about, and its cells.
pub(super) struct Line {
    span: Option<Span>,
    class: &'static str,
    cells: Vec<Html>,
}

/// The head of a table: titles; numbers are to the right.
type Head = &'static [(&'static str, bool)];

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

/// A table; the first cell of a row leads to its bytes. `selected` is marked.
pub(super) fn table(
    id: &'static str,
    title: String,
    head: Head,
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
            // Wide tables are scrolled for themselves, by keyboard too.
            <div class="wide" role="region" tabindex="0" aria-labelledby={id}>
                <table class="plain" aria-labelledby={id}>
                    <thead><tr>
                        { for head.iter().enumerate().map(|(i, (title, _))| html! { <th scope="col" class={class(i)}>{ *title }</th> }) }
                    </tr></thead>
                    <tbody>
                        { for lines.into_iter().take(ROWS).map(|line| {
                            let Line { span, class: kind, cells } = line;
                            let is_selected = span.is_some() && span == selected;
                            html! {
                                <tr class={if is_selected { "sel" } else { kind }}>
                                    { for cells.into_iter().enumerate().map(|(i, cell)| {
                                        let cell = match span {
                                            Some(span) if i == 0 => span_button("cell", span, cell),
                                            _ => cell,
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

const PAYLOAD: Head = &[
    ("Offset", true),
    ("Size", true),
    ("#", true),
    ("Name", false),
    ("Type", false),
    ("Kind", false),
    ("Addressing", false),
    ("Address space", false),
    ("Access", false),
    ("Other", false),
];

/// The cross-thread payload, by position: entries, gaps between them, overlaps in words.
pub(super) fn payload(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let payload = &detail.payload;
    let mut order: Vec<&PayloadEntry> = payload.entries.iter().collect();
    order.sort_by_key(|entry| (entry.offset.is_none(), entry.offset, entry.size));
    let mut lines = Vec::new();
    let mut at: i64 = 0;
    // Rows that nobody sees are not made.
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
        span: None,
        class: "gap",
        cells,
    }
}

fn line(entry: &PayloadEntry, overlap: Option<i64>) -> Line {
    let name = match (&entry.name, entry.arg_index) {
        (Some(name), _) => escaped(name),
        (None, Some(_)) => "–".to_owned(),
        (None, None) => "implicit".to_owned(),
    };
    let access = entry.access_type.as_deref();
    Line {
        span: Some(entry.span),
        class: if entry.explicit { "" } else { "implicit" },
        cells: vec![
            number(entry.offset),
            number(entry.size),
            number(entry.arg_index),
            plain(&name),
            word(entry.type_name.as_deref()),
            word(Some(&entry.kind)),
            word(entry.addrmode.as_deref()),
            word(entry.addrspace.as_deref()),
            word(access),
            html! { <>
                if let Some(bytes) = overlap {
                    <span class="warn">{ format!("▲ overlaps earlier entries by {} ", format::bytes(bytes.unsigned_abs())) }</span>
                }
                { more(entry) }
            </> },
        ],
    }
}

/// What only some entries have.
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

const ARGUMENTS: Head = &[
    ("#", true),
    ("Name", false),
    ("Type", false),
    ("Size", true),
    ("Address space", false),
    ("Access", false),
    ("Qualifiers", false),
    ("Passed as", false),
];

/// The arguments as the source has them.
pub(super) fn arguments(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let line = |argument: &SourceArgument| {
        let entries = argument.entries.iter();
        let mut passed: Vec<String> = entries
            .filter_map(|i| detail.payload.entries.get(*i as usize))
            .map(|entry| match entry.offset {
                Some(offset) => format!("{} at {offset}", escaped(&entry.kind)),
                None => escaped(&entry.kind),
            })
            .collect();
        if let Some(bti) = argument.bti_value {
            passed.push(format!("binding table entry {bti}"));
        }
        if passed.is_empty() {
            passed.push("not passed: removed by the compiler".to_owned());
        }
        Line {
            span: argument.span,
            class: "",
            cells: vec![
                number(Some(argument.index)),
                word(argument.name.as_deref()),
                word(argument.type_name.as_deref()),
                number(argument.type_size.and_then(|size| i64::try_from(size).ok())),
                word(argument.address_qualifier.as_deref()),
                word(argument.access_qualifier.as_deref()),
                word(argument.type_qualifiers.as_deref()),
                plain(&passed.join(" · ")),
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

const PROPERTIES: Head = &[
    ("Key", false),
    ("Value", true),
    ("Unit", false),
    ("Meaning", false),
];

/// Keys with their values; those that the file does not say are greyed.
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
        Line {
            span: property.span,
            class: if property.span.is_none() {
                "default"
            } else {
                ""
            },
            cells: vec![
                plain(&escaped(&property.key)),
                plain(&value),
                plain(&note),
                prose(&property.doc),
            ],
        }
    };
    let lines = properties.iter().map(line).collect();
    table(id, title.to_owned(), PROPERTIES, lines, selected)
}

/// What is passed to each thread, the binding table, memory beside the registers, samplers.
pub(super) fn others(detail: &KernelDetail, selected: Option<Span>) -> Html {
    let plain_line = |span: Span, cells: Vec<Html>| Line {
        span: Some(span),
        class: "",
        cells,
    };
    let per_thread = detail.per_thread_payload.iter().map(|entry| {
        plain_line(
            entry.span,
            vec![
                word(Some(&entry.kind)),
                number(entry.offset),
                number(entry.size),
            ],
        )
    });
    let binding = detail.binding_table.iter().map(|entry| {
        plain_line(
            entry.span,
            vec![
                number(entry.bti_value),
                number(entry.arg_index),
                word(entry.name.as_deref()),
            ],
        )
    });
    let buffers = detail.memory_buffers.iter().map(|buffer| {
        let per = match buffer.is_simt_thread {
            true => "lane",
            false => "hardware thread",
        };
        let slot = (buffer.kind == "scratch").then_some(buffer.slot);
        plain_line(
            buffer.span,
            vec![
                word(Some(&buffer.usage)),
                word(Some(&buffer.kind)),
                number(slot),
                number(buffer.size),
                plain(per),
            ],
        )
    });
    let samplers = detail.inline_samplers.iter().map(|sampler| {
        let normalized = if sampler.normalized { "yes" } else { "no" };
        plain_line(
            sampler.span,
            vec![
                number(sampler.sampler_index),
                word(Some(&sampler.addrmode)),
                word(Some(&sampler.filtermode)),
                plain(normalized),
            ],
        )
    });
    html! { <>
        { table("kernel-per-thread", "Per-thread payload".to_owned(),
            &[("Kind", false), ("Offset", true), ("Size, B", true)], per_thread.collect(), selected) }
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
