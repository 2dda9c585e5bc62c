use super::*;
use crate::dialect;

fn source(text: &str) -> Source {
    Source::new("plan.json", text.into())
}

/// Asserts what reading says: the text under the caret, the code, the message, the help.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let draft = dialect::parse_as(&source(text), DIALECT);
    let found: Vec<String> = draft
        .problems
        .iter()
        .map(|problem| {
            let caret = problem.span.slice(text);
            let help = problem.help.as_deref().unwrap_or("-");
            format!("{caret} | {} | {} | {help}", problem.code, problem.message)
        })
        .collect();
    assert_eq!(found, expected, "\n{text}");
}

#[track_caller]
fn recognised(text: &str, expected: Option<Dialect>) {
    assert_eq!(dialect::recognise(&source(text)), expected, "{text}");
}

#[test]
fn content_tells_the_dialect() {
    let toolplan = Some(Dialect::Toolplan);
    recognised(r#"{"steps": [{"tool": "x"}]}"#, toolplan);
    recognised("// why\n{\"steps\": [{\"tool\": \"x\"}", toolplan);
    recognised(
        "\u{feff}{\"steps\": [], \"estimatedDuration\": 5}",
        toolplan,
    );
    recognised(
        r#"{"stpes": [{"id": "a", "tol": "x", "args": {}}]}"#,
        toolplan,
    );
    recognised(
        r#"{"task": "x", "steps": [{"description": "y", "tool": "z"}]}"#,
        toolplan,
    );
    recognised(
        r#"{"id": "p", "steps": [{"id": "a", "ask": "Sure?"}]}"#,
        toolplan,
    );
    recognised(
        r#"{"steps": [{"id": "a", "description": "x", "ask": "Sure?"}]}"#,
        toolplan,
    );
    recognised(r#"{"task": "x", "steps": []}"#, Some(Dialect::Record));
    recognised(r#"{"name": "x"}"#, None);
    recognised("[]", None);
}

#[test]
fn every_field_has_its_place() {
    let text = r#"{
        "id": "p", "taskId": "t", "version": 2, "createdAt": "now", "estimatedDuration": 120,
        "title": "T", "context": "c", "tools": ["read_file"], "budget": "$1", "params": {"n": 1},
        "steps": [
            {"id": "a", "order": 1, "description": "A", "tool": "read_file", "args": {"path": "x"},
             "dependsOn": [], "status": "completed", "result": {"ok": true}},
            {"id": "b", "tool": "x", "dependsOn": ["a"], "critical": false, "approval": "required"},
            {"id": "c", "ask": {"question": "Sure?", "choices": ["y"]}},
            {"contract": "make"}
        ]
    }"#;
    check(text, &[]);
    let draft = dialect::parse(&source(text));
    assert_eq!(draft.dialect, DIALECT);
    let names: Vec<_> = draft.record.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["task_id", "created_at", "estimated_duration"]);
    let titles: Vec<_> = draft
        .steps
        .iter()
        .map(|step| step.title.value.as_str())
        .collect();
    assert_eq!(titles, ["A", "b", "Sure?", "step-4"]);
    let first = &draft.steps[0];
    assert_eq!(first.record[0].1.value["ok"], true);
    assert_eq!(
        first.args.as_ref().map(|args| args.span.slice(text)),
        Some(r#"{"path": "x"}"#)
    );
    let places: Vec<_> = first
        .args_spans
        .iter()
        .map(|span| span.slice(text))
        .collect();
    assert_eq!(places, [r#"{"path": "x"}"#, "path", "x"]);
    assert_eq!(first.marks.statuses[0].word.value, "completed");
}

#[test]
fn a_typo_gets_a_caret_and_a_suggestion() {
    check(
        r#"{"stepz": [], "estimatedduration": 5, "steps": [{"id": "a", "tol": "x", "dependson": [], "argz": {}}]}"#,
        &[
            "stepz | unknown-field | `stepz` is not a field of a plan | did you mean `steps`?",
            "estimatedduration | unknown-field | `estimatedduration` is not a field of a plan | did you mean `estimatedDuration`?",
            "tol | unknown-field | `tol` is not a field of a step | did you mean `tool`?",
            "dependson | unknown-field | `dependson` is not a field of a step | did you mean `dependsOn`?",
            "argz | unknown-field | `argz` is not a field of a step | did you mean `args`?",
        ],
    );
    check(
        r#"{"steps": [{"id": "a", "tool": "x", "ask": {"questoin": "Sure?"}, "arguments": {}}]}"#,
        &[
            "questoin | unknown-field | `questoin` is not a field of `ask` | did you mean `question`?",
            "arguments | unknown-field | `arguments` is not a field of a step | did you mean `args`?",
        ],
    );
}

#[test]
fn values_are_of_their_kind() {
    check(
        r#"{"id": 5, "estimatedDuration": "long", "params": [], "steps": [{"id": "a", "tool": ["x"], "args": "y", "dependsOn": [1], "order": -1}, 7]}"#,
        &[
            "5 | bad-value | `id` must be text, not `5` | -",
            "long | bad-value | `estimatedDuration` must be a number of seconds, not the text `long` | -",
            "[] | bad-value | `params` must be keys and values, not a list | -",
            r#"["x"] | bad-value | `tool` must be text, not a list | -"#,
            "y | bad-value | `args` must be an object, not the text `y` | -",
            "1 | bad-value | `dependsOn` must be text, not `1` | -",
            "-1 | bad-value | `order` must be a whole number from 0 on, not `-1` | -",
            "7 | bad-value | `steps[…]` must be an object, not `7` | -",
        ],
    );
    check(
        r#"{"steps": "none"}"#,
        &["none | bad-value | `steps` must be a list, not the text `none` | -"],
    );
    check(
        "",
        &[
            " | frontmatter-invalid | the plan must be keys and values, not an empty file | write an object that has `steps`",
        ],
    );
    check(
        "[1]",
        &[
            "[1] | frontmatter-invalid | the plan must be keys and values, not a list | write an object that has `steps`",
        ],
    );
}

#[test]
fn a_hundred_thousand_steps_are_read() {
    use std::fmt::Write as _;
    let mut text = "{\"steps\": [\n".to_owned();
    for number in 0..100_000 {
        let comma = if number == 0 { "" } else { "," };
        let before = number.max(1) - 1;
        writeln!(
            text,
            "{comma}{{\"id\": \"step_{number}\", \"description\": \"Read file {number}\", \"tool\": \"read_file\", \
             \"args\": {{\"path\": \"src/{number}.txt\"}}, \"dependsOn\": [\"step_{before}\"]}}"
        )
        .expect("a string takes all");
    }
    text.push_str("]}\n");
    let draft = parse(&source(&text));
    assert_eq!(draft.problems, []);
    assert_eq!(draft.steps.len(), 100_000);
}

fn steps(text: &str) -> Vec<String> {
    let source = source(&format!("{{\"steps\": [{text}]}}"));
    let checked = crate::check::check(&parse(&source), &crate::PermissiveWorkspace);
    assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics);
    let plan = checked.plan;
    let step = |(at, step): (usize, &crate::model::Step)| {
        let after: Vec<_> = plan.dependency_ids(at).collect();
        let items = step.for_each.as_deref().unwrap_or_default();
        format!("{} {} {items}", step.id, after.join(","))
    };
    plan.steps.iter().enumerate().map(step).collect()
}

#[test]
fn a_reference_to_a_later_step_implies_the_dependency() {
    let text = r#"{"id": "b", "tool": "write_file", "args": {"path": "x", "content": "$a.content"}},
        {"id": "a", "tool": "read_file", "args": {"path": "y"}}"#;
    assert_eq!(steps(text), ["b a ", "a  "]);
}

#[test]
fn steps_are_in_the_order_that_they_give() {
    let step = |id: &str, order: &str| {
        format!(r#"{{"id": "{id}", {order} "tool": "read_file", "args": {{"path": "y"}}}}"#)
    };
    let text = [
        step("c", r#""order": 3,"#),
        step("a", r#""order": 1,"#),
        step("b", ""),
        step("d", r#""order": 7,"#),
    ];
    assert_eq!(steps(&text.join(",")), ["a  ", "b  ", "c  ", "d  "]);
}

#[test]
fn a_loop_takes_a_list() {
    let text = r#"{"id": "a", "forEach": ["x", 1, null, {"k": [true]}], "tool": "read_file", "args": {"path": "{{ item }}"}}"#;
    assert_eq!(steps(text), [r#"a  ["x", 1, none, {"k": [true]}]"#]);
}
