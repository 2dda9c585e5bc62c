//! What a collector of OpenTelemetry hears of runs, from the real binary, at a real server.

use std::collections::BTreeMap;

use serde_json::Value;

use super::webhook::server;
use crate::support::{agent, makes_out, plan, signed};

/// Everything below this name, wherever it is.
fn all(value: &Value, name: &str, found: &mut Vec<Value>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if key == name {
                    found.extend(value.as_array().cloned().unwrap_or_default());
                } else {
                    all(value, name, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| all(value, name, found)),
        _ => {}
    }
}

fn attribute(of: &Value, name: &str) -> String {
    let list = of["attributes"].as_array().into_iter().flatten();
    let found = list.into_iter().find(|pair| pair["key"] == name);
    let value = found.map(|pair| pair["value"]["stringValue"].clone());
    value
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn outcomes(spans: &[Value]) -> Vec<String> {
    let word = |span: &Value| {
        let name = span["name"].as_str().unwrap_or_default();
        format!("{name} {}", attribute(span, "signoff.outcome"))
    };
    let mut words: Vec<String> = spans.iter().map(word).collect();
    words.sort();
    words
}

#[test]
fn a_collector_hears_of_a_run_that_was_killed_and_went_on() {
    let (url, told) = server(&["200 OK"; 40]);
    let endpoint = url.trim_end_matches("/hook");
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=seven"),
        ("OTEL_SERVICE_NAME", "ours"),
    ];
    let kill = [("SIGNOFF_FAILPOINT", "started.after:1")];
    let killed = project.signoff_with(&[&variables[..], &kill].concat(), ["run", "plan.md"]);
    assert_eq!(killed.code, None, "{killed}");
    let resumed = project.signoff_with(&variables, ["resume"]);
    resumed.assert_success();
    let (mut spans, mut metrics) = (Vec::new(), Vec::new());
    for request in told.try_iter() {
        assert_eq!(request.header("x-tenant"), "seven");
        assert!(request.body.contains("\"ours\""), "{}", request.body);
        all(&request.json(), "spans", &mut spans);
        all(&request.json(), "metrics", &mut metrics);
    }
    assert_eq!(
        outcomes(&spans),
        [
            "attempt ended",
            "attempt lost",
            "contract fail",
            "contract pass",
            "run completed",
            "step completed",
        ],
        "{spans:#?}"
    );
    let ids: BTreeMap<&str, &Value> = spans
        .iter()
        .map(|span| (span["name"].as_str().unwrap_or_default(), &span["spanId"]))
        .collect();
    for span in &spans {
        assert_eq!(span["traceId"], spans[0]["traceId"]);
        let above = match span["name"].as_str() {
            Some("run") => &Value::Null,
            Some("step") => ids["run"],
            _ => ids["step"],
        };
        assert_eq!(&span["parentSpanId"], above, "{span:#}");
    }
    let names: Vec<&str> = metrics
        .iter()
        .filter_map(|metric| metric["name"].as_str())
        .collect();
    for name in [
        "signoff.run.duration",
        "signoff.attempt.duration",
        "signoff.kills",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn a_run_does_not_fail_with_its_collector() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    // Nobody listens there.
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")];
    let ran = project.signoff_with(&variables, ["run", "plan.md"]);
    ran.assert_success()
        .assert_stderr_contains("could not be told to the collector");
}
