//! A run that may go on: a new one of a signed plan, or one that was paused, cut off or has failed.

use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{
    Actor, Bounds, Input, Isolation, NextPlan, Outcome, PlanState, PlanningUsage, Run, RunStart,
    Settings, StepForecast, Transition, state_after,
};
use signoff_plan::model::Plan;
use signoff_plan::signed::SignedPlan;
use signoff_store::signatures::SignatureRecord;
use signoff_store::{atomic, failpoint};
use signoff_work::git::Repository;

use super::landing;
use super::last_run::forecast_again;
use super::new_run::{RunSetup, clear_never_begun, create_run, workspace_lock};
use super::options::{RunOptions, bounds, settings};
use crate::clock::Clock;
use crate::confinement::levels;
use crate::error::Error;
use crate::local::action_elsewhere;
use crate::plan_file::PlanFile;
use crate::plan_history::{PlanHistory, append_event};
use crate::planning::begins_run;
use crate::plans::ActorContext;
use crate::plans::approval::preflight::dropped_hooks;
use crate::plans::approval::replan;
use crate::plans::locked::LockedPlan;
use crate::project::{Project, relative};
use crate::runs::worktrees::RunWorktrees;
use crate::runs::{OpenedRun, call_marks, cut_off_reports, remote, snapshot};
use crate::signing::current_signature::require_still_signed;
use crate::signing::watch::Watch;

/// A run that the loop can drive.
pub struct PreparedRun<'a> {
    pub(super) opened: OpenedRun<'a>,
    /// How messages call the plan.
    pub(super) name: String,
    /// The signature it runs under.
    pub(super) signature: Box<SignatureRecord>,
    /// Notices when the plan or its terms are no longer what was signed.
    pub(super) watch: Watch,
    pub(super) beginning: FirstInput,
    /// The settings that it starts with or was started with.
    pub(super) settings: Settings,
    /// How far it is to go.
    pub(super) bounds: Bounds,
    /// The repository that its trees are recorded in, where that was chosen just now.
    pub(super) repository: Option<Repository>,
    /// What a person should know before it goes on.
    pub(super) notes: Vec<String>,
    /// What it will do with each step, if the plan was run before.
    pub(super) forecast: Vec<StepForecast>,
}

/// What is recorded before the first action.
pub(super) enum FirstInput {
    Start(Input),
    GoOn {
        input: Input,
        /// Calls of which its journal has no trace.
        lost: Option<Box<Input>>,
        /// Takes up another version of the plan.
        replan: Option<Box<Input>>,
    },
}

impl std::fmt::Debug for PreparedRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedRun")
            .field("run", &self.opened.id)
            .finish_non_exhaustive()
    }
}

impl<'a> PreparedRun<'a> {
    /// Prepares a new run of a signed plan: preflight, locks, snapshot, journal.
    pub fn start(
        project: &'a Project,
        plan: &PlanFile,
        actor: Actor,
        options: &RunOptions,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        project.require_trust()?;
        let context = ActorContext {
            project,
            actor,
            clock,
        };
        // The plan stays locked until its log says that it runs.
        let locked = LockedPlan::open_seen(context, plan)?;
        if let Some(replan::WaitingRun { run, .. }) = replan::waiting_run(project, &locked.plan)? {
            let plan = locked.plan.source.name().to_owned();
            return Err(Error::WaitingRun { plan, run });
        }
        let setup = RunSetup::decide(project, &locked, options)?;
        let opened = create_run(project, clock, &locked, setup.run, setup.chosen.isolation)?;
        let signed = opened.state().signed_plan();
        let digest = signed.digest().to_string();
        let path = relative(project, &opened.plan);
        locked.record(&[PlanEvent::PlanExecuting {
            path: path.clone(),
            digest: digest.clone(),
            run: opened.id.clone(),
        }])?;
        clear_never_begun(project)?;
        let forecast = forecast_again(&setup.earlier.steps, signed.plan());
        let hooks = dropped_hooks(project, signed.plan());
        let first = Input::Start(RunStart {
            run: opened.id.clone(),
            plan: opened.key.clone(),
            path,
            digest,
            terms: signed.terms().to_string(),
            settings: setup.settings.clone(),
            earlier: setup.earlier.steps,
            planning: locked.history().uncounted_planning(begins_run),
        });
        Ok(Self {
            name: locked.plan.source.name().to_owned(),
            signature: setup.signature,
            watch: watch(&opened, signed),
            opened,
            beginning: FirstInput::Start(first),
            settings: setup.settings,
            bounds: setup.bounds,
            repository: setup.chosen.repository,
            notes: (locked.notes.into_iter())
                .chain(setup.earlier.notes)
                .chain(setup.chosen.note)
                .chain(hooks)
                .collect(),
            forecast,
        })
    }

    /// Resumes a run that was paused, cut off, or has failed.
    pub fn resume(
        project: &'a Project,
        id: &str,
        actor: Actor,
        options: &RunOptions,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        project.require_trust()?;
        remote::refuse_if_remote(project, id)?;
        let mut opened = OpenedRun::open(project, id, clock)?;
        opened.refuse_if_undone()?;
        lock_checkout(&mut opened)?;
        PlanHistory::read(project, &opened.key)?.refuse_if_over(id)?;
        take_back_replacement(&opened)?;
        landing::refuse_if_checked_out(&opened)?;
        let input = resume_input(&mut opened, actor)?;
        let mut name = relative(project, &opened.plan);
        let mut watch = watch(&opened, opened.state().signed_plan());
        let next = take_next_version(&mut opened, &name, &mut watch)?;
        let (replan, signature) = match next {
            Some(NextVersion { replan, signature }) => {
                name = relative(project, &opened.plan);
                (Some(replan), signature)
            }
            None => (
                None,
                require_still_signed(project, &opened.key, opened.state().signed_plan())?,
            ),
        };
        // The positions of steps may change with the plan.
        let foreseen = match &replan {
            Some(replan) => &opened.run.predicted_state([&input, replan])?,
            None => opened.state(),
        };
        let bounds = bounds(foreseen, options)?;
        let lost = call_marks::lost_calls(project, opened.state())?;
        let lost_note = call_marks::lost_note(id, &lost);
        let hooks = dropped_hooks(project, foreseen.plan());
        let prepared = Self {
            name,
            signature,
            watch,
            settings: opened.state().settings().clone(),
            notes: (opened.torn.take().into_iter())
                .chain(lost_note)
                .chain(hooks)
                .collect(),
            opened,
            beginning: FirstInput::GoOn {
                input,
                lost: (!lost.is_empty()).then(|| Box::new(Input::LostCalls(lost))),
                replan,
            },
            bounds,
            repository: None,
            forecast: Vec::new(),
        };
        let is_shared = prepared.run().settings().isolation == Isolation::Shared;
        levels::require_again(project, prepared.level(), is_shared)?;
        prepared.opened.end_leftovers()?;
        // A killed writer may have left its temporary file beside the plan.
        atomic::remove_stray_temp(&prepared.opened.plan)?;
        failpoint::reach("resume.ready");
        Ok(prepared)
    }

    /// The run's name.
    pub fn id(&self) -> &str {
        &self.opened.id
    }

    /// The signature it runs under.
    pub fn signature(&self) -> &SignatureRecord {
        &self.signature
    }

    /// How messages call its plan.
    pub fn plan_name(&self) -> &str {
        &self.name
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Plan {
        self.run().next_plan().plan()
    }

    /// What a person should know before it goes on: about where it works, and what a crash left.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What it will do with each step, if the plan was run before; otherwise nothing.
    pub fn forecast(&self) -> &[StepForecast] {
        &self.forecast
    }

    /// Where its trees are.
    pub fn worktrees(&self) -> RunWorktrees {
        let in_worktrees = self.settings.isolation == Isolation::Worktree;
        RunWorktrees::of(self.opened.project, self.id(), in_worktrees)
    }

    /// Its state, as far as it has come.
    pub fn run(&self) -> &Run {
        self.opened.state()
    }

    /// The settings that it starts with or was started with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where its files are.
    pub fn dir(&self) -> &Path {
        self.opened.dir.path()
    }

    /// How strongly its processes are confined.
    pub(super) fn level(&self) -> &str {
        match &self.beginning {
            FirstInput::GoOn {
                replan: Some(replan),
                ..
            } if let Input::Replan { settings, .. } = &**replan => &settings.sandbox,
            FirstInput::GoOn { .. } | FirstInput::Start(_) => &self.settings.sandbox,
        }
    }
}

/// Locks the checkout for a run that works in it.
fn lock_checkout(opened: &mut OpenedRun<'_>) -> Result<(), Error> {
    let project = opened.project;
    let isolation = opened.state().settings().isolation;
    opened.workspace_lock = workspace_lock(project, opened.state().plan(), isolation)?;
    if let Some(lock) = &mut opened.workspace_lock {
        let path = project.store.workspace_lock();
        lock.name_run(&opened.id)
            .map_err(Error::cannot_read(&path))?;
    }
    Ok(())
}

/// The input with which a run goes on. Refuses one that has ended, after what its end left undone.
fn resume_input(opened: &mut OpenedRun<'_>, actor: Actor) -> Result<Input, Error> {
    let project = opened.project;
    let by = project.process.person.clone();
    match opened.state().outcome() {
        None if project.cluster.is_some() => Ok(Input::TakeOver {
            by,
            elsewhere: steps_elsewhere(opened.state()),
        }),
        None => Ok(Input::Resume {
            by,
            reports: cut_off_reports(opened.state(), &opened.dir),
        }),
        Some(Outcome::Failed) => {
            state_after(PlanState::Failed, Transition::Resume, actor)?;
            Ok(Input::Reopen { by })
        }
        Some(outcome @ (Outcome::Completed | Outcome::Partial)) => {
            require_still_signed(project, &opened.key, opened.state().signed_plan())?;
            opened.finish_bookkeeping(outcome)?;
            Err(Error::already_finished(opened.state(), outcome))
        }
    }
}

/// The steps that other machines work on.
fn steps_elsewhere(run: &Run) -> Vec<String> {
    let steps = run
        .order()
        .filter(|at| action_elsewhere(run, *at).is_some());
    steps
        .filter_map(|at| Some(run.definition(at)?.id.clone()))
        .collect()
}

/// Watches the files that this version rests on.
pub(super) fn watch(opened: &OpenedRun<'_>, signed: &SignedPlan) -> Watch {
    let (plan, terms) = (opened.plan.clone(), opened.terms.clone());
    Watch::new(plan, signed.clone(), terms, opened.text.clone())
}

/// Another version of the plan, under which a run goes on.
struct NextVersion {
    replan: Box<Input>,
    signature: Box<SignatureRecord>,
}

/// The plan was replaced, and a person refused the new version: the run goes on under the old one.
fn take_back_replacement(opened: &OpenedRun<'_>) -> Result<(), Error> {
    let OpenedRun { project, key, .. } = opened;
    let history = PlanHistory::read(project, key)?;
    if opened.state().replan().is_some() || history.replaced_by(&opened.id).is_none() {
        return Ok(());
    }
    let executing = executing_event(opened, opened.state().signed_plan());
    append_event(project, key, &executing, opened.clock)
}

/// What models used for the plan since the present version was taken up.
fn uncounted_planning(opened: &OpenedRun<'_>) -> Result<Vec<PlanningUsage>, Error> {
    let now = opened.state().signed_plan().digest().to_string();
    let history = PlanHistory::read(opened.project, &opened.key)?;
    // A crash may have left the line of the next version without its event.
    Ok(history.uncounted_planning(
        |event| matches!(event, PlanEvent::PlanExecuting { digest, .. } if *digest == now),
    ))
}

fn executing_event(opened: &OpenedRun<'_>, signed: &SignedPlan) -> PlanEvent {
    PlanEvent::PlanExecuting {
        path: relative(opened.project, &opened.plan),
        digest: signed.digest().to_string(),
        run: opened.id.clone(),
    }
}

/// Prepares to go on under another version of the plan, if there is one and somebody signed it.
fn take_next_version(
    opened: &mut OpenedRun<'_>,
    name: &str,
    watched: &mut Watch,
) -> Result<Option<NextVersion>, Error> {
    let project = opened.project;
    let drafted = match opened.state().draft() {
        Some(draft) => replan::drafted_version(project, draft)?,
        None => None,
    };
    let own = match &drafted {
        Some(next) => Some(NextPlan {
            key: next.plan.key(project)?,
            path: relative(project, &next.plan.path),
        }),
        None => None,
    };
    let next = match drafted {
        Some(drafted) => Some(drafted),
        None => replan::next_version(project, &opened.key, &opened.plan, name, watched)?,
    };
    let Some(next) = next else {
        return Ok(None);
    };
    if let Some(own) = &own {
        opened.key.clone_from(&own.key);
        opened.plan.clone_from(&next.plan.path);
    }
    let OpenedRun { key, dir, .. } = &*opened;
    // Saved before the journal names it; a version that no event names is ignored.
    let snapshot = snapshot::save_version(dir, opened.versions + 1, &next.plan)?;
    snapshot::keep_signature(project, key, dir, &next.signed)?;
    failpoint::reach("replan.kept");
    let now = opened.run.state().settings();
    let options = RunOptions {
        jobs: u32::try_from(now.jobs).ok(),
        ..RunOptions::default()
    };
    let settings = if project.cluster.is_some() {
        // Who handed the run over decided; what was signed again is in the terms.
        Settings {
            baseline: project.config.contract.baseline.value,
            ..now.clone()
        }
    } else {
        settings(project, &options, now.isolation, now.land)?
    };
    let planning = uncounted_planning(opened)?;
    let executing = executing_event(opened, &next.signed);
    append_event(project, key, &executing, opened.clock)?;
    failpoint::reach("replan.switching");
    opened.terms = next.terms;
    opened.text.set(
        next.plan.source.clone(),
        next.plan.checked.dialect,
        next.signed.digest(),
    );
    *watched = watch(opened, &next.signed);
    opened.run.offer(next.signed);
    Ok(Some(NextVersion {
        replan: Box::new(Input::Replan {
            snapshot,
            settings,
            plan: own,
            planning,
        }),
        signature: next.signature,
    }))
}
