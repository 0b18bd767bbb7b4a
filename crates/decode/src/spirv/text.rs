//! A module as text: equal to that of `spirv-dis` of SPIRV-Tools 2025.5.
//!
//! Words that do not match the grammar are written as `!0x…`, which `spirv-as` accepts, with the
//! reason as a comment. Lines are formatted when they are requested.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::grammar::{self, Kind};
use super::module::{Instruction, Module, split};
use super::names::Names;
use super::number;
use super::opcodes::{OP_EXT_INST, OP_EXT_INST_WITH_FORWARD_REFS, OP_FUNCTION_END};
use super::operands::{Definitions, Piece, Problem, walk};
use super::operations;
use super::places;
use super::words::string;
use crate::limits;
use zeview_core::analysis::module_text::{
    FunctionLines, IdStyle, ModuleOperation, ModulePlaces, ModuleText, OperationKind, TextLine,
    TextToken, TokenKind,
};
use zeview_core::model::{Sources, Span};

/// Column of the operations.
const INDENT: usize = 15;

/// A module whose rows and text are read on demand.
pub(super) struct LazyModule {
    span: Span,
    module: OnceCell<Module>,
    names: OnceCell<Names>,
    places: OnceCell<Rc<ModulePlaces>>,
}

impl LazyModule {
    /// The module at `span`.
    pub(super) fn new(span: Span) -> Rc<LazyModule> {
        Rc::new(LazyModule {
            span,
            module: OnceCell::new(),
            names: OnceCell::new(),
            places: OnceCell::new(),
        })
    }

    /// Returns the module.
    pub(super) fn module(&self, sources: &Sources) -> &Module {
        self.module.get_or_init(|| Module::read(sources, self.span))
    }

    fn names(&self, ids: IdStyle, sources: &Sources) -> Option<&Names> {
        match ids {
            IdStyle::Names => Some(self.names.get_or_init(|| Names::new(self.module(sources)))),
            IdStyle::Numbers => None,
        }
    }
}

/// What a row is.
#[derive(Clone, Copy)]
enum Row {
    /// A word of the header.
    Header(u32),
    /// An instruction, by number.
    Instruction(u32),
    /// Bytes that are not an instruction.
    Rest,
}

/// The lines of the header.
const HEADER: u32 = 5;

impl Module {
    fn header_rows(&self) -> u32 {
        self.words().min(HEADER)
    }

    /// Returns the number of the instruction after a function: the one at an index of
    /// [`functions`](Module::functions), which starts with an instruction.
    fn function_end(&self, at: usize, start: u32) -> u32 {
        let next = self.functions().get(at + 1).copied();
        let next = next.unwrap_or_else(|| self.instructions());
        // From the end backward: OpFunctionEnd is usually the last one.
        let mut ends = (start..next)
            .rev()
            .filter(|number| self.opcode(*number) == Some(OP_FUNCTION_END));
        ends.next().map_or(next, |number| number + 1)
    }

    fn row(&self, row: u32) -> Option<Row> {
        let header = self.header_rows();
        if row < header {
            return Some(Row::Header(row));
        }
        let number = row - header;
        let count = self.instructions();
        if number < count {
            return Some(Row::Instruction(number));
        }
        (number == count && !self.rest().is_empty()).then_some(Row::Rest)
    }
}

impl ModuleText for LazyModule {
    fn span(&self) -> Span {
        self.span
    }

    fn language(&self) -> &'static str {
        "SPIR-V"
    }

    fn count(&self, sources: &Sources) -> u32 {
        let module = self.module(sources);
        let rest = u32::from(!module.rest().is_empty());
        let rows = module.header_rows().saturating_add(module.instructions());
        rows.saturating_add(rest)
    }

    fn line(&self, row: u32, ids: IdStyle, sources: &Sources) -> Option<TextLine> {
        let module = self.module(sources);
        Some(match module.row(row)? {
            Row::Header(at) => header_line(module, at)?,
            Row::Instruction(number) => {
                let names = self.names(ids, sources);
                let instruction = module.instruction(number)?;
                let mut line = Writer::new(module, names, instruction.span);
                line.instruction(&instruction, self.span);
                line.line
            }
            Row::Rest => rest_line(module, self.span),
        })
    }

    fn bytes_of(&self, row: u32, sources: &Sources) -> Option<Span> {
        let module = self.module(sources);
        match module.row(row)? {
            Row::Header(at) => module.header_word(at).map(|(_, span)| span),
            Row::Instruction(number) => module.instruction_span(number),
            Row::Rest => Some(module.rest()),
        }
    }

    fn row_at(&self, offset: u64, sources: &Sources) -> Option<u32> {
        let module = self.module(sources);
        if !self.span.contains_offset(offset) {
            return None;
        }
        let header = module.header_rows();
        if module.rest().contains_offset(offset) {
            return Some(header.saturating_add(module.instructions()));
        }
        let word = u32::try_from((offset - self.span.start) / 4).ok()?;
        if word < header {
            return Some(word);
        }
        Some(module.number_at(offset)?.saturating_add(header))
    }

    fn definition(&self, id: u32, sources: &Sources) -> Option<u32> {
        let module = self.module(sources);
        let number = module.definition_number(id)?;
        Some(module.header_rows().saturating_add(number))
    }

    fn uses(&self, id: u32, from: u32, limit: usize, sources: &Sources) -> Vec<u32> {
        let module = self.module(sources);
        let header = module.header_rows();
        let mut instruction = Instruction::default();
        let mut pieces = Vec::new();
        let mut found = Vec::new();
        for number in from.saturating_sub(header)..module.instructions() {
            if found.len() >= limit {
                break;
            }
            // Most instructions do not have the word at all.
            if !module.has_word(number, id) || !module.read_instruction(number, &mut instruction) {
                continue;
            }
            let _ = walk(instruction.grammar, &instruction.words, module, &mut pieces);
            let is_use = pieces.iter().any(|piece| {
                let word = instruction.words.get(usize::from(piece.at));
                piece.kind.is_id() && piece.kind != Kind::Result && word == Some(&id)
            });
            if is_use {
                found.push(header.saturating_add(number));
            }
        }
        found
    }

    fn name(&self, id: u32, ids: IdStyle, sources: &Sources) -> String {
        match self.names(ids, sources) {
            Some(names) => {
                let mut name = Vec::new();
                names.write(id, &mut name);
                String::from_utf8_lossy(&name).into_owned()
            }
            None => id.to_string(),
        }
    }

    fn functions(&self, sources: &Sources) -> Vec<FunctionLines> {
        let module = self.module(sources);
        let header = module.header_rows();
        let functions = module.functions().iter().enumerate().map(|(at, start)| {
            let words = module.instruction(*start).map(|found| found.words);
            let id = words.and_then(|words| words.get(2).copied()).unwrap_or(0);
            let end = module.function_end(at, *start);
            FunctionLines {
                id,
                rows: header.saturating_add(*start)..header.saturating_add(end),
            }
        });
        functions.collect()
    }

    fn functions_of(&self, kernel: &str, sources: &Sources) -> Vec<FunctionLines> {
        let reached = operations::functions_of(self.module(sources), kernel.as_bytes());
        if reached.is_empty() {
            return Vec::new();
        }
        let all = self.functions(sources);
        let found = reached.into_iter().filter_map(|at| all.get(at));
        // A declaration has OpFunction, parameters and OpFunctionEnd only.
        let has_body = |found: &&FunctionLines| {
            let mut rows = found.rows.clone();
            let last = rows.next_back();
            let before = last.and_then(|_| self.operation(rows.next_back()?, sources));
            before.is_some_and(|operation| {
                !matches!(
                    operation.kind,
                    OperationKind::Function | OperationKind::Parameter
                )
            })
        };
        found.filter(has_body).cloned().collect()
    }

    fn operation(&self, row: u32, sources: &Sources) -> Option<ModuleOperation> {
        let module = self.module(sources);
        let Row::Instruction(number) = module.row(row)? else {
            return None;
        };
        let instruction = module.instruction(number)?;
        Some(operations::operation(module, &instruction))
    }

    fn places(&self, sources: &Sources) -> Rc<ModulePlaces> {
        let places = self.places.get_or_init(|| {
            let module = self.module(sources);
            Rc::new(places::places(module, module.header_rows()))
        });
        Rc::clone(places)
    }

    fn function_at(&self, row: u32, sources: &Sources) -> Option<Range<u32>> {
        let module = self.module(sources);
        let header = module.header_rows();
        let start = row.checked_sub(header)?;
        let at = module.functions().binary_search(&start).ok()?;
        let end = module.function_end(at, start);
        Some(row..header.saturating_add(end))
    }
}

fn header_line(module: &Module, at: u32) -> Option<TextLine> {
    let (word, span) = module.header_word(at)?;
    let (low, high) = split(word);
    let text = match at {
        0 => "; SPIR-V".to_owned(),
        1 => format!("; Version: {}.{}", word >> 16 & 0xff, word >> 8 & 0xff),
        2 => {
            let tool = grammar::generator(high);
            let tool = tool.map_or_else(|| format!("Unknown({high})"), str::to_owned);
            format!("; Generator: {tool}; {low}")
        }
        3 => format!("; Bound: {word}"),
        _ => format!("; Schema: {word}"),
    };
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    Some(TextLine {
        span,
        text: text.into_bytes(),
        tokens: vec![TextToken {
            start: 0,
            end,
            kind: TokenKind::Header,
            span,
        }],
        problem: None,
    })
}

/// The line of bytes that are not an instruction: their number and the reason.
fn rest_line(module: &Module, of: Span) -> TextLine {
    let span = module.rest();
    let count = span.len();
    let bytes = if count == 1 { "byte" } else { "bytes" };
    let reason = if of.len() > limits::DEEP {
        "the module is too large to be decoded"
    } else if module.words() < HEADER {
        "the header of five words is truncated"
    } else if count < 4 {
        "less than a word"
    } else {
        match module.word(module.end_word()).map(split) {
            Some((_, 0)) => "an instruction with a word count of 0",
            _ => "the word count extends past the end of the module",
        }
    };
    let problem = format!("{count} {bytes}: {reason}");
    let text = format!("; {:#010x}: {problem}", span.start.saturating_sub(of.start));
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    TextLine {
        span,
        text: text.into_bytes(),
        tokens: vec![TextToken {
            start: 0,
            end,
            kind: TokenKind::Unknown,
            span,
        }],
        problem: Some(problem),
    }
}

/// Writes a line.
struct Writer<'a> {
    module: &'a Module,
    names: Option<&'a Names>,
    line: TextLine,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module, names: Option<&'a Names>, span: Span) -> Writer<'a> {
        let line = TextLine {
            span,
            ..TextLine::default()
        };
        Writer {
            module,
            names,
            line,
        }
    }

    fn push(&mut self, text: &str) {
        self.line.text.extend_from_slice(text.as_bytes());
    }

    fn blanks(&mut self, count: usize) {
        let len = self.line.text.len();
        self.line.text.resize(len + count, b' ');
    }

    /// Adds a token: the text from `start` on, for words of the instruction.
    fn token(&mut self, start: usize, kind: TokenKind, words: (u16, u16)) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (at, len) = words;
        let span = self.line.span;
        self.line.tokens.push(TextToken {
            start: place(start),
            end: place(self.line.text.len()),
            kind,
            span: span.subspan(u64::from(at) * 4, u64::from(len) * 4),
        });
    }

    fn id(&mut self, id: u32) {
        self.push("%");
        match self.names {
            Some(names) => names.write(id, &mut self.line.text),
            None => self.push(&id.to_string()),
        }
    }

    fn instruction(&mut self, instruction: &Instruction, module: Span) {
        let mut pieces = Vec::new();
        let problem = walk(
            instruction.grammar,
            &instruction.words,
            self.module,
            &mut pieces,
        );
        let result = pieces.iter().find(|piece| piece.kind == Kind::Result);
        let word = |piece: &Piece| instruction.words.get(usize::from(piece.at)).copied();
        match result.and_then(|result| Some((result, word(result)?))) {
            Some((result, id)) => {
                self.id(id);
                // The sign `=` is in the same column, unless the name is long.
                let written = std::mem::take(&mut self.line.text);
                self.blanks((INDENT - 3).saturating_sub(written.len()));
                let start = self.line.text.len();
                self.line.text.extend_from_slice(&written);
                self.token(start, TokenKind::Result(id), (result.at, result.len));
                self.push(" = ");
            }
            None => self.blanks(INDENT),
        }
        let start = self.line.text.len();
        match instruction.grammar {
            Some(grammar) => {
                self.push("Op");
                self.push(grammar.name);
                self.token(start, TokenKind::Opcode, (0, 1));
            }
            None => {
                let first = instruction.words.first().copied().unwrap_or(0);
                self.push(&format!("!{first:#010x}"));
                self.token(start, TokenKind::Unknown, (0, 1));
            }
        }
        for (at, piece) in pieces.iter().enumerate() {
            if piece.kind == Kind::Result {
                continue;
            }
            self.push(" ");
            if self.line.text.len() > limits::SPIRV_LINE {
                self.cut(piece, pieces.len() - at);
                return;
            }
            self.operand(instruction, piece);
        }
        if let Some(problem) = problem {
            let problem = describe(problem);
            let offset = self.line.span.start.saturating_sub(module.start);
            self.push(" ");
            self.comment(&format!("{offset:#010x}: {problem}"));
            self.line.problem = Some(problem);
        }
    }

    fn comment(&mut self, text: &str) {
        let start = self.line.text.len();
        self.push("; ");
        self.push(text);
        self.token(start, TokenKind::Comment, (0, 0));
    }

    /// Leaves out the operands from a piece on.
    fn cut(&mut self, first: &Piece, count: usize) {
        let problem = format!("{count} more operands are left out");
        let start = self.line.text.len();
        self.push(&format!("; {problem}"));
        // All further words.
        self.token(start, TokenKind::Unknown, (first.at, u16::MAX));
        self.line.problem = Some(problem);
    }

    fn operand(&mut self, instruction: &Instruction, piece: &Piece) {
        let (at, len) = (usize::from(piece.at), usize::from(piece.len));
        let words = instruction.words.get(at..at + len).unwrap_or_default();
        let raw = words.first().copied().unwrap_or(0);
        let start = self.line.text.len();
        let kind = match piece.kind {
            Kind::ResultType | Kind::Result | Kind::Id | Kind::Scope | Kind::Semantics => {
                self.id(raw);
                TokenKind::Id(raw)
            }
            Kind::Integer | Kind::NumberAndId | Kind::IdAndInteger => {
                self.push(&raw.to_string());
                TokenKind::Number
            }
            Kind::Float => {
                self.push(&number::single(raw));
                TokenKind::Number
            }
            Kind::Number => match piece.number {
                Some(ty) => {
                    self.push(&number::literal(words, ty));
                    TokenKind::Number
                }
                None => return self.words(piece, words),
            },
            Kind::Text => {
                self.text(words);
                TokenKind::Text
            }
            Kind::Value(_) => match piece.kind.enumerant(raw) {
                Some(found) => {
                    self.push(found.name);
                    TokenKind::Name
                }
                None => return self.words(piece, words),
            },
            Kind::Bits(_) => {
                if !self.bits(piece.kind, raw) {
                    return self.words(piece, words);
                }
                TokenKind::Name
            }
            Kind::Extended => match self.extended(instruction, raw) {
                Some(name) => {
                    self.push(&name);
                    TokenKind::Name
                }
                None => return self.words(piece, words),
            },
            Kind::Operation => {
                let found = u16::try_from(raw).ok().and_then(grammar::instruction);
                match found {
                    Some(found) => {
                        self.push(found.name);
                        TokenKind::Name
                    }
                    None => return self.words(piece, words),
                }
            }
            Kind::Words => return self.words(piece, words),
        };
        self.token(start, kind, (piece.at, piece.len));
    }

    /// Writes words as numbers that the assembler copies.
    fn words(&mut self, piece: &Piece, words: &[u32]) {
        for (at, word) in (piece.at..).zip(words) {
            if at > piece.at {
                self.push(" ");
            }
            let start = self.line.text.len();
            self.push(&format!("!{word:#010x}"));
            self.token(start, TokenKind::Unknown, (at, 1));
        }
    }

    fn text(&mut self, words: &[u32]) {
        self.push("\"");
        for byte in string(words) {
            if matches!(byte, b'"' | b'\\') {
                self.push("\\");
            }
            self.line.text.push(byte);
        }
        self.push("\"");
    }

    /// Writes the names of bits. Returns `false`, and writes nothing, if one has none.
    fn bits(&mut self, kind: Kind, word: u32) -> bool {
        if word == 0 {
            // Some masks have no name for 0.
            let name = kind.enumerant(0).map_or("", |found| found.name);
            self.push(name);
            return true;
        }
        let names: Option<Vec<&str>> = kind
            .bits(word)
            .map(|(_, found)| found.map(|found| found.name))
            .collect();
        let Some(names) = names else {
            return false;
        };
        self.push(&names.join("|"));
        true
    }

    /// Returns the name of an extended instruction, or its number if only that can be known.
    fn extended(&self, instruction: &Instruction, number: u32) -> Option<String> {
        if !matches!(
            instruction.opcode,
            OP_EXT_INST | OP_EXT_INST_WITH_FORWARD_REFS
        ) {
            return None;
        }
        let import = self.module.import(*instruction.words.get(3)?)?;
        match import.instruction(number) {
            Some(found) if import.is_named() => Some(found.name.to_owned()),
            Some(_) => Some(number.to_string()),
            None => import.is_non_semantic().then(|| number.to_string()),
        }
    }
}

/// Describes a problem.
fn describe(problem: Problem) -> String {
    match problem {
        Problem::Opcode(opcode) => format!("unknown opcode {opcode}"),
        Problem::Enumerant(kind, value) => format!("unknown {} {value}", kind.title()),
        Problem::Extended(number) => format!("unknown extended instruction {number}"),
        Problem::Import(id) => format!("%{id} is not an imported instruction set"),
        Problem::Operation(opcode) => format!("unknown operation {opcode}"),
        Problem::Missing(kind) => format!("ends before the operand {}", kind.title()),
        Problem::Truncated(Kind::Text) => "text without an end".to_owned(),
        Problem::Truncated(_) => "ends within a number".to_owned(),
        Problem::Type => "the type of the number is unknown".to_owned(),
        Problem::Extra(1) => "a word after the last operand".to_owned(),
        Problem::Extra(count) => format!("{count} words after the last operand"),
    }
}
