//! No link below the workspace leads what is read from or written into the store to somewhere else: a
//! cloned repository can hold such links, and a link to a trusted `config.toml` would be trusted.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::Store;
use crate::files::FileError;
use crate::files::no_follow::Link;

impl Store {
    /// Refuses a store of which a directory, or a file that decides, is or lies behind a link.
    pub fn refuse_links(&self) -> Result<(), FileError> {
        let parts = [
            self.config_path(),
            self.project_path(),
            self.dir.join("tools.json"),
            self.runs_dir(),
            self.locks_dir().join("plans"),
            self.logs_dir(),
            self.dir.join("signatures"),
            self.plans_dir(),
            self.archive_dir(),
            self.beside_plans("artifacts"),
        ];
        self.refuse_any(&parts)
    }

    /// Refuses a plan of the store that is a link: its target may be written by others.
    pub fn refuse_linked_plan(&self, path: &Path) -> Result<(), FileError> {
        let path = self.workspace.join(path);
        let is_kept = [self.plans_dir(), self.archive_dir()]
            .iter()
            .any(|directory| path.starts_with(directory));
        if is_kept {
            self.refuse_one(&path)
        } else {
            Ok(())
        }
    }

    /// Makes what is missing, and refuses links in the place of what belongs to this plan.
    pub(crate) fn complete_for(&self, key: &str) -> Result<(), FileError> {
        self.create_missing()?;
        self.refuse_any(&[
            self.log_path(key),
            self.signatures_dir(key),
            self.artifacts_dir(key),
        ])
    }

    fn refuse_any(&self, paths: &[PathBuf]) -> Result<(), FileError> {
        let mut checked = BTreeSet::new();
        paths
            .iter()
            .try_for_each(|path| self.refuse_unchecked(path, &mut checked))
    }

    fn refuse_one(&self, path: &Path) -> Result<(), FileError> {
        self.refuse_unchecked(path, &mut BTreeSet::new())
    }

    /// Refuses a path with a link on the way to it. What was checked is not looked at again: most have the same way.
    fn refuse_unchecked(
        &self,
        path: &Path,
        checked: &mut BTreeSet<PathBuf>,
    ) -> Result<(), FileError> {
        let mut at = self.workspace.clone();
        for part in path.strip_prefix(&self.workspace).unwrap_or(path) {
            at.push(part);
            if !checked.insert(at.clone()) {
                continue;
            }
            match at.symlink_metadata() {
                Ok(found) if found.is_symlink() => {
                    return Err(FileError::at("use", &at)(io::Error::other(Link)));
                }
                Ok(_) => {}
                // What is missing has nothing below it. What cannot be seen cannot be written either.
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }
}

impl FileError {
    /// Was it refused because a link stands where the store should be?
    pub fn is_link(&self) -> bool {
        matches!(self.source.get_ref(), Some(inner) if inner.is::<Link>())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::plan_log;

    /// A store with a link at `name`, below the workspace; what lies behind it.
    fn planted(name: &str) -> (tempfile::TempDir, Store, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, foreign) = (dir.path().join("w"), dir.path().join("foreign"));
        fs::create_dir_all(&foreign).unwrap();
        fs::create_dir(&workspace).unwrap();
        let workspace = workspace.canonicalize().unwrap();
        let at = workspace.join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(&foreign, at).unwrap();
        let store = Store::at(&workspace);
        (dir, store, foreign)
    }

    #[test]
    fn a_link_in_the_place_of_a_directory_is_refused() {
        for name in [
            ".signoff",
            ".signoff/plans",
            ".signoff/archive",
            ".signoff/artifacts",
            ".signoff/signatures",
            ".signoff/log",
            ".signoff/runs",
            ".signoff/locks",
            ".signoff/locks/plans",
            ".signoff/config.toml",
            ".signoff/project.json",
            ".signoff/tools.json",
            ".signoff/signatures/p",
            ".signoff/artifacts/p",
            ".signoff/log/p.jsonl",
        ] {
            let (_dir, store, foreign) = planted(name);
            let refused = plan_log::lock(&store, "p").unwrap_err();
            assert!(refused.is_link(), "{name}: {refused}");
            assert_eq!(refused.path, store.workspace().join(name));
            assert_eq!(fs::read_dir(foreign).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn of_another_tool_s_store_too() {
        for (name, plans) in [
            (".pi", ".pi/plans"),
            (".pi/plans", ".pi/plans"),
            (".pi/plans/archive", ".pi/plans"),
            (".rawko/plans", ".rawko/plans"),
        ] {
            let (_dir, store, _) = planted(name);
            fs::create_dir_all(store.workspace().join(plans)).unwrap();
            let store = Store::at(store.workspace());
            let refused = store.create_missing().unwrap_err();
            assert!(refused.is_link(), "{name}: {refused}");
        }
    }

    #[test]
    fn other_links_of_the_project_are_its_own_business() {
        let (_dir, store, _) = planted("docs");
        plan_log::lock(&store, "docs/plan.md").unwrap();
    }
}
