//! Performs actions on this machine, in the checkout: each on its own thread, through
//! `signoff-work` and `signoff-sandbox`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use signoff_engine::{
    Action, Input, Millis, Observation, Process, ProcessEnd, Run, WorkItem, WorkKind, wall_left,
};
use signoff_plan::digest::Digest;
use signoff_plan::model::{Contract, Step, Work};
use signoff_sandbox::{Command, Ended, How, Sandbox, StartError, Stopper};
use signoff_store::failpoint;
use signoff_store::runs::RunDir;
use signoff_work::agent::Invocation;
use signoff_work::attachment::{Places, read_all};
use signoff_work::contract::Evaluation;
use signoff_work::environment::{for_agent, for_contract};
use signoff_work::prompt::{Failure, Prompt};

use crate::clock::Clock;
use crate::drive::{Happened, Perform, Prepared};
use crate::error::Error;
use crate::project::Project;
use crate::watch::Watch;

/// Asks a running loop to stop cleanly; safe to send from a signal thread.
#[derive(Debug, Clone)]
pub struct Interrupt(Sender<Happened>);

impl Interrupt {
    /// Asks for it.
    pub fn send(&self) {
        // Nobody listens any more: then there is nothing left to stop.
        drop(self.0.send(Happened::Interrupted));
    }
}

/// This machine's hands.
pub(crate) struct Local<'a> {
    project: &'a Project,
    sandbox: Arc<Sandbox>,
    dir: RunDir,
    key: String,
    watch: Watch,
    clock: &'a dyn Clock,
    sender: Sender<Happened>,
    receiver: Receiver<Happened>,
    /// Lets a held agent go, by step.
    gates: BTreeMap<usize, Sender<()>>,
    stoppers: Arc<Mutex<Stoppers>>,
    threads: Vec<JoinHandle<()>>,
    /// Prompts prepared and not yet handed over, by step.
    prompts: BTreeMap<usize, (String, PathBuf)>,
}

/// What can be stopped now. Once stopping, nothing new may start.
#[derive(Default)]
struct Stoppers {
    stopping: bool,
    running: Vec<Stopper>,
}

impl<'a> Local<'a> {
    pub(crate) fn new(project: &'a Project, sandbox: Arc<Sandbox>, dir: RunDir, key: String, watch: Watch, clock: &'a dyn Clock) -> Self {
        let (sender, receiver) = channel();
        Self {
            project,
            sandbox,
            dir,
            key,
            watch,
            clock,
            sender,
            receiver,
            gates: BTreeMap::new(),
            stoppers: Arc::default(),
            threads: Vec::new(),
            prompts: BTreeMap::new(),
        }
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt(self.sender.clone())
    }

    fn prompt(&self, run: &Run, at: usize) -> String {
        let Some((step, state)) = run.step(at) else {
            return String::new();
        };
        let Work::Agent { task, .. } = &step.work else {
            return String::new();
        };
        let workspace = self.project.store.workspace();
        let topics = self.project.store.topics_dir();
        let places = Places { workspace, topics: &topics };
        let command = step.contract.as_ref().map_or("", |contract| contract.command.as_str());
        let failure = state.failure.as_ref().map(|failure| Failure {
            command,
            ended: failure.ended.to_string(),
            unmet: &failure.unmet,
            stdout: &failure.stdout,
            stderr: &failure.stderr,
        });
        Prompt {
            task,
            attachments: &read_all(&step.subscriptions, places),
            acceptance: &step.acceptance,
            failure,
            hint: state.hint.as_deref(),
        }
        .text()
    }

    fn prepare_dispatch(&mut self, run: &Run, at: usize, attempt: u32) -> Result<Prepared, Error> {
        if let Some(difference) = self.watch.difference(self.project)? {
            return Ok(Prepared::Changed(difference));
        }
        let prompt = self.prompt(run, at);
        let (step, _) = known(run, at)?;
        let dir = self.dir.attempt(&step.id, attempt);
        dir.create()?;
        let path = dir.prompt();
        std::fs::write(&path, &prompt).map_err(|why| Error::Unreadable { path: path.clone(), why })?;
        let item = self.work_item(step, &prompt);
        self.prompts.insert(at, (prompt, path));
        Ok(Prepared::Go(Input::WorkBegins { step: at, attempt, item }))
    }

    fn work_item(&self, step: &Step, prompt: &str) -> WorkItem {
        let role = match &step.work {
            Work::Agent { role, .. } => role.as_deref(),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        };
        let agent_id = role.unwrap_or("default").to_owned();
        WorkItem {
            kind: if agent_id.contains("review") { WorkKind::Review } else { WorkKind::Code },
            agent_id,
            prompt: beginning(prompt),
            prompt_sha256: Digest::of_bytes(prompt.as_bytes()).hex(),
            subscriptions: step.subscriptions.iter().map(ToString::to_string).collect(),
            plan_id: self.key.clone(),
            number: step.number,
        }
    }

    fn agent(&mut self, run: &Run, at: usize, attempt: u32) -> Result<Command, Error> {
        let (step, _) = known(run, at)?;
        let Work::Agent { role, .. } = &step.work else {
            return Err(broken(run, "a dispatch of a step that is no agent's"));
        };
        let Some((_, agent)) = self.project.config.agent(role.as_deref()) else {
            let role = role.clone().unwrap_or_default();
            return Err(Error::MissingPrograms(vec![format!("an agent for role `{role}`")]));
        };
        let (prompt, prompt_file) = self.prompts.remove(&at).unwrap_or_default();
        let limit = step.timeout.unwrap_or(self.project.config.run.step_timeout.value);
        let left = wall_left(run, self.clock.now()).map_or(limit, Duration::from_millis);
        let invocation = Invocation {
            command: &agent.command,
            prompt: &prompt,
            prompt_file: &prompt_file,
            workspace: self.project.store.workspace(),
            environment: for_agent(&self.project.around.variables, &self.project.config.sandbox.env.value),
            marker: marker(run.id(), &step.id, attempt),
            time: limit.min(left),
            log: self.dir.attempt(&step.id, attempt).agent_log(),
        };
        Ok(invocation.into_command())
    }

    fn evaluation(&self, run: &Run, at: usize, attempt: u32, patience: u32, baseline: bool) -> Result<Command, Error> {
        let (step, _) = known(run, at)?;
        let contract: &Contract = step
            .contract
            .as_ref()
            .ok_or_else(|| broken(run, "an evaluation of a step without a contract"))?;
        let dir = self.dir.attempt(&step.id, attempt);
        dir.create()?;
        let config = &self.project.config.contract;
        let workspace = self.project.store.workspace();
        let environment =
            for_contract(&self.project.around.variables, &self.project.config.sandbox.env.value, workspace);
        let evaluation = Evaluation {
            command: &contract.command,
            shell: contract.shell.as_deref().unwrap_or(&config.shell.value),
            tree: workspace,
            environment,
            marker: contract_marker(run.id(), &step.id, attempt),
            time: contract.timeout.unwrap_or(config.timeout.value) * patience,
            log: if baseline { dir.baseline_log() } else { dir.contract_log() },
        };
        Ok(evaluation.into_command())
    }

    /// Runs a command on its own thread and reports what became of it.
    fn spawn(&mut self, command: Command, gate: Option<(usize, u32)>, report: impl FnOnce(Result<Ended, StartError>) -> Input + Send + 'static) {
        let (release, released) = channel();
        if let Some((step, _)) = gate {
            self.gates.insert(step, release);
        }
        let sandbox = Arc::clone(&self.sandbox);
        let stoppers = Arc::clone(&self.stoppers);
        let sender = self.sender.clone();
        self.threads.retain(|thread| !thread.is_finished());
        self.threads.push(std::thread::spawn(move || {
            let ended = supervise(&sandbox, &stoppers, command, |process| {
                let Some((step, attempt)) = gate else {
                    return true;
                };
                let held = Input::ProcessHeld { step, attempt, process };
                sender.send(Happened::Input(held)).is_ok() && released.recv().is_ok()
            });
            // A run that is being stopped has no use for the result; the receiver may be gone.
            if let Some(ended) = ended {
                drop(sender.send(Happened::Input(report(ended))));
            }
        }));
    }
}

/// Starts a command, lets it go once `may_go` says so, and waits for its whole tree to end. `None`
/// if it was not let go or was stopped.
fn supervise(
    sandbox: &Sandbox,
    stoppers: &Mutex<Stoppers>,
    command: Command,
    may_go: impl FnOnce(Process) -> bool,
) -> Option<Result<Ended, StartError>> {
    failpoint::reached("spawn.before");
    let held = match sandbox.hold(command) {
        Ok(held) => held,
        Err(error) => return Some(Err(error)),
    };
    failpoint::reached("spawn.held");
    let identity = held.identity();
    let process = Process {
        pid: identity.pid,
        starttime: identity.starttime,
        boot_id: identity.boot_id.clone(),
    };
    if !may_go(process) {
        return None;
    }
    let running = {
        // Under the lock: either this process is among those that `stop` ends, or it never starts.
        let mut stoppers = stoppers.lock().unwrap_or_else(PoisonError::into_inner);
        if stoppers.stopping {
            return None;
        }
        match held.release() {
            Ok(running) => {
                stoppers.running.push(running.stopper());
                running
            }
            Err(error) => return Some(Err(error)),
        }
    };
    failpoint::reached("spawn.released");
    let ended = running.wait();
    failpoint::reached("work.ended");
    (ended.how != How::Stopped).then_some(Ok(ended))
}

impl Perform for Local<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
        Ok(match action {
            Action::Baseline { step } => Prepared::Go(Input::BaselineBegins { step: *step }),
            Action::Evaluate { step, attempt, .. } => {
                Prepared::Go(Input::EvaluationBegins { step: *step, attempt: *attempt })
            }
            Action::Dispatch { step, attempt } => self.prepare_dispatch(run, *step, *attempt)?,
            Action::AskForBudget { .. } | Action::Wait { .. } | Action::Finish => {
                return Err(broken(run, "an action without a performer"));
            }
        })
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        match *action {
            Action::Baseline { step } => {
                let command = self.evaluation(run, step, 0, 1, true)?;
                self.spawn(command, None, move |ended| Input::BaselineEnded {
                    step,
                    observed: observe(ended),
                });
            }
            Action::Evaluate { step, attempt, patience } => {
                let command = self.evaluation(run, step, attempt, patience, false)?;
                self.spawn(command, None, move |ended| Input::EvaluationEnded {
                    step,
                    attempt,
                    observed: observe(ended),
                });
            }
            Action::Dispatch { step, attempt } => {
                let command = self.agent(run, step, attempt)?;
                self.spawn(command, Some((step, attempt)), move |ended| {
                    let observed = observe(ended);
                    Input::WorkEnded { step, attempt, ended: observed.ended, text: observed.stdout }
                });
            }
            Action::AskForBudget { .. } | Action::Wait { .. } | Action::Finish => {}
        }
        Ok(())
    }

    fn recorded(&mut self, input: &Input) {
        if let Input::ProcessHeld { step, .. } = input
            && let Some(gate) = self.gates.remove(step)
        {
            // The thread is gone only if the run is being stopped.
            let _gone = gate.send(());
        }
    }

    fn next(&mut self, now: Millis, wake: Option<Millis>) -> Happened {
        let happened = match wake {
            Some(at) => self.receiver.recv_timeout(Duration::from_millis(at.saturating_sub(now))),
            None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        // We hold a sender ourselves, so the channel cannot be disconnected.
        happened.unwrap_or(Happened::Timer)
    }

    fn stop(&mut self) {
        // Threads that hold an agent at its gate see it close and let the agent go unstarted.
        self.gates.clear();
        let running = {
            let mut stoppers = self.stoppers.lock().unwrap_or_else(PoisonError::into_inner);
            stoppers.stopping = true;
            std::mem::take(&mut stoppers.running)
        };
        for stopper in running {
            stopper.stop();
        }
        for thread in self.threads.drain(..) {
            // A panic in a supervising thread has nothing left to report.
            drop(thread.join());
        }
    }
}

/// As much of a prompt as an event holds; the whole is in the attempt's directory.
fn beginning(prompt: &str) -> String {
    const LIMIT: usize = 8 * 1024;
    if prompt.len() <= LIMIT {
        return prompt.to_owned();
    }
    let mut end = LIMIT;
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}[…]", &prompt[..end])
}

/// What a run's processes carry in `SIGNOFF_INSIDE`.
pub(crate) fn marker(run: &str, step: &str, attempt: u32) -> String {
    format!("{run}/{step}/{attempt}")
}

pub(crate) fn contract_marker(run: &str, step: &str, attempt: u32) -> String {
    format!("{run}/{step}/{attempt}/contract")
}

fn observe(ended: Result<Ended, StartError>) -> Observation {
    match ended {
        Ok(ended) => Observation {
            ended: match ended.how {
                How::Exited(code) => ProcessEnd::Exited(code),
                How::Signaled(signal) => ProcessEnd::Signaled(signal),
                How::TimedOut => ProcessEnd::TimedOut,
                How::Stopped => ProcessEnd::NotStarted("stopped".to_owned()),
            },
            stdout: ended.stdout.text(),
            stderr: ended.stderr.text(),
            duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        },
        Err(error) => Observation {
            ended: ProcessEnd::NotStarted(error.to_string()),
            stdout: String::new(),
            stderr: String::new(),
            duration_ms: 0,
        },
    }
}

fn known(run: &Run, at: usize) -> Result<(&Step, &signoff_engine::StepState), Error> {
    run.step(at).ok_or_else(|| broken(run, "an unknown step"))
}

fn broken(run: &Run, why: &str) -> Error {
    Error::BrokenRun { run: run.id().to_owned(), why: why.to_owned() }
}
