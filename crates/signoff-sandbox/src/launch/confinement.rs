//! How each level enforces a policy.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::MemfdFlags;

use crate::after_fork::descriptors::{self, FILTER};
use crate::command::error::StartError;
use crate::command::program::{self, Executability};
use crate::confine::landlock;
use crate::confine::seccomp::{self, Filter};
use crate::launch::bubblewrap;
use crate::mounts::view::{self, Entry, MountSource, MountView};
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::spec::NamespaceSpec;
use crate::policy::level::Level;
use crate::policy::{Network, Policy};

/// What is done to a command to confine it.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    /// Executed instead of the command.
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) namespaces: Option<NamespaceSpec>,
    pub(crate) rules: Option<Arc<OwnedFd>>,
    /// The system call filter that the command's process installs.
    pub(crate) filter: Option<&'static Filter>,
    /// The system call filter that the wrapper installs.
    pub(crate) filter_file: Option<OwnedFd>,
    /// Whether the command's process drops all capabilities before it executes the program.
    pub(crate) drops_privileges: bool,
}

/// A program that confines another one.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) program: PathBuf,
    /// Its arguments, which stand before those of the command.
    pub(crate) argv: Vec<OsString>,
}

/// Finds the file to execute. At a path in an overlay the host may have no file, or another one.
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
        MountSource::Host(from) => program::executability(&from),
        MountSource::Overlay(overlay, inner) => match view::look_up(overlay, &inner) {
            Ok(Entry::File(file)) => program::executability(&file),
            // Where it leads is known only when it is executed.
            Ok(Entry::Link(_)) => Executability::Yes,
            Ok(Entry::BehindLink) => program::executability(path),
            Ok(Entry::Directory) => Executability::No,
            Ok(Entry::Missing) | Err(_) => Executability::Missing,
        },
    })
}

pub(crate) fn confine(
    level: Level,
    policy: &Policy,
    kept: Option<&KeptMounts>,
    cwd: &Path,
    program: &Path,
) -> io::Result<Confinement> {
    if level != Level::Namespaces && !policy.overlays.is_empty() {
        return Err(overlay_error(level));
    }
    match level {
        Level::None => Ok(Confinement::default()),
        Level::Landlock => Ok(Confinement {
            rules: Some(Arc::new(landlock::rules(policy)?)),
            filter: seccomp::filter(policy.nesting, policy.tracing),
            drops_privileges: true,
            ..Confinement::default()
        }),
        Level::Bubblewrap => confine_by_bwrap(policy, cwd, program),
        Level::Namespaces => Ok(Confinement {
            namespaces: Some(NamespaceSpec::new(policy, kept)?),
            rules: socket_scope(policy),
            filter: seccomp::filter(policy.nesting, policy.tracing),
            drops_privileges: true,
            ..Confinement::default()
        }),
    }
}

fn overlay_error(level: Level) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("overlays need the level `namespaces`, and the command is confined at `{level}`"),
    )
}

/// A command with a network of its own has abstract sockets of its own; otherwise it could reach the machine's.
fn socket_scope(policy: &Policy) -> Option<Arc<OwnedFd>> {
    match policy.network {
        Network::Off => None,
        Network::On => landlock::socket_scope(),
    }
}

fn confine_by_bwrap(policy: &Policy, cwd: &Path, program: &Path) -> io::Result<Confinement> {
    let Some(bwrap) = bubblewrap::find() else {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "`bwrap` is not installed",
        ));
    };
    let filter = seccomp::filter(policy.nesting, policy.tracing);
    let filter_file = filter.map(filter_file).transpose()?;
    let mut argv = vec![bwrap.clone().into()];
    if filter_file.is_some() {
        argv.extend(["--seccomp".into(), FILTER.to_string().into()]);
    }
    argv.extend(bubblewrap::arguments(policy, cwd)?);
    // The file that was found, so that `bwrap` does not look it up again.
    argv.push(cwd.join(program).into());
    Ok(Confinement {
        wrapper: Some(Wrapper {
            program: bwrap,
            argv,
        }),
        rules: socket_scope(policy),
        filter_file,
        ..Confinement::default()
    })
}

/// Returns a file from which `bwrap` reads the filter.
fn filter_file(filter: &Filter) -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create(c"filter", MemfdFlags::CLOEXEC)?;
    let mut file = fs::File::from(file);
    file.write_all(&seccomp::to_bytes(filter))?;
    file.rewind()?;
    descriptors::raise_above_reserved(file.into())
}
