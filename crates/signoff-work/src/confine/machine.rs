//! Where services listen and programs are, outside of a home.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where services listen: docker, D-Bus, agents of keys, containers.
const SOCKETS: [&str; 4] = [
    "/run",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
];

/// Files of the machine that only root may read: root reads them whatever its capabilities are.
const OF_ROOT: [&str; 20] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/security/opasswd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/var/lib/sss/secrets",
    "/etc/NetworkManager/system-connections",
    "/etc/docker/key.json",
    "/etc/ipsec.secrets",
    "/etc/krb5.keytab",
    "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/pki",
    "/etc/letsencrypt",
    "/etc/pki/tls/private",
    "/etc/rancher/k3s/k3s.yaml",
    "/etc/ssl/private",
    "/etc/wireguard",
    "/var/lib/kubelet/pki",
];

/// Keys and passwords of the machine, which only have to be hidden from root.
pub(super) fn secrets_of_machine() -> Vec<PathBuf> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0);
    if !is_root {
        return Vec::new();
    }
    let keys = fs::read_dir("/etc/ssh").into_iter().flatten().flatten();
    let keys = keys.map(|entry| entry.path());
    let keys = keys.filter(|path| path.to_string_lossy().ends_with("_key"));
    let known = OF_ROOT.iter().map(PathBuf::from);
    known.filter(|path| path.exists()).chain(keys).collect()
}

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
