use serde_json::json;

use super::*;
use crate::check::check as run_checks;
use crate::workspace::PermissiveWorkspace;

const WORKUNIT: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n# T\n\n\
    ### 1. ✅ A\n**task:** do a\n\n### 2. B\n**id:** b\n**depends_on:** 1\n**task:** do b\n\n\
    ### 3. C\n**depends_on:** step-1, b\n**task:** do c\n\n### 4. D\n**task:** do d\n\n## Risks\n- none\n";

fn before(id: &str) -> StepPlace {
    StepPlace::Before(id.to_owned())
}

fn after(id: &str) -> StepPlace {
    StepPlace::After(id.to_owned())
}

fn text(source: &Source) -> String {
    String::from_utf8(source.bytes().to_vec()).expect("text")
}

#[track_caller]
fn moved(file: &str, text_before: &str, step: &str, place: &StepPlace) -> Restructured {
    let source = Source::new(file, text_before.as_bytes().to_vec());
    move_step(&source, step, place).expect("the move is legal")
}

#[track_caller]
fn refused(text: &str, step: &str, place: &StepPlace) -> String {
    let source = Source::new("plan.md", text.as_bytes().to_vec());
    move_step(&source, step, place)
        .expect_err("refused")
        .to_string()
}

#[test]
fn numbers_and_what_names_them_follow_a_move() {
    let found = moved("plan.md", WORKUNIT, "step-4", &before("b"));
    let expected = "### 1. ✅ A\n**task:** do a\n\n### 2. D\n**task:** do d\n\n\
        ### 3. B\n**id:** b\n**depends_on:** 1\n**task:** do b\n\n\
        ### 4. C\n**depends_on:** step-1, b\n**task:** do c\n\n## Risks\n- none\n";
    assert!(
        text(&found.source).ends_with(expected),
        "{}",
        text(&found.source)
    );
    let renamed = |old: &str, new: &str| (old.to_owned(), new.to_owned());
    assert_eq!(
        found.renamed,
        [renamed("step-3", "step-4"), renamed("step-4", "step-2")]
    );
    assert_eq!(found.step, "step-2");
    // And back again, to the same bytes.
    let back = moved("plan.md", &text(&found.source), "step-2", &StepPlace::Last);
    assert_eq!(text(&back.source), WORKUNIT);
}

#[test]
fn references_by_number_are_rewritten() {
    let plan = WORKUNIT.replace("**depends_on:** 1\n", "**depends_on:** none\n");
    let plan = plan.replace("step-1, b", "1");
    let found = text(&moved("plan.md", &plan, "step-1", &after("b")).source);
    assert!(found.contains("### 3. C\n**depends_on:** 2\n"), "{found}");
    assert!(
        found.contains("### 1. B\n") && found.contains("### 2. ✅ A\n"),
        "{found}"
    );
}

#[test]
fn a_move_that_breaks_a_dependency_is_refused() {
    assert_eq!(
        refused(WORKUNIT, "b", &before("step-1")),
        "step `b` waits for `step-1`, and would stand before it"
    );
    assert_eq!(
        refused(WORKUNIT, "step-1", &StepPlace::Last),
        "step `b` waits for `step-1`, and would stand before it"
    );
    assert_eq!(
        refused(WORKUNIT, "x", &StepPlace::Last),
        "the file has no step `x`"
    );
    let reads = WORKUNIT.replace(
        "**task:** do d",
        "**when:** steps[\"step-3\"].stdout == \"x\"\n**task:** do d",
    );
    let why = refused(&reads, "step-3", &before("b"));
    assert!(
        why.contains("give it an `id` first") || why.contains("waits for"),
        "{why}"
    );
}

#[test]
fn proposals_keep_their_list() {
    let plan = "---\nid: PLAN-a1b2c3d4\ntitle: T\nstatus: proposed\nversion: 1\ntools_required: []\n---\n\n## Steps\n\
        1. A\n   - on_fail: abort\n2. B\n3. C\n\n## Context\nx\n";
    let found = moved("PLAN-a1b2c3d4.md", plan, "step-3", &before("step-1"));
    let expected = "## Steps\n1. C\n2. A\n   - on_fail: abort\n3. B\n\n## Context\nx\n";
    assert!(
        text(&found.source).ends_with(expected),
        "{}",
        text(&found.source)
    );
}

const RECORD: &str = "id: p\ntask: t\nstatus: draft\nversion: 1\nsteps:\n  - index: 0\n    description: A\n  - index: 1\n    description: B\n    \
    dependsOn: [0]\n  # about C\n  - index: 2\n    description: C\n    dependsOn: []\n";

#[test]
fn records_keep_indexes_in_order() {
    let found = text(&moved("p.yaml", RECORD, "step-3", &before("step-1")).source);
    let expected = "steps:\n  - index: 0\n    description: C\n    dependsOn: []\n  - index: 1\n    description: A\n  \
        - index: 2\n    description: B\n    dependsOn: [1]\n  # about C\n";
    assert!(found.ends_with(expected), "{found}");
}

const TOOLPLAN: &str = "{\n  \"steps\": [\n    {\"id\": \"a\", \"order\": 1, \"description\": \"A\", \"tool\": \"read_file\", \"args\": {\"path\": \"x\"}},\n    \
    {\"id\": \"b\", \"order\": 2, \"description\": \"B\", \"tool\": \"read_file\", \"args\": {\"path\": \"y\"}, \"dependsOn\": [\"a\"]},\n    \
    {\"id\": \"c\", \"order\": 3, \"description\": \"C\", \"tool\": \"read_file\", \"args\": {\"path\": \"z\"}}\n  ]\n}\n";

#[test]
fn toolplans_keep_their_order() {
    let found = text(&moved("p.json", TOOLPLAN, "c", &before("a")).source);
    let order: Vec<_> = found
        .lines()
        .filter(|line| line.contains("order"))
        .collect();
    assert!(
        order[0].contains("\"c\", \"order\": 1") && order[2].contains("\"b\", \"order\": 3"),
        "{found}"
    );
    let why = refused(TOOLPLAN, "b", &before("a"));
    assert_eq!(why, "step `b` waits for `a`, and would stand before it");
}

fn step(title: &str, fields: &[(&str, Value)]) -> NewStep {
    let fields = fields.iter();
    NewStep {
        title: title.to_owned(),
        fields: fields
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
    }
}

#[track_caller]
fn added(file: &str, plan: &str, new: &NewStep, place: &StepPlace) -> String {
    let source = Source::new(file, plan.as_bytes().to_vec());
    let count = parse(&source).steps.len();
    let found = add_step(&source, new, place).expect("it can be added");
    let after = parse(&found.source);
    assert_eq!(after.steps.len(), count + 1);
    assert_eq!(
        run_checks(&after, &PermissiveWorkspace).errors(),
        run_checks(&parse(&source), &PermissiveWorkspace).errors(),
        "{}",
        text(&found.source)
    );
    text(&found.source)
}

#[test]
fn a_step_is_added_between_others() {
    let new = step(
        "New",
        &[
            ("task", json!("do n")),
            ("contract.command", json!("make")),
            ("id", json!("n")),
        ],
    );
    let found = added("plan.md", WORKUNIT, &new, &after("step-1"));
    let expected = "### 1. ✅ A\n**task:** do a\n\n### 2. New\n\n**id:** n\n**task:** do n\n**contract:**\n```shell\nmake\n```\n\n### 3. B";
    assert!(found.contains(expected), "{found}");
    assert!(
        found.contains("### 4. C\n**depends_on:** step-1, b\n"),
        "{found}"
    );
    assert!(
        found.ends_with("### 5. D\n**task:** do d\n\n## Risks\n- none\n"),
        "{found}"
    );
    let first = added(
        "plan.md",
        WORKUNIT,
        &step("New", &[("task", json!("x"))]),
        &before("step-1"),
    );
    assert!(
        first.contains("### 3. B\n**id:** b\n**depends_on:** 2\n"),
        "{first}"
    );
    assert!(first.contains("**depends_on:** step-2, b\n"), "{first}");
}

#[test]
fn a_step_is_added_in_every_dialect() {
    let new = step("New", &[]);
    let record = added("p.yaml", RECORD, &new, &after("step-1"));
    assert!(record.contains("description: A\n  - index: 1\n    description: New\n  - index: 2\n    description: B\n    dependsOn: [0]\n"), "{record}");
    let proposal = "---\nid: PLAN-a1b2c3d4\ntitle: T\nstatus: proposed\nversion: 1\ntools_required: []\n---\n\n## Steps\n1. A\n2. B\n";
    let found = added(
        "PLAN-a1b2c3d4.md",
        proposal,
        &step("New", &[("on_fail", json!("abort"))]),
        &StepPlace::Last,
    );
    assert!(
        found.ends_with("2. B\n3. New\n   - on_fail: abort\n"),
        "{found}"
    );
    let tool = step(
        "Read it",
        &[("args", json!({"path": "n"})), ("tool", json!("read_file"))],
    );
    let found = added("p.json", TOOLPLAN, &tool, &before("b"));
    assert!(
        found.contains("\"id\": \"read-it\", \"order\": 2"),
        "{found}"
    );
    assert!(found.contains("{\"id\": \"b\", \"order\": 3"), "{found}");
}

#[test]
fn a_task_of_a_thread_is_a_file() {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let source = Source::directory(
        "t",
        vec![
            file("plan.md", "---\ntitle: T\n---\n\nWhy.\n"),
            file(
                "tasks/01-a.md",
                "---\nid: a\ndepends_on: []\nagent: coder\n---\n\nDo a.\n",
            ),
        ],
    );
    let new = step(
        "Do b",
        &[
            ("depends_on", json!(["a"])),
            ("role", json!("coder")),
            ("task", json!("Do b well.")),
        ],
    );
    let found = add_step(&source, &new, &StepPlace::Last)
        .expect("added")
        .source;
    let names: Vec<_> = found
        .parts()
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!(names, ["plan.md", "tasks/01-a.md", "tasks/02-do-b.md"]);
    assert_eq!(
        run_checks(&parse(&found), &PermissiveWorkspace).errors(),
        0,
        "{}",
        text(&found)
    );
    let why = move_step(&found, "a", &StepPlace::Last).expect_err("no order");
    assert!(why.to_string().contains("depends_on"), "{why}");
}

#[test]
fn what_a_step_lacks_is_refused() {
    let source = Source::new("p.json", TOOLPLAN.as_bytes().to_vec());
    let both = step("New", &[("tool", json!("read_file")), ("taks", json!("x"))]);
    let why = add_step(&source, &both, &StepPlace::Last).expect_err("no such field");
    assert_eq!(
        why.to_string(),
        "a step has no field `taks`; did you mean `task`?"
    );
    let why = add_step(&source, &step("a\nb", &[]), &StepPlace::Last).expect_err("two lines");
    assert_eq!(why.to_string(), "a title is one line of text");
}
