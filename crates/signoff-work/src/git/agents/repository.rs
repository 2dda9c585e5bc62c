//! The repository that agents find in a worktree: they can commit, and reach nothing of the person's but objects.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::beneath::{Directory, OpenError, remove_tree};
use crate::git::names::{Name, quote};
use crate::git::repository::excludes::pattern;
use crate::git::scratch::copy_open_index;
use crate::git::{GitError, HarnessGit, Id};

/// Makes it anew in this tree, at this commit, with this index. The tree is an agent's: everything is made beneath it.
pub(crate) fn make(
    own: &HarnessGit,
    tree: &Path,
    index: &Path,
    commit: &Id,
    excluded: &[Name],
) -> Result<(), GitError> {
    let directory = tree.join(".git");
    remove_tree(&directory).map_err(GitError::file(&directory))?;
    let open = || -> Result<Directory, OpenError> {
        let root = Directory::open(tree)?;
        for folder in ["objects/info", "objects/pack", "refs/heads", "info"] {
            root.create_directory(&Path::new(".git").join(folder))?;
        }
        root.directory(Path::new(".git"))
    };
    let made = open().map_err(open_error(&directory))?;
    let mut ignored = own.excludes()?;
    for name in excluded {
        ignored.extend(pattern(name));
    }
    let files = [
        ("HEAD", b"ref: refs/heads/signoff\n".to_vec()),
        ("refs/heads/signoff", format!("{commit}\n").into_bytes()),
        (
            "config",
            own.repository.info.settings.agent_config().into_bytes(),
        ),
        ("info/exclude", ignored),
        (
            "objects/info/alternates",
            alternate(own.repository.objects()),
        ),
    ];
    let shallow = own.shallow_commits().map(|commits| ("shallow", commits));
    for (name, content) in files.into_iter().chain(shallow) {
        let path = directory.join(name);
        let mut file = made
            .create_file(Path::new(name))
            .map_err(open_error(&path))?;
        file.write_all(&content).map_err(GitError::file(&path))?;
    }
    let path = directory.join("index");
    let file = made
        .create_file(Path::new("index"))
        .map_err(open_error(&path))?;
    let source = File::open(index).map_err(GitError::file(index))?;
    copy_open_index(source, file).map_err(GitError::file(&path))
}

fn open_error(path: &Path) -> impl FnOnce(OpenError) -> GitError + use<> {
    let open_error = GitError::file(path);
    |error| open_error(error.into())
}

/// A line that git reads as this path.
pub(crate) fn alternate(objects: &Path) -> Vec<u8> {
    let bytes = objects.as_os_str().as_bytes();
    let mut line = if bytes.contains(&b'\n') {
        quote(bytes).into_bytes()
    } else {
        bytes.to_vec()
    };
    line.push(b'\n');
    line
}
