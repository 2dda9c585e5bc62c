//! A run goes on under another version of its plan, if that was signed.

use std::path::Path;

use serde_json::Value;
use signoff_engine::PlanDraft;
use signoff_plan::digest::canonical;
use signoff_plan::signed::SignedPlan;
use signoff_store::signatures::SignatureRecord;

use super::preflight;
use crate::error::{Error, SignedDifference};
use crate::plan_file::{PlanFile, SignedText, require_no_errors};
use crate::plan_history::PlanHistory;
use crate::project::Project;
use crate::runs::view::RunView;
use crate::signing::current_signature::{CountedSignature, require_signed};
use crate::signing::watch::Watch;

/// The version of its plan that a run goes on under.
pub(crate) struct NextVersion {
    /// Its file.
    pub(crate) plan: PlanFile,
    pub(crate) signed: SignedPlan,
    pub(crate) signature: Box<SignatureRecord>,
    /// The terms it was signed under.
    pub(crate) terms: Value,
}

/// The version of the plan or its terms that differs from the run's and is signed. If it is not signed, or has errors,
/// the difference is reported before anything starts.
pub(crate) fn next_version(
    project: &Project,
    key: &str,
    path: &Path,
    name: &str,
    watch: &mut Watch,
) -> Result<Option<NextVersion>, Error> {
    let differs = watch.difference(project)?;
    if differs.is_none_or(|difference| difference.broken.is_some()) {
        return Ok(None);
    }
    signed_version(project, key, path, name)
}

fn signed_version(
    project: &Project,
    key: &str,
    path: &Path,
    name: &str,
) -> Result<Option<NextVersion>, Error> {
    let plan = PlanFile::read(path, name, &project.workspace())?;
    if plan.key(project)? != key {
        return Ok(None);
    }
    let CountedSignature {
        plan: signed,
        signature,
    } = match require_signed(project, &plan) {
        Ok(counted) => counted,
        Err(Error::Changed { .. } | Error::NotSigned { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    require_no_errors(&plan)?;
    if project.cluster.is_none() {
        // Otherwise it was asked where it was signed, and other machines do the work.
        preflight::require_runnable(project, &plan)?;
    }
    let terms = project.present_terms(&plan.checked.plan, key)?;
    Ok(Some(NextVersion {
        plan,
        signed,
        signature,
        terms,
    }))
}

/// The drafted version of the plan that a run waits for, if it is signed.
pub(crate) fn drafted_version(
    project: &Project,
    draft: &PlanDraft,
) -> Result<Option<NextVersion>, Error> {
    let path = project.store.workspace().join(&draft.path);
    if !path.exists() {
        return Ok(None);
    }
    signed_version(project, &draft.plan, &path, &draft.path)
}

/// How the plan's file and the terms differ now from what the run carries out.
pub(crate) fn changes_since_run(
    project: &Project,
    view: &RunView,
) -> Result<Option<SignedDifference>, Error> {
    let signed = view.run.signed_plan().clone();
    let text = SignedText::default();
    Watch::new(view.plan_path.clone(), signed, view.terms.clone(), text).difference(project)
}

/// The run that waits for a plan as its new version.
pub(crate) struct WaitingRun {
    /// Its name.
    pub(crate) run: String,
    /// The digest of the plan that it carries out.
    pub(crate) digest: String,
    /// What is different from that plan.
    pub(crate) difference: SignedDifference,
}

/// The run that waits for this plan as its new version.
pub(crate) fn waiting_run(project: &Project, plan: &PlanFile) -> Result<Option<WaitingRun>, Error> {
    let key = plan.key(project)?;
    let history = PlanHistory::read(project, &key)?;
    let Some(replaced) = history.replaces() else {
        return Ok(None);
    };
    let view = match RunView::load(project, &replaced.run) {
        Ok(view) => view,
        Err(Error::NoSuchRun { .. } | Error::NeverBegun { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let waits = view.run.draft().is_some_and(|draft| draft.plan == key);
    if !waits || view.is_closed {
        return Ok(None);
    }
    let terms = project.terms(&plan.checked.plan);
    let difference = SignedDifference::compare(
        (&canonical(view.run.plan()), &view.terms),
        (&plan.canonical(), &terms),
    );
    Ok(Some(WaitingRun {
        run: view.run.id().to_owned(),
        digest: view.run.signed_plan().digest().to_string(),
        difference,
    }))
}
