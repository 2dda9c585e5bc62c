//! Where steps work when the run has trees of its own, and what has to be done there before and after.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{Action, Candidate, Changes, Input, Run, Stage};
use signoff_plan::glob;
use signoff_work::git::Id;

use super::crew::Starter;
use super::workbench::{broken, known};
use crate::error::Error;
use crate::trees::{Attempt, Built, Trees, id};

/// The trees of a run, and what is to become of them with the next actions.
pub(super) struct Ground {
    pub(super) trees: Arc<Trees>,
    /// What a step's own worktree has to be set to before its work, by step.
    sets: BTreeMap<usize, Option<Id>>,
    /// Files that were signed with the plan.
    signed: Vec<String>,
}

/// Where a contract runs.
pub(super) enum Site {
    /// In the worktree of its step, before the work.
    Own { step: String, base: Id },
    /// In the run's tree, which shows the step's candidate.
    Candidate { step: String, commit: Id },
    /// In the run's tree, with what the step did there.
    Taken {
        step: String,
        head: Id,
        repaired: bool,
        /// The step has done nothing yet.
        before: bool,
    },
    /// In the run's tree, beside others.
    Looking { head: Id, alone: bool },
}

impl Ground {
    pub(super) fn new(trees: Arc<Trees>, signed: Vec<String>) -> Self {
        Self {
            trees,
            sets: BTreeMap::new(),
            signed,
        }
    }

    /// The directory that a step works in.
    pub(super) fn path(&self, run: &Run, at: usize) -> PathBuf {
        match run.definition(at) {
            Some(step) if run.has_own_tree(at) => self.trees.step_path(&step.id),
            Some(_) | None => self.trees.run_path(),
        }
    }

    /// Finds out, before the journal knows of the action, what its worktree has to be set to.
    pub(super) fn plan(&mut self, run: &Run, at: usize) -> Result<(), Error> {
        let (_, state) = known(run, at)?;
        let again = matches!(state.stage, Stage::NeedsBaseline);
        // What a cut off attempt left is no work.
        let void = state.interrupted || (again && run.has_own_tree(at));
        let fresh = state.base.is_none() && run.has_own_tree(at);
        let set = (void || fresh).then(|| began(run, at)).transpose()?;
        self.sets.insert(at, set);
        Ok(())
    }

    /// What has to be done before the step's process can be put together.
    pub(super) fn make_ready(
        &mut self,
        run: &Run,
        at: usize,
        starter: Starter,
    ) -> Result<impl FnOnce() -> Result<(), String> + Send + 'static, Error> {
        let (step, state) = known(run, at)?;
        let (trees, id_of) = (Arc::clone(&self.trees), step.id.clone());
        let set = self.sets.insert(at, None).flatten();
        let own = run.has_own_tree(at);
        let (head, began) = (head(run)?, began(run, at)?);
        let repaired = state.repaired_by.is_some();
        Ok(move || {
            let start = |command| starter.run(command);
            if own {
                trees.make_ready(&id_of, &began, set.as_ref(), &start)
            } else {
                if set.is_some() {
                    trees.clear(&id_of, &head)?;
                }
                trees.take(&id_of, &head, repaired, &start)
            }
        })
    }

    /// What the step's work changed.
    pub(super) fn changes(
        &self,
        run: &Run,
        at: usize,
    ) -> Result<impl FnOnce() -> Changes + Send + 'static, Error> {
        let (step, _) = known(run, at)?;
        let (trees, globs) = (Arc::clone(&self.trees), step.protects.clone());
        let own = run.has_own_tree(at).then(|| step.id.clone());
        let base = base(run, at)?;
        Ok(move || {
            let files = trees.changes(own.as_deref(), &base).ok();
            let covers = |path: &&String| globs.iter().any(|glob| glob::matches(glob, path));
            let protected: Vec<String> = files.iter().flatten().filter(covers).cloned().collect();
            if !protected.is_empty() {
                // The next attempt begins with them as they were; the contract rests on them.
                trees.put_back(own.as_deref(), &base, &protected);
            }
            Changes { files, protected }
        })
    }

    /// Builds the step's candidate.
    pub(super) fn candidate(
        &self,
        run: &Run,
        at: usize,
        attempt: u32,
        starter: Starter,
    ) -> Result<impl FnOnce() -> Option<Input> + Send + 'static, Error> {
        let (step, state) = known(run, at)?;
        let own = run.has_own_tree(at);
        let base = own.then(|| Ok::<_, Error>((base(run, at)?, began(run, at)?)));
        let base = base.transpose()?;
        let work = Attempt {
            step: step.id.clone(),
            number: attempt,
            title: step.title.clone(),
            base,
        };
        let (trees, signed) = (Arc::clone(&self.trees), self.signed.clone());
        let (head, repaired) = (head(run)?, state.repaired_by.is_some());
        Ok(move || {
            let start = |command| starter.run(command);
            let taken = if own {
                Ok(())
            } else {
                trees.take(&work.step, &head, repaired, &start)
            };
            let built = taken.and_then(|()| trees.candidate(&work, &head, &signed, &start));
            let onto = head.to_string();
            let conflicted = |files, text| Input::Conflicted {
                step: at,
                attempt,
                onto,
                files,
                text,
            };
            Some(match built {
                Ok(Built::Candidate(candidate)) => Input::CandidateBuilt {
                    step: at,
                    attempt,
                    candidate,
                },
                Ok(Built::Conflict(files, text)) => conflicted(files, text),
                // Commands that prepare trees were kept from starting: it is built when the run goes on.
                Err(_) if starter.is_stopping() => return None,
                Err(why) => conflicted(Vec::new(), why),
            })
        })
    }

    /// Makes the step's candidate the head.
    pub(super) fn merge(
        &self,
        run: &Run,
        at: usize,
        attempt: u32,
    ) -> Result<impl FnOnce() -> Option<Input> + Send + 'static, Error> {
        let (step, state) = known(run, at)?;
        let candidate: Candidate = (state.candidate.clone())
            .ok_or_else(|| broken(run, "a merge of a step without a candidate"))?;
        let start = run.ground().map(|ground| ground.start.as_str());
        let since = id(start.unwrap_or_default()).map_err(|why| broken(run, &why))?;
        let (trees, name) = (Arc::clone(&self.trees), step.id.clone());
        Ok(move || {
            Some(match trees.merge((&name, attempt), &candidate, &since) {
                Ok((commit, tree)) => Input::Merged {
                    step: at,
                    attempt,
                    commit,
                    tree,
                },
                Err(text) => Input::Conflicted {
                    step: at,
                    attempt,
                    onto: candidate.onto,
                    files: Vec::new(),
                    text,
                },
            })
        })
    }

    /// Takes the run's tree for a call.
    pub(super) fn take(
        &self,
        run: &Run,
        at: usize,
        starter: Starter,
    ) -> Result<impl FnOnce() -> Result<(), String> + Send + 'static, Error> {
        let (step, _) = known(run, at)?;
        let (trees, name, head) = (Arc::clone(&self.trees), step.id.clone(), head(run)?);
        Ok(move || trees.take(&name, &head, false, &|command| starter.run(command)))
    }

    /// A step that is done needs its worktree no longer.
    pub(super) fn tidy(&self, run: &Run, input: &Input) -> Option<impl FnOnce() + Send + 'static> {
        let Input::Merged { step: at, .. } = input else {
            return None;
        };
        let (step, _) = run.step(*at)?;
        let (trees, name) = (Arc::clone(&self.trees), step.id.clone());
        let own = run.has_own_tree(*at);
        Some(move || {
            if own {
                trees.forget_step(&name);
            } else {
                // What stays is in the head already.
                trees.forget_aside(&name).ok();
            }
        })
    }
}

impl Site {
    /// Where the step's contract runs now.
    pub(super) fn of(run: &Run, at: usize, baseline: bool) -> Result<Self, Error> {
        let (step, state) = known(run, at)?;
        let parse = |text: &str| id(text).map_err(|why| broken(run, &why));
        let step_id = step.id.clone();
        if let Some(candidate) = &state.candidate {
            return Ok(Self::Candidate {
                step: step_id,
                commit: parse(&candidate.commit)?,
            });
        }
        let head = head(run)?;
        if baseline && run.has_own_tree(at) {
            let base = state.base.as_deref().map(parse).transpose()?;
            return Ok(Self::Own {
                step: step_id,
                base: base.unwrap_or(head),
            });
        }
        if state.holds {
            return Ok(Self::Taken {
                step: step_id,
                head,
                repaired: state.repaired_by.is_some(),
                before: baseline,
            });
        }
        Ok(Self::Looking {
            head,
            alone: super::is_alone(run),
        })
    }

    /// Makes the tree what the contract is to see, and names it.
    pub(super) fn enter(&self, trees: &Trees, starter: &Starter) -> Result<String, String> {
        let start = |command| starter.run(command);
        match self {
            Self::Own { base, .. } => trees.tree_of(base),
            Self::Candidate { step, commit } => {
                trees.show(step, commit, &start)?;
                trees.tree_of(commit)
            }
            Self::Taken {
                step,
                head,
                repaired,
                ..
            } => {
                trees.take(step, head, *repaired, &start)?;
                trees.tree_of(head)
            }
            Self::Looking { head, .. } => {
                trees.look(head, &start)?;
                trees.tree_of(head)
            }
        }
    }

    /// What the contract could not find, because it is no part of the candidate.
    pub(super) fn missing(&self, trees: &Trees) -> Option<String> {
        match self {
            Self::Candidate { step, .. } => trees.ignored_work(step),
            Self::Own { .. } | Self::Taken { .. } | Self::Looking { .. } => None,
        }
    }

    /// Puts back what the contract wrote, where it was alone, and names it.
    pub(super) fn leave(&self, trees: &Trees) -> Vec<String> {
        match self {
            Self::Own { step, base } => trees.undo_contract(step, base),
            Self::Candidate { commit, .. } => trees.undo_contract_here(commit),
            Self::Taken {
                head, before: true, ..
            } => trees.undo_contract_here(head),
            // What the step did is there too, and in no commit yet.
            Self::Taken { .. } => Vec::new(),
            Self::Looking { head, alone } => trees.looked(head, *alone),
        }
    }
}

fn head(run: &Run) -> Result<Id, Error> {
    let head = run.head().unwrap_or_default();
    id(head).map_err(|why| broken(run, &why))
}

/// The commit that a step's work is compared with.
fn base(run: &Run, at: usize) -> Result<Id, Error> {
    match &known(run, at)?.1.base {
        Some(base) => id(base).map_err(|why| broken(run, &why)),
        None => head(run),
    }
}

/// The commit that a step's own worktree began with: its base, or the work of an attempt before that was put on it.
fn began(run: &Run, at: usize) -> Result<Id, Error> {
    match &known(run, at)?.1.carried {
        Some(carried) => id(carried).map_err(|why| broken(run, &why)),
        None => base(run, at),
    }
}

/// Does the action need something to be made ready first?
pub(super) fn needs_ground(action: &Action) -> Option<usize> {
    match *action {
        Action::Baseline { step } | Action::Dispatch { step, .. } => Some(step),
        _ => None,
    }
}
