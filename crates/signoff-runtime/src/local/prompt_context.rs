//! What a prompt says besides the task, depending on the plan's briefing.

use signoff_engine::{Run, Stage, StepState, StepStatus};
use signoff_plan::model::{Briefing, Hint, Step};
use signoff_work::prompt::{DialectNotes, EarlierStep, Proposal};

/// What has to be put together for one prompt before it can be lent to it.
pub(super) struct PromptContext {
    earlier: Vec<EarlierStep>,
    hint: Option<String>,
}

impl PromptContext {
    pub(super) fn new(run: &Run, at: usize) -> Self {
        if run.plan().briefing() != Briefing::Proposal {
            return Self {
                earlier: Vec::new(),
                hint: None,
            };
        }
        let hint = run.step(at).and_then(|(step, _)| step.hint.as_ref());
        Self {
            earlier: run.steps().take(at).filter_map(earlier).collect(),
            hint: hint.map(hint_text),
        }
    }

    pub(super) fn dialect_notes<'a>(&'a self, run: &'a Run, step: &'a Step) -> DialectNotes<'a> {
        let plan = run.plan();
        match plan.briefing() {
            Briefing::Task => DialectNotes::Nothing,
            Briefing::Record => DialectNotes::Record {
                instructions: step.instructions.as_deref(),
                constraints: &plan.constraints,
            },
            Briefing::Thread => DialectNotes::Thread {
                narrative: plan.context.as_deref(),
                subtasks: &step.subtasks,
            },
            Briefing::Proposal => DialectNotes::Proposal(Proposal {
                context: plan.context.as_deref(),
                risks: &plan.risks,
                tools: step.tools.as_deref().or(plan.tools.as_deref()),
                hint: self.hint.as_deref(),
                earlier: &self.earlier,
            }),
        }
    }
}

/// A step that has ended, or whose agent has.
fn earlier((step, state): (&Step, &StepState)) -> Option<EarlierStep> {
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

/// What its agent said last, or a person answered.
fn last_answer(state: &StepState) -> String {
    let answer = state
        .values
        .output
        .as_ref()
        .and_then(|value| value.as_str());
    let said = state.history.said.as_deref().or(answer);
    said.unwrap_or_default().to_owned()
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

    use signoff_testkit::spellings::{briefed, conversions};
    use signoff_work::prompt::Prompt;

    use super::*;

    /// The prompts of a plan's steps, as far as the plan decides about them.
    fn prompts(run: &Run) -> Vec<String> {
        let prompt = |(at, (step, _)): (usize, (&Step, &StepState))| {
            let context = PromptContext::new(run, at);
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
        for text in briefed() {
            for plan in conversions(&text) {
                let (digest, dialect) = (plan.digest(), plan.dialect());
                let prompts = prompts(&Run::new(plan));
                let expected = known.entry(digest).or_insert_with(|| prompts.clone());
                assert_eq!(*expected, prompts, "{dialect} of {text}");
                spellings += 1;
            }
        }
        // Each as it is, in its own dialect again, and in the native one.
        assert!(spellings >= 8, "{spellings}");
    }
}
