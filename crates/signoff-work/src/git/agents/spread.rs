//! Spreads worktrees over the file system.

use std::io;
use std::path::Path;

use crate::git::scratch::sibling_path;

/// Asks the file system to place new directories in this one far apart.
///
/// Ext4 does not give the numbers of removed files to new ones for a minute, and looks at all of them again for each new
/// file nearby: a worktree made just after another of 10,000 files was removed there takes seconds. Elsewhere it
/// changes nothing, nor does it matter if it fails.
pub(crate) fn spread_directories(folder: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

    if let Ok(opened) = std::fs::File::open(folder)
        && let Ok(flags) = ioctl_getflags(&opened)
    {
        ioctl_setflags(&opened, flags | IFlags::TOPDIR).ok();
    }
}

/// Makes a directory in one that was [`spread_directories`]. By its name at that moment ext4 chooses where its files will lie, and the
/// steps of the next run have the same names: so it gets another one first.
pub(crate) fn make_apart(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let first = sibling_path(folder, &format!(".{}", std::process::id()));
    std::fs::create_dir_all(&first)?;
    std::fs::rename(&first, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_made_under_its_name_alone_and_kept_if_it_is_there() {
        let above = tempfile::tempdir().unwrap();
        spread_directories(above.path());
        let folder = above.path().join("step");
        make_apart(&folder).unwrap();
        std::fs::write(folder.join("file"), "work").unwrap();
        make_apart(&folder).unwrap();
        let names = |folder: &Path| -> Vec<_> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(names(above.path()), ["step"]);
        assert_eq!(names(&folder), ["file"]);
    }
}
