//! The command line.

mod agentctl;
mod command;
mod connect;
mod editing;
mod guard;
mod lifecycle;
mod nearest;
mod planning;
mod plans;
mod running;
mod serve;
mod store;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, ValueEnum};
use signoff_store::config::ClusterUrl;
use signoff_store::signatures::Proof;

pub(crate) use self::agentctl::{
    Agentctl, AgentctlCommand, Mcp, Prompt, PromptName, ThreadCommand,
};
use self::agentctl::{AgentctlCli, is_agentctl};
pub(crate) use self::command::Command;
pub(crate) use self::connect::Connect;
pub(crate) use self::editing::{AddStep, Comment, Edit, EditCommand, Review, SetField, Watch};
pub(crate) use self::guard::{Guard, GuardCheck, GuardCommand, PlanMode, PlanModeSwitch};
pub(crate) use self::lifecycle::{Cancel, PlanName, Propose, Reject, Revise};
use self::nearest::nearest;
pub(crate) use self::planning::PlanTask;
pub(crate) use self::plans::{
    Convert, Diff, Explain, Fmt, Graph, GraphFormat, Import, Man, New, Show, Verify, VerifyFormat,
};
pub(crate) use self::running::{
    Answer, Land, Log, Replan, Report, ReportFormat, Resume, Run, RunArg, RunLimits, Runs, Step,
    StepCommand,
};
pub(crate) use self::serve::Serve;
pub(crate) use self::store::{Archive, Doctor, DoctorSection, List, Prune};
pub(crate) use self::worker::{Orchestrator, Worker};

/// Runs plans for AI agents, and verifies every step itself.
#[derive(Debug, Parser)]
#[command(
    name = "signoff",
    version,
    propagate_version = false,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    help_template = HELP,
    after_help = EXITS,
)]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    /// Postgres database for shared runs, or `local`; default: `[engine] url` of your own configuration
    #[arg(long, global = true, value_name = "URL", value_parser = engine_url, help_heading = "Shared runs")]
    pub(crate) engine: Option<ClusterUrl>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

fn engine_url(text: &str) -> Result<ClusterUrl, String> {
    ClusterUrl::parse(text)
}

/// `--help` groups the commands by purpose; clap alone would list them without groups. A test compares
/// the list with the commands.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Start:
  demo         See everything once, in a temporary folder
  init         Set up a project
  trust        Allow the commands in a project's configuration to run
  config       Show the settings in force and where they came from

Write:
  plan         Draft a plan for a task with a model
  new          Begin a plan from a template
  import       Make a draft from another tool's plan
  fmt          Format plans
  convert      Write a plan in another dialect

Check:
  verify       Check plans, and report every problem
  show         Show a plan as Signoff understands it
  graph        Draw the dependencies between steps
  diff         Compare two plans
  explain      Explain a problem that `verify` reports

Sign:
  propose      Submit a plan for review
  list         List the plans and their states
  approve      Sign a plan
  reject       Reject a plan, and say why
  revise       Submit a new version of a plan
  review       Review a plan on a screen: read, edit, sign, reject
  edit         Change a field, add a step, move or skip one
  comment      Say something about a plan or a step
  cancel       Cancel a plan
  retry        Let a failed plan run again from scratch
  clone        Copy a plan as a new plan
  delete       Remove a plan from the store

Run:
  run          Run a signed plan
  resume       Continue a run
  runs         List the runs
  status       Show the state of a run
  log          Show what happened in a run
  report       Write what a run did and how we know, as one page
  watch        Watch a run on a screen, and answer what it asks
  inbox        Show what waits on a person
  answer       Answer something in the inbox
  step         Retry or skip one step of a run
  replan       Have a planner draft another version of a run's plan
  pause        Pause a run once the current work has ended
  stop         Stop a run and its agents; it can be resumed
  abort        End a run as failed
  land         Bring a run's changes into the checkout
  undo         Undo a run's changes

Share:
  worker       Work for runs that several machines share
  orchestrator Drive runs that several machines share

Inspect:
  stats        Show statistics about plans and runs
  doctor       Show how this machine confines agents and contracts

Connect:
  connect      Put Signoff into a coding agent
  guard        Stand in front of coding agents, as a hook
  agentctl     Plan the threads of a session and commit their plans
  prompt       Print the system prompt of an agent
  mcp          Serve plans to agents over the Model Context Protocol
  serve        Serve plans to people in a browser, and to programs over HTTP
  tools        List the tools that plans can call

Maintain:
  archive      Move finished plans to the archive
  prune        Delete old archived plans
  completions  Write shell completions
  man          Write manual pages

Options:
{options}{after-help}";

const EXITS: &str = "\
Exit codes: 0 done, 1 invalid plan or failed run, 2 wrong use,
3 waiting on a person, 4 refused, 5 conflict, 6 environment, 130 interrupted

Start with:  signoff demo";

/// Parses the command line, under either name of the program.
pub(crate) fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    if words.first().is_some_and(|program| is_agentctl(program)) {
        let AgentctlCli { color, agentctl } = AgentctlCli::try_parse_from(words)?;
        let command = Command::Agentctl(agentctl);
        return Ok(Cli {
            color,
            engine: None,
            command,
        });
    }
    let words = without_plan_word(words.to_vec());
    Cli::try_parse_from(&words).map_err(|error| nearest(error, &words))
}

/// What `signoff --version` prints.
pub(crate) const VERSION: &str = concat!("signoff ", env!("CARGO_PKG_VERSION"), "\n");

/// Is it `signoff --version`? Then nobody needs the commands, which take longer to set up than everything else here.
pub(crate) fn asks_version(words: &[OsString]) -> bool {
    let [program, word] = words else {
        return false;
    };
    !is_agentctl(program) && (word == "--version" || word == "-V")
}

/// A first `plan` before a command is the `workunit` dialect's spelling: `plan verify FILE`, `plan run FILE`. Before
/// anything else it is the command that drafts a plan.
fn without_plan_word(mut args: Vec<OsString>) -> Vec<OsString> {
    let word = |at: usize| args.get(at).and_then(|arg| arg.to_str());
    let names_command = |name: &str| Cli::command().find_subcommand(name).is_some();
    if word(1) == Some("plan") && word(2).is_some_and(names_command) {
        args.remove(1);
    }
    args
}

/// Does a command line that cannot be parsed ask for JSON?
pub(crate) fn wants_json(words: &[OsString]) -> bool {
    let pairs = words.iter().zip(words.iter().skip(1));
    words.iter().any(|word| word == "--format=json")
        || pairs
            .into_iter()
            .any(|(name, value)| name == "--format" && value == "json")
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Show how a sentence becomes a plan, and a failure a new version of it
    #[arg(long, conflicts_with = "page")]
    pub(crate) plan: bool,
    /// Keep the temporary folder and print its path
    #[arg(long)]
    pub(crate) keep: bool,
    /// Open the page instead, with a plan for you to review, correct, sign and watch, until Ctrl-C
    #[arg(long)]
    pub(crate) page: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FormatOnly {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// Only this setting (`approval.proof`) or section (`approval`)
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArg {
    /// The plan: its file or directory, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) path: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) plan: PlanArg,
    /// A note to store with the signature
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// Run the plan at once
    #[arg(long)]
    pub(crate) run: bool,
    /// Refuse unless the plan's digest begins with this (at least 8 digits)
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect_digest: Option<String>,
    /// Refuse unless the plan has this version
    #[arg(long, value_name = "N")]
    pub(crate) expect_version: Option<u64>,
    /// How to prove that it is you; at least what the configuration requires
    #[arg(long, value_enum, value_name = "PROOF")]
    pub(crate) proof: Option<ProofArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProofArg {
    /// You typed the command
    Any,
    /// You confirm it on your terminal
    Terminal,
    /// You sign with your SSH key, as with git
    Key,
}

impl From<ProofArg> for Proof {
    fn from(proof: ProofArg) -> Self {
        match proof {
            ProofArg::Any => Self::Any,
            ProofArg::Terminal => Self::Terminal,
            ProofArg::Key => Self::Key,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct McpProxy {
    /// The socket of the harness
    pub(crate) socket: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ScriptedAgent {
    pub(crate) script: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs; the schemas are in docs/schemas
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_definition() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_version_is_what_clap_would_print() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for line in ["signoff --version", "signoff -V"] {
            assert!(asks_version(&words(line)), "{line}");
            let printed = parse(&words(line)).unwrap_err();
            assert_eq!(printed.to_string(), VERSION);
        }
        for line in [
            "agentctl --version",
            "signoff",
            "signoff run --version",
            "signoff --version -q",
        ] {
            assert!(!asks_version(&words(line)), "{line}");
        }
    }

    #[test]
    fn help_names_every_command_and_no_other() {
        let listed: Vec<&str> = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let command = Cli::command();
        let existing: Vec<&str> = command
            .get_subcommands()
            .filter(|one| !one.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        assert_eq!(listed, existing);
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command()
            .get_subcommands()
            .filter(|one| !one.is_hide_set())
        {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.contains("signoff "), "{}", command.get_name());
        }
    }

    #[test]
    fn the_guard_knows_every_command() {
        use signoff_plan::guard::{OwnCommand, own_command};
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            assert_ne!(own_command(&[name]), OwnCommand::Unknown, "{name}");
        }
    }

    #[test]
    fn the_word_plan_may_stand_before_a_command() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            without_plan_word(words("signoff plan run x.md")),
            words("signoff run x.md")
        );
        assert_eq!(
            without_plan_word(words("signoff plan nonsense")),
            words("signoff plan nonsense")
        );
        let task = ["signoff", "plan", "run the tests"].map(OsString::from);
        assert_eq!(without_plan_word(task.to_vec()), task);
    }
}
