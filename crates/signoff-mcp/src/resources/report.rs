//! The report of a run as markdown: what `signoff report` says, for a model to read.

use std::fmt::Write as _;

use signoff_api::plan::{Contract, Work};
use signoff_api::report::{ContractRun, Report, ReportedAttempt, ReportedSignature, ReportedStep};
use signoff_api::run::RunStep;
use signoff_api::usage::AgentUsage;

use crate::tools::status::grade_word;

/// Characters of one output that are shown: its end says what failed. The JSON has more.
const OUTPUT: usize = 2_000;

/// The whole report.
pub(super) fn markdown(report: &Report) -> String {
    let run = &report.run;
    let mut text = format!(
        "# {}\n\nRun `{}` of plan `{}`: **{}**, {} % done. Began {}, last event {}. Written {}.\n",
        run.title,
        run.run,
        run.plan,
        run.status,
        run.progress,
        run.started_at,
        run.updated_at,
        report.at
    );
    for signature in &report.signatures {
        let _ = write!(text, "\n{}\n", signature_line(signature));
    }
    text.push_str(&table(&run.steps));
    for item in &run.inbox {
        let (question, id) = (&item.question, &item.id);
        let _ = write!(text, "\nWaits on a person: {question} (`{id}`)\n");
    }
    for held in &run.held {
        let _ = write!(text, "\nHeld back: {held}\n");
    }
    for (told, step) in report.steps.iter().zip(&run.steps) {
        text.push_str(&step_section(told, step));
    }
    text.push_str(&answers(report));
    text.push_str(&cost(report));
    text.push_str("\n## Check it again\n\n");
    for command in &report.verify {
        let _ = writeln!(text, "- `{command}`");
    }
    text
}

fn signature_line(signature: &ReportedSignature) -> String {
    let ReportedSignature {
        by,
        at,
        proof,
        digest,
        terms,
        note,
        principal,
    } = signature;
    let key = surround(" (key of ", principal.as_deref(), ")");
    let note = surround(", who said: ", note.as_deref(), "");
    format!("Signed {at} by {by}, proof `{proof}`{key}: plan `{digest}`, terms `{terms}`{note}.")
}

fn table(steps: &[RunStep]) -> String {
    let mut text =
        "\n| step | state | attempts | evidence | why |\n|---|---|---|---|---|\n".to_owned();
    for step in steps {
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            cell(&step.title),
            step.status,
            step.attempts,
            step.evidence.map_or("–", grade_word),
            cell(step.reason.as_deref().unwrap_or_default())
        );
    }
    text
}

fn step_section(told: &ReportedStep, step: &RunStep) -> String {
    let ReportedStep {
        id,
        number,
        depends_on,
        work,
        contract,
        baseline,
        attempts,
        waits,
    } = told;
    let mut text = format!("\n## {number}. {}\n\n`{id}`: {}", step.title, work_of(work));
    if !depends_on.is_empty() {
        let _ = write!(text, "; after {}", depends_on.join(", "));
    }
    text.push('\n');
    if let Some(contract) = contract {
        text.push_str(&contract_of(contract));
    }
    if let Some(baseline) = baseline {
        text.push_str(&contract_run("Before the work", baseline));
    }
    for attempt in attempts {
        text.push_str(&attempt_section(attempt));
    }
    for wait in waits {
        let to = wait.to.as_deref().unwrap_or("now");
        let _ = write!(text, "\nWaited on a person from {} to {to}.\n", wait.from);
    }
    text
}

fn work_of(work: &Work) -> String {
    match work {
        Work::Agent { role, task } => {
            let role = role.as_deref().unwrap_or("default");
            format!("the agent `{role}` was to: {}", task.trim())
        }
        Work::Tool { tool, .. } => format!("a call of `{tool}`"),
        Work::Ask { question, .. } => format!("a question to a person: {}", question.trim()),
        Work::Check => "a check".to_owned(),
    }
}

fn contract_of(contract: &Contract) -> String {
    let mut text = format!("\nContract:\n\n{}", fence_text(&contract.command));
    if !contract.expect.is_empty() {
        let _ = write!(text, "\nExpected: `{}`\n", contract.expect.join("`, `"));
    }
    text
}

fn attempt_section(attempt: &ReportedAttempt) -> String {
    let ReportedAttempt {
        number,
        started_at,
        worked_until,
        ended_at,
        agent,
        model,
        ended,
        said,
        changed,
        contract,
        failed,
        usage,
    } = attempt;
    let mut text = format!("\n### Attempt {number}\n\nBegan {started_at}");
    text += &surround(", worked until ", worked_until.as_deref(), "");
    text += &surround(", ended ", ended_at.as_deref(), "");
    text += &surround("; agent `", agent.as_deref(), "`");
    text += &surround(", model `", model.as_deref(), "`");
    text += &surround("; ", ended.as_deref(), "");
    if let Some(usage) = usage {
        let _ = write!(text, "; {} tokens, USD {}", usage.tokens, dollars(usage));
    }
    text.push_str(".\n");
    if !changed.is_empty() {
        let _ = write!(text, "\nChanged: {}\n", changed.join(", "));
    }
    if let Some(contract) = contract {
        text.push_str(&contract_run("After the work", contract));
    }
    if let Some(why) = failed {
        let _ = write!(text, "\nIt did not count: {why}\n");
    }
    if let Some(said) = said {
        let _ = write!(
            text,
            "\nIts last words, by which nobody judges:\n\n{}",
            fence_text(tail_of(said))
        );
    }
    text
}

fn contract_run(when: &str, run: &ContractRun) -> String {
    let ContractRun {
        verdict,
        at,
        duration_ms,
        ended,
        unmet,
        stdout,
        stderr,
        cut,
    } = run;
    let mut text = format!("\n{when}, {at}: **{verdict}** ({ended}, {duration_ms} ms)");
    if !unmet.is_empty() {
        let _ = write!(text, "; not met: `{}`", unmet.join("`, `"));
    }
    text.push_str(".\n");
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        let output = output.trim_end();
        if !output.is_empty() {
            let is_cut = *cut || tail_of(output).len() < output.len();
            let end = if is_cut { ", its end" } else { "" };
            let _ = write!(text, "\n{name}{end}:\n\n{}", fence_text(tail_of(output)));
        }
    }
    text
}

fn answers(report: &Report) -> String {
    if report.answers.is_empty() {
        return String::new();
    }
    let mut text = "\n## Answers of people\n\n".to_owned();
    for answer in &report.answers {
        let (at, by, step) = (&answer.at, &answer.by, &answer.step);
        let (question, choice) = (answer.question.trim(), &answer.choice);
        let note = surround(" (", answer.note.as_deref(), ")");
        let _ = writeln!(
            text,
            "- {at}, {by}, about `{step}`: {question} **{choice}**{note}"
        );
    }
    text
}

fn cost(report: &Report) -> String {
    let Some(usage) = &report.run.usage else {
        return String::new();
    };
    let mut text = "\n## Cost\n\n| agent or model | tokens | USD |\n|---|---|---|\n".to_owned();
    let named = usage.by_agent.iter().chain(&usage.by_model);
    let named = named.map(|(name, used)| (name.as_str(), used));
    for (name, used) in named.chain([("all", &usage.total)]) {
        let _ = writeln!(text, "| {name} | {} | {} |", used.tokens, dollars(used));
    }
    text
}

fn dollars(used: &AgentUsage) -> String {
    match used.usd {
        None => "unknown".to_owned(),
        Some(usd) if used.usd_is_partial => format!("more than {usd:.4}"),
        Some(usd) => format!("{usd:.4}"),
    }
}

/// A value with what stands around it, if there is one.
fn surround(before: &str, value: Option<&str>, after: &str) -> String {
    value.map_or_else(String::new, |value| format!("{before}{value}{after}"))
}

/// The end of a text, from a whole line on.
fn tail_of(text: &str) -> &str {
    if text.len() <= OUTPUT {
        return text;
    }
    let tail = &text[text.ceil_char_boundary(text.len() - OUTPUT)..];
    tail.split_once('\n').map_or(tail, |(_, rest)| rest)
}

/// A text of somebody else, which cannot end its own block.
fn fence_text(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_cannot_end_its_own_block() {
        for (text, fence) in [("a", "```"), ("```\n# Signed", "````"), ("`````", "``````")] {
            let block = fence_text(text);
            assert!(block.starts_with(&format!("{fence}\n")), "{block}");
            assert_eq!(block.lines().last(), Some(fence));
        }
    }

    #[test]
    fn of_a_long_output_the_last_lines_are_shown() {
        let long = format!("{}\nü{}\nend", "x".repeat(3_000), "y".repeat(1_000));
        let shown = tail_of(&long);
        assert!(
            shown.starts_with('ü') && shown.ends_with("\nend"),
            "{shown}"
        );
        assert_eq!(tail_of("short"), "short");
    }
}
