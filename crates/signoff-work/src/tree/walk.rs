//! Walks a workspace: names and stamps, nothing is read.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{AtFlags, Dir, FileType, fstat, statat};

use super::beneath::{open_folder, open_root};
use super::entry::{Stamp, TreePath, shown};
use super::ignore::{Above, Level, Patterns};
use super::rules::{RuleCache, Rules};

/// Where version control keeps what it keeps.
const VERSION_CONTROL: [&[u8]; 4] = [b".git", b".hg", b".svn", b".jj"];

/// Deeper than any tree that people make, and less than the files a process may have open.
const DEEPEST: usize = 200;

/// What a walk came by.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) root: OwnedFd,
    /// In no order.
    pub(super) files: Vec<Seen>,
    pub(super) folders: BTreeMap<TreePath, u32>,
    pub(super) rules: Rules,
    pub(super) warnings: Vec<String>,
}

/// One thing that is no directory.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) path: TreePath,
    pub(super) stamp: Stamp,
    pub(super) ignored_now: bool,
}

impl Walked {
    /// Looks at everything that `old`, or without them the present rules, does not ignore.
    pub(super) fn new(
        workspace: &Path,
        cache: &mut RuleCache,
        old: Option<&Rules>,
        most: usize,
        now: SystemTime,
    ) -> io::Result<Self> {
        let root = open_root(workspace)?;
        let above = cache.above(workspace, now);
        let mut walk = Walk {
            workspace,
            cache,
            now,
            git: above.is_some(),
            most,
            full: false,
            old,
            found: Self {
                root: root.try_clone()?,
                files: Vec::new(),
                folders: BTreeMap::new(),
                rules: Rules::default(),
                warnings: Vec::new(),
            },
        };
        let above = above.unwrap_or_default();
        let here = Surroundings {
            now: None,
            old: None,
            ignored_now: false,
            depth: 0,
        };
        walk.folder(root, b"", &here, &above);
        let mut found = walk.found;
        found.rules.above = above;
        Ok(found)
    }
}

struct Walk<'w> {
    workspace: &'w Path,
    cache: &'w mut RuleCache,
    now: SystemTime,
    git: bool,
    most: usize,
    /// There are more files than are looked at.
    full: bool,
    old: Option<&'w Rules>,
    found: Walked,
}

/// What a folder lies in.
struct Surroundings<'l> {
    now: Option<&'l Level<'l>>,
    old: Option<&'l Level<'l>>,
    ignored_now: bool,
    depth: usize,
}

impl Walk<'_> {
    fn folder(&mut self, fd: OwnedFd, path: &[u8], around: &Surroundings<'_>, above: &[Above]) {
        let Ok(dir) = Dir::new(fd) else {
            return;
        };
        let (dir, entries) = self.list(dir, path);
        let has_patterns = self.git && entries.iter().any(|entry| entry.0 == b".gitignore");
        let patterns = has_patterns.then(|| self.patterns(path)).flatten();
        let now = level(around.now, patterns, path, above);
        let old = self
            .old
            .map(|old| level(around.old, old.folders.get(path).cloned(), path, &old.above));
        let Ok(fd) = dir.fd() else {
            return;
        };
        for (name, kind) in entries {
            let is_root = around.depth == 0;
            if VERSION_CONTROL.contains(&name.as_slice()) || (is_root && name == b".signoff") {
                continue;
            }
            let path = joined(path, &name);
            let Some((kind, stamp)) = look(fd, &name, kind) else {
                continue;
            };
            let is_folder = kind == FileType::Directory;
            let ignored = now.ignores(&path, is_folder);
            let left_out = old
                .as_ref()
                .map_or(ignored, |old| old.ignores(&path, is_folder));
            if left_out {
                continue;
            }
            let inner = Surroundings {
                now: Some(&now),
                old: old.as_ref(),
                ignored_now: around.ignored_now || ignored,
                depth: around.depth + 1,
            };
            if is_folder {
                self.inner_folder(fd, &name, path, &inner, above);
            } else if let Some(stamp) = stamp {
                self.file(path, stamp, inner.ignored_now);
            }
        }
    }

    /// The names in a folder with their types as far as the system tells them.
    fn list(&mut self, mut dir: Dir, path: &[u8]) -> (Dir, Vec<(Vec<u8>, FileType)>) {
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            match entry {
                Ok(entry) => {
                    let name = entry.file_name().to_bytes();
                    if name != b"." && name != b".." {
                        entries.push((name.to_vec(), entry.file_type()));
                    }
                }
                Err(error) => {
                    self.warn(path, &io::Error::from(error));
                    break;
                }
            }
        }
        (dir, entries)
    }

    fn inner_folder(
        &mut self,
        parent: impl AsFd,
        name: &[u8],
        path: TreePath,
        around: &Surroundings<'_>,
        above: &[Above],
    ) {
        if around.depth > DEEPEST {
            let text = format!(
                "`{}` lies too deep: what changes in it is not seen",
                shown(&path)
            );
            self.found.warnings.push(text);
            return;
        }
        match open_folder(parent, name) {
            Ok(fd) => {
                let permissions = fstat(&fd).map_or(0o755, |stat| Stamp::of(&stat).permissions());
                self.found.folders.insert(path.clone(), permissions);
                self.folder(fd, &path, around, above);
            }
            // Gone, or no directory any more.
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => {}
            Err(error) => self.warn(&path, &error),
        }
    }

    fn file(&mut self, path: TreePath, stamp: Stamp, ignored_now: bool) {
        if self.found.files.len() < self.most {
            self.found.files.push(Seen {
                path,
                stamp,
                ignored_now,
            });
        } else if !self.full {
            self.full = true;
            self.found.warnings.push(format!(
                "the workspace has more than {} files: what changes in the others is not seen",
                self.most
            ));
        }
    }

    fn patterns(&mut self, folder: &[u8]) -> Option<Arc<Patterns>> {
        let file = self
            .workspace
            .join(OsStr::from_bytes(folder))
            .join(".gitignore");
        let patterns = self.cache.read(&file, self.now)?;
        self.found
            .rules
            .folders
            .insert(folder.into(), Arc::clone(&patterns));
        Some(patterns)
    }

    fn warn(&mut self, path: &[u8], error: &io::Error) {
        let text = format!(
            "`{}` cannot be read: {error}; what changes in it is not seen",
            shown(path)
        );
        self.found.warnings.push(text);
    }
}

fn level<'l>(
    outer: Option<&'l Level<'l>>,
    patterns: Option<Arc<Patterns>>,
    folder: &[u8],
    above: &'l [Above],
) -> Level<'l> {
    match outer {
        Some(outer) => outer.inner(patterns, folder),
        None => Level::root(patterns, above),
    }
}

/// What a name stands for; `None` if it is gone. Directories need no stamp.
fn look(folder: impl AsFd, name: &[u8], kind: FileType) -> Option<(FileType, Option<Stamp>)> {
    if kind == FileType::Directory {
        return Some((kind, None));
    }
    let stamp = Stamp::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?);
    Some((stamp.file_type(), Some(stamp)))
}

fn joined(folder: &[u8], name: &[u8]) -> TreePath {
    if folder.is_empty() {
        return name.into();
    }
    [folder, b"/", name].concat().into()
}
