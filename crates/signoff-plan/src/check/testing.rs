//! One way to test a check: the smallest plan that shows the point, and what is said of it.

use crate::check::{Checked, check as run};
use crate::diagnostic::Code;
use crate::dialect::parse;
use crate::source::Source;
use crate::{ShadowedCommand, Workspace};

/// A world with two files, one topic, two roles, and every command but those named `missing-…`.
pub(super) struct TestWorkspace;

impl Workspace for TestWorkspace {
    fn path_exists(&self, path: &str) -> bool {
        ["src", "src/app.py", "README.md"].contains(&path)
    }

    fn is_no_file(&self, path: &str) -> bool {
        path == "src"
    }

    fn leads_outside(&self, path: &str) -> bool {
        path == "link"
    }

    fn pattern_matches(&self, pattern: &str) -> bool {
        let matches = |path: &&str| crate::glob::matches(pattern, path);
        ["src/app.py", "README.md", "tests/test_app.py", "data.json"]
            .iter()
            .any(matches)
    }

    fn line_count(&self, path: &str) -> Option<u64> {
        (path == "README.md").then_some(10)
    }

    fn siblings(&self, path: &str) -> Vec<String> {
        let known = ["src/app.py", "README.md"].map(str::to_owned);
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let near = known.into_iter().filter(|one| folder(one) == folder(path));
        near.collect()
    }

    fn topics(&self) -> Vec<String> {
        vec!["known".to_owned()]
    }

    fn topic_exists(&self, name: &str) -> bool {
        name == "known"
    }

    fn command_exists(&self, name: &str) -> bool {
        !name.starts_with("missing-")
    }

    fn command_shadowed(&self, name: &str) -> Option<ShadowedCommand> {
        (name == "shadowed").then(|| ShadowedCommand {
            inside: ".venv/bin/shadowed".to_owned(),
            outside: "/usr/bin/shadowed".to_owned(),
        })
    }

    fn agent_exists(&self, name: &str) -> bool {
        self.agents().iter().any(|agent| agent == name)
    }

    fn tool_known(&self, name: &str) -> bool {
        name == "tracker.search"
    }

    fn tool_schema(&self, name: &str) -> Option<serde_json::Value> {
        let schema = serde_json::json!({"type": "object", "required": ["query"]});
        self.tool_known(name).then_some(schema)
    }

    fn tool_output_schema(&self, name: &str) -> Option<serde_json::Value> {
        let hits = serde_json::json!({"type": "object", "properties": {"hits": {"type": "array"}}});
        self.tool_known(name).then_some(hits)
    }

    fn tools(&self) -> Vec<String> {
        ["tracker", "tracker.search", "unasked"]
            .map(str::to_owned)
            .to_vec()
    }

    fn agents(&self) -> Vec<String> {
        ["coder", "reviewer", "executor", "default"]
            .map(str::to_owned)
            .to_vec()
    }
}

/// A whole plan around its steps.
pub(super) fn plan(steps: &str) -> String {
    format!(
        "---\ntype: plan\nstatus: draft\nowner: me\n---\n# Title\n\n**Budget:** $9, 1h\n\n## Steps\n\n{steps}"
    )
}

pub(super) fn checked(text: &str) -> Checked {
    run(&parse(&Source::new("plan.md", text.into())), &TestWorkspace)
}

/// Asserts what one check says of a plan: per problem the text under the caret, the message and
/// the help, as `caret | message | help`.
#[track_caller]
pub(super) fn check(code: Code, text: &str, expected: &[&str]) {
    let found: Vec<String> = checked(text)
        .diagnostics
        .iter()
        .filter(|problem| problem.code == code)
        .map(|problem| {
            let caret = problem.span.slice(text);
            let help = problem.help.as_deref().unwrap_or("-");
            format!("{caret} | {} | {help}", problem.message)
        })
        .collect();
    assert_eq!(found, expected, "\n{text}");
}
