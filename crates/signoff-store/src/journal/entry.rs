//! An event as text, ready to become part of a line.

use serde::Serialize;

use super::line::{DEEPEST, RESERVED};

/// How each begins.
pub(super) const TYPE: &[u8] = br#"{"type":""#;

/// One event as the JSON object that a line holds, known to be readable again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry(Vec<u8>);

impl JournalEntry {
    /// Writes an event down. It must be an object whose first field is a string `type`, without `v`, `seq`, `at`,
    /// `prev` and `hash`, which the journal writes; otherwise the reason is returned.
    pub fn of(event: &impl Serialize) -> Result<Self, String> {
        let text = serde_json::to_vec(event).map_err(|error| error.to_string())?;
        check(&text)?;
        Ok(Self(text))
    }

    /// An object that is known to be one, with its `type` first.
    pub(super) fn from_known_object(text: Vec<u8>) -> Self {
        Self(text)
    }

    /// The whole object.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its `type`, as it is written.
    pub(super) fn kind(&self) -> &[u8] {
        until_quote(&self.0[TYPE.len()..])
    }

    /// The fields, without the braces around them.
    pub(super) fn fields(&self) -> &[u8] {
        &self.0[1..self.0.len() - 1]
    }
}

/// Scans a text that is known to be JSON.
fn check(text: &[u8]) -> Result<(), String> {
    if !text.starts_with(TYPE) {
        return Err("it has no `type`, or not as its first field".to_owned());
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let string = until_quote(rest);
                rest = rest.get(string.len() + 1..).unwrap_or_default();
                if depth == 1 && rest.first() == Some(&b':') {
                    refuse_if_reserved(string)?;
                }
            }
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} deep"));
    }
    Ok(())
}

/// A string's text up to its closing quote.
fn until_quote(text: &[u8]) -> &[u8] {
    let mut escaped = false;
    let end = text.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    &text[..end.unwrap_or(text.len())]
}

fn refuse_if_reserved(name: &[u8]) -> Result<(), String> {
    match RESERVED.iter().find(|reserved| reserved.as_bytes() == name) {
        Some(name) => Err(format!("it has a field `{name}`, which the journal writes")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(event: Value, refused: Option<&str>) {
        let reason = JournalEntry::of(&event).err();
        assert_eq!(reason.is_some(), refused.is_some(), "{event}: {reason:?}");
        if let (Some(reason), Some(part)) = (reason, refused) {
            assert!(reason.contains(part), "{event}: {reason}");
        }
    }

    #[test]
    fn an_event_that_could_not_be_read_back_is_refused() {
        check(json!({"type": "x"}), None);
        check(json!({"type": "x", "seq_": {"seq": 1, "v": [2]}}), None);
        check(
            json!({"type": "x", "text": "\\\",\"seq\":1,\"v\":\"[[[{{"}),
            None,
        );
        check(json!({"type": "seq", "a": "hash", "b": ["v"]}), None);
        check(json!({"type": 1}), Some("no `type`"));
        check(json!({"step": "a"}), Some("no `type`"));
        check(json!({"step": "a", "type": "x"}), Some("first"));
        check(json!(["type"]), Some("no `type`"));
        for name in RESERVED {
            check(json!({"type": "x", name: 1}), Some(name));
            check(json!({"type": "x", "a": [{}], name: {}}), Some(name));
        }
    }

    #[test]
    fn as_deep_as_can_be_read_again() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        check(json!({"type": "x", "a": nested(DEEPEST - 1)}), None);
        check(json!({"type": "x", "a": nested(DEEPEST)}), Some("nested"));
    }
}
