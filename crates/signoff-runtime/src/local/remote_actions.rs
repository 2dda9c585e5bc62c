//! Actions that other machines perform, where several share the run: agents, calls and contracts. What is left is git and
//! the journal, which this process keeps.

use signoff_engine::{Action, Input, Run, Stage};
use signoff_plan::digest::Digest;
use signoff_plan::model::Work;

use super::commands::{broken_run, require_step};
use super::commits::judged_commit;
use super::{LocalPerformer, attempts};
use crate::cluster::{OrderedTask, Report, ReportedEnd, WorkOrder};
use crate::drive::{HarnessTrouble, WakeReason};
use crate::error::Error;

/// The role of machines that run contracts on the work of others, if the driving machine asks for that.
pub(crate) const VERIFIER: &str = "verifier";

/// The role of machines that do what no agent does.
const TOOLS: &str = "tools";

impl LocalPerformer<'_> {
    /// The order for another machine, if the action is one that other machines perform.
    pub(super) fn order(&self, run: &Run, action: &Action) -> Result<Option<WorkOrder>, Error> {
        if self.commands.project.cluster.is_none() {
            return Ok(None);
        }
        let (step, attempt, task) = match *action {
            Action::Dispatch { step, attempt } => (step, attempt, OrderedTask::Work),
            Action::Call { step, attempt } => (step, attempt, OrderedTask::Call),
            Action::Baseline { step } => (step, attempts(run, step), OrderedTask::Baseline),
            Action::Evaluate {
                step,
                attempt,
                patience,
            } => (step, attempt, OrderedTask::Evaluate { patience }),
            Action::Recheck { step, patience } => {
                (step, attempts(run, step), OrderedTask::Recheck { patience })
            }
            // Git, the journal and questions are the driving process's own.
            Action::Candidate { .. }
            | Action::Merge { .. }
            | Action::LandFiles
            | Action::Draft { .. }
            | Action::OfferDraft
            | Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => return Ok(None),
        };
        let trees = self.own_trees(run)?;
        if task != OrderedTask::Work {
            let commit = judged_commit(run, step, task == OrderedTask::Baseline)?;
            trees.publish_commit(&commit)?;
        }
        let (definition, _) = require_step(run, step)?;
        let judges = task.is_contract() && self.commands.project.config.engine.verifier.value;
        let role = match definition.work {
            _ if judges => VERIFIER,
            Work::Agent { .. } => run.role_of(step).unwrap_or("default"),
            Work::Tool { .. } | Work::Check | Work::Ask { .. } => TOOLS,
        };
        Ok(Some(WorkOrder {
            step: definition.id.clone(),
            attempt,
            role: role.to_owned(),
            task,
        }))
    }

    /// Hands over what other machines are told to do.
    pub(super) fn hand_over(&self, orders: Vec<WorkOrder>) -> Result<(), Error> {
        match &self.commands.project.cluster {
            Some(cluster) if !orders.is_empty() => {
                let handed = cluster.hand_over(orders);
                handed.map_err(|why| Error::Unshared { why })
            }
            _ => Ok(()),
        }
    }

    /// Hands over everything that is under way elsewhere again: the previous driving process may have died before it
    /// did.
    pub(crate) fn hand_over_again(&self, run: &Run) -> Result<(), Error> {
        let mut orders = Vec::new();
        for at in run.order() {
            if let Some(action) = action_elsewhere(run, at) {
                orders.extend(self.order(run, &action)?);
            }
        }
        self.hand_over(orders)
    }

    /// What a report of another machine means to the run, if it still waits for that.
    pub(super) fn reported_input(run: &Run, report: Report) -> Option<WakeReason> {
        let Report {
            step: id,
            attempt,
            task,
            end,
            ..
        } = report;
        let step = run.position(&id)?;
        let awaited = action_elsewhere(run, step)?;
        let trouble = |why, known| {
            WakeReason::Trouble(HarnessTrouble {
                step,
                what: "another machine could not do its part",
                why,
                known,
            })
        };
        Some(match (awaited, task, end) {
            (_, _, ReportedEnd::Trouble(why)) => trouble(why, None),
            (Action::Call { attempt: now, .. }, OrderedTask::Call, ReportedEnd::Call(end))
                if now == attempt =>
            {
                let end = *end;
                Input::CallEnded { step, attempt, end }.into()
            }
            (Action::Call { attempt: now, .. }, OrderedTask::Call, ReportedEnd::NotCalled(why))
                if now == attempt =>
            {
                trouble(why, Some(Input::CallNotMade { step, attempt }))
            }
            (Action::Dispatch { attempt: now, .. }, OrderedTask::Work, ReportedEnd::Work(work))
                if now == attempt =>
            {
                let work = *work;
                let ended = Input::WorkEnded {
                    step,
                    attempt,
                    work,
                };
                ended.into()
            }
            (Action::Baseline { .. }, OrderedTask::Baseline, ReportedEnd::Contract(observed)) => {
                let observed = *observed;
                Input::BaselineEnded { step, observed }.into()
            }
            (
                Action::Evaluate { attempt: now, .. },
                OrderedTask::Evaluate { .. },
                ReportedEnd::Contract(observed),
            ) if now == attempt => contract_ended(step, attempt, *observed),
            (
                Action::Recheck { .. },
                OrderedTask::Recheck { .. },
                ReportedEnd::Contract(observed),
            ) => contract_ended(step, attempt, *observed),
            _ => return None,
        })
    }

    /// Takes the prompt of an attempt, which the process that drives the run wrote, if it is the one that was journaled.
    pub(crate) fn take_prompt(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
        expected: Option<&str>,
    ) -> Result<(), Error> {
        let (definition, _) = require_step(run, step)?;
        let path = self.commands.dir.attempt(&definition.id, attempt).prompt();
        let prompt = std::fs::read_to_string(&path).map_err(|why| Error::Unreadable {
            path: path.clone(),
            why,
        })?;
        if expected != Some(Digest::of_bytes(prompt.as_bytes()).hex().as_str()) {
            return Err(broken_run(
                run,
                "a prompt that is not the one in its journal",
            ));
        }
        self.commands.prompts.insert(step, (prompt, path));
        Ok(())
    }

    /// Refuses what the step's agent asks.
    pub(crate) fn deny_questions(&self, step: usize) {
        const UNASKED: &str = "nobody is asked here";
        if let Some(agent) = self.agents.get(&step) {
            agent.deny(UNASKED);
        }
    }

    /// Keeps a commit where other machines find it, if there are any.
    pub(super) fn share_commit(&self, run: &Run, input: &Input) -> Result<(), Error> {
        if self.commands.project.cluster.is_none() {
            return Ok(());
        }
        let commit = match input {
            Input::CandidateBuilt { candidate, .. } => &candidate.commit,
            Input::Merged { commit, .. } => commit,
            _ => return Ok(()),
        };
        let commit = commit.parse();
        let commit = commit.map_err(|_| broken_run(run, "a commit without a name"))?;
        self.own_trees(run)?.publish_commit(&commit)
    }
}

fn contract_ended(step: usize, attempt: u32, observed: signoff_engine::Observation) -> WakeReason {
    let ended = Input::EvaluationEnded {
        step,
        attempt,
        observed,
    };
    ended.into()
}

/// What is under way for this step on another machine, where several share the run.
pub(crate) fn action_elsewhere(run: &Run, step: usize) -> Option<Action> {
    let (definition, state) = run.step(step)?;
    let is_agent = matches!(definition.work, Work::Agent { .. });
    let is_call = matches!(definition.work, Work::Tool { .. });
    // As `due` gives it.
    let patience = 1 + state.attempt.inconclusive.min(1);
    Some(match state.stage {
        Stage::Working { attempt } if is_agent => Action::Dispatch { step, attempt },
        Stage::Working { attempt } if is_call => Action::Call { step, attempt },
        Stage::Baselining => Action::Baseline { step },
        Stage::Evaluating { attempt } => Action::Evaluate {
            step,
            attempt,
            patience,
        },
        Stage::Rechecking => Action::Recheck { step, patience },
        _ => return None,
    })
}
