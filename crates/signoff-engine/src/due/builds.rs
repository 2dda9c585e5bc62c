//! Which contracts find what earlier contracts of the run built.

use signoff_plan::model::Work;

use super::Action;
use crate::event::{ContractCache, OnGreenBaseline};
use crate::state::Run;

impl Run {
    /// May the contract that this action runs find what earlier ones built? Not if it runs for the last time: then
    /// nothing would show whether it holds without that.
    pub fn reuses_builds(&self, action: &Action) -> bool {
        let (at, baseline) = match *action {
            Action::Baseline { step } => (step, true),
            Action::Evaluate { step, .. } => (step, false),
            // These run at the end, and are what proves.
            Action::Recheck { .. } => return false,
            Action::Dispatch { .. }
            | Action::Call { .. }
            | Action::Candidate { .. }
            | Action::Merge { .. }
            | Action::LandFiles
            | Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => return false,
        };
        let Some(step) = self.definition(at) else {
            return false;
        };
        let contract = step.contract.as_ref();
        let is_run_again = contract.is_some_and(|contract| !contract.holds_once);
        // A step whose contract holds before the work may be left out for that.
        let is_agent = matches!(step.work, Work::Agent { .. });
        let decides = baseline && is_agent && self.settings.green != OnGreenBaseline::Run;
        let is_warm = self.settings.cache == ContractCache::Warm && self.in_worktrees();
        is_warm && is_run_again && !decides
    }
}
