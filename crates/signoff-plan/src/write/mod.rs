//! Writes a plan in a dialect, and says what that dialect cannot hold.

mod members;
mod proposal;
mod readback;
mod record;
mod thread;
mod toolplan;
pub(crate) mod workunit;
pub(crate) mod yaml;

pub(crate) use self::proposal::step as proposal_step;
use crate::model::{Plan, RetriedFailures, Step};
use crate::spelling::{Dialect, status};

/// A plan as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenPlan {
    /// Name and text of each file. One file without a name, but for a thread, which is a directory.
    pub files: Vec<(String, String)>,
    /// What was left out.
    pub losses: Vec<Loss>,
}

/// Something that a dialect cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Id of the step; `None` = the plan itself.
    pub step: Option<String>,
    /// The field, by its name in the model.
    pub field: String,
    /// Why the dialect cannot hold it.
    pub why: String,
    /// The plan has nothing there, and the dialect requires something: that was written.
    pub filled_in: bool,
}

impl Loss {
    /// Whether the plan says less. A status is a mark, which lives in the store and is never believed; who
    /// owns a plan decides nothing; what is filled in is there to be read and signed. Such a loss is
    /// reported, and no reason to refuse.
    pub fn is_relevant(&self) -> bool {
        match self.field.as_str() {
            _ if self.filled_in => false,
            "status" => false,
            "owner" => self.step.is_some(),
            _ => true,
        }
    }
}

/// The status of a plan in the word of a dialect.
fn plan_status(plan: &Plan, dialect: Dialect) -> Option<&'static str> {
    status::plan_word(dialect, plan.status.as_deref()?)
}

/// The mark of a step in the word of a dialect.
fn step_status(step: &Step, dialect: Dialect) -> Option<&'static str> {
    let done = step.claimed.then_some("done");
    status::step_word(dialect, done.or(step.mark.as_deref())?)
}

/// The failure policy of a step, unless it is the one that the dialect has anyway. A dialect without tool
/// steps makes other work of a call, and only calls have transient failures.
fn policy(step: &Step, dialect: Dialect) -> Option<String> {
    let mut policy = step.on_fail;
    if !matches!(dialect, Dialect::Workunit | Dialect::Toolplan) {
        policy.failures = RetriedFailures::Every;
    }
    let unsaid = dialect.default_on_fail(&step.work, step.critical);
    (policy != unsaid).then(|| policy.to_string())
}

/// Writes a plan. Reading it again gives the same plan, but for the losses.
pub fn write(plan: &Plan, dialect: Dialect) -> WrittenPlan {
    match dialect {
        Dialect::Workunit => workunit::write(plan),
        Dialect::Thread => thread::write(plan),
        Dialect::Proposal => proposal::write(plan),
        Dialect::Record => record::write(plan),
        Dialect::Toolplan => toolplan::write(plan),
    }
}
