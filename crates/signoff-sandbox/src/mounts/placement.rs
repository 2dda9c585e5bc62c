//! What a command finds at a path, and the steps that mount it there.

use std::io;
use std::path::{Path, PathBuf};

use crate::mounts::paths::c_path;
use crate::mounts::step::MountStep;

/// What the command finds at a path.
pub(crate) struct Placement {
    pub(crate) at: PathBuf,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    /// An empty directory.
    EmptyDirectory,
    /// A file that cannot be read.
    UnreadableFile,
    /// What a step opened.
    Mount { number: usize, directory: bool },
    /// What is there already, but read-only.
    ReadOnly,
    /// Shared memory of its own, which is empty at first.
    SharedMemory,
}

impl Content {
    /// Whether it covers everything that was there.
    fn is_empty(&self) -> bool {
        matches!(self, Self::EmptyDirectory | Self::SharedMemory)
    }
}

/// Adds the steps that mount these placements, of which outer ones come first.
pub(crate) fn attach_all(placements: &[Placement], steps: &mut Vec<MountStep>) -> io::Result<()> {
    for (index, placement) in placements.iter().enumerate() {
        let covered_by = placements.iter().take(index).rfind(|outer| {
            outer.at != placement.at
                && placement.at.starts_with(&outer.at)
                && !matches!(outer.content, Content::UnreadableFile | Content::ReadOnly)
        });
        match (covered_by, &placement.content) {
            // It is covered, so it needs no protection.
            (Some(outer), Content::ReadOnly) if outer.content.is_empty() => continue,
            (None, _) | (Some(_), Content::ReadOnly) => {}
            (Some(outer), _) => make_mount_point(&outer.at, placement, steps)?,
        }
        let at = c_path(&placement.at)?;
        steps.push(match placement.content {
            Content::EmptyDirectory => MountStep::CoverDirectory { at },
            Content::UnreadableFile => MountStep::CoverFile { at },
            Content::Mount { number, .. } => MountStep::Attach { number, at },
            Content::ReadOnly => MountStep::BindReadOnly { at },
            Content::SharedMemory => MountStep::MountSharedMemory,
        });
    }
    Ok(())
}

/// Makes the path that a placement is mounted on, because its parent is covered by now.
fn make_mount_point(
    outer: &Path,
    placement: &Placement,
    steps: &mut Vec<MountStep>,
) -> io::Result<()> {
    let Ok(inner) = placement.at.strip_prefix(outer) else {
        return Ok(());
    };
    let mut path = outer.to_owned();
    let mut names = inner.components().peekable();
    while let Some(name) = names.next() {
        path.push(name);
        let is_directory = match placement.content {
            Content::UnreadableFile => false,
            Content::EmptyDirectory | Content::ReadOnly | Content::SharedMemory => true,
            Content::Mount { directory, .. } => directory,
        };
        let at = c_path(&path)?;
        steps.push(if names.peek().is_some() || is_directory {
            MountStep::MakeDirectory { at }
        } else {
            MountStep::MakeFile { at }
        });
    }
    Ok(())
}
