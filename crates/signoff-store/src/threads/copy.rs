//! A directory of files, replaced as a whole: whoever looks sees all of the old one or all of the
//! new one, and what somebody else wrote into it is never lost.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::files::atomic::remove_whole;
use crate::files::hash::sha256_hex;
use crate::files::{FileError, atomic, failpoint};

/// Files by their paths inside a directory.
pub type Files = Vec<(String, Vec<u8>)>;

/// A hash over the names and bytes of all files.
pub fn hash(files: &Files) -> String {
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort();
    let lines = sorted.into_iter().map(|(name, bytes)| {
        let (name, bytes) = (sha256_hex(name.as_bytes()), sha256_hex(bytes));
        format!("{name} {bytes}\n")
    });
    sha256_hex(lines.collect::<String>().as_bytes())
}

/// The hash of what is on disk; `None` when nothing is there.
pub fn directory_hash(directory: &Path) -> Result<Option<String>, FileError> {
    if directory.symlink_metadata().is_err() {
        return Ok(None);
    }
    let mut files = Vec::new();
    collect(directory, "", &mut files)?;
    Ok(Some(hash(&files)))
}

/// Puts these files in place of a directory, if its hash is one of those `expected`, or if there is
/// none. False: it holds what somebody else wrote, and nothing was changed. Synced.
pub fn replace(target: &Path, expected: &[String], files: &Files) -> Result<bool, FileError> {
    recover(target)?;
    let fits = |hash: Option<String>| hash.is_none_or(|hash| expected.contains(&hash));
    if !fits(directory_hash(target)?) {
        return Ok(false);
    }
    let hidden = sibling_path(target, NEW);
    write(&hidden, files)?;
    failpoint::reach("thread.staged");
    if target.symlink_metadata().is_err() {
        let renamed = atomic::rename_unless_exists(&hidden, target);
        let renamed = renamed.map_err(FileError::at("create", target))?;
        if renamed {
            failpoint::reach("thread.replaced");
            atomic::sync_parent(target)?;
        } else {
            remove_whole(&hidden)?;
        }
        return Ok(renamed);
    }
    let old = exchange(&hidden, target)?;
    failpoint::reach("thread.replaced");
    // A process that takes no lock may have written until the last moment.
    if !fits(directory_hash(&old)?) {
        exchange(&old, target)?;
        recover(target)?;
        return Ok(false);
    }
    atomic::sync_parent(target)?;
    remove_whole(&old)?;
    Ok(true)
}

/// Clears away what a killed writer left beside a directory.
pub fn recover(target: &Path) -> Result<(), FileError> {
    let old = sibling_path(target, OLD);
    if old.symlink_metadata().is_ok() && target.symlink_metadata().is_err() {
        fs::rename(&old, target).map_err(FileError::at("restore", target))?;
    }
    remove_whole(&old)?;
    remove_whole(&sibling_path(target, NEW))
}

const NEW: &str = "signoff-new";
const OLD: &str = "signoff-old";

fn sibling_path(target: &Path, ending: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{ending}"))
}

/// Swaps two directories; returns where the one that was at `target` is now.
fn exchange(from: &Path, target: &Path) -> Result<PathBuf, FileError> {
    match renameat_with(CWD, from, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(from.to_path_buf()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => swap_by_renames(from, target),
        Err(error) => Err(FileError::at("replace", target)(error.into())),
    }
}

/// For file systems that cannot swap: for an instant neither has the name, and [`recover`] gives it
/// back to the old one.
fn swap_by_renames(from: &Path, target: &Path) -> Result<PathBuf, FileError> {
    let old = sibling_path(target, OLD);
    if from == old {
        // Back again: the new one has no claim to a name.
        remove_whole(target)?;
        fs::rename(from, target).map_err(FileError::at("restore", target))?;
        return Ok(old);
    }
    fs::rename(target, &old).map_err(FileError::at("replace", target))?;
    fs::rename(from, target).map_err(FileError::at("replace", target))?;
    Ok(old)
}

/// Writes the files into a new directory, synced.
fn write(directory: &Path, files: &Files) -> Result<(), FileError> {
    atomic::create_directories(directory)?;
    for (name, bytes) in files {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            atomic::create_directories(parent)?;
        }
        let written = File::create_new(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(FileError::at("write", &path))?;
        atomic::sync_parent(&path)?;
    }
    Ok(())
}

/// Everything in a directory, in no order. A link, a pipe or an empty directory counts by its name.
fn collect(directory: &Path, prefix: &str, files: &mut Files) -> Result<(), FileError> {
    let found = directory
        .symlink_metadata()
        .map_err(FileError::at("read", directory))?;
    if !found.is_dir() {
        files.push((format!("{prefix}?"), Vec::new()));
        return Ok(());
    }
    for entry in fs::read_dir(directory).map_err(FileError::at("read", directory))? {
        let entry = entry.map_err(FileError::at("read", directory))?;
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(FileError::at("read", &path))?;
        if kind.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if kind.is_file() {
            let bytes = read_file(&path).map_err(FileError::at("read", &path))?;
            files.push((name, bytes));
        } else {
            files.push((format!("{name}?"), Vec::new()));
        }
    }
    Ok(())
}

/// The bytes; of a file far larger than any plan only the beginning, which is not a plan of ours.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

const LARGEST: u64 = 65 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn files(text: &str) -> Files {
        vec![
            ("plan.md".to_owned(), text.into()),
            ("tasks/01-a.md".to_owned(), format!("{text} a").into()),
        ]
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_directory_is_made_and_replaced_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("t");
        assert_eq!(directory_hash(&target).unwrap(), None);
        assert!(replace(&target, &[], &files("one")).unwrap());
        assert_eq!(directory_hash(&target).unwrap(), Some(hash(&files("one"))));
        let shorter = files("two").split_off(1);
        assert!(replace(&target, &[hash(&files("one"))], &shorter).unwrap());
        assert_eq!(directory_hash(&target).unwrap(), Some(hash(&shorter)));
        assert_eq!(names(dir.path()), ["t"]);
    }

    #[test]
    fn what_somebody_else_wrote_is_left_alone() {
        let expected = [hash(&files("one"))];
        let cases: [fn(&Path); 4] = [
            |target| fs::write(target.join("plan.md"), "edited").unwrap(),
            |target| fs::write(target.join("notes.md"), "").unwrap(),
            |target| fs::create_dir(target.join("tasks/sub")).unwrap(),
            |target| symlink("/etc/passwd", target.join("tasks/02-b.md")).unwrap(),
        ];
        for (at, edit) in cases.into_iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            let target = dir.path().join("t");
            assert!(replace(&target, &[], &files("one")).unwrap());
            edit(&target);
            let before = directory_hash(&target).unwrap();
            // An empty directory holds nothing that could be lost.
            let lost = at != 2;
            assert_eq!(
                replace(&target, &expected, &files("two")).unwrap(),
                !lost,
                "{at}"
            );
            if lost {
                assert_eq!(directory_hash(&target).unwrap(), before, "{at}");
            }
            assert_eq!(names(dir.path()), ["t"]);
        }
    }

    #[test]
    fn no_link_is_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let target = dir.path().join("t");
        symlink(elsewhere.path(), &target).unwrap();
        assert!(!replace(&target, &[], &files("one")).unwrap());
        assert_eq!(names(elsewhere.path()), [""; 0]);
    }

    #[test]
    fn without_a_swap_the_old_one_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("t");
        assert!(replace(&target, &[], &files("one")).unwrap());
        // Killed between the two renames.
        write(&sibling_path(&target, NEW), &files("two")).unwrap();
        fs::rename(&target, sibling_path(&target, OLD)).unwrap();
        recover(&target).unwrap();
        assert_eq!(directory_hash(&target).unwrap(), Some(hash(&files("one"))));
        assert_eq!(names(dir.path()), ["t"]);
        // Killed after both.
        write(&sibling_path(&target, NEW), &files("two")).unwrap();
        let old = swap_by_renames(&sibling_path(&target, NEW), &target).unwrap();
        assert_eq!(directory_hash(&old).unwrap(), Some(hash(&files("one"))));
        recover(&target).unwrap();
        assert_eq!(directory_hash(&target).unwrap(), Some(hash(&files("two"))));
        assert_eq!(names(dir.path()), ["t"]);
    }
}
