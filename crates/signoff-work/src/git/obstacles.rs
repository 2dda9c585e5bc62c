//! Why worktrees and snapshots cannot stand for a checkout.

use std::collections::BTreeSet;

use super::entries::{Entry, GITLINK, tree_entries};
use super::names::{Name, parts, text};
use super::repository::Kind;
use super::{GitError, Id, Repository};

/// What `merge-tree --merge-base` came with.
const NEEDED: (u32, u32) = (2, 40);

/// Extensions that change nothing about objects or files, or that are taken over.
const KNOWN: [&str; 6] = [
    "noop",
    "objectformat",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// Paths in one question about attributes: the answer has to fit into what is kept of an output.
const AT_ONCE: usize = 50_000;

impl Repository {
    /// Why worktrees and snapshots cannot stand for this checkout, each a sentence; empty where they can.
    pub fn obstacles(&self) -> Result<Vec<String>, GitError> {
        let (major, minor) = self.found.version;
        let mut found = Vec::new();
        if (major, minor) < NEEDED {
            found.push(format!(
                "git {major}.{minor} is too old: install {}.{} or later",
                NEEDED.0, NEEDED.1
            ));
        }
        match &self.found.kind {
            Kind::Checkout => {}
            Kind::Bare => found.push("the repository is bare: run in a checkout of it".to_owned()),
            Kind::Elsewhere => found.push(
                "the files of this repository are elsewhere: unset `core.worktree`, or run there"
                    .to_owned(),
            ),
            Kind::Refused(said) => found.push(format!("git refuses this repository: {said}")),
        }
        if self.found.kind == Kind::Checkout {
            self.place(&mut found);
            self.format(&mut found);
            self.contents(&mut found)?;
        }
        Ok(found)
    }

    fn place(&self, found: &mut Vec<String>) {
        if self.found.workspace != self.found.top {
            found.push(format!(
                "`{}` is not the top of the repository: run in `{}`",
                self.found.workspace.display(),
                self.found.top.display()
            ));
        }
    }

    fn format(&self, found: &mut Vec<String>) {
        let settings = &self.found.settings;
        if settings.is_partial() {
            found.push(
                "it is a partial clone, which lacks objects until they are asked for: make a full clone"
                    .to_owned(),
            );
        }
        let extensions = settings.extensions().filter(|name| *name != "partialclone");
        found.extend(extensions.filter(|name| !KNOWN.contains(name)).map(|name| {
            format!("the repository uses the extension `{name}`, which is not known here")
        }));
        if settings.is_true("core.sparsecheckout") {
            found.push(
                "it is a sparse checkout: run `git sparse-checkout disable` first".to_owned(),
            );
        }
    }

    fn contents(&self, found: &mut Vec<String>) -> Result<(), GitError> {
        let words = ["ls-files", "--stage", "-v", "-z"];
        let index = Entry::read_index(&self.call()?.words(words).run()?)?;
        let named = |pick: &dyn Fn(&Entry) -> bool| -> BTreeSet<Name> {
            let picked = index.iter().filter(|entry| pick(entry));
            picked.map(|entry| entry.name.clone()).collect()
        };
        let mut submodules = named(&|entry| entry.mode == GITLINK);
        if let Some(commit) = self.head()?.commit {
            submodules.extend(self.submodules(&commit)?);
        }
        if !submodules.is_empty() {
            found.push(format!(
                "{} a submodule, which worktrees cannot have",
                are(&submodules)
            ));
        }
        let unmerged = named(&|entry| entry.stage != 0);
        if !unmerged.is_empty() {
            found.push(format!(
                "{} in conflict: finish the merge first",
                are(&unmerged)
            ));
        }
        let skipped = named(&|entry| entry.is_skipped);
        if !skipped.is_empty() && !self.found.settings.is_true("core.sparsecheckout") {
            found.push(format!(
                "{} left out of the checkout: run `git update-index --no-skip-worktree` on it",
                are(&skipped)
            ));
        }
        let filtered = self.filtered(&index)?;
        if !filtered.is_empty() {
            found.push(format!(
                "{} changed by a filter (LFS, encryption), which is a program that worktrees do not run",
                are(&filtered)
            ));
        }
        Ok(())
    }

    fn submodules(&self, commit: &Id) -> Result<Vec<Name>, GitError> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
        let entries = tree_entries(&self.call()?.words(words).run()?)?;
        let links = entries.into_iter().filter(|entry| entry.mode == GITLINK);
        Ok(links.map(|entry| entry.name).collect())
    }

    /// Files that a program would change on their way in or out. A filter that nobody configured does nothing.
    fn filtered(&self, index: &[Entry]) -> Result<BTreeSet<Name>, GitError> {
        let mut found = BTreeSet::new();
        if !self.found.settings.has_filters() {
            return Ok(found);
        }
        for chunk in index.chunks(AT_ONCE) {
            let names = chunk.iter().flat_map(|entry| [&entry.name[..], b"\0"]);
            let out = self
                .call()?
                .words(["check-attr", "-z", "--stdin", "filter"])
                .stdin(names.collect::<Vec<_>>().concat())
                .run()?;
            let said: Vec<&[u8]> = parts(&out).collect();
            for answer in said.chunks_exact(3) {
                if let [name, _, filter] = answer
                    && self.found.settings.has_filter(&text(filter))
                {
                    found.insert(name.to_vec());
                }
            }
        }
        Ok(found)
    }
}

/// `a` is, or `a` and `b` are: the first few.
fn are(names: &BTreeSet<Name>) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", text(name)))
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    match (more, shown.len()) {
        (0, 1) => format!("{} is", shown.concat()),
        (0, _) => format!("each of {} is", shown.join(", ")),
        _ => format!("each of {} and {more} more is", shown.join(", ")),
    }
}
