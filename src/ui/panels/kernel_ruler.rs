//! The cross-thread payload as a ruler: entries, gaps and overlaps.

use yew::prelude::*;

use super::kernel_tables::contains;
use crate::analysis::kernels::{KernelDetail, Payload, PayloadEntry};
use crate::model::Span;
use crate::model::text::escaped;
use crate::ui::state::commands::Command;
use crate::ui::text::format;

/// Bytes per line, if there are several lines.
const LINE: u64 = 96;
/// Bytes per line in a narrow column, and the maximum number of such lines.
const NARROW_LINE: u64 = 32;
const NARROW_LINES: u64 = 6;
/// Maximum number of lines; the table below shows everything.
const LINES: u64 = 12;
/// Maximum number of boxes.
const MARKS: usize = 400;

/// A box of the ruler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RulerBox {
    start: u64,
    end: u64,
    /// `None` for a gap.
    entry: Option<u32>,
    /// Drawn below, because it overlaps another entry.
    overlaps: bool,
}

/// The payload in a few words: `Cross-thread payload: 96 bytes, 68 used · 32 bytes inline · 3 arguments, 1 implicit`.
pub(super) fn payload_text(detail: &KernelDetail) -> String {
    let (payload, row) = (&detail.payload, &detail.row);
    if payload.entries.is_empty() {
        return "No cross-thread payload".to_owned();
    }
    let mut out = if payload.used == payload.total {
        format!("Cross-thread payload: {}", format::bytes(payload.total))
    } else {
        format!(
            "Cross-thread payload: {}, {} used",
            format::bytes(payload.total),
            format::grouped(payload.used)
        )
    };
    if payload.inline_data > 0 {
        let inline = format::bytes(payload.inline_data);
        out.push_str(&format!(" · {inline} inline"));
    }
    let (explicit, implicit) = (row.explicit_arguments, row.implicit_arguments);
    let explicit = format::counted(explicit, "argument", "arguments");
    out.push_str(&format!(" · {explicit}, {implicit} implicit"));
    if !payload.overlaps.is_empty() {
        let overlaps = format::counted(payload.overlaps.len() as u64, "overlap", "overlaps");
        out.push_str(&format!(" · {overlaps}"));
    }
    out
}

/// The boxes of the ruler, split at line ends.
fn marks(payload: &Payload, line: u64) -> Vec<RulerBox> {
    let end_of = |entry: &PayloadEntry| {
        let start = u64::try_from(entry.offset?).ok()?;
        let size = u64::try_from(entry.size?).ok()?;
        Some((start, start.checked_add(size)?))
    };
    let near = |start: u64| start < line * LINES;
    let shown = payload.pieces.iter().take_while(|piece| near(piece.start));
    let shown: Vec<_> = shown.take(MARKS).collect();
    let pieces = shown.iter().map(|piece| RulerBox {
        start: piece.start,
        end: piece.end,
        entry: piece.entry,
        overlaps: false,
    });
    let drawn = |entry: u32| shown.iter().any(|p| p.entry == Some(entry));
    let hidden = payload.overlaps.iter().take(MARKS);
    let hidden = hidden.filter(|o| !drawn(o.second));
    let hidden = hidden.filter_map(|overlap| {
        let entry = payload.entries.get(overlap.second as usize)?;
        let (start, end) = end_of(entry)?;
        Some(RulerBox {
            start,
            end,
            entry: Some(overlap.second),
            overlaps: true,
        })
    });
    let mut out = Vec::new();
    for mark in pieces.chain(hidden) {
        let mut start = mark.start;
        while start < mark.end && near(start) && out.len() < MARKS {
            let end = mark.end.min((start / line + 1) * line);
            let cut = RulerBox { start, end, ..mark };
            if !out.contains(&cut) {
                out.push(cut);
            }
            start = end;
        }
    }
    out
}

/// Number of bytes per line.
fn line_of(total: u64) -> u64 {
    if total <= LINE {
        total.div_ceil(16).max(1) * 16
    } else {
        LINE
    }
}

fn class(entry: &PayloadEntry) -> &'static str {
    if !entry.explicit {
        return "a-hdr";
    }
    match entry.kind.as_str() {
        "arg_bypointer" if entry.addrspace.as_deref() == Some("image") => "a-ir",
        "arg_bypointer" if entry.addrspace.as_deref() == Some("sampler") => "a-note",
        "arg_bypointer" => "a-code",
        "arg_byvalue" => "a-data",
        _ => "a-sym",
    }
}

/// The ruler; a click on a box selects the bytes of its entry. In a narrow column lines are short,
/// and a long payload is omitted.
pub(super) fn ruler(detail: &KernelDetail, selected: Option<Span>, is_narrow: bool) -> Html {
    let payload = &detail.payload;
    if payload.total == 0 {
        return Html::default();
    }
    let line = match is_narrow {
        true if payload.total > NARROW_LINE * NARROW_LINES => return Html::default(),
        true => NARROW_LINE,
        false => line_of(payload.total),
    };
    let marks = marks(payload, line);
    let lines = payload.total.div_ceil(line).min(LINES);
    html! { <>
        <div class="rulers" role="img" aria-label={payload_text(detail)}>
            { for (0..lines).map(|number| {
                let here = marks.iter().filter(|mark| mark.start / line == number);
                let here: Vec<&RulerBox> = here.collect();
                let tall = here.iter().any(|mark| mark.overlaps);
                html! {
                    <svg class={if tall { "ruler tall" } else { "ruler" }}>
                        <rect class="track" width="100%" height="34" />
                        { for here.into_iter().map(|mark| draw(payload, mark, number * line, line, selected)) }
                        { for ticks(number * line, line) }
                    </svg>
                }
            }) }
        </div>
        if payload.total > line * LINES {
            <p class="dim small">{ format!("Only the first {} are shown.", format::bytes(line * LINES)) }</p>
        }
    </> }
}

fn share(part: u64, line: u64) -> String {
    format::hundredths(part * 10_000 / line.max(1))
}

fn draw(payload: &Payload, mark: &RulerBox, from: u64, line: u64, selected: Option<Span>) -> Html {
    let len = mark.end - mark.start;
    let (x, width) = (share(mark.start - from, line), share(len, line));
    let entry = mark.entry.and_then(|i| payload.entries.get(i as usize));
    let Some(entry) = entry else {
        let title = format!("gap: {} at {}", format::bytes(len), mark.start);
        return html! {
            <svg {x} {width} height="34">
                <title>{ title }</title>
                <rect class="gap" width="100%" height="100%" />
                if len >= 4 { <text class="gap" x="50%" y="21" text-anchor="middle">{ len.to_string() }</text> }
            </svg>
        };
    };
    let (title, below) = labels(entry);
    let hint = format!(
        "{}: bytes {}..{} · {}",
        title, mark.start, mark.end, entry.kind
    );
    let mut class = classes!("piece", class(entry));
    if contains(Some(entry.span), selected) {
        class.push("sel");
    }
    if mark.overlaps {
        class.push("overlap");
    }
    let y = if mark.overlaps { "36" } else { "0" };
    html! {
        <svg {x} {y} {width} height="34" {class} data-command={Command::Select(entry.span).to_string()}>
            <title>{ hint }</title>
            <rect x="0.5" y="0.5" width="100%" height="33" />
            <text x="5" y="15">{ title }</text>
            <text class="below" x="5" y="28">{ below }</text>
        </svg>
    }
}

/// Text of a box: two lines.
fn labels(entry: &PayloadEntry) -> (String, String) {
    let name = entry.name.as_deref();
    let title = match (name, entry.arg_index) {
        (Some(name), _) => escaped(name),
        (None, Some(index)) if entry.explicit => format!("arg {index}"),
        _ => escaped(&entry.kind),
    };
    let is_argument = matches!(entry.kind.as_str(), "arg_bypointer" | "arg_byvalue");
    let below = match (&entry.type_name, &entry.addrspace) {
        // Properties of an argument look different from the argument.
        _ if !is_argument && (entry.explicit || name.is_some()) => escaped(&entry.kind),
        (Some(type_name), _) => escaped(type_name),
        (None, Some(space)) => escaped(space),
        (None, None) if name.is_some() => escaped(&entry.kind),
        (None, None) => format::bytes(entry.size.and_then(|s| u64::try_from(s).ok()).unwrap_or(0)),
    };
    (title, below)
}

/// Offsets below a line.
fn ticks(from: u64, line: u64) -> Vec<Html> {
    let step = if line > 32 { 16 } else { 8 };
    (0..=line / step)
        .map(|i| {
            let anchor = match i {
                0 => "start",
                i if i == line / step => "end",
                _ => "middle",
            };
            html! {
                <text class="tick" x={share(i * step, line)} y="100%" dy="-3" text-anchor={anchor}>{ (from + i * step).to_string() }</text>
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernels::{Overlap, Piece};

    fn entry(offset: i64, size: i64) -> PayloadEntry {
        PayloadEntry {
            offset: Some(offset),
            size: Some(size),
            ..PayloadEntry::default()
        }
    }

    #[test]
    fn boxes_are_split_at_line_ends_and_overlaps_drawn_below() {
        let payload = Payload {
            entries: vec![entry(0, 100), entry(90, 8)],
            pieces: vec![
                Piece {
                    start: 0,
                    end: 100,
                    entry: Some(0),
                },
                Piece {
                    start: 100,
                    end: 104,
                    entry: None,
                },
            ],
            overlaps: vec![Overlap {
                start: 90,
                end: 98,
                first: 0,
                second: 1,
            }],
            used: 100,
            total: 104,
            inline_data: 0,
        };
        let drawn: Vec<_> = marks(&payload, LINE)
            .iter()
            .map(|mark| (mark.start, mark.end, mark.entry, mark.overlaps))
            .collect();
        let expected = [
            (0, 96, Some(0), false),
            (96, 100, Some(0), false),
            (100, 104, None, false),
            (90, 96, Some(1), true),
            (96, 98, Some(1), true),
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_huge_payload_has_a_limited_number_of_boxes() {
        let payload = Payload {
            pieces: vec![Piece {
                start: 0,
                end: u64::MAX,
                entry: None,
            }],
            total: u64::MAX,
            ..Payload::default()
        };
        assert_eq!(marks(&payload, LINE).len() as u64, LINES);
        assert_eq!((line_of(1), line_of(96), line_of(97)), (16, 96, 96));
    }
}
