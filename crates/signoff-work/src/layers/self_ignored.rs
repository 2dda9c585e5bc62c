//! Directories that ignore themselves: their `.gitignore`, which no tree has, ignores everything in them.
//!
//! Virtual environments and caches of tools are made like that. To git they are not there, unless something in them is
//! versioned. So a new one is not work: no contract sees it, and it does not land. What it hides from the record it hides
//! from the judge, too. Only the plain form counts, nothing but `*`: any other rule of an agent's is a change like any other.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use super::beneath::{folders_in, join_path};
use super::rules::{IgnoreRules, PathClass};
use crate::beneath::{Directory, open_file, read_whole};
use crate::git::{Name, path};
use crate::tree::{open_folder, open_root};

/// Bytes that such a `.gitignore` may have: an asterisk, and a comment of the program that made it.
const LARGEST: u64 = 4096;

/// Deeper than any tree that people make.
const DEEPEST: usize = 200;

/// Does a directory ignore everything in it, its own `.gitignore` included?
pub fn ignores_itself(folder: &Path) -> bool {
    open_root(folder).is_ok_and(|folder| has_such_rules(folder.as_fd()))
}

pub(super) fn has_such_rules(folder: BorrowedFd<'_>) -> bool {
    let read = |file: File| read_whole(file, LARGEST);
    open_file(folder, b".gitignore")
        .and_then(read)
        .is_ok_and(|text| ignores_everything(&text))
}

fn ignores_everything(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut rules = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    rules.next() == Some(b"*") && rules.all(|line| line == b"*")
}

/// Does one of these layers, the newest first, have such a directory here? It stays ignored although later work changed
/// its `.gitignore`: what came before is in no tree.
pub(super) fn is_below(layers: &[PathBuf], name: &[u8]) -> bool {
    for layer in layers {
        let folder = Directory::open(layer).map_err(Into::into);
        match folder.and_then(|layer| layer.directory(path(name))) {
            Ok(folder) if has_such_rules(folder.as_fd()) => return true,
            Ok(_) => {}
            Err(why) if why.is_absence() => {}
            // Something else is in its place there, such as the mark that it was removed.
            Err(_) => return false,
        }
    }
    false
}

/// The directories of a checkout that ignore themselves and that the rules do not ignore, each the highest one, in order.
/// What cannot be read is passed over.
pub fn self_ignored_paths(checkout: &Path, rules: &IgnoreRules) -> io::Result<Vec<Name>> {
    let root = open_root(checkout)?;
    let mut search = Search {
        rules,
        found: Vec::new(),
    };
    search.folder(root.as_fd(), b"", false, 0)?;
    Ok(search.found)
}

struct Search<'s> {
    rules: &'s IgnoreRules,
    found: Vec<Name>,
}

impl Search<'_> {
    fn folder(
        &mut self,
        folder: BorrowedFd<'_>,
        above: &[u8],
        covered: bool,
        depth: usize,
    ) -> io::Result<()> {
        let names = folders_in(folder)?;
        let has_rules = names.iter().any(|(name, _)| name == b".gitignore");
        if has_rules && depth > 0 && !self.rules.has_ignore_file(above) && has_such_rules(folder) {
            self.found.push(above.to_vec());
            return Ok(());
        }
        let is_inner = |name: &[u8]| depth > 0 || !matches!(name, b".git" | b".signoff");
        let folders = names
            .iter()
            .filter(|(name, is_folder)| *is_folder && is_inner(name));
        for (name, _) in folders {
            let inner = join_path(above, name);
            let covered = self.rules.covers(covered, &inner, true);
            let is_ignored = self.rules.class(covered, &inner, true) == PathClass::Ignored;
            if is_ignored || depth == DEEPEST {
                continue;
            }
            if let Ok(opened) = open_folder(folder, name) {
                // What cannot be listed is not seen by contracts either.
                self.folder(opened.as_fd(), &inner, covered, depth + 1).ok();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ignores_everything;

    #[test]
    fn only_rules_that_ignore_everything_count() {
        for text in [
            "*",
            "*\n",
            "# Created by venv; see https://docs.python.org/3/library/venv.html\n*\n",
            "\u{feff}# bom\r\n*\r\n\r\n",
            "*\n*\n",
        ] {
            assert!(ignores_everything(text.as_bytes()), "{text:?}");
        }
        for text in [
            "",
            "# *\n",
            "*\n!.gitignore\n",
            "!keep\n*\n",
            "*.py\n",
            "/*\n",
            "**\n",
            "\\*\n",
            " *\n",
            "* \n",
            "*/\n",
        ] {
            assert!(!ignores_everything(text.as_bytes()), "{text:?}");
        }
    }
}
