//! Starts commands, each watched by a thread of its own, and ends them all when asked.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use signoff_engine::{Input, Observation, Process, ProcessEnd};
use signoff_sandbox::{Command, Ended, How, Sandbox, StartError, Stopper};
use signoff_store::failpoint;

use crate::drive::Happened;

/// The threads that watch over processes.
pub(super) struct Crew {
    sandbox: Arc<Sandbox>,
    sender: Sender<Happened>,
    stoppers: Arc<Mutex<Stoppers>>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Stoppers {
    stopping: bool,
    running: Vec<Stopper>,
}

impl Crew {
    pub(super) fn new(sandbox: Arc<Sandbox>, sender: Sender<Happened>) -> Self {
        Self {
            sandbox,
            sender,
            stoppers: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// Runs a command on its own thread. It is held at its gate until `may_go` says so; what was seen
    /// is sent as the input that `report` makes of it, unless it was not let go or was stopped.
    pub(super) fn start(
        &mut self,
        command: Command,
        may_go: impl FnOnce(Process) -> bool + Send + 'static,
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) {
        let sandbox = Arc::clone(&self.sandbox);
        let stoppers = Arc::clone(&self.stoppers);
        let sender = self.sender.clone();
        self.threads.retain(|thread| !thread.is_finished());
        self.threads.push(std::thread::spawn(move || {
            let happened = match supervise(&sandbox, &stoppers, command, may_go) {
                Some(Ok(Ended {
                    survivors_left: count @ 1..,
                    ..
                })) => Happened::Survivors(count),
                Some(ended) => Happened::Input(report(observe(ended))),
                None => return,
            };
            // Nobody listens any more: then the run was given up.
            drop(sender.send(happened));
        }));
    }

    /// Ends everything and waits until it is gone. Nothing starts afterwards.
    pub(super) fn stop(&mut self) {
        let running = {
            let mut stoppers = self.stoppers.lock().unwrap_or_else(PoisonError::into_inner);
            stoppers.stopping = true;
            std::mem::take(&mut stoppers.running)
        };
        for stopper in running {
            stopper.stop();
        }
        for thread in self.threads.drain(..) {
            // A panic in a watching thread has nothing left to report.
            drop(thread.join());
        }
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
            cut: ended.stdout.is_cut() || ended.stderr.is_cut(),
            duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        },
        Err(error) => Observation {
            ended: ProcessEnd::NotStarted(error.to_string()),
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
            duration_ms: 0,
        },
    }
}
