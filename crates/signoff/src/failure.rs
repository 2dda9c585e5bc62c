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
use self::levels::weaker_level;
pub(crate) use self::levels::{ACCEPT, weaker_headline};
pub(crate) use self::plans::{UNSEEN_DIFFERENCE, plan_changed_during_run};
use self::plans::{forbidden_act, plan_changed, plan_log};
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
        match error {
            Error::NoStore { from } => trust::no_store(&from),
            Error::NestedStore { inner, outer } => trust::nested_store(&inner, &outer),
            Error::CopiedProject { of } => trust::copied_project(&of),
            Error::HelpersChanged { differences } => trust::helpers_changed(&differences),
            Error::Trust(error) => Self::new(6, "trust", error.to_string()),
            Error::Config(errors) => trust::config(&errors),
            Error::Untrusted { config } => trust::untrusted(&config),
            Error::Unreadable { path, why } => storage::unreadable(&path, &why),
            Error::Invalid {
                source,
                diagnostics,
            } => requirements::invalid(&source, &diagnostics),
            Error::NotHeld { run, path, held } => not_held(&run, &path, &held),
            Error::SettledTwice { path } => settled_twice(&path),
            Error::NotSigned { plan } => requirements::not_signed(&plan),
            Error::Changed { plan, difference } => plan_changed(&plan, &difference),
            Error::ChangedDuring {
                run,
                plan,
                difference,
            } => plan_changed_during_run(&run, &plan, &difference),
            Error::NoneCounts { plan, doubted } => proofs::none_counts(&plan, &doubted),
            Error::MoreSignatures { plan, progress } => {
                approvers::more_signatures(&plan, &progress)
            }
            Error::NotAnApprover {
                plan,
                by,
                why,
                named,
            } => approvers::not_an_approver(&plan, &by, why, &named),
            Error::SignedAlready { plan, by, progress } => {
                approvers::signed_already(&plan, &by, &progress)
            }
            Error::TooFewApprovers { plan, rule } => approvers::too_few(&plan, &rule),
            Error::WeakerProof { proof, required } => proofs::weaker_proof(proof, required),
            Error::NoTerminal { why } => proofs::no_terminal(&why),
            Error::NotConfirmed { digits } => proofs::not_confirmed(&digits),
            Error::Key(error) => proofs::key_failure(&error),
            Error::BadDigest { text } => identity::bad_digest(&text),
            Error::Moved { expected, found } => identity::moved(&expected, &found),
            Error::NoSuchPlan {
                plan,
                deleted: true,
                ..
            } => identity::deleted_plan(&plan),
            Error::NoSuchPlan { plan, known, .. } => identity::unknown_plan(&plan, &known),
            Error::OutsideProject { path, workspace } => {
                identity::outside_project(&path, &workspace)
            }
            Error::Forbidden(forbidden) => forbidden_act(&forbidden),
            Error::Expired { notice, forbidden } | Error::Claimed { notice, forbidden } => {
                forbidden_act(&forbidden).detail(notice)
            }
            Error::OtherVersion {
                plan,
                expected,
                found: Some(found),
            } => identity::other_version(&plan, expected, found),
            Error::OtherVersion {
                plan, found: None, ..
            } => identity::no_version(&plan),
            Error::SameVersion { plan, version } => identity::same_version(&plan, version),
            Error::CountsReplans { plan } => identity::counts_replans(&plan),
            Error::EditedMeanwhile { plan } => identity::edited_meanwhile(&plan),
            Error::DuplicateId { id, paths } => identity::duplicate_id(&id, &paths),
            Error::IdTaken { id } => identity::id_taken(&id),
            Error::OtherId { expected, found } => {
                identity::other_id(expected.as_deref(), found.as_deref())
            }
            Error::NothingRevised { plan } => changes::nothing_revised(&plan),
            Error::NothingEdited { plan } => changes::nothing_edited(&plan),
            Error::NotAPlan { file } => changes::not_a_plan(&file),
            Error::ThreadRevision { plan } => changes::thread_revision(&plan),
            Error::BadRequest { why } => changes::bad_request(&why),
            Error::OtherDialect { asked, found } => changes::other_dialect(asked, found),
            Error::BadTask { why } => changes::bad_task(&why),
            Error::UnwritableRequest { why } => changes::unwritable_request(&why),
            Error::Uneditable(refused) => changes::uneditable(&refused),
            Error::UnknownPlanStep { plan, step, known } => {
                changes::unknown_step(&plan, &step, &known)
            }
            Error::BadComment { why } => Self::new(2, "comment", format!("not a comment: {why}")),
            Error::NotDeletable { plan, state } => changes::not_deletable(&plan, state),
            Error::NotClonable { plan, state } => changes::not_clonable(&plan, state),
            Error::NotFinished { plan, state } => changes::not_finished(&plan, state),
            Error::NotKept {
                plan,
                archived: true,
            } => Self::new(5, "archived", format!("{plan} is already in the archive")),
            Error::NotKept {
                plan,
                archived: false,
            } => changes::not_kept(&plan),
            Error::NameTaken { path } => changes::name_taken(&path),
            Error::LeadsAway { path } => storage::leads_away(&path),
            Error::RunOver { run, why } => runs::run_over(&run, &why),
            Error::WaitingRun { plan, run } => runs::waiting_run(&plan, &run),
            Error::Unsupported(missing) => requirements::unsupported(&missing),
            Error::Unverified { plan, steps } => requirements::unverified(&plan, &steps),
            Error::MissingPrograms(missing) => requirements::missing_programs(missing),
            Error::Unconfined { wanted, found, why } => {
                requirements::unconfined(&wanted, &found, why)
            }
            Error::Weaker(weaker) => weaker_level(&weaker),
            Error::WorkspaceTaken { holder } => runs::workspace_taken(holder.as_ref()),
            Error::RunTaken { run, holder } => runs::run_taken(&run, holder),
            Error::NoSuchRun { run: None, .. } => runs::no_run(),
            Error::NoSuchRun {
                run: Some(run),
                known,
            } => runs::unknown_run(&run, &known),
            Error::AmbiguousName { name, candidates } => runs::ambiguous_name(&name, &candidates),
            Error::NoSuchQuestion { name } => runs::no_question(&name),
            Error::BadQuestion { why } => questions::bad_question(&why),
            Error::AnsweredQuestion { name, by, text } => questions::answered(&name, &by, &text),
            Error::NotOffered { text, choices } => questions::not_offered(&text, &choices),
            Error::AlreadyFinished {
                run,
                outcome,
                to_land,
            } => runs::already_finished(&run, outcome, to_land),
            Error::NeverBegun { run } => runs::never_begun(&run),
            Error::Git(error) => Self::new(6, "git", error.to_string()),
            Error::NoWorktrees {
                asked,
                why,
                insists,
            } => requirements::no_worktrees(&asked, &why, insists),
            Error::OlderRun { run, branch } => runs::older_run(&run, &branch),
            Error::Landing { run, why } => landings::not_written(&run, &why),
            Error::BranchGone { run, head } => runs::branch_gone(&run, &head),
            Error::RepositoryGone { run, directory } => runs::repository_gone(&run, &directory),
            Error::Undone { run } => runs::undone(&run),
            Error::CheckedOut {
                run,
                directory,
                before,
            } => checked_out(&run, &directory, before.as_deref()),
            Error::LostRun { plan, run } => runs::lost_run(&plan, &run),
            Error::BrokenRun { run, why } => storage::broken_run(&run, &why),
            Error::UnknownEvent { seq, why } => storage::unknown_event(seq, &why),
            Error::Unwritable { why } => storage::unwritable_event(&why),
            Error::Unshared { why } => storage::unshared(&why),
            Error::Elsewhere { run } => storage::elsewhere(&run),
            Error::PlanLog(error) => plan_log(&error.0),
            Error::Journal(error) => storage::journal(&error),
            Error::Refused(refusal) => runs::refused(&refusal),
            Error::RefusedThere { why } => runs::refused_there(&why),
            Error::NoReply => runs::no_reply(),
            Error::AgentGone { run } => runs::agent_gone(&run),
            Error::NotReached { step, waits_for } => runs::not_reached(&step, &waits_for),
            Error::File(error) => Self::new(6, "file", error.to_string()),
            Error::Replace(error) => storage::replace(&error),
            Error::Signature(error) => storage::signature(&error),
            Error::HarnessTrouble {
                run,
                step,
                what,
                why,
            } => runs::harness_trouble(&run, &step, what, &why),
            Error::Survivors { count } => runs::survivors(count),
            Error::Sandbox(error) => requirements::no_processes(&error),
            Error::Thread(error) => (*error).into(),
            Error::NotLaunched { plan, why, said } => runs::not_launched(&plan, &why, said),
            Error::Connect(error) => (*error).into(),
            Error::Planning(error) => error.into(),
        }
    }
}
