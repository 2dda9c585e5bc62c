//! JSON with comments and trailing commas.

mod insert;
mod layout;
mod parse;
mod remove;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use self::parse::Item;
use super::Uneditable;

/// One entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The members that lead to what it lies in.
    pub path: Vec<String>,
    /// What it is there.
    pub slot: Slot,
    /// The entry itself.
    pub value: Value,
}

/// What an entry is in its container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// A member of an object.
    Member(String),
    /// An element of an array. It is ours if this text is in one of its strings.
    Element {
        /// No other process writes it.
        mark: String,
    },
}

impl Entry {
    fn is_element(&self) -> bool {
        matches!(self.slot, Slot::Element { .. })
    }

    /// Which of these items is ours.
    fn find(&self, items: &[Item]) -> Option<usize> {
        match &self.slot {
            Slot::Member(key) => items.iter().position(|item| item.is_named(key)),
            Slot::Element { mark } => items
                .iter()
                .position(|item| mentions(&item.value.to_value(), mark)),
        }
    }
}

/// The text with these entries in it: added at the end of their containers, or brought up to date where they are.
pub fn with_entries(text: &str, entries: &[Entry]) -> Result<String, Uneditable> {
    let mut edited = text.to_owned();
    for entry in entries {
        edited = insert::insert(&edited, entry)?;
    }
    let mut expected = value_of(text)?;
    for entry in entries {
        put_in(&mut expected, entry);
    }
    confirm(edited, &expected)
}

/// The text without these entries. Containers on these paths are removed with them if they become empty.
pub fn without_entries(
    text: &str,
    entries: &[Entry],
    created: &[Vec<String>],
) -> Result<String, Uneditable> {
    let mut edited = text.to_owned();
    for entry in entries {
        edited = remove::remove(&edited, entry, created)?;
    }
    let mut expected = value_of(text)?;
    for entry in entries {
        take_out(&mut expected, entry);
    }
    for path in created_deepest_first(created) {
        remove_if_empty(&mut expected, path);
    }
    confirm(edited, &expected)
}

/// The containers that are not there yet and that these entries need.
pub fn missing_containers(text: &str, entries: &[Entry]) -> Result<Vec<Vec<String>>, Uneditable> {
    let value = value_of(text)?;
    let mut missing = Vec::new();
    for entry in entries {
        for length in 1..=entry.path.len() {
            let path = &entry.path[..length];
            let found = path.iter().try_fold(&value, |value, key| value.get(key));
            if found.is_none() && !missing.iter().any(|known| known == path) {
                missing.push(path.to_vec());
            }
        }
    }
    Ok(missing)
}

/// What the text says; nothing is an empty object.
pub fn value_of(text: &str) -> Result<Value, Uneditable> {
    Ok(match parse::parse(text)? {
        Some(root) => root.to_value(),
        None => Value::Object(Map::new()),
    })
}

/// The entries as a file of their own, for a person to paste.
pub fn snippet(entries: &[Entry]) -> String {
    let mut value = Value::Object(Map::new());
    for entry in entries {
        put_in(&mut value, entry);
    }
    layout::format_pretty(&value, "  ", "\n", "")
}

/// The edited text, if it says what it should.
fn confirm(edited: String, expected: &Value) -> Result<String, Uneditable> {
    if value_of(&edited)? == *expected {
        return Ok(edited);
    }
    Err(Uneditable::Unclear)
}

/// Puts an entry into a value; this does not look at the text, so that it can judge what was done to it.
fn put_in(root: &mut Value, entry: &Entry) {
    let value = &entry.value;
    let mut place = root;
    for (depth, key) in entry.path.iter().enumerate() {
        let Value::Object(object) = place else { return };
        let is_list = depth + 1 == entry.path.len() && entry.is_element();
        place = object.entry(key.clone()).or_insert_with(|| empty(is_list));
    }
    match (&entry.slot, place) {
        (Slot::Member(key), Value::Object(object)) => {
            object.insert(key.clone(), value.clone());
        }
        (Slot::Element { mark }, Value::Array(list)) => {
            match list.iter_mut().find(|element| mentions(element, mark)) {
                Some(element) => *element = value.clone(),
                None => list.push(value.clone()),
            }
        }
        _ => {}
    }
}

fn take_out(root: &mut Value, entry: &Entry) {
    let place = entry
        .path
        .iter()
        .try_fold(root, |value, key| value.get_mut(key));
    match (&entry.slot, place) {
        (Slot::Member(key), Some(Value::Object(object))) => {
            object.shift_remove(key);
        }
        (Slot::Element { mark }, Some(Value::Array(list))) => {
            if let Some(at) = list.iter().position(|element| mentions(element, mark)) {
                list.remove(at);
            }
        }
        _ => {}
    }
}

fn remove_if_empty(root: &mut Value, path: &[String]) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let parent = above.iter().try_fold(root, |value, key| value.get_mut(key));
    if let Some(Value::Object(object)) = parent
        && object.get(last).is_some_and(is_empty)
    {
        object.shift_remove(last);
    }
}

fn created_deepest_first(created: &[Vec<String>]) -> Vec<&Vec<String>> {
    let mut paths: Vec<_> = created.iter().collect();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    paths
}

fn empty(is_list: bool) -> Value {
    if is_list {
        Value::Array(Vec::new())
    } else {
        Value::Object(Map::new())
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Is this text in any string of the value?
fn mentions(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => text.contains(mark),
        Value::Array(list) => list.iter().any(|value| mentions(value, mark)),
        Value::Object(object) => object.values().any(|value| mentions(value, mark)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
