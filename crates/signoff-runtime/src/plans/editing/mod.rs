//! Edits of a plan's file: one field, a new step, another order, a step that is left out. What surfaces offer in
//! forms and by drag and drop ends here.

mod change;
mod trial;
mod write;

use std::path::Path;

use signoff_engine::PlanState;
use signoff_plan::diagnostic::{Code, Diagnostic, Severity};
use signoff_plan::source::Source;

pub use self::change::{PlanChange, edited_source};
pub use self::trial::{EditTrial, FieldProblem, try_edit};
use super::approval::approve::expect_digest;
use super::approval::policy::sign_after_proposal;
use super::locked::LockedPlan;
use super::locked::version::require_version;
use super::proposing::revise::replace_text;
use super::{ActorContext, PlanReport};
use crate::error::Error;
use crate::plan_file::PlanFile;

/// What must hold for an edit to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditOptions {
    /// The plan's version.
    pub expect_version: Option<u64>,
    /// The beginning of its digest.
    pub expect_digest: Option<String>,
}

impl EditOptions {
    /// Refuses a plan that is another than was expected.
    pub(crate) fn require(&self, plan: &PlanFile) -> Result<(), Error> {
        require_version(plan, self.expect_version)?;
        match &self.expect_digest {
            Some(expected) => expect_digest(expected, &plan.digest()),
            None => Ok(()),
        }
    }
}

/// An edited plan.
#[derive(Debug)]
pub struct EditReport {
    /// The plan.
    pub done: PlanReport,
    /// What was done, one sentence each.
    pub changes: Vec<String>,
    /// Id of the step that was changed last.
    pub step: Option<String>,
    /// There was a signature, and it does not cover what the plan says now.
    pub voids_signature: bool,
}

/// Makes changes in a plan's file, all or none.
pub fn edit(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    changes: &[PlanChange],
    options: &EditOptions,
) -> Result<EditReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    options.require(&locked.plan)?;
    locked.allow_edit()?;
    let edited = edited_source(&locked.plan, changes)?;
    let workspace = context.project.workspace();
    let read = |source: Source| PlanFile::from_source(&locked.plan.path, source, None, &workspace);
    let new = read(edited.source.clone());
    if new.source.bytes() == locked.plan.source.bytes() {
        let plan = new.source.name().to_owned();
        return Err(Error::NothingEdited { plan });
    }
    refuse_new_errors(&locked.plan, &new)?;
    let was_signed = locked.status.state == PlanState::Approved;
    let changes = edited.sentences.clone();
    let step = edited.step.clone();
    let old = locked.plan.digest();
    let done = if new.digest() == old {
        write::keep_definition(locked, new)?
    } else {
        let new = read(write::with_next_version(&locked, new.source)?);
        sign_after_proposal(context, write::replace(locked, new, &edited)?)
    };
    Ok(EditReport {
        voids_signature: was_signed && done.plan.digest() != old,
        done,
        changes,
        step,
    })
}

/// Puts a text that was written in an editor in the place of the plan's, if the plan is still the one that the editor
/// was opened with.
pub fn edit_text(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    text: &[u8],
    opened: &Source,
) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    if locked.plan.source.bytes() != opened.bytes() {
        let plan = locked.plan.source.name().to_owned();
        return Err(Error::EditedMeanwhile { plan });
    }
    let replaced = replace_text(locked, text).map_err(|error| match error {
        Error::NothingRevised { plan } => Error::NothingEdited { plan },
        other => other,
    })?;
    Ok(sign_after_proposal(context, replaced))
}

/// An edit may leave errors that were there, and adds none. What is missing around the plan is not caused by the edit, and
/// stops a signature.
fn refuse_new_errors(old: &PlanFile, new: &PlanFile) -> Result<(), Error> {
    let count = |plan: &PlanFile, code: Code| {
        let problems = plan.checked.diagnostics.iter();
        problems.filter(|problem| problem.code == code).count()
    };
    let is_new = |problem: &&Diagnostic| {
        problem.severity == Severity::Error
            && !problem.code.is_environmental()
            && count(new, problem.code) > count(old, problem.code)
    };
    let problems = new.checked.diagnostics.iter();
    let added: Vec<Diagnostic> = problems.filter(is_new).cloned().collect();
    if added.is_empty() {
        return Ok(());
    }
    Err(Error::Invalid {
        source: Box::new(new.source.clone()),
        diagnostics: added,
    })
}
