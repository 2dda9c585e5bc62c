//! The ignore rules of a workspace, and where git looks for them.
//!
//! Those of the repository only: `.gitignore` files and `info/exclude`. A person's own
//! `core.excludesFile` is left out, because what counts as a change must not depend on who runs a
//! plan. Without a repository nothing is ignored. A file that is ignored and yet committed counts as
//! ignored: the index is not read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, statat};

use super::entry::{Stamp, TreePath};
use super::ignore::{Above, Patterns};

/// The rules that one snapshot was made with.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) above: Vec<Above>,
    pub(super) folders: BTreeMap<TreePath, Arc<Patterns>>,
}

/// Files of patterns that were read before.
#[derive(Debug, Default)]
pub(super) struct RuleCache(BTreeMap<PathBuf, (Stamp, Arc<Patterns>)>);

/// Nobody's patterns are longer.
const LONGEST: u64 = 1024 * 1024;

impl RuleCache {
    /// The patterns in a file, if it is one. A link is none, as for git.
    pub(super) fn read(&mut self, path: &Path, now: SystemTime) -> Option<Arc<Patterns>> {
        let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let stamp = Stamp::of(&stat);
        if stamp.file_type() != FileType::RegularFile {
            return None;
        }
        if let Some((known, patterns)) = self.0.get(path)
            && *known == stamp
        {
            return Some(Arc::clone(patterns));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = fs::File::from(openat(CWD, path, flags, Mode::empty()).ok()?);
        let stamp = Stamp::of(&fstat(&file).ok()?);
        let mut text = Vec::new();
        file.take(LONGEST).read_to_end(&mut text).ok()?;
        let patterns = Arc::new(Patterns::read(&text));
        if stamp.is_settled(now) {
            self.0
                .insert(path.to_owned(), (stamp, Arc::clone(&patterns)));
        }
        Some(patterns)
    }

    /// Whether the workspace belongs to a repository, and the patterns above it, outermost first.
    pub(super) fn above(&mut self, workspace: &Path, now: SystemTime) -> Option<Vec<Above>> {
        let root = workspace
            .ancestors()
            .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
        let mut found = Vec::new();
        // What has the last word comes last; `info/exclude` speaks first.
        let exclude = exclude_file(&root.join(".git"));
        found.extend(exclude.and_then(|file| self.source(&file, root, workspace, now)));
        let between: Vec<&Path> = workspace
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(root))
            .collect();
        for folder in between.into_iter().rev() {
            found.extend(self.source(&folder.join(".gitignore"), folder, workspace, now));
        }
        Some(found)
    }

    fn source(
        &mut self,
        file: &Path,
        folder: &Path,
        workspace: &Path,
        now: SystemTime,
    ) -> Option<Above> {
        let patterns = self.read(file, now)?;
        let mut way = workspace
            .strip_prefix(folder)
            .ok()?
            .as_os_str()
            .as_bytes()
            .to_vec();
        if !way.is_empty() {
            way.push(b'/');
        }
        Some(Above { patterns, way })
    }
}

/// Where `info/exclude` is; in a linked worktree `.git` is a file that says where.
fn exclude_file(git: &Path) -> Option<PathBuf> {
    let direct = git.join("info").join("exclude");
    if git.is_dir() {
        return Some(direct);
    }
    let parent = git.parent()?;
    let text = fs::read_to_string(git).ok()?;
    let private = parent.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(private.join("commondir"));
    let common = common.map_or_else(|_| private.clone(), |path| private.join(path.trim()));
    Some(common.join("info").join("exclude"))
}
