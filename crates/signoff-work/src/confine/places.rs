//! Where services listen and programs are, outside of a home.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where services listen: docker, D-Bus, agents of keys, containers.
const SOCKETS: [&str; 4] = [
    "/run",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
];

pub(super) fn sockets() -> Vec<PathBuf> {
    SOCKETS.iter().map(PathBuf::from).collect()
}

/// Where programs are, and how names are resolved; without links.
pub(super) fn programs(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let names = Path::new("/etc/resolv.conf").canonicalize().ok();
    let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    let entries = entries.filter_map(|entry| entry.canonicalize().ok());
    entries.filter(|entry| entry.is_dir()).chain(names)
}
