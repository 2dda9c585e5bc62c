//! `  3 passing (7ms)`, then `  2 pending` and `  1 failing` where there are such.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Option<u64> {
    let mut found: Option<u64> = None;
    for line in lines {
        match counted(line) {
            Some((count, words)) if words.starts_with("passing (") => {
                found = Some(found.unwrap_or(0).saturating_add(count));
            }
            // Only within a summary: the word alone says little.
            Some((count, "failing")) => found = found.map(|run| run.saturating_add(count)),
            Some(_) | None => {}
        }
    }
    found
}
