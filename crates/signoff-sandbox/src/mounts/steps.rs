//! Which mounts enforce a policy, worked out before anything is started.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::mounts::paths::{
    behind_link_error, c_path, link_error, normalize, path_error, resolve_existing,
    resolve_protected,
};
use crate::mounts::placement::{Content, Placement, attach_all};
use crate::mounts::step::MountStep;
use crate::mounts::view::{self, Entry, MountSource, MountView};
use crate::policy::{DEVICES, Overlay, Policy};

/// Where a command finds its temporary directory.
pub(crate) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// As many as can be named to the kernel in one string (see `overlay`).
pub(crate) const MAX_LOWER_LAYERS: usize = 12;

/// Returns the steps that a child takes, in order.
pub(crate) fn mount_steps(policy: &Policy, as_root: bool) -> io::Result<Vec<MountStep>> {
    let mut steps = vec![MountStep::MakePrivate { devices: !as_root }];
    let mut placements = Vec::new();
    add_shared_memory(&mut placements);
    let view = MountView::new(policy);
    add_hidden(policy, &view, &mut placements)?;
    add_binds(policy, &view, &mut steps, &mut placements)?;
    add_overlays(policy, &mut steps, &mut placements)?;
    add_read_only(policy, &view, &mut placements)?;
    steps.push(MountStep::MakeReadOnly);
    add_devices(as_root, &mut steps)?;
    // Outer ones first: an outer one covers the inner ones, or makes them read-only.
    placements.sort_by_key(|placement| placement.at.components().count());
    attach_all(&placements, &mut steps)?;
    Ok(steps)
}

/// The same for mounts that one command after the other uses: the empty directories in place of hidden ones cannot be
/// written to. `None` where something is mounted in shared memory or terminals: changes there could not be noticed.
pub(crate) fn reusable_mount_steps(
    policy: &Policy,
    as_root: bool,
) -> io::Result<Option<Vec<MountStep>>> {
    const OWN: [&[u8]; 2] = [b"/dev/shm", b"/dev/pts"];
    let mut steps = mount_steps(policy, as_root)?;
    let is_own = |at: &CString| OWN.iter().any(|own| at.as_bytes().starts_with(own));
    let is_inside = |step: &MountStep| match step {
        MountStep::Attach { at, .. }
        | MountStep::BindReadOnly { at }
        | MountStep::CoverDirectory { at }
        | MountStep::CoverFile { at } => is_own(at),
        _ => false,
    };
    if steps.iter().any(is_inside) {
        return Ok(None);
    }
    let is_placed = |cover: &CString| {
        let mut steps = steps.iter();
        steps.any(|step| matches!(step, MountStep::Attach { at, .. } if at == cover))
    };
    let covers = steps.iter().filter_map(|step| match step {
        MountStep::CoverDirectory { at } if !is_placed(at) => {
            Some(MountStep::SealMount { at: at.clone() })
        }
        _ => None,
    });
    let sealed: Vec<MountStep> = covers.collect();
    steps.extend(sealed);
    Ok(Some(steps))
}

fn add_read_only(
    policy: &Policy,
    view: &MountView<'_>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    for path in &policy.read_only {
        let at = match view.locate(path) {
            (_, MountSource::Host(from)) if from == *path => resolve_protected(path)?,
            (at, MountSource::Host(from)) => resolve_protected(&from).map(|_| at)?,
            (at, MountSource::Overlay(overlay, inner)) => {
                match look_up(overlay, &inner, "protect", path)? {
                    Entry::Missing => {
                        return Err(path_error("protect", path, &io::ErrorKind::NotFound.into()));
                    }
                    Entry::Link(_) | Entry::BehindLink => return Err(link_error(path)),
                    Entry::File(_) | Entry::Directory => at,
                }
            }
        };
        let content = Content::ReadOnly;
        placements.push(Placement { at, content });
    }
    Ok(())
}

fn look_up(overlay: &Overlay, inner: &Path, what: &str, path: &Path) -> io::Result<Entry> {
    view::look_up(overlay, inner).map_err(|error| path_error(what, path, &error))
}

fn add_hidden(
    policy: &Policy,
    view: &MountView<'_>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    for path in &policy.hidden {
        let placement = match view.locate(path) {
            (at, MountSource::Overlay(overlay, inner)) => {
                hide_in_overlay(view, overlay, at, inner)?
            }
            (at, MountSource::Host(from)) => hide_host_path(path, &at, &from)?,
        };
        placements.extend(placement);
    }
    Ok(())
}

/// How many symbolic links are followed, as in the kernel.
const LINKS: usize = 40;

/// Hides what an overlay shows at a path, or what a symbolic link there leads to.
fn hide_in_overlay<'a>(
    view: &MountView<'a>,
    mut overlay: &'a Overlay,
    mut at: PathBuf,
    mut inner: PathBuf,
) -> io::Result<Option<Placement>> {
    for _ in 0..LINKS {
        let content = match look_up(overlay, &inner, "hide", &at)? {
            Entry::Missing => return Ok(None),
            Entry::Directory => Content::EmptyDirectory,
            Entry::File(_) => Content::UnreadableFile,
            Entry::BehindLink => return Err(behind_link_error(&at)),
            Entry::Link(to) => {
                let path = normalize(&at.parent().unwrap_or(&at).join(to));
                match view.locate(&path) {
                    (next_at, MountSource::Overlay(next, next_inner)) => {
                        (overlay, at, inner) = (next, next_at, next_inner);
                        continue;
                    }
                    (at, MountSource::Host(from)) => return hide_host_path(&path, &at, &from),
                }
            }
        };
        return Ok(Some(Placement { at, content }));
    }
    Err(path_error(
        "hide",
        &at,
        &io::Error::from_raw_os_error(libc::ELOOP),
    ))
}

/// Hides what comes from a path of the host; the command may find it at another path.
fn hide_host_path(path: &Path, at: &Path, from: &Path) -> io::Result<Option<Placement>> {
    match fs::canonicalize(from) {
        Ok(found) => {
            let content = if found.is_dir() {
                Content::EmptyDirectory
            } else {
                Content::UnreadableFile
            };
            let at = if from == path { found } else { at.to_owned() };
            Ok(Some(Placement { at, content }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // What we may not see, the command may not see either.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(path_error("hide", path, &error)),
    }
}

fn add_binds(
    policy: &Policy,
    view: &MountView<'_>,
    steps: &mut Vec<MountStep>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    let mut number = 0;
    let mut add = |from: &Path, to: PathBuf, writable: bool| -> io::Result<()> {
        let from = fs::canonicalize(from).map_err(|error| path_error("open", from, &error))?;
        steps.push(MountStep::OpenTree {
            from: c_path(&from)?,
            writable,
        });
        let directory = from.is_dir();
        let content = Content::Mount { number, directory };
        number += 1;
        placements.push(Placement { at: to, content });
        Ok(())
    };
    if let Some(temp) = &policy.temp {
        for at in TEMPORARY {
            if Path::new(at).is_dir() {
                add(temp, resolve_existing(Path::new(at)), true)?;
            }
        }
    }
    for path in &policy.writable {
        add(path, view.mount_point(path), true)?;
    }
    for bind in &policy.binds {
        add(&bind.from, view.mount_point(&bind.to), bind.writable)?;
    }
    Ok(())
}

fn add_overlays(
    policy: &Policy,
    steps: &mut Vec<MountStep>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    for overlay in &policy.overlays {
        let layer = |path: &PathBuf| {
            let found = fs::canonicalize(path).map_err(|error| path_error("open", path, &error))?;
            c_path(&found)
        };
        if overlay.lower.is_empty() || overlay.lower.len() > MAX_LOWER_LAYERS {
            let why = format!(
                "an overlay has 1 to {MAX_LOWER_LAYERS} layers below, this one has {}",
                overlay.lower.len()
            );
            let error = io::Error::new(io::ErrorKind::InvalidInput, why);
            return Err(path_error("make an overlay for", &overlay.at, &error));
        }
        let at = resolve_existing(&overlay.at);
        let number = steps.iter().filter(|step| step.opens_mount()).count();
        steps.push(MountStep::MakeOverlay {
            at: c_path(&at)?,
            lower: overlay.lower.iter().map(layer).collect::<io::Result<_>>()?,
            upper: layer(&overlay.upper)?,
            work: layer(&overlay.work)?,
        });
        let content = Content::Mount {
            number,
            directory: true,
        };
        placements.push(Placement { at, content });
    }
    Ok(())
}

fn add_devices(as_root: bool, steps: &mut Vec<MountStep>) -> io::Result<()> {
    if as_root {
        for device in DEVICES {
            if Path::new(device).exists() {
                steps.push(MountStep::AllowDevice {
                    at: c_path(Path::new(device))?,
                });
            }
        }
    }
    if Path::new("/dev/pts").is_dir() {
        steps.push(MountStep::MountTerminals);
    }
    Ok(())
}

/// A project may lie in there, so it is a placement like every other that covers something.
fn add_shared_memory(placements: &mut Vec<Placement>) {
    let at = PathBuf::from("/dev/shm");
    if at.is_dir() {
        let content = Content::SharedMemory;
        placements.push(Placement { at, content });
    }
}

#[cfg(test)]
mod tests;
