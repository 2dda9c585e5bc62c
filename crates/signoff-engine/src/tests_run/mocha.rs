//! `  3 passing (7ms)`, then `  2 pending` and `  1 failing` where there are such.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for line in lines {
        match counted(line) {
            Some((count, words)) if words.starts_with("passing (") => {
                found.push(count);
            }
            // Only within a summary: the word alone says little.
            Some((count, "failing")) => {
                if let Some(run) = found.last_mut() {
                    *run = run.saturating_add(count);
                }
            }
            Some(_) | None => {}
        }
    }
    found
}
