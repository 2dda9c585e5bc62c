//! The planner's context: what it has to know of the project.

use signoff_api::tools::CallApproval;
use signoff_engine::PlanState;
use signoff_llm::{PlanningContext, RejectedPlan, ToolDescription};
use signoff_plan::Workspace as _;

use super::{DraftOptions, facts, listing};
use crate::clock::Clock;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::plans::plans_in_state;
use crate::project::Project;
use crate::tools;

/// Bytes of the list of files.
const FILES_BYTES: usize = 16 * 1024;
/// Rejected plans that are named, the newest.
const REJECTED: usize = 5;

pub(super) fn gather(
    project: &Project,
    options: &DraftOptions,
    clock: &dyn Clock,
) -> Result<PlanningContext, Error> {
    let workspace = project.store.workspace();
    let paths = listing::paths(project);
    let known = tools::known_tools(project).into_iter();
    let tools = known.map(|tool| ToolDescription {
        name: tool.name,
        description: tool.description,
        asks: tool.approval == CallApproval::Always,
        input_schema: tool.input_schema,
    });
    Ok(PlanningContext {
        task: options.task.trim().to_owned(),
        dialect: options.dialect,
        files: listing::shortened_listing(&paths, FILES_BYTES),
        languages: facts::languages(&paths),
        test_commands: facts::test_commands(workspace),
        tools: tools.collect(),
        roles: project.config.agents.keys().cloned().collect(),
        topics: project.workspace().topics(),
        constraints: options.constraints.clone(),
        memories: options.memories.clone(),
        existing_code: options.existing_code.clone(),
        rejected: rejected_plans(project, clock)?,
        answers: Vec::new(),
        open_contracts: None,
        replan: None,
        expansion: None,
        revision: None,
    })
}

/// The newest plans that a person rejected, with all that they said.
fn rejected_plans(project: &Project, clock: &dyn Clock) -> Result<Vec<RejectedPlan>, Error> {
    let states = [PlanState::Rejected, PlanState::NeedsReview];
    let mut rejected = Vec::new();
    let newest = plans_in_state(project, clock, &states)?;
    for (key, title) in newest.into_iter().take(REJECTED) {
        let history = PlanHistory::read(project, &key)?;
        let feedback = history.feedback().filter_map(|(_, text)| text);
        rejected.push(RejectedPlan {
            title,
            feedback: feedback.map(str::to_owned).collect(),
        });
    }
    Ok(rejected)
}
