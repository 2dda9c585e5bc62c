//! What an agent is told. In the `workunit` dialect that is the task, what the step subscribes to
//! and its acceptance criteria, nothing else; a retry also learns why the attempt before it failed.
//! What the other dialects add is in [`DialectNotes`].

mod dialect_notes;

pub use self::dialect_notes::{DialectNotes, EarlierStep, Proposal};
use crate::attachment::Attachment;

/// How much of a failed contract's output the next attempt sees, from its end.
const TAIL: usize = 4000;

/// Everything that goes into one prompt.
#[derive(Debug)]
pub struct Prompt<'a> {
    pub task: &'a str,
    pub attachments: &'a [Attachment],
    pub acceptance: &'a [String],
    /// What the plan's dialect adds.
    pub dialect_notes: DialectNotes<'a>,
    pub failure: Option<Failure<'a>>,
    pub conflict: Option<Conflict<'a>>,
    /// A person's advice.
    pub hint: Option<&'a str>,
}

/// The attempt before this one.
#[derive(Debug)]
pub struct Failure<'a> {
    pub command: &'a str,
    pub ended: String,
    pub unmet: &'a [String],
    pub stdout: &'a str,
    pub stderr: &'a str,
}

/// The attempt before this one did not go together with what others did meanwhile.
#[derive(Debug)]
pub struct Conflict<'a> {
    pub files: &'a [String],
    /// The conflicting parts.
    pub text: &'a str,
}

impl Prompt<'_> {
    pub fn text(&self) -> String {
        let mut text = self.task.trim_end().to_owned();
        text.push('\n');
        push_attachments(&mut text, "Context", self.attachments);
        if !self.acceptance.is_empty() {
            text.push_str("\n## Acceptance criteria\n\n");
            for criterion in self.acceptance {
                push_all(&mut text, &["- ", criterion, "\n"]);
            }
        }
        self.dialect_notes.push(&mut text);
        if let Some(failure) = &self.failure {
            failure.push(&mut text);
        }
        if let Some(conflict) = &self.conflict {
            conflict.push(&mut text);
        }
        if let Some(hint) = self.hint {
            push_all(&mut text, &["\n## Advice\n\n", hint.trim_end(), "\n"]);
        }
        text
    }
}

fn push_attachments(text: &mut String, heading: &str, attachments: &[Attachment]) {
    if attachments.is_empty() {
        return;
    }
    push_all(text, &["\n## ", heading, "\n"]);
    for Attachment { name, content } in attachments {
        match content {
            Ok(content) => {
                push_all(text, &["\n`", name, "`:\n"]);
                push_fenced(text, content);
            }
            Err(why) => push_all(text, &["\n`", name, "` is not shown: ", why, "\n"]),
        }
    }
}

impl Conflict<'_> {
    fn push(&self, text: &mut String) {
        if self.files.is_empty() {
            let why = self.text.trim_end();
            let said = "\n## The previous attempt\n\nIts changes could not be taken over: ";
            return push_all(text, &[said, why, "\n"]);
        }
        text.push_str(
            "\n## The previous attempt\n\nIts changes could not be merged: others changed the same places meanwhile. \
             You start from the present state, which has their changes and none of yours. Make your changes again so \
             that both hold. In conflict were:\n\n",
        );
        for file in self.files {
            push_all(text, &["- `", file, "`\n"]);
        }
        text.push_str("\nThe conflicting parts, theirs first:\n");
        push_fenced(text, self.text);
    }
}

impl Failure<'_> {
    fn push(&self, text: &mut String) {
        text.push_str("\n## The previous attempt failed\n\nAfter it, this check was run:\n");
        push_fenced(text, self.command);
        push_all(text, &["It did not hold (", &self.ended, ")."]);
        if !self.unmet.is_empty() {
            push_all(text, &[" Not met: ", &self.unmet.join("; "), "."]);
        }
        text.push('\n');
        for (name, output) in [("stderr", self.stderr), ("stdout", self.stdout)] {
            if !output.trim().is_empty() {
                push_all(text, &["\nIts ", name, ":\n"]);
                push_fenced(text, tail(output));
            }
        }
        text.push_str("\nThe files are as that attempt left them. Make the check hold.\n");
    }
}

/// A prompt with all of its parts, each filled with its own name: whatever changes in the words
/// around them changes this text, and a signature covers it.
pub fn template() -> String {
    let attachment = |name: &str, content| Attachment {
        name: name.to_owned(),
        content,
    };
    let prompt = Prompt {
        task: "TASK",
        attachments: &[
            attachment("FILE", Ok("CONTENT".to_owned())),
            attachment("MISSING", Err("WHY".to_owned())),
        ],
        acceptance: &["CRITERION".to_owned()],
        dialect_notes: DialectNotes::Nothing,
        failure: Some(Failure {
            command: "CONTRACT",
            ended: "ENDED".to_owned(),
            unmet: &["CONDITION".to_owned()],
            stdout: "STDOUT",
            stderr: "STDERR",
        }),
        conflict: Some(Conflict {
            files: &["CONFLICTING".to_owned()],
            text: "PARTS",
        }),
        hint: Some("HINT"),
    };
    let mut text = prompt.text();
    for dialect in dialect_notes::templates() {
        text.push_str(&dialect);
    }
    text
}

fn push_all(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
}

/// Content between fences longer than any it contains, so that it cannot end them.
fn push_fenced(text: &mut String, content: &str) {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let newline = if content.ends_with('\n') { "" } else { "\n" };
    push_all(text, &[&fence, "\n", content, newline, &fence, "\n"]);
}

fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt<'a>(attachments: &'a [Attachment], failure: Option<Failure<'a>>) -> Prompt<'a> {
        Prompt {
            task: "Fix it.\n\n",
            attachments,
            acceptance: &[],
            dialect_notes: DialectNotes::Nothing,
            failure,
            conflict: None,
            hint: None,
        }
    }

    #[test]
    fn the_template_has_every_part() {
        let text = template();
        for part in [
            "TASK",
            "FILE",
            "CONTENT",
            "MISSING",
            "WHY",
            "CRITERION",
            "CONTRACT",
            "ENDED",
            "CONDITION",
            "STDOUT",
            "STDERR",
            "CONFLICTING",
            "PARTS",
            "HINT",
            "INSTRUCTIONS",
            "CONSTRAINT",
            "NARRATIVE",
            "SUBTASK",
            "CONTEXT",
            "RISK",
            "[TOOL]",
            "OPERATION",
            "SAID",
            "WHOLE",
            "OUTPUTS",
            "ARTIFACT",
            "HELD",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_task_alone_is_the_whole_prompt() {
        assert_eq!(prompt(&[], None).text(), "Fix it.\n");
    }

    #[test]
    fn content_cannot_end_its_fence() {
        let attachment = Attachment {
            name: "file:a.md".to_owned(),
            content: Ok("```sh\nx\n```\n".to_owned()),
        };
        assert_eq!(
            prompt(&[attachment], None).text(),
            "Fix it.\n\n## Context\n\n`file:a.md`:\n````\n```sh\nx\n```\n````\n"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let attachment = Attachment {
            name: "file:gone.md".to_owned(),
            content: Err("no such file".to_owned()),
        };
        let text = prompt(&[attachment], None).text();
        assert!(
            text.contains("`file:gone.md` is not shown: no such file"),
            "{text}"
        );
    }

    #[test]
    fn a_retry_sees_the_end_of_stderr() {
        let stderr = format!("{}the end\n", "é".repeat(TAIL));
        let text = prompt(
            &[],
            Some(Failure {
                command: "pytest -x",
                ended: "exit code 1".to_owned(),
                unmet: &["exit_code == 0".to_owned()],
                stdout: "",
                stderr: &stderr,
            }),
        )
        .text();
        assert!(
            text.contains("```\npytest -x\n```\nIt did not hold (exit code 1)."),
            "{text}"
        );
        assert!(text.contains("the end\n```"), "{text}");
        assert!(text.len() < 2 * TAIL, "{}", text.len());
        assert!(!text.contains("Its stdout"), "{text}");
    }
}
