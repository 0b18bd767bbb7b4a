//! The meaning of every key of `.ze_info`, in one static table. Follows the ZE Info specification
//! up to version 1.73, plus other keys that IGC and compute-runtime have used.
//!
//! The rows of the tree, the checks, the typed kernels, the inspector's help and the lists of known
//! values all use this table. Versions are given by their minor number: all specifications so far
//! are 1.x.
//!
//! [`Driver`] gives the behavior of driver release 26.27 for a single key or value (observed).
//! Behavior that depends on other keys is not in these tables.

mod arguments;
mod dsl;
mod environment;
mod modules;
mod values;

pub use self::arguments::{
    BINDING_TABLE_INDICES, INLINE_SAMPLERS, PAYLOAD_ARGUMENTS, PER_THREAD_MEMORY_BUFFERS,
    PER_THREAD_PAYLOAD_ARGUMENTS,
};
pub use self::environment::{DEBUG_ENV, EXECUTION_ENV, EXPERIMENTAL_PROPERTIES, USER_ATTRIBUTES};
pub use self::modules::{
    ARGS_INFO, CONTAINER, FUNCTION, GLOBAL_HOST_ACCESS_TABLE, KCM_ARGS_SYM, KCM_LOOP_COSTS,
    KCM_LOOP_COUNT_EXPS, KERNEL, KERNELS_COST_INFO, KERNELS_MISC_INFO,
};
pub use self::values::{
    ACCESS_TYPE, ADDRESS_MODE, ADDRESS_SPACE, ALLOCATION_TYPE, ARGUMENT_TYPE, IMAGE_TYPE,
    L1_CACHE_POLICY, MEMORY_USAGE, PER_THREAD_ARGUMENT_TYPE, SAMPLER_ADDRESS_MODE,
    SAMPLER_FILTER_MODE, SAMPLER_TYPE, THREAD_SCHEDULING_MODE,
};

use self::dsl::Slots;
use zeview_core::model::{Doc, KnownValue};

/// The version that these tables describe: 1.73.
pub const VERSION: (u32, u32) = (1, 73);

/// Every table, the outermost first.
pub static TABLES: &[&Table] = &[
    &CONTAINER,
    &KERNEL,
    &FUNCTION,
    &USER_ATTRIBUTES,
    &EXECUTION_ENV,
    &PAYLOAD_ARGUMENTS,
    &PER_THREAD_PAYLOAD_ARGUMENTS,
    &BINDING_TABLE_INDICES,
    &PER_THREAD_MEMORY_BUFFERS,
    &INLINE_SAMPLERS,
    &EXPERIMENTAL_PROPERTIES,
    &DEBUG_ENV,
    &GLOBAL_HOST_ACCESS_TABLE,
    &KERNELS_MISC_INFO,
    &ARGS_INFO,
    &KERNELS_COST_INFO,
    &KCM_ARGS_SYM,
    &KCM_LOOP_COUNT_EXPS,
    &KCM_LOOP_COSTS,
];

/// Every list of values.
pub static VALUES: &[&Values] = &[
    &L1_CACHE_POLICY,
    &THREAD_SCHEDULING_MODE,
    &ARGUMENT_TYPE,
    &PER_THREAD_ARGUMENT_TYPE,
    &ADDRESS_MODE,
    &ADDRESS_SPACE,
    &ACCESS_TYPE,
    &IMAGE_TYPE,
    &SAMPLER_TYPE,
    &ALLOCATION_TYPE,
    &MEMORY_USAGE,
    &SAMPLER_ADDRESS_MODE,
    &SAMPLER_FILTER_MODE,
];

/// The keys that a mapping may have.
#[derive(Debug)]
pub struct Table {
    /// The key of such mappings or of sequences of them; `container` for the whole text, and
    /// singular for the entries of `kernels` and `functions`.
    pub name: &'static str,
    /// The keys, in the order in which the compiler writes them; legacy ones last.
    pub keys: &'static [Key],
    /// The driver's handling of other keys.
    pub others: Driver,
    /// A key that matches any name containing [`Key::name`] without its stars.
    pub wildcard: Option<&'static Key>,
    /// Its documentation.
    pub doc: Doc,
    /// A bit mask of the indices of required keys.
    pub(super) required: u64,
    slots: Slots,
}

impl Table {
    /// The key with that name.
    pub fn key(&'static self, name: &[u8]) -> Option<&'static Key> {
        match self.place(name) {
            Some(at) => self.keys.get(at),
            None => self.wildcard.filter(|key| key.matches(name)),
        }
    }

    /// The index in [`Table::keys`] of the key with that name; below 64.
    pub fn place(&self, name: &[u8]) -> Option<usize> {
        self.slots
            .find(name, |at| self.keys.get(at).map(|key| key.name))
    }
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Its spelling.
    pub name: &'static str,
    /// The type of its value.
    pub ty: Type,
    /// Whether it is required.
    pub required: bool,
    /// Its default.
    pub default: Default,
    /// The minor version that introduced it; `None` if it was never specified.
    pub since: Option<u32>,
    /// The minor version that removed it.
    pub removed: Option<u32>,
    /// Its current spelling or replacement; may be empty.
    pub instead: &'static str,
    /// The unit of its number; may be empty.
    pub unit: &'static str,
    /// The allowed numbers; empty for any.
    pub allowed: &'static [i64],
    /// Conditions on sibling keys: each must have one of the values. Otherwise the key does not
    /// apply, and has no default.
    pub when: &'static [KeyCondition],
    /// The driver's handling of it.
    pub driver: Driver,
    /// Its documentation, including type, default, version and unit.
    pub doc: Doc,
}

impl Key {
    /// Returns whether a key with stars in its name matches this name.
    fn matches(&self, name: &[u8]) -> bool {
        let part = self.name.trim_matches('*').as_bytes();
        !part.is_empty() && name.windows(part.len()).any(|window| window == part)
    }

    /// The table of the mappings below it.
    pub fn table(&self) -> Option<&'static Table> {
        self.ty.table()
    }

    /// The table of its value, if that should be a mapping.
    pub fn table_of_value(&self) -> Option<&'static Table> {
        match self.ty {
            Type::Mapping(table) | Type::Either(table) => Some(table),
            _ => None,
        }
    }

    /// The table of the entries of its value, if that should be a sequence of mappings.
    pub fn table_of_entries(&self) -> Option<&'static Table> {
        match self.ty {
            Type::Sequence(table) | Type::Either(table) => Some(table),
            _ => None,
        }
    }
}

/// A condition on a sibling key: it has one of the values.
pub type KeyCondition = (&'static str, &'static [&'static str]);

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// A signed 32-bit number.
    Int32,
    /// A signed 64-bit number.
    Int64,
    /// A floating-point number.
    Float,
    /// A boolean.
    Bool,
    /// A string.
    Str,
    /// A sequence of three numbers: x, y, z.
    Int32x3,
    /// A sequence of strings.
    Strings,
    /// A value of an enumeration.
    Enum(&'static Values),
    /// A mapping.
    Mapping(&'static Table),
    /// A sequence of mappings.
    Sequence(&'static Table),
    /// A mapping; in older files a sequence of one mapping.
    Either(&'static Table),
}

impl Type {
    /// Its spelling in the specification.
    pub fn name(self) -> &'static str {
        match self {
            Type::Int32 => "int32",
            Type::Int64 => "int64",
            Type::Float => "float",
            Type::Bool => "bool",
            Type::Str => "str",
            Type::Int32x3 => "int32x3",
            Type::Strings => "sequence of str",
            Type::Enum(_) => "enum",
            Type::Mapping(_) | Type::Either(_) => "mapping",
            Type::Sequence(_) => "sequence",
        }
    }

    /// The table of the mappings in it.
    pub fn table(self) -> Option<&'static Table> {
        match self {
            Type::Mapping(table) | Type::Sequence(table) | Type::Either(table) => Some(table),
            _ => None,
        }
    }

    /// Returns whether it is a scalar.
    pub fn is_scalar(self) -> bool {
        self.table().is_none() && !matches!(self, Type::Int32x3 | Type::Strings)
    }
}

/// The default of an absent key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// No default.
    None,
    /// A number.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// Three numbers.
    Ints([i64; 3]),
}

/// The driver's handling of a key or value (observed with release 26.27).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Driver {
    /// Supports it.
    Reads,
    /// Accepts and ignores it.
    Ignores,
    /// Does not know it and refuses the file: a key is an unknown attribute, a value unhandled.
    Unknown,
    /// Knows the word but refuses it here.
    Rejects,
}

/// The values of an enumeration.
#[derive(Debug)]
pub struct Values {
    /// The specification's name of the enumeration, without angle brackets.
    pub name: &'static str,
    /// The values; legacy ones last.
    pub values: &'static [EnumValue],
    /// The values for the inspector; `raw` is the index.
    pub known: &'static [KnownValue],
    slots: Slots,
}

impl Values {
    /// The value with that name.
    pub fn value(&'static self, name: &[u8]) -> Option<&'static EnumValue> {
        let at = self
            .slots
            .find(name, |at| self.values.get(at).map(|value| value.name))?;
        self.values.get(at)
    }
}

/// A value of an enumeration.
#[derive(Debug)]
pub struct EnumValue {
    /// Its spelling.
    pub name: &'static str,
    /// The minor version that introduced it; `None` if it was never specified.
    pub since: Option<u32>,
    /// The minor version that removed it.
    pub removed: Option<u32>,
    /// Its current spelling; may be empty.
    pub instead: &'static str,
    /// The driver's handling of it.
    pub driver: Driver,
    /// Its meaning.
    pub doc: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_exact_names() {
        for table in TABLES {
            for key in table.keys {
                let found = table.key(key.name.as_bytes()).unwrap();
                assert!(std::ptr::eq(found, key), "{}/{}", table.name, key.name);
            }
            for name in ["", "x", "nam", "namee", "Name", "grf_counts"] {
                assert!(
                    table.key(name.as_bytes()).is_none(),
                    "{}/{name}",
                    table.name
                );
            }
        }
        for list in VALUES {
            for value in list.values {
                let found = list.value(value.name.as_bytes()).unwrap();
                assert!(std::ptr::eq(found, value), "{}/{}", list.name, value.name);
            }
            assert!(list.value(b"").is_none());
            assert_eq!(list.values.len(), list.known.len());
        }
    }

    #[test]
    fn hints_with_any_name_are_keys() {
        assert_eq!(
            USER_ATTRIBUTES.key(b"my_hint_1").map(|k| k.name),
            Some("*_hint*")
        );
        assert_eq!(
            USER_ATTRIBUTES.key(b"vec_type_hint").map(|k| k.name),
            Some("vec_type_hint")
        );
        assert!(USER_ATTRIBUTES.key(b"hint").is_none());
        assert!(EXECUTION_ENV.key(b"my_hint").is_none());
    }

    #[test]
    fn documentation_includes_type_default_version_and_unit() {
        let key = EXECUTION_ENV.key(b"spill_size").unwrap();
        assert_eq!(
            key.doc.text.split_once(" Type").unwrap().1,
            " int32, bytes per hardware thread; default 0; since 1.39."
        );
        let key = EXECUTION_ENV.key(b"simd_size").unwrap();
        assert!(
            key.doc
                .text
                .ends_with("Type int32, lanes; required; since 1.0.")
        );
        let key = PAYLOAD_ARGUMENTS.key(b"addrmode").unwrap();
        assert!(key.doc.text.ends_with("Type enum; optional; since 1.0."));
        assert!(key.doc.known.iter().any(|k| k.name == "bindless"));
        assert_eq!(key.doc.source, "ZE Info 1.73, Payload Arguments");
    }

    #[test]
    fn versions_are_in_order() {
        for key in TABLES.iter().flat_map(|t| t.keys) {
            assert!(key.since.is_none_or(|v| v <= VERSION.1), "{}", key.name);
            let (since, removed) = (key.since.unwrap_or(0), key.removed);
            assert!(removed.is_none_or(|r| since <= r), "{}", key.name);
            assert!(!(key.required && key.removed.is_some()), "{}", key.name);
            assert!(
                !key.doc.text.is_empty() && key.doc.text.ends_with('.'),
                "{}",
                key.name
            );
        }
    }
}
