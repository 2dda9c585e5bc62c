//! The symbolic links of a tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::git::entries::LINK;
use crate::git::names::{name, text};
use crate::git::{GitError, HarnessGit, Id, Name, TreeDepth};

/// Links with what they hold.
pub(crate) type TreeLinks = Arc<[(String, String)]>;

impl HarnessGit {
    /// Every symbolic link of a commit or tree, with what it holds. Where the links of another tree are known and what differs,
    /// it costs what the changes cost.
    pub fn links_in(&self, tree: &Id) -> Result<TreeLinks, GitError> {
        let known = self.recent().links(tree);
        if let Some(links) = known {
            return Ok(links);
        }
        let before = self.recent().links_before(tree);
        let links: TreeLinks = match before {
            Some((before, differences)) => {
                let names = differences.iter().map(|found| text(&found.name));
                let changed: BTreeSet<String> = names.collect();
                let stay = before.iter().filter(|(name, _)| !changed.contains(name));
                let mut links: Vec<_> = stay.cloned().collect();
                let come = differences.into_iter().filter_map(|found| {
                    let (mode, id) = found.after?;
                    (mode == LINK).then_some((found.name, id))
                });
                links.extend(self.with_targets(come)?);
                links.sort();
                links.into()
            }
            None => {
                let files = self.files_of(tree)?.into_iter();
                let links = files.filter(|entry| entry.mode == LINK);
                self.with_targets(links.map(|entry| (entry.name, entry.id)))?
                    .into()
            }
        };
        self.recent().note_links(tree, &links);
        Ok(links)
    }

    fn with_targets(
        &self,
        links: impl Iterator<Item = (Name, Id)>,
    ) -> Result<Vec<(String, String)>, GitError> {
        let (names, ids): (Vec<Name>, Vec<Id>) = links.unzip();
        let targets = self.blobs(&ids)?;
        let targets = targets
            .iter()
            .map(|target| String::from_utf8_lossy(target).into_owned());
        Ok(names.iter().map(|name| text(name)).zip(targets).collect())
    }

    /// The files of a commit or tree that lie below a directory.
    pub fn files_below(&self, tree: &Id, folder: &str) -> Result<Vec<String>, GitError> {
        let entries = match folder {
            "" => self.files_of(tree)?,
            folder => self.entries_at(tree, &[name(folder)], TreeDepth::Files)?,
        };
        Ok(entries.iter().map(|entry| text(&entry.name)).collect())
    }
}
