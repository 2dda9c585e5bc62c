//! Where commands are started.

use std::ffi::{CString, OsStr, OsString};
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::brand::{Brand, RunTag};
use crate::command::{Command, Limits, MARKER};
use crate::confinement::{self, Confined, Wrapper};
use crate::conversation::{Conversation, Speech};
use crate::ended::Ended;
use crate::error::StartError;
use crate::held::{Gate, Held, Started};
use crate::identity::Identity;
use crate::image::{Hold, Image};
use crate::kept_mounts::KeptMounts;
use crate::leader::Leader;
use crate::level::Level;
use crate::log::Log;
use crate::memory_group::MemoryGroup;
use crate::policy::Policy;
use crate::probe::{UntriedError, probe};
use crate::redaction::Redaction;
use crate::running::Running;
use crate::spawner::Spawner;
use crate::{signals, stdio, tree};

/// Starts commands, confined as far as this machine allows.
///
/// Making one turns this process into a subreaper: orphans of commands become its children. The host must not
/// ignore `SIGCHLD`, nor wait for children it did not start itself.
#[derive(Debug)]
pub struct Sandbox {
    spawner: Arc<Spawner>,
    /// The level asked for; without one, the highest that works.
    level: Option<Level>,
    redaction: Arc<Redaction>,
}

/// What we keep of a command that was started.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) limits: Limits,
    pub(crate) log: Option<PathBuf>,
    pub(crate) redaction: Arc<Redaction>,
}

impl Sandbox {
    /// Prepares for starting commands; fails where their ends could not be observed.
    pub fn new() -> io::Result<Self> {
        if signals::children_vanish() {
            return Err(io::Error::other(
                "SIGCHLD is ignored, so the end of a command could not be observed",
            ));
        }
        tree::adopt_orphans()?;
        Ok(Self {
            spawner: Spawner::start()?,
            level: None,
            redaction: Arc::default(),
        })
    }

    /// The same, with these words left out of the logs of commands. What is captured has them: it may be judged.
    #[must_use]
    pub fn redacting(self, words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().map(String::into_bytes);
        Self {
            redaction: Arc::new(Redaction::new(words)),
            ..self
        }
    }

    /// The same, with commands confined at this level whether or not it works here, or a higher one does.
    pub fn at(level: Level) -> io::Result<Self> {
        Ok(Self {
            level: Some(level),
            ..Self::new()?
        })
    }

    /// Returns how strongly commands that have a policy are confined here.
    pub fn level(&self) -> Result<Level, UntriedError> {
        match self.level {
            Some(level) => Ok(level),
            None => Ok(probe()?.level),
        }
    }

    /// Makes the mounts of a policy, for commands that run one after the other and leave everything as it was. `None`
    /// where they have to be made for each.
    pub fn make_mounts(&self, policy: &Policy) -> io::Result<Option<KeptMounts>> {
        if self.level()? == Level::Namespaces {
            let wanted = crate::kept_mounts::Wanted::new(policy)?;
            return wanted
                .map(|wanted| self.spawner.make_mounts(wanted))
                .transpose();
        }
        Ok(None)
    }

    /// Starts a process that becomes the command when it is released.
    pub fn hold(&self, command: Command) -> Result<Held, StartError> {
        let (read, write) = io::pipe()?;
        let (status, child_status) = io::pipe()?;
        let gate = Gate {
            write: write.into(),
            _read: read.try_clone()?.into(),
        };
        let hold = Hold {
            gate: stdio::lift(read.into())?,
            status: stdio::lift(child_status.into())?,
        };
        let started = self.launch(command, Some(hold))?;
        let identity = Identity::of(started.leader.pid())?;
        Ok(Held {
            started,
            gate,
            status: status.into(),
            identity,
        })
    }

    /// Starts a command at once.
    ///
    /// Cheaper than holding and releasing it, because nothing of this process is copied: for commands that may run
    /// again if nobody wrote down that they began.
    pub fn start(&self, command: Command) -> Result<Running, StartError> {
        self.launch(command, None)?.confirm()
    }

    /// Runs a command to its end.
    pub fn run(&self, command: Command) -> Result<Ended, StartError> {
        Ok(self.start(command)?.wait())
    }

    /// Starts a command that is spoken to while it runs: what it reads, what it writes, and the command itself. Its
    /// `stdin` and its time limit do not count.
    pub fn converse(
        &self,
        command: Command,
    ) -> Result<(Speech, PipeReader, Conversation), StartError> {
        let (their_stdin, speech) = io::pipe()?;
        rustix::io::ioctl_fionbio(&speech, true).map_err(io::Error::from)?;
        let started = self.launch_reading(command, stdio::lift(their_stdin.into())?, None)?;
        let (leader, ours) = started.confirmed()?;
        for output in [&ours.stdout, &ours.stderr] {
            rustix::io::ioctl_fionbio(output, false).map_err(io::Error::from)?;
        }
        let log = Log::new(ours.log, ours.limits.log, &ours.redaction);
        let conversation =
            Conversation::begin(leader, ours.stderr.into(), log, ours.limits.output)?;
        Ok((Speech::new(speech), ours.stdout.into(), conversation))
    }

    fn launch(&self, command: Command, hold: Option<Hold>) -> Result<Started, StartError> {
        let stdin = stdio::stdin(&command.stdin)?;
        self.launch_reading(command, stdin, hold)
    }

    fn launch_reading(
        &self,
        command: Command,
        stdin: OwnedFd,
        hold: Option<Hold>,
    ) -> Result<Started, StartError> {
        let Some(name) = command.argv.first().cloned() else {
            return Err(invalid("a command needs a program").into());
        };
        let policy = command.policy.as_ref();
        let is_unmarked = policy.is_some_and(|policy| policy.unmarked);
        let program = confinement::find_program(&name, &command.cwd, &command.env, policy)?;
        let confined = match &command.policy {
            Some(policy) => {
                let level = self.level().map_err(io::Error::from)?;
                let policy = (policy, command.mounts.as_ref());
                confinement::confine(level, policy, &command.cwd, &program)?
            }
            None => Confined::default(),
        };
        let (program, argv) = match confined.wrapper {
            Some(Wrapper { program, before }) => {
                let own = command.argv.into_iter().skip(1);
                (program, before.into_iter().chain(own).collect())
            }
            None => (program, command.argv),
        };
        let (stdout, child_stdout) = stdio::output()?;
        let (stderr, child_stderr) = stdio::output()?;
        let brand = Brand::next();
        let (group, group_entry) = match command.policy.as_ref().and_then(|policy| policy.memory) {
            Some(limit) => MemoryGroup::make(limit)?.unzip(),
            None => (None, None),
        };
        // Where processes have a table of their own, nobody is looked for by what their environment says.
        let is_unmarked = confined.enclosure.is_some() && is_unmarked;
        let shown_marker = command.marker.as_deref().filter(|_| !is_unmarked);
        let image = Image {
            program: c_string(program.as_os_str())?,
            argv: argv
                .iter()
                .map(|argument| c_string(argument))
                .collect::<io::Result<_>>()?,
            env: environment(command.env, shown_marker)?,
            cwd: c_string(command.cwd.as_os_str())?,
            stdio: [stdin, child_stdout, child_stderr],
            hold,
            brand,
            run_tag: command.marker.as_deref().map(RunTag::of_marker),
            enclosure: confined.enclosure,
            gives_up: confined.gives_up,
            rules: confined.rules,
            filter: confined.filter,
            filter_file: confined.filter_file,
            group_entry,
            memory: command.policy.as_ref().and_then(|policy| policy.memory),
            processes: command.policy.as_ref().and_then(|policy| policy.processes),
        };
        let child = self.spawner.spawn(image)?;
        let failure = child.failure;
        let leader = Leader::new(child, Arc::clone(&self.spawner), brand, command.marker)?;
        let leader = leader.in_group(group);
        let ours = Ours {
            stdout,
            stderr,
            limits: command.limits,
            log: command.log,
            redaction: Arc::clone(&self.redaction),
        };
        Ok(Started {
            leader,
            failure,
            ours,
            program: name,
            cwd: command.cwd,
        })
    }
}

/// Writes the environment as the system takes it, with the marker in place of any other.
fn environment(
    variables: Vec<(OsString, OsString)>,
    marker: Option<&str>,
) -> io::Result<Vec<CString>> {
    let mark = marker.map(|value| (OsString::from(MARKER), OsString::from(value)));
    let kept = variables
        .into_iter()
        .filter(|(name, _)| marker.is_none() || name != MARKER);
    let assign = |(name, value): (OsString, OsString)| {
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(invalid("a variable's name is empty or contains `=`"));
        }
        let mut assignment = name.into_vec();
        assignment.push(b'=');
        assignment.extend(value.into_vec());
        c_string(OsStr::from_bytes(&assignment))
    };
    kept.chain(mark).map(assign).collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| {
        invalid(&format!(
            "`{}` contains a zero byte",
            Path::new(text).display()
        ))
    })
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
