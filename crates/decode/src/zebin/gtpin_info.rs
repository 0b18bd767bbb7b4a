//! `.gtpin_info.*`: the compiler's data for GTPin, Intel's instrumentation tool. IGC,
//! visa/include/gtpin_IGC_interface.h, interface versions 0 to 5.
//!
//! ```text
//! init record │ number of tokens │ token, token size, body │ token, token size, body │ …
//! ```

use std::rc::Rc;

use crate::Context;
use crate::elf::section::Section;
use crate::names::{Decimal, Hex};
use crate::reader::{Endian, ReadError, ReadResult, Reader, Window};
use crate::rules;
use crate::text::plural;
use crate::tree::{LazyTree, Parent, StaticTree};
use crate::{open_enum, record};
use zeview_core::model::{Node, NodeKind, Span, Value};

open_enum! {
    /// The kind of a token.
    pub struct Token(u32) {
        /// The free bytes of the registers.
        GTPIN_IGC_TOKEN_GRF_INFO = 0,
        /// The free scratch area. Since interface version 1.
        GTPIN_IGC_TOKEN_SCRATCH_AREA_INFO = 1,
        /// The sizes of the prologues. Since interface version 2.
        GTPIN_IGC_TOKEN_KERNEL_START_INFO = 2,
        /// The number of registers. Since interface version 4.
        GTPIN_IGC_TOKEN_NUM_GRF_REGS = 3,
        /// Instructions that access registers indirectly. Since interface version 5.
        GTPIN_IGC_TOKEN_INDIRECT_ACCESS_INFO = 4,
    }
}

record! {
    /// The init record of every version.
    pub struct Init: "gtpin_IGC_interface.h, igc_init_t" {
        /// The version of the interface: 0 to 5.
        version: u32 as Decimal,
        /// Registers were reallocated.
        re_ra: u8 as Decimal,
        /// Register information was requested.
        grf_info: u8 as Decimal,
        /// A source line mapping was requested.
        srcline_mapping: u8 as Decimal,
        /// Unused.
        padding: u8 as Decimal,
    }
}

record! {
    /// A token's header.
    pub struct TokenHeader: "gtpin_IGC_interface.h, igc_token_header_t" {
        /// The kind of the token.
        token: u32 as Token,
        /// The size of the token in bytes, with this header.
        token_size: u32 as Decimal,
    }
}

record! {
    /// A range of bytes of the registers.
    pub struct GrfRange: "gtpin_IGC_interface.h" {
        /// The first byte.
        start: u16 as Decimal,
        /// The number of bytes.
        length: u16 as Decimal,
    }
}

record! {
    /// An instruction that accesses registers indirectly.
    pub struct IndirectAccess: "gtpin_IGC_interface.h" {
        /// The offset of the instruction.
        ins_offset: u32 as Hex,
        /// The first byte of the registers that it may access.
        start: u16 as Decimal,
        /// The number of bytes.
        length: u16 as Decimal,
    }
}

/// Maximum size in bytes. It bounds the number of rows: the smallest token has 8 bytes, a range 4.
const SIZE_MAX: u64 = 1 << 20;

/// A problem in the data.
struct Fault {
    span: Span,
    message: String,
}

/// The rows of GTPin data, and its problems.
struct Parsed {
    tree: StaticTree,
    faults: Vec<Fault>,
    tokens: u64,
    version: u32,
}

/// The node of a GTPin section, checked.
pub fn node(cx: &Context<'_>, section: &Section, mut node: Node) -> Node {
    let bytes = section.bytes;
    if bytes.len() > SIZE_MAX {
        cx.report(
            &rules::TOO_LARGE,
            bytes,
            "GTPin data of more than 1 MB is not decoded",
        );
        return node.value(Value::Bytes);
    }
    // Sections can overlap: walking each of many over the same bytes would take too long.
    if !cx.may_walk(bytes) {
        return node.value(Value::Bytes);
    }
    let parsed = parse(&Window::clamped(cx.sources, bytes));
    for fault in parsed.faults {
        let nowhere = fault.span.is_empty();
        let span = if nowhere { section.place() } else { fault.span };
        cx.report(&rules::ZEBIN_GTPIN_DATA, span, fault.message);
    }
    for row in parsed.tree.nodes() {
        match (row.kind, row.span) {
            (NodeKind::Gap, Some(span)) => cx.gap(span),
            (NodeKind::Padding, Some(span)) => cx.padding(span),
            _ => {}
        }
    }
    let rows = cx.register(Rc::new(LazyTree::new(move |sources| {
        parse(&Window::clamped(sources, bytes)).tree
    })));
    node.kind = NodeKind::Record;
    node.summary(format!(
        "interface version {}, {}",
        parsed.version,
        plural(parsed.tokens, "token")
    ))
    .children(rows, 0, None)
}

fn parse(window: &Window) -> Parsed {
    let mut parsed = Parsed {
        tree: StaticTree::default(),
        faults: Vec::new(),
        tokens: 0,
        version: 0,
    };
    let mut reader = window.reader(Endian::Little);
    if let Err(error) = parse_block(&mut reader, &mut parsed) {
        let rest = reader.rest();
        let message = match error {
            ReadError::OutOfBounds { wanted, available } => format!(
                "truncated by {}",
                plural(wanted.end.saturating_sub(available.end), "byte")
            ),
            ReadError::Source(error) => error.to_string(),
        };
        parsed.faults.push(Fault {
            span: rest,
            message,
        });
    }
    let rest = reader.rest();
    if !rest.is_empty() {
        if parsed.faults.is_empty() {
            parsed.faults.push(Fault {
                span: rest,
                message: format!("{} bytes follow the last token", rest.len()),
            });
        }
        parsed.tree.push(StaticTree::TOP, Node::gap("rest", rest));
    }
    parsed
}

fn parse_block(reader: &mut Reader<'_>, parsed: &mut Parsed) -> ReadResult<()> {
    let init = Init::read(reader)?;
    parsed.version = init.version;
    // 12 bytes in versions 1 and 2, 16 from 3 on.
    let more = match init.version {
        0 => 0,
        1 | 2 => 4,
        _ => 8,
    };
    let mut rest = reader.bytes(more)?;
    let whole = Span::new(init.origin.source, init.origin.start, rest.span.end);
    let place = parsed.tree.push(
        StaticTree::TOP,
        Node::new(NodeKind::Record, "igc_init", whole),
    );
    parsed.tree.extend(place, init.nodes());
    match init.version {
        0 => {}
        1 | 2 => {
            let word = rest.value.first().copied().unwrap_or(0);
            number(
                parsed,
                place,
                "scratch_area_size",
                word.into(),
                rest.span.subspan(0, 1),
            );
            rest.span = rest.span.skip(1);
            parsed.tree.push(place, Node::padding(rest.span));
        }
        _ => {
            for (i, name) in ["scratch_area_size", "igc_init_size"]
                .into_iter()
                .enumerate()
            {
                let at = rest.span.subspan(i as u64 * 4, 4);
                let bytes = rest.value.get(i * 4..i * 4 + 4).unwrap_or(&[]);
                let raw = crate::reader::uint(bytes, Endian::Little);
                number(parsed, place, name, raw, at);
            }
        }
    }
    let count = reader.read::<u32>()?;
    number(
        parsed,
        StaticTree::TOP,
        "num_tokens",
        count.value.into(),
        count.span,
    );
    for _ in 0..count.value {
        let before = *reader;
        if let Err(error) = parse_token(reader, parsed) {
            // The token that is cut off belongs to the rest, from its header on.
            *reader = before;
            return Err(error);
        }
        parsed.tokens += 1;
    }
    Ok(())
}

fn number(parsed: &mut Parsed, place: Parent, name: &'static str, raw: u64, span: Span) {
    let bits = crate::record::bits(span.len());
    parsed
        .tree
        .push(place, Node::field(name, Value::decimal(raw, bits), span));
}

fn parse_token(reader: &mut Reader<'_>, parsed: &mut Parsed) -> ReadResult<()> {
    let header = TokenHeader::read(reader)?;
    let size = u64::from(header.token_size);
    let body = match size.checked_sub(TokenHeader::SIZE) {
        Some(len) => reader.bytes(len)?,
        None => {
            parsed.faults.push(Fault {
                span: header.span_of(TokenHeader::token_size),
                message: format!("a token of {size} bytes is shorter than its header"),
            });
            reader.bytes(0)?
        }
    };
    let whole = Span::new(header.origin.source, header.origin.start, body.span.end);
    let kind = Token(header.token);
    let name = match kind.name() {
        Some(name) => name.to_owned(),
        None => format!("token {}", kind.0),
    };
    let node = Node::new(NodeKind::Item, name, whole).indexed();
    let place = parsed.tree.push(StaticTree::TOP, node);
    parsed.tree.extend(place, header.nodes());
    let window = reader_over(reader, body.span);
    if let Some(mut body) = window {
        parse_body(kind, parsed.version, &mut body, parsed, place);
        let rest = body.rest();
        if !rest.is_empty() {
            parsed.tree.push(
                place,
                Node::new(NodeKind::Blob, "body", rest).value(Value::Bytes),
            );
        }
    }
    Ok(())
}

/// A reader over the bytes of `span`, which `reader` has just read.
fn reader_over<'a>(reader: &Reader<'a>, span: Span) -> Option<Reader<'a>> {
    let offset = reader.position().checked_sub(span.len())?;
    reader.at(offset, span.len()).ok()
}

/// Decodes the known fields of a token; the remaining bytes stay in the reader.
fn parse_body(token: Token, version: u32, r: &mut Reader<'_>, parsed: &mut Parsed, place: Parent) {
    let word = |r: &mut Reader<'_>, parsed: &mut Parsed, name, size| -> Option<u64> {
        let value = r.uint(size).ok()?;
        number(parsed, place, name, value.value, value.span);
        Some(value.value)
    };
    match token {
        Token::GTPIN_IGC_TOKEN_GRF_INFO => {
            let Some(magic) = word(r, parsed, "magic", 4) else {
                return;
            };
            // An older copy of the interface has other fields here, without this magic number: they
            // stay bytes.
            if magic != 0xdead_d00d {
                return;
            }
            let Some(count) = word(r, parsed, "num_free_ranges", 4) else {
                return;
            };
            for _ in 0..count {
                let Ok(range) = GrfRange::read(r) else { return };
                let node = Node::new(NodeKind::Item, "free range", range.origin)
                    .summary(format!("{} bytes at {}", range.length, range.start));
                let at = parsed.tree.push(place, node);
                parsed.tree.extend(at, range.nodes());
            }
            word(r, parsed, "trailer", 4);
        }
        Token::GTPIN_IGC_TOKEN_SCRATCH_AREA_INFO => {
            word(r, parsed, "offset", 4);
            // The field had one byte in interface version 1.
            word(r, parsed, "size", if version == 1 { 1 } else { 4 });
        }
        Token::GTPIN_IGC_TOKEN_KERNEL_START_INFO => {
            word(r, parsed, "per_thread_prolog_size", 4);
            word(r, parsed, "cross_thread_prolog_size", 4);
        }
        Token::GTPIN_IGC_TOKEN_NUM_GRF_REGS => {
            word(r, parsed, "num_grf_regs", 4);
        }
        Token::GTPIN_IGC_TOKEN_INDIRECT_ACCESS_INFO => {
            let Some(count) = word(r, parsed, "num_indirect_accesses", 4) else {
                return;
            };
            for _ in 0..count {
                let Ok(access) = IndirectAccess::read(r) else {
                    return;
                };
                let node = Node::new(NodeKind::Item, "indirect access", access.origin)
                    .summary(format!("instruction at {:#x}", access.ins_offset));
                let at = parsed.tree.push(place, node);
                parsed.tree.extend(at, access.nodes());
            }
        }
        _ => {}
    }
}
