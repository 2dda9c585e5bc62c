//! Where a command line runs git: a directory may be a repository whose own settings name programs.

use serde_json::Value;

use crate::shell::{Invocation, programs};

/// How agents call the directory that a command begins in.
const DIRECTORY_KEYS: [&str; 6] = [
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "working_directory",
    "workingDirectory",
];

/// Commands that change the directory of those behind them.
const CHANGING: [&str; 2] = ["cd", "pushd"];

/// Where git may run, each relative to the session's directory or to one before it: none if git does not run at all.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GitDirectories {
    NoGit,
    Known(Vec<String>),
    /// The text does not tell.
    Unknown,
}

/// Finds them in a command line and the other arguments of its call.
pub(super) fn git_directories(text: &str, input: &Value) -> GitDirectories {
    let invocations = programs(text).invocations;
    if !invocations.iter().any(is_git) {
        return GitDirectories::NoGit;
    }
    let given = DIRECTORY_KEYS.iter().filter_map(|key| input.get(key));
    let given = given.filter(|value| !value.is_null());
    let given = given.map(|value| value.as_str().map(str::to_owned));
    let named = invocations.iter().flat_map(directories_of);
    let all: Option<Vec<String>> = given.chain(named).collect();
    all.map_or(GitDirectories::Unknown, GitDirectories::Known)
}

fn is_git(invocation: &Invocation) -> bool {
    invocation.program.rsplit('/').next() == Some("git")
}

/// The directories that an invocation changes to; `None` for one that cannot be told.
fn directories_of(invocation: &Invocation) -> Vec<Option<String>> {
    let arguments = &invocation.arguments;
    if CHANGING.contains(&invocation.program.as_str()) {
        let is_option = |word: &&Option<String>| word.as_ref().is_some_and(|w| w.starts_with('-'));
        let target = arguments.iter().find(|word| !is_option(word));
        // Home, or where it was before.
        return vec![target.cloned().unwrap_or_default()];
    }
    if !is_git(invocation) {
        return Vec::new();
    }
    let pairs = arguments.windows(2);
    let named = pairs.filter(|pair| {
        pair.first()
            .is_some_and(|word| word.as_deref() == Some("-C"))
    });
    let mut found: Vec<_> = named.map(|pair| pair.last().cloned().flatten()).collect();
    // A word that cannot be told may be the option itself.
    found.extend(arguments.first().filter(|word| word.is_none()).cloned());
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let expected = expected.iter().map(|&path| path.to_owned()).collect();
        let found = git_directories(text, &json!({}));
        assert_eq!(found, GitDirectories::Known(expected), "{text}");
    }

    #[test]
    fn every_directory_that_git_may_run_in_is_found() {
        check("git status", &[]);
        check("git -C a -C 'b c' log", &["a", "b c"]);
        check("cd x && timeout 5 /usr/bin/git log", &["x"]);
        check("(cd -P x; ls) | xargs git show", &["x"]);
        check("cd .. && git -C y diff | head", &["..", "y"]);
        let git = |text| git_directories(text, &json!({}));
        assert_eq!(git("ls x && cd y"), GitDirectories::NoGit);
        assert_eq!(git("git -C \"$HOME/x\" log"), GitDirectories::Unknown);
        assert_eq!(git("cd $(pwd) && git log"), GitDirectories::Unknown);
        let input = json!({"workdir": "sub", "timeout": 3});
        let known = GitDirectories::Known(vec!["sub".to_owned()]);
        assert_eq!(git_directories("git log", &input), known);
    }
}
