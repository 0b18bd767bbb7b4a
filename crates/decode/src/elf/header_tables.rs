//! Locates and checks the section header and program header tables.

use super::check;
use super::header::Header;
use super::read::HeaderReader;
use super::section::SectionHeader;
use super::segment::ProgramHeader;
use crate::context::Context;
use crate::limits;
use crate::reader::Window;
use crate::rules;
use zeview_core::model::Span;

/// A table of headers in the file.
#[derive(Debug, Clone, Copy)]
pub struct HeaderTable {
    /// The headers that are in the file and within the limits.
    pub span: Span,
    /// The distance between headers in bytes.
    pub stride: u64,
}

impl HeaderTable {
    /// Records the bytes between headers of `size` bytes as gaps.
    pub fn gaps(&self, cx: &Context<'_>, size: u64) {
        if self.stride > size {
            for index in 0..self.span.len() / self.stride {
                cx.gap(
                    self.span
                        .subspan(index * self.stride + size, self.stride - size),
                );
            }
        }
    }
}

/// Finds the section headers. Returns `None` if the file has none.
pub fn section_table(cx: &Context<'_>, start: &HeaderReader) -> Option<HeaderTable> {
    let header = &start.header;
    let size = SectionHeader::size(start.class);
    let stride = header.e_shentsize.max(size);
    if header.e_shoff == 0 && header.e_shnum == 0 {
        return None;
    }
    if header.e_shentsize != size {
        cx.report(
            &rules::ELF_SECTION_HEADER_SIZE,
            header.span_of(Header::e_shentsize),
            format_args!(
                "e_shentsize is {}, but a section header has {size} bytes",
                header.e_shentsize
            ),
        );
    }
    let first = Window::clamped(cx.sources, start.span.subspan(header.e_shoff, size));
    let first = SectionHeader::read(&mut first.reader(start.endian), start.class).ok();
    // gABI: a count that does not fit in 16 bits is in sh_size of section 0.
    let count = match (header.e_shnum, first) {
        (0, Some(first)) => first.sh_size,
        (count, _) => count,
    };
    let needed = count.saturating_mul(stride);
    let there = start.span.subspan(header.e_shoff, needed);
    if there.len() < needed {
        let missing = header.e_shoff.checked_add(needed);
        let missing = missing.and_then(|end| end.checked_sub(start.span.len()));
        let message = match missing {
            Some(missing) if there.is_empty() => format!(
                "{count} section headers at {:#x} need {needed} bytes, but the file ends at {:#x}: it \
                 is truncated by {missing} bytes, or e_shoff is wrong",
                header.e_shoff,
                start.span.len()
            ),
            _ => format!(
                "{count} section headers at {:#x} need {needed} bytes, but only {} are in the file",
                header.e_shoff,
                there.len()
            ),
        };
        cx.report_with(
            &rules::ELF_SECTION_HEADERS_OUT_OF_BOUNDS,
            header.span_of(Header::e_shoff),
            format_args!("{message}"),
            &[(header.span_of(Header::e_shnum), "the number")],
            None,
        );
    }
    let most = limits::sections(start.span.len());
    limit(cx, there, stride, most, "section headers")
}

/// Finds the program headers. Returns `None` if the file has none.
pub fn program_table(cx: &Context<'_>, start: &HeaderReader) -> Option<HeaderTable> {
    let header = &start.header;
    let size = ProgramHeader::size(start.class);
    let stride = header.e_phentsize.max(size);
    let outside = header.e_phoff > start.span.len();
    if header.e_phnum == 0 && !outside {
        return None;
    }
    if header.e_phnum > 0 && header.e_phentsize != size {
        cx.report(
            &rules::ELF_PROGRAM_HEADER_SIZE,
            header.span_of(Header::e_phentsize),
            format_args!(
                "e_phentsize is {}, but a program header has {size} bytes",
                header.e_phentsize
            ),
        );
    }
    let needed = header.e_phnum.saturating_mul(stride);
    let there = start.span.subspan(header.e_phoff, needed);
    if there.len() < needed || outside {
        cx.report(
            &rules::ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS,
            header.span_of(Header::e_phoff),
            format_args!(
                "{} program headers at {:#x} need {needed} bytes, but only {} are in the file",
                header.e_phnum,
                header.e_phoff,
                there.len()
            ),
        );
    }
    let table = limit(cx, there, stride, limits::SEGMENTS, "program headers")?;
    check::segments(cx, start, table);
    Some(table)
}

/// Truncates a table to whole entries and to the limit.
fn limit(cx: &Context<'_>, there: Span, stride: u64, most: u64, name: &str) -> Option<HeaderTable> {
    let count = there.len() / stride.max(1);
    if count > most {
        cx.report(
            &rules::TOO_MANY,
            there.skip(most * stride),
            format_args!("{count} {name}: the first {most} are decoded"),
        );
    }
    Some(HeaderTable {
        span: there.subspan(0, count.min(most) * stride),
        stride,
    })
}
