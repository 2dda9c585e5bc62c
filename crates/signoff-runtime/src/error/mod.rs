//! Errors of the runtime. `Display` says what went wrong; hints and exit codes are the CLI's.

mod connect;
mod difference;
mod key;
mod levels;
mod message;
mod planning;
mod run_over;
mod signature;
mod thread;

use std::path::{Path, PathBuf};

use signoff_engine::{
    ApprovalProgress, ForbiddenTransition, ImpossibleRule, NotCounted, Outcome, PlanState, Refusal,
    Run, Unsupported,
};
use signoff_plan::diagnostic::Diagnostic;
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::EditRefused;
use signoff_plan::source::Source;
use signoff_store::FileError;
use signoff_store::atomic::ReplaceError;
use signoff_store::config::ConfigErrors;
use signoff_store::journal::JournalError;
use signoff_store::lock::LockHolder;
use signoff_store::plan_log::PlanLogError;
use signoff_store::root::DiscoverError;
use signoff_store::signatures::Proof;
use signoff_store::trust::TrustError;
use signoff_work::git::GitError;

pub use self::connect::ConnectError;
pub use self::difference::SignedDifference;
pub use self::key::{KeyError, MissingSetting};
pub use self::levels::{LostLevel, WeakerConfinement};
pub use self::planning::PlanningError;
pub use self::run_over::RunOverReason;
pub use self::signature::{RejectedSignature, SignatureDefect};
pub use self::thread::{ThreadConflict, ThreadError};

/// Why a command could not be carried out.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum Error {
    /// No `.signoff/` here or above.
    NoStore { from: PathBuf },
    /// The store lies below another one.
    NestedStore { inner: PathBuf, outer: PathBuf },
    /// The project has the id of another directory, and nobody trusted this one.
    CopiedProject { of: PathBuf },
    /// What the person trusts could not be read or written.
    Trust(TrustError),
    /// Files of the project that would run are not what the person trusted.
    HelpersChanged { differences: Vec<String> },
    /// The configuration has errors.
    Config(ConfigErrors),
    /// The project's configuration names commands and nobody trusted it.
    Untrusted { config: PathBuf },
    /// A file could not be read.
    Unreadable { path: PathBuf, why: std::io::Error },
    /// The plan has errors.
    Invalid {
        source: Box<Source>,
        diagnostics: Vec<Diagnostic>,
    },
    /// A person wants to settle a file that is not held.
    NotHeld {
        run: String,
        path: String,
        held: Vec<String>,
    },
    /// A person wants to settle a file in both ways.
    SettledTwice { path: String },
    /// Nobody signed this plan.
    NotSigned { plan: String },
    /// What was signed is not what is here.
    Changed {
        plan: String,
        difference: SignedDifference,
    },
    /// There are signatures over what is here, and none of them counts.
    NoneCounts {
        plan: String,
        doubted: Vec<RejectedSignature>,
    },
    /// More people have to sign.
    MoreSignatures {
        plan: String,
        progress: Box<ApprovalProgress>,
    },
    /// The signature of this person would not count.
    NotAnApprover {
        plan: String,
        by: String,
        why: NotCounted,
        /// Whose would; empty = everybody else's.
        named: Vec<String>,
    },
    /// This person has signed, and others have to.
    SignedAlready {
        plan: String,
        by: String,
        progress: Box<ApprovalProgress>,
    },
    /// More people have to sign than there are.
    TooFewApprovers { plan: String, rule: ImpossibleRule },
    /// Less was offered as a proof than is required.
    WeakerProof { proof: Proof, required: Proof },
    /// Git refused something that it was asked for.
    Git(GitError),
    /// Worktrees are asked for and cannot be had.
    NoWorktrees {
        asked: Vec<String>,
        why: Vec<String>,
        /// A step of the plan wants one.
        insists: bool,
    },
    /// An older version began the run, and kept its agents' work in worktrees.
    OlderRun { run: String, branch: String },
    /// What the run did could not be written to the checkout.
    Landing { run: String, why: String },
    /// Somebody removed the run's branch, which stood at `head`.
    BranchGone { run: String, head: String },
    /// Somebody removed the repository that the run works on.
    RepositoryGone { run: String, directory: PathBuf },
    /// The run was taken back: it does not go on.
    Undone { run: String },
    /// Somebody has the run's branch checked out, where it would move under them.
    CheckedOut {
        run: String,
        directory: PathBuf,
        /// The branch that the checkout was on when the run began, if that is known.
        before: Option<String>,
    },
    /// There is no terminal to confirm a signature on.
    NoTerminal { why: std::io::Error },
    /// What was typed is not what was asked for.
    NotConfirmed { digits: String },
    /// A key could not sign.
    Key(KeyError),
    /// The same, of a plan that runs.
    ChangedDuring {
        run: String,
        plan: String,
        difference: Box<SignedDifference>,
    },
    /// The given text is not a digest.
    BadDigest { text: String },
    /// The digest is not the one the caller expected to sign.
    Moved { expected: String, found: String },
    /// No plan of that name, and no such file.
    NoSuchPlan {
        plan: String,
        known: Vec<String>,
        deleted: bool,
    },
    /// A file that is, or leads, outside the project cannot be handed in.
    OutsideProject { path: PathBuf, workspace: PathBuf },
    /// The state of the plan, or who wants it, does not allow it.
    Forbidden(ForbiddenTransition),
    /// The same, because nothing happened to it for so long that it was cancelled just now.
    Expired {
        notice: String,
        forbidden: ForbiddenTransition,
    },
    /// The same, because the plan's file says so, and nothing about it was recorded here.
    Claimed {
        notice: String,
        forbidden: ForbiddenTransition,
    },
    /// The plan's version is not the one the caller expected.
    OtherVersion {
        plan: String,
        expected: u64,
        found: Option<u64>,
    },
    /// The plan was edited and has the version of an earlier text.
    SameVersion { plan: String, version: u64 },
    /// The plan's version does not change with its text: nothing can be expected of it.
    CountsReplans { plan: String },
    /// Somebody changed the plan's definition while something was done to it.
    EditedMeanwhile { plan: String },
    /// Two files have the same id.
    DuplicateId { id: String, paths: [PathBuf; 2] },
    /// A plan of this id is or was in the store.
    IdTaken { id: String },
    /// A new text of a plan has another id.
    OtherId {
        expected: Option<String>,
        found: Option<String>,
    },
    /// A new text of a plan says the same as the old one.
    NothingRevised { plan: String },
    /// An edit says what the plan says already.
    NothingEdited { plan: String },
    /// A file that is not a plan is not given the text of one.
    NotAPlan { file: String },
    /// A directory cannot be given one new text, nor be kept as one file.
    ThreadRevision { plan: String },
    /// A JSON proposal is not one.
    BadRequest { why: String },
    /// A text is not a plan of the dialect that it is declared as.
    OtherDialect {
        asked: Dialect,
        found: Option<Dialect>,
    },
    /// A JSON proposal says what its file could not say.
    UnwritableRequest { why: String },
    /// A text cannot be changed safely.
    Uneditable(EditRefused),
    /// A plan has no step of this id or number.
    UnknownPlanStep {
        plan: String,
        step: String,
        known: Vec<String>,
    },
    /// A comment that is none, or that is not there.
    BadComment { why: String },
    /// A plan with a run that is not over keeps its file.
    NotDeletable { plan: String, state: PlanState },
    /// What a person rejected is not copied by anybody else.
    NotClonable { plan: String, state: PlanState },
    /// Only a finished plan can be archived.
    NotFinished { plan: String, state: PlanState },
    /// Only a plan that the store keeps can be archived; one that is in the archive is there already.
    NotKept { plan: String, archived: bool },
    /// Only a plan in the archive can be taken out of it.
    NotArchived { plan: String },
    /// Something has this name already.
    NameTaken { path: PathBuf },
    /// A directory of the store is a link to somewhere else.
    LeadsAway { path: PathBuf },
    /// The plan needs what this version cannot do.
    Unsupported(Vec<Unsupported>),
    /// Agent steps without a contract, and the settings refuse such plans.
    Unverified { plan: String, steps: Vec<String> },
    /// Programs that agents or contracts need are missing.
    MissingPrograms(Vec<String>),
    /// What is started has to be confined, and this machine cannot do that.
    Unconfined {
        wanted: String,
        found: String,
        /// Why the stronger levels do not work here.
        why: Vec<String>,
    },
    /// This machine confines less than it did before, and nobody accepted that.
    Weaker(Box<WeakerConfinement>),
    /// Another run holds the workspace.
    WorkspaceTaken { holder: Option<LockHolder> },
    /// Another process drives this run.
    RunTaken {
        run: String,
        holder: Option<LockHolder>,
    },
    /// No run of that name, or none at all.
    NoSuchRun {
        run: Option<String>,
        known: Vec<String>,
    },
    /// What was typed stands for several runs or questions.
    AmbiguousName {
        name: String,
        candidates: Vec<String>,
    },
    /// No open question has that name.
    NoSuchQuestion { name: String },
    /// A question that nobody could answer, or one too many.
    BadQuestion { why: String },
    /// A person has answered it.
    AnsweredQuestion {
        name: String,
        by: String,
        text: String,
    },
    /// The answer is none of those that the question offers.
    NotOffered { text: String, choices: Vec<String> },
    /// The run has come to its end.
    AlreadyFinished {
        run: String,
        outcome: &'static str,
        /// What it did is not in the checkout yet.
        to_land: bool,
    },
    /// The run was abandoned or replaced.
    RunOver { run: String, why: RunOverReason },
    /// The plan is the new version of another, whose run goes on under it.
    WaitingRun { plan: String, run: String },
    /// A run that ended before its first event was written.
    NeverBegun { run: String },
    /// The plan's log names a run that has not ended, and its directory is gone.
    LostRun { plan: String, run: String },
    /// A run's record cannot be trusted or read.
    BrokenRun { run: String, why: String },
    /// The journal holds an event this version does not know.
    UnknownEvent { seq: u64, why: String },
    /// An event has no form on disk.
    Unwritable { why: String },
    /// Other machines drive the run, and this one does not know how to reach them.
    Elsewhere { run: String },
    /// The other machines cannot be told of it.
    Unshared { why: String },
    /// The journal cannot be trusted or written.
    Journal(JournalError),
    /// The log of a plan cannot be trusted or written.
    PlanLog(PlanLogError),
    /// The engine refused.
    Refused(Refusal),
    /// A task that cannot be written into a plan.
    BadTask { why: String },
    /// A file operation failed.
    File(FileError),
    /// A file could not be replaced.
    Replace(ReplaceError),
    /// The process that drives the run refused what was asked of it.
    RefusedThere { why: String },
    /// The process that drives the run does not answer.
    NoReply,
    /// The agent that asked ended with the process that drove the run.
    AgentGone { run: String },
    /// A step that is to run waits for others, which are not to.
    NotReached {
        step: String,
        waits_for: Vec<String>,
    },
    /// Signatures could not be read or written.
    Signature(signoff_store::signatures::SignatureError),
    /// The harness could not do its own part for a step: no attempt failed, and the run can be resumed.
    HarnessTrouble {
        run: String,
        step: String,
        what: &'static str,
        why: String,
    },
    /// Processes of an attempt could not be ended.
    Survivors { count: usize },
    /// The sandbox, or a process in it, could not be started.
    Sandbox(std::io::Error),
    /// Something about the threads of a session.
    Thread(Box<ThreadError>),
    /// A run that goes on by itself could not be started, or ended before it began; what it said, if that can be read.
    NotLaunched {
        plan: String,
        why: String,
        said: Option<Box<signoff_api::error::Error>>,
    },
    /// An agent's files could not be edited.
    Connect(Box<ConnectError>),
    /// A plan could not be drafted.
    Planning(PlanningError),
}

/// What could not be done for a step whose tree is missing.
pub(crate) const NO_TREE: &str = "its tree could not be made";

impl Error {
    /// What a step needs to begin with could not be made.
    pub(crate) fn no_tree(run: &Run, step: usize, why: String) -> Self {
        Self::harness_trouble(run, step, NO_TREE, why)
    }

    /// Something that the harness needs for a step failed.
    pub(crate) fn harness_trouble(run: &Run, step: usize, what: &'static str, why: String) -> Self {
        let step = run.definition(step);
        Self::HarnessTrouble {
            run: run.id().to_owned(),
            step: step.expect("actions are for steps of the run").id.clone(),
            what,
            why,
        }
    }

    /// A file or directory of the harness's could not be read or written.
    pub(crate) fn cannot_read(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |why| Self::Unreadable { path, why }
    }

    /// The run has come to its end.
    pub(crate) fn already_finished(run: &Run, outcome: Outcome) -> Self {
        Self::AlreadyFinished {
            run: run.id().to_owned(),
            outcome: signoff_api::event::outcome_name(outcome),
            to_land: run.has_not_landed(),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        if error.is_link() {
            return Self::LeadsAway { path: error.path };
        }
        Self::File(error)
    }
}

impl From<DiscoverError> for Error {
    fn from(error: DiscoverError) -> Self {
        match error {
            DiscoverError::Nested { inner, outer } => Self::NestedStore { inner, outer },
            DiscoverError::File(error) => error.into(),
        }
    }
}

impl From<TrustError> for Error {
    fn from(error: TrustError) -> Self {
        Self::Trust(error)
    }
}

impl From<PlanLogError> for Error {
    fn from(error: PlanLogError) -> Self {
        Self::PlanLog(error)
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<ReplaceError> for Error {
    fn from(error: ReplaceError) -> Self {
        Self::Replace(error)
    }
}

impl From<ForbiddenTransition> for Error {
    fn from(forbidden: ForbiddenTransition) -> Self {
        Self::Forbidden(forbidden)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ConfigErrors> for Error {
    fn from(errors: ConfigErrors) -> Self {
        Self::Config(errors)
    }
}

impl From<signoff_store::signatures::SignatureError> for Error {
    fn from(error: signoff_store::signatures::SignatureError) -> Self {
        Self::Signature(error)
    }
}
