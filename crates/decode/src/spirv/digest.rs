//! Digests of the kernels of a module, to compare them with those of another module.
//!
//! A kernel's digest covers its function, the functions that it calls, and the types, constants,
//! variables, decorations and execution modes that they refer to. It does not depend on the numbers
//! of ids, on names and debug instructions, or on the other kernels of the module.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use super::grammar::{self, Import, Kind};
use super::module::split;
use super::opcodes::{
    OP_EXECUTION_MODE, OP_EXECUTION_MODE_ID, OP_EXT_INST, OP_EXT_INST_IMPORT, OP_FUNCTION,
    OP_FUNCTION_CALL, OP_FUNCTION_END, OP_LINE, OP_NO_LINE, OP_NOP, OP_TYPE_INT,
};
use super::operands::{Definitions, Number, NumberForm, Piece, walk};
use super::words::text;
use super::{Header, order};
use crate::limits;
use crate::reader::Endian;
use zeview_core::analysis::kernels::CodeDigest;
use zeview_core::model::{Sources, Span};

/// Decorations: OpDecorate, OpMemberDecorate, OpDecorateId, OpDecorateString, OpMemberDecorateString.
const DECORATIONS: [u16; 5] = [71, 72, 332, 5632, 5633];

/// Maximum nesting of references between types, constants and functions. Kernels with deeper ones
/// have no digest.
const DEPTH_MAX: u32 = 128;

/// A hash of 128 bits.
type Hash = (u64, u64);

/// Two hashes of the same input with different keys.
struct Mixer(DefaultHasher, DefaultHasher);

impl Mixer {
    fn new() -> Mixer {
        let mut mixer = Mixer(DefaultHasher::new(), DefaultHasher::new());
        mixer.1.write_u64(0x9e37_79b9_7f4a_7c15);
        mixer
    }

    fn add(&mut self, tag: u8, value: u64) {
        self.0.write_u8(tag);
        self.0.write_u64(value);
        self.1.write_u8(tag);
        self.1.write_u64(value);
    }

    fn add_hash(&mut self, tag: u8, hash: Hash) {
        self.add(tag, hash.0);
        self.add(tag, hash.1);
    }

    fn finish(&self) -> Hash {
        (self.0.finish(), self.1.finish())
    }
}

/// A part of an instruction.
#[derive(Clone, Copy)]
enum Token {
    /// The id that it defines.
    Result(u32),
    /// Another id.
    Id(u32),
    /// A word that is the same in each module.
    Word(u32),
}

/// An instruction: its opcode, and the indices of its operands' words.
#[derive(Clone)]
struct Instruction {
    opcode: u16,
    operands: Range<usize>,
}

/// What the operands of instructions depend on.
#[derive(Default)]
struct Ids {
    /// The widths of integer types, in bits.
    widths: HashMap<u32, u32>,
    /// The types of values that are wider than 32 bits.
    wide: HashMap<u32, u32>,
    imports: HashMap<u32, Import>,
}

impl Definitions for Ids {
    fn number(&self, id: u32) -> Option<Number> {
        let bits = *self.widths.get(&id)?;
        let form = NumberForm::Unsigned;
        Some(Number { bits, form })
    }

    fn type_of(&self, id: u32) -> Option<u32> {
        self.wide.get(&id).copied()
    }

    fn import(&self, id: u32) -> Option<Import> {
        self.imports.get(&id).copied()
    }
}

/// A function of the module.
struct Function {
    /// The indices of its instructions.
    instructions: Range<usize>,
    /// The functions that it calls.
    calls: Vec<u32>,
}

/// A module, prepared for digests.
struct Digests {
    words: Vec<u32>,
    instructions: Vec<Instruction>,
    /// The instructions outside of functions, by result.
    globals: HashMap<u32, usize>,
    functions: HashMap<u32, Function>,
    /// The decorations and execution modes of an id.
    decorations: HashMap<u32, Vec<usize>>,
    /// The imported sets of debug instructions.
    debug_sets: HashSet<u32>,
    ids: Ids,
    /// The operands of an instruction: kept for its memory.
    pieces: Vec<Piece>,
    known: HashMap<u32, Hash>,
    /// The ids whose hash is being computed.
    pending: HashSet<u32>,
    /// Whether something is nested too deeply.
    is_too_deep: bool,
}

/// Returns the digests of the functions with these ids; `None` for functions that are not in the
/// module, and if it is nested too deeply.
pub(super) fn digests(sources: &Sources, module: Span, ids: &[u32]) -> Vec<Option<CodeDigest>> {
    let Some(mut module) = Digests::read(sources, module) else {
        return vec![None; ids.len()];
    };
    let found: Vec<Option<CodeDigest>> = ids
        .iter()
        .map(|id| {
            module.functions.get(id)?;
            let hash = module.id(*id, 0);
            Some(CodeDigest {
                hash,
                instructions: module.reachable(*id),
            })
        })
        .collect();
    if module.is_too_deep {
        return vec![None; ids.len()];
    }
    found
}

impl Digests {
    fn read(sources: &Sources, span: Span) -> Option<Digests> {
        if span.len() > limits::DEEP {
            return None;
        }
        let bytes = sources.read(span).ok()?;
        let endian = order(&bytes)?;
        let words = bytes.chunks_exact(4).filter_map(|bytes| {
            let bytes: [u8; 4] = bytes.try_into().ok()?;
            Some(match endian {
                Endian::Little => u32::from_le_bytes(bytes),
                Endian::Big => u32::from_be_bytes(bytes),
            })
        });
        let mut digests = Digests {
            words: words.collect(),
            instructions: Vec::new(),
            globals: HashMap::new(),
            functions: HashMap::new(),
            decorations: HashMap::new(),
            debug_sets: HashSet::new(),
            ids: Ids::default(),
            pieces: Vec::new(),
            known: HashMap::new(),
            pending: HashSet::new(),
            is_too_deep: false,
        };
        digests.walk();
        Some(digests)
    }

    fn operands(&self, of: &Instruction) -> &[u32] {
        self.words.get(of.operands.clone()).unwrap_or_default()
    }

    /// Finds the instructions, functions and definitions.
    fn walk(&mut self) {
        let mut at = usize::try_from(Header::SIZE / 4).unwrap_or(usize::MAX);
        let mut function: Option<(u32, usize, Vec<u32>)> = None;
        while let Some(first) = self.words.get(at) {
            let (opcode, count) = split(*first);
            let end = at.saturating_add(usize::from(count));
            if count == 0 || end > self.words.len() {
                break;
            }
            let index = self.instructions.len();
            let instruction = Instruction {
                opcode,
                operands: at + 1..end,
            };
            at = end;
            let operands = self.operands(&instruction);
            let (ty, result) = result(opcode, operands);
            let operand = |at: usize| operands.get(at).copied().unwrap_or(0);
            match opcode {
                OP_EXT_INST_IMPORT => {
                    let (name, _) = text(operands.get(1..).unwrap_or_default());
                    let import = operand(0);
                    if name.contains("Debug") {
                        self.debug_sets.insert(import);
                    }
                    self.ids.imports.insert(import, Import::named(&name));
                }
                // The width matters, not the interpretation.
                OP_TYPE_INT => {
                    self.ids.widths.insert(operand(0), operand(1));
                }
                OP_FUNCTION => function = Some((operand(1), index, Vec::new())),
                OP_FUNCTION_CALL => {
                    let callee = operand(2);
                    if let Some((_, _, calls)) = &mut function {
                        calls.push(callee);
                    }
                }
                OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID => {
                    self.decorations.entry(operand(0)).or_default().push(index);
                }
                _ if DECORATIONS.contains(&opcode) => {
                    self.decorations.entry(operand(0)).or_default().push(index);
                }
                _ => {}
            }
            if let (Some(ty), Some(result)) = (ty, result)
                && self.ids.widths.get(&ty).is_some_and(|bits| *bits > 32)
            {
                self.ids.wide.insert(result, ty);
            }
            if let (None, Some(result)) = (&function, result) {
                self.globals.insert(result, index);
            }
            self.instructions.push(instruction);
            if opcode == OP_FUNCTION_END
                && let Some((id, first, calls)) = function.take()
            {
                let instructions = first..self.instructions.len();
                let function = Function {
                    instructions,
                    calls,
                };
                self.functions.insert(id, function);
            }
        }
    }

    /// Whether an instruction does not matter to the code.
    fn is_debug(&self, instruction: &Instruction) -> bool {
        match instruction.opcode {
            OP_NOP | OP_LINE | OP_NO_LINE => true,
            OP_EXT_INST => {
                let set = self.operands(instruction).get(2);
                set.is_some_and(|set| self.debug_sets.contains(set))
            }
            _ => false,
        }
    }

    /// Returns the number of instructions of a function and of those that it calls, each counted
    /// once.
    fn reachable(&self, id: u32) -> u64 {
        let (mut left, mut seen) = (vec![id], HashSet::new());
        let mut count = 0_u64;
        while let Some(id) = left.pop() {
            let Some(function) = self.functions.get(&id).filter(|_| seen.insert(id)) else {
                continue;
            };
            let code = self.instructions.get(function.instructions.clone());
            let code = code.unwrap_or_default().iter();
            count += code.filter(|found| !self.is_debug(found)).count() as u64;
            left.extend(&function.calls);
        }
        count
    }

    /// Returns the hash of a function, or of what an id refers to outside of functions.
    fn id(&mut self, id: u32, depth: u32) -> Hash {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        if depth > DEPTH_MAX {
            self.is_too_deep = true;
            return (0, 0);
        }
        // Types can refer to themselves through pointers, functions by recursion.
        if !self.pending.insert(id) {
            return (1, 1);
        }
        let mut mixer = Mixer::new();
        let mut locals = HashMap::new();
        if let Some(function) = self.functions.get(&id) {
            for at in function.instructions.clone() {
                self.instruction(at, Some(&mut locals), &mut mixer, depth);
            }
        } else if let Some(at) = self.globals.get(&id).copied() {
            self.instruction(at, None, &mut mixer, depth);
        } else {
            // A forward reference within a function is a local id; this one is not defined.
            mixer.add(0, 0);
        }
        self.decorations(id, &mut mixer, depth);
        self.pending.remove(&id);
        let hash = mixer.finish();
        self.known.insert(id, hash);
        hash
    }

    /// Adds the decorations and execution modes of an id, in any order.
    fn decorations(&mut self, id: u32, mixer: &mut Mixer, depth: u32) {
        let Some(of) = self.decorations.get(&id) else {
            return;
        };
        let mut sum: Hash = (0, 0);
        for at in of.clone() {
            let mut one = Mixer::new();
            // The target is an id of this module.
            let tokens = self.tokens(at);
            for token in tokens.into_iter().skip(1) {
                self.token(token, None, &mut one, depth);
            }
            let (a, b) = one.finish();
            sum = (sum.0.wrapping_add(a), sum.1.wrapping_add(b));
        }
        mixer.add_hash(6, sum);
    }

    fn instruction(
        &mut self,
        at: usize,
        mut locals: Option<&mut HashMap<u32, u64>>,
        mixer: &mut Mixer,
        depth: u32,
    ) {
        let Some(instruction) = self.instructions.get(at).cloned() else {
            return;
        };
        if self.is_debug(&instruction) {
            return;
        }
        mixer.add(1, instruction.opcode.into());
        let mut result = None;
        for token in self.tokens(at) {
            if let Token::Result(id) = token {
                result = Some(id);
            }
            self.token(token, locals.as_deref_mut(), mixer, depth);
        }
        if let (Some(id), Some(_)) = (result.filter(|_| instruction.opcode != OP_FUNCTION), locals)
        {
            self.decorations(id, mixer, depth);
        }
    }

    fn token(
        &mut self,
        token: Token,
        locals: Option<&mut HashMap<u32, u64>>,
        mixer: &mut Mixer,
        depth: u32,
    ) {
        let id = match token {
            Token::Word(word) => return mixer.add(2, word.into()),
            Token::Result(_) if locals.is_none() => return,
            Token::Result(id) | Token::Id(id) => id,
        };
        let is_global = self.globals.contains_key(&id) || self.functions.contains_key(&id);
        match locals {
            // The function itself is not one of its values.
            Some(_) if is_global && matches!(token, Token::Result(_)) => {}
            Some(locals) if !is_global => {
                let next = locals.len() as u64;
                mixer.add(3, *locals.entry(id).or_insert(next));
            }
            _ => {
                let hash = self.id(id, depth.saturating_add(1));
                mixer.add_hash(4, hash);
            }
        }
    }

    /// Splits an instruction into ids and other words.
    fn tokens(&mut self, at: usize) -> Vec<Token> {
        let Some(instruction) = self.instructions.get(at) else {
            return Vec::new();
        };
        let grammar = grammar::instruction(instruction.opcode);
        // With the first word, which precedes the operands.
        let start = instruction.operands.start.saturating_sub(1);
        let words = self.words.get(start..instruction.operands.end);
        let words = words.unwrap_or_default();
        walk(grammar, words, &self.ids, &mut self.pieces);
        let mut tokens = Vec::with_capacity(words.len());
        for piece in &self.pieces {
            let token = match piece.kind {
                Kind::Result => Token::Result,
                kind if kind.is_id() => Token::Id,
                _ => Token::Word,
            };
            let (at, len) = (usize::from(piece.at), usize::from(piece.len));
            let words = words.get(at..at + len).unwrap_or_default();
            tokens.extend(words.iter().copied().map(token));
        }
        tokens
    }
}

/// Returns the ids of an instruction's type and result.
fn result(opcode: u16, operands: &[u32]) -> (Option<u32>, Option<u32>) {
    let kinds = grammar::instruction(opcode).map_or(&[][..], |grammar| grammar.operands);
    let kind = |at: usize| kinds.get(at).map(|operand| operand.kind);
    let word = |at: usize| operands.get(at).copied();
    match (kind(0), kind(1)) {
        (Some(Kind::ResultType), Some(Kind::Result)) => (word(0), word(1)),
        (Some(Kind::Result), _) => (None, word(0)),
        _ => (None, None),
    }
}
