//! Reasons why a repository cannot record its checkout.

use std::collections::BTreeSet;

use crate::git::entries::{GITLINK, IndexEntry, tree_entries};
use crate::git::names::{Name, name, nul_separated, nul_terminated, text};
use crate::git::repository::persons_repository::RepositoryKind;
use crate::git::{GitError, HarnessGit, Id, Repository};

/// What `merge-tree --merge-base` came with.
const NEEDED: (u32, u32) = (2, 41);

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
    /// Why this repository cannot record the checkout and take commits, each a sentence; empty where it can. A private
    /// one ([`Repository::private`]) has none of these but a git that is too old.
    pub fn obstacles(&self) -> Result<Vec<String>, GitError> {
        let (major, minor) = self.info.version;
        let mut found = Vec::new();
        if (major, minor) < NEEDED {
            found.push(format!(
                "git {major}.{minor} is too old: install {}.{} or later",
                NEEDED.0, NEEDED.1
            ));
        }
        match &self.info.kind {
            RepositoryKind::Checkout | RepositoryKind::Private => {}
            RepositoryKind::Bare => {
                found.push("the repository is bare: run in a checkout of it".to_owned());
            }
            RepositoryKind::Elsewhere => found.push(
                "the files of this repository are elsewhere: unset `core.worktree`, or run there"
                    .to_owned(),
            ),
            RepositoryKind::Refused(said) => {
                found.push(format!("git refuses this repository: {said}"));
            }
        }
        if self.info.kind == RepositoryKind::Checkout {
            self.check_workspace(&mut found);
            self.check_format(&mut found);
            self.check_contents(&mut found)?;
        }
        Ok(found)
    }

    fn check_workspace(&self, found: &mut Vec<String>) {
        if self.info.workspace != self.info.top {
            found.push(format!(
                "`{}` is not the top of the repository: run in `{}`",
                self.info.workspace.display(),
                self.info.top.display()
            ));
        }
    }

    fn check_format(&self, found: &mut Vec<String>) {
        let settings = &self.info.settings;
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

    fn check_contents(&self, found: &mut Vec<String>) -> Result<(), GitError> {
        let words = ["ls-files", "--stage", "-v", "-z"];
        let index = IndexEntry::read_index(&self.call()?.args(words).run()?)?;
        let named = |pick: &dyn Fn(&IndexEntry) -> bool| -> BTreeSet<Name> {
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
                names_with_verb(&submodules)
            ));
        }
        let unmerged = named(&|entry| entry.stage != 0);
        if !unmerged.is_empty() {
            found.push(format!(
                "{} in conflict: finish the merge first",
                names_with_verb(&unmerged)
            ));
        }
        let skipped = named(&|entry| entry.is_skipped);
        if !skipped.is_empty() && !self.info.settings.is_true("core.sparsecheckout") {
            found.push(format!(
                "{} left out of the checkout: run `git update-index --no-skip-worktree` on it",
                names_with_verb(&skipped)
            ));
        }
        let filtered = self.filtered_files(&index)?;
        if !filtered.is_empty() {
            found.push(format!(
                "{} changed by a filter (LFS, encryption), which is a program that worktrees do not run",
                names_with_verb(&filtered)
            ));
        }
        Ok(())
    }

    fn submodules(&self, commit: &Id) -> Result<Vec<Name>, GitError> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
        let entries = tree_entries(&self.call()?.args(words).run()?)?;
        let links = entries.into_iter().filter(|entry| entry.mode == GITLINK);
        Ok(links.map(|entry| entry.name).collect())
    }

    /// Files that a program would change on their way in or out, those too that git does not know yet.
    fn filtered_files(&self, index: &[IndexEntry]) -> Result<BTreeSet<Name>, GitError> {
        if !self.info.settings.has_filters() {
            return Ok(BTreeSet::new());
        }
        let words = ["ls-files", "--others", "--exclude-standard", "-z"];
        let others = self.call()?.args(words).run()?;
        let others = nul_separated(&others).map(<[u8]>::to_vec);
        let known = index.iter().map(|entry| entry.name.clone());
        let names: Vec<Name> = known.chain(others).collect();
        let found = self.filters_of(&names, None)?;
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    /// Which of these paths a filter would change, and its name, by the attributes of the checkout or of this commit or
    /// tree. A filter that is not configured does nothing.
    pub(crate) fn filters_of(
        &self,
        names: &[Name],
        source: Option<&Id>,
    ) -> Result<Vec<(Name, String)>, GitError> {
        let mut found = Vec::new();
        if !self.info.settings.has_filters() {
            return Ok(found);
        }
        let source = source.map(|tree| format!("--source={tree}"));
        for chunk in names.chunks(AT_ONCE) {
            let out = self
                .call()?
                .args(["check-attr", "-z", "--stdin"])
                .args(source.as_deref())
                .args(["filter"])
                .stdin(nul_terminated(chunk))
                .run()?;
            let said: Vec<&[u8]> = nul_separated(&out).collect();
            for answer in said.chunks_exact(3) {
                if let [name, _, filter] = answer
                    && self.info.settings.has_filter(&text(filter))
                {
                    found.push((name.to_vec(), text(filter)));
                }
            }
        }
        Ok(found)
    }
}

impl HarnessGit {
    /// Which of these paths of a tree the person's git would not have committed as they are, each with the name of the
    /// filter that it has to pass.
    pub fn paths_needing_filter(
        &self,
        tree: &Id,
        paths: &[String],
    ) -> Result<Vec<(String, String)>, GitError> {
        let names: Vec<Name> = paths.iter().map(|path| name(path)).collect();
        let found = self.repository.filters_of(&names, Some(tree))?.into_iter();
        Ok(found.map(|(path, filter)| (text(&path), filter)).collect())
    }
}

/// `a` is, or `a` and `b` are: the first few.
fn names_with_verb(names: &BTreeSet<Name>) -> String {
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
