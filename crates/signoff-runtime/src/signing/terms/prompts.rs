//! Prompts of the project that shape a signed run: what models are told that decide in it, where a file in
//! `.signoff/prompts` replaces a built-in one. Those that only drafts are written from shape nothing that was signed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use signoff_llm::PromptName;
use signoff_plan::model::{FailAction, Plan};
use signoff_store::terms::file_hash;

use crate::project::{Project, roles};

/// What a planner is told that writes another version of the plan.
const OF_REPLAN: [PromptName; 6] = [
    PromptName::Workunit,
    PromptName::Toolplan,
    PromptName::Record,
    PromptName::Context,
    PromptName::Again,
    PromptName::Replan,
];

/// The hash of each file that replaces such a prompt, by its path in the workspace.
pub(super) fn replaced_prompts(project: &Project, plan: &Plan) -> BTreeMap<String, String> {
    let names = prompts_used_by_run(project, plan).into_iter();
    let hash = |name: PromptName| {
        let hash = match file_hash(&prompt_path(project, name)) {
            Ok(hash) => hash?,
            // Nobody can be asked with it; that it could not be read counts.
            Err(_) => "unreadable".to_owned(),
        };
        Some((format!(".signoff/prompts/{}", name.file()), hash))
    };
    names.filter_map(hash).collect()
}

/// Where files that replace such prompts are, or would be.
pub(crate) fn prompt_paths(project: &Project, plan: &Plan) -> Vec<PathBuf> {
    let names = prompts_used_by_run(project, plan).into_iter();
    names.map(|name| prompt_path(project, name)).collect()
}

fn prompt_path(project: &Project, name: PromptName) -> PathBuf {
    project.store.dir().join("prompts").join(name.file())
}

/// The prompts that a run of this plan may use by itself. A replan that a person asks for is theirs, and so is its result.
fn prompts_used_by_run(project: &Project, plan: &Plan) -> BTreeSet<PromptName> {
    let ends_in = |wanted: FailAction| plan.steps.iter().any(|step| step.on_fail.then == wanted);
    let recovers = ends_in(FailAction::Recover);
    let has_arbiter = project.config.llm.arbiter.value.is_some();
    let mut names = BTreeSet::new();
    if recovers || ends_in(FailAction::Replan) {
        names.extend(OF_REPLAN);
    }
    if recovers {
        names.extend([PromptName::Recovery, PromptName::Typed]);
    }
    if has_arbiter && roles(plan).contains("default") {
        names.extend([PromptName::Arbiter, PromptName::Typed]);
    }
    if plan.steps.iter().any(|step| step.reviewer.is_some()) {
        names.extend([PromptName::Reviewer, PromptName::Typed]);
    }
    names
}
