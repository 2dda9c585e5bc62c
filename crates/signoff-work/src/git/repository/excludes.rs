//! What is ignored in a project that says nothing about it: without git, and without a `.gitignore`.
//!
//! Only what a tool makes again, and what can be gigabytes; never what a person may have written.

use std::fs;
use std::path::Path;

use crate::git::names::Name;

/// Directories that are ignored wherever they are, and why.
const FOLDERS: [(&str, &str); 13] = [
    ("node_modules", "installed by npm, pnpm, yarn or bun"),
    (".venv", "a virtual environment of Python"),
    ("venv", "a virtual environment of Python"),
    ("__pycache__", "compiled by Python"),
    (".tox", "environments of tox"),
    (".nox", "environments of nox"),
    (".mypy_cache", "a cache of mypy"),
    (".pytest_cache", "a cache of pytest"),
    (".ruff_cache", "a cache of ruff"),
    (".gradle", "a cache of Gradle"),
    (".terraform", "providers that Terraform downloaded"),
    (".direnv", "environments of direnv"),
    (".hg", "the repository of Mercurial"),
];

/// What programs of agents install in a project for themselves, in every project. Each writes a `.gitignore` that says so, and
/// that ignores itself: no tree has it.
pub(crate) const INSTALLED_BY_AGENTS: &str = "\
# opencode, for plugins of the project
.opencode/node_modules/
.opencode/package.json
.opencode/package-lock.json
.opencode/bun.lock
.opencode/.gitignore
";

/// How deep a `Cargo.toml` is looked for.
const DEEPEST: usize = 4;

/// The rules, as lines of a `.gitignore`.
pub(crate) fn default_excludes(workspace: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for (folder, why) in FOLDERS {
        text.extend(format!("# {why}\n{folder}/\n").into_bytes());
    }
    text.extend_from_slice(b"# built by cargo\n");
    let mut targets = Vec::new();
    cargo_targets(workspace, &Name::new(), DEEPEST, &mut targets);
    for target in targets {
        text.extend(pattern(&target));
    }
    text
}

/// `target` beside each `Cargo.toml`: elsewhere the name may mean anything.
fn cargo_targets(folder: &Path, prefix: &Name, depth: usize, found: &mut Vec<Name>) {
    if folder.join("Cargo.toml").is_file() {
        found.push([prefix, &b"target"[..]].concat());
    }
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_encoded_bytes();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_ignored = FOLDERS.iter().any(|(other, _)| other.as_bytes() == name);
        let is_other = name.starts_with(b".") || name == b"target";
        if is_folder && !is_ignored && !is_other {
            let prefix = [prefix, &name[..], b"/"].concat();
            cargo_targets(&entry.path(), &prefix, depth, found);
        }
    }
}

/// A line that ignores exactly this path. A line feed in it cannot be written, but any one character can.
pub(crate) fn pattern(name: &[u8]) -> Vec<u8> {
    let mut line = b"/".to_vec();
    for byte in name {
        match byte {
            b'\n' | b'\r' => line.push(b'?'),
            b'*' | b'?' | b'[' | b'\\' | b' ' => line.extend([b'\\', *byte]),
            _ => line.push(*byte),
        }
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_targets_of_cargo_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        for crate_folder in ["", "crates/one", "node_modules/x", "a/b/c/d/e"] {
            let path = folder.path().join(crate_folder);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("Cargo.toml"), "").unwrap();
        }
        fs::create_dir(folder.path().join("docs")).unwrap();
        let text = String::from_utf8(default_excludes(folder.path())).unwrap();
        let targets: Vec<&str> = text
            .lines()
            .filter(|line| line.ends_with("target"))
            .collect();
        assert_eq!(targets, ["/target", "/crates/one/target"]);
        assert!(text.lines().any(|line| line == "node_modules/"));
    }

    #[test]
    fn a_pattern_means_one_path() {
        for (name, line) in [
            ("target", "/target\n"),
            ("#a/!b", "/#a/!b\n"),
            ("a*[b] ", "/a\\*\\[b]\\ \n"),
            ("a\nb", "/a?b\n"),
        ] {
            assert_eq!(pattern(name.as_bytes()), line.as_bytes());
        }
    }
}
