//! Settings of the trees that agents work in: whether each has one of its own, and what makes a new
//! one usable.

use crate::config::read::Reader;
use crate::config::value::Value;

/// `[run] isolation`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// In trees of the run's own where the machine can mount them, else in the checkout.
    Auto,
    /// Never in the checkout.
    Worktree,
    /// In the checkout, one agent after another; nothing is proved there.
    Shared,
}

impl Isolation {
    /// Every way, under the word for it.
    pub const CHOICES: [(&'static str, Self); 3] = [
        ("auto", Self::Auto),
        ("worktree", Self::Worktree),
        ("shared", Self::Shared),
    ];

    /// The word for it, in configurations, plans and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Worktree => "worktree",
            Self::Shared => "shared",
        }
    }

    /// The way that a word stands for.
    pub fn from_name(word: &str) -> Option<Self> {
        let mut choices = Self::CHOICES.into_iter();
        choices.find_map(|(name, way)| (name == word).then_some(way))
    }
}

/// `[run] land`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandMode {
    /// Step by step, unless agent steps can overlap.
    Auto,
    /// The files of each step as soon as it has passed.
    Step,
    /// All of it when the run has completed.
    End,
}

impl LandMode {
    /// Every way, under the word for it.
    pub const CHOICES: [(&'static str, Self); 3] = [
        ("auto", Self::Auto),
        ("step", Self::Step),
        ("end", Self::End),
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Step => "step",
            Self::End => "end",
        }
    }
}

/// Paths that no tree copies from the checkout: each tree has its own, or none.
const NEVER: [&str; 2] = [".git", ".signoff"];

impl Reader<'_> {
    /// Command lines for a shell.
    pub(in crate::config) fn command_lines(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut lines = Vec::new();
        for (item, text) in self.texts(value)? {
            if text.trim().is_empty() {
                self.problem(item, "a command must not be empty".to_owned(), None);
            } else {
                lines.push(text);
            }
        }
        (self.problems.len() == before).then_some(lines)
    }

    /// Paths and patterns of the workspace, without what makes no difference.
    pub(in crate::config) fn copied_paths(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut paths = Vec::new();
        for (item, text) in self.texts(value)? {
            match copied_path(&text) {
                Ok(path) => paths.push(path),
                Err((why, hint)) => {
                    let message = format!("`{}` {why}", text.escape_debug());
                    self.problem(item, message, hint.map(str::to_owned));
                }
            }
        }
        (self.problems.len() == before).then_some(paths)
    }
}

/// The path as it is used, or why it cannot be.
fn copied_path(written: &str) -> Result<String, (&'static str, Option<&'static str>)> {
    let relative = Some("write a path or pattern below the project, like `.env` or `config/*.key`");
    if written.starts_with(['/', '~', '\\']) || written.get(1..3) == Some(":\\") {
        return Err(("is not a path below the project", relative));
    }
    let parts = written.split('/');
    let parts: Vec<&str> = parts
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return Err(("leads out of the project", relative));
    }
    // Some file systems do not tell the cases of letters apart.
    let is_never = |part: &&str| NEVER.iter().any(|never| never.eq_ignore_ascii_case(part));
    if parts.iter().any(is_never) {
        return Err(("is never copied: every worktree has its own", None));
    }
    if parts.iter().all(|part| part.trim().is_empty()) {
        return Err(("names no file", relative));
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_project_is_copied() {
        for (written, expected) in [
            (".env", ".env"),
            ("./a//b/./c/", "a/b/c"),
            ("config/*.key", "config/*.key"),
            ("**/.env.?", "**/.env.?"),
            ("..a/b..", "..a/b.."),
            (".gitignore", ".gitignore"),
            ("é/x", "é/x"),
        ] {
            assert_eq!(copied_path(written).as_deref(), Ok(expected), "{written}");
        }
        for written in [
            "/etc/passwd",
            "~/.ssh",
            "C:\\x",
            "\\\\host",
            "..",
            "a/../../b",
            ".git",
            "./.GIT/config",
            "sub/.git",
            ".signoff/runs",
            "",
            " ",
            ".",
            "./",
        ] {
            assert!(copied_path(written).is_err(), "{written}");
        }
    }

    #[test]
    fn every_way_has_a_word() {
        for (name, way) in Isolation::CHOICES {
            assert_eq!((way.name(), Isolation::from_name(name)), (name, Some(way)));
        }
        assert_eq!(Isolation::from_name("Auto"), None);
    }
}
