//! The places in the source of a module's instructions, and the source text in the module.
//!
//! A place comes from `OpLine`, or from `DebugLine` of `NonSemantic.Shader.DebugInfo`; it applies up
//! to the next one, and at most to the end of the block. The calls that an instruction was inlined
//! at come from `DebugScope` and `DebugInlinedAt`.

use std::collections::HashMap;

use super::module::{Instruction, Module};
use super::opcodes::{
    OP_CONSTANT, OP_EXT_INST, OP_EXT_INST_IMPORT, OP_FUNCTION, OP_FUNCTION_END, OP_LABEL, OP_LINE,
    OP_NO_LINE, OP_SOURCE, OP_SOURCE_CONTINUED, OP_STRING,
};
use super::words::string;
use zeview_core::analysis::module_text::{ModulePlace, ModulePlaces, ModuleSource, RowPlace};

const DEBUG_FUNCTION: u32 = 20;
const DEBUG_LEXICAL_BLOCK: u32 = 21;
const DEBUG_SCOPE: u32 = 23;
const DEBUG_NO_SCOPE: u32 = 24;
const DEBUG_INLINED_AT: u32 = 25;
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// Index of the first operand of an instruction of a set.
const OPERANDS: usize = 5;

/// Maximum number of calls around an inlined instruction, and of scopes around a scope.
const DEPTH: usize = 64;

/// A set of debug instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    /// `OpenCL.DebugInfo.100` or `DebugInfo`: numbers are literals.
    Literals,
    /// `NonSemantic.Shader.DebugInfo.100` and later: numbers are constants.
    Constants,
}

/// Reads the places of all instructions. `header` is the number of lines before the first one.
pub(super) fn places(module: &Module, header: u32) -> ModulePlaces {
    let mut reader = Reader {
        module,
        found: ModulePlaces::default(),
        files: HashMap::new(),
        sets: HashMap::new(),
    };
    reader.read(header);
    reader.found
}

struct Reader<'m> {
    module: &'m Module,
    found: ModulePlaces,
    /// The index of a file in the result, by the id of its path.
    files: HashMap<u32, u32>,
    /// The debug sets, by the id of the import.
    sets: HashMap<u32, Set>,
}

/// A debug instruction.
struct Debug<'i> {
    set: Set,
    number: u32,
    operands: &'i [u32],
}

impl Reader<'_> {
    fn read(&mut self, header: u32) {
        let mut instruction = Instruction::default();
        // The line, and the calls around it.
        let mut line: Option<ModulePlace> = None;
        let mut calls: Vec<ModulePlace> = Vec::new();
        // The text that continues.
        let mut source = None;
        let mut in_function = false;
        for number in 0..self.module.instructions() {
            if !self.module.read_instruction(number, &mut instruction) {
                break;
            }
            let words = &*instruction.words;
            match instruction.opcode {
                OP_EXT_INST_IMPORT => self.import(words),
                OP_SOURCE => source = self.source(words),
                OP_SOURCE_CONTINUED => self.go_on(source, words.get(1..).unwrap_or_default()),
                OP_LINE => {
                    line = None;
                    if let [_, file, at, column] = *words {
                        line = self.place(file, at, column);
                    }
                    continue;
                }
                OP_NO_LINE => {
                    line = None;
                    continue;
                }
                OP_FUNCTION => {
                    in_function = true;
                    calls.clear();
                }
                OP_FUNCTION_END => {
                    in_function = false;
                    line = None;
                    continue;
                }
                OP_LABEL => calls.clear(),
                OP_EXT_INST => {
                    let Some(debug) = self.debug(words) else {
                        self.push(header, number, line, &calls, in_function);
                        continue;
                    };
                    match (debug.number, debug.operands) {
                        (DEBUG_SOURCE, [file, rest @ ..]) => {
                            source = self.debug_source(*file, rest.first().copied());
                        }
                        (DEBUG_SOURCE_CONTINUED, [text, ..]) => {
                            let text = self.string(*text);
                            self.append(source, &text);
                        }
                        (DEBUG_LINE, [file, start, _, column, ..]) => {
                            let at = self.constant(*start).unwrap_or(0);
                            let column = self.constant(*column).unwrap_or(0);
                            let file = self.path_of_source(*file);
                            line = file.and_then(|file| self.place(file, at, column));
                        }
                        (DEBUG_NO_LINE, _) => line = None,
                        (DEBUG_SCOPE, [_, rest @ ..]) => {
                            let inlined = rest.first().copied();
                            calls = self.calls(inlined);
                        }
                        (DEBUG_NO_SCOPE, _) => calls.clear(),
                        _ => {}
                    }
                    continue;
                }
                _ => {}
            }
            self.push(header, number, line, &calls, in_function);
            if ends_block(instruction.opcode) {
                line = None;
            }
        }
    }

    fn push(
        &mut self,
        header: u32,
        number: u32,
        line: Option<ModulePlace>,
        calls: &[ModulePlace],
        in_function: bool,
    ) {
        let Some(line) = line.filter(|_| in_function) else {
            return;
        };
        let row = header.saturating_add(number);
        let places = std::iter::once(line).chain(calls.iter().copied());
        self.found
            .rows
            .extend(places.map(|place| RowPlace { row, place }));
    }

    fn import(&mut self, words: &[u32]) {
        let [_, id, name @ ..] = words else { return };
        let name = String::from_utf8_lossy(&string(name)).into_owned();
        let set = match &*name {
            "OpenCL.DebugInfo.100" | "DebugInfo" => Set::Literals,
            name if name.starts_with("NonSemantic.Shader.DebugInfo.") => Set::Constants,
            _ => return,
        };
        self.sets.insert(*id, set);
    }

    fn debug<'i>(&self, words: &'i [u32]) -> Option<Debug<'i>> {
        let set = *self.sets.get(words.get(3)?)?;
        Some(Debug {
            set,
            number: *words.get(4)?,
            operands: words.get(OPERANDS..)?,
        })
    }

    /// Returns the text of an `OpString`.
    fn string(&self, id: u32) -> String {
        let defined = self.module.definition(id);
        let found = defined.filter(|(_, found)| found.opcode == OP_STRING);
        let words = found.map(|(_, found)| found.words).unwrap_or_default();
        let bytes = string(words.get(2..).unwrap_or_default());
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the value of an integer constant.
    fn constant(&self, id: u32) -> Option<u32> {
        let (_, found) = self.module.definition(id)?;
        let value = found.words.get(3).copied();
        value.filter(|_| found.opcode == OP_CONSTANT)
    }

    /// Returns the index of a file, by the id of its path.
    fn file(&mut self, id: u32) -> u32 {
        if let Some(known) = self.files.get(&id) {
            return *known;
        }
        let path = self.string(id);
        // Several strings may have the same text.
        let files = &mut self.found.files;
        let known = files.iter().position(|file| file.path == path);
        let at = known.unwrap_or_else(|| {
            files.push(ModuleSource { path, text: None });
            files.len() - 1
        });
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.files.insert(id, at);
        at
    }

    /// Returns the place at a line; there is no line 0.
    fn place(&mut self, file: u32, line: u32, column: u32) -> Option<ModulePlace> {
        (line > 0).then(|| ModulePlace {
            file: self.file(file),
            line,
            column,
        })
    }

    /// Reads `OpSource`. Returns the file whose text continues.
    fn source(&mut self, words: &[u32]) -> Option<u32> {
        let file = self.file(*words.get(3)?);
        let text = words.get(4..).unwrap_or_default();
        self.go_on(Some(file), text);
        Some(file)
    }

    fn go_on(&mut self, file: Option<u32>, words: &[u32]) {
        if !words.is_empty() {
            let text = string(words);
            self.append(file, &String::from_utf8_lossy(&text));
        }
    }

    fn debug_source(&mut self, file: u32, text: Option<u32>) -> Option<u32> {
        let file = self.file(file);
        let text = text.map(|text| self.string(text)).unwrap_or_default();
        self.append(Some(file), &text);
        Some(file)
    }

    fn append(&mut self, file: Option<u32>, more: &str) {
        let file = file.and_then(|file| usize::try_from(file).ok());
        let file = file.and_then(|file| self.found.files.get_mut(file));
        if let Some(file) = file.filter(|_| !more.is_empty()) {
            file.text.get_or_insert_default().push_str(more);
        }
    }

    /// Returns the id of the path of a `DebugSource`.
    fn path_of_source(&self, id: u32) -> Option<u32> {
        let (_, found) = self.module.definition(id)?;
        let debug = self.debug(&found.words)?;
        let path = debug.operands.first().copied();
        path.filter(|_| debug.number == DEBUG_SOURCE)
    }

    /// Returns the id of the path of the file that a scope is in.
    fn path_of_scope(&self, mut scope: u32) -> Option<u32> {
        for _ in 0..DEPTH {
            let (_, found) = self.module.definition(scope)?;
            let debug = self.debug(&found.words)?;
            let source = match debug.number {
                DEBUG_FUNCTION => debug.operands.get(2),
                DEBUG_LEXICAL_BLOCK => debug.operands.first(),
                _ => return None,
            };
            if let Some(path) = self.path_of_source(*source?) {
                return Some(path);
            }
            scope = *debug.operands.get(3)?;
        }
        None
    }

    /// Returns the calls around inlined instructions, the innermost first.
    fn calls(&mut self, mut inlined: Option<u32>) -> Vec<ModulePlace> {
        let mut calls = Vec::new();
        while let Some(id) = inlined.take()
            && calls.len() < DEPTH
        {
            let Some((_, found)) = self.module.definition(id) else {
                break;
            };
            let Some(debug) = self.debug(&found.words) else {
                break;
            };
            let (DEBUG_INLINED_AT, [line, scope, rest @ ..]) = (debug.number, debug.operands)
            else {
                break;
            };
            let line = match debug.set {
                Set::Literals => Some(*line),
                Set::Constants => self.constant(*line),
            };
            if let (Some(line), Some(path)) = (line, self.path_of_scope(*scope)) {
                calls.extend(self.place(path, line, 0));
            }
            inlined = rest.first().copied();
        }
        calls
    }
}

/// Whether an instruction is the last one of its block: SPIR-V 2.2.5, Control Flow.
fn ends_block(opcode: u16) -> bool {
    const FIRST: u16 = 249; // OpBranch
    const LAST: u16 = 255; // OpUnreachable
    (FIRST..=LAST).contains(&opcode)
}
