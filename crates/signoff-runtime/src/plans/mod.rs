//! What can be done to a plan before and after it runs: hand it in, reject it, revise it, cancel it,
//! try it again, copy it, delete it, list it, archive it.
//!
//! Each goes the same way: `held::Held` takes the plan's lock, reads the file and what happened to
//! it, and derives its state; the engine's table allows the act or refuses it; the log is written
//! first, then the file's own word. Start reading at [`reject`], the simplest of them.

mod approve;
mod archive;
mod cancel;
mod clone;
mod delete;
pub(crate) mod expect;
mod find;
pub(crate) mod held;
mod housekeeping;
mod identity;
mod index;
mod list;
mod policy;
pub(crate) mod preflight;
mod propose;
mod prune;
mod quick;
mod reject;
pub(crate) mod replan;
mod request;
mod revise;
pub(crate) mod stale;
pub mod state;
mod stats;
pub(crate) mod write_back;

use signoff_engine::{Actor, PlanState};

pub use self::approve::{Approved, During, Wish, approve, during, since_signed};
pub use self::archive::{Archived, archive, archive_due};
pub use self::cancel::{cancel, retry, withdraw};
pub use self::clone::clone;
pub use self::delete::{Deleted, delete};
pub use self::find::find;
pub(crate) use self::held::refuse_a_double;
pub use self::housekeeping::Undone;
pub use self::index::Trouble;
pub use self::list::{Listed, Listing, Wanted, list};
pub(crate) use self::policy::covering;
pub use self::policy::sign_by_policy;
pub use self::propose::{propose_file, propose_text, read_request};
pub use self::prune::{Kept, PruneWish, Pruned, Removed, Why, prune};
pub use self::quick::{Quick, propose_task};
pub use self::reject::reject;
pub use self::revise::{Revision, revise};
pub use self::stale::notice_of as expiry_notice;
pub use self::stats::stats;
use crate::clock::Clock;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// Who does it, where and when.
#[derive(Clone, Copy)]
pub struct Doing<'a> {
    /// The project.
    pub project: &'a Project,
    /// Who, as far as we know.
    pub actor: Actor,
    /// The time.
    pub clock: &'a dyn Clock,
}

impl std::fmt::Debug for Doing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doing")
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

/// A plan after something was done to it.
#[derive(Debug)]
pub struct Done {
    /// Name in the store.
    pub key: String,
    /// Its state now.
    pub state: PlanState,
    /// The plan as it is on disk now.
    pub plan: PlanFile,
    /// Something that a person should know: the file could not be marked, say.
    pub notes: Vec<String>,
}
