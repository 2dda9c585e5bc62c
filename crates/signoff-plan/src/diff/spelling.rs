//! Canonical values as people write them in plans: no units of our own, no default left unsaid where
//! the other side says something else.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::model::{BriefingStyle, Budget, Condition, FailAction, OnFail, RetriedFailures};
use crate::{budget, duration};

/// Members of a plan or step, in the spelling of plans. What only `other` has is filled in with what
/// holds where nothing is said.
pub(super) fn in_plan_spelling(
    members: &Map<String, Value>,
    other: &Map<String, Value>,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in members {
        let (name, value) = match (name.as_str(), value) {
            ("on_fail", Value::Object(policy)) => {
                let text = on_fail_text(policy, is_call(members));
                ("on_fail", Value::from(text))
            }
            _ => member(name, value),
        };
        out.insert(name.to_owned(), value);
    }
    for (name, text) in [
        ("on_fail", on_fail_text(&Map::new(), is_call(members))),
        ("depends_on", "every step before".to_owned()),
        ("briefing", BriefingStyle::default().word().to_owned()),
    ] {
        if other.contains_key(name) && !members.contains_key(name) {
            out.insert(name.to_owned(), Value::from(text));
        }
    }
    out
}

/// One member: its name and value as a plan has them.
fn member<'a>(name: &'a str, value: &Value) -> (&'a str, Value) {
    let text = |text: &str| Value::from(text);
    match (name, value) {
        ("budget", Value::Object(limits)) => (name, Value::from(budget_text(limits))),
        ("contract", Value::Object(contract)) => (name, contract_value(contract)),
        ("timeout_ms", _) => ("timeout", duration_value(value)),
        ("approval", Value::Bool(true)) => (name, text("required")),
        ("critical" | "baseline", Value::Bool(false)) => (name, text("no")),
        ("fewer_tests_allowed", _) => ("fewer_tests", text("allowed")),
        ("holds_once", _) => ("holds", text("once")),
        ("tools" | "depends_on", Value::Array(items)) if items.is_empty() => (name, text("none")),
        (name, value) => (name, value.clone()),
    }
}

fn contract_value(contract: &Map<String, Value>) -> Value {
    let mut members: Map<String, Value> = contract
        .iter()
        .map(|(name, value)| member(name, value))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let conditions = contract.get("expect").and_then(Value::as_array);
    let mut conditions = conditions.cloned().unwrap_or_default();
    let about_exit = |one: &Value| one.as_str().is_some_and(|one| one.starts_with("exit_code"));
    if !conditions.iter().any(about_exit) {
        conditions.insert(0, Value::from(Condition::DEFAULT.to_string()));
    }
    members.insert("expect".to_owned(), Value::Array(conditions));
    Value::Object(members)
}

fn budget_text(limits: &Map<String, Value>) -> String {
    let limit = |name: &str| limits.get(name).and_then(number);
    budget::format(&Budget {
        tokens: limit("tokens"),
        usd_e4: limit("usd_e4"),
        wall: limit("wall_ms").map(Duration::from_millis),
        agents: limit("agents"),
    })
}

/// Whether these are the members of a tool step.
fn is_call(members: &Map<String, Value>) -> bool {
    let work = members.get("work").and_then(|work| work.get("kind"));
    work.and_then(Value::as_str) == Some("tool")
}

/// A policy; what it does not say is what holds for a call or for other work.
fn on_fail_text(policy: &Map<String, Value>, call: bool) -> String {
    let then = policy.get("then").and_then(Value::as_str);
    let then = FailAction::ALL
        .into_iter()
        .find(|one| Some(one.name()) == then);
    let retries = policy.get("retries").and_then(number);
    let retries = retries.and_then(|retries| u32::try_from(retries).ok());
    let retries = retries.unwrap_or(OnFail::DEFAULT.retries);
    let failures = match policy.get("failures") {
        None if call && retries > 0 => RetriedFailures::Transient,
        None | Some(_) => RetriedFailures::Every,
    };
    let policy = OnFail {
        retries,
        failures,
        then: then.unwrap_or(OnFail::DEFAULT.then),
    };
    policy.to_string()
}

fn duration_value(value: &Value) -> Value {
    match number(value) {
        Some(milliseconds) => Value::from(duration::format(Duration::from_millis(milliseconds))),
        None => value.clone(),
    }
}

/// A number, also if it is too large to be one in JSON.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
