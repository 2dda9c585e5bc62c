//! Files that a shell runs because a file that runs by itself names them: `source scripts/env.sh` in an `.envrc`.

use std::collections::BTreeSet;

use signoff_plan::links::end_of;
use signoff_plan::shell::{Invocation, Script, programs};

/// Directories whose files git runs, seen from the top of a project.
const HOOKS: [&str; 2] = [".husky", ".githooks"];
/// What runs in a directory that is entered, and in those below it.
const ENTERED: [&str; 2] = [".envrc", ".autoenv"];
/// Functions of direnv that read a file.
const READ: [&str; 4] = [
    "dotenv",
    "dotenv_if_exists",
    "source_env",
    "source_env_if_exists",
];

/// Where the files lie that may run these changed ones by themselves: files, and directories of hooks.
pub fn starting_places(changed: &[String], hooks: Option<&str>) -> BTreeSet<String> {
    let mut folders = BTreeSet::from([""]);
    for path in changed {
        folders.extend(path.match_indices('/').map(|(at, _)| &path[..=at]));
    }
    let entered = folders
        .into_iter()
        .flat_map(|folder| ENTERED.map(|name| format!("{folder}{name}")));
    let hooks = HOOKS.into_iter().chain(hooks).map(str::to_owned);
    entered.chain(hooks).collect()
}

/// What a file that a shell runs names literally, from its own directory and from the top.
pub fn named_by_script(file: &str, text: &str) -> BTreeSet<String> {
    let found = programs(text);
    let scripts = found
        .scripts
        .into_iter()
        .filter_map(|script| match script.value {
            Script::File(path) => Some(path),
            // What cannot be read off the text is not known.
            Script::Pattern(_) | Script::Module { .. } | Script::Unknown(_) => None,
        });
    let read = found.invocations.iter().flat_map(read_by_direnv);
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let paths = scripts
        .chain(read)
        .filter(|path| !path.starts_with('/'))
        .flat_map(|path| [format!("{folder}/{path}"), path]);
    // A path that leaves the project is none of its files.
    paths.filter_map(|path| end_of(&path, |_| None)).collect()
}

fn read_by_direnv(call: &Invocation) -> Vec<String> {
    let first = call.arguments.first().and_then(Option::as_deref);
    match (call.program.as_str(), first) {
        ("use", Some("flake")) => vec!["flake.nix".to_owned()],
        ("use", Some("nix")) => vec!["shell.nix".to_owned(), "default.nix".to_owned()],
        (program, Some(path)) if READ.contains(&program) => {
            vec![path.to_owned(), format!("{path}/.envrc")]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, text: &str, named: &[&str]) {
        let found = named_by_script(file, text);
        assert_eq!(found.iter().collect::<Vec<_>>(), named, "{text}");
    }

    #[test]
    fn what_a_shell_reads_or_runs_is_named() {
        check(".envrc", "source scripts/env.sh", &["scripts/env.sh"]);
        check(".envrc", ". ./env.sh\nuse flake", &["env.sh", "flake.nix"]);
        check(
            ".husky/pre-commit",
            "#!/bin/sh\nsh scripts/pre.sh && tools/check",
            &[
                ".husky/scripts/pre.sh",
                ".husky/tools/check",
                "scripts/pre.sh",
                "tools/check",
            ],
        );
        check(
            "web/.envrc",
            "source_env_if_exists ../local.env",
            &["local.env", "local.env/.envrc"],
        );
        check(".envrc", "export A=src/a.rs\nPATH_add bin\n. $X", &[]);
    }

    #[test]
    fn such_files_lie_above_and_where_git_looks() {
        let places = starting_places(&["a/b/c".to_owned()], Some("ci/hooks"));
        for place in [".envrc", "a/b/.envrc", ".husky", "ci/hooks"] {
            assert!(places.contains(place), "{place}");
        }
    }
}
