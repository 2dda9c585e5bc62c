//! From a sentence to a verified plan: gathers what a planner has to know, asks it, has every answer checked, and keeps
//! the draft. Nothing is signed here, and nothing runs.
//!
//! Start reading at [`draft`].

mod context;
mod critic;
mod decision;
mod facts;
mod keep;
mod listing;
mod model;
mod provider;
mod revision;

use std::collections::BTreeMap;
use std::path::PathBuf;

use signoff_llm::{
    DraftEnd, DraftReport, DraftedPlan, Memory, Objection, Planner, PlanningContext, PromptName,
    Prompts, Round,
};
use signoff_plan::dialect::Dialect;

pub use self::critic::{CritiqueReport, criticize};
pub use self::decision::ask_model;
pub use self::keep::{DraftOrigin, KeptDraft, finished, keep_draft};
pub use self::model::{Model, ModelPurpose};
pub use self::revision::{RevisionOptions, RevisionReport, revise_by_planner, revision_context};
use crate::clock::Clock;
use crate::error::{Error, PlanningError};
use crate::project::Project;

/// What is asked of a planner.
#[derive(Debug, Clone)]
pub struct DraftOptions {
    /// The request.
    pub task: String,
    /// The dialect of the plan.
    pub dialect: Dialect,
    /// Notes about earlier work.
    pub memories: Vec<Memory>,
    /// Files that matter, with their contents.
    pub existing_code: Vec<Memory>,
    /// What the plan must keep to.
    pub constraints: Vec<String>,
}

/// What a planner of this project is told.
pub fn planning_context(
    project: &Project,
    options: &DraftOptions,
    clock: &dyn Clock,
) -> Result<PlanningContext, Error> {
    if options.task.trim().is_empty() {
        return Err(PlanningError::EmptyTask.into());
    }
    context::gather(project, options, clock)
}

/// The prompts of this project: those in `.signoff/prompts` replace the built-in ones.
pub fn prompts(project: &Project) -> Result<Prompts, Error> {
    let directory = project.store.dir().join("prompts");
    let mut replaced = BTreeMap::new();
    for name in PromptName::ALL {
        let path: PathBuf = directory.join(name.file());
        match std::fs::read_to_string(&path) {
            Ok(text) => drop(replaced.insert(name, text)),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
            Err(why) => return Err(Error::Unreadable { path, why }),
        }
    }
    Ok(Prompts::with(replaced))
}

/// The first prompt, without the values of secrets: it leaves the machine.
pub fn first_prompt(project: &Project, context: &PlanningContext) -> Result<String, Error> {
    let prompt = prompts(project)?.first(context)?;
    Ok(project.secrets().hide(&prompt).into_owned())
}

/// Who follows a draft.
pub struct DraftObserver<'a> {
    /// Learns of each round.
    pub round: &'a mut dyn FnMut(&Round),
    /// May object to a plan that the checks accept.
    pub review: &'a mut dyn FnMut(&DraftedPlan) -> Vec<Objection>,
}

impl std::fmt::Debug for DraftObserver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DraftObserver").finish_non_exhaustive()
    }
}

/// Has a plan drafted by a model, until it has nothing to mend or the bound is reached.
pub fn draft(
    project: &Project,
    model: &mut Model<'_>,
    context: &PlanningContext,
    observer: DraftObserver<'_>,
) -> Result<DraftReport, Error> {
    let prompts = prompts(project)?;
    let workspace = project.workspace();
    let planner = Planner {
        prompts: &prompts,
        workspace: &workspace,
        max_rounds: project.config.llm.max_rounds.value,
    };
    let report = planner.draft(context, model, observer.review, observer.round)?;
    match (model.take_failure(), &report.end) {
        (Some(error), DraftEnd::ModelFailed(_)) => Err(error),
        _ => Ok(report),
    }
}
