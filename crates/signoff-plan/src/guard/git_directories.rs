//! Where a command line runs git: a directory may be a repository whose own settings name programs.

use serde_json::Value;

use crate::shell::commands_read;

/// How agents call the directory that a command begins in.
const DIRECTORY_KEYS: [&str; 6] = [
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "working_directory",
    "workingDirectory",
];

/// Where git may run, each relative to the session's directory or to one before it: none if git does not run at all.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GitDirectories {
    NoGit,
    Known(Vec<String>),
    /// The text does not tell.
    Unknown,
}

/// Finds them in a command line that only reads, and in the other arguments of its call.
pub(super) fn git_directories(text: &str, input: &Value) -> GitDirectories {
    let commands = commands_read(text);
    let is_git = |word: &Option<String>| word.as_deref().is_some_and(is_git);
    // Behind `timeout`, `env` and the like, too.
    if !commands.iter().flatten().any(is_git) {
        return GitDirectories::NoGit;
    }
    let given = DIRECTORY_KEYS.iter().filter_map(|key| input.get(key));
    let given = given.filter(|value| !value.is_null());
    let given = given.map(|value| value.as_str().map(str::to_owned));
    let named = commands.iter().flat_map(|words| directories_of(words));
    let all: Option<Vec<String>> = given.chain(named).collect();
    all.map_or(GitDirectories::Unknown, GitDirectories::Known)
}

fn is_git(word: &str) -> bool {
    word.rsplit('/').next() == Some("git")
}

/// The directories that a command changes to; `None` for one that cannot be told.
fn directories_of(words: &[Option<String>]) -> Vec<Option<String>> {
    let changes = |word: &Option<String>| matches!(word.as_deref(), Some("cd" | "pushd"));
    if let Some(at) = words.iter().position(changes) {
        let is_option = |word: &&Option<String>| word.as_ref().is_some_and(|w| w.starts_with('-'));
        let mut targets = words.iter().skip(at + 1).filter(|word| !is_option(word));
        return match (targets.next(), targets.next()) {
            (Some(target), None) => vec![target.clone().filter(|path| !is_anothers_home(path))],
            // Home, or where it was before; zsh puts the second in the place of the first.
            (None, _) | (_, Some(_)) => vec![None],
        };
    }
    let pairs = words.windows(2);
    let named = pairs.filter(|pair| {
        pair.first()
            .is_some_and(|word| word.as_deref() == Some("-C"))
    });
    let paths = named.map(|pair| pair.last().cloned().flatten());
    paths
        .map(|path| path.filter(|path| !is_anothers_home(path)))
        .collect()
}

/// `~name`, which only the machine can tell.
fn is_anothers_home(path: &str) -> bool {
    let behind = path.strip_prefix('~');
    behind.is_some_and(|behind| !behind.is_empty() && !behind.starts_with('/'))
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
        check("cd a; cd b; x=$(git log)", &["a", "b"]);
        check("git -C a -C 'b c' log", &["a", "b c"]);
        check("cd x && timeout 5 /usr/bin/git log", &["x"]);
        check("(cd -P x; ls) | xargs git show", &["x"]);
        check("cd .. && git -C y diff | head", &["..", "y"]);
        let git = |text| git_directories(text, &json!({}));
        assert_eq!(git("ls x && cd y"), GitDirectories::NoGit);
        assert_eq!(git("git -C \"$HOME/x\" log"), GitDirectories::Unknown);
        assert_eq!(git("cd $(pwd) && git log"), GitDirectories::Unknown);
        assert_eq!(git("cd a b && git log"), GitDirectories::Unknown);
        assert_eq!(git("cd ~other/x && git log"), GitDirectories::Unknown);
        check("cd ~/x && git log", &["~/x"]);
        let input = json!({"workdir": "sub", "timeout": 3});
        let known = GitDirectories::Known(vec!["sub".to_owned()]);
        assert_eq!(git_directories("git log", &input), known);
    }
}
