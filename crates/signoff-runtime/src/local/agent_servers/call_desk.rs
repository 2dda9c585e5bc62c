//! Makes the calls of one agent: within its scope, with a person's agreement where that is needed, and journaled.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use signoff_engine::{CallEnd, Input, ToolCall};
use signoff_plan::tools::{Grant, allows};
use signoff_work::mcp::Definition;
use signoff_work::secrets::Secrets;
use signoff_work::tools::{self, StopFlag, Toolbox};

use crate::local::agent::{Denials, Questions};
use crate::local::calls::CallTree;
use crate::local::message::Message;

/// Characters of a result that the journal keeps.
const JOURNALED: usize = 4_000;

/// What making the calls of one agent needs.
pub(in crate::local) struct CallDeskSetup {
    pub(in crate::local) step: usize,
    pub(in crate::local) attempt: u32,
    /// The step's tools.
    pub(in crate::local) scope: Vec<String>,
    pub(in crate::local) toolbox: Arc<Toolbox>,
    pub(in crate::local) stop: StopFlag,
    /// How long one call may take.
    pub(in crate::local) timeout: Duration,
    pub(in crate::local) marker: String,
    pub(in crate::local) log: PathBuf,
    /// The tree beside which servers work, where the run has trees of its own.
    pub(in crate::local) tree: Option<CallTree>,
    pub(in crate::local) questions: Questions,
    pub(in crate::local) denials: Denials,
    pub(in crate::local) secrets: Secrets,
    pub(in crate::local) sender: Sender<Message>,
}

/// Makes the calls of one agent.
pub(in crate::local) struct CallDesk {
    setup: CallDeskSetup,
    numbers: AtomicU32,
    /// Calls that wait until they are journaled; `None` once no more calls may begin.
    waiting: Mutex<Option<BTreeMap<u32, Sender<()>>>>,
}

impl CallDesk {
    pub(in crate::local) fn new(setup: CallDeskSetup) -> Self {
        Self {
            setup,
            numbers: AtomicU32::new(0),
            waiting: Mutex::new(Some(BTreeMap::new())),
        }
    }

    /// The tools of a server that are in the scope.
    pub(super) fn tools(&self, server: &str) -> Result<Vec<Definition>, String> {
        let setup = &self.setup;
        self.make_tree()?;
        let mut tools = setup
            .toolbox
            .tools_of(server, setup.timeout, &setup.stop)
            .map_err(|why| setup.secrets.hide(&why).into_owned())?;
        tools.retain(|tool| allows(&setup.scope, &full_name(server, &tool.name)).is_some());
        Ok(tools)
    }

    /// Calls a tool. What fails is said in words that the agent's model reads.
    pub(super) fn call(&self, server: &str, tool: &str, args: Value) -> Result<Value, String> {
        let setup = &self.setup;
        let name = full_name(server, tool);
        let Some(grant) = allows(&setup.scope, &name) else {
            setup.denials.note(&name);
            return Err(format!("`{name}` is not one of this step's tools"));
        };
        let problems = setup.toolbox.check(&name, &args);
        if !problems.is_empty() {
            return Err(problems.join("; "));
        }
        let agreed = grant == Grant::Named;
        if let Some(why) = setup.toolbox.needs_approval(&name, &args, agreed)
            && !self.is_allowed(&name, &args, &why)
        {
            setup.denials.note(&name);
            return Err(format!("a person refused the call of `{name}`"));
        }
        let call = ToolCall {
            repeatable: setup.toolbox.is_repeatable(&name, &args),
            changes_tree: setup.toolbox.changes_tree(&name),
            tool: name,
            args,
        };
        self.make(call)
    }

    /// Asks a person, and waits.
    fn is_allowed(&self, tool: &str, args: &Value, why: &str) -> bool {
        let setup = &self.setup;
        let what = format!("call `{tool}` with {args} ({why})");
        let asked = Input::PermissionAsked {
            step: setup.step,
            attempt: setup.attempt,
            what: setup.secrets.hide(&what).into_owned(),
        };
        let (sender, answer) = channel();
        // Nobody waits any more if the agent is being ended.
        let pass_on = move |allow| {
            sender.send(allow).ok();
        };
        setup.questions.ask(|| self.send_input(asked), pass_on);
        answer.recv().unwrap_or(false)
    }

    /// Makes a call, once the journal knows that it begins.
    fn make(&self, call: ToolCall) -> Result<Value, String> {
        let setup = &self.setup;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let over = || "the run is being stopped".to_owned();
        self.make_tree()?;
        let (go, journaled) = channel();
        match self.lock().as_mut() {
            Some(waiting) => drop(waiting.insert(number, go)),
            None => return Err(over()),
        }
        self.send_input(Input::AgentCallBegins {
            step: setup.step,
            attempt: setup.attempt,
            number,
            call: self.call_for_journal(&call),
        });
        journaled.recv().map_err(|_| over())?;
        let made = tools::Call {
            tool: call.tool,
            args: call.args,
            timeout: setup.timeout,
            marker: setup.marker.clone(),
            log: Some(setup.log.clone()),
            agreed: true,
        };
        let end = match setup.toolbox.call(&made, &setup.stop) {
            tools::CallEnd::Done(value) => {
                // Other values that look like secrets may be what the agent has to know.
                CallEnd::Done(replace_texts(value, |text| setup.secrets.hide_values(text)))
            }
            tools::CallEnd::Failed {
                message,
                transient,
                unknown,
            } => CallEnd::Failed {
                message: setup.secrets.hide(&message).into_owned(),
                transient,
                unknown,
            },
            // Its end is unknown; the run asks a person about it when the agent has ended.
            tools::CallEnd::Stopped => return Err(over()),
        };
        let result = match &end {
            CallEnd::Done(value) => Ok(value.clone()),
            CallEnd::Failed { message, .. } => Err(message.clone()),
        };
        self.send_input(Input::AgentCallEnded {
            step: setup.step,
            attempt: setup.attempt,
            number,
            end: self.end_for_journal(end),
        });
        result
    }

    /// The call of this number is journaled: it may be made.
    pub(super) fn on_journaled(&self, number: u32) {
        let go = self.lock().as_mut().and_then(|all| all.remove(&number));
        // The thread is gone only if the run is being stopped.
        go.map(|go| go.send(()));
    }

    /// No call begins any more.
    pub(super) fn close(&self) {
        *self.lock() = None;
    }

    /// Servers start in the run's tree. Their changes there belong to no step.
    fn make_tree(&self) -> Result<(), String> {
        let tree = self.setup.tree.as_ref();
        tree.map_or(Ok(()), CallTree::make_if_missing)
    }

    fn call_for_journal(&self, call: &ToolCall) -> ToolCall {
        ToolCall {
            args: replace_texts(call.args.clone(), |text| self.setup.secrets.hide(text)),
            ..call.clone()
        }
    }

    /// What the journal keeps of a result: the agent has the whole.
    fn end_for_journal(&self, end: CallEnd) -> CallEnd {
        let CallEnd::Done(value) = end else {
            return end;
        };
        let value = replace_texts(value, |text| self.setup.secrets.hide(text));
        let text = value.to_string();
        CallEnd::Done(match text.char_indices().nth(JOURNALED) {
            Some((cut, _)) => format!("{}…", &text[..cut]).into(),
            None => value,
        })
    }

    fn send_input(&self, input: Input) {
        // The receiver is gone: the run was abandoned.
        drop(self.setup.sender.send(Message::Happened(input.into())));
    }

    fn lock(&self) -> MutexGuard<'_, Option<BTreeMap<u32, Sender<()>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full_name(server: &str, tool: &str) -> String {
    format!("{server}.{tool}")
}

/// The value without what `hide` takes out of its text.
fn replace_texts(value: Value, hide: impl FnOnce(&str) -> Cow<'_, str>) -> Value {
    let text = value.to_string();
    match hide(&text) {
        Cow::Borrowed(_) => value,
        // What is left may not be JSON any more.
        Cow::Owned(hidden) => serde_json::from_str(&hidden).unwrap_or_else(|_| hidden.into()),
    }
}
