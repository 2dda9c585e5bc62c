//! Where control groups that limit a command's memory can be made, found by moving a process into one.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::after_fork::descriptors;
use crate::command::{Command, Limits, Stdin};
use crate::confine::memory_group::{self, GroupParent, MIN_LIMIT, MemoryGroup};
use crate::launch::launcher::Launcher;
use crate::policy::level::Level;

/// Makes a group with a limit, and returns the file to which a process writes `0` in order to join. `None` where no
/// groups can be made.
pub(crate) fn make_group(limit: u64) -> io::Result<Option<(MemoryGroup, OwnedFd)>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let Some(parent) = parent() else {
        return Ok(None);
    };
    memory_group::remove_leftover_groups();
    let name = NEXT.fetch_add(1, Ordering::Relaxed);
    let made = parent.make(&name.to_string(), limit);
    let (group, entry) = made.map_err(|error| {
        let text = format!("cannot make a control group for its memory: {error}");
        io::Error::new(error.kind(), text)
    })?;
    Ok(Some((
        group,
        descriptors::raise_above_reserved(entry.into())?,
    )))
}

/// Whether the processes of a command can be limited together.
pub(crate) fn has_groups() -> bool {
    parent().is_some()
}

/// Returns where groups can be made. Tried once per process.
fn parent() -> Option<&'static GroupParent> {
    static PARENT: OnceLock<Option<GroupParent>> = OnceLock::new();
    PARENT
        .get_or_init(|| {
            let found = memory_group::group_parents().into_iter().find(try_parent)?;
            found.remove_abandoned();
            Some(found)
        })
        .as_ref()
}

/// Makes a group and moves a held process into it, which never becomes a command; returns whether that works.
fn try_parent(parent: &GroupParent) -> bool {
    let Ok((_group, entry)) = parent.make("trial", MIN_LIMIT) else {
        return false;
    };
    move_process(entry).is_ok()
}

fn move_process(mut entry: File) -> io::Result<()> {
    let launcher = Launcher::new()?;
    let held = launcher.hold(shell(), || Ok(Level::None));
    let held = held.map_err(io::Error::other)?;
    write!(entry, "{}", held.identity().pid)
}

fn shell() -> Command {
    Command {
        argv: vec!["/bin/sh".into()],
        cwd: "/".into(),
        env: Vec::new(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: None,
            output: 0,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}
