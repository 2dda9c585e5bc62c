//! What a signature covers is shown.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use signoff_plan::digest::canonical;
use signoff_plan::model::{
    Condition, FailAction, OnFail, RetriedFailures, StepDetails, StepRecord, Subscription,
};

use super::*;

fn texts(stem: &str) -> Vec<String> {
    vec![format!("{stem} one"), format!("{stem} two\nand more")]
}

/// Every field has a value that is nowhere else. No `..`: a new field has to be given one, too.
fn full(work: Work) -> Plan {
    let budget = |agents| Budget {
        tokens: Some(123_456),
        usd_e4: Some(15_075),
        wall: Some(Duration::from_secs(1_234)),
        agents: Some(agents),
    };
    let step = Step {
        id: "the-id".to_owned(),
        number: 1,
        unexpanded: Some("1–N".to_owned()),
        title: "the step's title".to_owned(),
        claimed: false,
        depends_on: Depends::On(vec![1]),
        work,
        contract: Some(Contract {
            command: "the command\n  goes on".to_owned(),
            shell: Some("the-shell".to_owned()),
            expect: vec![
                Condition::ExitCode(7),
                Condition::StdoutContains("out".to_owned()),
                Condition::StdoutEquals("exact".to_owned()),
                Condition::StderrContains("err".to_owned()),
                Condition::TestsRunAtLeast(9),
            ],
            timeout: Some(Duration::from_secs(77)),
            baseline: false,
            fewer_tests_allowed: true,
            holds_once: true,
        }),
        on_fail: OnFail {
            retries: 5,
            failures: RetriedFailures::Every,
            then: FailAction::Abort,
        },
        approval: true,
        critical: false,
        record: StepRecord::default(),
        details: StepDetails {
            mark: None,
            subscriptions: vec![
                Subscription::File {
                    path: "a file".to_owned(),
                    lines: Some((3, 4)),
                },
                Subscription::Topic("a topic".to_owned()),
            ],
            produces: texts("produces"),
            protects: texts("protects"),
            tools: Some(vec!["tool-of-step".to_owned()]),
            when: Some("the condition".to_owned()),
            for_each: Some("the list".to_owned()),
            max_items: Some(31),
            timeout: Some(Duration::from_secs(99)),
            budget: budget(4),
            locks: texts("lock"),
            isolation: Some("the isolation".to_owned()),
            reviewer: Some("the reviewer".to_owned()),
            acceptance: texts("acceptance"),
            subtasks: texts("subtask"),
            instructions: Some("the instructions".to_owned()),
            hint: Some(Hint {
                tool: Some("hint-tool".to_owned()),
                operation: Some("hint operation".to_owned()),
                target: Some("hint target".to_owned()),
            }),
        }
        .into(),
    };
    let other = Step {
        id: "waited-for".to_owned(),
        ..step.clone()
    };
    Plan {
        id: None,
        title: Some("the title".to_owned()),
        task: Some("the request".to_owned()),
        context: Some("the context\n\nin two paragraphs".to_owned()),
        status: None,
        version: None,
        owner: None,
        previous: None,
        budget: budget(3),
        priority: None,
        tools: Some(vec!["tool-of-plan".to_owned()]),
        constraints: texts("constraint"),
        params: BTreeMap::from([("a-param".to_owned(), json!("its value"))]),
        risks: texts("risk"),
        executor_model: Some("the model".to_owned()),
        approval_required_from: texts("approver"),
        briefing: Some("proposal".to_owned()),
        record: BTreeMap::from([("tool_outputs".to_owned(), json!({"an-output": "its data"}))]),
        steps: vec![step, other],
    }
}

/// What `show` prints for what is not a text.
fn word(path: &str, value: &Value) -> String {
    match path {
        "budget.tokens" => "123456 tokens".to_owned(),
        "budget.usd_e4" => "$1.5075".to_owned(),
        "budget.wall_ms" => "20m 34s wall clock".to_owned(),
        "budget.agents" => format!("{value} agents"),
        "contract.timeout_ms" => "1m 17s".to_owned(),
        "contract.baseline" => "no: not run before the work".to_owned(),
        "contract.fewer_tests_allowed" => "fewer than before are allowed".to_owned(),
        "contract.holds_once" => "once: it need not pass again at the end".to_owned(),
        "on_fail.retries" => "retry(5)".to_owned(),
        "approval" => "a person, before it starts".to_owned(),
        "max_items" => "31 items".to_owned(),
        "timeout_ms" => "1m 39s".to_owned(),
        "critical" => "no: the run goes on without it".to_owned(),
        "work.args.depth" => "\"depth\": 17".to_owned(),
        other => panic!("`show` is not known to print `{other}`, which a signature covers"),
    }
}

/// Every value that is not a list or object, with the path to it.
fn leaves(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                leaves(&path, value, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                leaves(path, item, found);
            }
        }
        leaf => found.push((path.to_owned(), leaf.clone())),
    }
}

#[track_caller]
fn check(plan: &Plan) {
    let title = plan.display_title();
    let shown = format!("{title}\n{}", plan_lines(plan, &[], &[]).join("\n"));
    let mut canonical = canonical(plan);
    let steps = canonical["steps"].take();
    let mut covered = Vec::new();
    leaves("", &canonical, &mut covered);
    leaves("", &steps, &mut covered);
    for (path, value) in covered {
        let text = match (path.as_str(), &value) {
            // Not content, and what the other words say.
            ("schema" | "steps" | "work.kind" | "on_fail.failures", _) => continue,
            (_, Value::String(text)) => text.clone(),
            (path, value) => word(path, value),
        };
        for line in text.lines() {
            assert!(shown.contains(line.trim()), "`{path}`: {line}\n{shown}");
        }
    }
}

#[test]
fn everything_a_signature_covers_is_shown() {
    check(&full(Work::Agent {
        role: Some("the role".to_owned()),
        task: "the task\nof two lines".to_owned(),
    }));
    check(&full(Work::Tool {
        tool: "the tool".to_owned(),
        args: json!({"path": "an argument", "depth": 17}),
    }));
    check(&full(Work::Ask {
        question: "the question".to_owned(),
        choices: texts("choice"),
    }));
    check(&full(Work::Check));
}

#[test]
fn what_differs_for_a_signature_differs_in_what_is_shown() {
    let shown = |plan: &Plan| plan_lines(plan, &[], &[]);
    let agent = |role: Option<&str>| {
        full(Work::Agent {
            role: role.map(str::to_owned),
            task: "x".to_owned(),
        })
    };
    assert_ne!(shown(&agent(None)), shown(&agent(Some("default"))));
    let mut transient = agent(None);
    for step in &mut transient.steps {
        step.on_fail.failures = RetriedFailures::Transient;
    }
    assert_ne!(shown(&agent(None)), shown(&transient));
    let plan = |title: Option<&str>, context: Option<&str>| Plan {
        title: title.map(str::to_owned),
        task: Some("the request".to_owned()),
        context: context.map(str::to_owned),
        ..Plan::default()
    };
    assert_ne!(
        shown(&plan(None, None)),
        shown(&plan(Some("the request"), None))
    );
    assert_ne!(
        shown(&plan(Some("a"), None)),
        shown(&plan(Some("a"), Some("")))
    );
}

#[test]
fn what_a_file_keeps_about_a_plan_is_shown() {
    let kept = json!({
        "artifacts": ["report.txt"], "complexity": 4, "created_at": "2026-01-02", "created_by": "ann",
        "estimated_duration": 60, "informed_by": ["memory-1"], "planner_model": "model-p",
        "rejections": [{"version": 1, "feedback": "too long"}], "tags": ["t-1"], "task_id": "T-7",
        "tool_outputs": {"query": 42},
    });
    let plan = Plan {
        owner: Some("bob".to_owned()),
        priority: Some("high".to_owned()),
        previous: Some("before".to_owned()),
        record: serde_json::from_value(kept).expect("fields"),
        ..Plan::default()
    };
    let lines = plan_lines(&plan, &[], &[]);
    for (name, value) in [
        ("owner", "bob"),
        ("priority", "high"),
        ("replaces", "before"),
        ("artifact", "report.txt"),
        ("complexity", "4"),
        ("created at", "2026-01-02"),
        ("created by", "ann"),
        ("estimated duration", "60"),
        ("informed by", "memory-1"),
        ("planner model", "model-p"),
        ("tags", "t-1"),
        ("task id", "T-7"),
        ("output", "query = 42"),
    ] {
        let shown = |line: &String| line.contains(name) && line.ends_with(value);
        assert!(lines.iter().any(shown), "{name}: {lines:?}");
    }
}
