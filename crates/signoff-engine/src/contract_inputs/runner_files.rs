//! Files that a runner's own file names, such as the script behind `npm test` or what a Makefile includes: the contract's
//! text shows neither.

use std::collections::BTreeSet;

use signoff_plan::glob;

use super::{path_words, plain_path};

/// Files that say what a runner runs.
const RUNNER_FILES: [&str; 13] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "package.json",
    "composer.json",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    "tox.ini",
    "noxfile.py",
    "Rakefile",
];

/// Of these, the scripts alone are commands.
const WITH_SCRIPTS: [&str; 2] = ["package.json", "composer.json"];

/// Directories that are looked at, the highest first: each path is asked of git.
const MOST_FOLDERS: usize = 256;

/// A file that says what a runner runs, as it was before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerFile {
    pub path: String,
    pub text: String,
}

/// The paths at which such files may lie that name one of these: beside it and further up.
pub fn runner_files(changed: &[String]) -> BTreeSet<String> {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for path in changed.iter().map(|path| plain_path(path)) {
        folders.insert("");
        folders.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)));
    }
    let mut folders: Vec<&str> = folders.into_iter().collect();
    folders.sort_by_key(|folder| folder.matches('/').count());
    let names = |folder: &str| RUNNER_FILES.map(|name| join_path(folder, name));
    let highest = folders.into_iter().take(MOST_FOLDERS);
    highest.flat_map(names).collect()
}

/// Those of the changed files that one of these names.
pub fn called_files(runners: &[RunnerFile], changed: &[String]) -> Vec<String> {
    let mut named = BTreeSet::new();
    let mut patterns = Vec::new();
    for RunnerFile { path, text } in runners {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if WITH_SCRIPTS.contains(&name) {
            for script in scripts(text) {
                note_words(&script, folder, &mut named);
            }
        } else {
            note_words(text, folder, &mut named);
            let included = text.lines().filter_map(included_patterns).flatten();
            patterns.extend(included.map(|pattern| join_path(folder, plain_path(pattern))));
        }
    }
    let is_included = |path: &str| patterns.iter().any(|pattern| glob::matches(pattern, path));
    let is_named =
        |path: &&String| named.contains(plain_path(path)) || is_included(plain_path(path));
    changed.iter().filter(is_named).cloned().collect()
}

/// The patterns of a line of a Makefile that includes other ones.
fn included_patterns(line: &str) -> Option<impl Iterator<Item = &str>> {
    let mut words = line.split_whitespace();
    let first = words
        .next()
        .filter(|word| !line.starts_with('\t') && !word.is_empty())?;
    matches!(first, "include" | "-include" | "sinclude")
        .then(|| words.filter(|word| word.contains(['*', '?'])))
}

/// The commands of `scripts` in JSON.
fn scripts(text: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(whole)) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let Some(serde_json::Value::Object(scripts)) = whole.get("scripts") else {
        return Vec::new();
    };
    let lists = scripts.values().map(|value| match value.as_array() {
        Some(lines) => lines.iter().collect(),
        None => vec![value],
    });
    let lines = lists.flatten().filter_map(serde_json::Value::as_str);
    lines.map(str::to_owned).collect()
}

/// Notes every stretch of a text that could be a path, from the root.
fn note_words(text: &str, folder: &str, named: &mut BTreeSet<String>) {
    for word in path_words(text) {
        named.insert(join_path(folder, plain_path(word)));
        // A command may change the directory first.
        named.insert(plain_path(word).to_owned());
    }
}

fn join_path(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, changed: &[&str], expected: &[&str]) {
        let changed: Vec<String> = changed.iter().map(|&one| one.to_owned()).collect();
        assert!(runner_files(&changed).contains(path), "{path}");
        let runner = RunnerFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(called_files(&[runner], &changed), expected, "{text}");
    }

    #[test]
    fn what_a_runner_s_file_names_is_called() {
        let makefile = "-include local.inc\ntest: build\n\tsh ./scripts/test.sh $(SRC)\n";
        check(
            "Makefile",
            makefile,
            &["local.inc", "scripts/test.sh", "src/a.c"],
            &["local.inc", "scripts/test.sh"],
        );
        check(
            "web/Makefile",
            makefile,
            &["web/local.inc"],
            &["web/local.inc"],
        );
        check(
            "Makefile",
            "-include conf.d/*.inc\nclean:\n\trm -f src/*.o\n",
            &["conf.d/a.inc", "src/a.o"],
            &["conf.d/a.inc"],
        );
        let package =
            r#"{"main": "index.js", "scripts": {"test": "node scripts/run.js && sh ci.sh"}}"#;
        check(
            "package.json",
            package,
            &["index.js", "scripts/run.js", "ci.sh"],
            &["scripts/run.js", "ci.sh"],
        );
        check(
            "composer.json",
            r#"{"scripts": {"test": ["php t.php"]}}"#,
            &["t.php"],
            &["t.php"],
        );
        check("package.json", "not JSON", &["index.js"], &[]);
    }
}
