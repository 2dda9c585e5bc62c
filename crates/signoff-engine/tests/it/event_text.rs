//! Events as text.

use serde_json::{Value, json};
use signoff_engine::Event;

#[track_caller]
fn check(text: &str, expected: Result<Value, &str>) {
    let read = serde_json::from_str::<Event>(text);
    match (read, expected) {
        (Ok(event), Ok(expected)) => assert_eq!(
            serde_json::to_value(event).expect("it is plain data"),
            expected
        ),
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (found, expected) => assert!(found.is_err() && expected.is_err(), "{text}: {found:?}"),
    }
}

#[test]
fn the_type_may_stand_anywhere_once() {
    let blocked = json!({"type": "step_blocked", "step": "a", "by": "b"});
    for text in [
        r#"{"type":"step_blocked","step":"a","by":"b"}"#,
        r#"{"step":"a","type":"step_blocked","by":"b"}"#,
        r#"{"by":"b","step":"a","later":[{"type":1}],"type":"step_blocked"}"#,
        r#"{"type":"step_blocked","later":{},"step":"a","by":"b"}"#,
    ] {
        check(text, Ok(blocked.clone()));
    }
    let written = serde_json::from_value::<Event>(blocked).unwrap();
    let written = serde_json::to_string(&written).unwrap();
    assert_eq!(written, r#"{"type":"step_blocked","step":"a","by":"b"}"#);
}

#[test]
fn what_is_no_event_is_refused() {
    check("{}", Err("missing field `type`"));
    check(r#"{"step":"a","by":"b"}"#, Err("missing field `type`"));
    check(
        r#"{"type":"step_blocked","by":"b"}"#,
        Err("missing field `step`"),
    );
    check(
        r#"{"type":"unheard_of","step":"a"}"#,
        Err("unknown variant `unheard_of`"),
    );
    check(r#"{"step":"a","type":5}"#, Err("invalid type"));
    for second in [
        r#""step":"a","type":"step_blocked","step":"b""#,
        r#""type":"step_blocked","step":"a","step":"b""#,
    ] {
        let text = format!("{{{second},\"by\":\"c\"}}");
        check(&text, Err("duplicate field `step`"));
    }
    check(r#""step_blocked""#, Err("an object with a `type`"));
    check("[]", Err("an object with a `type`"));
}
