//! Why a run does not land or cannot be resumed, and which command helps.

use std::collections::BTreeSet;

use signoff_engine::{LandAt, Outcome, Run, RunTree};
use signoff_work::git::Id;

use super::{LandingReport, Trigger, is_over};
use crate::error::Error;
use crate::plan_history::is_known_plan;
use crate::project::Project;
use crate::runs::OpenedRun;
use crate::trees::{Trees, first_commit, head_commit};

/// Why a run does not land.
pub(super) struct LandingRefusal {
    /// Each a sentence.
    pub(super) why: Vec<String>,
    /// Conflicting commits have to be merged by hand.
    pub(super) is_conflict: bool,
}

impl From<Vec<String>> for LandingRefusal {
    fn from(why: Vec<String>) -> Self {
        let is_conflict = false;
        Self { why, is_conflict }
    }
}

/// With the command to type. Commits that were picked by hand are recognised; the run then counts as landed.
pub(super) fn refuse_with_instructions(
    mut landing: LandingReport,
    refusal: LandingRefusal,
    run: &Run,
    trees: &Trees,
) -> Result<LandingReport, Error> {
    let name = run.id();
    landing.refused = refusal.why;
    if refusal.is_conflict {
        landing.by_hand.push(cherry_pick_command(run, trees)?);
    }
    landing.by_hand.push(format!("signoff land {name}"));
    landing.branch = Some(format!("signoff/{name}"));
    Ok(landing)
}

/// The command that picks the steps' commits. A person's changes are in the checkout already, and git would stop at those.
fn cherry_pick_command(run: &Run, trees: &Trees) -> Result<String, Error> {
    let start = first_commit(run)?;
    let mut commits = trees.git().commits(&start, &head_commit(run)?)?;
    let all = commits.len();
    let of_steps = merged_commits(run);
    commits.retain(|commit| of_steps.contains(commit.as_str()));
    if commits.len() == all {
        return Ok(format!("git cherry-pick {start}..signoff/{}", run.id()));
    }
    let names: Vec<&str> = commits.iter().map(Id::as_str).collect();
    Ok(format!("git cherry-pick {}", names.join(" ")))
}

/// The commits that steps were merged as.
pub(super) fn merged_commits(run: &Run) -> BTreeSet<&str> {
    let of_step = |at| {
        let (_, state) = run.step(at)?;
        let candidate = state.attempt.candidate.as_ref();
        let is_own = candidate.is_none_or(|candidate| candidate.commit != candidate.onto);
        state.attempt.commit.as_deref().filter(|_| is_own)
    };
    run.order().filter_map(of_step).collect()
}

/// What somebody changed in the checkout since the run began, where that matters because nobody was asked.
pub(super) fn objections(
    project: &Project,
    trigger: Trigger<'_>,
    trees: &Trees,
    run: &Run,
) -> Result<Vec<String>, Error> {
    // A landing that was begun continues: the changes are its own.
    let asks = trigger == Trigger::EndOfRun && run.landing_commit().is_none();
    match run.run_tree() {
        Some(tree) if asks => {
            let ours = |path: &str| is_known_plan(project, path);
            let mut changed = trees.changed_since(tree, &ours)?;
            changed.extend(branch_changed(tree, trees)?);
            Ok(changed)
        }
        Some(_) | None => Ok(Vec::new()),
    }
}

/// A note if the checkout is on another branch than when the run began.
fn branch_changed(tree: &RunTree, trees: &Trees) -> Result<Option<String>, Error> {
    const NONE: &str = "HEAD";
    let now = trees.repository.head()?.branch;
    let now = now.as_deref().unwrap_or(NONE);
    let named = |branch: &str| match branch {
        NONE => "no branch".to_owned(),
        branch => format!("`{}`", branch.trim_start_matches("refs/heads/")),
    };
    let before = tree.checkout.as_deref().filter(|before| *before != now);
    Ok(before.map(|before| {
        let (before, now) = (named(before), named(now));
        format!("the checkout was on {before} when the run began, and is on {now} now")
    }))
}

/// Why the run's work is incomplete, if it is.
pub(super) fn unfinished_reason(
    project: &Project,
    opened: &OpenedRun<'_>,
) -> Result<Option<&'static str>, Error> {
    Ok(match opened.state().outcome() {
        _ if opened.state().landed_commit().is_some() => None,
        // Its steps landed one by one, and so do their files that were held.
        Some(Outcome::Failed) if has_held_files(opened) => None,
        None if has_held_files(opened) && is_over(project, opened)? => None,
        Some(Outcome::Completed | Outcome::Partial) => None,
        Some(Outcome::Failed) => Some("it has failed: what it did is incomplete"),
        None if is_over(project, opened)? => Some("it was given up: what it did is incomplete"),
        None => Some("it has not ended"),
    })
}

fn has_held_files(opened: &OpenedRun<'_>) -> bool {
    let by_steps = opened.state().settings().land == LandAt::Step;
    by_steps && opened.state().lands_files() && !opened.state().held_files().is_empty()
}

/// The commands for an incomplete run: resume it, or pick its passed steps by hand.
pub(super) fn manual_commands(
    project: &Project,
    opened: &OpenedRun<'_>,
) -> Result<Vec<String>, Error> {
    let run = opened.state().id();
    let mut commands = Vec::new();
    let is_over = is_over(project, opened)?;
    if !is_over {
        // Resuming a run that waits for an answer would wait for it once more.
        let waits = opened.state().items().next().is_some();
        commands.push(if waits && opened.state().outcome().is_none() {
            "signoff inbox".to_owned()
        } else {
            format!("signoff resume {run}")
        });
    }
    let has_ended = is_over || opened.state().outcome().is_some();
    let is_theirs = opened.state().run_tree().is_some_and(|tree| !tree.private);
    if has_ended
        && is_theirs
        && let Some(trees) = opened.trees()?
    {
        commands.extend(cherry_pick_command(opened.state(), &trees).ok());
    }
    Ok(commands)
}

/// A branch that somebody has checked out is not moved under them.
pub(in crate::live) fn refuse_if_checked_out(opened: &OpenedRun<'_>) -> Result<(), Error> {
    let goes_on = matches!(opened.state().outcome(), None | Some(Outcome::Failed));
    if !(goes_on && opened.state().in_worktrees()) {
        return Ok(());
    }
    let directory = opened.trees()?.map(|trees| trees.checked_out());
    match directory.transpose()?.flatten() {
        Some(directory) => Err(Error::CheckedOut {
            run: opened.state().id().to_owned(),
            directory,
            before: opened
                .state()
                .run_tree()
                .and_then(|tree| tree.checkout.clone()),
        }),
        None => Ok(()),
    }
}
