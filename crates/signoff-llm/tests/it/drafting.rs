use signoff_llm::{DraftEnd, DraftReport, Objection, Planner, PromptName, Prompts};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::dialect::Dialect;

use crate::{Scripted, context};

const GOOD: &str = "````markdown
---
type: plan
status: draft
owner: planner
---

# Make the tests pass

**Context:** One test fails.

**Budget:** max 100k tokens

## Steps

### 1. Fix it

**target:** coder
**task:** Fix `parse` in `src/lib.rs`.

**contract:**
```shell
cargo test
```
````
";

fn draft(answers: &[&str]) -> (DraftReport, Vec<String>) {
    draft_reviewed(answers, |_| Vec::new())
}

fn draft_reviewed(
    answers: &[&str],
    review: impl FnMut(u32) -> Vec<Objection>,
) -> (DraftReport, Vec<String>) {
    draft_by(Scripted::new(answers), review)
}

fn draft_by(
    mut model: Scripted,
    mut review: impl FnMut(u32) -> Vec<Objection>,
) -> (DraftReport, Vec<String>) {
    let prompts = Prompts::default();
    let planner = Planner {
        prompts: &prompts,
        workspace: &PermissiveWorkspace,
        max_rounds: 3,
    };
    let mut reviews = 0;
    let mut review = |_: &_| {
        reviews += 1;
        review(reviews)
    };
    let context = context(Dialect::Workunit);
    let report = planner.draft(&context, &mut model, &mut review, &mut |_| ());
    (report.expect("the prompts are good"), model.asked)
}

fn codes(report: &DraftReport, round: usize) -> Vec<&'static str> {
    let objections = report.rounds[round].objections.iter();
    objections.filter_map(|one| one.code).collect()
}

#[test]
fn a_good_draft_needs_one_round() {
    let (report, asked) = draft(&[GOOD]);
    assert_eq!(report.end, DraftEnd::Clean);
    assert_eq!((report.rounds.len(), asked.len()), (1, 1));
    let plan = report.plan.unwrap();
    assert_eq!(plan.checked.plan.display_title(), "Make the tests pass");
    assert_eq!(plan.objections, []);
}

#[test]
fn the_example_in_the_prompt_is_a_good_draft() {
    let prompt = PromptName::Workunit.built_in();
    let (report, _) = draft(&[prompt]);
    assert_eq!(report.end, DraftEnd::Clean, "{:?}", report.rounds);
    assert_eq!(report.plan.unwrap().checked.plan.steps.len(), 2);
}

#[test]
fn every_problem_goes_back_until_there_is_none() {
    let bad = GOOD.replace("cargo test", "true").replace(
        "**target:**",
        "**depends_on:** nothing-here\n**on_fail:** retry 2\n**target:**",
    );
    let (report, asked) = draft(&[&bad, GOOD]);
    assert_eq!(report.end, DraftEnd::Clean);
    assert_eq!(report.usage.tokens, Some(20));
    let found = codes(&report, 0);
    assert_eq!(
        found,
        ["unknown-dependency", "bad-on-fail", "contract-vacuous"]
    );
    for code in found {
        assert!(asked[1].contains(&format!("error[{code}]")), "{}", asked[1]);
    }
    // The second question stands alone: the first one, the answer to it, and what is wrong.
    assert!(asked[1].contains("## The request") && asked[1].contains("retry 2"));
    // Lines count without the fence around the plan.
    let line = bad
        .lines()
        .position(|line| line.contains("retry 2"))
        .unwrap();
    let place = format!("- line {line}: error[bad-on-fail]");
    assert!(asked[1].contains(&place), "{}", asked[1]);
}

#[test]
fn what_nothing_judges_is_sent_back() {
    let fence = "**contract:**\n```shell\ncargo test\n```\n";
    let (report, _) = draft(&[
        &GOOD.replace(fence, ""),
        &GOOD.replace("### 1.", "### 1. ✅"),
    ]);
    assert_eq!(codes(&report, 0), ["missing-contract"]);
    let claimed = &report.rounds[1].objections[0].message;
    assert!(claimed.contains("`step-1` is marked as done"), "{claimed}");
    let replaced = GOOD.replace("status: draft", "status: draft\nprevious: other");
    let (report, _) = draft(&[&replaced, GOOD]);
    assert!(report.rounds[0].objections[0].message.contains("`other`"));
}

#[test]
fn warnings_alone_do_not_cost_a_round() {
    let (report, _) = draft(&[&GOOD.replace("**Budget:** max 100k tokens\n", "")]);
    assert_eq!(report.end, DraftEnd::Clean);
    assert_eq!(codes(&report, 0), ["budget-missing"]);
}

#[test]
fn at_the_bound_the_last_plan_is_kept_with_its_problems() {
    let vacuous = GOOD.replace("cargo test", "true");
    let (report, asked) = draft(&[&vacuous, &vacuous, "I give up."]);
    assert_eq!(report.end, DraftEnd::BoundReached);
    assert_eq!(asked.len(), 3);
    let plan = report.plan.unwrap();
    assert!(!plan.is_clean());
    assert!(plan.source.text().contains("true"));
    assert_eq!(report.last_answer.as_deref(), Some("I give up."));
}

#[test]
fn a_hostile_answer_is_told_what_is_wrong_with_it() {
    let large = "x".repeat(10 << 20);
    let cut = &GOOD[..GOOD.len() - 40];
    let twice = format!("{GOOD}\n{GOOD}");
    let cases = [
        ("", "the answer is empty"),
        (large.as_str(), "at most 1048576 are read"),
        (cut, "the plan ends before its end"),
        (&twice, "the answer holds several plans"),
        ("No.", "the answer holds no plan"),
        (
            r#"{"steps": [{"id": "a", "description": "d", "tool": "read_file", "args": {"path": "x"}}]}"#,
            "the plan is in the dialect `toolplan`",
        ),
    ];
    for (answer, expected) in cases {
        let (report, asked) = draft(&[answer, GOOD]);
        assert_eq!(report.end, DraftEnd::Clean, "{expected}");
        assert_eq!(report.rounds[0].objections.len(), 1);
        assert!(asked[1].contains(expected), "{expected}");
        assert!(asked[1].len() < 128 * 1024);
    }
}

/// Between two steps half a plan looks like a whole one, and what is said behind a plan like its last line.
#[test]
fn a_plan_without_an_end_is_sent_back_and_not_lost() {
    let bare = GOOD.replace("````markdown\n", "").replace("````\n", "");
    let (report, asked) = draft(&[&bare, GOOD]);
    assert_eq!((report.end, asked.len()), (DraftEnd::Clean, 2));
    assert!(asked[1].contains("nothing marks the end of the plan"));
    let (report, _) = draft(&[&bare, &bare, &bare]);
    assert_eq!(report.end, DraftEnd::BoundReached);
    assert_eq!(report.plan.expect("it is kept").objections.len(), 1);
}

#[test]
fn a_plan_that_a_limit_cut_off_is_sent_back() {
    let (report, asked) = draft_by(Scripted::cut_first(&[GOOD, GOOD]), |_| Vec::new());
    assert_eq!((report.end, asked.len()), (DraftEnd::Clean, 2));
    assert!(asked[1].contains("the plan ends before its end"));
}

#[test]
fn a_model_that_fails_ends_it_and_what_there_is_stays() {
    let (report, _) = draft(&[&GOOD.replace("cargo test", "true")]);
    assert!(matches!(report.end, DraftEnd::ModelFailed(_)));
    assert!(report.plan.is_some());
    assert_eq!(report.usage.tokens, Some(20));
}

#[test]
fn a_review_can_object_to_what_the_checks_accept() {
    let (report, asked) = draft_reviewed(&[GOOD, GOOD], |round| {
        let green = Objection::new("the contract of step `step-1` holds already");
        if round == 1 { vec![green] } else { Vec::new() }
    });
    assert_eq!(report.end, DraftEnd::Clean);
    assert!(asked[1].contains("error: the contract of step `step-1` holds already"));
}
