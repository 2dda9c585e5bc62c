//! Walks the upper directory of an overlay, and finds what work did.

use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{FileType, Stat, fgetxattr, readlinkat};
use signoff_plan::glob;

use super::beneath::{join_path, kind_of, names_in, open_file_anyway, open_folder_anyway, stat_at};
use super::copies::Copies;
use super::rules::{IgnoreRules, PathClass, folders_above};
use super::self_ignored::{has_such_rules, is_below};
use super::{ExclusiveTree, LayerError};
use crate::git::{GitError, Name, lies_within};
use crate::tree::{FileStamp, split};

/// How much of a layer is read. More is an error.
#[derive(Debug, Clone, Copy)]
pub struct LayerLimits {
    /// Files and directories.
    pub entries: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of one file.
    pub largest: u64,
    /// Directories within each other.
    pub depth: usize,
}

impl Default for LayerLimits {
    fn default() -> Self {
        Self {
            entries: 1_000_000,
            bytes: 4 << 30,
            largest: 2 << 30,
            depth: 200,
        }
    }
}

/// What a walk records and what it leaves out.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkOptions<'w> {
    pub(super) rules: &'w IgnoreRules,
    /// Patterns of ignored paths that are recorded all the same.
    pub(super) produces: &'w [String],
    /// Paths of the harness, which are never recorded.
    pub(super) kept: &'w [Name],
    /// Ignored paths that are in the layers below.
    pub(super) ignored_roots: &'w [Name],
    /// What earlier work left in ignored directories, the newest first.
    pub(super) ignored_layers: &'w [PathBuf],
    pub(super) limits: LayerLimits,
}

/// What was found. Files are in the copies.
#[derive(Debug, Default)]
pub(super) struct LayerContent {
    /// Whether each copied file is executable, in the order of the copies.
    pub(super) executable: Vec<bool>,
    pub(super) links: Vec<(Name, Vec<u8>)>,
    /// Paths that hide the layers below.
    pub(super) removed: Vec<Name>,
    /// Directories with nothing in them that is recorded: they may stand where a file was.
    pub(super) hollow: Vec<Name>,
    pub(super) ignored: BTreeSet<Name>,
    /// Whether some of these ignore themselves: the base may have such a directory all the same.
    pub(super) has_self_ignored: bool,
}

pub(super) struct LayerWalk<'w> {
    wanted: WalkOptions<'w>,
    pub(super) copies: Copies<'w>,
    pub(super) found: LayerContent,
    /// Files of the base that are ignored and yet versioned, because an earlier step produced them.
    tracked: BTreeSet<Name>,
    tracked_folders: BTreeSet<Name>,
    /// The directory is not a layer, but an exclusive tree.
    taken: Option<&'w ExclusiveTree>,
    /// Files of the tree that was taken and that are still there.
    present: BTreeSet<Name>,
    entries: usize,
}

/// Where in the tree the walk is.
#[derive(Debug, Clone, Copy)]
struct WalkPosition<'p> {
    folder: BorrowedFd<'p>,
    path: &'p [u8],
    /// A rule covers this directory or one above.
    covered: bool,
    /// The highest ignored directory above, if there is one.
    ignored_root: Option<&'p [u8]>,
    /// Nothing of the layers below is seen here.
    opaque: bool,
    depth: usize,
}

impl<'w> LayerWalk<'w> {
    pub(super) fn new(wanted: WalkOptions<'w>, copies: Copies<'w>) -> Self {
        Self {
            wanted,
            copies,
            found: LayerContent::default(),
            tracked: BTreeSet::new(),
            tracked_folders: BTreeSet::new(),
            taken: None,
            present: BTreeSet::new(),
            entries: 0,
        }
    }

    /// Walks everything.
    pub(super) fn walk_all(&mut self, root: BorrowedFd<'_>) -> Result<(), LayerError> {
        let start = WalkPosition {
            folder: root,
            path: b"",
            covered: false,
            ignored_root: None,
            opaque: self.taken.is_some(),
            depth: 0,
        };
        self.folder(start)?;
        Ok(())
    }

    /// Walks a tree that was taken, and compares it with how it was.
    pub(super) fn walk_exclusive(
        &mut self,
        taken: &'w ExclusiveTree,
        root: BorrowedFd<'_>,
    ) -> Result<(), LayerError> {
        self.taken = Some(taken);
        self.know_tracked(taken.files().cloned());
        self.walk_all(root)?;
        let is_gone =
            |name: &&Name| !self.present.contains(*name) && !lies_within(name, self.wanted.kept);
        let gone: Vec<Name> = taken.files().filter(is_gone).cloned().collect();
        self.found.removed.extend(gone);
        Ok(())
    }

    fn know_tracked(&mut self, tracked: impl IntoIterator<Item = Name>) {
        self.tracked.extend(tracked);
        let folders = self.tracked.iter().flat_map(|name| folders_above(name));
        self.tracked_folders = folders.collect();
    }

    /// Walks these ignored paths again, now that it is known which files of the base lie there.
    pub(super) fn walk_ignored_again(
        &mut self,
        root: BorrowedFd<'_>,
        names: &[Name],
        tracked: impl IntoIterator<Item = Name>,
    ) -> Result<(), LayerError> {
        self.know_tracked(tracked);
        for name in names {
            self.found.ignored.remove(name);
            let (above, last) = split(name);
            let mut folder = root.try_clone_to_owned().map_err(LayerError::read(name))?;
            let parts = above.split(|byte| *byte == b'/');
            for part in parts.filter(|part| !part.is_empty()) {
                let inner = open_folder_anyway(folder.as_fd(), part);
                folder = inner.map_err(LayerError::read(name))?;
            }
            let position = WalkPosition {
                folder: folder.as_fd(),
                path: above,
                covered: self.wanted.rules.is_covered(above),
                ignored_root: None,
                opaque: self.taken.is_some(),
                depth: folders_above(name).count(),
            };
            self.entry(position, last)?;
        }
        Ok(())
    }

    /// Walks a directory; whether anything in it is recorded.
    fn folder(&mut self, position: WalkPosition<'_>) -> Result<bool, LayerError> {
        let path = position.path;
        if position.depth > self.wanted.limits.depth {
            let limit = format!("{} directories within each other", self.wanted.limits.depth);
            let path = path.to_vec();
            return Err(LayerError::Limit { path, limit });
        }
        let mut records = false;
        for name in names_in(position.folder).map_err(LayerError::read(path))? {
            records |= self.entry(position, &name)?;
        }
        Ok(records)
    }

    /// Looks at one name; whether something is recorded of it.
    fn entry(&mut self, position: WalkPosition<'_>, last: &[u8]) -> Result<bool, LayerError> {
        let name = join_path(position.path, last);
        self.count(&name)?;
        // A repository in the tree is its files.
        if last == b".git" || lies_within(&name, self.wanted.kept) {
            return Ok(false);
        }
        let stat = stat_at(position.folder, last).map_err(LayerError::read(&name))?;
        if self.taken.is_none() && is_whiteout(position, last, &name, &stat)? {
            return Ok(self.whiteout(position, name));
        }
        let is_folder = kind_of(&stat) == FileType::Directory;
        let folder = if is_folder {
            let inner = open_folder_anyway(position.folder, last);
            Some(inner.map_err(LayerError::read(&name))?)
        } else {
            None
        };
        // Whatever takes the place of an ignored directory is ignored as that is: a rule for directories says nothing of
        // a link, which contracts would then follow instead.
        let counts_as_folder = is_folder || self.wanted.ignored_roots.contains(&name);
        let rules = self.wanted.rules;
        let mut covered = rules.covers(position.covered, &name, counts_as_folder);
        if let Some(folder) = folder.as_ref().filter(|_| !covered)
            && self.ignores_itself(position, folder.as_fd(), &name)?
        {
            covered = true;
            self.found.has_self_ignored = true;
        }
        let is_ignored = rules.class(covered, &name, counts_as_folder) == PathClass::Ignored;
        let root = is_ignored.then(|| position.ignored_root.unwrap_or(&name).to_vec());
        if let Some(root) = &root
            && !self.is_wanted(&name, is_folder)
        {
            self.found.ignored.insert(root.clone());
            return Ok(false);
        }
        let Some(folder) = folder else {
            return self.file(position, last, name, &stat);
        };
        self.walk_inner(WalkPosition {
            folder: folder.as_fd(),
            path: &name,
            covered,
            ignored_root: root.as_deref(),
            opaque: position.opaque,
            depth: position.depth + 1,
        })
    }

    /// Is this a new directory that ignores itself, or was it one when earlier work left it? One with versioned files is
    /// not.
    fn ignores_itself(
        &self,
        position: WalkPosition<'_>,
        folder: BorrowedFd<'_>,
        name: &[u8],
    ) -> Result<bool, LayerError> {
        if self.tracked_folders.contains(name) || self.tracked.contains(name) {
            return Ok(false);
        }
        if has_such_rules(folder) {
            return Ok(true);
        }
        let layers = self.wanted.ignored_layers;
        if layers.is_empty() || position.opaque || is_opaque(folder, name)? {
            return Ok(false);
        }
        Ok(is_below(layers, name))
    }

    fn count(&mut self, name: &[u8]) -> Result<(), LayerError> {
        if self.copies.is_stopped() {
            let tried = "the look at what an agent changed".to_owned();
            return Err(GitError::Stopped { tried }.into());
        }
        self.entries += 1;
        if self.entries <= self.wanted.limits.entries {
            return Ok(());
        }
        Err(LayerError::Limit {
            path: name.to_vec(),
            limit: format!("{} files and directories", self.wanted.limits.entries),
        })
    }

    /// Whether an ignored path is recorded all the same, or something below it may be.
    fn is_wanted(&self, name: &[u8], is_folder: bool) -> bool {
        let text = String::from_utf8_lossy(name);
        let mut patterns = self.wanted.produces.iter();
        if is_folder {
            return self.tracked_folders.contains(name)
                || patterns.any(|pattern| may_match_below(pattern, &text));
        }
        self.tracked.contains(name) || patterns.any(|pattern| glob::matches(pattern, &text))
    }

    fn walk_inner(&mut self, mut position: WalkPosition<'_>) -> Result<bool, LayerError> {
        let name = position.path;
        if self.taken.is_some() {
            return self.folder(position);
        }
        if attribute(position.folder, "user.overlay.redirect", name)?.is_some() {
            let path = name.to_vec();
            return Err(LayerError::Redirected { path });
        }
        let is_opaque = is_opaque(position.folder, name)?;
        position.opaque |= is_opaque;
        if is_opaque {
            self.remove_below(name);
            let root = position.ignored_root.map(<[u8]>::to_vec);
            self.found.ignored.extend(root);
        }
        let records = self.folder(position)?;
        if !records && !is_opaque {
            self.found.hollow.push(name.to_vec());
        }
        Ok(records || is_opaque)
    }

    fn remove_below(&mut self, name: &[u8]) {
        self.found.removed.push(name.to_vec());
        let removed = [name.to_vec()];
        let roots = self.wanted.ignored_roots.iter();
        let gone = roots.filter(|root| lies_within(root, &removed));
        self.found.ignored.extend(gone.cloned());
    }

    /// A path was removed. Whether it was a file or a directory is not known.
    fn whiteout(&mut self, position: WalkPosition<'_>, name: Name) -> bool {
        let rules = self.wanted.rules;
        let is_ignored = |is_folder| {
            let covered = rules.covers(position.covered, &name, is_folder);
            rules.class(covered, &name, is_folder) == PathClass::Ignored
        };
        let was_left = !position.opaque && is_below(self.wanted.ignored_layers, &name);
        self.found.has_self_ignored |= was_left;
        let (as_file, as_folder) = (is_ignored(false) || was_left, is_ignored(true) || was_left);
        let is_wanted = self.is_wanted(&name, false) || self.is_wanted(&name, true);
        if as_file || as_folder {
            let root = position.ignored_root.unwrap_or(&name).to_vec();
            self.found.ignored.insert(root);
        }
        if as_file && as_folder && !is_wanted {
            return false;
        }
        self.remove_below(&name);
        true
    }

    fn file(
        &mut self,
        position: WalkPosition<'_>,
        last: &[u8],
        name: Name,
        stat: &Stat,
    ) -> Result<bool, LayerError> {
        if let Some(taken) = self.taken {
            let is_untouched = taken.is_untouched(&name, &FileStamp::of(stat));
            self.present.insert(name.clone());
            if is_untouched {
                return Ok(true);
            }
        }
        let kind = match kind_of(stat) {
            FileType::RegularFile => {
                let is_executable = self.copies.copy_file(position.folder, last, &name)?;
                self.found.executable.push(is_executable);
                return Ok(true);
            }
            FileType::Symlink => {
                let target = readlinkat(position.folder, last, Vec::new());
                let target = target.map_err(LayerError::read(&name))?;
                self.found.links.push((name, target.into_bytes()));
                return Ok(true);
            }
            FileType::Fifo => "a pipe",
            FileType::Socket => "a socket",
            FileType::CharacterDevice | FileType::BlockDevice => "a device",
            FileType::Directory | FileType::Unknown => "not a file",
        };
        Err(LayerError::Special { path: name, kind })
    }
}

/// Whether it hides what the layers below have there.
fn is_whiteout(
    position: WalkPosition<'_>,
    last: &[u8],
    name: &[u8],
    stat: &Stat,
) -> Result<bool, LayerError> {
    match kind_of(stat) {
        FileType::CharacterDevice => Ok(stat.st_rdev == 0),
        FileType::RegularFile if stat.st_size == 0 => {
            let file = open_file_anyway(position.folder, last);
            let file = file.map_err(LayerError::read(name))?;
            Ok(attribute(file.as_fd(), "user.overlay.whiteout", name)?.is_some())
        }
        _ => Ok(false),
    }
}

/// Does it hide what the layers below have there?
fn is_opaque(folder: BorrowedFd<'_>, name: &[u8]) -> Result<bool, LayerError> {
    Ok(attribute(folder, "user.overlay.opaque", name)? == Some(b'y'))
}

/// The first byte of what the overlay wrote beside a file or directory; `None` if it wrote nothing.
fn attribute(file: BorrowedFd<'_>, key: &str, name: &[u8]) -> Result<Option<u8>, LayerError> {
    use rustix::io::Errno;

    let mut value = [0_u8; 1];
    match fgetxattr(file, key, &mut value[..]) {
        Ok(length) => Ok(Some(if length == 0 { 0 } else { value[0] })),
        Err(Errno::RANGE) => Ok(Some(0)),
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(None),
        Err(error) => Err(LayerError::read(name)(error)),
    }
}

/// Whether a pattern may match something in a directory.
fn may_match_below(pattern: &str, folder: &str) -> bool {
    let mut alternatives = glob::alternatives(pattern).into_iter();
    alternatives.any(|pattern| one_may_match_below(&pattern, folder))
}

fn one_may_match_below(pattern: &str, folder: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let mut wanted = pattern.split('/');
    for name in folder.split('/') {
        match wanted.next() {
            Some("**") => return true,
            Some(part) if glob::matches(part, name) => {}
            // `dist/` is all that is in it.
            Some("") => return true,
            Some(_) | None => return false,
        }
    }
    wanted.next().is_some()
}

/// Keeps a descriptor open as long as it is needed.
pub(super) fn open_layer(path: &std::path::Path) -> Result<OwnedFd, LayerError> {
    crate::tree::open_root(path).map_err(LayerError::read(b""))
}
