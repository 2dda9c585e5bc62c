//! Where commands are started.

use std::io::{self, PipeReader};

use crate::command::Command;
use crate::command::error::StartError;
use crate::command::report::CommandReport;
use crate::launch::held::HeldCommand;
use crate::launch::launcher::Launcher;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::policy::Policy;
use crate::policy::level::Level;
use crate::trial::probe::{ProbeError, probe};
use crate::watch::piped::{PipedProcess, StdinWriter};
use crate::watch::running::RunningCommand;

/// Starts commands, confined as far as this machine allows.
///
/// Making one turns this process into a subreaper: orphans of commands become its children. The host must not
/// ignore `SIGCHLD`, nor wait for children it did not start itself.
#[derive(Debug)]
pub struct Sandbox {
    launcher: Launcher,
    /// The level asked for; without one, the highest that works.
    level: Option<Level>,
}

impl Sandbox {
    /// Prepares for starting commands; fails where their ends could not be observed.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            launcher: Launcher::new()?,
            level: None,
        })
    }

    /// The same, with these words left out of the logs of commands. What is captured has them: it may be judged.
    #[must_use]
    pub fn with_redaction(self, words: impl IntoIterator<Item = String>) -> Self {
        Self {
            launcher: self.launcher.with_redaction(words),
            ..self
        }
    }

    /// The same, with commands confined at this level whether or not it works here, or a higher one does.
    pub fn with_level(level: Level) -> io::Result<Self> {
        Ok(Self {
            level: Some(level),
            ..Self::new()?
        })
    }

    /// Returns how strongly commands that have a policy are confined here.
    pub fn level(&self) -> Result<Level, ProbeError> {
        match self.level {
            Some(level) => Ok(level),
            None => Ok(probe()?.level),
        }
    }

    /// Makes the mounts of a policy, for commands that run one after the other and leave everything as it was. `None`
    /// where they have to be made for each.
    pub fn make_mounts(&self, policy: &Policy) -> io::Result<Option<KeptMounts>> {
        match self.level()? {
            Level::Namespaces => self.launcher.make_mounts(policy),
            _ => Ok(None),
        }
    }

    /// Starts a process that becomes the command when it is released.
    pub fn hold(&self, command: Command) -> Result<HeldCommand, StartError> {
        self.launcher.hold(command, || Ok(self.level()?))
    }

    /// Starts a command at once.
    ///
    /// Cheaper than holding and releasing it, because nothing of this process is copied: for commands that may run
    /// again if nobody wrote down that they began.
    pub fn start(&self, command: Command) -> Result<RunningCommand, StartError> {
        self.launcher.start(command, || Ok(self.level()?))
    }

    /// Runs a command to its end.
    pub fn run(&self, command: Command) -> Result<CommandReport, StartError> {
        Ok(self.start(command)?.wait())
    }

    /// Starts a command that is spoken to while it runs: what it reads, what it writes, and the command itself. Its
    /// `stdin` and its time limit do not count.
    pub fn start_piped(
        &self,
        command: Command,
    ) -> Result<(StdinWriter, PipeReader, PipedProcess), StartError> {
        self.launcher.start_piped(command, || Ok(self.level()?))
    }
}
