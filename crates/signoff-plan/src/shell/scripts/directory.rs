//! Where a command of a text may be started from.

/// The directories that may be the current one, from the root of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directories {
    pub(super) known: Vec<String>,
    /// It may also be one that the text does not tell.
    pub(super) or_unknown: bool,
}

/// More than people write; a text with more is reported as unknown.
const LIMIT: usize = 16;

impl Directories {
    pub(super) fn root() -> Self {
        Self {
            known: vec![String::new()],
            or_unknown: false,
        }
    }

    /// Enters a directory; `None` where the text does not tell which.
    pub(super) fn enter(&mut self, target: Option<&str>) {
        match target {
            Some(target) => {
                for directory in &mut self.known {
                    *directory = join_path(directory, target);
                }
                // An absolute path is the same from everywhere.
                self.or_unknown &= !target.starts_with('/');
            }
            None => {
                self.known.clear();
                self.or_unknown = true;
            }
        }
    }

    /// Adds the directories that the other branch ends in.
    pub(super) fn add_branch(&mut self, other: &Self) {
        for directory in &other.known {
            if !self.known.contains(directory) {
                self.known.push(directory.clone());
            }
        }
        self.or_unknown |= other.or_unknown;
        if self.known.len() > LIMIT {
            self.known.truncate(LIMIT);
            self.or_unknown = true;
        }
    }
}

/// A path seen from a directory, without `.` and `..`. What leads out of the root keeps its `..`.
pub(super) fn join_path(directory: &str, path: &str) -> String {
    let whole = if path.starts_with(['/', '~']) {
        path.to_owned()
    } else {
        format!("{directory}/{path}")
    };
    let is_absolute = path.starts_with('/') || directory.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if is_absolute {
        format!("/{path}")
    } else {
        path
    }
}
