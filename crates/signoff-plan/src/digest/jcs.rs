//! RFC 8785: one way to write each JSON value.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// Writes a value as RFC 8785 asks: keys in UTF-16 order, numbers as ECMAScript prints them, no
/// white space.
///
/// All numbers are taken as IEEE 754 doubles, as the RFC says; a whole number beyond 2⁵³ is
/// therefore better carried as text.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

pub(super) fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => write_items(items, out, write_value),
        Value::Object(members) => {
            let members = members.iter().collect();
            write_members(members, out, write_value);
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    match number.as_f64() {
        Some(float) if float.is_finite() => out.push_str(ryu_js::Buffer::new().format(float)),
        // JSON text cannot say a number that is not finite.
        _ => out.push_str("null"),
    }
}

/// `serde_json` escapes exactly what the RFC does: quote, backslash, control characters, the
/// latter in their short form or as lower-case `\u00xx`.
fn write_string(text: &str, out: &mut String) {
    if text.bytes().any(needs_escape) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Writes a list, each item as the caller has it.
pub(super) fn write_items<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut String,
    mut item: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (index, value) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        item(value, out);
    }
    out.push(']');
}

/// Writes an object, each value as the caller has it.
pub(super) fn write_members<K: AsRef<str>, V>(
    mut members: Vec<(K, V)>,
    out: &mut String,
    mut member: impl FnMut(V, &mut String),
) {
    members.sort_by(|(a, _), (b, _)| key_order(a.as_ref(), b.as_ref()));
    out.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key.as_ref(), out);
        out.push(':');
        member(value, out);
    }
    out.push('}');
}

/// By UTF-16 units, which is by bytes wherever all is ASCII.
fn key_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

/// Reads any JSON and writes it in canonical form, without a tree of it in between.
pub(super) struct Canonicalizer<'o>(pub(super) &'o mut String);

impl<'de> DeserializeSeed<'de> for Canonicalizer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Canonicalizer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push_str("null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        write_value(&Value::Bool(value), self.0);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        write_number(&value.into(), self.0);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        write_number(&value.into(), self.0);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        write_value(&value.into(), self.0);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        write_string(value, self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push('[');
        let start = self.0.len();
        loop {
            let end = self.0.len();
            if end > start {
                self.0.push(',');
            }
            if items.next_element_seed(Canonicalizer(self.0))?.is_none() {
                self.0.truncate(end);
                self.0.push(']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let start = self.0.len();
        let mut members: Vec<(Cow<'de, str>, Range<usize>)> = Vec::new();
        while let Some(Key(key)) = entries.next_key::<Key<'de>>()? {
            self.0.push(if members.is_empty() { '{' } else { ',' });
            let begin = self.0.len();
            write_string(&key, self.0);
            self.0.push(':');
            entries.next_value_seed(Canonicalizer(self.0))?;
            members.push((key, begin..self.0.len()));
        }
        if members.is_empty() {
            self.0.push('{');
        }
        let is_less = |pair: &[(Cow<'de, str>, Range<usize>)]| {
            let [(a, _), (b, _)] = pair else { return true };
            key_order(a, b).is_lt()
        };
        if !members.windows(2).all(is_less) {
            rearrange(self.0, start, members);
        }
        self.0.push('}');
        Ok(())
    }
}

/// A key, borrowed where it has no escapes: there are many, and all are thrown away.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}

/// Puts the members of the object that begins at `start` in order. Of a key that is given twice, the last counts.
fn rearrange(out: &mut String, start: usize, mut members: Vec<(Cow<'_, str>, Range<usize>)>) {
    let written = out.split_off(start);
    // Stable, so the last of a key comes first when reversed.
    members.reverse();
    members.sort_by(|(a, _), (b, _)| key_order(a, b));
    members.dedup_by(|(later, _), (kept, _)| later == kept);
    for (index, (_, range)) in members.into_iter().enumerate() {
        out.push(if index == 0 { '{' } else { ',' });
        let range = range.start - start..range.end - start;
        out.push_str(written.get(range).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let value: Value = serde_json::from_str(json).expect("the case is JSON");
        assert_eq!(canonical_json(&value), expected);
        let mut read = String::new();
        let mut reader = serde_json::Deserializer::from_str(json);
        let canonicalizer = Canonicalizer(&mut read);
        canonicalizer.deserialize(&mut reader).expect("JSON");
        assert_eq!(read, expected);
    }

    #[test]
    fn numbers_are_printed_as_ecmascript_does() {
        check("1.0", "1");
        check("-0.0", "0");
        check("1e21", "1e+21");
        check("1e-7", "1e-7");
        let long: f64 = "333333333.33333329".parse().expect("a number");
        assert_eq!(canonical_json(&Value::from(long)), "333333333.3333333");
        check("9007199254740993", "9007199254740992");
        check("0.002", "0.002");
        check("4.50", "4.5");
    }

    #[test]
    fn strings_are_escaped_as_little_as_possible() {
        check(
            r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/""#,
            r#""€$\u000f\nA'B\"\\\\\"/""#,
        );
        check(
            r#""\b\f\t\r\u007f\u2028""#,
            "\"\\b\\f\\t\\r\u{7f}\u{2028}\"",
        );
    }

    // The example of RFC 8785 section 3.2.3.
    #[test]
    fn keys_are_sorted_by_utf16_units() {
        check(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
        );
        check(r#"{"b":[{}, []],"a":null}"#, r#"{"a":null,"b":[{},[]]}"#);
        check(
            r#"[{"a":[1,2],"b":{"d":-1,"c":true}}]"#,
            r#"[{"a":[1,2],"b":{"c":true,"d":-1}}]"#,
        );
    }

    #[test]
    fn the_last_of_a_key_counts() {
        check(
            r#"{"b":1,"a":[2],"b":{"c":3},"a":4}"#,
            r#"{"a":4,"b":{"c":3}}"#,
        );
        check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    }
}
