//! Text with placeholders: `{{ params.NAME }}`.

use std::collections::{BTreeMap, BTreeSet};

/// The names of the placeholders in a text, in order of first use.
pub(super) fn placeholders(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    segments(text)
        .filter_map(|segment| match segment {
            Segment::Placeholder(name) => Some(name),
            Segment::Text(_) => None,
        })
        .filter(|name| seen.insert(*name))
        .map(str::to_owned)
        .collect()
}

/// Fills these placeholders; others stay.
pub(super) fn fill_placeholders(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    for segment in segments(text) {
        match segment {
            Segment::Text(text) => {
                filled.push_str(text);
                rest = &rest[text.len()..];
            }
            Segment::Placeholder(name) => {
                let end = rest.find("}}").map_or(rest.len(), |at| at + 2);
                match values.get(name) {
                    Some(value) => filled.push_str(value),
                    None => filled.push_str(&rest[..end]),
                }
                rest = &rest[end..];
            }
        }
    }
    filled
}

/// Replaces each of these values in the text by its placeholder; of two that begin at the same point, the longer one.
/// Existing placeholders stay, and empty values are ignored.
pub(super) fn insert_placeholders(text: &str, values: &BTreeMap<String, String>) -> String {
    let values = values.iter().filter(|(_, value)| !value.is_empty());
    let mut wanted: Vec<(&String, &String)> = values.collect();
    wanted.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = wanted
            .iter()
            .find(|(_, value)| rest.starts_with(value.as_str()));
        let length = if let Some((_, after)) = placeholder_at(rest) {
            made.push_str(&rest[..rest.len() - after.len()]);
            rest.len() - after.len()
        } else if let Some((name, value)) = found {
            made.extend(["{{ params.", name.as_str(), " }}"]);
            value.len()
        } else {
            made.push(first);
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    made
}

enum Segment<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// Splits the text before and after each placeholder.
fn segments(text: &str) -> impl Iterator<Item = Segment<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = placeholder_at(rest) {
            rest = after;
            return Some(Segment::Placeholder(name));
        }
        let next = rest
            .match_indices("{{")
            .map(|(at, _)| at)
            .find(|at| *at > 0 && placeholder_at(&rest[*at..]).is_some())
            .unwrap_or(rest.len());
        let (before, after) = rest.split_at(next);
        rest = after;
        Some(Segment::Text(before))
    })
}

/// The name of the placeholder that a text begins with, and the text after it.
// Never searches ahead for the end: a text that consists of braces would take quadratic time.
fn placeholder_at(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("{{")?.trim_start();
    let inner = inner.strip_prefix("params.")?;
    let end = inner.find(|c| !is_part_of_name(c))?;
    let (name, rest) = inner.split_at(end);
    let after = rest.trim_start().strip_prefix("}}")?;
    is_name(name).then_some((name, after))
}

/// Can a placeholder have this name?
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_part_of_name)
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, names: &[&str], filled: &str) {
        assert_eq!(placeholders(text), names);
        let values = [("x", "1"), ("y_2", "{{ params.x }}")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fill_placeholders(text, &values.into()), filled);
    }

    #[test]
    fn places_are_found_and_filled() {
        check("", &[], "");
        check("a {{ params.x }} b", &["x"], "a 1 b");
        check("{{params.x}}{{ params.x }}", &["x"], "11");
        check(
            "{{ params.z }} {{ params.x }}",
            &["z", "x"],
            "{{ params.z }} 1",
        );
        // A value is text, whatever it looks like.
        check("{{ params.y_2 }}", &["y_2"], "{{ params.x }}");
    }

    #[test]
    fn places_are_made_of_texts() {
        let values = [("a", "note"), ("b", "notes"), ("c", "params")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            insert_placeholders("note notes {{ params.x }} params", &values.into()),
            "{{ params.a }} {{ params.b }} {{ params.x }} {{ params.c }}"
        );
    }

    #[test]
    fn no_text_makes_no_place() {
        let values = [("a", ""), ("b", "note")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            insert_placeholders("a note", &values.into()),
            "a {{ params.b }}"
        );
    }

    /// Nothing here looks at a clock: work that grows with the square of these would not end.
    #[test]
    fn braces_without_end() {
        let braces = "{{ ".repeat(1_000_000);
        assert_eq!(placeholders(&braces), Vec::<String>::new());
        let values = BTreeMap::from([("a".to_owned(), "note".to_owned())]);
        assert_eq!(insert_placeholders(&braces, &values), braces);
    }

    #[test]
    fn other_braces_are_text() {
        for text in [
            "{{ item }}",
            "{{ params.x | upper }}",
            "{{ params. }}",
            "{{",
            "}} {{ params.x",
            "{{ params.x }",
            "{{ params.x y }}",
        ] {
            check(text, &[], text);
        }
        check("{{ {{ params.x }}", &["x"], "{{ 1");
    }
}
