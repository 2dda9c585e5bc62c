//! What the files of a project tell about it: its languages, and how its tests are run.

use std::collections::BTreeMap;
use std::path::Path;

/// Languages that are named at most.
const NAMED: usize = 6;
/// Bytes of a file that is read.
const READ: usize = 1 << 20;

const LANGUAGES: [(&str, &[&str]); 20] = [
    ("Rust", &["rs"]),
    ("Python", &["py"]),
    ("TypeScript", &["ts", "tsx", "mts"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("Kotlin", &["kt", "kts"]),
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hpp"]),
    ("C#", &["cs"]),
    ("Ruby", &["rb"]),
    ("PHP", &["php"]),
    ("Swift", &["swift"]),
    ("Scala", &["scala"]),
    ("Elixir", &["ex", "exs"]),
    ("Haskell", &["hs"]),
    ("Shell", &["sh", "bash"]),
    ("SQL", &["sql"]),
    ("HTML", &["html"]),
    ("CSS", &["css", "scss"]),
];

/// The languages of these files, the most frequent first.
pub(super) fn languages(paths: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let known = LANGUAGES.iter().find(|(_, all)| all.contains(&ending));
        if let Some((language, _)) = known {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(language, count)| (std::cmp::Reverse(*count), *language));
    let names = counts.into_iter().take(NAMED);
    names.map(|(language, _)| language.to_owned()).collect()
}

/// Whether the text of a file says that there are tests.
type HasTests = fn(&str) -> bool;

/// Files, what must stand in them, and the command that they suggest.
const SUGGESTIONS: [(&str, HasTests, &str); 12] = [
    ("Cargo.toml", |_| true, "cargo test"),
    ("package.json", has_test_script, "npm test"),
    ("go.mod", |_| true, "go test ./..."),
    ("pytest.ini", |_| true, "python3 -m pytest"),
    (
        "pyproject.toml",
        |text| text.contains("pytest"),
        "python3 -m pytest",
    ),
    (
        "tox.ini",
        |text| text.contains("pytest"),
        "python3 -m pytest",
    ),
    ("Makefile", has_test_target, "make test"),
    ("pom.xml", |_| true, "mvn test"),
    ("gradlew", |_| true, "./gradlew test"),
    ("mix.exs", |_| true, "mix test"),
    (".rspec", |_| true, "bundle exec rspec"),
    ("phpunit.xml", |_| true, "vendor/bin/phpunit"),
];

/// Commands that run the project's tests, as far as its files tell.
pub(super) fn test_commands(workspace: &Path) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for (file, has_tests, command) in SUGGESTIONS {
        let Ok(bytes) = std::fs::read(workspace.join(file)) else {
            continue;
        };
        let text = String::from_utf8_lossy(bytes.get(..READ).unwrap_or(&bytes)).into_owned();
        if has_tests(&text) && !commands.iter().any(|known| known == command) {
            commands.push(command.to_owned());
        }
    }
    commands
}

fn has_test_script(text: &str) -> bool {
    let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let script = manifest
        .as_ref()
        .and_then(|manifest| manifest.get("scripts")?.get("test")?.as_str());
    // The test command that `npm init` writes always fails.
    script.is_some_and(|script| !script.contains("no test specified"))
}

fn has_test_target(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("test:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_named_by_how_often_they_occur() {
        let paths = ["a.py", "b.rs", "c.rs", "README", "d.unknown", "e.tsx"];
        let paths = paths.map(str::to_owned);
        assert_eq!(languages(&paths), ["Rust", "Python", "TypeScript"]);
    }

    #[test]
    fn commands_of_tests_follow_from_files() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(directory.path().join(name), text).unwrap();
        };
        write("Cargo.toml", "");
        write(
            "package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\""}}"#,
        );
        write("pytest.ini", "");
        write("tox.ini", "[pytest]");
        write("Makefile", "all:\n\ntest:\n\ttrue\n");
        let found = test_commands(directory.path());
        assert_eq!(found, ["cargo test", "python3 -m pytest", "make test"]);
    }
}
