//! Reads what a step subscribes to, confined to the workspace.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use signoff_plan::model::Subscription;

use crate::beneath::{Directory, Links};

/// More than this of one file does not help an agent.
const LIMIT: u64 = 256 * 1024;
/// How far into a file lines are counted.
const FARTHEST: u64 = 64 * 1024 * 1024;

/// A subscription and what it holds, or why it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub content: Result<String, String>,
}

/// Where subscriptions are read from.
#[derive(Debug, Clone, Copy)]
pub struct SubscriptionRoots<'a> {
    pub workspace: &'a Path,
    pub topics: &'a Path,
}

/// Reads a step's subscriptions, in order. What cannot be read says so instead of failing the step.
pub fn read_all(subscriptions: &[Subscription], places: SubscriptionRoots<'_>) -> Vec<Attachment> {
    subscriptions
        .iter()
        .map(|subscription| Attachment {
            name: subscription.to_string(),
            content: read(subscription, places),
        })
        .collect()
}

fn read(subscription: &Subscription, places: SubscriptionRoots<'_>) -> Result<String, String> {
    match subscription {
        Subscription::File { path, lines } => {
            let file = open(places.workspace, Path::new(path))?;
            match lines {
                Some((from, to)) => some_lines(file, *from, *to),
                None => beginning(file),
            }
        }
        Subscription::Topic(name) => {
            beginning(open(places.topics, Path::new(&format!("{name}.md")))?)
        }
    }
}

/// An ordinary file of the directory, also through links as long as they stay inside.
fn open(root: &Path, relative: &Path) -> Result<File, String> {
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let directory = Directory::open(&root).map_err(|error| error.to_string())?;
    let file = directory.file(relative, Links::Inside);
    file.map_err(|error| error.to_string())
}

fn beginning(file: File) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = file.take(LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    shorten(bytes)
}

/// As much of a text as helps an agent. What is not text would fill a prompt with noise.
fn shorten(mut bytes: Vec<u8>) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err("it is not text; look at it with a program that knows its format".to_owned());
    }
    let limit = usize::try_from(LIMIT).unwrap_or(usize::MAX);
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if is_cut {
        text.push_str("\n[… the rest is left out …]\n");
    }
    Ok(text)
}

/// Lines from one to another, both included. What lies before them is read and dropped, up to a limit.
fn some_lines(file: File, from: u32, to: u32) -> Result<String, String> {
    let mut reader = BufReader::new(file.take(FARTHEST));
    let mut wanted = Vec::new();
    // The last line that was asked for, or the first one if they are in the wrong order.
    for number in 1..=to.max(from) {
        let read = if number < from {
            reader.skip_until(b'\n')
        } else {
            let mut line = (&mut reader).take(LIMIT + 1);
            line.read_until(b'\n', &mut wanted)
        };
        if read.map_err(|error| error.to_string())? == 0 {
            if reader.into_inner().limit() == 0 {
                return Err(format!(
                    "line {number} lies beyond its first {FARTHEST} bytes"
                ));
            }
            break;
        }
        if wanted.len() as u64 > LIMIT {
            break;
        }
    }
    shorten(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subscription: Subscription, expected: Result<&str, &str>) {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("work");
        std::fs::create_dir_all(workspace.join("topics")).unwrap();
        std::fs::write(workspace.join("a.txt"), "1\n2\n3\n4\n").unwrap();
        std::fs::write(workspace.join("a.png"), b"\x89PNG\r\n\x1a\n\0\0\n").unwrap();
        std::fs::write(workspace.join("topics/auth.md"), "notes\n").unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret", workspace.join("link")).unwrap();
        let places = SubscriptionRoots {
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
        check(file("a.png", None), Err("not text"));
        check(file("a.png", Some((1, 9))), Err("not text"));
        check(file("../secret", None), Err("outside"));
        check(file("link", None), Err("outside"));
        let topic = Subscription::Topic("../../secret".to_owned());
        check(topic, Err("outside"));
        check(file("topics", None), Err("directory"));
    }

    /// What an agent left in the tree for a later step's prompt.
    #[test]
    fn a_trap_neither_holds_up_nor_fills_the_memory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        crate::beneath::make_pipe(&path.join("pipe"));
        std::os::unix::fs::symlink("pipe", path.join("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path.join("zero")).unwrap();
        let holes = File::create(path.join("holes")).unwrap();
        holes.set_len(1 << 40).unwrap();
        std::fs::write(path.join("lines"), "x\n".repeat(1 << 20)).unwrap();
        let places = SubscriptionRoots {
            workspace: path,
            topics: path,
        };
        let length = |name, lines| read(&file(name, lines), places).map(|text| text.len());
        for name in ["pipe", "link", "zero"] {
            assert!(length(name, None).is_err(), "{name}");
            assert!(length(name, Some((1, 2))).is_err(), "{name}");
        }
        // With the words that the rest is left out.
        let limit = usize::try_from(LIMIT).unwrap() + 40;
        std::fs::write(path.join("long"), "x".repeat(2 * limit)).unwrap();
        assert!(length("long", None).unwrap() < limit);
        assert!(length("long", Some((1, 9))).unwrap() < limit);
        assert!(length("holes", None).is_err());
        assert!(length("holes", Some((1, 9))).is_err());
        assert!(length("lines", Some((9, u32::MAX))).unwrap() < limit);
        assert_eq!(length("lines", Some((1 << 20, u32::MAX))), Ok(2));
        assert_eq!(length("lines", Some((u32::MAX, u32::MAX))), Ok(0));
        let far = read(&file("holes", Some((2, 3))), places);
        assert!(far.unwrap_err().contains("beyond"));
    }
}
