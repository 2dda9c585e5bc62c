//! A workspace that knows exactly what it is told.

use std::collections::BTreeSet;

use signoff_plan::Workspace;
use signoff_plan::diagnostic::Diagnostic;
use signoff_plan::source::Source;

#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) paths: BTreeSet<&'static str>,
    pub(crate) topics: BTreeSet<&'static str>,
    pub(crate) commands: BTreeSet<&'static str>,
    pub(crate) agents: BTreeSet<&'static str>,
}

/// `line:column severity[code] message`, one per problem.
pub(crate) fn reported(source: &Source, problems: &[Diagnostic]) -> Vec<String> {
    let line = |problem: &Diagnostic| {
        let (line, column) = source.line_column(problem.span.start);
        format!(
            "{line}:{column} {}[{}] {}",
            problem.severity, problem.code, problem.message
        )
    };
    problems.iter().map(line).collect()
}

impl World {
    /// The workspace that the seed's examples are written for.
    pub(crate) fn of_the_seed() -> Self {
        Self {
            paths: [
                "src/auth/handler.py",
                "src/auth/middleware.py",
                "src/app.py",
                "requirements.txt",
            ]
            .into(),
            topics: ["fix-auth-timeout"].into(),
            commands: ["wc", "uv", "gh", "grep", "awk"].into(),
            agents: ["coder", "reviewer"].into(),
        }
    }
}

impl Workspace for World {
    fn path_exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn topic_exists(&self, name: &str) -> bool {
        self.topics.contains(name)
    }

    fn command_exists(&self, name: &str) -> bool {
        self.commands.contains(name)
    }

    fn agent_exists(&self, name: &str) -> bool {
        self.agents.contains(name)
    }

    fn agents(&self) -> Vec<String> {
        self.agents
            .iter()
            .map(|agent| (*agent).to_owned())
            .collect()
    }
}
