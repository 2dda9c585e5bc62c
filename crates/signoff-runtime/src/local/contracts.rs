//! Runs contracts, each on a commit in an overlay of its own that is thrown away; without mounts, in the checkout.

use std::sync::Arc;

use signoff_engine::{Action, HARNESS_NOTE, Input, Observation, ProcessEnd, Run};
use signoff_plan::model::Condition;
use signoff_sandbox::Command;
use signoff_store::config::IgnoredFiles;
use signoff_work::confine::Home;

use super::LocalPerformer;
use super::commands::{ContractRun, require_step};
use super::shared_checkout::StepAttempts;
use crate::confinement::Scratch;
use crate::error::Error;
use crate::trees::{CheckoutChanges, IgnoredWork, TreeMount, Trees};

impl LocalPerformer<'_> {
    /// Runs a contract, and reports how it ended.
    fn run_contract(
        &mut self,
        run: &Run,
        which: ContractRun,
        mount: Option<TreeMount>,
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) -> Result<(), Error> {
        let (command, scratch) = self.commands.evaluation(run, which, mount.as_ref())?;
        match mount {
            Some(mount) => self.run_in_overlay(run, which, mount, command, report),
            None => {
                self.run_in_checkout(run, which, scratch, command, report);
                Ok(())
            }
        }
    }

    fn run_in_checkout(
        &mut self,
        run: &Run,
        which: ContractRun,
        scratch: Option<Scratch>,
        command: Command,
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) {
        let attempts = StepAttempts::for_judging(&self.commands.dir, run, which.step);
        let attempts = attempts.filter(|_| !which.is_baseline);
        let checkout = self.shared_checkout(self.isolation.git());
        let before = move || {
            let left = attempts.map(|attempts| checkout.remaining_changes(&attempts));
            Ok((left, scratch))
        };
        self.supervisor
            .start(command, before, move |before, mut observed| {
                observed.overlay_mode = Some("shared".to_owned());
                observed.changes = before.and_then(|(left, _)| left).map(Box::new);
                report(observed)
            });
    }

    fn run_in_overlay(
        &mut self,
        run: &Run,
        which: ContractRun,
        mount: TreeMount,
        command: Command,
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) -> Result<(), Error> {
        let (definition, _) = require_step(run, which.step)?;
        let contract = definition.contract.as_ref();
        let run_paths = self.commands.run_paths.as_ref();
        let observer = OverlayObserver {
            trees: self.own_trees(run)?,
            step: definition.id.clone(),
            attempt: which.attempt,
            expect: contract.map_or_else(Vec::new, |contract| contract.expect.clone()),
            home: run_paths.map(|run_paths| run_paths.home.clone()),
        };
        let before = move || Ok((observer, mount));
        self.supervisor
            .start(command, before, move |before, observed| {
                report(match before {
                    Some((observer, mount)) => observer.complete(mount, observed),
                    None => observed,
                })
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
            // Runs it once more, without the work.
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
        step: usize,
        attempt: u32,
        patience: u32,
        mount: Option<TreeMount>,
    ) -> Result<(), Error> {
        let report = move |observed| Input::EvaluationEnded {
            step,
            attempt,
            observed,
        };
        let which = ContractRun {
            step,
            attempt,
            patience,
            is_baseline: false,
        };
        self.run_contract(run, which, mount, report)
    }

    pub(super) fn baseline(
        &mut self,
        run: &Run,
        step: usize,
        mount: Option<TreeMount>,
    ) -> Result<(), Error> {
        let report = move |observed| Input::BaselineEnded { step, observed };
        let which = ContractRun {
            step,
            attempt: 0,
            patience: 1,
            is_baseline: true,
        };
        self.run_contract(run, which, mount, report)
    }
}

/// Completes what is known of a contract that ran in an overlay.
struct OverlayObserver {
    trees: Arc<Trees>,
    step: String,
    attempt: u32,
    expect: Vec<Condition>,
    home: Option<Home>,
}

impl OverlayObserver {
    /// Adds what the overlay shows, and gives it back.
    fn complete(self, mount: TreeMount, mut observed: Observation) -> Observation {
        observed.tree = Some(mount.tree());
        observed.overlay_mode = Some(self.trees.overlay_mode().to_owned());
        observed.wrote = self.trees.written_files(&mount);
        let changes = mount.changed_meanwhile();
        if let Ok(changes) = &changes {
            self.trees.note_new_names(&changes.new);
        }
        observed.void = void_reason(changes);
        observed.left_out.clone_from(&mount.left_out().needed);
        observed.ignored_work = mount.has_ignored_work;
        observed.warm = mount.is_warm();
        let detached = (mount.is_detached() && met_busy(&observed))
            .then(|| self.trees.noted_new_names())
            .flatten();
        let cold = cold_cache_note(&mount.left_out().caches);
        let has_ended = matches!(observed.ended, ProcessEnd::Exited(_));
        let is_reusable = has_ended && observed.void.is_none();
        self.trees.release_overlay(mount, is_reusable);
        if has_failed(&self.expect, &observed.ended) {
            let detached = detached.map(|new| detached_note(&new));
            for note in self
                .failure_notes(cold, &observed)
                .into_iter()
                .chain(detached)
            {
                let note = format!("{HARNESS_NOTE}{note}");
                observed.stderr = [observed.stderr.trim_end(), &note, ""].join("\n");
            }
        }
        observed
    }

    /// What may explain a failure: files that the contract did not find.
    fn failure_notes(&self, cold: Option<String>, observed: &Observation) -> Vec<String> {
        let ignored = (!observed.ignored_work)
            .then(|| self.trees.ignored_work(&self.step, self.attempt))
            .flatten();
        let home = self.home.as_ref();
        let unseen = home.and_then(|home| unseen_paths_note(home, observed));
        ignored.into_iter().chain(cold).chain(unseen).collect()
    }
}

/// Files that changed while a contract ran void its verdict, and so does not knowing: what it saw is unknown.
fn void_reason(changes: std::io::Result<CheckoutChanges>) -> Option<String> {
    match changes {
        Ok(CheckoutChanges { changed, new }) => match (changed.is_empty(), new.is_empty()) {
            (true, true) => None,
            (false, _) => Some(format!(
                "{} changed in the checkout while the contract ran, so what it saw is unknown",
                list_names(&changed)
            )),
            (true, false) => Some(format!(
                "{} came into the checkout while the contract ran, so what it saw is unknown: stop the program that makes \
                 such files, or have it write elsewhere",
                list_names(&new)
            )),
        },
        Err(error) => Some(format!(
            "the checkout's ignored files could not be compared after the contract ran: {error}"
        )),
    }
}

/// Did the contract try to remove or rename a mounted directory? Only then the output explains it.
fn met_busy(observed: &Observation) -> bool {
    let says = |text: &str| text.contains("resource busy") || text.contains("EBUSY");
    says(&observed.stdout) || says(&observed.stderr)
}

/// Explains why a contract cannot remove an ignored directory.
fn detached_note(new: &[String]) -> String {
    format!(
        "a program keeps making files in the checkout ({}), so each ignored directory was mounted by itself: a contract can \
         empty it, and not remove or rename it",
        list_names(new)
    )
}

/// Explains why a contract took long or misses something.
fn cold_cache_note(caches: &[String]) -> Option<String> {
    (!caches.is_empty()).then(|| {
        format!(
            "{} changed in the checkout since the run began, so the contract ran without",
            list_names(caches)
        )
    })
}

/// A contract may have failed because it names a file of the home that it cannot see.
fn unseen_paths_note(home: &Home, observed: &Observation) -> Option<String> {
    let unseen = home.unseen_paths_in(&[observed.stdout.as_str(), &observed.stderr].join("\n"));
    let first = unseen.first()?;
    Some(format!(
        "{} in the home is not shown to contracts; `[sandbox] home = [\"{first}\"]` in a person's own configuration shows it",
        list_names(&unseen)
    ))
}

/// The first names of a list, as people read them.
fn list_names(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`"));
    let mut shown: Vec<String> = shown.collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// Has it failed for certain? Only then may something be added to its output.
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
        let void = |changed: &[&str], new: &[&str]| {
            let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            let (changed, new) = (names(changed), names(new));
            void_reason(Ok(CheckoutChanges { changed, new }))
        };
        assert_eq!(void(&[], &[]), None);
        let changed = void(&["a"], &[]);
        assert!(changed.is_some_and(|why| why.contains("`a` changed")));
        let new = void(&[], &["b"]);
        assert!(
            new.is_some_and(|why| why.contains("`b` came") && why.contains("stop the program"))
        );
        let unknown = void_reason(Err(std::io::Error::other("no such directory")));
        assert!(unknown.is_some_and(|why| why.ends_with("no such directory")));
    }
}
