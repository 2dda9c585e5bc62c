use std::fmt::Write as _;

use super::{Comments, PROBLEMS, parse};
use crate::source::Span;

#[track_caller]
fn check(text: &str, json: &str, problems: &[&str]) {
    let (node, found) = parse(text, 0, Comments::Refused);
    let value = node.map_or(serde_json::Value::Null, |node| node.to_json());
    assert_eq!(value.to_string(), json, "{text}");
    let found: Vec<_> = found
        .iter()
        .map(|problem| format!("{} | {}", problem.span.slice(text), problem.message))
        .collect();
    assert_eq!(found, problems, "{text}");
}

#[test]
fn json_is_read() {
    check("", "null", &[]);
    check(" \n", "null", &[]);
    for text in [
        "null",
        "true",
        "-1.5e-7",
        "18446744073709551615",
        r#""a\"b\\c\n\u00e9\ud83d\ude00""#,
        r#"[1,[],{"a":{"b":null}}]"#,
    ] {
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        check(text, &value.to_string(), &[]);
    }
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    check(
        r#"{"a": 1 "b": tru, c: 'x', "d" 2, "a": 3, "e": [1,,2,], "f": }"#,
        r#"{"a":1,"b":"tru","c":"x","d":2,"e":[1,2],"f":null}"#,
        &[
            r#"" | a comma is missing before this"#,
            "tru | `tru` must stand in double quotes",
            "c | key `c` must stand in double quotes",
            "'x' | text must stand in double quotes",
            "d | a colon is missing after `d`",
            "a | `a` is given twice",
            ", | a comma must stand between two values",
            ", | a comma must be followed by something",
            "f | `f` has no value",
        ],
    );
    check("[1}", "[1]", &["} | `}` stands where `]` should"]);
    check(
        r#"[{"a":[1}]"#,
        r#"[{"a":[1]}]"#,
        &["} | `}` stands where `]` should"],
    );
    check("[1, 2", "[1,2]", &["[ | `[` is never closed"]);
    check(
        r#"{"a": {"b": 1}"#,
        r#"{"a":{"b":1}}"#,
        &["{ | `{` is never closed"],
    );
    check(
        "{} x y\nz",
        "{}",
        &["x y | there is more after the end of the plan"],
    );
    check(
        "[:, {]",
        "[{}]",
        &[
            ": | `:` stands where a value should",
            "] | `]` stands where `}` should",
        ],
    );
    check(
        "{[1]: 2}",
        "{}",
        &["[ | `[` stands where a key in double quotes should"],
    );
}

#[test]
fn comments_are_tolerated_where_asked() {
    let text = "// a\n{\"a\": // b\r\n 1, // c\n \"u\": \"http://x\"}// d";
    let (node, problems) = parse(text, 0, Comments::Tolerated);
    assert_eq!(problems, []);
    let json = node.expect("a value").to_json().to_string();
    assert_eq!(json, r#"{"a":1,"u":"http://x"}"#);
    check("[1] // x", "[1]", &["// x | comments are not part of JSON"]);
    check("[/]", r#"["/"]"#, &["/ | `/` must stand in double quotes"]);
}

#[test]
fn depth_and_mistakes_are_limited() {
    let (_, problems) = parse(&"[".repeat(200_000), 0, Comments::Refused);
    let messages: Vec<_> = problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(messages, ["values are nested more than 64 deep"]);
    let (_, problems) = parse(&"x ".repeat(200_000), 0, Comments::Refused);
    assert_eq!(problems.len(), 2);
    let (_, problems) = parse(&format!("[{}", "x,".repeat(200_000)), 0, Comments::Refused);
    assert_eq!(problems.len(), PROBLEMS);
    let mut many = String::new();
    for number in 0..50 {
        write!(many, "\"k{}\": 1,", number % 49).expect("a string takes all");
    }
    let (_, problems) = parse(&format!("{{{many}\"z\": 1}}"), 0, Comments::Refused);
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn places_count_from_the_file() {
    let (node, _) = parse(" {\"é\": \"x\"}", 10, Comments::Refused);
    let node = node.expect("an object");
    assert_eq!(node.span, Span::new(11, 22));
    let entry = &node.entries().expect("entries")[0];
    assert_eq!(entry.key.span, Span::new(13, 15));
    assert_eq!(entry.value.span, Span::new(18, 21));
}
