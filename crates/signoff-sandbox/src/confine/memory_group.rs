//! A control group that limits the memory of all processes of a command together.
//!
//! It is made below our own group, or beside it where only that is possible: in version 2 only a group whose parent has
//! no processes can have a limit. Where neither works, each process has a limit of its own.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{io, process};

/// With less, a command could not even start.
pub(crate) const MIN_LIMIT: u64 = 16 << 20;

/// Groups that could not be removed yet.
static UNREMOVED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How a version of control groups names its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupParent {
    version: Version,
    directory: PathBuf,
}

/// The group of one command. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct MemoryGroup(PathBuf);

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // Its processes are gone, except one that is stuck in the kernel.
        if fs::remove_dir(&self.0).is_err() {
            let mut left = UNREMOVED.lock().unwrap_or_else(PoisonError::into_inner);
            left.push(self.0.clone());
        }
    }
}

/// Removes the groups that could not be removed when they were dropped.
pub(crate) fn remove_leftover_groups() {
    let mut left = UNREMOVED.lock().unwrap_or_else(PoisonError::into_inner);
    left.retain(|path| fs::remove_dir(path).is_err());
}

impl GroupParent {
    /// Makes a group with a limit, and returns the file to which a process writes `0` in order to join.
    pub(crate) fn make(&self, name: &str, limit: u64) -> io::Result<(MemoryGroup, File)> {
        let path = self
            .directory
            .join(format!("{PREFIX}{}-{name}", process::id()));
        fs::create_dir(&path)?;
        let group = MemoryGroup(path);
        let write = |file: &str, text: String| write_existing(&group.0.join(file), &text);
        let limit = limit.max(MIN_LIMIT).to_string();
        match self.version {
            Version::One => {
                write("memory.limit_in_bytes", limit.clone())?;
                // Works only where the kernel accounts for swap.
                write("memory.memsw.limit_in_bytes", limit).ok();
            }
            Version::Two => {
                write("memory.max", limit)?;
                write("memory.swap.max", "0".to_owned()).ok();
            }
        }
        let entry = File::options()
            .write(true)
            .open(group.0.join("cgroup.procs"))?;
        Ok((group, entry))
    }

    /// Removes groups that crashed processes of this program left.
    pub(crate) fn remove_abandoned(&self) {
        for entry in fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            let owner = owner.and_then(|rest| rest.split('-').next());
            if owner.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
                // The kernel refuses while a process is in it.
                fs::remove_dir(entry.path()).ok();
            }
        }
    }
}

const PREFIX: &str = "signoff-memory-";

/// Writes a file that exists. Making one in a directory without control groups would look like success.
fn write_existing(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Returns the directories below which this process may have groups with a limit on memory, the best first.
pub(crate) fn group_parents() -> Vec<GroupParent> {
    let read = |path| fs::read_to_string(path).ok();
    let found = read("/proc/self/cgroup").zip(read("/proc/self/mountinfo"));
    found.map_or_else(Vec::new, |(groups, mounts)| candidates(&groups, &mounts))
}

/// Returns the directories that may have groups with a limit on memory below, the best first.
fn candidates(groups: &str, mounts: &str) -> Vec<GroupParent> {
    let one = own_group(groups, |names| {
        names.split(',').any(|name| name == "memory")
    });
    let two = own_group(groups, str::is_empty);
    let one = one.and_then(|group| directory(mounts, group, "cgroup", Some("memory")));
    let two = two.and_then(|group| directory(mounts, group, "cgroup2", None));
    let above = two.as_deref().and_then(Path::parent).map(Path::to_owned);
    let version = |version| move |directory| GroupParent { version, directory };
    let one = one.into_iter().map(version(Version::One));
    one.chain(two.into_iter().chain(above).map(version(Version::Two)))
        .collect()
}

/// Returns the path of our group in the hierarchy with these controllers.
fn own_group(groups: &str, is_meant: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        is_meant(controllers).then_some(path)
    })
}

/// Returns where a group is found in the file system.
fn directory(mounts: &str, group: &str, kind: &str, option: Option<&str>) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (mount, of_kind) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (root, at) = (mount.next()?, mount.next()?);
        let mut of_kind = of_kind.split(' ');
        let is_kind = of_kind.next()? == kind;
        let options = of_kind.nth(1)?;
        let has_option = option.is_none_or(|option| options.split(',').any(|one| one == option));
        let inner = Path::new(group).strip_prefix(root).ok()?;
        (is_kind && has_option).then(|| Path::new(at).join(inner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_its_own_group_in_both_versions() {
        let groups = "4:cpu,memory:/a/b\n1:name=systemd:/\n0::/user/scope\n";
        let mounts = "30 24 0:27 /a /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n\
                      31 24 0:28 / /sys/fs/cgroup/unified rw shared:4 - cgroup2 cgroup2 rw\n";
        let found: Vec<(Version, String)> = candidates(groups, mounts)
            .into_iter()
            .map(|parent| (parent.version, parent.directory.display().to_string()))
            .collect();
        let expected = [
            (Version::One, "/sys/fs/cgroup/memory/b"),
            (Version::Two, "/sys/fs/cgroup/unified/user/scope"),
            (Version::Two, "/sys/fs/cgroup/unified/user"),
        ];
        assert_eq!(
            found,
            expected.map(|(version, path)| (version, path.to_owned()))
        );
        assert_eq!(candidates("", mounts), []);
    }
}
