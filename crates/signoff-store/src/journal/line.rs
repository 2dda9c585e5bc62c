//! One line of a journal: written once, and read back only if every byte is the one written.

use std::fmt;
use std::io::Write;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::head::Head;
use super::{JournalError, Record};
use crate::hash::sha256_hex;

/// Fields that the journal itself writes around an event.
const RESERVED: [&str; 5] = ["v", "seq", "at", "prev", "hash"];

/// Reading refuses JSON nested deeper than 127, so writing must too, or the line could never be
/// read again.
const DEEPEST: usize = 100;

const HASH_FIELD: &str = ",\"hash\":\"";
const END: &str = "\"}";
/// Bytes of a line from `,"hash":` on, without the newline.
const TAIL: usize = HASH_FIELD.len() + 64 + END.len();

/// Adds the line of one event. The reason is returned when it cannot be one.
pub(super) fn write(
    into: &mut Vec<u8>,
    seq: u64,
    at: &str,
    event: &Map<String, Value>,
    prev: &str,
) -> Result<Record, String> {
    let body = checked(event)?;
    let start = into.len();
    let written = write_fields(into, seq, at, &body, prev);
    written.map_err(|error| error.to_string())?;
    let hash = sha256_hex(&into[start..]);
    for part in [HASH_FIELD, &hash, END, "\n"] {
        into.extend_from_slice(part.as_bytes());
    }
    Ok(Record {
        seq,
        at: at.to_owned(),
        body,
        hash,
    })
}

fn write_fields(
    into: &mut Vec<u8>,
    seq: u64,
    at: &str,
    body: &Map<String, Value>,
    prev: &str,
) -> serde_json::Result<()> {
    write!(into, r#"{{"v":1,"seq":{seq},"at":"{at}""#).map_err(serde_json::Error::io)?;
    for (name, value) in body {
        into.push(b',');
        serde_json::to_writer(&mut *into, name)?;
        into.push(b':');
        serde_json::to_writer(&mut *into, value)?;
    }
    write!(into, r#","prev":"{prev}""#).map_err(serde_json::Error::io)
}

/// The event with `type` first, as it stands in the line and as it will be read back.
fn checked(event: &Map<String, Value>) -> Result<Map<String, Value>, String> {
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

/// All complete lines, and how many bytes they take up.
pub(super) fn read_all(path: &Path, bytes: &[u8]) -> Result<(Vec<Record>, usize), JournalError> {
    read_after(path, bytes, &Head::default())
}

/// All complete lines that follow this one, and how many bytes they take up.
pub(super) fn read_after(
    path: &Path,
    bytes: &[u8],
    head: &Head,
) -> Result<(Vec<Record>, usize), JournalError> {
    let mut records: Vec<Record> = Vec::new();
    let mut end = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else {
            break;
        };
        let prev = records.last().map_or(&head.hash, |last| &last.hash);
        let seq = head.seq + records.len() as u64 + 1;
        let record = read(line, seq, prev).map_err(|reason| JournalError::Corrupt {
            path: path.to_path_buf(),
            line: seq,
            reason,
        })?;
        end += line.len() + 1;
        records.push(record);
    }
    Ok((records, end))
}

/// Reads one line without its newline, which must be this number and follow this hash.
fn read(line: &[u8], seq: u64, prev: &str) -> Result<Record, String> {
    let hash = claimed_hash(line).ok_or("it does not end with its hash")?;
    if sha256_hex(&line[..line.len() - TAIL]) != hash {
        return Err("its hash is wrong".to_owned());
    }
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
    Ok(Record {
        seq,
        at: fields.at,
        body: fields.body,
        hash: hash.to_owned(),
    })
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
