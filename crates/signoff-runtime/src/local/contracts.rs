//! Runs contracts: where the step's work is to be judged, and so that they leave nothing there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use signoff_engine::{Input, Observation, ProcessEnd, Run, StepStatus};
use signoff_plan::model::{Condition, Step, Work};
use signoff_sandbox::Command;

use super::ground::Site;
use super::past::Past;
use super::scratch::Scratch;
use super::{Local, is_alone};
use crate::error::Error;
use crate::trees::Working;

impl Local<'_> {
    /// Runs a contract. What it changes in the tree is put back where nothing else can have changed
    /// it.
    fn contract(
        &mut self,
        run: &Run,
        (step, baseline): (usize, bool),
        (command, scratch): (Command, Option<Scratch>),
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) -> Result<(), Error> {
        if let Some(ground) = &self.ground {
            let (trees, site) = (Arc::clone(&ground.trees), Site::of(run, step, baseline)?);
            let starter = self.crew.starter();
            let contract = run.definition(step).and_then(|step| step.contract.as_ref());
            let expect = contract.map_or_else(Vec::new, |contract| contract.expect.clone());
            self.crew.start(
                command,
                move || {
                    let tree = site.enter(&trees, &starter)?;
                    Ok((trees, site, tree, scratch))
                },
                move |entered, mut observed| {
                    if let Some((trees, site, tree, scratch)) = entered {
                        drop(scratch);
                        observed.wrote = site.leave(&trees);
                        observed.tree = Some(tree);
                        if has_failed(&expect, &observed.ended)
                            && let Some(missing) = site.missing(&trees)
                        {
                            let said = [observed.stderr.trim_end(), &missing, ""];
                            observed.stderr = said.join("\n");
                        }
                    }
                    report(observed)
                },
            );
            return Ok(());
        }
        self.contract_in_place(run, (step, baseline), (command, scratch), report);
        Ok(())
    }

    fn contract_in_place(
        &mut self,
        run: &Run,
        (step, baseline): (usize, bool),
        (command, scratch): (Command, Option<Scratch>),
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) {
        let tree = is_alone(run).then(|| self.tree.clone());
        let is_agent = |step: &Step| matches!(step.work, Work::Agent { .. });
        let of_agent = run.definition(step).is_some_and(is_agent);
        let git = self.in_place.clone().filter(|_| of_agent);
        let repaired = run.step(step).is_some_and(|(_, state)| {
            state.repaired_by.is_some() && state.status == StepStatus::Verifying
        });
        // What a contract writes that has the checkout to itself is put back.
        let beside = self.in_place.clone().filter(|_| tree.is_none());
        let past = (!baseline).then(|| Past::to_judge(&self.bench.dir, run, step));
        let globs = run.definition(step).map(|step| step.protects.clone());
        let past = past.flatten().zip(globs);
        let looking = self.tree.clone();
        let started = Arc::clone(&self.started);
        let number = started.load(Ordering::SeqCst);
        self.crew.start(
            command,
            move || {
                let working = beside.map(Working::begin);
                // Before the contract itself changes something.
                let changes = past.map(|(past, globs)| looking.left(&globs, &past));
                let judged = git.and_then(|git| {
                    let judged = git.own().snapshot().ok()?;
                    // Else it could not be taken back, which is safe.
                    repaired.then(|| git.adopt_repair(&judged).ok());
                    Some(judged)
                });
                let before = tree.and_then(|tree| Some((tree.look()?, tree)));
                Ok((before, judged, changes, (working, scratch)))
            },
            move |before, mut observed| {
                let Some((before, judged, changes, ended)) = before else {
                    return report(observed);
                };
                drop(ended);
                observed.changes = changes.map(Box::new);
                observed.tree = judged.map(|tree| tree.to_string());
                // What began meanwhile may have changed something too: then nobody can tell.
                let alone = started.load(Ordering::SeqCst) == number;
                if let Some((before, tree)) = before.filter(|_| alone) {
                    observed.wrote = tree.put_back(&before);
                }
                report(observed)
            },
        );
    }

    /// Runs the step's contract after its work, or once more at the end.
    pub(super) fn evaluate(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
        patience: u32,
    ) -> Result<(), Error> {
        let path = match &self.ground {
            // Judged is what is in the run's tree.
            Some(ground) => ground.trees.run_path(),
            None => self.path(run, step),
        };
        let how = (patience, false);
        let command = self.bench.evaluation(run, step, attempt, how, &path)?;
        self.contract(run, (step, false), command, move |observed| {
            Input::EvaluationEnded {
                step,
                attempt,
                observed,
            }
        })
    }

    pub(super) fn baseline(&mut self, run: &Run, step: usize) -> Result<(), Error> {
        let path = self.path(run, step);
        let command = self.bench.evaluation(run, step, 0, (1, true), &path)?;
        let report = move |observed| Input::BaselineEnded { step, observed };
        self.contract(run, (step, true), command, report)
    }
}

/// Has it failed, whatever else is said? Only then may something be added to what it printed.
fn has_failed(expect: &[Condition], ended: &ProcessEnd) -> bool {
    let ran = matches!(ended, ProcessEnd::Exited(_) | ProcessEnd::Signaled(_));
    let is_other = |condition: &Condition| match condition {
        Condition::ExitCode(code) => *ended != ProcessEnd::Exited(*code),
        _ => false,
    };
    ran && expect.iter().any(is_other)
}
