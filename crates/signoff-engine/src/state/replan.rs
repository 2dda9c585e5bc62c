//! A new version of the plan that the run waits for.

use crate::event::{InboxKind, ModelTask, PlanDraft};
use crate::state::{Run, Stage, StepState, StepStatus};

/// A replan that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replan {
    /// The step that it is about.
    pub step: usize,
    pub because: String,
    pub discoveries: Vec<String>,
    /// Who wants it: a person, or `policy`.
    pub by: String,
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
    pub(crate) fn has_offered_draft(&self) -> bool {
        let mut items = self.inbox.items.values();
        items.any(|item| item.kind == InboxKind::NewVersion)
    }

    /// How often the plan was replanned, or was to be.
    pub fn replans(&self) -> u32 {
        self.replans
    }

    /// The role that does the step: the one that it names, else the arbiter's choice.
    pub fn role_of(&self, at: usize) -> Option<&str> {
        let (definition, state) = self.step(at)?;
        let signoff_plan::model::Work::Agent { role, .. } = &definition.work else {
            return None;
        };
        let chosen = state.activation.role.as_ref();
        role.as_deref().or_else(|| chosen?.role.as_deref())
    }
}

/// The arbiter was asked who does a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRole {
    /// Its choice; `None` = as the configuration says.
    pub role: Option<String>,
}

impl StepState {
    /// Did it fail, and does it wait for what becomes of the plan?
    pub(crate) fn is_held(&self) -> bool {
        self.stage == Stage::Held
    }

    pub(crate) fn hold(&mut self) {
        self.status = StepStatus::Waiting;
        self.stage = Stage::Held;
        self.activation.answered = None;
        self.allocation = super::Allocation::Nothing;
    }

    pub(crate) fn await_model(&mut self, task: ModelTask) {
        self.stage = Stage::NeedsModel { task };
    }
}
