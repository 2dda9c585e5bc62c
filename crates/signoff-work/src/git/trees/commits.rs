//! Commits and trees.

use std::collections::BTreeSet;

use crate::git::entries::{Difference, differences};
use crate::git::names::{Name, nul_separated, path_texts};
use crate::git::{GitError, HarnessGit, Id};

/// The line of a commit's message that says which attempt made it.
const TRAILER: &str = "Signoff-Attempt";

/// The line of a commit's message that marks it as a person's edits, which joined the run, and not the run's work.
const JOIN: &str = "Signoff-Join";

impl HarnessGit {
    /// Makes a commit of this tree.
    pub fn commit(&self, tree: &Id, parents: &[Id], message: &str) -> Result<Id, GitError> {
        let first_parent = parents.first();
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let out = self
            .call()
            .args(["commit-tree", tree.as_str(), "-F", "-"])
            .args(parents)
            .stdin(message.as_bytes().to_vec())
            .run()?;
        let commit = Id::read(&out)?;
        let mut recent = self.recent();
        recent.trees.insert(tree.clone(), tree.clone());
        recent.trees.insert(commit.clone(), tree.clone());
        if let Some(before) = first_parent.and_then(|parent| recent.trees.get(parent)) {
            recent.trees_before.insert(commit.clone(), before);
        }
        Ok(commit)
    }

    /// Makes a commit on `head` of the tree that joining the checkout gave. It never lands: what a person did is theirs to
    /// commit.
    pub fn commit_join(&self, tree: &Id, head: &Id) -> Result<Id, GitError> {
        let message = format!("Joined from the checkout\n\n{JOIN}: checkout\n");
        self.commit(tree, std::slice::from_ref(head), &message)
    }

    /// The tree of a commit, which never changes: git is asked once.
    pub fn tree_of(&self, commit: &Id) -> Result<Id, GitError> {
        let known = self.recent().trees.get(commit);
        if let Some(tree) = known {
            return Ok(tree);
        }
        let tree = self.resolve(&format!("{commit}^{{tree}}"))?;
        self.recent().trees.insert(commit.clone(), tree.clone());
        Ok(tree)
    }

    fn resolve(&self, expression: &str) -> Result<Id, GitError> {
        let words = ["rev-parse", "--verify", "--end-of-options", expression];
        let out = self.call().args(words).run()?;
        // Git repeats the word that ends its options.
        Id::read(out.strip_prefix(b"--end-of-options\n").unwrap_or(&out))
    }

    /// The parents of a commit.
    pub fn parents(&self, commit: &Id) -> Result<Vec<Id>, GitError> {
        let words = ["rev-list", "--parents", "--max-count=1", commit.as_str()];
        let out = self.call().args(words).run()?;
        let text = String::from_utf8_lossy(&out);
        text.split_whitespace().skip(1).map(str::parse).collect()
    }

    /// The tree of a commit's first parent.
    pub fn tree_before(&self, commit: &Id) -> Result<Id, GitError> {
        let known = self.recent().trees_before.get(commit);
        known.map_or_else(|| self.resolve(&format!("{commit}^1^{{tree}}")), Ok)
    }

    /// Paths that differ between two commits or trees. A moved file is two paths.
    pub fn changed_paths(&self, from: &Id, to: &Id) -> Result<Vec<String>, GitError> {
        let differences = self.differences(from, to)?;
        Ok(path_texts(
            differences.iter().map(|difference| &difference.name),
        ))
    }

    pub(crate) fn differences(&self, from: &Id, to: &Id) -> Result<Vec<Difference>, GitError> {
        if from == to {
            return Ok(Vec::new());
        }
        let known = self.recent().differences(from, to);
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_for_differences(from, to)?;
        self.recent().note_differences(from, to, &found);
        Ok(found)
    }

    fn ask_for_differences(&self, from: &Id, to: &Id) -> Result<Vec<Difference>, GitError> {
        let out = self
            .call()
            .args([
                "diff-tree",
                "-r",
                "--raw",
                "--no-abbrev",
                "--no-renames",
                "--ignore-submodules=none",
                "-z",
            ])
            .args([from.as_str(), to.as_str()])
            .run();
        differences(&out.or_else(|error| self.explain_missing(error, [from, to]))?)
    }

    /// The same, of these paths alone.
    pub(crate) fn differences_among(
        &self,
        from: &Id,
        to: &Id,
        names: &BTreeSet<Name>,
    ) -> Result<Vec<Difference>, GitError> {
        let mut found = self.differences(from, to)?;
        found.retain(|difference| names.contains(&difference.name));
        Ok(found)
    }

    /// Replaces git's error if the reason is that a commit or tree is gone.
    fn explain_missing<T>(&self, error: GitError, needed: [&Id; 2]) -> Result<T, GitError> {
        let mut commits = Vec::new();
        for id in needed {
            let words = ["cat-file", "-e", id.as_str()];
            if self.call().args(words).run_to_any_code()?.code != 0 {
                commits.push(id.to_string());
            }
        }
        Err(if commits.is_empty() {
            error
        } else {
            GitError::Gone { commits }
        })
    }

    /// The commit after `since` up to `head`, by first parents, that says it was made by this attempt.
    pub fn find_attempt_commit(
        &self,
        since: &Id,
        head: &Id,
        attempt: &str,
    ) -> Result<Option<Id>, GitError> {
        let range = format!("{since}..{head}");
        let commits = self.attempts_in_trailers(&["--first-parent", &range])?;
        let mut commits = commits.into_iter();
        let found = commits.find(|(_, attempts)| attempts.iter().any(|own| own == attempt));
        Ok(found.map(|(id, _)| id))
    }

    /// The commits in the history of `at` that say they are of an attempt of this run, the newest first.
    pub fn commits_of_run(&self, run: &str, at: &Id) -> Result<Vec<Id>, GitError> {
        let line = format!("--grep=^{TRAILER}: {run}/");
        let mut commits = self.attempts_in_trailers(&["--topo-order", &line, at.as_str()])?;
        let of_run = format!("{run}/");
        commits.retain(|(_, attempts)| attempts.iter().any(|own| own.starts_with(&of_run)));
        Ok(commits.into_iter().map(|(id, _)| id).collect())
    }

    /// Those of the commits after `since` up to `head` that are work of the run, and not in the history of `at`, neither
    /// themselves nor picked by hand: then another commit there says that it is of the same attempt.
    pub(crate) fn commits_missing_in(
        &self,
        since: &Id,
        head: &Id,
        at: Option<&Id>,
    ) -> Result<BTreeSet<Id>, GitError> {
        // First: it says which commits are gone.
        let mut all: BTreeSet<Id> = self.commits(since, head)?.into_iter().collect();
        let joins = self.joins(since, head)?;
        let Some(at) = at.filter(|at| *at != since) else {
            all.retain(|commit| !joins.contains(commit));
            return Ok(all);
        };
        let line = format!("--grep=^{TRAILER}: ");
        let there = self.attempts_in_trailers(&[&line, &format!("{since}..{at}")])?;
        let picked: BTreeSet<String> = there.into_iter().flat_map(|(_, own)| own).collect();
        let (not_there, range) = (format!("^{at}"), format!("{since}..{head}"));
        let missing = self.attempts_in_trailers(&["--first-parent", &range, &not_there])?;
        let is_picked = |attempts: &[String]| attempts.iter().any(|own| picked.contains(own));
        let missing = missing
            .into_iter()
            .filter(|(_, attempts)| !is_picked(attempts));
        let missing = missing.map(|(id, _)| id).filter(|id| !joins.contains(id));
        Ok(missing.collect())
    }

    /// The commits after `since` up to `head` that joined a person's changes.
    pub(crate) fn joins(&self, since: &Id, head: &Id) -> Result<BTreeSet<Id>, GitError> {
        let range = format!("{since}..{head}");
        let line = format!("--grep=^{JOIN}: ");
        let marked = self
            .attempts_in_trailers(&["--first-parent", &line, &range])?
            .into_iter();
        // What an agent wrote into the message of its own commit does not make it one.
        let joins = marked.filter(|(_, attempts)| attempts.is_empty());
        Ok(joins.map(|(id, _)| id).collect())
    }

    /// Paths that the run itself changed after `since` up to `head`, and no person.
    pub fn changed_by_run(&self, since: &Id, head: &Id) -> Result<BTreeSet<String>, GitError> {
        let joins = self.joins(since, head)?;
        let mut changed = BTreeSet::new();
        for commit in self.commits(since, head)? {
            if !joins.contains(&commit) {
                changed.extend(self.changed_paths(&self.tree_before(&commit)?, &commit)?);
            }
        }
        Ok(changed)
    }

    /// Commits, and which attempts each says that it is of.
    fn attempts_in_trailers(&self, which: &[&str]) -> Result<Vec<(Id, Vec<String>)>, GitError> {
        let format = format!("--format=tformat:%H%n%(trailers:key={TRAILER},valueonly=true)");
        let out = self
            .call()
            .args(["log", "-z", "--no-show-signature", "--no-notes", &format])
            .args(which)
            .run()?;
        let commits = nul_separated(&out).map(|commit| {
            let text = String::from_utf8_lossy(commit);
            let mut lines = text.lines();
            let id = lines.next().unwrap_or_default().parse()?;
            let attempts = lines.filter(|line| !line.is_empty()).map(str::to_owned);
            Ok((id, attempts.collect()))
        });
        commits.collect()
    }

    /// The commits after `since` up to `head`, by first parents, oldest first.
    pub fn commits(&self, since: &Id, head: &Id) -> Result<Vec<Id>, GitError> {
        let range = format!("{since}..{head}");
        let words = ["rev-list", "--first-parent", "--reverse", range.as_str()];
        let out = self.call().args(words).run();
        let out = out.or_else(|error| self.explain_missing(error, [since, head]))?;
        let text = String::from_utf8_lossy(&out);
        text.lines().map(str::parse).collect()
    }
}
