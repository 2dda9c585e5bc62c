//! Draft, check, send everything that is wrong back: until nothing is, or the bound is reached.

use signoff_plan::Workspace;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::parse_as;
use signoff_plan::source::Source;

use crate::complete::{Complete, CompleteError, Completion, Truncation, Usage};
use crate::context::PlanningContext;
use crate::objections::{Objection, objections};
use crate::prompt::{LastAnswer, PromptError, Prompts};
use crate::reply::{NO_END, PlanText, ReplyProblem, read_reply};

/// Bytes of an answer that are sent back with its problems: more than plans have.
const QUOTED: usize = 64 * 1024;

/// Drafts plans.
pub struct Planner<'a> {
    /// What models are told.
    pub prompts: &'a Prompts,
    /// The project, for the checks.
    pub workspace: &'a dyn Workspace,
    /// How often a model is asked at most.
    pub max_rounds: u32,
}

impl std::fmt::Debug for Planner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planner")
            .field("max_rounds", &self.max_rounds)
            .finish_non_exhaustive()
    }
}

/// A plan that a model wrote.
#[derive(Debug, Clone)]
pub struct DraftedPlan {
    /// Its text.
    pub source: Source,
    /// What the checks made of it.
    pub checked: Checked,
    /// Why it is as it is, where the model says so beside the plan.
    pub reasoning: Option<String>,
    /// What is wrong with it.
    pub objections: Vec<Objection>,
}

impl DraftedPlan {
    /// Is there nothing that a planner has to mend?
    pub fn is_clean(&self) -> bool {
        !self.objections.iter().any(|one| one.is_blocking)
    }
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// What it used.
    pub usage: Usage,
    /// What was wrong with the answer.
    pub objections: Vec<Objection>,
}

/// How drafting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftEnd {
    /// With a plan that has nothing to mend.
    Clean,
    /// With the last round that was allowed.
    BoundReached,
    /// Without an answer.
    ModelFailed(CompleteError),
}

/// What drafting came to.
#[derive(Debug, Clone)]
pub struct DraftReport {
    /// The last plan that a model wrote, if it wrote any.
    pub plan: Option<DraftedPlan>,
    /// The last answer, with or without a plan.
    pub last_answer: Option<String>,
    /// Every round that had an answer.
    pub rounds: Vec<Round>,
    /// How it ended.
    pub end: DraftEnd,
    /// What all rounds used, with one that had no answer.
    pub usage: Usage,
}

/// Looks at a draft that the checks have nothing against.
type Review<'a> = dyn FnMut(&DraftedPlan) -> Vec<Objection> + 'a;

impl Planner<'_> {
    /// Asks for a plan until one has nothing to mend. `review` may object to it; `observe` learns of each round.
    pub fn draft(
        &self,
        context: &PlanningContext,
        model: &mut dyn Complete,
        review: &mut Review<'_>,
        observe: &mut dyn FnMut(&Round),
    ) -> Result<DraftReport, PromptError> {
        let mut report = DraftReport {
            plan: None,
            last_answer: None,
            rounds: Vec::new(),
            end: DraftEnd::BoundReached,
            usage: Usage::default(),
        };
        for number in 1..=self.max_rounds.max(1) {
            let prompt = self.prompt(context, &report)?;
            let answer = match model.complete(&prompt) {
                Ok(answer) => answer,
                Err(error) => {
                    report.usage.add(&error.usage);
                    report.end = DraftEnd::ModelFailed(error);
                    return Ok(report);
                }
            };
            let read = self.read(context, &answer, review);
            let round = Round {
                number,
                usage: answer.usage,
                objections: match &read {
                    Ok(plan) => plan.objections.clone(),
                    Err(problem) => vec![problem.clone().into()],
                },
            };
            observe(&round);
            report.usage.add(&round.usage);
            report.rounds.push(round);
            report.last_answer = Some(answer.text);
            if let Ok(plan) = read {
                let is_clean = plan.is_clean();
                report.plan = Some(plan);
                if is_clean {
                    report.end = DraftEnd::Clean;
                    return Ok(report);
                }
            }
        }
        Ok(report)
    }

    fn prompt(
        &self,
        context: &PlanningContext,
        report: &DraftReport,
    ) -> Result<String, PromptError> {
        let (Some(answer), Some(round)) = (&report.last_answer, report.rounds.last()) else {
            return self.prompts.first_prompt(context);
        };
        let last = LastAnswer {
            text: quotable_start(answer),
            objections: &round.objections,
        };
        self.prompts.retry_prompt(context, last)
    }

    fn read(
        &self,
        context: &PlanningContext,
        answer: &Completion,
        review: &mut Review<'_>,
    ) -> Result<DraftedPlan, ReplyProblem> {
        match answer.cut {
            Some(Truncation::TooLarge { bytes }) => return Err(ReplyProblem::TooLarge { bytes }),
            Some(Truncation::TokenLimit) => return Err(ReplyProblem::Cut),
            None => {}
        }
        let PlanText {
            text,
            reasoning,
            has_end,
        } = read_reply(&answer.text, context.dialect)?;
        let source = Source::new("draft", text.into_bytes());
        // It is to be signed next, so what the project lacks counts already.
        let checked = check(&parse_as(&source, context.dialect), self.workspace).strict();
        let mut found = objections(&checked, &source, context.is_of_a_known_plan());
        if !has_end {
            found.insert(0, Objection::new(NO_END));
        }
        let mut plan = DraftedPlan {
            objections: found,
            source,
            checked,
            reasoning,
        };
        if plan.is_clean() {
            let more = review(&plan);
            plan.objections.extend(more);
        }
        Ok(plan)
    }
}

/// The beginning of a text, so far as it is sent back.
pub(crate) fn quotable_start(text: &str) -> &str {
    let mut end = text.len().min(QUOTED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
