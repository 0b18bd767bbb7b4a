//! A SPIR-V module with instructions that are decoded on demand.
//!
//! One pass over the first words of the instructions finds where they start and which of them
//! define ids. The contents of an instruction are read each time it is shown. Opcodes that are not
//! in the grammar are shown as raw words. The pass ends at a word count that is 0 or extends past
//! the end; the remaining bytes form a single node.

use std::collections::HashMap;
use std::ops::Range;

use super::grammar::{self, Grammar, Import, Kind};
use super::opcodes::{OP_EXT_INST_IMPORT, OP_NAME, OP_TYPE_FLOAT, OP_TYPE_INT};
use super::operands::{Definitions, Number, NumberForm, Piece, walk};
use super::overview::Overview;
use super::words::text;
use super::{Header, instruction, order};
use crate::reader::Endian;
use crate::{limits, raw};
use zeview_core::model::{
    Bytes, Doc, Expand, ExpanderId, Node, NodeKind, Rows, Sources, Span, Value,
};

/// A SPIR-V module.
pub(super) struct Module {
    span: Span,
    /// Empty if they exceed [`limits::DEEP`] or cannot be read.
    bytes: Bytes,
    endian: Endian,
    /// The first word of each instruction.
    starts: Vec<u32>,
    /// The word after the last whole instruction.
    end: u32,
    /// The instruction that defines an id.
    definitions: HashMap<u32, u32>,
    /// The OpName of an id.
    names: HashMap<u32, u32>,
    overview: Overview,
}

/// The item of the module itself.
pub(super) const TOP: u64 = 0;
const HEADER: u64 = 1;
const INSTRUCTIONS: u64 = 2;
/// A group of the overview.
const GROUP: u64 = 0x100;
/// An instruction.
const INSTRUCTION: u64 = 1 << 32;

const HEADER_WORDS: u32 = 5;

const HEADER_DOC: Doc = Doc {
    text: "The magic number, version, generator and id bound of the module.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const CUT_HEADER_DOC: Doc = Doc {
    text: "The module is shorter than its header of five words.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const INSTRUCTIONS_DOC: Doc = Doc {
    text: "The instructions of the module, in 32-bit words. The low 16 bits of the first word are the opcode, the high 16 bits the word count.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const REST_DOC: Doc = Doc {
    text: "Not an instruction: the word count is 0, or extends past the end of the module.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};

impl Module {
    /// Reads the module at `span`.
    pub(super) fn read(sources: &Sources, span: Span) -> Module {
        let bytes = if span.len() <= limits::DEEP {
            sources.read(span).ok()
        } else {
            None
        };
        let bytes = bytes.unwrap_or_else(|| Bytes::from(Vec::new()));
        let endian = order(&bytes).unwrap_or_default();
        let mut module = Module {
            span,
            bytes,
            endian,
            starts: Vec::new(),
            end: HEADER_WORDS,
            definitions: HashMap::new(),
            names: HashMap::new(),
            overview: Overview::default(),
        };
        module.walk();
        module
    }

    fn walk(&mut self) {
        let total = u32::try_from(self.bytes.len() / 4).unwrap_or(u32::MAX);
        let mut at = HEADER_WORDS;
        while let Some(first) = self.word(at) {
            let (opcode, count) = split(first);
            let end = at.saturating_add(count.into());
            if count == 0 || end > total {
                break;
            }
            let number = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
            self.starts.push(at);
            let grammar = grammar::instruction(opcode);
            let result = grammar.and_then(result_at).filter(|i| *i < count.into());
            if let Some(id) = result.and_then(|i| self.word(at + i)) {
                self.definitions.entry(id).or_insert(number);
            }
            if opcode == OP_NAME
                && count > 1
                && let Some(id) = self.word(at + 1)
            {
                self.names.entry(id).or_insert(number);
            }
            self.overview.note(opcode, number);
            at = end;
        }
        self.end = at.min(total.max(HEADER_WORDS));
    }

    /// Returns a word of the module.
    pub(super) fn word(&self, at: u32) -> Option<u32> {
        let from = usize::try_from(at).ok()?.checked_mul(4)?;
        let bytes: [u8; 4] = self
            .bytes
            .get(from..from.checked_add(4)?)?
            .try_into()
            .ok()?;
        Some(match self.endian {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        })
    }

    fn span(&self, words: Range<u32>) -> Span {
        let len = self.bytes.len() as u64;
        let at = |word: u32| (u64::from(word) * 4).min(len);
        let (start, end) = (at(words.start), at(words.end));
        self.span.subspan(start, end.saturating_sub(start))
    }

    /// Returns the instruction with a number, if there is one.
    pub(super) fn instruction(&self, number: u32) -> Option<Instruction> {
        let mut instruction = Instruction::default();
        self.read_instruction(number, &mut instruction)
            .then_some(instruction)
    }

    /// Reads the instruction with a number. Returns whether there is one.
    pub(super) fn read_instruction(&self, number: u32, into: &mut Instruction) -> bool {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let Some((at, first)) = self
            .starts
            .get(place)
            .and_then(|at| Some((*at, self.word(*at)?)))
        else {
            return false;
        };
        let (opcode, count) = split(first);
        let words = at..at.saturating_add(count.into());
        into.opcode = opcode;
        into.grammar = grammar::instruction(opcode);
        into.words.clear();
        into.words
            .extend(words.clone().map_while(|at| self.word(at)));
        into.span = self.span(words);
        true
    }

    /// Returns the opcode of the instruction with a number.
    pub(super) fn opcode(&self, number: u32) -> Option<u16> {
        let at = *self.starts.get(usize::try_from(number).ok()?)?;
        self.word(at).map(|first| split(first).0)
    }

    /// Whether a word of an instruction after the first has a value.
    pub(super) fn has_word(&self, number: u32, value: u32) -> bool {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let Some(at) = self.starts.get(place) else {
            return false;
        };
        let count = self.word(*at).map_or(0, |first| split(first).1);
        let end = at.saturating_add(count.into());
        (at.saturating_add(1)..end).any(|at| self.word(at) == Some(value))
    }

    /// Returns the number of the instruction that defines an id.
    pub(super) fn definition_number(&self, id: u32) -> Option<u32> {
        self.definitions.get(&id).copied()
    }

    /// Returns the index of the word after the last whole instruction.
    pub(super) fn end_word(&self) -> u32 {
        self.end
    }

    /// Returns the bytes of the instruction with a number.
    pub(super) fn instruction_span(&self, number: u32) -> Option<Span> {
        let at = *self.starts.get(usize::try_from(number).ok()?)?;
        let (_, count) = split(self.word(at)?);
        Some(self.span(at..at.saturating_add(count.into())))
    }

    /// Returns the number of the last instruction that starts at or before an offset of the source.
    pub(super) fn number_at(&self, offset: u64) -> Option<u32> {
        let word = u32::try_from(offset.checked_sub(self.span.start)? / 4).ok()?;
        let after = self.starts.partition_point(|start| *start <= word);
        u32::try_from(after.checked_sub(1)?).ok()
    }

    /// Returns the number of instructions.
    pub(super) fn instructions(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the number of words of the module.
    pub(super) fn words(&self) -> u32 {
        u32::try_from(self.bytes.len() / 4).unwrap_or(u32::MAX)
    }

    /// Returns a word of the header and its bytes.
    pub(super) fn header_word(&self, at: u32) -> Option<(u32, Span)> {
        let word = self.word(at).filter(|_| at < HEADER_WORDS)?;
        Some((word, self.span(at..at + 1)))
    }

    /// Returns the bytes that are not part of a whole header or of an instruction.
    pub(super) fn rest(&self) -> Span {
        let header = self.words().min(HEADER_WORDS);
        let end = if header < HEADER_WORDS {
            header
        } else {
            self.end
        };
        self.span.skip(u64::from(end) * 4)
    }

    /// Returns the numbers of the instructions OpFunction.
    pub(super) fn functions(&self) -> &[u32] {
        self.overview.functions()
    }

    /// Returns the instruction that defines an id.
    pub(super) fn definition(&self, id: u32) -> Option<(u32, Instruction)> {
        let number = *self.definitions.get(&id)?;
        Some((number, self.instruction(number)?))
    }

    /// Returns the debug name of an id. Shortens long ones, as many instructions may refer to them.
    pub(super) fn name(&self, id: u32) -> Option<String> {
        const NAME_WORDS: u32 = 64;
        let number = usize::try_from(*self.names.get(&id)?).ok()?;
        let at = *self.starts.get(number)?;
        let (_, count) = split(self.word(at)?);
        // The opcode and the id precede it.
        let words = (2..u32::from(count).min(NAME_WORDS + 2)).map_while(|i| self.word(at + i));
        // SPIR-V, 2.2.1: the first byte is the lowest of the word, in either byte order of the
        // module.
        let bytes = words.flat_map(u32::to_le_bytes);
        let name: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        let mut text = String::from_utf8_lossy(&name).into_owned();
        if name.len() == 4 * NAME_WORDS as usize {
            // The last character may be truncated.
            text.pop();
            text.push('…');
        }
        (!text.is_empty()).then_some(text)
    }

    /// Returns the operands of an instruction.
    pub(super) fn operands(&self, instruction: &Instruction) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // Words that do not match the grammar are a piece as well.
        let _ = walk(instruction.grammar, &instruction.words, self, &mut pieces);
        pieces
    }

    /// Returns the extended instruction of OpExtInst with a number.
    pub(super) fn extended(&self, instruction: &Instruction, number: u32) -> Option<Grammar> {
        // The type, the result and the set precede the number.
        let set = *instruction.words.get(3)?;
        self.import(set)?.instruction(number)
    }

    /// Returns the byte order.
    pub(super) fn endian(&self) -> Endian {
        self.endian
    }

    fn count_of_instructions(&self) -> u64 {
        self.starts.len() as u64
    }

    /// Returns the rows of the module.
    fn parts(&self) -> Vec<Node> {
        if self.span.len() > limits::DEEP {
            return vec![raw::too_large(self.span)];
        }
        let header = self.span(0..HEADER_WORDS);
        let mut rows = Vec::new();
        if header.len() < Header::SIZE {
            let node = Node::new(NodeKind::Blob, "truncated header", header).value(Value::Bytes);
            rows.push(node.doc(&CUT_HEADER_DOC));
            return rows;
        }
        rows.push(lazy(
            Node::new(NodeKind::Record, "header", header).doc(&HEADER_DOC),
            HEADER,
            Header::COUNT,
        ));
        for (group, count) in self.overview.groups() {
            rows.push(lazy(
                Node::derived(group.title(), Value::None).summary(count.to_string()),
                GROUP + group.index(),
                count,
            ));
        }
        let count = self.count_of_instructions();
        if count > 0 {
            let words = self.span(HEADER_WORDS..self.end);
            let node = Node::new(NodeKind::Table, "instructions", words)
                .summary(count.to_string())
                .doc(&INSTRUCTIONS_DOC);
            rows.push(lazy(node, INSTRUCTIONS, count));
        }
        let end = self.span(0..self.end).len();
        let rest = self
            .span
            .subspan(end, (self.bytes.len() as u64).saturating_sub(end));
        if !rest.is_empty() {
            let node = Node::new(NodeKind::Blob, "not an instruction", rest).value(Value::Bytes);
            rows.push(node.doc(&REST_DOC));
        }
        rows
    }

    fn header_nodes(&self) -> Vec<Node> {
        let rows = (0u32..).zip(Header::FIELDS).map(|(i, field)| {
            let raw = self.word(i).unwrap_or(0);
            let node = field.row(raw.into(), self.span(0..HEADER_WORDS));
            match field.name {
                "version" => node.summary(format!("{}.{}", (raw >> 16) & 0xff, (raw >> 8) & 0xff)),
                "generator" => match grammar::generator(split(raw).1) {
                    Some(name) => node.summary(format!("{name}, version {}", raw & 0xffff)),
                    None => node,
                },
                _ => node,
            }
        });
        rows.collect()
    }
}

/// Makes a node with children.
pub(super) fn lazy(node: Node, item: u64, count: u64) -> Node {
    node.children(ExpanderId::SELF, item, Some(count))
}

/// Returns the opcode and the word count of an instruction's first word.
pub(super) fn split(first: u32) -> (u16, u16) {
    let [a, b, c, d] = first.to_le_bytes();
    (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]))
}

/// Returns the index of the word with the result id.
pub(super) fn result_at(grammar: Grammar) -> Option<u32> {
    let place = grammar
        .operands
        .iter()
        // Only the type of the result can precede it.
        .take(2)
        .position(|operand| operand.kind == Kind::Result)?;
    u32::try_from(place + 1).ok()
}

/// An instruction with its words.
#[derive(Default)]
pub(super) struct Instruction {
    /// Its operation.
    pub(super) opcode: u16,
    /// Its grammar.
    pub(super) grammar: Option<Grammar>,
    /// Its words, including the first.
    pub(super) words: Vec<u32>,
    /// Its bytes.
    pub(super) span: Span,
}

impl Definitions for Module {
    fn number(&self, id: u32) -> Option<Number> {
        let (_, ty) = self.definition(id)?;
        let bits = *ty.words.get(2)?;
        let form = match ty.opcode {
            OP_TYPE_INT if ty.words.get(3) == Some(&0) => NumberForm::Unsigned,
            OP_TYPE_INT => NumberForm::Signed,
            OP_TYPE_FLOAT => NumberForm::Float(ty.words.get(3).copied()),
            _ => return None,
        };
        Some(Number { bits, form })
    }

    fn type_of(&self, id: u32) -> Option<u32> {
        let (_, definition) = self.definition(id)?;
        let has_type = definition.grammar.and_then(result_at) == Some(2);
        definition.words.get(1).copied().filter(|_| has_type)
    }

    fn import(&self, id: u32) -> Option<Import> {
        let (_, definition) = self.definition(id)?;
        let name = definition.words.get(2..)?;
        let is_import = definition.opcode == OP_EXT_INST_IMPORT;
        is_import.then(|| Import::named(&text(name).0))
    }
}

impl Expand for Module {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            TOP => self.parts().len() as u64,
            HEADER => Header::COUNT,
            INSTRUCTIONS => self.count_of_instructions(),
            _ => match number_of(item) {
                Some(number) => instruction::count(self, number),
                None => self.overview.count(item.wrapping_sub(GROUP)),
            },
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        match item {
            TOP => out.push_range(self.parts(), range),
            HEADER => out.push_range(self.header_nodes(), range),
            INSTRUCTIONS => {
                for number in range.filter_map(|number| u32::try_from(number).ok()) {
                    let count = instruction::count(self, number);
                    let item = INSTRUCTION + u64::from(number);
                    out.extend(instruction::node(self, number).map(|node| lazy(node, item, count)));
                }
            }
            _ => match number_of(item) {
                Some(number) => out.push_range(instruction::rows(self, number), range),
                None => self
                    .overview
                    .rows(self, item.wrapping_sub(GROUP), range, out),
            },
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        if item != INSTRUCTIONS {
            return None;
        }
        offset.checked_sub(self.span.start)?;
        Some(self.number_at(offset).map(u64::from).into_iter().collect())
    }
}

fn number_of(item: u64) -> Option<u32> {
    u32::try_from(item.checked_sub(INSTRUCTION)?).ok()
}
