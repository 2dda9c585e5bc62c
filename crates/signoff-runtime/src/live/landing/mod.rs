//! Lands a run's work in the checkout, or undoes it.

mod held_files;
mod refusals;
mod shapes;
mod undo;

use signoff_engine::{Input, Outcome, Run};
use signoff_store::failpoint;
use signoff_work::git::{GitError, Id, LandOutcome, LandingReadiness};

use self::held_files::land_files;
pub(super) use self::refusals::refuse_if_checked_out;
use self::refusals::{
    LandingRefusal, manual_commands, merged_commits, objections, refuse_with_instructions,
    unfinished_reason,
};
pub use self::undo::{UndoReport, undo};
use crate::clock::Clock;
use crate::drive::JournaledRun;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::project::Project;
use crate::project::locks::take_workspace;
use crate::runs::OpenedRun;
use crate::runs::names::run_to_land;
pub use crate::trees::HeldFileVersion;
use crate::trees::{Trees, first_commit, head_commit, parse_id};

/// How often a checkout may move while a run lands.
const TRIES: usize = 3;

/// The result of landing a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LandingReport {
    /// The run.
    pub run: String,
    /// How many commits it has.
    pub commits: usize,
    /// The checkout's commit afterwards.
    pub commit: Option<String>,
    /// The branch that has them: the checkout's where they landed, else the run's.
    pub branch: Option<String>,
    /// Why it did not land, each a sentence; empty = it did.
    pub refused: Vec<String>,
    /// It had landed before.
    pub already: bool,
    /// It was begun before and cut off: a part of it may be in the checkout.
    pub cut_off: bool,
    /// What to type if it did not land.
    pub by_hand: Vec<String>,
    /// Files that were written, where files and no commits come into the checkout.
    pub files: Option<Vec<String>>,
    /// Files that were left as they are in the checkout, until a person settles them.
    pub held: Vec<HeldFileVersion>,
    /// Files were held before; none is now.
    pub settled: bool,
}

/// How a person settles files that are held: paths in the project, of files or of directories with such files in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettleOptions {
    /// The run's version takes the place of the person's.
    pub take: Vec<String>,
    /// The person's stays as it is.
    pub keep: Vec<String>,
}

/// Brings the commits of a run that has ended into the checkout; without a name, those of the newest run that has some to bring in.
pub fn land(
    project: &Project,
    run: Option<&str>,
    settlement: &SettleOptions,
    clock: &dyn Clock,
) -> Result<LandingReport, Error> {
    let name = run_to_land(project, run)?;
    let mut opened = OpenedRun::open(project, &name, clock)?;
    opened.end_leftovers()?;
    let refused = |why: &str| {
        Ok(LandingReport {
            run: name.clone(),
            refused: vec![why.to_owned()],
            ..LandingReport::default()
        })
    };
    if !opened.state().in_worktrees() {
        return refused("it worked in the checkout itself: there is nothing to bring in");
    }
    if opened.state().is_undone() {
        return refused("it was undone");
    }
    if let Some(why) = unfinished_reason(project, &opened)? {
        let by_hand = manual_commands(project, &opened)?;
        return Ok(LandingReport {
            by_hand,
            ..refused(why)?
        });
    }
    let Some(trees) = opened.trees()? else {
        return refused("its git repository is gone");
    };
    let trigger = Trigger::Person(settlement);
    let mut landing = land_commits(project, trigger, &trees, &mut opened.run)?;
    if opened.state().lands_files() && *settlement != SettleOptions::default() {
        landing = held_files::settle_held_files(landing, settlement, &trees, &mut opened.run)?;
    }
    Ok(landing)
}

/// Was the run given up?
fn is_over(project: &Project, opened: &OpenedRun<'_>) -> Result<bool, Error> {
    let history = PlanHistory::read(project, &opened.key)?;
    Ok(history.refuse_if_over(&opened.id).is_err())
}

/// Why a run lands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger<'a> {
    /// A person asks for it, and settles files that are held.
    Person(&'a SettleOptions),
    /// It has ended. Nobody was asked, so it lands only if nothing has changed since it began.
    EndOfRun,
}

/// Brings a run's commits into the checkout, once.
fn land_commits(
    project: &Project,
    trigger: Trigger<'_>,
    trees: &Trees,
    journaled: &mut JournaledRun<'_>,
) -> Result<LandingReport, Error> {
    let run = journaled.state();
    let (start, head) = (first_commit(run)?, head_commit(run)?);
    let mut landing = LandingReport {
        run: run.id().to_owned(),
        cut_off: run.landing_commit().is_some(),
        ..LandingReport::default()
    };
    if let Some(commit) = run.landed_commit() {
        landing.commit = Some(commit.to_owned());
        landing.already = true;
        // The process may have been killed before it cleaned up.
        if run.lands_files() {
            trees.forget_work();
        } else {
            trees.remove_all()?;
        }
        return Ok(landing);
    }
    // Changes that came from the checkout are there already and never land.
    let of_steps = merged_commits(run);
    let mut commits = trees.git().commits(&start, &head)?;
    commits.retain(|commit| of_steps.contains(commit.as_str()));
    landing.commits = commits.len();
    if run.lands_files() {
        return land_files(landing, trees, &head, journaled, &[]);
    }
    let nothing = SettleOptions::default();
    let settlement = match trigger {
        Trigger::Person(settlement) => settlement,
        Trigger::EndOfRun => &nothing,
    };
    let unasked = held_files::unasked_in_commits(settlement, trees, run)?;
    // A landing that was begun has been asked about.
    if !unasked.is_empty() && run.landing_commit().is_none() {
        let why = unasked
            .iter()
            .map(|held| format!("`{}`: {}", held.path, held.reason));
        landing.refused = why.collect();
        landing.branch = Some(format!("signoff/{}", run.id()));
        landing.held = unasked;
        return Ok(landing);
    }
    let _checkout = match take_workspace(project) {
        Err(Error::WorkspaceTaken { .. }) => {
            let why = vec!["another run works in the checkout".to_owned()];
            return refuse_with_instructions(landing, why.into(), journaled.state(), trees);
        }
        lock => lock?,
    };
    let by = project.process.person.clone();
    let changed = objections(project, trigger, trees, run);
    let put = changed
        .and_then(|changed| put_into_checkout(trees, &start, &head, &changed, &by, journaled));
    let put = match put {
        // A person may have added a file meanwhile; the answer names the command to type.
        Err(Error::Git(error @ GitError::Submodules { .. })) => {
            LandingResult::Refused(LandingRefusal {
                why: vec![error.to_string()],
                is_conflict: true,
            })
        }
        put => put?,
    };
    match put {
        LandingResult::At(commit) => finish_landing(landing, commit, trees, by, journaled),
        LandingResult::Refused(refusal) => {
            refuse_with_instructions(landing, refusal, journaled.state(), trees)
        }
    }
}

/// The result of putting commits into the checkout.
enum LandingResult {
    /// They are there, and it is at this commit.
    At(Id),
    Refused(LandingRefusal),
}

/// Puts the commits into the checkout, unless they are there already.
fn put_into_checkout(
    trees: &Trees,
    start: &Id,
    head: &Id,
    changed: &[String],
    by: &str,
    run: &mut JournaledRun<'_>,
) -> Result<LandingResult, Error> {
    for _ in 0..TRIES {
        // Commits that have landed already are not merged again.
        if let Some(commit) = landed_commit(run.state(), trees)? {
            return Ok(LandingResult::At(commit));
        }
        let agreed = trees.agreed_tree().unwrap_or_else(|_| start.clone());
        let ready = match trees.git().prepare_landing_since(&agreed, start, head)? {
            LandingReadiness::Refused(why) => return Ok(LandingResult::Refused(why.into())),
            LandingReadiness::Conflict(why) => {
                let is_conflict = true;
                return Ok(LandingResult::Refused(LandingRefusal { why, is_conflict }));
            }
            _ if !changed.is_empty() => {
                return Ok(LandingResult::Refused(changed.to_owned().into()));
            }
            LandingReadiness::Nothing => {
                let now = trees.repository.head()?.commit;
                return Ok(LandingResult::At(now.unwrap_or_else(|| start.clone())));
            }
            LandingReadiness::Ready(ready) => ready,
        };
        let (commit, by) = (ready.to.to_string(), by.to_owned());
        run.record(Input::LandingBegins { commit, by })?;
        failpoint::reach("land.recorded");
        match trees.git().land(&ready, &failpoint::reach)? {
            LandOutcome::Done { commit } => return Ok(LandingResult::At(commit)),
            LandOutcome::Moved => {}
        }
    }
    let why = vec!["the checkout keeps changing".to_owned()];
    Ok(LandingResult::Refused(why.into()))
}

/// The commits are in the checkout: records that, and removes what the run no longer needs.
fn finish_landing(
    mut landing: LandingReport,
    commit: Id,
    trees: &Trees,
    by: String,
    run: &mut JournaledRun<'_>,
) -> Result<LandingReport, Error> {
    let commit = commit.to_string();
    landing.commit = Some(commit.clone());
    let branch = trees.repository.head()?.branch;
    landing.branch = branch.map(|name| name.trim_start_matches("refs/heads/").to_owned());
    run.record(Input::Landed { commit, by })?;
    run.close()?;
    failpoint::reach("land.landed");
    trees.remove_all()?;
    Ok(landing)
}

/// The commit that the run was to land as, if it is in the checkout's history: a crash came before its report. HEAD
/// moves last, so files and index are there too.
fn landed_commit(run: &Run, trees: &Trees) -> Result<Option<Id>, Error> {
    let Some(commit) = run.landing_commit() else {
        return Ok(None);
    };
    let commit = parse_id(run, commit)?;
    let Some(now) = trees.repository.head()?.commit else {
        return Ok(None);
    };
    let missing = trees.git().commits(&now, &commit);
    Ok(missing
        .is_ok_and(|missing| missing.is_empty())
        .then_some(commit))
}

/// Lands a run that was completed, when the loop has come back.
pub(super) fn land_after_completion(
    project: &Project,
    trees: Option<&Trees>,
    run: &mut JournaledRun<'_>,
) -> Result<Option<LandingReport>, Error> {
    let Some(trees) = trees else {
        return Ok(None);
    };
    match run.state().outcome() {
        Some(Outcome::Completed | Outcome::Partial) => {
            let landing = land_commits(project, Trigger::EndOfRun, trees, run)?;
            // If each step's files landed when it passed, there is nothing left to report.
            let nothing_landed = landing.files.as_ref().is_some_and(Vec::is_empty);
            Ok(Some(landing).filter(|landing| !nothing_landed || !landing.refused.is_empty()))
        }
        Some(Outcome::Failed) | None => Ok(None),
    }
}
