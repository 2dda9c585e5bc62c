//! A run as lists tell of it. A long-lived process reads one that has ended once, and not again for every list.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_api::inbox::HeldFiles;
use signoff_api::runs::RunSummary;
use signoff_store::index::Stamp;
use signoff_store::runs::list;

use super::run_cache::{MOST, RunCache};
use super::view::RunView;
use crate::clock::{Clock as _, SystemClock};
use crate::error::Error;
use crate::project::Project;

/// Bytes of journals that are read before anybody asks for them: a fraction of a second.
const AHEAD: u64 = 32 << 20;

/// A run's name, and the run or why it cannot be read.
pub type NamedRun = (String, Result<ListedRun, Error>);

/// A run as lists tell of it.
#[derive(Debug)]
pub enum ListedRun {
    /// It has ended or was given up, and nobody works on it.
    Ended(Arc<EndedRun>),
    /// It goes on, or waits.
    Open(Box<RunView>),
}

/// What lists tell of a run that has ended.
#[derive(Debug)]
pub struct EndedRun {
    run: RunSummary,
    held: Option<HeldFiles>,
    /// The run's journal and its plan's log, which this was made from.
    files: [Option<Stamp>; 2],
}

impl ListedRun {
    /// Every run that began, oldest first; one that cannot be read hides no other.
    pub fn load_all(project: &Project) -> Result<Vec<NamedRun>, Error> {
        let entries = list(&project.store)?.into_iter();
        let runs = entries.map(|entry| {
            let run = Self::load(project, &entry.id);
            (entry.id, run)
        });
        let begun = runs.filter(|(_, run)| !matches!(run, Err(Error::NeverBegun { .. })));
        Ok(begun.collect())
    }

    /// Reads a run, unless it is known and has not changed.
    pub fn load(project: &Project, id: &str) -> Result<Self, Error> {
        let known = EndedRuns::of(project);
        if let Some(ended) = known.as_ref().and_then(|known| known.find(project, id)) {
            return Ok(Self::Ended(ended));
        }
        let view = RunView::load(project, id)?;
        if view.driven || !view.has_ended() {
            return Ok(Self::Open(Box::new(view)));
        }
        let ended = Arc::new(EndedRun {
            files: current_stamps(project, id, &view.key),
            held: view.files_to_settle(),
            run: RunSummary::new(view.to_api()),
        });
        if let Some(known) = known {
            known.insert(id, &ended);
        }
        Ok(Self::Ended(ended))
    }

    /// The row that `runs` prints.
    pub fn to_api(&self) -> RunSummary {
        match self {
            Self::Ended(ended) => ended.run.clone(),
            Self::Open(view) => RunSummary::new(view.to_api()),
        }
    }

    /// Its files that a person can settle now.
    pub fn held(&self) -> Option<HeldFiles> {
        match self {
            Self::Ended(ended) => ended.held.clone(),
            Self::Open(view) => view.files_to_settle(),
        }
    }

    /// How many questions and held files of it wait on a person.
    pub fn waiting_count(&self) -> usize {
        match self {
            Self::Ended(ended) => usize::from(ended.held.is_some()),
            Self::Open(view) => {
                view.question_count() + usize::from(view.files_to_settle().is_some())
            }
        }
    }
}

/// The runs that were found to have ended.
#[derive(Debug, Default)]
struct EndedRuns(Mutex<BTreeMap<String, Arc<EndedRun>>>);

impl EndedRuns {
    /// Those of this project, if a long-lived process keeps it. What other machines do no file here shows.
    fn of(project: &Project) -> Option<Arc<Self>> {
        let is_local = project.elsewhere.is_none() && project.cluster.is_none();
        let values = project.kept_values.as_ref().filter(|_| is_local)?;
        Some(values.get())
    }

    fn find(&self, project: &Project, id: &str) -> Option<Arc<EndedRun>> {
        let ended = lock(&self.0).get(id).cloned()?;
        let plan = ended.run.plan.as_deref()?;
        let is_current = current_stamps(project, id, plan) == ended.files;
        let tree = ended.run.worktree.as_deref();
        let has_tree = tree.is_none_or(|tree| std::path::Path::new(tree).is_dir());
        (is_current && has_tree).then_some(ended)
    }

    /// Unless its files were written just now: the next write might not show.
    fn insert(&self, id: &str, ended: &Arc<EndedRun>) {
        let now = SystemClock::new().now();
        let is_racy = ended.files.iter().flatten().any(|file| file.is_racy(now));
        if !is_racy {
            lock(&self.0).insert(id.to_owned(), Arc::clone(ended));
        }
    }
}

/// Reads the newest runs, so that whoever asks first does not wait for that; of no use where nothing is kept.
pub fn read_ahead(project: &Project) -> Result<(), Error> {
    let Some(cache) = RunCache::of(project) else {
        return Ok(());
    };
    let mut left = AHEAD;
    let runs = list(&project.store)?.into_iter().rev().take(MOST);
    let runs = runs.take_while(|run| {
        let journal = std::fs::metadata(run.dir.journal());
        let bytes = journal.map_or(0, |found| found.len());
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    });
    // The newest last: it is kept longest.
    let runs: Vec<_> = runs.collect();
    for run in runs.iter().rev() {
        // Whoever asks for it is told what is wrong with it.
        ListedRun::load(project, &run.id).ok();
    }
    // Its own page shows the newest one step by step.
    let newest = runs.first().map(|run| RunView::load(project, &run.id));
    if let Some(Ok(view)) = newest {
        cache.report(project, &view, |_| ()).ok();
    }
    Ok(())
}

fn current_stamps(project: &Project, run: &str, plan: &str) -> [Option<Stamp>; 2] {
    let log = Stamp::of(&project.store.log_path(plan));
    [Stamp::of_run(&project.store, run), log]
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is half-way is never in it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
