//! The coding agents that people have, from npm, for tests against the model of `signoff-stub`.

use std::path::{Path, PathBuf};

use crate::invocation::{cache, target};
use crate::npm::{self, Scripts};

/// Tells the tests where the agents are: `$SIGNOFF_TEST_AGENTS/claude` is a program, if it could be installed.
pub(crate) const VARIABLE: &str = "SIGNOFF_TEST_AGENTS";

/// The newest versions that run on Node 20.
const AGENTS: [AgentCli; 5] = [
    AgentCli {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        version: "2.1.197",
        scripts: Scripts::Needed,
        quick: true,
    },
    AgentCli {
        name: "gemini",
        package: "@google/gemini-cli",
        version: "0.61.0",
        scripts: Scripts::Ignored,
        quick: true,
    },
    AgentCli {
        name: "pi",
        package: "@earendil-works/pi-coding-agent",
        version: "0.74.2",
        scripts: Scripts::Ignored,
        quick: true,
    },
    AgentCli {
        name: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        scripts: Scripts::Needed,
        quick: false,
    },
    AgentCli {
        name: "codex",
        package: "@openai/codex",
        version: "0.166.0",
        scripts: Scripts::Ignored,
        quick: false,
    },
];

struct AgentCli {
    /// Of its program.
    name: &'static str,
    package: &'static str,
    version: &'static str,
    scripts: Scripts,
    /// Small enough for `cargo xtask test`.
    quick: bool,
}

/// Which agents are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    Quick,
    All,
}

/// Installs the agents that are missing and returns the directory with their programs. Without npm or a
/// registry the tests against them are skipped, and that is reported where it is not overlooked.
pub(crate) fn install(selection: Selection) -> Result<PathBuf, String> {
    let packages = cache()?.join("agents");
    let programs = target().join("agents");
    create(&programs)?;
    for agent in selected_agents(selection) {
        if let Err(reason) = agent.install(&packages, &programs) {
            let AgentCli { name, version, .. } = agent;
            println!("── NOT TESTED: the agent `{name}` {version}: {reason}");
        }
    }
    Ok(programs)
}

/// Where the package of an agent was installed.
pub(crate) fn package_directory(name: &str) -> Result<PathBuf, String> {
    let agent = AGENTS.iter().find(|agent| agent.name == name);
    let agent = agent.ok_or_else(|| format!("`{name}` is not an agent"))?;
    let directory = agent.directory(&cache()?.join("agents"));
    if directory.is_dir() {
        return Ok(directory);
    }
    Err(format!("the agent `{name}` is not installed"))
}

fn selected_agents(selection: Selection) -> impl Iterator<Item = &'static AgentCli> {
    AGENTS
        .iter()
        .filter(move |agent| agent.quick || selection == Selection::All)
}

impl AgentCli {
    fn directory(&self, packages: &Path) -> PathBuf {
        packages.join(format!("{}-{}", self.name, self.version))
    }

    /// Installs the package where all clones find it, and links its program where the tests of this clone look.
    fn install(&self, packages: &Path, programs: &Path) -> Result<(), String> {
        let link = programs.join(self.name);
        // An older version must not be taken for this one.
        remove_link(&link)?;
        let directory = self.directory(packages);
        let what = format!("the agent `{}`", self.name);
        let package = format!("{}@{}", self.package, self.version);
        npm::install(&what, &[&package], self.scripts, &directory)?;
        let program = directory.join("node_modules/.bin").join(self.name);
        if !program.exists() {
            return Err(format!("{} is not there", program.display()));
        }
        std::os::unix::fs::symlink(&program, &link)
            .map_err(|error| format!("{}: {error}", link.display()))
    }
}

fn create(directory: &Path) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))
}

fn remove_link(link: &Path) -> Result<(), String> {
    match std::fs::remove_file(link) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", link.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_ones_are_few_and_the_soak_has_all() {
        let names =
            |selection| -> Vec<_> { selected_agents(selection).map(|agent| agent.name).collect() };
        assert_eq!(names(Selection::Quick), ["claude", "gemini", "pi"]);
        assert_eq!(names(Selection::All).len(), AGENTS.len());
    }

    #[test]
    fn scripts_run_only_where_needed() {
        let needed = AGENTS
            .iter()
            .filter(|agent| agent.scripts == Scripts::Needed);
        let needed: Vec<_> = needed.map(|agent| agent.name).collect();
        assert_eq!(needed, ["claude", "opencode"]);
    }

    /// What an earlier version left is gone even where the new one cannot be installed.
    #[test]
    fn an_old_link_never_stays() {
        let directory = std::env::temp_dir().join(format!("agent-clis-{}", std::process::id()));
        let packages = directory.join("packages");
        let programs = directory.join("programs");
        let [claude, ..] = &AGENTS;
        // A package without its program, as after a broken release.
        create(&packages.join(format!("claude-{}", claude.version))).expect("a directory");
        create(&programs).expect("a directory");
        let link = programs.join("claude");
        std::os::unix::fs::symlink("/bin/sh", &link).expect("a link");
        let refused = claude.install(&packages, &programs);
        assert!(refused.is_err_and(|reason| reason.ends_with("is not there")));
        assert!(link.symlink_metadata().is_err());
        std::fs::remove_dir_all(&directory).expect("it is removed");
    }
}
