//! Hands a prepared run to the loop.

use std::io;
use std::sync::Arc;

use signoff_engine::{Input, PlanState, Run};
use signoff_store::runs::RunDir;

use super::landing::LandingReport;
use super::observers::RunObservers;
use super::prepared_run::FirstInput;
use super::workplace::{Workplace, WorkplaceOptions, forget_finished_repairs};
use super::{PreparedRun, landing};
use crate::drive::{Loop, Observe, Person, StopReason};
use crate::error::Error;
use crate::local::Interrupt;
use crate::project::current_task;
use crate::runs::{OpenedRun, log_end, merges};
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

impl PreparedRun<'_> {
    /// Drives the run until it ends or cannot go on by itself. `interrupt` is handed what stops it.
    pub fn drive(
        mut self,
        observer: &mut dyn Observe,
        person: &mut dyn Person,
        interrupt: impl FnOnce(Interrupt) -> io::Result<()>,
    ) -> Result<RunReport, Error> {
        let workplace = self.workplace()?;
        let project = self.opened.project;
        let sandbox = Arc::clone(&workplace.sandbox);
        let trees = workplace.isolation.trees().cloned();
        self.refuse_if_changed()?;
        let task = self.run().next_plan().plan();
        let task = task.task.as_deref().unwrap_or(task.display_title());
        current_task::begin(project, &self.opened.key, task)?;
        // It holds everything that was signed, and the run may take hours.
        drop(self.signature);
        let mut local = workplace.performer(&self.opened, self.watch)?;
        interrupt(local.interrupt()).map_err(Error::Sandbox)?;
        let mut own =
            RunObservers::start(&mut self.opened, &self.name, sandbox, person.is_present())?;
        let mut observers: Vec<&mut dyn Observe> = vec![observer];
        observers.extend(own.all());
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
        let mut notes = own.finish(project);
        notes.extend(local.login_notes());
        let opened = &mut self.opened;
        note_stop(opened, &stopped)?;
        let landing = match project.cluster {
            // Whoever started the run has the checkout.
            Some(_) => None,
            None => landing::land_after_completion(project, trees.as_deref(), &mut opened.run)?,
        };
        Ok(RunReport {
            stopped,
            landing,
            run: self.opened.run.into_state(),
            trouble: own.mark_trouble(),
            notes,
        })
    }

    /// Where its processes work, and how they are confined.
    pub(super) fn workplace(&self) -> Result<Workplace, Error> {
        Workplace::prepare(
            &self.opened,
            WorkplaceOptions {
                isolation: self.settings.isolation,
                level: self.level(),
                repository: self.repository.as_ref(),
            },
        )
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

/// Records outside of the journal that the run has ended or stopped.
fn note_stop(opened: &OpenedRun<'_>, stopped: &StopReason) -> Result<(), Error> {
    let project = opened.project;
    match stopped {
        StopReason::Finished(outcome) => {
            log_end(project, &opened.key, opened.state(), *outcome, opened.clock)
        }
        StopReason::Waiting => Ok(()),
        StopReason::Paused(_) | StopReason::Interrupted | StopReason::Changed(_) => {
            current_task::update_status(project, &opened.key, PlanState::Stalled)
        }
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
