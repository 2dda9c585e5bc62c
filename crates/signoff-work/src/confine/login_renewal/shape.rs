//! What a login file looks like, so that only a renewed one takes the place of a person's.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What a login file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::confine) enum Shape {
    /// A JSON object.
    Object {
        /// Members that stay, each with its type.
        members: &'static [&'static str],
        /// JSON pointers to what a renewal does not change.
        fixed: &'static [&'static str],
    },
    /// A JSON object with a member for each service. A renewal changes only those of the type `oauth`.
    Services,
    /// A JSON object of which nothing else is known: all members stay, each with its type.
    AnyObject,
    /// Text that is encrypted: three hexadecimal parts, separated by colons.
    Encrypted,
}

/// Members that say how long a login lasts, or when it was renewed.
const TIMES: [&str; 4] = ["expiresAt", "expiry_date", "expires", "last_refresh"];

/// How deep these are looked for.
const DEEPEST: usize = 4;

impl Shape {
    /// Is this a complete file?
    pub(super) fn is_complete(self, bytes: &[u8]) -> bool {
        match self {
            Self::Encrypted => is_encrypted(bytes),
            Self::Object { .. } | Self::Services | Self::AnyObject => object(bytes).is_some(),
        }
    }

    /// Can the new file be the old one with renewed tokens?
    pub(super) fn is_renewal(self, old: &[u8], new: &[u8]) -> bool {
        if self == Self::Encrypted {
            return is_encrypted(old) && is_encrypted(new);
        }
        let (Some(old), Some(new)) = (object(old), object(new)) else {
            return false;
        };
        let keeps_type = |(name, member): (&String, &Value)| {
            new.get(name)
                .is_some_and(|found| kind(found) == kind(member))
        };
        match self {
            Self::Object { members, fixed } => {
                let mut named = old.iter();
                let keeps_members =
                    named.all(|member| !members.contains(&member.0.as_str()) || keeps_type(member));
                let (old, new) = (Value::Object(old), Value::Object(new.clone()));
                let is_kept =
                    |at: &&str| old.pointer(at).is_none_or(|is| new.pointer(at) == Some(is));
                keeps_members && fixed.iter().all(is_kept)
            }
            Self::Services => old.iter().all(|(name, member)| {
                let found = new.get(name);
                found.is_some_and(|found| is_renewed_service(member, found))
            }),
            Self::AnyObject => old.iter().all(keeps_type),
            Self::Encrypted => false,
        }
    }
}

/// Does the first file say that it is the newer one?
pub(super) fn is_newer(new: &[u8], old: &[u8]) -> bool {
    let (Some(new), Some(old)) = (object(new), object(old)) else {
        return false;
    };
    let (new, old) = (known_times(new), known_times(old));
    let both = new.iter().filter_map(|(path, time)| {
        let earlier = old.get(path)?;
        compare(time, earlier)
    });
    let orders: Vec<Ordering> = both.collect();
    orders.contains(&Ordering::Greater) && !orders.contains(&Ordering::Less)
}

fn is_renewed_service(old: &Value, new: &Value) -> bool {
    let is_renewable = old.get("type").is_some_and(|kind| kind == "oauth");
    old == new || is_renewable && new.get("type") == old.get("type")
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) if !object.is_empty() => Some(object),
        Ok(_) | Err(_) => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_encrypted(bytes: &[u8]) -> bool {
    let parts: Vec<&[u8]> = bytes.trim_ascii().split(|byte| *byte == b':').collect();
    let is_hex = |part: &&[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_hexdigit);
    parts.len() == 3 && parts.iter().all(is_hex)
}

/// All known times of a file, by where they are.
fn known_times(object: Map<String, Value>) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect_times(object, "", DEEPEST, &mut found);
    found
}

fn collect_times(
    object: Map<String, Value>,
    above: &str,
    depth: usize,
    found: &mut BTreeMap<String, Value>,
) {
    for (name, value) in object {
        let path = format!("{above}/{name}");
        match value {
            Value::Object(inner) if depth > 0 => collect_times(inner, &path, depth - 1, found),
            value if TIMES.contains(&name.as_str()) => drop(found.insert(path, value)),
            _ => {}
        }
    }
}

/// Times are numbers, or texts of one format that begin with the year.
fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODEX: Shape = Shape::Object {
        members: &["tokens", "last_refresh"],
        fixed: &["/OPENAI_API_KEY", "/tokens/account_id"],
    };

    fn check(shape: Shape, old: &str, new: &str, is_renewal: bool) {
        let found = shape.is_renewal(old.as_bytes(), new.as_bytes());
        assert_eq!(found, is_renewal, "{shape:?}: {old} to {new}");
    }

    #[test]
    fn an_object_keeps_its_members_their_types_and_who_it_is() {
        let old =
            r#"{"OPENAI_API_KEY":null,"tokens":{"account_id":"a","refresh_token":"1"},"x":1}"#;
        let renewed = r#"{"OPENAI_API_KEY":null,"tokens":{"account_id":"a","refresh_token":"2"},"last_refresh":"2026-01-01T00:00:00Z"}"#;
        check(CODEX, old, renewed, true);
        for broken in [
            "",
            "{}",
            "[]",
            &renewed[..renewed.len() - 1],
            &format!("{renewed}}}"),
            r#"{"OPENAI_API_KEY":null}"#,
            r#"{"OPENAI_API_KEY":null,"tokens":"a"}"#,
            r#"{"OPENAI_API_KEY":null,"tokens":{"account_id":"b"}}"#,
            r#"{"OPENAI_API_KEY":"k","tokens":{"account_id":"a"}}"#,
        ] {
            check(CODEX, old, broken, false);
        }
    }

    #[test]
    fn only_logins_of_services_are_renewed_and_no_keys() {
        let old = r#"{"a":{"type":"oauth","refresh":"1"},"b":{"type":"api","key":"k"}}"#;
        let new = |a: &str, b: &str| format!(r#"{{"a":{a},"b":{b}}}"#);
        let key = r#"{"type":"api","key":"k"}"#;
        let services = Shape::Services;
        let renewed = r#"{"type":"oauth","refresh":"2"}"#;
        check(services, old, &new(renewed, key), true);
        let changed = r#"{"type":"api","key":"other"}"#;
        check(services, old, &new(renewed, changed), false);
        check(services, old, &new(key, key), false);
        check(services, old, r#"{"a":{"type":"oauth"}}"#, false);
    }

    #[test]
    fn an_unknown_object_keeps_all_members() {
        check(
            Shape::AnyObject,
            r#"{"a":"1","b":2}"#,
            r#"{"a":"2","b":3,"c":4}"#,
            true,
        );
        check(
            Shape::AnyObject,
            r#"{"a":"1","b":2}"#,
            r#"{"a":"2"}"#,
            false,
        );
        check(
            Shape::AnyObject,
            r#"{"a":"1","b":2}"#,
            r#"{"a":"2","b":"3"}"#,
            false,
        );
        check(Shape::AnyObject, "text", r#"{"a":"2"}"#, false);
    }

    #[test]
    fn an_encrypted_file_stays_one() {
        check(Shape::Encrypted, "0a:1b:2c", "3d:4e:5f\n", true);
        for broken in ["", "3d:4e", "3d:4e:", "3d:4e:xx", "{}"] {
            check(Shape::Encrypted, "0a:1b:2c", broken, false);
        }
    }

    #[test]
    fn the_newer_file_is_known_by_its_times() {
        let newer = |new: &str, old: &str| is_newer(new.as_bytes(), old.as_bytes());
        for (later, earlier) in [
            (r#"{"a":{"expiresAt":2}}"#, r#"{"a":{"expiresAt":1}}"#),
            (r#"{"expiry_date":2}"#, r#"{"expiry_date":1}"#),
            (
                r#"{"a":{"expires":2},"b":{"expires":1}}"#,
                r#"{"a":{"expires":1},"b":{"expires":1}}"#,
            ),
            (
                r#"{"last_refresh":"2026-02-01T00:00:00Z"}"#,
                r#"{"last_refresh":"2026-01-01T00:00:00Z"}"#,
            ),
        ] {
            assert!(newer(later, earlier), "{later}");
            assert!(!newer(earlier, later), "{later}");
            assert!(!newer(later, later), "{later}");
        }
        let mixed = r#"{"a":{"expires":2},"b":{"expires":1}}"#;
        assert!(!newer(mixed, r#"{"a":{"expires":1},"b":{"expires":2}}"#));
        assert!(!newer(r#"{"expires":2}"#, r#"{"other":1}"#));
        assert!(!newer(r#"{"expires":"2"}"#, r#"{"expires":1}"#));
    }
}
