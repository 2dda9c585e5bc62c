//! What a level makes of a policy.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::enclosure::Enclosure;
use crate::level::Level;
use crate::policy::{Network, Policy};
use crate::{bubblewrap, landlock};

/// How a command is changed to be confined.
#[derive(Debug, Default)]
pub(crate) struct Confined {
    /// Executed in place of the command.
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) enclosure: Option<Enclosure>,
    pub(crate) rules: Option<Arc<OwnedFd>>,
    /// Whether the process gives up all capabilities before it becomes what it is to be.
    pub(crate) gives_up: bool,
}

/// A program that confines another one.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) program: PathBuf,
    /// Stands in place of the command's own name.
    pub(crate) before: Vec<OsString>,
}

pub(crate) fn confine(
    level: Level,
    policy: &Policy,
    cwd: &Path,
    program: &Path,
) -> io::Result<Confined> {
    match level {
        Level::None => Ok(Confined::default()),
        Level::Landlock => Ok(Confined {
            rules: Some(Arc::new(landlock::rules(policy)?)),
            gives_up: true,
            ..Confined::default()
        }),
        Level::Bubblewrap => wrapped(policy, cwd, program),
        Level::Namespaces => Ok(Confined {
            enclosure: Some(Enclosure::new(policy)?),
            rules: scope(policy),
            gives_up: true,
            ..Confined::default()
        }),
    }
}

/// Offline it has sockets without a path of its own; online those of the whole machine are in reach.
fn scope(policy: &Policy) -> Option<Arc<OwnedFd>> {
    match policy.network {
        Network::Off => None,
        Network::On => landlock::scope(),
    }
}

fn wrapped(policy: &Policy, cwd: &Path, program: &Path) -> io::Result<Confined> {
    let Some(bwrap) = bubblewrap::find() else {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "`bwrap` is not installed",
        ));
    };
    let mut before = vec![bwrap.clone().into()];
    before.extend(bubblewrap::arguments(policy, cwd)?);
    // The file that was found, rather than a name to be looked up again.
    before.push(cwd.join(program).into());
    Ok(Confined {
        wrapper: Some(Wrapper {
            program: bwrap,
            before,
        }),
        rules: scope(policy),
        ..Confined::default()
    })
}
