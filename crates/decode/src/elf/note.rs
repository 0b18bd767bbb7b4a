//! Notes. gABI, "Note Section". The owner of a note defines the meaning of its description; a
//! [`Vocabulary`] describes one owner.

use std::ops::Range;

use crate::Context;
use crate::limits;
use crate::names::{BitField, Decimal, known_name, push_bits};
use crate::reader::{Endian, Reader, Window};
use crate::record;
use crate::rules;
use crate::table::slice;
use zeview_core::model::{
    Doc, Expand, KnownValue, Node, NodeKind, Rows, Sources, Span, Str, Value,
};

record! {
    /// The header of a note.
    pub struct NoteHeader: "gABI, Note Section" {
        /// The size of the owner's name in bytes, with its NUL.
        n_namesz: u32 as Decimal,
        /// The size of the description in bytes.
        n_descsz: u32 as Decimal,
        /// The type; each owner has its own.
        n_type: u32 as Decimal,
    }
}

/// The byte ranges of a note.
#[derive(Debug, Clone, Copy)]
pub struct Note {
    /// Its header.
    pub header: NoteHeader,
    /// The owner's name with its NUL, without padding.
    pub name: Span,
    /// The description, without padding.
    pub desc: Span,
    /// The whole note, with padding.
    pub whole: Span,
}

/// A description as a value, and as text.
pub type Description = (Value, Option<Str>);

/// The meaning of an owner's notes.
#[derive(Debug)]
pub struct Vocabulary {
    /// The types.
    pub types: &'static [KnownValue],
    /// Decodes a description to a value and text.
    pub describe: fn(u32, &[u8], Endian) -> Description,
    /// Size of a description in bytes, where the type defines it.
    pub size: fn(u32) -> Option<u64>,
    /// The bits of a description.
    pub fields: fn(u32) -> &'static [BitField],
    /// Documentation of the description.
    pub doc: fn(u32) -> &'static Doc,
}

const NAME_DOC: Doc = Doc::new(
    "The owner of the note, with its terminating NUL.",
    "gABI, Note Section",
);
const DESC_DOC: Doc = Doc::new("The description.", "gABI, Note Section");
const REST_DOC: Doc = Doc::new(
    "The description is longer than its type requires; consumers ignore the rest.",
    "gABI, Note Section",
);
const PADDING_DOC: Doc = Doc::new("Padding to a multiple of 4 bytes.", "gABI, Note Section");

/// The vocabulary of unknown owners.
pub static FOREIGN: Vocabulary = Vocabulary {
    types: &[],
    describe: |_, bytes, _| (foreign(bytes), None),
    size: |_| None,
    fields: |_| &[],
    doc: |_| &DESC_DOC,
};

fn foreign(bytes: &[u8]) -> Value {
    let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let printable = |b: &u8| (b' '..=b'~').contains(b);
    if !text.is_empty() && text.iter().all(printable) {
        Value::text_from(text)
    } else {
        Value::Bytes
    }
}

/// Maps an owner to its vocabulary.
pub type Owners = fn(&[u8]) -> &'static Vocabulary;

/// A note in its stored form, since there may be many: its sizes determine the ranges of its parts.
struct CompactNote {
    /// The offset from the first note.
    start: u32,
    n_namesz: u32,
    n_descsz: u32,
    n_type: u32,
}

/// The notes of a section.
pub struct Notes {
    endian: Endian,
    /// The bytes that were walked.
    walked: Span,
    notes: Vec<CompactNote>,
    /// The bytes after the last readable note.
    rest: Span,
    owners: Owners,
}

impl Notes {
    /// Walks the notes in `span` and reports errors.
    pub fn walk(cx: &Context<'_>, span: Span, endian: Endian, owners: Owners) -> Notes {
        let most = if cx.may_walk(span.subspan(0, limits::NOTES)) {
            limits::NOTES
        } else {
            0
        };
        let window = Window::clamped(cx.sources, span.subspan(0, most));
        let mut reader = window.reader(endian);
        let mut notes = Vec::new();
        if span.len() > most && most > 0 {
            cx.report(
                &rules::TOO_MANY,
                span,
                "the section is too large: not all notes are decoded",
            );
        }
        let mut rest = window.span();
        while !reader.rest().is_empty() {
            rest = reader.rest();
            match read_note(&mut reader) {
                Ok(note) => {
                    if note.whole.end > span.end {
                        cx.report(
                            &rules::ELF_NOTE_OUT_OF_BOUNDS,
                            note.desc,
                            "the section ends before the padding of its last note",
                        );
                    }
                    for pad in paddings(&note) {
                        cx.padding(pad.intersect(span));
                    }
                    let start = note.whole.start.saturating_sub(window.span().start);
                    notes.push(CompactNote {
                        start: u32::try_from(start).unwrap_or(u32::MAX),
                        n_namesz: note.header.n_namesz,
                        n_descsz: note.header.n_descsz,
                        n_type: note.header.n_type,
                    });
                    rest = reader.rest();
                }
                Err(header) => {
                    report_rest(cx, rest, header);
                    break;
                }
            }
        }
        let rest = Span::new(span.source, rest.start, span.end);
        cx.gap(rest);
        notes.shrink_to_fit();
        Notes {
            endian,
            walked: window.span(),
            notes,
            rest,
            owners,
        }
    }

    /// The notes.
    pub fn list(&self) -> impl ExactSizeIterator<Item = Note> + '_ {
        self.notes.iter().map(|kept| self.unfold(kept))
    }

    /// Restores the byte ranges of a note.
    fn unfold(&self, kept: &CompactNote) -> Note {
        let all = self.walked.skip(kept.start.into());
        let (namesz, descsz) = (u64::from(kept.n_namesz), u64::from(kept.n_descsz));
        let rest = all.skip(NoteHeader::SIZE);
        let name = rest.subspan(0, namesz);
        let rest = rest.skip(namesz + pad4(namesz));
        let desc = rest.subspan(0, descsz);
        let rest = rest.skip(descsz + pad4(descsz));
        Note {
            header: NoteHeader {
                origin: all.subspan(0, NoteHeader::SIZE),
                n_namesz: kept.n_namesz,
                n_descsz: kept.n_descsz,
                n_type: kept.n_type,
            },
            name,
            desc,
            whole: Span::new(all.source, all.start, rest.start),
        }
    }

    /// The item of the section.
    pub const SECTION: u64 = u64::MAX;
    /// Set in an item: the bits of the description.
    const DESC: u64 = 1 << 56;

    /// The index of the note that contains the byte. Returns `None` if there is none.
    fn index_of(&self, offset: u64) -> Option<u64> {
        let ends_before = |kept: &CompactNote| self.unfold(kept).whole.end <= offset;
        let index = self.notes.partition_point(ends_before) as u64;
        let rest = (index == self.notes.len() as u64).then_some(self.rest);
        let whole = self.note(index).map(|n| n.whole).or(rest)?;
        whole.contains_offset(offset).then_some(index)
    }

    fn note(&self, index: u64) -> Option<Note> {
        let kept = self.notes.get(usize::try_from(index).ok()?)?;
        Some(self.unfold(kept))
    }

    fn vocabulary(&self, sources: &Sources, note: &Note) -> &'static Vocabulary {
        let name = Window::clamped(sources, note.name.subspan(0, 256));
        (self.owners)(name.bytes())
    }

    fn node(&self, note: &Note, index: u64, out: &Rows<'_>) -> Node {
        let vocabulary = self.vocabulary(out.sources, note);
        let kind = note.header.n_type;
        let name: Str = match known_name(vocabulary.types, kind.into()) {
            Some(name) => name.into(),
            None => format!("note of type {kind}").into(),
        };
        let described = self.described(note, vocabulary);
        let desc = Window::clamped(out.sources, described.subspan(0, 4096));
        let (value, words) = (vocabulary.describe)(kind, desc.bytes(), self.endian);
        let summary = words.unwrap_or_else(|| zeview_core::model::text::value_text(&value).into());
        let node = Node::new(NodeKind::Item, name, note.whole)
            .children(
                out.me,
                index,
                Some(self.parts(note, vocabulary).len() as u64),
            )
            .doc((vocabulary.doc)(kind));
        if summary.is_empty() {
            node
        } else {
            node.summary(summary)
        }
    }

    /// The part of the description that its type covers: all, or the first few bytes.
    fn described(&self, note: &Note, vocabulary: &Vocabulary) -> Span {
        match (vocabulary.size)(note.header.n_type) {
            Some(size) => note.desc.subspan(0, size),
            None => note.desc,
        }
    }

    /// The rows of a note: the header's fields, the name, the description, and padding.
    fn parts(&self, note: &Note, vocabulary: &Vocabulary) -> Vec<Part> {
        let mut parts = vec![Part::Header(0), Part::Header(1), Part::Header(2)];
        let [after_name, after_desc] = paddings(note);
        if !note.name.is_empty() {
            parts.push(Part::Name);
        }
        if !after_name.is_empty() {
            parts.push(Part::Padding(after_name));
        }
        let described = self.described(note, vocabulary);
        if !described.is_empty() {
            parts.push(Part::Desc(described));
        }
        let rest = note.desc.skip(described.len());
        if !rest.is_empty() {
            parts.push(Part::Rest(rest));
        }
        if !after_desc.is_empty() {
            parts.push(Part::Padding(after_desc));
        }
        parts
    }

    fn part(&self, note: &Note, index: u64, part: Part, out: &mut Rows<'_>) {
        let vocabulary = self.vocabulary(out.sources, note);
        let kind = note.header.n_type;
        match part {
            Part::Header(field) => {
                note.header.push_rows(field..field + 1, out);
            }
            Part::Name => {
                let bytes = Window::clamped(out.sources, note.name.subspan(0, 4096));
                let text = bytes.bytes();
                let text = text.strip_suffix(&[0]).unwrap_or(text);
                out.push(Node::field("name", Value::text_from(text), note.name).doc(&NAME_DOC));
            }
            Part::Desc(span) => {
                let bytes = Window::clamped(out.sources, span.subspan(0, 4096));
                let (value, words) = (vocabulary.describe)(kind, bytes.bytes(), self.endian);
                let mut node = Node::field("desc", value, span).doc((vocabulary.doc)(kind));
                if let Some(words) = words {
                    node = node.summary(words);
                }
                let fields = (vocabulary.fields)(kind);
                if !fields.is_empty() && note.desc.len() >= 4 {
                    node = node.children(out.me, index | Self::DESC, Some(fields.len() as u64));
                }
                out.push(node);
            }
            Part::Rest(span) => out.push(
                Node::new(NodeKind::Blob, "rest of desc", span)
                    .value(Value::Bytes)
                    .doc(&REST_DOC),
            ),
            Part::Padding(span) => out.push(Node::padding(span).doc(&PADDING_DOC)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Header(u64),
    Name,
    Desc(Span),
    Rest(Span),
    Padding(Span),
}

/// The padding after the name and after the description.
fn paddings(note: &Note) -> [Span; 2] {
    let source = note.whole.source;
    [
        Span::new(source, note.name.end, note.desc.start),
        Span::new(source, note.desc.end, note.whole.end),
    ]
}

/// Reads one note. On failure, returns the header if that is complete.
fn read_note(reader: &mut Reader<'_>) -> Result<Note, Option<NoteHeader>> {
    let start = reader.rest();
    let mut at = *reader;
    let header = NoteHeader::read(&mut at).map_err(|_| None)?;
    let (namesz, descsz) = (u64::from(header.n_namesz), u64::from(header.n_descsz));
    let name = at.bytes(namesz).map_err(|_| Some(header))?.span;
    // Name and description start and end at multiples of 4 from the note's start, regardless of
    // sh_addralign: the compiler writes them so, and the driver reads them so.
    at.bytes(pad4(namesz))
        // Without a description, nothing after the name is needed.
        .or_else(|e| {
            if descsz == 0 {
                at.bytes(at.rest().len())
            } else {
                Err(e)
            }
        })
        .map_err(|_| Some(header))?;
    let desc = at.bytes(descsz).map_err(|_| Some(header))?.span;
    let padding = pad4(descsz).min(at.rest().len());
    let end = at.bytes(padding).map_err(|_| Some(header))?.span.end;
    *reader = at;
    Ok(Note {
        header,
        name,
        desc,
        whole: Span::new(start.source, start.start, end),
    })
}

fn pad4(len: u64) -> u64 {
    len.wrapping_neg() % 4
}

fn report_rest(cx: &Context<'_>, rest: Span, header: Option<NoteHeader>) {
    match header {
        None => cx.report(
            &rules::ELF_NOTE_REMAINDER,
            rest,
            format_args!("{} bytes follow the last note", rest.len()),
        ),
        Some(header) => {
            let need = u64::from(header.n_namesz).saturating_add(header.n_descsz.into());
            let there = rest.len().saturating_sub(NoteHeader::SIZE);
            cx.report_with(
                &rules::ELF_NOTE_OUT_OF_BOUNDS,
                header.origin.subspan(0, 8),
                format_args!(
                    "name and description need {need} bytes, but only {there} are in the section"
                ),
                &[(rest, "the rest of the section")],
                None,
            );
        }
    }
}

impl Expand for Notes {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match item {
            Self::SECTION => self.notes.len() as u64 + u64::from(!self.rest.is_empty()),
            _ if item & Self::DESC != 0 => self.note(item & !Self::DESC).map_or(0, |n| {
                (self.vocabulary(sources, &n).fields)(n.header.n_type).len() as u64
            }),
            _ => self.note(item).map_or(0, |n| {
                self.parts(&n, self.vocabulary(sources, &n)).len() as u64
            }),
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        (item == Self::SECTION).then(|| self.index_of(offset).into_iter().collect())
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == Self::SECTION {
            for index in range {
                let node = match self.note(index) {
                    Some(note) => self.node(&note, index, out),
                    None => Node::gap("trailing bytes", self.rest),
                };
                out.push(node);
            }
            return;
        }
        let index = item & !Self::DESC;
        let Some(note) = self.note(index) else { return };
        if item & Self::DESC != 0 {
            let word = note.desc.subspan(0, 4);
            let bytes = Window::clamped(out.sources, word);
            let raw = crate::reader::uint(bytes.bytes(), self.endian);
            let fields = (self.vocabulary(out.sources, &note).fields)(note.header.n_type);
            push_bits(fields, raw, word, range, out);
            return;
        }
        let vocabulary = self.vocabulary(out.sources, &note);
        for part in slice(&self.parts(&note, vocabulary), range) {
            self.part(&note, index, *part, out);
        }
    }
}
