//! The crate's front: starts commands at the level that works here.

use std::io;

use crate::command::Command;
use crate::command::error::StartError;
use crate::command::report::CommandReport;
use crate::launch::held_command::HeldCommand;
use crate::launch::launcher::Launcher;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::policy::Policy;
use crate::policy::level::Level;
use crate::trial::probe::{ProbeError, probe};
use crate::watch::piped::PipedCommand;
use crate::watch::running::RunningCommand;

/// Starts commands, confined as far as this machine allows.
///
/// Making one turns this process into a subreaper: orphans of commands become its children. The host must not ignore
/// `SIGCHLD`, nor wait for children that it did not start itself.
#[derive(Debug)]
pub struct Sandbox {
    launcher: Launcher,
    /// The level that was asked for; without one, the highest that works.
    level: Option<Level>,
}

impl Sandbox {
    /// Fails where the exit of commands could not be observed.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            launcher: Launcher::new()?,
            level: None,
        })
    }

    /// Leaves these words out of the logs of commands. Captured output keeps them, because it may be judged.
    #[must_use]
    pub fn with_redaction(self, words: impl IntoIterator<Item = String>) -> Self {
        Self {
            launcher: self.launcher.with_redaction(words),
            ..self
        }
    }

    /// Confines commands at this level, whether or not it works here or a higher one does.
    pub fn with_level(level: Level) -> io::Result<Self> {
        Ok(Self {
            level: Some(level),
            ..Self::new()?
        })
    }

    /// Returns the level at which commands with a policy are confined.
    pub fn level(&self) -> Result<Level, ProbeError> {
        match self.level {
            Some(level) => Ok(level),
            None => Ok(probe()?.level),
        }
    }

    /// Makes the mounts of a policy, for commands that run one after the other and leave everything as it was. `None`
    /// where each command needs its own.
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
    /// Cheaper than `hold` and `release`, because nothing of this process is copied. For commands that may run again
    /// if their start was not written down.
    pub fn start(&self, command: Command) -> Result<RunningCommand, StartError> {
        self.launcher.start(command, || Ok(self.level()?))
    }

    /// Starts a command that comes to its end even if this process is killed. It cannot be confined.
    pub fn start_outliving(&self, command: Command) -> Result<RunningCommand, StartError> {
        self.launcher.start_outliving(command)
    }

    /// Runs a command to its end.
    pub fn run(&self, command: Command) -> Result<CommandReport, StartError> {
        Ok(self.start(command)?.wait())
    }

    /// Starts a command whose stdin and stdout the caller uses while it runs. Its own `stdin` and its time limit are
    /// ignored.
    pub fn start_piped(&self, command: Command) -> Result<PipedCommand, StartError> {
        self.launcher.start_piped(command, || Ok(self.level()?))
    }
}
