//! The first generation: headers, a table of metadata, a table of device code.
//!
//! ```text
//! file header │ abstract module headers │ IR module headers │ native device code image headers
//! metadata table, padded to 8 │ binary table
//! ```

mod header;
mod indices;
mod rows;

use std::rc::Rc;

use self::header::{
    AbstractModuleHeader, FileHeader, IRModuleHeader, NativeDeviceCodeImageHeader, kind,
};
use self::indices::Indices;
use self::rows::{File, FileRows, TOP, id_of, part_of};
use super::{Code, Module, Part, Syclbin, Text, modules, open_code, read_global};
use crate::Context;
use crate::format::{Format, OpenedDocument};
use crate::layout::{self, Overlap, Region, Regions};
use crate::reader::{Endian, ReadResult, Reader, Window};
use crate::record::Field;
use crate::text::plural;
use crate::{limits, rules};
use zeview_core::analysis::kernels::Located;
use zeview_core::model::{Span, Spanned};

/// The magic number.
pub const MAGIC: &[u8] = b"IBYS";
/// The magic number in reading order, which no reader accepts.
const REVERSED: &[u8] = b"SYBI";

/// The format of the first generation.
#[derive(Debug)]
pub struct SyclbinV1;

impl Format for SyclbinV1 {
    fn recognize(&self, head: &[u8]) -> bool {
        let cut_off = head.len() == 3 && MAGIC.starts_with(head);
        head.starts_with(MAGIC) || head.starts_with(REVERSED) || cut_off
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "SYCLBIN"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let reading = Reading::locate(cx, span);
        let survey = reading.survey(cx);
        let rows = reading.rows(cx, survey);
        let survey = Rc::clone(&rows.survey);
        let count = rows.regions.region_count();
        OpenedDocument {
            summary: survey.summary(),
            content: Some((
                cx.register(Rc::new(FileRows(Rc::new(rows)))),
                TOP,
                Some(count),
            )),
        }
    }
}

/// Header of an IR module or native device code image: offsets and sizes of its metadata and code.
struct CodeHeader {
    bytes: Span,
    metadata: [Spanned<u64>; 2],
    code: [Spanned<u64>; 2],
}

/// The locations of all tables.
struct Reading {
    span: Span,
    header: FileHeader,
    modules: Span,
    ir: Span,
    native: Span,
    metadata: Span,
    binary: Span,
}

impl Reading {
    fn locate(cx: &Context<'_>, span: Span) -> Reading {
        let head = Window::clamped(cx.sources, span.subspan(0, FileHeader::SIZE));
        let header = FileHeader::clamped(&head, Endian::Little);
        let after = span.subspan(FileHeader::SIZE, 0);
        let mut reading = Reading {
            span,
            header,
            modules: after,
            ir: after,
            native: after,
            metadata: after,
            binary: after,
        };
        if !reading.is_whole() {
            let missing = FileHeader::SIZE - header.origin.len();
            let message = format_args!("the header is truncated by {}", plural(missing, "byte"));
            cx.report(&rules::SYCLBIN_HEADER, header.origin, message);
            return reading;
        }
        if !head.bytes().starts_with(MAGIC) {
            cx.report(
                &rules::SYCLBIN_MAGIC,
                header.span_of(FileHeader::Magic),
                "the magic number is byte-swapped",
            );
        }
        if header.Version > 1 {
            cx.report(
                &rules::SYCLBIN_VERSION,
                header.span_of(FileHeader::Version),
                format_args!(
                    "version {}: this header has only versions 0 and 1",
                    header.Version
                ),
            );
        }
        reading.tables(cx);
        reading
    }

    /// Returns whether the header is complete.
    fn is_whole(&self) -> bool {
        self.header.origin.len() == FileHeader::SIZE
    }

    /// Locates the consecutive tables.
    fn tables(&mut self, cx: &Context<'_>) {
        let header = self.header;
        let mut at = FileHeader::SIZE;
        let mut next = |field: Field<FileHeader>, size: u64| {
            let count = header.get(field);
            let len = count.value.saturating_mul(size);
            let table = self.span.subspan(at, len);
            if table.len() < len {
                cx.report(
                    &rules::SYCLBIN_TABLE,
                    count.span,
                    format_args!(
                        "the table has {len} bytes, but only {} are in the file",
                        table.len()
                    ),
                );
            }
            at = at.saturating_add(len);
            if field == FileHeader::MetadataByteTableSize {
                // The offset in the SYCLBIN is aligned; its headers are multiples of 8.
                at = at.checked_next_multiple_of(8).unwrap_or(u64::MAX);
            }
            table.subspan(0, table.len() - table.len() % size)
        };
        self.modules = next(FileHeader::AbstractModuleCount, AbstractModuleHeader::SIZE);
        self.ir = next(FileHeader::IRModuleCount, IRModuleHeader::SIZE);
        let native = FileHeader::NativeDeviceCodeImageCount;
        self.native = next(native, NativeDeviceCodeImageHeader::SIZE);
        self.metadata = next(FileHeader::MetadataByteTableSize, 1);
        self.binary = next(FileHeader::BinaryByteTableSize, 1);
    }

    fn survey(&self, cx: &Context<'_>) -> Syclbin {
        let header = &self.header;
        let size = header.get(FileHeader::GlobalMetadataSize);
        let (global, state) = if self.is_whole() {
            let global = self.text(cx, header.get(FileHeader::GlobalMetadataOffset), size);
            (global, read_global(cx, global, size.span))
        } else {
            let span = header.origin.subspan(0, 0);
            let checked = true;
            (Text { span, checked }, None)
        };
        let ir = self.codes(cx, self.ir, |reader| {
            use IRModuleHeader as Header;
            let header = Header::read(reader)?;
            Ok(CodeHeader {
                bytes: header.origin,
                metadata: [Header::MetadataOffset, Header::MetadataSize].map(|f| header.get(f)),
                code: [Header::RawIRBytesOffset, Header::RawIRBytesSize].map(|f| header.get(f)),
            })
        });
        let native = self.codes(cx, self.native, |reader| {
            use NativeDeviceCodeImageHeader as Header;
            let header = Header::read(reader)?;
            Ok(CodeHeader {
                bytes: header.origin,
                metadata: [Header::MetadataOffset, Header::MetadataSize].map(|f| header.get(f)),
                code: [Header::BinaryBytesOffset, Header::BinaryBytesSize].map(|f| header.get(f)),
            })
        });
        let modules = self.abstract_modules(cx, ir.len() as u64, native.len() as u64);
        let version = header.get(FileHeader::Version);
        Syclbin {
            version: Located::at(version.value, version.span),
            state,
            span: self.span,
            global,
            modules,
            ir,
            native,
        }
    }

    /// Returns the text at an offset and size of the metadata table.
    fn text(&self, cx: &Context<'_>, offset: Spanned<u64>, size: Spanned<u64>) -> Text {
        Text::check(cx, part(cx, self.metadata, offset, size))
    }

    /// Returns the device code of the headers that `read` decodes.
    fn codes(
        &self,
        cx: &Context<'_>,
        headers: Span,
        read: fn(&mut Reader<'_>) -> ReadResult<CodeHeader>,
    ) -> Vec<Code> {
        let window = records(cx, headers, IRModuleHeader::SIZE);
        let mut reader = window.reader(Endian::Little);
        let mut codes = Vec::new();
        while let Ok(header) = read(&mut reader) {
            let ([at, size], [text_at, text_size]) = (header.code, header.metadata);
            let bytes = part(cx, self.binary, at, size);
            codes.push(Code {
                header: header.bytes,
                text: self.text(cx, text_at, text_size),
                bytes,
                opened: None,
            });
        }
        codes.shrink_to_fit();
        codes
    }

    fn abstract_modules(&self, cx: &Context<'_>, ir: u64, native: u64) -> Vec<Module> {
        use AbstractModuleHeader as Header;
        let mut ir = Indices::new(cx, "IR modules", ir);
        let mut native = Indices::new(cx, "native device code images", native);
        let window = records(cx, self.modules, Header::SIZE);
        let mut reader = window.reader(Endian::Little);
        let mut modules = Vec::new();
        while let Ok(header) = Header::read(&mut reader) {
            let (first_ir, count_ir) = (Header::IRModuleOffset, Header::IRModuleCount);
            let first_native = Header::NativeDeviceCodeImageOffset;
            let count_native = Header::NativeDeviceCodeImageCount;
            modules.push(Module {
                header: header.origin,
                ir: ir.range(header.origin, header.get(first_ir), header.get(count_ir)),
                native: native.range(
                    header.origin,
                    header.get(first_native),
                    header.get(count_native),
                ),
                text: self.text(
                    cx,
                    header.get(Header::MetadataOffset),
                    header.get(Header::MetadataSize),
                ),
            });
        }
        ir.finish(self.ir);
        native.finish(self.native);
        modules.shrink_to_fit();
        modules
    }

    /// Arranges the parts of the file. Opens device code unless another part claims some of its bytes.
    fn rows(&self, cx: &Context<'_>, mut survey: Syclbin) -> File {
        let claim = |kind, span| Region::new(layout::id(kind, 0), span);
        let claims = vec![
            claim(kind::HEADER, self.header.origin),
            claim(kind::MODULES, self.modules),
            claim(kind::IR, self.ir),
            claim(kind::NATIVE, self.native),
            claim(kind::METADATA, self.metadata),
            claim(kind::BINARY, self.binary),
        ];
        let regions = Regions::arrange(cx, self.span, claims, Overlap::First, &|_| String::new());
        let name = |id| part_of(id).map_or_else(String::new, Part::name);
        let mut texts = vec![Region::new(id_of(Part::Global), survey.global.span)];
        for (module, at) in survey.modules.iter().zip(0..) {
            texts.push(Region::new(id_of(Part::Module(at)), module.text.span));
        }
        let mut codes = Vec::new();
        let ir = survey.ir.iter().zip(0..);
        let native = survey.native.iter().zip(0..);
        let parts = ir.map(|(code, at)| (code, Part::Ir(at)));
        for (code, part) in parts.chain(native.map(|(code, at)| (code, Part::Native(at)))) {
            texts.push(Region::new(id_of(part), code.text.span));
            codes.push(Region::new(id_of(part), code.bytes));
        }
        let metadata = Regions::arrange(cx, self.metadata, texts, Overlap::First, &name);
        let binary = Regions::arrange(cx, self.binary, codes, Overlap::First, &name);
        for region in binary.list() {
            let code = part_of(region.id).and_then(|part| survey.code_mut(part));
            if let Some(code) = code.filter(|code| region.is(code.bytes)) {
                code.opened = open_code(cx, code.bytes);
            }
        }
        let survey = Rc::new(survey);
        File {
            metadata,
            binary,
            header: self.header.origin,
            modules: modules(Rc::clone(&survey)),
            regions,
            survey,
        }
    }
}

/// Returns the bytes at an offset and size of a table, clipped to the table.
fn part(cx: &Context<'_>, table: Span, offset: Spanned<u64>, size: Spanned<u64>) -> Span {
    let (at, len) = (offset.value, size.value);
    if at.checked_add(len).is_none_or(|end| end > table.len()) {
        cx.report_with(
            &rules::SYCLBIN_OUT_OF_BOUNDS,
            size.span,
            format_args!(
                "{len} bytes at {at:#x} extend past the end of the table ({} bytes)",
                table.len()
            ),
            &[(offset.span, "the offset"), (table, "the table")],
            None,
        );
    }
    table.subspan(at, len)
}

/// Returns the records of a table, up to the limit.
fn records(cx: &Context<'_>, table: Span, size: u64) -> Window {
    let most = limits::ENTRIES * size;
    if table.len() > most {
        let message = format_args!(
            "the headers after the first {} are not read",
            limits::ENTRIES
        );
        cx.report(&rules::TOO_MANY, table.skip(most).subspan(0, size), message);
    }
    Window::clamped(cx.sources, table.subspan(0, most))
}
