//! One line of a journal: written once, and read back only if every byte is the one written.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::files::hash::{is_sha256_hex, sha256_hex};

/// Fields that the journal itself writes around an event.
pub(super) const RESERVED: [&str; 5] = ["v", "seq", "at", "prev", "hash"];

/// Reading refuses JSON nested deeper than 127, so writing must too, or the line could never be
/// read again.
pub(super) const DEEPEST: usize = 100;

const HASH_FIELD: &str = ",\"hash\":\"";
const END: &str = "\"}";
/// Bytes of a line from `,"hash":` on, without the newline.
const TAIL: usize = HASH_FIELD.len() + 64 + END.len();
/// Bytes of a time.
const AT: usize = "2026-11-15T09:30:12.345Z".len();

/// Adds the line of one event, given as its fields, and returns its hash.
pub(super) fn write(into: &mut Vec<u8>, seq: u64, at: &str, fields: &[u8], prev: &str) -> String {
    let start = into.len();
    begin(into, seq);
    for part in [
        at.as_bytes(),
        b"\",",
        fields,
        b",\"prev\":\"",
        prev.as_bytes(),
        b"\"",
    ] {
        into.extend_from_slice(part);
    }
    let hash = sha256_hex(&into[start..]);
    for part in [HASH_FIELD, &hash, END, "\n"] {
        into.extend_from_slice(part.as_bytes());
    }
    hash
}

/// A line up to the time in it.
fn begin(into: &mut Vec<u8>, seq: u64) {
    into.extend_from_slice(b"{\"v\":1,\"seq\":");
    // Writing to memory cannot fail.
    write!(into, "{seq}").ok();
    into.extend_from_slice(b",\"at\":\"");
}

/// The event with `type` first, as it stands in the line and as it will be read back.
pub(super) fn checked_event(event: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    if !event.get("type").is_some_and(Value::is_string) {
        return Err("it has no `type`".to_owned());
    }
    if let Some(name) = RESERVED.iter().find(|name| event.contains_key(**name)) {
        return Err(format!("it has a field `{name}`, which the journal writes"));
    }
    if event.values().any(|value| deeper_than(value, DEEPEST)) {
        return Err(format!("it is nested more than {DEEPEST} deep"));
    }
    if event.keys().next().is_some_and(|first| first == "type") {
        return Ok(event.clone());
    }
    let (kind, rest) = event
        .iter()
        .partition::<Vec<_>, _>(|(name, _)| *name == "type");
    let ordered = kind.into_iter().chain(rest);
    Ok(ordered
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect())
}

fn deeper_than(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else {
        return true;
    };
    match value {
        Value::Array(items) => items.iter().any(|item| deeper_than(item, below)),
        Value::Object(fields) => fields.values().any(|field| deeper_than(field, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Reads one line without its newline, which must be this number and follow this hash. Its event is
/// put into `event`; its time and its hash are returned.
pub(super) fn read<'a>(
    line: &'a [u8],
    seq: u64,
    prev: &str,
    event: &mut Vec<u8>,
) -> Result<(Cow<'a, str>, &'a str), String> {
    let hash = claimed_hash(line).ok_or("it does not end with its hash")?;
    let sealed = &line[..line.len() - TAIL];
    if !is_sha256_hex(sealed, hash) {
        return Err("its hash is wrong".to_owned());
    }
    event.clear();
    if let Some((at, fields)) = as_written(sealed, seq, prev, event) {
        event.clear();
        event.push(b'{');
        event.extend_from_slice(fields);
        event.push(b'}');
        return Ok((Cow::Borrowed(at), hash));
    }
    let at = read_any(line, seq, prev, event)?;
    Ok((Cow::Owned(at), hash))
}

/// Splits a line that is spelled exactly as we write it into its time and its event's fields.
fn as_written<'a>(
    sealed: &'a [u8],
    seq: u64,
    prev: &str,
    scratch: &mut Vec<u8>,
) -> Option<(&'a str, &'a [u8])> {
    begin(scratch, seq);
    let (at, rest) = sealed
        .strip_prefix(scratch.as_slice())?
        .split_at_checked(AT)?;
    let at = std::str::from_utf8(at).ok()?;
    let written_so = at
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b':' | b'.' | b'T' | b'Z'));
    let fields = rest
        .strip_prefix(b"\",")?
        .strip_suffix(b"\"")?
        .strip_suffix(prev.as_bytes())?
        .strip_suffix(b",\"prev\":\"")?;
    (written_so && fields.starts_with(b"\"type\":\"")).then_some((at, fields))
}

/// Reads a line in any spelling, and says what is wrong with one that is none.
fn read_any(line: &[u8], seq: u64, prev: &str, event: &mut Vec<u8>) -> Result<String, String> {
    let fields: Fields =
        serde_json::from_slice(line).map_err(|error| format!("it is not a record: {error}"))?;
    if fields.v != 1 {
        return Err(format!("its version {} is not known here", fields.v));
    }
    if fields.seq != seq {
        return Err(format!("it is number {}, not {seq}", fields.seq));
    }
    if fields.prev != prev {
        return Err("it does not follow the line before it".to_owned());
    }
    serde_json::to_writer(event, &fields.body).map_err(|error| error.to_string())?;
    Ok(fields.at)
}

/// Reads an event's fields, none of which may occur twice.
pub(super) fn body(event: &[u8]) -> Result<Map<String, Value>, String> {
    let fields: Fields =
        serde_json::from_slice(event).map_err(|error| format!("it is not a record: {error}"))?;
    // Around the event, where they belong, they have been read already.
    let Fields {
        v,
        seq,
        at,
        prev,
        body,
    } = fields;
    if v != 0 || seq != 0 || !at.is_empty() || !prev.is_empty() {
        return Err("it is not a record: a field occurs twice".to_owned());
    }
    Ok(body)
}

fn claimed_hash(line: &[u8]) -> Option<&str> {
    let tail = std::str::from_utf8(line.get(line.len().checked_sub(TAIL)?..)?).ok()?;
    tail.strip_prefix(HASH_FIELD)?.strip_suffix(END)
}

/// A line as JSON, taken apart in one pass.
#[derive(Default)]
struct Fields {
    v: u64,
    seq: u64,
    at: String,
    prev: String,
    body: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a journal record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "v" => fields.v = map.next_value()?,
                "seq" => fields.seq = map.next_value()?,
                "at" => fields.at = map.next_value()?,
                "prev" => fields.prev = map.next_value()?,
                "hash" => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
                _ => {
                    let value = map.next_value()?;
                    if fields.body.insert(name, value).is_some() {
                        return Err(A::Error::custom("a field occurs twice"));
                    }
                }
            }
        }
        if !fields.body.get("type").is_some_and(Value::is_string) {
            return Err(A::Error::custom("it has no `type`"));
        }
        Ok(fields)
    }
}
