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

use super::program::Program;

/// Every program with its rule.
pub(super) fn all() -> impl Iterator<Item = &'static Program> {
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
