//! Brings what a run did into the checkout, or takes it back.

mod undo;

use signoff_engine::{Input, Outcome, Run, RunTree, apply, decide};
use signoff_store::failpoint;
use signoff_work::git::{Id, Landed, Prepared};

pub use self::undo::{Undone, undo};
use super::Live;
use crate::clock::Clock;
use crate::error::Error;
use crate::journal::{Append, FileJournal};
use crate::locks::take_workspace;
use crate::plan_file::PlanFile;
use crate::plans::History;
use crate::project::Project;
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
}

/// Brings the commits of a run that has ended into the checkout; without a name, those of the newest run.
pub fn land(project: &Project, run: Option<&str>, clock: &dyn Clock) -> Result<Landing, Error> {
    let name = named(project, run)?;
    let mut live = Live::open(project, &name, clock)?;
    live.end_leftovers()?;
    let refused = |why: &str| {
        Ok(Landing {
            run: name.clone(),
            refused: vec![why.to_owned()],
            ..Landing::default()
        })
    };
    if !live.run.in_worktrees() {
        return refused("it worked in the checkout itself: there is nothing to bring in");
    }
    if live.run.undone() {
        return refused("it was undone");
    }
    if let Some(why) = unfinished(project, &live)? {
        let by_hand = instead(project, &live)?;
        return Ok(Landing {
            by_hand,
            ..refused(why)?
        });
    }
    let Some(trees) = live.trees(None)? else {
        return refused("there is no git repository any more");
    };
    let parts = (&mut live.run, &mut live.journal);
    bring_in((project, Wish::Landed), &trees, parts, clock)
}

/// What to type about a run that did no whole: it goes on, or its passed steps are taken by hand.
fn instead(project: &Project, live: &Live<'_>) -> Result<Vec<String>, Error> {
    let run = live.run.id();
    let mut commands = Vec::new();
    if !is_over(project, live)? {
        commands.push(format!("signoff resume {run}"));
    }
    if let (Some(ground), true) = (live.run.ground(), live.run.outcome().is_some()) {
        commands.push(pick(run, &ground.start));
    }
    Ok(commands)
}

/// Why what the run did is no whole, if so.
fn unfinished(project: &Project, live: &Live<'_>) -> Result<Option<&'static str>, Error> {
    Ok(match live.run.outcome() {
        _ if live.run.landed().is_some() => None,
        Some(Outcome::Completed | Outcome::Partial) => None,
        Some(Outcome::Failed) => Some("it has failed: what it did is no whole"),
        None if is_over(project, live)? => Some("it was given up: what it did is no whole"),
        None => Some("it has not ended"),
    })
}

/// A branch that somebody has checked out is not moved under them.
pub(super) fn refuse_if_checked_out(live: &Live<'_>) -> Result<(), Error> {
    let goes_on = matches!(live.run.outcome(), None | Some(Outcome::Failed));
    if !(goes_on && live.run.in_worktrees()) {
        return Ok(());
    }
    let place = live.trees(None)?.map(|trees| trees.checked_out());
    match place.transpose()?.flatten() {
        Some(place) => Err(Error::CheckedOut {
            run: live.run.id().to_owned(),
            place,
            before: live.run.ground().and_then(|ground| ground.checkout.clone()),
        }),
        None => Ok(()),
    }
}

fn named(project: &Project, run: Option<&str>) -> Result<String, Error> {
    match run {
        Some(run) => Ok(run.to_owned()),
        None => View::newest_id(project),
    }
}

/// Did somebody give the run up?
fn is_over(project: &Project, live: &Live<'_>) -> Result<bool, Error> {
    let history = History::read(project, &live.key)?;
    Ok(history.refuse_if_over(live.run.id()).is_err())
}

/// How much somebody wants a run to land.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// A person says so.
    Landed,
    /// Nobody was asked: only if nothing has changed since it began.
    IfUnchanged,
}

/// Brings a run's commits into the checkout, once.
fn bring_in(
    (project, wish): (&Project, Wish),
    trees: &Trees,
    (run, journal): (&mut Run, &mut FileJournal),
    clock: &dyn Clock,
) -> Result<Landing, Error> {
    let start = run.ground().map(|ground| ground.start.as_str());
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
        trees.remove_all()?;
        return Ok(landing);
    }
    landing.commits = trees.own().commits(&start, &head)?.len();
    let _checkout = match take_workspace(project) {
        Err(Error::WorkspaceTaken { .. }) => {
            let why = vec!["another run works in the checkout".to_owned()];
            return Ok(instructed(landing, why.into(), &start));
        }
        lock => lock?,
    };
    let changed = objections((project, wish), trees, run, &start)?;
    let by = project.around.person.clone();
    match put_in(
        trees,
        (&start, &head),
        &changed,
        (run, journal),
        (&by, clock),
    )? {
        Ok(commit) => arrived(landing, commit, trees, (run, journal), (by, clock)),
        Err(refusal) => Ok(instructed(landing, refusal, &start)),
    }
}

/// What somebody changed in the checkout since the run began, where that matters because nobody was asked.
fn objections(
    (project, wish): (&Project, Wish),
    trees: &Trees,
    run: &Run,
    start: &Id,
) -> Result<Vec<String>, Error> {
    // One that was begun goes on, whatever it has changed itself.
    let asks = wish == Wish::IfUnchanged && run.landing().is_none();
    match run.ground() {
        Some(ground) if asks => {
            let ours = |path: &str| is_known_plan(project, path);
            let mut changed = trees.changed_since(ground, start, &ours)?;
            changed.extend(elsewhere(ground, trees)?);
            Ok(changed)
        }
        Some(_) | None => Ok(Vec::new()),
    }
}

/// Says so if the checkout is on another branch than when the run began.
fn elsewhere(ground: &RunTree, trees: &Trees) -> Result<Option<String>, Error> {
    const NONE: &str = "HEAD";
    let now = trees.repository.head()?.branch;
    let now = now.as_deref().unwrap_or(NONE);
    let named = |branch: &str| match branch {
        NONE => "no branch".to_owned(),
        branch => format!("`{}`", branch.trim_start_matches("refs/heads/")),
    };
    let before = ground.checkout.as_deref().filter(|before| *before != now);
    Ok(before.map(|before| {
        let (before, now) = (named(before), named(now));
        format!("the checkout was on {before} when the run began, and is on {now} now")
    }))
}

/// Why a run does not land.
struct Refusal {
    /// Each a sentence.
    why: Vec<String>,
    /// What two commits say about the same lines has to be settled by hand.
    is_conflict: bool,
}

impl From<Vec<String>> for Refusal {
    fn from(why: Vec<String>) -> Self {
        let is_conflict = false;
        Self { why, is_conflict }
    }
}

/// Puts the commits into the checkout, unless they are there already: the commit that it is at then, or why not.
fn put_in(
    trees: &Trees,
    (start, head): (&Id, &Id),
    changed: &[String],
    (run, journal): (&mut Run, &mut FileJournal),
    (by, clock): (&str, &dyn Clock),
) -> Result<Result<Id, Refusal>, Error> {
    for _ in 0..TRIES {
        // Commits that are there already need not go together with what came of them.
        if let Some(commit) = half_landed(run, trees)? {
            return Ok(Ok(commit));
        }
        let ready = match trees.own().prepare_landing(start, head)? {
            Prepared::Refused(why) => return Ok(Err(why.into())),
            Prepared::Conflict(why) => {
                let is_conflict = true;
                return Ok(Err(Refusal { why, is_conflict }));
            }
            _ if !changed.is_empty() => return Ok(Err(changed.to_owned().into())),
            Prepared::Nothing => {
                let now = trees.repository.head()?.commit;
                return Ok(Ok(now.unwrap_or_else(|| start.clone())));
            }
            Prepared::Ready(ready) => ready,
        };
        let (commit, by) = (ready.to.to_string(), by.to_owned());
        record((run, journal), Input::LandingBegins { commit, by }, clock)?;
        failpoint::reached("land.recorded");
        match trees.own().land(&ready, &failpoint::reached)? {
            Landed::Done { commit } => return Ok(Ok(commit)),
            Landed::Moved => {}
        }
    }
    let why = vec!["the checkout moves on and on".to_owned()];
    Ok(Err(why.into()))
}

/// The commits are in the checkout: that is recorded, and what the run needed goes.
fn arrived(
    mut landing: Landing,
    commit: Id,
    trees: &Trees,
    (run, journal): (&mut Run, &mut FileJournal),
    (by, clock): (String, &dyn Clock),
) -> Result<Landing, Error> {
    let commit = commit.to_string();
    landing.commit = Some(commit.clone());
    let branch = trees.repository.head()?.branch;
    landing.branch = branch.map(|name| name.trim_start_matches("refs/heads/").to_owned());
    record((run, journal), Input::Landed { commit, by }, clock)?;
    journal.close()?;
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
fn is_known_plan(project: &Project, path: &str) -> bool {
    let path = project.store.workspace().join(path);
    if path.starts_with(project.store.dir()) {
        return true;
    }
    let plan = PlanFile::read(&path, "", &signoff_plan::Everything).ok();
    let history = plan.and_then(|plan| History::read(project, &plan.key(project)).ok());
    history.is_some_and(|history| history.last_entry().is_some())
}

/// With what to type. Commits that were picked by hand are found, and the run counts as landed then.
fn instructed(mut landing: Landing, refusal: Refusal, start: &Id) -> Landing {
    let run = &landing.run;
    landing.refused = refusal.why;
    if refusal.is_conflict {
        landing.by_hand.push(pick(run, start.as_str()));
    }
    landing.by_hand.push(format!("signoff land {run}"));
    landing.branch = Some(format!("signoff/{run}"));
    landing
}

fn pick(run: &str, start: &str) -> String {
    format!("git cherry-pick {start}..signoff/{run}")
}

fn parsed(run: &Run, text: &str) -> Result<Id, Error> {
    id(text).map_err(|why| Error::BrokenRun {
        run: run.id().to_owned(),
        why,
    })
}

fn record(
    (run, journal): (&mut Run, &mut FileJournal),
    input: Input,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let now = clock.now();
    for recorded in journal.append(now, decide(run, now, input)?)? {
        apply(run, &recorded);
    }
    Ok(())
}

/// What becomes of a run's trees when the loop has come back.
pub(super) fn settle(
    project: &Project,
    trees: Option<&Trees>,
    (run, journal): (&mut Run, &mut FileJournal),
    clock: &dyn Clock,
) -> Result<Option<Landing>, Error> {
    let Some(trees) = trees else {
        return Ok(None);
    };
    if !run.in_worktrees() {
        trees.note_left()?;
        return Ok(None);
    }
    match run.outcome() {
        Some(Outcome::Completed | Outcome::Partial) => {
            let unasked = (project, Wish::IfUnchanged);
            bring_in(unasked, trees, (run, journal), clock).map(Some)
        }
        Some(Outcome::Failed) | None => Ok(None),
    }
}
