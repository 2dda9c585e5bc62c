//! Steps that work in the checkout itself, because nothing can be mounted: what an agent changed is seen by comparing, and
//! nothing is put back. How the checkout looked is written down before an agent begins, so that whoever goes on after a
//! crash knows what the step changed, and not only what its last attempt did.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{ChangeDetails, Changes, Run, Stage, StepState};
use signoff_plan::model::{Step, Work};
use signoff_store::runs::RunDir;
use signoff_work::git::{HarnessGit, Id};
use signoff_work::tree::{protected, protected_changes};

use crate::trees::changed_files;

/// The checkout that agents work in, one after another.
#[derive(Debug, Clone)]
pub(super) struct SharedCheckout {
    pub(super) path: PathBuf,
    /// What records how it looks, if there is git.
    pub(super) own: Option<HarnessGit>,
}

/// How the checkout looked before an agent began.
pub(super) struct CheckoutBefore {
    checkout: SharedCheckout,
    past: Past,
    tree: Option<Id>,
    /// What attempts before this one changed.
    earlier: BTreeSet<String>,
    globs: Vec<String>,
    protected: BTreeMap<String, String>,
}

/// What is known of a step's attempts so far.
pub(super) struct Past {
    /// Where its attempts wrote down what they found, the first one first.
    found: Vec<PathBuf>,
    /// What they changed, as far as somebody saw it.
    seen: Vec<String>,
    /// The place among them of the first of those at the end that nobody saw the end of.
    unseen: Option<usize>,
}

impl Past {
    /// What is known before the present attempt's work.
    pub(super) fn of(dir: &RunDir, step: &Step, state: &StepState) -> Self {
        let attempts = 1..=state.attempts;
        let found = attempts.map(|attempt| dir.attempt(&step.id, attempt).before());
        Self {
            found: found.collect(),
            seen: state.changes.files.clone().unwrap_or_default(),
            unseen: state.cut_off.unseen_since.map(place),
        }
    }

    /// The same for a step whose changes have to be looked at once more before they are judged: it was cut off, or
    /// repaired by a person.
    pub(super) fn to_judge(dir: &RunDir, run: &Run, at: usize) -> Option<Self> {
        let (step, state) = run.step(at)?;
        // At the end of the run others have worked in the checkout, too.
        let judged = matches!(state.stage, Stage::Evaluating { .. });
        let is_agent = matches!(step.work, Work::Agent { .. });
        let again = state.attempt.interrupted || state.attempt.taken_over.is_some();
        let mut past = Self::of(dir, step, state);
        past.unseen = past.unseen.or(again.then(|| place(state.attempts)));
        (judged && is_agent && past.unseen.is_some()).then_some(past)
    }

    /// What the step found when it began.
    fn first(&self) -> Option<Id> {
        self.found.iter().find_map(read)
    }

    /// What was found before the first attempt that nobody saw the end of. One that wrote nothing down did nothing.
    fn before_unseen(&self) -> Option<Id> {
        self.found.iter().skip(self.unseen?).find_map(read)
    }
}

/// The place of an attempt among all of its step.
fn place(attempt: u32) -> usize {
    usize::try_from(attempt.saturating_sub(1)).unwrap_or_default()
}

fn read(path: &PathBuf) -> Option<Id> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

impl SharedCheckout {
    /// How it looks before an agent begins.
    pub(super) fn look(self, globs: Vec<String>, past: Past) -> Result<CheckoutBefore, String> {
        let unseen = past.before_unseen().and_then(|before| self.since(&before));
        let seen = past.seen.iter().cloned();
        let earlier = unseen.into_iter().flatten().chain(seen).collect();
        let tree = self.own.as_ref().and_then(|own| own.snapshot().ok());
        if let Some((tree, path)) = tree.as_ref().zip(past.found.last()) {
            let written = std::fs::write(path, format!("{tree}\n"));
            written.map_err(|why| format!("{}: {why}", path.display()))?;
        }
        Ok(CheckoutBefore {
            tree,
            earlier,
            protected: protected(&self.path, &globs),
            checkout: self,
            past,
            globs,
        })
    }

    /// What a step changed whose last attempt was cut off or repaired; nobody knows if nothing was written down.
    pub(super) fn left(&self, past: &Past) -> Changes {
        let before = past.before_unseen();
        let files = before.and_then(|before| self.since(&before)).map(|files| {
            let touched = files.into_iter().chain(past.seen.iter().cloned());
            self.of_step(past, touched.collect())
        });
        Changes {
            details: Box::new(self.details(past, files.as_deref())),
            files,
            protected: Vec::new(),
        }
    }

    fn since(&self, before: &Id) -> Option<Vec<String>> {
        let own = self.own.as_ref()?;
        own.changed_paths(before, &own.snapshot().ok()?).ok()
    }

    /// What is worth knowing of the files that a step changed, beyond their names.
    fn details(&self, past: &Past, files: Option<&[String]>) -> ChangeDetails {
        let seen = || {
            let own = self.own.as_ref()?;
            // Nothing is `proved` here.
            let installed = Arc::default();
            changed_files(own, &past.first()?, &own.snapshot().ok()?, &installed).ok()
        };
        let Some((_, mut details)) = seen() else {
            return ChangeDetails::default();
        };
        let of_step = |file: &String| files.is_none_or(|files| files.contains(file));
        for list in [
            &mut details.links_out,
            &mut details.hides,
            &mut details.new_modules,
            &mut details.loose_modules,
            &mut details.added,
            &mut details.apart,
            &mut details.selects,
        ] {
            list.retain(of_step);
        }
        *details
    }

    /// Those of the files that are not as the step found them: what an attempt changed, a later one may have put back.
    fn of_step(&self, past: &Past, touched: BTreeSet<String>) -> Vec<String> {
        match past.first().and_then(|first| self.since(&first)) {
            Some(mut since) => {
                since.retain(|path| touched.contains(path));
                since
            }
            None => touched.into_iter().collect(),
        }
    }
}

impl CheckoutBefore {
    /// What the step changed, now that the agent has ended.
    pub(super) fn changes(&self) -> Changes {
        let after = protected(&self.checkout.path, &self.globs);
        let files = self
            .tree
            .as_ref()
            .and_then(|tree| self.checkout.since(tree));
        let files = files.map(|files| {
            let touched = files.into_iter().chain(self.earlier.iter().cloned());
            self.checkout.of_step(&self.past, touched.collect())
        });
        Changes {
            details: Box::new(self.checkout.details(&self.past, files.as_deref())),
            files,
            protected: protected_changes(&self.protected, &after),
        }
    }
}
