//! Enters: arguments, exit codes, reporters, wiring. No rules of its own; what a command may do is
//! decided below it.
//!
//! Start reading at [`commands`]: one file for each command.

mod args;
mod commands;
mod diagnostics;
mod failure;
mod inside;
mod report;
mod session;
mod surroundings;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::session::Session;

fn main() -> ExitCode {
    // Nothing is set up before the command is known: `--version` and completions must be quick.
    let cli = Cli::parse_from(args::without_plan_word(std::env::args_os().collect()));
    let mut session = Session::new(surroundings::read(), cli.color, cli.command.format());
    match commands::dispatch(cli.command, &mut session) {
        Ok(code) => code.into(),
        Err(failure) => session.report_failure(&failure).into(),
    }
}
