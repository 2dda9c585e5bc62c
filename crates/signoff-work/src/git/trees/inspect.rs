//! What a change is beyond the names of its files.

use std::collections::BTreeSet;

use crate::git::entries::{GITLINK, LINK};
use crate::git::names::{name, text};
use crate::git::{GitError, HarnessGit, Id, TreeDepth};

/// What differs between two commits or trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InspectReport {
    /// Paths. A moved file is two of them.
    pub files: Vec<String>,
    /// The removed ones among them.
    pub removed: BTreeSet<String>,
    /// The symbolic links among them, each with its target.
    pub links: Vec<(String, String)>,
    /// The added ones among them.
    pub added: BTreeSet<String>,
    /// Manifests of cargo among them, with what they said before and say now.
    pub manifests: Vec<Manifest>,
}

/// A manifest that differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl HarnessGit {
    /// Says what differs between two commits or trees.
    pub fn inspect(&self, from: &Id, to: &Id) -> Result<InspectReport, GitError> {
        let mut report = InspectReport::default();
        let (mut links, mut targets) = (Vec::new(), Vec::new());
        for difference in self.differences(from, to)? {
            let path = text(&difference.name);
            if difference.before.is_none() {
                report.added.insert(path.clone());
            }
            if difference.name.split(|byte| *byte == b'/').next_back() == Some(b"Cargo.toml") {
                report.manifests.push(Manifest {
                    path: path.clone(),
                    before: self.text_of(difference.before.as_ref())?,
                    after: self.text_of(difference.after.as_ref())?,
                });
            }
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

    /// What a file says, if it is one.
    fn text_of(&self, entry: Option<&(u32, Id)>) -> Result<Option<String>, GitError> {
        let Some((_, id)) = entry.filter(|(mode, _)| ![LINK, GITLINK].contains(mode)) else {
            return Ok(None);
        };
        let content = self.blobs(std::slice::from_ref(id))?.pop();
        Ok(content.map(|content| String::from_utf8_lossy(&content).into_owned()))
    }

    /// The paths among these that a commit or tree has, as files or as directories.
    pub fn paths_in(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, GitError> {
        let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
        let found = self.entries_at(tree, &names, TreeDepth::Entries)?;
        Ok(found.iter().map(|entry| text(&entry.name)).collect())
    }
}
