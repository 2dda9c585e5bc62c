//! What each error says: one line that stands alone. Every surface shows it, and adds its own hints.

use std::fmt::{Display, Formatter, Result};

use signoff_engine::{ApprovalProgress, ImpossibleRule, NotCounted, Refusal};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::dialect::Dialect;
use signoff_plan::source::Source;
use signoff_store::lock::LockHolder;

use super::{Error, KeyError};

impl std::error::Error for Error {}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::NoStore { from } => write!(f, "no `.signoff` in {} or above", from.display()),
            Self::NestedStore { inner, outer } => {
                let (inner, outer) = (inner.display(), outer.display());
                write!(f, "{inner} lies below another store, {outer}")
            }
            Self::CopiedProject { of } => {
                write!(f, "this project has the id of {}", of.display())
            }
            Self::HelpersChanged { .. } => f.write_str(
                "files of the project that would run have changed since you trusted them",
            ),
            Self::Trust(error) => error.fmt(f),
            Self::Config(_) => f.write_str("the configuration has errors"),
            Self::Untrusted { config } => {
                let config = config.display();
                write!(
                    f,
                    "{config} names commands that you have not trusted on this machine"
                )
            }
            Self::Unreadable { path, why } => write!(f, "{}: {why}", path.display()),
            Self::Invalid {
                source,
                diagnostics,
            } => invalid(f, source, diagnostics),
            Self::NotHeld { run, path, .. } => write!(f, "`{path}` is not held in run {run}"),
            Self::SettledTwice { path } => write!(f, "both `--take` and `--keep` name `{path}`"),
            Self::NotSigned { plan } => write!(f, "{plan} is not signed"),
            Self::Changed { plan, .. } | Self::ChangedDuring { plan, .. } => {
                write!(f, "{plan} is not what was signed")
            }
            Self::NoneCounts { plan, .. } => {
                write!(f, "{plan} is signed, but no signature of it counts here")
            }
            Self::MoreSignatures { plan, progress } => more_signatures(f, plan, progress),
            Self::NotAnApprover { plan, by, why, .. } => not_an_approver(f, plan, by, *why),
            Self::SignedAlready { plan, by, progress } => {
                write!(f, "`{by}` has signed {plan} as it is ({progress})")
            }
            Self::TooFewApprovers { plan, rule } => too_few_approvers(f, plan, rule),
            Self::WeakerProof { proof, required } => write!(
                f,
                "the settings require the proof `{required}`, and `{proof}` proves less"
            ),
            Self::NoTerminal { why } => {
                write!(f, "there is no terminal to confirm the signature on: {why}")
            }
            Self::NotConfirmed { digits } => write!(f, "not signed: `{digits}` was not typed"),
            Self::Key(KeyError::DoesNotFit) => {
                f.write_str("the key signed something else than it was asked to")
            }
            Self::Key(error) => error.fmt(f),
            Self::BadDigest { text } => write!(f, "`{text}` is not the beginning of a digest"),
            Self::Moved { expected, found } => {
                let (found, expected) = (short_digest(found), short_digest(expected));
                write!(
                    f,
                    "the plan has changed: its digest is {found}, not {expected}"
                )
            }
            Self::NoSuchPlan {
                plan,
                deleted: true,
                ..
            } => write!(f, "plan `{plan}` was deleted"),
            Self::NoSuchPlan { plan, .. } => write!(f, "plan `{plan}` not found"),
            Self::OutsideProject { path, workspace } => {
                let (path, workspace) = (path.display(), workspace.display());
                write!(f, "{path} is not in the project {workspace}")
            }
            Self::Forbidden(forbidden)
            | Self::Expired { forbidden, .. }
            | Self::Claimed { forbidden, .. } => forbidden.fmt(f),
            Self::OtherVersion {
                plan,
                expected,
                found: Some(found),
            } => write!(f, "{plan} has version {found}, not {expected}"),
            Self::OtherVersion { plan, .. } => {
                write!(f, "{plan} has no version to compare with")
            }
            Self::SameVersion { plan, version } => {
                write!(
                    f,
                    "{plan} was edited, and is still called version {version}"
                )
            }
            Self::CountsReplans { plan } => write!(
                f,
                "the version of {plan} only counts replans; it says nothing about the text"
            ),
            Self::EditedMeanwhile { plan } => write!(
                f,
                "{plan} was edited at the same moment; its new text stays as it is"
            ),
            Self::DuplicateId { id, .. } => write!(f, "two files have the id `{id}`"),
            Self::IdTaken { id } => write!(f, "this store has, or had, a plan with the id `{id}`"),
            Self::OtherId { expected, found } => {
                let (found, expected) = (id_text(found.as_ref()), id_text(expected.as_ref()));
                write!(f, "the new text has {found}, the plan has {expected}")
            }
            Self::NothingRevised { plan } => write!(f, "{plan} has not changed"),
            Self::NothingEdited { plan } => {
                write!(f, "{plan} has not changed: it says that already")
            }
            Self::NotAPlan { file } => {
                write!(f, "{file} is not a plan")
            }
            Self::ThreadRevision { plan } => write!(
                f,
                "{plan} is a directory: one text cannot replace it, and one file cannot hold it"
            ),
            Self::BadRequest { why } => write!(f, "this is not a proposal: {why}"),
            Self::OtherDialect { asked, found } => other_dialect(f, *asked, *found),
            Self::BadTask { why } => write!(f, "this task cannot become a plan: {why}"),
            Self::UnwritableRequest { why } => write!(f, "this proposal cannot be stored: {why}"),
            Self::Uneditable(refused) => refused.fmt(f),
            Self::UnknownPlanStep { plan, step, .. } => write!(f, "{plan} has no step `{step}`"),
            Self::BadComment { why } => write!(f, "not a comment: {why}"),
            Self::NotDeletable { plan, state } => write!(
                f,
                "{plan} is {state}: a plan whose run has not ended cannot be deleted"
            ),
            Self::NotClonable { plan, state } => {
                write!(f, "{plan} is {state}: only a person may clone it")
            }
            Self::NotFinished { plan, state } => {
                write!(f, "{plan} is {state}: only a finished plan can be archived")
            }
            Self::NotKept {
                plan,
                archived: true,
            } => write!(f, "{plan} is already in the archive"),
            Self::NotKept { plan, .. } => {
                write!(f, "{plan} is a file of the project and stays where it is")
            }
            Self::NotArchived { plan } => write!(f, "{plan} is not in the archive"),
            Self::NameTaken { path } => write!(f, "{} already exists", path.display()),
            Self::LeadsAway { path } => {
                let path = path.display();
                write!(f, "{path} is a link to somewhere else, or lies behind one")
            }
            Self::RunOver { run, why } => write!(f, "run {run} cannot continue: {why}"),
            Self::WaitingRun { plan, run } => {
                write!(
                    f,
                    "{plan} is a new version for run {run}, which waits for it"
                )
            }
            Self::Unsupported(_) => f.write_str("this version cannot run the plan yet"),
            Self::Unverified { plan, steps } => {
                let steps = steps.join("`, `");
                write!(f, "{plan} has agent steps without a contract: `{steps}`")
            }
            Self::MissingPrograms(_) => f.write_str("a program that this plan needs is missing"),
            Self::Unconfined { wanted, found, .. } => write!(
                f,
                "this needs {wanted}, but this machine provides only `{found}`"
            ),
            Self::Weaker(weaker) => weaker.fmt(f),
            Self::WorkspaceTaken { holder } => {
                let holder = holder.as_ref().map_or_else(String::new, holder_suffix);
                write!(f, "another run is using this checkout{holder}")
            }
            Self::RunTaken { run, holder } => {
                let process = holder.as_ref().map(|one| format!(" (process {})", one.pid));
                let process = process.unwrap_or_default();
                write!(f, "another process already drives run {run}{process}")
            }
            Self::NoSuchRun { run: None, .. } => f.write_str("nothing has run here yet"),
            Self::NoSuchRun { run: Some(run), .. } => write!(f, "there is no run `{run}`"),
            Self::AmbiguousName { name, candidates } => {
                write!(f, "`{name}` stands for {} of them", candidates.len())
            }
            Self::NoSuchQuestion { name } => write!(f, "no open question is named `{name}`"),
            Self::BadQuestion { why } => write!(f, "this cannot be asked: {why}"),
            Self::AnsweredQuestion { name, by, text } => {
                write!(f, "`{name}` is answered already: {by} said {text:?}")
            }
            Self::NotOffered { text, .. } => write!(f, "`{text}` is none of the answers"),
            Self::AlreadyFinished { run, outcome, .. } => {
                write!(f, "run {run} has ended: {outcome}")
            }
            Self::NeverBegun { run } => write!(f, "run {run} ended before it began"),
            Self::Git(error) => error.fmt(f),
            Self::NoWorktrees { asked, why, .. } => {
                let (asked, why) = (asked.join("; "), why.join("; "));
                write!(f, "{asked}, which is not possible here: {why}")
            }
            Self::OlderRun { run, .. } => write!(
                f,
                "an older version of signoff began run {run} and kept its work in worktrees; this version cannot continue it"
            ),
            Self::Landing { run, why } => write!(
                f,
                "the changes of run {run} cannot be written to the checkout: {why}"
            ),
            Self::BranchGone { run, .. } => {
                write!(f, "the branch `signoff/{run}` of run {run} is gone")
            }
            Self::RepositoryGone { run, directory } => write!(
                f,
                "the repository `{}` that run {run} works on is gone",
                directory.display()
            ),
            Self::Undone { run } => write!(f, "run {run} was undone and cannot continue"),
            Self::CheckedOut { run, directory, .. } => write!(
                f,
                "run {run} cannot continue: its branch `signoff/{run}` is checked out in {}, and would move",
                directory.display()
            ),
            Self::LostRun { plan, run } => write!(
                f,
                "the log of {plan} says that run {run} began and has not ended, and .signoff/runs/{run} is gone"
            ),
            Self::BrokenRun { run, why } => write!(f, "run {run} cannot be read: {why}"),
            Self::UnknownEvent { seq, why } => write!(
                f,
                "this version does not know event {seq} of the journal: {why}"
            ),
            Self::Unwritable { why } => write!(f, "an event could not be written: {why}"),
            Self::Unshared { why } => write!(
                f,
                "the database of the other machines cannot be reached: {why}"
            ),
            Self::Elsewhere { run } => write!(f, "run {run} is driven by other machines"),
            Self::PlanLog(error) => error.0.fmt(f),
            Self::Journal(error) => error.fmt(f),
            Self::Refused(Refusal::NoStep { step }) => write!(f, "there is no step `{step}`"),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::RefusedThere { why } => write!(f, "the run refuses this: {why}"),
            Self::NoReply => f.write_str("the process that drives the run does not answer"),
            Self::AgentGone { .. } => {
                f.write_str("the agent that asked ended with the process that drove the run")
            }
            Self::NotReached { step, waits_for } => {
                write!(f, "step `{step}` waits for `{}`", waits_for.join("`, `"))
            }
            Self::File(error) => error.fmt(f),
            Self::Replace(error) => error.fmt(f),
            Self::Signature(error) => error.fmt(f),
            Self::HarnessTrouble {
                run,
                step,
                what,
                why,
            } => write!(f, "run {run} stopped at step `{step}`: {what}: {why}"),
            Self::Survivors { count } => write!(
                f,
                "{count} processes of an agent or a contract could not be ended"
            ),
            Self::Sandbox(error) => write!(f, "processes cannot be started: {error}"),
            Self::Thread(error) => error.fmt(f),
            Self::NotLaunched { plan, why, said } => {
                let why = said.as_ref().map_or(why.as_str(), |said| &said.message);
                write!(f, "no run of {plan} began: {why}")
            }
            Self::Connect(error) => error.fmt(f),
            Self::Planning(error) => error.fmt(f),
        }
    }
}

fn invalid(f: &mut Formatter<'_>, source: &Source, diagnostics: &[Diagnostic]) -> Result {
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let errors = diagnostics.iter().filter(is_error).count();
    let plural = if errors == 1 { "" } else { "s" };
    write!(f, "{} has {errors} error{plural}", source.name())
}

fn more_signatures(f: &mut Formatter<'_>, plan: &str, progress: &ApprovalProgress) -> Result {
    let signed = progress.signed.join(", ");
    write!(
        f,
        "{plan} is signed by {signed}, and more people have to sign ({progress})"
    )
}

fn not_an_approver(f: &mut Formatter<'_>, plan: &str, by: &str, why: NotCounted) -> Result {
    let why = match why {
        NotCounted::NotNamed => "is not among those who have to sign it",
        NotCounted::Author => "wrote it, and somebody else has to sign it",
        NotCounted::NoPerson => "is a rule, and people have to sign it",
    };
    write!(f, "{plan}: `{by}` {why}")
}

fn too_few_approvers(f: &mut Formatter<'_>, plan: &str, rule: &ImpossibleRule) -> Result {
    write!(f, "{plan}: {} people have to sign it, and ", rule.count)?;
    match rule.able.as_slice() {
        [] => f.write_str("nobody can"),
        able => write!(f, "only {} can", able.join(" and ")),
    }
}

fn other_dialect(f: &mut Formatter<'_>, asked: Dialect, found: Option<Dialect>) -> Result {
    write!(f, "this text is not a plan of dialect `{asked}`: ")?;
    match found {
        Some(found) => write!(f, "it is read as a plan of dialect `{found}`"),
        None => f.write_str("it is not recognised as a plan"),
    }
}

fn id_text(id: Option<&String>) -> String {
    id.map_or_else(|| "no id".to_owned(), |id| format!("the id `{id}`"))
}

fn holder_suffix(holder: &LockHolder) -> String {
    match &holder.run {
        Some(run) => format!(" (run {run}, process {})", holder.pid),
        None => format!(" (process {})", holder.pid),
    }
}

/// The first digits of a digest.
fn short_digest(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..12).unwrap_or(digits)
}
