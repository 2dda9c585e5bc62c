use super::*;
use crate::draft::{DraftStep, Spanned};

fn draft(text: &str) -> Draft {
    crate::dialect::parse(&Source::new("plan.md", text.into()))
}

fn plan(body: &str) -> String {
    format!("---\ntype: plan\nstatus: draft\nowner: me\n---\n{body}")
}

/// The draft of one step with these fields, which must be read without a problem.
#[track_caller]
fn step(fields: &str) -> DraftStep {
    let draft = draft(&plan(&format!("# T\n## Steps\n### 1. A\n{fields}\n")));
    assert_eq!(draft.problems, []);
    draft.steps.into_iter().next().expect("a step")
}

fn one(value: Option<&Spanned<String>>) -> &str {
    value.map_or("-", |text| &text.value)
}

fn many(values: &[Spanned<String>]) -> Vec<&str> {
    values.iter().map(|text| text.value.as_str()).collect()
}

#[test]
fn frontmatter_is_read() {
    let text = "---\r\ntype: plan\r\nid: p-1 # why\r\nversion: 3\r\nparams: {a: [1]}\r\nstatus: draft\r\nowner: 'me'\r\n--- \r\n# T\r\n";
    for text in [text.to_owned(), format!("\u{feff}{text}")] {
        let draft = draft(&text);
        assert_eq!(draft.problems, []);
        assert_eq!(one(draft.id.as_ref()), "p-1");
        assert_eq!(one(draft.version.as_ref()), "3");
        assert_eq!(one(draft.owner.as_ref()), "me");
        assert_eq!(
            draft
                .owner
                .map(|owner| owner.span.slice(&text).to_owned())
                .as_deref(),
            Some("'me'")
        );
        assert_eq!(draft.params[0].1, serde_json::json!([1]));
        assert_eq!(one(draft.title.as_ref()), "T");
    }
}

#[test]
fn plan_fields_and_prose_are_told_apart() {
    let draft = draft(&plan(
        "# T\nSome prose.\n\n**Context:** One.\nTwo.\n\n- three\n**Budget:** $1\n**Priority:** high\n\nMore prose.\n\n\
         **Tools:** bash, read\n**Constraints:**\n- no new,\n  dependencies\n- fast\n\n## Background\nWhy.\n\n\
         ## Steps\n\nIn order.\n\n### 1. A\n**task:** x\n\n## Risks\n- it breaks\n\n## Rejection (v1)\nNo!\n",
    ));
    assert_eq!(draft.problems, []);
    let context =
        "Some prose.\n\nOne.\nTwo.\n\n- three\n\nMore prose.\n\n## Background\nWhy.\n\nIn order.";
    assert_eq!(one(draft.context.as_ref()), context);
    assert_eq!(one(draft.budget.as_ref()), "$1");
    assert_eq!(one(draft.priority.as_ref()), "high");
    assert_eq!(
        many(draft.tools.as_deref().unwrap_or_default()),
        ["bash", "read"]
    );
    assert_eq!(many(&draft.constraints), ["no new, dependencies", "fast"]);
    assert_eq!(many(&draft.risks), ["it breaks"]);
    assert_eq!(draft.steps.len(), 1);
}

#[test]
fn steps_have_their_own_boundaries() {
    let draft = draft(&plan(
        "# T\n## Steps\n### 1. A\n**task:** a\n### 2–N. B\n**task:** b\n### N+1. C\n**task:** c\n",
    ));
    assert_eq!(draft.problems, []);
    let tasks: Vec<_> = draft
        .steps
        .iter()
        .map(|step| one(step.task.as_ref()))
        .collect();
    assert_eq!(tasks, ["a", "b", "c"]);
    let tokens: Vec<_> = draft
        .steps
        .iter()
        .map(|step| one(step.unexpanded.as_ref()))
        .collect();
    assert_eq!(tokens, ["-", "2–N", "N+1"]);
}

#[test]
fn without_a_steps_heading_numbers_decide() {
    let draft = draft(&plan("# T\n### Notes\nx\n### 1. A\n**task:** a\n"));
    assert_eq!(draft.steps.len(), 1);
    assert_eq!(one(draft.context.as_ref()), "### Notes\nx");
}

#[test]
fn free_text_reaches_to_the_next_label() {
    let step = step(
        "**target:** coder\n**task:**\n\nDo this:\n\n    indented\n- a\n- b\n\n```md\n**contract:** no\n### 2. no\n```\n<!-- **id:** no -->\nend\n\n**on_fail:** abort",
    );
    let task = "Do this:\n\n    indented\n- a\n- b\n\n```md\n**contract:** no\n### 2. no\n```\n<!-- **id:** no -->\nend";
    assert_eq!(one(step.task.as_ref()), task);
    assert_eq!(one(step.on_fail.as_ref()), "abort");
    assert_eq!(step.contract, None);
}

#[test]
fn values_stand_on_the_line_below_it_or_in_lists() {
    let step = step(
        "**id:** `a`\n**target:**\n\ncoder\n**on_fail:** retry(2),\nthen abort\n**task:** x\n\
         **produces:** `src/{a,b}.rs`, docs/ <!-- one, two -->\n**protects:**\n* x <!-- why -->\n* `y`\n\n**locks:**\n1. db\n2. net\n\
         **accept:** fast, and good\n**subtasks:**\n- [ ] one\n- [x] two\n**depends_on:** none\n**tools:** none\n",
    );
    assert_eq!(one(step.id.as_ref()), "a");
    assert_eq!(one(step.target.as_ref()), "coder");
    assert_eq!(one(step.on_fail.as_ref()), "retry(2), then abort");
    assert_eq!(many(&step.produces), ["src/{a,b}.rs", "docs/"]);
    assert_eq!(many(&step.protects), ["x", "y"]);
    assert_eq!(many(&step.locks), ["db", "net"]);
    assert_eq!(many(&step.acceptance), ["fast, and good"]);
    assert_eq!(many(&step.subtasks), ["one", "two"]);
    assert_eq!(step.depends_on, Some(vec![]));
    assert_eq!(step.tools, Some(vec![]));
}

#[test]
fn every_other_field_is_read() {
    let step = step(
        "**tool:** write_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n**when:** params.x\n**for_each:** params.y\n\
         **max_items:** 3\n**approval:** required\n**timeout:** 10m\n**budget:** $1\n**isolation:** shared\n**critical:** no",
    );
    assert_eq!(
        step.args.clone().map(|args| args.value),
        Some(serde_json::json!({"path": "a"}))
    );
    assert_eq!(one(step.tool.as_ref()), "write_file");
    let texts = [
        &step.when,
        &step.for_each,
        &step.max_items,
        &step.approval,
        &step.timeout,
    ];
    let texts: Vec<_> = texts.into_iter().map(|text| one(text.as_ref())).collect();
    assert_eq!(texts, ["params.x", "params.y", "3", "required", "10m"]);
    let texts = [&step.budget, &step.isolation, &step.critical];
    let texts: Vec<_> = texts.into_iter().map(|text| one(text.as_ref())).collect();
    assert_eq!(texts, ["$1", "shared", "no"]);
}

#[test]
fn questions_have_choices() {
    let step = step("**ask:** Which\none?\n**choices:** red, `green, blue`");
    assert_eq!(one(step.ask.as_ref()), "Which\none?");
    assert_eq!(many(&step.choices), ["red", "green, blue"]);
}

#[test]
fn contracts_are_exact() {
    let contract = step("**task:** x\n**contract:**\n```sh\nmake  \n\n\tx\n```\nexit_code == 0\n- `stdout contains \"a\"`\n**contract_timeout:** 5m\n**baseline:** no\n**fewer_tests:** allowed\n**holds:** once").contract;
    let contract = contract.expect("a contract");
    assert_eq!(contract.command.text, "make  \n\n\tx");
    assert_eq!(one(contract.shell.as_ref()), "sh");
    assert_eq!(
        many(&contract.expect),
        ["exit_code == 0", "stdout contains \"a\""]
    );
    assert_eq!(one(contract.timeout.as_ref()), "5m");
    assert_eq!(one(contract.baseline.as_ref()), "no");
    assert_eq!(one(contract.fewer_tests.as_ref()), "allowed");
    assert_eq!(one(contract.holds.as_ref()), "once");
}

#[test]
fn contracts_may_be_indented_quoted_or_inline() {
    for (text, command, shell) in [
        (
            "- ```shell\n  make\n    x\n  ```\n- exit_code == 1",
            "make\n  x",
            "-",
        ),
        ("```\nmake\n```", "make", "-"),
        ("~~~bash\nmake\n~~~", "make", "-"),
        ("`make x`", "make x", "-"),
        ("````sh\n```\n````", "```", "sh"),
    ] {
        let contract = step(&format!(
            "**contract:** {}",
            if text.starts_with("`m") {
                text.to_owned()
            } else {
                format!("\n{text}")
            }
        ))
        .contract
        .clone();
        let contract = contract.expect("a contract");
        assert_eq!(contract.command.text, command);
        assert_eq!(one(contract.shell.as_ref()), shell);
    }
}

#[test]
fn carriage_returns_never_reach_the_shell() {
    let text = plan("# T\n## Steps\n### 1. A\n**task:** a\nb\n**contract:**\n```sh\na\n\nb\n```\n")
        .replace('\n', "\r\n");
    let draft = draft(&text);
    assert_eq!(draft.problems, []);
    let step = &draft.steps[0];
    assert_eq!(one(step.task.as_ref()), "a\nb");
    assert_eq!(
        step.contract
            .as_ref()
            .map(|contract| contract.command.text.as_str()),
        Some("a\n\nb")
    );
}

#[test]
fn marks_are_read_in_every_form() {
    for (heading, line) in [
        ("✅ A", ""),
        ("A", "**status: done**"),
        ("A", "**status:** done"),
        ("A ✅", ""),
    ] {
        let draft = draft(&plan(&format!(
            "# T\n## Steps\n### 1. {heading}\n**task:** x\n{line}\n"
        )));
        assert_eq!(draft.problems, []);
        let step = &draft.steps[0];
        assert_eq!(step.title.value, "A");
        assert!(
            crate::check::resolve::is_claimed(&step.marks),
            "{heading} {line}"
        );
    }
}

#[test]
fn rules_between_steps_are_no_text() {
    for field in [
        "**on_fail:** abort\n---",
        "**on_fail:** abort\n\n---",
        "**produces:**\n- x\n\n***",
        "**task:** x\n\n---",
    ] {
        let draft = draft(&plan(&format!(
            "# T\n---\n## Steps\n### 1. A\n{field}\n\n### 2. B\n**task:** y\n"
        )));
        assert_eq!(draft.problems, [], "{field}");
        assert_eq!(draft.context, None, "{field}");
        let task = draft.steps[0].task.as_ref();
        assert!(task.is_none_or(|task| task.value == "x"), "{field}");
        assert_eq!(draft.steps.len(), 2);
    }
}
