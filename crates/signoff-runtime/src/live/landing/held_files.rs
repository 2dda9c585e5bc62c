//! Runs that land file by file: the files that are held, and how a person settles them.

use signoff_engine::{Input, Outcome, Run, is_asked_for};
use signoff_work::git::{Id, Settling};

use super::{HeldFileVersion, LandingReport, SettleOptions};
use crate::drive::JournaledRun;
use crate::error::Error;
use crate::trees::{Trees, head_commit};

/// Writes what is not in the checkout yet, file by file.
pub(super) fn land_files(
    mut landing: LandingReport,
    trees: &Trees,
    head: &Id,
    run: &mut JournaledRun<'_>,
    taken: &[String],
) -> Result<LandingReport, Error> {
    let is_asked =
        |path: &str| taken.iter().any(|one| one == path) || is_asked_for(run.state(), path);
    let landed = trees
        .land_files(head, &is_asked)
        .map_err(landing_error(&landing.run))?;
    let commit = head.to_string();
    let files = Input::FilesLanded {
        commit: commit.clone(),
        files: landed.files.clone(),
        held: landed.held.clone(),
    };
    landing.settled |= !run.state().held_files().is_empty() && landed.held.is_empty();
    if !landed.files.is_empty() || landed.held != run.state().held_files() {
        run.record(files)?;
    }
    let is_empty = landed.files.is_empty();
    landing.files.get_or_insert_default().extend(landed.files);
    landing.held = landed.held_files;
    landing.refused = landed.held;
    if !landing.refused.is_empty() {
        run.close()?;
        return Ok(landing);
    }
    // Each step's files landed when it passed, and a run that has failed may go on.
    let by_steps = is_empty && run.state().has_landed_files();
    let completed = matches!(
        run.state().outcome(),
        Some(Outcome::Completed | Outcome::Partial)
    );
    if by_steps || !completed {
        landing.already = is_empty && !landing.settled && has_changes(run.state());
    } else {
        let by = "signoff".to_owned();
        run.record(Input::Landed { commit, by })?;
    }
    run.close()?;
    if completed {
        trees.forget_work();
    }
    Ok(landing)
}

/// Did the run change anything?
fn has_changes(run: &Run) -> bool {
    run.head() != run.run_tree().map(|tree| tree.start.as_str())
}

/// Settles the held files as a person says, and lands the rest.
pub(super) fn settle_held_files(
    landing: LandingReport,
    settlement: &SettleOptions,
    trees: &Trees,
    run: &mut JournaledRun<'_>,
) -> Result<LandingReport, Error> {
    check(&landing.run, settlement, &landing.held)?;
    let head = head_commit(run.state())?;
    let taken = all_selected(&settlement.take, &landing.held);
    let kept = all_selected(&settlement.keep, &landing.held);
    for (paths, how) in [(&taken, Settling::Take), (&kept, Settling::Keep)] {
        trees
            .settle_held(&head, paths, how)
            .map_err(landing_error(&landing.run))?;
    }
    land_files(landing, trees, &head, run, &taken)
}

/// Why commits do not land that contain files which run by themselves, if a person has not taken all of these.
pub(super) fn unasked_in_commits(
    settlement: &SettleOptions,
    trees: &Trees,
    run: &Run,
) -> Result<Vec<HeldFileVersion>, Error> {
    let is_asked = |path: &str| is_asked_for(run, path);
    let held = trees
        .unasked_in_commits(&head_commit(run)?, &is_asked)
        .map_err(landing_error(run.id()))?;
    check(run.id(), settlement, &held)?;
    let taken = all_selected(&settlement.take, &held);
    let is_left = |one: &HeldFileVersion| !taken.contains(&one.path);
    Ok(held.into_iter().filter(is_left).collect())
}

/// Refuses a path that is neither a held file nor a directory with one, and a file that is to be settled in both ways.
pub(super) fn check(
    run: &str,
    settlement: &SettleOptions,
    held: &[HeldFileVersion],
) -> Result<(), Error> {
    let named = settlement.take.iter().chain(&settlement.keep);
    for path in named {
        if selected_files(path, held).is_empty() {
            return Err(Error::NotHeld {
                run: run.to_owned(),
                path: path.clone(),
                held: held.iter().map(|held| held.path.clone()).collect(),
            });
        }
    }
    let kept = all_selected(&settlement.keep, held);
    match all_selected(&settlement.take, held)
        .into_iter()
        .find(|path| kept.contains(path))
    {
        Some(path) => Err(Error::SettledTwice { path }),
        None => Ok(()),
    }
}

fn all_selected(paths: &[String], held: &[HeldFileVersion]) -> Vec<String> {
    let selected = paths.iter().flat_map(|path| selected_files(path, held));
    selected.collect()
}

/// The held files that a path means: itself, or everything in a directory.
fn selected_files(path: &str, held: &[HeldFileVersion]) -> Vec<String> {
    let is_meant = |held: &&HeldFileVersion| {
        let rest = held.path.strip_prefix(path);
        path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let found = held.iter().filter(is_meant);
    found.map(|held| held.path.clone()).collect()
}

fn landing_error(run: &str) -> impl Fn(String) -> Error {
    let run = run.to_owned();
    move |why| Error::Landing {
        run: run.clone(),
        why,
    }
}
