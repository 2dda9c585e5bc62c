//! `  3 passing (7ms)`, then `  2 pending` and `  1 failing` where there are such.

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let mut found: Vec<Summary> = Vec::new();
    for line in lines {
        match count_and_words(line) {
            Some((passed, words)) if words.starts_with("passing (") => {
                found.push(Summary {
                    passed,
                    ..Summary::default()
                });
            }
            // Only within a summary: the words alone say little.
            Some((count, "failing")) => {
                if let Some(summary) = found.last_mut() {
                    summary.failed = summary.failed.saturating_add(count);
                }
            }
            Some((count, "pending")) => {
                if let Some(summary) = found.last_mut() {
                    summary.skipped = summary.skipped.saturating_add(count);
                }
            }
            Some(_) | None => {}
        }
    }
    found
}
