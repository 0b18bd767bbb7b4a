//! The rows of the ELF header. gABI, "ELF Header", "ELF Identification".

use std::ops::Range;
use std::rc::Rc;

use crate::elf::class::Class;
use crate::elf::dialect::Dialect;
use crate::elf::header::{DataEncoding, FileClass, Header, Ident, OsAbi, Version};
use crate::names::{Decimal, Present, known_name, push_bits};
use crate::reader::{Endian, Window};
use crate::record::{Field, FieldSpec};
use crate::table::slice;
use zeview_core::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

macro_rules! ident_fields {
    ($($name:ident, $offset:literal, $size:literal, $present:ty, $doc:literal;)*) => {
        static IDENT: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($name),
            offset: $offset,
            size: $size,
            present: <$present as Present>::present,
            doc: Doc::new($doc, "gABI, ELF Identification")
                .known(<$present as Present>::KNOWN),
        }),*];
    };
}

ident_fields! {
    EI_MAG, 0, 4, Ident, "The magic number: 7f 45 4c 46.";
    EI_CLASS, 4, 1, FileClass, "The width of addresses and offsets.";
    EI_DATA, 5, 1, DataEncoding, "The order of bytes in numbers.";
    EI_VERSION, 6, 1, Version, "The version of the header.";
    EI_OSABI, 7, 1, OsAbi, "Extensions of an operating system.";
    EI_ABIVERSION, 8, 1, Decimal, "The ABI version: 1; 2 from Xe3P on; 0 is possible in zebins before version 1.36.";
    EI_PAD, 9, 7, Ident, "Unused, zero.";
}

/// The rows of the header.
#[derive(Debug)]
pub struct HeaderRows {
    /// The header's bytes.
    pub span: Span,
    /// The file's class.
    pub class: Class,
    /// The file's byte order.
    pub endian: Endian,
    /// The interpretation of e_machine and e_flags.
    pub dialect: Rc<dyn Dialect>,
}

impl HeaderRows {
    /// The item whose rows are the fields.
    pub const FIELDS: u64 = 0;
    const IDENT: u64 = 1;
    const FLAGS: u64 = 2;
}

impl Expand for HeaderRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            Self::IDENT => IDENT.len() as u64,
            Self::FLAGS => self.dialect.flag_fields().len() as u64,
            _ => Header::COUNT,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let window = Window::clamped(out.sources, self.span);
        let Ok(header) = Header::read(&mut window.reader(self.endian), self.class) else {
            return;
        };
        match item {
            Self::IDENT => {
                for spec in slice(IDENT, range) {
                    out.push(spec.row(spec.number(window.bytes(), self.endian), self.span));
                }
            }
            Self::FLAGS => {
                let word = header.span_of(Header::e_flags);
                push_bits(self.dialect.flag_fields(), header.e_flags, word, range, out);
            }
            _ => {
                for (field, node) in header.rows(range) {
                    let node = self.refine(node, field, &header, out);
                    out.push(node);
                }
            }
        }
    }
}

impl HeaderRows {
    fn refine(
        &self,
        mut node: Node,
        field: Field<Header>,
        header: &Header,
        out: &Rows<'_>,
    ) -> Node {
        match field {
            Header::e_ident => {
                node.kind = NodeKind::Record;
                node.value = Value::None;
                node.children(out.me, Self::IDENT, Some(IDENT.len() as u64))
            }
            Header::e_machine => match self.dialect.machine_names(header) {
                Some((known, summary)) => {
                    let value = Value::decimal(header.e_machine, 16);
                    node.value = match known_name(known, header.e_machine) {
                        Some(name) => value.named(name),
                        None => value,
                    };
                    node.summary(summary)
                }
                None => node,
            },
            Header::e_flags if !self.dialect.flag_fields().is_empty() => {
                let count = self.dialect.flag_fields().len() as u64;
                node.children(out.me, Self::FLAGS, Some(count))
            }
            _ => node,
        }
    }
}
