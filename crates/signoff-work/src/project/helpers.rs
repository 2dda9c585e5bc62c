//! The files of a project that a command runs: the script of a server of tools, the program of
//! `[notify]`, an agent that lies in the tree.
//!
//! Such a command runs with the person's rights, or with an agent's login, so what it runs must be what
//! the person trusted. An agent can change every file of the tree. A file counts as run if the command
//! names it; what that file loads in turn is not known here.

mod named;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

pub(crate) use self::named::SHELLS;
pub use self::named::{NamedFiles, named_by_line, named_by_words};

/// Files by their path in the workspace, with the hashes of their content.
pub type Hashes = BTreeMap<String, String>;

/// A command, and what its files held when the person trusted them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PinnedCommand {
    /// What the command names, found again at each start.
    command: Vec<String>,
    trusted: Hashes,
}

impl PinnedCommand {
    /// `trusted` may hold files of other commands as well.
    pub fn new(command: &[String], trusted: &Hashes) -> Self {
        Self {
            command: command.to_vec(),
            trusted: trusted.clone(),
        }
    }

    /// Every file that the command would run from this tree and that is not what was trusted, with
    /// the difference.
    pub fn differences(&self, tree: &Path) -> Vec<String> {
        differences(&named_by_words(&self.command, tree), tree, &self.trusted)
    }
}

/// Describes the files that differ from what the person trusted.
pub fn differences(named: &NamedFiles, tree: &Path, trusted: &Hashes) -> Vec<String> {
    let changed = named.files.iter().filter_map(|file| {
        let why = match (hash(&tree.join(file)), trusted.get(file)) {
            (Some(now), Some(then)) if now == *then => return None,
            (Some(_), Some(_)) => "has changed since you trusted it",
            (Some(_), None) => "was not there when you trusted the configuration",
            (None, _) => "cannot be read",
        };
        Some(format!("`{file}` {why}"))
    });
    changed.collect()
}

/// The present content of these files; one that cannot be read is left out, and differs then.
pub fn hashes(named: &NamedFiles, tree: &Path) -> Hashes {
    let files = named.files.iter();
    files
        .filter_map(|file| Some((file.clone(), hash(&tree.join(file))?)))
        .collect()
}

fn hash(path: &Path) -> Option<String> {
    // Opening a pipe would wait for its other end.
    if !path.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let (mut sha256, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            count => sha256.update(buffer.get(..count)?),
        }
    }
    Some(hexadecimal(&sha256.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_changed_or_added_since_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        let command = ["node", "server.js"].map(str::to_owned);
        let check = |trusted: &Hashes, expected: &[&str]| {
            assert_eq!(
                PinnedCommand::new(&command, trusted).differences(dir.path()),
                expected
            );
        };
        check(&Hashes::new(), &[]);
        write("server.js", "1");
        check(
            &Hashes::new(),
            &["`server.js` was not there when you trusted the configuration"],
        );
        let trusted = hashes(&named_by_words(&command, dir.path()), dir.path());
        check(&trusted, &[]);
        write("server.js", "2");
        check(&trusted, &["`server.js` has changed since you trusted it"]);
    }
}
