//! How a contract sees its tree.

/// The mode in which a contract shares its tree with the agent.
pub const SHARED: &str = "shared";

/// The weaker of two modes.
pub(crate) fn weaker_mode(one: Option<&str>, other: Option<&str>) -> Option<String> {
    let is_shared = [one, other].contains(&Some(SHARED));
    let mode = if is_shared {
        Some(SHARED)
    } else {
        other.or(one)
    };
    mode.map(str::to_owned)
}
