//! The catalogue of a run's events (`signoff.event/1`) and whether what a run reported is in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The events of a run. `merged` and the events of plans have their own tests.
const DESIGNED: [&str; 26] = [
    "step_started",
    "step_completed",
    "step_failed",
    "step_skipped",
    "step_blocked",
    "step_waiting",
    "attempt_started",
    "work_item",
    "work_finished",
    "baseline_started",
    "baseline_finished",
    "contract_started",
    "contract_finished",
    "process_started",
    "call_started",
    "call_finished",
    "inbox_opened",
    "inbox_answered",
    "expanded",
    "budget_reserved",
    "budget_spent",
    "budget_exceeded",
    "plan_created",
    "run_started",
    "run_paused",
    "run_finished",
];

/// The shapes of all events, from the schema that the documentation has.
pub(crate) struct Catalogue {
    /// Fields that every line may have, and those that it must.
    common: (BTreeSet<String>, BTreeSet<String>),
    variants: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>,
}

impl Catalogue {
    pub(crate) fn read() -> Self {
        let schema = schema();
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        let variants: BTreeMap<_, _> = variants
            .map(|variant| {
                (
                    text(&variant["properties"]["type"]["const"]),
                    fields(variant),
                )
            })
            .collect();
        for name in DESIGNED {
            assert!(variants.contains_key(name), "`{name}` is not in the schema");
        }
        Self {
            common: fields(&schema),
            variants,
        }
    }

    /// Every line of a run from its start: known, whole, in turn.
    #[track_caller]
    pub(crate) fn check(&self, events: &[Value]) {
        for (number, event) in (0_u64..).zip(events) {
            self.check_fields(event);
            assert_eq!(event["seq"], number, "{event:#}");
            assert_eq!(event["run"], events[0]["run"], "{event:#}");
            assert!(event["progress"].as_u64().is_some_and(|share| share <= 100));
            let is_of_step = event.get("step").is_some();
            assert_eq!(event["status"].is_string(), is_of_step, "{event:#}");
        }
        let times: Vec<&str> = events
            .iter()
            .filter_map(|event| event["at"].as_str())
            .collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(events[0]["type"], "plan_created");
        assert_eq!(events[1]["type"], "run_started");
        check_turns(events);
    }

    #[track_caller]
    fn check_fields(&self, event: &Value) {
        let kind = text(&event["type"]);
        let Some((known, required)) = self.variants.get(&kind) else {
            panic!("not in the catalogue: {event:#}");
        };
        let has: BTreeSet<String> = event
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        for name in required.union(&self.common.1) {
            assert!(has.contains(name), "`{name}` is missing: {event:#}");
        }
        for name in &has {
            let is_known = known.contains(name) || self.common.0.contains(name);
            assert!(is_known, "`{name}` is in no schema: {event:#}");
        }
        assert_eq!(event["schema"], "signoff.event/1");
    }
}

/// The schema of `signoff.event/1`.
pub(crate) fn schema() -> Value {
    let mut all = signoff_api::schema::all_schemas().into_iter();
    let found = all.find(|(name, _)| *name == signoff_api::event::SCHEMA);
    found.expect("events have a schema").1
}

/// Nothing ends that did not begin, and attempts are counted without a gap.
fn check_turns(events: &[Value]) {
    let mut attempts: BTreeMap<String, u64> = BTreeMap::new();
    let mut open = BTreeSet::new();
    for event in events {
        let step = text(&event["step"]);
        let attempt = event["attempt"].as_u64().unwrap_or_default();
        let begun = |what: &str| format!("{what} {step} {attempt}");
        match event["type"].as_str().unwrap_or_default() {
            "attempt_started" => {
                let last = attempts.insert(step.clone(), attempt);
                assert_eq!(last.unwrap_or(0) + 1, attempt, "{event:#}");
            }
            "process_started" => drop(open.insert(begun("work"))),
            "call_started" => drop(open.insert(begun("call"))),
            "contract_started" => drop(open.insert(begun("contract"))),
            "inbox_opened" => drop(open.insert(text(&event["item"]))),
            "work_finished" => assert!(open.remove(&begun("work")), "{event:#}"),
            "call_finished" => assert!(open.remove(&begun("call")), "{event:#}"),
            "contract_finished" => assert!(open.remove(&begun("contract")), "{event:#}"),
            "inbox_answered" => assert!(open.remove(&text(&event["item"])), "{event:#}"),
            _ => {}
        }
    }
}

/// The last event of a run that has ended: its outcome, and of each step what 6.2 promises.
#[track_caller]
pub(crate) fn ended(events: &[Value], outcome: &str) -> BTreeMap<String, (String, Option<String>)> {
    let last = events.last().expect("there are events");
    assert_eq!(
        (&last["type"], &last["outcome"]),
        (&"run_finished".into(), &outcome.into())
    );
    let steps = last["steps"].as_object().expect("it has steps");
    let end = |(id, step): (&String, &Value)| {
        let names: Vec<&str> = step
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        for name in ["status", "evidence", "facts", "attempts"] {
            assert!(names.contains(&name), "`{name}` is missing: {step:#}");
        }
        let done = step["status"] == "completed";
        assert_eq!(
            step["evidence"].is_string() && step["facts"].is_object(),
            done,
            "{step:#}"
        );
        let evidence = step["evidence"].as_str().map(str::to_owned);
        (id.clone(), (text(&step["status"]), evidence))
    };
    steps.iter().map(end).collect()
}

fn fields(schema: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
    let known = schema["properties"].as_object().into_iter().flatten();
    let required = schema["required"].as_array().into_iter().flatten();
    (
        known.map(|(name, _)| name.clone()).collect(),
        required.map(text).collect(),
    )
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
