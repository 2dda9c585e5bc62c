//! Every way a command can fail: exit code, message and hints. The hints are worded in the modules below.

mod approvers;
mod changes;
mod connect;
mod identity;
mod landings;
mod levels;
mod planning;
mod plans;
mod proofs;
mod questions;
mod requirements;
mod runs;
mod storage;
mod threads;
mod trust;

use std::fmt;

use signoff_runtime::Error;

use self::landings::{checked_out, not_held, settled_twice};
pub(crate) use self::landings::{held_hints, not_landed, not_undone, settling_commands};
pub(crate) use self::levels::ACCEPT;
use self::levels::weaker_level;
pub(crate) use self::plans::UNSEEN_DIFFERENCE;
use self::plans::{forbidden_act, plan_changed, plan_changed_during_run, plan_log};
pub(crate) use self::runs::{ambiguous_name, no_step, with_known_steps};
use crate::shell_words::shell_word;
use crate::style::{ERROR, HINT, paint, sanitize};

/// A failure, as people and programs see it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: u8,
    /// Stable name for programs.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// Lines between the message and the hints.
    pub(crate) details: Vec<String>,
    pub(crate) hints: Vec<String>,
}

impl Failure {
    pub(crate) fn new(exit: u8, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code,
            message: message.into(),
            details: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// The exit code and name of an error; [`From`] adds what it says.
    fn of(exit: u8, code: &'static str) -> Self {
        Self::new(exit, code, String::new())
    }

    /// The same with what the error says.
    fn with_error_text(self, error: &impl fmt::Display) -> Self {
        Self {
            message: sanitize(&error.to_string()),
            ..self
        }
    }

    /// The failure as programs read it.
    pub(crate) fn to_api(&self) -> signoff_api::error::Error {
        let (details, hints) = (self.details.clone(), self.hints.clone());
        signoff_api::error::Error::new(self.code, &self.message, details, hints)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// The same with the plan's name where hints have `PLAN`, so that they can be typed as they are.
    pub(crate) fn naming_plan(mut self, name: impl FnOnce() -> Option<String>) -> Self {
        // At the end of a command, or before its options.
        const PLACEHOLDERS: [(&str, &str); 2] = [(" PLAN`", "`"), (" PLAN --", " --")];
        let has_placeholder =
            |hint: &String| PLACEHOLDERS.iter().any(|(text, _)| hint.contains(text));
        if self.hints.iter().any(has_placeholder)
            && let Some(name) = name()
        {
            let name = sanitize(&shell_word(&name));
            for hint in &mut self.hints {
                for (text, after) in PLACEHOLDERS {
                    *hint = hint.replace(text, &format!(" {name}{after}"));
                }
            }
        }
        self
    }

    fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", paint(ERROR, "error"), self.message)?;
        for detail in &self.details {
            write!(f, "\n  {detail}")?;
        }
        for hint in &self.hints {
            write!(f, "\n  {} {hint}", paint(HINT, "→"))?;
        }
        Ok(())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = sanitize(&error.to_string());
        Self {
            message,
            ..Self::advice(error)
        }
    }
}

impl Failure {
    /// The exit code, name, details and hints of an error.
    fn advice(error: Error) -> Self {
        match error {
            Error::NoStore { .. } => trust::no_store(),
            Error::NestedStore { inner, outer } => trust::nested_store(&inner, &outer),
            Error::CopiedProject { .. } => trust::copied_project(),
            Error::HelpersChanged { differences } => trust::helpers_changed(&differences),
            Error::Trust(_) => Self::of(6, "trust"),
            Error::Config(errors) => trust::config(&errors),
            Error::Untrusted { .. } => trust::untrusted(),
            Error::Unreadable { path, why } => storage::cannot_read(&path, &why),
            Error::Invalid { source, .. } => requirements::invalid(&source),
            Error::NotHeld { held, .. } => not_held(&held),
            Error::SettledTwice { .. } => settled_twice(),
            Error::NotSigned { plan } => requirements::not_signed(&plan),
            Error::Changed { plan, difference } => plan_changed(&plan, &difference),
            Error::ChangedDuring {
                run,
                plan,
                difference,
            } => plan_changed_during_run(&run, &plan, &difference),
            Error::NoneCounts { plan, doubted } => proofs::none_counts(&plan, &doubted),
            Error::MoreSignatures { plan, .. } => approvers::more_signatures(&plan),
            Error::NotAnApprover { named, .. } => approvers::not_an_approver(&named),
            Error::SignedAlready { progress, .. } => approvers::signed_already(&progress),
            Error::TooFewApprovers { .. } => approvers::too_few(),
            Error::WeakerProof { required, .. } => proofs::weaker_proof(required),
            Error::NoTerminal { .. } => proofs::no_terminal(),
            Error::NotConfirmed { .. } => proofs::not_confirmed(),
            Error::Key(error) => proofs::key_failure(&error),
            Error::BadDigest { .. } => identity::bad_digest(),
            Error::Moved { .. } => identity::digest_changed(),
            Error::NoSuchPlan { deleted: true, .. } => identity::deleted_plan(),
            Error::NoSuchPlan { plan, known, .. } => identity::unknown_plan(&plan, &known),
            Error::OutsideProject { .. } => identity::outside_project(),
            Error::Forbidden(forbidden) => forbidden_act(&forbidden),
            Error::Expired { notice, forbidden } | Error::Claimed { notice, forbidden } => {
                forbidden_act(&forbidden).detail(notice)
            }
            Error::OtherVersion { found: Some(_), .. } => identity::other_version(),
            Error::OtherVersion { found: None, .. } => identity::no_version(),
            Error::SameVersion { plan, .. } => identity::same_version(&plan),
            Error::CountsReplans { .. } => identity::counts_replans(),
            Error::EditedMeanwhile { .. } => identity::edited_meanwhile(),
            Error::DuplicateId { paths, .. } => identity::duplicate_id(&paths),
            Error::IdTaken { id } => identity::id_taken(&id),
            Error::OtherId { .. } => identity::other_id(),
            Error::NothingRevised { .. } => changes::nothing_revised(),
            Error::NothingEdited { .. } => changes::nothing_edited(),
            Error::NotAPlan { .. } => changes::not_a_plan(),
            Error::ThreadRevision { .. } => changes::thread_revision(),
            Error::BadRequest { .. } => changes::bad_request(),
            Error::OtherDialect { .. } => changes::other_dialect(),
            Error::BadTask { .. } => changes::bad_task(),
            Error::UnwritableRequest { .. } => changes::unwritable_request(),
            Error::Uneditable(refused) => changes::uneditable(&refused),
            Error::UnknownPlanStep { step, known, .. } => changes::unknown_step(&step, &known),
            Error::BadComment { .. } => Self::of(2, "comment"),
            Error::NotDeletable { plan, .. } => changes::not_deletable(&plan),
            Error::NotClonable { .. } => changes::not_clonable(),
            Error::NotFinished { plan, .. } => changes::not_finished(&plan),
            Error::NotKept { archived: true, .. } => Self::of(5, "archived"),
            Error::NotKept {
                plan,
                archived: false,
            } => changes::not_kept(&plan),
            Error::NotArchived { .. } => Self::of(5, "not-archived")
                .hint("`signoff list --all` shows what is in the archive"),
            Error::NameTaken { .. } => changes::name_taken(),
            Error::LeadsAway { .. } => storage::link_outside(),
            Error::RunOver { why, .. } => runs::run_over(&why),
            Error::WaitingRun { plan, run } => runs::waiting_run(&plan, &run),
            Error::Unsupported(missing) => requirements::unsupported(&missing),
            Error::Unverified { .. } => requirements::unverified(),
            Error::MissingPrograms(missing) => requirements::missing_programs(missing),
            Error::Unconfined { why, .. } => requirements::unconfined(why),
            Error::Weaker(weaker) => weaker_level(&weaker),
            Error::WorkspaceTaken { holder } => runs::workspace_taken(holder.as_ref()),
            Error::RunTaken { run, .. } => runs::run_taken(&run),
            Error::NoSuchRun { run: None, .. } => runs::no_run(),
            Error::NoSuchRun {
                run: Some(run),
                known,
            } => runs::unknown_run(&run, &known),
            Error::AmbiguousName { name, candidates } => runs::ambiguous_name(&name, &candidates),
            Error::NoSuchQuestion { .. } => runs::no_question(),
            Error::BadQuestion { .. } => questions::bad_question(),
            Error::AnsweredQuestion { .. } => questions::already_answered(),
            Error::NotOffered { choices, .. } => questions::not_offered(&choices),
            Error::AlreadyFinished {
                run,
                outcome,
                to_land,
            } => runs::already_finished(&run, outcome, to_land),
            Error::NeverBegun { .. } => runs::never_begun(),
            Error::Git(_) => Self::of(6, "git"),
            Error::NoWorktrees { insists, .. } => requirements::no_worktrees(insists),
            Error::OlderRun { run, branch } => runs::older_run(&run, &branch),
            Error::Landing { run, .. } => landings::not_written(&run),
            Error::BranchGone { run, head } => runs::branch_gone(&run, &head),
            Error::RepositoryGone { run, .. } => runs::repository_gone(&run),
            Error::Undone { .. } => runs::already_undone(),
            Error::CheckedOut { run, before, .. } => checked_out(&run, before.as_deref()),
            Error::LostRun { plan, run } => runs::lost_run(&plan, &run),
            Error::BrokenRun { run, .. } => storage::broken_run(&run),
            Error::UnknownEvent { .. } => storage::unknown_event(),
            Error::Unwritable { .. } => storage::unwritable_event(),
            Error::Unshared { .. } => storage::cannot_share(),
            Error::Elsewhere { .. } => storage::driven_elsewhere(),
            Error::PlanLog(error) => plan_log(&error.0),
            Error::Journal(error) => storage::journal(&error),
            Error::Refused(refusal) => runs::action_refused(&refusal),
            Error::RefusedThere { .. } => runs::refused_there(),
            Error::NoReply => runs::no_reply(),
            Error::AgentGone { run } => runs::agent_gone(&run),
            Error::NotReached { step, .. } => runs::not_reached(&step),
            Error::File(error) => storage::file(&error),
            Error::Replace(error) => storage::replace(&error),
            Error::Signature(error) => storage::signature(&error),
            Error::HarnessTrouble { run, .. } => runs::harness_trouble(&run),
            Error::Survivors { .. } => runs::survivors(),
            Error::Sandbox(_) => requirements::no_processes(),
            Error::Thread(error) => (*error).into(),
            Error::NotLaunched { said, .. } => runs::not_launched(said),
            Error::Connect(error) => (*error).into(),
            Error::Planning(error) => error.into(),
        }
    }
}
