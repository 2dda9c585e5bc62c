//! Paths of a policy: where they lead, and what is wrong with them.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// Removes `.` and `..` from a path without following symbolic links.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            other => found.push(other),
        }
    }
    found
}

/// Returns the path that a mount can protect. It is not a symbolic link, which could be pointed elsewhere.
pub(crate) fn resolve_protected(path: &Path) -> io::Result<PathBuf> {
    let found = fs::symlink_metadata(path).map_err(|error| path_error("protect", path, &error))?;
    if found.file_type().is_symlink() {
        return Err(link_error(path));
    }
    fs::canonicalize(path).map_err(|error| path_error("protect", path, &error))
}

pub(crate) fn link_error(path: &Path) -> io::Error {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link");
    path_error("protect", path, &error)
}

pub(crate) fn behind_link_error(path: &Path) -> io::Error {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "a symbolic link leads there");
    path_error("hide", path, &error)
}

/// Follows the symbolic links of a path. A part that does not exist yet stays as it is written.
pub(crate) fn resolve_existing(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        let (Ok(found), Ok(rest)) = (fs::canonicalize(ancestor), path.strip_prefix(ancestor))
        else {
            continue;
        };
        return if rest.as_os_str().is_empty() {
            found
        } else {
            found.join(rest)
        };
    }
    path.to_owned()
}

pub(crate) fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

pub(crate) fn path_error(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("cannot {what} `{}`: {error}", path.display()),
    )
}
