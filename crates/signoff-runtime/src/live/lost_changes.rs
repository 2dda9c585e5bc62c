//! Whether what the steps of earlier runs changed is still in the checkout: `git revert`, `git reset` and `rm` take it
//! back too.

use std::collections::{BTreeMap, BTreeSet};

use signoff_engine::{EarlierEnd, EarlierStep, RedoReason};
use signoff_plan::model::Plan;

use crate::error::Error;
use crate::project::Project;
use crate::runs::view::RunView;
use crate::trees::{parse_id, protected_paths, repository_of};

/// Marks steps to be done again that no contract judges and whose changes are no longer in the checkout.
pub(super) fn redo_lost_changes(
    project: &Project,
    plan: &Plan,
    steps: &mut [(String, EarlierStep)],
) -> Result<(), Error> {
    let mut runs: BTreeMap<String, Option<RunChanges>> = BTreeMap::new();
    for (id, earlier) in steps {
        let is_kept = earlier.again.is_none() && earlier.ended != EarlierEnd::Unfinished;
        if !is_kept || has_contract(plan, id) {
            continue;
        }
        let run = runs
            .entry(earlier.run.clone())
            .or_insert_with(|| RunChanges::load(project, &earlier.run));
        if let Some(run) = run
            && run.has_lost(project, id)?
        {
            earlier.again = Some(RedoReason::NotInCheckout);
        }
    }
    Ok(())
}

/// Does a contract decide about the step, or about the loop that it is an item of?
fn has_contract(plan: &Plan, id: &str) -> bool {
    let of_loop = id.split_once('[').map_or(id, |(of_loop, _)| of_loop);
    let step = plan.steps.iter();
    let mut step = step.filter(|step| step.id == id || step.id == of_loop);
    step.any(|step| step.contract.is_some())
}

/// A run that worked, and what is gone of its work.
struct RunChanges {
    view: RunView,
    /// Looked up when a step is asked about that changed files.
    gone: Option<BTreeSet<String>>,
}

impl RunChanges {
    /// `None` for a run that cannot be read: nothing is known of its files.
    fn load(project: &Project, run: &str) -> Option<Self> {
        let view = RunView::load(project, run).ok()?;
        Some(Self { view, gone: None })
    }

    /// Is a file that the step changed as it was before the run, or gone?
    fn has_lost(&mut self, project: &Project, id: &str) -> Result<bool, Error> {
        let step = self.view.run.position(id);
        let step = step.and_then(|at| self.view.run.step(at));
        let files = step.and_then(|(_, state)| state.changes.files.clone());
        let Some(files) = files.filter(|files| !files.is_empty()) else {
            return Ok(false);
        };
        // Not knowing would keep a step whose work may be gone.
        let gone = match self.gone.take() {
            Some(gone) => gone,
            None => lost_files(project, &self.view)?,
        };
        let gone = self.gone.insert(gone);
        Ok(files.iter().any(|file| gone.contains(file)))
    }
}

/// The files that are as the run found them, or gone. A file that a person changed further is neither.
fn lost_files(project: &Project, view: &RunView) -> Result<BTreeSet<String>, Error> {
    let run = &view.run;
    let (Some(repository), Some(tree), Some(head)) =
        (repository_of(project, run)?, run.run_tree(), run.head())
    else {
        return Ok(BTreeSet::new());
    };
    let kept = protected_paths(project, &view.key, &view.plan_path);
    let directory = project.store.run_dir(run.id()).path().join("git");
    let git = repository.open_harness_git(&directory, &kept)?;
    let (start, head) = (parse_id(run, &tree.start)?, parse_id(run, head)?);
    let present = git.checkout_tree(&head, &start)?;
    let since_start: BTreeSet<String> = git.changed_paths(&start, &present)?.into_iter().collect();
    let is_gone = |path: &String| {
        let is_there = repository.top().join(path).symlink_metadata().is_ok();
        !is_there || !since_start.contains(path)
    };
    let differing = git.changed_paths(&head, &present)?.into_iter();
    Ok(differing.filter(is_gone).collect())
}
