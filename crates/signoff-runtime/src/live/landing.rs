//! Brings what a run did into the checkout, or takes it back.

mod held;
mod refusals;
mod undo;

use signoff_engine::{Input, Outcome, Run};
use signoff_store::failpoint;
use signoff_work::git::{GitError, Id, LandOutcome, LandingReadiness};

use self::held::bring_files;
pub(super) use self::refusals::refuse_if_checked_out;
use self::refusals::{Refusal, instead, instructed, merged, objections, unfinished};
pub use self::undo::{Undone, undo};
use super::OpenedRun;
use crate::clock::Clock;
use crate::error::Error;
use crate::journaled_run::JournaledRun;
use crate::locks::take_workspace;
use crate::plan_file::PlanFile;
use crate::plans::History;
use crate::project::Project;
pub use crate::trees::HeldVersion;
use crate::trees::{Trees, id};
use crate::view::View;

/// How often a checkout may move while a run lands.
const TRIES: usize = 3;

/// What came of bringing a run's commits into the checkout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Landing {
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
    /// It was begun before, and cut off: a part of it may be in the checkout.
    pub cut_off: bool,
    /// What to type where it did not land.
    pub by_hand: Vec<String>,
    /// Files that were written, where files and no commits come into the checkout.
    pub files: Option<Vec<String>>,
    /// Files that were left as they are in the checkout, until a person settles them.
    pub held: Vec<HeldVersion>,
    /// Files were held before, and none is any more.
    pub settled: bool,
}

/// How a person settles files that are held: paths in the project, of files or of directories with such files in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settlement {
    /// The run's version takes the place of the person's.
    pub take: Vec<String>,
    /// The person's stays as it is.
    pub keep: Vec<String>,
}

/// Brings the commits of a run that has ended into the checkout; without a name, those of the newest run.
pub fn land(
    project: &Project,
    run: Option<&str>,
    settlement: &Settlement,
    clock: &dyn Clock,
) -> Result<Landing, Error> {
    let name = named(project, run)?;
    let mut opened = OpenedRun::open(project, &name, clock)?;
    opened.end_leftovers()?;
    let refused = |why: &str| {
        Ok(Landing {
            run: name.clone(),
            refused: vec![why.to_owned()],
            ..Landing::default()
        })
    };
    if !opened.state().in_worktrees() {
        return refused("it worked in the checkout itself: there is nothing to bring in");
    }
    if opened.state().undone() {
        return refused("it was undone");
    }
    if let Some(why) = unfinished(project, &opened)? {
        let by_hand = instead(project, &opened)?;
        return Ok(Landing {
            by_hand,
            ..refused(why)?
        });
    }
    let Some(trees) = opened.trees()? else {
        return refused("there is no git repository any more");
    };
    if !opened.state().lands_files() {
        held::check(&name, settlement, &[])?;
    }
    let mut landing = bring_in(project, Trigger::Person, &trees, &mut opened.run)?;
    if *settlement != Settlement::default() {
        landing = held::settle(landing, settlement, &trees, &mut opened.run)?;
    }
    Ok(landing)
}

fn named(project: &Project, run: Option<&str>) -> Result<String, Error> {
    match run {
        Some(run) => Ok(run.to_owned()),
        None => View::newest_id(project),
    }
}

/// Did somebody give the run up?
fn is_over(project: &Project, opened: &OpenedRun<'_>) -> Result<bool, Error> {
    let history = History::read(project, &opened.key)?;
    Ok(history.refuse_if_over(&opened.id).is_err())
}

/// Why a run lands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// A person says so.
    Person,
    /// It has ended. Nobody was asked, so it lands only if nothing has changed since it began.
    EndOfRun,
}

/// Brings a run's commits into the checkout, once.
fn bring_in(
    project: &Project,
    trigger: Trigger,
    trees: &Trees,
    journaled: &mut JournaledRun<'_>,
) -> Result<Landing, Error> {
    let run = journaled.state();
    let start = run.run_tree().map(|tree| tree.start.as_str());
    let start = parsed(run, start.unwrap_or_default())?;
    let head = parsed(run, run.head().unwrap_or_default())?;
    let mut landing = Landing {
        run: run.id().to_owned(),
        cut_off: run.landing().is_some(),
        ..Landing::default()
    };
    if let Some(commit) = run.landed() {
        landing.commit = Some(commit.to_owned());
        landing.already = true;
        // It may have been killed before everything was tidied up.
        if run.lands_files() {
            trees.forget_work();
        } else {
            trees.remove_all()?;
        }
        return Ok(landing);
    }
    // What joined from the checkout is there already, and never lands.
    let of_steps = merged(run);
    let mut commits = trees.own().commits(&start, &head)?;
    commits.retain(|commit| of_steps.contains(commit.as_str()));
    landing.commits = commits.len();
    if run.lands_files() {
        return bring_files(landing, trees, &head, journaled);
    }
    let _checkout = match take_workspace(project) {
        Err(Error::WorkspaceTaken { .. }) => {
            let why = vec!["another run works in the checkout".to_owned()];
            return instructed(landing, why.into(), (journaled.state(), trees));
        }
        lock => lock?,
    };
    let by = project.around.person.clone();
    let changed = objections(project, trigger, trees, run);
    let put = changed.and_then(|changed| put_in(trees, (&start, &head), &changed, &by, journaled));
    let put = match put {
        // A person may have added one meanwhile. What to type is more than an error.
        Err(Error::Git(error @ GitError::Submodules { .. })) => PutIn::Refused(Refusal {
            why: vec![error.to_string()],
            is_conflict: true,
        }),
        put => put?,
    };
    match put {
        PutIn::At(commit) => arrived(landing, commit, trees, by, journaled),
        PutIn::Refused(refusal) => instructed(landing, refusal, (journaled.state(), trees)),
    }
}

/// What came of putting commits into the checkout.
enum PutIn {
    /// They are there, and it is at this commit.
    At(Id),
    Refused(Refusal),
}

/// Puts the commits into the checkout, unless they are there already.
fn put_in(
    trees: &Trees,
    (start, head): (&Id, &Id),
    changed: &[String],
    by: &str,
    run: &mut JournaledRun<'_>,
) -> Result<PutIn, Error> {
    for _ in 0..TRIES {
        // Commits that are there already need not go together with what came of them.
        if let Some(commit) = half_landed(run.state(), trees)? {
            return Ok(PutIn::At(commit));
        }
        let agreed = trees.agreed().unwrap_or_else(|_| start.clone());
        let ready = match trees.own().prepare_landing_since(&agreed, (start, head))? {
            LandingReadiness::Refused(why) => return Ok(PutIn::Refused(why.into())),
            LandingReadiness::Conflict(why) => {
                let is_conflict = true;
                return Ok(PutIn::Refused(Refusal { why, is_conflict }));
            }
            _ if !changed.is_empty() => return Ok(PutIn::Refused(changed.to_owned().into())),
            LandingReadiness::Nothing => {
                let now = trees.repository.head()?.commit;
                return Ok(PutIn::At(now.unwrap_or_else(|| start.clone())));
            }
            LandingReadiness::Ready(ready) => ready,
        };
        let (commit, by) = (ready.to.to_string(), by.to_owned());
        run.record(Input::LandingBegins { commit, by })?;
        failpoint::reached("land.recorded");
        match trees.own().land(&ready, &failpoint::reached)? {
            LandOutcome::Done { commit } => return Ok(PutIn::At(commit)),
            LandOutcome::Moved => {}
        }
    }
    let why = vec!["the checkout moves on and on".to_owned()];
    Ok(PutIn::Refused(why.into()))
}

/// The commits are in the checkout: that is recorded, and what the run needed goes.
fn arrived(
    mut landing: Landing,
    commit: Id,
    trees: &Trees,
    by: String,
    run: &mut JournaledRun<'_>,
) -> Result<Landing, Error> {
    let commit = commit.to_string();
    landing.commit = Some(commit.clone());
    let branch = trees.repository.head()?.branch;
    landing.branch = branch.map(|name| name.trim_start_matches("refs/heads/").to_owned());
    run.record(Input::Landed { commit, by })?;
    run.close()?;
    failpoint::reached("land.landed");
    trees.remove_all()?;
    Ok(landing)
}

/// The commit that the run was about to be brought in as, if it is in the checkout's history: a crash came between that
/// and its being told. HEAD moves last, so files and index are there too.
fn half_landed(run: &Run, trees: &Trees) -> Result<Option<Id>, Error> {
    let Some(commit) = run.landing() else {
        return Ok(None);
    };
    let commit = parsed(run, commit)?;
    let Some(now) = trees.repository.head()?.commit else {
        return Ok(None);
    };
    let missing = trees.own().commits(&now, &commit);
    Ok(missing
        .is_ok_and(|missing| missing.is_empty())
        .then_some(commit))
}

/// Is this a plan that the harness marks, or something else that it keeps? Then that it changed says nothing.
pub(crate) fn is_known_plan(project: &Project, path: &str) -> bool {
    let path = project.store.workspace().join(path);
    if path.starts_with(project.store.dir()) {
        return true;
    }
    let plan = PlanFile::read(&path, "", &signoff_plan::Everything).ok();
    let history = plan.and_then(|plan| History::read(project, &plan.key(project)).ok());
    history.is_some_and(|history| history.last_entry().is_some())
}

fn parsed(run: &Run, text: &str) -> Result<Id, Error> {
    id(text).map_err(|why| Error::BrokenRun {
        run: run.id().to_owned(),
        why,
    })
}

/// What becomes of a run's trees when the loop has come back.
pub(super) fn settle(
    project: &Project,
    trees: Option<&Trees>,
    run: &mut JournaledRun<'_>,
) -> Result<Option<Landing>, Error> {
    let Some(trees) = trees else {
        return Ok(None);
    };
    match run.state().outcome() {
        Some(Outcome::Completed | Outcome::Partial) => {
            let landing = bring_in(project, Trigger::EndOfRun, trees, run)?;
            // Where each step's files came in as it passed, there is nothing left to tell.
            let told = landing.files.as_ref().is_some_and(Vec::is_empty);
            Ok(Some(landing).filter(|landing| !told || !landing.refused.is_empty()))
        }
        Some(Outcome::Failed) | None => Ok(None),
    }
}
