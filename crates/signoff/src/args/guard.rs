//! Arguments of the guard.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use signoff_plan::guard::Agent;

use super::{Format, FormatOnly};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Guard {
    /// The agent that calls; without it, the agent is recognized by its input
    #[arg(long, value_name = "AGENT", value_parser = agents())]
    pub(crate) agent: Option<String>,
    /// The hook belongs to a project: deny everything if the project has no store
    #[arg(long)]
    pub(crate) project: bool,
    #[command(subcommand)]
    pub(crate) command: Option<GuardCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Switch plan mode of an agent's session: only reading and planning pass while it is on
    #[command(
        after_help = "Examples:\n  signoff guard plan-mode on --session 5f0c2a\n  signoff guard plan-mode show --session 5f0c2a --format json"
    )]
    PlanMode(PlanMode),
    /// Say whether a command line passes in plan mode, and why not
    #[command(
        after_help = "Examples:\n  signoff guard check 'git log --oneline | head'\n  signoff guard check 'sed -i s/a/b/ x'\n\nExit codes: 0 it passes · 4 it does not"
    )]
    Check(GuardCheck),
    /// Summarize what was denied, and what would have been denied if `[guard] mode` is `log`
    #[command(
        after_help = "Examples:\n  signoff guard report\n  signoff guard report --format json"
    )]
    Report(FormatOnly),
}

#[derive(Debug, Args)]
pub(crate) struct PlanMode {
    /// What to do
    #[arg(value_enum)]
    pub(crate) switch: PlanModeSwitch,
    /// The agent's session, by the id that the agent gives it
    #[arg(long, value_name = "ID")]
    pub(crate) session: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanModeSwitch {
    /// Only reading and planning pass
    On,
    /// End plan mode; only a person can
    Off,
    /// Say whether it is on
    Show,
}

#[derive(Debug, Args)]
pub(crate) struct GuardCheck {
    /// The command line, in quotes
    #[arg(value_name = "COMMAND")]
    pub(crate) text: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

impl Guard {
    pub(crate) fn format(&self) -> Format {
        match &self.command {
            None => Format::Human,
            Some(GuardCommand::PlanMode(args)) => args.format,
            Some(GuardCommand::Check(args)) => args.format,
            Some(GuardCommand::Report(args)) => args.format,
        }
    }
}

fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(Agent::ALL.map(Agent::name))
}
