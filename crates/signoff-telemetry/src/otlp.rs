//! The messages of OTLP in JSON: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>. 64-bit integers are
//! texts there, and ids are hexadecimal.

use std::fmt::Write as _;

use serde_json::{Value, json};
use signoff_engine::Millis;

use crate::metrics::{BOUNDS, Durations, Metrics};
use crate::spans::{OUTCOME, Span};

/// An enum of the protocol: what a status, a kind and a temporality are called there.
const ERROR: u8 = 2;
const INTERNAL: u8 = 1;
const CUMULATIVE: u8 = 2;

pub(crate) fn traces(service: &str, spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": resource(service),
        "scopeSpans": [{"scope": scope(), "spans": spans}],
    }]})
}

pub(crate) fn metrics(service: &str, metrics: &Metrics, begun: Millis, now: Millis) -> Value {
    let time = |mut point: Value| {
        point["startTimeUnixNano"] = nanoseconds(begun);
        point["timeUnixNano"] = nanoseconds(now);
        point
    };
    let mut told = Vec::new();
    let mut kinds: Vec<_> = metrics.durations.keys().map(|(kind, _)| *kind).collect();
    kinds.dedup();
    for kind in kinds {
        let of_kind = metrics.durations.iter().filter(|((of, _), _)| *of == kind);
        let points: Vec<Value> = of_kind
            .map(|((_, outcome), durations)| time(histogram_point(outcome, durations)))
            .collect();
        told.push(json!({
            "name": format!("signoff.{}.duration", kind.name()),
            "unit": "s",
            "histogram": {"dataPoints": points, "aggregationTemporality": CUMULATIVE},
        }));
    }
    let number = |name: &str, word: &str, value: String| {
        time(json!({"attributes": attributes(&[(name, json!(word))]), "asInt": value}))
    };
    let kills = metrics.kills.iter();
    let kills: Vec<Value> = kills
        .map(|(reason, count)| number("signoff.reason", reason, count.to_string()))
        .collect();
    let depths = metrics.depths.iter();
    let depths: Vec<Value> = depths
        .map(|(role, depth)| number("signoff.role", role, depth.to_string()))
        .collect();
    if !kills.is_empty() {
        let sum =
            json!({"dataPoints": kills, "aggregationTemporality": CUMULATIVE, "isMonotonic": true});
        told.push(json!({"name": "signoff.kills", "unit": "{agent}", "sum": sum}));
    }
    if !depths.is_empty() {
        let gauge = json!({"dataPoints": depths});
        told.push(json!({"name": "signoff.queue.depth", "unit": "{order}", "gauge": gauge}));
    }
    json!({"resourceMetrics": [{
        "resource": resource(service),
        "scopeMetrics": [{"scope": scope(), "metrics": told}],
    }]})
}

fn histogram_point(outcome: &str, durations: &Durations) -> Value {
    let counts = durations.buckets.iter();
    let counts: Vec<String> = counts.map(u64::to_string).collect();
    json!({
        "attributes": attributes(&[(OUTCOME, json!(outcome))]),
        "count": durations.count.to_string(),
        "sum": durations.sum,
        "bucketCounts": counts,
        "explicitBounds": BOUNDS,
    })
}

fn span(span: &Span) -> Value {
    let mut told = json!({
        "traceId": hexadecimal(&span.trace),
        "spanId": hexadecimal(&span.id),
        "name": span.kind.name(),
        "kind": INTERNAL,
        "startTimeUnixNano": nanoseconds(span.start),
        "endTimeUnixNano": nanoseconds(span.end),
        "attributes": attributes(&span.attributes),
    });
    if let Some(parent) = &span.parent {
        told["parentSpanId"] = hexadecimal(parent).into();
    }
    if let Some(why) = &span.trouble {
        told["status"] = json!({"code": ERROR, "message": why});
    }
    told
}

fn resource(service: &str) -> Value {
    let version = json!(env!("CARGO_PKG_VERSION"));
    json!({"attributes": attributes(&[("service.name", json!(service)), ("service.version", version)])})
}

fn scope() -> Value {
    json!({"name": "signoff"})
}

fn attributes(list: &[(&str, Value)]) -> Vec<Value> {
    let value = |value: &Value| match value {
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::Bool(value) => json!({"boolValue": value}),
        Value::String(text) => json!({"stringValue": text}),
        other => json!({"stringValue": other.to_string()}),
    };
    let pairs = list.iter();
    pairs
        .map(|(name, of)| json!({"key": name, "value": value(of)}))
        .collect()
}

fn nanoseconds(at: Millis) -> Value {
    format!("{at}000000").into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
