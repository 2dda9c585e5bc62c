use std::fmt::Write as _;
use std::sync::Arc;

use super::*;
use crate::check::{Checked, check as run};
use crate::dialect;
use crate::model::{Plan, Work};

fn source(text: &str) -> Source {
    Source::new("plan.yaml", text.into())
}

fn checked(text: &str) -> Checked {
    run(
        &dialect::parse_as(&source(text), DIALECT),
        &crate::PermissiveWorkspace,
    )
}

fn plan(text: &str) -> Arc<Plan> {
    checked(text).plan
}

/// Asserts every error and unknown field: the text under the caret, the code, the message, the help.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let quiet = ["missing-contract", "budget-missing"];
    let found: Vec<String> = checked(text)
        .diagnostics
        .iter()
        .filter(|problem| !quiet.contains(&problem.code.as_str()))
        .map(|problem| {
            let caret = problem.span.slice(text);
            let help = problem.help.as_deref().unwrap_or("-");
            format!("{caret} | {} | {} | {help}", problem.code, problem.message)
        })
        .collect();
    assert_eq!(found, expected, "\n{text}");
}

/// A plan around fields of its only step.
fn step(fields: &str) -> String {
    format!("task: x\nsteps:\n- index: 0\n  description: y\n  {fields}\n")
}

#[track_caller]
fn recognised(text: &str, expected: Option<Dialect>) {
    assert_eq!(dialect::recognise(&source(text)), expected, "{text}");
}

#[test]
fn content_tells_the_dialect() {
    let record = Some(Dialect::Record);
    recognised("task: x\nsteps: []\n", record);
    recognised(
        "\u{feff}---\n# why\ntask: x\nsteps:\n  - index: 0\n",
        record,
    );
    recognised("steps:\n- index: 0\n  description: x\n", record);
    recognised("stpes:\n- index: 0\n  description: x\ntask: y\n", record);
    recognised("id: a\r\ntaks: x\r\nsteps:\r\n", record);
    recognised(r#"{"task": "x", "steps": []}"#, record);
    recognised(r#"{"steps": [{"index": 0, "description": "x"}]}"#, record);
    recognised("{task: x, steps: [{index: 0}]}", record);
    recognised("task: x\n", None);
    recognised("steps:\n  - a\n  - b\n", None);
    recognised("# A title\n\nsteps: a few\ntask: none\n", None);
    recognised("---\ntask: x\n---\nsteps:\n", None);
    recognised("", None);
}

#[test]
fn every_field_has_its_place() {
    let text = "id: p\ntitle: T\ntask: x\nstatus: draft\nversion: 2\npreviousPlanId: o\ncontext: c\n\
        tools: [read_file]\nbudget: {tokens: 200k, usd: 1.5, wall: 20m, agents: 3}\nparams: {n: 1}\n\
        createdBy: me\nmetadata: {complexity: 5, tags: [a], constraints: [b], informedByMemories: [m]}\n\
        steps:\n- index: 0\n  id: first\n  title: One\n  description: do\n  suggestedAgent: dev\n\
        \x20 instructions: how\n  acceptanceCriteria: [ok]\n  contract: make test\n  onFail: retry(1)\n\
        \x20 when: params.n > 0\n  approval: true\n  critical: false\n  produces: [a]\n  protects: [b]\n\
        \x20 tools: []\n  timeout: 5m\n  budget: $1\n  locks: [l]\n  output: done\n  affectedFiles: [f]\n\
        - index: 1\n  ask: {question: Sure?, choices: [y, n]}\n  forEach: \"[params.n]\"\n  maxItems: 5\n\
        - index: 2\n  title: Check\n  contract:\n    command: |\n      make\n      test\n    shell: sh\n\
        \x20   expect: [exit_code == 1]\n    timeout: 1m\n    baseline: false\n    fewerTests: true\n    holds: once\n";
    check(text, &[]);
    let plan = plan(text);
    assert_eq!(plan.previous.as_deref(), Some("o"));
    assert_eq!(plan.budget.tokens, Some(200_000));
    assert_eq!(plan.budget.usd_e4, Some(15_000));
    assert_eq!(plan.constraints, ["b"]);
    assert_eq!(plan.record["complexity"], 5);
    assert_eq!(plan.record["informed_by"][0], "m");
    let [first, ask, last] = plan.steps.as_slice() else {
        panic!("three steps");
    };
    assert_eq!((first.id.as_str(), first.title.as_str()), ("first", "One"));
    assert!(first.approval && !first.critical);
    assert_eq!(first.tools, Some(Vec::new()));
    assert_eq!(first.record.get("affected_files").unwrap()[0], "f");
    let work = Work::Agent {
        role: Some("dev".to_owned()),
        task: "do".to_owned(),
    };
    assert_eq!(first.work, work);
    assert_eq!(ask.work.kind(), "ask");
    assert_eq!(ask.title, "Sure?");
    assert_eq!(last.work, Work::Check);
    let contract = last.contract.as_ref().expect("a contract");
    assert_eq!(contract.command, "make\ntest\n");
    assert!(!contract.baseline && contract.fewer_tests_allowed && contract.holds_once);
    assert_eq!(
        last.on_fail,
        Dialect::Record.default_on_fail(&last.work, last.critical)
    );
}

#[test]
fn a_typo_gets_a_caret_and_a_suggestion() {
    check(
        "task: x\nstauts: draft\nsteps: []\nmetadata: {tag: [a]}\n",
        &[
            "task | no-steps | the plan has no steps | add an object to `steps`",
            "stauts | unknown-field | `stauts` is not a field of a plan | did you mean `status`?",
            "tag | unknown-field | `tag` is not a field of `metadata` | did you mean `tags`?",
        ],
    );
    for (written, meant) in [
        ("depends_on: []", "dependsOn"),
        ("suggestedAgnet: a", "suggestedAgent"),
        ("agent: a", "suggestedAgent"),
        ("onfail: abort", "onFail"),
        ("condition: x", "when"),
    ] {
        let key = written.split(':').next().expect("a key");
        let line = format!(
            "{key} | unknown-field | `{key}` is not a field of a step | did you mean `{meant}`?"
        );
        check(&step(written), &[&line]);
    }
    check(
        &step("contract: {comand: make, timout: 1m}"),
        &[
            "comand | unknown-field | `comand` is not a field of a contract | did you mean `command`?",
            "timout | unknown-field | `timout` is not a field of a contract | did you mean `timeout`?",
        ],
    );
    check(
        &step("status: done"),
        &[
            "done | unknown-status | `done` is not a status of a step | write one of `pending`, `in_progress`, `complete`, `failed`, `skipped`",
            "done | mark-ignored | step `step-1` is marked done in the file, which decides nothing: it is carried out unless an earlier run here has done it | take it out of the plan if nothing is to be done",
        ],
    );
}

#[test]
fn a_fix_keeps_the_quotes() {
    let text = r#"{"task": "x", "steps": [{"index": 0, "descriptoin": "y", "contract": "true", "status": "complte"}]}"#;
    let problems = checked(text).diagnostics;
    let fixes = problems.iter().filter_map(|problem| problem.fix.as_ref());
    let fixed: Vec<_> = fixes
        .map(|fix| {
            format!(
                "{}{}{}",
                &text[fix.span.start - 1..fix.span.start],
                fix.text,
                &text[fix.span.end..=fix.span.end]
            )
        })
        .collect();
    assert_eq!(fixed, ["\"description\"", "\"complete\""]);
}

#[test]
fn values_are_of_their_kind() {
    check(
        "task: [x]\nid: p\nsteps:\n- index: zero\n  description: {a: 1}\n  dependsOn: 0\n  produces: src\n- 5\n",
        &[
            "[x] | bad-value | `task` must be text, not a list | -",
            "zero | bad-value | `index` must be a whole number from 0 on, not `zero` | -",
            "{a: 1} | bad-value | `description` must be text, not a mapping | -",
            "0 | bad-value | `dependsOn` must be a list, not `0` | -",
            "src | bad-value | `produces` must be a list, not `src` | -",
            "5 | bad-value | `steps[…]` must be keys and values, not `5` | -",
        ],
    );
    check(
        r#"{"task": 5, "steps": [{"index": "0", "description": true, "dependsOn": null, "error": null}]}"#,
        &[
            "5 | bad-value | `task` must be text, not `5` | -",
            "true | bad-value | `description` must be text, not `true` | -",
        ],
    );
    check(
        &step("budget: {tokens: lots, usd: -1}"),
        &[
            "lots | budget-invalid | limit `tokens` of the budget cannot be read: `lots tokens` is not a limit of \
             tokens (`200k tokens`), money (`$1.50`), time (`20 minutes`) or agents (`3 agents`) | \
             write `tokens` and `agents` as whole numbers, `usd` as a number, `wall` as `20m`",
            "-1 | budget-invalid | limit `usd` of the budget cannot be read: `$-1` is not a limit of tokens \
             (`200k tokens`), money (`$1.50`), time (`20 minutes`) or agents (`3 agents`) | \
             write `tokens` and `agents` as whole numbers, `usd` as a number, `wall` as `20m`",
        ],
    );
    check(
        &step("suggestedAgent: dev\n  ask: Sure?"),
        &[
            "dev | bad-value | a step has one kind of work: it cannot `ask` a person and suggest agent `dev` | make two steps of it",
        ],
    );
}

/// What each step waits for, by id.
fn dependencies(text: &str) -> Vec<String> {
    let plan = plan(text);
    let ids = |at| plan.dependency_ids(at).collect::<Vec<_>>().join(" ");
    (0..plan.steps.len()).map(ids).collect()
}

#[test]
fn dependencies_name_indexes_not_positions() {
    let text = "task: x\nsteps:\n- {index: 10, description: a}\n- {index: 30, description: b, dependsOn: []}\n\
        - {index: 20, description: c}\n- {index: 40, description: d, dependsOn: [30, 10]}\n";
    check(text, &[]);
    let titles: Vec<_> = plan(text)
        .steps
        .iter()
        .map(|step| step.title.clone())
        .collect();
    assert_eq!(
        titles,
        ["a", "c", "b", "d"],
        "in the order of their indexes"
    );
    assert_eq!(dependencies(text), ["", "step-1", "", "step-1 step-3"]);
    check(
        &text.replace("[30, 10]", "[30, 50, step-1]"),
        &[
            "50 | unknown-dependency | step `step-4` waits for index 50, which no step has | \
             indexes begin at 0; the highest here is 40",
            "step-1 | bad-value | `dependsOn` names steps by their index, not by `step-1` | \
             write the `index` of the other step, such as `0`",
        ],
    );
    check(
        "task: x\nsteps:\n- description: a\n",
        &["description | missing-field | the step has no `index` | add `index`"],
    );
}

#[test]
fn what_cannot_be_read_is_said_in_one_pass() {
    check(
        "task: x\ntask: y\nsteps:\n- &a {index: 0, description: b}\n- *b\n- *b\n",
        &[
            "task | frontmatter-invalid | the plan cannot be read as YAML: `task` is given twice | -",
            "*b | frontmatter-invalid | the plan cannot be read as YAML: an alias stands for nothing: no value before it has its anchor (and 1 more) | -",
        ],
    );
    check(
        r#"{"task": "x" "steps": [{"index": 0, "description": "a",}]}"#,
        &[
            "\" | frontmatter-invalid | the plan cannot be read as JSON: a comma is missing before this | -",
            ", | frontmatter-invalid | the plan cannot be read as JSON: a comma must be followed by something | -",
        ],
    );
    check(
        "- task: x\n",
        &[
            "- task: x\n | frontmatter-invalid | the plan must be keys and values, not a list | write an object that has `steps`",
        ],
    );
}

#[test]
fn an_alias_bomb_is_one_problem() {
    let mut text = "task: x\nsteps: []\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (letter, before) in ('b'..='z').zip('a'..='y') {
        let list = vec![format!("*{before}"); 9].join(", ");
        writeln!(text, "{letter}: &{letter} [{list}]").expect("a string takes all");
    }
    let problems = checked(&text).diagnostics;
    let invalid = problems
        .iter()
        .filter(|problem| problem.code == crate::diagnostic::Code::FrontmatterInvalid);
    assert_eq!(invalid.count(), 1);
}

#[test]
fn the_caret_is_inside_the_contract() {
    for text in [
        step("contract: make && && x"),
        step("contract: \"make \\u0026& && x\""),
        step("contract:\n    command: |\n      make &&\n      && x"),
        r#"{"task": "x", "steps": [{"index": 0, "description": "y", "contract": "make && && x"}]}"#
            .to_owned(),
    ] {
        let problems = checked(&text).diagnostics;
        let syntax = problems
            .iter()
            .find(|p| p.code == crate::diagnostic::Code::ContractSyntax);
        let span = syntax.expect("a syntax error").span;
        assert_eq!(span.slice(&text), "&&", "{text}");
        assert!(span.start > text.find("make").expect("a command"), "{text}");
    }
}

#[test]
fn complexity_goes_from_one_to_ten() {
    let problems = |complexity: &str| {
        let text = format!("id: a\ntask: T\nmetadata: {{complexity: {complexity}}}\nsteps: []\n");
        let draft = crate::dialect::parse_as(&Source::new("p.yaml", text.into()), DIALECT);
        let problems = draft.problems.iter();
        problems.map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(problems("1"), Vec::<String>::new());
    assert_eq!(problems("10"), Vec::<String>::new());
    for wrong in ["0", "11", "-1", "high"] {
        let found = problems(wrong);
        assert_eq!(found.len(), 1, "{wrong}");
        assert!(found[0].contains("a number from 1 to 10"), "{found:?}");
    }
}
