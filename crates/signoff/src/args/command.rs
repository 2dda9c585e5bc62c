//! The commands, with their help.

use clap::Subcommand;

use super::{
    Agentctl, Answer, Approve, Archive, Cancel, Comment, Completions, Config, Connect, Convert,
    Demo, Diff, Doctor, Edit, Explain, Fmt, Format, FormatOnly, Graph, Guard, Import, Land, List,
    Log, Man, Mcp, McpProxy, New, Orchestrator, PlanName, PlanTask, Prompt, Propose, Prune, Reject,
    Replan, Report, ReportFormat, Resume, Review, Revise, Run, RunArg, Runs, ScriptedAgent, Serve,
    Show, Step, Verify, VerifyFormat, Watch, Worker, agentctl,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See everything once, in a temporary folder; needs no key, no network and no set-up
    #[command(
        after_help = "Examples:\n  signoff demo\n  signoff demo --plan\n  signoff demo --page"
    )]
    Demo(Demo),
    /// Set up a project: `.signoff/` with a configuration to fill in
    #[command(after_help = "Example:\n  signoff init")]
    Init(FormatOnly),
    /// Allow the commands in this project's configuration to run, as it is now
    #[command(after_help = "Example:\n  signoff trust")]
    Trust(FormatOnly),
    /// Show the settings in force and where each came from
    #[command(
        after_help = "Examples:\n  signoff config\n  signoff config approval.proof\n  signoff config --format json"
    )]
    Config(Config),
    /// Draft a plan for a task: a model writes it, every check runs on it, and you decide whether to sign it
    ///
    /// Asks the agent of a role, in the sandbox and without the right to change anything. What is wrong with its draft
    /// goes back to it, at most `[llm] max_rounds` times.
    #[command(
        after_help = "Examples:\n  signoff plan \"make the tests pass\"\n  signoff plan - < issue.md\n  signoff plan \"tidy the logs\" --dialect toolplan --agent planner\n  signoff plan \"make the tests pass\" --interview\n  signoff plan --continue planning-1a2b3c4d\n  signoff plan --expand plan.md\n  signoff plan \"make the tests pass\" --dry-run\n\nBefore the name of a command, `plan` means nothing: `signoff plan verify plan.md` is `signoff verify plan.md`.\n\nExit codes: 0 the draft can be signed · 1 it has problems that the planner did not mend · 3 the planner's questions, or a new version of the plan, wait for you · 6 the planner failed"
    )]
    Plan(PlanTask),
    /// Begin a plan from a template or from another plan
    #[command(
        after_help = "Examples:\n  signoff new fix-login --template bugfix --set problem=\"Login fails with a long password\" --set test=\"cargo test\"\n  signoff new --list\n  signoff new --from plan.md --save nightly"
    )]
    New(New),
    /// Make a draft from another tool's plan, and list what could not be converted
    ///
    /// Reads markdown of plan modes (Claude Code, Codex, Gemini), `tasks.md` of spec-kit and Kiro, changes of
    /// `OpenSpec`, `tasks.json` of Task Master, issues of beads, and GitHub issues. What the source lacks, such as
    /// contracts, is left open: `verify` names it. With `--plan` the planner proposes contracts.
    #[command(
        after_help = "Examples:\n  signoff import specs/001-login/tasks.md -o login.md\n  signoff import openspec/changes/add-2fa -o add-2fa.md\n  signoff import tasks.md --plan --try-contracts -o plan.md\n  gh issue view 42 --json title,body | signoff import - -o issue-42.md"
    )]
    Import(Import),
    /// Format plans; their meaning and their digest stay the same
    #[command(after_help = "Examples:\n  signoff fmt plan.md\n  signoff fmt docs/plans --check")]
    Fmt(Fmt),
    /// Write a plan in another dialect; refuse, with the reasons, if that dialect cannot hold it
    #[command(
        after_help = "Examples:\n  signoff convert plan.md --to record\n  signoff convert plan.md --to thread -o plans/thread\n  signoff convert plan.md --to toolplan --lossy -o plan.json"
    )]
    Convert(Convert),
    /// Check plans like source code: report every problem at once, with its position
    #[command(
        after_help = "Examples:\n  signoff verify plan.md\n  signoff verify docs/plans --deny warnings\n  signoff verify plans --format sarif > plans.sarif\n  cat plan.md | signoff verify -"
    )]
    Verify(Verify),
    /// Show a plan as Signoff understands it: steps, dependencies, contracts, state
    #[command(after_help = "Example:\n  signoff show plan.md --format json")]
    Show(Show),
    /// Draw the dependencies between steps: in the terminal, or as SVG, Mermaid or Graphviz text
    #[command(
        after_help = "Examples:\n  signoff graph plan.md\n  signoff graph plan.md --format svg > plan.svg\n  signoff graph --run"
    )]
    Graph(Graph),
    /// Compare two plans, in any dialects; exit code 1 if they differ
    ///
    /// Compares what a signature covers. A change that is not shown does not void a signature.
    #[command(
        after_help = "Examples:\n  signoff diff old.md new.md\n  signoff diff plan.md plan.yaml --format json\n  signoff diff --signed plan.md\n\nExit codes: 0 the same · 1 different · 2 wrong use"
    )]
    Diff(Diff),
    /// Explain a problem that `verify` reports: what it means, why it matters, what to write instead
    #[command(after_help = "Examples:\n  signoff explain contract-vacuous\n  signoff explain")]
    Explain(Explain),
    /// Submit a plan, so that a person can sign or reject it
    ///
    /// A file of the project stays where it is. A text from stdin, or a JSON proposal
    /// (`{"title", "steps": [{"description", "tool", "operation", "target"}], "context"}`), is stored
    /// as a new plan `PLAN-xxxxxxxx`.
    #[command(
        after_help = "Examples:\n  signoff propose plan.md\n  signoff propose - < proposal.json"
    )]
    Propose(Propose),
    /// List the plans and their states, newest first
    ///
    /// Also cancels plans that have not changed for too long, and archives plans that finished long
    /// ago. It reports both.
    #[command(
        after_help = "Examples:\n  signoff list\n  signoff list --status proposed --status needs_review\n  signoff list --all --format json"
    )]
    List(List),
    /// Sign a plan as it is now, with the terms it runs under
    #[command(
        after_help = "Examples:\n  signoff approve plan.md\n  signoff approve plan.md --expect-digest 3f9a0c1d --note \"read it twice\"\n  signoff approve plan.md --proof key"
    )]
    Approve(Approve),
    /// Reject a plan, and say why; after the third time only a person can go on with it
    #[command(after_help = "Example:\n  signoff reject PLAN-a1b2c3d4 --feedback \"wrong invoice\"")]
    Reject(Reject),
    /// Submit a new version of a plan: the edited file, or another text in its place
    #[command(
        after_help = "Examples:\n  signoff revise plan.md\n  signoff revise PLAN-a1b2c3d4 --with better.md --expect-version 2"
    )]
    Revise(Revise),
    /// Review a plan on a screen: its steps, problems and comments; edit, sign or reject it
    ///
    /// Needs a terminal of at least 60 by 12. `?` shows the keys.
    #[command(
        after_help = "Example:\n  signoff review plan.md\n\nWithout a terminal: `signoff show`, `signoff verify`, `signoff diff --signed`, `signoff approve`."
    )]
    Review(Review),
    /// Change one thing in a plan: set a field, or add, move or skip a step
    ///
    /// Changes the plan's file and nothing else in it, in every dialect. A signed plan is unsigned then. During a run
    /// use an editor and `signoff revise`, or wait for its end.
    #[command(
        after_help = "Examples:\n  signoff edit plan.md set build task \"Build it with --locked\"\n  signoff edit plan.md add \"Write the changelog\" --after test --set role=coder\n  signoff edit plan.md move deploy --after test\n  signoff edit plan.md skip deploy --expect-version 3\n\nExit codes: 0 edited · 1 the result would not be valid, or would change more than that · 2 no such step or field · 5 somebody else changed it first, or its state does not allow it",
        subcommand_required = true
    )]
    Edit(Edit),
    /// Comment on a plan or one of its steps; comments are kept in the plan's log, outside its digest
    #[command(
        after_help = "Examples:\n  signoff comment plan.md deploy \"not on a Friday\"\n  signoff comment plan.md \"reads well\"\n  signoff comment plan.md --list\n  signoff comment plan.md --resolve c2"
    )]
    Comment(Comment),
    /// Cancel a plan; this also ends a run of it that no process drives any more
    #[command(after_help = "Example:\n  signoff cancel PLAN-a1b2c3d4 --reason \"done by hand\"")]
    Cancel(Cancel),
    /// Let a failed or stalled plan run again from scratch, under its present signature
    #[command(after_help = "Example:\n  signoff retry plan.md")]
    Retry(PlanName),
    /// Copy a plan as a new plan, without its marks, history and signature
    #[command(after_help = "Example:\n  signoff clone PLAN-a1b2c3d4")]
    Clone(PlanName),
    /// Remove a plan from the store; its log stays
    #[command(after_help = "Example:\n  signoff delete PLAN-a1b2c3d4")]
    Delete(PlanName),
    /// Run a signed plan; after each step the harness runs its contract
    #[command(
        after_help = "Examples:\n  signoff run plan.md\n  signoff run plan.md --approve\n  signoff run plan.md --dry-run\n  signoff run plan.md --again\n  signoff run plan.md --until step-2 --jobs 8\n  signoff run plan.md --isolation worktree\n  signoff run --task \"Fix the failing test\" --agent coder --contract \"cargo test\""
    )]
    Run(Run),
    /// Continue a run that was interrupted, was paused or has failed
    #[command(
        after_help = "Examples:\n  signoff resume\n  signoff resume 20261115-093012-k3f9\n  signoff resume --until step-3",
        mut_arg("run", |run| run.help("The run: its name, the beginning or end of it, or its plan; the default is the newest that can go on"))
    )]
    Resume(Resume),
    /// List the runs, newest last
    #[command(
        after_help = "Examples:\n  signoff runs\n  signoff runs --format json\n  signoff runs --all --engine postgres://db/signoff"
    )]
    Runs(Runs),
    /// Show the state of a run, with the evidence for each step
    #[command(
        after_help = "Examples:\n  signoff status\n  signoff status 20261115-093012-k3f9 --format json"
    )]
    Status(RunArg),
    /// Show what happened in a run
    #[command(
        after_help = "Examples:\n  signoff log\n  signoff log --follow\n  signoff log --step parser\n  signoff log --step 2 --attempt 1 --raw\n  signoff log --format json"
    )]
    Log(Log),
    /// Write a report of a run, with its evidence, as one page
    #[command(
        after_help = "Examples:\n  signoff report -o report.html\n  signoff report 20261115-093012-k3f9 --format json"
    )]
    Report(Report),
    /// Watch a run on a screen: steps, transcripts, contracts, and what waits on you
    ///
    /// Needs a terminal of at least 60 by 12. `?` shows the keys. Leaving it leaves the run as it is.
    #[command(
        after_help = "Examples:\n  signoff watch\n  signoff watch 20261115-093012-k3f9\n\nWithout a terminal: `signoff log --follow`, `signoff status`, `signoff inbox`."
    )]
    Watch(Watch),
    /// Show what waits on a person
    #[command(after_help = "Example:\n  signoff inbox")]
    Inbox(FormatOnly),
    /// Answer something in the inbox
    #[command(
        after_help = "Examples:\n  signoff answer 20261115-093012-k3f9/step-2-1 retry --note \"the fixture is in tests/data\"\n  signoff answer 20261115-093012-k3f9/step-2-1 fixed --resume\n  signoff answer 20261115-093012-k3f9/acceptance-1 refuse --step step-2 --note \"no tests\"\n  signoff answer step-3 retry --args '{\"path\": \"b.txt\"}' --resume\n  signoff answer 20261115-093012-k3f9/name-1 --reply \"skip\""
    )]
    Answer(Answer),
    /// Retry or skip one step of a run
    #[command(
        after_help = "Examples:\n  signoff step retry 20261115-093012-k3f9 step-2 --hint \"the fixture is in tests/data\"\n  signoff step skip 20261115-093012-k3f9 step-2",
        subcommand_required = true,
        arg_required_else_help = true
    )]
    Step(Step),
    /// Have a planner draft another version of a run's plan; the run goes on under it once you sign it
    ///
    /// Steps that are finished keep their evidence. At most `[run] max_replans` times in a run.
    #[command(
        after_help = "Examples:\n  signoff replan --because \"the API has no such call\"\n  signoff replan 20261115-093012-k3f9 --because \"too slow\" --discovery \"the index is missing\" --resume\n\nExit codes: 0 recorded · 2 no such run · 5 it cannot be replanned now; with `--resume` those of `resume`"
    )]
    Replan(Replan),
    /// Pause a run: nothing new starts, and the run pauses once the current work has been judged
    #[command(after_help = "Examples:\n  signoff pause\n  signoff pause 20261115-093012-k3f9")]
    Pause(RunArg),
    /// Stop a run and its agents; `resume` continues it
    #[command(after_help = "Examples:\n  signoff stop\n  signoff stop 20261115-093012-k3f9")]
    Stop(RunArg),
    /// End a run as failed, and end its agents
    #[command(after_help = "Examples:\n  signoff abort\n  signoff abort 20261115-093012-k3f9")]
    Abort(RunArg),
    /// Bring a run's changes into the checkout, and settle the files that are held
    ///
    /// A run lands by itself if the checkout is as it was when the run began. Otherwise this command
    /// names the files that are in the way, and what to type. A file is held if you and the run
    /// changed the same lines. Your version stays in the checkout; the run's version is in
    /// `.signoff/runs/RUN/held`. Settle the file with `--take` (the run's version) or `--keep` (yours,
    /// as it is or merged by hand).
    #[command(
        after_help = "Examples:\n  signoff land\n  signoff land 20261115-093012-k3f9\n  signoff land --take conf.txt\n  signoff land --keep src/a.rs src/b.rs\n  signoff land --keep .\n\nExit codes: 0 it has landed · 2 no such run or held file · 5 conflict: your files stay as they are",
        mut_arg("run", |run| run.help("The run: its name, the beginning or end of it, or its plan; the default is the newest that has changes to bring in"))
    )]
    Land(Land),
    /// Undo a run's changes: restore the files that landed, or remove its trees and its branch
    #[command(
        after_help = "Examples:\n  signoff undo\n  signoff undo 20261115-093012-k3f9\n\nExit codes: 0 undone · 2 no such run · 5 conflict: the command names what it could not undo"
    )]
    Undo(RunArg),
    /// Work for runs that several machines share: start their agents and contracts, and report the results
    ///
    /// Takes work of its roles from the database that `--engine` or `[engine] url` names, in a copy of the project and in
    /// this machine's sandbox, with its own agents and logins. It judges nothing. It works only for projects in
    /// `[engine.projects]`, follows only machines in `[engine] orchestrators`, and checks every plan's signature.
    #[command(
        after_help = "Examples:\n  signoff worker --engine postgres://db/signoff --migrate\n  signoff worker --roles coder,tester --jobs 2\n  signoff worker --key\n  signoff worker --drain\n\nExit codes: 0 stopped on request · 6 could not start, or lost the database for too long"
    )]
    Worker(Worker),
    /// Drive runs that several machines share: the loop, the journal and the merges
    #[command(
        after_help = "Example:\n  signoff orchestrator --engine postgres://db/signoff\n\nExit codes: as those of `signoff worker`"
    )]
    Orchestrator(Orchestrator),
    /// Show statistics about plans and runs: states, approvals, rejections, missing tools
    #[command(after_help = "Examples:\n  signoff stats\n  signoff stats --format json")]
    Stats(FormatOnly),
    /// Show what this machine can do for a run: how it confines agents, and which agents it has
    ///
    /// `sandbox` tries each level of the sandbox, the strongest first, with a command that breaks the rules. Then it
    /// compares the result with what this machine had when a run last began.
    ///
    /// `agents` looks for the agents that Signoff has drivers for: where each is installed, its version, whether a login
    /// is there, and which roles use it. It starts each with `--version` only.
    ///
    /// `guard` makes calls through each installed agent with `signoff guard` in front of it, and a model on this machine:
    /// no key, no network, no cost. It says whether a denied call is really not made, and what to type if not.
    #[command(
        after_help = "Examples:\n  signoff doctor\n  signoff doctor agents\n  signoff doctor sandbox --format json\n  signoff doctor guard --agent claude\n  signoff doctor --accept-level\n\nExit codes: 0 · 4 this machine confines less than before, and no run starts until you accept it · 6 `[sandbox] mode = \"required\"` cannot be met here, the program of a configured role is missing, or a call passes that the guard denies"
    )]
    Doctor(Doctor),
    /// Connect a coding agent to Signoff: add the guard, the tools, the skill and the commands
    ///
    /// Edits the agent's own settings and shows the difference. Everything else in them stays as it is, byte for byte.
    /// Files that cannot be edited safely are refused, with the text to paste. `--undo` removes everything again.
    #[command(
        after_help = "Examples:\n  signoff connect claude\n  signoff connect gemini --project --dry-run\n  signoff connect claude --undo\n\nExit codes: 0 · 5 a file cannot be edited; nothing was written · 6 no home, or no project for `--project`"
    )]
    Connect(Connect),
    /// Guard a coding agent: deny what it may not do, before it does it
    ///
    /// Without a command it is the hook itself: it reads a call from stdin, as the agent hands it over, and denies it with
    /// exit code 2 and a reason on stderr, or says nothing. It denies what it cannot read or decide. These exit codes are
    /// the agents', not those of other commands.
    ///
    /// In plan mode only reading and planning pass. Otherwise only guarded tools (`[guard] tools`) and commands of people
    /// are denied, if `[guard] mode` is `block`.
    #[command(
        after_help = "Examples:\n  signoff guard check 'find . -delete'\n  signoff guard plan-mode on --session 5f0c2a\n  signoff guard report\n  echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}' | signoff guard --agent claude"
    )]
    Guard(Guard),
    /// Plan the threads of a session and commit their plans (for agents; also as `agentctl`)
    #[command(
        after_help = agentctl::AFTER_HELP,
        subcommand_required = true,
        arg_required_else_help = true
    )]
    Agentctl(Agentctl),
    /// Print the system prompt of an agent
    #[command(
        after_help = "Examples:\n  AGENTCTL_SESSION_ID=01950f64 signoff prompt overseer > prompt.txt\n  signoff prompt arbiter 20261115-093012-k3f9\n  signoff prompt template replan > .signoff/prompts/replan.md"
    )]
    Prompt(Prompt),
    /// Serve plans to agents over the Model Context Protocol, on stdin and stdout
    ///
    /// An agent's client starts it. Agents propose, read and revise plans, ask, and start plans that are signed. To approve
    /// or reject one, the client asks you.
    #[command(
        after_help = "Examples:\n  signoff mcp\n  claude mcp add signoff -- signoff mcp\n  signoff mcp --project ~/work/shop"
    )]
    Mcp(Mcp),
    /// Serve plans to people in a browser, and to programs over HTTP
    ///
    /// Listens on this machine only. You sign in with a code that is shown here. Ctrl-C ends the server; runs go on.
    #[command(
        after_help = "Examples:\n  signoff serve\n  signoff serve --addr 127.0.0.1:8080\n  signoff serve --add-person ada\n\nExit codes: 0 it was stopped · 4 the address is reachable by others and `[serve.people]` names nobody · 6 it cannot listen there"
    )]
    Serve(Serve),
    /// List the tools that plans can call: their arguments, when they ask a person, their servers
    ///
    /// Starts every configured server and records what it offers in `.signoff/tools.json`. `verify`
    /// checks plans against that record, and signatures cover it.
    #[command(
        after_help = "Examples:\n  signoff tools\n  signoff tools --format json\n\nExit codes: 0 every server answered · 6 a server cannot be started; the others are listed"
    )]
    Tools(FormatOnly),
    /// Move a finished plan to the archive; without a plan, all that finished long ago
    #[command(
        after_help = "Examples:\n  signoff archive PLAN-a1b2c3d4\n  signoff archive\n  signoff archive --restore PLAN-a1b2c3d4"
    )]
    Archive(Archive),
    /// Delete old archived plans with their artifacts, and leftovers of runs and locks
    ///
    /// Keeps logs and signatures, unless `--records` is given.
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
    /// The agent's side of a tool server that a run provides
    #[command(hide = true)]
    McpProxy(McpProxy),
    /// The demo's agent: follows a script instead of a model
    #[command(hide = true)]
    ScriptedAgent(ScriptedAgent),
}

impl Command {
    /// The output format of this command and its errors.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Demo(_)
            | Self::Completions(_)
            | Self::Graph(_)
            | Self::Man(_)
            | Self::Mcp(_)
            | Self::McpProxy(_)
            | Self::Serve(_)
            | Self::ScriptedAgent(_) => Format::Human,
            Self::Init(args)
            | Self::Trust(args)
            | Self::Inbox(args)
            | Self::Stats(args)
            | Self::Tools(args) => args.format,
            Self::Runs(args) => args.format,
            Self::Worker(args) => args.service.format,
            Self::Orchestrator(args) => args.service.format,
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
            Self::Plan(args) => args.format,
            Self::New(args) => args.format,
            Self::Import(args) => args.format,
            Self::Fmt(args) => args.format,
            Self::Convert(args) => args.format,
            Self::Diff(args) => args.format,
            Self::Explain(args) => args.format,
            Self::Show(args) => args.format,
            Self::Propose(args) => args.format,
            Self::Reject(args) => args.plan.format,
            Self::Revise(args) => args.plan.format,
            Self::Edit(args) => args.format,
            Self::Review(_) | Self::Watch(_) => Format::Human,
            Self::Comment(args) => args.format,
            Self::Cancel(args) => args.plan.format,
            Self::Retry(args) | Self::Clone(args) | Self::Delete(args) => args.format,
            Self::Approve(args) => args.plan.format,
            Self::Run(args) => args.format,
            Self::Resume(args) => args.run.format,
            Self::Log(args) => args.run.format,
            Self::Report(args) => match args.format {
                ReportFormat::Html => Format::Human,
                ReportFormat::Json => Format::Json,
            },
            Self::Status(args)
            | Self::Pause(args)
            | Self::Stop(args)
            | Self::Abort(args)
            | Self::Undo(args) => args.format,
            Self::Land(args) => args.run.format,
            Self::Replan(args) => args.run.format,
            Self::Step(args) => args.command.step_arg().format,
            Self::Answer(args) => args.format,
            Self::Connect(args) => args.format,
            Self::Guard(args) => args.format(),
            Self::Agentctl(args) => args.format(),
            Self::Prompt(args) => args.format,
        }
    }
}
