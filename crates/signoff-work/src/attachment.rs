//! Reads what a step subscribes to, confined to the workspace.

use std::io;
use std::path::{Path, PathBuf};

use signoff_plan::model::Subscription;

/// More than this of one file does not help an agent.
const LIMIT: usize = 256 * 1024;

/// A subscription and what it holds, or why it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub content: Result<String, String>,
}

/// Where subscriptions are read from.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    pub workspace: &'a Path,
    pub topics: &'a Path,
}

/// Reads a step's subscriptions, in order. What cannot be read says so instead of failing the step.
pub fn read_all(subscriptions: &[Subscription], places: Places<'_>) -> Vec<Attachment> {
    subscriptions
        .iter()
        .map(|subscription| Attachment {
            name: subscription.to_string(),
            content: read(subscription, places),
        })
        .collect()
}

fn read(subscription: &Subscription, places: Places<'_>) -> Result<String, String> {
    match subscription {
        Subscription::File { path, lines } => {
            let text = read_within(places.workspace, Path::new(path))?;
            Ok(match lines {
                Some((from, to)) => some_lines(&text, *from, *to),
                None => text,
            })
        }
        Subscription::Topic(name) => read_within(places.topics, Path::new(&format!("{name}.md"))),
    }
}

fn read_within(root: &Path, relative: &Path) -> Result<String, String> {
    let path = confine(root, relative).map_err(|error| error.to_string())?;
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let cut = bytes.len() > LIMIT;
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(LIMIT)]).into_owned();
    if cut {
        text.push_str("\n[… the rest is left out …]\n");
    }
    Ok(text)
}

/// The real path, if it lies inside the root once every link is followed.
fn confine(root: &Path, relative: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let path = root.join(relative).canonicalize()?;
    if path.starts_with(&root) {
        Ok(path)
    } else {
        Err(io::Error::other("it lies outside the workspace"))
    }
}

fn some_lines(text: &str, from: u32, to: u32) -> String {
    let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
    let take = usize::try_from(to.saturating_sub(from).saturating_add(1)).unwrap_or(usize::MAX);
    text.split_inclusive('\n').skip(skip).take(take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subscription: Subscription, expected: Result<&str, &str>) {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("work");
        std::fs::create_dir_all(workspace.join("topics")).unwrap();
        std::fs::write(workspace.join("a.txt"), "1\n2\n3\n4\n").unwrap();
        std::fs::write(workspace.join("topics/auth.md"), "notes\n").unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret", workspace.join("link")).unwrap();
        let places = Places {
            workspace: &workspace,
            topics: &workspace.join("topics"),
        };
        let read = read(&subscription, places);
        match expected {
            Ok(text) => assert_eq!(read.as_deref(), Ok(text)),
            Err(part) => assert!(
                read.as_ref().is_err_and(|why| why.contains(part)),
                "{read:?}"
            ),
        }
    }

    fn file(path: &str, lines: Option<(u32, u32)>) -> Subscription {
        Subscription::File {
            path: path.to_owned(),
            lines,
        }
    }

    #[test]
    fn reads_files_ranges_and_topics() {
        check(file("a.txt", None), Ok("1\n2\n3\n4\n"));
        check(file("a.txt", Some((2, 3))), Ok("2\n3\n"));
        check(file("a.txt", Some((3, 2))), Ok("3\n"));
        check(Subscription::Topic("auth".to_owned()), Ok("notes\n"));
    }

    #[test]
    fn says_why_it_cannot_read() {
        check(file("missing.txt", None), Err("No such file"));
        check(file("../secret", None), Err("outside"));
        check(file("link", None), Err("outside"));
        check(
            Subscription::Topic("../../secret".to_owned()),
            Err("No such file"),
        );
    }
}
