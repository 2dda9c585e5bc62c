use serde_json::{Value, json};

use super::*;
use crate::model::Plan;

#[track_caller]
fn check(name: &str, written: Value, expected: Value) {
    assert_eq!(normal(&Plan::default(), name, &written), Ok(expected));
}

#[test]
fn names_of_dialects_are_known() {
    assert_eq!(step_name("target"), Some("role"));
    assert_eq!(step_name("contract"), Some("contract.command"));
    assert_eq!(step_name("record.output"), Some("output"));
    assert_eq!(step_name("owner"), None);
    assert_eq!(plan_name("record.tags"), Some("tags"));
    assert_eq!(plan_name("depends_on"), None);
}

#[test]
fn values_have_one_spelling() {
    check("timeout", json!("20 minutes"), json!("20m"));
    check(
        "budget",
        json!("max 2k tokens,$1.5"),
        json!("2k tokens, $1.50"),
    );
    check(
        "on_fail",
        json!("retry(1)"),
        json!("retry(1), then escalate"),
    );
    check("critical", json!("No"), json!(false));
    check("approval", json!("required"), json!(true));
    check("contract.holds", json!("always"), Value::Null);
    check(
        "contract.expect",
        json!(["stdout == \"a\""]),
        json!(["exit_code == 0", "stdout == \"a\""]),
    );
    check("version", json!("3"), json!(3));
    check("tools", Value::Null, Value::Null);
}

#[test]
fn what_a_field_cannot_hold_is_refused() {
    for (name, value) in [
        ("timeout", json!("soon")),
        ("timeout", json!(3)),
        ("budget", json!("lots")),
        ("critical", json!("maybe")),
        ("tools", json!("bash")),
        ("tools", json!([1])),
        ("depends_on", json!(["x"])),
        ("contract.expect", json!(["ok"])),
        ("params", json!([])),
        ("title", json!("")),
    ] {
        assert!(normal(&Plan::default(), name, &value).is_err(), "{name}");
    }
}

#[test]
fn every_field_can_be_asked_for_and_taken_away() {
    let mut plan = Plan::default();
    for name in PLAN.iter().chain(&PLAN_RECORD) {
        assert!(plan_value(&plan, name).is_some(), "{name}");
        assert!(clear_plan(&mut plan, name), "{name}");
    }
    assert_eq!(plan, Plan::default());
    assert_eq!(plan_value(&plan, "nonsense"), None);
    assert!(!clear_plan(&mut plan, "nonsense"));
}
