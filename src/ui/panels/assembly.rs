//! The parts of the list panel that only instructions need: code selection, totals, rendering and
//! details.

use yew::prelude::*;

use super::data_flow;
use crate::analysis::assembly::{Mix, RegisterRange, TextPartKind};
use crate::analysis::inlining::SourceFrame;
use crate::model::text::{cut_middle, escaped};
use crate::model::{SourceId, Span};
use crate::tables::{
    Cell, CellValue, CodeRow, InstructionDetail, Lane, ListId, RelatedInstruction, Shape,
};
use crate::ui::components::{button, plain, shortened, span_button};
use crate::ui::state::commands::Command;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{CodeImage, CodeImages, CodeReport};

/// Width of a jump lane, and row height, in pixels.
const LANE: u32 = 8;
const ROW: u32 = 16;

/// Maximum length of a kernel's name in the list of images, in characters.
const KERNEL_SHOWN: usize = 60;
/// Maximum number of images offered when no code is selected.
const IMAGES_SHOWN: usize = 24;

/// Registers as one number, for an attribute of an element: the file, the first and the last register.
pub(super) type Register = u64;

fn register(range: RegisterRange) -> Register {
    u64::from(range.file) << 32 | u64::from(range.first) << 16 | u64::from(range.last)
}

fn range(register: Register) -> RegisterRange {
    let part = |shift: u32| u16::try_from(register >> shift & 0xffff).unwrap_or(u16::MAX);
    RegisterRange {
        file: part(32).to_le_bytes()[0],
        first: part(16),
        last: part(0),
    }
}

/// The instruction's row: its words and jumps, the code that it is in, and the registers under the pointer.
pub(super) struct InstructionContext<'a> {
    pub(super) row: Option<&'a CodeRow>,
    pub(super) of: Option<Span>,
    pub(super) lit: Option<Register>,
    /// Its relation to the selected instruction.
    pub(super) related: Option<&'a RelatedInstruction>,
    /// Words about the loop that starts here.
    pub(super) loop_mark: Option<Html>,
}

/// The text of an instruction: its operation, registers and branch targets are elements of their own.
fn instruction(cell: &Cell<'_>, text: &str, context: &InstructionContext<'_>) -> Html {
    let operation = cell.marks.first();
    let mut parts = Vec::new();
    let mut done = 0;
    for word in context.row.iter().flat_map(|row| &row.words) {
        let (start, end) = (word.start as usize, word.end as usize);
        let gap = text.get(done..start).unwrap_or("");
        let class = match word.gap as usize {
            kept if kept == gap.len() => "",
            1 => "gap gap-1",
            2 => "gap gap-2",
            _ => "gap gap-4",
        };
        parts.push(match class {
            "" => plain(gap),
            class => html! { <span {class}>{ gap.to_owned() }</span> },
        });
        done = end;
        let at = start.to_string();
        let shown = text.get(start..end).unwrap_or("");
        parts.push(match &word.kind {
            Some(TextPartKind::Operation) => {
                html! { <b title={operation.map(|mark| mark.doc.to_string())} data-part={at}>{ shown.to_owned() }</b> }
            }
            Some(TextPartKind::Registers { writes, ranges }) => {
                let inner = registers(shown, *writes, ranges, context.lit);
                html! { <span class="part" data-part={at}>{ inner }</span> }
            }
            Some(TextPartKind::Target(offset)) => {
                html! { <span class="part" data-part={at}>{ target(shown, *offset, context.of) }</span> }
            }
            Some(TextPartKind::Token { .. }) | None => {
                html! { <span class="part" data-part={at}>{ shown.to_owned() }</span> }
            }
        });
    }
    // The first part is the opcode.
    let marks = cell.marks.iter().skip(1).map(format::mark);
    if context.loop_mark.is_none() && context.related.is_none() {
        return html! { <span class="asm"><>{ for parts }</><>{ for marks }</></span> };
    }
    // Notes take the room that the instruction leaves.
    html! {
        <span class="asm noted">
            <span class="whole"><>{ for parts }</><>{ for marks }</></span>
            <>{ context.loop_mark.clone() }</>
            <>{ context.related.map(data_flow::mark) }</>
        </span>
    }
}

/// An operand with registers. It is marked where the pointer is at one of them, in whatever row.
fn registers(text: &str, writes: bool, ranges: &[RegisterRange], lit: Option<Register>) -> Html {
    let lit = lit.map(range);
    let is_lit = lit.is_some_and(|lit| ranges.iter().any(|range| range.overlaps(lit)));
    let class = match (is_lit, writes) {
        (true, true) => "reg lit def",
        (true, false) => "reg lit",
        _ => "reg",
    };
    // Region and type are not part of the name.
    let end = text.find(['<', ':']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let first = ranges.first().map(|first| register(*first).to_string());
    html! { <><span {class} data-reg={first}>{ name.to_owned() }</span>{ rest.to_owned() }</> }
}

/// The target of a link to the instruction at an offset of the code.
pub(super) fn offset_link(code: Span, offset: u32) -> Span {
    let to = code.start.saturating_add(offset.into());
    // Without bytes it is the instruction that is there.
    Span::new(code.source, to, to)
}

/// A branch target in the code: a link to the instruction that is there.
fn target(text: &str, offset: u32, of: Option<Span>) -> Html {
    let code = of.unwrap_or(Span::new(SourceId::FILE, 0, 0));
    let to = offset_link(code, offset);
    if code.contains_offset(to.start) {
        span_button("link", to, plain(text))
    } else {
        plain(text)
    }
}

/// Jump lines beside an instruction.
fn jumps(lanes: &[Lane]) -> Html {
    let (middle, row) = (ROW / 2, ROW);
    let mut path = String::new();
    for (place, lane) in (0..).zip(lanes) {
        let (left, right) = (place * LANE, (place + 1) * LANE);
        let x = left + LANE / 2;
        let mut line = |from: (u32, u32), to: (u32, u32)| {
            path.push_str(&format!("M{} {}L{} {}", from.0, from.1, to.0, to.1));
        };
        match (lane.up, lane.down) {
            (true, true) => line((x, 0), (x, row)),
            (false, true) => line((x, middle), (x, row)),
            (true, false) => line((x, 0), (x, middle)),
            (false, false) => {}
        }
        match (lane.left, lane.right) {
            (true, true) => line((left, middle), (right, middle)),
            (false, true) => line((x, middle), (right, middle)),
            (true, false) => line((left, middle), (x, middle)),
            (false, false) => {}
        }
        if lane.is_target {
            let (up, down) = (middle - 3, middle + 3);
            line((right - 4, up), (right, middle));
            line((right - 4, down), (right, middle));
        }
    }
    if path.is_empty() {
        return Html::default();
    }
    let width = lanes.len() as u32 * LANE;
    html! {
        <svg class="jumps" aria-hidden="true" width={width.to_string()} height={row.to_string()}><path d={path} /></svg>
    }
}

/// A cell of an instruction; `None` for the default rendering. `in_order`: rows are contiguous as
/// in the code.
pub(super) fn cell(
    id: &str,
    cell: &Cell<'_>,
    context: &InstructionContext<'_>,
    in_order: bool,
) -> Option<Html> {
    let text = match &cell.value {
        CellValue::Text(text) => &**text,
        CellValue::Empty | CellValue::Absent => "",
        _ => return None,
    };
    Some(match id {
        "jumps" if in_order => jumps(context.row.map_or(&[], |row| &row.lanes)),
        "jumps" => Html::default(),
        "text" => instruction(cell, text, context),
        "label" => html! { <>
            if !text.is_empty() { <b class="label">{ format!("{text} ") }</b> }
            { for cell.marks.iter().map(format::mark) }
        </> },
        "source_text" => html! { <>
            { for cell.marks.iter().map(format::mark) }
            <span class="asm">{ escaped(text) }</span>
        </> },
        "comment" if text.is_empty() && cell.marks.is_empty() => Html::default(),
        "comment" => html! { <span class="name-cell" title={escaped(text)}>
            { for cell.marks.iter().map(format::mark) }
            <span class="n dim">{ escaped(text) }</span>
        </span> },
        "source" if text.is_empty() => Html::default(),
        _ => return None,
    })
}

/// Selection of an image with code, if the file has several.
pub(super) fn images(view: &View, list: ListId, onchange: Callback<Event>) -> Html {
    let is_pending = view.awaits_images(list) && view.code.offers_images;
    let Some(images) = view.code_images(list) else {
        return if is_pending {
            // The element stays, and with it the focus.
            images_select(None, onchange)
        } else {
            Html::default()
        };
    };
    let is_any_shown = images.images.iter().any(|image| image.is_shown);
    match images.images.len() {
        0 => Html::default(),
        1 if is_any_shown => Html::default(),
        _ => images_select(Some(images), onchange),
    }
}

fn images_select(images: Option<&CodeImages>, onchange: Callback<Event>) -> Html {
    let is_known = images.is_some();
    let images = images.iter().flat_map(|images| &images.images);
    let is_any_shown = images.clone().any(|image| image.is_shown);
    html! {
        <select class="code-image" aria-label="Image" {onchange}>
            if !is_any_shown {
                <option value="" selected=true>{ if is_known { "Choose an image" } else { "…" } }</option>
            }
            { for images.enumerate().map(|(place, image)| html! {
                <option key={place} value={place.to_string()} selected={image.is_shown}>{ image_label(image) }</option>
            }) }
        </select>
    }
}

/// An image as an option: its name, devices and first kernel.
fn image_label(image: &CodeImage) -> String {
    let mut words = vec![escaped(&image.name)];
    if !image.device.is_empty() {
        words.push(escaped(&image.device));
    }
    if !image.kernel.is_empty() {
        let kernel = cut_middle(&escaped(&image.kernel), KERNEL_SHOWN).into_owned();
        words.push(match image.kernels {
            0 | 1 => kernel,
            more => format!("{kernel} and {} more", format::grouped(more - 1)),
        });
    }
    words.join(" · ")
}

/// Placeholder for code or texts while no image of a container is selected.
pub(super) fn choose(view: &View, list: ListId, onchange: Callback<Event>) -> Html {
    let is_code = list.declaration().shape == Shape::Code;
    let name = crate::ui::state::selection::name(view.row());
    let what = if is_code {
        "instructions"
    } else {
        "readable text"
    };
    let images = view.code_images(list);
    let count = images.map_or(0, |images| images.images.len() as u64 + images.left_out);
    let has = view.opened.summary.anywhere();
    let has_kernels = has.kernels || has.host || has.package;
    html! {
        <div class="panel calm choose">
            if view.selection.ancestry.is_empty() {
                <p>{ format!("The file itself has no {what}.") }</p>
            } else {
                <p><b class="mono">{ name }</b>{ format!(" has no {what} of its own.") }</p>
            }
            if count == 0 && has.package {
                <p class="dim">{ "It is in the files of the package." }</p>
                <div class="rowc">
                    if is_code { { button("btn2", Command::Panel(PanelId::KERNELS), plain("Choose a kernel")) } }
                    { button("btn2", Command::Panel(PanelId::FILES), plain("Choose a file")) }
                </div>
            } else if count == 0 {
                <p class="dim">{ "No image in this file has native code: the driver compiles its SPIR-V at run time." }</p>
            } else {
                <p class="dim">{ format!("{} in this file {} native code.", format::counted(count, "image", "images"), if count == 1 { "has" } else { "have" }) }</p>
                <div class="rowc">
                    { images_of(images, onchange) }
                    if has_kernels { { button("btn2", Command::Panel(PanelId::KERNELS), plain("Choose a kernel")) } }
                </div>
                <ul class="rows">
                    { for images.iter().flat_map(|images| images.images.iter().take(IMAGES_SHOWN)).map(|image| html! {
                        <li>{ span_button("link", image.span, plain(&image_label(image))) }</li>
                    }) }
                </ul>
            }
        </div>
    }
}

fn images_of(images: Option<&CodeImages>, onchange: Callback<Event>) -> Html {
    if images.is_some_and(|images| images.images.len() > IMAGES_SHOWN) {
        images_select(images, onchange)
    } else {
        Html::default()
    }
}

/// The visible code and its encoding.
pub(super) fn controls(
    view: &View,
    on_section: Callback<Event>,
    on_encoding: Callback<Event>,
) -> Html {
    let list = view.lists.get(ListId::Instructions);
    let Some(report) = view.code_sections() else {
        return html! { <>
            <select class="code-section" aria-label="Code"><option>{ "…" }</option></select>
            <select aria-label="Encoding"><option>{ "…" }</option></select>
        </> };
    };
    let own = match &report.encoding {
        Some(name) => name.to_string(),
        None => "unknown encoding".to_owned(),
    };
    let chosen = list.query.encoding().map_or("", |name| &**name);
    let is_other = |name: &&crate::model::Str| Some(*name) != report.encoding.as_ref();
    html! { <>
        <select class="code-section" aria-label="Code" onchange={on_section}>
            { for report.sections.iter().enumerate().map(|(place, (name, span))| html! {
                <option key={place} value={place.to_string()} selected={list.query.of == Some(*span)}>{ escaped(name) }</option>
            }) }
        </select>
        <select aria-label="Encoding" onchange={on_encoding}>
            <option value="" selected={chosen.is_empty()}>{ own }</option>
            { for report.encodings.iter().filter(is_other).map(|name| html! {
                <option key={&**name} value={name.to_string()} selected={chosen == name}>{ name.to_string() }</option>
            }) }
        </select>
    </> }
}

/// Statistics of the code.
pub(super) fn head(view: &View) -> Html {
    let Some(report) = view.code_report() else {
        return html! { <p class="code-head dim">{ "…" }</p> };
    };
    let mix = &report.mix;
    let counted =
        |count: u64, one: &str, many: &str| (count > 0).then(|| format::counted(count, one, many));
    let loops = counted(mix.loops, "loop", "loops").map(|loops| match mix.nesting {
        0 | 1 => loops,
        depth => format!("{loops}, nested {depth} deep"),
    });
    let facts = [
        Some(format::bytes(mix.bytes)),
        Some(format!(
            "{} compacted",
            format::percent(mix.compacted, mix.instructions)
        )),
        counted(mix.blocks, "block", "blocks"),
        loops,
        counted(mix.registers, "register", "registers"),
        counted(mix.waits, "scoreboard wait", "scoreboard waits"),
    ];
    let filter = &view.lists.get(ListId::Instructions).query.filter;
    // Their annotation in the listing.
    let marked = [
        ("atomic", counted(mix.atomics, "atomic", "atomics")),
        (
            "barrier",
            counted(mix.barriers, "barrier message", "barrier messages"),
        ),
        ("spill", counted(mix.spills, "spill", "spills")),
        ("fill", counted(mix.fills, "fill", "fills")),
        (
            "illegal",
            counted(mix.illegal, "illegal word", "illegal words"),
        ),
    ];
    let marked = marked.into_iter().filter_map(|(mark, text)| {
        let of_mark = format!("marks={mark}");
        let is_on = *filter == of_mark;
        let class = match mark {
            "atomic" | "barrier" => "link",
            _ => "link warn",
        };
        let command = Command::FilterCode(of_mark);
        Some(html! {
            <button type="button" {class} aria-pressed={is_on.to_string()} title="Show only these"
                    data-command={command.to_string()}>{ text? }</button>
        })
    });
    html! {
        <div class="code-head">
            if report.left > 0 {
                <span class="dim" role="status">{ progress(report) }</span>
            }
            <>{ for facts.into_iter().flatten().map(|fact| html! { <span>{ fact }</span> }) }</>
            <>{ for marked }</>
            <span class="grow" />
            { counts(mix) }
        </div>
    }
}

fn progress(report: &CodeReport) -> String {
    let all = report.of.len();
    format!(
        "counting: {}",
        format::percent(all.saturating_sub(report.left), all)
    )
}

/// Instructions by kind, and messages.
fn counts(mix: &Mix) -> Html {
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ "Instruction mix" }</summary>
            <div class="pop tall mix">
                <table class="plain">
                    <caption class="unseen">{ "Instructions by kind" }</caption>
                    <thead><tr><th>{ "Kind" }</th><th class="num">{ "Instructions" }</th><th class="num">{ "Share" }</th></tr></thead>
                    <tbody>
                        { for mix.kinds.iter().map(|(kind, count)| html! { <tr>
                            <td>{ kind.to_string() }</td>
                            <td class="num">{ format::grouped(*count) }</td>
                            <td class="num">{ format::percent(*count, mix.instructions) }</td>
                        </tr> }) }
                    </tbody>
                </table>
                if !mix.messages.is_empty() {
                    <table class="plain">
                        <caption class="unseen">{ "Messages" }</caption>
                        <thead><tr><th>{ "Message" }</th><th class="num">{ "Count" }</th><th class="num">{ "Sent, B" }</th><th class="num">{ "Received, B" }</th></tr></thead>
                        <tbody>
                            { for mix.messages.iter().map(|message| html! { <tr>
                                <td>{ escaped(&message.name) }</td>
                                <td class="num">{ format::grouped(message.count) }</td>
                                <td class="num">{ format::grouped(message.sent) }</td>
                                <td class="num">{ format::grouped(message.received) }</td>
                            </tr> }) }
                        </tbody>
                    </table>
                }
                <p class="dim small">{ "Static count: each instruction once; loops are not weighted." }</p>
            </div>
        </details>
    }
}

/// The functions that the selected instruction is of: the innermost first, then those that it is
/// inlined into.
fn chain(frames: &[SourceFrame]) -> Html {
    if frames.iter().all(|frame| frame.function.is_empty()) {
        return Html::default();
    }
    html! {
        <ol class="frames" aria-label="Functions of the instruction, the innermost first">
            { for frames.iter().enumerate().map(|(place, frame)| {
                let name = match &*frame.function {
                    "" => "a function without a name",
                    name => name,
                };
                html! { <li>
                    <span class="dim">{ if place == 0 { "in" } else { "inlined at" } }</span>
                    if place > 0 { <span class="mono">{ escaped(&frame.place()) }</span> }
                    <span title={escaped(name)}>{ shortened(&escaped(name)) }</span>
                    if place == 0 { <span class="mono dim">{ escaped(&frame.place()) }</span> }
                </li> }
            }) }
        </ol>
    }
}

/// The meaning of the selected instruction, and the functions that it is of.
pub(super) fn meaning(detail: &InstructionDetail) -> Html {
    html! { <>
        <p class="said">
            { detail.meaning.to_string() }
            if !detail.comment.is_empty() { <span class="dim">{ format!(" {}", escaped(&detail.comment)) }</span> }
        </p>
        { chain(&detail.frames) }
    </> }
}

/// The parts of the selected instruction, with their bits.
pub(super) fn parts(detail: &InstructionDetail, of: Span) -> Html {
    html! {
        <ul class="parts" aria-label="Parts of the instruction">
            { for detail.parts.iter().filter(|part| part.name != "message").map(|part| {
                let text = html! { <span class="mono">{ shortened(&escaped(&part.text)) }</span> };
                let register = detail.registers.iter().find(|(role, _)| *role == part.name);
                html! { <li title={part.meaning.to_string()}>
                    <span class="dim">{ part.name.to_string() }</span>
                    <span>
                        { button("link", Command::SelectOperand(of, part.at.into()), text) }
                        if let Some((_, register)) = register {
                            { " · " }
                            <span title={format!("Show only the instructions that read or write {register}")}>
                                { button("link", Command::FilterCode(format!("reg={register}")), plain("uses")) }
                            </span>
                        }
                    </span>
                    <span class="dim mono">{ format!("[{}]", part.bits.text()) }</span>
                </li> }
            }) }
        </ul>
    }
}
