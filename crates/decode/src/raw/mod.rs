//! Unknown formats: parts with their entropy and strings, or the lines of a text.

pub mod code;

use std::ops::Range;
use std::rc::Rc;

use super::context::Context;
use super::format::{self, OpenedDocument};
use super::layout::Layout;
use super::reader::Window;
use super::text::{Lines, plural};
use super::{carve, limits, rules};
use zeview_core::model::{
    Capabilities, Doc, Expand, ExpanderId, Fact, Node, NodeKind, Rows, Sources, Span, Summary,
    Tone, Value,
};

/// Opens any bytes.
pub fn open(cx: &Context<'_>, span: Span) -> OpenedDocument {
    let head = Window::clamped(cx.sources, span.subspan(0, format::HEAD));
    let guess = guess(head.bytes());
    if may_have_images(guess) && !span.is_empty() {
        let images = carve::anywhere(cx, span, limits::HOST_SCAN);
        if !images.is_empty() {
            return container(cx, span, &images);
        }
    }
    let title = match guess {
        _ if span.is_empty() => "empty",
        Some(guess) => guess,
        None => UNKNOWN,
    };
    if span.is_empty() {
        cx.report(&rules::EMPTY_FILE, span, "the file has no bytes")
    } else {
        cx.report(
            &rules::UNRECOGNIZED,
            span.subspan(0, 16),
            format_args!("{title}: not a format zeview reads"),
        )
    }
    if archive(head.bytes()).is_some() {
        let message = format_args!("a {title}: not read");
        cx.report(&rules::PACKAGE_UNREAD, span.subspan(0, 16), message);
    }
    OpenedDocument {
        summary: Summary::new(
            "raw",
            title,
            vec![Fact {
                tone: Tone::Warning,
                ..Fact::new("format", title, None)
            }],
        )
        .with(Capabilities {
            unknown: !span.is_empty(),
            ..Capabilities::default()
        }),
        content: content(cx, span, guess == Some(TEXT)),
    }
}

/// The kind of files of unknown formats with images.
pub const CONTAINER: &str = "container";

/// Opens the images in the first `most` bytes of a nested file. Returns `None` if there are none, or if
/// the format is not unknown.
pub fn nested(cx: &Context<'_>, span: Span, most: u64) -> Option<OpenedDocument> {
    let head = Window::clamped(cx.sources, span.subspan(0, format::HEAD));
    if span.is_empty() || !may_have_images(guess(head.bytes())) {
        return None;
    }
    if !cx.sources.costs.work_on(span, span.len().min(most)) {
        let message =
            "not searched for device code: the files in this one are too large for its size";
        cx.report(&rules::TOO_MUCH, span, message);
        return None;
    }
    let images = carve::anywhere(cx, span, most);
    if images.is_empty() {
        return None;
    }
    cx.nest_in(span, || cx.inner(span, || container(cx, span, &images)))
}

/// The summary of the file that was compressed, if its format is unknown and it has no images.
pub fn unknown(cx: &Context<'_>, span: Span) -> Option<OpenedDocument> {
    let head = Window::clamped(cx.sources, span.subspan(0, format::HEAD));
    if span.is_empty() || format::kind(cx.formats, head.bytes()).is_some() {
        return None;
    }
    let title = guess(head.bytes()).unwrap_or(UNKNOWN);
    let has = Capabilities {
        unknown: true,
        ..Capabilities::default()
    };
    Some(OpenedDocument {
        summary: Summary::new("raw", title, Vec::new()).with(has),
        content: None,
    })
}

/// Opens the images that were found in an unknown format.
fn container(cx: &Context<'_>, span: Span, images: &[Span]) -> OpenedDocument {
    let count = plural(images.len() as u64, "image");
    let message = format_args!("unknown format: {count} found by their first bytes");
    cx.report(&rules::UNRECOGNIZED, span.subspan(0, 16), message);
    let (mut parts, mut opened) = (Vec::new(), Vec::new());
    for (index, image) in images.iter().enumerate() {
        let name = format!("image {index}");
        let document = format::nested(cx, *image);
        let node = format::nested_node(cx.sources, name.clone(), *image, document.as_ref());
        parts.push(node);
        opened.extend(document.map(|document| (name, *image, document)));
    }
    let listed = opened.iter();
    let listed = listed.map(|(name, image, document)| (name.as_str(), *image, document));
    let facts = format::image_facts(span, listed);
    let layout = Layout::arrange(cx, span, parts);
    let count = layout.region_count();
    OpenedDocument {
        summary: Summary::new(CONTAINER, "unknown format with device images", facts),
        content: Some((cx.register(Rc::new(layout)), 0, Some(count))),
    }
}

/// Maximum size of a text that is shown line by line, in bytes.
const LINES_MAX: u64 = 4 << 20;

fn content(cx: &Context<'_>, span: Span, is_text: bool) -> Option<(ExpanderId, u64, Option<u64>)> {
    if span.is_empty() {
        return None;
    }
    if is_text && span.len() <= LINES_MAX && cx.may_walk(span) {
        return Some((cx.register(Rc::new(Lines::new(span))), 0, None));
    }
    cx.gap(span);
    let parts = Rc::new(Parts { span });
    let count = parts.blocks(0).map(|(_, blocks)| blocks.end);
    Some((cx.register(parts), 0, count))
}

const PART_DOC: Doc = Doc::new(
    "64 KB of the file. The entropy is that of its bytes: 0 if all are equal, nearly 8 bits per byte in compressed or encrypted data.",
    "",
);

const GROUP_DOC: Doc = Doc::new("Parts of 64 KB each, or groups of them.", "");

const STRING_DOC: Doc = Doc::new("At least 6 printable ASCII characters.", "");

/// The parts of the bytes, each with its strings. A part is read when it is listed: the parts of a
/// large file are in groups, and these in larger ones.
struct Parts {
    span: Span,
}

/// A part or a group of parts, by its level and its index among the blocks of that level.
#[derive(Clone, Copy)]
struct Block {
    /// 0 for a part.
    level: u64,
    number: u64,
}

impl Block {
    /// The item of its contents; 0 is the top.
    fn item(self) -> u64 {
        (self.level + 1) << 56 | self.number
    }

    fn of_item(item: u64) -> Option<Block> {
        let level = (item >> 56).checked_sub(1)?;
        let number = item & ((1 << 56) - 1);
        Some(Block { level, number })
    }
}

impl Parts {
    /// Maximum number of groups at the top.
    const MOST: u64 = 256;
    /// Minimum number of characters of a string.
    const STRING: usize = 6;

    /// The size of blocks: 64 KB, then 1 MB, 256 MB, 64 GB …
    fn size(level: u64) -> u64 {
        match level.checked_sub(1) {
            None => 64 * 1024,
            Some(groups) => 1u64 << (20 + 8 * groups).min(62),
        }
    }

    /// The level of the blocks at the top.
    fn top(&self) -> u64 {
        let is_enough = |level: &u64| match level {
            0 => self.span.len() <= Self::size(1),
            level => self.span.len() / Self::size(*level) < Self::MOST,
        };
        (0..6).find(is_enough).unwrap_or(6)
    }

    fn span(&self, block: Block) -> Span {
        let size = Self::size(block.level);
        self.span.subspan(block.number.saturating_mul(size), size)
    }

    /// The blocks in an item. Returns `None` for the contents of a part.
    fn blocks(&self, item: u64) -> Option<(u64, Range<u64>)> {
        let (level, within) = match Block::of_item(item) {
            None => (self.top(), self.span),
            Some(block) => (block.level.checked_sub(1)?, self.span(block)),
        };
        let size = Self::size(level);
        let start = within.start.saturating_sub(self.span.start);
        let end = start.saturating_add(within.len());
        Some((level, start / size..end.div_ceil(size)))
    }

    /// Splits the bytes into strings and the bytes between them.
    fn pieces(bytes: &[u8]) -> Vec<(Range<usize>, bool)> {
        let mut pieces: Vec<(Range<usize>, bool)> = Vec::new();
        let is_printable = |byte: &u8| (b' '..=b'~').contains(byte);
        let mut start = 0;
        for run in bytes.chunk_by(|a, b| is_printable(a) == is_printable(b)) {
            let end = start + run.len();
            let is_string = run.len() >= Self::STRING && run.first().is_some_and(is_printable);
            match pieces.last_mut() {
                Some((range, false)) if !is_string => range.end = end,
                _ => pieces.push((start..end, is_string)),
            }
            start = end;
        }
        pieces
    }

    fn node(&self, block: Block, out: &Rows<'_>) -> Node {
        let span = self.span(block);
        let node = Node::gap(format!("{:#x}", span.start), span);
        if let Some((_, blocks)) = self.blocks(block.item()) {
            let count = blocks.end.saturating_sub(blocks.start);
            let node = node.value(Value::None).doc(&GROUP_DOC);
            return node.children(out.me, block.item(), Some(count));
        }
        let window = Window::clamped(out.sources, span);
        let pieces = Self::pieces(window.bytes());
        let strings = pieces.iter().filter(|(_, is_string)| *is_string).count() as u64;
        let entropy = entropy(window.bytes());
        let node = node.doc(&PART_DOC).summary(format!(
            "entropy {entropy:.2} bits per byte · {}",
            plural(strings, "string")
        ));
        match strings {
            0 => node,
            _ => {
                let count = Some(pieces.len() as u64);
                node.value(Value::None)
                    .children(out.me, block.item(), count)
            }
        }
    }

    fn piece_nodes(&self, part: Span, sources: &Sources) -> Vec<Node> {
        let window = Window::clamped(sources, part);
        let pieces = Self::pieces(window.bytes()).into_iter();
        let nodes = pieces.map(|(piece, is_string)| {
            let span = part.subspan(piece.start as u64, piece.len() as u64);
            if is_string {
                Node::gap("string", span)
                    .value(Value::text_from(window.bytes().get(piece).unwrap_or(&[])))
                    .doc(&STRING_DOC)
            } else {
                Node::gap("bytes", span)
            }
        });
        nodes.collect()
    }

    /// The contents of an item's part.
    fn pieces_of(&self, item: u64, sources: &Sources) -> Vec<Node> {
        let part = Block::of_item(item).map(|block| self.span(block));
        part.map_or_else(Vec::new, |part| self.piece_nodes(part, sources))
    }
}

impl Expand for Parts {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match self.blocks(item) {
            Some((_, blocks)) => blocks.end.saturating_sub(blocks.start),
            None => self.pieces_of(item, sources).len() as u64,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let Some((level, blocks)) = self.blocks(item) else {
            return out.push_range(self.pieces_of(item, out.sources), range);
        };
        let end = blocks.start.saturating_add(range.end).min(blocks.end);
        for number in blocks.start.saturating_add(range.start)..end {
            let node = self.node(Block { level, number }, out);
            out.push(node);
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        // A part has few pieces, so a linear search is enough.
        let (level, blocks) = self.blocks(item)?;
        let at = offset.checked_sub(self.span.start)?;
        let number = at / Self::size(level);
        let index = number.checked_sub(blocks.start);
        Some(
            index
                .filter(|_| blocks.contains(&number))
                .into_iter()
                .collect(),
        )
    }
}

/// The order-0 entropy of the bytes, in bits per byte: 0 to 8.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all: f64 = counts.iter().copied().map(f64::from).sum();
    let counts = counts.iter().filter(|count| **count > 0);
    let bits = counts.map(|count| {
        let share = f64::from(*count) / all;
        -share * share.log2()
    });
    bits.sum::<f64>().abs()
}

const TOO_LARGE_DOC: Doc = Doc::new(
    "Too large to decode in memory; the bytes are shown undecoded.",
    "",
);

/// The only row of bytes that exceed [`limits::DEEP`].
pub fn too_large(span: Span) -> Node {
    Node::new(NodeKind::Blob, "bytes", span)
        .value(Value::Bytes)
        .summary("not decoded")
        .doc(&TOO_LARGE_DOC)
}

const TEXT: &str = "text";
const ZEROS: &str = "zero bytes";
const UNKNOWN: &str = "unknown format";

/// Returns the name of a format of packages, or of compressed files, that zeview does not read:
/// there may be device code in it.
pub fn archive(head: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &'static str); 13] = [
        (b"7z\xbc\xaf\x27\x1c", "7z archive"),
        (b"Rar!\x1a\x07", "RAR archive"),
        (b"\xed\xab\xee\xdb", "RPM package"),
        (b"MSCF", "cabinet file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "compound file (MSI)"),
        (b"07070", "cpio archive"),
        (b"hsqs", "SquashFS image"),
        (b"xar!", "xar archive"),
        (b"\x04\x22\x4d\x18", "LZ4 file"),
        (b"LZIP", "lzip file"),
        (b"\x1f\x9d", "file of compress"),
        (b"\x5d\0\0\x80\0", "LZMA file"),
        (b"\x5d\0\0\0\x04", "LZMA file"),
    ];
    let mut known = known.into_iter();
    known.find_map(|(magic, name)| head.starts_with(magic).then_some(name))
}

/// Whether a file of this likely type is searched for images: zeros at the beginning say nothing of
/// what follows.
pub fn may_have_images(guess: Option<&str>) -> bool {
    guess.is_none_or(|guess| guess == ZEROS)
}

/// The likely type of the bytes, for users who opened the wrong file. Returns `None` if there is no
/// indication.
pub fn guess(head: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if let Some(name) = archive(head) {
        return Some(name);
    }
    Some(if starts(b"MZ") {
        "a Windows executable"
    } else if head.iter().all(|b| *b == 0) {
        ZEROS
    } else if std::str::from_utf8(head).is_ok_and(|t| !t.contains('\0')) {
        TEXT
    } else {
        return None;
    })
}
