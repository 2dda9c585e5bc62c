//! Which files of a tree a command names.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use signoff_plan::shell::analyse;

/// What a command names in a tree, as paths from its root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedFiles {
    /// Files that it runs, or may run.
    pub files: BTreeSet<String>,
    /// Directories, and data that is meant to change: nothing holds these to what they were.
    pub not_covered: BTreeSet<String>,
}

/// Files that a program reads from its working directory although no argument names them.
const IMPLIED: [(&[&str], &[&str]); 5] = [
    (
        &["npm", "npx", "pnpm", "yarn", "bun", "bunx"],
        &["package.json"],
    ),
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["uv", "poetry", "pdm", "hatch"], &["pyproject.toml"]),
    (&["deno"], &["deno.json", "deno.jsonc"]),
];

/// Programs that look for others in `node_modules/.bin`.
const NODE_RUNNERS: [&str; 6] = ["npx", "npm", "pnpm", "yarn", "bun", "bunx"];

/// What interpreters find where a directory, or a name without its ending, is given.
const ENDINGS: [&str; 5] = ["js", "mjs", "cjs", "ts", "py"];
const ENTRIES: [&str; 6] = [
    "package.json",
    "index.js",
    "index.mjs",
    "index.ts",
    "__main__.py",
    "__init__.py",
];

/// Data that a program is given to change.
const DATA: [&str; 5] = ["db", "sqlite", "sqlite3", "log", "lock"];

/// Shells, whose argument may be a text of commands.
pub(crate) const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// What a program and its arguments name.
pub fn named_by_words(words: &[String], tree: &Path) -> NamedFiles {
    let mut named = NamedFiles::default();
    let Some(first) = words.first() else {
        return named;
    };
    let program = first.rsplit('/').next().unwrap_or(first);
    if first.contains('/') {
        named.add(first, tree);
    }
    let implied = IMPLIED.iter().filter(|(names, _)| names.contains(&program));
    for file in implied.flat_map(|(_, files)| files.iter()) {
        named.add(file, tree);
    }
    let arguments = words.get(1..).unwrap_or_default();
    for (at, word) in arguments.iter().enumerate() {
        named.add_argument(word, tree);
        if NODE_RUNNERS.contains(&program) && !word.starts_with('-') {
            named.add(&format!("node_modules/.bin/{word}"), tree);
        }
        let before = at.checked_sub(1).and_then(|at| arguments.get(at));
        let is_after = |option: &str| before.is_some_and(|before| before == option);
        if program.starts_with("python") && is_after("-m") {
            named.add_module(word, tree);
        }
        if SHELLS.contains(&program) && word.contains(char::is_whitespace) {
            named.merge(named_by_line(word, tree));
        }
    }
    named
}

/// What a line of shell names.
pub fn named_by_line(line: &str, tree: &Path) -> NamedFiles {
    let mut named = NamedFiles::default();
    let analysis = analyse(line);
    let called = analysis.commands.iter().chain(&analysis.files);
    let words = called.map(|word| word.value.as_str());
    // Every stretch without a space as well: what the analysis leaves out is still named.
    let plain = line.split(|c: char| c.is_whitespace() || "\"'`;|&()<>".contains(c));
    let outputs = outputs(line);
    let all = words.chain(plain).filter(|word| !outputs.contains(word));
    let all: Vec<String> = all.map(str::to_owned).collect();
    for (at, word) in all.iter().enumerate() {
        named.add_argument(word, tree);
        // Each may be a program with what follows it.
        if !word.contains(char::is_whitespace) {
            let end = all.len().min(at + 3);
            named.merge(named_by_words(&all[at..end], tree));
        }
    }
    named
}

/// What stands behind a `>`: it is written, not run.
fn outputs(line: &str) -> BTreeSet<&str> {
    let targets = line.split('>').skip(1).filter_map(|rest| {
        let mut words = rest.split(|c: char| c.is_whitespace() || "\"'`;|&()<".contains(c));
        words.find(|word| !word.is_empty())
    });
    targets.collect()
}

impl NamedFiles {
    /// Adds what another command names.
    pub fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.not_covered.extend(other.not_covered);
    }

    /// A word, and what stands behind the `=` of an option.
    fn add_argument(&mut self, word: &str, tree: &Path) {
        self.add(word, tree);
        if let Some((_, value)) = word.split_once('=') {
            self.add(value, tree);
        }
    }

    fn add(&mut self, word: &str, tree: &Path) {
        let Some(path) = path_inside(word, tree) else {
            return;
        };
        let found = tree.join(&path);
        if found.is_dir() {
            self.add_entries(&path, tree);
            self.not_covered.insert(format!("{path}/"));
        } else if found.symlink_metadata().is_ok() {
            let ending = Path::new(&path)
                .extension()
                .and_then(|ending| ending.to_str());
            let is_data = ending.is_some_and(|ending| DATA.contains(&ending));
            let list = if is_data {
                &mut self.not_covered
            } else {
                &mut self.files
            };
            list.insert(path);
        } else {
            let endings = ENDINGS.map(|ending| format!("{path}.{ending}"));
            let there = endings.into_iter().filter(|file| tree.join(file).is_file());
            self.files.extend(there);
        }
    }

    /// What runs where a directory is given.
    fn add_entries(&mut self, directory: &str, tree: &Path) {
        let entries = ENTRIES.map(|entry| format!("{directory}/{entry}"));
        let there = entries.into_iter().filter(|file| tree.join(file).is_file());
        self.files.extend(there);
    }

    /// What `python -m` takes from the directory before anything that is installed.
    fn add_module(&mut self, module: &str, tree: &Path) {
        let parts: Vec<&str> = module.split('.').collect();
        for end in 1..=parts.len() {
            let path = parts[..end].join("/");
            if tree.join(&path).is_dir() {
                self.add_entries(&path, tree);
            }
            if tree.join(format!("{path}.py")).is_file() {
                self.files.insert(format!("{path}.py"));
            }
        }
    }
}

/// A word as a path from the tree's root, if it is one that stays inside.
fn path_inside(word: &str, tree: &Path) -> Option<String> {
    if word.is_empty() || word.contains(['\0', '\n', '{']) {
        return None;
    }
    let mut plain = PathBuf::new();
    for part in tree.join(word).components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    let below = plain.strip_prefix(tree).ok()?;
    let below = below.to_str().filter(|below| !below.is_empty())?;
    Some(below.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FILES: [&str; 12] = [
        "notify.sh",
        "tools/server.js",
        "tools/index.js",
        "tools/lib.js",
        "pkg/__init__.py",
        "pkg/serve.py",
        "http.py",
        "data/app.db",
        "package.json",
        "node_modules/.bin/serve",
        "Makefile",
        "mcp.json",
    ];

    fn check(words: &[&str], files: &[&str], not_covered: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        for file in FILES {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let root = dir.path().display().to_string();
        let words: Vec<String> = words
            .iter()
            .map(|word| word.replace("ROOT", &root))
            .collect();
        let found = named_by_words(&words, dir.path());
        let shown = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
        assert_eq!(shown(&found.files), files, "{words:?}");
        assert_eq!(shown(&found.not_covered), not_covered, "{words:?}");
    }

    #[test]
    fn files_that_a_command_runs() {
        check(&["./notify.sh", "hello"], &["notify.sh"], &[]);
        check(&["ROOT/notify.sh"], &["notify.sh"], &[]);
        check(&["node", "tools/server.js"], &["tools/server.js"], &[]);
        check(
            &["node", "tools/../tools/server"],
            &["tools/server.js"],
            &[],
        );
        check(&["node", "tools"], &["tools/index.js"], &["tools/"]);
        check(&["serve", "--config=mcp.json"], &["mcp.json"], &[]);
        check(
            &["python3", "-m", "pkg.serve"],
            &["pkg/__init__.py", "pkg/serve.py"],
            &[],
        );
        check(&["python", "-m", "http.server"], &["http.py"], &[]);
        check(
            &["npx", "-y", "serve"],
            &["node_modules/.bin/serve", "package.json"],
            &[],
        );
        check(&["make", "notify"], &["Makefile"], &[]);
    }

    #[test]
    fn files_that_a_shell_text_names() {
        check(&["sh", "-c", "./notify.sh | cat"], &["notify.sh"], &[]);
        check(
            &["sh", "-c", "./notify.sh >> mcp.json 2>tools/lib.js"],
            &["notify.sh"],
            &[],
        );
        check(
            &["bash", "-c", "cd x && node tools/server.js"],
            &["tools/server.js"],
            &[],
        );
        check(
            &["sh", "-c", "exec python3 -m pkg.serve"],
            &["pkg/__init__.py", "pkg/serve.py"],
            &[],
        );
    }

    #[test]
    fn what_changes_by_itself_is_said_not_to_be_covered() {
        check(&["sqlite-server", "data/app.db"], &[], &["data/app.db"]);
    }

    #[test]
    fn other_words_name_nothing() {
        check(&["notify.sh"], &[], &[]);
        check(
            &["agent", "-p", "{task}", "../x", "/etc/passwd", ""],
            &[],
            &[],
        );
    }
}
