//! What can be done to a plan before and after it runs: hand it in, reject it, revise it, edit it, comment on it, cancel it,
//! try it again, copy it, delete it, list it, archive it.
//!
//! Each goes the same way: `locked::LockedPlan` takes the plan's lock, reads the file and what happened to
//! it, and derives its state; the engine's table allows the act or refuses it; the log is written
//! first, then the file's own word. Start reading at [`reject`], the simplest of them.
//!
//! `status` and `locked` come first; `approval` builds on them, and `proposing` on that. `index` knows where plans are,
//! `cleanup` archives and deletes by it, and `listing` does the cleanup that is due.

pub(crate) mod approval;
mod cancel;
mod cleanup;
mod comments;
mod delete;
mod editing;
mod index;
mod listing;
pub(crate) mod locked;
mod plan_view;
mod proposing;
mod reject;
pub mod status;
mod verify;

use signoff_api::approval::ApprovalStatus;
use signoff_api::plan_ref::{self, PlanRef};
use signoff_engine::{Actor, ApprovalProgress, PlanState};

pub(crate) use self::approval::approve::expect_digest;
pub use self::approval::approve::{
    ApproveOptions, ApproveReport, ChangedRun, GivenKey, KeyStatement, ShownDigests, approve,
    approve_on_page, approve_through_client, approve_with_key, changed_run, changes_since_signed,
    key_statement, require_approvable, require_approvable_on_page, requires_key,
};
pub use self::approval::policy::sign_by_policy;
pub(crate) use self::approval::policy::{covering_policy, requires_people};
pub use self::approval::unsigned::{UnsignedChanges, unsigned_changes};
pub use self::cancel::{cancel, retry, withdraw};
pub use self::cleanup::archive::{ArchiveReport, archive, archive_due, restore, restore_last};
pub use self::cleanup::housekeeping::HousekeepingError;
pub use self::cleanup::prune::{
    KeptItem, KeptReason, PruneOptions, PruneReport, RemovedItem, prune, prune_damaged_runs,
};
pub use self::comments::{CommentReport, NewComment, comment, comments, resolve_comment};
pub(crate) use self::comments::{comments_in, step_id};
pub use self::delete::{DeleteReport, delete};
pub use self::editing::{
    EditOptions, EditReport, EditTrial, FieldProblem, PlanChange, edit, edit_text, edited_source,
    try_edit,
};
pub use self::index::UnreadablePlan;
pub use self::listing::find::{find, locate, locate_inside};
pub(crate) use self::listing::list::plans_in_state;
pub use self::listing::list::{
    ListBasis, ListOptions, ListedPlan, Listing, count_in_states, list, look,
};
pub use self::listing::stats::stats;
pub use self::locked::expiry::expiry_notice;
pub(crate) use self::locked::refuse_duplicate;
pub use self::plan_view::{PlanView, unsigned_state};
pub use self::proposing::clone::clone;
pub(crate) use self::proposing::identity::keep_new_plan;
pub use self::proposing::propose::{propose_file, propose_path, propose_text, propose_text_as};
pub use self::proposing::revise::Revision;
pub(crate) use self::proposing::revise::{revise as revise_idle, text_of as revised_text};
pub use self::proposing::task::{TaskOptions, propose_task};
pub use self::reject::{reject, require_rejectable};
pub use self::verify::mark_verified;
use crate::clock::Clock;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// Who does it, where and when.
#[derive(Clone, Copy)]
pub struct ActorContext<'a> {
    /// The project.
    pub project: &'a Project,
    /// Who, as far as we know.
    pub actor: Actor,
    /// The time.
    pub clock: &'a dyn Clock,
}

impl std::fmt::Debug for ActorContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doing")
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

/// A plan after something was done to it.
#[derive(Debug)]
pub struct PlanReport {
    /// Name in the store.
    pub key: String,
    /// Its state now.
    pub state: PlanState,
    /// The plan as it is on disk now.
    pub plan: PlanFile,
    /// Something that a person should know: the file could not be marked, say.
    pub notes: Vec<String>,
    /// Of one that was signed just now: who has signed and who is waited for, where more is asked for than one signature of
    /// whomever.
    pub approval: Option<ApprovalProgress>,
}

impl PlanReport {
    /// The plan as commands that change it print it.
    pub fn to_api(&self) -> PlanRef {
        PlanRef {
            schema: plan_ref::SCHEMA.to_owned(),
            id: self.key.clone(),
            status: self.state.name().to_owned(),
            version: self.plan.checked.plan.version,
            digest: self.plan.digest().to_string(),
            path: self.plan.source.name().to_owned(),
            approval: self.approval.as_ref().map(ApprovalStatus::from),
        }
    }
}
