//! The text of a module of an intermediate representation: lines of tokens, each with its bytes.

use std::ops::Range;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::model::{Document, Node, NodeId, NodeKind, Sources, Span};

/// The identifier of the format of modules.
const SPIRV: &str = "spirv";

/// Maximum number of modules among the sections of a document.
const MODULES_MAX: usize = 256;

impl Document {
    /// Returns the text of a node that is a module.
    pub fn module_text(&self, node: NodeId) -> Option<Rc<dyn ModuleText>> {
        self.interfaces(node).text
    }

    /// Returns the modules of a document: itself, or its sections.
    pub fn module_texts(&mut self, document: NodeId) -> Vec<(NodeId, Rc<dyn ModuleText>)> {
        if let Some(text) = self.module_text(document) {
            return vec![(document, text)];
        }
        let is_section = |node: &Node| matches!(node.kind, NodeKind::Record | NodeKind::File);
        let sections = self.children_that(document, is_section, usize::MAX);
        let found = sections.into_iter().filter_map(|section| {
            let node = self.node(section)?;
            // In the container of an archive, the module is a document. Others are not opened for this.
            let inner = node.span.and_then(|span| self.inner_document(span));
            let is_module = inner.is_some_and(|inner| inner.format == SPIRV);
            let may_have = node.kind == NodeKind::Record || is_module;
            Some((section, may_have.then(|| self.module_text(section))??))
        });
        found.take(MODULES_MAX).collect()
    }
}

/// The lines of a module. A row is the index of a line below [`count`](ModuleText::count); an
/// instruction is one line, even if its text has line breaks.
pub trait ModuleText {
    /// Returns the bytes of the module.
    fn span(&self) -> Span;

    /// Returns the name of the representation: `SPIR-V`.
    fn language(&self) -> &'static str;

    /// Returns the number of lines.
    fn count(&self, sources: &Sources) -> u32;

    /// Returns a line.
    fn line(&self, row: u32, ids: IdStyle, sources: &Sources) -> Option<TextLine>;

    /// Returns the bytes of a line, without formatting it.
    fn bytes_of(&self, row: u32, sources: &Sources) -> Option<Span>;

    /// Returns the line of the byte at an offset of the source.
    fn row_at(&self, offset: u64, sources: &Sources) -> Option<u32>;

    /// Returns the line that defines an id.
    fn definition(&self, id: u32, sources: &Sources) -> Option<u32>;

    /// Returns the lines after `from` that refer to an id, at most `limit`, without its definition.
    fn uses(&self, id: u32, from: u32, limit: usize, sources: &Sources) -> Vec<u32>;

    /// Returns the name of an id without `%`.
    fn name(&self, id: u32, ids: IdStyle, sources: &Sources) -> String;

    /// Returns the lines of the function that starts at a line.
    fn function_at(&self, row: u32, sources: &Sources) -> Option<Range<u32>>;

    /// Returns the lines of each function, in order.
    fn functions(&self, sources: &Sources) -> Vec<FunctionLines>;

    /// Returns the lines of each function that a kernel reaches, its own first, without declarations.
    /// Empty if the module does not have the kernel.
    fn functions_of(&self, kernel: &str, sources: &Sources) -> Vec<FunctionLines>;

    /// Returns what the instruction of a line does. Other lines have none.
    fn operation(&self, row: u32, sources: &Sources) -> Option<ModuleOperation>;

    /// Returns the places in the source that the module states for its lines.
    fn places(&self, sources: &Sources) -> Rc<ModulePlaces>;
}

/// What an instruction of a module does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleOperation {
    /// The id that it defines.
    pub result: Option<u32>,
    /// The other ids, in order, the type of the result first.
    pub ids: Vec<u32>,
    /// Its kind.
    pub kind: OperationKind,
}

/// Kinds of instructions that are found again in the code for a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OperationKind {
    /// Starts a function.
    Function,
    /// Declares a parameter of a function.
    Parameter,
    /// Calls a function.
    Call {
        /// The id of the function.
        function: u32,
        /// The ids of the arguments.
        arguments: Vec<u32>,
    },
    /// A barrier of control.
    Barrier,
    /// An atomic operation.
    Atomic,
    /// A multiplication of matrices.
    MatrixMultiplication,
    /// Anything else.
    #[default]
    Other,
}

/// The places in the source of a module's lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModulePlaces {
    /// The source files.
    pub files: Vec<ModuleSource>,
    /// The places, by line: that of the line itself first, then the calls around it, the innermost
    /// first. Lines without a place have none.
    pub rows: Vec<RowPlace>,
}

impl ModulePlaces {
    /// Returns the places of a line.
    pub fn of(&self, row: u32) -> &[RowPlace] {
        let start = self.rows.partition_point(|known| known.row < row);
        let end = self.rows.partition_point(|known| known.row <= row);
        self.rows.get(start..end).unwrap_or_default()
    }
}

/// A source file that a module names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleSource {
    /// Its path, as the module states it.
    pub path: String,
    /// Its text, if the module has it.
    pub text: Option<String>,
}

/// The place of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlace {
    /// The line of the module.
    pub row: u32,
    /// Its place in the source.
    pub place: ModulePlace,
}

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModulePlace {
    /// Index of the file in [`ModulePlaces::files`].
    pub file: u32,
    /// One-based line number.
    pub line: u32,
    /// One-based column number; 0 if unknown.
    pub column: u32,
}

/// How ids are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum IdStyle {
    /// By name: its debug name, or a name made from a type or constant.
    #[default]
    Names,
    /// By number.
    Numbers,
}

/// The lines of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionLines {
    /// Its id.
    pub id: u32,
    /// From its first instruction to its last.
    pub rows: Range<u32>,
}

/// A line of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextLine {
    /// Its bytes in the file.
    pub span: Span,
    /// Its text, usually UTF-8, without the last line break.
    pub text: Vec<u8>,
    /// Its tokens, in the order of the text. Each byte in `span` belongs to one token.
    pub tokens: Vec<TextToken>,
    /// The reason why it does not match the grammar: the comment at the end of its text.
    pub problem: Option<String>,
}

/// A token of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextToken {
    /// Its first byte in the text.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// Its kind.
    pub kind: TokenKind,
    /// Its bytes in the file; empty for a comment.
    pub span: Span,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenKind {
    /// A field of the module's header.
    Header,
    /// The operation.
    Opcode,
    /// The id that the instruction defines.
    Result(u32),
    /// Another id.
    Id(u32),
    /// A number.
    Number,
    /// Text in quotation marks.
    Text,
    /// A named number, or named bits.
    Name,
    /// Bytes that the grammar does not define.
    Unknown,
    /// A comment about the line.
    Comment,
}

impl TokenKind {
    /// Returns its name: `opcode`.
    pub fn name(self) -> &'static str {
        match self {
            TokenKind::Header => "header",
            TokenKind::Opcode => "opcode",
            TokenKind::Result(_) => "result",
            TokenKind::Id(_) => "id",
            TokenKind::Number => "number",
            TokenKind::Text => "text",
            TokenKind::Name => "name",
            TokenKind::Unknown => "unknown",
            TokenKind::Comment => "comment",
        }
    }

    /// Returns its id.
    pub fn id(self) -> Option<u32> {
        match self {
            TokenKind::Result(id) | TokenKind::Id(id) => Some(id),
            TokenKind::Header
            | TokenKind::Opcode
            | TokenKind::Number
            | TokenKind::Text
            | TokenKind::Name
            | TokenKind::Unknown
            | TokenKind::Comment => None,
        }
    }
}

impl TextLine {
    /// Returns the line with invalid UTF-8 replaced, and its tokens in that text.
    pub fn readable(mut self) -> (String, Vec<TextToken>) {
        match String::from_utf8(std::mem::take(&mut self.text)) {
            Ok(text) => (text, self.tokens),
            Err(error) => {
                let bytes = error.into_bytes();
                let mut text = String::with_capacity(bytes.len());
                let mut done = 0;
                let mut copy = |text: &mut String, to: u32| {
                    let to = usize::try_from(to).unwrap_or(usize::MAX);
                    let part = bytes.get(done..to).unwrap_or(&[]);
                    text.push_str(&String::from_utf8_lossy(part));
                    done = to;
                    u32::try_from(text.len()).unwrap_or(u32::MAX)
                };
                for token in &mut self.tokens {
                    token.start = copy(&mut text, token.start);
                    token.end = copy(&mut text, token.end);
                }
                copy(&mut text, u32::try_from(bytes.len()).unwrap_or(u32::MAX));
                (text, self.tokens)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    #[test]
    fn tokens_follow_replaced_bytes() {
        let token = |start, end| TextToken {
            start,
            end,
            kind: TokenKind::Text,
            span: Span::with_len(SourceId::FILE, 0, 4),
        };
        let line = TextLine {
            text: b"\"a\xff\" x".to_vec(),
            tokens: vec![token(0, 4), token(5, 6)],
            ..TextLine::default()
        };
        let (text, tokens) = line.readable();
        assert_eq!(text, "\"a\u{fffd}\" x");
        let parts = tokens
            .iter()
            .map(|token| &text[token.start as usize..token.end as usize]);
        assert_eq!(parts.collect::<Vec<_>>(), ["\"a\u{fffd}\"", "x"]);
    }
}
