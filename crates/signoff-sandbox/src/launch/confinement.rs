//! What a level makes of a policy.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::MemfdFlags;

use crate::after_fork::descriptors::{self, FILTER};
use crate::command::error::StartError;
use crate::command::program::{self, Usable};
use crate::confine::landlock;
use crate::confine::seccomp::{self, Filter};
use crate::launch::bubblewrap;
use crate::mounts::view::{self, Entry, MountView, Source};
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::spec::NamespaceSpec;
use crate::policy::level::Level;
use crate::policy::{Network, Policy};

/// How a command is changed to be confined.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    /// Executed in place of the command.
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) namespaces: Option<NamespaceSpec>,
    pub(crate) rules: Option<Arc<OwnedFd>>,
    /// System calls that are refused to it.
    pub(crate) filter: Option<&'static Filter>,
    /// The same, for a wrapper to read from the descriptor that it was told.
    pub(crate) filter_file: Option<OwnedFd>,
    /// Whether the process gives up all capabilities before it becomes what it is to be.
    pub(crate) drops_privileges: bool,
}

/// A program that confines another one.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) program: PathBuf,
    /// Stands in place of the command's own name.
    pub(crate) before: Vec<OsString>,
}

/// Finds the file to execute. A program of an overlay may not be on the host, or be another one there.
pub(crate) fn find_program(
    program: &OsStr,
    cwd: &Path,
    env: &[(OsString, OsString)],
    policy: Option<&Policy>,
) -> Result<PathBuf, StartError> {
    let overlaid = policy.filter(|policy| !policy.overlays.is_empty());
    let Some(view) = overlaid.map(MountView::new) else {
        return program::find(program, cwd, env);
    };
    program::find_by(program, cwd, env, |path| match view.locate(path).1 {
        Source::Host(from) => program::usable(&from),
        Source::Overlay(overlay, inner) => match view::look_up(overlay, &inner) {
            Ok(Entry::File(file)) => program::usable(&file),
            // Where it leads is known when it is executed.
            Ok(Entry::Link(_)) => Usable::Yes,
            Ok(Entry::BehindLink) => program::usable(path),
            Ok(Entry::Directory) => Usable::No,
            Ok(Entry::Missing) | Err(_) => Usable::Missing,
        },
    })
}

pub(crate) fn confine(
    level: Level,
    (policy, kept): (&Policy, Option<&KeptMounts>),
    cwd: &Path,
    program: &Path,
) -> io::Result<Confinement> {
    if level != Level::Namespaces && !policy.overlays.is_empty() {
        return Err(no_overlays(level));
    }
    match level {
        Level::None => Ok(Confinement::default()),
        Level::Landlock => Ok(Confinement {
            rules: Some(Arc::new(landlock::rules(policy)?)),
            filter: seccomp::filter(policy.nesting, policy.tracing),
            drops_privileges: true,
            ..Confinement::default()
        }),
        Level::Bubblewrap => wrapped(policy, cwd, program),
        Level::Namespaces => Ok(Confinement {
            namespaces: Some(NamespaceSpec::new(policy, kept)?),
            rules: scope(policy),
            filter: seccomp::filter(policy.nesting, policy.tracing),
            drops_privileges: true,
            ..Confinement::default()
        }),
    }
}

fn no_overlays(level: Level) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("overlays need the level `namespaces`, and the command is confined at `{level}`"),
    )
}

/// Offline it has sockets without a path of its own; online those of the whole machine are in reach.
fn scope(policy: &Policy) -> Option<Arc<OwnedFd>> {
    match policy.network {
        Network::Off => None,
        Network::On => landlock::scope(),
    }
}

fn wrapped(policy: &Policy, cwd: &Path, program: &Path) -> io::Result<Confinement> {
    let Some(bwrap) = bubblewrap::find() else {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "`bwrap` is not installed",
        ));
    };
    let filter = seccomp::filter(policy.nesting, policy.tracing);
    let filter_file = filter.map(filter_file).transpose()?;
    let mut before = vec![bwrap.clone().into()];
    if filter_file.is_some() {
        before.extend(["--seccomp".into(), FILTER.to_string().into()]);
    }
    before.extend(bubblewrap::arguments(policy, cwd)?);
    // The file that was found, rather than a name to be looked up again.
    before.push(cwd.join(program).into());
    Ok(Confinement {
        wrapper: Some(Wrapper {
            program: bwrap,
            before,
        }),
        rules: scope(policy),
        filter_file,
        ..Confinement::default()
    })
}

/// Puts a filter where `bwrap` reads it.
fn filter_file(filter: &Filter) -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create(c"filter", MemfdFlags::CLOEXEC)?;
    let mut file = fs::File::from(file);
    file.write_all(&seccomp::to_bytes(filter))?;
    file.rewind()?;
    descriptors::raise_above_reserved(file.into())
}
