//! An edit changes its field, and no other byte.

use proptest::prelude::*;
use serde_json::{Value, json};
use signoff_plan::check::check;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::edit::{Edit, EditRefused, apply, apply_to};
use signoff_plan::field;
use signoff_plan::model::{PLAN_RECORD, Plan, STEP_RECORD};
use signoff_plan::source::{Source, Span};
use signoff_plan::write::write;

use crate::generate::{Knobs, plan_with};
use crate::laws::written_source;
use crate::world::World;

const PLAN: &str = "---\n# why\ntype: plan\nid: p-1   # its id\nstatus: draft\nowner: 'me'\nversion: 2\n---\n\n# Title  \n\nProse.\n\n\
**Budget:** $5, 1h <!-- enough -->\n**Tools:** bash, read\n**Constraints:**\n- one <!-- first -->\n* two\n\n## Steps\n\n\
### 1. Build <!-- x -->\n\n**id:** build\n**Target:** coder\n**task:**\nDo it.\n\n- carefully\n\n**contract:**\n```sh\nmake\n```\n\
exit_code == 0\n- stdout contains \"ok\" <!-- why -->\n\n---\n\n### 2. Test\n**depends_on:** build\n**contract:** `make test`\n\n## Risks\n\n- slow\n- wrong\n";

fn set_plan(field: &str, value: Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

fn set_step(step: &str, field: &str, value: Value) -> Edit {
    Edit::SetStep {
        step: step.to_owned(),
        field: field.to_owned(),
        value,
    }
}

fn edited(text: &str, edit: &Edit) -> Result<String, EditRefused> {
    let source = Source::new("plan.md", text.into());
    let bytes = apply(&source, std::slice::from_ref(edit))?;
    Ok(String::from_utf8(bytes).expect("text"))
}

/// Asserts that an edit replaces one stretch of text by another, whatever the line ends.
#[track_caller]
fn replaces(edit: &Edit, from: &str, to: &str) {
    assert_eq!(PLAN.matches(from).count(), 1, "{from} is not there once");
    let expected = PLAN.replacen(from, to, 1);
    assert_eq!(edited(PLAN, edit).as_deref(), Ok(expected.as_str()));
    let crlf = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(edited(&crlf(PLAN), edit), Ok(crlf(&expected)));
}

#[track_caller]
fn refused(text: &str, edit: &Edit, why: &str) {
    let error = edited(text, edit).expect_err("refused").to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn the_frontmatter_is_edited() {
    replaces(&set_plan("id", json!("p-2")), "p-1 ", "p-2 ");
    replaces(&set_plan("version", json!(3)), "version: 2", "version: 3");
    replaces(&set_plan("status", json!("approved")), "draft", "approved");
    replaces(&set_plan("owner", json!("a: b")), "'me'", "\"a: b\"");
    replaces(&set_plan("version", Value::Null), "version: 2\n", "");
    replaces(
        &set_plan("previous", json!("older")),
        "version: 2\n",
        "version: 2\nprevious: older\n",
    );
    replaces(
        &set_plan("params", json!({"region": "eu"})),
        "version: 2\n",
        "version: 2\nparams: {\"region\":\"eu\"}\n",
    );
}

#[test]
fn a_frontmatter_in_braces_is_edited_there() {
    let text = "---\n{type: plan, status: draft, owner: me} # why\n---\n# T\n\n## Steps\n\n### 1. A\n\n**task:** x\n";
    for (edit, to) in [
        (set_plan("id", json!("p-2")), "owner: me, id: p-2}"),
        (set_plan("owner", json!("you")), "owner: you}"),
        (set_plan("version", json!(2)), "owner: me, version: 2}"),
    ] {
        let expected = text.replace("owner: me}", to);
        assert_eq!(edited(text, &edit), Ok(expected), "{edit:?}");
    }
}

#[test]
fn plan_fields_are_edited() {
    replaces(&set_plan("title", json!("Other")), "# Title  ", "# Other  ");
    replaces(&set_plan("budget", json!("$6")), "$5, 1h", "$6.00");
    replaces(&set_plan("tools", json!(["bash"])), "bash, read", "bash");
    replaces(&set_plan("tools", json!([])), "bash, read", "none");
    replaces(
        &set_plan("tools", Value::Null),
        "**Tools:** bash, read\n",
        "",
    );
    replaces(
        &set_plan("constraints", json!(["one", "2", "three"])),
        "* two",
        "* 2\n- three",
    );
    replaces(&set_plan("constraints", json!(["one"])), "\n* two", "");
    replaces(
        &set_plan("priority", json!("high")),
        "* two\n",
        "* two\n**Priority:** high\n",
    );
    replaces(
        &set_plan("context", json!("Prose.\n\nMore.")),
        "Prose.",
        "Prose.\n\nMore.",
    );
    replaces(&set_plan("context", Value::Null), "Prose.", "");
}

#[test]
fn risks_are_edited() {
    replaces(
        &set_plan("risks", json!(["slow", "bad"])),
        "- wrong",
        "- bad",
    );
    replaces(&set_plan("risks", json!(["slow"])), "\n- wrong", "");
}

#[test]
fn fields_of_a_step_are_edited() {
    replaces(
        &set_step("build", "title", json!("Make")),
        "Build <!-- x -->",
        "Make",
    );
    replaces(
        &set_step("build", "target", json!("reviewer")),
        "coder",
        "reviewer",
    );
    replaces(
        &set_step("build", "task", json!("Do that.")),
        "**task:**\nDo it.\n\n- carefully",
        "**task:** Do that.",
    );
    replaces(
        &set_step("build", "task", json!("A\n## B\n```\nx")),
        "Do it.\n\n- carefully",
        "````verbatim\nA\n## B\n```\nx\n````",
    );
    replaces(
        &set_step("build", "contract", json!("make all\nmake x")),
        "make\n```",
        "make all\nmake x\n```",
    );
    replaces(
        &set_step("build", "contract", json!("a\n```\nb")),
        "```sh\nmake\n```",
        "````sh\na\n```\nb\n````",
    );
    replaces(
        &set_step("build", "contract.shell", Value::Null),
        "```sh",
        "```shell",
    );
    replaces(
        &set_step(
            "build",
            "expect",
            json!(["exit_code == 1", "stdout contains \"ok\"", "tests_run >= 2"]),
        ),
        "exit_code == 0\n- stdout contains \"ok\" <!-- why -->",
        "exit_code == 1\n- stdout contains \"ok\" <!-- why -->\ntests_run >= 2",
    );
    replaces(
        &set_step("step-2", "contract", json!("make check")),
        "`make test`",
        "`make check`",
    );
    replaces(
        &set_step("step-2", "depends_on", json!([])),
        "depends_on:** build",
        "depends_on:** none",
    );
    replaces(
        &set_step("step-2", "depends_on", Value::Null),
        "**depends_on:** build\n",
        "",
    );
    replaces(
        &set_step("build", "status", json!("done")),
        "1. Build",
        "1. ✅ Build",
    );
}

#[test]
fn fields_of_a_step_are_inserted() {
    let after = "**contract:** `make test`";
    for (field, value, line) in [
        ("timeout", json!("10 minutes"), "**timeout:** 10m"),
        (
            "produces",
            json!(["src/a.rs", "docs/"]),
            "**produces:** src/a.rs, docs/",
        ),
        (
            "produces",
            json!(["src/{a,b}.rs"]),
            "**produces:**\n- src/{a,b}.rs",
        ),
        ("on_fail", json!("abort"), "**on_fail:** abort"),
        ("critical", json!(false), "**critical:** no"),
        ("approval", json!("required"), "**approval:** required"),
        ("accept", json!(["it is fast"]), "**accept:**\n- it is fast"),
        (
            "subscriptions",
            json!(["topic:a"]),
            "**subscriptions:**\n- topic:a",
        ),
        ("id", json!("test"), "**id:** test"),
        ("role", json!("coder"), "**target:** coder"),
        ("task", json!("a\nb"), "**task:**\na\nb"),
        ("baseline", json!(false), "**baseline:** no"),
        ("holds", json!("once"), "**holds:** once"),
        ("budget", json!("$1"), "**budget:** $1.00"),
        ("when", json!("params.x == 1"), "**when:** params.x == 1"),
        ("max_items", json!(3), "**max_items:** 3"),
        (
            "hint",
            json!({"tool": "a", "operation": "b c", "target": "d"}),
            "**tool_hint:** a: b c → d",
        ),
        ("instructions", json!("x"), "**instructions:** x"),
        ("expect", json!(["exit_code == 2"]), "exit_code == 2"),
    ] {
        replaces(
            &set_step("step-2", field, value),
            after,
            &format!("{after}\n{line}"),
        );
    }
    let bare = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n## Steps\n\n### 1. A\n";
    let found = edited(bare, &set_step("step-1", "contract", json!("make")));
    assert_eq!(
        found,
        Ok(format!("{bare}\n**contract:**\n```shell\nmake\n```\n"))
    );
    let found = edited(bare, &set_plan("title", json!("T")));
    assert_eq!(found, Ok(bare.replace("---\n\n##", "---\n\n# T\n\n##")));
}

#[test]
fn what_looks_like_a_comment_is_edited_as_it_is_read() {
    let changed = |text: &str, value: &str| {
        let edit = set_step("build", "when", json!(value));
        edited(text, &edit).expect("set")
    };
    for value in ["<!-- c -->", "a <!-- b --> c", "a <!-- b -->", "a <!-- b"] {
        let once = changed(PLAN, value);
        assert_eq!(changed(&once, value), once);
        assert_eq!(changed(&once, "x"), changed(PLAN, "x"));
    }
}

#[test]
fn text_in_a_value_of_the_frontmatter_is_no_comment() {
    let set = |value| set_plan("params", value);
    let once = edited(PLAN, &set(json!({"a": {"a": "## Usage"}}))).expect("set");
    assert!(once.contains("params: {\"a\":{\"a\":\"## Usage\"}}\n"));
    let again = edited(&once, &set(json!({"b": ["#"]}))).expect("set again");
    assert_eq!(edited(PLAN, &set(json!({"b": ["#"]}))), Ok(again.clone()));
    assert_eq!(edited(&again, &set(Value::Null)).as_deref(), Ok(PLAN));
    let noted = PLAN.replace(
        "version: 2\n",
        "version: 2\nparams: {a: 1, # why\n  b: 2}\n",
    );
    refused(&noted, &set(json!({})), "a comment stands inside");
}

#[test]
fn a_new_id_is_known_to_those_who_wait() {
    let found = edited(PLAN, &set_step("build", "id", json!("make-it")));
    let expected = PLAN
        .replace("**id:** build", "**id:** make-it")
        .replace("depends_on:** build", "depends_on:** make-it");
    assert_eq!(found, Ok(expected));
}

#[test]
fn rejections_are_appended() {
    let reject = Edit::Reject {
        version: 2,
        feedback: "No!\n## Steps\n```\n".to_owned(),
    };
    let once = edited(PLAN, &reject).expect("appended");
    assert_eq!(
        once,
        format!("{PLAN}\n## Rejection (v2)\n\nNo!\n\\## Steps\n\\```\n")
    );
    let twice = edited(&once, &reject).expect("appended again");
    assert!(twice.starts_with(&once));
    let digest = |text: &str| {
        let draft = signoff_plan::dialect::parse(&Source::new("plan.md", text.into()));
        let world = generate_world();
        signoff_plan::digest::Digest::of_plan(&signoff_plan::check::check(&draft, &world).plan)
    };
    assert_eq!(digest(PLAN), digest(&twice));
}

fn generate_world() -> impl signoff_plan::Workspace {
    struct Empty;
    impl signoff_plan::Workspace for Empty {
        fn path_exists(&self, _: &str) -> bool {
            false
        }
        fn topic_exists(&self, _: &str) -> bool {
            false
        }
        fn command_exists(&self, _: &str) -> bool {
            true
        }
        fn agent_exists(&self, _: &str) -> bool {
            true
        }
        fn agents(&self) -> Vec<String> {
            Vec::new()
        }
    }
    Empty
}

#[test]
fn what_cannot_be_done_safely_is_refused() {
    refused(
        PLAN,
        &set_plan("colour", json!("red")),
        "a plan has no field `colour`",
    );
    refused(
        PLAN,
        &set_step("nope", "task", json!("x")),
        "no step `nope`",
    );
    refused(
        PLAN,
        &set_step("build", "timeout", json!("soon")),
        "`timeout` cannot be \"soon\"",
    );
    refused(
        PLAN,
        &set_plan("status", json!("finished")),
        "`finished` is not a status",
    );
    refused(PLAN, &set_plan("title", json!("a\nb")), "one line");
    refused(PLAN, &set_plan("title", json!("x ##")), "something else");
    refused(
        PLAN,
        &set_step("build", "tool", json!("x")),
        "one kind of work",
    );
    refused(
        PLAN,
        &set_step("build", "id", json!("a b")),
        "`a b` is not an id",
    );
    refused(
        PLAN,
        &set_plan("constraints", Value::Null),
        "a comment stands inside",
    );
    refused(
        PLAN,
        &set_step("build", "produces", json!(["a\nb"])),
        "cannot be written",
    );
    refused("# T\n", &set_plan("title", json!("x")), "read well enough");
    refused(PLAN, &set_step("step-2", "output", json!("x")), "no place");
}

/// A value of another plan for a field, as an edit.
fn any_edit(plan: &Plan, other: &Plan, choice: usize) -> Option<Edit> {
    let of_plan = field::plan_names().filter(|name| !PLAN_RECORD.contains(name));
    let of_step = field::step_names().filter(|name| !STEP_RECORD.contains(name));
    let at = Some(choice % plan.steps.len());
    let names = of_plan.map(|name| (None, name));
    let names: Vec<_> = names.chain(of_step.map(|name| (at, name))).collect();
    let (step, name) = names[choice % names.len()];
    match step {
        None => {
            let value = field::plan_value(other, name)?;
            Some(set_plan(name, value))
        }
        Some(at) => {
            let value = field::step_value(other, at % other.steps.len(), name)?;
            Some(set_step(&plan.steps[at].id, name, value))
        }
    }
}

/// The lines of a step, up to the next one.
fn lines_of(text: &str, span: Span) -> Span {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n');
    Span::new(start, end.map_or(text.len(), |at| span.end + at + 1))
}

/// An edit of a step leaves every byte outside its lines alone, one of the plan every step.
fn touches_only_its_place(source: &Source, edit: &Edit) -> Result<(), TestCaseError> {
    let Ok(edited) = apply_to(source, std::slice::from_ref(edit)) else {
        return Ok(());
    };
    let (before, after) = (source.text(), edited.text());
    let draft = parse(source);
    let plan = check(&draft, &World::default()).plan;
    let steps = || plan.steps.iter().zip(&draft.steps);
    match edit {
        Edit::SetStep { step, .. } => {
            let (_, written) = steps()
                .find(|(found, _)| found.id == *step)
                .expect("the step");
            let lines = lines_of(before, written.span);
            let kept =
                after.starts_with(&before[..lines.start]) && after.ends_with(&before[lines.end..]);
            prop_assert!(kept, "{edit:?}\n{before}\n---\n{after}");
        }
        Edit::SetPlan { .. } | Edit::Reject { .. } => {
            for (_, written) in steps() {
                let text = written.span.slice(before);
                prop_assert!(after.contains(text), "{edit:?}\n{before}\n---\n{after}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Each case reads many small plans.
        cases: ProptestConfig::default().cases / 4,
        ..ProptestConfig::default()
    })]

    /// What was not refused has been verified; here it is that ordinary edits are not refused.
    #[test]
    fn ordinary_fields_can_be_set(
        plan in plan_with(Knobs { hard_texts: false, records: false, ..Knobs::default() }),
        other in plan_with(Knobs { hard_texts: false, records: false, ..Knobs::default() }),
        choice in 0..60_usize,
    ) {
        let text = &write(&plan, Dialect::Workunit).files[0].1;
        let Some(edit) = any_edit(&plan, &other, choice) else { return Ok(()) };
        if let Err(error) = edited(text, &edit) {
            let allowed = [
                // A step has one kind of work, and a contract's fields need a contract.
                "one kind of work", "without a contract", "no contract", "no `tool`", "nothing to `ask`",
                // Ids and dependencies of another plan mean nothing here.
                "which is not a step", "`depends_on`", "two steps", "`id`",
                "`status` to something else", "without a block", "`title` to something else",
            ];
            let known = allowed.iter().any(|why| error.to_string().contains(why));
            prop_assert!(known, "{error}\n{edit:?}\n{text}");
        }
    }

    #[test]
    fn any_edit_changes_one_field(plan in plan_with(Knobs::default()), other in plan_with(Knobs::default()), choice in 0..60_usize) {
        let text = &write(&plan, Dialect::Workunit).files[0].1;
        let Some(edit) = any_edit(&plan, &other, choice) else { return Ok(()) };
        // Under a new id it is another step.
        let renamed = matches!(&edit, Edit::SetStep { field, .. } if field == "id");
        if let Ok(once) = edited(text, &edit) && !renamed {
            // A second time there is nothing left to change.
            let twice = edited(&once, &edit);
            prop_assert_eq!(twice.as_deref(), Ok(once.as_str()), "{:?}\n{}", edit, text);
        }
    }

    #[test]
    fn any_edit_touches_only_its_place(
        plan in plan_with(Knobs::default()),
        other in plan_with(Knobs::default()),
        choice in 0..500_usize,
        dialect in prop::sample::select(Dialect::ALL),
    ) {
        let source = written_source(&write(&plan, dialect));
        let read = check(&parse(&source), &World::default()).plan;
        let Some(edit) = any_edit(&read, &other, choice) else { return Ok(()) };
        // Those who wait for a step know it by its id.
        let renamed = matches!(&edit, Edit::SetStep { field, .. } if field == "id");
        if !renamed {
            touches_only_its_place(&source, &edit)?;
        }
    }
}
