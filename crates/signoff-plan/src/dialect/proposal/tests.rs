//! How a proposal is read.

use serde_json::{Value, json};

use crate::dialect::{Dialect, parse, recognise};
use crate::draft::{Draft, DraftStep, Spanned};
use crate::source::Source;

const HEAD: &str = "---\nid: PLAN-1\ntools_required: [odoo]\n---\n";

fn source(text: &str) -> Source {
    Source::new("plan.md", text.into())
}

fn read(text: &str) -> Draft {
    let draft = parse(&source(text));
    assert_eq!(draft.dialect, Dialect::Proposal, "{text}");
    draft
}

/// `caret | message | help` of every problem.
fn problems(text: &str) -> Vec<String> {
    let problem = |problem: &crate::diagnostic::Diagnostic| {
        let help = problem.help.as_deref().unwrap_or("-");
        format!(
            "{} | {} | {help}",
            problem.span.slice(text),
            problem.message
        )
    };
    read(text).problems.iter().map(problem).collect()
}

fn shown(part: Option<&Spanned<String>>) -> &str {
    part.map_or("-", |part| &part.value)
}

/// `title | task | tool, operation, target` of a step, each at its place.
fn described(text: &str, step: &DraftStep) -> String {
    let hint = &step.hint;
    for part in [&hint.tool, &hint.operation, &hint.target]
        .into_iter()
        .flatten()
    {
        assert_eq!(part.span.slice(text), part.value);
    }
    let parts = [&hint.tool, &hint.operation, &hint.target].map(|part| shown(part.as_ref()));
    let task = shown(step.task.as_ref()).replace('\n', "⏎");
    format!("{} | {task} | {}", step.title.value, parts.join(", "))
}

#[track_caller]
fn check_steps(list: &str, expected: &[&str]) {
    for text in [
        format!("{HEAD}## Steps\n{list}"),
        format!("\u{feff}{HEAD}## Steps\n{list}"),
        format!("{HEAD}## Steps\n{list}").replace('\n', "\r\n"),
    ] {
        let draft = read(&text);
        let found: Vec<_> = draft
            .steps
            .iter()
            .map(|step| described(&text, step))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn steps_are_items_of_a_numbered_list() {
    check_steps(
        "1. Read (odoo: read)\n2. Write (odoo: write → x)\n",
        &[
            "Read | Read | odoo, read, -",
            "Write | Write | odoo, write, x",
        ],
    );
    check_steps(
        "1) A\n1. B\n  7. C\n",
        &["A | A | -, -, -", "B | B | -, -, -", "C | C | -, -, -"],
    );
    check_steps("\n1. A\n\n\n2. B", &["A | A | -, -, -", "B | B | -, -, -"]);
    check_steps(
        "1.\n2.   B (x: y z)  \n",
        &[" |  | -, -, -", "B | B | x, y z, -"],
    );
    check_steps(
        "1. Send (go-easy: gmail send)\n",
        &["Send | Send | go-easy, gmail send, -"],
    );
    check_steps(
        "1. Note \\(a: b)\n",
        &["Note (a: b) | Note (a: b) | -, -, -"],
    );
    check_steps("", &[]);
}

#[test]
fn items_have_as_many_lines_as_they_like() {
    check_steps(
        "1. Read the\n   invoice (odoo: read)\n2. Write\nit all (odoo: write)\n",
        &[
            "Read the invoice | Read the⏎invoice | odoo, read, -",
            "Write it all | Write⏎it all | odoo, write, -",
        ],
    );
    check_steps(
        "1. Read (odoo: read)\n\n   Be careful:\n   - once\n     - twice\n   1. nested\n\n   ```\n   # a\n   2. b\n   ```\n2. Next\n",
        &[
            "Read | Read⏎⏎Be careful:⏎- once⏎  - twice⏎1. nested⏎⏎```⏎# a⏎2. b⏎``` | odoo, read, -",
            "Next | Next | -, -, -",
        ],
    );
    check_steps(
        "1. Read\n\n   It. (odoo: read)\n\t- tab\n",
        &["Read | Read⏎⏎It. (odoo: read)⏎\t- tab | -, -, -"],
    );
    check_steps(
        "1. Read\n\n   It (odoo: read)\n",
        &["Read | Read⏎⏎It | odoo, read, -"],
    );
    check_steps(
        "10. A\n    b\n11. C\n",
        &["A b | A⏎b | -, -, -", "C | C | -, -, -"],
    );
    check_steps(
        "1. ```sh\n   x\n   ```\n2. B\n",
        &["```sh | ```sh⏎x⏎``` | -, -, -", "B | B | -, -, -"],
    );
}

#[test]
fn fields_stand_below_a_step() {
    let list = "1. A (odoo: read)\n   - contract: `make test`\n   - **expect:** tests_run >= 3\n   - expect: `exit_code == 0`\n   \
                - on_fail: retry(1), then skip\n   - When: params.x\n   - task: Do it\n     in two lines.\n\n     - contract: text\n2. B\n  \
                - contract:\n    ```sh\n    a && b\n\n      c\n    ```\n    exit_code == 3\n  - on_fail: `abort`\n   Then rest.\n";
    check_steps(
        list,
        &[
            "A | Do it⏎in two lines.⏎⏎- contract: text | odoo, read, -",
            "B | B⏎Then rest. | -, -, -",
        ],
    );
    let text = format!("{HEAD}## Steps\n{list}");
    let draft = read(&text);
    assert_eq!(problems(&text), [""; 0]);
    let [a, b] = draft.steps.as_slice() else {
        panic!("two steps");
    };
    let contract = a.contract.as_ref().expect("a contract");
    assert_eq!(contract.command.text, "make test");
    let expect: Vec<_> = contract
        .expect
        .iter()
        .map(|found| found.value.as_str())
        .collect();
    assert_eq!(expect, ["tests_run >= 3", "exit_code == 0"]);
    assert_eq!(shown(a.on_fail.as_ref()), "retry(1), then skip");
    assert_eq!(shown(a.when.as_ref()), "params.x");
    let contract = b.contract.as_ref().expect("a contract");
    assert_eq!(contract.command.text, "a && b\n\n  c");
    assert_eq!(shown(contract.shell.as_ref()), "sh");
    assert_eq!(contract.expect[0].value, "exit_code == 3");
    let at = contract.command.text.find('c').expect("c");
    let place = contract
        .command
        .source_span(crate::source::Span::new(at, at + 1));
    assert_eq!(place.start, text.find("\n      c").expect("c") + 7);
    assert_eq!(shown(b.on_fail.as_ref()), "abort");
    assert_eq!(
        b.on_fail.as_ref().expect("a policy").span.slice(&text),
        "abort"
    );
}

#[track_caller]
fn check_problems(list: &str, expected: &[&str]) {
    assert_eq!(
        problems(&format!("{HEAD}## Steps\n{list}")),
        expected,
        "{list}"
    );
}

#[test]
fn slips_in_steps_are_reported() {
    check_problems(
        "1. A\n   - contarct: `x`\n",
        &[
            "contarct | `contarct` is not a field of a step of a proposal; it is read as text | did you mean `contract`?",
        ],
    );
    check_problems(
        "1. A\n   - timeout: 3m\n   - note: x\n   - Bob: y\n",
        &["timeout | `timeout` is not a field of a step of a proposal; it is read as text | -"],
    );
    check_problems(
        "1. A\n- contract: `x`\n2. B\n",
        &[
            "contract | `contract` belongs to no step: it is not indented | indent it by three spaces, under its step",
        ],
    );
    check_problems(
        "1. A\n- careful\n",
        &[
            "- careful | this line belongs to no step; it is read as context | \
             indent it under its step, or give it a number of its own",
        ],
    );
    check_problems(
        "1. A\n   - contract: make test\n",
        &[
            "make test | the contract has no command: what is not in back-ticks is text | if it is the command, write `make test`",
        ],
    );
    check_problems(
        "1. A\n   - expect: exit_code == 0\n",
        &["exit_code == 0 | `expect` is given, but there is no contract | -"],
    );
    check_problems(
        "1. A\n   - on_fail: skip\n   - on_fail: abort\n   - when:\n",
        &[
            "on_fail | field `on_fail` is given twice | keep one; text that is not a field can go into a fenced block",
            "when | field `when` has no value | give it a value, or leave the label out",
        ],
    );
    check_problems(
        "1. A\n   - contract:\n     ```python\n     x\n     ```\n     ```\n     y\n     ```\n",
        &[
            "python | a contract is shell text, not `python` | \
             mark the block as `shell`, `bash` or `sh`, and call other languages from there",
            "```\n     y\n     ``` | a contract is one fenced block; this is a second one | \
             join the commands with `&&` in one block",
        ],
    );
    check_problems(
        "1. A\n   ```\n2. B\n",
        &[
            "``` | this fenced block is never closed; what follows is read as part of it | \
             close it with a fence of the same kind and length",
        ],
    );
}

#[test]
fn sections_end_at_headings_but_not_in_fences() {
    let text = format!(
        "{HEAD}Before.\n\n## Steps\nAs follows:\n1. A\n\n## Context\nSome.\n\n```\n## Risks\n- no\n```\n\n### Tool Outputs\n```json\n{{\"a\": [1]}}\n```\n\
         \n### Notes\nMore.\n\n### Artifacts\n- a.pdf → x/\n- b\n\n## Approach\nThus.\n\n## Risks\n- One\n  and a half\n- Two\n"
    );
    assert_eq!(problems(&text), [""; 0]);
    let draft = read(&text);
    let expected = "Before.\n\nAs follows:\n\nSome.\n\n```\n## Risks\n- no\n```\n\nMore.\n\n## Approach\nThus.";
    assert_eq!(shown(draft.context.as_ref()), expected);
    let risks: Vec<_> = draft.risks.iter().map(|risk| risk.value.as_str()).collect();
    assert_eq!(risks, ["One and a half", "Two"]);
    assert_eq!(record(&draft, "tool_outputs"), json!({"a": [1]}));
    assert_eq!(record(&draft, "artifacts"), json!(["a.pdf → x/", "b"]));
    assert_eq!(draft.steps.len(), 1);
}

fn record(draft: &Draft, name: &str) -> Value {
    let found = draft.record.iter().find(|(other, _)| *other == name);
    found
        .map(|(_, value)| value.value.clone())
        .unwrap_or_default()
}

#[test]
fn rejections_are_kept_in_order() {
    let text = format!(
        "{HEAD}## Steps\n1. A\n\n\n## Rejection (v1)\nWrong.\n\n### Why\n\\## Steps\n\n## Rejection (v3)\n\n## Rejection\nNo.\n"
    );
    assert_eq!(problems(&text), [""; 0]);
    let draft = read(&text);
    let expected = json!([
        {"version": 1, "feedback": "Wrong.\n\n### Why\n## Steps"},
        {"version": 3, "feedback": ""},
        {"feedback": "No."},
    ]);
    assert_eq!(record(&draft, "rejections"), expected);
    assert_eq!((draft.steps.len(), draft.context), (1, None));
}

#[track_caller]
fn check_head(fields: &str, expected: &[&str]) {
    let text = format!("---\n{fields}\n---\n## Steps\n1. A (odoo: read)\n");
    assert_eq!(problems(&text), expected, "{fields}");
}

#[test]
fn comments_never_stay_in_values() {
    let fields = "id: PLAN-1 # me\ntitle: \"A # b\"  # c\nstatus: proposed        # proposed | approved\nversion: 1 # n\n\
                  planner_model: m # p\ntools_required: # s\n  - odoo # t\nexecution_started_at: # later\nresult_summary:";
    check_head(fields, &[]);
    let draft = read(&format!("---\n{fields}\n---\n"));
    assert_eq!(shown(draft.id.as_ref()), "PLAN-1");
    assert_eq!(shown(draft.title.as_ref()), "A # b");
    assert_eq!(shown(draft.status.as_ref()), "proposed");
    assert_eq!(shown(draft.version.as_ref()), "1");
    assert_eq!(record(&draft, "planner_model"), json!("m"));
    assert_eq!(record(&draft, "execution_started_at"), Value::Null);
    let tools = draft.tools.expect("a scope");
    assert_eq!(tools[0].value, "odoo");
}

#[test]
fn slips_in_the_frontmatter_are_reported() {
    check_head(
        "id: PLAN-1\ntools_requierd: [odoo]\nrisk_level: low",
        &[
            "--- | the frontmatter has no `tools_required`, so no step may use `odoo` | add `tools_required: [odoo]`",
            "tools_requierd | `tools_requierd` is not a field of the frontmatter; it means nothing here | \
             did you mean `tools_required`?",
            "risk_level | `risk_level` is not a field of the frontmatter; it means nothing here | -",
        ],
    );
    check_head(
        "id: PLAN-1\ntools_required: odoo\ntitle: [a]",
        &[
            "odoo | `tools_required` must be a list, not text | write `[odoo]`",
            "[a] | `title` must be text, not a list | -",
        ],
    );
    check_head(
        "id: PLAN-1\ntools_required: [odoo, [b]]\nid: PLAN-2",
        &[
            "[b] | `tools_required` must be text, not a list | -",
            "id | the frontmatter cannot be read: `id` is given twice | -",
        ],
    );
    let text =
        format!("{HEAD}## Stpes\n1. A\n## Context\n### Tool Outputs\n```json\n{{\"a\": }}\n```\n");
    assert_eq!(
        problems(&text),
        [
            "Stpes | heading `Stpes` begins no section of a plan; what follows is read as context | did you mean `Steps`?",
            "} | tool outputs must be JSON: expected value at line 1 column 7 | -",
        ]
    );
}

#[test]
fn fields_of_older_files_are_kept() {
    let draft =
        read("---\nid: PLAN-1\nrisk_level: low\nreversible: [1, true]\ntools_required:\n---\n");
    assert_eq!(
        record(&draft, "other"),
        json!({"risk_level": "low", "reversible": [1, true]})
    );
    assert_eq!(draft.tools, Some(Vec::new()));
}

#[test]
fn a_title_may_stand_in_a_heading() {
    let title = |text: &str| {
        let draft = read(text);
        let context = draft.context.map(|text| text.value);
        (draft.title.map(|title| title.value), context)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(title(&format!("{HEAD}# T\nx\n")), (some("T"), some("x")));
    let head = HEAD.replace("id:", "title: T\nid:");
    assert_eq!(title(&format!("{head}# T\n")), (some("T"), None));
    assert_eq!(title(&format!("{head}# U\n")), (some("T"), some("# U")));
}

#[test]
fn proposals_are_told_from_other_files() {
    let steps = "## Steps\n1. A\n";
    for (text, expected) in [
        ("---\nid: PLAN-1\n---\n".to_owned(), Some(Dialect::Proposal)),
        (
            "---\ntools_required:\n---\n".to_owned(),
            Some(Dialect::Proposal),
        ),
        (
            format!("---\nstatus: proposed\n---\n{steps}"),
            Some(Dialect::Proposal),
        ),
        (format!("---\nstatus: done\n---\n{steps}"), None),
        ("---\nstatus: proposed\n---\n".to_owned(), None),
        (
            format!("---\ntype: plan\nid: PLAN-1\nstatus: draft\n---\n{steps}"),
            Some(Dialect::Workunit),
        ),
        (
            "---\nstatus: draft\n---\n## Steps\n### 1. A\n".to_owned(),
            None,
        ),
        (format!("status: proposed\n{steps}"), None),
        ("---\nid: PLAN-1\n".to_owned(), None),
    ] {
        assert_eq!(recognise(&source(&text)), expected, "{text}");
    }
}
