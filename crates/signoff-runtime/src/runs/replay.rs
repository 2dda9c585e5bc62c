//! Rebuilds a run's state from its journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use signoff_engine::{Event, RecordedEvent, Run, apply};
use signoff_store::runs::{RunDir, is_run_id, list};

use super::snapshot::{PlanVersion, signed_snapshot};
use crate::drive::journal::first_event;
use crate::error::Error;
use crate::plan_file::SignedText;
use crate::project::Project;

/// A run that is rebuilt from its journal, one event at a time. Later versions of its plan are read from the run's
/// directory.
#[derive(Debug)]
pub(crate) struct Replay {
    dir: RunDir,
    id: String,
    /// Its state so far. It is shared: a reader keeps the version that it saw.
    pub(crate) run: Arc<Run>,
    /// The plan's name in the store.
    pub(crate) key: String,
    /// The plan's file.
    pub(crate) path: PathBuf,
    /// Terms of the version it is at.
    pub(crate) terms: Value,
    /// Versions so far.
    pub(crate) versions: usize,
    /// The text of the version it is at.
    pub(crate) text: SignedText,
}

/// The run has a directory.
pub(super) fn require_run(project: &Project, id: &str, dir: &RunDir) -> Result<(), Error> {
    if is_run_id(id) && is_there(dir.path())? && dir.path().is_dir() {
        return Ok(());
    }
    Err(unknown_run(project, Some(id)))
}

/// What cannot be looked at is not taken for gone.
fn is_there(path: &Path) -> Result<bool, Error> {
    path.try_exists().map_err(Error::cannot_read(path))
}

impl Replay {
    /// Reads no more of the journal than its beginning.
    pub(crate) fn begin(project: &Project, id: &str) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        require_run(project, id, &dir)?;
        if dir.never_began() {
            return Err(Error::NeverBegun { run: id.to_owned() });
        }
        let lost = |what: &str| Error::BrokenRun {
            run: id.to_owned(),
            why: format!("its journal {} {what}", dir.journal().display()),
        };
        if !is_there(&dir.journal())? {
            return Err(lost("is gone"));
        }
        let Some(Event::RunStarted {
            plan: key,
            path,
            digest,
            terms,
            ..
        }) = first_event(&dir.journal())?.map(|first| first.event)
        else {
            return Err(lost("does not begin with the start of a run"));
        };
        let named = PlanVersion {
            snapshot: None,
            digest: &digest,
            terms: &terms,
        };
        let text = SignedText::default();
        let (signed, terms) = signed_snapshot(project, id, &key, &dir, &named, &text)?;
        Ok(Self {
            dir,
            id: id.to_owned(),
            run: Arc::new(Run::new(signed)),
            path: project.store.workspace().join(path),
            key,
            terms,
            versions: 1,
            text,
        })
    }

    /// Applies the next event.
    pub(crate) fn apply(
        &mut self,
        project: &Project,
        recorded: &RecordedEvent,
    ) -> Result<(), Error> {
        if let Event::PlanReplanned {
            snapshot,
            digest,
            terms,
            plan,
            path,
            ..
        } = &recorded.event
        {
            if let (Some(plan), Some(path)) = (plan, path) {
                self.key.clone_from(plan);
                self.path = project.store.workspace().join(path);
            }
            let named = PlanVersion {
                snapshot: Some(snapshot),
                digest,
                terms,
            };
            let (signed, terms) =
                signed_snapshot(project, &self.id, &self.key, &self.dir, &named, &self.text)?;
            Arc::make_mut(&mut self.run).offer_plan(signed);
            self.terms = terms;
            self.versions += 1;
        }
        apply(Arc::make_mut(&mut self.run), recorded);
        Ok(())
    }
}

/// The error for an unknown run, with the names of those that exist.
pub(crate) fn unknown_run(project: &Project, id: Option<&str>) -> Error {
    let known = list(&project.store).unwrap_or_default();
    Error::NoSuchRun {
        run: id.map(str::to_owned),
        known: known.into_iter().map(|entry| entry.id).collect(),
    }
}
