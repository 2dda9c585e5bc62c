//! `report` with the real binary.

use serde_json::json;

use crate::support::{agent, makes_out, plan, signed};

#[test]
fn a_report_has_what_the_verdicts_rest_on() {
    let project = signed(
        &makes_out(),
        &plan(&[&agent("Make it <b>bold</b>.", "out")]),
    );
    project.signoff(["run", "plan.md"]).assert_success();
    let report = project.json(["report"]);
    assert_eq!(report["schema"], "signoff.report/1");
    let step = &report["steps"][0];
    assert_eq!(step["baseline"]["verdict"], "fail");
    assert_eq!(step["attempts"][0]["contract"]["verdict"], "pass");
    assert_eq!(step["attempts"][0]["failed"], json!(null));
    assert_eq!(report["signatures"][0]["digest"], report["run"]["digest"]);
}

#[test]
fn a_report_is_one_file_that_needs_nothing_else() {
    let project = signed(
        &makes_out(),
        &plan(&[&agent("Make it <b>bold</b>.", "out")]),
    );
    project.signoff(["run", "plan.md"]).assert_success();
    project
        .signoff(["report", "-o", "report.html"])
        .assert_success();
    let page = project.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    for loaded in ["<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    // What is there is not overwritten unless asked for.
    project
        .signoff(["report", "-o", "report.html"])
        .assert_code(5);
    project
        .signoff(["report", "-o", "report.html", "--force"])
        .assert_success();
}

#[test]
fn a_report_makes_no_directory() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    project
        .signoff(["report", "-o", "missing/report.html"])
        .assert_code(6)
        .assert_stderr_contains("there is no directory missing");
    assert!(!project.exists("missing"));
}

#[test]
fn a_review_is_of_a_plan() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project
        .signoff(["review", "/etc/passwd"])
        .assert_code(2)
        .assert_stderr_contains("/etc/passwd is not a plan");
}
