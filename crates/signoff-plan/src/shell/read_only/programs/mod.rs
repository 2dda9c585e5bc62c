//! The programs that can only read, a file for each family.

mod containers;
mod files;
mod git;
mod git_options;
mod languages;
mod network;
mod packages;
mod search;
mod shell;
mod system;
mod text;

use super::program::{Program, Rule, find};

/// Every program with its rule.
pub(super) fn all_programs() -> impl Iterator<Item = &'static Program> {
    let families = [
        shell::PROGRAMS,
        files::PROGRAMS,
        text::PROGRAMS,
        search::PROGRAMS,
        git::PROGRAMS,
        system::PROGRAMS,
        packages::PROGRAMS,
        languages::PROGRAMS,
        network::PROGRAMS,
        containers::PROGRAMS,
    ];
    families.into_iter().flatten()
}

/// Whether a program asks other machines, so that what is filled into its arguments could carry a file's content away.
pub(super) fn reaches_out(name: &str) -> bool {
    let families = [packages::PROGRAMS, network::PROGRAMS, containers::PROGRAMS];
    find(families.into_iter().flatten(), name).is_some()
}

/// The names of all programs, with their sub-commands: `cat`, `git log`.
pub(super) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for program in all_programs() {
        add_names("", program, &mut names);
    }
    names
}

fn add_names(before: &str, program: &Program, names: &mut Vec<String>) {
    for name in program.names.split(' ') {
        let name = format!("{before}{name}");
        if let Rule::Commands(_, inner) | Rule::AloneOr(inner) = program.rule {
            for program in inner {
                add_names(&format!("{name} "), program, names);
            }
        }
        names.push(name);
    }
}
