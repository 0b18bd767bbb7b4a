//! What lies deep in few files and takes much to read: the instructions of SPIR-V and DWARF.
//!
//! Their readers are a part of their own (feature `deep`): natively it is built in, in the
//! browser it is a module that is loaded when somebody opens such a node for the first time
//! (`worker::rare_module`), before the answer is given. It is another module than the names and
//! general YAML of [`rare`](super::rare), because those are wanted whenever a file of C++
//! kernels is opened, and these only by who looks into it: together they would be twice as
//! much to load in either case.
//!
//! Between the two stands a [`Reading`]: the reader is handed the bytes of some [`Part`]s of the
//! file once, and then asked for rows, as an [`Expand`] is. It knows nothing of the file
//! around its parts: the spans of its rows count in them, and a [`Guest`] moves these to where
//! the parts stand. So the rows are the same wherever they are made.

pub mod pack;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::limits;
use super::rare::Rare;
use crate::model::{
    Content, Doc, Expand, Node, NodeKind, Rows, SourceId, Sources, Span, Value, Xref,
};

/// What there is a reader for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A module of SPIR-V: its only part.
    Spirv,
    /// The debug sections of an ELF file, and what they refer to: [`dwarf`](super::dwarf).
    Dwarf,
    /// A text of SYCL's property sets: its only part.
    Properties,
}

impl Subject {
    const ALL: &'static [Subject] = &[Subject::Spirv, Subject::Dwarf, Subject::Properties];

    /// A number for the way from one wasm module to another.
    pub fn code(self) -> u32 {
        let at = Subject::ALL.iter().position(|subject| *subject == self);
        at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
    }

    /// The other way of [`code`](Subject::code).
    pub fn of(code: u32) -> Option<Subject> {
        Subject::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// A part of the file that a reader is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name, where it has one.
    pub name: String,
    /// What else is to be known of it; which numbers, the subject decides.
    pub numbers: [u64; 4],
    /// Its bytes.
    pub span: Span,
    /// The reader gets the bytes, not only where they are.
    pub read: bool,
}

/// A part, with its bytes if the reader gets them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its name, where it has one.
    pub name: String,
    /// What else is to be known of it.
    pub numbers: [u64; 4],
    /// Its size.
    pub len: u64,
    /// Its bytes, or nothing.
    pub bytes: Vec<u8>,
}

/// Makes the rows of a subject; as an [`Expand`], but in another place.
///
/// The source of its spans is the number of the part, and they count from the part's first
/// byte. The expander in the content of its nodes is not looked at.
pub trait Reading {
    /// How many children `item` has.
    fn count(&self, item: u64) -> u64;

    /// The children `range` of `item`.
    fn rows(&self, item: u64, range: Range<u64>) -> Vec<Node>;

    /// The children of `item` that hold the byte at `offset` of a part, where that can be
    /// told faster than by looking at all of them.
    fn index_at(&self, item: u64, part: u32, offset: u64) -> Option<Vec<u64>> {
        let _ = (item, part, offset);
        None
    }
}

/// What came of asking for a reading.
pub enum Asked {
    /// There it is.
    Here(Rc<dyn Reading>),
    /// Its module is going to be loaded; whoever asks is going to be asked again.
    Later,
    /// It cannot be had.
    Never,
}

/// The item of the rows of a part.
pub const fn top(part: u32) -> u64 {
    (part as u64) << 40
}

/// Reads a subject, if that is built in.
#[cfg(feature = "deep")]
pub fn read(subject: Subject, pieces: Vec<Piece>) -> Rc<dyn Reading> {
    match subject {
        Subject::Spirv => Rc::new(super::spirv::module::Module::new(pieces)),
        Subject::Dwarf => Rc::new(super::dwarf::reading::Dwarf::new(pieces)),
        Subject::Properties => Rc::new(super::property_set::rows::Sets::new(pieces)),
    }
}

/// Shows the rows of a reading in a document.
pub struct Guest {
    rare: Rc<dyn Rare>,
    subject: Subject,
    parts: Vec<Part>,
    reading: RefCell<Option<Rc<dyn Reading>>>,
}

const ABSENT_DOC: Doc = Doc {
    text: "The part of zeview that takes these bytes apart could not be loaded.",
    source: "",
    known: &[],
};

impl Guest {
    /// The rows of these parts. Nothing is read or loaded before they are asked for.
    pub fn new(rare: Rc<dyn Rare>, subject: Subject, parts: Vec<Part>) -> Guest {
        Guest {
            rare,
            subject,
            parts,
            reading: RefCell::new(None),
        }
    }

    fn reading(&self, sources: &Sources) -> Asked {
        if let Some(reading) = &*self.reading.borrow() {
            return Asked::Here(Rc::clone(reading));
        }
        let wanted = self.parts.iter().filter(|part| part.read);
        if wanted.fold(0, |sum, part| part.span.len().saturating_add(sum)) > limits::DEEP {
            return Asked::Never;
        }
        let asked = self.rare.read(self.subject, &|| self.pieces(sources));
        if let Asked::Here(reading) = &asked {
            self.reading.replace(Some(Rc::clone(reading)));
        }
        asked
    }

    fn pieces(&self, sources: &Sources) -> Vec<Piece> {
        let piece = |part: &Part| Piece {
            name: part.name.clone(),
            numbers: part.numbers,
            len: part.span.len(),
            bytes: match part.read {
                // What cannot be read is said by the source itself.
                true => sources
                    .read(part.span)
                    .map_or_else(|_| Vec::new(), |b| b.to_vec()),
                false => Vec::new(),
            },
        };
        self.parts.iter().map(piece).collect()
    }

    /// All children of an item that no node of the document has; at most `most`. Nothing if
    /// they are to be asked for again later.
    pub fn all(&self, item: u64, most: u64, sources: &Sources) -> Option<Vec<Node>> {
        match self.reading(sources) {
            Asked::Here(reading) => {
                let mut nodes = reading.rows(item, 0..reading.count(item).min(most));
                for node in &mut nodes {
                    self.settle(node, crate::model::ExpanderId(0));
                }
                Some(nodes)
            }
            Asked::Later => None,
            Asked::Never => Some(Vec::new()),
        }
    }

    fn part(&self, id: SourceId) -> Option<&Part> {
        self.parts.get(usize::try_from(id.0).ok()?)
    }

    /// From a place in a part to a place in the file.
    fn place(&self, span: Span) -> Span {
        self.part(span.source).map_or(Span::default(), |part| {
            part.span.sub(span.start, span.len())
        })
    }

    /// Makes a node of the reading one of the document.
    fn settle(&self, node: &mut Node, me: crate::model::ExpanderId) {
        node.span = node.span.map(|span| self.place(span));
        for Xref { to, .. } in &mut node.xrefs {
            *to = self.place(*to);
        }
        if let Content::Lazy { expander, .. } = &mut node.content {
            *expander = me;
        }
    }

    /// The part whose rows `item` stands for.
    fn topped(&self, item: u64) -> Option<&Part> {
        let part = u32::try_from(item >> 40).ok()?;
        (item == top(part)).then(|| self.part(SourceId(part)))?
    }
}

impl Expand for Guest {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match self.reading(sources) {
            Asked::Here(reading) => reading.count(item),
            Asked::Later => 0,
            Asked::Never => u64::from(self.topped(item).is_some()),
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        match self.reading(out.sources) {
            Asked::Here(reading) => {
                for mut node in reading.rows(item, range) {
                    self.settle(&mut node, out.me);
                    out.push(node);
                }
            }
            Asked::Later => {}
            Asked::Never => {
                if let Some(part) = self.topped(item) {
                    out.push(
                        Node::new(NodeKind::Blob, "bytes", part.span)
                            .value(Value::Bytes)
                            .summary("not taken apart")
                            .doc(&ABSENT_DOC),
                    );
                }
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let Asked::Here(reading) = self.reading(sources) else {
            return None;
        };
        let number = self.parts.iter().position(|part| part.span.holds(offset))?;
        let part = self.parts.get(number)?;
        let number = u32::try_from(number).ok()?;
        reading.index_at(item, number, offset.checked_sub(part.span.start)?)
    }
}
