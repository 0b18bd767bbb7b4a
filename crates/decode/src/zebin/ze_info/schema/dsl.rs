//! The macros that define the tables, and the lookup of names in them.

/// A hash table of a table's names, computed at compile time.
#[derive(Debug)]
pub(super) struct Slots([u8; SLOTS]);

const SLOTS: usize = 128;
const EMPTY: u8 = u8::MAX;

impl Slots {
    /// Inserts the names.
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
    pub(super) const fn of(names: &[&str]) -> Slots {
        assert!(names.len() < SLOTS / 2, "the table is too full to be fast");
        let mut slots = [EMPTY; SLOTS];
        let mut at = 0;
        while at < names.len() {
            // Collisions go to the next slot. Half of the slots stay empty, so searches end.
            let mut slot = hash(names[at].as_bytes());
            while slots[slot] != EMPTY {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = at as u8;
            at += 1;
        }
        Slots(slots)
    }

    /// The index of `name` in the list with the names `name_at`.
    #[inline]
    pub(super) fn find(
        &self,
        name: &[u8],
        name_at: impl Fn(usize) -> Option<&'static str>,
    ) -> Option<usize> {
        let mut slot = hash(name);
        loop {
            let at = *self.0.get(slot)?;
            if at == EMPTY {
                return None;
            }
            let at = usize::from(at);
            if name_at(at)?.as_bytes() == name {
                return Some(at);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// Length and four bytes: enough to distinguish most names of a table.
#[allow(clippy::indexing_slicing)]
const fn hash(name: &[u8]) -> usize {
    let len = name.len();
    if len == 0 {
        return 0;
    }
    let first = name[0] as usize;
    let third = name[len / 3] as usize;
    let middle = name[len / 2] as usize;
    let last = name[len - 1] as usize;
    (len * 5 + first * 7 + third * 31 + middle * 11 + last * 3) % SLOTS
}

/// Declares a table of keys.
///
/// ```text
/// table! {
///     /// Description of the table.
///     pub EXECUTION_ENV = "execution_env", "Execution Environment" {
///         /// Description of the key.
///         "slm_size": Int32 optional(0) since 0 unit "bytes";
///         /// Description of the key.
///         "thread_scheduling_mode": Enum(THREAD_SCHEDULING_MODE) optional since 10;
///     }
/// }
/// ```
///
/// Braces after the unit set other fields of [`Key`](super::Key); braces after the section's name
/// set those of [`Table`](super::Table).
macro_rules! table {
    ($(#[doc = $td:literal])* pub $table:ident = $title:literal, $section:literal
        $({ $($tfield:ident: $tvalue:expr),* })?
        [$(
            $(#[doc = $d:literal])*
            $name:literal: $ty:ident $(($of:ident))? $need:ident $(($default:expr))?
                $(since $since:literal)? $(unit $unit:literal)?
                $({ $($field:ident: $value:expr),* $(,)? })?;
        )*]
    ) => {
        $(#[doc = $td])*
        #[allow(clippy::needless_update)]
        pub static $table: super::Table = super::Table {
            name: $title,
            keys: &[$(super::Key {
                name: $name,
                ty: super::Type::$ty $((&$of))?,
                required: super::dsl::fact!(is_required $need),
                default: super::dsl::fact!(default $ty $($default)?),
                since: super::dsl::fact!(minor $($since)?),
                unit: concat!($($unit)?),
                doc: zeview_core::model::Doc {
                    text: concat!(
                        $($d,)*
                        " Type ", super::dsl::fact!(type $ty), $(", ", $unit,)?
                        super::dsl::fact!(need $need $($default)?),
                        super::dsl::fact!(since $($since)?),
                    ).trim_ascii(),
                    source: concat!("ZE Info 1.73, ", $section),
                    known: super::dsl::fact!(known $ty $($of)?),
                },
                $($($field: $value,)*)?
                ..super::dsl::KEY
            }),*],
            doc: zeview_core::model::Doc {
                text: concat!($($td),*).trim_ascii(),
                source: concat!("ZE Info 1.73, ", $section),
                known: &[],
            },
            required: super::dsl::places(&[$(super::dsl::fact!(is_required $need)),*]),
            slots: super::dsl::Slots::of(&[$($name),*]),
            $($($tfield: $tvalue,)*)?
            ..super::dsl::TABLE
        };
    };
}

/// Declares an enumeration.
macro_rules! values {
    ($(#[doc = $ld:literal])* pub $list:ident = $title:literal [$(
        $(#[doc = $d:literal])*
        $name:literal $(since $since:literal)? $({ $($field:ident: $value:expr),* $(,)? })?;
    )*]) => {
        $(#[doc = $ld])*
        #[allow(clippy::needless_update)]
        pub static $list: super::Values = super::Values {
            name: $title,
            values: &[$(super::EnumValue {
                name: $name,
                since: super::dsl::fact!(minor $($since)?),
                doc: concat!($($d),*).trim_ascii(),
                $($($field: $value,)*)?
                ..super::dsl::VALUE
            }),*],
            known: {
                const DOCS: &[(&str, &str)] = &[$((
                    $name,
                    concat!($($d,)* super::dsl::fact!(later $($since)?)).trim_ascii(),
                )),*];
                &super::dsl::known::<{ DOCS.len() }>(DOCS)
            },
            slots: super::dsl::Slots::of(&[$($name),*]),
        };
    };
}

/// Parts of the declarations.
macro_rules! fact {
    (is_required required) => {
        true
    };
    (is_required $need:ident) => {
        false
    };
    (default $ty:ident) => {
        super::Default::None
    };
    (default Int32 $default:expr) => {
        super::Default::Int($default)
    };
    (default Int64 $default:expr) => {
        super::Default::Int($default)
    };
    (default Bool $default:expr) => {
        super::Default::Bool($default)
    };
    (default Int32x3 $default:expr) => {
        super::Default::Ints($default)
    };
    (minor) => {
        None
    };
    (minor $since:literal) => {
        Some($since)
    };
    (type Int32) => {
        "int32"
    };
    (type Int64) => {
        "int64"
    };
    (type Float) => {
        "float"
    };
    (type Bool) => {
        "bool"
    };
    (type Str) => {
        "str"
    };
    (type Int32x3) => {
        "int32x3"
    };
    (type Strings) => {
        "sequence of str"
    };
    (type Enum) => {
        "enum"
    };
    (type Mapping) => {
        "mapping"
    };
    (type Sequence) => {
        "sequence"
    };
    (type Either) => {
        "mapping (older: sequence)"
    };
    (need required) => {
        "; required"
    };
    (need legacy) => {
        "; not in the current specification"
    };
    (need optional) => {
        "; optional"
    };
    (need optional $default:expr) => {
        concat!("; default ", stringify!($default))
    };
    (since) => {
        "."
    };
    (since $since:literal) => {
        concat!("; since 1.", $since, ".")
    };
    (later) => {
        ""
    };
    (later 0) => {
        ""
    };
    (later $since:literal) => {
        concat!(" Since 1.", $since, ".")
    };
    (known Enum $of:ident) => {
        $of.known
    };
    (known $ty:ident $($of:ident)?) => {
        &[]
    };
}

pub(super) use {fact, table, values};

use super::{Default, Driver, EnumValue, Key, Table, Type};
use zeview_core::model::{Doc, KnownValue};

const NO_DOC: Doc = Doc::new("", "");

/// A bit mask of the indices that are `true`.
#[allow(clippy::indexing_slicing)]
pub(super) const fn places(flags: &[bool]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < flags.len() {
        bits |= (flags[at] as u64) << at;
        at += 1;
    }
    bits
}

/// Default values of a key's fields.
pub(super) const KEY: Key = Key {
    name: "",
    ty: Type::Str,
    required: false,
    default: Default::None,
    since: None,
    removed: None,
    instead: "",
    unit: "",
    allowed: &[],
    when: &[],
    driver: Driver::Reads,
    doc: NO_DOC,
};

/// Default values of a table's fields.
pub(super) const TABLE: Table = Table {
    name: "",
    keys: &[],
    others: Driver::Unknown,
    wildcard: None,
    doc: NO_DOC,
    required: 0,
    slots: Slots::of(&[]),
};

/// Default values of an enumeration value's fields.
pub(super) const VALUE: EnumValue = EnumValue {
    name: "",
    since: None,
    removed: None,
    instead: "",
    driver: Driver::Reads,
    doc: "",
};

/// The known values for the inspector, with their indices as numbers.
#[allow(clippy::indexing_slicing)]
pub(super) const fn known<const N: usize>(
    words: &[(&'static str, &'static str)],
) -> [KnownValue; N] {
    let mut known = [KnownValue {
        raw: 0,
        name: "",
        doc: "",
    }; N];
    let mut at = 0;
    while at < N {
        known[at] = KnownValue {
            raw: at as u64,
            name: words[at].0,
            doc: words[at].1,
        };
        at += 1;
    }
    known
}
