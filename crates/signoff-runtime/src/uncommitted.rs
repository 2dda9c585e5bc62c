//! What in the checkout no commit has yet: agents work on it, and a person should know.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use signoff_sandbox::{Command, How, Limits, Sandbox, Stdin};
use signoff_work::environment::path_outside;

use crate::project::Project;

/// A person waits: where git takes longer, nothing is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Settings of the repository that would start programs, and those that would write.
pub const PRECAUTIONS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "protocol.file.allow=never",
    "gc.auto=0",
];

/// Paths that differ from the last commit or are not in it, in git's order; `None` where there is no
/// git, no repository, or no answer.
pub fn uncommitted(project: &Project) -> Option<Vec<String>> {
    let workspace = project.store.workspace();
    // Most of the time there is nothing to start a process for.
    workspace
        .ancestors()
        .find(|above| above.join(".git").exists())?;
    let sandbox = Sandbox::new().ok()?;
    let ended = sandbox.run(status(project, workspace)).ok()?;
    if !matches!(ended.how, How::Exited(0)) || ended.stdout.is_cut() {
        return None;
    }
    Some(paths(&ended.stdout.text()))
}

fn status(project: &Project, workspace: &Path) -> Command {
    let mut argv: Vec<OsString> = vec!["git".into()];
    for setting in PRECAUTIONS {
        argv.extend(["-c".into(), setting.into()]);
    }
    let words = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
        "--",
        ".",
        ":(exclude,top).signoff",
    ];
    argv.extend(words.map(OsString::from));
    Command {
        argv,
        cwd: workspace.to_owned(),
        env: environment(project, workspace),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(PATIENCE),
            output: 4 << 20,
            log: 0,
        },
        log: None,
        policy: None,
    }
}

/// The person's own, without what points git elsewhere.
fn environment(project: &Project, workspace: &Path) -> Vec<(OsString, OsString)> {
    let kept = ["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"];
    let variables = project.around.variables.iter();
    let own = variables.filter(|(name, _)| kept.map(OsStr::new).contains(&name.as_os_str()));
    let mut env: Vec<(OsString, OsString)> = own
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // A `git` in the tree that agents write to is nobody's git.
    env.push((
        "PATH".into(),
        path_outside(&project.around.path(), workspace),
    ));
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
    ] {
        env.push((name.into(), value.into()));
    }
    env
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
