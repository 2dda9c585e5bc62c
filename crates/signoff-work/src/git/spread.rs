//! Where the file system puts worktrees.

use std::path::Path;

/// Has directories made in this one lie far apart from each other.
///
/// Ext4 does not give the numbers of removed files to new ones for a minute, and looks at all of them again for each new
/// file nearby: a worktree made just after another of 10,000 files was removed there takes seconds. Elsewhere it
/// changes nothing, nor does it matter if it fails.
#[cfg(target_os = "linux")]
pub(super) fn spread(folder: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

    if let Ok(opened) = std::fs::File::open(folder)
        && let Ok(flags) = ioctl_getflags(&opened)
    {
        ioctl_setflags(&opened, flags | IFlags::TOPDIR).ok();
    }
}

/// Other systems have no such setting.
#[cfg(not(target_os = "linux"))]
pub(super) fn spread(_folder: &Path) {}
