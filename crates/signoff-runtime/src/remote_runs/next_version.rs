//! The version of its plan under which a run is to go on that other machines drive: it was signed where the plan's files
//! are, and is taken up by the process that drives the run. Nobody is believed who brings it: the signature counts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan_file::{PlanFile, SignedText};
use crate::plans::approval::replan::{self, NextVersion};
use crate::project::{Project, relative};
use crate::runs::snapshot::keep_signature;
use crate::runs::view::RunView;
use crate::signing::current_signature::require_signed;
use crate::signing::watch::Watch;

/// Its file in the run's directory.
pub const NAME: &str = "next.json";

/// A version of a plan that somebody signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedVersion {
    /// The plan's name in the store.
    pub plan: String,
    /// Its file in the project.
    pub path: String,
    /// Its text, as a file of the run's directory.
    pub snapshot: String,
    /// Its digest.
    pub digest: String,
    /// That of its terms.
    pub terms: String,
}

/// Keeps the version that this run is to go on under, if there is one and it is signed. Returns the files of the run's
/// directory that other machines need for it.
pub(super) fn keep(project: &Project, view: &RunView) -> Result<Vec<String>, Error> {
    let next = match view.run.draft() {
        Some(draft) => replan::drafted_version(project, draft)?,
        None => changed_version(project, view)?,
    };
    let Some(NextVersion { plan, signed, .. }) = next else {
        return Ok(Vec::new());
    };
    let dir = project.store.run_dir(view.run.id());
    if plan.path.is_dir() {
        let plan = relative(project, &plan.path);
        return Err(Error::ThreadRevision { plan });
    }
    let key = plan.key(project)?;
    let extension = plan.path.extension().and_then(|found| found.to_str());
    let bytes = plan.source.bytes();
    let snapshot = dir.save_text("next", extension.unwrap_or("md"), bytes)?;
    keep_signature(project, &key, &dir, &signed)?;
    let version = SignedVersion {
        plan: key,
        path: relative(project, &plan.path),
        snapshot: snapshot.clone(),
        digest: signed.digest().to_string(),
        terms: signed.terms().to_string(),
    };
    let text = serde_json::to_vec(&version).map_err(|why| Error::Unwritable {
        why: why.to_string(),
    })?;
    let name = dir.save_text("next", "json", &text)?;
    Ok(vec!["signatures".to_owned(), snapshot, name])
}

/// The plan's file, if it was changed and signed since the run began.
fn changed_version(project: &Project, view: &RunView) -> Result<Option<NextVersion>, Error> {
    let signed = view.run.signed_plan().clone();
    let path = view.plan_path.clone();
    let mut watch = Watch::new(path, signed, view.terms.clone(), SignedText::default());
    let name = relative(project, &view.plan_path);
    replan::next_version(project, &view.key, &view.plan_path, &name, &mut watch)
}

/// The version that a run may go on under, as far as its journal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedVersion {
    /// The plan's name in the store.
    pub plan: String,
    /// Its file in the project.
    pub path: String,
    /// The digests of the version that the run carries out.
    pub present: (String, String),
    /// A new version was drafted: without it the run does not go on.
    pub is_drafted: bool,
}

/// Which version the run may go on under.
pub fn awaited_version(project: &Project, run: &str) -> Result<AwaitedVersion, Error> {
    let view = RunView::load(project, run)?;
    let signed = view.run.signed_plan();
    let present = (signed.digest().to_string(), signed.terms().to_string());
    Ok(match view.run.draft() {
        Some(draft) => AwaitedVersion {
            plan: draft.plan.clone(),
            path: draft.path.clone(),
            present,
            is_drafted: true,
        },
        None => AwaitedVersion {
            plan: view.key.clone(),
            path: relative(project, &view.plan_path),
            present,
            is_drafted: false,
        },
    })
}

/// Refuses a version whose signature does not count here, or whose terms are others.
pub fn require_counts(project: &Project, version: &SignedVersion) -> Result<(), Error> {
    let path: PathBuf = project.store.workspace().join(&version.path);
    let plan = PlanFile::read(&path, &version.path, &project.workspace())?;
    require_signed(project, &plan).map(drop)
}
