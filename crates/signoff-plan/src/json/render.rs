//! A JSON value on one line.

use std::fmt::Write as _;

use serde_json::Value;

/// What stands between the parts of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Separators {
    /// After a key.
    pub(crate) colon: &'static str,
    /// After a value that another follows.
    pub(crate) comma: &'static str,
}

impl Separators {
    /// As people write it.
    pub(crate) const WIDE: Self = Self {
        colon: ": ",
        comma: ", ",
    };
    /// As programs write it.
    pub(crate) const NARROW: Self = Self {
        colon: ":",
        comma: ",",
    };
}

/// The value on one line.
pub(crate) fn inline(value: &Value, spacing: Separators) -> String {
    let mut out = String::new();
    put(value, spacing, &mut out);
    out
}

fn put(value: &Value, spacing: Separators, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(spacing.comma);
                }
                put(item, spacing, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push_str(spacing.comma);
                }
                quote(key, out);
                out.push_str(spacing.colon);
                put(value, spacing, out);
            }
            out.push('}');
        }
    }
}

/// Text in double quotes, which YAML reads the same way: characters it takes for line ends or
/// refuses are escaped too.
fn quote(text: &str, out: &mut String) {
    let json = Value::from(text).to_string();
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                // Writing into a text cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_stand_on_one_line() {
        let value = json!({"a": [1, "x\n\u{85}"], "b": {}, "c": []});
        assert_eq!(
            inline(&value, Separators::WIDE),
            r#"{"a": [1, "x\n\u0085"], "b": {}, "c": []}"#
        );
        assert_eq!(
            inline(&value, Separators::NARROW),
            r#"{"a":[1,"x\n\u0085"],"b":{},"c":[]}"#
        );
        let back: Value = serde_json::from_str(&inline(&value, Separators::WIDE)).expect("JSON");
        assert_eq!(back, value);
    }
}
