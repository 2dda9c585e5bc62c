//! What contracts printed, what agents changed, and what they said.

use maud::{Markup, html};
use signoff_api::progress::TodoState;
use signoff_api::report::ContractRun;
use signoff_api::transcript::{Transcript, TranscriptEntry};

use crate::moment::format_duration;

/// Lines of a patch that are shown at once.
const LINES: usize = 2000;

/// The contract before the work and after it, side by side.
pub fn before_and_after(before: Option<&ContractRun>, after: Option<&ContractRun>) -> Markup {
    html! {
        div.two-up {
            (contract_run("Before the work", before, "It was not run before the work."))
            (contract_run("After the work", after, "It has not been run yet."))
        }
    }
}

fn contract_run(heading: &str, run: Option<&ContractRun>, none: &str) -> Markup {
    html! {
        section {
            @match run {
                Some(run) => {
                    @let (sign, word, tone) = verdict(&run.verdict);
                    div.output-head {
                        h3 { (heading) }
                        span class={ "state tone-" (tone) } { span.sign aria-hidden="true" { (sign) } (word) }
                        span.muted { (run.ended) " · " (format_duration(run.duration_ms)) }
                    }
                    @if run.verdict != "pass" {
                        @if let Some(line) = first_failure(run).filter(|line| !is_all(run, line)) { p.small.first-failure { code { (line) } } }
                    }
                    @for unmet in &run.unmet { p.small.muted { "not met: " (unmet) } }
                    (printed_output(run))
                }
                None => { div.output-head { h3 { (heading) } } p.small.muted { (none) } }
            }
        }
    }
}

fn verdict(word: &str) -> (&'static str, &'static str, &'static str) {
    match word {
        "pass" => ("✓", "green", "proved"),
        "fail" => ("✗", "red", "failed"),
        _ => ("!", "no answer", "regressed"),
    }
}

fn printed_output(run: &ContractRun) -> Markup {
    let both = [
        ("stdout", run.stdout.trim_end()),
        ("stderr", run.stderr.trim_end()),
    ];
    let has_any = both.iter().any(|(_, text)| !text.is_empty());
    html! {
        @if !has_any { p.small.muted { "It printed nothing." } }
        @for (name, text) in both {
            @if !text.is_empty() {
                pre.output.wrap tabindex="0" aria-label=(name) { (text) }
            }
        }
        @if run.cut { p.tiny.muted { "Only its end is shown." } }
    }
}

/// The first line that looks like what went wrong.
fn first_failure(run: &ContractRun) -> Option<&str> {
    const SIGNS: [&str; 7] = [
        "error",
        "fail",
        "assert",
        "panicked",
        "not found",
        "no such",
        "exception",
    ];
    let lines = || run.stdout.lines().chain(run.stderr.lines()).map(str::trim);
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    let last = || lines().rfind(|line| !line.is_empty());
    lines().find(tells).or_else(last)
}

/// Whether the line is all that was printed, so that it stands there anyway.
fn is_all(run: &ContractRun, line: &str) -> bool {
    let printed = [run.stdout.trim(), run.stderr.trim()];
    let mut printed = printed.iter().filter(|text| !text.is_empty());
    printed.next() == Some(&line) && printed.next().is_none()
}

/// A patch, coloured line by line.
pub fn patch(text: &str) -> Markup {
    let lines = text.lines().count();
    html! {
        div.patch tabindex="0" role="group" aria-label="Changes" {
            @for line in text.lines().take(LINES) { (patch_line(line)) }
        }
        @if lines > LINES { p.tiny.muted { (lines - LINES) " more lines are not shown" } }
    }
}

fn patch_line(line: &str) -> Markup {
    let is_noise = [
        "index ",
        "--- ",
        "+++ ",
        "new file mode",
        "deleted file mode",
    ];
    if let Some(names) = line.strip_prefix("diff --git ") {
        let name = names.rsplit_once(" b/").map_or(names, |(_, name)| name);
        return html! { span.file { (name) } };
    }
    if is_noise.iter().any(|start| line.starts_with(start)) {
        return html! {};
    }
    match line.as_bytes().first() {
        Some(b'+') => html! { ins { (&line[1..]) } },
        Some(b'-') => html! { del { (&line[1..]) } },
        Some(b'@') => html! { span.place { (line) } },
        _ => html! { span { (line.strip_prefix(' ').unwrap_or(line)) } },
    }
}

/// What an agent said and did, newest last.
pub fn transcript(transcript: &Transcript) -> Markup {
    html! {
        @if transcript.entries.is_empty() { p.muted.small { "The agent has said nothing yet." } }
        div.transcript #transcript data-follows tabindex="0" role="log" aria-label="Transcript" {
            @for entry in &transcript.entries { (entry_of(entry)) }
        }
        p.tiny.muted { "Read from " code { (transcript.log) } ". Agents report; nothing here decides." }
    }
}

fn entry_of(entry: &TranscriptEntry) -> Markup {
    html! {
        @match entry {
            TranscriptEntry::Said { text } => div.said { (text) },
            TranscriptEntry::Output { text } => pre.wrap { (text) },
            TranscriptEntry::Changed { path } => div.small { "changed " code { (path) } },
            TranscriptEntry::Problem { message } => div.small.first-failure { "✗ " (message) },
            TranscriptEntry::Denied { tool, reason } => div.small.first-failure { "– was not allowed " code { (tool) } ": " (reason) },
            TranscriptEntry::Todo { entries } => ul.todo {
                @for todo in entries {
                    @let sign = match todo.state { TodoState::Done => "✓", TodoState::InProgress => "●", TodoState::Pending => "○" };
                    li { span aria-hidden="true" { (sign) } (todo.text) }
                }
            },
            TranscriptEntry::Tool { tool, about, ok, output } => details.tool {
                summary {
                    @match ok { Some(true) => span aria-label="succeeded" { "✓" }, Some(false) => span.first-failure aria-label="failed" { "✗" }, None => span aria-label="under way" { "●" } }
                    strong { (tool) }
                    code.muted { (about) }
                }
                @if !output.trim().is_empty() { pre.wrap { (output) } }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stdout: &str, stderr: &str) -> ContractRun {
        ContractRun {
            verdict: "fail".to_owned(),
            at: String::new(),
            duration_ms: 1,
            ended: "exit code 1".to_owned(),
            unmet: Vec::new(),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            cut: false,
        }
    }

    #[test]
    fn the_line_that_tells_what_failed_is_found() {
        let pytest = run(
            "collected 2 items\nE   AssertionError: 1 != 2\n1 failed\n",
            "",
        );
        assert_eq!(first_failure(&pytest), Some("E   AssertionError: 1 != 2"));
        assert_eq!(first_failure(&run("one\ntwo\n\n", "")), Some("two"));
        assert_eq!(first_failure(&run("", "")), None);
        assert!(is_all(&run("", "no such file\n"), "no such file"));
        assert!(!is_all(&run("1 failed\n", "error\n"), "error"));
    }

    #[test]
    fn what_others_wrote_is_text() {
        let shown = patch("diff --git a/x b/x\n+<script>alert(1)</script>\n-a\n").into_string();
        assert!(
            shown.contains("<ins>&lt;script&gt;alert(1)&lt;/script&gt;</ins>"),
            "{shown}"
        );
        assert!(shown.contains("<span class=\"file\">x</span>"), "{shown}");
    }
}
