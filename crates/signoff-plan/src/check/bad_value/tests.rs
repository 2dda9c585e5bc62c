use super::super::testing::{self, plan};
use super::*;

#[test]
fn a_heading_that_is_nearly_a_step_is_one() {
    let step = |heading: &str, id: &str| {
        format!("{heading}\n**id:** {id}\n**task:** x\n**contract:** `ls`\n\n")
    };
    for heading in ["#### 2. Read", "## 2. Read", "# 2. Read"] {
        let text = plan(&(step("### 1. A", "a") + &step(heading, "b") + &step("### 3. C", "c")));
        let checked = super::super::testing::checked(&text);
        assert_eq!(checked.diagnostics, [], "{heading}");
        assert_eq!(checked.plan.steps.len(), 3, "{heading}");
    }
    // Without a section of their own, too.
    let text = plan(&(step("## 1. A", "a") + &step("## 2. B", "b"))).replace("## Steps\n", "");
    assert_eq!(super::super::testing::checked(&text).plan.steps.len(), 2);
    for heading in ["###2. Read", "##2. Read"] {
        let text = plan(&(step("### 1. A", "a") + &step(heading, "b") + &step("### 3. C", "c")));
        let checked = super::super::testing::checked(&text);
        let message =
            format!("`{heading}` is not a heading of a step, though fields of one follow");
        let said: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|one| one.message.as_str())
            .collect();
        assert_eq!(said, [message.as_str()]);
        let found = &checked.diagnostics[0];
        assert_eq!(found.span.slice(&text), heading);
        assert_eq!(found.help.as_deref(), Some("write `### 2. Read`"));
        assert_eq!(checked.plan.steps.len(), 3);
    }
    // In a task, headings may be numbered too.
    let text = plan(
        &(step("### 1. A", "a") + "**accept:**\n- y\n").replace("x\n", "x\n\n#### 2. Then\nmore\n"),
    );
    check(Code::BadValue, &text, &[]);
}

#[track_caller]
fn check(code: Code, text: &str, expected: &[&str]) {
    testing::check(code, text, expected);
}

#[track_caller]
fn step(fields: &str, expected: &[&str]) {
    check(
        Code::BadValue,
        &plan(&format!("### 1. A\n{fields}\n")),
        expected,
    );
}

#[test]
fn what_limits_nothing_or_says_nothing_is_noticed() {
    step(
        "**task:** x\n**timeout:** 99999999999h",
        &[
            "99999999999h | `timeout` is longer than a year: `99999999999h` | leave it out for the configured limit",
        ],
    );
    step(
        "**task:** x\n**accept:**\n**on_fail:** abort",
        &["accept | field `accept` has no value | give it a value, or leave the label out"],
    );
    step(
        "**ask:** q?\n**choices:** a, b, a",
        &["a | choice `a` is given twice | -"],
    );
}

#[test]
fn words_numbers_and_durations_are_checked() {
    step(
        "**critical:** maybe",
        &["maybe | `critical` must be one of `yes`, `no`, `true`, `false`, not `maybe` | -"],
    );
    step(
        "**max_items:** 0",
        &["0 | `max_items` must be a whole number from 1 on, not `0` | -"],
    );
    step(
        "**timeout:** 10",
        &[
            "10 | `timeout` must be a duration, not `10` | write numbers with units, the largest first: \
         `90s`, `10m`, `20 minutes`, `1h 30m`",
        ],
    );
    step(
        "**isolation:** shard",
        &[
            "shard | `isolation` must be one of `auto`, `worktree`, `shared`, not `shard` | did you mean `shared`?",
        ],
    );
}

#[test]
fn subscriptions_have_a_kind() {
    step(
        "**subscriptions:** file:README.md, topic:known, file:README.md#L1-L2",
        &[],
    );
    for bad in ["src/app.py", "file:", "topic:", "file:a#L0", "topic:a/b"] {
        step(
            &format!("**subscriptions:**\n- {bad}"),
            &[&format!(
                "{bad} | subscription `{bad}` is neither a file nor a topic | \
             write `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`"
            )],
        );
    }
}

#[test]
fn a_step_has_one_kind_of_work() {
    step(
        "**tool:** read\n**ask:** why?",
        &[
            "why? | a step has one kind of work, but both `tool` and `ask` are given | make two steps of it",
        ],
    );
    step(
        "**args:** {}",
        &["{} | `args` are given, but no `tool` | -"],
    );
    step(
        "**tool:** x\n**args:** {",
        &["{ | `args` must be JSON: EOF while parsing an object at line 1 column 1 | -"],
    );
}

#[test]
fn labels_are_given_once_and_with_a_value() {
    step(
        "**id:** a\n**id:** b",
        &[
            "id | field `id` is given twice | keep one; text that is not a field can go into a fenced block",
        ],
    );
    step(
        "**target:**",
        &["target | field `target` has no value | give it a value, or leave the label out"],
    );
}

#[test]
fn numbers_are_positions() {
    check(
        Code::BadValue,
        &plan("### 1. A\n### 3. B\n"),
        &["3 | step `step-2` is numbered 3 but is number 2 | write `2.`"],
    );
    check(
        Code::BadValue,
        &plan("### 1. A\n### 2–N. B\n### 9. C\n"),
        &[],
    );
    check(
        Code::BadValue,
        &plan("### Build\n"),
        &[
            "### Build | heading `Build` has no step number | write `### 1. Build`, or `####` for a heading inside a step",
        ],
    );
}

const FENCE: &str =
    "if it is part of a task, put it into a fenced block or write `####`; otherwise move it";

#[test]
fn a_heading_does_not_swallow_what_belongs_to_steps() {
    let usage = "### 1. A\n**task:** x\n\n## Usage\n\ny\n\n**contract:** `make`\n";
    check(
        Code::BadValue,
        &plan(usage),
        &[&format!(
            "Usage | heading `Usage` ends `## Steps`, but a field of a step follows it | {FENCE}"
        )],
    );
    let phases =
        plan("### 1. A\n**task:** x\n## Phase 2\n### 2. B\n**task:** y\n### 3. C\n**task:** z\n");
    check(
        Code::BadValue,
        &phases,
        &[&format!(
            "Phase 2 | heading `Phase 2` ends `## Steps`, but a step follows it | {FENCE}"
        )],
    );
    assert_eq!(testing::checked(&phases).plan.steps.len(), 3);
    for section in ["Risks", "Summary", "Artifacts"] {
        let text = plan(&format!(
            "### 1. A\n**task:** x\n## {section}\n- y\n### 2. B\n**task:** z\n"
        ));
        assert_eq!(testing::checked(&text).plan.steps.len(), 2, "{section}");
        assert!(testing::checked(&text).errors() > 0, "{section}");
    }
    check(
        Code::BadValue,
        &plan(
            "### 1. A\n**task:** x\n## Notes\n**Tools:** many\n### Aside\n## Rejection (v1)\n### 2. B\n**contract:** z\n",
        ),
        &[],
    );
}

#[test]
fn what_stands_before_the_steps_is_no_step() {
    const HELP: &str = "put it under a heading such as `### 1. Title`; \
                        text that is not a field can go into a fenced block";
    let before =
        plan("### 1. A\n**task:** x\n").replace("## Steps", "## Why\n### 1. Cost\n\n## Steps");
    check(
        Code::BadValue,
        &before,
        &["1. Cost | heading `1. Cost` is not under `## Steps` | \
           move it there if it is a step; otherwise take the number away"],
    );
    for text in [
        plan("**target:** coder\n### 1. A\n**task:** x\n"),
        plan("### 1. A\n**task:** x\n").replace("## Steps", "**target:** y\n## Steps"),
    ] {
        check(
            Code::BadValue,
            &text,
            &[&format!(
                "target | field `target` is not under a step | {HELP}"
            )],
        );
    }
}

#[test]
fn lists_have_no_brackets_and_none_stands_alone() {
    step(
        "**task:** x\n**produces:** [a",
        &["[a | `produces` is a list of names without brackets | write `a`"],
    );
    step(
        "**task:** x\n**produces:** [a, \"b\"]",
        &["[a, \"b\"] | `produces` is a list of names without brackets | write `a, b`"],
    );
    step("**task:** x\n**produces:** [ab]/c", &[]);
    step(
        "**task:** x\n**produces:** src/{a, c",
        &["src/{a, c | `{` in glob `src/{a, c` has no partner | -"],
    );
    step(
        "**task:** x\n**id:** a\n**depends_on:** none, a\n**tools:** x, none",
        &[
            "none | `none` in `depends_on` stands alone or not at all | take it away, or the other names",
            "none | `none` in `tools` stands alone or not at all | take it away, or the other names",
        ],
    );
}

#[test]
fn lines_go_forward() {
    step(
        "**task:** x\n**subscriptions:** file:README.md#L9-L3",
        &[
            "file:README.md#L9-L3 | lines `L9-L3` end before they begin | \
             did you mean `file:README.md#L3-L9`?",
        ],
    );
}

#[test]
fn words_may_be_capitalised() {
    step(
        "**task:** x\n**contract:** `make`\n**baseline:** No\n**holds:** Once\n**approval:** Required\n**critical:** FALSE",
        &[],
    );
}

#[test]
fn a_mistyped_priority_is_noticed() {
    let text =
        |word: &str| plan("").replace("**Budget", &format!("**Priority:** {word}\n**Budget"));
    check(
        Code::BadValue,
        &text("hihg"),
        &["hihg | priority `hihg` is not a usual word | did you mean `high`?"],
    );
    check(Code::BadValue, &text("High"), &[]);
    check(Code::BadValue, &text("P1"), &[]);
}
