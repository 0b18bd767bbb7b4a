//! The operands of an instruction: SPIR-V, 2.2.1 Instructions, and the grammar.

use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};

use super::grammar::{self, Grammar, NamedValues};
use super::module::Module;

/// An operand: its words, and their content.
#[derive(Debug, PartialEq)]
pub(super) struct Operand {
    /// Its name, as in the grammar.
    pub(super) name: &'static str,
    /// The index of its first word; 0 is the opcode's.
    pub(super) at: usize,
    /// Number of words.
    pub(super) len: usize,
    /// The first two words.
    pub(super) words: Vec<u32>,
    /// The content of the words.
    pub(super) content: OperandContent,
}

/// The content of an operand.
#[derive(Debug, PartialEq)]
pub(super) enum OperandContent {
    /// The id of the result.
    Result(u32),
    /// Another id.
    Id(u32),
    /// A number.
    Number(u32),
    /// A number of a type that is defined elsewhere.
    Literal(Option<Number>),
    /// A named number, or named bits.
    Named(NamedValues),
    /// The name of a number in another table: an opcode, an extended instruction.
    Of(Option<String>),
    /// Text.
    Text(String),
    /// Words that the grammar does not define.
    Words,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// Its width in bits.
    pub(super) bits: u32,
    /// Whether it is signed.
    pub(super) signed: bool,
    /// Whether it is floating-point.
    pub(super) float: bool,
}

/// Decodes the operands of an instruction with these words.
pub(super) fn operands(grammar: Option<Grammar>, words: &[u32], module: &Module) -> Vec<Operand> {
    let mut walk = Walk {
        words,
        at: 1,
        out: Vec::new(),
        result_type: None,
        first_id: None,
        module,
    };
    if let Some(grammar) = grammar {
        walk.list(grammar.operands);
    }
    if walk.at < words.len() {
        walk.push("words", words.len() - walk.at, OperandContent::Words);
    }
    walk.out
}

struct Walk<'a> {
    words: &'a [u32],
    at: usize,
    out: Vec<Operand>,
    result_type: Option<u32>,
    /// The first id after the result and its type.
    first_id: Option<u32>,
    module: &'a Module,
}

impl Walk<'_> {
    fn word(&self) -> Option<u32> {
        self.words.get(self.at).copied()
    }

    fn push(&mut self, name: &'static str, len: usize, content: OperandContent) {
        let len = len.min(self.words.len().saturating_sub(self.at));
        let own = self.words.get(self.at..).unwrap_or(&[]);
        self.out.push(Operand {
            name,
            at: self.at,
            len,
            words: own.iter().take(len.min(2)).copied().collect(),
            content,
        });
        self.at += len;
    }

    fn list(&mut self, list: &[LogicalOperand]) {
        for operand in list {
            match operand.quantifier {
                OperandQuantifier::One | OperandQuantifier::ZeroOrOne => self.one(operand.kind),
                OperandQuantifier::ZeroOrMore => {
                    let mut before = usize::MAX;
                    // Ends as well if an operand takes no word.
                    while self.at < self.words.len() && self.at != before {
                        before = self.at;
                        self.one(operand.kind);
                    }
                }
            }
        }
    }

    /// Decodes an operand of a kind, and the operands that it adds.
    fn one(&mut self, kind: OperandKind) {
        let Some(word) = self.word() else {
            return;
        };
        if let Some((named, more)) = grammar::named(kind, word) {
            self.push(title(kind), 1, OperandContent::Named(named));
            return self.list(&more);
        }
        match kind {
            OperandKind::IdResultType => {
                self.result_type = Some(word);
                self.push("Result Type", 1, OperandContent::Id(word));
            }
            OperandKind::IdResult => self.push("Result", 1, OperandContent::Result(word)),
            OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                self.push(title(kind), 1, OperandContent::Id(word));
            }
            OperandKind::IdRef => self.id(),
            OperandKind::LiteralInteger => self.push("Literal", 1, OperandContent::Number(word)),
            OperandKind::LiteralFloat => {
                let number = Number {
                    bits: 32,
                    signed: true,
                    float: true,
                };
                self.push("Literal", 1, OperandContent::Literal(Some(number)));
            }
            OperandKind::LiteralString => self.text(),
            OperandKind::LiteralContextDependentNumber => {
                let number = self.result_type.and_then(|id| self.module.number(id));
                let rest = self.words.len() - self.at;
                self.push("Literal", rest, OperandContent::Literal(number));
            }
            OperandKind::LiteralExtInstInteger => {
                let set = self.first_id.and_then(|id| self.module.set(id));
                let name = set.and_then(|set| grammar::extended(&set, word));
                self.push(
                    "Instruction",
                    1,
                    OperandContent::Of(name.map(str::to_owned)),
                );
            }
            OperandKind::LiteralSpecConstantOpInteger => self.operation(word),
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = self.first_id.and_then(|id| self.module.type_of(id));
                let number = selector.and_then(|id| self.module.number(id));
                let long = number.is_some_and(|number| number.bits > 32);
                self.push(
                    "Literal",
                    if long { 2 } else { 1 },
                    OperandContent::Literal(number),
                );
                self.id();
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id();
                if let Some(word) = self.word() {
                    self.push("Literal", 1, OperandContent::Number(word));
                }
            }
            OperandKind::PairIdRefIdRef => {
                self.id();
                self.id();
            }
            // Operands of extended instructions: the core grammar has ids for them.
            _ => self.push("word", 1, OperandContent::Number(word)),
        }
    }

    fn id(&mut self) {
        if let Some(word) = self.word() {
            self.first_id.get_or_insert(word);
            self.push("Id", 1, OperandContent::Id(word));
        }
    }

    /// Text ends with the word that contains the NUL.
    fn text(&mut self) {
        let rest = self.words.get(self.at..).unwrap_or(&[]);
        let bytes = rest.iter().flat_map(|word| word.to_le_bytes());
        let text: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        let len = text.len() / 4 + 1;
        let text = String::from_utf8_lossy(&text).into_owned();
        self.push("Literal", len, OperandContent::Text(text));
    }

    /// OpSpecConstantOp names an instruction and has its operands, except the result.
    fn operation(&mut self, word: u32) {
        let operation = u16::try_from(word).ok().and_then(grammar::instruction);
        let name = operation.map(|grammar| format!("Op{}", grammar.opname));
        self.push("Opcode", 1, OperandContent::Of(name));
        let own = |operand: &&LogicalOperand| {
            !matches!(
                operand.kind,
                OperandKind::IdResultType
                    | OperandKind::IdResult
                    | OperandKind::LiteralSpecConstantOpInteger
            )
        };
        let list = operation.map_or(&[][..], |grammar| grammar.operands);
        let list: Vec<LogicalOperand> = list.iter().filter(own).cloned().collect();
        self.list(&list);
    }
}

/// Returns the grammar's name for a kind that has only names.
fn title(kind: OperandKind) -> &'static str {
    macro_rules! titles {
        ($($kind:ident = $title:literal)*) => {
            match kind {
                $(OperandKind::$kind => $title,)*
                _ => "Enumerant",
            }
        };
    }
    titles! {
        SourceLanguage = "Source Language"
        ExecutionModel = "Execution Model"
        AddressingModel = "Addressing Model"
        MemoryModel = "Memory Model"
        ExecutionMode = "Execution Mode"
        StorageClass = "Storage Class"
        Dim = "Dim"
        SamplerAddressingMode = "Sampler Addressing Mode"
        SamplerFilterMode = "Sampler Filter Mode"
        ImageFormat = "Image Format"
        ImageChannelOrder = "Image Channel Order"
        ImageChannelDataType = "Image Channel Data Type"
        FPRoundingMode = "FP Rounding Mode"
        LinkageType = "Linkage Type"
        AccessQualifier = "Access Qualifier"
        HostAccessQualifier = "Host Access Qualifier"
        FunctionParameterAttribute = "Function Parameter Attribute"
        Decoration = "Decoration"
        BuiltIn = "BuiltIn"
        Scope = "Scope"
        IdScope = "Scope"
        IdMemorySemantics = "Memory Semantics"
        GroupOperation = "Group Operation"
        Capability = "Capability"
        ImageOperands = "Image Operands"
        FPFastMathMode = "FP Fast Math Mode"
        SelectionControl = "Selection Control"
        LoopControl = "Loop Control"
        FunctionControl = "Function Control"
        MemorySemantics = "Memory Semantics"
        MemoryAccess = "Memory Operands"
        LoadCacheControl = "Cache Control"
        StoreCacheControl = "Cache Control"
        InitializationModeQualifier = "Initialization Mode"
    }
}
