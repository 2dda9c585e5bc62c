//! Calls tools: checks the resolved arguments once more, finds out whether a person must agree, and
//! makes the call.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use signoff_engine::{Call, CallEnd, Input, Run, resolved_arguments};
use signoff_plan::expression::{Content, Place, places, read};
use signoff_plan::model::{Step, Work};
use signoff_plan::reference::is_dynamic;
use signoff_plan::tools::{BuiltIn, Grant, Tool, allows, built_in};
use signoff_sandbox::Sandbox;
use signoff_store::failpoint;
use signoff_store::runs::RunDir;
use signoff_work::confine::{Confined, RunPaths, VisibleTree};
use signoff_work::git::Id;
use signoff_work::tools::{self, StopFlag, Toolbox};

use super::WorkPlace;
use super::crew::Starter;
use super::workbench::{broken, known, marker};
use crate::drive::Prepared;
use crate::error::Error;
use crate::project::Project;
use crate::tools::toolbox;
use crate::trees::{RunTreeUse, Trees, WorkContext};

/// The tools of one run.
pub(super) struct Calls {
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
        (sandbox, grounds): (Arc<Sandbox>, Option<&RunPaths>),
        (place, starter): (&WorkPlace, Starter),
    ) -> Self {
        let scratch = dir.scratch("", 0, "tools");
        let calls = AtomicU64::new(0);
        let checkout = project.store.workspace();
        let (tree, trees) = match place {
            WorkPlace::Checkout(_) => (checkout.to_owned(), None),
            WorkPlace::Trees(trees) => (trees.run_path(), Some(Arc::clone(trees))),
        };
        let grounds = grounds.cloned();
        let confined_servers = confined_servers(grounds.as_ref(), &scratch, place);
        let confine = move || {
            let shown = match &trees {
                None => VisibleTree::Checkout,
                Some(trees) => trees.below_run_tree(&starter)?,
            };
            let Some(grounds) = &grounds else {
                return Ok(None);
            };
            // What a command leaves there is its own, and gone with the run.
            let scratch = scratch.join(calls.fetch_add(1, Ordering::Relaxed).to_string());
            let confined = grounds.for_contract(&scratch, (&shown, &[]));
            confined
                .map(Some)
                .map_err(|why| format!("{}: {why}", scratch.display()))
        };
        let toolbox = toolbox(project, tree, sandbox)
            .with_staging(dir.staging())
            .with_confinement(checkout.to_owned(), confine)
            .with_confined_servers(checkout.to_owned(), confined_servers);
        Self {
            toolbox: Arc::new(toolbox),
            stop: StopFlag::default(),
        }
    }

    /// What has to be journaled before the call: that it begins, or why it does not.
    pub(super) fn prepare(
        &self,
        run: &Run,
        (step, attempt): (usize, u32),
        tree: Option<(&Trees, Result<Id, Error>)>,
        starter: &Starter,
    ) -> Result<Prepared, Error> {
        let changes_tree = match run.definition(step).map(|step| &step.work) {
            Some(Work::Tool { tool, .. }) => self.toolbox.changes_tree(tool),
            _ => false,
        };
        if let Some((trees, head)) = tree.filter(|_| changes_tree) {
            // Whether something is overwritten is asked of the tree that the call will find. Nobody else uses it: the step
            // has the queue.
            let shown = trees.show_head(&head?, starter);
            if let Err(why) = shown {
                return Ok(impossible(step, why));
            }
        }
        Ok(self.begins(run, step, attempt))
    }

    fn begins(&self, run: &Run, step: usize, attempt: u32) -> Prepared {
        let Some((definition, state)) = run.step(step) else {
            return impossible(step, "an unknown step");
        };
        let Work::Tool { tool, .. } = &definition.work else {
            return impossible(step, "a step that calls no tool");
        };
        let args = match resolved_arguments(run, step) {
            Some(Ok(args)) => args,
            Some(Err(why)) => return impossible(step, why),
            None => return impossible(step, "a step that calls no tool"),
        };
        let problems = self.toolbox.check(tool, &args);
        if !problems.is_empty() && state.turn.args.is_some() {
            // The person who changed them can change them again.
            let why = problems.join("; ");
            return Prepared::Instead(Input::CallNeedsApproval { step, args, why });
        }
        if !problems.is_empty() {
            return Prepared::Instead(Input::CallImpossible { step, problems });
        }
        if scope(run, definition).is_some_and(|scope| allows(scope, tool).is_none()) {
            return impossible(step, format!("`{tool}` is out of the plan's scope"));
        }
        // Whoever named the tool did not see a command that is put together only now.
        let free = is_named(run, definition, tool) && !is_built(run, step);
        let why = self.toolbox.needs_approval(tool, &args, free);
        match why.filter(|_| !state.turn.approved) {
            Some(why) => Prepared::Instead(Input::CallNeedsApproval { step, args, why }),
            None => Prepared::Go(Input::CallBegins {
                step,
                attempt,
                call: Call {
                    repeatable: self.toolbox.is_repeatable(tool, &args),
                    changes_tree: self.toolbox.changes_tree(tool),
                    tool: tool.clone(),
                    args,
                },
            }),
        }
    }

    /// The call, to be made on a thread of its own.
    pub(super) fn call(
        &self,
        run: &Run,
        step: usize,
        attempt: u32,
        (timeout, log): (Duration, PathBuf),
        tree: Option<CallTree>,
    ) -> Result<impl FnOnce() -> Option<Input> + Send + 'static, Error> {
        let (definition, state) = known(run, step)?;
        let Some(call) = state.attempt.call.clone() else {
            return Err(broken(run, "a call that was not recorded"));
        };
        let changes_tree = call.changes_tree;
        // What only talks to others needs no tree.
        let tree = tree.filter(|_| built_in(&call.tool).is_none_or(Tool::needs_tree));
        let agreed = state.turn.approved || is_named(run, definition, &call.tool);
        let call = tools::Call {
            tool: call.tool,
            args: call.args,
            timeout,
            marker: marker(run.id(), &definition.id, attempt),
            log: Some(log),
            agreed,
        };
        let (toolbox, stop) = (Arc::clone(&self.toolbox), self.stop.clone());
        Ok(move || {
            let shown = tree
                .as_ref()
                .map(|tree| tree.take(changes_tree))
                .transpose();
            let _taken = match shown {
                Ok(taken) => taken,
                // Whoever stops the run ends git: that says nothing about the call, which was not made.
                Err(_) if tree.as_ref().is_some_and(|tree| tree.starter.is_stopping()) => {
                    return None;
                }
                Err(message) => {
                    let end = CallEnd::Failed {
                        message,
                        transient: false,
                        unknown: false,
                    };
                    return Some(Input::CallEnded { step, attempt, end });
                }
            };
            failpoint::reached("effect.before");
            let end = toolbox.call(&call, &stop);
            failpoint::reached("effect.after");
            if let Some(tree) = tree.as_ref().filter(|_| changes_tree) {
                // What cannot be recorded is told when the candidate is built.
                tree.trees.record_call(&tree.work).ok();
            }
            let end = match end {
                tools::CallEnd::Done(value) => CallEnd::Done(value),
                tools::CallEnd::Failed {
                    message,
                    transient,
                    unknown,
                } => CallEnd::Failed {
                    message,
                    transient,
                    unknown,
                },
                tools::CallEnd::Stopped => return None,
            };
            Some(Input::CallEnded { step, attempt, end })
        })
    }

    pub(super) fn stop(&self) {
        self.stop.raise();
    }
}

/// What tool servers are confined to that ask for it: they live longer than a call, and work in the run's tree itself.
fn confined_servers(
    grounds: Option<&RunPaths>,
    scratch: &Path,
    place: &WorkPlace,
) -> Option<Confined> {
    let shown = match place {
        WorkPlace::Checkout(_) => VisibleTree::Checkout,
        WorkPlace::Trees(trees) => VisibleTree::Copy {
            from: trees.run_path(),
            ignored: Vec::new(),
        },
    };
    // Without it they are not started, and say so.
    grounds?
        .for_contract(&scratch.join("servers"), (&shown, &[]))
        .ok()
}

impl CallTree {
    /// Makes the run's tree show the head. Calls that change it have it to themselves.
    fn take(&self, alone: bool) -> Result<RunTreeUse<'_>, String> {
        let base = &self.work.base;
        self.trees.use_run_tree(base, alone, &self.starter)
    }
}

/// The tools that the step may call; without a scope, every configured one.
fn scope<'r>(run: &'r Run, definition: &'r Step) -> Option<&'r [String]> {
    definition.tools.as_deref().or(run.plan().tools.as_deref())
}

/// A tool named in full is agreed to with the plan.
fn is_named(run: &Run, definition: &Step, tool: &str) -> bool {
    scope(run, definition).is_some_and(|scope| allows(scope, tool) == Some(Grant::Named))
}

/// Is a command for the shell put together from what other steps gave? Parameters, and lists that the
/// plan spells out, were signed.
fn is_built(run: &Run, step: usize) -> bool {
    let parent = run.step(step).and_then(|(_, state)| state.parent());
    let Some(written) = run.plan().steps.get(parent.unwrap_or(step)) else {
        return false;
    };
    let Work::Tool { tool, args } = &written.work else {
        return false;
    };
    let command = args
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let list = written.for_each.as_deref().map(read);
    let given = list.is_some_and(|reads| !reads.is_ok_and(|reads| reads.steps.is_empty()));
    let item = |place: &Place<'_>| matches!(place.content, Content::Loop(text) if text.starts_with("item"));
    let of_item = given && places(command).iter().any(item);
    let runs = built_in(tool).is_some_and(|tool| tool.id == BuiltIn::RunCommand);
    runs && (is_dynamic(command) || of_item)
}

fn impossible(step: usize, why: impl Into<String>) -> Prepared {
    Prepared::Instead(Input::CallImpossible {
        step,
        problems: vec![why.into()],
    })
}
