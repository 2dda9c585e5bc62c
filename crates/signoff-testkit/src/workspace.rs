//! A workspace that exists only in memory, for the checks of plans.

use std::collections::BTreeSet;

use signoff_plan::Workspace;

/// Knows exactly what a test told it.
///
/// ```ignore
/// let workspace = MemoryWorkspace::new().path("src/lib.rs").command("cargo").agent("coder");
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryWorkspace {
    paths: BTreeSet<String>,
    topics: BTreeSet<String>,
    commands: BTreeSet<String>,
    agents: BTreeSet<String>,
}

impl MemoryWorkspace {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file or directory, and with it the directories it is in.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.paths.insert(path.to_owned());
        self
    }

    #[must_use]
    pub fn topic(mut self, name: &str) -> Self {
        self.topics.insert(name.to_owned());
        self
    }

    #[must_use]
    pub fn command(mut self, name: &str) -> Self {
        self.commands.insert(name.to_owned());
        self
    }

    /// Adds a role; the role `default` answers for every name.
    #[must_use]
    pub fn agent(mut self, name: &str) -> Self {
        self.agents.insert(name.to_owned());
        self
    }
}

impl Workspace for MemoryWorkspace {
    fn path_exists(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let holds = |known: &String| {
            known
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.is_empty() || path == "." || self.paths.iter().any(holds)
    }

    fn pattern_matches(&self, pattern: &str) -> bool {
        let matches = |path: &String| signoff_plan::glob::matches(pattern, path);
        self.paths.iter().any(matches)
    }

    fn topic_exists(&self, name: &str) -> bool {
        self.topics.contains(name)
    }

    fn command_exists(&self, name: &str) -> bool {
        self.commands.contains(name)
    }

    fn agent_exists(&self, name: &str) -> bool {
        self.agents.contains(name) || self.agents.contains("default")
    }

    fn agents(&self) -> Vec<String> {
        self.agents.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_brings_its_directories() {
        let workspace = MemoryWorkspace::new().path("src/parse/mod.rs");
        for path in ["src/parse/mod.rs", "src/parse", "src/", "./src", "."] {
            assert!(workspace.path_exists(path), "{path}");
        }
        for path in ["src/par", "parse", "src/lib.rs"] {
            assert!(!workspace.path_exists(path), "{path}");
        }
    }

    #[test]
    fn the_default_role_answers_for_every_name() {
        let named = MemoryWorkspace::new().agent("coder");
        assert!(named.agent_exists("coder") && !named.agent_exists("tester"));
        assert!(named.agent("default").agent_exists("tester"));
    }
}
