use serde_json::json;

use super::*;

#[track_caller]
fn check(before: Value, after: Value, expected: &[&str]) {
    let changes = compare(&before, &after);
    let found: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn plan_fields_are_compared() {
    check(
        json!({"schema": "a", "title": "A", "budget": {"tokens": 1000}, "tools": ["x"], "steps": []}),
        json!({"schema": "b", "title": "B", "budget": {"tokens": 2000, "agents": 1}, "steps": []}),
        &[
            "plan `budget`: 1k tokens → 2k tokens, 1 agent",
            "plan `title`: A → B",
            "plan `tools`: removed x",
        ],
    );
}

#[test]
fn steps_are_matched_by_id() {
    check(
        json!({"steps": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {"id": "c", "title": "C"}]}),
        json!({"steps": [{"id": "c", "title": "C"}, {"id": "x", "title": "X"}, {"id": "a", "title": "A2"}]}),
        &[
            "step `c` moved: 3 → 1",
            "step `x` added: X",
            "step `a` `title`: A → A2",
            "step `b` removed: B",
        ],
    );
}

#[test]
fn nested_fields_have_paths() {
    check(
        json!({"steps": [{"id": "a", "contract": {"command": "x"}, "work": {"kind": "tool", "args": {"p": 1}}}]}),
        json!({"steps": [{"id": "a", "contract": {"command": "y", "baseline": false}, "work": {"kind": "tool", "args": {"p": 2}}}]}),
        &[
            "step `a` `contract.baseline`: added no",
            "step `a` `contract.command`: x → y",
            "step `a` `work.args`: {\"p\":1} → {\"p\":2}",
        ],
    );
}

#[test]
fn values_are_spelled_as_in_plans() {
    let step = |fields: Value| {
        let mut step = json!({"id": "a", "title": "A"});
        let members = fields.as_object().unwrap().clone();
        step.as_object_mut().unwrap().extend(members);
        json!({"steps": [step]})
    };
    let table = [
        (
            json!({"budget": {"agents": 3, "tokens": 200_000, "usd_e4": 15_000, "wall_ms": 1_200_000}}),
            "`budget`: added 200k tokens, $1.50, 20m, 3 agents",
        ),
        (json!({"timeout_ms": 90_000}), "`timeout`: added 1m 30s"),
        (
            json!({"on_fail": {"retries": 0, "then": "abort"}}),
            "`on_fail`: retry(2), then escalate → abort",
        ),
        (
            json!({"depends_on": []}),
            "`depends_on`: every step before → none",
        ),
        (json!({"tools": []}), "`tools`: added none"),
        (json!({"approval": true}), "`approval`: added required"),
        (json!({"critical": false}), "`critical`: added no"),
        (
            json!({"hint": {"operation": "send"}}),
            "`hint.operation`: added send",
        ),
    ];
    for (fields, expected) in table {
        check(
            step(json!({})),
            step(fields),
            &[&format!("step `a` {expected}")],
        );
    }
    check(
        step(json!({"contract": {"command": "x"}})),
        step(json!({})),
        &[
            "step `a` `contract.command`: removed x",
            "step `a` `contract.expect`: removed exit_code == 0",
        ],
    );
}

#[test]
fn a_condition_that_was_not_written_is_shown_as_what_it_was() {
    let plan = |expect: Value| {
        let contract = json!({"command": "x", "expect": expect});
        json!({"steps": [{"id": "a", "contract": contract}]})
    };
    check(
        plan(json!([])),
        plan(json!(["exit_code == 1"])),
        &["step `a` `contract.expect`: exit_code == 0 → exit_code == 1"],
    );
    check(
        plan(json!(["stdout contains \"a\""])),
        plan(json!(["exit_code == 1", "stdout contains \"a\""])),
        &["step `a` `contract.expect`: exit_code == 0 → exit_code == 1"],
    );
}

#[test]
fn long_texts_show_only_what_differs() {
    let changes = compare(
        &json!({"context": "one\ntwo\nthree"}),
        &json!({"context": "one\n2\nthree\nfour"}),
    );
    let [change] = changes.as_slice() else {
        panic!("one change: {changes:?}");
    };
    assert_eq!(change.before.as_deref(), Some("two"));
    assert_eq!(change.after.as_deref(), Some("2\nfour"));
    assert_eq!(change.to_string(), "plan `context`: two → 2…");
}

#[test]
fn equal_plans_have_no_changes() {
    let plan = json!({"title": "A", "steps": [{"id": "a"}]});
    check(plan.clone(), plan, &[]);
    check(json!(null), json!([]), &[]);
}

fn step(title: &str, task: &str) -> Value {
    json!({"id": "", "title": title, "work": {"kind": "agent", "task": task}})
}

/// A plan whose steps are called by their numbers unless they have an id.
fn numbered(steps: Vec<Value>) -> Value {
    let steps = steps.into_iter().enumerate().map(|(at, mut step)| {
        if step["id"] == "" {
            step["id"] = json!(format!("step-{}", at + 1));
        }
        step
    });
    json!({"steps": steps.collect::<Vec<_>>()})
}

#[test]
fn a_step_put_before_others_is_the_only_change() {
    check(
        numbered(vec![step("A", "a"), step("B", "b")]),
        numbered(vec![step("New", "n"), step("A", "a"), step("B", "b")]),
        &[
            "step `step-1` added: New",
            "step `step-1` `work.kind`: added agent",
            "step `step-1` `work.task`: added n",
        ],
    );
    check(
        numbered(vec![step("A", "a"), step("B", "b"), step("C", "c")]),
        numbered(vec![step("A", "a"), step("C", "c")]),
        &["step `step-2` removed: B"],
    );
}

#[test]
fn steps_without_ids_move() {
    check(
        numbered(vec![step("A", "a"), step("B", "b"), step("C", "c")]),
        numbered(vec![step("C", "c"), step("A", "a"), step("B", "b")]),
        &["step `step-1` moved: 3 → 1"],
    );
}

#[test]
fn a_new_title_or_task_alone_is_a_change() {
    check(
        numbered(vec![step("A", "a"), step("B", "b")]),
        numbered(vec![step("A", "a2"), step("B2", "b")]),
        &[
            "step `step-1` `work.task`: a → a2",
            "step `step-2` `title`: B → B2",
        ],
    );
    check(
        numbered(vec![step("A", "a")]),
        numbered(vec![step("A2", "a2")]),
        &[
            "step `step-1` added: A2",
            "step `step-1` `work.kind`: added agent",
            "step `step-1` `work.task`: added a2",
            "step `step-1` removed: A",
        ],
    );
}

#[test]
fn a_new_id_is_one_change() {
    let plan = |id: &str| {
        let mut second = step("B", "b");
        second["depends_on"] = json!([id]);
        let mut first = step("A", "a");
        first["id"] = json!(id);
        numbered(vec![first, second])
    };
    check(plan("a"), plan("z"), &["step `z` `id`: a → z"]);
}

#[test]
fn explicit_ids_come_first() {
    let named = |id: &str, title: &str, task: &str| {
        let mut step = step(title, task);
        step["id"] = json!(id);
        step
    };
    check(
        numbered(vec![named("a", "A", "x"), named("b", "B", "y")]),
        numbered(vec![named("b", "A", "x"), named("a", "B", "y")]),
        &[
            "step `b` moved: 2 → 1",
            "step `b` `title`: B → A",
            "step `b` `work.task`: y → x",
            "step `a` `title`: A → B",
            "step `a` `work.task`: x → y",
        ],
    );
}

#[test]
fn equal_steps_are_paired_in_order() {
    check(
        numbered(vec![step("A", "a"), step("A", "a")]),
        numbered(vec![step("A", "a"), step("A", "a"), step("A", "a")]),
        &[
            "step `step-3` added: A",
            "step `step-3` `work.kind`: added agent",
            "step `step-3` `work.task`: added a",
        ],
    );
}

#[test]
fn every_defining_field_changes_the_definition() {
    let text = |fields: &str| {
        format!(
            "---\ntype: plan\nstatus: draft\nowner: me\n---\n## Steps\n### 1. A\n**task:** x\n**contract:** `make`\n{fields}\n"
        )
    };
    let hash = |text: &str| {
        let source = crate::source::Source::new("plan.md", text.into());
        let draft = crate::dialect::parse(&source);
        let plan = crate::check::resolve::resolve(&draft, &mut Vec::new());
        definition_hash(&plan.steps[0])
    };
    let base = hash(&text(""));
    for same in [
        "**timeout:** 1m",
        "**on_fail:** abort",
        "**id:** x",
        "**depends_on:** none",
    ] {
        assert_eq!(hash(&text(same)), base, "{same}");
    }
    for other in [
        "**produces:** a",
        "**protects:** b",
        "**tools:** none",
        "**target:** c",
        "**holds:** once",
    ] {
        assert_ne!(hash(&text(other)), base, "{other}");
    }
}

#[test]
fn large_plans_are_compared_quickly() {
    let plan = |from: usize| {
        let steps = (from..from + 20_000).map(|n| step(&format!("S{n}"), &format!("t{n}")));
        numbered(steps.collect())
    };
    // A new step with its work, and one that is gone.
    assert_eq!(compare(&plan(0), &plan(1)).len(), 4);
}
