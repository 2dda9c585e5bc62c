//! Calls tools: checks the resolved arguments once more, finds out whether a person must agree, and
//! makes the call.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use signoff_engine::{Call, CallEnd, Input, Run, resolved_arguments};
use signoff_plan::expression::{Content, Place, places, read};
use signoff_plan::model::{Step, Work};
use signoff_plan::reference::is_dynamic;
use signoff_plan::tools::{Grant, allows};
use signoff_sandbox::Sandbox;
use signoff_store::failpoint;
use signoff_store::runs::RunDir;
use signoff_work::confine::Grounds;
use signoff_work::tools::{self, StopFlag, Toolbox};

use super::workbench::{broken, known, marker};
use crate::drive::Prepared;
use crate::error::Error;
use crate::project::Project;
use crate::tools::toolbox;

/// The tools of one run.
pub(super) struct Calls {
    toolbox: Arc<Toolbox>,
    stop: StopFlag,
}

impl Calls {
    pub(super) fn new(
        project: &Project,
        dir: &RunDir,
        (sandbox, grounds): (Arc<Sandbox>, Option<&Grounds>),
        tree: &Path,
    ) -> Self {
        // One for all: what they leave there is theirs, and gone with the run.
        let temp = dir.scratch("", 0, "tools");
        if grounds.is_some() {
            // A command that misses it says so.
            std::fs::create_dir_all(&temp).ok();
        }
        let confined = grounds.map(|grounds| grounds.moved_to(tree).for_contract(temp));
        let toolbox = toolbox(project, tree.to_owned(), sandbox)
            .with_staging(dir.staging())
            .with_confined(confined);
        Self {
            toolbox: Arc::new(toolbox),
            stop: StopFlag::default(),
        }
    }

    /// What has to be journaled before the call: that it begins, or why it does not.
    pub(super) fn prepare(&self, run: &Run, step: usize, attempt: u32) -> Prepared {
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
        if !problems.is_empty() && state.args.is_some() {
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
        match why.filter(|_| !state.approved) {
            Some(why) => Prepared::Instead(Input::CallNeedsApproval { step, args, why }),
            None => Prepared::Go(Input::CallBegins {
                step,
                attempt,
                call: Call {
                    repeatable: self.toolbox.is_repeatable(tool) || only_asks(tool, &args),
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
        take: impl FnOnce() -> Result<(), String> + Send + 'static,
    ) -> Result<impl FnOnce() -> Option<Input> + Send + 'static, Error> {
        let (definition, state) = known(run, step)?;
        let Some(call) = state.call.clone() else {
            return Err(broken(run, "a call that was not recorded"));
        };
        let agreed = state.approved || is_named(run, definition, &call.tool);
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
            if let Err(message) = take() {
                let end = CallEnd::Failed {
                    message,
                    transient: false,
                    unknown: false,
                };
                return Some(Input::CallEnded { step, attempt, end });
            }
            failpoint::reached("effect.before");
            let end = toolbox.call(&call, &stop);
            failpoint::reached("effect.after");
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
    let parent = run.step(step).and_then(|(_, state)| state.parent);
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
    tool == "run_command" && (is_dynamic(command) || of_item)
}

/// A request that only reads can be made again.
fn only_asks(tool: &str, args: &Value) -> bool {
    let method = args.get("method").and_then(Value::as_str).unwrap_or("GET");
    tool == "http_request" && matches!(method, "GET" | "HEAD")
}

fn impossible(step: usize, why: impl Into<String>) -> Prepared {
    Prepared::Instead(Input::CallImpossible {
        step,
        problems: vec![why.into()],
    })
}
