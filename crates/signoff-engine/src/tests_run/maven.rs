//! Surefire and Failsafe: `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1`, for every class
//! with `Time elapsed`, then once for the module without.

use super::Summary;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let modules: Vec<Summary> = lines.iter().filter_map(|line| module(line)).collect();
    if !modules.is_empty() {
        return modules;
    }
    // A run that was ended early has no totals.
    lines.iter().filter_map(|line| class(line)).collect()
}

fn module(line: &str) -> Option<Summary> {
    match message(line) {
        "No tests to run." | "Tests are skipped." => Some(Summary::NOTHING),
        message if !message.contains("Time elapsed") => run(message),
        _ => None,
    }
}

fn class(line: &str) -> Option<Summary> {
    let message = message(line);
    message.contains("Time elapsed").then(|| run(message))?
}

/// The line without its level.
fn message(line: &str) -> &str {
    let line = line.trim();
    match line.split_once("] ") {
        Some((level, rest)) if level.starts_with('[') => rest.trim_start(),
        Some(_) | None => line,
    }
}

/// Surefire counts the skipped ones among those that were run.
fn run(message: &str) -> Option<Summary> {
    let mut parts = message.strip_prefix("Tests run: ")?.split(", ");
    let mut number = |name: &str| -> Option<u64> {
        let part = parts.next()?;
        part.strip_prefix(name)?.parse().ok()
    };
    let run = number("")?;
    let failed = number("Failures: ")?.saturating_add(number("Errors: ")?);
    let skipped = number("Skipped: ")?;
    Some(Summary {
        passed: run.saturating_sub(failed).saturating_sub(skipped),
        failed,
        skipped,
        ..Summary::default()
    })
}
