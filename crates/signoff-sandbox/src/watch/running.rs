//! A command that runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::command::Limits;
use crate::command::report::CommandReport;
use crate::command::stdin_writer::StdinWriter;
use crate::spawn::leader::Leader;
use crate::watch::log::{Log, LogSource};
use crate::watch::redaction::Redaction;
use crate::watch::stream::Stream;
use crate::watch::time_limit::TimeLimit;
use crate::watch::{Watch, stop_signal};

/// What is needed to watch a command that was started.
#[derive(Debug)]
pub(crate) struct WatchOptions {
    pub(crate) stdin: Option<StdinWriter>,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) limits: Limits,
    pub(crate) log: Option<PathBuf>,
    pub(crate) redaction: Arc<Redaction>,
}

/// A command that runs. Its output is read only while a caller waits for it. Dropping it kills its whole process tree.
#[derive(Debug)]
pub struct RunningCommand {
    watch: Watch,
    stdin: Option<StdinWriter>,
    stopper: Stopper,
}

/// Ends a running command from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    signal: Arc<stop_signal::StopSignal>,
}

impl RunningCommand {
    pub(crate) fn new(leader: Leader, options: WatchOptions) -> io::Result<Self> {
        let signal = Arc::new(stop_signal::StopSignal::new()?);
        let started = Instant::now();
        let time = TimeLimit::new(started, options.limits.time);
        let watch = Watch {
            leader,
            stop: Arc::clone(&signal),
            stdout: Stream::new(LogSource::Stdout, options.stdout, options.limits.output),
            stderr: Stream::new(LogSource::Stderr, options.stderr, options.limits.output),
            log: Log::new(options.log, options.limits.log, &options.redaction),
            started,
            time,
        };
        Ok(Self {
            watch,
            stdin: options.stdin,
            stopper: Stopper { signal },
        })
    }

    /// Returns a handle that ends the command.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Returns a handle that pauses its time limit.
    pub fn time_limit(&self) -> TimeLimit {
        self.watch.time.clone()
    }

    /// Returns what the command reads, once, if that is [`crate::Stdin::Piped`].
    pub fn take_stdin(&mut self) -> Option<StdinWriter> {
        self.stdin.take()
    }

    /// Waits until the command and every process that it started is gone.
    pub fn wait(self) -> CommandReport {
        self.wait_with(&mut |_| {})
    }

    /// The same; hands over what the command writes to stdout as it arrives, and nothing every few seconds. While `listen` works, nothing else is read,
    /// so that the command waits once the pipe is full.
    pub fn wait_with(self, listen: &mut dyn FnMut(&[u8])) -> CommandReport {
        self.watch.wait(listen)
    }
}

impl Stopper {
    /// Asks the command to end (`SIGTERM`), and kills its whole process tree after a short time. Its exit status is
    /// [`crate::ExitStatus::Stopped`]. Does nothing if the command is over.
    pub fn stop(&self) {
        self.signal.send();
    }
}
