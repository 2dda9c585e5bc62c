//! `     Summary [   0.027s] 4 tests run: 4 passed, 1 skipped`; cut short, `3/4 tests run: …`.

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let (_, counts) = line
        .trim_start()
        .strip_prefix("Summary [")?
        .split_once("] ")?;
    let (run, words) = counts.split_once(' ')?;
    let known = words.starts_with("tests run:") || words.starts_with("test run:");
    // Of those that were to run, the first number did.
    let run = run.split('/').next()?;
    run.parse().ok().filter(|_| known)
}
