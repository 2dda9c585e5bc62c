//! The tables of attacks in docs/security.md. The tests of `signoff` perform the same attacks, and fail if a result differs.

#[expect(dead_code, reason = "how an attack is performed is for the tests")]
#[path = "../../crates/signoff/tests/it/attacks/attackers/table/mod.rs"]
mod table;

use std::fmt::Write as _;
use std::fs;

use table::{ATTACKS, Attack, LEVELS, Outcome};

use crate::invocation::root;

pub(crate) const PAGE: &str = "docs/security.md";

const BEGIN: &str = "<!-- The tables are written by `cargo xtask gen`. -->\n";
const END: &str = "<!-- So far. -->\n";

/// The page with its tables as they should be.
pub(crate) fn page() -> Result<String, String> {
    let page = fs::read_to_string(root().join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    fill_tables(&page).ok_or_else(|| format!("{PAGE} has no place for its tables"))
}

fn fill_tables(page: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}{END}{after}", tables()))
}

fn tables() -> String {
    let mut text = String::new();
    for (aim, attacks) in ATTACKS {
        let levels = LEVELS.join(" | ");
        let dashes = "---|".repeat(LEVELS.len() + 2);
        let head = format!(
            "Against {aim}:\n\n| an agent that … | {levels} | where it is not stopped |\n|{dashes}\n"
        );
        text.push_str(&head);
        text.extend(attacks.iter().map(line));
        text.push('\n');
    }
    text
}

fn line(attack: &Attack) -> String {
    let mut text = format!("| {} |", attack.does);
    for outcome in attack.expected {
        let word = match outcome {
            Outcome::Stopped => "stopped",
            Outcome::Detected => "detected",
            Outcome::NotCovered => "**not covered**",
        };
        // A string takes everything.
        write!(text, " {word} |").ok();
    }
    format!("{text} {} |\n", attack.shows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_stopped_is_explained_and_nothing_breaks_the_table() {
        for attack in ATTACKS.iter().flat_map(|(_, attacks)| attacks.iter()) {
            let stopped = attack.expected == [Outcome::Stopped; 4];
            assert_eq!(stopped, attack.shows.is_empty(), "{}", attack.name);
            let columns = line(attack).matches(" |").count();
            assert_eq!(columns, LEVELS.len() + 2, "{}", attack.name);
        }
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        let new = fill_tables(&page).expect("it has the marks");
        assert!(new.starts_with("a\n") && new.ends_with("b\n") && !new.contains("old"));
        assert_eq!(fill_tables(&new), Some(new));
        assert_eq!(fill_tables("a\n"), None);
    }
}
