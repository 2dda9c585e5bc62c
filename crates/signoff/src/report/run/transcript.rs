//! What an agent said and did, for people to read.

use std::fmt::Write as _;

use signoff_api::progress::{AgentProgress, TodoState};
use signoff_api::transcript::{Transcript, TranscriptEntry};

use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, paint, sanitize};

/// As many lines of a tool's result as are shown.
const RESULT_LINES: usize = 6;

/// The whole attempt.
pub(crate) fn transcript_text(transcript: &Transcript) -> String {
    let mut text = heading(transcript);
    if transcript.entries.is_empty() {
        let nothing = "nothing that can be read was printed";
        push(&mut text, &paint(DIM, nothing).to_string());
    }
    for entry in &transcript.entries {
        push_entry(&mut text, entry);
    }
    let whole = format!("whole stream: {}", sanitize(&transcript.log));
    push(&mut text, "");
    push(&mut text, &paint(DIM, whole).to_string());
    text
}

fn heading(transcript: &Transcript) -> String {
    let name = format!(
        "{}, attempt {}",
        sanitize(&transcript.step),
        transcript.attempt
    );
    let agent = transcript.agent.as_ref().map(agent_line);
    let agent = agent.map_or_else(String::new, |agent| format!("  {}", paint(DIM, agent)));
    format!("{}{agent}\n\n", paint(TITLE, name))
}

/// `claude 2.1.197 · claude-sonnet-4-5 · session 1f…`
fn agent_line(agent: &AgentProgress) -> String {
    let version = agent.version.iter().map(|version| format!(" {version}"));
    let driver: String = std::iter::once(agent.driver.clone())
        .chain(version)
        .collect();
    let session = agent.session.iter().map(|id| format!("session {id}"));
    let parts = std::iter::once(driver)
        .chain(agent.model.clone())
        .chain(session);
    sanitize(&parts.collect::<Vec<_>>().join(" · "))
}

fn push_entry(text: &mut String, entry: &TranscriptEntry) {
    match entry {
        TranscriptEntry::Said { text: said } | TranscriptEntry::Output { text: said } => {
            push_lines(text, said, usize::MAX, |line| line);
        }
        TranscriptEntry::Tool {
            tool,
            about,
            ok,
            output,
        } => {
            let sign = match ok {
                Some(true) => paint(GOOD, "✓").to_string(),
                Some(false) => paint(ERROR, "✗").to_string(),
                None => paint(DIM, "…").to_string(),
            };
            push(
                text,
                &format!(
                    "{sign} {} {}",
                    paint(TITLE, sanitize(tool)),
                    sanitize(about)
                ),
            );
            push_lines(text, output, RESULT_LINES, |line| {
                format!("    {}", paint(DIM, line))
            });
        }
        TranscriptEntry::Changed { path } => {
            push(
                text,
                &format!("{} {}", paint(GOOD, "changed"), sanitize(path)),
            );
        }
        TranscriptEntry::Todo { entries } => {
            for entry in entries {
                let sign = match entry.state {
                    TodoState::Done => "☑",
                    TodoState::InProgress => "▸",
                    TodoState::Pending => "☐",
                };
                push(text, &format!("  {sign} {}", sanitize(&entry.text)));
            }
        }
        TranscriptEntry::Denied { tool, reason } => {
            let denied = format!("denied {}: {}", sanitize(tool), sanitize(reason));
            push(text, &paint(CARE, denied).to_string());
        }
        TranscriptEntry::Problem { message } => {
            push(text, &paint(ERROR, sanitize(message)).to_string());
        }
    }
}

fn push(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _written = writeln!(text, "{}", line.trim_end());
}

/// Adds the lines of a foreign text, as many as are shown.
fn push_lines<T: std::fmt::Display>(
    text: &mut String,
    lines: &str,
    shown: usize,
    each: impl Fn(String) -> T,
) {
    let count = lines.lines().count();
    for line in lines.lines().take(shown) {
        push(text, &each(sanitize(line)).to_string());
    }
    if count > shown {
        let more = format!("… {} more lines", count - shown);
        push(text, &each(more).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_a_conversation() {
        let entries = vec![
            TranscriptEntry::Said {
                text: "I look at\nthe parser.".to_owned(),
            },
            TranscriptEntry::Tool {
                tool: "Bash".to_owned(),
                about: "cargo test".to_owned(),
                ok: Some(false),
                output: [1, 2, 3, 4, 5, 6, 7, 8]
                    .map(|line| format!("line {line}"))
                    .join("\n"),
            },
            TranscriptEntry::Denied {
                tool: "WebFetch".to_owned(),
                reason: "not in scope".to_owned(),
            },
        ];
        let text = transcript_text(&Transcript {
            schema: String::new(),
            run: "r".to_owned(),
            step: "parser".to_owned(),
            attempt: 2,
            log: ".signoff/runs/r/steps/parser/2/agent.log".to_owned(),
            agent: None,
            entries,
        });
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            plain,
            "parser, attempt 2\n\nI look at\nthe parser.\n✗ Bash cargo test\n    line 1\n    line 2\n    line 3\n    \
             line 4\n    line 5\n    line 6\n    … 2 more lines\ndenied WebFetch: not in scope\n\n\
             whole stream: .signoff/runs/r/steps/parser/2/agent.log\n"
        );
    }
}
