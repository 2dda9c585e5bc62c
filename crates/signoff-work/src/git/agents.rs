//! The repository that agents find in a worktree: they can commit, and reach nothing of the person's but objects.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::names::{Name, quoted};
use super::remove::remove_tree;
use super::scratch::copy_index;
use super::{GitError, Id, Own};

/// Makes it anew in this tree, at this commit, with this index.
pub(super) fn make(
    own: &Own,
    tree: &Path,
    index: &Path,
    commit: &Id,
    excluded: &[Name],
) -> Result<(), GitError> {
    let directory = tree.join(".git");
    remove_tree(&directory).map_err(GitError::file(&directory))?;
    for folder in ["objects/info", "objects/pack", "refs/heads", "info"] {
        let path = directory.join(folder);
        fs::create_dir_all(&path).map_err(GitError::file(&path))?;
    }
    let mut ignored = own.excludes();
    for name in excluded {
        ignored.extend(pattern(name));
    }
    let files = [
        ("HEAD", b"ref: refs/heads/signoff\n".to_vec()),
        ("refs/heads/signoff", format!("{commit}\n").into_bytes()),
        (
            "config",
            own.repository.found.settings.agents().into_bytes(),
        ),
        ("info/exclude", ignored),
        (
            "objects/info/alternates",
            alternate(own.repository.objects()),
        ),
    ];
    let shallow = own.shallow().map(|commits| ("shallow", commits));
    for (name, content) in files.into_iter().chain(shallow) {
        let path = directory.join(name);
        fs::write(&path, content).map_err(GitError::file(&path))?;
    }
    let copy = directory.join("index");
    copy_index(index, &copy).map_err(GitError::file(&copy))
}

/// A line that git reads as this path.
fn alternate(objects: &Path) -> Vec<u8> {
    let bytes = objects.as_os_str().as_bytes();
    let mut line = if bytes.contains(&b'\n') {
        quoted(bytes).into_bytes()
    } else {
        bytes.to_vec()
    };
    line.push(b'\n');
    line
}

/// A line that ignores exactly this path. A line feed in it cannot be written, but any one character can.
fn pattern(name: &[u8]) -> Vec<u8> {
    let mut line = b"/".to_vec();
    for byte in name {
        match byte {
            b'\n' | b'\r' => line.push(b'?'),
            b'*' | b'?' | b'[' | b'\\' | b' ' => line.extend([b'\\', *byte]),
            _ => line.push(*byte),
        }
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_pattern_means_one_path() {
        for (name, line) in [
            ("target", "/target\n"),
            ("#a/!b", "/#a/!b\n"),
            ("a*[b] ", "/a\\*\\[b]\\ \n"),
            ("a\nb", "/a?b\n"),
        ] {
            assert_eq!(pattern(name.as_bytes()), line.as_bytes());
        }
    }
}
