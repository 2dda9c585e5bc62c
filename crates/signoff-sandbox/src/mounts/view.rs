//! What a command will find at a path, worked out before anything is mounted.

use std::fs::FileType;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};
use std::{fs, io, ptr};

use crate::mounts::paths::resolve_existing;
use crate::policy::{Overlay, Policy};

/// What an overlay shows at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Missing,
    /// A file, and its path in the topmost layer that has it.
    File(PathBuf),
    Directory,
    /// A symbolic link, and where it leads.
    Link(PathBuf),
    /// A symbolic link is on the way.
    BehindLink,
}

/// Where the content of a path comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MountSource<'a> {
    /// From this path of the host.
    Host(PathBuf),
    /// From this path inside of an overlay.
    Overlay(&'a Overlay, PathBuf),
}

/// What a policy mounts, so that paths can be looked up in it.
#[derive(Debug)]
pub(crate) struct MountView<'a> {
    policy: &'a Policy,
    /// Each with the path that its own path leads to.
    overlays: Vec<(PathBuf, &'a Overlay)>,
}

/// A path that lies in an overlay.
struct OverlayPath<'a> {
    /// The path, with the overlay's own part resolved.
    at: PathBuf,
    overlay: &'a Overlay,
    /// The path from the overlay's root.
    inner: PathBuf,
}

impl<'a> MountView<'a> {
    pub(crate) fn new(policy: &'a Policy) -> Self {
        let overlays = policy.overlays.iter();
        Self {
            policy,
            overlays: overlays
                .map(|overlay| (resolve_existing(&overlay.at), overlay))
                .collect(),
        }
    }

    /// Returns where the command finds a path, and where its content comes from: the innermost mount there. Outside
    /// of overlays that is the host's own path.
    pub(crate) fn locate(&self, path: &Path) -> (PathBuf, MountSource<'a>) {
        let Some(OverlayPath { at, overlay, inner }) = self.overlay_at(path) else {
            return (path.to_owned(), MountSource::Host(path.to_owned()));
        };
        let (mut depth, mut source) = (0, MountSource::Overlay(overlay, inner.clone()));
        let own = self.policy.writable.iter().map(|path| (path, path));
        let binds = self.policy.binds.iter().map(|bind| (&bind.to, &bind.from));
        for (to, from) in own.chain(binds) {
            let mounted = self.overlay_at(to);
            let Some(mounted) = mounted.filter(|mounted| ptr::eq(mounted.overlay, overlay)) else {
                continue;
            };
            let names = mounted.inner.components().count();
            if let (true, Ok(rest)) = (names > depth, inner.strip_prefix(&mounted.inner)) {
                (depth, source) = (names, MountSource::Host(join(from, rest)));
            }
        }
        (at, source)
    }

    /// Returns where something is mounted. In an overlay the host's symbolic links do not count.
    pub(crate) fn mount_point(&self, path: &Path) -> PathBuf {
        match self.overlay_at(path) {
            Some(found) if !found.inner.as_os_str().is_empty() => found.at,
            _ => resolve_existing(path),
        }
    }

    /// Returns the innermost overlay that a path lies in.
    fn overlay_at(&self, path: &Path) -> Option<OverlayPath<'a>> {
        let inside = self.overlays.iter().filter_map(|(at, overlay)| {
            let inner = path
                .strip_prefix(at)
                .or_else(|_| path.strip_prefix(&overlay.at));
            Some((at, *overlay, inner.ok()?))
        });
        let (at, overlay, inner) = inside.max_by_key(|(at, ..)| at.components().count())?;
        Some(OverlayPath {
            at: join(at, inner),
            overlay,
            inner: inner.to_owned(),
        })
    }
}

/// Joins two paths. An empty one adds no slash at the end, which would mean a directory.
fn join(path: &Path, inner: &Path) -> PathBuf {
    if inner.as_os_str().is_empty() {
        path.to_owned()
    } else {
        path.join(inner)
    }
}

/// Returns what an overlay shows at a path inside of it.
pub(crate) fn look_up(overlay: &Overlay, inner: &Path) -> io::Result<Entry> {
    let layers = [&overlay.upper].into_iter().chain(&overlay.lower);
    for layer in layers {
        match look_up_in_layer(layer, inner)? {
            LayerEntry::Below => {}
            LayerEntry::Found(entry) => return Ok(entry),
        }
    }
    Ok(Entry::Missing)
}

/// What one layer has at a path.
enum LayerEntry {
    /// Nothing: the layers below decide.
    Below,
    Found(Entry),
}

fn look_up_in_layer(layer: &Path, inner: &Path) -> io::Result<LayerEntry> {
    let mut path = layer.to_owned();
    let mut nothing_below = false;
    let mut names = inner.components().peekable();
    while let Some(name) = names.next() {
        if !matches!(name, Component::Normal(_)) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        path.push(name);
        let kind = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(if nothing_below {
                    LayerEntry::Found(Entry::Missing)
                } else {
                    LayerEntry::Below
                });
            }
            Err(error) => return Err(error),
        };
        match (names.peek().is_some(), kind) {
            (_, kind) if kind.is_char_device() => return Ok(LayerEntry::Found(Entry::Missing)),
            (true, kind) if kind.is_dir() => nothing_below |= is_opaque(&path),
            (true, kind) if kind.is_symlink() => return Ok(LayerEntry::Found(Entry::BehindLink)),
            (true, _) => return Ok(LayerEntry::Found(Entry::Missing)),
            (false, kind) => return entry(&path, kind).map(LayerEntry::Found),
        }
    }
    Ok(LayerEntry::Found(Entry::Directory))
}

fn entry(path: &Path, kind: FileType) -> io::Result<Entry> {
    if kind.is_symlink() {
        return fs::read_link(path).map(Entry::Link);
    }
    Ok(if kind.is_dir() {
        Entry::Directory
    } else {
        Entry::File(path.to_owned())
    })
}

/// Whether a directory hides what the layers below have at its path.
pub fn is_opaque(path: &Path) -> bool {
    let mut value = [0_u8; 8];
    rustix::fs::lgetxattr(path, c"user.overlay.opaque", &mut value)
        .is_ok_and(|length| value.get(..length) == Some(b"y"))
}
