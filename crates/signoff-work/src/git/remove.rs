//! Removes a tree that somebody else wrote.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Removes whatever is there, without following links; nothing there is fine.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            give_rights(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Gives the owner the rights to read and write that somebody took; whether any were missing.
pub(super) fn give_rights(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() && !found.is_file() {
        return Ok(false);
    }
    let needed = if found.is_dir() { 0o700 } else { 0o600 };
    let mode = found.permissions().mode();
    let mut given = mode & needed != needed;
    if given {
        fs::set_permissions(path, Permissions::from_mode(mode | needed))?;
    }
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            given |= give_rights(&entry?.path())?;
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_that_were_taken_are_given_back() {
        let place = tempfile::tempdir().unwrap();
        let (tree, outside) = (place.path().join("tree"), place.path().join("outside"));
        for folder in [&tree.join("a/b"), &outside] {
            fs::create_dir_all(folder).unwrap();
            fs::set_permissions(folder, Permissions::from_mode(0o500)).unwrap();
        }
        fs::set_permissions(tree.join("a"), Permissions::from_mode(0o000)).unwrap();
        std::os::unix::fs::symlink(&outside, tree.join("link")).unwrap();
        assert!(give_rights(&tree).unwrap());
        assert!(!give_rights(&tree).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree.join("a")), 0o700);
        assert_eq!(mode(&tree.join("a/b")), 0o700);
        assert_eq!(mode(&outside), 0o500);
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.exists());
        remove_tree(&tree).unwrap();
    }
}
