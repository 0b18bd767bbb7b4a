//! The bytes.

use std::rc::Rc;

use yew::prelude::*;

use super::byte_map::ByteMap;
use super::hex_keys;
use super::hex_paint::{self, Marks, Whole};
use super::hex_row::{self, Line, hex_row};
use crate::model::{SourceId, Span};
use crate::ui::hooks::{
    CHUNK, Pieces, cell_at, focus, number_at, use_element_width, use_later,
    use_pieces, use_session, use_virtual_rows,
};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::state::{TabId, View};
use crate::ui::tree;
use crate::worker::client::Piece;

/// The height of a row; `--hex-row` of the styles is the same.
const ROW: f64 = 20.0;
/// Of something longer only the rows are marked, not each byte.
const LONG: u64 = 512;
/// Rows of 16 bytes need so many pixels; below that they have 8.
const WIDE: u32 = 576;
/// A cursor that rests for so many milliseconds is read out.
const REST: i32 = 250;

/// The properties of the bytes.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file's tab.
    pub tab: TabId,
    /// What is shown of it.
    pub view: Shared<View>,
}

/// Bytes that are being selected freely: where it began, and where it is now.
pub(super) type Range = (u64, u64);

/// The bytes of the source that is selected.
#[component]
pub fn HexView(props: &Props) -> Html {
    let session = use_session();
    let selection = &props.view.selection;
    let source = selection.source();
    let whole = props.view.whole(source);
    let serial = Rc::as_ptr(&props.view.opened) as usize;

    let outer = use_node_ref();
    let pixels = use_element_width(&outer);
    let width: u64 = if pixels == 0 || pixels >= WIDE { 16 } else { 8 };
    let first = whole.start / width * width;
    let count = (whole.end - first).div_ceil(width);
    let rows = use_virtual_rows(count, ROW);

    let cursor = use_state_eq(|| None::<u64>);
    let drag = use_state_eq(|| None::<Range>);
    let hover = use_state_eq(|| None::<u64>);
    let spoken = use_state_eq(String::new);
    // The byte that was chosen here: what is selected then is in view already.
    let own = use_mut_ref(|| None::<u64>);

    let at = |row: u64| first + row * width;
    let pieces = use_pieces(props.tab, source, at(rows.start), at(rows.end).min(whole.end), serial);

    {
        let (rows, cursor, own) = (rows.clone(), cursor.setter(), Rc::clone(&own));
        let (extent, start) = (selection.extent(), selection.span.map(|span| span.start));
        use_effect_with((props.tab, selection.serial, width), move |_| {
            let chosen = own.borrow_mut().take();
            let Some(extent) = extent else { return };
            if chosen.is_some_and(|at| extent.holds(at)) {
                return;
            }
            cursor.set(start);
            let row = |at: u64| at.saturating_sub(first) / width;
            rows.reveal_all(row(extent.start), row(extent.end.saturating_sub(1).max(extent.start)));
        });
    }

    let select = {
        let (session, own) = (session.clone(), Rc::clone(&own));
        let (cursor, drag) = (cursor.setter(), drag.setter());
        move |range: Range| {
            let (from, to) = (range.0.min(range.1), range.0.max(range.1));
            *own.borrow_mut() = Some(range.1);
            cursor.set(Some(range.1));
            drag.set(None);
            if from == to {
                session.select_byte(source, from, Via::Jump);
            } else {
                session.select_span(Span::new(source, from, to + 1), Via::Jump);
            }
        }
    };
    let byte_under = {
        let end = whole.end;
        move |event: &MouseEvent| byte_under(event, first, width, end)
    };
    let onpointerdown = {
        let (byte_under, drag, cursor) = (byte_under.clone(), drag.setter(), *cursor);
        let container = rows.container.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            if let Some(at) = byte_under(&event) {
                event.prevent_default();
                focus(&container);
                let from = if event.shift_key() { cursor.unwrap_or(at) } else { at };
                drag.set(Some((from, at)));
            }
        })
    };
    let onpointermove = {
        let (byte_under, drag, hover) = (byte_under, drag.clone(), hover.setter());
        Callback::from(move |event: PointerEvent| {
            let at = byte_under(&event);
            hover.set(at);
            if let (Some((from, _)), Some(at)) = (*drag, at) {
                drag.set(Some((from, at)));
            }
        })
    };
    let onpointerup = {
        let (select, drag) = (select.clone(), *drag);
        Callback::from(move |_: PointerEvent| {
            if let Some(range) = drag {
                select(range);
            }
        })
    };
    let onpointerleave = {
        let hover = hover.setter();
        Callback::from(move |_: PointerEvent| hover.set(None))
    };

    // What the cursor is at is read out when it rests.
    let rest = use_later(REST);
    let onkeydown = {
        let (rows, drag_now, drag) = (rows.clone(), *drag, drag.setter());
        let (cursor_now, cursor) = (*cursor, cursor.setter());
        let (session, spoken, pieces) = (session.clone(), spoken.setter(), pieces.clone());
        Callback::from(move |event: KeyboardEvent| {
            let from = cursor_now.unwrap_or(whole.start);
            if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                select(drag_now.unwrap_or((from, from)));
                return;
            }
            if event.key() == "Escape" && drag_now.is_some() {
                event.prevent_default();
                drag.set(None);
                return;
            }
            let Some(to) = hex_keys::target(&event, from, whole, width, rows.page) else {
                return;
            };
            event.prevent_default();
            cursor.set(Some(to));
            rows.reveal((to - first) / width);
            if event.shift_key() {
                drag.set(Some((drag_now.map_or(from, |d| d.0), to)));
            } else {
                drag.set(None);
            }
            let byte = byte_at(&pieces, to);
            let (session, spoken) = (session.clone(), spoken.clone());
            rest.emit(Rc::new(move || {
                let spoken = spoken.clone();
                session.name_of_byte(source, to, move |name| {
                    let byte = byte.map(|b| format!(", byte {b:02x}")).unwrap_or_default();
                    spoken.set(format!("offset {to:#x}{byte}, {name}"));
                });
            }));
        })
    };

    let marks = marks(props, *cursor, *drag, *hover, &pieces);
    let digits = digits(whole.end);
    let in_view = rows.in_view();
    let lines = (rows.start..rows.end).map(|number| {
        let offset = at(number);
        let len = (whole.end - offset).min(width) as usize;
        let piece = pieces.get(offset / CHUNK);
        let line = Line {
            number,
            offset,
            digits,
            width: width as usize,
            bytes: piece.and_then(|piece| part(piece, offset, len)),
            len,
            leaves: piece.map_or(&[], |piece| piece.leaves.as_slice()),
        };
        hex_row(&line, &marks)
    });
    let jump = {
        let (rows, cursor) = (rows.clone(), cursor.setter());
        Callback::from(move |offset: u64| {
            cursor.set(Some(offset));
            rows.center((offset - first) / width);
        })
    };
    html! {
        <div class="hex" ref={&outer}>
            <div class="scroll" id="hex" ref={&rows.container} role="grid" tabindex="0" aria-label="Bytes"
                 aria-readonly="true" aria-rowcount={count.to_string()} aria-colcount="3"
                 {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onkeydown}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">{ for lines }</div>
                </div>
            </div>
            <ByteMap view={props.view.clone()} {whole} from={at(in_view.0)} to={at(in_view.1).min(whole.end)} {jump} />
            <p class="unseen" aria-live="polite">{ (*spoken).clone() }</p>
        </div>
    }
}

/// How many digits all offsets are written with.
fn digits(end: u64) -> usize {
    let needed = (64 - end.leading_zeros() as usize).div_ceil(4);
    needed.max(8)
}

/// The byte under the pointer.
fn byte_under(event: &MouseEvent, first: u64, width: u64, end: u64) -> Option<u64> {
    let (line, row) = number_at(event, "data-line")?;
    let bytes = width as usize;
    let byte = cell_at(event, &row, ".h", hex_row::columns(bytes))
        .map(|column| hex_row::byte_of(column, bytes))
        .or_else(|| cell_at(event, &row, ".t", width as u32).map(|column| column as usize))?;
    let at = first + line * width + byte as u64;
    (at < end).then_some(at)
}

fn part(piece: &Piece, offset: u64, len: usize) -> Option<&[u8]> {
    let from = usize::try_from(offset.checked_sub(piece.span.start)?).ok()?;
    let bytes = piece.bytes.get(from..)?;
    (!bytes.is_empty()).then(|| bytes.get(..len).unwrap_or(bytes))
}

fn byte_at(pieces: &Pieces, at: u64) -> Option<u8> {
    part(pieces.get(at / CHUNK)?, at, 1)?.first().copied()
}

fn marks(
    props: &Props,
    cursor: Option<u64>,
    drag: Option<Range>,
    hover: Option<u64>,
    pieces: &Pieces,
) -> Marks {
    let selection = &props.view.selection;
    let source: SourceId = selection.source();
    let dragged = drag.map(|(a, b)| Span::new(source, a.min(b), a.max(b) + 1));
    let span = dragged.or(selection.span);
    // A value stands out; something with parts keeps their colours.
    let has_parts = !selection.free && selection.way.last().is_none_or(tree::is_branch);
    let len = span.map_or(0, Span::len);
    let whole = match () {
        () if dragged.is_some() || selection.free => Whole::No,
        () if len > LONG => Whole::Long,
        () if has_parts => Whole::Short,
        () => Whole::No,
    };
    // The whole file being selected is nothing to point out.
    let span = span.filter(|_| dragged.is_some() || selection.free || !selection.way.is_empty());
    let hovered = hover.and_then(|at| {
        let piece = pieces.get(at / CHUNK)?;
        let leaf = hex_paint::leaf_at(&piece.leaves, at)?;
        Some((hex_paint::start(leaf), leaf.end))
    });
    Marks {
        span,
        extent: span.and(dragged.or(selection.extent())),
        whole,
        hover: hovered,
        cursor,
    }
}

