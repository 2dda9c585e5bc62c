//! Starts commands and calls tools, each watched by a thread, and ends them all when asked.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use signoff_engine::{Action, Input, Observation, ProcessEnd, ProcessIdentity};
use signoff_sandbox::{
    Command, CommandReport, ExitStatus, KeptMounts, Policy, RunningCommand, Sandbox, StartError,
    Stopper,
};
use signoff_store::failpoint;
use signoff_work::secrets::Secrets;
use signoff_work::tools::StopFlag;

use super::Message;
use super::agent::{AgentEnding, AgentMonitor, EndReason};
use super::pool::Pool;
use crate::drive::WakeReason;
use crate::trees::{CommandRunner, TreeMount};

/// The threads that watch over processes.
pub(super) struct ProcessSupervisor {
    sandbox: Arc<Sandbox>,
    /// Values that must not reach the journal.
    secrets: Arc<Secrets>,
    sender: Sender<Message>,
    stoppers: Arc<Mutex<Stoppers>>,
    stopping: StopHandle,
    pool: Pool,
}

/// Ends the supervisor's processes, from any thread that learns that the run is to stop.
#[derive(Clone)]
pub(super) struct StopHandle {
    stoppers: Arc<Mutex<Stoppers>>,
    /// Ends git, for the supervisor or the loop: preparing a tree may take long.
    git: Option<StopFlag>,
}

#[derive(Default)]
struct Stoppers {
    stopping: bool,
    running: Vec<(u64, StopCommand)>,
    started: u64,
}

/// Ends one command.
type StopCommand = Box<dyn FnOnce() + Send>;

impl ProcessSupervisor {
    pub(super) fn with_threads(
        sandbox: Arc<Sandbox>,
        secrets: Secrets,
        sender: Sender<Message>,
        git: Option<StopFlag>,
    ) -> io::Result<Self> {
        let stoppers = Arc::default();
        Ok(Self {
            sandbox,
            secrets: Arc::new(secrets),
            sender,
            stopping: StopHandle {
                stoppers: Arc::clone(&stoppers),
                git,
            },
            stoppers,
            pool: Pool::start()?,
        })
    }

    /// The handle that ends everything.
    pub(super) fn stop_handle(&self) -> StopHandle {
        self.stopping.clone()
    }

    /// Is the run being stopped?
    pub(super) fn is_stopping(&self) -> bool {
        is_stopping(&self.stoppers)
    }

    /// Runs an agent that is held at its gate until `may_go` releases it. Sends the input that `report` makes of its
    /// result, unless the agent was not released or the run was stopped.
    pub(super) fn start_agent<B>(
        &mut self,
        command: Command,
        monitor: AgentMonitor,
        before: impl FnOnce() -> Result<B, String> + Send + 'static,
        may_go: impl FnOnce(ProcessIdentity) -> bool + Send + 'static,
        report: impl FnOnce(Option<B>, Observation, Option<AgentEnding>) -> Input + Send + 'static,
    ) {
        let sandbox = Arc::clone(&self.sandbox);
        self.spawn_watched(before, report, move |stoppers| {
            failpoint::reach("spawn.before");
            let held = match sandbox.hold(command) {
                Ok(held) => held,
                Err(error) => return Some(Err(error)),
            };
            failpoint::reach("spawn.held");
            let identity = held.identity();
            let process = ProcessIdentity {
                pid: identity.pid,
                starttime: identity.starttime,
                boot_id: identity.boot_id.clone(),
            };
            if !may_go(process) {
                return None;
            }
            let handle = monitor.handle();
            let stop_with = |stopper: Stopper| -> StopCommand {
                Box::new(move || {
                    handle.end(EndReason::Stopped);
                    stopper.stop();
                })
            };
            let ended = supervise(
                stoppers,
                || held.release(),
                stop_with,
                |running| monitor.follow(running),
            );
            failpoint::reach("work.ended");
            ended
        });
    }

    /// Runs a command at once, after `before`.
    pub(super) fn start<B>(
        &mut self,
        command: Command,
        before: impl FnOnce() -> Result<B, String> + Send + 'static,
        report: impl FnOnce(Option<B>, Observation) -> Input + Send + 'static,
    ) {
        let sandbox = Arc::clone(&self.sandbox);
        let report = |before, seen, _nothing_more: Option<()>| report(before, seen);
        self.spawn_watched(before, report, move |stoppers| {
            failpoint::reach("contract.before");
            let ended = supervise(
                stoppers,
                || sandbox.start(command),
                stop_at_once,
                wait_for_end,
            );
            failpoint::reach("contract.ended");
            ended
        });
    }

    /// Runs a job on a thread of the supervisor. It has to end soon after it is asked to stop.
    pub(super) fn spawn_job(&mut self, work: impl FnOnce() -> Option<WakeReason> + Send + 'static) {
        let sender = self.sender.clone();
        self.pool.run(move || {
            if let Some(happened) = work() {
                // The receiver is gone: the run was abandoned.
                drop(sender.send(Message::Happened(happened)));
            }
        });
    }

    /// Makes the tree that an action needs, on a thread of the supervisor, and says so.
    pub(super) fn ready(
        &mut self,
        action: Action,
        make: impl FnOnce() -> Result<TreeMount, String> + Send + 'static,
    ) {
        let sender = self.sender.clone();
        let stoppers = Arc::clone(&self.stoppers);
        self.pool.run(move || {
            let made = make().map(Box::new);
            if made.is_err() && is_stopping(&stoppers) {
                // Commands that prepare trees could not start, which says nothing about the step.
                return;
            }
            // The receiver is gone: the run was abandoned.
            drop(sender.send(Message::Ready { action, made }));
        });
    }

    /// Starts what makes trees usable, from whichever thread needs it.
    pub(super) fn mount_starter(&self) -> Starter {
        Starter {
            sandbox: Arc::clone(&self.sandbox),
            secrets: Arc::clone(&self.secrets),
            stoppers: Arc::clone(&self.stoppers),
        }
    }

    /// `E` is what is known of the end in addition to that of a command.
    fn spawn_watched<B, E>(
        &mut self,
        before: impl FnOnce() -> Result<B, String> + Send + 'static,
        report: impl FnOnce(Option<B>, Observation, Option<E>) -> Input + Send + 'static,
        run: impl FnOnce(&Mutex<Stoppers>) -> Option<Result<Ended<E>, StartError>> + Send + 'static,
    ) {
        let stoppers = Arc::clone(&self.stoppers);
        let secrets = Arc::clone(&self.secrets);
        let sender = self.sender.clone();
        self.pool.run(move || {
            let seen = match before() {
                Ok(seen) => seen,
                // A run that is being stopped starts no commands, which says nothing about the step.
                Err(_) if is_stopping(&stoppers) => return,
                Err(why) => {
                    let input = report(None, not_started(why), None);
                    drop(sender.send(Message::Happened(WakeReason::Input(input))));
                    return;
                }
            };
            let happened = match run(&stoppers) {
                Some(Ok(Ended { command, .. })) if command.survivors_left > 0 => {
                    WakeReason::Survivors(command.survivors_left)
                }
                Some(Ok(Ended { command, more })) => {
                    let observed = observe(command, &secrets);
                    WakeReason::Input(report(Some(seen), observed, Some(more)))
                }
                Some(Err(error)) => {
                    let observed = not_started(error.to_string());
                    WakeReason::Input(report(Some(seen), observed, None))
                }
                None => return,
            };
            // The receiver is gone: the run was abandoned.
            drop(sender.send(Message::Happened(happened)));
        });
    }

    /// Ends everything and waits until it is gone. Nothing starts afterwards.
    pub(super) fn stop(&mut self) {
        self.stopping.stop();
        self.pool.join();
    }
}

impl StopHandle {
    /// Ends everything without waiting. Nothing starts afterwards.
    pub(super) fn stop(&self) {
        let running = {
            let mut stoppers = self.stoppers.lock().unwrap_or_else(PoisonError::into_inner);
            stoppers.stopping = true;
            std::mem::take(&mut stoppers.running)
        };
        for (_, stop) in running {
            stop();
        }
        // Only now: a failure from here on says nothing about a step.
        if let Some(git) = &self.git {
            git.set();
        }
    }
}

/// Starts commands and waits for their ends.
#[derive(Clone)]
pub(super) struct Starter {
    sandbox: Arc<Sandbox>,
    secrets: Arc<Secrets>,
    stoppers: Arc<Mutex<Stoppers>>,
}

impl Starter {
    /// Is the run being stopped?
    pub(super) fn is_stopping(&self) -> bool {
        is_stopping(&self.stoppers)
    }
}

impl CommandRunner for Starter {
    fn make_mounts(&self, policy: &Policy) -> io::Result<Option<KeptMounts>> {
        self.sandbox.make_mounts(policy)
    }

    fn run(&self, command: Command) -> Result<(), String> {
        let text = command.argv.last().cloned().unwrap_or_default();
        let text = text.to_string_lossy().into_owned();
        let ended = supervise(
            &self.stoppers,
            || self.sandbox.start(command),
            stop_at_once,
            wait_for_end,
        );
        let seen = match ended {
            None => return Err("the run was stopped".to_owned()),
            Some(Ok(ended)) => observe(ended.command, &self.secrets),
            Some(Err(error)) => not_started(error.to_string()),
        };
        if seen.ended.succeeded() {
            return Ok(());
        }
        let said = if seen.stderr.trim().is_empty() {
            seen.stdout
        } else {
            seen.stderr
        };
        Err(format!(
            "`{text}`, which prepares trees, ended with {}: {}",
            seen.ended,
            said.trim()
        ))
    }
}

fn is_stopping(stoppers: &Mutex<Stoppers>) -> bool {
    let stoppers = stoppers.lock().unwrap_or_else(PoisonError::into_inner);
    stoppers.stopping
}

/// A command that has ended, with what else is known of its end.
pub(super) struct Ended<E> {
    pub(super) command: CommandReport,
    pub(super) more: E,
}

/// Waits for the end of a command. `None` if it was stopped.
fn wait_for_end(running: RunningCommand) -> Option<Ended<()>> {
    let command = running.wait();
    let was_stopped = command.status == ExitStatus::Stopped;
    (!was_stopped).then_some(Ended { command, more: () })
}

fn stop_at_once(stopper: Stopper) -> StopCommand {
    Box::new(move || stopper.stop())
}

/// Releases a command and waits for its process tree to end. `None` if it was not released or was
/// stopped.
fn supervise<E>(
    stoppers: &Mutex<Stoppers>,
    start: impl FnOnce() -> Result<RunningCommand, StartError>,
    stop_with: impl FnOnce(Stopper) -> StopCommand,
    wait: impl FnOnce(RunningCommand) -> Option<Ended<E>>,
) -> Option<Result<Ended<E>, StartError>> {
    let (running, number) = {
        // Under the lock: either this process is among those that `stop` ends, or it never starts.
        let mut stoppers = stoppers.lock().unwrap_or_else(PoisonError::into_inner);
        if stoppers.stopping {
            return None;
        }
        match start() {
            Ok(running) => {
                stoppers.started += 1;
                let number = stoppers.started;
                stoppers
                    .running
                    .push((number, stop_with(running.stopper())));
                (running, number)
            }
            Err(error) => return Some(Err(error)),
        }
    };
    failpoint::reach("spawn.released");
    let ended = wait(running);
    let mut stoppers = stoppers.lock().unwrap_or_else(PoisonError::into_inner);
    stoppers.running.retain(|(known, _)| *known != number);
    ended.map(Ok)
}

/// The observation to be journaled and judged, without the values of secrets.
pub(super) fn observe(ended: CommandReport, secrets: &Secrets) -> Observation {
    let text = |text: String| secrets.hide_values(&text).into_owned();
    Observation {
        ended: match ended.status {
            ExitStatus::Exited(code) => ProcessEnd::Exited(code),
            ExitStatus::Signaled(signal) => ProcessEnd::Signaled(signal),
            ExitStatus::TimedOut => ProcessEnd::TimedOut,
            ExitStatus::Stopped => ProcessEnd::NotStarted("stopped".to_owned()),
        },
        stdout: text(ended.stdout.text()),
        stderr: text(ended.stderr.text()),
        cut: ended.stdout.is_cut() || ended.stderr.is_cut(),
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        // The caller, which knows the tree, adds the rest.
        ..Observation::new(ProcessEnd::Exited(0))
    }
}

pub(super) fn not_started(why: String) -> Observation {
    Observation::new(ProcessEnd::NotStarted(why))
}
