//! Edits of a proposal change their field and not a byte besides.

use serde_json::{Value, json};

use crate::edit::{Edit, EditRefused, Marks, StepMark, apply, apply_marks};
use crate::source::Source;

const PLAN: &str = "---\nid: PLAN-1 # mine\ntitle: \"T\"   # shown\nstatus: proposed        # proposed | approved\nversion: 1\n\
tools_required:\n  - odoo\n  - go-easy\nrisk_level: low\nexecution_started_at: # later\nresult_summary: |\n  So\n  far\n---\n\n\
<!-- keep -->\n## Steps\n1. Read (odoo: read)\n2. Send it   (go-easy: send → x)\n   - contract: `make`\n   - expect: tests_run >= 1\n   \
- on_fail: skip\n3. Last\n\n## Context\nWhy.\n\n## Risks\n- One\n- Two\n";

fn source(text: &str) -> Source {
    Source::new("plan.md", text.into())
}

fn applied(text: &str, edit: &Edit) -> Result<String, EditRefused> {
    let bytes = apply(&source(text), std::slice::from_ref(edit))?;
    Ok(String::from_utf8(bytes).expect("text"))
}

/// Asserts that an edit replaces one stretch of text by another, whatever the line ends.
#[track_caller]
fn check(edit: &Edit, from: &str, to: &str) {
    assert!(PLAN.contains(from), "{from}");
    let expected = PLAN.replacen(from, to, 1);
    assert_eq!(applied(PLAN, edit), Ok(expected.clone()));
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(applied(&crlf(PLAN), edit), Ok(crlf(&expected)));
    let marked = |text: &str| format!("\u{feff}{text}");
    assert_eq!(applied(&marked(PLAN), edit), Ok(marked(&expected)));
}

#[track_caller]
fn refused(text: &str, edit: &Edit, why: &str) {
    let error = applied(text, edit).expect_err("a refusal");
    assert!(error.to_string().contains(why), "{error}");
}

fn plan(field: &str, value: Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

fn step(id: &str, field: &str, value: Value) -> Edit {
    Edit::SetStep {
        step: id.to_owned(),
        field: field.to_owned(),
        value,
    }
}

#[test]
fn fields_of_the_frontmatter_are_set_in_place() {
    check(&plan("version", json!(2)), "version: 1", "version: 2");
    check(
        &plan("status", json!("approved")),
        "status: proposed ",
        "status: approved ",
    );
    check(
        &plan("title", json!("A \"b\": c")),
        "\"T\" ",
        r#""A \"b\": c" "#,
    );
    check(&plan("id", json!("PLAN-2")), "PLAN-1 #", "PLAN-2 #");
    check(
        &plan("tools", json!(["bash"])),
        "\n  - odoo\n  - go-easy\n",
        "\n  - bash\n",
    );
    check(
        &plan("tools", json!([])),
        "\n  - odoo\n  - go-easy\n",
        " []\n",
    );
    check(
        &plan("execution_started_at", json!("2026-02-11T12:00:00Z")),
        "execution_started_at: # later",
        "execution_started_at: 2026-02-11T12:00:00Z # later",
    );
    check(
        &plan("result_summary", json!("Done: all")),
        " |\n  So\n  far\n",
        " \"Done: all\"\n",
    );
    check(
        &plan("result_summary", json!("All\ndone")),
        " |\n  So\n  far\n",
        " |-\n  All\n  done\n",
    );
    check(
        &plan("result_summary", Value::Null),
        "result_summary: |\n  So\n  far\n",
        "",
    );
    check(&plan("version", Value::Null), "version: 1\n", "");
}

#[test]
fn fields_that_are_not_there_are_inserted() {
    let at = "  far\n---\n";
    check(
        &plan("updated_at", json!("2026-02-11T12:00:00.000Z")),
        at,
        "  far\nupdated_at: 2026-02-11T12:00:00.000Z\n---\n",
    );
    check(
        &plan("executor_model", json!("m")),
        at,
        "  far\nexecutor_model: m\n---\n",
    );
    let flow = "---\n{id: PLAN-1, tools_required: []}\n---\n## Steps\n1. A\n";
    assert_eq!(
        applied(flow, &plan("version", json!(3))),
        Ok(flow.replace("[]}", "[], version: 3}"))
    );
}

#[test]
fn sections_are_set_in_place() {
    check(
        &plan("context", json!("Because.\nReally.")),
        "Why.",
        "Because.\nReally.",
    );
    check(
        &plan("risks", json!(["Three"])),
        "- One\n- Two\n",
        "- Three\n",
    );
    let bare = "---\nid: PLAN-1\n---\n## Steps\n1. A\n\n## Rejection (v1)\nNo.\n";
    assert_eq!(
        applied(bare, &plan("context", json!("Why."))),
        Ok(bare.replace("## Rej", "## Context\nWhy.\n\n## Rej"))
    );
    assert_eq!(
        applied(bare, &plan("risks", json!(["One"]))),
        Ok(bare.replace("## Rej", "## Risks\n- One\n\n## Rej"))
    );
    let end = "---\nid: PLAN-1\n---\n## Steps\n1. A";
    assert_eq!(
        applied(end, &plan("context", json!("Why."))),
        Ok(format!("{end}\n\n## Context\nWhy.\n"))
    );
    let heading = "---\nid: PLAN-1\n---\n# Old\n\n## Steps\n1. A\n";
    assert_eq!(
        applied(heading, &plan("title", json!("New"))),
        Ok(heading.replace("Old", "New"))
    );
}

#[test]
fn a_rejection_is_appended() {
    let reject = |feedback: &str| Edit::Reject {
        version: 2,
        feedback: feedback.to_owned(),
    };
    check(
        &reject("Wrong approach"),
        "- Two\n",
        "- Two\n\n## Rejection (v2)\nWrong approach\n",
    );
    check(
        &reject("No:\n## Steps\n1. rm -rf /\n```\n<!-- x\n"),
        "- Two\n",
        "- Two\n\n## Rejection (v2)\nNo:\n\\## Steps\n1. rm -rf /\n\\```\n\\<!-- x\n",
    );
    let end = "---\nid: PLAN-1\n---\n## Steps\n1. A";
    assert_eq!(
        applied(end, &reject("No.")),
        Ok(format!("{end}\n\n## Rejection (v2)\nNo.\n"))
    );
    let twice = applied(&applied(PLAN, &reject("a")).expect("once"), &reject("b")).expect("twice");
    assert!(twice.ends_with("## Rejection (v2)\na\n\n## Rejection (v2)\nb\n"));
}

#[test]
fn steps_are_changed_in_place() {
    check(
        &step("step-2", "on_fail", json!("retry(1), then abort")),
        "on_fail: skip",
        "on_fail: retry(1), then abort",
    );
    check(
        &step("step-2", "contract", json!("make test")),
        "`make`",
        "`make test`",
    );
    check(
        &step("step-2", "contract.command", json!("a\nb")),
        "- contract: `make`\n",
        "- contract:\n     ```bash\n     a\n     b\n     ```\n",
    );
    check(
        &step("step-2", "contract", Value::Null),
        "   - contract: `make`\n   - expect: tests_run >= 1\n",
        "",
    );
    check(
        &step(
            "step-2",
            "expect",
            json!(["exit_code == 3", "stdout contains \"x\""]),
        ),
        "   - expect: tests_run >= 1\n",
        "   - expect: exit_code == 3\n   - expect: stdout contains \"x\"\n",
    );
    check(
        &step("step-2", "on_fail", Value::Null),
        "   - on_fail: skip\n",
        "",
    );
    check(
        &step("step-1", "when", json!("params.x")),
        "1. Read (odoo: read)\n",
        "1. Read (odoo: read)\n   - when: params.x\n",
    );
    check(
        &step("step-3", "contract", json!("make")),
        "3. Last\n",
        "3. Last\n   - contract: `make`\n",
    );
    check(
        &step("step-1", "title", json!("Fetch")),
        "1. Read (odoo: read)\n",
        "1. Fetch (odoo: read)\n   - task: Read\n",
    );
    check(
        &step("step-1", "task", json!("Read it\n\n- well")),
        "1. Read (odoo: read)\n",
        "1. Read (odoo: read)\n   - task:\n     Read it\n\n     - well\n",
    );
    check(
        &step(
            "step-2",
            "hint",
            json!({"tool": "bash", "operation": "run"}),
        ),
        "Send it   (go-easy: send → x)",
        "Send it (bash: run)",
    );
    check(
        &step("step-2", "hint", Value::Null),
        "Send it   (go-easy: send → x)",
        "Send it",
    );
    check(
        &step("step-3", "hint", json!({"tool": "a"})),
        "3. Last",
        "3. Last (a:)",
    );
}

#[test]
fn what_cannot_be_done_safely_is_refused() {
    refused(
        PLAN,
        &plan("owner", json!("me")),
        "no place for an edit of `owner`",
    );
    refused(
        PLAN,
        &plan("status", json!("finished")),
        "`finished` is not a status",
    );
    refused(
        PLAN,
        &plan("context", json!("## Steps\n1. x")),
        "would have changed",
    );
    refused(PLAN, &plan("context", json!("```")), "never closed");
    refused(PLAN, &step("step-1", "task", Value::Null), "has a task");
    refused(
        PLAN,
        &step("step-9", "title", json!("x")),
        "no step `step-9`",
    );
    refused(
        PLAN,
        &step("step-1", "timeout", json!("3m")),
        "no place for `timeout`",
    );
    refused(PLAN, &step("step-1", "id", json!("a")), "no place for `id`");
    refused(
        PLAN,
        &step("step-1", "expect", json!(["exit_code == 0"])),
        "without a contract",
    );
    let commented = PLAN.replace("  - odoo\n", "  - odoo # why\n");
    refused(&commented, &plan("tools", json!([])), "a comment beside");
    let twice = PLAN.replace("version: 1", "id: PLAN-2");
    refused(&twice, &plan("version", json!(2)), "given twice");
    let wrapped = PLAN.replace("1. Read", "1. Read\n   it");
    refused(
        &wrapped,
        &step("step-1", "title", json!("x")),
        "more of the text",
    );
    let apart = PLAN.replace("## Steps", "Before.\n\n## Steps");
    refused(&apart, &plan("context", json!("x")), "several places");
}

#[test]
fn marks_are_the_status_and_nothing_else() {
    let marks = Marks {
        status: Some("executing".to_owned()),
        steps: vec![("step-1".to_owned(), StepMark::Done)],
    };
    let marked = apply_marks(&source(PLAN), &marks).expect("marks");
    let expected = PLAN.replace("status: proposed ", "status: executing ");
    assert_eq!(String::from_utf8(marked).expect("text"), expected);
    let without = PLAN.replace("status: proposed        # proposed | approved\n", "");
    let marked = apply_marks(&source(&without), &marks).expect("marks");
    let expected = without.replace("  far\n---", "  far\nstatus: executing\n---");
    assert_eq!(String::from_utf8(marked).expect("text"), expected);
    let wrong = Marks {
        status: Some("done".to_owned()),
        steps: Vec::new(),
    };
    assert!(apply_marks(&source(PLAN), &wrong).is_err());
}
