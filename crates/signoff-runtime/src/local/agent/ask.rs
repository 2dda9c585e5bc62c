//! Asks an agent for a text outside of a run: it reads the checkout and changes nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signoff_sandbox::{Command, CommandReport, ExitStatus, RunningCommand, Sandbox, Stopper};
use signoff_store::config::{AgentSettings, SandboxMode};
use signoff_work::agent::{
    AgentEnd, AgentExit, AgentProblem, DriverKind, Invocation, LaunchOptions, LineSplitter,
};
use signoff_work::confine::LoginKeeper;
use signoff_work::environment::for_agent;

use super::activity::AgentActivity;
use super::channel::AgentChannel;
use super::monitor::{STDERR_TAIL, problem_text};
use super::question_directory::{QuestionDirectory, remove_stale};
use crate::confinement::{self, Scratch};
use crate::error::Error;
use crate::local::agent_command::{PROMPT, driver_kind, prices};
use crate::project::Project;
use crate::project::agents::agent_requirements;
use crate::project::directories::login_locks;
use crate::project::sandbox_level::level;
use crate::trust::helpers::pin_agent;

/// Tools of an agent that changes nothing.
const READ_ONLY: [&str; 3] = ["read_file", "list_directory", "search_files"];

/// What an agent is asked.
pub(crate) struct AgentQuestion<'a> {
    pub(crate) project: &'a Project,
    pub(crate) agent: &'a AgentSettings,
    pub(crate) prompt: &'a str,
    /// How long the answer may take.
    pub(crate) timeout: Duration,
    /// How long it may say nothing.
    pub(crate) idle_timeout: Duration,
    /// Bytes of an answer that are kept.
    pub(crate) output: u64,
}

/// What it answered.
pub(crate) struct AgentAnswer {
    pub(crate) text: String,
    /// How many bytes it answered, if that is more than was kept.
    pub(crate) cut_from: Option<u64>,
    pub(crate) spent: AgentSpending,
}

/// What an answer cost.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentSpending {
    pub(crate) model: Option<String>,
    pub(crate) tokens: Option<u64>,
    pub(crate) usd_e6: Option<u64>,
}

/// Why there is no answer.
pub(crate) enum AskError {
    /// The agent could not be started.
    NotStarted(Error),
    /// It ended without an answer.
    NoAnswer {
        why: String,
        spent: Box<AgentSpending>,
    },
    /// The person stopped it.
    Stopped,
}

impl From<Error> for AskError {
    fn from(error: Error) -> Self {
        Self::NotStarted(error)
    }
}

/// Ends a question from another thread; clones share it.
#[derive(Debug, Clone, Default)]
pub struct QuestionStop(Arc<Mutex<StopState>>);

#[derive(Debug, Default)]
struct StopState {
    is_stopped: bool,
    stopper: Option<Stopper>,
}

impl QuestionStop {
    /// Ends the agent that is asked now, and every one that would be asked later.
    pub fn stop_agents(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_stopped = true;
        if let Some(stopper) = &state.stopper {
            stopper.stop();
        }
    }

    fn watch(&self, stopper: Stopper) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_stopped {
            stopper.stop();
        }
        state.stopper = Some(stopper);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_stopped
    }
}

/// Starts the agent in the sandbox, and waits for its answer.
pub(crate) fn ask(
    question: &AgentQuestion<'_>,
    stop: &QuestionStop,
) -> Result<AgentAnswer, AskError> {
    let logins = LoginKeeper::new(login_locks(question.project));
    remove_stale(question.project, &logins);
    let directory = QuestionDirectory::make().map_err(Error::Sandbox)?;
    let prepared = question.prepare(&directory, &logins)?;
    let sandbox = Sandbox::with_level(level(question.project)?).map_err(Error::Sandbox)?;
    let running = sandbox.start(prepared.command);
    let running = running.map_err(|error| AskError::NoAnswer {
        why: error.to_string(),
        spent: Box::default(),
    })?;
    stop.watch(running.stopper());
    let listener = Listener {
        talk: prepared.talk,
        activity: AgentActivity::new(prepared.driver.name(), prices(question.project)),
        idle_timeout: question.idle_timeout,
    };
    let heard = listener.follow(running);
    drop(prepared.scratch);
    if stop.is_stopped() {
        return Err(AskError::Stopped);
    }
    heard.answer(question, prepared.driver)
}

/// Where files for an agent are put, so that it can read them.
enum LaunchDirectory {
    /// A directory that the agent sees at the same path.
    Visible(PathBuf),
    /// The agent's temporary directory, which it finds elsewhere.
    Temporary(PathBuf),
}

impl LaunchDirectory {
    /// Writes a file, and returns where the agent finds it.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let (directory, seen) = match self {
            Self::Visible(directory) => (directory, directory.as_path()),
            Self::Temporary(directory) => (directory, Path::new("/tmp")),
        };
        let path = directory.join(name);
        std::fs::write(&path, bytes).map_err(|why| Error::Unreadable { path, why })?;
        Ok(seen.join(name))
    }
}

/// An agent that can be started.
struct PreparedQuestion {
    command: Command,
    talk: AgentChannel,
    driver: DriverKind,
    /// Its home and its temporary files.
    scratch: Scratch,
}

impl AgentQuestion<'_> {
    fn prepare(
        &self,
        directory: &QuestionDirectory,
        logins: &LoginKeeper,
    ) -> Result<PreparedQuestion, Error> {
        let (project, agent) = (self.project, self.agent);
        let level = level(project)?;
        let needs = agent_requirements(agent);
        let variables = &project.process.variables;
        let mut scratch = Scratch::make(directory.scratch()).map_err(Error::Sandbox)?;
        let paths = confinement::run_paths(project, &project.store.config_path(), level);
        let confined = paths
            .map(|paths| paths.for_reader(scratch.path(), &needs, variables))
            .transpose()
            .map_err(Error::Sandbox)?;
        if let Some(confined) = &confined {
            scratch.keep_logins(logins.keep(confined.logins()));
        }
        let is_off = project.config.sandbox.mode.value == SandboxMode::Off;
        let is_mounted = level.uses_mounts() && !is_off;
        let files = if is_mounted {
            LaunchDirectory::Temporary(scratch.path().join("tmp"))
        } else {
            LaunchDirectory::Visible(scratch.path().to_owned())
        };
        let prompt_file = files.write(PROMPT, self.prompt.as_bytes())?;
        let tools = READ_ONLY.map(str::to_owned);
        let options = LaunchOptions {
            command: &agent.command,
            prompt: self.prompt,
            prompt_file: &prompt_file,
            workspace: project.store.workspace(),
            model: agent.model.as_deref(),
            tools: Some(&tools),
            confined: is_mounted,
            resume: None,
            guard: None,
        };
        let driver = driver_kind(agent.driver);
        let launch = driver.driver().launch(&options);
        for file in &launch.files {
            files.write(file.name, &file.bytes)?;
        }
        let talk = AgentChannel::new(driver, &options, None);
        let shown = &project.config.sandbox.env.value;
        let mut environment = for_agent(variables, shown, needs.variables(variables));
        let policy = confined.map(|confined| confined.into_policy(&mut environment));
        let invocation = Invocation {
            launch,
            prompt: self.prompt,
            workspace: project.store.workspace(),
            environment,
            marker: directory.marker(),
            time: self.timeout,
            log: scratch.path().join("agent.log"),
        };
        let mut command = invocation.into_command();
        command.limits.output = self.output;
        pin_agent(
            project,
            &agent.command,
            project.store.workspace(),
            &mut command,
        )?;
        command.policy = policy;
        Ok(PreparedQuestion {
            command,
            talk,
            driver,
            scratch,
        })
    }
}

/// Follows the agent to its end.
struct Listener {
    talk: AgentChannel,
    activity: AgentActivity,
    idle_timeout: Duration,
}

/// What it has reported.
struct ParsedAnswer {
    command: CommandReport,
    end: AgentEnd,
    is_idle: bool,
    /// It said that it is done, and was ended then.
    is_done: bool,
    spent: AgentSpending,
}

impl Listener {
    fn follow(mut self, mut running: RunningCommand) -> ParsedAnswer {
        let stopper = running.stopper();
        self.talk.begin(running.take_stdin());
        let mut lines = LineSplitter::default();
        let (mut is_idle, mut is_done) = (false, false);
        let mut last = Instant::now();
        let command = running.wait_with(&mut |bytes| {
            if !bytes.is_empty() {
                last = Instant::now();
            } else if last.elapsed() >= self.idle_timeout {
                is_idle = true;
                stopper.stop();
            }
            lines.push(bytes, |line| is_done |= self.read_line(line));
            if is_done {
                stopper.stop();
            }
        });
        lines.finish(|line| is_done |= self.read_line(line));
        let stderr = command.stderr.tail(STDERR_TAIL);
        let end = self.talk.finish(AgentExit {
            status: command.status,
            stderr: stderr.as_bytes(),
        });
        let used = self.activity.live_usage();
        ParsedAnswer {
            command,
            end,
            is_idle,
            is_done,
            spent: AgentSpending {
                model: self.activity.snapshot(String::new()).model,
                tokens: (used.tokens > 0).then_some(used.tokens),
                usd_e6: used.usd_e6.filter(|_| used.tokens > 0),
            },
        }
    }

    /// Reads a line; returns whether the agent has nothing more to do.
    fn read_line(&mut self, line: &[u8]) -> bool {
        let heard = self.talk.read_line(line);
        for event in heard.events {
            self.activity.note(event);
        }
        if let Some(question) = &heard.asks {
            // Nobody is asked for a permission while a plan is drafted: reading needs none.
            self.talk.deny(question);
        }
        heard.is_done
    }
}

impl ParsedAnswer {
    fn answer(
        self,
        question: &AgentQuestion<'_>,
        driver: DriverKind,
    ) -> Result<AgentAnswer, AskError> {
        let secrets = question.project.secrets();
        let failed = |why: String| AskError::NoAnswer {
            why: secrets.hide(&why).into_owned(),
            spent: Box::new(self.spent.clone()),
        };
        let limit = |limit: Duration| signoff_plan::duration::format(limit);
        if self.is_idle {
            let limit = limit(question.idle_timeout);
            return Err(failed(format!("the agent said nothing for {limit}")));
        }
        if self.command.status == ExitStatus::TimedOut {
            let limit = limit(question.timeout);
            return Err(failed(format!("the agent gave no answer within {limit}")));
        }
        let problem = self.end.problem.as_ref().filter(|_| !self.is_done);
        if let Some(problem) = problem.filter(|problem| leaves_no_answer(problem)) {
            return Err(failed(problem_text(problem, driver)));
        }
        if driver == DriverKind::Command {
            let output = &self.command.stdout;
            return Ok(AgentAnswer {
                text: output.text(),
                cut_from: output.is_cut().then(|| output.bytes_total()),
                spent: self.spent,
            });
        }
        Ok(AgentAnswer {
            text: self.end.text,
            cut_from: None,
            spent: self.spent,
        })
    }
}

/// An answer counts even if it used no tools and ends with a question.
fn leaves_no_answer(problem: &AgentProblem) -> bool {
    !matches!(
        problem,
        AgentProblem::AskedQuestion(_) | AgentProblem::Denied { .. }
    )
}
