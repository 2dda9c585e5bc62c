//! How a thread is read.

use crate::dialect::{Dialect, parse};
use crate::draft::{Draft, Spanned};
use crate::source::{Source, Span};

const PLAN: (&str, &str) = ("plan.md", "---\ntitle: \"T\"\n---\n\nWhy.\n");

fn source(files: &[(&str, &str)]) -> Source {
    let files = files.iter();
    let files = files.map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    Source::directory("thread", files.collect())
}

fn read(files: &[(&str, &str)]) -> Draft {
    let draft = parse(&source(files));
    assert_eq!(draft.dialect, Dialect::Thread);
    draft
}

/// `file:line caret | message | help` of every problem.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let source = source(files);
    let problem = |problem: &crate::diagnostic::Diagnostic| {
        let name = source.name_at(problem.span.start);
        let (line, _) = source.line_column(problem.span.start);
        let caret = problem.span.slice(source.text());
        let help = problem.help.as_deref().unwrap_or("-");
        format!("{name}:{line} {caret} | {} | {help}", problem.message)
    };
    let found: Vec<_> = parse(&source).problems.iter().map(problem).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_task(fields: &str, expected: &[&str]) {
    let text = format!("---\nid: a\n{fields}\n---\n\nDo.\n");
    check(&[PLAN, ("tasks/01-a.md", &text)], expected);
}

fn shown(part: Option<&Spanned<String>>) -> &str {
    part.map_or("-", |part| &part.value)
}

#[test]
fn files_are_tasks_in_the_order_of_their_numbers() {
    let draft = read(&[
        ("tasks/10-c.md", "---\nid: c\n---\nC\n"),
        ("tasks/02-z.md", "---\nid: b\n---\nB\n"),
        PLAN,
        ("tasks/01-a.md", "---\nid: a\n---\nA\n"),
    ]);
    let ids: Vec<_> = draft
        .steps
        .iter()
        .map(|step| shown(step.id.as_ref()))
        .collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(shown(draft.title.as_ref()), "T");
    assert_eq!(shown(draft.context.as_ref()), "Why.");
    assert_eq!(draft.problems, []);
}

#[test]
fn every_field_is_read() {
    let text = "---\nid: a\ntitle: Set up\ndepends_on: [b, c]\nagent: claude-code\nsubtasks:\n  - One\n  - \"Two: 2\"\n\
                contract: |\n  make a &&\n    make b\nexpect:\n  - exit_code == 0\n  - stdout contains \"ok\"\non_fail: abort\n\
                produces: [src/**]\nprotects: ['x']\ntools: []\ntimeout: 300s\npriority: high\nestimated_effort: small\n\
                tags: [backend, database]\napproval: required\nwhen: params.x == 1\n---\n\n\nDo it.\n\n- a\n\n\n";
    for text in [
        text.to_owned(),
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
    ] {
        let files = [PLAN, ("tasks/01-a.md", text.as_str())];
        check(&files, &[]);
        let whole = source(&files);
        let draft = parse(&whole);
        let step = &draft.steps[0];
        assert_eq!(shown(step.task.as_ref()), "Do it.\n\n- a");
        assert_eq!(step.title.value, "Set up");
        assert_eq!(shown(step.target.as_ref()), "claude-code");
        let subtasks: Vec<_> = step
            .subtasks
            .iter()
            .map(|item| item.value.as_str())
            .collect();
        assert_eq!(subtasks, ["One", "Two: 2"]);
        let contract = step.contract.as_ref().expect("a contract");
        assert_eq!(contract.command.text, "make a &&\n  make b");
        let place = contract.command.source_span(Span::new(17, 18));
        assert_eq!(
            place.start,
            whole
                .text()
                .find("b\nexpect")
                .or(whole.text().find("b\r\nexpect"))
                .expect("b")
        );
        assert_eq!(contract.expect.len(), 2);
        assert_eq!(step.depends_on.as_ref().map(Vec::len), Some(2));
        assert_eq!(step.tools, Some(Vec::new()));
        assert_eq!(shown(step.when.as_ref()), "params.x == 1");
        assert_eq!(step.record.len(), 3);
    }
}

#[test]
fn short_forms_are_read() {
    let draft = read(&[
        PLAN,
        (
            "tasks/01-a.md",
            "---\nid: a\ncontract: make\nexpect: exit_code == 3\ndepends_on:\n---\nDo",
        ),
    ]);
    assert_eq!(draft.problems, []);
    let contract = draft.steps[0].contract.as_ref().expect("a contract");
    assert_eq!(contract.expect[0].value, "exit_code == 3");
    assert_eq!(draft.steps[0].depends_on, Some(Vec::new()));
    assert_eq!(draft.steps[0].title.value, "a");
}

#[test]
fn a_fence_may_end_the_file() {
    check(&[("plan.md", "---\ntitle: T\n---")], &[]);
    let files = [PLAN, ("tasks/01-a.md", "---\nid: a\n---")];
    check(&files, &[]);
    assert_eq!(shown(read(&files).steps[0].task.as_ref()), "");
}

#[test]
fn unknown_fields_are_errors_with_a_suggestion() {
    check_task(
        "depend_on: [b]\nstatus: done",
        &[
            "thread/tasks/01-a.md:3 depend_on | `depend_on` is not a field of the frontmatter | did you mean `depends_on`?",
            "thread/tasks/01-a.md:4 status | `status` is not a field of the frontmatter | -",
        ],
    );
    let draft = read(&[("plan.md", "---\ntitel: T\n---\n")]);
    assert_eq!(
        draft.problems[0].severity,
        crate::diagnostic::Severity::Error
    );
    check(
        &[("plan.md", "---\ntitel: T\n---\n")],
        &[
            "thread/plan.md:2 titel | `titel` is not a field of the frontmatter | did you mean `title`?",
        ],
    );
}

#[test]
fn values_have_their_kind() {
    check_task(
        "depends_on: b\nsubtasks: {a: b}\nagent: [x]\ntags: [[x]]",
        &[
            "thread/tasks/01-a.md:3 b | `depends_on` must be a list, not text | write `[b]`",
            "thread/tasks/01-a.md:4 {a: b} | `subtasks` must be a list, not a mapping | -",
            "thread/tasks/01-a.md:5 [x] | `agent` must be text, not a list | -",
            "thread/tasks/01-a.md:6 [x] | `tags` must be text, not a list | -",
        ],
    );
    check_task(
        "contract:",
        &[
            "thread/tasks/01-a.md:3 contract | the contract has no command | \
             write it behind the colon, or after `|` on the lines below",
        ],
    );
    check_task(
        "expect: exit_code == 0",
        &[
            "thread/tasks/01-a.md:3 exit_code == 0 | `expect` is given, but there is no contract | -",
        ],
    );
}

#[test]
fn every_problem_of_every_file_is_reported() {
    check(
        &[
            ("tasks/01-a.md", "No frontmatter.\n"),
            ("tasks/01-b.md", "---\nagent: x\n"),
            ("tasks/02-c.md", "---\n- a\n---\n"),
            ("tasks/03-d.md", "---\nid: d\nid: e\nx: *y\n---\nD\n"),
            ("tasks/3-e.md", "---\nid:\n---\nE\n"),
            ("tasks/.hidden", ""),
        ],
        &[
            "thread/tasks/01-a.md:1  | the directory has no `plan.md` | write one: `---`, `title: …`, `---`, then what the plan is about",
            "thread/tasks/01-a.md:1 No frontmatter. | file `tasks/01-a.md` does not begin with frontmatter | \
             begin the file with `---`, `id: …`, `---`, a line each",
            "thread/tasks/01-b.md:1 --- | files `tasks/01-a.md` and `tasks/01-b.md` begin with the same number | \
             rename one of them; `04` is free",
            "thread/tasks/01-b.md:1 --- | the frontmatter is never closed | end it with a line `---`",
            "thread/tasks/02-c.md:2 - a\n | the frontmatter must be keys and values, not a list | write one `key: value` per line",
            "thread/tasks/03-d.md:3 id | the frontmatter cannot be read: `id` is given twice | -",
            "thread/tasks/03-d.md:4 x | `x` is not a field of the frontmatter | -",
            "thread/tasks/03-d.md:4 *y | the frontmatter cannot be read: an alias stands for nothing: no value before it has its anchor | -",
            "thread/tasks/3-e.md:1 --- | file name `tasks/3-e.md` is not of the form `tasks/NN-slug.md` | rename it to `03-e.md`",
            "thread/tasks/3-e.md:2 id | task file `tasks/3-e.md` has no `id` | add `id: e`",
            "thread/tasks/.hidden:1  | file name `tasks/.hidden` is not of the form `tasks/NN-slug.md` | \
             name it like `01-setup-db.md`, or move it out of `tasks`",
        ],
    );
}

#[test]
fn bytes_that_are_no_text_do_not_hide_what_stands_before() {
    let mut files = vec![(PLAN.0.to_owned(), PLAN.1.as_bytes().to_vec())];
    files.push((
        "tasks/01-a.md".to_owned(),
        b"---\nid: a\n---\nDo \xff.\n".to_vec(),
    ));
    files.push(("tasks/02-b.md".to_owned(), b"---\nid: b\n---\nB\n".to_vec()));
    let draft = parse(&Source::directory("thread", files));
    assert_eq!(draft.steps.len(), 1);
    let codes: Vec<_> = draft
        .problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect();
    assert_eq!(codes, ["not-utf8"]);
}
