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
        json!({"schema": "a", "title": "A", "budget": {"tokens": 1}, "tools": ["x"], "steps": []}),
        json!({"schema": "b", "title": "B", "budget": {"tokens": 2, "agents": 1}, "steps": []}),
        &[
            "plan `budget.agents`: added 1",
            "plan `budget.tokens`: 1 → 2",
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
            "step `a` `contract.baseline`: added false",
            "step `a` `contract.command`: x → y",
            "step `a` `work.args`: {\"p\":1} → {\"p\":2}",
        ],
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
