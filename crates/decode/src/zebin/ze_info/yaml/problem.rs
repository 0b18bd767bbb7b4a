//! The problems that the reader reports.

use super::Extent;

macro_rules! problem_kinds {
    ($($(#[$doc:meta])* $name:ident = $summary:literal,)*) => {
        /// A kind of error or unusual construct.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ProblemKind {
            $($(#[$doc])* $name,)*
        }

        impl ProblemKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// A one-line summary without a position.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Self::$name => $summary,)*
                }
            }
        }
    };
}

problem_kinds! {
    // Bytes.
    /// U+FEFF at the start of the text or of a line.
    ByteOrderMark = "byte order mark",
    /// Bytes that are not UTF-8; they are kept.
    NotUtf8 = "not UTF-8",
    /// A control character, such as a NUL, inside the text.
    ControlCharacter = "control character",
    /// A carriage return without a line feed; read as the end of a line.
    BareCarriageReturn = "line ends with a carriage return only",
    /// U+0085, U+2028 or U+2029: line breaks in YAML 1.1, not in YAML 1.2, not here.
    UnicodeLineBreak = "line break other than CR or LF",
    /// NULs after the text. The runtime accepts them.
    TrailingNul = "NUL bytes after the text",

    // Lines.
    /// A tab in the indentation. It counts as four columns, as in the runtime, which warns.
    TabIndentation = "tab in the indentation",
    /// The indentation matches no surrounding line; the line was read as part of the nearest
    /// mapping or sequence.
    Indentation = "indentation matches no enclosing mapping or sequence",
    /// `key:value`. The runtime reads it as key and value, YAML as one scalar.
    ColonWithoutBlank = "no blank after the colon",
    /// `-key: value`. The runtime reads an item, YAML a key that starts with a dash.
    DashWithoutBlank = "no blank after the dash",
    /// A line without a key where an entry of a mapping is expected.
    NotAnEntry = "line without a key: expected `key: value`",
    /// An item in a mapping, a key in a sequence, or a second value at the top.
    Misplaced = "line does not belong to the mapping or sequence it is in",
    /// `// …`: not YAML. The runtime rejects it (observed with release 26.27).
    SlashComment = "comment with two slashes",
    /// The value is on the line below its key or dash.
    ValueOnNextLine = "value on the next line",

    // Values.
    /// A quote that is not closed on its line. The rest of the line is the value.
    UnclosedQuote = "unclosed quote",
    /// An unknown or incomplete escape in double quotes.
    BadEscape = "unknown escape in double quotes",
    /// Text after a closing quote or bracket.
    TextAfterValue = "text after the value",
    /// A second `: ` on the line.
    ColonInValue = "second colon in the value",
    /// A plain scalar that starts with a character that YAML reserves.
    ReservedIndicator = "value starts with a reserved character",
    /// `[` or `{` that is not closed.
    UnclosedBracket = "unclosed bracket",
    /// Commas or brackets that are missing or too many.
    FlowSyntax = "missing or stray comma or bracket",
    /// `{…}`. The runtime rejects it (observed with release 26.27).
    FlowMapping = "flow mapping",

    // YAML outside the subset.
    /// `&name`.
    Anchor = "anchor",
    /// `*name`.
    Alias = "alias",
    /// `!name`.
    Tag = "tag",
    /// The key `<<`.
    MergeKey = "merge key",
    /// `|` or `>`.
    BlockScalar = "block scalar",
    /// A plain scalar that continues on the next line.
    MultiLineScalar = "multi-line scalar",
    /// `? key`.
    ComplexKey = "complex key",
    /// `[a: 1]`.
    FlowPair = "key and value inside a flow sequence",
    /// `%…`.
    Directive = "directive",
    /// A second document in the same text.
    SecondDocument = "second document",

    // Limits.
    /// Mappings and sequences are nested too deeply ([`Limits::depth`](super::Limits)).
    TooDeep = "nested too deeply",
    /// Too many nodes ([`Limits::nodes`](super::Limits)); the rest of the text is one node.
    TooManyNodes = "too many values",
}

impl ProblemKind {
    /// Returns whether the text may be valid YAML that the reader does not decode.
    pub fn is_outside_subset(self) -> bool {
        matches!(
            self,
            Self::UnicodeLineBreak
                | Self::UnclosedQuote
                | Self::Anchor
                | Self::Alias
                | Self::Tag
                | Self::MergeKey
                | Self::BlockScalar
                | Self::MultiLineScalar
                | Self::ComplexKey
                | Self::FlowPair
                | Self::Directive
                | Self::SecondDocument
        )
    }
}

/// A problem that the reader found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The affected bytes.
    pub at: Extent,
    /// Number of the line (from 1).
    pub line: u32,
}

impl Problem {
    /// Maximum number of problems kept per kind; further ones are only counted.
    pub const KEPT: u32 = 100;
}

/// Problems, limited by kind.
#[derive(Debug, Clone)]
pub(super) struct Problems {
    kept: Vec<Problem>,
    counts: [u32; ProblemKind::ALL.len()],
}

impl Problems {
    pub(super) fn new() -> Self {
        Self {
            kept: Vec::new(),
            counts: [0; ProblemKind::ALL.len()],
        }
    }

    pub(super) fn push(&mut self, problem: Problem) {
        let Some(count) = self.counts.get_mut(problem.kind as usize) else {
            return;
        };
        *count = count.saturating_add(1);
        if *count <= Problem::KEPT {
            self.kept.push(problem);
        }
    }

    pub(super) fn kept(&self) -> &[Problem] {
        &self.kept
    }

    pub(super) fn count(&self, kind: ProblemKind) -> u32 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }
}
