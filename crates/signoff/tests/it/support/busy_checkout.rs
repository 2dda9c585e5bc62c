//! A repository whose person is in the middle of something, and what of it a run may never touch.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use signoff_testkit::{Project, Script};

use crate::support::project;

/// Runs a line of bash in the checkout, which must succeed, and returns what it printed.
#[track_caller]
pub(crate) fn shell(project: &Project, line: &str) -> String {
    let output = project.bash(line, &project.path());
    output.assert_success().stdout.clone()
}

/// A project in a repository with these files committed, trusted and signed; its runs work on trees of their own.
/// `OUTSIDE` in the plan and the script is a directory beside the project that agents and contracts can write to.
pub(crate) fn repository(script: &Script, plan: &str, files: &[(&str, &str)]) -> Project {
    let project = project(script, plan).on_trees();
    let outside = project.outside("");
    for path in [
        project.path().join("plan.md"),
        project.outside("script.json"),
    ] {
        let text = std::fs::read_to_string(&path).expect("it was just written");
        let text = text.replace("OUTSIDE/", &outside.to_string_lossy());
        std::fs::write(&path, text).expect("the folder is ours");
    }
    for (path, text) in files {
        project.write(path, text);
    }
    shell(
        &project,
        "git init -q -b main . && git config user.name u && git config user.email u@x && \
         echo /plan.md >> .git/info/exclude && git add . ':!.signoff' && git commit -qm start",
    );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// Changes of every kind that are not committed, and a stash.
pub(crate) fn in_the_middle_of_something(project: &Project) {
    shell(
        project,
        "echo stashed >> mine.txt && git stash -q && \
         echo changed >> mine.txt && echo staged > staged.txt && git add staged.txt && \
         echo further >> staged.txt && echo new > untracked.txt && chmod +x untracked.txt && \
         mkdir -p ignored && echo secret > ignored/file && git rm -q --cached gone.txt && rm gone.txt && \
         ln -s mine.txt link && echo half >> half.txt && git add half.txt && echo other >> half.txt",
    );
}

/// Files for [`in_the_middle_of_something`].
pub(crate) const MINE: [(&str, &str); 4] = [
    ("mine.txt", "mine\n"),
    ("half.txt", "half\n"),
    ("gone.txt", "gone\n"),
    (".gitignore", "ignored/\n"),
];

/// What git and the file system say of the checkout, apart from the plan's marks and the store.
pub(crate) fn picture(project: &Project) -> BTreeMap<String, String> {
    let mut picture = BTreeMap::new();
    files(&project.path(), Path::new(""), &mut picture);
    for (name, line) in [
        ("HEAD", "git rev-parse HEAD && git symbolic-ref HEAD"),
        ("index", "git ls-files --stage"),
        (
            "status",
            "git status --porcelain=v2 -uall -- . ':!.signoff'",
        ),
        ("stash", "git stash list --format=%H"),
        ("config", "cat .git/config .git/info/exclude; ls .git/hooks"),
        (
            "refs",
            "git for-each-ref --format='%(refname) %(objectname)' | grep -v signoff/ || :",
        ),
    ] {
        picture.insert(format!("git {name}"), shell(project, line));
    }
    picture
}

fn files(root: &Path, below: &Path, picture: &mut BTreeMap<String, String>) {
    let entries = std::fs::read_dir(root.join(below)).expect("it is a directory");
    for entry in entries {
        let entry = entry.expect("it can be read");
        let path = below.join(entry.file_name());
        let name = path.to_string_lossy().into_owned();
        if [".git", ".signoff", "plan.md"].contains(&name.as_str()) {
            continue;
        }
        let kind = entry.file_type().expect("it was just seen");
        if kind.is_dir() {
            files(root, &path, picture);
        } else if kind.is_symlink() {
            let to = std::fs::read_link(entry.path()).expect("a link");
            picture.insert(name, format!("-> {}", to.display()));
        } else {
            let bytes = std::fs::read(entry.path()).expect("it can be read");
            let mode = entry.metadata().expect("it is there").permissions().mode();
            let text = String::from_utf8_lossy(&bytes);
            picture.insert(name, format!("{mode:o} {text}"));
        }
    }
}

/// What is another in two pictures, for people.
pub(crate) fn difference(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> String {
    let mut report = String::new();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (before, after) = (before.get(name), after.get(name));
        if before != after {
            write!(report, "{name}:\n- {before:?}\n+ {after:?}\n").expect("a string");
        }
    }
    report
}

/// The attempts that the history has commits of, since this commit, from the first to the last.
pub(crate) fn attempts(project: &Project, since: &str, to: &str) -> Vec<String> {
    let format = "--format=%(trailers:key=Signoff-Attempt,valueonly,separator=%x2C)";
    let log = shell(
        project,
        &format!("git log --reverse '{format}' {since}..{to}"),
    );
    log.lines().map(str::to_owned).collect()
}

/// The steps of those attempts.
pub(crate) fn steps_of(attempts: &[String]) -> Vec<&str> {
    attempts
        .iter()
        .map(|attempt| attempt.split('/').nth(1).unwrap_or("none"))
        .collect()
}

/// Nothing of a run is left: no worktree, no branch, no name, no lock, no process.
#[track_caller]
pub(crate) fn nothing_left(project: &Project, what: &str) {
    let refs = shell(
        project,
        "git for-each-ref --format='%(refname)' | grep signoff || :",
    );
    assert_eq!(refs, "", "{what}");
    no_trees_left(project, what);
}

/// Nothing but names in the repository is left, by which `undo` and a person find what a run did to files.
#[track_caller]
pub(crate) fn no_trees_left(project: &Project, what: &str) {
    let locks = shell(
        project,
        "find .git -name '*.lock'; git worktree list | tail -n +2",
    );
    assert_eq!(locks, "", "{what}");
    let trees = project.home().join(".local/share/signoff/worktrees");
    let left: Vec<_> = std::fs::read_dir(trees).into_iter().flatten().collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    let processes = project.processes();
    assert!(processes.is_empty(), "{what}: {processes:#?}");
}
