use super::*;

const PLAN: &str = "---\ntype: plan\nstatus: draft  # who knows\nowner: me\n---\n# T\n\n## Steps\n\n\
    ### 1. Build\n**id:** build\n**task:** x\n\n### 2. Test\n**contract:** `make`\n";

#[track_caller]
fn apply(text: &str, status: Option<&str>, steps: &[(&str, StepMark)]) -> String {
    let marks = Marks {
        status: status.map(str::to_owned),
        steps: steps
            .iter()
            .map(|(id, mark)| ((*id).to_owned(), *mark))
            .collect(),
    };
    let source = Source::new("plan.md", text.into());
    let bytes = apply_marks(&source, &marks).expect("the marks fit");
    let again = apply_marks(&Source::new("plan.md", bytes.clone()), &marks);
    assert_eq!(
        again.as_deref(),
        Ok(bytes.as_slice()),
        "a second time changes nothing"
    );
    String::from_utf8(bytes).expect("still text")
}

#[track_caller]
fn refused(text: &str, status: Option<&str>, steps: &[(&str, StepMark)], why: &str) {
    let marks = Marks {
        status: status.map(str::to_owned),
        steps: steps
            .iter()
            .map(|(id, mark)| ((*id).to_owned(), *mark))
            .collect(),
    };
    let error = apply_marks(&Source::new("plan.md", text.into()), &marks).expect_err("refused");
    assert!(error.to_string().contains(why), "{error}");
}

/// Asserts that marks replace one stretch of text by another, and that taking the step marks away
/// again gives back every byte.
#[track_caller]
fn check(text: &str, steps: &[(&str, StepMark)], from: &str, to: &str) {
    let marked = apply(text, None, steps);
    assert_eq!(marked, text.replacen(from, to, 1));
    let none: Vec<_> = steps.iter().map(|(id, _)| (*id, StepMark::None)).collect();
    assert_eq!(apply(&marked, None, &none), text);
}

#[test]
fn the_status_is_replaced_or_inserted() {
    assert_eq!(
        apply(PLAN, Some("done"), &[]),
        PLAN.replace("status: draft ", "status: done ")
    );
    assert_eq!(apply(PLAN, Some("draft"), &[]), PLAN);
    let quoted = PLAN.replace("draft", "\"draft\"");
    assert_eq!(
        apply(&quoted, Some("failed"), &[]),
        PLAN.replace("draft", "failed")
    );
    let empty = PLAN.replace("status: draft ", "status:");
    assert_eq!(
        apply(&empty, Some("done"), &[]),
        PLAN.replace("status: draft ", "status: done")
    );
    let without = PLAN.replace("status: draft  # who knows\n", "");
    assert_eq!(
        apply(&without, Some("done"), &[]),
        without.replace("me\n---", "me\nstatus: done\n---")
    );
}

#[test]
fn done_is_a_tick() {
    check(
        PLAN,
        &[("build", StepMark::Done)],
        "1. Build",
        "1. ✅ Build",
    );
    check(PLAN, &[("step-2", StepMark::Done)], "2. Test", "2. ✅ Test");
    check(
        &PLAN.replace('\n', "\r\n"),
        &[("build", StepMark::Done)],
        "1. Build",
        "1. ✅ Build",
    );
    check(
        &format!("\u{feff}{PLAN}"),
        &[("build", StepMark::Done)],
        "1. Build",
        "1. ✅ Build",
    );
}

#[test]
fn failed_and_skipped_are_lines() {
    check(
        PLAN,
        &[("build", StepMark::Failed)],
        "x\n",
        "x\n**status:** failed\n",
    );
    check(
        PLAN,
        &[("step-2", StepMark::Skipped)],
        "`make`\n",
        "`make`\n**status:** skipped\n",
    );
    check(
        PLAN.trim_end(),
        &[("step-2", StepMark::Failed)],
        "`make`",
        "`make`\n**status:** failed",
    );
    let crlf = PLAN.replace('\n', "\r\n");
    check(
        &crlf,
        &[("build", StepMark::Failed)],
        "x\r\n",
        "x\r\n**status:** failed\r\n",
    );
    let fenced = PLAN.replace("`make`", "\n```sh\nmake\n```");
    check(
        &fenced,
        &[("step-2", StepMark::Failed)],
        "make\n```",
        "make\n```\n**status:** failed",
    );
}

#[test]
fn earlier_marks_are_replaced() {
    let failed = PLAN.replace("x\n", "x\n**status:** failed\n");
    assert_eq!(
        apply(&failed, None, &[("build", StepMark::Done)]),
        PLAN.replace("1. ", "1. ✅ ")
    );
    assert_eq!(
        apply(&failed, None, &[("build", StepMark::Skipped)]),
        PLAN.replace("x\n", "x\n**status:** skipped\n")
    );
    let ticked = PLAN.replace("1. Build", "1. Build ✅");
    assert_eq!(apply(&ticked, None, &[("build", StepMark::Failed)]), failed);
    let bold = PLAN.replace("x\n", "x\n**status: done**\n");
    assert_eq!(apply(&bold, None, &[("build", StepMark::Done)]), bold);
    assert_eq!(apply(&bold, None, &[("build", StepMark::None)]), PLAN);
    let both = failed.replace("1. ", "1. ✅ ");
    assert_eq!(apply(&both, None, &[("build", StepMark::Failed)]), failed);
}

#[test]
fn comments_behind_a_mark_stay() {
    let commented = PLAN.replace("**task", "**status:** failed <!-- by ada -->\n**task");
    assert_eq!(
        apply(&commented, None, &[("build", StepMark::Done)]),
        PLAN.replace("1. ", "1. ✅ ")
            .replace("**task", "<!-- by ada -->\n**task")
    );
    // Here the comment would become part of the task.
    let last = PLAN.replace("x\n", "x\n**status:** failed <!-- by ada -->\n");
    refused(
        &last,
        None,
        &[("build", StepMark::Done)],
        "would have changed the digest",
    );
}

#[test]
fn marks_stand_before_a_rule() {
    let ruled = PLAN.replace("x\n", "x\n\n---\n");
    check(
        &ruled,
        &[("build", StepMark::Failed)],
        "x\n",
        "x\n**status:** failed\n",
    );
}

#[test]
fn what_is_uncertain_is_refused() {
    refused(
        PLAN,
        Some("finished"),
        &[],
        "`finished` is not a status of a plan",
    );
    refused(
        PLAN,
        None,
        &[("deploy", StepMark::Done)],
        "no step `deploy`",
    );
    refused(
        "# T\n",
        Some("done"),
        &[],
        "does not begin with frontmatter",
    );
    refused(
        &PLAN.replace("owner", "status"),
        Some("done"),
        &[],
        "given twice",
    );
    refused(
        &PLAN.replace("x\n", "\n```\n"),
        Some("done"),
        &[],
        "never closed",
    );
    let flow = PLAN.replace(
        "type: plan\nstatus: draft  # who knows\nowner: me",
        "{type: plan}",
    );
    refused(&flow, Some("done"), &[], "would have changed");
    let odd = PLAN.replace("x\n", "x\n**status:** nearly\nthere\n");
    refused(
        &odd,
        None,
        &[("build", StepMark::Done)],
        "not a status of a step",
    );
}
