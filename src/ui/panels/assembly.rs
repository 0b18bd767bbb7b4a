//! The parts of the list panel that only instructions need: code selection, totals, rendering and
//! details.

use yew::prelude::*;

use super::data_flow;
use crate::analysis::assembly::{
    InstructionClass, Mix, RegisterRange, ScratchAccess, TextPartKind, TextRole,
};
use crate::analysis::data_flow::ScratchMessage;
use crate::analysis::inlining::SourceFrame;
use crate::model::text::{cut_middle, escaped};
use crate::model::{SourceId, Span, Xref};
use crate::tables::{
    Cell, CellValue, CodeRow, InstructionDetail, ListId, RelatedInstruction, Shape,
};
use crate::ui::browser::dom::value_of;
use crate::ui::components::{button, plain, shortened, span_button};
use crate::ui::session::SessionContext;
use crate::ui::state::commands::Command;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{CodeImage, CodeImages, CodeReport};

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

/// The instruction's row: its words and jumps, the code that it is in, the registers under the pointer,
/// and what the data flow knows of it.
#[derive(Default)]
pub(super) struct InstructionContext<'a> {
    pub(super) row: Option<&'a CodeRow>,
    pub(super) of: Option<Span>,
    pub(super) lit: Option<Register>,
    /// Its relation to the selected instruction.
    pub(super) related: Option<&'a RelatedInstruction>,
    /// Whether other rows may have such a relation: their notes are aligned.
    pub(super) has_related: bool,
    /// The button that folds the loop that starts here.
    pub(super) fold: Option<Html>,
    /// Words about the loop that starts here.
    pub(super) loop_mark: Option<Html>,
    /// Classes of the brackets of the loops around it.
    pub(super) loops: Option<Classes>,
    /// What it does with scratch memory.
    pub(super) scratch: Option<&'a ScratchMessage>,
    /// Whether its options have a column of their own.
    pub(super) has_options: bool,
}

/// The class of an operation, for its color.
fn class_of(class: InstructionClass) -> &'static str {
    match class {
        InstructionClass::Arithmetic => "alu",
        InstructionClass::Message => "send",
        InstructionClass::Systolic => "dpas",
        InstructionClass::Math => "math",
        InstructionClass::Control => "control",
        InstructionClass::Synchronization => "sync",
        InstructionClass::Illegal => "illegal",
    }
}

/// The class of an operand, for the width of its column.
fn operand_class(role: Option<TextRole>, is_constant: bool) -> Classes {
    let column = match role {
        Some(TextRole::Destination) => Some("d"),
        Some(TextRole::Source(0)) => Some("s0"),
        Some(TextRole::Source(1)) => Some("s1"),
        Some(TextRole::ExtendedDescriptor) => Some("x"),
        _ => None,
    };
    classes!("part", column, is_constant.then_some("imm"))
}

/// The text of an instruction: its operation, registers and branch targets are elements of their own,
/// and the operands of consecutive instructions are below each other.
fn instruction(cell: &Cell<'_>, text: &str, context: &InstructionContext<'_>) -> Html {
    let operation = cell.marks.first();
    // The first part is the opcode.
    let marks = cell.marks.iter().skip(1).map(format::mark);
    let Some(row) = context.row.filter(|row| !row.words.is_empty()) else {
        return html! { <span class="asm">{ escaped(text) }<>{ for marks }</></span> };
    };
    let (mut head, mut operands) = (Vec::new(), Vec::new());
    for word in &row.words {
        let (start, end) = (word.start as usize, word.end as usize);
        let at = start.to_string();
        let shown = text.get(start..end).unwrap_or("");
        let is_head = word.role.is_some_and(TextRole::is_head);
        let inner = match &word.kind {
            Some(TextPartKind::Operation) => html! {
                <b class={class_of(row.class)} title={operation.map(|mark| mark.doc.to_string())} data-part={at.clone()}>{ shown.to_owned() }</b>
            },
            Some(TextPartKind::Registers { writes, ranges }) => {
                registers(shown, word.name, *writes, ranges, context.lit)
            }
            Some(TextPartKind::Target(offset)) => target(*offset, context.of),
            Some(TextPartKind::Token { .. }) | None => {
                match shown.split_at_checked(word.name as usize) {
                    Some((name, rest)) if !name.is_empty() && !is_head => {
                        html! { <><b>{ name.to_owned() }</b>{ rest.to_owned() }</> }
                    }
                    _ => plain(shown),
                }
            }
        };
        if is_head {
            if !head.is_empty() {
                head.push(plain(" "));
            }
            head.push(match word.role {
                Some(TextRole::Operation) => inner,
                _ => html! { <span class="part" data-part={at}>{ inner }</span> },
            });
            continue;
        }
        if word.role == Some(TextRole::Options) && context.has_options {
            continue;
        }
        let is_constant = word.role.is_some() && word.name == 0;
        operands.push(plain(" "));
        operands.push(html! { <span class={operand_class(word.role, is_constant)} data-part={at}>{ inner }</span> });
    }
    let is_message = row.class == InstructionClass::Message;
    let title = match row.message.as_str() {
        "" => text.to_owned(),
        message => format!("{text} // {message}"),
    };
    html! {
        <span class={classes!("asm", is_message.then_some("message-of"))} title={title}>
            <span class="op">{ for head }</span>
            <>{ for operands }</>
            <>{ for marks }</>
            { notes(context) }
        </span>
    }
}

/// The relation to the selected instruction, and the loop that starts here.
fn notes(context: &InstructionContext<'_>) -> Html {
    html! { <>
        if context.has_related {
            <span class="note">{ context.related.map(data_flow::mark) }</span>
        }
        { context.fold.clone() }
        { context.loop_mark.clone() }
    </> }
}

/// What a message does: the bytes of scratch memory, or its operation.
fn message(context: &InstructionContext<'_>) -> Html {
    let row = context.row;
    let scratch = context.scratch;
    match scratch.and_then(|found| Some((found.role, found.place.as_ref()?))) {
        Some((role, place)) => html! { <>
            <b>{ format!("{} {}", role.name(), place.address) }</b>
            { " " }
            <i>{ format::size(place.bytes.into()) }</i>
        </> },
        None => row.map_or_else(Html::default, |row| plain(&escaped(&row.message))),
    }
}

/// The letter of a spill, a fill, or of what is no instruction.
pub(super) fn scratch_letter(row: &CodeRow) -> Html {
    let (class, letter, title) = match (row.scratch, row.class) {
        (Some(ScratchAccess::Store), _) => ("S", "S", "spill: writes scratch memory"),
        (Some(ScratchAccess::Load), _) => ("F", "F", "fill: reads scratch memory"),
        (None, InstructionClass::Illegal) => ("illegal", "!", "not a valid instruction"),
        (None, _) => return html! { <span class="letter" /> },
    };
    html! { <span class="letter"><b {class} {title}>{ letter }</b></span> }
}

/// An instruction without what is known besides: its operation and operands, without links.
pub(super) fn line(row: &CodeRow, text: &str) -> Html {
    let context = InstructionContext {
        row: Some(row),
        has_options: true,
        ..InstructionContext::default()
    };
    instruction(&Cell::empty(), text, &context)
}

/// The offset of an instruction, between the brackets of its loops and the letter of a spill or fill.
fn offset(offset: u64, context: &InstructionContext<'_>) -> Html {
    let loops = context.loops.clone();
    html! {
        <span class="at">
            <span class={classes!("loops", loops)} aria-hidden="true" />
            <span>{ format!("{offset:x}") }</span>
            { for context.row.map(scratch_letter) }
        </span>
    }
}

/// An operand with registers. It is marked where the pointer is at one of them, in whatever row.
fn registers(
    text: &str,
    name: u32,
    writes: bool,
    ranges: &[RegisterRange],
    lit: Option<Register>,
) -> Html {
    let lit = lit.map(range);
    let is_lit = lit.is_some_and(|lit| ranges.iter().any(|range| range.overlaps(lit)));
    let class = match (is_lit, writes) {
        (true, true) => "reg lit def",
        (true, false) => "reg lit",
        _ => "reg",
    };
    let (name, rest) = text.split_at_checked(name as usize).unwrap_or((text, ""));
    if name.is_empty() {
        return plain(rest);
    }
    let first = ranges.first().map(|first| register(*first).to_string());
    html! { <><b {class} data-reg={first}>{ name.to_owned() }</b>{ rest.to_owned() }</> }
}

/// The target of a link to the instruction at an offset of the code.
pub(super) fn offset_link(code: Span, offset: u32) -> Span {
    let to = code.start.saturating_add(offset.into());
    // Without bytes it is the instruction that is there.
    Span::new(code.source, to, to)
}

/// A branch target in the code, by its offset: a link to the instruction that is there.
fn target(offset: u32, of: Option<Span>) -> Html {
    let text = &format!("{offset:x}");
    let code = of.unwrap_or(Span::new(SourceId::FILE, 0, 0));
    let to = offset_link(code, offset);
    if code.contains_offset(to.start) {
        span_button("link", to, plain(text))
    } else {
        plain(text)
    }
}

/// A cell of an instruction; `None` for the default rendering.
pub(super) fn cell(id: &str, cell: &Cell<'_>, context: &InstructionContext<'_>) -> Option<Html> {
    let text = match &cell.value {
        CellValue::Hex(at) if id == "offset" => return Some(offset(*at, context)),
        CellValue::Text(text) => &**text,
        CellValue::Empty | CellValue::Absent => "",
        _ => return None,
    };
    Some(match id {
        "text" => instruction(cell, text, context),
        "label" => html! { <>
            if !text.is_empty() { <b class="label">{ format!("{text} ") }</b> }
            { for cell.marks.iter().map(format::mark) }
        </> },
        "source_text" => html! { <>
            { for cell.marks.iter().map(format::mark) }
            <span class="asm">{ escaped(text) }</span>
        </> },
        "comment" => {
            html! { <span class="message" title={escaped(text)}>{ notes(context) }<span>{ message(context) }</span></span> }
        }
        "waits" => {
            let row = context.row?;
            html! { <span class={classes!("swsb", row.is_compacted.then_some("compact"))}>{ row.options.clone() }</span> }
        }
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

/// The image and the code of the listing, each a choice. Code is named by its kernel: by the section
/// without `.text.`.
pub(super) fn place(session: &SessionContext, view: &View) -> Html {
    let here = session.clone();
    let on_image = Callback::from(move |event: Event| here.0.choose_image(&value_of(&event)));
    let here = session.clone();
    let on_section = Callback::from(move |event: Event| here.0.choose_code(&value_of(&event)));
    let list = view.lists.get(ListId::Instructions);
    let sections = view.code_sections().map(|report| &*report.sections);
    let is_shown = |span: &Span| list.query.of == Some(*span);
    html! { <>
        { images(view, ListId::Instructions, on_image) }
        <select class="code-section" aria-label="Code" onchange={on_section}>
            if sections.is_none() { <option>{ "…" }</option> }
            { for sections.unwrap_or_default().iter().enumerate().map(|(place, (name, span))| html! {
                <option key={place} value={place.to_string()} selected={is_shown(span)}>{ code_name(name) }</option>
            }) }
        </select>
    </> }
}

fn code_name(section: &str) -> String {
    escaped(section.strip_prefix(".text.").unwrap_or(section))
}

/// The encoding of the visible code.
pub(super) fn encoding(view: &View, onchange: Callback<Event>) -> Html {
    let list = view.lists.get(ListId::Instructions);
    let Some(report) = view.code_sections() else {
        return html! { <select aria-label="Encoding"><option>{ "…" }</option></select> };
    };
    let own = match &report.encoding {
        Some(name) => name.to_string(),
        None => "unknown encoding".to_owned(),
    };
    let chosen = list.query.encoding().map_or("", |name| &**name);
    let is_other = |name: &&crate::model::Str| Some(*name) != report.encoding.as_ref();
    html! {
        <select aria-label="Encoding" {onchange}>
            <option value="" selected={chosen.is_empty()}>{ own }</option>
            { for report.encodings.iter().filter(is_other).map(|name| html! {
                <option key={&**name} value={name.to_string()} selected={chosen == name}>{ name.to_string() }</option>
            }) }
        </select>
    }
}

/// Buttons that show only the instructions with an annotation.
pub(super) fn marked(view: &View, mix: &Mix, marks: &[&str]) -> Html {
    let filter = &view.lists.get(ListId::Instructions).query.filter;
    let all = [
        ("atomic", mix.atomics, "atomic", "atomics"),
        (
            "barrier",
            mix.barriers,
            "barrier message",
            "barrier messages",
        ),
        ("spill", mix.spills, "spill", "spills"),
        ("fill", mix.fills, "fill", "fills"),
        ("illegal", mix.illegal, "illegal word", "illegal words"),
    ];
    let all = all.into_iter();
    let shown = all.filter(|(mark, count, ..)| *count > 0 && marks.contains(mark));
    let button = shown.map(|(mark, count, one, many)| {
        let of_mark = format!("marks={mark}");
        let is_on = *filter == of_mark;
        let command = Command::FilterCode(of_mark);
        html! {
            <button type="button" class="btn2" aria-pressed={is_on.to_string()} title="Show only these in the listing, or all again"
                    data-command={command.to_string()}>{ format::counted(count, one, many) }</button>
        }
    });
    html! { <p class="marked">{ for button }</p> }
}

/// The size of code, its parts by kind, and its messages.
pub(super) fn about_code(view: &View, mix: &Mix) -> Html {
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
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    html! { <>
        <p>{ facts.join(" · ") }</p>
        { marked(view, mix, &["atomic", "barrier", "illegal"]) }
        { counts(mix) }
    </> }
}

/// How much of the code is counted.
pub(super) fn progress(report: &CodeReport) -> String {
    let all = report.of.len();
    format!(
        "counting: {}",
        format::percent(all.saturating_sub(report.left), all)
    )
}

/// Instructions by kind, and messages.
fn counts(mix: &Mix) -> Html {
    html! {
        <>
            <div class="mix">
                <table class="plain">
                    <caption>{ "Instructions by kind" }</caption>
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
                        <caption>{ "Messages" }</caption>
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
        </>
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

/// The whole text of the selected instruction, what its message does, and the functions that it is of.
pub(super) fn meaning(detail: &InstructionDetail) -> Html {
    let texts = detail.parts.iter().filter(|part| part.name != "message");
    let texts: Vec<String> = texts.map(|part| escaped(&part.text)).collect();
    html! { <>
        <p class="whole mono" title={detail.meaning.to_string()}>{ texts.join(" ") }</p>
        if !detail.comment.is_empty() { <p class="dim">{ escaped(&detail.comment) }</p> }
        { chain(&detail.frames) }
    </> }
}

/// Links of the selected instruction, by what they are to it.
pub(super) fn links(links: &[Xref]) -> Html {
    let groups = links.chunk_by(|one, next| one.why == next.why);
    html! {
        <dl class="related">
            { for groups.map(|group| html! { <>
                <dt>{ for group.first().map(|link| link.why.to_string()) }</dt>
                { for group.iter().map(|link| html! { <dd>{ span_button("link", link.to, shortened(&escaped(&link.label))) }</dd> }) }
            </> }) }
        </dl>
    }
}

/// The parts of the selected instruction, with their bits.
pub(super) fn parts(detail: &InstructionDetail, of: Span) -> Html {
    html! {
        <details class="bits">
            <summary>{ "Operands and bits" }</summary>
            <p class="dim">{ detail.meaning.to_string() }</p>
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
        </details>
    }
}
