//! How the tree was shown to a contract.

/// The way a tree was shown to a contract that shares it with the agent.
pub const SHARED: &str = "shared";

/// The weaker of two ways to show a tree.
pub(crate) fn weaker_room(one: Option<&str>, other: Option<&str>) -> Option<String> {
    let is_shared = [one, other].contains(&Some(SHARED));
    let room = if is_shared {
        Some(SHARED)
    } else {
        other.or(one)
    };
    room.map(str::to_owned)
}
