//! A serializer for numbers that JavaScript represents exactly.
//!
//! A `number` is exact up to 2⁵³; beyond that, `serde_wasm_bindgen` fails or makes every 64-bit
//! number a `bigint`. This adapter passes larger numbers on as 128-bit numbers, which are always
//! `bigint`.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Largest whole number up to which each one is exact: 2⁵³ − 1.
pub const SAFE: u64 = (1 << 53) - 1;

/// A serializer that widens large numbers.
pub struct Exact<S>(pub S);

/// Data that is serialized with [`Exact`].
struct ExactData<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for ExactData<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Exact(serializer))
    }
}

/// Methods that pass their arguments on.
macro_rules! pass_on {
    ($($method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $method(self, $($argument: $type),*) -> Result<$result, S::Error> {
            self.0.$method($($argument),*)
        })*
    };
}

/// Methods that start a compound of elements.
macro_rules! start {
    ($($method:ident($($argument:ident: $type:ty),*) -> $result:ident;)*) => {
        $(fn $method(self, $($argument: $type),*) -> Result<Self::$result, S::Error> {
            self.0.$method($($argument),*).map(Exact)
        })*
    };
}

impl<S: Serializer> Serializer for Exact<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Exact<S::SerializeSeq>;
    type SerializeTuple = Exact<S::SerializeTuple>;
    type SerializeTupleStruct = Exact<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Exact<S::SerializeTupleVariant>;
    type SerializeMap = Exact<S::SerializeMap>;
    type SerializeStruct = Exact<S::SerializeStruct>;
    type SerializeStructVariant = Exact<S::SerializeStructVariant>;

    fn serialize_i64(self, value: i64) -> Result<S::Ok, S::Error> {
        if value.unsigned_abs() <= SAFE {
            self.0.serialize_i64(value)
        } else {
            self.0.serialize_i128(value.into())
        }
    }

    fn serialize_u64(self, value: u64) -> Result<S::Ok, S::Error> {
        if value <= SAFE {
            self.0.serialize_u64(value)
        } else {
            self.0.serialize_u128(value.into())
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&ExactData(value))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &ExactData(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0
            .serialize_newtype_variant(name, index, variant, &ExactData(value))
    }

    pass_on! {
        serialize_bool(value: bool) -> S::Ok;
        serialize_i8(value: i8) -> S::Ok;
        serialize_i16(value: i16) -> S::Ok;
        serialize_i32(value: i32) -> S::Ok;
        serialize_i128(value: i128) -> S::Ok;
        serialize_u8(value: u8) -> S::Ok;
        serialize_u16(value: u16) -> S::Ok;
        serialize_u32(value: u32) -> S::Ok;
        serialize_u128(value: u128) -> S::Ok;
        serialize_f32(value: f32) -> S::Ok;
        serialize_f64(value: f64) -> S::Ok;
        serialize_char(value: char) -> S::Ok;
        serialize_str(value: &str) -> S::Ok;
        serialize_bytes(value: &[u8]) -> S::Ok;
        serialize_none() -> S::Ok;
        serialize_unit() -> S::Ok;
        serialize_unit_struct(name: &'static str) -> S::Ok;
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str) -> S::Ok;
    }

    start! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant;
    }
}

/// Implements compounds of elements, each with the methods that take an element.
macro_rules! compounds {
    ($($compound:ident { $($method:ident($($key:ident: $type:ty)?);)* })*) => {
        $(impl<C: $compound> $compound for Exact<C> {
            type Ok = C::Ok;
            type Error = C::Error;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: $type,)?
                value: &T,
            ) -> Result<(), C::Error> {
                self.0.$method($($key,)? &ExactData(value))
            })*

            fn end(self) -> Result<C::Ok, C::Error> {
                self.0.end()
            }
        })*
    };
}

compounds! {
    SerializeSeq { serialize_element(); }
    SerializeTuple { serialize_element(); }
    SerializeTupleStruct { serialize_field(); }
    SerializeTupleVariant { serialize_field(); }
    SerializeMap { serialize_key(); serialize_value(); }
    SerializeStruct { serialize_field(key: &'static str); }
    SerializeStructVariant { serialize_field(key: &'static str); }
}
