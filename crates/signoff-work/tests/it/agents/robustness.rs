//! Streams that are cut, mixed up or nonsense.

use proptest::prelude::*;
use serde_json::{Value, json};
use signoff_sandbox::ExitStatus;
use signoff_work::agent::{AgentExit, AgentProblem, DriverKind, ReaderOptions};

use super::exercise;
use super::world::{read, samples};

#[test]
fn every_prefix_is_read_and_counts_no_less_than_a_shorter_one() {
    // One version of each agent; the others have the same forms.
    let versions = [
        "claude-2.1.197/",
        "codex-0.166.0/",
        "gemini-0.61.0/",
        "opencode-1.18.33/",
        "pi-0.74.2/",
    ];
    let is_newest = |name: &str| versions.iter().any(|version| name.starts_with(version));
    for sample in samples()
        .into_iter()
        .filter(|sample| is_newest(&sample.name))
    {
        // Within a line a cut changes nothing but that line, so some places within and every end of a line are enough.
        let step = (sample.stdout.len() / 20).max(1);
        let mut cuts: Vec<_> = (0..=sample.stdout.len()).step_by(step).collect();
        let breaks = sample
            .stdout
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        cuts.extend(breaks.flat_map(|(at, _)| [at, at + 1]));
        cuts.sort_unstable();
        let mut counted = 0;
        for end in cuts {
            let reading = read(
                sample.driver,
                &sample.stdout[..end],
                ExitStatus::Signaled(9),
                b"",
            );
            let tokens = reading.tokens();
            assert!(tokens >= counted, "{} at {end}", sample.name);
            counted = tokens;
        }
    }
}

#[test]
fn an_agent_that_dies_midway_is_told_so() {
    for sample in samples()
        .into_iter()
        .filter(|sample| sample.case == "works")
    {
        let half = &sample.stdout[..sample.stdout.len() / 2];
        let problem = |status| read(sample.driver, half, status, b"").end.problem;
        assert_eq!(
            problem(ExitStatus::Signaled(11)),
            Some(AgentProblem::Signaled(11)),
            "{}",
            sample.name
        );
        assert_eq!(
            problem(ExitStatus::Exited(0)),
            Some(AgentProblem::Incomplete),
            "{}",
            sample.name
        );
        assert_eq!(problem(ExitStatus::Stopped), None, "{}", sample.name);
    }
}

#[test]
fn unknown_lines_and_fields_change_nothing() {
    for sample in samples() {
        let mut noisy = Vec::new();
        for line in sample.stdout.split(|byte| *byte == b'\n') {
            noisy.extend_from_slice(
                b"not json\n{\"type\":\"new.kind\",\"message\":7}\n[1]\n\xff\xfe\n",
            );
            match serde_json::from_slice::<Value>(line) {
                Ok(mut value) => {
                    value["a_new_field"] = json!({ "type": "text" });
                    noisy.extend_from_slice(value.to_string().as_bytes());
                }
                Err(_) => noisy.extend_from_slice(line),
            }
            noisy.push(b'\n');
        }
        let plain = sample.read(ExitStatus::Exited(0));
        let noisy = read(sample.driver, &noisy, ExitStatus::Exited(0), &sample.stderr);
        assert_eq!(plain.events, noisy.events, "{}", sample.name);
        assert_eq!(plain.end, noisy.end, "{}", sample.name);
    }
}

/// Values with the names and types that readers look for, in places where they do not expect them.
fn json_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "message",
        "content",
        "usage",
        "id",
        "text",
        "result",
        "item",
        "part",
        "state",
        "input_tokens",
        "assistant",
        "system",
        "init",
        "user",
        "tool_use",
        "tool_result",
        "stream_event",
        "event",
        "message_start",
        "message_delta",
        "item.started",
        "item.completed",
        "command_execution",
        "todo_list",
        "turn.completed",
        "step_finish",
        "tokens",
        "message_end",
        "tool_execution_end",
        "session/update",
        "method",
        "params",
        "update",
        "sessionUpdate",
        "tool_call",
        "tool_call_update",
        "toolCallId",
        "session/request_permission",
        "options",
        "modelUsage",
        "permission_denials",
        "é\u{2028}",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let member = (word.clone(), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            prop::collection::vec(member, 0..8).prop_map(|members| Value::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            )),
        ]
    })
}

fn never_panics(lines: &[Vec<u8>]) {
    for kind in DriverKind::ALL {
        let mut reader = kind.driver().reader(&ReaderOptions::default());
        for line in lines {
            reader.read_line(line);
        }
        reader.finish(AgentExit {
            status: ExitStatus::Exited(1),
            stderr: lines.first().map_or(b"", Vec::as_slice),
        });
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6)) {
        never_panics(&lines);
    }

    #[test]
    fn random_json_never_panics(values in prop::collection::vec(json_value(), 0..6)) {
        let lines: Vec<_> = values.iter().map(|value| value.to_string().into_bytes()).collect();
        never_panics(&lines);
    }
}

/// What the fuzzer `streams` began with and what it found.
#[test]
fn the_corpus_is_read_by_every_driver() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/streams");
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        exercise::streams(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
