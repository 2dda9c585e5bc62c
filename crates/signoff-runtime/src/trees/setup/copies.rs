//! Copies files of the checkout into a new worktree: `[run] copy`.
//!
//! Both sides may hold links that somebody committed. Nothing is read or written behind one: a link is copied as a
//! link, and what lies below a link is passed over.

use std::fs::{self, FileType};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use signoff_plan::glob;
use signoff_work::beneath::remove_tree;

/// Copies what these paths and patterns name, relative to both. What is not there is not copied.
pub(crate) fn copy(wanted: &[String], from: &Path, to: &Path) -> Result<(), String> {
    for wanted in wanted {
        let plain = wanted.trim_end_matches('/');
        let found = if is_pattern(plain) {
            matching(from, Path::new(""), plain)
        } else {
            vec![PathBuf::from(plain)]
        };
        for path in found.iter().filter(|path| is_ours_to_copy(path)) {
            copy_path(from, to, path)
                .map_err(|why| format!("`{}` cannot be copied: {why}", path.display()))?;
        }
    }
    Ok(())
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Paths below `run_root` that fit the pattern. Links are not followed.
fn matching(root: &Path, below: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(root.join(below)).into_iter().flatten();
    for entry in entries.flatten() {
        let path = below.join(entry.file_name());
        if !is_ours_to_copy(&path) {
            continue;
        }
        if glob::matches(pattern, &path.to_string_lossy()) {
            found.push(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(matching(root, &path, pattern));
        }
    }
    found.sort();
    found
}

/// Repositories and stores have one place each; a path that leads out has none.
fn is_ours_to_copy(path: &Path) -> bool {
    path.components().all(|part| match part {
        Component::Normal(name) => name != ".git" && name != ".signoff",
        Component::CurDir => true,
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    })
}

/// Copies a file, a link as a link, a directory with what is in it.
fn copy_path(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    let Some(kind) = kind_behind_no_link(from, path)? else {
        return Ok(());
    };
    let (source, target) = (from.join(path), to.join(path));
    if !(kind.is_symlink() || kind.is_dir() || kind.is_file()) || !has_folders(to, path)? {
        return Ok(());
    }
    if kind.is_dir() {
        make_folder(&target)?;
        for entry in fs::read_dir(source)? {
            let inner = path.join(entry?.file_name());
            if is_ours_to_copy(&inner) {
                copy_path(from, to, &inner)?;
            }
        }
        return Ok(());
    }
    // Written through, a link that git put there would change what it leads to.
    clear(&target)?;
    if kind.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(source)?, target)
    } else {
        fs::copy(source, target).map(|_| ())
    }
}

/// What is at the path; nothing, if it is not there or a part above it is not a directory.
fn kind_behind_no_link(root: &Path, path: &Path) -> io::Result<Option<FileType>> {
    let mut at = root.to_owned();
    let mut last = None;
    for part in path.components() {
        if last.is_some_and(|kind: FileType| !kind.is_dir()) {
            return Ok(None);
        }
        at.push(part);
        last = kind(&at)?;
        if last.is_none() {
            return Ok(None);
        }
    }
    Ok(last)
}

/// Makes the directories above the path. Returns `false` if one of them is a link: it was committed, and stays.
fn has_folders(root: &Path, path: &Path) -> io::Result<bool> {
    let mut at = root.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        at.push(part);
        match kind(&at)? {
            Some(kind) if kind.is_dir() => {}
            Some(kind) if kind.is_symlink() => return Ok(false),
            Some(_) | None => make_folder(&at)?,
        }
    }
    Ok(true)
}

fn make_folder(path: &Path) -> io::Result<()> {
    match kind(path)? {
        Some(kind) if kind.is_dir() => return Ok(()),
        Some(_) => fs::remove_file(path)?,
        None => {}
    }
    fs::create_dir(path)
}

/// Takes away what is there.
fn clear(path: &Path) -> io::Result<()> {
    match kind(path)? {
        Some(kind) if kind.is_dir() => remove_tree(path),
        Some(_) => fs::remove_file(path),
        None => Ok(()),
    }
}

fn kind(path: &Path) -> io::Result<Option<FileType>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Sides {
        _folder: tempfile::TempDir,
        from: PathBuf,
        to: PathBuf,
        elsewhere: PathBuf,
    }

    fn sides() -> Sides {
        let folder = tempfile::tempdir().unwrap();
        let [from, to, elsewhere] = ["from", "to", "elsewhere"].map(|name| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        });
        Sides {
            _folder: folder,
            from,
            to,
            elsewhere,
        }
    }

    fn write(root: &Path, path: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "copied").unwrap();
    }

    impl Sides {
        #[track_caller]
        fn copy(&self, wanted: &[&str]) {
            let wanted: Vec<String> = wanted.iter().map(|text| (*text).to_owned()).collect();
            copy(&wanted, &self.from, &self.to).unwrap();
        }

        /// Every file and link that arrived.
        fn arrived(&self) -> Vec<String> {
            let mut found = Vec::new();
            let mut open = vec![self.to.clone()];
            while let Some(folder) = open.pop() {
                for entry in fs::read_dir(folder).unwrap() {
                    let entry = entry.unwrap();
                    if entry.file_type().unwrap().is_dir() {
                        open.push(entry.path());
                    } else {
                        let path = entry.path();
                        let path = path.strip_prefix(&self.to).unwrap();
                        found.push(path.to_string_lossy().into_owned());
                    }
                }
            }
            found.sort();
            found
        }
    }

    #[test]
    fn paths_and_patterns_are_copied_and_what_is_missing_is_not() {
        let sides = sides();
        for path in [".env", "config/a.key", "config/b.txt", "deps/x/y"] {
            write(&sides.from, path);
        }
        symlink("x/y", sides.from.join("deps/link")).unwrap();
        sides.copy(&[".env", "config/*.key", "deps/", "absent", "absent/*"]);
        let expected = [".env", "config/a.key", "deps/link", "deps/x/y"];
        assert_eq!(sides.arrived(), expected);
        let link = fs::read_link(sides.to.join("deps/link")).unwrap();
        assert_eq!(link, Path::new("x/y"));
    }

    #[test]
    fn no_repository_and_no_store_is_copied_at_any_depth() {
        let sides = sides();
        for path in ["a/.git/config", "a/b/.signoff/x", "a/b/c", ".git/config"] {
            write(&sides.from, path);
        }
        sides.copy(&["a", "**/config", "*/.git/config", "a/.git/config", ".git"]);
        assert_eq!(sides.arrived(), ["a/b/c"]);
    }

    #[test]
    fn nothing_is_read_behind_a_link() {
        let sides = sides();
        write(&sides.elsewhere, "secret");
        symlink(&sides.elsewhere, sides.from.join("linked")).unwrap();
        sides.copy(&["linked/secret", "linked/*", "../elsewhere/secret"]);
        assert_eq!(sides.arrived(), [""; 0]);
    }

    #[test]
    fn nothing_is_written_behind_a_link() {
        let sides = sides();
        write(&sides.from, "config/a.key");
        write(&sides.from, ".env");
        symlink(&sides.elsewhere, sides.to.join("config")).unwrap();
        fs::write(sides.elsewhere.join("env"), "theirs").unwrap();
        symlink(sides.elsewhere.join("env"), sides.to.join(".env")).unwrap();
        sides.copy(&["config/a.key", ".env"]);
        assert!(!sides.elsewhere.join("a.key").exists());
        // Somebody committed it: what is below it is not ours to put elsewhere.
        assert!(sides.to.join("config").is_symlink());
        let theirs = fs::read_to_string(sides.elsewhere.join("env")).unwrap();
        assert_eq!(theirs, "theirs");
        // The link itself is replaced: what was named is there, as it is in the checkout.
        let env = fs::symlink_metadata(sides.to.join(".env")).unwrap();
        assert!(env.is_file());
    }

    #[test]
    fn a_directory_takes_the_place_of_a_link() {
        let sides = sides();
        write(&sides.from, "deps/x");
        symlink(&sides.elsewhere, sides.to.join("deps")).unwrap();
        sides.copy(&["deps"]);
        assert_eq!(sides.arrived(), ["deps/x"]);
        assert!(!sides.elsewhere.join("x").exists());
    }
}
