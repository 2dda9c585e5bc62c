//! Automation of this project, run as `cargo xtask COMMAND`.
//!
//! One file per command; each describes itself in a [`Command`], and [`COMMANDS`] is the only list.
//! What a command starts it starts through [`invocation::Invocation`], which can say how to repeat it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a build tool talks to the terminal"
)]

mod agent_clis;
mod api_fuzz;
mod bench;
mod bench_agents;
mod bench_cluster;
mod bench_mcp;
mod bench_run;
mod bench_serve;
mod bench_store;
mod bench_trees;
mod browser;
mod checks;
mod generate;
mod guard_table;
mod invocation;
mod mcp_conformance;
mod mcp_server;
mod npm;
mod optional;
mod picture;
mod security;
mod soak;
mod test;
mod type_check;

use std::process::ExitCode;

/// One command of `cargo xtask`.
struct Command {
    name: &'static str,
    summary: &'static str,
    /// The one flag it takes, and what that changes.
    flag: Option<(&'static str, &'static str)>,
    details: &'static str,
    /// Does it; the argument tells whether the flag was given.
    run: fn(flag: bool) -> Result<(), String>,
}

const COMMANDS: [Command; 12] = [
    test::COMMAND,
    generate::COMMAND,
    soak::COMMAND,
    bench::COMMAND,
    bench_store::COMMAND,
    bench_run::COMMAND,
    bench_trees::COMMAND,
    guard_table::COMMAND,
    bench_agents::COMMAND,
    bench_mcp::COMMAND,
    bench_serve::COMMAND,
    bench_cluster::COMMAND,
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match parse(&args) {
        Ok(Request::Help(text)) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Ok(Request::Run(command, flag)) => match (command.run)(flag) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        },
        Err(message) => {
            eprintln!("error: {message}\n  = help: cargo xtask --help");
            ExitCode::from(2)
        }
    }
}

enum Request {
    Help(String),
    Run(&'static Command, bool),
}

fn parse(args: &[String]) -> Result<Request, String> {
    let is_help = |arg: &String| matches!(arg.as_str(), "-h" | "--help" | "help");
    let Some(name) = args.first().filter(|arg| !is_help(arg)) else {
        return Ok(Request::Help(overview()));
    };
    // The longer name first: `bench run` is another command than `bench`.
    let named = |words: usize| {
        let (name, rest) = args.split_at_checked(words)?;
        let name = name.join(" ");
        let command = COMMANDS.iter().find(|command| command.name == name)?;
        Some((command, rest))
    };
    let (command, rest) = named(2)
        .or_else(|| named(1))
        .ok_or_else(|| format!("there is no command `{name}`"))?;
    if rest.iter().any(is_help) {
        return Ok(Request::Help(page(command)));
    }
    let known = |arg: &String| command.flag.is_some_and(|(flag, _)| flag == arg);
    match rest.iter().find(|arg| !known(arg)) {
        Some(arg) => Err(format!(
            "`cargo xtask {}` does not take `{arg}`",
            command.name
        )),
        None => Ok(Request::Run(command, !rest.is_empty())),
    }
}

fn overview() -> String {
    let line = |command: &Command| format!("  {:<11} {}", command.name, command.summary);
    let lines = COMMANDS.each_ref().map(line).join("\n");
    format!(
        "Automation of the Signoff project.\n\n\
         Usage: cargo xtask COMMAND\n\n\
         Commands:\n{lines}\n\n\
         `cargo xtask COMMAND --help` says more.\n"
    )
}

fn page(command: &Command) -> String {
    let Command { name, summary, .. } = command;
    let (usage, flag) = match command.flag {
        Some((flag, effect)) => (
            format!("{name} [{flag}]"),
            format!("\nOptions:\n  {flag}  {effect}\n"),
        ),
        None => (name.to_string(), String::new()),
    };
    format!(
        "{summary}\n\nUsage: cargo xtask {usage}\n{flag}\n{}\n",
        command.details
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Request, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&args)
    }

    #[test]
    fn help_names_every_command() {
        let Ok(Request::Help(text)) = parse_line("") else {
            panic!("no arguments ask for help");
        };
        for command in &COMMANDS {
            assert!(text.contains(command.summary), "{text}");
            let page = parse_line(&format!("{} --help", command.name));
            assert!(matches!(page, Ok(Request::Help(page)) if page.contains(command.details)));
        }
    }

    #[test]
    fn a_flag_belongs_to_its_command() {
        assert!(matches!(
            parse_line("gen --check"),
            Ok(Request::Run(_, true))
        ));
        assert!(matches!(parse_line("gen"), Ok(Request::Run(_, false))));
        assert!(
            matches!(parse_line("bench run --write"), Ok(Request::Run(command, true)) if command.name == "bench run")
        );
        assert!(
            matches!(parse_line("bench"), Ok(Request::Run(command, false)) if command.name == "bench")
        );
        assert!(parse_line("bench walk").is_err());
        assert!(parse_line("test --check").is_err());
        assert!(parse_line("tset").is_err());
    }
}
