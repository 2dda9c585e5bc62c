//! One file for each command.

mod agentctl;
mod answer;
mod approve;
mod archive;
mod ask;
mod completions;
mod config;
mod control;
mod convert;
mod demo;
mod diff;
mod doctor;
mod dry_run;
pub(crate) mod explain;
mod fmt;
mod graph;
mod inbox;
mod init;
mod land;
mod lifecycle;
mod list;
mod log;
mod man;
mod new;
mod prompt;
mod prune;
mod resume;
mod run;
mod runs;
mod scripted_agent;
mod show;
mod stats;
mod status;
mod task;
mod tools;
mod trust;
mod undo;
mod verify;
pub(crate) mod weaker;

use crate::args::Command;
use crate::failure::Failure;
use crate::session::Session;

/// Carries out a command; returns the exit code.
pub(crate) fn dispatch(command: Command, session: &mut Session) -> Result<u8, Failure> {
    match command {
        Command::Demo(args) => demo::demo(session, &args),
        Command::Init(_) => init::init(session),
        Command::Trust(_) => trust::trust(session),
        Command::Config(args) => config::config(session, &args),
        Command::New(args) => new::new(session, &args),
        Command::Fmt(args) => fmt::fmt(session, &args),
        Command::Convert(args) => convert::convert(session, &args),
        Command::Verify(args) => verify::verify(session, &args),
        Command::Show(args) => show::show(session, &args),
        Command::Graph(args) => graph::graph(session, &args),
        Command::Diff(args) => diff::diff(session, &args),
        Command::Explain(args) => explain::explain(session, &args),
        Command::Propose(args) => lifecycle::propose(session, &args),
        Command::Reject(args) => lifecycle::reject(session, &args),
        Command::Revise(args) => lifecycle::revise(session, &args),
        Command::Cancel(args) => lifecycle::cancel(session, &args),
        Command::Retry(args) => lifecycle::retry(session, &args),
        Command::Clone(args) => lifecycle::clone(session, &args),
        Command::Delete(args) => lifecycle::delete(session, &args),
        Command::List(args) => list::list(session, &args),
        Command::Approve(args) => approve::approve(session, &args),
        Command::Run(args) => run::run(session, &args),
        Command::Resume(args) => {
            resume::resume(session, args.run.run.as_deref(), &(&args.extent).into())
        }
        Command::Runs(_) => runs::runs(session),
        Command::Status(args) => status::status(session, args.run.as_deref()),
        Command::Log(args) => log::log(session, &args),
        Command::Inbox(_) => inbox::inbox(session),
        Command::Answer(args) => answer::answer(session, &args),
        Command::Step(args) => control::step(session, &args.command),
        Command::Pause(args) => control::pause(session, args.run.as_deref()),
        Command::Stop(args) => control::stop(session, args.run.as_deref()),
        Command::Abort(args) => control::abort(session, args.run.as_deref()),
        Command::Land(args) => land::land(session, &args),
        Command::Undo(args) => undo::undo(session, args.run.as_deref()),
        Command::Agentctl(args) => agentctl::agentctl(session, &args),
        Command::Prompt(args) => prompt::prompt(session, &args),
        Command::Tools(_) => tools::tools(session),
        Command::Doctor(args) => doctor::doctor(session, &args),
        Command::Stats(_) => stats::stats(session),
        Command::Archive(args) => archive::archive(session, &args),
        Command::Prune(args) => prune::prune(session, &args),
        Command::Completions(args) => Ok(completions::completions(session, args.shell)),
        Command::Man(args) => man::man(session, &args),
        Command::ScriptedAgent(args) => scripted_agent::play(session, &args.script),
    }
}
