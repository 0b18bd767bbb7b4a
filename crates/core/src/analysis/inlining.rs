//! The chains of inlined functions of code: which function an instruction is of, where that was
//! inlined, and so on up to the function that has code of its own.
//!
//! Plain data, a part of the [`LineTable`].

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::functions::{FunctionKind, FunctionReport};
use super::source_lines::{LineRow, LineTable};
use crate::model::Span;

/// The functions of a document's debug information, and their code.
#[derive(Debug, Default)]
pub struct Inlining {
    /// The functions and inlined calls. The caller of each is before it.
    pub scopes: Vec<Scope>,
    /// The code of the innermost scopes, by section and offset, without overlaps.
    pub ranges: Vec<ScopeRange>,
    /// Number of scopes or ranges that exceed a limit.
    pub left_out: u64,
}

/// A function with code of its own, or an inlined call of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The name of the function, demangled; empty if it has none.
    pub function: Rc<str>,
    /// The call, if it is inlined.
    pub call: Option<InlinedCall>,
    /// The bytes of its debugging information entry.
    pub entry: Span,
}

/// An inlined call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlinedCall {
    /// The index of the scope that it is inlined into.
    pub caller: u32,
    /// The index of the file of the call in [`LineTable::files`]; `None` if unknown.
    pub file: Option<u32>,
    /// The line of the call; 0 if unknown.
    pub line: u32,
    /// The column of the call; 0 if unknown.
    pub column: u32,
    /// The discriminator of the call; 0 if it has none.
    pub discriminator: u32,
}

/// A range of code with the same innermost scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScopeRange {
    /// The index of its section in [`LineTable::sections`].
    pub section: u32,
    /// The offset of the first byte in the section.
    pub offset: u64,
    /// The length in bytes; at least one.
    pub len: u64,
    /// The index of the scope.
    pub scope: u32,
}

/// A function in the chain of an instruction, and the place in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFrame {
    /// The name of the function, demangled; empty if the debug information has none.
    pub function: String,
    /// The file without directories; empty if unknown.
    pub file: String,
    /// The one-based line; 0 if unknown.
    pub line: u32,
    /// The one-based column; 0 if unknown.
    pub column: u32,
    /// Tells calls of one line apart; 0 if there is nothing to tell apart.
    pub discriminator: u32,
    /// Whether the function is inlined into the next frame.
    pub inlined: bool,
}

impl SourceFrame {
    /// Formats the place: `add.cl:12:5`; `?` if it is unknown.
    #[must_use]
    pub fn place(&self) -> String {
        match (&*self.file, self.line, self.column) {
            (_, 0, _) | ("", _, _) => "?".to_owned(),
            (file, line, 0) => format!("{file}:{line}"),
            (file, line, column) => format!("{file}:{line}:{column}"),
        }
    }
}

/// Formats a chain without the innermost place: `in energy, inlined at k.cl:9 in step`. Empty if
/// nothing is inlined.
#[must_use]
pub fn chain_text(frames: &[SourceFrame]) -> String {
    let mut text = String::new();
    if !frames.iter().any(|frame| frame.inlined) {
        return text;
    }
    for frame in frames {
        if !text.is_empty() {
            text.push_str(", inlined at ");
            text.push_str(&frame.place());
            text.push(' ');
        }
        text.push_str("in ");
        text.push_str(match &*frame.function {
            "" => "a function without a name",
            name => name,
        });
    }
    text
}

/// Maximum number of frames of an instruction. Compilers inline a few dozen levels.
const FRAMES: usize = 256;

/// Maximum number of scopes that are listed for a row of the line table.
const STARTS: usize = 16;

impl LineTable {
    /// Returns the index of the innermost scope at an offset in the section with these bytes.
    #[must_use]
    pub fn scope_at(&self, code: Span, offset: u64) -> Option<u32> {
        let start = |range: &ScopeRange| self.section_start(range);
        let place = (Some(code.start), offset);
        let ranges = &self.inlining.ranges;
        let after = ranges.partition_point(|range| (start(range), range.offset) <= place);
        let range = ranges.get(after.checked_sub(1)?)?;
        let is_in = start(range) == place.0 && offset - range.offset < range.len;
        is_in.then_some(range.scope)
    }

    /// Returns the offsets at which the innermost scope changes in the code of a row, with its first
    /// offset; at most a few.
    pub fn scope_starts(&self, code: Span, row: &LineRow) -> Vec<u64> {
        let end = row.offset.saturating_add(row.len);
        let ranges = &self.inlining.ranges;
        let first = ranges.partition_point(|range| {
            let section = self.section_start(range);
            (section, range.offset) <= (Some(code.start), row.offset)
        });
        let inner = ranges.iter().skip(first).take(STARTS);
        let inner = inner.take_while(|range| {
            self.section_start(range) == Some(code.start) && range.offset < end
        });
        let mut starts = vec![row.offset];
        starts.extend(inner.map(|range| range.offset));
        starts
    }

    fn section_start(&self, range: &ScopeRange) -> Option<u64> {
        let section = usize::try_from(range.section).ok()?;
        Some(self.sections.get(section)?.bytes.start)
    }

    /// Names the functions of a section that have no symbol by the debug information.
    pub fn name_functions(&self, code: Span, functions: &mut [FunctionReport]) {
        for function in functions.iter_mut() {
            let mut scope = self.scope_at(code, function.start.into());
            if function.kind != FunctionKind::Subroutine {
                continue;
            }
            // The start of a function may be of one that is inlined there.
            while let Some(call) = scope.and_then(|at| self.scope(at)).and_then(|of| of.call) {
                scope = Some(call.caller);
            }
            let name = scope.and_then(|at| self.scope(at)).map(|of| &of.function);
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                function.name = name.to_string();
            }
        }
    }

    /// Returns a scope by its index.
    #[must_use]
    pub fn scope(&self, scope: u32) -> Option<&Scope> {
        self.inlining.scopes.get(usize::try_from(scope).ok()?)
    }

    /// Returns the chain of functions at an offset in the section with these bytes, the innermost
    /// first. The last one has code of its own. Empty if nothing is known of the offset.
    #[must_use]
    pub fn frames_at(&self, code: Span, offset: u64) -> Vec<SourceFrame> {
        let row = self.row_at(code, offset);
        let file = |file: Option<u32>| {
            let file = file.and_then(|file| usize::try_from(file).ok());
            let file = file.and_then(|at| self.files.get(at));
            file.map_or_else(String::new, |file| file.name.clone())
        };
        let mut frame = SourceFrame {
            function: String::new(),
            file: file(row.map(|row| row.file)),
            line: row.map_or(0, |row| row.line),
            column: row.map_or(0, |row| row.column),
            discriminator: row.map_or(0, |row| row.discriminator),
            inlined: false,
        };
        let mut frames = Vec::new();
        let mut next = self.scope_at(code, offset);
        while let Some(scope) = next.and_then(|at| self.scope(at)) {
            frame.function = scope.function.to_string();
            frame.inlined = scope.call.is_some();
            frames.push(frame.clone());
            next = None;
            if let Some(call) = scope.call.filter(|_| frames.len() < FRAMES) {
                next = Some(call.caller);
                frame = SourceFrame {
                    function: String::new(),
                    file: file(call.file),
                    line: call.line,
                    column: call.column,
                    discriminator: call.discriminator,
                    inlined: false,
                };
            }
        }
        if frames.is_empty() && row.is_some() {
            frames.push(frame);
        }
        frames
    }
}
