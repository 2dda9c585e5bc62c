//! What a tree holds, and the contents of its files.

use std::collections::BTreeSet;

use crate::git::entries::{IndexEntry, tree_entries};
use crate::git::names::{Name, nul_separated, path};
use crate::git::{GitError, HarnessGit, Id};

/// Paths given to git as arguments at once: fewer bytes than any system takes.
const ARGUMENTS: usize = 64 * 1024;

impl HarnessGit {
    /// Every file of a commit or tree.
    pub(crate) fn files_of(&self, tree: &Id) -> Result<Vec<IndexEntry>, GitError> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()];
        tree_entries(&self.call().args(words).run()?)
    }

    /// What a commit or tree has at exactly these paths, directories as entries of their own. With [`TreeDepth::Files`], the
    /// files in those directories instead.
    pub(crate) fn entries_at(
        &self,
        tree: &Id,
        names: &[Name],
        depth: TreeDepth,
    ) -> Result<Vec<IndexEntry>, GitError> {
        let known = self.recent().entries(tree, names, depth);
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_for_entries(tree, names, depth)?;
        self.recent().note_entries(tree, names, depth, &found);
        Ok(found)
    }

    fn ask_for_entries(
        &self,
        tree: &Id,
        names: &[Name],
        depth: TreeDepth,
    ) -> Result<Vec<IndexEntry>, GitError> {
        let mut found = Vec::new();
        let mut rest = names;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|name| {
                bytes += name.len() + 1;
                bytes < ARGUMENTS
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            rest = later;
            let out = self
                .call()
                // A name may look like a pattern.
                .env("GIT_LITERAL_PATHSPECS", "1")
                .args(["ls-tree", "-z", "--full-tree"])
                .args([match depth {
                    TreeDepth::Entries => "-t",
                    TreeDepth::Files => "-r",
                }])
                .args([tree.as_str(), "--"])
                .args(now.iter().map(|name| path(name)))
                .run()?;
            found.extend(tree_entries(&out)?);
        }
        if depth == TreeDepth::Entries {
            // Where one path lies in another, git lists what is beside it too.
            let wanted: BTreeSet<&Name> = names.iter().collect();
            found.retain(|entry| wanted.contains(&entry.name));
        }
        Ok(found)
    }

    /// The contents of these objects.
    pub(crate) fn blobs(&self, ids: &[Id]) -> Result<Vec<Vec<u8>>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let lines = ids.iter().flat_map(|id| [id.as_str(), "\n"]);
        let out = self
            .call()
            .args(["cat-file", "--batch"])
            .stdin(lines.collect::<String>().into_bytes())
            .run()?;
        let mut rest = out.as_slice();
        ids.iter().map(|_| next_blob(&mut rest)).collect()
    }

    /// The sizes of these objects.
    pub(crate) fn sizes(&self, ids: &[Id]) -> Result<Vec<u64>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let lines = ids.iter().flat_map(|id| [id.as_str(), "\n"]);
        let out = self
            .call()
            .args(["cat-file", "--batch-check=%(objectsize)"])
            .stdin(lines.collect::<String>().into_bytes())
            .run()?;
        let out = String::from_utf8_lossy(&out);
        let size = |line: &str| {
            line.parse()
                .map_err(|_| GitError::unexpected("the size of a file", line))
        };
        out.lines().map(size).collect()
    }

    /// The first of these links that git would refuse to have in a tree for its name, such as `.gitmodules`.
    pub(crate) fn refused_link(&self, names: &[Name]) -> Result<Option<Name>, GitError> {
        if names.is_empty() {
            return Ok(None);
        }
        let id = self.empty_tree()?;
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let entry = |name: &Name| (name.clone(), Some((0o120_000, id.clone())));
        let all: Vec<_> = names.iter().map(entry).collect();
        self.set_entries(&index, &all)?;
        // Git only says that it leaves them out.
        let tree = self.directory().join("empty");
        let out = self.call_in(&tree, &index).args(["ls-files", "-z"]).run()?;
        let taken: BTreeSet<&[u8]> = nul_separated(&out).collect();
        let refused = names.iter().find(|name| !taken.contains(&name[..]));
        Ok(refused.cloned())
    }
}

/// How deep [`HarnessGit::entries_at`] looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeDepth {
    /// The entries themselves.
    Entries,
    /// The files in them.
    Files,
}

/// Reads `id blob size`, a line feed, that many bytes and a line feed.
fn next_blob(rest: &mut &[u8]) -> Result<Vec<u8>, GitError> {
    let unexpected = |found: &[u8]| {
        GitError::unexpected("the content of a file", &String::from_utf8_lossy(found))
    };
    let end = rest.iter().position(|byte| *byte == b'\n');
    let (head, after) = rest.split_at(end.ok_or_else(|| unexpected(rest))?);
    let text = String::from_utf8_lossy(head);
    let size = text.rsplit(' ').next().and_then(|size| size.parse().ok());
    let size: usize = size.ok_or_else(|| unexpected(head))?;
    let content = after.get(1..=size).ok_or_else(|| unexpected(head))?;
    *rest = after.get(size + 2..).ok_or_else(|| unexpected(head))?;
    Ok(content.to_vec())
}

/// The entries of `ls-files --stage -z`: `100644 id 0<TAB>name`.
pub(crate) fn index_ids(out: &[u8]) -> Result<Vec<(Name, Id)>, GitError> {
    let entries = nul_separated(out).map(|part| {
        let text = String::from_utf8_lossy(part);
        let id = text.split(' ').nth(1).unwrap_or_default().parse()?;
        let tab = part.iter().position(|byte| *byte == b'\t');
        let tab = tab.ok_or_else(|| GitError::unexpected("an entry of the index", &text))?;
        Ok((part[tab + 1..].to_vec(), id))
    });
    entries.collect()
}
