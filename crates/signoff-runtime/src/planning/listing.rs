//! The list of a project's files for the planner: without ignored files, and with counts where there are too many.

use std::collections::BTreeMap;
use std::path::Path;

use signoff_sandbox::{ExitStatus, Sandbox};

use crate::project::Project;
use crate::project::careful_git::{careful_environment, git_command};

/// Bytes of what git lists.
const LISTED_BYTES: u64 = 64 << 20;
/// Files that are looked at where there is no git.
const WALKED: usize = 20_000;
/// Directories that hold what others made, where no git says what is ignored.
const GENERATED: [&str; 7] = [
    "node_modules",
    "target",
    "build",
    "dist",
    "vendor",
    "venv",
    "__pycache__",
];

/// Paths of the files, from the workspace, sorted. Of a project without git, those that are probably its own.
pub(super) fn paths(project: &Project) -> Vec<String> {
    let workspace = project.store.workspace();
    let mut paths = listed_by_git(project).unwrap_or_else(|| walk_files(workspace));
    paths.sort();
    paths.dedup();
    paths
}

/// What git knows and what it would add.
fn listed_by_git(project: &Project) -> Option<Vec<String>> {
    let workspace = project.store.workspace();
    let mut above = workspace.ancestors();
    above.find(|above| above.join(".git").exists())?;
    let sandbox = Sandbox::new().ok()?;
    let env = careful_environment(&sandbox, &project.process, workspace).ok()??;
    let words = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        ".",
        ":(exclude,top).signoff",
    ];
    let mut command = git_command(&words, workspace, env);
    command.limits.output = LISTED_BYTES;
    let ended = sandbox.run(command).ok()?;
    let bytes = ended.stdout.bytes()?;
    let is_whole = matches!(ended.status, ExitStatus::Exited(0));
    let names = bytes
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    is_whole.then(|| names.map(readable_name).collect())
}

/// A name on one line, whatever is in it.
fn readable_name(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    if name.chars().any(char::is_control) {
        return name.escape_debug().to_string();
    }
    name.into_owned()
}

fn walk_files(workspace: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![workspace.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && (name.starts_with('.') || GENERATED.contains(&&*name)) {
                continue;
            }
            let path = entry.path();
            if is_directory {
                directories.push(path);
            } else if let Ok(below) = path.strip_prefix(workspace) {
                found.push(readable_name(below.as_os_str().as_encoded_bytes()));
            }
            if found.len() >= WALKED {
                return found;
            }
        }
    }
    found
}

/// What a directory holds.
#[derive(Default)]
struct Folder<'a> {
    files: Vec<&'a str>,
    folders: BTreeMap<&'a str, Self>,
    /// Files in it and below.
    count: usize,
}

impl<'a> Folder<'a> {
    fn from_paths(paths: &'a [String]) -> Self {
        let mut root = Self::default();
        for path in paths {
            let mut folder = &mut root;
            folder.count += 1;
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            for part in directory.split('/').filter(|part| !part.is_empty()) {
                folder = folder.folders.entry(part).or_default();
                folder.count += 1;
            }
            folder.files.push(name);
        }
        root
    }

    /// Bytes of the lines that stand for it when it is opened.
    fn size(&self, path: usize) -> usize {
        let names = self.files.iter().map(|name| path + name.len() + 1);
        let folders = self.folders.keys();
        names
            .chain(folders.map(|name| path + name.len() + 20))
            .sum()
    }
}

/// The list of these paths in about so many bytes. Directories are opened level by level while there is room; of the
/// others it says how many files they hold.
pub(super) fn shortened_listing(paths: &[String], bytes: usize) -> String {
    let root = Folder::from_paths(paths);
    let mut lines: Vec<String> = Vec::new();
    let mut left = bytes;
    let mut level = vec![(String::new(), &root)];
    while !level.is_empty() {
        let mut below = Vec::new();
        for (path, folder) in level {
            let size = folder.size(path.len());
            if size > left {
                lines.push(match path.as_str() {
                    "" => format!("({} files)", folder.count),
                    path => format!("{path} ({} files)", folder.count),
                });
                continue;
            }
            left -= size;
            lines.extend(folder.files.iter().map(|name| format!("{path}{name}")));
            let folders = folder.folders.iter();
            below.extend(folders.map(|(name, folder)| (format!("{path}{name}/"), folder)));
        }
        level = below;
    }
    lines.sort();
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], bytes: usize, expected: &[&str]) {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let text = shortened_listing(&paths, bytes);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_fits_is_listed_whole() {
        check(
            &["a.rs", "src/b.rs", "src/deep/c.rs"],
            1000,
            &["a.rs", "src/b.rs", "src/deep/c.rs"],
        );
        check(&[], 10, &[]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let large: Vec<String> = (0..500)
            .map(|number| format!("big/{number:03}.txt"))
            .collect();
        let mut paths: Vec<&str> = large.iter().map(String::as_str).collect();
        paths.extend(["a.rs", "src/b.rs", "src/deep/c.rs"]);
        check(
            &paths,
            300,
            &["a.rs", "big/ (500 files)", "src/b.rs", "src/deep/c.rs"],
        );
        check(&paths, 10, &["(503 files)"]);
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(readable_name(b"a\nb"), "a\\nb");
        assert_eq!(readable_name("ä b".as_bytes()), "ä b");
    }
}
