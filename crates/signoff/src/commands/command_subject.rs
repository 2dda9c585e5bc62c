//! The plan that a command is about, so that hints can name it.

use std::path::Path;

use signoff_runtime::project::Project;
use signoff_runtime::runs::names::{question_named, run_or_newest};
use signoff_runtime::runs::view::RunView;

use crate::args::Command;
use crate::plan_paths::is_stdin;
use crate::session::Session;

/// What a command names.
pub(super) enum Subject {
    /// A plan, as it was typed.
    Plan(String),
    /// A run, or the newest one.
    Run(Option<String>),
    /// A question of a run.
    Question(String),
    Nothing,
}

impl Subject {
    pub(super) fn of(command: &Command) -> Self {
        let plan = |path: &Path| Self::Plan(path.display().to_string());
        match command {
            Command::Show(args) => plan(&args.path),
            // A text from stdin has no name yet.
            Command::Propose(args) if !is_stdin(&args.path) => plan(&args.path),
            Command::Reject(args) => Self::Plan(args.plan.plan.clone()),
            Command::Revise(args) => Self::Plan(args.plan.plan.clone()),
            Command::Edit(args) => Self::Plan(args.plan.clone()),
            Command::Comment(args) => Self::Plan(args.plan.clone()),
            Command::Review(args) => Self::Plan(args.plan.clone()),
            Command::Watch(args) => Self::Run(args.run.clone()),
            Command::Cancel(args) => Self::Plan(args.plan.plan.clone()),
            Command::Approve(args) => plan(&args.plan.path),
            Command::Retry(args) | Command::Clone(args) | Command::Delete(args) => {
                Self::Plan(args.plan.clone())
            }
            Command::Run(args) => args.path.as_deref().map_or(Self::Nothing, plan),
            Command::Resume(args) => Self::Run(args.run.run.clone()),
            Command::Land(args) => Self::Run(args.run.run.clone()),
            Command::Replan(args) => Self::Run(args.run.run.clone()),
            Command::Log(args) => Self::Run(args.run.run.clone()),
            Command::Report(args) => Self::Run(args.run.clone()),
            Command::Status(args)
            | Command::Pause(args)
            | Command::Stop(args)
            | Command::Abort(args)
            | Command::Undo(args) => Self::Run(args.run.clone()),
            Command::Step(args) => Self::Run(Some(args.command.step_arg().run.clone())),
            Command::Answer(args) => Self::Question(args.item.clone()),
            Command::Demo(_)
            | Command::Init(_)
            | Command::Trust(_)
            | Command::Config(_)
            | Command::Plan(_)
            | Command::New(_)
            | Command::Import(_)
            | Command::Fmt(_)
            | Command::Convert(_)
            | Command::Verify(_)
            | Command::Graph(_)
            | Command::Diff(_)
            | Command::Explain(_)
            | Command::Propose(_)
            | Command::List(_)
            | Command::Runs(_)
            | Command::Inbox(_)
            | Command::Connect(_)
            | Command::Guard(_)
            | Command::Agentctl(_)
            | Command::Prompt(_)
            | Command::Tools(_)
            | Command::Doctor(_)
            | Command::Worker(_)
            | Command::Orchestrator(_)
            | Command::Stats(_)
            | Command::Archive(_)
            | Command::Prune(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Mcp(_)
            | Command::McpProxy(_)
            | Command::Serve(_)
            | Command::ScriptedAgent(_) => Self::Nothing,
        }
    }

    /// The plan's name, as commands take it.
    pub(super) fn plan_name(&self, session: &Session) -> Option<String> {
        let project = || Project::open(&session.process).ok();
        let run = match self {
            Self::Plan(name) => return Some(name.clone()),
            Self::Run(name) => run_or_newest(&project()?, name.as_deref()).ok()?,
            Self::Question(name) => question_named(&project()?, name).ok()?.run,
            Self::Nothing => return None,
        };
        Some(RunView::load(&project()?, &run).ok()?.key)
    }
}
