//! What can be typed.

mod agentctl;
mod lifecycle;
mod nearest;
mod plans;
mod running;
mod store;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use signoff_store::signatures::Proof;

pub(crate) use self::agentctl::{Agentctl, AgentctlCommand, Prompt, PromptName, ThreadCommand};
use self::agentctl::{AgentctlCli, is_agentctl};
pub(crate) use self::lifecycle::{Cancel, PlanName, Propose, Reject, Revise};
use self::nearest::nearest;
pub(crate) use self::plans::{
    Convert, Diff, Explain, Fmt, Graph, GraphFormat, Man, New, Show, Verify, VerifyFormat,
};
pub(crate) use self::running::{
    Answer, Land, Log, Resume, Run, RunArg, RunLimits, Step, StepCommand,
};
pub(crate) use self::store::{Archive, Doctor, List, Prune};

/// Runs plans that AI agents carry out and that nobody has to take on trust.
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

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// `--help` groups the commands by what people want; clap alone would list them in one heap. A test
/// compares it with the commands there are.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Start:
  demo         See everything once, in a temporary folder
  init         Set up a project
  trust        Let the commands in a project's configuration run
  config       Show the settings in force and where they came from

Write:
  new          Begin a plan from a template
  fmt          Bring plans into the usual form
  convert      Write a plan in another dialect

Check:
  verify       Check plans like source code
  show         Show a plan as it was understood
  graph        Draw what waits for what
  diff         Show what differs between two plans
  explain      Explain a problem that `verify` reports

Sign:
  propose      Hand a plan in
  list         Show every plan and where it stands
  approve      Sign a plan off
  reject       Say no to a plan, and why
  revise       Hand in a new text of a plan
  cancel       Give a plan up
  retry        Have a failed plan tried again from scratch
  clone        Copy a plan as a new one
  delete       Take a plan out of the store

Run:
  run          Run a signed plan
  resume       Go on with a run
  runs         List the runs there are
  status       Show where a run stands
  log          Show what happened in a run
  inbox        Show what waits on a person
  answer       Answer something in the inbox
  step         Have one step of a run tried again, or skip it
  pause        Start nothing new in a run
  stop         Stop a run and its agents; it can be resumed
  abort        Give a run up: it has failed
  land         Bring what a run did into the checkout
  undo         Take back what a run did

Prove:
  stats        Show what the plans add up to
  doctor       Tell how agents and contracts are confined here

Connect:
  agentctl     Plan the threads of a session and commit their plans
  prompt       Print what an agent is told before it begins
  tools        List the tools that plans can call

Keep:
  archive      Move finished plans out of the way
  prune        Delete old archived plans for good
  completions  Write shell completions
  man          Write manual pages

Options:
{options}{after-help}";

const EXITS: &str = "\
Exit codes: 0 done, 1 invalid plan or failed run, 2 wrong use,
3 waiting on a person, 4 refused, 5 conflict, 6 environment, 130 interrupted

Start with:  signoff demo";

/// Understands what was typed, under either name of the program.
pub(crate) fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    if words.first().is_some_and(|program| is_agentctl(program)) {
        let AgentctlCli { color, agentctl } = AgentctlCli::try_parse_from(words)?;
        let command = Command::Agentctl(agentctl);
        return Ok(Cli { color, command });
    }
    let words = without_plan_word(words.to_vec());
    Cli::try_parse_from(&words).map_err(|error| nearest(error, &words))
}

/// A first `plan` before a command is the `workunit` dialect's spelling: `plan verify FILE`, `plan run FILE`.
fn without_plan_word(mut args: Vec<OsString>) -> Vec<OsString> {
    let word = |at: usize| args.get(at).and_then(|arg| arg.to_str());
    let names_command = |name: &str| Cli::command().find_subcommand(name).is_some();
    if word(1) == Some("plan") && word(2).is_some_and(names_command) {
        args.remove(1);
    } else if word(1) == Some("plan") && matches!(word(2), None | Some("--help" | "-h")) {
        // Planning with a model is for a later version; what there is, `--help` shows.
        args.truncate(1);
        args.push("--help".into());
    }
    args
}

/// Did somebody ask for JSON in a line that cannot be understood otherwise?
pub(crate) fn wants_json(words: &[OsString]) -> bool {
    let pairs = words.iter().zip(words.iter().skip(1));
    words.iter().any(|word| word == "--format=json")
        || pairs
            .into_iter()
            .any(|(name, value)| name == "--format" && value == "json")
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See everything once, in a temporary folder: no key, no network, no set-up
    #[command(after_help = "Example:\n  signoff demo")]
    Demo(Demo),
    /// Set up a project: `.signoff/` with a configuration to fill in
    #[command(after_help = "Example:\n  signoff init")]
    Init(FormatOnly),
    /// Let the commands in this project's configuration run, as it is now
    #[command(after_help = "Example:\n  signoff trust")]
    Trust(FormatOnly),
    /// Show the settings in force and where each came from
    #[command(
        after_help = "Examples:\n  signoff config\n  signoff config approval.proof\n  signoff config --format json"
    )]
    Config(Config),
    /// Begin a plan: from a template, or from a plan there is
    #[command(
        after_help = "Examples:\n  signoff new fix-login --template bugfix --set problem=\"Login fails with a long password\" --set test=\"cargo test\"\n  signoff new --list\n  signoff new --from plan.md --save nightly"
    )]
    New(New),
    /// Bring plans into the usual form; what they mean, and their digest, stay as they are
    #[command(after_help = "Examples:\n  signoff fmt plan.md\n  signoff fmt docs/plans --check")]
    Fmt(Fmt),
    /// Write a plan in another dialect; what that dialect cannot hold is said, and refused
    #[command(
        after_help = "Examples:\n  signoff convert plan.md --to record\n  signoff convert plan.md --to thread -o plans/thread\n  signoff convert plan.md --to toolplan --lossy -o plan.json"
    )]
    Convert(Convert),
    /// Check plans like source code: every problem at once, with its place
    #[command(
        after_help = "Examples:\n  signoff verify plan.md\n  signoff verify docs/plans --deny warnings\n  signoff verify plans --format sarif > plans.sarif\n  cat plan.md | signoff verify -"
    )]
    Verify(Verify),
    /// Show a plan as it was understood: steps, dependencies, contracts, state
    #[command(after_help = "Example:\n  signoff show plan.md --format json")]
    Show(Show),
    /// Draw what waits for what: in the terminal, or as SVG, Mermaid or Graphviz text
    #[command(
        after_help = "Examples:\n  signoff graph plan.md\n  signoff graph plan.md --format svg > plan.svg\n  signoff graph --run"
    )]
    Graph(Graph),
    /// Show what differs between two plans, in any dialects; exit code 1 if anything does
    ///
    /// Compared is what a signature covers: a change that is not shown does not void one.
    #[command(
        after_help = "Examples:\n  signoff diff old.md new.md\n  signoff diff plan.md plan.yaml --format json\n  signoff diff --signed plan.md\n\nExit codes: 0 the same · 1 different · 2 wrong use"
    )]
    Diff(Diff),
    /// Explain a problem that `verify` reports: what it is, why it matters, what to write instead
    #[command(after_help = "Examples:\n  signoff explain contract-vacuous\n  signoff explain")]
    Explain(Explain),
    /// Hand a plan in, so that a person can sign it off or reject it
    ///
    /// A file of the project stays where it is; what comes from stdin, and a JSON proposal
    /// (`{"title", "steps": [{"description", "tool", "operation", "target"}], "context"}`), is kept
    /// as a new plan `PLAN-xxxxxxxx`.
    #[command(
        after_help = "Examples:\n  signoff propose plan.md\n  signoff propose - < proposal.json"
    )]
    Propose(Propose),
    /// Show every plan and where it stands, newest first
    ///
    /// Plans that nothing happened to for too long are cancelled, and plans that were finished long
    /// ago move to the archive; both are said.
    #[command(
        after_help = "Examples:\n  signoff list\n  signoff list --status proposed --status needs_review\n  signoff list --all --format json"
    )]
    List(List),
    /// Sign a plan off, as it is now, with the terms it runs under
    #[command(
        after_help = "Examples:\n  signoff approve plan.md\n  signoff approve plan.md --expect-digest 3f9a0c1d --note \"read it twice\"\n  signoff approve plan.md --proof key"
    )]
    Approve(Approve),
    /// Say no to a plan, and why; the third time a person has to look at it
    #[command(after_help = "Example:\n  signoff reject PLAN-a1b2c3d4 --feedback \"wrong invoice\"")]
    Reject(Reject),
    /// Hand in a new text of a plan: the file as it was edited, or another one in its place
    #[command(
        after_help = "Examples:\n  signoff revise plan.md\n  signoff revise PLAN-a1b2c3d4 --with better.md --expect-version 2"
    )]
    Revise(Revise),
    /// Give a plan up; a run of it that nobody drives any more is over
    #[command(after_help = "Example:\n  signoff cancel PLAN-a1b2c3d4 --reason \"done by hand\"")]
    Cancel(Cancel),
    /// Have a failed or stalled plan tried again from scratch, under the signature there is
    #[command(after_help = "Example:\n  signoff retry plan.md")]
    Retry(PlanName),
    /// Copy what a plan defines as a new plan, without its marks, history and signature
    #[command(after_help = "Example:\n  signoff clone PLAN-a1b2c3d4")]
    Clone(PlanName),
    /// Take a plan out of the store; what happened to it stays in its log
    #[command(after_help = "Example:\n  signoff delete PLAN-a1b2c3d4")]
    Delete(PlanName),
    /// Run a signed plan; after each step the harness runs its contract
    #[command(
        after_help = "Examples:\n  signoff run plan.md\n  signoff run plan.md --approve\n  signoff run plan.md --dry-run\n  signoff run plan.md --until step-2 --jobs 8\n  signoff run plan.md --isolation worktree\n  signoff run --task \"Fix the failing test\" --agent coder --contract \"cargo test\""
    )]
    Run(Run),
    /// Go on with a run that was cut off, paused or has failed
    #[command(
        after_help = "Examples:\n  signoff resume\n  signoff resume 20261115-093012-k3f9\n  signoff resume --until step-3"
    )]
    Resume(Resume),
    /// List the runs there are, newest last
    #[command(after_help = "Examples:\n  signoff runs\n  signoff runs --format json")]
    Runs(FormatOnly),
    /// Show where a run stands, with the evidence for each step
    #[command(
        after_help = "Examples:\n  signoff status\n  signoff status 20261115-093012-k3f9 --format json"
    )]
    Status(RunArg),
    /// Show what happened in a run
    #[command(
        after_help = "Examples:\n  signoff log\n  signoff log --follow\n  signoff log --format json"
    )]
    Log(Log),
    /// Show what waits on a person
    #[command(after_help = "Example:\n  signoff inbox")]
    Inbox(FormatOnly),
    /// Answer something in the inbox
    #[command(
        after_help = "Examples:\n  signoff answer 20261115-093012-k3f9/step-2-1 retry --note \"the fixture is in tests/data\"\n  signoff answer 20261115-093012-k3f9/step-2-1 fixed --resume\n  signoff answer 20261115-093012-k3f9/acceptance-1 refuse --step step-2 --note \"no tests\"\n  signoff answer 20261115-093012-k3f9/name-1 --reply \"skip\""
    )]
    Answer(Answer),
    /// Have one step of a run tried again, or skip it
    #[command(
        after_help = "Examples:\n  signoff step retry 20261115-093012-k3f9 step-2 --hint \"the fixture is in tests/data\"\n  signoff step skip 20261115-093012-k3f9 step-2",
        subcommand_required = true,
        arg_required_else_help = true
    )]
    Step(Step),
    /// Start nothing new in a run; what is under way ends and is judged, then the run pauses
    #[command(after_help = "Examples:\n  signoff pause\n  signoff pause 20261115-093012-k3f9")]
    Pause(RunArg),
    /// Stop a run and end its agents; `resume` goes on
    #[command(after_help = "Examples:\n  signoff stop\n  signoff stop 20261115-093012-k3f9")]
    Stop(RunArg),
    /// Give a run up: its agents are ended, and it has failed
    #[command(after_help = "Examples:\n  signoff abort\n  signoff abort 20261115-093012-k3f9")]
    Abort(RunArg),
    /// Bring what a run did on its own tree into the checkout, and settle files that are held
    ///
    /// A run lands by itself if the checkout is as it was when the run began. Otherwise this tells
    /// which files are in the way, and what to type. A file is held if you and the run changed the
    /// same lines: yours stays, the run's version is in `.signoff/runs/RUN/held`, and you settle it
    /// with `--take` or, as it is or merged by hand, with `--keep`.
    #[command(
        after_help = "Examples:\n  signoff land\n  signoff land 20261115-093012-k3f9\n  signoff land --take conf.txt\n  signoff land --keep src/a.rs src/b.rs\n  signoff land --keep .\n\nExit codes: 0 it has landed · 2 no such run or held file · 5 conflict: what is in the way stays as it is"
    )]
    Land(Land),
    /// Take back what a run did: its worktrees and branch, or the files it changed in the checkout
    #[command(
        after_help = "Examples:\n  signoff undo\n  signoff undo 20261115-093012-k3f9\n\nExit codes: 0 nothing of it is left · 2 no such run · 5 conflict: something stays, and is named"
    )]
    Undo(RunArg),
    /// Show what the plans add up to: states, approvals, rejections, runs, and tools that are missing
    #[command(after_help = "Examples:\n  signoff stats\n  signoff stats --format json")]
    Stats(FormatOnly),
    /// Tell how agents and contracts are confined here, and why not better
    ///
    /// Tries each level of the sandbox, the strongest first, with a command that breaks the rules, and compares what
    /// works with what this machine had when a run last began.
    #[command(
        after_help = "Examples:\n  signoff doctor\n  signoff doctor --format json\n  signoff doctor --accept-level\n\nExit codes: 0 · 4 it is less than before, and no run starts until you accept it · 6 `[sandbox] mode = \"required\"` cannot be met here"
    )]
    Doctor(Doctor),
    /// Plan the threads of a session and commit their plans (for agents; also as `agentctl`)
    #[command(
        after_help = agentctl::AFTER_HELP,
        subcommand_required = true,
        arg_required_else_help = true
    )]
    Agentctl(Agentctl),
    /// Print what an agent is told before it begins
    #[command(
        after_help = "Example:\n  AGENTCTL_SESSION_ID=01950f64 signoff prompt overseer > prompt.txt"
    )]
    Prompt(Prompt),
    /// List the tools that plans can call: their arguments, when they ask, where they come from
    ///
    /// Starts every configured server and records what it offers in `.signoff/tools.json`. `verify`
    /// checks plans against that record, and signatures cover it.
    #[command(
        after_help = "Examples:\n  signoff tools\n  signoff tools --format json\n\nExit codes: 0 all were asked · 6 a server cannot be started; the others are listed"
    )]
    Tools(FormatOnly),
    /// Move a finished plan to the archive; without a plan, all that were finished long ago
    #[command(after_help = "Examples:\n  signoff archive PLAN-a1b2c3d4\n  signoff archive")]
    Archive(Archive),
    /// Delete old archived plans for good, with their artifacts, and what runs and locks have left
    ///
    /// Logs and signatures are records and stay, unless `--records` is given.
    #[command(
        after_help = "Examples:\n  signoff prune --dry-run\n  signoff prune --older-than 30 --records"
    )]
    Prune(Prune),
    /// Write shell completions to stdout
    #[command(
        after_help = "Example:\n  signoff completions bash > ~/.local/share/bash-completion/completions/signoff"
    )]
    Completions(Completions),
    /// Write manual pages: one to stdout, or all of them into a directory
    #[command(
        after_help = "Examples:\n  signoff man | man -l -\n  signoff man --dir ~/.local/share/man/man1"
    )]
    Man(Man),
    /// The demo's agent: follows a script instead of a model
    #[command(hide = true)]
    ScriptedAgent(ScriptedAgent),
}

impl Command {
    /// The format in which this command, and its errors, are to be written.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Demo(_)
            | Self::Completions(_)
            | Self::Graph(_)
            | Self::Man(_)
            | Self::ScriptedAgent(_) => Format::Human,
            Self::Init(args)
            | Self::Trust(args)
            | Self::Inbox(args)
            | Self::Stats(args)
            | Self::Tools(args)
            | Self::Runs(args) => args.format,
            Self::Doctor(args) => args.format,
            Self::List(args) => args.format,
            Self::Archive(args) => args.format,
            Self::Prune(args) => args.format,
            Self::Verify(args) => match args.format {
                VerifyFormat::Json => Format::Json,
                VerifyFormat::Human
                | VerifyFormat::Concise
                | VerifyFormat::Sarif
                | VerifyFormat::Github => Format::Human,
            },
            Self::Config(args) => args.format,
            Self::New(args) => args.format,
            Self::Fmt(args) => args.format,
            Self::Convert(args) => args.format,
            Self::Diff(args) => args.format,
            Self::Explain(args) => args.format,
            Self::Show(args) => args.format,
            Self::Propose(args) => args.format,
            Self::Reject(args) => args.plan.format,
            Self::Revise(args) => args.plan.format,
            Self::Cancel(args) => args.plan.format,
            Self::Retry(args) | Self::Clone(args) | Self::Delete(args) => args.format,
            Self::Approve(args) => args.plan.format,
            Self::Run(args) => args.format,
            Self::Resume(args) => args.run.format,
            Self::Log(args) => args.run.format,
            Self::Status(args)
            | Self::Pause(args)
            | Self::Stop(args)
            | Self::Abort(args)
            | Self::Undo(args) => args.format,
            Self::Land(args) => args.run.format,
            Self::Step(args) => args.command.step_arg().format,
            Self::Answer(args) => args.format,
            Self::Agentctl(args) => args.format(),
            Self::Prompt(args) => args.format,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Leave the temporary folder in place and say where it is
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FormatOnly {
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// Only this setting (`approval.proof`) or section (`approval`)
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArg {
    /// The plan: its file or directory, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) path: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) plan: PlanArg,
    /// Something to remember about this signature
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// Run it at once
    #[arg(long)]
    pub(crate) run: bool,
    /// Refuse unless the plan's digest begins with this (at least 8 digits)
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect_digest: Option<String>,
    /// Refuse unless the plan has this version
    #[arg(long, value_name = "N")]
    pub(crate) expect_version: Option<u64>,
    /// How to prove that it is you; more than the configuration asks for, never less
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
pub(crate) struct ScriptedAgent {
    pub(crate) script: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs; the shapes are in docs/schemas
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
    }
}
