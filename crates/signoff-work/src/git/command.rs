//! Starts git with an environment of our own, so that no setting makes it start another program.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, StartError, Stdin};

use crate::call::StopFlag;
use crate::environment::{Variables, path_outside};
use crate::git::durable::Durability;
use crate::git::error::GitError;

/// Longer than any call takes that is not blocked.
const LONGEST: Duration = Duration::from_mins(10);
/// Bytes of output that are kept.
const OUTPUT: u64 = 64 << 20;

/// Starts git.
#[derive(Clone)]
pub struct Git {
    sandbox: Arc<Sandbox>,
    /// What every git gets.
    env: Arc<[(OsString, OsString)]>,
    /// Where the person's own configuration is found: for reading values out of it, and for the person's references.
    home: Arc<[(OsString, OsString)]>,
    /// Ends calls under way.
    stop: StopFlag,
    durability: Durability,
}

impl fmt::Debug for Git {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Git").finish_non_exhaustive()
    }
}

impl Git {
    /// Git as this environment finds it, but never one that lies in the workspace: agents write there.
    pub fn new(sandbox: Arc<Sandbox>, variables: &Variables, workspace: &Path) -> Self {
        let path = variables.get(OsStr::new("PATH"));
        let path = path_outside(path.map_or(OsStr::new(""), |path| path), workspace);
        let fixed = [
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_PAGER", "cat"),
            // A commit is exactly what its name identifies: replacements are off.
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            // An object that is missing is not fetched: that would start programs.
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_ALLOW_PROTOCOL", ""),
        ];
        let fixed = fixed.map(|(name, value)| (name.into(), value.into()));
        let own = ["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"]
            .into_iter()
            .filter_map(|name| {
                let value = variables.get(OsStr::new(name))?;
                Some((name.into(), value.clone()))
            });
        Self {
            sandbox,
            env: fixed.into_iter().chain([("PATH".into(), path)]).collect(),
            home: own.collect(),
            stop: StopFlag::new(),
            durability: Durability::default(),
        }
    }

    /// The same, whose objects, references and landed files survive a power failure.
    #[must_use]
    pub fn surviving_power_failures(mut self) -> Self {
        self.durability = Durability::power_loss();
        self
    }

    pub(crate) fn durability(&self) -> &Durability {
        &self.durability
    }

    /// The same, whose calls end when this flag is raised: a tree may hold them up. What writes to the person's
    /// repository is not cut off.
    #[must_use]
    pub fn with_stop(mut self, stop: StopFlag) -> Self {
        self.stop = stop;
        self
    }

    /// Raised when a run is being stopped.
    pub(crate) fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }

    /// The person's home, for what is named relative to it.
    pub(crate) fn home(&self, name: &str) -> Option<PathBuf> {
        let mut variables = self.home.iter();
        let (_, value) = variables.find(|(own, _)| own == name)?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    }

    /// A call in this directory, that sees no configuration but the repository's.
    pub(crate) fn call(&self, directory: &Path) -> GitCall<'_> {
        GitCall {
            git: self,
            directory: directory.to_owned(),
            words: Vec::new(),
            env: Vec::new(),
            settings: Vec::new(),
            stdin: Stdin::Null,
            outlives: false,
            time: LONGEST,
        }
    }
}

/// One call of git, as it is put together.
#[derive(Clone)]
pub(crate) struct GitCall<'g> {
    git: &'g Git,
    directory: PathBuf,
    words: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    settings: Vec<(OsString, OsString)>,
    stdin: Stdin,
    outlives: bool,
    time: Duration,
}

/// What git printed, and its exit code.
#[derive(Debug)]
pub(crate) struct GitOutput {
    /// The exit code.
    pub(crate) code: i32,
    /// Everything it printed.
    pub(crate) out: Vec<u8>,
    /// The end of its standard error.
    pub(crate) complaint: String,
}

impl GitCall<'_> {
    pub(crate) fn args<W: Into<OsString>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        // The last value wins: git would read the first.
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.into(), value.into()));
        self
    }

    /// A setting that goes before every configuration file's.
    pub(crate) fn setting(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// With the person's own configuration.
    pub(crate) fn with_home(mut self) -> Self {
        self.env.extend(self.git.home.iter().cloned());
        self
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = Stdin::Bytes(bytes);
        self
    }

    /// It comes to its end even if the harness is killed: it holds locks in the person's repository.
    pub(crate) fn outliving_harness(mut self) -> Self {
        self.outlives = true;
        self
    }

    /// It is ended after this time, which is no longer than any call may take.
    pub(crate) fn with_time_limit(mut self, time: Duration) -> Self {
        self.time = time.min(LONGEST);
        self
    }

    /// Runs it and accepts only exit code 0.
    pub(crate) fn run(self) -> Result<Vec<u8>, GitError> {
        Ok(self.run_to(&[0])?.out)
    }

    /// Runs it and accepts these exit codes.
    pub(crate) fn run_to(self, codes: &[i32]) -> Result<GitOutput, GitError> {
        let tried = self.shown_command();
        let said = self.run_to_any_code()?;
        if codes.contains(&said.code) {
            return Ok(said);
        }
        let words = said.complaint.trim();
        let said = match words {
            "" => format!("exit code {}", said.code),
            words => words.to_owned(),
        };
        Err(GitError::failed(tried, said))
    }

    /// Runs it and accepts every exit code.
    pub(crate) fn run_to_any_code(self) -> Result<GitOutput, GitError> {
        let (tried, time) = (self.shown_command(), self.time);
        let (git, outlives) = (self.git, self.outlives);
        let started = |error| GitError::Start {
            tried: tried.clone(),
            error,
        };
        let command = self.command();
        let running = if outlives {
            git.sandbox.start_outliving(command)
        } else {
            git.sandbox.start(command)
        };
        let running = running.map_err(started)?;
        let stopper = running.stopper();
        let listening = (!outlives).then(|| git.stop.when_raised(move || stopper.stop()));
        let ended = running.wait();
        drop(listening);
        let how = |said: String| GitError::Failed {
            tried: tried.clone(),
            said,
        };
        let code = match ended.status {
            ExitStatus::Exited(code) => code,
            ExitStatus::Signaled(signal) => return Err(how(format!("ended by signal {signal}"))),
            ExitStatus::TimedOut => return Err(how(format!("it took longer than {time:?}"))),
            ExitStatus::Stopped => return Err(GitError::Stopped { tried }),
        };
        let out = ended.stdout.bytes().ok_or(GitError::TooMuch { tried })?;
        let complaint = ended.stderr.tail(4096);
        Ok(GitOutput {
            code,
            out,
            complaint,
        })
    }

    /// The command as messages show it, such as `git add`.
    fn shown_command(&self) -> String {
        let word = self.words.first().map(|word| word.display().to_string());
        format!("git {}", word.unwrap_or_default())
    }

    fn command(self) -> Command {
        let mut env: Vec<(OsString, OsString)> = self.git.env.to_vec();
        env.extend(self.env);
        env.push((
            "GIT_CONFIG_COUNT".into(),
            self.settings.len().to_string().into(),
        ));
        // In the environment rather than by `-c`: a name may hold any character.
        for (at, (name, value)) in self.settings.into_iter().enumerate() {
            env.push((format!("GIT_CONFIG_KEY_{at}").into(), name));
            env.push((format!("GIT_CONFIG_VALUE_{at}").into(), value));
        }
        let program = std::iter::once(OsString::from("git"));
        Command {
            argv: program.chain(self.words).collect(),
            cwd: self.directory,
            env,
            stdin: self.stdin,
            marker: None,
            limits: Limits {
                time: Some(self.time),
                output: OUTPUT,
                log: 0,
            },
            log: None,
            policy: None,
            mounts: None,
        }
    }
}

/// Whether git is not installed at all.
pub fn is_absent(error: &GitError) -> bool {
    matches!(
        error,
        GitError::Start {
            error: StartError::NotFound { .. },
            ..
        }
    )
}
