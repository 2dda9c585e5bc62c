//! `4 examples, 1 failure, 1 pending`.

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let mut parts = line.split(", ");
    let (examples, "example" | "examples") = count_and_words(parts.next()?)? else {
        return None;
    };
    let (failed, "failure" | "failures") = count_and_words(parts.next()?)? else {
        return None;
    };
    let (mut skipped, mut errors) = (0, 0);
    for (count, words) in parts.filter_map(count_and_words) {
        match words {
            "pending" => skipped = count,
            // `1 error occurred outside of examples`
            words if words.starts_with("error") => errors = count,
            _ => {}
        }
    }
    Some(Summary {
        passed: examples.saturating_sub(failed).saturating_sub(skipped),
        failed,
        errors,
        skipped,
    })
}
