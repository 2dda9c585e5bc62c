//! The command line: arguments, exit codes, reports. It has no rules of its own: the crates below decide what a command
//! may do.
//!
//! Start reading at [`commands`], which has one file for each command.

mod agent_check;
mod args;
mod check_pages;
mod commands;
mod dialect_guess;
mod failure;
mod new_files;
mod plan_paths;
mod process_environment;
mod report;
mod services;
mod session;
mod shell_words;
mod style;
mod terminal;
mod user_name;

use std::io::Write as _;
use std::process::ExitCode;

use crate::session::Session;

fn main() -> ExitCode {
    signoff_sandbox::disable_fast_bins();
    // Set up nothing else before the command is known: `--version` and completions must be quick.
    let words: Vec<_> = std::env::args_os().collect();
    if let Some(code) = commands::run_guard_hook(&words) {
        return code;
    }
    if args::asks_version(&words) {
        // Whoever asked may be gone.
        std::io::stdout().write_all(args::VERSION.as_bytes()).ok();
        return ExitCode::SUCCESS;
    }
    let cli = match args::parse(&words) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && args::wants_json(&words) => {
            return session::usage_error(&error).into();
        }
        Err(error) => error.exit(),
    };
    let mut session = Session::new(process_environment::read(), cli.color, cli.command.format());
    session.process.services.url = cli.engine;
    let code = match commands::dispatch(cli.command, &mut session) {
        Ok(code) => code,
        Err(failure) => session.report_failure(&failure),
    };
    session.out.finish(code).into()
}
