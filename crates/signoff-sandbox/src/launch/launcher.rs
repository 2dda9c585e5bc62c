//! Starts commands, each at the level of confinement that the caller names.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::after_fork::{descriptors, signals};
use crate::command::error::StartError;
use crate::command::stdio::OpenStdin;
use crate::command::{Command, stdio};
use crate::launch::confinement::{self, Confinement};
use crate::launch::held_command::{Gate, HeldCommand};
use crate::launch::image::{ChildParts, build_image, invalid};
use crate::launch::memory_limit;
use crate::launch::started_child::StartedChild;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::make_mounts::KeptMountsSpec;
use crate::policy::Policy;
use crate::policy::level::Level;
use crate::process_tree;
use crate::process_tree::identity::ProcessIdentity;
use crate::process_tree::tags::CommandTag;
use crate::spawn::image::ChildGate;
use crate::spawn::leader::Leader;
use crate::spawn::spawner::Spawner;
use crate::watch::log::Log;
use crate::watch::piped::{PipedCommand, PipedProcess};
use crate::watch::redaction::Redaction;
use crate::watch::running::{RunningCommand, WatchOptions};

/// Starts commands. Knows nothing of what works on this machine.
#[derive(Debug)]
pub(crate) struct Launcher {
    spawner: Arc<Spawner>,
    redaction: Arc<Redaction>,
}

/// How a command is started.
struct StartOptions {
    stdin: OpenStdin,
    gate: Option<ChildGate>,
    outlives_host: bool,
}

impl StartOptions {
    fn at_once(stdin: OpenStdin) -> Self {
        Self {
            stdin,
            gate: None,
            outlives_host: false,
        }
    }
}

impl Launcher {
    /// Prepares for starting commands; fails where their ends could not be observed.
    pub(crate) fn new() -> io::Result<Self> {
        if signals::sigchld_is_ignored() {
            return Err(io::Error::other(
                "SIGCHLD is ignored, so the end of a command could not be observed",
            ));
        }
        process_tree::adopt_orphans()?;
        Ok(Self {
            spawner: Spawner::start()?,
            redaction: Arc::default(),
        })
    }

    /// The same, with these words left out of the logs of commands.
    pub(crate) fn with_redaction(self, words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().map(String::into_bytes);
        Self {
            redaction: Arc::new(Redaction::new(words)),
            ..self
        }
    }

    /// Makes the mounts of a policy. `None` where each command needs its own.
    pub(crate) fn make_mounts(&self, policy: &Policy) -> io::Result<Option<KeptMounts>> {
        let spec = KeptMountsSpec::new(policy)?;
        spec.map(|spec| self.spawner.make_mounts(spec)).transpose()
    }

    /// Starts a process that becomes the command when it is released.
    ///
    /// Only a command with a policy is confined. `level` is called for such a command, after its program was found.
    pub(crate) fn hold(
        &self,
        command: Command,
        level: impl FnOnce() -> io::Result<Level>,
    ) -> Result<HeldCommand, StartError> {
        let (read, write) = io::pipe()?;
        let (status, child_status) = io::pipe()?;
        let gate = Gate {
            write: write.into(),
            _read: read.try_clone()?.into(),
        };
        let child_gate = ChildGate {
            release: descriptors::raise_above_reserved(read.into())?,
            status: descriptors::raise_above_reserved(child_status.into())?,
        };
        let start = StartOptions {
            stdin: stdio::open_stdin(&command.stdin)?,
            gate: Some(child_gate),
            outlives_host: false,
        };
        let started = self.launch(command, start, level)?;
        let identity = ProcessIdentity::of(started.leader.pid())?;
        Ok(HeldCommand {
            started,
            gate,
            status: status.into(),
            identity,
        })
    }

    /// Starts a command at once.
    pub(crate) fn start(
        &self,
        command: Command,
        level: impl FnOnce() -> io::Result<Level>,
    ) -> Result<RunningCommand, StartError> {
        let stdin = stdio::open_stdin(&command.stdin)?;
        self.launch(command, StartOptions::at_once(stdin), level)?
            .into_running()
    }

    /// Starts a command without a policy that goes on when this process is killed.
    pub(crate) fn start_outliving(&self, command: Command) -> Result<RunningCommand, StartError> {
        let start = StartOptions {
            outlives_host: true,
            ..StartOptions::at_once(stdio::open_stdin(&command.stdin)?)
        };
        let level = || Err(invalid("what is confined ends with its host"));
        self.launch(command, start, level)?.into_running()
    }

    /// Starts a command whose stdin and stdout the caller uses while it runs.
    pub(crate) fn start_piped(
        &self,
        command: Command,
        level: impl FnOnce() -> io::Result<Level>,
    ) -> Result<PipedCommand, StartError> {
        let start = StartOptions::at_once(stdio::stdin_pipe()?);
        let started = self.launch(command, start, level)?;
        let (leader, options) = started.into_parts()?;
        let stdin = options.stdin.expect("it was started with a pipe");
        for output in [&options.stdout, &options.stderr] {
            rustix::io::ioctl_fionbio(output, false).map_err(io::Error::from)?;
        }
        let log = Log::new(options.log, options.limits.log, &options.redaction);
        let process =
            PipedProcess::start(leader, options.stderr.into(), log, options.limits.output)?;
        Ok(PipedCommand {
            stdin,
            stdout: options.stdout.into(),
            process,
        })
    }

    fn launch(
        &self,
        command: Command,
        start: StartOptions,
        level: impl FnOnce() -> io::Result<Level>,
    ) -> Result<StartedChild, StartError> {
        let Some(name) = command.argv.first().cloned() else {
            return Err(invalid("a command needs a program").into());
        };
        let (program, confinement) = prepare(&command, &name, level)?;
        let (stdout, child_stdout) = stdio::output_pipe()?;
        let (stderr, child_stderr) = stdio::output_pipe()?;
        let command_tag = CommandTag::next();
        let memory = command.policy.as_ref().and_then(|policy| policy.memory);
        let (group, group_entry) = match memory {
            Some(limit) => memory_limit::make_group(limit)?.unzip(),
            None => (None, None),
        };
        let parts = ChildParts {
            stdio: [start.stdin.child, child_stdout, child_stderr],
            gate: start.gate,
            command_tag,
            group_entry,
            outlives_host: start.outlives_host,
        };
        let child = self
            .spawner
            .spawn(build_image(&command, program, confinement, parts)?)?;
        let failure = child.failure;
        let leader = Leader::new(
            child,
            Arc::clone(&self.spawner),
            command_tag,
            command.marker,
        )?;
        let options = WatchOptions {
            stdin: start.stdin.writer,
            stdout,
            stderr,
            limits: command.limits,
            log: command.log,
            redaction: Arc::clone(&self.redaction),
        };
        Ok(StartedChild {
            leader: leader.with_memory_group(group),
            failure,
            options,
            program: name,
            cwd: command.cwd,
        })
    }
}

/// Finds the program of a command, and how the command is confined.
fn prepare(
    command: &Command,
    name: &OsStr,
    level: impl FnOnce() -> io::Result<Level>,
) -> Result<(PathBuf, Confinement), StartError> {
    let policy = command.policy.as_ref();
    let program = confinement::find_program(name, &command.cwd, &command.env, policy)?;
    let confinement = match policy {
        Some(policy) => {
            let level = level()?;
            let mounts = command.mounts.as_ref();
            confinement::confine(level, policy, mounts, &command.cwd, &program)?
        }
        None => Confinement::default(),
    };
    Ok((program, confinement))
}
