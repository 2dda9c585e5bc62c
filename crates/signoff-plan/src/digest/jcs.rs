//! RFC 8785: one way to write each JSON value.

use serde_json::{Map, Number, Value};

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

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => write_array(items, out),
        Value::Object(members) => write_object(members, out),
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

fn write_array(items: &[Value], out: &mut String) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_value(item, out);
    }
    out.push(']');
}

fn write_object(members: &Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let value: Value = serde_json::from_str(json).expect("the case is JSON");
        assert_eq!(canonical_json(&value), expected);
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
    }
}
