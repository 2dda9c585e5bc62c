//! What a dialect tells an agent beside its task. A `workunit` tells nothing more.

use super::{push_all, push_attachments, push_fenced};
use crate::attachment::Attachment;

/// Plan mode's words, which its users know.
const STOP: &str = "If a step fails, STOP immediately. Do NOT attempt to undo previous steps unless the plan explicitly includes rollback steps. Report: which steps succeeded, which failed, what state was left behind.";

/// What stands around a task, by dialect.
#[derive(Debug, Clone, Copy, Default)]
pub enum DialectNotes<'a> {
    /// `workunit` and `toolplan`: the agent does not know that there is a plan.
    #[default]
    Nothing,
    /// `record`
    Record {
        /// What the whole plan is for.
        task: Option<&'a str>,
        instructions: Option<&'a str>,
        constraints: &'a [String],
        /// The steps that this one waits for.
        earlier: &'a [EarlierStep],
    },
    /// `thread`
    Thread {
        /// The plan's own text.
        narrative: Option<&'a str>,
        subtasks: &'a [String],
    },
    /// `proposal`
    Proposal(Proposal<'a>),
}

/// What the executor of a proposal is told.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    pub context: Option<&'a str>,
    /// What tools gave when the plan was made, as JSON.
    pub tool_outputs: Option<&'a str>,
    /// Files that the context refers to.
    pub artifacts: &'a [Attachment],
    pub risks: &'a [String],
    /// The only tools it may use. `None` if they are not limited.
    pub tools: Option<&'a [String]>,
    /// The tool that the step names, with operation and target.
    pub hint: Option<&'a str>,
    pub earlier: &'a [EarlierStep],
}

/// How a step before this one came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierStep {
    pub number: usize,
    pub title: String,
    /// `success`, `failed`, `skipped` or `not accepted yet`.
    pub status: &'static str,
    /// What its agent said last.
    pub said: String,
}

impl DialectNotes<'_> {
    pub(super) fn push(&self, text: &mut String) {
        match self {
            DialectNotes::Nothing => {}
            DialectNotes::Record {
                task,
                instructions,
                constraints,
                earlier,
            } => {
                push_text(text, "Instructions", *instructions);
                push_text(text, "The whole task, of which this is one step", *task);
                push_list(text, "Constraints", constraints);
                push_earlier(text, earlier);
            }
            DialectNotes::Thread {
                narrative,
                subtasks,
            } => {
                push_list(text, "Subtasks", subtasks);
                push_text(text, "Background", *narrative);
            }
            DialectNotes::Proposal(proposal) => proposal.push(text),
        }
    }
}

impl Proposal<'_> {
    fn push(&self, text: &mut String) {
        push_text(text, "Tool", self.hint);
        push_text(text, "Context", self.context);
        if let Some(outputs) = self.tool_outputs {
            text.push_str("\n## Tool outputs\n\n");
            push_fenced(text, outputs);
        }
        push_attachments(text, "Artifacts", self.artifacts);
        push_list(text, "Risks", self.risks);
        if let Some(tools) = self.tools {
            let only = format!("You ONLY have [{}].", tools.join(", "));
            push_text(text, "Tools", Some(&only));
        }
        push_earlier(text, self.earlier);
        push_text(text, "If something fails", Some(STOP));
    }
}

fn push_earlier(text: &mut String, earlier: &[EarlierStep]) {
    if earlier.is_empty() {
        return;
    }
    text.push_str("\n## Earlier results\n\n");
    for step in earlier {
        let head = format!("{}. {}: {}", step.number, step.title, step.status);
        push_all(text, &[&head, "\n"]);
        for line in step.said.lines().filter(|line| !line.trim().is_empty()) {
            push_all(text, &["   > ", line, "\n"]);
        }
    }
}

fn push_text(text: &mut String, heading: &str, content: Option<&str>) {
    if let Some(content) = content.filter(|content| !content.trim().is_empty()) {
        push_all(text, &["\n## ", heading, "\n\n", content.trim(), "\n"]);
    }
}

fn push_list(text: &mut String, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    push_all(text, &["\n## ", heading, "\n\n"]);
    for item in items {
        push_all(text, &["- ", item, "\n"]);
    }
}

/// One of each dialect, every part filled with its own name.
pub(super) fn templates() -> Vec<String> {
    let one = |name: &str| [name.to_owned()];
    let earlier = [EarlierStep {
        number: 1,
        title: "TITLE".to_owned(),
        status: "STATUS",
        said: "SAID".to_owned(),
    }];
    let artifacts = [Attachment {
        name: "ARTIFACT".to_owned(),
        content: Ok("HELD".to_owned()),
    }];
    let all = [
        DialectNotes::Record {
            task: Some("WHOLE"),
            instructions: Some("INSTRUCTIONS"),
            constraints: &one("CONSTRAINT"),
            earlier: &earlier,
        },
        DialectNotes::Thread {
            narrative: Some("NARRATIVE"),
            subtasks: &one("SUBTASK"),
        },
        DialectNotes::Proposal(Proposal {
            context: Some("CONTEXT"),
            tool_outputs: Some("OUTPUTS"),
            artifacts: &artifacts,
            risks: &one("RISK"),
            tools: Some(&one("TOOL")),
            hint: Some("OPERATION"),
            earlier: &earlier,
        }),
    ];
    let texts = all.iter().map(|dialect_notes| {
        let mut text = String::new();
        dialect_notes.push(&mut text);
        text
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialect_notes: DialectNotes<'_>, expected: &str) {
        let mut text = String::new();
        dialect_notes.push(&mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_workunit_is_told_nothing_more() {
        check(DialectNotes::Nothing, "");
    }

    #[test]
    fn each_dialect_has_its_own_parts() {
        let list = ["a".to_owned(), "b".to_owned()];
        let earlier = [EarlierStep {
            number: 1,
            title: "Read it".to_owned(),
            status: "success",
            said: "found".to_owned(),
        }];
        let record = DialectNotes::Record {
            task: Some("All of it."),
            instructions: Some("How.\n"),
            constraints: &list,
            earlier: &earlier,
        };
        check(
            record,
            "\n## Instructions\n\nHow.\n\n## The whole task, of which this is one step\n\nAll of it.\n\n## Constraints\n\n- a\n- b\n\n## Earlier results\n\n1. Read it: success\n   > found\n",
        );
        let thread = DialectNotes::Thread {
            narrative: Some("Why."),
            subtasks: &list,
        };
        check(
            thread,
            "\n## Subtasks\n\n- a\n- b\n\n## Background\n\nWhy.\n",
        );
    }

    #[test]
    fn a_proposal_is_told_its_scope_its_rule_and_what_was_before() {
        let earlier = [EarlierStep {
            number: 1,
            title: "Read it".to_owned(),
            status: "success",
            said: "found\n\n3 lines\n".to_owned(),
        }];
        let tools = ["read_file".to_owned(), "go-easy".to_owned()];
        let artifacts = [Attachment {
            name: "docs/bill.txt".to_owned(),
            content: Ok("100 EUR".to_owned()),
        }];
        let proposal = DialectNotes::Proposal(Proposal {
            context: None,
            tool_outputs: Some("{\"bill\": 1}"),
            artifacts: &artifacts,
            risks: &[],
            tools: Some(&tools),
            hint: None,
            earlier: &earlier,
        });
        check(
            proposal,
            &format!(
                "\n## Tool outputs\n\n```\n{{\"bill\": 1}}\n```\n\n## Artifacts\n\n`docs/bill.txt`:\n```\n100 EUR\n```\n\n## Tools\n\nYou ONLY have [read_file, go-easy].\n\n## Earlier results\n\n1. Read it: success\n   > found\n   > 3 lines\n\n## If something fails\n\n{STOP}\n"
            ),
        );
    }
}
