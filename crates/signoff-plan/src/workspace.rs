//! What the checks ask about the world outside the plan's text.

/// Answers questions about the place a plan will run in. The pure crates do no I/O; whoever calls
/// them hands in an implementation (the real one is in `signoff-store`, an in-memory one in
/// `signoff-testkit`).
pub trait Workspace {
    /// Does this workspace-relative path exist (file or directory)?
    fn path_exists(&self, path: &str) -> bool;
    /// Is there a note `topics/NAME.md`?
    fn topic_exists(&self, name: &str) -> bool;
    /// Can this command be found on the PATH that contracts get?
    fn command_exists(&self, name: &str) -> bool;
    /// Does this name lead to an agent (role, driver, or a `default` role)?
    fn agent_exists(&self, name: &str) -> bool;
    /// Names of the configured roles, for suggestions.
    fn agents(&self) -> Vec<String>;
}
