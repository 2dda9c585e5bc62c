//! Calls tools: checks the resolved arguments once more, finds out whether a person must agree, and
//! makes the call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use signoff_engine::{CallEnd, Input, Run, ToolCall, resolved_arguments};
use signoff_plan::model::{Step, Work};
use signoff_plan::tools::{Tool, allows, built_in, is_agreed, is_named, scope};
use signoff_sandbox::Sandbox;
use signoff_store::failpoint;
use signoff_store::runs::RunDir;
use signoff_work::confine::{Confined, RunPaths, VisibleTree};
use signoff_work::tools::{self, StopFlag, Toolbox};

use super::RunIsolation;
use super::commands::{broken_run, require_step};
use super::supervisor::Starter;
use crate::drive::{HarnessTrouble, Readiness, WakeReason};
use crate::error::{Error, NO_TREE};
use crate::project::Project;
use crate::runs::marker;
use crate::tools::toolbox;
use crate::trees::{RunTreeUse, Trees, WorkContext, head_commit};

/// The tools of one run.
pub(super) struct Calls {
    toolbox: Arc<Toolbox>,
    /// Ends every call that agents make.
    stop: StopFlag,
    /// Ends the last call of each step.
    stops: BTreeMap<usize, StopFlag>,
}

/// How a call is made.
pub(super) struct CallOptions {
    pub(super) timeout: Duration,
    pub(super) log: PathBuf,
    /// The tree that it works in, where the run has trees of its own.
    pub(super) tree: Option<CallTree>,
}

/// A call that can be made on a thread of its own.
pub(super) struct ReadyCall {
    step: usize,
    attempt: u32,
    call: tools::Call,
    /// Nothing for a tool that does not touch files.
    tree: Option<CallTree>,
    changes_tree: bool,
    toolbox: Arc<Toolbox>,
    stop: StopFlag,
}

/// The tree that a call works in.
pub(super) struct CallTree {
    pub(super) trees: Arc<Trees>,
    pub(super) work: WorkContext,
    pub(super) starter: Starter,
}

impl Calls {
    pub(super) fn new(
        project: &Project,
        dir: &RunDir,
        sandbox: Arc<Sandbox>,
        run_paths: Option<&RunPaths>,
        isolation: &RunIsolation,
        starter: Starter,
    ) -> Self {
        let scratch = dir.scratch("", 0, "tools");
        let calls = AtomicU64::new(0);
        let checkout = project.store.workspace();
        let (tree, trees) = match isolation {
            RunIsolation::Checkout(_) => (checkout.to_owned(), None),
            RunIsolation::Trees(trees) => (trees.run_path(), Some(Arc::clone(trees))),
        };
        let run_paths = run_paths.cloned();
        let confined_servers = confined_servers(run_paths.as_ref(), &scratch, isolation);
        let confine = move || {
            let shown = match &trees {
                None => VisibleTree::Checkout,
                Some(trees) => trees.visible_run_tree(&starter)?,
            };
            let Some(run_paths) = &run_paths else {
                return Ok(None);
            };
            // Files that a command leaves there are removed with the run.
            let scratch = scratch.join(calls.fetch_add(1, Ordering::Relaxed).to_string());
            let confined = run_paths.for_contract(&scratch, &shown, &[]);
            confined
                .map(Some)
                .map_err(|why| format!("{}: {why}", scratch.display()))
        };
        let toolbox = toolbox(project, tree, sandbox)
            .with_staging(dir.staging_directory())
            .with_confinement(checkout.to_owned(), confine)
            .with_confined_servers(checkout.to_owned(), confined_servers);
        Self {
            toolbox: Arc::new(toolbox),
            stop: StopFlag::default(),
            stops: BTreeMap::new(),
        }
    }

    /// What has to be journaled before the call: that it begins, or why it does not.
    pub(super) fn prepare(
        &self,
        run: &Run,
        step: usize,
        attempt: u32,
        trees: Option<&Trees>,
        starter: &Starter,
    ) -> Result<Readiness, Error> {
        let changes_tree = match run.definition(step).map(|step| &step.work) {
            Some(Work::Tool { tool, .. }) => self.toolbox.changes_tree(tool),
            _ => false,
        };
        if let Some(trees) = trees.filter(|_| changes_tree) {
            // The call's own tree tells whether something is overwritten. No other step uses it: this step
            // has the queue.
            let shown = trees.show_head(&head_commit(run)?, starter);
            shown.map_err(|why| Error::no_tree(run, step, why))?;
        }
        Ok(self.readiness(run, step, attempt))
    }

    /// Whether the call may begin, from what the plan and the run know.
    fn readiness(&self, run: &Run, step: usize, attempt: u32) -> Readiness {
        let Some((definition, state)) = run.step(step) else {
            return impossible_call(step, "an unknown step");
        };
        let Work::Tool { tool, .. } = &definition.work else {
            return impossible_call(step, "a step that calls no tool");
        };
        let args = match resolved_arguments(run, step) {
            Some(Ok(args)) => args,
            Some(Err(why)) => return impossible_call(step, why),
            None => return impossible_call(step, "a step that calls no tool"),
        };
        let problems = self.toolbox.check(tool, &args);
        if !problems.is_empty() && state.activation.args.is_some() {
            // The person who changed the signed files can restore them.
            let why = problems.join("; ");
            return Readiness::Instead(Input::CallNeedsApproval { step, args, why });
        }
        if !problems.is_empty() {
            return Readiness::Instead(Input::CallImpossible { step, problems });
        }
        if scope(run.plan(), definition).is_some_and(|scope| allows(scope, tool).is_none()) {
            return impossible_call(step, format!("`{tool}` is out of the plan's scope"));
        }
        // The person who signed the plan did not see a command that is assembled only now, nor arguments of a model.
        let free = !state.activation.args_by_model
            && written_step(run, step).is_some_and(|step| is_agreed(run.plan(), step, tool));
        let why = self.toolbox.needs_approval(tool, &args, free);
        match why.filter(|_| !state.activation.approved) {
            Some(why) => Readiness::Instead(Input::CallNeedsApproval { step, args, why }),
            None => Readiness::Go(Input::CallBegins {
                step,
                attempt,
                call: ToolCall {
                    repeatable: self.toolbox.is_repeatable(tool, &args),
                    changes_tree: self.toolbox.changes_tree(tool),
                    tool: tool.clone(),
                    args,
                },
            }),
        }
    }

    /// The call as it was journaled, ready to be made.
    pub(super) fn call(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
        options: CallOptions,
    ) -> Result<ReadyCall, Error> {
        let (definition, state) = require_step(run, step)?;
        let Some(call) = state.attempt.call.clone() else {
            return Err(broken_run(run, "a call that was not recorded"));
        };
        let needs_tree = built_in(&call.tool).is_none_or(Tool::needs_tree);
        let is_named = is_named(run.plan(), definition, &call.tool);
        let agreed = state.activation.approved || (is_named && !state.activation.args_by_model);
        let stop = StopFlag::default();
        self.stops.insert(step, stop.clone());
        Ok(ReadyCall {
            step,
            attempt,
            tree: options.tree.filter(|_| needs_tree),
            changes_tree: call.changes_tree,
            call: tools::Call {
                tool: call.tool,
                args: call.args,
                timeout: options.timeout,
                marker: marker(run.id(), &definition.id, attempt),
                log: Some(options.log),
                agreed,
            },
            toolbox: Arc::clone(&self.toolbox),
            stop,
        })
    }

    pub(super) fn stop(&self) {
        self.stop.set();
        self.stops.values().for_each(StopFlag::set);
    }

    /// Ends the call of one step.
    pub(super) fn stop_call(&self, step: usize) {
        if let Some(stop) = self.stops.get(&step) {
            stop.set();
        }
    }

    /// What makes calls, for those that agents make.
    pub(super) fn toolbox(&self) -> Arc<Toolbox> {
        Arc::clone(&self.toolbox)
    }

    /// Raised when the run is stopped.
    pub(super) fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }
}

impl ReadyCall {
    /// Makes the call, and waits for its end. `None` if the run is being stopped.
    pub(super) fn make(self) -> Option<WakeReason> {
        let (step, attempt) = (self.step, self.attempt);
        let tree = self.tree.as_ref();
        let why = match tree
            .map(|tree| tree.use_run_tree(self.changes_tree))
            .transpose()
        {
            Ok(_tree_in_use) => {
                let end = self.make_in_tree()?;
                return Some(Input::CallEnded { step, attempt, end }.into());
            }
            Err(why) => why,
        };
        let not_made = Input::CallNotMade { step, attempt };
        // Stopping the run ends git, which says nothing about the tree.
        if tree.is_some_and(|tree| tree.starter.is_stopping()) {
            return Some(not_made.into());
        }
        Some(WakeReason::Trouble(HarnessTrouble {
            step,
            what: NO_TREE,
            why,
            known: Some(not_made),
        }))
    }

    fn make_in_tree(&self) -> Option<CallEnd> {
        failpoint::reach("effect.before");
        let end = self.toolbox.call(&self.call, &self.stop);
        failpoint::reach("effect.after");
        if let Some(tree) = self.tree.as_ref().filter(|_| self.changes_tree) {
            // A failure to record is reported when the candidate is built.
            tree.trees.record_call(&tree.work).ok();
        }
        match end {
            tools::CallEnd::Done(value) => Some(CallEnd::Done(value)),
            tools::CallEnd::Failed {
                message,
                transient,
                unknown,
            } => Some(CallEnd::Failed {
                message,
                transient,
                unknown,
            }),
            tools::CallEnd::Stopped => None,
        }
    }
}

/// The confinement of tool servers that ask for it: they outlive a call, and work in the run's tree itself.
fn confined_servers(
    run_paths: Option<&RunPaths>,
    scratch: &Path,
    isolation: &RunIsolation,
) -> Option<Confined> {
    let shown = match isolation {
        RunIsolation::Checkout(_) => VisibleTree::Checkout,
        RunIsolation::Trees(trees) => VisibleTree::Copy {
            from: trees.run_path(),
            ignored: Vec::new(),
        },
    };
    // Without it they are not started, and the call reports that.
    run_paths?
        .for_contract(&scratch.join("servers"), &shown, &[])
        .ok()
}

impl CallTree {
    /// Makes the run's tree if no call has needed it yet.
    pub(super) fn make_if_missing(&self) -> Result<(), String> {
        if self.trees.run_path().exists() {
            return Ok(());
        }
        self.use_run_tree(false).map(drop)
    }

    /// Makes the run's tree show the head. Calls that change it have it to themselves.
    fn use_run_tree(&self, alone: bool) -> Result<RunTreeUse<'_>, String> {
        let base = &self.work.base;
        self.trees.use_run_tree(base, alone, &self.starter)
    }
}

/// The step as the plan has it; for an item, its loop.
fn written_step(run: &Run, step: usize) -> Option<&Step> {
    let parent = run.step(step).and_then(|(_, state)| state.parent());
    run.plan().steps.get(parent.unwrap_or(step))
}

fn impossible_call(step: usize, why: impl Into<String>) -> Readiness {
    Readiness::Instead(Input::CallImpossible {
        step,
        problems: vec![why.into()],
    })
}
