//! The bytes pane.

use std::rc::Rc;

use yew::prelude::*;

use super::byte_map::{Map, byte_map};
use super::keys;
use super::paint::{self, Highlights, PartSelection};
use super::row::{self, Line, hex_row};
use crate::model::text::escaped;
use crate::model::{NodeKind, SourceId, Span};
use crate::ui::browser::dom::{cell_at, focus, has_selected_text, number_at, open_menu};
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::hooks::{
    Debounce, Local, VirtualRows, use_change, use_later, use_local, use_row_count, use_virtual_rows,
};
use crate::ui::session::bytes::{CHUNK, Pieces, use_pieces};
use crate::ui::session::{Session, SessionContext};
use crate::ui::state::commands::ByteForm;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{self, TabId};
use crate::ui::tree;
use crate::worker::client::Piece;
use crate::worker::protocol::Row;

/// Row height in pixels; equals `--hex-row` in the styles.
const ROW: f64 = 18.0;
/// Size in bytes above which only a node's rows are marked, not each byte.
const LONG: u64 = 512;
/// Delay in milliseconds before screen readers read the byte at the cursor.
const REST: i32 = 250;

/// Properties of the bytes pane.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
    /// The file's tab.
    pub tab: TabId,
    /// The view of the file.
    pub view: PtrEq<state::View>,
    /// Whether this is the file beside the one in front.
    #[prop_or_default]
    pub beside: bool,
}

/// Positions of the pointer and the cursor.
#[derive(Debug, Clone, PartialEq, Default)]
struct PointerState {
    cursor: Option<u64>,
    /// Start and current end of a range that is being dragged.
    drag: Option<(u64, u64)>,
    hover: Option<u64>,
    /// The byte that was clicked here: the selection is visible already.
    own: Option<u64>,
    announcement: String,
}

/// Context of the event handlers.
struct View {
    session: Rc<Session>,
    tab: TabId,
    view: PtrEq<state::View>,
    rows: Rc<VirtualRows>,
    hand: Local<PointerState>,
    pieces: Pieces,
    source: SourceId,
    whole: Span,
    /// Number of bytes per row.
    width: u64,
    later: Debounce,
}

impl View {
    /// The first byte of a row.
    fn offset(&self, row: u64) -> u64 {
        self.first() + row * self.width
    }

    fn first(&self) -> u64 {
        self.whole.start / self.width * self.width
    }

    fn row_of(&self, at: u64) -> u64 {
        at.saturating_sub(self.first()) / self.width
    }

    /// Scrolls to the selection, unless it was made here.
    fn follow(&self) {
        let selection = &self.view.selection;
        let mut hand = self.hand.get();
        let own = hand.own.take();
        let selected_elsewhere = |extent: &Span| !own.is_some_and(|at| extent.contains_offset(at));
        if let Some(extent) = selection.extent().filter(selected_elsewhere) {
            hand.cursor = selection.span.map(|span| span.start);
            let last = extent.end.saturating_sub(1).max(extent.start);
            self.rows
                .reveal_all(self.row_of(extent.start), self.row_of(last));
        }
        self.hand.change(|now| *now = hand);
    }

    fn select(&self, (a, b): (u64, u64)) {
        self.hand.change(|hand| {
            hand.own = Some(b);
            hand.cursor = Some(b);
            hand.drag = None;
        });
        if a == b {
            self.session
                .select_byte(self.tab, self.source, a, SelectionOrigin::Jump);
        } else {
            let span = Span::new(self.source, a.min(b), a.max(b) + 1);
            self.session
                .select_span_of(self.tab, span, SelectionOrigin::Jump);
        }
    }

    /// The byte under the pointer.
    fn byte_under(&self, event: &MouseEvent) -> Option<u64> {
        let (line, row) = number_at(event, "data-line")?;
        let bytes = self.width as usize;
        let byte = cell_at(event, &row, ".h", row::columns(bytes))
            .map(|column| row::byte_of(column, bytes))
            .or_else(|| cell_at(event, &row, ".t", bytes as u32).map(|column| column as usize))?;
        Some(self.offset(line) + byte as u64).filter(|at| *at < self.whole.end)
    }

    fn point(&self, event: &PointerEvent) {
        let at = self.byte_under(event);
        match (event.type_().as_str(), at) {
            ("pointerdown", Some(at)) if event.button() == 0 => {
                event.prevent_default();
                focus(&self.rows.container);
                let shift = event.shift_key();
                self.hand.change(|hand| {
                    let from = hand.cursor.filter(|_| shift).unwrap_or(at);
                    hand.drag = Some((from, at));
                });
            }
            ("pointermove", at) => self.hand.change(|hand| {
                hand.hover = at;
                if let (Some((from, _)), Some(at)) = (hand.drag, at) {
                    hand.drag = Some((from, at));
                }
            }),
            ("pointerup", _) => {
                if let Some(range) = self.hand.get().drag {
                    self.select(range);
                }
            }
            ("pointerleave", _) => self.hand.change(|hand| hand.hover = None),
            _ => {}
        }
    }

    fn key(self: &Rc<Self>, event: &KeyboardEvent) {
        let hand = self.hand.get();
        let from = hand.cursor.unwrap_or(self.whole.start);
        match event.key().as_str() {
            "Enter" | " " => {
                event.prevent_default();
                return self.select(hand.drag.unwrap_or((from, from)));
            }
            "Escape" if hand.drag.is_some() => {
                event.prevent_default();
                return self.hand.change(|hand| hand.drag = None);
            }
            "c" if (event.ctrl_key() || event.meta_key()) && !has_selected_text() => {
                event.prevent_default();
                return self.copy();
            }
            _ => {}
        }
        let page = self.rows.page();
        let Some(to) = keys::target(event, from, self.whole, self.width, page) else {
            return;
        };
        event.prevent_default();
        let shift = event.shift_key();
        self.hand.change(|hand| {
            hand.cursor = Some(to);
            hand.drag = shift.then(|| (hand.drag.map_or(from, |drag| drag.0), to));
        });
        self.rows.reveal(self.row_of(to));
        let here = Rc::clone(self);
        self.later.after(REST, Box::new(move || here.read_out(to)));
    }

    /// Copies the selected or dragged bytes as hex; otherwise the byte at the cursor.
    fn copy(&self) {
        let hand = self.hand.get();
        let marked = hand.drag.or(hand.cursor.map(|at| (at, at)));
        let dragged = marked.map(|(a, b)| Span::new(self.source, a.min(b), a.max(b) + 1));
        let selected = self.view.selection.span.filter(|span| {
            let at_cursor = hand.cursor.is_none_or(|at| span.contains_offset(at));
            hand.drag.is_none() && at_cursor && !span.is_empty()
        });
        if let Some(span) = selected.or(dragged) {
            self.session.copy_bytes(self.tab, span, ByteForm::Hex);
        }
    }

    fn read_out(&self, at: u64) {
        let byte = part(&self.pieces, at, 1).and_then(|bytes| bytes.first().copied());
        let byte = byte.map(|b| format!(", byte {b:02x}")).unwrap_or_default();
        let hand = self.hand.clone();
        let done = move |name: String| {
            // The cursor may be elsewhere by now.
            if hand.get().cursor == Some(at) {
                hand.change(|hand| hand.announcement = format!("offset {at:#x}{byte}, {name}"));
            }
        };
        self.session
            .name_of_byte(self.tab, self.source, at, Box::new(done));
    }

    fn jump(&self, share: f64) {
        let at = self.whole.start + (share * self.whole.len() as f64) as u64;
        let at = at.min(self.whole.end.saturating_sub(1));
        self.hand.change(|hand| hand.cursor = Some(at));
        self.rows.center(self.row_of(at));
    }

    fn marks(&self) -> Highlights {
        let selection = &self.view.selection;
        let hand = self.hand.get();
        let dragged = hand
            .drag
            .map(|(a, b)| Span::new(self.source, a.min(b), a.max(b) + 1));
        let free = dragged.is_some() || selection.free;
        // A selected file is not highlighted.
        let shown = free || !selection.ancestry.is_empty();
        let span = dragged.or(selection.span).filter(|_| shown);
        // All fields of an instruction share its bytes, so it is painted as a value.
        let has_own = |row: &Row| tree::is_branch(row) && row.kind != NodeKind::Instruction;
        let has_parts = selection.ancestry.last().is_none_or(has_own);
        let whole = match span.map_or(0, Span::len) {
            _ if free => PartSelection::No,
            len if len > LONG => PartSelection::Long,
            _ if has_parts => PartSelection::Short,
            _ => PartSelection::No,
        };
        let own = || selection.ancestry.last().and_then(|row| row.bits);
        let bits = self.view.detail().map_or_else(own, |detail| detail.bits);
        let hover = hand.hover.and_then(|at| {
            let piece = self.pieces.get(&(at / CHUNK))?;
            let leaf = paint::leaf_at(&piece.leaves, at)?;
            Some((paint::start(leaf), leaf.end))
        });
        Highlights {
            span,
            extent: span.and(dragged.or(selection.extent())),
            whole,
            bits: bits.filter(|_| !free),
            hover,
            cursor: hand.cursor,
        }
    }

    fn line(&self, number: u64, marks: &Highlights, digits: usize) -> Html {
        let offset = self.offset(number);
        let len = (self.whole.end - offset).min(self.width) as usize;
        let leaves = self
            .pieces
            .get(&(offset / CHUNK))
            .map_or(&[][..], |p| &p.leaves);
        let line = Line {
            number,
            offset,
            digits,
            width: self.width as usize,
            bytes: part(&self.pieces, offset, len),
            len,
            leaves,
        };
        hex_row(&line, marks)
    }
}

/// The extent of the selected source.
#[component]
pub fn HexView(props: &Props) -> Html {
    let selection = &props.view.selection;
    let source = selection.source();
    let whole = props.view.whole(source);

    let rows = use_virtual_rows(ROW);
    let width = row::bytes_in(rows.width(), digits(whole.end));
    let first = whole.start / width * width;
    let count = (whole.end - first).div_ceil(width);
    use_row_count(&rows, count);
    let (start, end) = rows.shown();
    let bytes = (first + start * width, (first + end * width).min(whole.end));
    let view = Rc::new(View {
        session: Rc::clone(&props.session.0),
        tab: props.tab,
        view: props.view.clone(),
        rows: Rc::clone(&rows),
        hand: use_local(),
        pieces: use_pieces(
            &props.session.0,
            props.tab,
            source,
            bytes,
            props.view.opening.into(),
        ),
        source,
        whole,
        width,
        later: use_later(),
    });
    let here = Rc::clone(&view);
    use_change(
        [selection.serial.into(), width, 0, 0],
        Box::new(move || here.follow()),
    );

    let here = Rc::clone(&view);
    let beside = props.beside;
    let step = move || {
        let selected = here.view.selection.extent().map_or(0, |span| span.start);
        let row = here.row_of(selected);
        here.session.scroll_in_step(&here.rows, row, beside);
    };
    use_change([selection.serial.into(), width, first, 0], Box::new(step));

    let here = Rc::clone(&view);
    let pointer = Callback::from(move |event: PointerEvent| here.point(&event));
    let here = Rc::clone(&view);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    // By keyboard and by pointer.
    let oncontextmenu = Callback::from(move |event: MouseEvent| {
        if open_menu(copy_menu(beside)) {
            event.prevent_default();
        }
    });
    let here = Rc::clone(&view);
    let jump = Callback::from(move |share: f64| here.jump(share));
    let marks = view.marks();
    let digits = digits(whole.end);
    let (top, bottom) = rows.in_view();
    let map = Map {
        view: &props.view,
        whole,
        from: view.offset(top),
        to: view.offset(bottom).min(whole.end),
    };
    html! {
        <div class="hex">
            <div class="scroll" id={if props.beside { "hex-beside" } else { "hex" }} ref={&rows.container} role="grid" tabindex="0" aria-label={label(props)}
                 aria-readonly="true" aria-rowcount={count.to_string()} aria-colcount="3"
                 onpointerdown={pointer.clone()} onpointermove={pointer.clone()} onpointerup={pointer.clone()}
                 onpointerleave={pointer} {onkeydown} {oncontextmenu}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">
                        { for (start..end).map(|number| view.line(number, &marks, digits)) }
                    </div>
                </div>
            </div>
            { byte_map(&map, jump) }
            <p class="unseen" aria-live="polite">{ view.hand.get().announcement }</p>
        </div>
    }
}

/// Element id of the copy menu.
pub fn copy_menu(beside: bool) -> &'static str {
    if beside { "copy-as-beside" } else { "copy-as" }
}

fn label(props: &Props) -> String {
    if props.beside {
        format!("Bytes of {}", escaped(&props.view.opened.name))
    } else {
        "Bytes".to_owned()
    }
}

/// Number of digits of all offsets.
fn digits(end: u64) -> usize {
    let needed = (64 - end.leading_zeros() as usize).div_ceil(4);
    needed.max(8)
}

fn part(pieces: &Pieces, offset: u64, len: usize) -> Option<&[u8]> {
    let piece: &Piece = pieces.get(&(offset / CHUNK))?;
    let from = usize::try_from(offset.checked_sub(piece.span.start)?).ok()?;
    let bytes = piece.bytes.get(from..)?;
    (!bytes.is_empty()).then(|| bytes.get(..len).unwrap_or(bytes))
}
