//! Fields set in place.

use serde_json::json;
use signoff_plan::edit::{Edit, apply};

use super::source;

#[track_caller]
pub(super) fn edited(text: &str, edit: &Edit) -> String {
    let bytes = apply(&source(text), std::slice::from_ref(edit)).expect("the edit fits");
    String::from_utf8(bytes).expect("still text")
}

fn set_plan(field: &str, value: serde_json::Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

pub(super) fn set_step(step: &str, field: &str, value: serde_json::Value) -> Edit {
    Edit::SetStep {
        step: step.to_owned(),
        field: field.to_owned(),
        value,
    }
}

#[test]
fn edits_change_their_field_alone() {
    let text = "task: x # why\nversion: 1\nsteps:\n- index: 0\n  description: a\n  contract: make # it\n- index: 1\n  description: b\n  dependsOn: []\n";
    for (edit, from, to) in [
        (set_plan("version", json!(2)), "version: 1", "version: 2"),
        (
            set_plan("updated_at", json!("2026-01-23T10:00:00Z")),
            "version: 1\n",
            "version: 1\nupdatedAt: \"2026-01-23T10:00:00Z\"\n",
        ),
        (
            set_plan("current_step_index", json!(1)),
            "version: 1\n",
            "version: 1\ncurrentStepIndex: 1\n",
        ),
        (
            set_plan("constraints", json!(["a"])),
            "version: 1\n",
            "version: 1\nmetadata: {\"constraints\": [\"a\"]}\n",
        ),
        (
            set_plan("task", json!("y: z")),
            "task: x #",
            "task: \"y: z\" #",
        ),
        (
            set_step("step-1", "output", json!("two\nlines")),
            "make # it",
            "make # it\n  output: \"two\\nlines\"",
        ),
        (
            set_step("step-1", "executed_by", json!("dev")),
            "make # it",
            "make # it\n  executedBy: dev",
        ),
        (
            set_step("step-1", "contract.timeout", json!("5m")),
            "contract: make #",
            "contract: {\"command\": \"make\", \"timeout\": \"5m\"} #",
        ),
        (
            set_step("step-1", "contract.command", json!("make test")),
            "contract: make #",
            "contract: make test #",
        ),
        (
            set_step("step-1", "task", json!("c")),
            "description: a\n  contract: make # it",
            "description: c\n  contract: make # it\n  title: a",
        ),
        (
            set_step("step-2", "depends_on", json!(["step-1"])),
            "dependsOn: []",
            "dependsOn: [0]",
        ),
        (
            set_step("step-2", "depends_on", json!(null)),
            "\n  dependsOn: []",
            "",
        ),
        (
            set_step("step-2", "when", json!("false")),
            "description: b\n",
            "description: b\n  when: \"false\"\n",
        ),
        (
            set_step("step-2", "status", json!("complete")),
            "description: b\n",
            "description: b\n  status: complete\n",
        ),
    ] {
        assert_eq!(edited(text, &edit), text.replacen(from, to, 1), "{edit:?}");
    }
    for (edit, why) in [
        (set_plan("owner", json!("me")), "no place"),
        (
            set_step("step-1", "subscriptions", json!(["topic:a"])),
            "no place",
        ),
        (set_step("step-9", "when", json!("x")), "no step `step-9`"),
        (set_step("step-1", "status", json!("done")), "not a status"),
        (
            Edit::Reject {
                version: 1,
                feedback: "no".to_owned(),
            },
            "no place",
        ),
    ] {
        let refused = apply(&source(text), &[edit]).expect_err("refused");
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn comments_are_never_lost() {
    let text = "task: x\nsteps:\n- index: 0\n  description: a\n  contract: make\n  produces:\n    - a # first\n    - b\n";
    let refused = apply(
        &source(text),
        &[set_step("step-1", "produces", json!(["c"]))],
    );
    assert!(
        refused
            .expect_err("refused")
            .to_string()
            .contains("comment")
    );
    let without = text.replace(" # first", "");
    assert_eq!(
        edited(&without, &set_step("step-1", "produces", json!(["c"]))),
        without.replace("produces:\n    - a\n    - b", "produces: [\"c\"]")
    );
}
