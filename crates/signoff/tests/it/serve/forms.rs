//! Forms of the page: what is wrong is told by field, and what is refused is not lost.

use signoff_testkit::Project;

use super::browser::{Response, Served};
use crate::support::{agent, makes_out, plan, project};

fn two_steps() -> Project {
    let text = plan(&[&agent("Make it.", "out"), &agent("Copy it.", "copy")]);
    let project = project(&makes_out(), &text);
    project.signoff(["trust"]).assert_success();
    project.signoff(["propose", "plan.md"]).assert_success();
    project
}

/// A form as a browser without scripts sends it.
fn send(served: &Served, path: &str, body: &str) -> Response {
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "text/html"),
    ];
    served.send(&served.request("POST", path, &headers, body))
}

#[test]
fn problems_are_told_by_field_and_nothing_is_written() {
    let project = two_steps();
    let before = project.read("plan.md");
    let served = Served::signed_in(&project);
    let csrf = served.csrf();
    for (field, value, expected) in [
        ("contract", "true", "contract"),
        ("depends_on", "step-9", "depends_on"),
        ("on_fail", "retri", "on_fail"),
        ("tools", "no_such_tool", "tools"),
    ] {
        let body = format!("csrf={csrf}&digest=&{field}={value}");
        let answer = served.form("/plans/plan.md/steps/step-2/check", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let told = answer.json();
        let problems = told["problems"].as_array().expect("problems");
        let is_there = problems.iter().any(|one| one["field"] == expected);
        assert!(is_there, "{field}: {told}");
    }
    let fine = format!("csrf={csrf}&digest=&title=Better&depends_on=1");
    let told = served
        .form("/plans/plan.md/steps/step-2/check", &fine)
        .json();
    assert_eq!(told["problems"].as_array().map(Vec::len), Some(0), "{told}");
    assert_eq!(project.read("plan.md"), before);
}

#[test]
fn a_form_that_is_refused_comes_back_with_its_text_and_the_reason() {
    let project = two_steps();
    let served = Served::signed_in(&project);
    let csrf = served.csrf();
    let shown = project.json(["show", "plan.md"]);
    let digest = shown["digest"].as_str().expect("a digest");
    let broken = format!("digest={digest}&task=My+words&contract=(");
    for (path, body, status, kept) in [
        (
            "/plans/plan.md/text",
            "opened=old&text=My+%3Cwords%3E",
            409,
            "My &lt;words&gt;",
        ),
        (
            "/plans/plan.md/steps/step-2/edit",
            broken.as_str(),
            422,
            "My words",
        ),
        (
            "/plans/plan.md/reject",
            "digest=0123456789abcdef&feedback=My+words",
            409,
            "My words",
        ),
    ] {
        let refused = send(&served, path, &format!("csrf={csrf}&{body}"));
        assert_eq!(refused.status, status, "{path}: {refused:?}");
        let page = &refused.body;
        assert!(
            page.contains("What you wrote") && page.contains(kept),
            "{path}: {page}"
        );
        assert!(
            page.contains("Send it again") && page.contains(&csrf),
            "{path}: {page}"
        );
        assert!(
            page.contains(&format!("action=\"{path}\"")),
            "{path}: {page}"
        );
    }
    // Nobody is signed in any more: the text is there to be copied, and the session's token is not.
    let gone = Served {
        cookie: String::new(),
        ..served
    };
    let refused = send(
        &gone,
        "/plans/plan.md/reject",
        &format!("csrf={csrf}&digest=d&feedback=My+words"),
    );
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(
        refused.body.contains("My words") && !refused.body.contains(&csrf),
        "{refused:?}"
    );
}
