//! One file for each command, in the groups of `--help`.

mod check;
mod command_subject;
mod connect;
mod inspect;
mod maintain;
mod running;
mod share;
mod sign;
mod start;
mod write;

use self::command_subject::Subject;
pub(crate) use self::connect::guard::hook::run_if_called as run_guard_hook;
use crate::args::Command;
use crate::failure::Failure;
use crate::session::Session;

/// Carries out a command; returns the exit code.
pub(crate) fn dispatch(command: Command, session: &mut Session) -> Result<u8, Failure> {
    let subject = Subject::of(&command);
    let done = carry_out(command, session);
    done.map_err(|failure| failure.naming_plan(|| subject.plan_name(session)))
}

fn carry_out(command: Command, session: &mut Session) -> Result<u8, Failure> {
    match command {
        Command::Demo(args) => start::demo::demo(session, &args),
        Command::Init(_) => start::init::init(session),
        Command::Trust(_) => start::trust::trust(session),
        Command::Config(args) => start::config::config(session, &args),
        Command::Plan(args) => write::plan::plan(session, &args),
        Command::New(args) => write::new::new(session, &args),
        Command::Import(args) => write::import::import(session, &args),
        Command::Fmt(args) => write::fmt::fmt(session, &args),
        Command::Convert(args) => write::convert::convert(session, &args),
        Command::Verify(args) => check::verify::verify(session, &args),
        Command::Show(args) => check::show::show(session, &args),
        Command::Graph(args) => check::graph::graph(session, &args),
        Command::Diff(args) => check::diff::diff(session, &args),
        Command::Explain(args) => check::explain::explain(session, &args),
        Command::Propose(args) => sign::propose(session, &args),
        Command::Reject(args) => sign::reject(session, &args),
        Command::Review(args) => sign::review(session, &args),
        Command::Revise(args) => sign::revise(session, &args),
        Command::Edit(args) => sign::edit(session, &args),
        Command::Comment(args) => sign::comment(session, &args),
        Command::Cancel(args) => sign::cancel(session, &args),
        Command::Retry(args) => sign::retry(session, &args),
        Command::Clone(args) => sign::clone(session, &args),
        Command::Delete(args) => sign::delete(session, &args),
        Command::List(args) => sign::list::list(session, &args),
        Command::Approve(args) => sign::approve::approve(session, &args),
        Command::Run(args) => running::run::run(session, &args),
        Command::Resume(args) => {
            running::resume::resume(session, args.run.run.as_deref(), &(&args.limits).into())
        }
        Command::Runs(args) if args.all => share::all_runs(session),
        Command::Runs(_) => running::runs::runs(session),
        Command::Status(args) => running::status::status(session, args.run.as_deref()),
        Command::Watch(args) => running::watch::watch(session, args.run.as_deref()),
        Command::Log(args) => running::log::log(session, &args),
        Command::Report(args) => running::report::report(session, &args),
        Command::Inbox(_) => running::inbox::inbox(session),
        Command::Answer(args) => running::answer::answer(session, &args),
        Command::Step(args) => running::control::step(session, &args.command),
        Command::Replan(args) => running::control::replan(session, &args),
        Command::Pause(args) => running::control::pause(session, args.run.as_deref()),
        Command::Stop(args) => running::control::stop(session, args.run.as_deref()),
        Command::Abort(args) => running::control::abort(session, args.run.as_deref()),
        Command::Land(args) => running::land::land(session, &args),
        Command::Undo(args) => running::undo::undo(session, args.run.as_deref()),
        Command::Connect(args) => connect::connection::connection(session, &args),
        Command::Guard(args) => connect::guard::guard(session, &args),
        Command::Agentctl(args) => connect::agentctl::agentctl(session, &args),
        Command::Prompt(args) => connect::prompt::prompt(session, &args),
        Command::Mcp(args) => connect::mcp::mcp(session, &args),
        Command::Serve(args) => connect::serve::serve(session, &args),
        Command::Tools(_) => connect::tools::tools(session),
        Command::Doctor(args) => inspect::doctor::doctor(session, &args),
        Command::Worker(args) => share::worker(session, &args),
        Command::Orchestrator(args) => share::orchestrator(session, &args),
        Command::Stats(_) => inspect::stats::stats(session),
        Command::Archive(args) => maintain::archive::archive(session, &args),
        Command::Prune(args) => maintain::prune::prune(session, &args),
        Command::Completions(args) => Ok(maintain::completions::completions(session, args.shell)),
        Command::Man(args) => maintain::man::man(session, &args),
        Command::McpProxy(args) => connect::mcp_proxy::pass_through(&args.socket),
        Command::ScriptedAgent(args) => {
            connect::scripted_agent::run_scripted_agent(session, &args.script)
        }
    }
}
