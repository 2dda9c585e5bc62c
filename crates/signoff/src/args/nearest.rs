//! Suggests a command for a word that is not one.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

use super::Cli;

/// Letters that may be wrong in a word that is still taken for a command.
const SLIPS: usize = 2;

/// Suggests the commands that take the fewest changes to type: clap compares short words badly, and
/// finds `runs` in `rn` but not `run`.
pub(super) fn nearest(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let cli = Cli::command();
    let before = words.iter().take_while(|word| *word != typed.as_str());
    if before
        .skip(1)
        .any(|word| cli.find_subcommand(word).is_some())
    {
        // A command of a command.
        return error;
    }
    let names = cli.get_subcommands().filter(|known| !known.is_hide_set());
    let changes = |name: &str| strsim::damerau_levenshtein(name, typed);
    let near = names.map(|known| (changes(known.get_name()), known.get_name().to_owned()));
    let near: Vec<(usize, String)> = near.filter(|(changes, _)| *changes <= SLIPS).collect();
    let fewest = near.iter().map(|(changes, _)| *changes).min();
    let best = near
        .into_iter()
        .filter(|(changes, _)| Some(*changes) == fewest);
    let best: Vec<String> = best.map(|(_, name)| name).collect();
    if !best.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(best),
        );
    }
    error
}
