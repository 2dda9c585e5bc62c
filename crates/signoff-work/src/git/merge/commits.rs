//! Merges two commits without a working tree.

use crate::git::merge::conflict::MergeSides;
use crate::git::names::{Name, path_texts, text};
use crate::git::{GitError, HarnessGit, Id};

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The tree that has both.
    Clean(Id),
    /// The two sides conflict.
    Conflict {
        /// The files that conflict.
        files: Vec<String>,
        /// The conflicting parts as people read them, between markers; at most 16 KiB.
        text: String,
    },
}

/// Conflicts that the two sides tell better than git's words about them.
const SHOWN_BY_SIDES: [&[u8]; 4] = [
    b"CONFLICT (modify/delete)",
    b"CONFLICT (binary)",
    b"CONFLICT (file/directory)",
    b"CONFLICT (distinct modes)",
];

/// What `merge-tree -z` printed.
pub(crate) struct MergeTreeOutput {
    /// Where files conflict, they have markers.
    pub(crate) tree: Id,
    /// Files that conflict.
    pub(crate) files: Vec<Name>,
    /// What git says about conflicts.
    messages: Vec<String>,
    is_clean: bool,
}

impl HarnessGit {
    /// Merges what `theirs` did since `base` into `ours`; all are commits.
    pub fn merge(&self, base: &Id, ours: &Id, theirs: &Id) -> Result<Merge, GitError> {
        self.merge_by(base, ours, theirs, ours)
    }

    /// The same, with the attributes that this commit or tree says, unless others are kept.
    pub(crate) fn merge_by(
        &self,
        base: &Id,
        ours: &Id,
        theirs: &Id,
        attributes: &Id,
    ) -> Result<Merge, GitError> {
        let sides = MergeSides { base, ours, theirs };
        let answer = self.merge_contents(base, ours, theirs, attributes)?;
        if answer.is_clean {
            return Ok(Merge::Clean(answer.tree));
        }
        let text = self.conflict_text(sides, &answer.tree, &answer.files, &answer.messages)?;
        Ok(Merge::Conflict {
            files: path_texts(&answer.files),
            text,
        })
    }

    /// The same, without the text that describes conflicts.
    pub(crate) fn merge_contents(
        &self,
        base: &Id,
        ours: &Id,
        theirs: &Id,
        attributes: &Id,
    ) -> Result<MergeTreeOutput, GitError> {
        let sides = MergeSides { base, ours, theirs };
        let base = format!("--merge-base={base}");
        // Which files are merged line by line is said in a tree.
        let attributes = self.attribute_source().unwrap_or(attributes);
        let said = self
            .call()
            .env("GIT_ATTR_SOURCE", attributes.as_str())
            .args(["merge-tree", "--write-tree", "--messages", "-z", &base])
            .args([ours.as_str(), theirs.as_str()])
            .run_to(&[0, 1])?;
        let answer = MergeTreeOutput::read(&said.out, sides)?;
        Ok(MergeTreeOutput {
            is_clean: said.code == 0,
            ..answer
        })
    }
}

impl MergeTreeOutput {
    /// The tree; each conflicting entry as `mode id stage<TAB>name`; nothing; then messages, each as a number of
    /// paths, the paths, what kind it is, and the text.
    fn read(out: &[u8], sides: MergeSides<'_>) -> Result<Self, GitError> {
        let mut parts = out.split(|byte| *byte == 0);
        let tree = Id::read(parts.next().unwrap_or_default())?;
        let mut files: Vec<Name> = Vec::new();
        for entry in parts.by_ref().take_while(|part| !part.is_empty()) {
            let name = entry.splitn(2, |byte| *byte == b'\t').nth(1);
            files.extend(name.map(|name| sides.real_path(name)));
        }
        let mut messages = Vec::new();
        while let Some(count) = parts.next().filter(|part| !part.is_empty()) {
            let count: usize = text(count)
                .parse()
                .map_err(|_| GitError::unexpected("a number of paths", &text(count)))?;
            let paths: Vec<&[u8]> = parts.by_ref().take(count).collect();
            let (Some(kind), Some(words)) = (parts.next(), parts.next()) else {
                return Err(GitError::unexpected("a message of a merge", ""));
            };
            if kind.starts_with(b"CONFLICT") {
                // A conflict may be of names only, such as a file in the way of a directory.
                files.extend(paths.into_iter().map(|path| sides.real_path(path)));
                if !SHOWN_BY_SIDES.contains(&kind) {
                    messages.push(sides.message_with_names(words));
                }
            }
        }
        files.sort();
        files.dedup();
        Ok(Self {
            tree,
            files,
            messages,
            is_clean: false,
        })
    }
}
