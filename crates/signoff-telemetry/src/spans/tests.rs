use super::*;

/// The spans of these events, each a line of a journal without its chain; one second lies between two.
fn spans_of(lines: &[&str]) -> Vec<Span> {
    let mut open = OpenSpans::of("r-1");
    let events = lines.iter().zip(1_u64..);
    let spans = events.filter_map(|(line, number)| {
        let event = serde_json::from_str(line).expect("an event");
        open.note(&RecordedEvent {
            seq: number,
            at: number * 1000,
            event,
        })
    });
    spans.collect()
}

const COURSE: [&str; 10] = [
    r#"{"type":"run_started","run_id":"r-1","plan":"p","path":"p.md","digest":"sha256:aa","terms":"sha256:bb","settings":{"backoff_ms":1000,"baseline":true,"green":"ask","accept":"end","jobs":4,"sandbox":"none"}}"#,
    r#"{"type":"step_started","step":"a"}"#,
    r#"{"type":"attempt_started","step":"a","attempt":1}"#,
    r#"{"type":"attempt_interrupted","step":"a","attempt":1,"stopped":false}"#,
    r#"{"type":"attempt_started","step":"a","attempt":2}"#,
    r#"{"type":"work_finished","step":"a","attempt":2,"ended":{"exit_code":0},"output":{"text":"","bytes":0}}"#,
    r#"{"type":"contract_started","step":"a","attempt":2}"#,
    r#"{"type":"contract_finished","step":"a","attempt":2,"verdict":"pass","unmet":[],"observed":{"ended":{"exit_code":0},"stdout":"","stderr":"","duration_ms":5}}"#,
    r#"{"type":"step_completed","step":"a","attempts":2,"evidence":"proved","facts":{"sandbox":"none","claimed":false,"interrupted":true,"agent_failed":false,"repaired_by":null,"accepted_by":null}}"#,
    r#"{"type":"run_finished","outcome":"completed"}"#,
];

#[test]
fn spans_lie_in_each_other() {
    let spans = spans_of(&COURSE);
    let shown: Vec<_> = spans
        .iter()
        .map(|span| (span.kind.name(), span.outcome(), span.start, span.end))
        .collect();
    assert_eq!(
        shown,
        [
            ("attempt", "lost", 3000, 4000),
            ("attempt", "ended", 5000, 6000),
            ("contract", "pass", 7000, 8000),
            ("step", "completed", 2000, 9000),
            ("run", "completed", 1000, 10000),
        ]
    );
    let run = spans.last().expect("a run").id;
    let step = &spans[3];
    assert_eq!((step.parent, spans[4].parent), (Some(run), None));
    for span in &spans[..3] {
        assert_eq!(span.parent, Some(step.id));
        assert_eq!(span.trace, step.trace);
    }
    assert_eq!(spans[0].trouble.as_deref(), Some("lost"));
    let mut ids: Vec<_> = spans.iter().map(|span| span.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), spans.len());
}

#[test]
fn whoever_takes_over_tells_the_same() {
    assert_eq!(spans_of(&COURSE), spans_of(&COURSE));
}
