//! What the work and the contracts of a step change in the checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_engine::Changes;
use signoff_plan::glob;
use signoff_work::tree::{
    Change, Keeper, Snapshot, copy_out, protected, protected_changes, strip_rights,
};

use super::past::Past;

/// The checkout under watch. Clones watch the same one.
#[derive(Clone)]
pub(super) struct Tree {
    keeper: Arc<Mutex<Keeper>>,
    workspace: PathBuf,
    /// Where what is put back can still be found: a person may have written it meanwhile.
    kept: PathBuf,
    /// The plan itself, which we mark while steps run; who edits it is caught elsewhere.
    plan: Option<String>,
}

/// How the checkout looked before an agent worked in it.
pub(super) struct Before {
    tree: Tree,
    snapshot: Option<Snapshot>,
    /// How it looked before the step's first attempt.
    first: Option<Snapshot>,
    /// What attempts before this one changed.
    earlier: BTreeSet<String>,
    globs: Vec<String>,
    protected: BTreeMap<String, String>,
}

impl Tree {
    pub(super) fn new(workspace: &Path, store: &Path, plan: &Path) -> Self {
        let plan = plan.strip_prefix(workspace).ok();
        Self {
            keeper: Arc::new(Mutex::new(Keeper::new(workspace, store))),
            workspace: workspace.to_owned(),
            kept: store.with_file_name("put-back"),
            plan: plan.map(|path| path.to_string_lossy().into_owned()),
        }
    }

    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it looks now, if it can be looked at.
    pub(super) fn look(&self) -> Option<Snapshot> {
        self.keeper().snapshot().ok()
    }

    /// How it looks now, with an eye on what the step protects. It is written down: whoever goes on after a crash has to
    /// know what the agent changed.
    pub(super) fn before_work(&self, globs: &[String], past: &Past) -> Result<Before, String> {
        let mut earlier: BTreeSet<String> = past.seen().iter().cloned().collect();
        let unseen = past.before_unseen();
        let unseen = unseen.and_then(|before| self.since(&before));
        earlier.extend(unseen.into_iter().flatten().map(|change| change.path));
        let first = past.first();
        let snapshot = self.look();
        if let Some((snapshot, path)) = snapshot.as_ref().zip(past.present()) {
            let saved = snapshot.save(path);
            saved.map_err(|why| format!("{}: {why}", path.display()))?;
        }
        Ok(Before {
            tree: self.clone(),
            snapshot,
            first,
            earlier,
            globs: globs.to_vec(),
            protected: protected(&self.workspace, globs),
        })
    }

    /// What a step changed whose last attempt was cut off or repaired; nobody knows if nothing was written down.
    pub(super) fn left(&self, globs: &[String], past: &Past) -> Changes {
        let before = past.before_unseen();
        let changed = before.and_then(|before| self.since(&before));
        let files = changed.map(|changed| {
            let changed = changed.into_iter().map(|change| change.path);
            let touched = changed.chain(past.seen().iter().cloned()).collect();
            self.of_step(past.first().as_ref(), touched)
        });
        self.strip(files.iter().flatten());
        let covers = |path: &&String| globs.iter().any(|glob| glob::matches(glob, path));
        let protected = files.iter().flatten().filter(covers).cloned().collect();
        Changes { files, protected }
    }

    /// Those of the files that are not as the step found them: what an attempt changed, a later one may have put back.
    fn of_step(&self, first: Option<&Snapshot>, touched: BTreeSet<String>) -> Vec<String> {
        let since = first.and_then(|first| self.since(first));
        let Some(since) = since else {
            return touched.into_iter().collect();
        };
        let since = since.into_iter().map(|change| change.path);
        since.filter(|path| touched.contains(path)).collect()
    }

    /// A program with somebody's rights is no work that a plan could have asked for.
    fn strip<'f>(&self, files: impl Iterator<Item = &'f String>) {
        for path in files {
            strip_rights(&self.workspace, path).ok();
        }
    }

    /// Puts back what changed since, and names it.
    pub(super) fn put_back(&self, before: &Snapshot) -> Vec<String> {
        let mut keeper = self.keeper();
        // What the contract's own tools ignore by themselves is no business of ours.
        let Ok(after) = keeper.snapshot() else {
            return Vec::new();
        };
        let changes = self.told(keeper.changes(before, &after));
        if changes.is_empty() {
            return Vec::new();
        }
        self.keep(&changes);
        let restored = keeper.restore(before, &changes);
        let failed = restored.failed.into_iter();
        let failed = failed.map(|(path, why)| format!("{path} (not put back: {why})"));
        restored.restored.into_iter().chain(failed).collect()
    }

    fn put_back_protected(&self, before: &Snapshot, changes: &[Change], globs: &[String]) {
        let covers = |path: &str| globs.iter().any(|glob| glob::matches(glob, path));
        let changes = changes.iter().filter(|change| covers(&change.path));
        let changes: Vec<Change> = changes.cloned().collect();
        self.keep(&changes);
        // What cannot be put back is noticed before the next contract: it is part of what was signed.
        let _restored = self.keeper().restore(before, &changes);
    }

    /// Copies what is about to be put back. What cannot be copied was not worth more than the contract's word.
    fn keep(&self, changes: &[Change]) {
        // Each time a place of its own: an earlier copy may be all that is left of somebody's work.
        let places = (1_u32..).map(|number| self.kept.join(number.to_string()));
        let Some(kept) = places.into_iter().find(|place| !place.exists()) else {
            return;
        };
        for change in changes {
            // Through no link: what lies behind one may be hidden from whoever reads the copy.
            copy_out(&self.workspace, &change.path, &kept.join(&change.path)).ok();
        }
    }

    /// What an agent changed, by the ignore rules from before it worked: it may have hidden something.
    fn since(&self, before: &Snapshot) -> Option<Vec<Change>> {
        let mut keeper = self.keeper();
        let after = keeper.snapshot_since(before).ok()?;
        Some(self.told(keeper.changes(before, &after)))
    }

    fn told(&self, mut changes: Vec<Change>) -> Vec<Change> {
        changes.retain(|change| !self.is_plan(&change.path));
        changes
    }

    fn is_plan(&self, path: &str) -> bool {
        self.plan.as_ref().is_some_and(|plan| {
            let below = path.strip_prefix(plan.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Before {
    /// What the work changed.
    pub(super) fn changes(&self) -> Changes {
        let seen = self.snapshot.as_ref();
        let files = seen.and_then(|before| self.tree.since(before));
        self.tree
            .strip(files.iter().flatten().map(|change| &change.path));
        let after = protected(&self.tree.workspace, &self.globs);
        let protected = protected_changes(&self.protected, &after);
        if let Some((before, files)) = seen.zip(files.as_ref()).filter(|_| !protected.is_empty()) {
            // The next attempt begins with them as they were; the contract rests on them.
            self.tree.put_back_protected(before, files, &self.globs);
        }
        let files = files.map(|files| {
            let files = files.into_iter().map(|change| change.path);
            let Some(first) = &self.first else {
                return files.collect();
            };
            let touched = files.chain(self.earlier.iter().cloned()).collect();
            self.tree.of_step(Some(first), touched)
        });
        Changes { files, protected }
    }
}
