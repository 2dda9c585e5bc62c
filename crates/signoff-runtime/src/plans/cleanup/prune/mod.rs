//! Deletes what is no longer needed: archived plans that are old, what belonged to them,
//! and what runs, locks and artifacts of plans that are gone, or never came to be, have left.
//!
//! A plan's log and its signatures are records and stay, unless they are asked for. Everything is
//! repeatable: what a killed `prune` left is found by the next.

mod artifacts;
mod leftovers;
mod runs;
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_api::pruned::RemovedKind;
use signoff_engine::Millis;
use signoff_store::lock::PlanLock;
use signoff_store::{failpoint, plan_log};

use self::tree::{remove, size};
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::plans::ActorContext;
use crate::plans::index::{Archive, IndexedPlan, IndexedPlans, PlanLocationKind, refresh};
use crate::plans::locked::LockedPlan;
use crate::plans::locked::expiry::DAY;
use crate::project::locks::take_start;
use crate::project::relative;
use crate::trees::LeftoverFinder;

/// What may go.
#[derive(Debug, Clone, Copy)]
pub struct PruneOptions {
    /// Nothing happened to it for longer than this.
    pub older_than_days: u64,
    /// Only say it.
    pub dry_run: bool,
    /// Logs and signatures of plans that are gone, too.
    pub records: bool,
}

/// What was deleted, and what was due and stays.
#[derive(Debug, Default)]
pub struct PruneReport {
    /// Deleted, or to be deleted.
    pub removed: Vec<RemovedItem>,
    /// Still there.
    pub kept: Vec<KeptItem>,
}

/// A file, a directory or a name in the repository that is gone.
#[derive(Debug)]
pub struct RemovedItem {
    /// What it was.
    pub kind: RemovedKind,
    /// The plan it belonged to; of a run, the run.
    pub id: String,
    /// Where it was.
    pub path: PathBuf,
    /// What it held.
    pub bytes: u64,
}

/// Something that stays.
#[derive(Debug)]
pub struct KeptItem {
    /// Where it is.
    pub path: PathBuf,
    /// Why.
    pub why: KeptReason,
}

/// Why something stays.
#[derive(Debug)]
pub enum KeptReason {
    /// A run that has not ended.
    Unfinished,
    /// The work of this run has not landed.
    NotLanded(String),
    /// Somebody works on this branch, there.
    CheckedOut(PathBuf),
    /// This run can no longer be read, and has commits that may be nowhere else.
    UnlandedCommits(String),
    /// This run can be read: it goes with its plan.
    Readable,
    /// A process drives it.
    Driven,
    /// It could not be read or removed.
    Error(Error),
}

/// Deletes what is older than the options say.
pub fn prune(context: ActorContext<'_>, options: &PruneOptions) -> Result<PruneReport, Error> {
    let mut indexed = refresh(context.project, context.clock.now(), Archive::Checked)?;
    let troubles = std::mem::take(&mut indexed.troubles);
    let mut pruning = Pruning::new(context, *options);
    let unread = troubles
        .iter()
        .filter_map(|trouble| trouble.path.file_stem().map(ToOwned::to_owned))
        .collect();
    for trouble in troubles {
        // What cannot be read cannot be identified.
        pruning.note_kept(&trouble.path, KeptReason::Error(trouble.error));
    }
    for found in &indexed.found {
        pruning.prune_archived(found);
    }
    pruning.prune_artifacts(&indexed, &unread)?;
    pruning.prune_runs(&indexed)?;
    pruning.remove_orphans();
    // After the runs: the logs tell which of them are over.
    if options.records {
        pruning.prune_records(&indexed);
    }
    pruning.prune_locks(&indexed)?;
    Ok(pruning.pruned)
}

/// Deletes these runs, which cannot be read or whose directories are gone, with what they left. Commits that may have landed
/// nowhere go only with `force`.
pub fn prune_damaged_runs(
    context: ActorContext<'_>,
    runs: &[String],
    force: bool,
    dry_run: bool,
) -> Result<PruneReport, Error> {
    let options = PruneOptions {
        older_than_days: 0,
        dry_run,
        records: false,
    };
    let mut pruning = Pruning::new(context, options);
    let _starting = take_start(context.project)?;
    for run in runs {
        pruning.prune_damaged_run(run, force)?;
    }
    Ok(pruning.pruned)
}

struct Pruning<'a> {
    context: ActorContext<'a>,
    options: PruneOptions,
    remains: LeftoverFinder<'a>,
    pruned: PruneReport,
    /// Keys of the plans that go now.
    gone: BTreeSet<String>,
    /// Keys of plans with runs that stay: without the signatures nobody could read them.
    needed: BTreeSet<String>,
}

impl<'a> Pruning<'a> {
    fn new(context: ActorContext<'a>, options: PruneOptions) -> Self {
        Self {
            context,
            options,
            // Git is not needed for anything else here.
            remains: LeftoverFinder::of(context.project)
                .unwrap_or_else(|_| LeftoverFinder::without_git(context.project)),
            pruned: PruneReport::default(),
            gone: BTreeSet::new(),
            needed: BTreeSet::new(),
        }
    }
}

impl Pruning<'_> {
    fn is_old(&self, last: Millis) -> bool {
        let age = self.context.clock.now().saturating_sub(last);
        age > self.options.older_than_days.saturating_mul(DAY)
    }

    fn note_kept(&mut self, path: &Path, why: KeptReason) {
        let path = path.to_owned();
        self.pruned.kept.push(KeptItem { path, why });
    }

    /// An archived plan with what belongs to it, if it is old.
    fn prune_archived(&mut self, found: &IndexedPlan) {
        let Some(row) = &found.entry.row else {
            return;
        };
        if found.location.kind != PlanLocationKind::Archive || !self.is_old(row.updated_at()) {
            return;
        }
        let path = &found.location.path;
        let artifacts = self.context.project.store.artifacts_dir(&row.key);
        let deleted = if self.options.dry_run {
            Ok(true)
        } else {
            self.log_deletion(path)
        };
        match deleted {
            Ok(true) => {
                self.remove(RemovedKind::Artifacts, &row.key, &artifacts);
                // The plan last: while it is there, the next prune finds the rest.
                self.remove(RemovedKind::Plan, &row.key, path);
                self.gone.insert(row.key.clone());
            }
            Ok(false) => {}
            Err(error) => self.note_kept(path, KeptReason::Error(error)),
        }
    }

    /// Writes into the log that the plan is deleted, if it still is as old as it was.
    fn log_deletion(&self, path: &Path) -> Result<bool, Error> {
        let locked = LockedPlan::open(self.context, path, &relative(self.context.project, path))?;
        let last = locked.history().last_change();
        if last.is_some_and(|last| !self.is_old(last)) {
            return Ok(false);
        }
        // One that nothing ever happened to here has no log, and gets none for its end.
        if last.is_some() && !locked.history().is_deleted() {
            locked.record(&[PlanEvent::PlanDeleted {
                by: locked.actor_name(),
            }])?;
        }
        failpoint::reach("prune.logged");
        Ok(true)
    }

    /// Logs and signatures of plans whose files are gone for long enough.
    fn prune_records(&mut self, indexed: &IndexedPlans) {
        let store = &self.context.project.store;
        let mut logs = Vec::new();
        for found in &indexed.found {
            match (&found.entry.row, found.location.kind) {
                (Some(row), _) if self.gone.contains(&row.key) => {
                    logs.push((row.key.clone(), store.log_path(&row.key)));
                }
                (None, PlanLocationKind::Log) if self.is_gone(&found.location.path) => {
                    let key = found.location.name.trim_end_matches(".jsonl").to_owned();
                    logs.push((key, found.location.path.clone()));
                }
                _ => {}
            }
        }
        let signatures = store.dir().join("signatures");
        logs.retain(|(key, _)| !self.needed.contains(key));
        for (key, log) in logs {
            // Without a name this would be every plan's signatures.
            let encoded = log.file_stem().expect("a log has a name");
            self.remove(RemovedKind::Signatures, &key, &signatures.join(encoded));
            self.remove_log(&key, &log);
        }
    }

    fn remove_log(&mut self, key: &str, log: &Path) {
        let forgotten = if self.options.dry_run || !log.exists() {
            Ok(())
        } else {
            plan_log::forget_end(log)
        };
        if let Err(error) = forgotten {
            return self.note_kept(log, KeptReason::Error(error.into()));
        }
        self.remove(RemovedKind::Log, key, log);
        self.remove(RemovedKind::Log, key, &plan_log::head_path(log));
    }

    /// Is this the log of a plan whose file is gone for long enough?
    fn is_gone(&self, log: &Path) -> bool {
        let Ok(history) = plan_log::load(log)
            .map_err(Error::from)
            .and_then(|records| PlanHistory::of(&records))
        else {
            return false;
        };
        let workspace = self.context.project.store.workspace();
        let exists = |path: &str| workspace.join(path).symlink_metadata().is_ok();
        let there = history.path().is_some_and(exists) && !history.is_deleted();
        !there && history.last_entry().is_some_and(|last| self.is_old(last))
    }

    /// Lock files of plans that are gone. Those of the others are taken again and again.
    fn prune_locks(&mut self, indexed: &IndexedPlans) -> Result<(), Error> {
        let store = &self.context.project.store;
        let known: BTreeSet<PathBuf> = indexed
            .rows()
            .filter(|(_, row, _)| !self.gone.contains(&row.key))
            .filter_map(|(_, row, _)| Some(store.log_path(&row.key).file_stem()?.into()))
            .collect();
        let directory = store.locks_dir().join("plans");
        for path in tree::files(&directory)? {
            if path
                .file_name()
                .is_some_and(|name| known.contains(Path::new(name)))
            {
                continue;
            }
            let id = path
                .file_name()
                .expect("an entry of a directory")
                .to_string_lossy();
            let bytes = size(&path);
            let removed = self.options.dry_run || PlanLock::remove_unheld(&path).unwrap_or(false);
            if removed {
                self.pruned.removed.push(RemovedItem {
                    kind: RemovedKind::Lock,
                    id: id.into_owned(),
                    bytes,
                    path,
                });
            }
        }
        Ok(())
    }

    /// Deletes a file or directory of the store, if it is there.
    fn remove(&mut self, kind: RemovedKind, id: &str, path: &Path) {
        if path.symlink_metadata().is_err() {
            return;
        }
        let bytes = size(path);
        if !self.options.dry_run
            && let Err(error) = remove(path)
        {
            return self.note_kept(path, KeptReason::Error(error));
        }
        self.pruned.removed.push(RemovedItem {
            kind,
            id: id.to_owned(),
            path: path.to_owned(),
            bytes,
        });
    }
}
