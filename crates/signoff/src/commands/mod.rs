//! One file for each command.

mod answer;
mod approve;
mod completions;
mod demo;
mod inbox;
mod init;
mod log;
mod resume;
mod run;
mod scripted_agent;
mod show;
mod status;
mod trust;
mod verify;

use crate::args::Command;
use crate::failure::Failure;
use crate::session::Session;

/// Carries out a command; returns the exit code.
pub(crate) fn dispatch(command: Command, session: &mut Session) -> Result<u8, Failure> {
    match command {
        Command::Demo(args) => demo::demo(session, &args),
        Command::Init(_) => init::init(session),
        Command::Trust(_) => trust::trust(session),
        Command::Verify(args) => verify::verify(session, &args),
        Command::Show(args) => show::show(session, &args.path),
        Command::Approve(args) => approve::approve(session, &args),
        Command::Run(args) => run::run(session, &args),
        Command::Resume(args) => resume::resume(session, args.run.as_deref()),
        Command::Status(args) => status::status(session, args.run.as_deref()),
        Command::Log(args) => log::log(session, args.run.as_deref()),
        Command::Inbox(_) => inbox::inbox(session),
        Command::Answer(args) => answer::answer(session, &args),
        Command::Completions(args) => Ok(completions::completions(session, args.shell)),
        Command::ScriptedAgent(args) => scripted_agent::play(session, &args.script),
    }
}
