//! Every way a command can fail: exit code, message and hints. All hints are worded here.

mod landings;
mod levels;
mod plans;
mod proofs;
mod runs;
mod threads;
mod trust;

use std::fmt;

use signoff_engine::Refusal;
use signoff_runtime::Error;
use signoff_store::atomic::ReplaceError;
use signoff_store::journal::JournalError;
use signoff_store::signatures::SignatureError;

use self::landings::{checked_out, not_held, settled_twice};
pub(crate) use self::landings::{
    held_hints, not_landed, not_undone, settling_commands, version_of,
};
use self::levels::weaker_level;
pub(crate) use self::levels::{ACCEPT, weaker_headline};
pub(crate) use self::plans::{difference_lines, plan_changed_during_run};
use self::plans::{forbidden_act, plan_changed, plan_log};
use self::runs::{holder_suffix, meanwhile_hints};
pub(crate) use self::runs::{no_step, with_known_steps};
use crate::shell_words::shell_word;
use crate::style::{ERROR, HINT, paint};

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

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
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
            Error::NoStore { from } => Self::new(
                6,
                "no-store",
                format!("no `.signoff` in {} or above", from.display()),
            )
            .hint("`signoff init` sets up a project here"),
            Error::NestedStore { inner, outer } => trust::nested_store(&inner, &outer),
            Error::CopiedProject { of } => trust::copied_project(&of),
            Error::HelpersChanged { differences } => trust::helpers_changed(&differences),
            Error::Trust(error) => Self::new(6, "trust", error.to_string()),
            Error::Config(errors) => errors.problems.iter().fold(
                Self::new(6, "config", "the configuration has errors"),
                |failure, problem| failure.detail(problem.to_string()),
            ),
            Error::Untrusted { config } => Self::new(
                4,
                "untrusted",
                format!(
                    "{} names commands that you have not trusted on this machine",
                    config.display()
                ),
            )
            .hint("read it, then type `signoff trust`"),
            Error::Unreadable { path, why } => {
                let exit = match why.kind() {
                    // A usage error: no such file, or it cannot be a plan.
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidInput => 2,
                    _ => 6,
                };
                Self::new(exit, "unreadable", format!("{}: {why}", path.display()))
            }
            Error::Invalid {
                source,
                diagnostics,
            } => {
                let errors = diagnostics
                    .iter()
                    .filter(|one| one.severity == signoff_plan::diagnostic::Severity::Error)
                    .count();
                let plural = if errors == 1 { "" } else { "s" };
                Self::new(
                    1,
                    "invalid",
                    format!("{} has {errors} error{plural}", source.name()),
                )
                .hint(format!("`signoff verify {}` shows them", shell_word(source.name())))
            }
            Error::NotHeld { run, path, held } => not_held(&run, &path, &held),
            Error::SettledTwice { path } => settled_twice(&path),
            Error::NotSigned { plan } => {
                let word = shell_word(&plan);
                Self::new(4, "not-signed", format!("{plan} is not signed")).hint(format!(
                    "read it with `signoff show {word}`, then sign it with `signoff approve {word}`"
                ))
            }
            Error::Changed { plan, difference } => plan_changed(&plan, &difference),
            Error::ChangedDuring {
                run,
                plan,
                difference,
            } => plan_changed_during_run(&run, &plan, &difference),
            Error::NoneCounts { plan, doubted } => proofs::none_counts(&plan, &doubted),
            Error::WeakerProof { proof, required } => proofs::weaker_proof(proof, required),
            Error::NoTerminal { why } => proofs::no_terminal(&why),
            Error::NotConfirmed { digits } => proofs::not_confirmed(&digits),
            Error::Key(error) => proofs::key_failure(&error),
            Error::BadDigest { text } => Self::new(2, "bad-digest", format!("`{text}` is not the beginning of a digest"))
                .hint("give at least 8 hexadecimal digits, as `signoff show PLAN` prints them"),
            Error::Moved { expected, found } => Self::new(
                5,
                "moved",
                format!(
                    "the plan's digest is {}, not {}",
                    short_digest(&found),
                    short_digest(&expected)
                ),
            )
            .hint("the plan has changed; read it again before you sign"),
            Error::NoSuchPlan { plan, deleted: true, .. } => {
                Self::new(2, "no-plan", format!("plan `{plan}` was deleted"))
                    .hint("its log stays; `signoff list` shows the other plans")
            }
            Error::NoSuchPlan { plan, known, .. } => {
                let failure = Self::new(2, "no-plan", format!("plan `{plan}` not found"));
                let near = known
                    .iter()
                    .map(|id| (strsim::damerau_levenshtein(id, &plan), id))
                    .filter(|(distance, _)| *distance <= 3)
                    .min();
                match near {
                    Some((_, id)) => failure.hint(format!("did you mean `{id}`?")),
                    None => failure.hint("give the path of its file, or an id that `signoff list` shows"),
                }
            }
            Error::OutsideProject { path, workspace } => Self::new(
                2,
                "outside",
                format!("{} is not in the project {}", path.display(), workspace.display()),
            )
            .hint("move it there, or submit a copy of its text: `signoff propose - < FILE`"),
            Error::Forbidden(forbidden) => forbidden_act(&forbidden),
            Error::Expired { notice, forbidden } => forbidden_act(&forbidden).detail(notice),
            Error::OtherVersion {
                plan,
                expected,
                found: Some(found),
            } => Self::new(
                5,
                "moved",
                format!("{plan} has version {found}, not {expected}"),
            )
            .hint("the plan has changed; read it again first"),
            Error::OtherVersion { plan, found: None, .. } => Self::new(
                2,
                "no-version",
                format!("{plan} has no version to compare with"),
            )
            .hint("compare its digest instead: `--expect-digest`"),
            Error::CountsReplans { plan } => Self::new(
                2,
                "no-version",
                format!("the version of {plan} only counts replans; it says nothing about the text"),
            )
            .hint("compare its digest instead: `signoff approve --expect-digest DIGEST`, as `signoff show` prints it"),
            Error::EditedMeanwhile { plan } => Self::new(
                5,
                "edited",
                format!("{plan} was edited at the same moment; its new text stays as it is"),
            )
            .hint("read it again, then repeat the command"),
            Error::DuplicateId { id, paths } => paths
                .iter()
                .fold(
                    Self::new(5, "duplicate-id", format!("two files have the id `{id}`")),
                    |failure, path| failure.detail(path.display().to_string()),
                )
                .hint("give one of them another id, so that a signature names one plan"),
            Error::IdTaken { id } => Self::new(
                5,
                "duplicate-id",
                format!("this store has, or had, a plan with the id `{id}`"),
            )
            .hint(format!("for a new version of that plan: `signoff revise {} --with FILE`", shell_word(&id)))
            .hint("for another plan: give it another id, or none"),
            Error::OtherId { expected, found } => {
                let show = |id: &Option<String>| {
                    id.as_ref().map_or_else(|| "no id".to_owned(), |id| format!("the id `{id}`"))
                };
                Self::new(
                    2,
                    "other-id",
                    format!("the new text has {}, the plan has {}", show(&found), show(&expected)),
                )
                .hint("leave the id out of the new text, or make it the same")
            }
            Error::NothingRevised { plan } => Self::new(
                5,
                "nothing-revised",
                format!("{plan} has not changed"),
            )
            .hint("edit it, or give the new text: `--with FILE`"),
            Error::ThreadRevision { plan } => Self::new(
                2,
                "thread",
                format!("{plan} is a directory: one text cannot replace it, and one file cannot hold it"),
            )
            .hint("edit its files, then `signoff revise` without `--with`"),
            Error::BadRequest { why } => Self::new(1, "invalid", format!("this is not a proposal: {why}"))
                .hint("it needs `title` and `steps`, each with `description`, `tool` and `operation`"),
            Error::BadTask { why } => {
                Self::new(2, "bad-task", format!("this task cannot become a plan: {why}"))
                    .hint("write the plan yourself: `signoff new NAME --template TEMPLATE`")
            }
            Error::UnwritableRequest { why } => {
                Self::new(1, "invalid", format!("this proposal cannot be stored: {why}"))
                    .hint("`##` begins a section of the plan's file: use `###` and deeper in a context")
            }
            Error::Uneditable(refused) => Self::new(1, "invalid", refused.to_string()),
            Error::NotDeletable { plan, state } => Self::new(
                5,
                "state",
                format!("{plan} is {state}: a plan whose run has not ended cannot be deleted"),
            )
            .hint(format!("`signoff cancel {}` first", shell_word(&plan))),
            Error::NotClonable { plan, state } => Self::new(
                4,
                "person-only",
                format!("{plan} is {state}: only a person may clone it"),
            )
            .hint("`signoff show` shows the feedback; a rejected plan can be revised"),
            Error::NotFinished { plan, state } => Self::new(
                5,
                "state",
                format!("{plan} is {state}: only a finished plan can be archived"),
            )
            .hint(format!("`signoff cancel {}` cancels it", shell_word(&plan))),
            Error::NotKept { plan, archived: true } => {
                Self::new(5, "archived", format!("{plan} is already in the archive"))
            }
            Error::NotKept { plan, archived: false } => Self::new(
                5,
                "not-kept",
                format!("{plan} is a file of the project and stays where it is"),
            )
            .hint(format!("`signoff delete {}` removes it from the list", shell_word(&plan))),
            Error::NameTaken { path } => {
                Self::new(5, "name-taken", format!("{} already exists", path.display()))
                    .hint("rename one of them, then repeat the command")
            }
            Error::LeadsAway { path } => Self::new(
                4,
                "leads-away",
                format!("{} is a link to somewhere else, or lies behind one", path.display()),
            )
            .hint("Signoff does not follow it; replace the link by what it points to"),
            Error::RunOver { run, why } => Self::new(
                5,
                "run-over",
                format!("run {run} cannot continue: {why}"),
            )
            .hint("`signoff run PLAN` starts a new one, once the plan is approved"),
            Error::Unsupported(missing) => missing
                .iter()
                .fold(
                    Self::new(
                        6,
                        "unsupported",
                        "this version cannot run the plan yet",
                    ),
                    |failure, one| {
                        let directory = one
                            .step
                            .as_ref()
                            .map_or_else(|| "the plan".to_owned(), |step| format!("step `{step}`"));
                        failure.detail(format!("{directory} has {}", one.what))
                    },
                )
                .hint("the plan can be checked and shown, but a run would have to ignore these"),
            Error::Unverified { plan, steps } => Self::new(
                4,
                "unverified",
                format!("{plan} has agent steps without a contract: `{}`", steps.join("`, `")),
            )
            .hints([
                "give each step a contract: a command that fails before the work and passes after it".to_owned(),
                "or let a person accept the steps: `[contract] unverified = \"ask\"` in your own configuration".to_owned(),
            ]),
            Error::MissingPrograms(missing) => missing
                .into_iter()
                .fold(
                    Self::new(
                        6,
                        "missing-program",
                        "a program that this plan needs is missing",
                    ),
                    Self::detail,
                )
                .hint("install it, or change `[agents]` in .signoff/config.toml"),
            Error::Unconfined { wanted, found, why } => why
                .into_iter()
                .fold(
                    Self::new(
                        6,
                        "unconfined",
                        format!("this needs {wanted}, but this machine provides only `{found}`"),
                    ),
                    Self::detail,
                )
                .hint("`signoff doctor` shows details; `[sandbox] mode` in your own configuration sets the requirement"),
            Error::Weaker(weaker) => weaker_level(&weaker),
            Error::WorkspaceTaken { holder } => Self::new(
                5,
                "workspace-taken",
                format!(
                    "another run is using this checkout{}",
                    holder_suffix(holder.as_ref())
                ),
            )
            .hints(meanwhile_hints(holder.as_ref().and_then(|holder| holder.run.as_deref()))),
            Error::RunTaken { run, holder } => {
                let process = holder.map(|holder| format!(" (process {})", holder.pid));
                let process = process.unwrap_or_default();
                Self::new(
                    5,
                    "run-taken",
                    format!("another process already drives run {run}{process}"),
                )
                .hints(meanwhile_hints(Some(&run)))
            }
            Error::NoSuchRun { run: None, .. } => {
                Self::new(2, "no-run", "nothing has run here yet")
                    .hint("`signoff run PLAN` starts a run")
            }
            Error::NoSuchRun {
                run: Some(run),
                known,
            } => {
                let failure = Self::new(2, "no-run", format!("there is no run `{run}`"));
                let near = known.iter().find(|id| strsim::damerau_levenshtein(id, &run) <= 4);
                match near.or(known.last()) {
                    Some(id) if near.is_some() => failure.hint(format!("did you mean `{id}`?")),
                    Some(newest) => failure.hint(format!("the newest run is `{newest}`")),
                    None => failure.hint("nothing has run here yet"),
                }
            }
            Error::AlreadyFinished {
                run,
                outcome,
                to_land,
            } => {
                let text = format!("run {run} has ended: {outcome}");
                let failure = Self::new(5, "already-finished", text);
                let landing = format!("`signoff land {run}` brings its changes into your checkout");
                let hints = to_land.then_some(landing).into_iter();
                let failure = hints.fold(failure, Self::hint);
                failure.hint(if outcome == "failed" {
                    format!("`signoff resume {run}` continues it")
                } else {
                    "`signoff clone PLAN` copies the plan, so that it can run again".to_owned()
                })
            }
            Error::NeverBegun { run } => Self::new(
                2,
                "no-run",
                format!("run {run} ended before it began"),
            ),
            Error::Git(error) => Self::new(6, "git", error.to_string()),
            Error::NoWorktrees { asked, why, insists } => {
                let text = format!("{}, which is not possible here: {}", asked.join("; "), why.join("; "));
                let failure = Self::new(2, "no-worktrees", text);
                failure.hint(if insists {
                    "solve that, or remove `isolation: worktree` from the plan and sign it again"
                } else {
                    "`--isolation shared` lets agents work one after another in the checkout"
                })
            }
            Error::OlderRun { run, branch } => {
                let message = format!("an older version of signoff began run {run} and kept its work in worktrees; this version cannot continue it");
                Self::new(5, "older-run", message)
                    .hint(format!("finish it with that version, or type `signoff abort {run}`"))
                    .hint(format!("the steps that passed are on the branch `{}`", branch.trim_start_matches("refs/heads/")))
            }
            Error::Landing { run, why } => {
                let message = format!("the changes of run {run} cannot be written to the checkout: {why}");
                Self::new(6, "landing", message).hint(format!("`signoff land {run}` tries again"))
            }
            Error::BranchGone { run, head } => {
                let message = format!("the branch `signoff/{run}` of run {run} is gone");
                Self::new(5, "branch-gone", message)
                    .hint(format!("`git branch signoff/{run} {head}` restores it; `signoff abort {run}` ends the run"))
            }
            Error::RepositoryGone { run, directory } => {
                let message = format!("the repository `{}` that run {run} works on is gone", directory.display());
                Self::new(5, "repository-gone", message)
                    .hint(format!("put it back where it was, or type `signoff abort {run}` to end the run"))
            }
            Error::Undone { run } => {
                Self::new(5, "undone", format!("run {run} was undone and cannot continue"))
                    .hint("`signoff clone PLAN` copies the plan, so that it can run again")
            }
            Error::CheckedOut { run, directory, before } => checked_out(&run, &directory, before.as_deref()),
            Error::BrokenRun { run, why } => {
                Self::new(6, "broken-run", format!("run {run} cannot be read: {why}"))
                    .hint(format!("its files are in .signoff/runs/{run}"))
            }
            Error::UnknownEvent { seq, why } => Self::new(
                6,
                "unknown-event",
                format!("this version does not know event {seq} of the journal: {why}"),
            )
            .hint("another version of signoff, or another program, wrote the run"),
            Error::Unwritable { why } => Self::new(
                6,
                "journal",
                format!("an event could not be written: {why}"),
            ),
            Error::PlanLog(error) => plan_log(&error.0),
            Error::Journal(JournalError::File(error)) => Self::new(6, "file", error.to_string()),
            Error::Journal(error @ JournalError::Touched { .. }) => {
                Self::new(6, "journal", error.to_string())
                    .hint("the run cannot continue: only its journal says how far it was")
                    .hint("the changes that had landed stay in your checkout: `git status` and `git diff` show them")
                    .hint("if `.signoff` itself is gone (`git clean -x` removes it), `signoff init` makes a new one")
                    .hint("then `signoff prune` removes the rest of the run, such as its branch")
            }
            Error::Journal(error) => Self::new(6, "journal", error.to_string())
                .hint("a run with a broken journal cannot continue; `git status` shows what it left in the checkout"),
            Error::Refused(Refusal::NoStep { step }) => no_step(&step, []),
            Error::Refused(refusal @ Refusal::NotNow { .. }) => {
                Self::new(5, "not-now", refusal.to_string())
                    .hint("`signoff status` shows the state of each step")
            }
            Error::RefusedThere { why } => {
                Self::new(5, "refused", format!("the run refuses this: {why}"))
                    .hint("`signoff status` and `signoff inbox` show its state")
            }
            Error::NoReply => Self::new(
                6,
                "no-reply",
                "the process that drives the run does not answer",
            )
            .hint("`signoff status` shows who drives it; end that process, then `signoff resume`"),
            Error::NotReached { step, waits_for } => Self::new(
                5,
                "not-reached",
                format!("step `{step}` waits for `{}`", waits_for.join("`, `")),
            )
            .hint(format!("`--until {step}` runs those steps as well")),
            Error::Refused(refusal) => Self::new(5, "refused", refusal.to_string())
                .hint("`signoff inbox` shows what waits, and the choices"),
            Error::File(error) => Self::new(6, "file", error.to_string()),
            Error::Replace(error @ ReplaceError::Changed { .. }) => {
                Self::new(5, "replace", error.to_string())
                    .hint("read it again, then repeat the command")
            }
            Error::Replace(error) => Self::new(6, "file", error.to_string()),
            Error::Signature(error @ SignatureError::Invalid { .. }) => {
                Self::new(4, "signature", error.to_string())
                    .hint("no signature of this plan counts while that file exists; remove it, then sign again")
            }
            Error::Signature(error) => Self::new(6, "signature", error.to_string()),
            Error::Survivors { count } => Self::new(
                6,
                "survivors",
                format!("{count} processes of an agent or a contract could not be ended"),
            )
            .hint("nothing is judged while they run; end them, then type `signoff resume`"),
            Error::Sandbox(error) => Self::new(
                6,
                "sandbox",
                format!("processes cannot be started: {error}"),
            ),
            Error::Thread(error) => (*error).into(),
        }
    }
}

/// The first digits of a digest.
fn short_digest(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..12).unwrap_or(digits)
}
