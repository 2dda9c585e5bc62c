//! Paths that are asked whether they hold another one: thousands of times for each home that is worked out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default)]
pub(super) struct PathSet(BTreeSet<PathBuf>);

impl PathSet {
    /// Is the path one of these, or does it lie in one?
    // One search for each part of the path: comparing it with every member took a sixth of a short run.
    pub(super) fn cover(&self, path: &Path) -> bool {
        path.ancestors().any(|around| self.0.contains(around))
    }

    pub(super) fn insert(&mut self, path: PathBuf) {
        self.0.insert(path);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// The outermost of them.
    pub(super) fn outermost(&self) -> Vec<&Path> {
        let mut outermost: Vec<&Path> = Vec::new();
        // In their order an outer path comes before what lies in it.
        for path in self.iter() {
            if !outermost
                .last()
                .is_some_and(|outer| path.starts_with(outer))
            {
                outermost.push(path);
            }
        }
        outermost
    }
}

impl FromIterator<PathBuf> for PathSet {
    fn from_iter<I: IntoIterator<Item = PathBuf>>(paths: I) -> Self {
        Self(paths.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_covers_its_members_and_what_lies_in_them() {
        let paths = ["/home/ada/.ssh", "/home/ada/.claude.json", "/data"];
        let set: PathSet = paths.into_iter().map(PathBuf::from).collect();
        for (path, expected) in [
            ("/home/ada/.ssh", true),
            ("/home/ada/.ssh/id_rsa", true),
            ("/home/ada/./.ssh/a/b", true),
            ("/home/ada/.sshd", false),
            ("/home/ada/.claude.json.bak", false),
            ("/home/ada", false),
            ("/data/a", true),
            ("data", false),
            ("", false),
        ] {
            assert_eq!(set.cover(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_outermost_hold_all_others() {
        let paths = ["/a/b", "/a", "/a/b/c", "/a.b", "/b/c", "/b/d"];
        let set: PathSet = paths.into_iter().map(PathBuf::from).collect();
        assert_eq!(
            set.outermost(),
            ["/a", "/a.b", "/b/c", "/b/d"].map(Path::new)
        );
    }
}
