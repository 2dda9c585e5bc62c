//! What a change is beyond the names of its files.

use std::collections::BTreeSet;

use super::names::{name, text};
use super::{Below, GitError, Id, Own};

/// The mode of a symbolic link in a tree.
const LINK: u32 = 0o120_000;

/// What differs between two commits or trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InspectReport {
    /// Paths. A moved file is two of them.
    pub files: Vec<String>,
    /// Those of them that are gone.
    pub removed: BTreeSet<String>,
    /// Those of them that are symbolic links now, with what they lead to.
    pub links: Vec<(String, String)>,
}

impl Own {
    /// Says what differs between two commits or trees.
    pub fn inspect(&self, from: &Id, to: &Id) -> Result<InspectReport, GitError> {
        let mut report = InspectReport::default();
        let (mut links, mut targets) = (Vec::new(), Vec::new());
        for difference in self.differences(from, to)? {
            let path = text(&difference.name);
            match difference.after {
                None => {
                    report.removed.insert(path.clone());
                }
                Some((LINK, id)) => {
                    links.push(path.clone());
                    targets.push(id);
                }
                Some(_) => {}
            }
            report.files.push(path);
        }
        let targets = self.blobs(&targets)?;
        let targets = targets
            .iter()
            .map(|target| String::from_utf8_lossy(target).into_owned());
        report.links = links.into_iter().zip(targets).collect();
        Ok(report)
    }

    /// Those of these paths that a commit or tree has, as files or as directories.
    pub fn paths_in(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, GitError> {
        let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
        let found = self.entries_at(tree, &names, Below::Nothing)?;
        Ok(found.iter().map(|entry| text(&entry.name)).collect())
    }
}
