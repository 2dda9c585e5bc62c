//! What the checks ask about the world outside the plan's text.

use std::borrow::Cow;

/// Answers questions about the project that a plan will run in. The pure crates do no I/O; whatever calls
/// them hands in an implementation (the real one is in `signoff-store`, an in-memory one in
/// `signoff-testkit`).
pub trait Workspace {
    /// Does this workspace-relative path exist (file or directory)?
    fn path_exists(&self, path: &str) -> bool;
    /// Is what exists at this path something else than a file: a directory, a pipe?
    fn is_no_file(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Does this path lead out of the workspace although its text does not, by a link?
    fn leads_outside(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Does a pattern (see [`crate::glob`]) match a file of the workspace?
    fn pattern_matches(&self, pattern: &str) -> bool {
        let _ = pattern;
        true
    }
    /// How many lines this file has, if that is known.
    fn line_count(&self, path: &str) -> Option<u64> {
        let _ = path;
        None
    }
    /// Workspace-relative paths of what lies in the same directory as this path, for suggestions.
    fn siblings(&self, path: &str) -> Vec<String> {
        let _ = path;
        Vec::new()
    }
    /// Names of the notes in `.signoff/topics`, for suggestions.
    fn topics(&self) -> Vec<String> {
        Vec::new()
    }
    /// Is there a note `.signoff/topics/NAME.md`?
    fn topic_exists(&self, name: &str) -> bool;
    /// Can this command be found on the PATH that contracts get?
    fn command_exists(&self, name: &str) -> bool;
    /// Where a command lies that only a PATH entry inside the workspace has, as one would write it:
    /// nothing is looked for there, because agents could put another in its place.
    fn command_inside(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// Another command that the person's own PATH finds first, inside the workspace, as one would write it, and what
    /// contracts find in its place.
    fn command_shadowed(&self, name: &str) -> Option<ShadowedCommand> {
        let _ = name;
        None
    }
    /// Does this name lead to an agent (role, driver, or a `default` role)?
    fn agent_exists(&self, name: &str) -> bool;
    /// Is this tool, which is not built in, one that can be called? Tools of a server that was not asked for them yet are
    /// is known.
    fn tool_known(&self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// The JSON Schema of what this tool takes, if it is recorded.
    fn tool_schema(&self, name: &str) -> Option<serde_json::Value> {
        let _ = name;
        None
    }
    /// The JSON Schema of what this tool gives, if its server says so and that is recorded.
    fn tool_output_schema(&self, name: &str) -> Option<serde_json::Value> {
        let _ = name;
        None
    }
    /// Does this tool, which is not built in, change nothing, as a person or the record of it says?
    fn tool_read_only(&self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// Names of the tools that are not built in, and of the servers, for suggestions.
    fn tools(&self) -> Vec<String> {
        Vec::new()
    }
    /// Can each agent have a tree of its own here?
    fn has_trees(&self) -> bool {
        true
    }
    /// Names of the configured roles, for suggestions.
    fn agents(&self) -> Vec<String>;
}

/// A command of which the person and contracts find two programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowedCommand {
    /// What the person's PATH finds, below the workspace.
    pub inside: String,
    /// What contracts find.
    pub outside: String,
}

/// A workspace in which everything exists: for a plan whose files do not matter, or were checked when it was signed and
/// have changed since.
#[derive(Debug, Clone, Copy)]
pub struct PermissiveWorkspace;

impl Workspace for PermissiveWorkspace {
    fn path_exists(&self, _: &str) -> bool {
        true
    }

    fn topic_exists(&self, _: &str) -> bool {
        true
    }

    fn command_exists(&self, _: &str) -> bool {
        true
    }

    fn agent_exists(&self, _: &str) -> bool {
        true
    }

    fn tool_known(&self, _: &str) -> bool {
        true
    }

    fn agents(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Would a tool say that this path leaves the workspace? One from the root of the machine may lie
/// inside; a link may be what is meant.
pub(crate) fn leaves(workspace: &dyn Workspace, path: &str) -> bool {
    if path.starts_with('/') {
        return workspace.leads_outside(path);
    }
    is_outside(path)
}

/// Whether a path leads out of the workspace, judged by its text alone.
pub(crate) fn is_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if drive || path.starts_with(['/', '\\', '~']) {
        return true;
    }
    let mut depth = 0_usize;
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            _ => depth += 1,
        }
    }
    false
}

/// The same path without parts that lead nowhere: `./a`, `a//b` and `d/../a`, judged by its text alone. One that leaves the
/// workspace, or whose `..` follows a wildcard, stays as it is.
pub(crate) fn plain_path(path: &str) -> Cow<'_, str> {
    let is_folder = path.ends_with('/');
    let named = path.strip_suffix('/').unwrap_or(path);
    let leads_nowhere = |part: &str| matches!(part, "" | "." | "..");
    if is_outside(path) || !named.split('/').any(leads_nowhere) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in named.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                Some(dropped) if !dropped.contains(['*', '?', '{', '[']) => {}
                _ => return Cow::Borrowed(path),
            },
            part => parts.push(part),
        }
    }
    let mut plain = parts.join("/");
    if is_folder {
        plain.push('/');
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::plain_path;

    #[test]
    fn paths_to_one_file_are_equal() {
        for path in [
            "a/b",
            "./a/b",
            "a//b",
            "a/./b",
            "a/c/../b",
            "c/../a/b",
            ".//a/d/e/../../b",
        ] {
            assert_eq!(plain_path(path), "a/b", "{path}");
        }
        assert_eq!(plain_path("./a/"), "a/");
        for path in [
            "a/",
            "a/*.md",
            "../a",
            "a/../../b",
            "/a/../b",
            "*/../a",
            "x/**/../a",
        ] {
            assert_eq!(plain_path(path), path);
        }
    }
}
