//! Runs contracts, each on a commit in an overlay of its own that is thrown away; without mounts, in the checkout.

use signoff_engine::{Action, Input, Observation, ProcessEnd, Run};
use signoff_plan::model::Condition;
use signoff_store::config::IgnoredFiles;
use signoff_work::confine::Home;

use super::Local;
use super::commands::require_step;
use super::shared_checkout::StepAttempts;
use crate::error::Error;
use crate::trees::{IgnoredWork, TreeMount};

impl Local<'_> {
    /// Runs a contract, and says how it ended.
    fn contract(
        &mut self,
        run: &Run,
        (step, attempt): (usize, u32),
        (patience, baseline): (u32, bool),
        mount: Option<TreeMount>,
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) -> Result<(), Error> {
        let how = (patience, baseline);
        let commands = &self.commands;
        let (command, scratch) = commands.evaluation(run, step, attempt, how, mount.as_ref())?;
        let Some(mount) = mount else {
            let attempts =
                StepAttempts::for_judging(&self.commands.dir, run, step).filter(|_| !baseline);
            let checkout = self.shared(self.isolation.git());
            let before = move || {
                Ok((
                    attempts.map(|attempts| checkout.remaining_changes(&attempts)),
                    scratch,
                ))
            };
            self.supervisor
                .start(command, before, move |before, mut observed| {
                    observed.room = Some("shared".to_owned());
                    observed.changes = before.and_then(|(left, _)| left).map(Box::new);
                    report(observed)
                });
            return Ok(());
        };
        let trees = self.own_trees(run)?;
        let contract = run.definition(step).and_then(|step| step.contract.as_ref());
        let expect = contract.map_or_else(Vec::new, |contract| contract.expect.clone());
        let name = run.definition(step).map(|step| step.id.clone());
        let run_paths = self.commands.run_paths.as_ref();
        let home = run_paths.map(|run_paths| run_paths.home.clone());
        let before = move || Ok((trees, mount));
        self.supervisor
            .start(command, before, move |before, mut observed| {
                let Some((trees, mount)) = before else {
                    return report(observed);
                };
                observed.tree = Some(mount.tree());
                observed.room = Some(trees.overlay_mode().to_owned());
                observed.wrote = trees.written_files(&mount);
                observed.void = void_reason(mount.changed_meanwhile());
                observed.left_out.clone_from(&mount.left_out().needed);
                let cold = cold_cache_note(&mount.left_out().caches);
                observed.ignored_work = mount.has_ignored_work;
                observed.warm = mount.is_warm();
                let has_ended = matches!(observed.ended, ProcessEnd::Exited(_));
                trees.release_overlay(mount, has_ended && observed.void.is_none());
                // Only missing files count.
                let ignored = name
                    .as_deref()
                    .filter(|_| !observed.ignored_work)
                    .and_then(|step| trees.ignored_work(step, attempt));
                let has_failed = has_failed(&expect, &observed.ended);
                let missed = home.filter(|_| has_failed);
                let missed = missed.and_then(|home| unseen_paths_in(&home, &observed));
                let more = ignored.into_iter().chain(cold).chain(missed);
                for more in more.filter(|_| has_failed) {
                    observed.stderr = [observed.stderr.trim_end(), &more, ""].join("\n");
                }
                report(observed)
            });
        Ok(())
    }

    /// Which ignored files of attempts a contract sees, if any.
    pub(super) fn ignored_work(
        &self,
        run: &Run,
        action: &Action,
    ) -> Result<Option<IgnoredWork>, Error> {
        if self.commands.project.config.contract.ignored.value == IgnoredFiles::Checkout {
            return Ok(None);
        }
        Ok(Some(match *action {
            Action::Evaluate { step, attempt, .. } => {
                IgnoredWork::LeftBy(require_step(run, step)?.0.id.clone(), attempt)
            }
            // Once more, without the work.
            Action::Baseline { step } if require_step(run, step)?.1.attempt.candidate.is_some() => {
                let (definition, state) = require_step(run, step)?;
                IgnoredWork::FoundBy(definition.id.clone(), state.attempts)
            }
            _ => IgnoredWork::Newest,
        }))
    }

    /// Runs the step's contract after its work, or once more at the end.
    pub(super) fn evaluate(
        &mut self,
        run: &Run,
        (step, attempt): (usize, u32),
        patience: u32,
        mount: Option<TreeMount>,
    ) -> Result<(), Error> {
        let report = move |observed| Input::EvaluationEnded {
            step,
            attempt,
            observed,
        };
        self.contract(run, (step, attempt), (patience, false), mount, report)
    }

    pub(super) fn baseline(
        &mut self,
        run: &Run,
        step: usize,
        mount: Option<TreeMount>,
    ) -> Result<(), Error> {
        let report = move |observed| Input::BaselineEnded { step, observed };
        self.contract(run, (step, 0), (1, true), mount, report)
    }
}

/// Files that changed while a contract ran void its verdict, and so does not knowing: what it saw is unknown.
fn void_reason(changed: std::io::Result<Vec<String>>) -> Option<String> {
    match changed {
        Ok(changed) if changed.is_empty() => None,
        Ok(changed) => Some(format!(
            "{} changed in the checkout while the contract ran, so what it saw is unknown",
            quote(&changed)
        )),
        Err(error) => Some(format!(
            "the checkout's ignored files could not be compared after the contract ran: {error}"
        )),
    }
}

/// Explains why a contract took long or misses something.
fn cold_cache_note(caches: &[String]) -> Option<String> {
    (!caches.is_empty()).then(|| {
        format!(
            "{} changed in the checkout since the run began, so the contract ran without",
            quote(caches)
        )
    })
}

/// A contract may have failed because it names a file of the home that it cannot see.
fn unseen_paths_in(home: &Home, observed: &Observation) -> Option<String> {
    let unseen = home.unseen_paths_in(&[observed.stdout.as_str(), &observed.stderr].join("\n"));
    let first = unseen.first()?;
    Some(format!(
        "{} in the home is not shown to contracts; `[sandbox] home = [\"{first}\"]` in a person's own configuration shows it",
        quote(&unseen)
    ))
}

/// The first names of a list, as people read them.
fn quote(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`"));
    let mut shown: Vec<String> = shown.collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// Has it certainly failed? Only then may something be added to its output.
fn has_failed(expect: &[Condition], ended: &ProcessEnd) -> bool {
    let ran = matches!(ended, ProcessEnd::Exited(_) | ProcessEnd::Signaled(_));
    let is_other = |condition: &Condition| match condition {
        Condition::ExitCode(code) => *ended != ProcessEnd::Exited(*code),
        _ => false,
    };
    ran && expect.iter().any(is_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_that_cannot_be_compared_voids_the_verdict() {
        assert_eq!(void_reason(Ok(Vec::new())), None);
        let changed = void_reason(Ok(vec!["a".to_owned()]));
        assert!(changed.is_some_and(|why| why.contains("`a` changed")));
        let unknown = void_reason(Err(std::io::Error::other("no such directory")));
        assert!(unknown.is_some_and(|why| why.ends_with("no such directory")));
    }
}
