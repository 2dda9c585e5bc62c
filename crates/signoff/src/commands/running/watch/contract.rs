//! What the contract of a step said, before the work and after it, as lines of a pane.

use signoff_api::report::{ContractRun, ReportedStep};

/// Lines of one run of a contract that are shown: the last ones.
const LINES: usize = 200;

/// The run before the work, and the newest one after it; nothing where the contract has not run.
pub(super) fn contract_lines(step: &ReportedStep) -> Vec<String> {
    let mut attempts = step.attempts.iter().rev();
    let newest = attempts.find_map(|one| Some((one.number, one.contract.as_ref()?)));
    let before = step.baseline.iter();
    let before = before.map(|run| ("before the work".to_owned(), run));
    let after = newest.map(|(number, run)| (format!("after attempt {number}"), run));
    before.chain(after).flat_map(run_lines).collect()
}

fn run_lines((when, run): (String, &ContractRun)) -> Vec<String> {
    let verdict = match run.verdict.as_str() {
        "pass" => "✓ green",
        "fail" => "✗ red",
        _ => "! no answer",
    };
    let mut out = vec![format!("{when}: {verdict}, {}", run.ended)];
    out.extend(run.unmet.iter().map(|unmet| format!("  not met: {unmet}")));
    let printed: Vec<&str> = run.stdout.lines().chain(run.stderr.lines()).collect();
    if printed.is_empty() {
        out.push("  it printed nothing".to_owned());
    }
    let end = printed.iter().skip(printed.len().saturating_sub(LINES));
    out.extend(end.map(|line| format!("  {line}")));
    out
}

#[cfg(test)]
mod tests {
    use signoff_api::plan::Work;
    use signoff_api::report::{ContractRun, ReportedStep};

    use super::contract_lines;

    fn run(verdict: &str, stdout: &str) -> ContractRun {
        ContractRun {
            verdict: verdict.to_owned(),
            at: String::new(),
            duration_ms: 3,
            ended: "exit code 0".to_owned(),
            unmet: Vec::new(),
            stdout: stdout.to_owned(),
            stderr: String::new(),
            cut: false,
        }
    }

    #[test]
    fn a_contract_that_printed_nothing_has_run() {
        let mut step = ReportedStep {
            id: "a".to_owned(),
            number: 1,
            depends_on: Vec::new(),
            work: Work::Check,
            contract: None,
            baseline: None,
            attempts: Vec::new(),
            waits: Vec::new(),
        };
        assert!(contract_lines(&step).is_empty());
        step.baseline = Some(run("pass", ""));
        let silent = [
            "before the work: ✓ green, exit code 0",
            "  it printed nothing",
        ];
        assert_eq!(contract_lines(&step), silent);
        step.baseline = Some(run("fail", "one\ntwo\n"));
        assert_eq!(
            contract_lines(&step),
            ["before the work: ✗ red, exit code 0", "  one", "  two"]
        );
    }
}
