//! `4 examples, 1 failure, 1 pending`.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let mut parts = line.split(", ");
    let (examples, "example" | "examples") = counted(parts.next()?)? else {
        return None;
    };
    let (_, "failure" | "failures") = counted(parts.next()?)? else {
        return None;
    };
    let pending = parts
        .filter_map(counted)
        .find(|(_, words)| *words == "pending");
    Some(examples.saturating_sub(pending.map_or(0, |(count, _)| count)))
}
