//! What an answer leads to, in a few words.

use signoff_engine::{Choice, InboxKind};
use signoff_plan::model::Work;

/// What a choice leads to, for a question of this kind about a step with this work.
pub(super) fn meaning(choice: Choice, kind: InboxKind, work: Option<&Work>) -> &'static str {
    let is_call = matches!(work, Some(Work::Tool { .. }));
    match choice {
        Choice::Retry if kind == InboxKind::UnknownCall => {
            "it did not take place: call it now; `--args JSON` changes the arguments"
        }
        Choice::Retry if kind == InboxKind::Approval => {
            "you installed what its contract misses: run the contract again"
        }
        Choice::Retry if is_call => "call it once more; `--args JSON` changes the arguments",
        Choice::Retry => "one more attempt; `--note TEXT` is advice for it",
        Choice::Fixed if work == Some(&Work::Check) => {
            "you repaired what it checks: check once more"
        }
        Choice::Fixed => "you repaired it by hand: the contract decides",
        Choice::Accept => "it is done, on your word",
        Choice::Refuse if kind == InboxKind::NewVersion => {
            "not this version: the run goes on with the plan as it is"
        }
        Choice::Refuse => "it is not done: it fails, and what depends on it is blocked",
        Choice::Allow if kind == InboxKind::Permission => "it may do this, once",
        Choice::Allow => "grant the same budget once more, and go on",
        Choice::Approve if is_call => "call it; `--args JSON` changes the arguments",
        Choice::Approve => "let it start",
        Choice::Deny if kind == InboxKind::Permission => "it may not, and goes on without it",
        Choice::Deny => "it does not start: it is skipped, and what depends on it is blocked",
        Choice::Reply => "your answer: any text",
        Choice::Happened => "it took place; `--note TEXT` is its result",
        Choice::Revise => "the plan has to change first: edit it, sign it, resume",
        Choice::Replan => "a planner drafts another version; `--note TEXT` says why",
        Choice::Skip => "go on without it",
        Choice::Abort => "it fails, and the run with it",
    }
}
