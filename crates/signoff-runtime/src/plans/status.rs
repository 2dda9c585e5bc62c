//! The state of a plan, derived from its log, its signatures and its runs.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{
    ApprovalProgress, ForbiddenTransition, Outcome, PlanFact, PlanFlags, PlanState, RunFact,
    Transition, derive,
};
use signoff_plan::digest::Digest;
use signoff_store::root::StoreKind;
use signoff_store::signatures::PlanSignatures;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::{PlanHistory, lifecycle_fact};
use crate::plans::locked::expiry;
use crate::project::{Project, minimum_proof};
use crate::runs::view::RunView;
use crate::signing::approvers::RequiredApproval;
use crate::signing::proof::{SignatureCheck, count_signatures};

/// Where a plan stands, and why.
#[derive(Debug)]
pub struct PlanStatus {
    /// The derived state.
    pub state: PlanState,
    /// A signature over the present digests exists and counts.
    pub signed: bool,
    /// The run that decides it: one that has not ended, or the newest of the present definition.
    pub view: Option<RunView>,
    /// The same, by its name, where its directory is gone and only the log knows of it.
    pub lost_run: Option<LostRun>,
    /// Digest of the present terms.
    pub terms: Digest,
    /// What happened to it.
    pub history: PlanHistory,
    /// The signature over them that counts, if one does.
    pub signature: SignatureCheck,
    /// Who has signed and who is waited for, where more is asked for than one signature of whomever.
    pub approval: Option<ApprovalProgress>,
    /// Only its file says that it is in this state: nothing that was recorded here made it so.
    pub(crate) is_claimed: bool,
    /// What its file says of its state, where that is not so and a person should know: it is under way elsewhere, say.
    pub file_says: Option<String>,
}

impl PlanStatus {
    /// That the file and the store disagree, in a sentence.
    pub fn disagreement(&self, name: &str) -> Option<String> {
        let word = self.file_says.as_ref()?;
        Some(format!(
            "{name} says `{word}`, and no run of it is known here: it is {}; another tool may have begun it",
            self.state
        ))
    }

    /// Why something cannot be done to the plan; if it expired, or only its file says so, with how to go on all the same.
    pub(crate) fn explain(&self, plan: &PlanFile, forbidden: ForbiddenTransition) -> Error {
        if self.state == PlanState::Cancelled
            && self.history.has_expired(&plan.digest().to_string())
        {
            let notice = expiry::past_notice(plan.source.name());
            return Error::Expired { notice, forbidden };
        }
        if !self.is_claimed {
            return Error::Forbidden(forbidden);
        }
        let (name, state) = (plan.source.name(), self.state);
        // Everything else leads back here.
        let forbidden = match forbidden {
            ForbiddenTransition::State { state, act, .. } => ForbiddenTransition::State {
                state,
                act,
                possible: vec![Transition::Revise],
            },
            ForbiddenTransition::Actor { .. } => forbidden,
        };
        Error::Claimed {
            notice: format!(
                "{name} says that it is {state}, and nothing that was recorded here made it so. If it is to be taken up again as it is: `signoff revise {name}`, then sign it"
            ),
            forbidden,
        }
    }

    /// The name of the run that decides it, if one does.
    pub fn run_id(&self) -> Option<&str> {
        let lost = || self.lost_run.as_ref().map(|lost| lost.id.as_str());
        self.view.as_ref().map(|view| view.run.id()).or_else(lost)
    }
}

/// A run that the plan's log names and whose directory is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRun {
    /// Its name.
    pub id: String,
    /// How it ended, if the log says so.
    pub outcome: Option<Outcome>,
}

/// A fact that decides the state, and the run that it is about.
#[derive(Default)]
struct DecidingFact {
    fact: Option<PlanFact>,
    view: Option<RunView>,
    lost_run: Option<LostRun>,
}

/// Derives the status of a plan.
pub fn plan_status(project: &Project, plan: &PlanFile) -> Result<PlanStatus, Error> {
    let key = plan.key(project)?;
    let digest = plan.digest();
    let signatures = PlanSignatures::load(&project.store, &key)?;
    let terms = Digest::of_json(&project.terms_since(&plan.checked.plan, signatures.newest()));
    let found = signatures.into_matching(&digest, &terms);
    let history = PlanHistory::read(project, &key)?;
    let required = RequiredApproval::of(project, &plan.checked.plan, &history)?;
    let counted = count_signatures(project, found, minimum_proof(project), &required)?;
    let signed = matches!(counted.check, SignatureCheck::Valid(_));
    let DecidingFact {
        fact,
        view,
        lost_run,
    } = newest_fact(&history, project, &PresentDefinition::of(plan))?;
    let claimed = claimed_state(project, plan, &history, fact);
    let facts = fact.into_iter().chain(claimed.map(PlanFact::Claimed));
    let known = PlanFlags {
        has_errors: plan.checked.errors() > 0,
        signed,
        needs_person: history.needs_person(),
    };
    let state = derive(known, facts);
    let file_says = unconfirmed_word(project, plan, &history, fact, state);
    Ok(PlanStatus {
        is_claimed: state != derive(known, fact),
        file_says,
        state,
        signed,
        view,
        lost_run,
        terms,
        history,
        signature: counted.check,
        approval: counted.approval,
    })
}

/// What the file of a proposal says about its state, if another tool wrote that: nothing ever happened to it here, or, in
/// another tool's store, it only waits here, and our own word for that is not what the file says.
fn claimed_state(
    project: &Project,
    plan: &PlanFile,
    history: &PlanHistory,
    fact: Option<PlanFact>,
) -> Option<PlanState> {
    let waits = matches!(fact, Some(PlanFact::Proposed | PlanFact::Approved));
    let may_differ = waits && project.store.kind() != StoreKind::Own;
    let is_foreign =
        (history.entries.is_empty() || may_differ) && is_among_proposals(project, &plan.path);
    let word = plan.checked.plan.status.as_deref();
    word.filter(|_| is_foreign).and_then(PlanState::in_file)
}

/// The word of the file for a run that is not known here: what it did may be done twice.
fn unconfirmed_word(
    project: &Project,
    plan: &PlanFile,
    history: &PlanHistory,
    fact: Option<PlanFact>,
    state: PlanState,
) -> Option<String> {
    let waits = matches!(fact, Some(PlanFact::Proposed | PlanFact::Approved));
    let may_differ = waits && project.store.kind() != StoreKind::Own;
    if !history.entries.is_empty() && !may_differ {
        return None;
    }
    let word = plan.checked.plan.status.as_deref()?;
    let said = PlanState::in_file(word).filter(|said| *said != state)?;
    let of_run = matches!(
        said,
        PlanState::Executing | PlanState::Replanning | PlanState::Stalled | PlanState::Failed
    );
    of_run.then(|| word.to_owned())
}

/// Does it lie where the store keeps proposals?
pub(crate) fn is_among_proposals(project: &Project, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let directory = path.parent().and_then(real);
    directory.is_some() && directory == real(&project.store.plans_dir())
}

/// The definition that is in the file.
struct PresentDefinition<'p> {
    plan: &'p PlanFile,
    digest: String,
    earlier: OnceCell<String>,
}

impl<'p> PresentDefinition<'p> {
    fn of(plan: &'p PlanFile) -> Self {
        Self {
            plan,
            digest: plan.digest().to_string(),
            earlier: OnceCell::new(),
        }
    }

    /// Is it what was recorded under this digest? Also under a digest of the time before digests covered what agents receive: only a
    /// signature must be over the present one.
    fn is_recorded_as(&self, digest: &str) -> bool {
        let plan = &self.plan.checked.plan;
        let earlier = || Digest::before_briefings(plan).to_string();
        digest == self.digest || digest == self.earlier.get_or_init(earlier)
    }
}

/// The newest fact that decides about a definition, with the run it is about: one that has not
/// ended, whatever it runs, or one of this definition. Signing another version of a plan that runs
/// does not end its run.
fn newest_fact(
    history: &PlanHistory,
    project: &Project,
    present: &PresentDefinition<'_>,
) -> Result<DecidingFact, Error> {
    // Runs that a person gave up.
    let mut over = BTreeSet::new();
    let mut approved = None;
    let newest_run = history.newest_run();
    for entry in history.standing_entries().into_iter().rev() {
        if let PlanEvent::PlanExecuting { run, digest, .. } = &entry.event {
            let view = match begun_run(project, history, run)? {
                RunRecord::Begun(view) => *view,
                // A clone has the log and not the runs, which are kept out of the repository; and directories get lost.
                // What the log says of the newest run holds all the same.
                RunRecord::Lost(lost)
                    if newest_run == Some(run.as_str()) && !over.contains(run) =>
                {
                    let of_present = present.is_recorded_as(digest) && approved.is_none();
                    if lost.outcome.is_none() || of_present {
                        return Ok(DecidingFact {
                            fact: Some(PlanFact::Run(RunFact {
                                outcome: lost.outcome,
                                is_attended: false,
                                is_replanning: false,
                            })),
                            view: None,
                            lost_run: Some(lost),
                        });
                    }
                    continue;
                }
                RunRecord::Lost(_) | RunRecord::NeverBegun => continue,
            };
            let goes_on = view.run.outcome().is_none() && !over.contains(run);
            let of_present = present.is_recorded_as(digest)
                && present.is_recorded_as(&view.run.signed_plan().digest().to_string());
            if goes_on || (of_present && approved.is_none()) {
                return Ok(DecidingFact {
                    fact: Some(PlanFact::Run(view.run_fact())),
                    view: Some(view),
                    lost_run: None,
                });
            }
            if approved.is_some() {
                break;
            }
            continue;
        }
        if let PlanEvent::PlanCancelled { run: Some(run), .. }
        | PlanEvent::PlanRetried { run, .. }
        | PlanEvent::PlanReplaced { run, .. } = &entry.event
        {
            over.insert(run.clone());
        }
        if let Some((fact, digest)) = lifecycle_fact(&entry.event)
            && (fact != PlanFact::Approved || *digest == present.digest)
            && present.is_recorded_as(digest)
            && approved.is_none()
        {
            if fact != PlanFact::Approved {
                return Ok(DecidingFact {
                    fact: Some(fact),
                    ..DecidingFact::default()
                });
            }
            approved = Some(fact);
        }
    }
    Ok(DecidingFact {
        fact: approved,
        ..DecidingFact::default()
    })
}

/// What is left of a run that the log names.
pub(crate) enum RunRecord {
    Begun(Box<RunView>),
    /// It ended before its first event.
    NeverBegun,
    Lost(LostRun),
}

pub(crate) fn begun_run(
    project: &Project,
    history: &PlanHistory,
    run: &str,
) -> Result<RunRecord, Error> {
    match RunView::load(project, run) {
        Ok(view) => Ok(RunRecord::Begun(Box::new(view))),
        Err(Error::NeverBegun { .. }) => Ok(RunRecord::NeverBegun),
        Err(Error::NoSuchRun { .. }) => Ok(RunRecord::Lost(LostRun {
            id: run.to_owned(),
            outcome: history.outcome_of(run),
        })),
        Err(error) => Err(error),
    }
}
