//! A new version of the plan that the run waits for.

use crate::event::{InboxKind, ModelTask, PlanDraft};
use crate::state::{InboxItem, Run, Stage, StepState, StepStatus};

/// A replan that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replan {
    /// The step that it is about.
    pub step: usize,
    pub because: String,
    pub discoveries: Vec<String>,
    /// Who wants it: a person, or `policy`.
    pub by: String,
    /// A person lets a planner be asked, whatever that leaves of the budget.
    pub(crate) may_exceed_budget: bool,
    /// Only steps that stand for others are to be written out.
    pub expands: bool,
    pub stage: ReplanStage,
}

/// How far a replan is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplanStage {
    /// A planner is to be asked, once nothing is under way.
    Requested,
    /// It is being asked.
    Asked,
    /// There is a new version, to be offered to a person.
    Drafted(Box<PlanDraft>),
    /// There is none, or it was refused, and what follows from that is not recorded yet.
    Lost(String),
}

impl Run {
    /// The replan that is under way, if one is.
    pub fn replan(&self) -> Option<&Replan> {
        self.replan.as_ref()
    }

    /// Steps that the run came to and that stand for steps which are not written yet.
    pub fn open_steps(&self) -> impl Iterator<Item = usize> {
        let order = 0..self.plan().steps.len();
        order.filter(|&at| {
            let waits = self
                .step(at)
                .is_some_and(|(_, state)| matches!(state.stage, Stage::Waiting { .. }));
            waits
                && self
                    .definition(at)
                    .is_some_and(|step| step.unexpanded.is_some())
        })
    }

    /// The new version that nobody has signed yet, as far as the run knows.
    pub fn draft(&self) -> Option<&PlanDraft> {
        match &self.replan.as_ref()?.stage {
            ReplanStage::Drafted(draft) => Some(draft),
            ReplanStage::Requested | ReplanStage::Asked | ReplanStage::Lost(_) => None,
        }
    }

    /// Is a planner asked, or about to be?
    pub fn is_replanning(&self) -> bool {
        let stage = self.replan.as_ref().map(|replan| &replan.stage);
        matches!(stage, Some(ReplanStage::Requested | ReplanStage::Asked))
    }

    pub(crate) fn asks_planner(&self) -> bool {
        (self.replan.as_ref()).is_some_and(|replan| replan.stage == ReplanStage::Asked)
    }

    /// Does a person know of the new version?
    pub fn has_offered_draft(&self) -> bool {
        let mut items = self.inbox.items.values();
        items.any(|item| item.kind == InboxKind::NewVersion)
    }

    /// Is a person asked whether a planner may go beyond the budget?
    pub(crate) fn asks_for_draft_budget(&self) -> bool {
        self.inbox.items.values().any(InboxItem::is_about_draft)
    }

    /// How often the plan was replanned, or was to be.
    pub fn replans(&self) -> u32 {
        self.replans
    }
}

/// Who does a step that names no role, for this attempt: by the arbiter or by the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRole {
    /// `None` = as the configuration says.
    pub role: Option<String>,
}

impl StepState {
    /// Did it fail, and does it wait for what becomes of the plan?
    pub(crate) fn is_held(&self) -> bool {
        self.stage == Stage::Held
    }

    pub(crate) fn hold_step(&mut self) {
        self.status = StepStatus::Waiting;
        self.stage = Stage::Held;
        self.activation.answered = None;
        self.allocation = super::Allocation::Nothing;
    }

    pub(crate) fn await_model(&mut self, task: ModelTask) {
        self.stage = Stage::NeedsModel { task };
    }
}
