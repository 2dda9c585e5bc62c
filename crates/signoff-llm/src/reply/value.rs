//! One JSON object within an answer.

use std::fmt;

use serde_json::{Map, Value};

use super::REPLY_BYTES;
use super::unique::UniqueObject;

/// Why an answer holds no object that can be read. Displayed as one line that tells the model what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectProblem {
    /// It says nothing.
    Empty,
    /// It is longer than any answer has to be.
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// There is no JSON object in it.
    NoObject,
    /// There are several that differ.
    SeveralObjects,
    /// The object ends before its end.
    Cut,
    /// What looks like an object is not JSON.
    Malformed {
        /// From 1, in the answer.
        line: usize,
        /// What the parser says.
        why: String,
    },
}

impl fmt::Display for ObjectProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the answer is empty"),
            Self::TooLarge { bytes } => write!(
                f,
                "the answer has {bytes} bytes, and at most {REPLY_BYTES} are read: answer with less"
            ),
            Self::NoObject => write!(
                f,
                "the answer holds no JSON object: answer with one, in the form asked for"
            ),
            Self::SeveralObjects => write!(
                f,
                "the answer holds several JSON objects that differ: answer with exactly one"
            ),
            Self::Cut => write!(
                f,
                "the JSON object ends before its end: answer with the whole object"
            ),
            Self::Malformed { line, why } => {
                write!(f, "the JSON object on line {line} is malformed: {why}")
            }
        }
    }
}

/// Finds the object in an answer: in a fence or bare, with prose around it. One that is repeated is one.
pub fn read_object(text: &str) -> Result<Map<String, Value>, ObjectProblem> {
    if text.len() > REPLY_BYTES {
        let bytes = text.len() as u64;
        return Err(ObjectProblem::TooLarge { bytes });
    }
    if text.trim().is_empty() {
        return Err(ObjectProblem::Empty);
    }
    let mut found: Option<Map<String, Value>> = None;
    let mut malformed = None;
    let mut at = 0;
    while let Some(start) = next_brace(text, at) {
        let rest = text.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<UniqueObject>();
        match values.next() {
            Some(Ok(UniqueObject(object))) => {
                at = start + values.byte_offset();
                if found.as_ref().is_some_and(|known| *known != object) {
                    return Err(ObjectProblem::SeveralObjects);
                }
                found = Some(object);
            }
            Some(Err(why)) if why.is_eof() => return Err(ObjectProblem::Cut),
            // It is JSON, and which of the values is meant is unknown.
            Some(Err(why)) if why.is_data() => return Err(malformed_at(text, start, &why)),
            Some(Err(why)) => {
                at = start + offset(rest, &why).max(1);
                if malformed.is_none() && begins_line(text, start) {
                    malformed = Some(malformed_at(text, start, &why));
                }
            }
            None => break,
        }
    }
    // An object beside one that cannot be read may be its example.
    match (found, malformed) {
        (_, Some(problem)) => Err(problem),
        (Some(object), None) => Ok(object),
        (None, None) => Err(ObjectProblem::NoObject),
    }
}

fn next_brace(text: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find('{').map(|found| from + found)
}

/// How far the parser came: what it has read once is not read again.
fn offset(text: &str, why: &serde_json::Error) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(why.line().saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    let mut offset = before + why.column().saturating_sub(1);
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Prose may hold braces; what begins a line with one is meant as an object.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

fn malformed_at(text: &str, start: usize, why: &serde_json::Error) -> ObjectProblem {
    let before = text.get(..start).unwrap_or_default();
    let lines_before = before.matches('\n').count();
    let message = why.to_string();
    let (message, _) = message.split_once(" at line ").unwrap_or((&message, ""));
    ObjectProblem::Malformed {
        line: lines_before + why.line(),
        why: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(reply: &str, expected: Result<Value, ObjectProblem>) {
        assert_eq!(read_object(reply).map(Value::Object), expected, "{reply}");
    }

    #[test]
    fn an_object_is_found_in_prose() {
        let one = || Ok(json!({"a": {"b": [1]}}));
        check(r#"{"a": {"b": [1]}}"#, one());
        check(
            "Sure:\n```json\n{\"a\": {\"b\": [1]}}\n```\nDone {so}.",
            one(),
        );
        check(r#"It is {"a": {"b": [1]}}, in short."#, one());
        check(r#"It is {{"a": {"b": [1]}}."#, one());
        check(
            "{\"a\": {\"b\": [1]}}\nAgain:\n{ \"a\": {\"b\":[1]} }",
            one(),
        );
    }

    #[test]
    fn half_an_object_and_several_are_none() {
        check(" \n", Err(ObjectProblem::Empty));
        check("I would rather not.", Err(ObjectProblem::NoObject));
        check("[1, 2]", Err(ObjectProblem::NoObject));
        check(r#"{"a": {"b": [1"#, Err(ObjectProblem::Cut));
        check("{\"a\": 1}\n{\"a\": 2}", Err(ObjectProblem::SeveralObjects));
        check("{\"a\": 1}\n{\"a\": 1", Err(ObjectProblem::Cut));
        let problem = read_object("So:\n{\"a\": 1,\n \"b\": yes}\n{\"a\": 1}").unwrap_err();
        assert_eq!(
            problem.to_string(),
            "the JSON object on line 3 is malformed: expected value"
        );
        for twice in [
            r#"{"a": 1, "a": 2}"#,
            r#"It is {"a": 1, "a": 1}."#,
            "{\"b\": [{\"c\": {\"a\": 1,\n\"a\": 2}}]}\n{\"b\": 1}",
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let problem = read_object(twice).unwrap_err().to_string();
            assert!(problem.contains("the key `a` is there twice"), "{problem}");
        }
        let large = "{".repeat(REPLY_BYTES + 1);
        let bytes = large.len() as u64;
        check(&large, Err(ObjectProblem::TooLarge { bytes }));
    }

    #[test]
    fn hostile_answers_are_refused_quickly() {
        for piece in [
            "{",
            "{\n",
            "{\"a\":",
            "{\"a\":\"x",
            "[{\"",
            "{\"a\":1,",
            "{}\n",
        ] {
            drop(read_object(&piece.repeat(REPLY_BYTES / piece.len())));
        }
    }
}
