//! Arguments of `agentctl`, `prompt` and `mcp`.

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::{Color, Format};

/// The program when it is called as `agentctl`.
#[derive(Debug, Parser)]
#[command(
    name = "agentctl",
    version,
    propagate_version = false,
    disable_help_subcommand = true,
    about = ABOUT,
    after_help = AFTER_HELP,
)]
pub(crate) struct AgentctlCli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    #[command(flatten)]
    pub(crate) agentctl: Agentctl,
}

pub(super) const ABOUT: &str = "Plan the threads of a session and commit their plans";

pub(super) const AFTER_HELP: &str = "\
Examples:
  agentctl plan dir
  agentctl plan request-thread-dir
  agentctl plan commit --format json
  agentctl set-topic \"Add user authentication\"

Without a link of that name: `signoff agentctl …`.

AGENTCTL_SESSION_ID names the session; AGENTFLOW_PLANS_DIR is where the
directories are, instead of ~/.agentflow/plans

Exit codes: 0 done, 1 a plan cannot be committed, 2 wrong use, no session or
unknown thread, 5 the plan in the store was edited or is running, 6 no store";

#[derive(Debug, Args)]
pub(crate) struct Agentctl {
    #[command(subcommand)]
    pub(crate) command: AgentctlCommand,
}

impl Agentctl {
    pub(crate) fn format(&self) -> Format {
        match &self.command {
            AgentctlCommand::Plan(plan) => match &plan.command {
                ThreadCommand::Dir(args)
                | ThreadCommand::RequestThreadDir(args)
                | ThreadCommand::ClearCurrent(args)
                | ThreadCommand::Commit(args) => args.format,
                ThreadCommand::RemoveThread(args) => args.format,
            },
            AgentctlCommand::SetTopic(args) => args.format,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentctlCommand {
    /// The plans of this session's threads
    Plan(ThreadPlan),
    /// Set the topic of this session, in a few words
    #[command(after_help = "Example:\n  agentctl set-topic \"Add user authentication\"")]
    SetTopic(SetTopic),
}

#[derive(Debug, Args)]
pub(crate) struct ThreadPlan {
    #[command(subcommand)]
    pub(crate) command: ThreadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThreadCommand {
    /// Print the directory of the current thread
    #[command(after_help = "Example:\n  agentctl plan dir")]
    Dir(ThreadFormat),
    /// Allocate a directory for another thread; prints `{"thread_id","plan_dir"}` in every format
    #[command(after_help = "Example:\n  agentctl plan request-thread-dir")]
    RequestThreadDir(ThreadFormat),
    /// Remove an additional thread; cancels its plan if that was committed
    #[command(after_help = "Example:\n  agentctl plan remove-thread --thread-id thread_1a2b3c4d")]
    RemoveThread(RemoveThread),
    /// Remove the plan of the current thread; cancels it if it was committed
    #[command(after_help = "Example:\n  agentctl plan clear-current && agentctl plan commit")]
    ClearCurrent(ThreadFormat),
    /// Check the plans of all threads and submit them: all of them, or none
    #[command(
        after_help = "Examples:\n  agentctl plan commit\n  agentctl plan commit --format json\n\nEvery problem of every plan is reported at once. Exit codes: 1 a plan cannot be\ncommitted, 5 a plan in the store was edited or is running, 6 no store"
    )]
    Commit(ThreadFormat),
}

#[derive(Debug, Args)]
pub(crate) struct ThreadFormat {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveThread {
    /// The thread, as `request-thread-dir` named it
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) thread_id: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct SetTopic {
    /// At most 100 characters
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Prompt {
    /// Which prompt
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: PromptName,
    /// For `arbiter` the run: its name, the beginning or end of it, or its plan; the default is the newest. For `template`
    /// the template's name, `replan` say; without it all names are listed
    #[arg(value_name = "RUN|TEMPLATE")]
    pub(crate) about: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptName {
    /// For the agent that plans threads, with the directories of this session
    Overseer,
    /// For the model that chooses who does the next step of a run
    Arbiter,
    /// A template of what models are told, as it is in force; a file in `.signoff/prompts` replaces it
    Template,
}

/// Was the program started under the name `agentctl`?
pub(crate) fn is_agentctl(program: &std::ffi::OsStr) -> bool {
    std::path::Path::new(program).file_name() == Some(std::ffi::OsStr::new("agentctl"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_accepts_the_definition() {
        AgentctlCli::command().debug_assert();
    }

    #[test]
    fn only_the_last_part_of_the_path_counts() {
        let check = |program: &str| is_agentctl(program.as_ref());
        assert!(check("agentctl") && check("/usr/bin/agentctl") && check("./agentctl"));
        assert!(!check("signoff") && !check("agentctl/signoff") && !check(""));
    }

    #[test]
    fn a_topic_may_begin_with_a_hyphen() {
        let parsed = AgentctlCli::try_parse_from(["agentctl", "set-topic", "- a list"]);
        assert!(parsed.is_ok(), "{parsed:?}");
    }
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The project; the default is the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<std::path::PathBuf>,
}
