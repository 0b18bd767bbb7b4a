//! Records: fields at fixed offsets, each declared once.
//!
//! [`record!`](macro@crate::record) is for records that this project declares itself;
//! [`layout!`](macro@crate::layout) takes the names, sizes and order of the fields from goblin's
//! `repr(C)` structs. Both generate the struct, its reader, the rows of the tree and their
//! documentation from one list, and a [`Field`] for each of its fields.

use std::marker::PhantomData;
use std::ops::Range;

use super::reader::{Endian, uint};
use super::table::slice;
use zeview_core::model::sort;
use zeview_core::model::{Doc, Node, Span, Spanned, Value};

/// A field of a record, and its location.
#[derive(Debug)]
pub struct FieldSpec {
    /// The specification's name.
    pub name: &'static str,
    /// Its offset in the record, in bytes.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Presentation of its number.
    pub present: fn(u64, u8) -> Value,
    /// Its meaning.
    pub doc: Doc,
}

impl FieldSpec {
    /// The field's bytes in a record at `origin`.
    pub fn span(&self, origin: Span) -> Span {
        origin.subspan(self.offset, self.size)
    }

    /// The field's number in the record's bytes; 0 if it is truncated.
    pub fn number(&self, record: &[u8], endian: Endian) -> u64 {
        let range = || {
            let from = usize::try_from(self.offset).ok()?;
            let to = from.checked_add(usize::try_from(self.size).ok()?)?;
            record.get(from..to)
        };
        uint(range().unwrap_or(&[]), endian)
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

/// A field of the record `R`. The macros create one per field, so that a mistyped name does not
/// compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<R> {
    index: usize,
    record: PhantomData<R>,
}

impl<R> Field<R> {
    /// The field with that name; for the macros, which need it at compile time.
    #[allow(clippy::indexing_slicing)]
    pub const fn named(names: &[&str], name: &str) -> Field<R> {
        let mut index = 0;
        while !same(names[index], name) {
            index += 1;
        }
        Field {
            index,
            record: PhantomData,
        }
    }

    /// The field's bytes in a record at `origin`.
    pub fn span(self, fields: &[FieldSpec], origin: Span) -> Span {
        fields.get(self.index).map_or(origin, |f| f.span(origin))
    }

    /// The field's number and bytes in a record at `origin`.
    pub fn get(self, fields: &[FieldSpec], numbers: &[u64], origin: Span) -> Spanned<u64> {
        Spanned {
            value: numbers.get(self.index).copied().unwrap_or(0),
            span: self.span(fields, origin),
        }
    }

    /// The rows `range` of a record with these numbers, in order of offset.
    pub fn rows(
        fields: &'static [FieldSpec],
        numbers: &[u64],
        origin: Span,
        range: Range<u64>,
    ) -> Vec<(Field<R>, Node)> {
        let mut order: Vec<_> = fields.iter().zip(numbers).enumerate().collect();
        sort::by_key(&mut order, |(_, (field, _))| field.offset);
        let row = |&(index, (field, number)): &(usize, (&'static FieldSpec, &u64))| {
            let record = PhantomData;
            (Field { index, record }, field.row(*number, origin))
        };
        slice(&order, range).iter().map(row).collect()
    }
}

/// Declares a record of consecutive little-endian numbers.
///
/// ```
/// use zeview_decode::names::{Decimal, Hex};
/// zeview_decode::record! {
///     /// A header. Source.
///     pub struct Header: "spec, section" {
///         /// The magic number.
///         magic: u32 as Hex,
///         /// The number of entries.
///         count: u16 as Decimal,
///     }
/// }
/// assert_eq!(Header::SIZE, 6);
/// assert_eq!(Header::FIELDS[1].offset, 4);
/// ```
///
/// expands to
///
/// ```text
/// pub struct Header { pub origin: Span, pub magic: u32, pub count: u16 }
/// impl Header {
///     pub const SIZE: u64; pub const COUNT: u64; pub const FIELDS: &[FieldSpec];
///     pub const magic: Field<Header>; pub const count: Field<Header>;
///     pub fn read(r: &mut Reader) -> ReadResult<Header>;
///     pub fn clamped(window: &Window, endian) -> Header;
///     pub fn span_of(&self, field) -> Span;
///     pub fn get(&self, field) -> Spanned<u64>;
///     pub fn rows(&self, range) -> Vec<(Field<Header>, Node)>;
///     pub fn push_rows(&self, range, out: &mut Rows);
///     pub fn nodes(&self) -> impl Iterator<Item = Node>;
/// }
/// ```
///
/// An unknown field does not compile:
///
/// ```compile_fail
/// use zeview_decode::names::Decimal;
/// zeview_decode::record! {
///     /// A header.
///     pub struct Header: "spec" {
///         /// The number of entries.
///         count: u16 as Decimal,
///     }
/// }
/// let field = Header::cuont;
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
            pub origin: zeview_core::model::Span,
            $($(#[doc = $d])* pub $field: $ty,)*
        }

        #[allow(dead_code)]
        impl $name {
            /// The record's size in bytes.
            pub const SIZE: u64 = 0 $(+ <$ty as $crate::reader::Scalar>::SIZE)*;

            /// The fields, in order.
            pub const FIELDS: &'static [$crate::record::FieldSpec] = {
                const SIZES: &[u64] = &[$(<$ty as $crate::reader::Scalar>::SIZE),*];
                const fn offset(name: &str) -> u64 {
                    let (mut i, mut at) = (0, 0);
                    #[allow(clippy::indexing_slicing)]
                    while !$crate::record::same($name::NAMES[i], name) {
                        at += SIZES[i];
                        i += 1;
                    }
                    at
                }
                &[$($crate::record::FieldSpec {
                    name: stringify!($field),
                    offset: offset(stringify!($field)),
                    size: <$ty as $crate::reader::Scalar>::SIZE,
                    present: <$present as $crate::names::Present>::present,
                    doc: zeview_core::model::Doc::new(concat!($($d),*).trim_ascii(), $source)
                        .known(<$present as $crate::names::Present>::KNOWN),
                }),*]
            };

            /// Reads the record at the cursor.
            ///
            /// # Errors
            ///
            /// Returns an error if it is truncated; the cursor stays.
            pub fn read(
                r: &mut $crate::reader::Reader<'_>,
            ) -> $crate::reader::ReadResult<Self> {
                let bytes = r.bytes(Self::SIZE)?;
                Ok(Self::decode(bytes.value, bytes.span, r.endian()))
            }

            /// The record at the start of the window; truncated fields are 0.
            pub fn clamped(
                window: &$crate::reader::Window,
                endian: $crate::reader::Endian,
            ) -> Self {
                Self::decode(window.bytes(), window.span().subspan(0, Self::SIZE), endian)
            }

            /// The record in these bytes; truncated fields are 0.
            pub fn decode(
                bytes: &[u8],
                origin: zeview_core::model::Span,
                endian: $crate::reader::Endian,
            ) -> Self {
                let mut at = 0usize;
                $(
                    let end = at + <$ty as $crate::reader::Scalar>::BYTES;
                    let $field = <$ty as $crate::reader::Scalar>::decode(
                        bytes.get(at..end).unwrap_or(&[]),
                        endian,
                    );
                    at = end;
                )*
                let _ = at;
                $name { origin, $($field),* }
            }

            fn specs(&self) -> &'static [$crate::record::FieldSpec] {
                Self::FIELDS
            }
        }

        $crate::record!(@fields $name { $($field),* });
    };
    // Items of records of both macros.
    (@fields $name:ident { $($field:ident),* }) => {
        #[allow(dead_code, non_upper_case_globals, missing_docs)]
        impl $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            $(pub const $field: $crate::record::Field<$name> =
                $crate::record::Field::named(Self::NAMES, stringify!($field));)*

            /// Number of fields.
            pub const COUNT: u64 = Self::NAMES.len() as u64;

            fn numbers(&self) -> [u64; Self::NAMES.len()] {
                [$(self.$field.into()),*]
            }

            /// The bytes of a field.
            pub fn span_of(
                &self,
                field: $crate::record::Field<$name>,
            ) -> zeview_core::model::Span {
                field.span(self.specs(), self.origin)
            }

            /// The number and the bytes of a field.
            pub fn get(
                &self,
                field: $crate::record::Field<$name>,
            ) -> zeview_core::model::Spanned<u64> {
                field.get(self.specs(), &self.numbers(), self.origin)
            }

            /// The rows of the fields `range`, in order of offset.
            pub fn rows(
                &self,
                range: std::ops::Range<u64>,
            ) -> Vec<($crate::record::Field<$name>, zeview_core::model::Node)> {
                $crate::record::Field::rows(
                    self.specs(), &self.numbers(), self.origin, range,
                )
            }

            /// Pushes the rows of the fields `range`.
            pub fn push_rows(
                &self,
                range: std::ops::Range<u64>,
                out: &mut zeview_core::model::Rows<'_>,
            ) {
                out.extend(self.rows(range).into_iter().map(|(_, node)| node));
            }

            /// The rows of all fields.
            pub fn nodes(&self) -> impl Iterator<Item = zeview_core::model::Node> + use<> {
                self.rows(0..Self::COUNT).into_iter().map(|(_, node)| node)
            }
        }
    };
}

/// Declares a record of an ELF file, with separate layouts for the 32-bit and the 64-bit class;
/// both are goblin's `repr(C)` structs. All numbers are widened to 64 bits.
///
/// A field that is missing here or in one of the two structs does not compile.
#[macro_export]
macro_rules! layout {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident: $source:literal = $ty32:path | $ty64:path {
        $($(#[doc = $d:expr])* $field:ident as $present:ty),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name {
            /// The record's bytes.
            pub origin: zeview_core::model::Span,
            /// The class of its file.
            pub class: $crate::elf::class::Class,
            $($(#[doc = $d])* pub $field: u64,)*
        }

        #[allow(dead_code)]
        impl $name {
            /// The fields in a class, in the order of the declaration.
            pub const fn fields(
                class: $crate::elf::class::Class,
            ) -> &'static [$crate::record::FieldSpec] {
                match class {
                    $crate::elf::class::Class::Elf32 =>
                        $crate::layout!(@fields $source, $ty32 { $($([$d])* $field as $present),* }),
                    $crate::elf::class::Class::Elf64 =>
                        $crate::layout!(@fields $source, $ty64 { $($([$d])* $field as $present),* }),
                }
            }

            /// The record's size in bytes.
            pub const fn size(class: $crate::elf::class::Class) -> u64 {
                match class {
                    $crate::elf::class::Class::Elf32 => size_of::<$ty32>() as u64,
                    $crate::elf::class::Class::Elf64 => size_of::<$ty64>() as u64,
                }
            }

            /// Reads the record at the cursor.
            ///
            /// # Errors
            ///
            /// Returns an error if it is truncated; the cursor stays.
            pub fn read(
                r: &mut $crate::reader::Reader<'_>,
                class: $crate::elf::class::Class,
            ) -> $crate::reader::ReadResult<Self> {
                let endian = r.endian();
                let bytes = r.bytes(Self::size(class))?;
                let mut specs = Self::fields(class).iter();
                $(let $field = specs.next().map_or(0, |f| f.number(bytes.value, endian));)*
                Ok($name { origin: bytes.span, class, $($field),* })
            }

            fn specs(&self) -> &'static [$crate::record::FieldSpec] {
                Self::fields(self.class)
            }
        }

        $crate::record!(@fields $name { $($field),* });
    };
    (@fields $source:literal, $ty:path { $($([$d:expr])* $field:ident as $present:ty),* }) => {{
        use $ty as Layout;
        #[allow(dead_code, unused_variables)]
        fn exhaustive(s: &Layout) {
            let Layout { $($field),* } = s;
        }
        const { &[$($crate::record::FieldSpec {
            name: stringify!($field),
            offset: std::mem::offset_of!(Layout, $field) as u64,
            size: $crate::record::size_by(|s: &Layout| &s.$field),
            present: <$present as $crate::names::Present>::present,
            doc: zeview_core::model::Doc::new(concat!($($d),*).trim_ascii(), $source)
                .known(<$present as $crate::names::Present>::KNOWN),
        }),*] }
    }};
}

/// The size of the target of a projection; for the macros.
pub const fn size_by<T, F>(_: fn(&T) -> &F) -> u64 {
    size_of::<F>() as u64
}

/// Compares two strings at compile time, for the macros.
#[allow(clippy::indexing_slicing)]
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
