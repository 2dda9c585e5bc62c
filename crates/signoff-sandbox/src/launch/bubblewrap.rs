//! A policy as arguments of `bwrap`, for machines where only `bwrap` may make namespaces.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::command::program;
use crate::mounts::paths::{resolve_existing, resolve_protected};
use crate::mounts::steps::TEMPORARY;
use crate::namespaces::process_table::MACHINE_WIDE;
use crate::policy::{Nesting, Network, Policy};

/// Where it is looked for: never in a `PATH` that others may have written.
const DIRECTORIES: &str = "/usr/bin:/bin:/usr/local/bin";

/// Without these, root would keep its capabilities, unmount what protects a path, and write to it.
const ALWAYS: [&str; 14] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--cap-drop",
    "ALL",
    "--new-session",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
];

/// Returns where `bwrap` is.
pub(crate) fn find() -> Option<PathBuf> {
    let path = OsString::from(DIRECTORIES);
    program::find(
        OsStr::new("bwrap"),
        Path::new("/"),
        &[("PATH".into(), path)],
    )
    .ok()
}

/// Returns the arguments of `bwrap`, which stand before the command.
pub(crate) fn arguments(policy: &Policy, cwd: &Path) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    if rustix::process::geteuid().is_root() {
        // `bwrap` covers only those that look writable, but root can write to the others too.
        let covered = MACHINE_WIDE.iter().filter_map(|path| path.to_str().ok());
        for path in covered.filter(|path| Path::new(path).exists()) {
            words.extend(["--ro-bind", path, path].map(OsString::from));
        }
    }
    if policy.network == Network::Off {
        words.push("--unshare-net".into());
    }
    if policy.nesting == Nesting::Denied {
        words.push("--disable-userns".into());
        // Only a nested sandbox needs to write there. Other commands could write to the memory of other processes.
        words.extend(["--remount-ro", "/proc"].map(OsString::from));
    }
    let mut placements = placements(policy)?;
    placements.sort_by_key(|(to, _)| to.components().count());
    words.extend(placements.into_iter().flat_map(|(_, words)| words));
    words.extend(["--chdir".into(), cwd.into(), "--".into()]);
    Ok(words)
}

type Placement = (PathBuf, Vec<OsString>);

fn placements(policy: &Policy) -> io::Result<Vec<Placement>> {
    let mut found = Vec::new();
    for path in &policy.hidden {
        let Ok(at) = fs::canonicalize(path) else {
            continue;
        };
        let mut words: Vec<OsString> = if at.is_dir() {
            vec!["--tmpfs".into()]
        } else {
            vec!["--ro-bind".into(), "/dev/null".into()]
        };
        words.push(at.clone().into());
        found.push((at, words));
    }
    let mut bind = |from: &Path, to: &Path, writable: bool| -> io::Result<()> {
        let option = if writable { "--bind" } else { "--ro-bind" };
        let to = resolve_existing(to);
        let from = fs::canonicalize(from)?;
        found.push((to.clone(), vec![option.into(), from.into(), to.into()]));
        Ok(())
    };
    if let Some(temp) = &policy.temp {
        for at in TEMPORARY.iter().filter(|at| Path::new(at).is_dir()) {
            bind(temp, Path::new(at), true)?;
        }
    }
    for path in &policy.writable {
        bind(path, path, true)?;
    }
    for one in &policy.binds {
        bind(&one.from, &one.to, one.writable)?;
    }
    for path in &policy.read_only {
        let path = resolve_protected(path)?;
        bind(&path, &path, false)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(policy: &Policy) -> String {
        let words = arguments(policy, Path::new("/")).unwrap();
        let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
        words.join(" ")
    }

    #[test]
    fn always_drops_capabilities_and_outer_paths_come_first() {
        let directory = tempfile::tempdir().unwrap();
        let tree = fs::canonicalize(directory.path()).unwrap();
        let policy = Policy {
            writable: vec![tree.clone()],
            temp: Some(tree.clone()),
            ..Policy::default()
        };
        let words = words(&policy);
        for part in [
            "--unshare-user",
            "--cap-drop ALL",
            "--unshare-net",
            "--disable-userns",
            "--remount-ro /proc",
        ] {
            assert!(words.contains(part), "{words}");
        }
        let tree = tree.display();
        let temp = words.find(&format!("--bind {tree} /tmp")).unwrap();
        let own = words.find(&format!("--bind {tree} {tree}")).unwrap();
        assert!(temp < own && words.ends_with("--chdir / --"), "{words}");
    }

    #[test]
    fn leaves_what_is_allowed() {
        let policy = Policy {
            network: Network::On,
            nesting: Nesting::Allowed,
            ..Policy::default()
        };
        let words = words(&policy);
        assert!(!words.contains("--unshare-net") && !words.contains("--disable-userns"));
    }
}
