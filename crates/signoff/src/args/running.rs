//! Arguments of the commands that run plans and act on runs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use signoff_store::config::Isolation;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The plan: its file or directory, or its id
    #[arg(value_name = "PLAN", required_unless_present_any = ["task", "from"])]
    pub(crate) path: Option<PathBuf>,
    /// Sign the plan first, as it is now
    #[arg(long, conflicts_with = "task")]
    pub(crate) approve: bool,
    /// Show what would run, in which order and at what cost; start nothing and write nothing
    #[arg(long = "dry-run", conflicts_with = "task")]
    pub(crate) preview: bool,
    /// Run a completed plan again: steps that are unchanged and whose contracts hold are kept
    #[arg(long, conflicts_with = "task")]
    pub(crate) again: bool,
    /// Ignore earlier runs; asks before repeating calls with outside effects
    #[arg(long, conflicts_with = "task")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) limits: RunLimits,
    /// Return as soon as the run has begun: it goes on in the background, with `--engine` on other machines
    #[arg(long, conflicts_with_all = ["preview", "task"])]
    pub(crate) detach: bool,
    /// Hand over this run, which has stopped on this machine, so that other machines continue it
    #[arg(long, value_name = "RUN", conflicts_with_all = ["path", "approve", "preview", "again", "all", "isolation", "jobs", "until", "only", "task"])]
    pub(crate) from: Option<String>,
    /// Where agents work; the default is the configured place
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) isolation: Option<IsolationArg>,
    /// Do this one task: make a plan with one step, sign it and run it
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["path", "until", "only"])]
    pub(crate) task: Option<String>,
    /// The role whose agent does the task; the default is `default`
    #[arg(long, value_name = "ROLE", requires = "task", conflicts_with = "path")]
    pub(crate) agent: Option<String>,
    /// The command that decides whether the task is done; without it, you decide
    #[arg(
        long,
        value_name = "COMMAND",
        requires = "task",
        conflicts_with = "path"
    )]
    pub(crate) contract: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsolationArg {
    /// In trees of the run's own where this machine can mount them, else in the checkout
    Auto,
    /// In trees of the run's own; the checkout stays as it is until the run lands
    Worktree,
    /// In the checkout, one agent after another
    Shared,
}

impl From<IsolationArg> for Isolation {
    fn from(isolation: IsolationArg) -> Self {
        match isolation {
            IsolationArg::Auto => Self::Auto,
            IsolationArg::Worktree => Self::Worktree,
            IsolationArg::Shared => Self::Shared,
        }
    }
}

/// How far a run goes this time.
#[derive(Debug, Default, Args)]
pub(crate) struct RunLimits {
    /// How many steps may run at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) jobs: Option<u32>,
    /// Stop after this step; runs it and every step it depends on
    #[arg(long, value_name = "STEP", conflicts_with = "only")]
    pub(crate) until: Option<String>,
    /// Run this step and no other, then pause
    #[arg(long, value_name = "STEP")]
    pub(crate) only: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// List every run in the shared database, of all projects
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    pub(crate) run: RunArg,
    #[command(flatten)]
    pub(crate) limits: RunLimits,
}

#[derive(Debug, Args)]
pub(crate) struct RunArg {
    /// The run: its name, the beginning or end of it, or its plan; the default is the newest
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// A text that says something.
fn non_empty_text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it says nothing".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Replan {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// Why the plan has to change
    #[arg(long, value_name = "TEXT", value_parser = non_empty_text)]
    pub(crate) because: String,
    /// A new fact for the planner; can be given several times
    #[arg(long = "discovery", value_name = "TEXT", value_parser = non_empty_text)]
    pub(crate) discoveries: Vec<String>,
    /// Continue the run at once, if no process drives it
    #[arg(long)]
    pub(crate) resume: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Land {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// Overwrite these held files with the run's version; a directory means every held file in it
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) take: Vec<PathBuf>,
    /// Keep these held files as they are in your checkout, for example merged by hand
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) keep: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// Keep printing events until the run ends or pauses
    #[arg(long, conflicts_with = "step")]
    pub(crate) follow: bool,
    /// What the agent of this step said and did: its id or its number
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// Of this attempt instead of the last
    #[arg(long, value_name = "N", requires = "step")]
    pub(crate) attempt: Option<u32>,
    /// As the agent printed it
    #[arg(long, requires = "step", conflicts_with = "format")]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run: its name, the beginning or end of it, or its plan; the default is the newest
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// One file that needs nothing else, to read, print or send
    Html,
    /// `signoff.report/1`
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// The question, as `inbox` shows it; its last part, its step or its run will do where only one fits
    pub(crate) item: String,
    /// One of the choices that `inbox` shows, or an answer to the question
    #[arg(required_unless_present = "reply")]
    pub(crate) choice: Option<String>,
    /// The answer to a question: exactly this text, even if it names a choice
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["choice", "note"])]
    pub(crate) reply: Option<String>,
    /// Only this step of an item that is about several; can be given more than once
    #[arg(long = "step", value_name = "STEP")]
    pub(crate) steps: Vec<String>,
    /// Advice for the next attempt, or a reason
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// Other arguments for the tool call that is approved or retried, as a JSON object; the evidence names you
    #[arg(long, value_name = "JSON", conflicts_with_all = ["note", "reply"])]
    pub(crate) args: Option<String>,
    /// Continue the run at once
    #[arg(long)]
    pub(crate) resume: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Step {
    #[command(subcommand)]
    pub(crate) command: StepCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StepCommand {
    /// Try a step again that failed or waits
    #[command(
        after_help = "Example:\n  signoff step retry 20261115-093012-k3f9 step-2 --hint \"the fixture is in tests/data\""
    )]
    Retry {
        #[command(flatten)]
        step: StepArg,
        /// Advice for the next attempt
        #[arg(long, value_name = "TEXT")]
        hint: Option<String>,
    },
    /// Skip a step; the steps that wait for it go on without it
    #[command(after_help = "Example:\n  signoff step skip 20261115-093012-k3f9 step-2")]
    Skip {
        #[command(flatten)]
        step: StepArg,
    },
}

impl StepCommand {
    pub(crate) fn step_arg(&self) -> &StepArg {
        match self {
            Self::Retry { step, .. } | Self::Skip { step } => step,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct StepArg {
    /// The run: its name, the beginning or end of it, or its plan
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The step: its id, or its number as `status` shows it
    #[arg(value_name = "STEP")]
    pub(crate) step: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}
