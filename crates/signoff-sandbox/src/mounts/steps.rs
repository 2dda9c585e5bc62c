//! Which mounts make a policy true, worked out before anything is started.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::{fmt, fs, io};

use crate::mounts::view::{self, Entry, Source, View};
use crate::policy::{Overlay, Policy};

/// Where a command's temporary directory is found.
pub(crate) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// All the devices that a command of root's gets: it owns every disk.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// As many as can be named to the kernel in one string (see `overlay`).
pub(crate) const MOST_LAYERS: usize = 12;

/// One step on the way; a child takes them in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Cuts all mounts off from those of the host, and makes them useless for devices if asked to.
    CutOff {
        devices: bool,
    },
    /// Opens a tree before something covers it; the next number is given to it.
    Take {
        from: CString,
        writable: bool,
    },
    /// Makes an overlay, which is placed like a tree that was taken; the next number is given to it.
    MakeOverlay {
        at: CString,
        lower: Vec<CString>,
        upper: CString,
        work: CString,
    },
    /// Makes everything that is mounted read-only.
    Freeze,
    /// Covers a directory with an empty one.
    Cover {
        at: CString,
    },
    /// Covers a file with one that cannot be read.
    Blank {
        at: CString,
    },
    /// Makes a directory, or an empty file, to mount on.
    MakeDirectory {
        at: CString,
    },
    MakeFile {
        at: CString,
    },
    /// Mounts a tree that was taken.
    Place {
        taken: usize,
        at: CString,
    },
    /// Makes what is there read-only.
    Protect {
        at: CString,
    },
    /// Makes the mount that is there read-only, and none inside of it.
    Seal {
        at: CString,
    },
    /// Lets one device be used.
    Allow {
        at: CString,
    },
    /// Terminals and shared memory of its own.
    Terminals,
    SharedMemory,
}

impl Step {
    /// Is what it opens known by a number afterwards?
    pub(crate) fn gives_number(&self) -> bool {
        matches!(self, Self::Take { .. } | Self::MakeOverlay { .. })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = match self {
            Self::CutOff { .. } => return f.write_str("cut off its mounts"),
            Self::Freeze => return f.write_str("make everything read-only"),
            Self::Terminals => return f.write_str("give it terminals"),
            Self::SharedMemory => return f.write_str("give it shared memory"),
            Self::Take { from, .. } => ("open", from),
            Self::Cover { at } | Self::Blank { at } => ("hide", at),
            Self::MakeDirectory { at } | Self::MakeFile { at } | Self::Place { at, .. } => {
                ("mount", at)
            }
            Self::MakeOverlay { at, .. } => ("make an overlay for", at),
            Self::Protect { at } | Self::Seal { at } => ("protect", at),
            Self::Allow { at } => ("allow", at),
        };
        write!(f, "{what} `{}`", at.to_string_lossy())
    }
}

/// What is to be found at a path.
struct Placement {
    at: PathBuf,
    what: What,
}

enum What {
    /// An empty directory.
    Empty,
    /// A file that cannot be read.
    Unreadable,
    /// A tree that was taken.
    Taken { number: usize, directory: bool },
    /// What is there already, read-only.
    Kept,
    /// Shared memory of its own, which is empty too.
    SharedMemory,
}

impl What {
    /// Is nothing left of what lay below?
    fn is_empty(&self) -> bool {
        matches!(self, Self::Empty | Self::SharedMemory)
    }
}

/// Returns the steps in order.
pub(crate) fn plan(policy: &Policy, as_root: bool) -> io::Result<Vec<Step>> {
    let mut steps = vec![Step::CutOff { devices: !as_root }];
    let mut placements = Vec::new();
    share_memory(&mut placements);
    let view = View::of(policy);
    hide(policy, &view, &mut placements)?;
    take(policy, &view, &mut steps, &mut placements)?;
    make_overlays(policy, &mut steps, &mut placements)?;
    keep(policy, &view, &mut placements)?;
    steps.push(Step::Freeze);
    devices(as_root, &mut steps)?;
    // Outer ones first, or they would cover the inner ones; what is kept would freeze what is writable inside of it.
    placements.sort_by_key(|placement| placement.at.components().count());
    place(&placements, &mut steps)?;
    Ok(steps)
}

/// The same for mounts that one command after the other finds: empty directories in place of hidden ones cannot be
/// written to. `None` where shared memory or terminals have something in them, which could not be looked at.
pub(crate) fn plan_to_keep(policy: &Policy, as_root: bool) -> io::Result<Option<Vec<Step>>> {
    const OWN: [&[u8]; 2] = [b"/dev/shm", b"/dev/pts"];
    let mut steps = plan(policy, as_root)?;
    let is_own = |at: &CString| OWN.iter().any(|own| at.as_bytes().starts_with(own));
    let is_inside = |step: &Step| match step {
        Step::Place { at, .. } | Step::Protect { at } | Step::Cover { at } | Step::Blank { at } => {
            is_own(at)
        }
        _ => false,
    };
    if steps.iter().any(is_inside) {
        return Ok(None);
    }
    let is_placed = |cover: &CString| {
        let mut steps = steps.iter();
        steps.any(|step| matches!(step, Step::Place { at, .. } if at == cover))
    };
    let covers = steps.iter().filter_map(|step| match step {
        Step::Cover { at } if !is_placed(at) => Some(Step::Seal { at: at.clone() }),
        _ => None,
    });
    let sealed: Vec<Step> = covers.collect();
    steps.extend(sealed);
    Ok(Some(steps))
}

fn keep(policy: &Policy, view: &View<'_>, placements: &mut Vec<Placement>) -> io::Result<()> {
    for path in &policy.read_only {
        let at = match view.locate(path) {
            (_, Source::Host(from)) if from == *path => protectable(path)?,
            (at, Source::Host(from)) => protectable(&from).map(|_| at)?,
            (at, Source::Overlay(overlay, inner)) => {
                match look_up(overlay, &inner, "protect", path)? {
                    Entry::Missing => {
                        return Err(about("protect", path, &io::ErrorKind::NotFound.into()));
                    }
                    Entry::Link(_) | Entry::BehindLink => return Err(is_link(path)),
                    Entry::File(_) | Entry::Directory => at,
                }
            }
        };
        let what = What::Kept;
        placements.push(Placement { at, what });
    }
    Ok(())
}

fn look_up(overlay: &Overlay, inner: &Path, what: &str, path: &Path) -> io::Result<Entry> {
    view::look_up(overlay, inner).map_err(|error| about(what, path, &error))
}

fn hide(policy: &Policy, view: &View<'_>, placements: &mut Vec<Placement>) -> io::Result<()> {
    for path in &policy.hidden {
        let placement = match view.locate(path) {
            (at, Source::Overlay(overlay, inner)) => hide_in(view, overlay, at, inner)?,
            (at, Source::Host(from)) => hide_of_host(path, &at, &from)?,
        };
        placements.extend(placement);
    }
    Ok(())
}

/// How many links may lead from one to the other, as for the kernel.
const LINKS: usize = 40;

/// Hides what an overlay shows at a path, or what a link there leads to.
fn hide_in<'a>(
    view: &View<'a>,
    mut overlay: &'a Overlay,
    mut at: PathBuf,
    mut inner: PathBuf,
) -> io::Result<Option<Placement>> {
    for _ in 0..LINKS {
        let what = match look_up(overlay, &inner, "hide", &at)? {
            Entry::Missing => return Ok(None),
            Entry::Directory => What::Empty,
            Entry::File(_) => What::Unreadable,
            Entry::BehindLink => return Err(is_behind_link(&at)),
            Entry::Link(to) => {
                let path = normal(&at.parent().unwrap_or(&at).join(to));
                match view.locate(&path) {
                    (next_at, Source::Overlay(next, next_inner)) => {
                        (overlay, at, inner) = (next, next_at, next_inner);
                        continue;
                    }
                    (at, Source::Host(from)) => return hide_of_host(&path, &at, &from),
                }
            }
        };
        return Ok(Some(Placement { at, what }));
    }
    Err(about(
        "hide",
        &at,
        &io::Error::from_raw_os_error(libc::ELOOP),
    ))
}

/// Hides what comes from a path of the host, though the command may find it elsewhere.
fn hide_of_host(path: &Path, at: &Path, from: &Path) -> io::Result<Option<Placement>> {
    match fs::canonicalize(from) {
        Ok(found) => {
            let what = if found.is_dir() {
                What::Empty
            } else {
                What::Unreadable
            };
            let at = if from == path { found } else { at.to_owned() };
            Ok(Some(Placement { at, what }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // What we may not see, the command may not either.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(about("hide", path, &error)),
    }
}

/// Removes `.` and `..`, without asking where links lead.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            other => found.push(other),
        }
    }
    found
}

fn take(
    policy: &Policy,
    view: &View<'_>,
    steps: &mut Vec<Step>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    let mut number = 0;
    let mut add = |from: &Path, to: PathBuf, writable: bool| -> io::Result<()> {
        let from = fs::canonicalize(from).map_err(|error| about("open", from, &error))?;
        steps.push(Step::Take {
            from: c_path(&from)?,
            writable,
        });
        let directory = from.is_dir();
        let what = What::Taken { number, directory };
        number += 1;
        placements.push(Placement { at: to, what });
        Ok(())
    };
    if let Some(temp) = &policy.temp {
        for at in TEMPORARY {
            if Path::new(at).is_dir() {
                add(temp, canonical(Path::new(at)), true)?;
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

fn make_overlays(
    policy: &Policy,
    steps: &mut Vec<Step>,
    placements: &mut Vec<Placement>,
) -> io::Result<()> {
    for overlay in &policy.overlays {
        let layer = |path: &PathBuf| {
            let found = fs::canonicalize(path).map_err(|error| about("open", path, &error))?;
            c_path(&found)
        };
        if overlay.lower.is_empty() || overlay.lower.len() > MOST_LAYERS {
            let why = format!(
                "an overlay has 1 to {MOST_LAYERS} layers below, this one has {}",
                overlay.lower.len()
            );
            let error = io::Error::new(io::ErrorKind::InvalidInput, why);
            return Err(about("make an overlay for", &overlay.at, &error));
        }
        let at = canonical(&overlay.at);
        let number = steps.iter().filter(|step| step.gives_number()).count();
        steps.push(Step::MakeOverlay {
            at: c_path(&at)?,
            lower: overlay.lower.iter().map(layer).collect::<io::Result<_>>()?,
            upper: layer(&overlay.upper)?,
            work: layer(&overlay.work)?,
        });
        let what = What::Taken {
            number,
            directory: true,
        };
        placements.push(Placement { at, what });
    }
    Ok(())
}

fn devices(as_root: bool, steps: &mut Vec<Step>) -> io::Result<()> {
    if as_root {
        for device in DEVICES {
            if Path::new(device).exists() {
                steps.push(Step::Allow {
                    at: c_path(Path::new(device))?,
                });
            }
        }
    }
    if Path::new("/dev/pts").is_dir() {
        steps.push(Step::Terminals);
    }
    Ok(())
}

/// A project may lie there as well, so it is placed like everything else that covers something.
fn share_memory(placements: &mut Vec<Placement>) {
    let at = PathBuf::from("/dev/shm");
    if at.is_dir() {
        let what = What::SharedMemory;
        placements.push(Placement { at, what });
    }
}

fn place(placements: &[Placement], steps: &mut Vec<Step>) -> io::Result<()> {
    for (index, placement) in placements.iter().enumerate() {
        let covered_by = placements.iter().take(index).rfind(|outer| {
            outer.at != placement.at
                && placement.at.starts_with(&outer.at)
                && !matches!(outer.what, What::Unreadable | What::Kept)
        });
        match (covered_by, &placement.what) {
            // It is gone, and so is what it would be kept from.
            (Some(outer), What::Kept) if outer.what.is_empty() => continue,
            (None, _) | (Some(_), What::Kept) => {}
            (Some(outer), _) => make_way(&outer.at, placement, steps)?,
        }
        let at = c_path(&placement.at)?;
        steps.push(match placement.what {
            What::Empty => Step::Cover { at },
            What::Unreadable => Step::Blank { at },
            What::Taken { number, .. } => Step::Place { taken: number, at },
            What::Kept => Step::Protect { at },
            What::SharedMemory => Step::SharedMemory,
        });
    }
    Ok(())
}

/// What was there is covered by now, so there may be nothing to mount on.
fn make_way(outer: &Path, placement: &Placement, steps: &mut Vec<Step>) -> io::Result<()> {
    let Ok(inner) = placement.at.strip_prefix(outer) else {
        return Ok(());
    };
    let mut path = outer.to_owned();
    let mut names = inner.components().peekable();
    while let Some(name) = names.next() {
        path.push(name);
        let is_directory = match placement.what {
            What::Unreadable => false,
            What::Empty | What::Kept | What::SharedMemory => true,
            What::Taken { directory, .. } => directory,
        };
        let at = c_path(&path)?;
        steps.push(if names.peek().is_some() || is_directory {
            Step::MakeDirectory { at }
        } else {
            Step::MakeFile { at }
        });
    }
    Ok(())
}

/// Returns the path that a mount can protect; a symbolic link could be pointed elsewhere.
pub(crate) fn protectable(path: &Path) -> io::Result<PathBuf> {
    let found = fs::symlink_metadata(path).map_err(|error| about("protect", path, &error))?;
    if found.file_type().is_symlink() {
        return Err(is_link(path));
    }
    fs::canonicalize(path).map_err(|error| about("protect", path, &error))
}

fn is_link(path: &Path) -> io::Error {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link");
    about("protect", path, &error)
}

fn is_behind_link(path: &Path) -> io::Error {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "a symbolic link leads there");
    about("hide", path, &error)
}

/// Returns where a path leads; what does not exist yet is taken as it is written.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        let (Ok(found), Ok(rest)) = (fs::canonicalize(ancestor), path.strip_prefix(ancestor))
        else {
            continue;
        };
        return if rest.as_os_str().is_empty() {
            found
        } else {
            found.join(rest)
        };
    }
    path.to_owned()
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn about(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("cannot {what} `{}`: {error}", path.display()),
    )
}

#[cfg(test)]
mod tests;
