//! Which people a plan's signatures have to come from. The rule is the engine's; here it gets its values: from the settings,
//! the plan, and what happened to it.

use std::collections::BTreeSet;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, ApprovalProgress, ApprovalRule, NotCounted, PlanFact, Signer};
use signoff_plan::model::Plan;
use signoff_plan::signed::Signature;
use signoff_store::signatures::{Proof, SignatureRecord};

use crate::error::Error;
use crate::plan_history::{PlanHistory, lifecycle_fact};
use crate::project::{Project, minimum_proof};
use crate::runs::view::RunView;

/// The rule for one plan, and what happened to the plan.
#[derive(Debug)]
pub(crate) struct RequiredApproval<'h> {
    rule: ApprovalRule,
    history: &'h PlanHistory,
}

impl<'h> RequiredApproval<'h> {
    /// The rule for a plan with this history.
    pub(crate) fn of(
        project: &Project,
        plan: &Plan,
        history: &'h PlanHistory,
    ) -> Result<Self, Error> {
        let settings = &project.config.approval;
        let asks = !settings.from.value.is_empty()
            || settings.count.value > 1
            || settings.not_author.value
            || !plan.approval_required_from.is_empty();
        // A new version of a plan cannot let others sign than the plan did; only the log knows that it is one.
        let before = replaced_names(project, history)?;
        if !asks && before.is_empty() {
            let rule = ApprovalRule::default();
            return Ok(Self { rule, history });
        }
        let count = usize::try_from(settings.count.value).unwrap_or(usize::MAX);
        let mut rule = ApprovalRule::new(&settings.from.value, count)
            .bound_to_keys(minimum_proof(project) == Proof::Key)
            .narrowed_to(&before)
            .narrowed_to(&plan.approval_required_from);
        if settings.not_author.value {
            rule = rule.without_authors(authors(plan, history));
        }
        Ok(Self { rule, history })
    }

    pub(crate) fn rule(&self) -> &ApprovalRule {
        &self.rule
    }

    /// How far the plan is with these signatures, each valid by itself and over one pair of digests; `None` where a single one
    /// of whomever is enough.
    pub(crate) fn progress(&self, signed: &[SignatureRecord]) -> Option<ApprovalProgress> {
        if !self.rule.is_demanding() {
            return None;
        }
        let standing = signed
            .iter()
            .filter(|record| self.is_still_valid(&record.signature));
        Some(self.rule.progress(standing.map(signer)))
    }

    /// Would a signature of theirs count?
    pub(crate) fn admits(&self, signed: &SignatureRecord) -> Result<(), NotCounted> {
        self.rule.admits(&signer(signed))
    }

    /// Was the signature given since the plan was last handed in, rejected or cancelled as it is? One that was not recorded
    /// stands where nothing of that kind was either.
    fn is_still_valid(&self, signature: &Signature) -> bool {
        let digest = signature.digest.to_string();
        for entry in self.history.standing_entries().into_iter().rev() {
            let Some((fact, about)) = lifecycle_fact(&entry.event) else {
                continue;
            };
            if *about != digest {
                continue;
            }
            match (fact, &entry.event) {
                (PlanFact::Approved, PlanEvent::PlanApproved { by, .. }) if *by == signature.by => {
                    return true;
                }
                (PlanFact::Approved | PlanFact::Retried, _) => {}
                _ => return false,
            }
        }
        true
    }
}

/// Who gave a signature.
fn signer(record: &SignatureRecord) -> Signer<'_> {
    Signer {
        name: &record.signature.by,
        principal: record.key.as_ref().map(|key| key.principal.as_str()),
        is_person: record.proof() != Proof::Policy,
    }
}

/// Every person who handed the plan in or changed it, as the log knows, and who its file says made it.
fn authors(plan: &Plan, history: &PlanHistory) -> Vec<String> {
    let person = Actor::Person.name();
    let entries = history.entries.iter();
    let logged = entries.filter_map(|entry| match &entry.event {
        PlanEvent::PlanProposed { by, actor, .. } | PlanEvent::PlanRevised { by, actor, .. } => {
            (actor == person).then(|| by.clone())
        }
        _ => None,
    });
    let said = plan.record.get("created_by").and_then(|by| by.as_str());
    let all: BTreeSet<String> = logged.chain(said.map(str::to_owned)).collect();
    all.into_iter().collect()
}

/// Whom the plan named whose place this one takes in a run: a planner wrote the new one.
fn replaced_names(project: &Project, history: &PlanHistory) -> Result<Vec<String>, Error> {
    let Some(replaced) = history.replaces() else {
        return Ok(Vec::new());
    };
    match RunView::load(project, &replaced.run) {
        // A run that has gone on under this plan carries out this one.
        Ok(view) => Ok(view.run.plan().approval_required_from.clone()),
        Err(Error::NoSuchRun { .. } | Error::NeverBegun { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
