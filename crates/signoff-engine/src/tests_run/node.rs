//! Node's own runner, and what else closes its TAP output so (mocha's reporter, tape):
//! `# tests 4`, `# pass 3`, `# fail 1`; in the readable form `ℹ pass 3`.

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for line in lines {
        match entry(line) {
            // Opens a summary; the number counts the skipped ones as well.
            Some(("tests", _)) => found.push(0),
            Some(("pass" | "fail", count)) => {
                if let Some(run) = found.last_mut() {
                    *run = run.saturating_add(count);
                }
            }
            Some(_) | None => {}
        }
    }
    found
}

fn entry(line: &str) -> Option<(&str, u64)> {
    let mut words = line.split_whitespace();
    let mark = words.next()?;
    let (name, count) = (words.next()?, words.next()?.parse().ok()?);
    (matches!(mark, "#" | "ℹ") && words.next().is_none()).then_some((name, count))
}
