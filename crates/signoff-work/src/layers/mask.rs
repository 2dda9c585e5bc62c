//! Whiteouts over everything of the checkout that is versioned.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rustix::fs::{FileType, Mode};

use super::beneath::{folders_in, join_path};
use super::detached_layer::DetachedLayer;
use super::mask_stamp::{MaskStamp, SeenNames, inner_names};
use super::rules::{IgnoreRules, PathClass};
use crate::git::{Name, lies_within, path};
use crate::tree::{open_folder, open_root};

/// Deeper than any tree that people make. What lies deeper is masked.
const DEEPEST: usize = 200;

/// What a mask does at which paths.
pub(super) type MaskEntries = BTreeMap<Name, MaskEntry>;

/// A layer that hides everything of the checkout but what is ignored. It never changes once it is made: where the
/// checkout changed, another one is made.
#[derive(Debug)]
pub struct Mask {
    at: PathBuf,
    checkout: PathBuf,
    covers: MaskEntries,
    /// Directories and files in ignored directories that are watched too.
    inner: Arc<[Name]>,
    stamp: MaskStamp,
    /// Ignored paths that it hides too.
    left_out: Vec<Name>,
    /// Ignored directories that are mounted one by one, because it stands in place of the checkout.
    own_roots: Option<Vec<Name>>,
}

/// What the mask does at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskEntry {
    /// Hides it with all that is below.
    Whiteout,
    /// A directory that holds both kinds.
    Folder,
    /// Nothing: the checkout shines through.
    Shown,
}

impl Mask {
    /// Makes a mask for the checkout at `at`, where nothing is yet. `left_out` are ignored paths that are hidden too.
    pub fn make(
        checkout: &Path,
        rules: &IgnoreRules,
        at: &Path,
        left_out: &[Vec<u8>],
    ) -> io::Result<Self> {
        let root = open_root(checkout)?;
        let mut walk = MaskWalk {
            rules,
            covers: BTreeMap::new(),
        };
        walk.folder(root.as_fd(), b"", false, 0)?;
        let mut mask = Self {
            at: at.to_owned(),
            checkout: checkout.to_owned(),
            covers: walk.covers,
            inner: Arc::default(),
            stamp: MaskStamp::default(),
            left_out: Vec::new(),
            own_roots: None,
        };
        mask.inner = inner_names(root.as_fd(), mask.ignored_roots()).into();
        mask.stamp = mask.stamp_now()?;
        mask.without_paths(left_out, at)
    }

    /// The same, made at `at`, in place of the checkout: what comes there later is not seen. The directories of
    /// [`Self::own_roots`] are to be mounted over it, so they cannot be removed or renamed as a whole. `None` if there is
    /// too much for that.
    pub fn detached_mask(&self, at: &Path) -> io::Result<Option<Self>> {
        let root = open_root(&self.checkout)?;
        let made = DetachedLayer::make(root.as_fd(), &self.covers, at)?;
        Ok(made.map(|layer| Self {
            at: at.to_owned(),
            checkout: self.checkout.clone(),
            covers: layer.covers,
            inner: Arc::clone(&self.inner),
            stamp: self.stamp.clone(),
            left_out: self.left_out.clone(),
            own_roots: Some(layer.roots),
        }))
    }

    /// The ignored directories to be mounted one by one; `None` if the checkout is seen through the mask.
    pub fn own_roots(&self) -> Option<&[Name]> {
        self.own_roots.as_deref()
    }

    /// Did it know this path when it was made?
    pub fn has_name(&self, name: &[u8]) -> bool {
        name.is_empty() || self.covers.contains_key(name)
    }

    /// The same mask, made at `at`, that hides these ignored paths too. The checkout is not read again.
    pub fn without_paths(&self, left_out: &[Vec<u8>], at: &Path) -> io::Result<Self> {
        let mut covers = self.covers.clone();
        for (name, cover) in &mut covers {
            let is_out = lies_within(name, left_out)
                || left_out
                    .iter()
                    .any(|out| lies_within(out, std::slice::from_ref(name)));
            if *cover == MaskEntry::Shown && is_out {
                *cover = MaskEntry::Whiteout;
            }
        }
        // What is not there yet may come.
        for out in left_out {
            let (folder, _) = crate::tree::split(out);
            let is_open = folder.is_empty() || covers.get(folder) == Some(&MaskEntry::Folder);
            if is_open && !covers.contains_key(out) {
                covers.insert(out.clone(), MaskEntry::Whiteout);
            }
        }
        write_covers(at, &covers)?;
        Ok(Self {
            at: at.to_owned(),
            checkout: self.checkout.clone(),
            covers,
            inner: Arc::clone(&self.inner),
            stamp: self.stamp.clone(),
            left_out: left_out.to_vec(),
            own_roots: None,
        })
    }

    /// The directory that is the layer.
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// The ignored paths that shine through it, each the highest of its kind.
    pub fn ignored_roots(&self) -> impl Iterator<Item = &[u8]> {
        let shown = self.covers.iter();
        let shown = shown.filter(|(_, cover)| **cover == MaskEntry::Shown);
        shown.map(|(name, _)| name.as_slice())
    }

    /// The ignored paths that it hides.
    pub fn left_out(&self) -> &[Vec<u8>] {
        &self.left_out
    }

    /// The state of the checkout where it shines through the mask.
    pub fn stamp(&self) -> &MaskStamp {
        &self.stamp
    }

    /// The state there now.
    pub fn stamp_now(&self) -> io::Result<MaskStamp> {
        let root = open_root(&self.checkout)?;
        MaskStamp::take(root.as_fd(), &self.covers, &self.inner)
    }

    /// Whether the checkout still has nothing versioned that is seen through the mask, and still has what is ignored.
    pub fn is_current(&self) -> io::Result<bool> {
        Ok(self.changed_since(&self.stamp)?.is_empty())
    }

    /// What changed since the stamp in what is seen through the mask: ignored paths that changed, and names that are
    /// new in directories that hold both kinds.
    pub fn changed_since(&self, stamp: &MaskStamp) -> io::Result<Vec<Vec<u8>>> {
        let root = open_root(&self.checkout)?;
        let seen = match self.own_roots {
            None => SeenNames::All,
            Some(_) => SeenNames::Known,
        };
        stamp.changes(root.as_fd(), &self.covers, &self.inner, seen)
    }

    /// Names that came into directories that hold both kinds after it was made, and that are seen through it.
    pub fn new_names(&self) -> io::Result<Vec<Name>> {
        let mut changed = self.changed_since(&self.stamp)?;
        changed.retain(|name| !self.has_name(name));
        Ok(changed)
    }
}

struct MaskWalk<'r> {
    rules: &'r IgnoreRules,
    covers: BTreeMap<Name, MaskEntry>,
}

impl MaskWalk<'_> {
    /// Finds what of a directory is masked; whether anything in it is not.
    fn folder(
        &mut self,
        folder: BorrowedFd<'_>,
        path: &[u8],
        covered: bool,
        depth: usize,
    ) -> io::Result<bool> {
        let mut hidden = Vec::new();
        let mut shows = false;
        for (name, is_folder) in folders_in(folder)? {
            let inner = join_path(path, &name);
            let cover = if depth == 0 && matches!(&*name, b".git" | b".signoff") {
                MaskEntry::Whiteout
            } else {
                self.entry(folder, (&name, is_folder), &inner, covered, depth)
            };
            match cover {
                MaskEntry::Whiteout => hidden.push(inner),
                MaskEntry::Folder | MaskEntry::Shown => {
                    shows = true;
                    self.covers.insert(inner, cover);
                }
            }
        }
        // If nothing shines through, one whiteout further up is enough.
        if shows || depth == 0 {
            let hidden = hidden.into_iter().map(|name| (name, MaskEntry::Whiteout));
            self.covers.extend(hidden);
        }
        Ok(shows)
    }

    fn entry(
        &mut self,
        folder: BorrowedFd<'_>,
        (name, is_folder): (&[u8], bool),
        path: &[u8],
        covered: bool,
        depth: usize,
    ) -> MaskEntry {
        let covered = self.rules.covers(covered, path, is_folder);
        if self.rules.class(covered, path, is_folder) == PathClass::Ignored {
            return MaskEntry::Shown;
        }
        if !is_folder || depth == DEEPEST {
            return MaskEntry::Whiteout;
        }
        // What cannot be read is masked.
        let inner = open_folder(folder, name);
        let shows = inner.and_then(|inner| self.folder(inner.as_fd(), path, covered, depth + 1));
        if shows.unwrap_or(false) {
            MaskEntry::Folder
        } else {
            MaskEntry::Whiteout
        }
    }
}

fn write_covers(at: &Path, covers: &BTreeMap<Name, MaskEntry>) -> io::Result<()> {
    fs::create_dir_all(at)?;
    let mut first: Option<PathBuf> = None;
    // A directory comes before what is in it.
    for (name, cover) in covers {
        let target = at.join(path(name));
        match cover {
            MaskEntry::Whiteout => match &first {
                // One for all, as the kernel does: some file systems are slow to make many.
                Some(first) if fs::hard_link(first, &target).is_ok() => {}
                Some(_) | None => {
                    make_whiteout(&target)?;
                    first = Some(target);
                }
            },
            MaskEntry::Folder => fs::create_dir(&target)?,
            MaskEntry::Shown => {}
        }
    }
    Ok(())
}

/// Makes what hides a path of the layers below. It needs no rights.
fn make_whiteout(at: &Path) -> io::Result<()> {
    let mode = Mode::from_raw_mode(0o600);
    Ok(rustix::fs::mknodat(
        rustix::fs::CWD,
        at,
        FileType::CharacterDevice,
        mode,
        0,
    )?)
}
