//! Files and directories, measured and deleted. No link is followed.

use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_store::atomic;
use signoff_work::beneath::remove_tree;

use crate::error::Error;
use crate::plans::index::is_real;

/// Bytes of a file, or of everything in a directory.
pub(super) fn size(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else {
        return 0;
    };
    if !found.is_dir() {
        return found.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

/// Deletes it. What lies behind a link is somebody else's.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    if !path.parent().is_some_and(is_real) {
        let path = path.to_owned();
        return Err(Error::LeadsAway { path });
    }
    let found = path.symlink_metadata().map_err(cannot_read(path))?;
    if found.is_dir() {
        return remove_tree(path).map_err(cannot_read(path));
    }
    Ok(atomic::remove(path)?)
}

/// What is in a directory; nothing, if there is none.
pub(super) fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot_read(directory))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(cannot_read(directory))?.path());
    }
    paths.sort();
    Ok(paths)
}

fn cannot_read(path: &Path) -> impl Fn(io::Error) -> Error {
    move |why| Error::Unreadable {
        path: path.to_owned(),
        why,
    }
}
