//! Reads an enum from an object.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::{TYPE, TypeFirst};

impl<'de, D: Deserializer<'de>> Deserializer<'de> for TypeFirst<D> {
    type Error = D::Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(ObjectVisitor {
            name,
            variants,
            visitor,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, D::Error> {
        Err(D::Error::custom("only an enum has a type"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct ObjectVisitor<V> {
    name: &'static str,
    variants: &'static [&'static str],
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a `type`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<V::Value, A::Error> {
        match fields.next_key()? {
            None => Err(A::Error::missing_field(TYPE)),
            Some(Key::Type) => self.visitor.visit_enum(Fields(fields)),
            Some(Key::Other(first)) => self.visit_in_other_order(first, fields),
        }
    }
}

impl<'de, V: Visitor<'de>> ObjectVisitor<V> {
    /// Puts the type first.
    fn visit_in_other_order<A: MapAccess<'de>>(
        self,
        first: String,
        mut fields: A,
    ) -> Result<V::Value, A::Error> {
        let mut found = Map::new();
        let mut next = Some(first);
        while let Some(key) = next {
            let value: Value = fields.next_value()?;
            if found.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            found.insert(key, value);
            next = fields.next_key()?;
        }
        let kind = found.shift_remove_entry(TYPE);
        let kind = kind.ok_or_else(|| A::Error::missing_field(TYPE))?;
        let ordered = std::iter::once(kind).chain(found).collect();
        TypeFirst(Value::Object(ordered))
            .deserialize_enum(self.name, self.variants, self.visitor)
            .map_err(A::Error::custom)
    }
}

/// The first key of an object.
enum Key {
    Type,
    Other(String),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(KeyVisitor)
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(if name == TYPE {
            Key::Type
        } else {
            Key::Other(name.to_owned())
        })
    }
}

/// An object from the value of its type on.
struct Fields<A>(A);

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Fields<A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        mut self,
        seed: S,
    ) -> Result<(S::Value, Self), A::Error> {
        Ok((self.0.next_value_seed(seed)?, self))
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Fields<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        Err(without_names())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, A::Error> {
        Err(without_names())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, A::Error> {
        Err(without_names())
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }
}

fn without_names<E: Error>() -> E {
    E::custom("an event's fields have names")
}
