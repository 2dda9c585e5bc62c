//! Marks in YAML and JSON.

use signoff_plan::edit::{Marks, StepMark, apply_marks};
use signoff_plan::source::Source;

use super::{JSON, YAML, source};

#[track_caller]
fn marked(text: &str, status: Option<&str>, steps: &[(&str, StepMark)]) -> String {
    let marks = Marks {
        status: status.map(str::to_owned),
        steps: steps
            .iter()
            .map(|(id, mark)| ((*id).to_owned(), *mark))
            .collect(),
    };
    let bytes = apply_marks(&source(text), &marks).expect("the marks fit");
    let again = apply_marks(&Source::new("plan.yaml", bytes.clone()), &marks);
    assert_eq!(
        again.as_deref(),
        Ok(bytes.as_slice()),
        "a second time changes nothing"
    );
    String::from_utf8(bytes).expect("still text")
}

#[test]
fn marks_replace_a_word_or_insert_a_key() {
    let done = [("step-3", StepMark::Done)];
    for text in [JSON, YAML] {
        let before = text.rfind("in_progress").expect("a running step");
        let mut expected = text.to_owned();
        expected.replace_range(before..before + "in_progress".len(), "complete");
        assert_eq!(marked(text, None, &done), expected);
    }
    assert_eq!(
        marked(JSON, Some("complete"), &[]),
        JSON.replacen("\"in_progress\"", "\"complete\"", 1)
    );
    let cases = [
        (
            "task: x # why\nsteps:\n- index: 0\n  description: a # b\n",
            "task: x # why\nstatus: failed\nsteps:\n- index: 0\n  description: a # b\n  status: failed\n",
        ),
        (
            "task: x\r\nsteps:\r\n- index: 0\r\n  description: a",
            "task: x\r\nstatus: failed\r\nsteps:\r\n- index: 0\r\n  description: a\r\n  status: failed",
        ),
        (
            "task: x\nsteps:\n- index: 0\n  description: |\n    a\n    b\n\n# end\n",
            "task: x\nstatus: failed\nsteps:\n- index: 0\n  status: failed\n  description: |\n    a\n    b\n\n# end\n",
        ),
        (
            "task: x\nsteps:\n  - {index: 0, description: a}\n",
            "task: x\nstatus: failed\nsteps:\n  - {index: 0, description: a, status: failed}\n",
        ),
        (
            "task: x\nsteps: [{index: 0, description: a,}]\n",
            "task: x\nstatus: failed\nsteps: [{index: 0, description: a, status: failed}]\n",
        ),
        (
            "{task: x, steps: [{\n  index: 0, # first\n  description: a # b\n}]}",
            "{task: x, steps: [{\n  index: 0, # first\n  description: a, # b\n  status: failed\n}], status: failed}",
        ),
        (
            "{\"task\":\"x\",\"steps\":[{\"index\":0,\"description\":\"a\"}]}",
            "{\"task\":\"x\",\"steps\":[{\"index\":0,\"description\":\"a\",\"status\":\"failed\"}],\"status\":\"failed\"}",
        ),
        (
            "{\n\t\"task\": \"x\",\n\t\"steps\": [\n\t\t{\n\t\t\t\"index\": 0,\n\t\t\t\"description\": \"a\"\n\t\t}\n\t]\n}\n",
            "{\n\t\"task\": \"x\",\n\t\"steps\": [\n\t\t{\n\t\t\t\"index\": 0,\n\t\t\t\"description\": \"a\",\n\t\t\t\"status\": \"failed\"\n\t\t}\n\t],\n\t\"status\": \"failed\"\n}\n",
        ),
        (
            "task: x\nstatus:\nsteps:\n- index: 0\n  description: a\n  status: 'pending'\n",
            "task: x\nstatus: failed\nsteps:\n- index: 0\n  description: a\n  status: 'failed'\n",
        ),
    ];
    for (text, expected) in cases {
        let found = marked(text, Some("failed"), &[("step-1", StepMark::Failed)]);
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn marks_are_found_by_index() {
    let text = "task: x\nsteps:\n- {index: 1, description: b}\n- {index: 0, description: a}\n";
    assert_eq!(
        marked(text, None, &[("step-1", StepMark::Done)]),
        text.replace("description: a", "description: a, status: complete")
    );
}

#[test]
fn unsafe_marks_are_refused() {
    let marks = |status: &str| Marks {
        status: Some(status.to_owned()),
        steps: vec![("step-1".to_owned(), StepMark::Done)],
    };
    let text = "task: x\nsteps:\n- index: 0\n  description: a\n";
    for (text, status, why) in [
        (text.to_owned(), "done", "`done` is not a status"),
        (
            text.replace("task: x", "task: x\ntask: y"),
            "complete",
            "given twice",
        ),
        (
            text.replace("steps", "tasks: []\nsteps: []\nx"),
            "complete",
            "no step `step-1`",
        ),
    ] {
        let refused = apply_marks(&source(&text), &marks(status)).expect_err("refused");
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn what_an_anchor_shares_is_not_marked() {
    let text = "id: p\ntaskId: t\ntask: T\nstatus: draft\nsteps:\n- &first\n  index: 0\n  description: A\n  status: &s pending\n- index: 1\n  description: &d B\n  status: *s\n- index: 2\n  description: *d\n  status: pending\n";
    let all = ["step-1", "step-2", "step-3"].map(|id| (id, StepMark::Done));
    let last = text.rfind("pending").expect("a status");
    let mut expected = text.to_owned();
    expected.replace_range(last..last + "pending".len(), "complete");
    assert_eq!(marked(text, None, &all), expected);
    let edit = signoff_plan::edit::Edit::SetStep {
        step: "step-3".to_owned(),
        field: "task".to_owned(),
        value: "C".into(),
    };
    let refused = signoff_plan::edit::apply(&source(text), &[edit]).expect_err("shared");
    assert!(refused.to_string().contains("YAML anchor"), "{refused}");
}
