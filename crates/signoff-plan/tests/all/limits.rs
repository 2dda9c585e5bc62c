//! Files that are large, deep or mean to grow are read quickly, and what is wrong with them is said.
//!
//! Nothing here looks at a clock: work that grows with the square of these would not end.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use signoff_plan::Workspace;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::parse;
use signoff_plan::source::Source;

/// A world that has everything but files and commands called `missing…`.
struct World;

impl Workspace for World {
    fn path_exists(&self, path: &str) -> bool {
        !path.contains("missing")
    }

    fn topic_exists(&self, _: &str) -> bool {
        true
    }

    fn command_exists(&self, name: &str) -> bool {
        !name.contains("missing")
    }

    fn agent_exists(&self, _: &str) -> bool {
        true
    }

    fn agents(&self) -> Vec<String> {
        Vec::new()
    }
}

fn checked(text: &str) -> Checked {
    check(&parse(&Source::new("plan", text.into())), &World)
}

#[track_caller]
fn has(text: &str, code: &str) {
    let checked = checked(text);
    let found = checked.diagnostics.iter();
    let codes: BTreeSet<_> = found.map(|problem| problem.code.as_str()).collect();
    assert!(codes.contains(code), "{codes:?}");
}

const HEADER: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n# T\n\n**Budget:** $9\n\n";

fn workunit(step: &str) -> String {
    format!("{HEADER}## Steps\n\n### 1. A\n{step}\n")
}

/// A plan of many steps; the function gives the fields of each.
fn steps(count: usize, fields: impl Fn(usize) -> String) -> String {
    let mut text = format!("{HEADER}## Steps\n\n");
    for step in 0..count {
        writeln!(text, "### {}. A\n{}", step + 1, fields(step)).expect("a string takes all");
    }
    text
}

#[test]
fn a_line_of_ten_megabytes() {
    let long = "x".repeat(10_000_000);
    has(&long, "frontmatter-missing");
    assert_eq!(
        checked(&workunit(&format!("**task:** {long}")))
            .plan
            .steps
            .len(),
        1
    );
    let json = format!(
        r#"{{"steps": [{{"id": "a", "tool": "write_file", "args": {{"path": "x", "content": "{long}"}}}}]}}"#
    );
    assert_eq!(checked(&json).diagnostics, []);
}

#[test]
fn two_hundred_thousand_brackets() {
    let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
    for text in [
        format!(r#"{{"steps": {open}{close}}}"#),
        open.clone(),
        format!("task: x\nsteps: {open}\n"),
    ] {
        let found = checked(&text).diagnostics;
        let last = found.iter().find(|one| one.message.contains("64 deep"));
        assert!(last.is_some(), "{found:?}");
    }
    has(
        &workunit(&format!("**tool:** shell\n**args:** {open}{close}")),
        "bad-value",
    );
    has(
        &workunit(&format!("**when:** {}", "(".repeat(4000))),
        "bad-condition",
    );
    has(
        &workunit(&format!("**contract:** `{}`", "$(".repeat(7000))),
        "contract-syntax",
    );
    has(&workunit(&format!("**contract:** `{open}`")), "too-large");
}

#[test]
fn aliases_that_multiply() {
    let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in ('b'..='z').zip('a'..='y') {
        let list = vec![format!("*{before}"); 9].join(", ");
        writeln!(yaml, "{name}: &{name} [{list}]").expect("a string takes all");
    }
    has(&format!("task: x\n{yaml}steps: []\n"), "no-steps");
    has(
        &format!("---\ntype: plan\n{yaml}---\n# T\n"),
        "frontmatter-invalid",
    );
}

#[test]
fn braces_and_dollars_without_end() {
    let braces = "{{ ".repeat(100_000);
    has(
        &workunit(&format!("**task:** {braces}")),
        "missing-contract",
    );
    let args = format!(
        r#"{{"path": "x", "content": "a {}"}}"#,
        "${".repeat(100_000)
    );
    has(
        &workunit(&format!("**tool:** write_file\n**args:** {args}")),
        "bad-reference",
    );
}

#[test]
fn many_mistakes_on_one_line() {
    let keys: Vec<_> = (0..40_000).map(|at| format!(r#""k{at}": 1"#)).collect();
    let args = keys.join(", ");
    let text = format!(r#"{{"steps": [{{"id": "a", "tool": "read_file", "args": {{{args}}}}}]}}"#);
    let source = Source::new("plan", text.clone().into());
    let found = checked(&text).diagnostics;
    assert!(found.len() > 40_000, "{}", found.len());
    let columns = found.iter().map(|one| source.line_column(one.span.end));
    assert!(columns.map(|(line, _)| line).all(|line| line == 1));
}

#[test]
fn a_long_sequence_names_few_steps() {
    let plan = checked(&steps(2000, |at| match at % 4 {
        2 => "**depends_on:** 1".to_owned(),
        _ => String::new(),
    }))
    .plan;
    assert!(plan.has_too_many_names());
    let named = |at| {
        plan.nearest_dependency_ids(at)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(named(0), "");
    assert_eq!(named(1), "step-1");
    assert_eq!(named(2), "step-1");
    // The one before the last waits for all that came earlier.
    assert_eq!(named(3), "step-2 step-3");
    assert_eq!(named(1999), "step-1998 step-1999");
}

#[test]
fn many_steps_that_have_to_do_with_each_other() {
    const COUNT: usize = 4000;
    let last = format!("**depends_on:** {COUNT}");
    has(
        &steps(
            COUNT,
            |at| if at == 0 { last.clone() } else { String::new() },
        ),
        "dependency-cycle",
    );
    has(
        &steps(COUNT, |at| {
            format!("**depends_on:** none\n**produces:** **/*{at}.md")
        }),
        "write-overlap",
    );
    has(
        &steps(COUNT, |_| {
            "**depends_on:** none\n**task:** write missing.md\n**subscriptions:** file:missing.md"
                .to_owned()
        }),
        "missing-file",
    );
    has(
        &steps(COUNT, |at| format!("**depends_on:** no-such-step-{at}")),
        "unknown-dependency",
    );
    has(
        &steps(COUNT, |at| format!("**contract:** `missing-{at} x | y`")),
        "contract-command-missing",
    );
}
