//! Records: fields at fixed places, each declared once.
//!
//! [`record!`](crate::record) is for records that this project spells out itself;
//! [`layout!`](crate::layout) takes names, sizes and order of the fields from goblin's
//! `repr(C)` structs. Both make the struct, its reader, the rows of the tree and their
//! documentation from one list.

use crate::model::{Doc, Node, Rows, Span, Value};

/// One field of a record, with its place.
#[derive(Debug)]
pub struct FieldSpec {
    /// The specification's name.
    pub name: &'static str,
    /// Where it starts, in bytes from the record's first.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// How its number is written.
    pub present: fn(u64, u8) -> Value,
    /// What it means.
    pub doc: Doc,
}

impl FieldSpec {
    /// The field's bytes in a record at `origin`.
    pub fn span(&self, origin: Span) -> Span {
        origin.sub(self.offset, self.size)
    }

    /// The field's row.
    pub fn row(&'static self, raw: u64, origin: Span) -> Node {
        Node::field(
            self.name,
            (self.present)(raw, bits(self.size)),
            self.span(origin),
        )
        .doc(&self.doc)
    }
}

/// The width of a field of `size` bytes, in bits.
pub fn bits(size: u64) -> u8 {
    u8::try_from(size.saturating_mul(8)).unwrap_or(u8::MAX)
}

/// Pushes the rows of `fields` whose numbers `raw` gives, in the order of their places.
pub fn push_rows(
    fields: &'static [FieldSpec],
    origin: Span,
    range: std::ops::Range<u64>,
    raw: impl Fn(&'static str) -> u64,
    out: &mut Rows<'_>,
) {
    let mut order: Vec<&'static FieldSpec> = fields.iter().collect();
    order.sort_by_key(|f| f.offset);
    let from = usize::try_from(range.start).unwrap_or(usize::MAX);
    let to = usize::try_from(range.end).unwrap_or(usize::MAX);
    for field in order.get(from..to.min(order.len())).unwrap_or(&[]) {
        out.push(field.row(raw(field.name), origin));
    }
}

/// Declares a record of little numbers that follow each other.
///
/// ```
/// use zeview::decode::names::{Dec, Hex};
/// zeview::record! {
///     /// A header. Where it is specified.
///     pub struct Header: "spec, section" {
///         /// What it starts with.
///         magic: u32 as Hex,
///         /// How many there are.
///         count: u16 as Dec,
///     }
/// }
/// assert_eq!(Header::SIZE, 6);
/// assert_eq!(Header::FIELDS[1].offset, 4);
/// ```
///
/// makes
///
/// ```text
/// pub struct Header { pub origin: Span, pub magic: u32, pub count: u16 }
/// impl Header {
///     pub const SIZE: u64; pub const FIELDS: &[FieldSpec];
///     pub fn read(r: &mut Reader) -> ReadResult<Header>;
///     pub fn span_of(&self, name) -> Span;
///     pub fn rows(&self, range, out);
/// }
/// ```
#[macro_export]
macro_rules! record {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident: $source:literal {
        $($(#[doc = $d:expr])* $field:ident: $ty:ident as $present:ty),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name {
            /// The record's bytes.
            pub origin: $crate::model::Span,
            $($(#[doc = $d])* pub $field: $ty,)*
        }

        #[allow(dead_code)]
        impl $name {
            /// The record's size in bytes.
            pub const SIZE: u64 = 0 $(+ <$ty as $crate::decode::reader::Scalar>::SIZE)*;

            /// The fields, in order.
            pub const FIELDS: &'static [$crate::decode::record::FieldSpec] = {
                const COUNT: usize = [$(stringify!($field)),*].len();
                const SIZES: [u64; COUNT] = [$(<$ty as $crate::decode::reader::Scalar>::SIZE),*];
                const NAMES: [&str; COUNT] = [$(stringify!($field)),*];
                const fn offset(name: &str) -> u64 {
                    let (mut i, mut at) = (0, 0);
                    #[allow(clippy::indexing_slicing)]
                    while i < COUNT && !$crate::decode::record::same(NAMES[i], name) {
                        at += SIZES[i];
                        i += 1;
                    }
                    at
                }
                &[$($crate::decode::record::FieldSpec {
                    name: stringify!($field),
                    offset: offset(stringify!($field)),
                    size: <$ty as $crate::decode::reader::Scalar>::SIZE,
                    present: <$present as $crate::decode::names::Present>::present,
                    doc: $crate::model::Doc {
                        text: concat!($($d),*).trim_ascii(),
                        source: $source,
                        known: <$present as $crate::decode::names::Present>::KNOWN,
                    },
                }),*]
            };

            /// Reads the record at the cursor.
            ///
            /// # Errors
            ///
            /// When not all of it is there; the cursor stays.
            pub fn read(
                r: &mut $crate::decode::reader::Reader<'_>,
            ) -> $crate::decode::reader::ReadResult<Self> {
                let bytes = r.bytes(Self::SIZE)?;
                let endian = r.endian();
                let mut at = 0usize;
                $(
                    let end = at + <$ty as $crate::decode::reader::Scalar>::BYTES;
                    let $field = <$ty as $crate::decode::reader::Scalar>::decode(
                        bytes.value.get(at..end).unwrap_or(&[]),
                        endian,
                    );
                    at = end;
                )*
                let _ = at;
                Ok($name { origin: bytes.span, $($field),* })
            }

            /// The bytes of the field of that name; of the whole record, if it has none.
            pub fn span_of(&self, name: &str) -> $crate::model::Span {
                Self::FIELDS
                    .iter()
                    .find(|f| f.name == name)
                    .map_or(self.origin, |f| f.span(self.origin))
            }

            /// The number of the field of that name, widened.
            pub fn raw(&self, name: &str) -> u64 {
                $(if name == stringify!($field) { return self.$field.into(); })*
                0
            }

            /// Pushes the rows of the fields `range`.
            pub fn rows(
                &self,
                range: std::ops::Range<u64>,
                out: &mut $crate::model::Rows<'_>,
            ) {
                $crate::decode::record::push_rows(
                    Self::FIELDS, self.origin, range, |name| self.raw(name), out,
                );
            }

            /// How many fields there are.
            pub const COUNT: u64 = Self::FIELDS.len() as u64;
        }
    };
}

/// Declares a record of an ELF file, which has a layout of its own in the 32-bit and in the
/// 64-bit class; both are goblin's `repr(C)` structs. All numbers are widened to 64 bits.
///
/// A field that is forgotten, or that one of the two does not have, does not compile.
#[macro_export]
macro_rules! layout {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident: $source:literal = $ty32:path | $ty64:path {
        $($(#[doc = $d:expr])* $field:ident as $present:ty),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy)]
        $vis struct $name {
            /// The record's bytes.
            pub origin: $crate::model::Span,
            /// Its fields' places.
            pub fields: &'static [$crate::decode::record::FieldSpec],
            $($(#[doc = $d])* pub $field: u64,)*
        }

        #[allow(dead_code)]
        impl $name {
            /// The fields in the 32-bit class.
            pub const FIELDS_32: &'static [$crate::decode::record::FieldSpec] =
                $crate::layout!(@fields $source, $ty32 { $($([$d])* $field as $present),* });
            /// The fields in the 64-bit class.
            pub const FIELDS_64: &'static [$crate::decode::record::FieldSpec] =
                $crate::layout!(@fields $source, $ty64 { $($([$d])* $field as $present),* });

            /// The record's size in bytes.
            pub const fn size(class: $crate::decode::elf::Class) -> u64 {
                match class {
                    $crate::decode::elf::Class::Elf32 => size_of::<$ty32>() as u64,
                    $crate::decode::elf::Class::Elf64 => size_of::<$ty64>() as u64,
                }
            }

            /// Reads the record at the cursor.
            ///
            /// # Errors
            ///
            /// When not all of it is there; the cursor stays.
            pub fn read(
                r: &mut $crate::decode::reader::Reader<'_>,
                class: $crate::decode::elf::Class,
            ) -> $crate::decode::reader::ReadResult<Self> {
                let fields = match class {
                    $crate::decode::elf::Class::Elf32 => Self::FIELDS_32,
                    $crate::decode::elf::Class::Elf64 => Self::FIELDS_64,
                };
                let endian = r.endian();
                let bytes = r.bytes(Self::size(class))?;
                // The declaration's order is the order of both lists.
                let mut specs = fields.iter();
                $(let $field = specs.next().map_or(0, |f| {
                    $crate::decode::record::field(bytes.value, f, endian)
                });)*
                Ok($name { origin: bytes.span, fields, $($field),* })
            }

            /// The bytes of the field of that name; of the whole record, if it has none.
            pub fn span_of(&self, name: &str) -> $crate::model::Span {
                self.fields
                    .iter()
                    .find(|f| f.name == name)
                    .map_or(self.origin, |f| f.span(self.origin))
            }

            /// The number of the field of that name.
            pub fn raw(&self, name: &str) -> u64 {
                $(if name == stringify!($field) { return self.$field; })*
                0
            }

            /// Pushes the rows of the fields `range`.
            pub fn rows(
                &self,
                range: std::ops::Range<u64>,
                out: &mut $crate::model::Rows<'_>,
            ) {
                $crate::decode::record::push_rows(
                    self.fields, self.origin, range, |name| self.raw(name), out,
                );
            }

            /// How many fields there are.
            pub const COUNT: u64 = Self::FIELDS_64.len() as u64;
        }
    };
    (@fields $source:literal, $ty:path { $($([$d:expr])* $field:ident as $present:ty),* }) => {{
        use $ty as Layout;
        #[allow(dead_code, unused_variables)]
        fn exhaustive(s: &Layout) {
            let Layout { $($field),* } = s;
        }
        &[$($crate::decode::record::FieldSpec {
            name: stringify!($field),
            offset: std::mem::offset_of!(Layout, $field) as u64,
            size: $crate::decode::record::size_by(|s: &Layout| &s.$field),
            present: <$present as $crate::decode::names::Present>::present,
            doc: $crate::model::Doc {
                text: concat!($($d),*).trim_ascii(),
                source: $source,
                known: <$present as $crate::decode::names::Present>::KNOWN,
            },
        }),*]
    }};
}

/// The size of what a projection leads to; for the macros.
pub const fn size_by<T, F>(_: fn(&T) -> &F) -> u64 {
    size_of::<F>() as u64
}

/// Are the two the same? For the macros, which need it while compiling.
#[allow(clippy::indexing_slicing)]
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A field's number in the record's bytes; for the macros.
pub fn field(record: &[u8], spec: &FieldSpec, endian: super::reader::Endian) -> u64 {
    let range = || {
        let from = usize::try_from(spec.offset).ok()?;
        let to = from.checked_add(usize::try_from(spec.size).ok()?)?;
        record.get(from..to)
    };
    super::reader::uint(range().unwrap_or(&[]), endian)
}
