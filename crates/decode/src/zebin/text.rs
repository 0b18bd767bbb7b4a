//! `.text.*`: machine code, split into functions and instructions, with assembly if the encoding of
//! the target device is known.
//!
//! The bytes after the end of a kernel are padding that the hardware may prefetch.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::dwarf::{Dwarf, Line};
use crate::elf::ElfFile;
use crate::elf::section::Section;
use crate::text::plural;
use zeview_core::model::sort;
use zeview_core::model::{Bits, Doc, Expand, Node, NodeKind, Rows, SourceId, Sources, Span, Value};
use zeview_isa::tables::Field;
use zeview_isa::{Decoder, FieldRead, Labels, Platform, WordIndex};

/// A range of a text section.
#[derive(Debug)]
struct Part {
    name: String,
    span: Span,
    entry: Option<Span>,
    code: bool,
}

/// The expander of a text section.
pub struct Code {
    parts: Vec<Part>,
    indices: OnceCell<HashMap<u64, WordIndex>>,
    /// The source line table.
    dwarf: Option<Rc<Dwarf>>,
    /// The section's index and start.
    section: u64,
    source: SourceId,
    start: u64,
    /// The instruction decoder.
    instructions: Rc<Instructions>,
}

/// The instruction decoder of a file, created when the first instruction is shown.
#[derive(Default)]
pub struct Instructions {
    platform: Option<Platform>,
    decoder: OnceCell<Rc<Decoder>>,
}

impl Instructions {
    /// Creates the decoder of a platform, or none if the encoding is unknown.
    pub fn new(platform: Option<Platform>) -> Instructions {
        Instructions {
            platform,
            decoder: OnceCell::new(),
        }
    }

    /// The platform, if the encoding is known.
    pub fn platform(&self) -> Option<Platform> {
        self.platform
    }

    /// The decoder, if the encoding is known.
    pub fn decoder(&self) -> Option<&Rc<Decoder>> {
        let platform = self.platform?;
        let make = || Decoder::of(platform);
        Some(self.decoder.get_or_init(make))
    }
}

const SECTION: u64 = 0;
/// Marks the item of an instruction; the other bits are its offset in the section.
const INSTRUCTION: u64 = 1 << 63;

const CODE_DOC: Doc = Doc::new(
    "Machine code of a kernel or function. An instruction has 16 bytes, or 8 if it is compacted.",
    "zebin ELF, ZE symbols",
);
const PREFETCH_DOC: Doc = Doc::new(
    "Zero bytes after the code, which the hardware may prefetch.",
    "IGC, zebin_builder.cpp",
);
const ENTRY_DOC: Doc = Doc::new(
    "The entry point, after the prologue that loads the payload.",
    "zebin ELF, ZE symbols",
);
const INSTRUCTION_DOC: Doc = Doc::new(
    "An instruction of 16 bytes, or of 8 if it is compacted (CmptCtrl, bit 29 of the first word).",
    "pti-gpu, GenBinaryDecoding",
);

const FIELD_DOC: Doc = Doc::new(
    "A field of the instruction. In a compacted instruction, tables expand it from the bits shown.",
    "IGA, GED",
);
const CUT_OFF_DOC: Doc = Doc::new("A truncated instruction at the end of the code.", "");

impl Code {
    /// Splits a section by its function symbols.
    pub fn new(
        file: &ElfFile,
        section: &Section,
        dwarf: Option<Rc<Dwarf>>,
        instructions: &Rc<Instructions>,
    ) -> Code {
        let names = file.symbol_table().map_or(0, |t| t.link);
        let whole = section.bytes;
        let mut parts: Vec<Part> = Vec::new();
        let symbols = file.symbols_of(section.index);
        let mut functions: Vec<_> = symbols
            .iter()
            .filter(|s| s.function && s.size > 0)
            .collect();
        sort::by_key(&mut functions, |s| s.value);
        let mut at = whole.start;
        for symbol in functions {
            let span = whole.subspan(symbol.value.saturating_sub(section.addr), symbol.size);
            // Overlapping functions would show bytes twice: the first one has them.
            if span.is_empty() || span.start < at {
                continue;
            }
            push_rest(&mut parts, Span::new(whole.source, at, span.start));
            at = span.end;
            parts.push(Part {
                name: file.name_in(names, symbol.name),
                span,
                entry: None,
                code: true,
            });
        }
        if parts.is_empty() {
            parts.push(Part {
                name: "code".to_owned(),
                span: whole,
                entry: None,
                code: true,
            });
        } else {
            push_rest(&mut parts, whole.skip(at - whole.start));
        }
        for entry in symbols.iter().filter(|s| !s.function) {
            // All entry points have this name, so the offset decides which function each belongs
            // to.
            if file.name_in(names, entry.name) == "_entry" {
                let place = whole.subspan(entry.value.saturating_sub(section.addr), 16);
                let part = parts
                    .iter_mut()
                    .find(|p| p.span.contains_offset(place.start) && p.code);
                if let Some(part) = part {
                    part.entry.get_or_insert(place);
                }
            }
        }
        // Most sections have one part, and a file may have a section for each of many kernels.
        parts.shrink_to_fit();
        Code {
            parts,
            indices: OnceCell::new(),
            dwarf,
            section: section.index,
            source: whole.source,
            start: whole.start,
            instructions: Rc::clone(instructions),
        }
    }

    /// The code of one kernel, without symbols.
    pub fn of_bytes(name: &str, code: Span, instructions: &Rc<Instructions>) -> Code {
        Code {
            parts: vec![Part {
                name: name.to_owned(),
                span: code,
                entry: None,
                code: true,
            }],
            indices: OnceCell::new(),
            dwarf: None,
            section: 0,
            source: code.source,
            start: code.start,
            instructions: Rc::clone(instructions),
        }
    }

    /// Number of rows of the section.
    pub fn len(&self) -> u64 {
        self.parts.len() as u64
    }

    /// The assembly of an instruction; branch targets are offsets in the section. Returns `None` if
    /// the encoding is unknown.
    fn assembly(&self, span: Span, sources: &Sources) -> Option<String> {
        let decoder = self.instructions.decoder()?;
        let bytes = sources.read_clamped(span).ok()?;
        let at = i32::try_from(span.start - self.start).ok()?;
        let mut line = String::new();
        decoder.format(&decoder.decode(&bytes)?, Labels::Names(at), &mut line);
        Some(line.trim().to_owned())
    }

    /// The fields of an instruction.
    fn fields(&self, offset: u64, sources: &Sources) -> Vec<Node> {
        let Some(decoder) = self.instructions.decoder() else {
            return Vec::new();
        };
        let word = Span::with_len(self.source, self.start.saturating_add(offset), 16);
        let bytes = sources.read_clamped(word);
        let decoded = bytes.ok().and_then(|bytes| {
            let code = bytes.first()? & 0x7f;
            Some((code, decoder.decode_fields(&bytes)?))
        });
        let Some((code, (instruction, reads))) = decoded else {
            return Vec::new();
        };
        let span = word.subspan(0, instruction.length.into());
        let field = |name: &'static str, bits: u128, value: Value| {
            let mut node = Node::field(name, value, span).doc(&FIELD_DOC);
            node.bits = Some(Bits::of(bits));
            node
        };
        let opcode = Value::hex(code.into(), 7).named(instruction.op.name());
        let mut fields = vec![field("Opcode", 0x7f, opcode)];
        let compacted = Value::decimal(u64::from(span.len() == 8), 1);
        fields.push(field("CmptCtrl", 1 << 29, compacted));
        let known = [Field::Opcode, Field::CmptCtrl];
        // Fields that compaction tables expand from no bits have no row.
        let is_shown = |read: &&FieldRead| read.bits != 0 && !known.contains(&read.field);
        for read in reads.iter().filter(is_shown) {
            let width = u8::try_from(read.bits.count_ones())
                .unwrap_or(128)
                .clamp(1, 64);
            let value = match width {
                0..=8 => Value::decimal(read.value.number, width),
                _ => Value::hex(read.value.number, width),
            };
            let value = match (read.value.meaning, read.value.invalid) {
                (Some(meaning), _) => value.named(meaning.name()),
                (None, true) => value.named("invalid"),
                (None, false) => value,
            };
            fields.push(field(read.field.name(), read.bits, value));
        }
        fields
    }

    fn part(&self, item: u64) -> Option<&Part> {
        self.parts.get(usize::try_from(item.checked_sub(1)?).ok()?)
    }

    fn index(&self, sources: &Sources, item: u64) -> Option<&WordIndex> {
        // A section has few parts: all are indexed when the first is opened.
        let all = self.indices.get_or_init(|| {
            let code = self.parts.iter().enumerate().filter(|(_, p)| p.code);
            code.map(|(i, p)| (i as u64 + 1, WordIndex::new(p.span, sources)))
                .collect()
        });
        all.get(&item)
    }

    fn part_node(&self, at: u64, part: &Part, out: &Rows<'_>) -> Node {
        if !part.code {
            let kind = NodeKind::Blob;
            return Node::new(kind, "prefetch padding", part.span)
                .value(Value::Bytes)
                .doc(&PREFETCH_DOC);
        }
        let mut node = Node::new(NodeKind::Table, part.name.clone(), part.span)
            .children(out.me, at + 1, None)
            .doc(&CODE_DOC);
        if let Some(entry) = part.entry {
            node = node.xref(
                "_entry",
                format!("+{:#x}", entry.start - part.span.start),
                entry,
            );
        }
        node
    }

    /// The rows before the instructions: facts about all of them.
    fn facts(&self, part: &Part, index: &WordIndex) -> Vec<Node> {
        let mut rows = vec![
            Node::derived(
                "instructions",
                Value::decimal(index.count() - index.padding(), 64),
            )
            .summary(match index.padding() {
                0 => format!("{} of them compacted", index.compacted()),
                padding => {
                    let words = plural(padding, "word");
                    format!(
                        "{} of them compacted; {words} of padding",
                        index.compacted()
                    )
                }
            }),
        ];
        if let Some(entry) = part.entry {
            rows.push(
                Node::derived("_entry", Value::hex(entry.start - part.span.start, 64))
                    .xref("starts at", "", entry)
                    .doc(&ENTRY_DOC),
            );
        }
        rows
    }
}

fn push_rest(parts: &mut Vec<Part>, span: Span) {
    if !span.is_empty() {
        parts.push(Part {
            name: String::new(),
            span,
            entry: None,
            code: false,
        });
    }
}

/// Number of whole instructions in a range of code.
pub fn instructions(code: Span, sources: &Sources) -> u64 {
    WordIndex::new(code, sources).count()
}

impl Expand for Code {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        if item == SECTION {
            return self.len();
        }
        if item & INSTRUCTION != 0 {
            return self.fields(item & !INSTRUCTION, sources).len() as u64;
        }
        let (Some(part), Some(index)) = (self.part(item), self.index(sources, item)) else {
            return 0;
        };
        let facts = self.facts(part, index).len() as u64;
        facts + index.count() + u64::from(!index.rest().is_empty())
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == SECTION {
            for at in range {
                if let Some(part) = self.part(at + 1) {
                    out.push(self.part_node(at, part, out));
                }
            }
            return;
        }
        let sources = out.sources;
        if item & INSTRUCTION != 0 {
            return out.push_range(self.fields(item & !INSTRUCTION, sources), range);
        }
        let (Some(part), Some(index)) = (self.part(item), self.index(sources, item)) else {
            return;
        };
        let line_of = |span: Span| {
            let dwarf = self.dwarf.as_ref()?;
            let line = dwarf.line_at(self.section, span.start - self.start, sources)?;
            (!line.place.is_empty()).then_some(line)
        };
        let facts = self.facts(part, index);
        let before = facts.len() as u64;
        for (i, fact) in facts.into_iter().enumerate() {
            if range.contains(&(i as u64)) {
                out.push(fact);
            }
        }
        let from = range.start.max(before) - before;
        let to = range.end.max(before) - before;
        let assembly = |span: Span| self.assembly(span, sources);
        push_instructions(
            index,
            part,
            self.instructions.platform().map(|_| self.start),
            from..to.min(index.count()),
            &line_of,
            &assembly,
            out,
        );
        if to > index.count() {
            out.push(
                Node::new(NodeKind::Blob, "truncated instruction", index.rest())
                    .value(Value::Bytes)
                    .doc(&CUT_OFF_DOC),
            );
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        if item == SECTION {
            return None;
        }
        if item & INSTRUCTION != 0 {
            // The item of the word itself.
            return Some(Vec::new());
        }
        let (part, index) = (self.part(item)?, self.index(sources, item)?);
        let before = self.facts(part, index).len() as u64;
        let number = index.row_at(offset, sources).unwrap_or(index.count());
        Some(vec![before + number])
    }
}

fn push_instructions(
    index: &WordIndex,
    part: &Part,
    fields_from: Option<u64>,
    range: Range<u64>,
    line_of: &dyn Fn(Span) -> Option<Line>,
    assembly: &dyn Fn(Span) -> Option<String>,
    out: &mut Rows<'_>,
) {
    index.walk(range, out.sources, &mut |_, span| {
        let name = format!("+{:#x}", span.start - part.span.start);
        let node = Node::new(NodeKind::Instruction, name, span)
            .value(Value::Bytes)
            .doc(&INSTRUCTION_DOC);
        let text = assembly(span).or_else(|| (span.len() == 8).then(|| "compacted".into()));
        let line = line_of(span);
        let words = text.as_deref().into_iter();
        let words = words.chain(line.as_ref().map(|line| line.place.as_str()));
        let words: Vec<&str> = words.collect();
        let node = match fields_from {
            Some(start) => node.children(out.me, INSTRUCTION | (span.start - start), None),
            None => node,
        };
        let node = if words.is_empty() {
            node
        } else {
            node.summary(words.join(", "))
        };
        out.push(match line {
            Some(line) => node.xref("source", line.place, line.span),
            None => node,
        });
        true
    });
}

/// `2 functions`. Returns `None` if the section contains one kernel.
pub fn summary(code: &Code) -> Option<String> {
    let functions = code.parts.iter().filter(|p| p.code).count() as u64;
    (functions > 1).then(|| plural(functions, "function"))
}
