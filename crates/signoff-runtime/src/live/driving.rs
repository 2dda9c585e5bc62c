//! Hands a prepared run to the loop.

use std::io;
use std::sync::Arc;

use signoff_engine::{Input, PlanState, Run};
use signoff_sandbox::{Level, Sandbox};
use signoff_store::runs::RunDir;
use signoff_work::confine::RunPaths;

use super::isolation::forget_finished_repairs;
use super::landing::LandingReport;
use super::notify::Notify;
use super::prepared_run::FirstInput;
use super::telemetry_observer::TelemetryObserver;
use super::webhook::Webhook;
use super::{PreparedRun, landing};
use crate::advice::Advisor;
use crate::confinement;
use crate::drive::{Loop, Observe, Person, StopReason};
use crate::error::Error;
use crate::local::{Interrupt, LocalPerformer, PerformerOptions, RunIsolation};
use crate::notifications::Notifier;
use crate::project::{Project, current_task};
use crate::runs::day_costs::{CostKeeper, DayLedger};
use crate::runs::{log_end, merges};
use crate::trees::Trees;

/// How driving a run ended.
#[derive(Debug)]
pub struct RunReport {
    /// Why the loop came back.
    pub stopped: StopReason,
    /// The landing of its commits, if it has any.
    pub landing: Option<LandingReport>,
    /// Its last state.
    pub run: Run,
    /// Why marks could not be written, if so.
    pub trouble: Option<String>,
    /// Why the person could not be notified, and which logins could not be written back.
    pub notes: Vec<String>,
}

/// Where a run's processes work, and how they are confined.
pub(super) struct Workplace {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) run_paths: Option<RunPaths>,
    pub(super) isolation: RunIsolation,
}

/// Sends what telemetry still holds; returns why it could not.
fn flush(project: &Project) -> Option<String> {
    let telemetry = project.process.services.telemetry.as_ref()?;
    telemetry.flush().err()
}

impl PreparedRun<'_> {
    /// Drives the run until it ends or cannot go on by itself. `interrupt` is handed what stops it.
    pub fn drive(
        mut self,
        observer: &mut dyn Observe,
        person: &mut dyn Person,
        interrupt: impl FnOnce(Interrupt) -> io::Result<()>,
    ) -> Result<RunReport, Error> {
        let Workplace {
            sandbox,
            run_paths,
            isolation,
        } = self.workplace()?;
        let project = self.opened.project;
        let trees = isolation.trees().cloned();
        self.refuse_if_changed()?;
        let task = self.run().next_plan().plan();
        let task = task.task.as_deref().unwrap_or(task.display_title());
        current_task::begin(project, &self.opened.key, task)?;
        let notified = (!person.is_present()).then(|| Arc::clone(&sandbox));
        let mut notify = notified.and_then(|sandbox| Notify::new(project, sandbox, &self.name));
        let notifier = (!person.is_present()).then(|| Notifier::new(project));
        let mut webhook = notifier.flatten().map(|notifier| Webhook {
            notifier,
            plan: self.opened.key.clone(),
        });
        // It holds everything that was signed, and the run may take hours.
        drop(self.signature);
        let mut local = LocalPerformer::start(PerformerOptions {
            project,
            id: self.opened.id.clone(),
            key: self.opened.key.clone(),
            dir: self.opened.dir.clone(),
            isolation,
            sandbox,
            run_paths,
            watch: self.watch,
            clock: self.opened.clock,
            advisor: Arc::new(Advisor {
                project: project.clone(),
                key: self.opened.key.clone(),
                plan: self.opened.plan.clone(),
            }),
        })?;
        interrupt(local.interrupt()).map_err(Error::Sandbox)?;
        let mut marks = self.opened.mark_projection();
        let mut followed = TelemetryObserver::new(project, &self.opened.id);
        let ledger = DayLedger::of(project, &self.opened.id);
        let mut costs = CostKeeper::new(ledger, std::mem::take(&mut self.opened.costs))?;
        let mut observers: Vec<&mut dyn Observe> = vec![observer, &mut marks, &mut costs];
        observers.extend(notify.as_mut().map(|notify| notify as &mut dyn Observe));
        observers.extend(webhook.as_mut().map(|webhook| webhook as &mut dyn Observe));
        observers.extend(followed.as_mut().map(|follows| follows as &mut dyn Observe));
        let mut work = Loop {
            run: &mut self.opened.run,
            perform: &mut local,
            bounds: self.bounds,
            person,
            observers,
            difference: None,
        };
        begin(
            &mut work,
            self.beginning,
            &self.opened.dir,
            trees.as_deref(),
        )?;
        work.perform.take_over(work.run.state())?;
        let stopped = work.drive()?;
        local.clean_up();
        if let Some(webhook) = webhook {
            webhook.notifier.finish();
        }
        let mut notes = notify.map(Notify::finish).unwrap_or_default();
        notes.extend(local.login_notes());
        notes.extend(followed.and_then(|_| flush(project)));
        let opened = &mut self.opened;
        match stopped {
            StopReason::Finished(outcome) => {
                log_end(project, &opened.key, opened.state(), outcome, opened.clock)?;
            }
            StopReason::Waiting => {}
            StopReason::Paused(_) | StopReason::Interrupted | StopReason::Changed(_) => {
                current_task::update_status(project, &opened.key, PlanState::Stalled)?;
            }
        }
        let landing = match project.cluster {
            // Whoever started the run has the checkout.
            Some(_) => None,
            None => landing::land_after_completion(project, trees.as_deref(), &mut opened.run)?,
        };
        Ok(RunReport {
            stopped,
            landing,
            run: self.opened.run.into_state(),
            trouble: marks.trouble,
            notes,
        })
    }

    /// Where its processes work, and how they are confined.
    pub(super) fn workplace(&self) -> Result<Workplace, Error> {
        let (sandbox, level) = self.sandbox()?;
        let opened = &self.opened;
        let mut run_paths = confinement::run_paths(opened.project, &opened.plan, level);
        let isolation = self.prepare_isolation(&mut run_paths, level)?;
        Ok(Workplace {
            sandbox,
            run_paths,
            isolation,
        })
    }

    fn sandbox(&self) -> Result<(Arc<Sandbox>, Level), Error> {
        let sandbox = confinement::sandbox(self.level())?;
        let words = self.opened.project.secrets().values().to_vec();
        let sandbox = sandbox.with_redaction(words);
        let level = sandbox
            .level()
            .map_err(|error| Error::Sandbox(error.into()))?;
        Ok((Arc::new(sandbox), level))
    }

    /// Refuses to begin if the plan or its terms are no longer what was signed.
    pub(super) fn refuse_if_changed(&mut self) -> Result<(), Error> {
        let opened = &self.opened;
        let Some(difference) = self.watch.difference(opened.project)? else {
            return Ok(());
        };
        let plan = self.name.clone();
        Err(match self.beginning {
            FirstInput::Start(_) => Error::Changed { plan, difference },
            FirstInput::GoOn { .. } => Error::ChangedDuring {
                run: opened.id.clone(),
                plan,
                difference: Box::new(difference),
            },
        })
    }
}

/// Records what comes before the first action.
fn begin(
    work: &mut Loop<'_, '_>,
    beginning: FirstInput,
    dir: &RunDir,
    trees: Option<&Trees>,
) -> Result<(), Error> {
    match beginning {
        FirstInput::Start(input) => {
            work.record(input)?;
            dir.mark_begun()?;
        }
        FirstInput::GoOn {
            input,
            lost,
            replan,
        } => {
            // First, so that nothing begins that was done already.
            if let Some(lost) = lost {
                work.record(*lost)?;
            }
            resume(work, input, replan, trees)?;
        }
    }
    let Some(trees) = trees else {
        return Ok(());
    };
    if work.run.state().run_tree().is_none() {
        match trees.begin(work.run.state().settings().isolation) {
            Ok(tree) => work.record(Input::TreePrepared { tree })?,
            // Ctrl-C before the first step: the loop handles it next.
            Err(_) if work.perform.is_stopping() => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    trees.set_first_commit(work.run.state())?;
    forget_finished_repairs(work.run.state(), trees);
    Ok(())
}

/// What a crash cut off is decided under the old version of the plan, before the next version is taken up.
fn resume(
    work: &mut Loop<'_, '_>,
    input: Input,
    replan: Option<Box<Input>>,
    trees: Option<&Trees>,
) -> Result<(), Error> {
    let merges = merges::begun_merges(work.run.state());
    work.record(input)?;
    let Some(replan) = replan else {
        return Ok(());
    };
    if let Some(trees) = trees {
        for merged in merges::finish(work.run.state(), trees, &merges) {
            work.record(merged)?;
        }
    }
    work.record(*replan)
}
