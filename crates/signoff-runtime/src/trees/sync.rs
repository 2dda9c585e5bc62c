//! Between the checkout and the run: what a person does there joins the run's tree, and what steps did is written there,
//! file by file. Nothing else writes to the checkout while a run is at work.

use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_engine::RunTree;
use signoff_store::failpoint;
use signoff_store::lock::WorkspaceLock;
use signoff_work::git::{
    self, GitError, HeldFile, HoldReason, Id, RestlessFiles, Settling, UnlandReport,
};

use super::self_starting::AskedFor;
use super::{Trees, error_text, lock, remove_tree};
use crate::error::Error;

/// The tree that the checkout and the run last agreed on.
const AGREED: &str = "agreed";
/// What was written to the checkout.
const LANDED: &str = "landed";

/// How often, and how long apart, one tries to have the checkout: another run that lands is done soon.
const TRIES: (u32, Duration) = (20, Duration::from_millis(50));

/// What a person did in the checkout, as a commit of the run.
#[derive(Debug, Clone)]
pub(crate) struct JoinedChanges {
    pub(crate) commit: Id,
    /// The head before.
    onto: Id,
    pub(crate) tree: String,
    pub(crate) files: Vec<String>,
    pub(crate) conflicts: Vec<String>,
    pub(crate) deleted: Vec<String>,
    /// What both agree on once it is journaled.
    agreed: Id,
}

/// What was written to the checkout.
#[derive(Debug, Clone, Default)]
pub(crate) struct LandedFiles {
    pub(crate) files: Vec<String>,
    /// What could not be, each with the reason.
    pub(crate) held: Vec<String>,
    /// The files among it.
    pub(crate) held_files: Vec<HeldFileVersion>,
}

/// A file that was left as it is in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFileVersion {
    /// Its path in the project.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Where the run's version of it is; `None` if the run removes it.
    pub version: Option<PathBuf>,
    /// It runs by itself in a checkout, and nobody asked for it.
    pub runs_by_itself: bool,
}

/// How often a run landed, and the last commit of it.
#[derive(Debug, Clone)]
pub(super) struct Landings {
    number: usize,
    last: Option<Id>,
}

impl From<Vec<Id>> for Landings {
    fn from(commits: Vec<Id>) -> Self {
        Self {
            number: commits.len(),
            last: commits.into_iter().next_back(),
        }
    }
}

impl Trees {
    /// Notes the tree, or the tree of the commit, that the checkout and the run agree on.
    pub(super) fn agree_on(&self, tree: &Id) -> Result<(), GitError> {
        let tree = self.own.tree_of(tree)?;
        self.remember(AGREED, &tree)?;
        *lock(&self.agreed) = Some(tree);
        Ok(())
    }

    pub(crate) fn agreed_tree(&self) -> Result<Id, String> {
        if let Some(tree) = &*lock(&self.agreed) {
            return Ok(tree.clone());
        }
        let agreed = self.recorded_id(AGREED).map_err(error_text)?;
        match agreed {
            Some(agreed) => self.own.tree_of(&agreed).map_err(error_text),
            None => self.own.tree_of(self.start()?).map_err(error_text),
        }
    }

    /// What a person changed in the checkout since it was last read, as a commit on top of the head.
    pub(crate) fn join(
        &self,
        head: &Id,
        restless: &mut RestlessFiles,
    ) -> Result<Option<JoinedChanges>, String> {
        let _in_turns = lock(&self.syncing);
        let (agreed, first) = (
            self.agreed_tree()?,
            self.own.tree_of(self.start()?).map_err(error_text)?,
        );
        let head_tree = self.own.tree_of(head).map_err(error_text)?;
        let report = self
            .own
            .join_checkout(&agreed, &head_tree, &first, restless)
            .map_err(error_text)?;
        if report.head_tree == head_tree {
            if report.base != agreed {
                self.agree_on(&report.base).map_err(error_text)?;
            }
            return Ok(None);
        }
        let commit = self
            .own
            .commit_join(&report.head_tree, head)
            .map_err(error_text)?;
        self.own.sync_objects().map_err(error_text)?;
        Ok(Some(JoinedChanges {
            commit,
            onto: head.clone(),
            tree: report.head_tree.to_string(),
            files: report.joined,
            conflicts: report.conflicts,
            deleted: report.deleted,
            agreed: report.base,
        }))
    }

    /// Takes these files of a person back from the head: they are as in `base` there.
    pub(super) fn take_back(
        &self,
        base: &Id,
        head: &Id,
        files: Vec<String>,
    ) -> Result<JoinedChanges, String> {
        let _in_turns = lock(&self.syncing);
        let tree = self
            .own
            .with_paths_from(head, base, &files)
            .map_err(error_text)?;
        let commit = self.own.commit_join(&tree, head).map_err(error_text)?;
        self.own.sync_objects().map_err(error_text)?;
        let agreed = self.own.with_paths_from(&self.agreed_tree()?, base, &files);
        let agreed = agreed.map_err(error_text)?;
        // Before the journal knows: where both agreed on the person's files, landing would write over them. If it never
        // knows, the next look finds that the head has them.
        self.agree_on(&agreed).map_err(error_text)?;
        Ok(JoinedChanges {
            commit,
            onto: head.clone(),
            tree: tree.to_string(),
            files: Vec::new(),
            conflicts: files,
            deleted: Vec::new(),
            agreed,
        })
    }

    /// What a person did is journaled: the branch moves to it.
    pub(crate) fn move_branch_to_join(&self, joined: &JoinedChanges) -> Result<(), String> {
        let _in_turns = lock(&self.syncing);
        failpoint::reach("join.recorded");
        let branch = super::branch(&self.run);
        let moved = self
            .repository
            .move_ref(&branch, &joined.commit, Some(&joined.onto));
        moved.map_err(error_text)?;
        self.agree_on(&joined.agreed).map_err(error_text)
    }

    /// Writes to the checkout what the head has and it has not, file by file.
    pub(crate) fn land_files(
        &self,
        head: &Id,
        is_asked: AskedFor<'_>,
    ) -> Result<LandedFiles, String> {
        let _in_turns = lock(&self.syncing);
        let agreed = self.agreed_tree()?;
        let head = self.own.tree_of(head).map_err(error_text)?;
        if agreed == head {
            self.show_held(&head, &[])?;
            return Ok(LandedFiles::default());
        }
        let Some(_alone) = self.take_checkout()? else {
            let held = vec!["another run works in the checkout".to_owned()];
            return Ok(LandedFiles {
                held,
                ..LandedFiles::default()
            });
        };
        let first = self.own.tree_of(self.start()?).map_err(error_text)?;
        let self_starting = self.self_starting(&agreed, &head).map_err(error_text)?;
        let hold = |path: &str| {
            let reason = self_starting.hold_reason(path);
            reason.filter(|_| !is_asked(path))
        };
        let report = self
            .own
            .land_files_but(&agreed, &head, &first, &hold, &failpoint::reach)
            .map_err(error_text)?;
        self.note_landed(&report.written);
        self.remember_landing(&report.landed).map_err(error_text)?;
        failpoint::reach("files.landed");
        self.agree_on(&report.base).map_err(error_text)?;
        let held = |held: &HeldFile| format!("`{}`: {}", held.path, held.reason);
        Ok(LandedFiles {
            files: report.written,
            held_files: self.show_held(&head, &report.held)?,
            held: report.held.iter().map(held).collect(),
        })
    }

    /// Writes the run's versions of held files to where a person can look at them, with or without git.
    pub(super) fn show_held(
        &self,
        head: &Id,
        held: &[HeldFile],
    ) -> Result<Vec<HeldFileVersion>, String> {
        remove_tree(&self.held_versions).map_err(error_text)?;
        if held.is_empty() {
            return Ok(Vec::new());
        }
        std::fs::create_dir_all(&self.held_versions).map_err(error_text)?;
        let paths: Vec<String> = held.iter().map(|held| held.path.clone()).collect();
        let exported = self
            .own
            .export_files(head, &paths, &self.held_versions)
            .map_err(error_text)?;
        let shown = held.iter().zip(exported);
        Ok(shown
            .map(|(held, version)| HeldFileVersion {
                path: held.path.clone(),
                reason: held.reason.to_string(),
                version,
                runs_by_itself: matches!(held.reason, HoldReason::RunsByItself(_)),
            })
            .collect())
    }

    /// Records a person's decision about files that were held. The next landing writes the run's versions of those to take,
    /// and leaves those to keep as they are.
    pub(crate) fn settle_held(
        &self,
        head: &Id,
        paths: &[String],
        how: Settling,
    ) -> Result<(), String> {
        if paths.is_empty() {
            return Ok(());
        }
        let _in_turns = lock(&self.syncing);
        let agreed = self.agreed_tree()?;
        let head = self.own.tree_of(head).map_err(error_text)?;
        let first = self.own.tree_of(self.start()?).map_err(error_text)?;
        let settled = self
            .own
            .settle_files(&agreed, &head, &first, paths, how)
            .map_err(error_text)?;
        self.agree_on(&settled).map_err(error_text)
    }

    /// Takes the lock for writing to the checkout. Returns `None` if another process has it.
    fn take_checkout(&self) -> Result<Option<WorkspaceLock>, String> {
        let (times, pause) = TRIES;
        for _ in 0..times {
            let lock = WorkspaceLock::try_acquire(&self.checkout_lock).map_err(error_text)?;
            if lock.is_some() {
                return Ok(lock);
            }
            std::thread::sleep(pause);
        }
        Ok(None)
    }

    /// Remembers what a landing changed, so that it can be undone.
    fn remember_landing(&self, landed: &git::LandedFiles) -> Result<(), GitError> {
        if landed.from == landed.to {
            return Ok(());
        }
        let known = match lock(&self.landed).clone() {
            Some(known) => known,
            None => self.landings()?.into(),
        };
        // A crash interrupted the last landing: this one completes it.
        let goes_on = match &known.last {
            Some(last) => self.own.tree_before(last)? == landed.from,
            None => false,
        };
        let number = known.number + usize::from(!goes_on);
        let before = match known.last {
            Some(last) if self.own.tree_of(&last)? == landed.from => last,
            _ => self.own.commit(&landed.from, &[], "Before a landing\n")?,
        };
        let after = self.own.commit(&landed.to, &[before], "Landed\n")?;
        self.remember(&format!("{LANDED}/{number:06}"), &after)?;
        let last = Some(after);
        *lock(&self.landed) = Some(Landings { number, last });
        Ok(())
    }

    /// The commits that were landed in the checkout, the oldest first.
    fn landings(&self) -> Result<Vec<Id>, GitError> {
        let found = self
            .repository
            .refs(&self.ref_name(&format!("{LANDED}/")))?;
        let mut found: Vec<(String, Id)> = found.into_iter().collect();
        found.sort();
        Ok(found.into_iter().map(|(_, commit)| commit).collect())
    }

    /// How the checkout differs from what the run found when it began, a sentence for each difference. Edits that joined the
    /// run meanwhile count too.
    pub(crate) fn changed_since(
        &self,
        found: &RunTree,
        is_ours: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, Error> {
        let mut changed = Vec::new();
        let now = self.repository.head()?.commit.map(|id| id.to_string());
        if now != found.base {
            changed.push("HEAD is not the commit that it was when the run began".to_owned());
        }
        let start: Id = found.start.parse()?;
        let mut files = self.own.changed_paths(&start, &self.own.snapshot()?)?;
        files.retain(|file| !is_ours(file));
        if let Some(first) = files.first() {
            let more = match files.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            changed.push(format!("changed since the run began: `{first}`{more}"));
        }
        Ok(changed)
    }

    /// The run has landed as files: its layers go, and what `undo` needs stays.
    pub(crate) fn forget_work(&self) {
        // What stays is removed with the run.
        remove_tree(&self.root).ok();
        self.clean_up_overlays_and_pool();
    }

    /// Where what the run did can be found.
    pub(crate) fn work_ref(&self) -> String {
        super::branch(&self.run)
    }

    /// The repository that it is in, where that is not the project's own.
    pub(crate) fn private_repository(&self) -> Option<PathBuf> {
        let objects = self.repository.objects();
        let directory = objects.parent().filter(|_| self.repository.is_private());
        directory.map(Path::to_owned)
    }

    /// Takes back what was written to the checkout, file by file.
    pub(crate) fn unland_files(&self) -> Result<UnlandReport, GitError> {
        let _in_turns = lock(&self.syncing);
        let Some(start) = self.start.get() else {
            return Ok(UnlandReport::default());
        };
        let first = self.own.tree_of(start)?;
        let mut landings = Vec::new();
        for commit in self.landings()? {
            landings.push(git::LandedFiles {
                from: self.own.tree_before(&commit)?,
                to: self.own.tree_of(&commit)?,
            });
        }
        let report = self
            .own
            .unland_files(&landings, &first, &failpoint::reach)?;
        failpoint::reach("undo.unlanded");
        self.forget_landings(&report.left)?;
        Ok(report)
    }

    /// What was taken back is not taken back once more: what a person writes from now on is theirs.
    fn forget_landings(&self, left: &[git::LandedFiles]) -> Result<(), GitError> {
        for (name, _) in self
            .repository
            .refs(&self.ref_name(&format!("{LANDED}/")))?
        {
            self.repository.delete_ref(&name)?;
        }
        self.forget_references();
        *lock(&self.landed) = None;
        for landed in left {
            self.remember_landing(landed)?;
        }
        Ok(())
    }

    /// Is something in the checkout that can be taken back?
    pub(crate) fn has_landings(&self) -> Result<bool, GitError> {
        Ok(!self.landings()?.is_empty())
    }
}
