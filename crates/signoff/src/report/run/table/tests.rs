use signoff_engine::{Changes, Event, EvidenceFacts, Grade, ProcessEnd};

use super::table;
use crate::report::run::sample::{
    AGENT, CHECK, apply_events, completed, run, started, work_finished,
};

#[track_caller]
fn check(run: &signoff_engine::Run, columns: usize, expected: &str) {
    let table = anstream::adapter::strip_str(&table(run, None, columns)).to_string();
    assert_eq!(table.trim_end(), expected, "\n{table}");
}

#[test]
fn a_row_says_how_we_know() {
    let mut run = run(&[
        ("Build it", AGENT),
        ("Read \u{1b}[2Jit", CHECK),
        ("Ship", CHECK),
    ]);
    let repaired = EvidenceFacts {
        repaired_by: Some("ada".to_owned()),
        ..EvidenceFacts::default()
    };
    apply_events(
        &mut run,
        [
            started("step-1"),
            completed("step-1", Grade::Proved, repaired),
            started("step-2"),
            Event::StepFailed {
                step: "step-2".to_owned(),
                attempts: 1,
                reason: "exit_code == 0 (was: exit code 1)".to_owned(),
            },
        ],
    );
    check(
        &run,
        80,
        "  step           evidence   tries     time  because
  1. Build it    proved         0     1.0s  red before, green after; repaired by
                                            ada
  2. Read [2Jit  failed         0     1.0s  exit_code == 0 (was: exit code 1)
  3. Ship        pending        0
  3 steps: 1 proved, 1 failed, 1 pending · 0 agents started · 4.0s · sandbox:",
    );
}

#[test]
fn long_names_give_way_to_the_reason() {
    let mut run = run(&[("A title that goes on and on until nobody reads it", CHECK)]);
    apply_events(
        &mut run,
        [
            started("step-1"),
            completed("step-1", Grade::Held, EvidenceFacts::default()),
        ],
    );
    check(
        &run,
        60,
        "  step              evidence   tries     time  because
  1. A title that…  held           0     1.0s  green after
  1 step: 1 held · 0 agents started · 2.0s · sandbox:",
    );
}

#[test]
fn what_is_no_evidence_says_what_it_is() {
    let looped = format!("**for_each:** []\n{CHECK}");
    let mut run = run(&[("Loop", &looped), ("Work", AGENT), ("Later", AGENT)]);
    let step = || "step-2".to_owned();
    apply_events(
        &mut run,
        [
            Event::Expanded {
                step: "step-1".to_owned(),
                items: Vec::new(),
            },
            completed("step-1", Grade::Observed, EvidenceFacts::default()),
            started("step-2"),
            Event::WorkFinished {
                step: step(),
                attempt: 1,
                ended: ProcessEnd::Exited(1),
                output: signoff_engine::AgentOutput::default(),
                changes: Changes::default(),
                report: None,
            },
            Event::StepFailed {
                step: step(),
                attempts: 1,
                reason: "exit_code == 0 (was: exit code 1)".to_owned(),
            },
            started("step-3"),
        ],
    );
    check(
        &run,
        110,
        "  step      evidence   tries     time  because
  1. Loop   empty          0     1.0s  nothing to do: the loop has no items
  2. Work   failed         0     2.0s  exit_code == 0 (was: exit code 1); the agent ended: exit code 1
  3. Later  paused         0           interrupted
  3 steps: 1 empty, 1 failed, 1 paused · 0 agents started · 6.0s · sandbox:",
    );
    let driven = anstream::adapter::strip_str(&table(&run, Some(90_000), 110)).to_string();
    assert!(
        driven.contains("3. Later  running        0   1m 24s\n"),
        "{driven}"
    );
}

#[test]
fn a_sentence_of_several_rows_is_written_once() {
    let mut run = run(&[("One", AGENT), ("Two", AGENT), ("Three", AGENT)]);
    let weak = || EvidenceFacts {
        not_proved: vec!["its contract ran in the tree that the agent could write to".to_owned()],
        ..EvidenceFacts::default()
    };
    apply_events(
        &mut run,
        [
            started("step-1"),
            completed("step-1", Grade::Held, weak()),
            started("step-2"),
            completed("step-2", Grade::Held, weak()),
            started("step-3"),
            completed("step-3", Grade::Held, EvidenceFacts::default()),
        ],
    );
    check(
        &run,
        80,
        "  step      evidence   tries     time  because
  1. One    held           0     1.0s  (1)
  2. Two    held           0     1.0s  (1)
  3. Three  held           0     1.0s  green after
  (1) green after; not proved: its contract ran in the tree that the agent could
  write to
  3 steps: 3 held · 0 agents started · 6.0s · sandbox:",
    );
}

#[test]
fn a_row_names_the_question_that_stands_elsewhere() {
    let unproved = "**target:** coder\n**task:**\nDo it.\n";
    let mut run = run(&[("One", AGENT), ("Two", unproved)]);
    apply_events(
        &mut run,
        [
            started("step-1"),
            Event::InboxOpened {
                item: "step-1-1".to_owned(),
                kind: signoff_engine::InboxKind::Escalation,
                step: "step-1".to_owned(),
                steps: Vec::new(),
                question: "a long sentence".to_owned(),
                choices: Vec::new(),
                options: Vec::new(),
            },
            started("step-2"),
            Event::StepProvisional {
                step: "step-2".to_owned(),
                attempts: 1,
            },
        ],
    );
    check(
        &run,
        80,
        "  step    evidence   tries     time  because
  1. One  waiting        0           asks you: `step-1-1`
  2. Two  waiting        0           no contract: asks you at the end
  2 steps: 2 waiting · 0 agents started · 2.0s · sandbox:",
    );
}

#[test]
fn tokens_and_cost_have_columns_where_something_was_counted() {
    let mut run = run(&[("One", AGENT), ("Two", AGENT), ("Three", CHECK)]);
    let good = || ProcessEnd::Exited(0);
    apply_events(
        &mut run,
        [
            started("step-1"),
            work_finished("step-1", ProcessEnd::OverBudget, 13_000, Some(80_000)),
            work_finished("step-1", good(), 1_200, Some(9_000)),
            completed("step-1", Grade::Proved, EvidenceFacts::default()),
            started("step-2"),
            work_finished("step-2", good(), 700, None),
            completed("step-2", Grade::Proved, EvidenceFacts::default()),
        ],
    );
    check(
        &run,
        100,
        "  step      evidence   tries     time  tokens      cost  because
  1. One    proved         0     3.0s     14k     $0.09  red before, green after
  2. Two    proved         0     2.0s     700         ?  red before, green after
  3. Three  ready          0
  3 steps: 2 proved, 1 ready · 0 agents started · 14k tokens · ≥ $0.09 · 7.0s · sandbox:\u{20}
  opus: 14k tokens · ≥ $0.09",
    );
}
