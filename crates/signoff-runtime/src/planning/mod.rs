//! From a sentence to a verified plan: gathers the planner's context, asks the planner, checks every answer, and keeps
//! the draft. Nothing is signed here, and nothing runs.
//!
//! Start reading at [`draft`].

mod context;
mod contracts;
mod critic;
mod decision;
mod expansion;
mod facts;
mod interview;
mod keep;
mod listing;
mod model;
mod provider;
mod regeneration;
mod revision;
mod spending;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use signoff_llm::{
    DraftEnd, DraftReport, DraftedPlan, Memory, Objection, Planner, PlanningContext, PromptName,
    Prompts, Round,
};
use signoff_plan::dialect::Dialect;
use signoff_plan::model::Plan;

pub use self::contracts::{
    ContractsReport, ProposedContract, propose_contracts, steps_without_contract,
};
pub use self::critic::{CritiqueReport, criticize};
pub use self::decision::ask_model;
pub use self::expansion::expansion_context;
pub(crate) use self::expansion::{expansion, expansion_files, expansion_objections};
pub use self::interview::{
    InterviewQuestion, InterviewReport, ParkedPlanning, interview, is_planning, park_questions,
    parked_planning, remove_request,
};
pub(crate) use self::keep::with_fields;
pub use self::keep::{DraftOrigin, KeptDraft, finished, keep_draft};
pub use self::model::{Model, ModelPurpose};
pub use self::regeneration::{RegenerationOptions, regeneration, start_regeneration};
pub use self::revision::{
    RevisionOptions, RevisionReport, reasons_to_replan, revise_by_planner, revision_context,
};
pub use self::spending::{ModelRequest, record_planning};
pub(crate) use self::spending::{begins_run, model_usage};
use crate::clock::Clock;
use crate::error::{Error, PlanningError};
use crate::project::Project;

/// Bytes of a request: more than any issue has. It stands in every prompt, and in the plan.
const TASK_BYTES: usize = 64 * 1024;

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

/// What a plan is for: the request that it answers, else its title.
pub(crate) fn request_of(plan: &Plan) -> String {
    let request = plan.task.as_deref().or(plan.title.as_deref());
    request.unwrap_or("Carry out the plan").to_owned()
}

/// What a planner of this project is told.
pub fn planning_context(
    project: &Project,
    options: &DraftOptions,
    clock: &dyn Clock,
) -> Result<PlanningContext, Error> {
    let task = options.task.trim();
    if task.is_empty() {
        return Err(PlanningError::EmptyTask.into());
    }
    if task.len() > TASK_BYTES {
        let bytes = task.len();
        let most = TASK_BYTES;
        return Err(PlanningError::LongTask { bytes, most }.into());
    }
    context::gather(project, options, clock)
}

/// The prompts of this project: those in `.signoff/prompts` replace the built-in ones.
pub fn prompts(project: &Project) -> Result<Prompts, Error> {
    let directory = project.store.dir().join("prompts");
    let mut replaced = BTreeMap::new();
    for name in PromptName::ALL {
        let path: PathBuf = directory.join(name.file());
        match read_inside(project.store.workspace(), &path) {
            Ok(text) => drop(replaced.insert(name, text)),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
            Err(why) => return Err(Error::Unreadable { path, why }),
        }
    }
    Ok(Prompts::with_replacements(replaced))
}

/// Reads a file that is in the workspace, wherever a link leads: a prompt leaves the machine, and a project must not name
/// what of the home goes with it.
fn read_inside(workspace: &Path, path: &Path) -> std::io::Result<String> {
    let file = path.canonicalize()?;
    if !file.starts_with(workspace.canonicalize()?) {
        let why = "it is a link that leads out of the project";
        return Err(std::io::Error::other(why));
    }
    std::fs::read_to_string(file)
}

/// The first prompt, for a plan or for the questions before it, without the values of secrets: it leaves the machine.
pub fn first_prompt(
    project: &Project,
    context: &PlanningContext,
    is_interview: bool,
) -> Result<String, Error> {
    let prompts = prompts(project)?;
    let prompt = if is_interview {
        prompts.question_prompt(PromptName::Interview, context)?
    } else {
        prompts.first_prompt(context)?
    };
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

/// Asks a model for a plan until the plan passes or the limit of rounds is reached.
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
