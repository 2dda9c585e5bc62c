//! The references of an agent's repository, and their logs, where stashes are listed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{GitError, Import};
use crate::beneath::{Directory, Links, OpenError};

/// Bytes of all references, and of all their logs.
const LARGEST: u64 = 64 << 20;
/// Bytes of one reference.
const LONGEST: u64 = 1 << 10;
/// Directories within directories.
const DEEPEST: usize = 32;

type Name = Vec<u8>;
type References = BTreeMap<Name, String>;

impl Import<'_> {
    pub(super) fn import_references(&mut self) -> Result<(), GitError> {
        let mut found = self.references();
        for name in remove_shadows(&mut found) {
            self.leave_out(format!(
                "`{name}`: it would show commits as others than they are"
            ));
        }
        let theirs = self.persons_references()?;
        let new = found
            .into_iter()
            .filter(|(name, id)| theirs.get(name) != Some(id));
        let new: References = new.collect();
        let present = self.existing_objects(new.values())?;
        let mut text = "# pack-refs with: sorted \n".as_bytes().to_vec();
        for (name, id) in &new {
            if !present.contains(id) {
                let name = String::from_utf8_lossy(name).into_owned();
                self.leave_out(format!("`{name}`: its object is not there"));
                continue;
            }
            text.extend([id.as_bytes(), b" ", name, b"\n"].concat());
            self.report.references += 1;
        }
        self.write("packed-refs", &text)?;
        self.import_head()?;
        self.import_logs();
        Ok(())
    }

    /// By name; a file of its own goes before a line of all others.
    fn references(&mut self) -> References {
        let mut found = References::new();
        match self
            .source
            .read(Path::new("packed-refs"), Links::Refuse, LARGEST)
        {
            Ok(text) => found.extend(text.split(|byte| *byte == b'\n').filter_map(reference_line)),
            Err(error) if error.is_absence() => {}
            Err(error) => self.leave_out(format!("`packed-refs`: {error}")),
        }
        for path in self.files("refs") {
            let name = path.as_os_str().as_bytes();
            match self.source.read(&path, Links::Refuse, LONGEST) {
                Ok(text) => {
                    let id = text.trim_ascii_end();
                    found.extend(
                        id_text(id)
                            .filter(|_| is_reference(name))
                            .map(|id| (name.to_vec(), id)),
                    );
                }
                Err(error) => self.leave_out(format!("`{}`: {error}", path.display())),
            }
        }
        found
    }

    fn persons_references(&self) -> Result<References, GitError> {
        let call = self.own.repository.call()?;
        let words = ["for-each-ref", "--format=%(objectname) %(refname)"];
        let listing = call.args(words).run()?;
        Ok(listing
            .split(|byte| *byte == b'\n')
            .filter_map(reference_line)
            .collect())
    }

    /// Which of these objects are there, in the new repository or the person's.
    fn existing_objects<'i>(
        &self,
        ids: impl Iterator<Item = &'i String>,
    ) -> Result<BTreeSet<String>, GitError> {
        let mut lines = String::new();
        for id in ids {
            lines.extend([id, "\n"]);
        }
        let call = self
            .call()
            .args(["cat-file", "--batch-check=%(objectname)"]);
        let output = call.stdin(lines.into_bytes()).run()?;
        let output = String::from_utf8_lossy(&output);
        // Other objects are reported as missing.
        let names = output.lines().filter(|line| !line.contains(' '));
        Ok(names.map(str::to_owned).collect())
    }

    fn import_head(&mut self) -> Result<(), GitError> {
        let text = match self.source.read(Path::new("HEAD"), Links::Refuse, LONGEST) {
            Ok(text) => text,
            Err(error) if error.is_absence() => return Ok(()),
            Err(error) => {
                self.leave_out(format!("`HEAD`: {error}"));
                return Ok(());
            }
        };
        let line = text.trim_ascii_end();
        let branch = line.strip_prefix(b"ref: ");
        if branch.is_some_and(|name| name.starts_with(b"refs/heads/") && is_reference(name)) {
            return self.write("HEAD", &[line, b"\n"].concat());
        }
        if let Some(id) = id_text(line)
            && self.existing_objects([&id].into_iter())?.contains(&id)
        {
            self.report.references += 1;
            return self.write("HEAD", format!("{id}\n").as_bytes());
        }
        Ok(())
    }

    fn import_logs(&mut self) {
        let mut remaining = LARGEST;
        let mut paths = self.files("logs/refs");
        paths.push("logs/HEAD".into());
        for path in paths {
            let reference = path
                .strip_prefix("logs")
                .unwrap_or(&path)
                .as_os_str()
                .as_bytes();
            let is_known = is_reference(reference) && !is_shadow(reference);
            if reference != b"HEAD" && !is_known {
                continue;
            }
            let text = match self.source.read(&path, Links::Refuse, remaining) {
                Ok(text) => text,
                Err(error) if error.is_absence() => continue,
                Err(error) => {
                    self.leave_out(format!("`{}`: {error}", path.display()));
                    continue;
                }
            };
            remaining = remaining.saturating_sub(text.len() as u64);
            let lines: Vec<u8> = text
                .split(|byte| *byte == b'\n')
                .flat_map(log_line)
                .collect();
            let to = self.to.join(&path);
            let folder = to.parent().unwrap_or(&to);
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&to, lines));
            // A name may be that of a directory, too.
            if let Err(error) = written {
                self.leave_out(format!("`{}`: {error}", path.display()));
            }
        }
    }

    /// The paths of all files below a directory of the agent's, in no order.
    fn files(&mut self, folder: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut ahead = vec![(PathBuf::from(folder), 0)];
        while let Some((folder, depth)) = ahead.pop() {
            let remaining = self.limits.files.saturating_sub(found.len() + ahead.len());
            match list(self.source, &folder, remaining) {
                Ok(names) => {
                    for (name, is_directory) in names {
                        let path = folder.join(name);
                        if !is_directory {
                            found.push(path);
                        } else if depth < DEEPEST {
                            ahead.push((path, depth + 1));
                        }
                    }
                }
                Err(error) if error.is_absence() => {}
                Err(error) => self.leave_out(format!("`{}`: {error}", folder.display())),
            }
        }
        found
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), GitError> {
        let path = self.to.join(name);
        fs::write(&path, content).map_err(GitError::file(&path))
    }
}

/// References that make git show other objects, or notes beside them, without being asked.
fn is_shadow(name: &[u8]) -> bool {
    name.starts_with(b"refs/replace/") || name.starts_with(b"refs/notes/")
}

/// Takes out what would change how others are shown.
fn remove_shadows(found: &mut References) -> Vec<String> {
    let names: Vec<Name> = found
        .keys()
        .filter(|name| is_shadow(name))
        .cloned()
        .collect();
    for name in &names {
        found.remove(name);
    }
    let text = |name: &Name| String::from_utf8_lossy(name).into_owned();
    names.iter().map(text).collect()
}

/// Names in a directory, and whether they are directories.
fn list(
    source: &Directory,
    folder: &Path,
    most: usize,
) -> Result<Vec<(std::ffi::OsString, bool)>, OpenError> {
    let directory = source.directory(folder)?;
    let names = directory.names(most)?.into_iter();
    let is_directory = |name: &OsStr| directory.directory(Path::new(name)).is_ok();
    Ok(names
        .map(|name| (name.clone(), is_directory(&name)))
        .collect())
}

/// `ID NAME`, as git lists references.
fn reference_line(line: &[u8]) -> Option<(Name, String)> {
    let at = line.iter().position(|byte| *byte == b' ')?;
    let (id, name) = (line.get(..at)?, line.get(at + 1..)?);
    let id = id_text(id)?;
    is_reference(name).then(|| (name.to_vec(), id))
}

fn id_text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let id: crate::git::Id = text.parse().ok()?;
    Some(id.to_string())
}

/// A name that git accepts, and no file system trips over.
fn is_reference(name: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        !part.is_empty() && part.len() < 250 && !part.starts_with(b".") && !part.ends_with(b".lock")
    };
    let is_plain = |byte: &u8| *byte > b' ' && *byte != 0x7f && !b"~^:?*[\\".contains(byte);
    let has = |pair: &[u8]| name.windows(2).any(|two| two == pair);
    name.starts_with(b"refs/")
        && name.len() < 1000
        && name.split(|byte| *byte == b'/').all(is_part)
        && name.iter().all(is_plain)
        && !name.ends_with(b".")
        && !has(b"..")
        && !has(b"@{")
}

/// A line of a log, if it is one: two names, who and when, and a message.
fn log_line(line: &[u8]) -> Vec<u8> {
    let mut parts = line.splitn(3, |byte| *byte == b' ');
    let is_id = |part: Option<&[u8]>| part.and_then(id_text).is_some();
    if !is_id(parts.next()) || !is_id(parts.next()) || parts.next().is_none() {
        return Vec::new();
    }
    // The line will be shown on a terminal.
    let plain = |byte: &u8| {
        if *byte < b' ' && *byte != b'\t' || *byte == 0x7f {
            b'?'
        } else {
            *byte
        }
    };
    let mut line: Vec<u8> = line.iter().map(plain).collect();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::{is_reference, log_line};

    #[test]
    fn only_sound_names_are_references() {
        for name in ["refs/stash", "refs/heads/a-b/c.d", "refs/heads/\u{fc}"] {
            assert!(is_reference(name.as_bytes()), "{name}");
        }
        for name in [
            "HEAD",
            "refs/",
            "refs//a",
            "refs/../../x",
            "refs/heads/.a",
            "refs/heads/a.lock",
            "refs/heads/a b",
            "refs/heads/a\nb",
            "refs/heads/a..b",
            "refs/a@{1}",
            "refs/a.",
            "/refs/a",
            "refs/heads/-\u{1b}[2J",
        ] {
            assert!(!is_reference(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn lines_of_logs_are_checked_and_made_plain() {
        let id = "0".repeat(40);
        let line = format!("{id} {id} a <a@x> 1 +0000\tm\u{1b}[2J");
        let plain = format!("{id} {id} a <a@x> 1 +0000\tm?[2J\n");
        assert_eq!(log_line(line.as_bytes()), plain.as_bytes());
        assert!(log_line(b"x y z").is_empty());
    }
}
