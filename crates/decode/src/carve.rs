//! Finds images by their signatures where no index lists them: in sections of host files, where they
//! are aligned, and in files of unknown formats, where they may start at any byte.

use crate::reader::{Endian, Window, uint};
use crate::{Context, limits, rules};
use zeview_core::model::{Sources, Span};

/// Returns the format of an image, by its signature.
pub fn kind(head: &[u8]) -> &'static str {
    match head {
        [0x03, 0x02, 0x23, 0x07, ..] => "spirv",
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => "ar",
        [0x7f, b'E', b'L', b'F', rest @ ..] => match rest.get(14..16) {
            Some([190, 0]) => "cuda-elf",
            Some([224, 0]) => "amdgpu-elf",
            // Code for the host's processor: x86-64, AArch64, RISC-V.
            Some([62 | 183 | 243, 0]) => "elf",
            // Zebins of 2020 have the product family as machine.
            _ => "zebin",
        },
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => "bitcode",
        [0x10, 0xff, 0x10, 0xad, ..] => "offload-binary",
        [b'I', b'B', b'Y', b'S', ..] => "syclbin",
        _ => "other",
    }
}

/// Number of bytes that make a signature certain.
const HEAD: usize = 68;

/// Whether bytes are more of a header than a magic number: random bytes have those.
fn is_certain(head: &[u8]) -> bool {
    match kind(head) {
        "zebin" => {
            let is_intel = head.get(18..20) == Some(&[205, 0]);
            // Zebins of 2020 have other machines, but already the types that only zebins have.
            let is_old = matches!(head.get(16..18), Some([0x11..=0x13, 0xff]));
            head.get(4..7) == Some(&[2, 1, 1]) && (is_intel || is_old)
        }
        "spirv" => {
            // Versions 1.0 to 1.6, a bound of the ids, and the reserved word, 0 (SPIR-V, section
            // 2.3).
            let has_version = matches!(head.get(4..8), Some([0, 0..=6, 1, 0]));
            let has_bound = head.get(12..16).is_some_and(|bound| bound != [0; 4]);
            has_version && has_bound && head.get(16..20) == Some(&[0; 4])
        }
        // The end of the first member's header.
        "ar" => head.get(66..68) == Some(b"`\n"),
        _ => false,
    }
}

/// Finds zebins, archives and SPIR-V that start at any of the first `most` bytes, in order. Reports
/// bytes that are not searched.
pub fn anywhere(cx: &Context<'_>, bytes: Span, most: u64) -> Vec<Span> {
    let searched = bytes.subspan(0, most);
    let (images, is_all) = search(cx.sources, searched);
    let last = images.last().map_or(bytes.start, |last| last.end);
    let start = if is_all { last.max(searched.end) } else { last };
    let rest = Span::new(bytes.source, start, bytes.end);
    if !rest.is_empty() {
        cx.report(
            &rules::TOO_MUCH,
            rest,
            "the rest is not searched for device code",
        );
    }
    images
}

/// A search for the first image in bytes that come in pieces, in order.
#[derive(Debug, Clone, Default)]
pub struct Search {
    heads: Heads,
    found: bool,
}

impl Search {
    /// Searches a piece that starts at byte `at` of `len` bytes. What came before is skipped.
    pub fn extend(&mut self, at: u64, piece: &[u8], len: u64) {
        let found = &mut self.found;
        self.heads.extend(at, piece, len, &mut |start, head| {
            *found |= has_room(head, len.saturating_sub(start));
            // The first one is enough.
            if *found { len } else { start.saturating_add(1) }
        });
    }

    /// Whether an image was found.
    pub fn found(&self) -> bool {
        self.found
    }

    /// Number of bytes that were searched.
    pub fn searched(&self) -> u64 {
        self.heads.at
    }
}

/// The certain headers in bytes that come in pieces, in order.
#[derive(Debug, Clone, Default)]
struct Heads {
    /// Number of bytes that came so far.
    at: u64,
    /// The last bytes, too few to tell whether an image starts there.
    tail: Vec<u8>,
    /// No header is searched before this offset.
    next: u64,
}

impl Heads {
    /// Searches a piece that starts at byte `at` of `len` bytes. What came before is skipped. Calls
    /// `found` for each header with its offset and the bytes there, at least [`HEAD`] of them unless
    /// the file ends; it returns the offset at which the search goes on.
    fn extend(
        &mut self,
        at: u64,
        piece: &[u8],
        len: u64,
        found: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) {
        let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let piece = piece.get(index(self.at.saturating_sub(at))..);
        let piece = piece.unwrap_or(&[]);
        if at > self.at {
            self.tail = Vec::new();
        }
        let mut start = self.at.max(at);
        self.at = start.saturating_add(piece.len() as u64);
        if piece.is_empty() || self.next >= self.at {
            self.tail = Vec::new();
            return;
        }
        let mut bytes = std::mem::take(&mut self.tail);
        start = start.saturating_sub(bytes.len() as u64);
        bytes.extend_from_slice(piece);
        let end = if self.at < len {
            bytes.len().saturating_sub(HEAD)
        } else {
            bytes.len()
        };
        let mut from = index(self.next.saturating_sub(start));
        while let Some(rest) = bytes.get(from..)
            && let Some(skip) = rest.iter().position(is_first)
            && from.saturating_add(skip) < end
        {
            from = from.saturating_add(skip);
            let head = bytes.get(from..).unwrap_or(&[]);
            let offset = start.saturating_add(from as u64);
            self.next = offset.saturating_add(1);
            if is_certain(head) {
                self.next = found(offset, head).max(self.next);
            }
            from = index(self.next.saturating_sub(start));
        }
        self.tail = bytes.split_off(end);
    }
}

/// Whether a byte may start an image.
fn is_first(byte: &u8) -> bool {
    matches!(byte, 0x7f | 0x03 | b'!')
}

/// Whether an image with this certain header fits into the bytes from there on.
fn has_room(head: &[u8], bytes: u64) -> bool {
    match kind(head) {
        "spirv" => {
            let count = uint(head.get(22..24).unwrap_or(&[]), Endian::Little);
            count > 0 && count.saturating_mul(4).saturating_add(20) <= bytes
        }
        "zebin" => sections_end(head).is_some_and(|end| (1..=bytes).contains(&end)),
        _ => true,
    }
}

/// Also returns whether all bytes were searched: there may be as many images as the size of the file
/// allows.
fn search(sources: &Sources, bytes: Span) -> (Vec<Span>, bool) {
    const PIECE: u64 = 1 << 18;
    let most = limits::DOCUMENTS.saturating_add(bytes.len() / limits::DOCUMENT_BYTES);
    let mut images = Vec::new();
    let mut is_all = true;
    let mut heads = Heads::default();
    while is_all && heads.at < bytes.len() {
        // The bytes of an image are not read.
        let at = heads.at.max(heads.next);
        let window = Window::clamped(sources, bytes.subspan(at, PIECE));
        if window.bytes().is_empty() {
            break;
        }
        heads.extend(at, window.bytes(), bytes.len(), &mut |start, head| {
            let from = bytes.skip(start);
            let head = head.get(..64).unwrap_or(head);
            let len = match kind(head) {
                "spirv" => Some(words(sources, from)),
                _ => length(sources, from, head),
            };
            // A SPIR-V header without instructions is a coincidence.
            match len.filter(|len| *len > 20) {
                Some(_) if images.len() as u64 >= most => {
                    is_all = false;
                    bytes.len()
                }
                Some(len) => {
                    images.push(from.subspan(0, len));
                    start.saturating_add(len)
                }
                None => start.saturating_add(1),
            }
        });
    }
    (images, is_all)
}

fn starts(head: &[u8]) -> bool {
    head.starts_with(&FRAME) || kind(head) != "other"
}

const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Alignment of images in bytes.
const ALIGN: u64 = 16;

/// Calls `found` for each image in bytes that start at address `base`, until it returns `false`.
pub fn images(sources: &Sources, bytes: Span, base: u64, found: &mut dyn FnMut(Span) -> bool) {
    let skip = base.next_multiple_of(ALIGN) - base;
    let mut starts_in = Starts::new(sources, bytes, skip);
    let mut at = skip;
    // The first image may be at the start of the section, even if that is not aligned.
    let first = Window::clamped(sources, bytes.subspan(0, 8));
    if starts(first.bytes()) {
        at = 0;
    }
    while at < bytes.len() {
        let rest = bytes.skip(at);
        let head = Window::clamped(sources, rest.subspan(0, 64));
        if !starts(head.bytes()) {
            at = match starts_in.after(at) {
                Some(next) => next,
                None => break,
            };
            continue;
        }
        let len = length(sources, rest, head.bytes()).unwrap_or_else(|| {
            let end = starts_in.after(at).unwrap_or(bytes.len());
            end - at
        });
        let image = rest.subspan(0, len.max(1));
        let image = match kind(head.bytes()) {
            "spirv" => image.subspan(0, words(sources, image)),
            _ => image,
        };
        if !found(image) {
            break;
        }
        at = aligned(at + image.len().max(1), skip);
    }
}

fn aligned(at: u64, skip: u64) -> u64 {
    at.saturating_sub(skip).next_multiple_of(ALIGN) + skip
}

/// Iterator over the offsets where an image may start. Searches the bytes once, in order.
struct Starts<'a> {
    sources: &'a Sources,
    bytes: Span,
    skip: u64,
    /// The searched bytes, and their offset.
    window: Window,
    window_at: u64,
    /// The searched range: no image starts within it; one may start at its end.
    known: (u64, Option<u64>),
}

impl<'a> Starts<'a> {
    /// Number of bytes read at once.
    const PIECE: u64 = 1 << 18;

    fn new(sources: &'a Sources, bytes: Span, skip: u64) -> Starts<'a> {
        Starts {
            sources,
            bytes,
            skip,
            window: Window::clamped(sources, bytes.subspan(0, 0)),
            window_at: 0,
            known: (0, Some(0)),
        }
    }

    /// Returns the next offset after `at`.
    fn after(&mut self, at: u64) -> Option<u64> {
        let mut at = aligned(at + 1, self.skip);
        let (from, to) = self.known;
        if from <= at && to.is_none_or(|to| at <= to) {
            return to;
        }
        let from = at;
        while at < self.bytes.len() {
            let ahead = at.checked_sub(self.window_at);
            let ahead = ahead.and_then(|ahead| usize::try_from(ahead).ok());
            let rest = ahead.and_then(|ahead| self.window.bytes().get(ahead..));
            let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
                let piece = self.bytes.subspan(at, Self::PIECE);
                self.window = Window::clamped(self.sources, piece);
                self.window_at = at;
                if self.window.bytes().is_empty() {
                    break;
                }
                continue;
            };
            if let Some(index) = rest.chunks(16).position(starts) {
                let found = at + index as u64 * ALIGN;
                self.known = (from, Some(found));
                return Some(found);
            }
            at = aligned(at + rest.len() as u64, self.skip);
        }
        self.known = (from, None);
        None
    }
}

/// Returns the length of an image whose header specifies it.
fn length(sources: &Sources, rest: Span, head: &[u8]) -> Option<u64> {
    let number = |at: usize, size: usize| Some(uint(head.get(at..at + size)?, Endian::Little));
    match kind(head) {
        "ar" => Some(archive(sources, rest)),
        "offload-binary" => number(8, 8),
        "zebin" | "elf" | "cuda-elf" | "amdgpu-elf" => sections_end(head),
        _ if head.starts_with(&FRAME) => frame(sources, rest),
        _ => None,
    }
    .filter(|len| (1..=rest.len()).contains(len))
}

/// Returns the end of an ELF file's section headers, its last bytes.
fn sections_end(head: &[u8]) -> Option<u64> {
    let number = |at: usize, size: usize| Some(uint(head.get(at..at + size)?, Endian::Little));
    number(40, 8)?.checked_add(number(58, 2)?.checked_mul(number(60, 2)?)?)
}

/// Returns the length of an archive: it ends where no header follows.
fn archive(sources: &Sources, rest: Span) -> u64 {
    let mut at = 8;
    loop {
        let header = Window::clamped(sources, rest.subspan(at, 60));
        let size = || {
            let bytes = header.bytes();
            let size = std::str::from_utf8(bytes.get(48..58)?).ok()?;
            (bytes.get(58..60)? == b"`\n").then(|| size.trim_end().parse::<u64>().ok())?
        };
        match size() {
            Some(size) if at < rest.len() => {
                at = at
                    .saturating_add(60)
                    .saturating_add(size.next_multiple_of(2));
            }
            _ => return at.min(rest.len()),
        }
    }
}

/// Returns the length of the instructions of a module, which end at the first word that cannot
/// start one.
fn words(sources: &Sources, module: Span) -> u64 {
    let mut at = 20;
    while at + 4 <= module.len() {
        let word = Window::clamped(sources, module.subspan(at, 4));
        // Modules can follow each other, and the magic number could also start an instruction.
        if kind(word.bytes()) == "spirv" {
            let next = Window::clamped(sources, module.subspan(at, HEAD as u64));
            if is_certain(next.bytes()) {
                break;
            }
        }
        let count = uint(word.bytes().get(2..4).unwrap_or(&[]), Endian::Little);
        let end = at + count * 4;
        if count == 0 || end > module.len() {
            break;
        }
        at = end;
    }
    at.min(module.len())
}

/// Header of a zstd frame. RFC 8878, 3.1.1.1.
#[derive(Debug, Clone, Copy)]
pub struct FrameHeader {
    /// Its size in bytes.
    pub len: u64,
    /// The size after decompression, if specified.
    pub content: Option<u64>,
    /// Whether a checksum follows the blocks.
    pub has_checksum: bool,
}

impl FrameHeader {
    /// Reads the header at the start of the bytes. Returns `None` if it is not one.
    pub fn read(head: &[u8]) -> Option<FrameHeader> {
        let rest = head.strip_prefix(&FRAME)?;
        let (flags, rest) = rest.split_first()?;
        let is_single = flags & 0x20 != 0;
        let window = usize::from(!is_single);
        let dictionary = [0, 1, 2, 4].get(usize::from(flags & 3)).copied()?;
        let size = match (flags >> 6, is_single) {
            (0, false) => 0,
            (0, true) => 1,
            (1, _) => 2,
            (2, _) => 4,
            _ => 8,
        };
        let from = window + dictionary;
        let bytes = rest.get(from..from + size)?;
        let number = uint(bytes, Endian::Little);
        Some(FrameHeader {
            len: (5 + from + size) as u64,
            content: match size {
                0 => None,
                // RFC 8878, 3.1.1.1.4: two-byte sizes are offset by 256.
                2 => Some(number + 256),
                _ => Some(number),
            },
            has_checksum: flags & 4 != 0,
        })
    }
}

/// The work of reading a block header, in bytes.
const BLOCK: u64 = 32;

/// Returns the length of the zstd frame at the start of the bytes, from its block headers. Returns
/// `None` if the frame has no end, or the search budget of the file is used up.
pub fn frame(sources: &Sources, rest: Span) -> Option<u64> {
    // The magic number and the longest header (RFC 8878, section 3.1.1).
    let head = Window::clamped(sources, rest.subspan(0, 18));
    let header = FrameHeader::read(head.bytes())?;
    let mut at = header.len;
    loop {
        if !sources.costs.work.take(BLOCK) {
            return None;
        }
        let block = Window::clamped(sources, rest.subspan(at, 3));
        let word = match block.bytes() {
            bytes @ [_, _, _] => uint(bytes, Endian::Little),
            _ => return None,
        };
        // A block of one repeated byte stores only that byte.
        let size = if word >> 1 & 3 == 1 { 1 } else { word >> 3 };
        at += 3 + size;
        if word & 1 == 1 {
            break;
        }
    }
    at += if header.has_checksum { 4 } else { 0 };
    (at <= rest.len()).then_some(at)
}
