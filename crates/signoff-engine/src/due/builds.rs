//! Which contracts may reuse what earlier contracts of the run built.

use signoff_plan::model::Work;

use super::Action;
use crate::event::{ContractCache, OnGreenBaseline};
use crate::state::{KeptResult, Run};

impl Run {
    /// May the contract that this action runs reuse earlier builds? Not in its last run, which must show that it holds
    /// without them.
    pub fn reuses_builds(&self, action: &Action) -> bool {
        let (at, baseline) = match *action {
            Action::Baseline { step } => (step, true),
            Action::Evaluate { step, .. } => (step, false),
            // The recheck at the end is the proof.
            Action::Recheck { .. } => return false,
            Action::Dispatch { .. }
            | Action::Call { .. }
            | Action::Candidate { .. }
            | Action::Merge { .. }
            | Action::LandFiles
            | Action::Draft { .. }
            | Action::OfferDraft
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
        // A passing baseline may skip the step, so it must not depend on earlier builds.
        let is_agent = matches!(step.work, Work::Agent { .. });
        let may_skip = is_agent && self.settings.green != OnGreenBaseline::Run;
        let may_keep = matches!(self.kept_step_result(at), KeptResult::IfContractHolds(_));
        let decides = baseline && (may_skip || may_keep);
        let is_warm = self.settings.cache == ContractCache::Warm && self.in_worktrees();
        is_warm && is_run_again && !decides
    }
}
