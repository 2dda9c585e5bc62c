//! What a prompt says besides the task, depending on the plan's briefing.

use std::path::Path;

use serde_json::Value;
use signoff_engine::{Run, Stage, StepState, StepStatus};
use signoff_plan::model::{BriefingStyle, Hint, Step, Subscription};
use signoff_work::attachment::{Attachment, SubscriptionRoots, read_all};
use signoff_work::prompt::{DialectNotes, EarlierStep, Proposal};

use crate::signing::terms::artifacts;

/// An agent is told the results of this many steps before its own.
const EARLIER: usize = 50;
/// Bytes of each of these results.
const LONGEST: usize = 4096;

/// The owned values that one prompt borrows.
#[derive(Default)]
pub(super) struct PromptContext {
    earlier: Vec<EarlierStep>,
    hint: Option<String>,
    tool_outputs: Option<String>,
    artifacts: Vec<Attachment>,
}

impl PromptContext {
    /// Files that the plan refers to are read in the checkout, where they are what was signed.
    pub(super) fn new(run: &Run, at: usize, checkout: &Path) -> Self {
        let plan = run.plan();
        match plan.briefing() {
            BriefingStyle::Task | BriefingStyle::Thread => Self::default(),
            BriefingStyle::Record => {
                // An item of a loop waits for what its loop waits for.
                let parent = run.step(at).and_then(|(_, state)| state.parent());
                let before: Vec<usize> = plan.dependencies(parent.unwrap_or(at)).collect();
                let nearest = before.iter().rev().take(EARLIER).rev();
                Self {
                    earlier: nearest
                        .filter_map(|at| earlier_step(run.step(*at)?))
                        .collect(),
                    ..Self::default()
                }
            }
            BriefingStyle::Proposal => {
                let hint = run.step(at).and_then(|(step, _)| step.hint.as_ref());
                let skipped = at.saturating_sub(EARLIER);
                let before = run.steps().take(at).skip(skipped);
                let outputs = plan.record.get("tool_outputs");
                Self {
                    earlier: before.filter_map(earlier_step).collect(),
                    hint: hint.map(hint_text),
                    tool_outputs: outputs.map(|outputs| format!("{outputs:#}")),
                    artifacts: read_artifacts(run, checkout),
                }
            }
        }
    }

    pub(super) fn dialect_notes<'a>(&'a self, run: &'a Run, step: &'a Step) -> DialectNotes<'a> {
        let plan = run.plan();
        match plan.briefing() {
            BriefingStyle::Task => DialectNotes::Nothing,
            BriefingStyle::Record => DialectNotes::Record {
                task: plan.task.as_deref(),
                instructions: step.instructions.as_deref(),
                constraints: &plan.constraints,
                earlier: &self.earlier,
            },
            BriefingStyle::Thread => DialectNotes::Thread {
                narrative: plan.context.as_deref(),
                subtasks: &step.subtasks,
            },
            BriefingStyle::Proposal => DialectNotes::Proposal(Proposal {
                context: plan.context.as_deref(),
                tool_outputs: self.tool_outputs.as_deref(),
                artifacts: &self.artifacts,
                risks: &plan.risks,
                tools: step.tools.as_deref().or(plan.tools.as_deref()),
                hint: self.hint.as_deref(),
                earlier: &self.earlier,
            }),
        }
    }
}

/// A step that has ended, or whose agent has.
fn earlier_step((step, state): (&Step, &StepState)) -> Option<EarlierStep> {
    let status = match state.status {
        StepStatus::Waiting if state.stage == Stage::Provisional => "not accepted yet",
        StepStatus::Completed => "success",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
        StepStatus::Pending
        | StepStatus::Blocked
        | StepStatus::Ready
        | StepStatus::Running
        | StepStatus::Verifying
        | StepStatus::Waiting => return None,
    };
    Some(EarlierStep {
        number: step.number,
        title: step.title.clone(),
        status,
        said: last_answer(state),
    })
}

/// The files that the plan's context refers to.
fn read_artifacts(run: &Run, checkout: &Path) -> Vec<Attachment> {
    let files = artifacts(run.plan(), checkout).into_iter();
    let files: Vec<_> = files
        .map(|path| Subscription::File { path, lines: None })
        .collect();
    let roots = SubscriptionRoots {
        workspace: checkout,
        topics: checkout,
    };
    read_all(&files, roots)
}

/// What its agent said last, its tool gave, or a person answered.
fn last_answer(state: &StepState) -> String {
    let given = match (&state.history.said, &state.values.output) {
        (Some(said), _) => said.clone(),
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) => String::new(),
    };
    match given.get(..given.floor_char_boundary(LONGEST)) {
        Some(beginning) if beginning.len() < given.len() => format!("{beginning}…"),
        _ => given,
    }
}

/// `tool: operation → target`, as the file says it.
fn hint_text(hint: &Hint) -> String {
    let mut text = hint.tool.clone().unwrap_or_default();
    if let Some(operation) = &hint.operation {
        text = format!("{text}: {operation}");
    }
    if let Some(target) = &hint.target {
        text = format!("{text} → {target}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use signoff_testkit::spellings::{briefed_plans, conversions};
    use signoff_work::prompt::Prompt;

    use super::*;

    /// The prompts of a plan's steps, as far as the plan decides about them.
    fn prompts(run: &Run) -> Vec<String> {
        let prompt = |(at, (step, _)): (usize, (&Step, &StepState))| {
            let context = PromptContext::new(run, at, Path::new("/nowhere"));
            let prompt = Prompt {
                task: &step.title,
                attachments: &[],
                acceptance: &step.acceptance,
                dialect_notes: context.dialect_notes(run, step),
                failure: None,
                conflict: None,
                hint: None,
            };
            prompt.text()
        };
        run.steps().enumerate().map(prompt).collect()
    }

    #[test]
    fn plans_with_equal_digests_have_equal_prompts() {
        let mut known = BTreeMap::new();
        let mut spellings = 0;
        for text in briefed_plans() {
            for plan in conversions(&text) {
                let (digest, dialect) = (plan.digest(), plan.dialect());
                let prompts = prompts(&Run::new(plan));
                let expected = known.entry(digest).or_insert_with(|| prompts.clone());
                assert_eq!(*expected, prompts, "{dialect} of {text}");
                spellings += 1;
            }
        }
        // Each plan as it is, rewritten in its own dialect, and in the native one.
        assert!(spellings >= 8, "{spellings}");
    }
}
