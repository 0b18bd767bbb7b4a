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

use self::header::{FileHeader, IR, MODULES, NATIVE, kind};
use self::indices::Indices;
use self::rows::{File, FileRows, TOP, id_of, part_of};
use super::{Code, Module, Part, Survey, Text, modules, open_code, read_global};
use crate::decode::Context;
use crate::decode::format::{Format, Opened};
use crate::decode::pieces::{self, Piece, Pieces};
use crate::decode::reader::Window;
use crate::decode::record::FieldSpec;
use crate::decode::records::{Kind, field_span, number};
use crate::decode::{limits, rules};
use crate::model::Span;
use crate::model::kernels::Given;

/// What it starts with.
pub const MAGIC: &[u8] = b"IBYS";
/// The magic number in the order in which it is read aloud: no reader takes it.
const REVERSED: &[u8] = b"SYBI";

/// The format.
#[derive(Debug)]
pub struct SyclbinV1;

impl Format for SyclbinV1 {
    fn recognise(&self, head: &[u8]) -> bool {
        let cut_off = head.len() == 3 && MAGIC.starts_with(head);
        head.starts_with(MAGIC) || head.starts_with(REVERSED) || cut_off
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> Opened {
        let mut reading = Reading::start(cx, span);
        let survey = reading.survey(cx);
        let rows = reading.rows(cx, survey);
        let survey = Rc::clone(&rows.survey);
        let count = rows.pieces.len();
        Opened {
            summary: survey.summary(),
            content: Some((
                cx.register(Rc::new(FileRows(Rc::new(rows)))),
                TOP,
                Some(count),
            )),
        }
    }
}

/// Where everything is.
struct Reading {
    span: Span,
    header: Span,
    head: Window,
    modules: Span,
    ir: Span,
    native: Span,
    metadata: Span,
    binary: Span,
}

impl Reading {
    fn get(&self, name: &str) -> u64 {
        number(FileHeader::FIELDS, self.head.bytes(), name)
    }

    fn place(&self, name: &str) -> Span {
        field_span(FileHeader::FIELDS, self.header, name)
    }

    fn start(cx: &Context<'_>, span: Span) -> Reading {
        let header = span.sub(0, FileHeader::SIZE);
        let after = span.sub(FileHeader::SIZE, 0);
        let mut reading = Reading {
            span,
            header,
            head: Window::clamped(cx.sources, header),
            modules: after,
            ir: after,
            native: after,
            metadata: after,
            binary: after,
        };
        if header.len() < FileHeader::SIZE {
            let missing = FileHeader::SIZE - header.len();
            let message = format_args!("the header needs {missing} bytes more than there are");
            cx.report(&rules::SYCLBIN_HEADER, header, message);
            return reading;
        }
        if !reading.head.bytes().starts_with(MAGIC) {
            cx.report(
                &rules::SYCLBIN_MAGIC,
                reading.place("Magic"),
                "the magic number stands in the wrong order of bytes",
            );
        }
        let version = reading.get("Version");
        if version > 1 {
            cx.report(
                &rules::SYCLBIN_VERSION,
                reading.place("Version"),
                format_args!("version {version} has no such header: 0 and 1 have"),
            );
        }
        reading.tables(cx);
        reading
    }

    /// Finds the tables, one after the other.
    fn tables(&mut self, cx: &Context<'_>) {
        let mut at = FileHeader::SIZE;
        let mut next = |name: &str, len: u64| {
            let span = self.span.sub(at, len);
            if span.len() < len {
                cx.report(
                    &rules::SYCLBIN_TABLE,
                    self.place(name),
                    format_args!("{len} bytes of it, {} are there", span.len()),
                );
            }
            at = at.saturating_add(len);
            span
        };
        let modules = next("AbstractModuleCount", 32 * self.get("AbstractModuleCount"));
        let ir = next("IRModuleCount", 32 * self.get("IRModuleCount"));
        let native = "NativeDeviceCodeImageCount";
        let native = next(native, 32 * self.get(native));
        let metadata = next("MetadataByteTableSize", self.get("MetadataByteTableSize"));
        // What is aligned is the place in the SYCLBIN, whose headers are multiples of 8.
        at = at.checked_next_multiple_of(8).unwrap_or(u64::MAX);
        let len = self.get("BinaryByteTableSize");
        let binary = self.span.sub(at, len);
        if binary.len() < len {
            cx.report(
                &rules::SYCLBIN_TABLE,
                self.place("BinaryByteTableSize"),
                format_args!("{len} bytes of it, {} are there", binary.len()),
            );
        }
        let whole = |table: Span| table.sub(0, table.len() - table.len() % 32);
        (self.modules, self.ir, self.native) = (whole(modules), whole(ir), whole(native));
        (self.metadata, self.binary) = (metadata, binary);
    }

    fn survey(&mut self, cx: &Context<'_>) -> Survey {
        let header = Record {
            fields: FileHeader::FIELDS,
            place: self.header,
            bytes: self.head.bytes(),
        };
        let whole = self.header.len() == FileHeader::SIZE;
        let global = match whole {
            true => self.text(cx, &header, ["GlobalMetadataOffset", "GlobalMetadataSize"]),
            false => Text {
                span: self.header.sub(0, 0),
                checked: true,
            },
        };
        let state = whole.then(|| read_global(cx, global, self.place("GlobalMetadataSize")));
        let ir = self.codes(cx, self.ir, &IR, ["RawIRBytesOffset", "RawIRBytesSize"]);
        let bytes = ["BinaryBytesOffset", "BinaryBytesSize"];
        let native = self.codes(cx, self.native, &NATIVE, bytes);
        let modules = self.abstract_modules(cx, ir.len() as u64, native.len() as u64);
        Survey {
            version: Given::at(self.get("Version"), self.place("Version")),
            state: state.flatten(),
            span: self.span,
            global,
            modules,
            ir,
            native,
        }
    }

    /// The text that two fields of a record tell of.
    fn text(&self, cx: &Context<'_>, record: &Record<'_>, fields: [&str; 2]) -> Text {
        Text::check(cx, record.part(cx, self.metadata, fields))
    }

    /// The records of a table; not more than are decoded.
    fn each(
        &self,
        cx: &Context<'_>,
        table: Span,
        kind: &'static Kind,
        f: &mut dyn FnMut(&Record<'_>),
    ) {
        let most = limits::ENTRIES * kind.size;
        if table.len() > most {
            let message = format_args!("those after the first {} are not read", limits::ENTRIES);
            cx.report(
                &rules::TOO_MANY,
                table.from(most).sub(0, kind.size),
                message,
            );
        }
        let table = table.sub(0, most);
        let window = Window::clamped(cx.sources, table);
        let size = usize::try_from(kind.size).unwrap_or(1);
        for (index, bytes) in window.bytes().chunks_exact(size).enumerate() {
            f(&Record {
                fields: kind.fields,
                place: table.sub(index as u64 * kind.size, kind.size),
                bytes,
            });
        }
    }

    fn codes(
        &self,
        cx: &Context<'_>,
        table: Span,
        kind: &'static Kind,
        fields: [&str; 2],
    ) -> Vec<Code> {
        let mut codes = Vec::new();
        self.each(cx, table, kind, &mut |record| {
            let bytes = record.part(cx, self.binary, fields);
            codes.push(Code {
                header: record.place,
                text: self.text(cx, record, ["MetadataOffset", "MetadataSize"]),
                bytes,
                opened: None,
            });
        });
        codes
    }

    fn abstract_modules(&self, cx: &Context<'_>, ir: u64, native: u64) -> Vec<Module> {
        let mut modules = Vec::new();
        let mut lists = [
            Indices::new(cx, "IR modules", "IRModuleOffset", "IRModuleCount", ir),
            Indices::new(
                cx,
                "native device code images",
                "NativeDeviceCodeImageOffset",
                "NativeDeviceCodeImageCount",
                native,
            ),
        ];
        self.each(cx, self.modules, &MODULES, &mut |record| {
            let [ir, native] = lists.each_mut().map(|list| list.range(record));
            modules.push(Module {
                header: record.place,
                text: self.text(cx, record, ["MetadataOffset", "MetadataSize"]),
                ir,
                native,
            });
        });
        for (list, table) in lists.into_iter().zip([self.ir, self.native]) {
            list.finish(table);
        }
        modules
    }

    /// All parts of the file; opens the device code of which no other part claims bytes.
    fn rows(&self, cx: &Context<'_>, mut survey: Survey) -> File {
        let claim = |kind, span| Piece::new(pieces::id(kind, 0), span);
        let claims = vec![
            claim(kind::HEADER, self.header),
            claim(kind::MODULES, self.modules),
            claim(kind::IR, self.ir),
            claim(kind::NATIVE, self.native),
            claim(kind::METADATA, self.metadata),
            claim(kind::BINARY, self.binary),
        ];
        let pieces = Pieces::arrange(cx, self.span, claims, &|_| String::new());
        let name = |what| part_of(what).map_or_else(String::new, Part::name);
        let mut texts = vec![Piece::new(id_of(Part::Global), survey.global.span)];
        for (module, at) in survey.modules.iter().zip(0..) {
            texts.push(Piece::new(id_of(Part::Module(at)), module.text.span));
        }
        let mut codes = Vec::new();
        let ir = survey.ir.iter().zip(0..);
        let native = survey.native.iter().zip(0..);
        let parts = ir.map(|(code, at)| (code, Part::Ir(at)));
        for (code, part) in parts.chain(native.map(|(code, at)| (code, Part::Native(at)))) {
            texts.push(Piece::new(id_of(part), code.text.span));
            codes.push(Piece::new(id_of(part), code.bytes));
        }
        let metadata = Pieces::arrange(cx, self.metadata, texts, &name);
        let binary = Pieces::arrange(cx, self.binary, codes, &name);
        for piece in binary.list() {
            let code = part_of(piece.what).and_then(|part| survey.code_mut(part));
            if let Some(code) = code.filter(|code| piece.is(code.bytes)) {
                code.opened = open_code(cx, code.bytes);
            }
        }
        let survey = Rc::new(survey);
        File {
            metadata,
            binary,
            header: self.header,
            modules: modules(Rc::clone(&survey)),
            pieces,
            survey,
        }
    }
}

/// A record of a table.
struct Record<'a> {
    fields: &'static [FieldSpec],
    place: Span,
    bytes: &'a [u8],
}

impl Record<'_> {
    fn get(&self, name: &str) -> u64 {
        number(self.fields, self.bytes, name)
    }

    fn span(&self, name: &str) -> Span {
        field_span(self.fields, self.place, name)
    }

    /// The bytes of a table that an offset and a size tell of; what there is of them.
    fn part(&self, cx: &Context<'_>, table: Span, [offset, size]: [&str; 2]) -> Span {
        let (at, len) = (self.get(offset), self.get(size));
        if at.checked_add(len).is_none_or(|end| end > table.len()) {
            cx.report_with(
                &rules::SYCLBIN_OUT_OF_BOUNDS,
                self.span(size),
                format_args!("{len} bytes at {at:#x} of a table of {} bytes", table.len()),
                &[(self.span(offset), "their place"), (table, "the table")],
                None,
            );
        }
        table.sub(at, len)
    }
}
