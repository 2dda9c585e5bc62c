//! Words for steps that do nothing, and for those that stand still.

use signoff_engine::Run;

/// The word for a loop without items, and its explanation.
pub const NOTHING: (&str, &str) = ("empty", "nothing to do: the loop has no items");
/// The word for a step that has begun, in a run that no process drives.
pub fn halted_word(run: &Run) -> &'static str {
    match run.outcome() {
        Some(_) => "stopped",
        None => "paused",
    }
}
