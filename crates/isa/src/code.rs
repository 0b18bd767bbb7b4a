//! The instructions of a code section as list rows.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use super::cfg::{Cfg, index};
use super::dataflow::{Access, DataFlow, Footprint, Role};
use super::format::Labels;
use super::index::WordIndex;
use super::instruction::{OperandKind, Options, Scoreboard};
use super::operand_text::push_label;
use super::pattern::Patterns;
use super::shape::shapes;
use super::tally::CodeTally;
use super::windows::for_each_word;
use super::words::{
    MessageEffect, PADDING, class, is_padding, kind, marks, meaning, message_text, operand_meaning,
    remarks,
};
use super::{Blocks, Decoder, Instruction, format, message, targets};
use crate::limits;
use foldhash::HashMap;
use zeview_core::analysis::assembly::{
    ClassCount, InstructionClass, Line, Listing, Part, RegisterRange, ScratchAccess, Shapes, Tally,
    TextPart, TextPartKind, TextRole, WordClass,
};
use zeview_core::analysis::blocks::BlockGraph;
use zeview_core::analysis::data_flow::Flows;
use zeview_core::analysis::kernel_inputs::InputReader;
use zeview_core::model::{Bits, Sources, Span, Str, sort};

/// The instructions of a code section.
pub struct Code {
    decoder: Option<Rc<Decoder>>,
    code: Span,
    index: WordIndex,
    blocks: OnceCell<Blocks>,
    cfg: OnceCell<Cfg>,
    drawn: OnceCell<Rc<BlockGraph>>,
    data_flow: OnceCell<Option<Rc<DataFlow>>>,
    inputs: Option<Rc<InputReader>>,
    /// The most recent row: a list asks for its cells one by one.
    last: RefCell<Option<Rc<Row>>>,
    /// Number of decoded rows.
    decoded: Cell<u64>,
}

/// A decoded row.
struct Row {
    number: u32,
    /// The offset in the code.
    at: i32,
    is_padding: bool,
    instruction: Instruction,
    /// The assembler's text with the comment, and its parts.
    text: String,
    parts: Vec<format::Part>,
    line: OnceCell<Rc<Line>>,
}

impl Row {
    fn part(&self, wanted: TextRole) -> &str {
        let part = self.parts.iter().find(|part| part.kind == wanted);
        let text = part.and_then(|part| self.text.get(part.text.clone()));
        text.unwrap_or_default()
    }
}

impl Code {
    /// Finds the instructions of the code without decoding them.
    #[must_use]
    pub fn new(decoder: Option<Rc<Decoder>>, code: Span, sources: &Sources) -> Code {
        Code {
            decoder,
            code,
            index: WordIndex::new(code, sources),
            blocks: OnceCell::new(),
            cfg: OnceCell::new(),
            drawn: OnceCell::new(),
            data_flow: OnceCell::new(),
            inputs: None,
            last: RefCell::default(),
            decoded: Cell::new(0),
        }
    }

    /// Adds the source of the values that the code starts with, for its data flow.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Rc<InputReader>) -> Code {
        self.inputs = Some(inputs);
        self
    }

    /// Returns where blocks start and end; found on first use.
    fn found_blocks(&self, sources: &Sources) -> &Blocks {
        self.blocks.get_or_init(|| {
            let decoder = self.decoder.as_ref();
            decoder.map_or_else(Blocks::default, |decoder| {
                Blocks::read(decoder, self.code, sources)
            })
        })
    }

    /// Returns the control-flow graph; computed on first use.
    fn cfg(&self, sources: &Sources) -> &Cfg {
        self.cfg.get_or_init(|| {
            Cfg::new(self.found_blocks(sources), limits::BLOCKS, &mut |f| {
                for_each_word(sources, self.code, f);
            })
        })
    }

    /// Returns the offset of an instruction in the code.
    fn offset(&self, span: Span) -> Option<i32> {
        i32::try_from(span.start - self.code.start).ok()
    }

    /// Decodes a row. All that a list shows of it is made from the result.
    fn row(&self, number: u32, sources: &Sources) -> Option<Rc<Row>> {
        if let Some(row) = &*self.last.borrow()
            && row.number == number
        {
            return Some(Rc::clone(row));
        }
        let span = self.span(number, sources)?;
        let bytes = sources.read(span).ok()?;
        let decoder = self.decoder.as_ref()?;
        let (at, instruction) = (self.offset(span)?, decoder.decode(&bytes)?);
        self.decoded.set(self.decoded.get() + 1);
        let mut text = String::new();
        let parts = decoder.format_parts(&instruction, Labels::Names(at), &mut text);
        let row = Rc::new(Row {
            number,
            at,
            is_padding: is_padding(&bytes),
            instruction,
            text,
            parts,
            line: OnceCell::new(),
        });
        *self.last.borrow_mut() = Some(Rc::clone(&row));
        Some(row)
    }

    fn make_line(&self, row: &Row, decoder: &Decoder, sources: &Sources) -> Line {
        let instruction = &row.instruction;
        let sent = instruction.message.as_ref();
        let (mut message, mut message_name) = (String::new(), String::new());
        if let Some(sent) = sent {
            message::identity(decoder.encoding.rank, sent, &mut message);
            message::name(decoder.encoding.rank, sent, &mut message_name);
        }
        let text = row.text.split(" // ").next().unwrap_or_default();
        Line {
            label: self.label(row.number, row.at, sources),
            text: text.trim_end().to_owned(),
            message_name,
            mnemonic: instruction.op.name(),
            operation: row.part(TextRole::Operation).to_owned(),
            meaning: match (row.is_padding, sent.and_then(message_text)) {
                (true, _) => "Zero bytes after the code, which the hardware may prefetch.".into(),
                (false, Some(words)) => words.into(),
                (false, None) => meaning(instruction).into(),
            },
            kind: if row.is_padding {
                PADDING
            } else {
                kind(instruction)
            },
            targets: targets(instruction, row.at).collect(),
            marks: if row.is_padding {
                Vec::new()
            } else {
                marks(instruction)
            },
            waits: waits(&instruction.scoreboard),
            options: options(instruction),
            is_compacted: instruction.options.has(Options::COMPACTED),
            class: if row.is_padding {
                InstructionClass::Synchronization
            } else {
                class(instruction)
            },
            scratch: scratch(instruction),
            message,
            comment: row.part(TextRole::Comment).to_owned(),
        }
    }

    /// Returns the label before an instruction: a jump target after the previous instruction and up
    /// to this one.
    fn label(&self, row: u32, at: i32, sources: &Sources) -> String {
        let starts = self.found_blocks(sources).starts();
        let after = starts.partition_point(|start| *start <= at);
        let start = after.checked_sub(1).and_then(|place| starts.get(place));
        let before = row
            .checked_sub(1)
            .and_then(|row| self.offset(self.span(row, sources)?));
        let mut out = String::new();
        if let Some(start) = start
            && before.is_none_or(|before| *start > before)
        {
            push_label(&mut out, *start);
        }
        out
    }
}

/// Formats the scoreboard options.
fn waits(scoreboard: &Scoreboard) -> String {
    let mut out = String::new();
    if let Some((pipe, distance)) = scoreboard.distance {
        out = format!("{pipe}@{distance}");
    }
    if let Some((token, wait)) = scoreboard.token {
        let comma = if out.is_empty() { "" } else { "," };
        out.push_str(&format!("{comma}${token}{wait}"));
    }
    out
}

/// Formats all options but the compaction.
fn options(i: &Instruction) -> String {
    let names = Options::NAMES.iter().zip(0_u32..);
    let set = names.filter(|(_, at)| i.options.0 >> at & 1 == 1 && 1 << at != Options::COMPACTED);
    let mut words: Vec<String> = set
        .map(|(name, at)| match 1 << at {
            Options::ATOMIC => "At".to_owned(),
            _ => (*name).to_owned(),
        })
        .collect();
    if i.scoreboard.no_acc_sb_set {
        words.push("NoAccSBSet".to_owned());
    }
    let waits = waits(&i.scoreboard);
    if !waits.is_empty() {
        words.push(waits);
    }
    if words.is_empty() {
        return String::new();
    }
    format!("{{{}}}", words.join(","))
}

/// The access of a message to scratch memory.
fn scratch(i: &Instruction) -> Option<ScratchAccess> {
    remarks(i).find_map(|effect| match effect {
        MessageEffect::Spill => Some(ScratchAccess::Store),
        MessageEffect::Fill => Some(ScratchAccess::Load),
        _ => None,
    })
}

/// The length of an operand's name in its text: region and type follow it. 0 for a constant.
fn name_length(i: &Instruction, kind: TextRole, text: &str) -> usize {
    let operand = match kind {
        TextRole::Destination => i.destination.map(|operand| operand.kind),
        TextRole::Source(at) => i.sources.get(usize::from(at)).map(|operand| operand.kind),
        TextRole::Flag | TextRole::Predicate | TextRole::Operation => return text.len(),
        // A descriptor in a register, possibly behind an offset.
        TextRole::ExtendedDescriptor | TextRole::Descriptor if text.starts_with('a') => {
            return text.len();
        }
        _ => return 0,
    };
    match operand {
        Some(OperandKind::Immediate(_)) => 0,
        // The number behind the colon is that of registers.
        _ if i.kind.is_send() => text.len(),
        _ => text.find(['<', ':']).unwrap_or(text.len()),
    }
}

impl Listing for Code {
    fn code(&self) -> Span {
        self.code
    }

    fn encoding(&self) -> Option<Str> {
        let decoder = self.decoder.as_ref()?;
        Some(decoder.platform.name().into())
    }

    fn count(&self) -> u32 {
        u32::try_from(self.index.count()).unwrap_or(u32::MAX)
    }

    fn span(&self, row: u32, sources: &Sources) -> Option<Span> {
        self.index.span(row.into(), sources)
    }

    fn row_at(&self, offset: u64, sources: &Sources) -> Option<u32> {
        if self.index.rest().contains_offset(offset) {
            return self.count().checked_sub(1);
        }
        u32::try_from(self.index.row_at(offset, sources)?).ok()
    }

    fn line(&self, row: u32, sources: &Sources) -> Option<Rc<Line>> {
        let (row, decoder) = (self.row(row, sources)?, self.decoder.as_ref()?);
        let make = || Rc::new(self.make_line(&row, decoder, sources));
        Some(Rc::clone(row.line.get_or_init(make)))
    }

    fn parts(&self, row: u32, sources: &Sources) -> Vec<Part> {
        // Only the selected row needs the bits of its parts.
        let detailed = self.span(row, sources).and_then(|span| {
            let decoder = self.decoder.as_ref()?;
            let bytes = sources.read_clamped(span).ok()?;
            let (instruction, _) = decoder.decode_fields(&bytes)?;
            Some((decoder, instruction, self.offset(span)?))
        });
        let Some((decoder, instruction, at)) = detailed else {
            return Vec::new();
        };
        let mut text = String::new();
        let parts = decoder.format_parts(&instruction, Labels::Names(at), &mut text);
        let parts = parts.into_iter().map(|part| Part {
            name: name(part.kind),
            at: u32::try_from(part.text.start).unwrap_or(u32::MAX),
            text: text.get(part.text).unwrap_or_default().trim().to_owned(),
            bits: Bits::of(part.bits),
            meaning: match part.kind {
                TextRole::Operation => meaning(&instruction).into(),
                kind => operand_meaning(&instruction, kind).into(),
            },
        });
        parts.collect()
    }

    fn blocks(&self, sources: &Sources) -> Rc<BlockGraph> {
        let graph = || Rc::new(self.cfg(sources).draw(self.code));
        Rc::clone(self.drawn.get_or_init(graph))
    }

    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart> {
        let (Some(row), Some(decoder)) = (self.row(row, sources), &self.decoder) else {
            return Vec::new();
        };
        let (instruction, text, at) = (&row.instruction, &row.text, row.at);
        let footprint = Footprint::of(decoder.encoding, instruction);
        let part = |part: &format::Part| {
            let source = match part.kind {
                TextRole::Source(at) => instruction.sources.get(usize::from(at)),
                _ => None,
            };
            let kind = match (part.kind, source.map(|source| source.kind)) {
                (TextRole::Operation, _) => Some(TextPartKind::Operation),
                (_, Some(OperandKind::Label(offset))) => {
                    let target = at.checked_add(offset);
                    target.and_then(|to| Some(TextPartKind::Target(u32::try_from(to).ok()?)))
                }
                (kind, _) => registers(kind, &footprint.accesses),
            };
            // The columns of a listing are filled with blanks.
            let of = text.get(part.text.clone())?;
            let start = part.text.start + (of.len() - of.trim_start().len());
            let name = name_length(instruction, part.kind, of.trim());
            Some(TextPart {
                start: u32::try_from(start).ok()?,
                end: u32::try_from(start + of.trim().len()).ok()?,
                name: u32::try_from(name).ok()?,
                role: part.kind,
                kind,
            })
        };
        let own = row
            .parts
            .iter()
            .filter(|part| part.kind != TextRole::Comment);
        let parts = own.filter_map(part);
        let mut parts: Vec<TextPart> = parts.filter(|part| part.start < part.end).collect();
        sort::by_key(&mut parts, |part| part.start);
        parts
    }

    fn data_flow(&self, sources: &Sources) -> Option<Rc<dyn Flows>> {
        let flow = self.data_flow.get_or_init(|| {
            let decoder = self.decoder.as_ref()?;
            // Code beyond the limit is not analyzed; an instruction of it shows that there is more.
            let most = (limits::DATA_FLOW_ROWS as u64 + 1) * 16;
            let code = sources.read_clamped(self.code.subspan(0, most)).ok()?;
            let cfg = self.cfg(sources);
            let is_short = index(self.count()) <= limits::DATA_FLOW_ROWS && cfg.rest.is_none();
            let decoder = Rc::clone(decoder);
            let flow = if is_short {
                DataFlow::with_cfg(decoder, Rc::from(&*code), cfg)
            } else {
                DataFlow::new(decoder, &*code)
            };
            let inputs = self.inputs.as_ref();
            let inputs = inputs.map(|inputs| Rc::new(inputs.read(self.code, sources)));
            Some(Rc::new(flow.with_inputs(inputs.unwrap_or_default())))
        });
        let flow = Rc::clone(flow.as_ref()?);
        Some(flow)
    }

    fn text(&self, sources: &Sources, limit: usize) -> Result<String, String> {
        const TOO_LONG: &str =
            "This code is too long to copy. Use the command line: zeview disasm.";
        let decoder = self.decoder.as_ref().ok_or("The encoding is not known.")?;
        // A line takes about ten times the bytes of an instruction.
        if self.code.len() > limit as u64 {
            return Err(TOO_LONG.to_owned());
        }
        let bytes = sources.read(self.code).map_err(|error| error.to_string())?;
        let (mut out, mut rest) = (String::new(), String::new());
        let mut prefix = |_, _, _: &mut String| {};
        decoder.list(
            &bytes,
            Some(self.found_blocks(sources)),
            &mut prefix,
            &mut rest,
            &mut |text| {
                out.push_str(text);
                text.clear();
                out.len() <= limit
            },
        );
        if out.len() > limit {
            Err(TOO_LONG.to_owned())
        } else {
            Ok(out)
        }
    }

    fn shapes(&self, renumbered: bool, sources: &Sources, to: &mut dyn Shapes) {
        shapes(self.decoder.as_deref(), self.code, renumbered, sources, to);
    }

    fn classes(&self, sources: &Sources) -> Vec<ClassCount> {
        let mut found: Vec<ClassCount> = Vec::new();
        // The index of each class in `found`, by its address.
        let mut known: HashMap<*const WordClass, usize> = HashMap::default();
        self.each_class(sources, &mut |row, first, class| {
            let at = *known.entry(Rc::as_ptr(class)).or_insert(found.len());
            match found.get_mut(at) {
                Some(found) => found.count = found.count.saturating_add(1),
                None => found.push(ClassCount {
                    class: Rc::clone(class),
                    count: 1,
                    row,
                    first,
                }),
            }
            true
        });
        found
    }

    fn each_class(&self, sources: &Sources, to: &mut dyn FnMut(u32, Span, &Rc<WordClass>) -> bool) {
        let Some(decoder) = self.decoder.as_deref() else {
            return;
        };
        Patterns::of(decoder.platform, |patterns| {
            let mut row = 0_u32;
            for_each_word(sources, self.code, &mut |at, word| {
                let class = if is_padding(word) {
                    Some(patterns.names.padding())
                } else {
                    let class = decoder.class(word, patterns);
                    class.and_then(|class| patterns.names.class(class))
                };
                let span = self.code.subspan(at, word.len() as u64);
                let goes_on = class.is_none_or(|class| to(row, span, class));
                row = row.saturating_add(1);
                goes_on
            });
        });
    }

    fn tally(&self, sources: &Sources) -> Box<dyn Tally> {
        let blocks = self.blocks(sources);
        Box::new(CodeTally::new(self.decoder.clone(), self.code, &blocks))
    }
}

/// The registers of the operand that a part of the text names. Returns `None` if there are none.
fn registers(kind: TextRole, accesses: &[Access]) -> Option<TextPartKind> {
    let role = match kind {
        TextRole::Destination => Role::Destination,
        TextRole::Source(at) => Role::Source(at),
        TextRole::Flag => Role::FlagWrite,
        TextRole::Predicate => Role::Predicate,
        TextRole::Descriptor | TextRole::ExtendedDescriptor => Role::Descriptor,
        _ => return None,
    };
    let mut ranges: Vec<RegisterRange> = Vec::new();
    for access in accesses.iter().filter(|access| access.role == role) {
        for (file, number, _) in access.bytes.registers() {
            let file = file as u8;
            match ranges.last_mut() {
                Some(range) if range.file == file && range.last.checked_add(1) == Some(number) => {
                    range.last = number;
                }
                _ => ranges.push(RegisterRange {
                    file,
                    first: number,
                    last: number,
                }),
            }
        }
    }
    (!ranges.is_empty()).then(|| TextPartKind::Registers {
        writes: role.writes(),
        ranges,
    })
}

/// Returns the title of a part.
fn name(kind: TextRole) -> Str {
    match kind {
        TextRole::Predicate => "mask and predicate".into(),
        TextRole::Operation => "operation".into(),
        TextRole::Execution => "execution size".into(),
        TextRole::Flag => "flag".into(),
        TextRole::Destination => "destination".into(),
        TextRole::Source(number) => format!("source {number}").into(),
        TextRole::ExtendedDescriptor => "extended descriptor".into(),
        TextRole::Descriptor => "descriptor".into(),
        TextRole::Options => "options".into(),
        TextRole::Comment => "message".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Platform;
    use zeview_core::model::{MemorySource, SourceId};

    #[test]
    fn a_row_is_decoded_once() {
        const WORDS: u32 = 100;
        // A `mov`.
        let bytes = 0x61_u128.to_le_bytes().repeat(100);
        let code = Span::with_len(SourceId::FILE, 0, bytes.len() as u64);
        let sources = Sources::new("code", Box::new(MemorySource::from(bytes)));
        let code = Code::new(Some(Decoder::of(Platform::Xe2)), code, &sources);
        assert_eq!(code.count(), WORDS);
        for row in 0..WORDS {
            let line = code.line(row, &sources).unwrap();
            let parts = code.text_parts(row, &sources);
            assert!(Rc::ptr_eq(&line, &code.line(row, &sources).unwrap()));
            assert_eq!(parts, code.text_parts(row, &sources));
        }
        assert_eq!(code.decoded.get(), u64::from(WORDS));
    }
}
