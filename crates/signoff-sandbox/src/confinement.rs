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
            ..Confined::default()
        }),
        Level::Bubblewrap => wrapped(policy, cwd, program),
        Level::Namespaces => Ok(Confined {
            enclosure: Some(Enclosure::new(policy)?),
            rules: match policy.network {
                // It has sockets without a path of its own then.
                Network::Off => None,
                Network::On => landlock::scope(),
            },
            ..Confined::default()
        }),
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
        ..Confined::default()
    })
}
