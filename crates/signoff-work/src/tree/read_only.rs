//! The files that no step may change, as they can be mounted: by their bytes, and without links on the way.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use signoff_plan::glob;
use signoff_plan::links::route;

/// Directories that change by themselves and cannot be protected.
const NEVER: [&[u8]; 2] = [b".git", b".signoff"];
/// Directories within directories.
const DEEPEST: usize = 200;

/// The files of a tree that patterns cover or that have these names. It is found at the path `shown`. A link cannot be mounted: what it
/// leads to is among them, if that lies in the tree.
pub fn read_only_files(
    tree: &Path,
    shown: &Path,
    patterns: &[String],
    names: &[String],
) -> BTreeSet<PathBuf> {
    let mut search = Search {
        tree,
        shown,
        found: BTreeSet::new(),
    };
    for name in names {
        search.add(name.as_bytes(), None, 0);
    }
    for pattern in patterns {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let climbs = pattern.split('/').any(|part| part == "..");
        if climbs || pattern.is_empty() || pattern.starts_with(['/', '~']) {
            continue;
        }
        let folder = glob::fixed_folder(pattern);
        search.walk(folder.as_bytes(), folder.as_bytes(), Some(pattern), 0);
    }
    search.found
}

/// What the link at a path of a tree holds, if it is one.
pub fn link_target(tree: &Path, path: &[u8]) -> Option<Vec<u8>> {
    let path = tree.join(OsStr::from_bytes(path));
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    let target = is_link.then(|| fs::read_link(path).ok())??;
    Some(target.into_os_string().into_vec())
}

struct Search<'s> {
    tree: &'s Path,
    shown: &'s Path,
    found: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn end(&self, path: &[u8]) -> Option<Vec<u8>> {
        let shown = self.shown.as_os_str().as_bytes();
        route(path, Some(shown), |path| link_target(self.tree, path)).end
    }

    /// Adds what a name leads to: a file, or with a pattern everything below a directory.
    fn add(&mut self, name: &[u8], pattern: Option<&str>, depth: usize) {
        let Some(end) = self.end(name) else {
            return;
        };
        let path = PathBuf::from(OsStr::from_bytes(&end));
        match self.tree.join(&path).symlink_metadata() {
            Ok(found) if found.is_file() => {
                self.found.insert(path);
            }
            Ok(found) if found.is_dir() && pattern.is_some() && !is_above(&end, name) => {
                self.walk(name, &end, None, depth + 1);
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// Looks through the directory that is called `name` and lies at `at`; without a pattern everything counts.
    fn walk(&mut self, name: &[u8], at: &[u8], pattern: Option<&str>, depth: usize) {
        let Some(at) = self.end(at).filter(|_| depth <= DEEPEST) else {
            return;
        };
        let folder = self.tree.join(OsStr::from_bytes(&at));
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = entry.file_name();
            if NEVER.contains(&file.as_bytes()) {
                continue;
            }
            let (name, inner) = (
                join_path(name, file.as_bytes()),
                join_path(&at, file.as_bytes()),
            );
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.walk(&name, &inner, pattern, depth + 1);
            } else if pattern.is_none_or(|pattern| {
                // No pattern can name what is not UTF-8, but `*` covers it.
                glob::covers(pattern, &String::from_utf8_lossy(&name))
            }) {
                self.add(&inner, Some("**"), depth);
            }
        }
    }
}

/// Whether a directory is above a path, so that to look through it would never end.
fn is_above(folder: &[u8], path: &[u8]) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with(b"/"))
}

fn join_path(folder: &[u8], name: &[u8]) -> Vec<u8> {
    match folder {
        b"" => name.to_vec(),
        folder => [folder, b"/", name].concat(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(files: &[&[u8]], links: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(OsStr::from_bytes(file));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        for (link, to) in links {
            let path = dir.path().join(link);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(to, path).unwrap();
        }
        dir
    }

    #[track_caller]
    fn check(dir: &tempfile::TempDir, patterns: &[&str], names: &[&str], expected: &[&[u8]]) {
        let texts = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        let shown = Path::new("/work/p");
        let found = read_only_files(dir.path(), shown, &texts(patterns), &texts(names));
        let found: Vec<_> = found
            .iter()
            .map(|path| path.as_os_str().as_bytes())
            .collect();
        assert_eq!(found, expected, "{patterns:?} {names:?}");
    }

    #[test]
    fn links_count_for_what_they_lead_to() {
        let dir = tree(
            &[
                b"tools/check.sh",
                b"data/a",
                b"data/sub/b",
                b"tests/t",
                b"other",
            ],
            &[
                ("check.sh", "tools/check.sh"),
                ("scripts", "tools"),
                ("tests/a", "../data/a"),
                ("tests/d", "/work/p/data/sub"),
                ("tests/out", "/etc/hostname"),
                ("tests/gone", "nowhere"),
                ("tests/all", ".."),
                ("fixtures", "data"),
            ],
        );
        check(&dir, &[], &["check.sh"], &[b"tools/check.sh"]);
        check(&dir, &[], &["scripts/check.sh"], &[b"tools/check.sh"]);
        check(
            &dir,
            &["tests/**"],
            &["gone"],
            &[b"data/a", b"data/sub/b", b"tests/t"],
        );
        check(&dir, &["fixtures/**"], &[], &[b"data/a", b"data/sub/b"]);
        check(&dir, &["fixtures/a", "../x"], &[], &[b"data/a"]);
        check(
            &dir,
            &["{data,none}/a", "tools"],
            &[],
            &[b"data/a", b"tools/check.sh"],
        );
    }

    #[test]
    fn names_are_bytes() {
        let dir = tree(&[b"tests/caf\xe9.txt", b"tests/a\nb"], &[]);
        check(
            &dir,
            &["tests/**"],
            &[],
            &[b"tests/a\nb", b"tests/caf\xe9.txt"],
        );
    }
}
