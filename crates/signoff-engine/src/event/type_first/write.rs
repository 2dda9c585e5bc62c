//! Writes an enum as an object.

use serde::ser::{
    Error as _, Impossible, Serialize, SerializeStruct, SerializeStructVariant, Serializer,
};

use super::{TYPE, TypeFirst};

/// What no event is.
macro_rules! refused {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {$(
        fn $name(self, $(_: $argument),*) -> Result<$result, S::Error> {
            Err(S::Error::custom("an event's fields have names"))
        }
    )*};
}

type No<S> = Impossible<<S as Serializer>::Ok, <S as Serializer>::Error>;

impl<S: Serializer> Serializer for TypeFirst<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = No<S>;
    type SerializeTuple = No<S>;
    type SerializeTupleStruct = No<S>;
    type SerializeTupleVariant = No<S>;
    type SerializeMap = No<S>;
    type SerializeStruct = No<S>;
    type SerializeStructVariant = TypeFirst<S::SerializeStruct>;

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        fields: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let mut object = self.0.serialize_struct(name, fields + 1)?;
        object.serialize_field(TYPE, variant)?;
        Ok(TypeFirst(object))
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<S::Ok, S::Error> {
        self.serialize_unit()
    }

    refused! {
        serialize_bool(bool) -> S::Ok;
        serialize_i8(i8) -> S::Ok;
        serialize_i16(i16) -> S::Ok;
        serialize_i32(i32) -> S::Ok;
        serialize_i64(i64) -> S::Ok;
        serialize_u8(u8) -> S::Ok;
        serialize_u16(u16) -> S::Ok;
        serialize_u32(u32) -> S::Ok;
        serialize_u64(u64) -> S::Ok;
        serialize_f32(f32) -> S::Ok;
        serialize_f64(f64) -> S::Ok;
        serialize_char(char) -> S::Ok;
        serialize_str(&str) -> S::Ok;
        serialize_bytes(&[u8]) -> S::Ok;
        serialize_none() -> S::Ok;
        serialize_unit() -> S::Ok;
        serialize_unit_struct(&'static str) -> S::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> S::Ok;
        serialize_seq(Option<usize>) -> No<S>;
        serialize_tuple(usize) -> No<S>;
        serialize_tuple_struct(&'static str, usize) -> No<S>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No<S>;
        serialize_map(Option<usize>) -> No<S>;
        serialize_struct(&'static str, usize) -> No<S>;
    }
}

impl<S: SerializeStruct> SerializeStructVariant for TypeFirst<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.0.serialize_field(key, value)
    }

    fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
        self.0.skip_field(key)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
