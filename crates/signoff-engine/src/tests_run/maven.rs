//! Surefire and Failsafe: `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1`, for every class
//! with `Time elapsed`, then once for the module without.

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let modules: Vec<u64> = lines.iter().filter_map(|line| module(line)).collect();
    if !modules.is_empty() {
        return modules;
    }
    // A run that was ended early has no totals.
    lines.iter().filter_map(|line| class(line)).collect()
}

fn module(line: &str) -> Option<u64> {
    match message(line) {
        "No tests to run." | "Tests are skipped." => Some(0),
        message if !message.contains("Time elapsed") => run(message),
        _ => None,
    }
}

fn class(line: &str) -> Option<u64> {
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
fn run(message: &str) -> Option<u64> {
    let mut parts = message.strip_prefix("Tests run: ")?.split(", ");
    let run: u64 = parts.next()?.parse().ok()?;
    parts.next()?.strip_prefix("Failures: ")?;
    parts.next()?.strip_prefix("Errors: ")?;
    let skipped: u64 = parts.next()?.strip_prefix("Skipped: ")?.parse().ok()?;
    Some(run.saturating_sub(skipped))
}
