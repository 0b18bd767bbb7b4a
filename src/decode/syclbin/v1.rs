//! The first generation: headers, a table of metadata, a table of device code.
//!
//! ```text
//! file header │ abstract module headers │ IR module headers │ native device code image headers
//! metadata table, padded to 8 │ binary table
//! ```
// The fields have the spelling of SYCLBIN.h.
#![allow(non_snake_case)]

use std::ops::Range;
use std::rc::Rc;

use super::{Code, Module, Part, Survey, Text, modules, open_code, read_global};
use crate::decode::Context;
use crate::decode::format::{Format, Opened};
use crate::decode::names::{Dec, Hex};
use crate::decode::pieces::{self, Piece, Pieces, filler};
use crate::decode::reader::Window;
use crate::decode::record::FieldSpec;
use crate::decode::records::{self, Kind, Remarks, field_span, number};
use crate::decode::{limits, rules};
use crate::model::kernels::Given;
use crate::model::modules::Modules;
use crate::model::{Area, Doc, Expand, Node, NodeKind, Rows, Sources, Span, Summary, Value};
use crate::record;

record! {
    /// How many modules there are, and how large the tables.
    pub struct FileHeader: "SYCLBINDesign.md, File header" {
        /// 0x53594249, `SYBI` as a number: `IBYS` as text.
        Magic: u32 as Hex,
        /// The version of the format; 0 and 1 are the same.
        Version: u32 as Dec,
        /// How many abstract module headers there are.
        AbstractModuleCount: u32 as Dec,
        /// How many IR module headers there are.
        IRModuleCount: u32 as Dec,
        /// How many native device code image headers there are.
        NativeDeviceCodeImageCount: u32 as Dec,
        /// Nothing: the next number is aligned to 8 bytes. Writers do not clear it.
        padding: u32 as Hex,
        /// The size of the metadata table in bytes, without what fills it up to a multiple of 8.
        MetadataByteTableSize: u64 as Dec,
        /// The size of the binary table in bytes.
        BinaryByteTableSize: u64 as Dec,
        /// Where the global metadata is in the metadata table.
        GlobalMetadataOffset: u64 as Hex,
        /// The size of the global metadata in bytes.
        GlobalMetadataSize: u64 as Dec,
    }
}

record! {
    /// Where the metadata of an abstract module is, and which device code is its own.
    pub struct AbstractModuleHeader: "SYCLBINDesign.md, Abstract module header" {
        /// Where its metadata is in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Dec,
        /// How many IR modules it has.
        IRModuleCount: u32 as Dec,
        /// The index of its first IR module header.
        IRModuleOffset: u32 as Dec,
        /// How many native device code images it has.
        NativeDeviceCodeImageCount: u32 as Dec,
        /// The index of its first native device code image header.
        NativeDeviceCodeImageOffset: u32 as Dec,
    }
}

record! {
    /// Where an IR module and its metadata are.
    pub struct IRModuleHeader: "SYCLBINDesign.md, IR module header" {
        /// Where its metadata is in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Dec,
        /// Where it is in the binary table.
        RawIRBytesOffset: u64 as Hex,
        /// Its size in bytes.
        RawIRBytesSize: u64 as Dec,
    }
}

record! {
    /// Where a native device code image and its metadata are.
    pub struct NativeDeviceCodeImageHeader: "SYCLBINDesign.md, Native device code image header" {
        /// Where its metadata is in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Dec,
        /// Where it is in the binary table.
        BinaryBytesOffset: u64 as Hex,
        /// Its size in bytes.
        BinaryBytesSize: u64 as Dec,
    }
}

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: super::SOURCE,
        known: &[],
    }
}

const HEADER_DOC: Doc = doc("How many modules there are, and how large the tables.");
const METADATA_DOC: Doc = doc("The property sets of all modules: offsets of metadata count here.");
const BINARY_DOC: Doc = doc("The device code of all modules: offsets of it count here.");

/// The numbers of the tables, of their rows and of the items below them.
mod kind {
    pub const HEADER: u8 = 1;
    pub const MODULES: u8 = 2;
    pub const IR: u8 = 3;
    pub const NATIVE: u8 = 4;
    pub const METADATA: u8 = 5;
    pub const BINARY: u8 = 6;
}

static MODULES: Kind = Kind {
    table: kind::MODULES,
    name: "abstract module",
    fields: AbstractModuleHeader::FIELDS,
    size: AbstractModuleHeader::SIZE,
    doc: doc("A collection of device binaries that share their properties."),
};

static IR: Kind = Kind {
    table: kind::IR,
    name: "IR module",
    fields: IRModuleHeader::FIELDS,
    size: IRModuleHeader::SIZE,
    doc: doc("Device code in an intermediate representation, to be compiled when it is run."),
};

static NATIVE: Kind = Kind {
    table: kind::NATIVE,
    name: "native device code image",
    fields: NativeDeviceCodeImageHeader::FIELDS,
    size: NativeDeviceCodeImageHeader::SIZE,
    doc: doc("Device code that is compiled for one architecture."),
};

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
            summary: Summary {
                format: "syclbin".into(),
                title: survey.title().into(),
                facts: survey.facts(),
            },
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
            rare: Rc::clone(&cx.rare),
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

/// Which records of a list the abstract modules call their own.
struct Indices<'a> {
    cx: &'a Context<'a>,
    what: &'static str,
    offset: &'static str,
    count: &'static str,
    len: u64,
    /// How many more records abstract modules may refer to, all together.
    budget: u64,
    /// How many begin and end to refer to a record, added up: how many refer to it.
    edges: Vec<i64>,
    /// The sum of all counts, and what the modules have that have some.
    total: u64,
    owners: u64,
    all_zero: bool,
    /// The second module that has some: the one whose first index gives the writer away.
    second: Option<(Span, u64)>,
}

impl<'a> Indices<'a> {
    fn new(
        cx: &'a Context<'_>,
        what: &'static str,
        offset: &'static str,
        count: &'static str,
        len: u64,
    ) -> Indices<'a> {
        Indices {
            cx,
            what,
            offset,
            count,
            len,
            budget: len.saturating_mul(4).saturating_add(1 << 16),
            edges: vec![0; usize::try_from(len).unwrap_or(0).saturating_add(1)],
            total: 0,
            owners: 0,
            all_zero: true,
            second: None,
        }
    }

    fn range(&mut self, record: &Record<'_>) -> Range<u32> {
        let (first, count) = (record.get(self.offset), record.get(self.count));
        let (what, len) = (self.what, self.len);
        if first + count > len {
            self.cx.report_with(
                &rules::SYCLBIN_INDEX,
                record.span(self.count),
                format_args!("{count} {what} from number {first} on: there are {len}"),
                &[(record.span(self.offset), "the first of them")],
                None,
            );
        }
        if count > 0 {
            self.owners += 1;
            self.all_zero &= first == 0;
            if self.owners == 2 {
                self.second = Some((record.span(self.offset), self.total));
            }
        }
        self.total = self.total.saturating_add(count);
        let (mut start, mut end) = (first.min(len), (first + count).min(len));
        if end - start > self.budget {
            let message = format_args!("too many abstract modules share {what}");
            self.cx.report(&rules::TOO_MUCH, record.place, message);
            (start, end) = (0, 0);
        }
        self.budget -= end - start;
        for (at, change) in [(start, 1), (end, -1)] {
            if let Some(edge) = usize::try_from(at)
                .ok()
                .and_then(|at| self.edges.get_mut(at))
            {
                *edge += change;
            }
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        small(start)..small(end)
    }

    /// Says what is only to be seen when all modules are known.
    fn finish(self, table: Span) {
        let what = self.what;
        if let Some((place, total)) = self.second
            && self.all_zero
        {
            self.cx.report_with(
                &rules::SYCLBIN_FIRST_INDEX,
                place,
                format_args!("the first index of {what} is 0 in all abstract modules"),
                &[],
                Some(
                    format!(
                        "the writer has not counted: the {what} of this abstract module start \
                         at number {total}"
                    )
                    .into(),
                ),
            );
            return;
        }
        let mut owners = 0;
        for (edge, at) in self.edges.iter().zip(0..self.len) {
            owners += edge;
            if owners == 0 {
                self.cx.report(
                    &rules::SYCLBIN_UNUSED,
                    table.sub(at * 32, 32),
                    format_args!("no abstract module has it among its {what}"),
                );
            }
        }
    }
}

/// The numbers that stand for parts.
fn id_of(part: Part) -> u64 {
    match part {
        Part::Global => pieces::id(kind::HEADER, 0),
        Part::Module(at) => pieces::id(kind::MODULES, at.into()),
        Part::Ir(at) => pieces::id(kind::IR, at.into()),
        Part::Native(at) => pieces::id(kind::NATIVE, at.into()),
    }
}

fn part_of(id: u64) -> Option<Part> {
    let (what, index) = pieces::split(id);
    let index = u32::try_from(index).ok()?;
    Some(match what {
        kind::HEADER => Part::Global,
        kind::MODULES => Part::Module(index),
        kind::IR => Part::Ir(index),
        kind::NATIVE => Part::Native(index),
        _ => return None,
    })
}

const TOP: u64 = u64::MAX;

struct File {
    survey: Rc<Survey>,
    modules: Rc<dyn Modules>,
    header: Span,
    pieces: Pieces,
    metadata: Pieces,
    binary: Pieces,
}

struct FileRows(Rc<File>);

impl FileRows {
    fn part(&self, index: u64, out: &Rows<'_>) -> Option<Node> {
        let (what, span) = self.0.pieces.get(index)?;
        if let Some(node) = filler(what, span) {
            return Some(node);
        }
        let (what, _) = pieces::split(what);
        let table = |name, kind| {
            records::table(out, name, span, kind, Rc::clone(&self.0) as Rc<dyn Remarks>)
        };
        let group = |name: &'static str, pieces: &Pieces, doc| {
            Node::new(NodeKind::Record, name, span)
                .children(out.me, pieces::id(what, 0), Some(pieces.len()))
                .doc(doc)
        };
        Some(match what {
            kind::HEADER if span.len() < FileHeader::SIZE => {
                Node::new(NodeKind::Blob, "cut-off file header", span).value(Value::Bytes)
            }
            kind::HEADER => Node::new(NodeKind::Record, "file header", span)
                .area(Area::Header)
                .children(out.me, pieces::id(what, 0), Some(FileHeader::COUNT))
                .doc(&HEADER_DOC),
            kind::MODULES => table("abstract module headers", &MODULES),
            kind::IR => table("IR module headers", &IR),
            kind::NATIVE => table("native device code image headers", &NATIVE),
            kind::METADATA => {
                group("metadata table", &self.0.metadata, &METADATA_DOC).area(Area::Meta)
            }
            _ => group("binary table", &self.0.binary, &BINARY_DOC).area(Area::Code),
        })
    }
}

impl Expand for FileRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        // All others say it themselves.
        if item == TOP { self.0.pieces.len() } else { 0 }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let file = &self.0;
        let (what, _) = pieces::split(item);
        if item == TOP {
            for index in range {
                out.extend(self.part(index, out));
            }
        } else if what == kind::HEADER {
            let header = Window::clamped(out.sources, file.header);
            records::push(FileHeader::FIELDS, &header, range, out);
        } else {
            let is_text = what == kind::METADATA;
            let list = if is_text {
                &file.metadata
            } else {
                &file.binary
            };
            for at in range {
                let Some((what, span)) = list.get(at) else {
                    continue;
                };
                let node = filler(what, span).or_else(|| {
                    let part = part_of(what)?;
                    Some(match is_text {
                        true => file.survey.text_node(part, span, out),
                        false => file.survey.code_node(part, span, out),
                    })
                });
                out.extend(node);
            }
        }
    }

    fn modules(&self, _item: u64) -> Option<Rc<dyn Modules>> {
        Some(Rc::clone(&self.0.modules))
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let pieces = match (item, pieces::split(item).0) {
            (TOP, _) => &self.0.pieces,
            (_, kind::METADATA) => &self.0.metadata,
            (_, kind::BINARY) => &self.0.binary,
            _ => return None,
        };
        Some(vec![pieces.index_at(offset)])
    }
}

impl Remarks for File {
    fn record(&self, table: u8, index: u64, node: Node, _out: &Rows<'_>) -> Node {
        let Some(part) = part_of(pieces::id(table, index)) else {
            return node;
        };
        let mut node = node;
        if let Some(text) = self.survey.text(part).filter(|text| !text.span.is_empty()) {
            node = node.xref("metadata", "its properties", text.span);
        }
        if let Some(code) = self.survey.code(part) {
            if let Some(opened) = &code.opened {
                node = node.summary(opened.summary.title.clone());
            }
            return node.xref("code", part.name(), code.bytes);
        }
        let Part::Module(at) = part else { return node };
        let at = usize::try_from(at).ok();
        let Some(module) = at.and_then(|at| self.survey.modules.get(at)) else {
            return node;
        };
        let (ir, native) = (module.ir.len() as u64, module.native.len() as u64);
        let count = crate::decode::elf::plural;
        let mut words = Vec::new();
        for (range, what, list) in [
            (&module.ir, "IR module", &self.survey.ir),
            (
                &module.native,
                "native device code image",
                &self.survey.native,
            ),
        ] {
            if range.is_empty() {
                continue;
            }
            words.push(count(range.len() as u64, what));
            let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
            let first = list.get(at(range.start)).map(|code| code.header);
            let last = list.get(at(range.end) - 1).map(|code| code.header);
            if let (Some(first), Some(last)) = (first, last) {
                let all = Span::new(first.source, first.start, last.end);
                node = node.xref("headers", count(range.len() as u64, what), all);
            }
        }
        match ir + native {
            0 => node.summary("no device code"),
            _ => node.summary(words.join(", ")),
        }
    }
}
