//! The uncommitted files of the checkout: agents work on them, and a person should know.

use std::path::Path;

use signoff_sandbox::{Command, ExitStatus, Sandbox};
use signoff_work::git::LARGEST_OF_PERSON;

use super::Project;
use super::careful_git::{Environment, careful_environment, git_command};

/// Paths that differ from the last commit or are not in it, in git's order; `None` where there is no
/// git, no repository, or no answer.
pub fn uncommitted_files(project: &Project) -> Option<Vec<String>> {
    let workspace = project.store.workspace();
    // Most of the time there is nothing to start a process for.
    workspace
        .ancestors()
        .find(|above| above.join(".git").exists())?;
    let sandbox = Sandbox::new().ok()?;
    let env = careful_environment(&sandbox, &project.process, workspace).ok()??;
    let ended = sandbox.run(status(workspace, env)).ok()?;
    if !matches!(ended.status, ExitStatus::Exited(0)) || ended.stdout.is_cut() {
        return None;
    }
    Some(paths(&ended.stdout.text()))
}

/// Those of these paths that no run looks at: files that git does not know and that are too large to be read.
pub fn left_out(project: &Project, uncommitted: &[String]) -> Vec<String> {
    let workspace = project.store.workspace();
    let is_large = |path: &&String| {
        let found = workspace.join(path).symlink_metadata();
        found.is_ok_and(|found| found.is_file() && found.len() > LARGEST_OF_PERSON)
    };
    uncommitted.iter().filter(is_large).cloned().collect()
}

fn status(workspace: &Path, env: Environment) -> Command {
    let words = [
        "git",
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
        "--",
        ".",
        ":(exclude,top).signoff",
    ];
    git_command(&words, workspace, env)
}

/// `XY PATH`, and for what was moved its old path after it; each ends in NUL.
fn paths(listing: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut entries = listing.split('\0').filter(|entry| !entry.is_empty());
    while let Some(entry) = entries.next() {
        let (state, path) = entry.split_at_checked(3).unwrap_or(("", entry));
        if state.contains(['R', 'C']) {
            entries.next();
        }
        found.push(path.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn every_entry_is_one_path() {
        assert_eq!(
            paths(" M a b.rs\0R  new.rs\0old.rs\0?? dir/\0UU ä.txt\0"),
            ["a b.rs", "new.rs", "dir/", "ä.txt"]
        );
        assert!(paths("").is_empty());
    }
}
