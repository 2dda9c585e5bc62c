//! The context of a planner who writes out steps that stand for others and that a run has reached.

use std::path::Path;

use signoff_engine::Run;
use signoff_llm::ExpansionContext;
use signoff_plan::dialect::Dialect;
use signoff_plan::model::Subscription;
use signoff_work::attachment::{Attachment, SubscriptionRoots, read_all};
use signoff_work::git::{Id, Repository};

use super::Advisor;
use super::replan::plan_text;
use crate::error::{Error, PlanningError};
use crate::planning::{expansion, expansion_files, first_prompt};
use crate::project::Project;
use crate::runs::view::RunView;
use crate::trees::repository_of;

/// Its context now, without the values of secrets.
pub fn next_expansion_prompt(project: &Project, view: &RunView) -> Result<String, Error> {
    let run = &view.run;
    if run.open_steps().next().is_none() {
        return Err(PlanningError::NothingToExpand.into());
    }
    let advisor = Advisor {
        project: project.clone(),
        key: view.key.clone(),
        plan: view.plan_path.clone(),
    };
    // Only the native dialect has such steps.
    let context = advisor.expansion_context(run, Dialect::Workunit)?;
    first_prompt(project, &context, false)
}

/// The steps to write out, with the files of the run that they subscribe to: its tree may not be in the checkout yet.
pub(super) fn open_steps(project: &Project, run: &Run, dialect: Dialect) -> ExpansionContext {
    let steps: Vec<usize> = run.open_steps().collect();
    let head = run.head().and_then(|head| head.parse::<Id>().ok());
    let repository = repository_of(project, run).ok().flatten();
    let tree = repository.zip(head);
    let workspace = project.store.workspace();
    let mut read = |file: &Subscription| {
        let recorded = tree
            .as_ref()
            .and_then(|tree| committed_file(tree, workspace, file));
        recorded.unwrap_or_else(|| {
            let roots = SubscriptionRoots {
                workspace,
                topics: workspace,
            };
            read_all(std::slice::from_ref(file), roots).remove(0)
        })
    };
    let files = expansion_files(run.plan(), &steps, &mut read);
    expansion(run.plan(), &plan_text(run, dialect), &steps, files)
}

/// A whole file as the run's last commit has it.
fn committed_file(
    (repository, head): &(Repository, Id),
    workspace: &Path,
    file: &Subscription,
) -> Option<Attachment> {
    let Subscription::File { path, lines: None } = file else {
        return None;
    };
    let below = workspace.strip_prefix(repository.top()).ok()?;
    let path = below.join(path);
    let text = repository.text(head, path.to_str()?).ok()?;
    Some(Attachment {
        name: file.to_string(),
        content: Ok(text),
    })
}
